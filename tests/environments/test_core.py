"""Episodes on embedded Lean: what earns a reward is what the judge accepts, whatever the text looks like."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent.environments import EnvironmentConfig, PlainProofEnvironment, ProofEnvironment
from lean_agent.environments.core import NO_LIBRARY, Library
from lean_agent.errors import ConfigError, LeanProcessDied, LeanRequestError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.rewards import get_scorer
from lean_agent.rollout import Theorem, TheoremFiles

SWAP = Theorem("swap", "theorem swap (p q : Prop) : p ∧ q → q ∧ p")
CORPUS = [
    {
        "path": "Init/Core.lean",
        "imports": [],
        "premises": [
            {"full_name": "And.comm", "code": "theorem And.comm : a ∧ b ↔ b ∧ a", "start": [0, 0], "end": [0, 0]},
            {
                "full_name": "Nat.add_comm",
                "code": "theorem Nat.add_comm : n + m = m + n",
                "start": [0, 0],
                "end": [0, 0],
            },
            {"full_name": "Nat.le_refl", "code": "theorem Nat.le_refl : n ≤ n", "start": [0, 0], "end": [0, 0]},
        ],
    }
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TheoremFiles:
    return TheoremFiles(tmp_path_factory.mktemp("theorems"))


@pytest.fixture
def environment(lean: LeanPool, files: TheoremFiles) -> Iterator[ProofEnvironment]:
    environment = ProofEnvironment(lean, files=files, library=Library(PremiseCorpus(CORPUS)))
    yield environment
    environment.close()


@pytest.mark.lean
def test_a_proof_by_tactics(environment: ProofEnvironment) -> None:
    assert environment.reset(SWAP) == "p q : Prop\n⊢ p ∧ q → q ∧ p"
    assert environment.run_tactic("intro h").endswith("h : p ∧ q\n⊢ q ∧ p")
    assert environment.reward == 0.0
    refused = environment.run_tactic("exact h")
    assert refused.startswith("Lean refuses this tactic (error): ") and refused.endswith("⊢ q ∧ p")
    assert environment.run_tactic("exact h.1").count("⊢") == 1, "the state is as it was"
    assert environment.run_tactic("constructor").count("⊢") == 2
    assert environment.undo().endswith("h : p ∧ q\n⊢ q ∧ p")
    assert not environment.done
    assert environment.run_tactic("exact ⟨h.2, h.1⟩").startswith("Proved")
    assert (environment.reward, environment.terminated, environment.truncated) == (1.0, True, False)
    assert environment.trajectory.script == ("intro h", "exact ⟨h.2, h.1⟩")
    assert environment.actions == 6, "intro, two refused, constructor, undo, exact"
    with pytest.raises(LeanRequestError, match="has ended"):
        environment.run_tactic("skip")


@pytest.mark.lean
def test_a_whole_proof_may_be_tried_again(environment: ProofEnvironment) -> None:
    environment.reset(SWAP)
    environment.run_tactic("intro h")
    answer = environment.submit("by simp")
    assert answer.startswith("The judge refuses this proof (error): ") and answer.endswith("⊢ q ∧ p")
    assert (environment.reward, environment.done) == (0.0, False)
    assert environment.submit("fun h => ⟨h.2, h.1⟩").startswith("Proved")
    assert (environment.reward, environment.outcome) == (1.0, "proved")
    assert environment.trajectory.script == ("fun h => ⟨h.2, h.1⟩",), "what was accepted, not `intro h` before it"


@pytest.mark.lean
@pytest.mark.parametrize(
    ("statement", "proof", "kind"),
    [
        ("∀ p : Prop, p", "by sorry", "sorry"),
        ("∀ p : Prop, p", "fun p => sorryAx p", "sorry"),
        ("∀ p : Prop, p", "by intro p; first | trivial | admit", "sorry"),
        ("2 ^ 20 = 1048576", "by native_decide", "forbidden"),
        ("1 = 2", "by trivial\n\naxiom lies : False", "forbidden"),
        ("1 = 2", "theorem problem : 1 = 1 := rfl", "error"),
        ("∀ n : Nat, n = n + 0", "problem", "error"),
    ],
)
def test_what_the_judge_refuses_earns_nothing(
    environment: ProofEnvironment, statement: str, proof: str, kind: str
) -> None:
    environment.reset(statement)
    environment.submit(proof)
    assert environment.verdict is not None
    assert (environment.verdict.kind, environment.reward, environment.done) == (kind, 0.0, False)
    refused = environment.run_tactic(proof.removeprefix("by "))
    assert refused.startswith("Lean refuses this tactic")
    assert (environment.reward, environment.outcome) == (0.0, "open")


@pytest.mark.lean
def test_cheats_have_the_scorers_word(lean: LeanPool, files: TheoremFiles) -> None:
    environment = ProofEnvironment(lean, files=files, scorer=get_scorer("verified"))
    environment.reset("∀ p : Prop, p ∨ ¬p → True")
    environment.submit("by sorry")
    assert environment.reward == -1.0
    environment.reset("∀ p : Prop, p ∨ ¬p → True")
    assert environment.reward == -0.2, "nothing is left of the episode before; nothing was tried: the level `error`"


@pytest.mark.lean
def test_a_wrong_statement_is_refused(environment: ProofEnvironment) -> None:
    with pytest.raises(LeanRequestError, match="no_such_thing"):
        environment.reset("∀ n : Nat, no_such_thing n")
    with pytest.raises(LeanRequestError, match="call reset first"):
        environment.run_tactic("trivial")


@pytest.mark.lean
def test_gymnasium_s_manner(lean: LeanPool, files: TheoremFiles) -> None:
    config = EnvironmentConfig(max_actions=2)
    theorems = [SWAP, Theorem("same", "∀ p : Prop, p → p")]
    with PlainProofEnvironment(lean, theorems, config=config, files=files) as environment:
        observation, info = environment.reset(seed=0)
        again, _ = environment.reset(seed=0)
        assert observation == again and info["outcome"] == "open"
        environment.reset(options={"theorem": SWAP})
        assert environment.step("intro h")[1:4] == (0.0, False, False)
        observation, reward, terminated, truncated, info = environment.step(("undo", ""))
        assert (reward, terminated, truncated, info["actions"]) == (0.0, False, True, 2)
        assert observation.endswith("⊢ p ∧ q → q ∧ p")
        environment.reset(options={"theorem": SWAP})
        observation, reward, terminated, truncated, info = environment.step(("submit", "fun ⟨a, b⟩ => ⟨b, a⟩"))
        assert (reward, terminated, truncated, info["verdict"]) == (1.0, True, False, "accepted")


def test_the_library_is_searched_by_name_and_by_words(tmp_path: Path) -> None:
    server = MockLeanServer({"swap": SWAP.statement})
    environment = ProofEnvironment(server, files=TheoremFiles(tmp_path), library=Library(PremiseCorpus(CORPUS)))
    environment.reset(SWAP)
    assert environment.search_library("Nat.le_refl").splitlines()[0] == "theorem Nat.le_refl : n ≤ n"
    assert environment.search_library("add comm").splitlines()[0] == "theorem Nat.add_comm : n + m = m + n"
    assert environment.search_library("zzz") == "Nothing has these words."
    without = ProofEnvironment(server, files=TheoremFiles(tmp_path))
    without.reset(SWAP)
    assert without.search_library("add") == NO_LIBRARY
    assert without.undo().startswith("There is no tactic to take back.")


class Dying(MockLeanServer):
    """A server whose Lean ends at every tactic."""

    def goal_tactic(self, state: object, tactic: str, **options: object) -> object:  # type: ignore[override]
        raise LeanProcessDied("the process is gone")


def test_what_lean_cannot_say_is_no_zero(tmp_path: Path) -> None:
    server = Dying({"swap": SWAP.statement})
    with PlainProofEnvironment(server, [SWAP], files=TheoremFiles(tmp_path)) as environment:
        environment.reset()
        observation, reward, terminated, _, info = environment.step("intro h")
        assert math.isnan(reward) and terminated
        assert info["outcome"] == "unknown" and "the process is gone" in observation
        assert environment.core.reward is None
    assert server.live_states == 0
    with pytest.raises(ConfigError, match="no theorems"):
        PlainProofEnvironment(server).reset()
