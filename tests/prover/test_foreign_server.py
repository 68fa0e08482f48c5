"""The prover over a server that is not ours: an object with PyPantograph's interface, classes and exceptions."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pantograph import Server as OurServer
from lean_agent.lean.pantograph.adaptor import PantographLean, as_lean_server
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver

FILE = """import Init
namespace Foreign
variable (p q : Prop)

theorem first : p → p := by
  sorry

open Or in
theorem second (h : p ∧ q) : q ∨ p := by
  sorry

theorem done : True := trivial
end Foreign
"""

sys.path.insert(0, str(Path(__file__).parent))
from fake_pypantograph import Server  # noqa: E402  # tests are no package

TACTICS = ["intro h", "exact h", "exact inl h.2", "constructor", "exact h.1", "exact h.2", "rfl"]


@pytest.fixture(scope="module")
def foreign() -> Iterator[Server]:
    server = Server([sys.executable, "-m", "lean_agent", "pantograph-repl", "Init"])
    yield server
    server.close()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("foreign")
    (root / "Foreign.lean").write_text(FILE, encoding="utf-8")
    return LeanProject(root, tmp_path_factory.mktemp("build"))


def test_whatever_is_a_lean_server_stays_itself() -> None:
    mock = MockLeanServer()
    assert as_lean_server(mock) is mock


def test_the_mock_behind_pantograph_s_interface_is_a_server_again() -> None:
    with OurServer(pool=MockLeanServer()) as server:
        lean = as_lean_server(server)
        assert isinstance(lean, LeanServer)
        state = lean.goal_tactic(lean.goal_start("∀ (p q : Prop), p ∧ q → q"), "intro p q h")
        assert state.text == "p q : Prop\nh : p ∧ q\n⊢ q"
        assert lean.goal_tactic(state, "exact h.2").is_solved
        for tactic, kind in [("exact h", "error"), ("nonsense", "parse"), ("run_tac x", "forbidden"), (" ", "parse")]:
            (failure,) = lean.goal_tactics([(state, tactic)])
            assert isinstance(failure, TacticFailure)
            assert (failure.kind, failure.tactic) == (kind, tactic)
        with pytest.raises(LeanRequestError, match="does not elaborate"):
            lean.goal_start("∀ (p : Prop), p ∧")


def test_a_limit_that_is_not_passed_on_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    with OurServer(pool=MockLeanServer()) as server:
        lean = as_lean_server(server)
        state = lean.goal_start("∀ (p : Prop), p → p", timeout_s=5.0)
        lean.goal_tactics([(state, "intro p h")], timeout_s=5.0)
    assert caplog.text.count("timeout_s=5 is not passed on. Give the server one") == 1


def test_without_automatic_mode_nothing_can_be_believed() -> None:
    manual = OurServer(pool=MockLeanServer(), options={"automaticMode": False})
    with manual, pytest.raises(LeanRequestError, match="automatic mode"):
        as_lean_server(manual)


def goals_held(foreign: Server) -> int:
    """How many states the server has, once Python has dropped what nobody refers to."""
    gc.collect()
    foreign.gc()
    count: int = foreign.run("stat", {})["nGoals"]
    return count


@pytest.mark.lean
@pytest.mark.slow
def test_open_theorems_of_a_file_are_proved_and_judged(foreign: Server, lean: LeanPool, project: LeanProject) -> None:
    server = PantographLean(foreign, judge=lean)
    sites = [TheoremSite(project, "Foreign.lean", f"Foreign.{name}") for name in ("first", "second", "done", "none")]
    config = SearchConfig(budget=SearchBudget(16, 64, 60), tactics_per_node=len(TACTICS))
    found = dict(Driver(server, ScriptedPolicy(TACTICS), config).run(sites))
    assert [found[i].status for i in range(4)] == ["proved", "proved", "error", "error"]
    assert "not open" in found[2].message
    assert "no theorem" in found[3].message
    assert found[1].script == ("exact inl h.2",)  # `open Or in` is in force at the hole
    for index in (0, 1):
        proof = "by\n" + "\n".join(f"  {tactic}" for tactic in found[index].script)
        assert server.verify(sites[index], proof, whole_file=True).accepted
    assert not server.verify(sites[0], "by sorry", whole_file=True).accepted
    held = goals_held(foreign)
    for _ in range(3):
        list(Driver(server, ScriptedPolicy(TACTICS), config).run(sites))
    assert goals_held(foreign) <= held + 1, "what a search leaves is deleted there"


@pytest.mark.lean
@pytest.mark.slow
def test_a_proposition_is_proved(foreign: Server) -> None:
    server = PantographLean(foreign)
    ((_, found),) = Driver(server, ScriptedPolicy(TACTICS)).run(["∀ (p q : Prop), p ∧ q → q ∧ p"])
    assert found.status == "proved"
    assert found.script == ("intro h", "intro h", "intro h", "constructor", "exact h.2", "exact h.1")
    state = server.goal_start("∀ (p q : Prop), p ∧ q → q ∧ p")
    for tactic in ("intro p q h", "constructor", "exact h.2", "exact h.1"):
        assert not state.is_solved
        state = server.goal_tactic(state, tactic)
    assert state.is_solved
    for tactic, kind in [("sorry", "sorry"), ("exact (h", "parse"), ("exact q", "error")]:
        before = server.goal_tactic(server.goal_start("∀ (p : Prop), p → p"), "intro p h")
        (failure,) = server.goal_tactics([(before, tactic)])
        assert isinstance(failure, TacticFailure)
        assert failure.kind == kind
    with pytest.raises(LeanRequestError, match="does not trace"):
        server.trace_file(LeanProject(Path()), "A.lean")
