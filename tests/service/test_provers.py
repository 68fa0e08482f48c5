"""Who proposes tactics in the searches of a service: the mixture that agents prove with, and what it knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.service.provers import ServiceProvers
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from lean_agent.tracing import local_repository, trace_repository

pytestmark = pytest.mark.lean

# without the lemma, the theorem takes an induction with arithmetic that no closing tactic does
LEMMA = """\
def sumTo : Nat → Nat
  | 0 => 0
  | n + 1 => (n + 1) + sumTo n

theorem two_sum (n : Nat) : 2 * sumTo n = n * (n + 1) := by
  induction n with
  | zero => rfl
  | succ n ih => simp [sumTo, Nat.mul_add, ih, Nat.add_mul]; omega

"""
OPEN = "theorem by_lemma (m : Nat) : 2 * sumTo (m * m + m) + 5 = (m * m + m) * (m * m + m + 1) + 5 := by sorry\n"
ASKED = {"budget": {"lean_calls": 64, "expansions": 64, "seconds": 600}}
OF_TRACED = OPEN.replace("by_lemma", "by_name")


@pytest.fixture(scope="module")
def traced(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The path of a database that knows a repository: a lemma in one file, an open theorem in another."""
    folder = tmp_path_factory.mktemp("searched") / "lessons"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "lessons"\n', encoding="utf-8")
    (folder / "Base.lean").write_text(LEMMA, encoding="utf-8")
    (folder / "Main.lean").write_text(f"import Base\n\n{OF_TRACED}", encoding="utf-8")
    path = folder.parent / "database.sqlite"
    with DynamicDatabase(path) as database:
        lean.check("", timeout_s=600)
        trace_repository(local_repository(str(folder)), lean, database=database, progress=False)
    return path


@pytest.fixture(scope="module")
def address(lean: LeanPool, traced: Path) -> Iterator[str]:
    with serving(lean, ServiceSettings(port=0, database=traced)) as address:
        yield address


def searched(address: str, theorem: str, **asked: Any) -> dict[str, Any]:
    """How a search ends."""
    with httpx.Client(base_url=address, timeout=600) as http:
        job = http.post("/v1/prove", json={"theorem": theorem, **ASKED, **asked}).json()
        with http.stream("GET", f"/v1/prove/{job['id']}/events") as stream:
            assert "event: end" in list(stream.iter_lines())
        ended: dict[str, Any] = http.get(f"/v1/prove/{job['id']}").json()
        return ended


def test_a_text_is_searched_with_its_own_lemmas(address: str) -> None:
    ended = searched(address, LEMMA + OPEN)
    assert (ended["policy"], ended["status"]) == ("mixture", "proved"), ended
    assert "two_sum" in ended["result"]["proof"] and ended["result"]["verdict"]["accepted"]


def test_closing_tactics_alone_can_be_had_and_do_not_prove_it(address: str) -> None:
    ended = searched(address, LEMMA + OPEN, policy="own")
    assert ended["policy"] == "own" and ended["status"] in ("failed", "budget"), ended


def test_an_open_theorem_of_a_traced_repository_goes_by_its_name(address: str, traced: Path) -> None:
    ended = searched(address, "by_name")
    assert ended["status"] == "proved" and "two_sum" in ended["result"]["proof"], ended
    with DynamicDatabase(traced) as database:  # nothing of a client's is kept
        assert [each.name for each in database.repositories(benchmarks=True)] == ["lessons"]
        assert [each.full_name for each in database.sorry_theorems()] == ["by_name"]


def test_what_is_traced_is_a_neighbour(address: str) -> None:
    """Nothing but the traced proof of `two_sum`, which has a `rfl`, is asked."""
    ended = searched(address, "theorem mine : 2 * 0 = 0 * (0 + 1)", policy="neighbours")
    assert (ended["policy"], ended["status"]) == ("neighbours", "proved"), ended


def test_whole_proofs_and_texts_with_two_theorems(address: str) -> None:
    assert searched(address, "theorem mine : 1 = 1", search="whole_proof")["policy"] == "own"
    ended = searched(address, "theorem a : 1 = 1 := by sorry\ntheorem b : 2 = 2 := by sorry")
    assert ended["result"]["error"]["message"] == "The text leaves 2 theorems open (a, b): give one."


def test_a_model_is_a_source_of_the_mixture_or_asked_alone(lean: LeanPool, traced: Path, tmp_path: Path) -> None:
    model = make_tiny_model([LEMMA + OPEN], tmp_path / "tiny", vocab_size=300, hidden_size=64, layers=1)
    provers = ServiceProvers(lean, ServiceSettings(port=0, database=traced, model=str(model)))
    config = SearchConfig(budget=SearchBudget(lean_calls=64))
    with provers.ready("by_name", "mixture", config) as (mixed, theorem):
        assert theorem.full_name == "by_name"
        assert isinstance(mixed.policy, MixturePolicy) and set(mixed.policy.sources) == {"own", "closers", "neighbours"}
    with provers.ready("by_name", "own", config) as (alone, _):
        assert (alone.name, alone.config.closers != ()) == ("tiny", True)
    provers.close()


def test_a_database_is_read_once_and_again_when_it_has_changed(lean: LeanPool, traced: Path, tmp_path: Path) -> None:
    path = tmp_path / "database.sqlite"
    path.write_bytes(traced.read_bytes())
    steps = []
    provers = ServiceProvers(lean, ServiceSettings(port=0, database=path))
    for _ in range(2):
        with provers.ready("by_name", "neighbours", SearchConfig()) as (prover, _):
            assert isinstance(prover.policy, MixturePolicy)
            neighbours = prover.policy.sources["neighbours"]
            assert isinstance(neighbours, NeighbourPolicy)
            steps.append(neighbours._steps[0])
        (answers,) = neighbours.suggest(["⊢ 2 * sumTo 0 = 0 * (0 + 1)"], 8)
        assert "rfl" in [suggestion.tactic for suggestion in answers]
    assert steps[0] is steps[1]  # goals are read for all searches together
    assert provers.proposing("neighbours") is provers.proposing("neighbours")
    folder = tmp_path / "more"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "more"\n', encoding="utf-8")
    (folder / "More.lean").write_text("theorem dull : 3 = 3 := by\n  exact Eq.refl 3\n", encoding="utf-8")
    with DynamicDatabase(path) as database:
        trace_repository(local_repository(str(folder)), lean, database=database, progress=False)
        (answers,) = provers.proposing("neighbours").suggest(["⊢ 3 = 3"], 8)  # while the other has it open
    assert "exact Eq.refl 3" in [suggestion.tactic for suggestion in answers]
    with provers.ready("by_name", "neighbours", SearchConfig()) as (_, theorem):
        assert theorem.full_name == "by_name"
    provers.close()
