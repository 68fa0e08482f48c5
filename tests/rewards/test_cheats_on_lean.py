"""No scorer pays for a cheat, as Lean judges it: the cheats of the judge's own tests, as tactics of a model."""

from __future__ import annotations

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.rewards import available_scorers, get_scorer
from lean_agent.rewards.verified import level_of
from lean_agent.rollout.single_tactics import attempt_at_main_goal

pytestmark = pytest.mark.lean

FILE = """axiom lies : False

macro "trust_me" : tactic => `(tactic| sorry)
macro "hidden" : term => `(sorry)
local notation "fine" => sorryAx _ true

theorem target (p : Prop) (h : p) : p ∧ p := by
  skip

theorem later (p : Prop) (h : p) : p ∧ p := ⟨h, h⟩
"""

HOLES_AND_TRICKS = [
    "sorry",
    "admit",
    "exact sorry",
    "constructor <;> sorry",
    "first | sorry | exact ⟨h, h⟩",
    "stop",
    "exact (sorryAx _)",
    "trust_me",
    "exact hidden",
    "exact fine",
    "exact ⟨h, by trust_me⟩",
    "native_decide",
    "decide +native",
    "exact Lean.ofReduceBool _ _ rfl",
    "set_option debug.skipKernelTC true in exact ⟨h, h⟩",
    "exact lies.elim",
    "exact absurd lies id",
    "exact target p h",
    "exact later p h",
    "refine ⟨h, ?_⟩ -- closed by nobody",
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> TheoremSite:
    root = tmp_path_factory.mktemp("cheats")
    (root / "Cheats.lean").write_text(FILE, encoding="utf-8")
    return TheoremSite(LeanProject(root, tmp_path_factory.mktemp("build")), "Cheats.lean", "target")


def test_no_scorer_pays_for_a_cheat(lean: LeanPool, site: TheoremSite) -> None:
    state = lean.goal_start(site)
    tactics = [*HOLES_AND_TRICKS, "exact ⟨h, h⟩"]
    results = lean.goal_tactics([(state, tactic) for tactic in tactics])
    *cheats, honest = [attempt_at_main_goal(site, t, state, r) for t, r in zip(tactics, results, strict=True)]
    assert honest.is_proved
    for name in available_scorers():
        # outside its domain a scorer pays 0.6 for a proof
        assert get_scorer(name).score(honest)[0] >= 0.6
        for cheat in cheats:
            reward, _ = get_scorer(name).score(cheat)
            assert reward < 0.5, (name, cheat.script)
            if not cheat.script:  # Lean ran nothing of it
                assert reward <= 0, (name, cheat.steps)
    assert not any(cheat.is_proved for cheat in cheats)
    # what Lean ran is the honest half of a proof, with its hole open
    assert [cheat.script for cheat in cheats if cheat.script] == [("refine ⟨h, ?_⟩ -- closed by nobody",)]


def test_moved_and_renamed_goals_are_no_progress(lean: LeanPool, site: TheoremSite) -> None:
    """Seen in training: a policy that was paid for progress learned to answer `apply ?_`, which takes a goal's tag."""
    state = lean.goal_start("∀ p q : Prop, p → q → p ∧ q")
    for tactic in ("intro p q hp hq", "constructor"):
        state = lean.goal_tactic(state, tactic)
    expected = {
        "apply ?_": "unchanged",
        "rotate_left": "unchanged",
        "rotate_left; exact hq": "unchanged",  # another goal is closed in place of the main one
        "have extra := hq": "progress",
        "exact hp": "solved",
        "rotate_left; rotate_left; exact hp": "solved",
        "exact hq": "error",
    }
    results = lean.goal_tactics([(state, tactic) for tactic in expected])
    attempts = [attempt_at_main_goal(site, t, state, r) for t, r in zip(expected, results, strict=True)]
    assert {a.steps[0].tactic: level_of(a) for a in attempts} == expected
