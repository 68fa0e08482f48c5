"""What Lean says of a failed tactic is made from what has been printed before: nothing of it may be another's."""

from __future__ import annotations

from pathlib import Path

from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite


def said(lean: LeanPool, state: GoalState, tactic: str) -> str:
    """A failure's words, the same when it fails again."""
    first, again = (lean.goal_tactics([(state, tactic)])[0] for _ in range(2))
    assert isinstance(first, TacticFailure)
    assert isinstance(again, TacticFailure)
    assert first.message == again.message
    return first.message


def mismatch(term: str, has: str, expected: str) -> str:
    return f"Type mismatch\n  {term}\nhas type\n  {has}\nbut is expected to have type\n  {expected}"


def test_a_variable_has_the_name_that_it_has_in_this_goal(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("∀ a b : Nat, a < b → ∀ a : Nat, a = b"), "intro a b h")
    assert said(lean, state, "exact h") == mismatch("h", "a < b", "∀ (a : Nat), a = b")
    deeper = lean.goal_tactic(state, "intro a")
    assert said(lean, deeper, "exact h") == mismatch("h", "a✝ < b", "a = b")
    assert said(lean, deeper, "assumption").endswith("a✝ b : Nat\nh : a✝ < b\na : Nat\n⊢ a = b")
    assert said(lean, state, "exact h") == mismatch("h", "a < b", "∀ (a : Nat), a = b")


def test_other_options_are_heeded(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("∀ a b : Nat, a < b → a = b"), "intro a b h")
    assert said(lean, state, "exact h") == mismatch("h", "a < b", "a = b")
    explicit = said(lean, state, "set_option pp.all true in exact h")
    assert explicit == mismatch("h", "@LT.lt.{0} Nat instLTNat a b", "@Eq.{1} Nat a b")
    assert said(lean, state, "exact h") == mismatch("h", "a < b", "a = b")


def test_a_term_that_changes_is_printed_as_it_stands(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("∀ a b : Nat, a + 0 < b → a = b"), "intro a b h")
    assert said(lean, state, "exact h") == mismatch("h", "a + 0 < b", "a = b")
    changed = lean.goal_tactic(state, "change a < b at h")
    assert said(lean, changed, "exact h") == mismatch("h", "a < b", "a = b")


def test_names_are_as_short_as_in_the_goals(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(
        "namespace Own\ndef P (n : Nat) : Prop := n = n\ntheorem t (h : P 1) : P 2 := by sorry\n"
    )
    state = lean.goal_start(TheoremSite(LeanProject(root=tmp_path, build=tmp_path / "build"), "A.lean", "Own.t"))
    assert state.goals[0].text == "h : P 1\n⊢ P 2"
    assert said(lean, state, "exact h") == mismatch("h", "P 1", "P 2")
    assert said(lean, state, "assumption") == "Tactic `assumption` failed\n\nh : P 1\n⊢ P 2"


def test_what_grind_tells_of_its_state_is_left_out(lean: LeanPool) -> None:
    state = lean.goal_start("∀ (f : Nat → Nat) (a b : Nat), f a = f b → a = b")
    message = said(lean, state, "intro f a b h; grind")
    assert message.startswith("`grind` failed\ncase grind\n")
    assert message.endswith("\n⊢ False")  # and not hundreds of KB of facts, which take longer to print than to find
