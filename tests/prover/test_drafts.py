"""Proofs that their authors have begun: cut at their holes, filled, and gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import (
    GoalState,
    Hole,
    LeanProject,
    Position,
    ProofMode,
    TheoremSite,
    TracedTactic,
    TracedTheorem,
)
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import ScriptedProver
from lean_agent.prover.saved.training_rows import proof_steps
from lean_agent.prover.saved.trees import record_search
from lean_agent.prover.searches.base import Search
from lean_agent.prover.statements import theorems_of_text
from lean_agent.prover.tree.drafts import draft_of
from lean_agent.prover.tree.steps import Step

HERE = Position(1, 0)


def begun(proof: str, *, mode: ProofMode = "tactic", terms: bool = False, runs: int = 1) -> TracedTheorem:
    """A theorem with that proof, whose holes are terms, or tactics that have run so many times."""
    data = f"theorem t : p := {proof}".encode()
    places = [place for place in range(len(data)) if data[place : place + 5] in (b"sorry", b"admit")]
    holes = tuple(Hole(place, place + 5, is_term=terms) for place in places)
    ran = tuple(TracedTactic("sorry", "", hole.start, hole.end, "", "", 1, 0) for hole in holes * runs if not terms)
    end = len(data)
    return TracedTheorem("t", "theorem t : p", proof, mode, True, "p", "h", 0, end, HERE, HERE, ran, holes=holes)


def filled(theorem: TracedTheorem, *proofs: list[Step]) -> str:
    draft = draft_of(theorem)
    assert draft is not None
    return draft.filled(proofs)


@pytest.mark.parametrize(
    "proof",
    ["by sorry", "sorry", "by\n  sorry", "by\n  -- later\n  sorry", "by /- sorry,\n no time -/ sorry", "by admit"],
)
def test_nothing_is_begun(proof: str) -> None:
    theorem = begun(proof, mode="tactic" if proof.startswith("by") else "term", terms=proof == "sorry")
    last = replace(theorem, holes=theorem.holes[-1:])  # one may stand in a comment
    assert draft_of(last) is None


def test_what_cannot_be_gone_on_with() -> None:
    assert draft_of(begun("by\n  exact absurd rfl fun h => by\n    sorry", runs=0)) is None, "Lean never came there"
    assert draft_of(begun("by\n  cases n with\n  | _ => sorry\ntermination_by n")) is None
    assert draft_of(begun("| 0 => sorry", mode="equations")) is None
    theorem = begun("by\n  intro x\n  sorry")
    assert draft_of(theorem) is not None
    assert draft_of(replace(theorem, end=theorem.end + 3)) is None, "places that are none of a sorry"
    assert draft_of(replace(theorem, holes=())) is None, "traced before holes were told"
    term = begun("by\n  all_goals exact sorry", terms=True)
    assert draft_of(term) is not None
    around = TracedTactic("exact sorry", "", term.holes[0].start - 6, term.holes[0].end, "", "", 1, 0)
    assert draft_of(replace(term, tactics=(around, around))) is None, "one term at several goals"


def test_one_hole_for_several_goals() -> None:
    theorem = begun("by\n  constructor <;> sorry", runs=2)
    assert filled(theorem, ["simp"], ["simp"]) == "constructor <;> (simp)"
    assert filled(theorem, ["intro x", "rfl"], ["simp"]) == (
        "constructor <;> (first\n"
        "                   | (intro x\n"
        "                      rfl\n"
        "                      done)\n"
        "                   | (simp\n"
        "                      done))"
    )
    arms = begun("by\n  cases n with\n  | _ => sorry", runs=2)
    assert filled(arms, ["rfl"], ["simp"]) == (
        "cases n with\n| _ => first\n         | (rfl\n            done)\n         | (simp\n            done)"
    )
    draft = draft_of(arms)
    assert draft is not None and draft.filled([["rfl"], None]) == "cases n with\n| _ => sorry"


@pytest.mark.lean
def test_a_proof_that_works_at_another_goal_has_to_close_it(lean: LeanPool) -> None:
    theorem = begun("by\n  intro n m h\n  constructor\n  all_goals sorry", runs=2)
    text = filled(theorem, ["first | simp | skip"], ["omega"])
    assert lean.goal_tactic(lean.goal_start("∀ n m : Nat, n = m → 0 + n = n ∧ 0 + n = m"), text).is_solved


def test_a_proof_stands_where_the_hole_was() -> None:
    arms = begun("by\n    induction n with\n    | zero => sorry\n    | succ n ih =>\n      sorry -- hard")
    assert filled(arms, ["rfl"], ["intro x", "simp"]) == (
        "induction n with\n| zero => rfl\n| succ n ih =>\n  intro x\n  simp -- hard"
    )
    assert filled(arms, ["intro x", "simp"], [("simp", "done"), "rfl"]) == (
        "induction n with\n| zero => intro x\n          simp\n| succ n ih =>\n  · simp\n    done\n  rfl -- hard"
    )


def test_a_proof_beside_something_stands_in_parentheses() -> None:
    assert filled(begun("by\n  (sorry; done)"), ["simp", "rfl"]) == "((simp\n  rfl); done)"
    assert filled(begun("by\n  first | sorry | rfl"), ["simp <;> rfl"]) == "first | (simp <;> rfl) | rfl"


def test_terms_are_proved_by_tactics() -> None:
    theorem = begun("by\n  have h : q := sorry\n  exact h", terms=True)
    assert filled(theorem, ["simp"]) == "have h : q := by simp\nexact h"
    assert filled(theorem, ["intro x", "simp"]) == "have h : q := by\n  intro x\n  simp\nexact h"
    in_block = begun("by\n  · have h : q := sorry\n    exact h", terms=True)
    assert filled(in_block, ["intro x", "simp"]) == "· have h : q := by\n    intro x\n    simp\n  exact h"
    arm = begun("by\n  cases n with\n  | _ => exact sorry", terms=True)
    assert filled(arm, ["intro x", "simp"]) == "cases n with\n| _ => exact by intro x\n                simp"
    inside = begun("⟨h, sorry⟩", mode="term", terms=True)
    assert filled(inside, ["intro x", "simp"]) == "exact ⟨h, (by intro x\n              simp)⟩"


def test_tactics_on_the_line_of_by() -> None:
    assert filled(begun("by induction n with\n  | zero => sorry\n  | succ n => rfl"), ["simp"]) == (
        "induction n with\n  | zero => simp\n  | succ n => rfl"
    )
    assert filled(begun("by intro x\n               sorry"), ["simp"]) == "intro x\nsimp"
    assert filled(begun("by intro x; sorry"), ["simp"]) == "intro x; (simp)"


FILE = """inductive Tree where
  | leaf
  | node (l : Tree) (x : Nat) (r : Tree)

namespace Tree

def mirror : Tree → Tree
  | leaf => leaf
  | node l x r => node r.mirror x l.mirror

theorem arms (t : Tree) : t.mirror.mirror = t := by
  induction t with
  | leaf => sorry
  | node l x r ihl ihr =>
    -- the interesting case: «ünïcödé»
    sorry

theorem lemma_first (t : Tree) (h : t = leaf) : t.mirror = leaf ∧ True := by
  have step : t.mirror = leaf := sorry
  constructor
  · exact step
  · sorry

theorem of_two_goals (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor
  sorry
  admit

theorem same_line (n : Nat) : 0 + n = n := by induction n with
  | zero => rfl
  | succ n ih => sorry

theorem as_term (p q : Prop) (hp : p) (hq : q) : q ∧ p :=
  ⟨sorry, by
    sorry⟩

theorem in_calc (a b c : Nat) (h : a = b) (k : b = c) : a = c := by
  calc a = b := sorry
    _ = c := by sorry

theorem wrong_way (a b : Nat) (h : a = b) : b = a := by
  have : b = a + 1 := sorry
  exact this.trans (by rw [h]; exact sorry)

theorem that_hang_together (n : Nat) : ∃ m, m = n := by
  constructor
  · sorry
  · sorry

theorem at_all_goals (p q : Prop) (hp : p) (hq : q) : p ∧ q := by
  constructor <;> sorry

theorem arms_in_one (t : Tree) : t.mirror = leaf ∨ t ≠ leaf := by
  cases t with
  | leaf | node => sorry

end Tree
"""
TACTICS = {
    "arms": (["rfl"], ["simp [mirror]", "exact ⟨ihl, ihr⟩"]),
    "lemma_first": (["subst h", "rfl"], ["trivial"]),
    "of_two_goals": (["exact hp"], ["exact hq"]),
    "same_line": (["simp"],),
    "as_term": (["exact hq"], ["exact hp"]),
    "in_calc": (["exact h"], ["exact k"]),
    "at_all_goals": (["exact hp"], ["exact hq"]),
    "arms_in_one": (["left", "rfl"], ["right", "intro h", "cases h"]),
}


@pytest.fixture(scope="module")
def project(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("drafts")
    (root / "Base.lean").write_text(FILE, encoding="utf-8")
    return LeanProject(root, root / "build")


@pytest.fixture(scope="module")
def theorems(lean: LeanPool, project: LeanProject) -> dict[str, TracedTheorem]:
    traced = lean.trace_file(project, "Base.lean")
    assert not traced.errors
    return {theorem.full_name.removeprefix("Tree."): theorem for theorem in traced.theorems}


@pytest.mark.lean
@pytest.mark.parametrize("name", TACTICS)
def test_every_hole_is_a_goal_and_what_is_filled_is_a_proof(
    lean: LeanPool, project: LeanProject, theorems: dict[str, TracedTheorem], name: str
) -> None:
    theorem, proofs = theorems[name], TACTICS[name]
    draft = draft_of(theorem)
    assert draft is not None
    site = TheoremSite(project, "Base.lean", theorem.full_name)
    for start, tactics in zip(draft.sites(site), proofs, strict=True):
        state = lean.goal_start(start)
        assert isinstance(state, GoalState)
        after = lean.goal_tactic(state, "\n".join(tactics))
        assert len(after.goals) == len(state.goals) - 1, "its own goal is the first one"
        lean.release([state, after])
    root = lean.goal_start(site)
    text = draft.filled(proofs)
    assert lean.goal_tactic(root, text).is_solved
    assert lean.verify(site, "by\n" + "".join(f"  {line}\n" for line in text.splitlines())).accepted


def test_where_the_holes_are(theorems: dict[str, TracedTheorem]) -> None:
    data = FILE.encode()
    for theorem in theorems.values():
        assert theorem.has_sorry
        assert {data[hole.start : hole.end] for hole in theorem.holes} <= {b"sorry", b"admit"}
    assert [hole.is_term for hole in theorems["lemma_first"].holes] == [True, False]
    draft = draft_of(theorems["at_all_goals"])
    assert draft is not None and draft.runs == (2,)


class _Kept:
    """The searches of a run, by their theorems' places."""

    def __init__(self) -> None:
        self.searches: dict[int, Search] = {}

    def __call__(self, index: int, search: Search) -> None:
        self.searches[index] = search


@pytest.mark.lean
def test_a_search_goes_on_from_them(lean: LeanPool) -> None:
    """Of these tactics none proves a theorem from its statement on."""
    tactics = (
        "rfl",
        "exact True.intro",
        "exact congrArg mirror h",
        "exact hp",
        "exact hq",
        "exact congrArg (· + 1) ih",
        "exact h",
        "exact k",
    )
    kept = _Kept()
    budget = SearchBudget(expansions=40, lean_calls=200, seconds=600.0)
    prover = ScriptedProver(lean, tactics=tactics, config=SearchConfig(budget=budget), on_end=kept)
    stored = [each for each in theorems_of_text(FILE, lean) if each.full_name != "Tree.wrong_way"]
    results = {result.theorem.full_name.removeprefix("Tree."): result for result in prover.prove_all(stored)}
    names = {name for name, result in results.items() if result.proved}
    assert names == {"lemma_first", "of_two_goals", "same_line", "as_term", "in_calc", "at_all_goals"}
    assert results["lemma_first"].search.script == (
        "have step : t.mirror = leaf := by exact congrArg mirror h\nconstructor\n· exact step\n· exact True.intro",
    )
    index = next(index for index, each in enumerate(stored) if each.full_name == "Tree.lemma_first")
    saved = record_search(kept.searches[index], theorem="lemma_first")
    (draft,) = [edge for edge in saved.nodes[0].edges if edge.proposed_by == "author"]
    assert draft.proves and len(draft.targets) == 2
    assert all("sorry" not in step.tactic for step in proof_steps([saved])), "no tactic to learn"
    without = ScriptedProver(lean, tactics=tactics, config=SearchConfig(budget=budget, drafts=False))
    assert [result.theorem.full_name for result in without.prove_all(stored) if result.proved] == []


@pytest.mark.lean
def test_what_the_author_has_written_stays(lean: LeanPool) -> None:
    """Lists are made shorter where they were found, in holes alone."""
    text = """theorem useless (a b : Nat) : a + b = b + a := Nat.add_comm a b

theorem both (f : Nat → Nat) (h : ∀ n, f n = n) (p : Prop) (hp : p) : f 2 + 0 = 2 ∧ p := by
  constructor
  · simp [h, useless]
  · sorry
"""
    for minimal in (False, True):
        prover = ScriptedProver(lean, tactics=("simp [h, useless, hp]",), minimal=minimal)
        result = prover.prove(text)
        assert result.proved and result.search.filled_draft is not None
        (proof,) = result.search.script
        first, last = proof.splitlines()[1:]
        assert (first, last) in [("· simp [h, useless]", "· simp [hp]"), ("· simp [h, useless]", "· assumption")]
        assert minimal or last == "· simp [hp]"


@pytest.mark.lean
def test_a_draft_that_leads_nowhere_is_no_hindrance(lean: LeanPool) -> None:
    prover = ScriptedProver(lean, tactics=("simp", "exact h.symm"), config=SearchConfig())
    (theorem,) = [each for each in theorems_of_text(FILE, lean) if each.full_name == "Tree.wrong_way"]
    result = prover.prove(theorem)
    assert result.proved and result.search.script == ("exact h.symm",)


@pytest.mark.lean
def test_what_was_filled_is_not_lost(lean: LeanPool, tmp_path: Path) -> None:
    text = """theorem hard (f : Nat → Nat) (p : Prop) (h : p) : f 3 = 5 ∧ p ∧ p := by
  refine ⟨?_, ?_, ?_⟩
  · sorry -- no way
  · exact sorry
  · sorry
"""
    prover = ScriptedProver(lean, tactics=("exact h",), proofs_dir=tmp_path)
    (theorem,) = theorems_of_text(text, lean)
    result = prover.prove(theorem)
    assert not result.proved and result.path is None and result.partial_path is not None
    draft = result.search.filled_draft
    assert draft is not None and (draft.filled, draft.holes) == (2, 3)
    assert result.partial_path.is_relative_to(tmp_path / "partial")
    written = result.partial_path.read_text(encoding="utf-8")
    assert written.endswith("  refine ⟨?_, ?_, ?_⟩\n  · sorry -- no way\n  · exact by exact h\n  · exact h\n")
    nothing = ScriptedProver(lean, tactics=("rfl",), proofs_dir=tmp_path).prove(theorem)
    assert nothing.search.filled_draft is None and nothing.partial_path is None
