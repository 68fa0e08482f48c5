"""Every theorem of a file's text is traced, or lost with a reason; every constant that stands beside them is named."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.tables import trace_summary
from lean_agent.database import DynamicDatabase
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, Position, TheoremSite, TracedFile
from lean_agent.prover.proofs.proof_text import with_proof
from lean_agent.tracing import local_repository, trace_repository

pytestmark = pytest.mark.lean

LEMMAS = """\
import Lean
open Lean
syntax (name := lemma) declModifiers group("lemma " declId ppIndent(declSig) declVal) : command
@[macro «lemma»] def expandLemma : Macro := fun stx =>
  let stx := stx.modifyArg 1 fun stx =>
    let stx := stx.modifyArg 0 (mkAtomFrom · "theorem" (canonical := true))
    stx.setKind ``Parser.Command.theorem
  pure <| stx.setKind ``Parser.Command.declaration
namespace N
/-- How it is. -/
@[simp] lemma first (n : Nat) : 0 + n = n := by
  rw [Nat.zero_add]
lemma left (p q : Prop) : p ∧ q → q ∧ p := by
  sorry
open Nat in
lemma equations : (n : Nat) → 0 + n = n
  | 0 => rfl
  | n + 1 => step (equations n)
where
  step {n : Nat} (h : 0 + n = n) : 0 + (n + 1) = n + 1 := congrArg (· + 1) h
lemma failing : 1 = 2 := by rfl
lemma first : 1 = 1 := rfl
end N
macro "claim " n:ident " : " t:term " := " p:term : command => `(theorem $n : $t := $p)
claim claimed : 1 + 1 = 2 := by decide
macro "hidden" : command => `(theorem $(mkIdent `bogus) : 1 = 1 := by decide)
hidden
macro "twin" : command => `(theorem target : False := by sorry)
twin
theorem target : 1 = 1 := rfl
elab "swallow " _c:command : command => pure ()
swallow theorem swallowed : False := sorry
open Lean Elab Command in
elab "alias " n:ident " := " m:ident : command => do
  let c ← liftCoreM <| realizeGlobalConstNoOverloadWithInfo m
  let .thmInfo i ← getConstInfo c | throwError "no theorem"
  liftCoreM <| addDecl <| .thmDecl { i with name := n.getId, value := .const c (i.levelParams.map .param) }
  liftTermElabM <| addDeclarationRangesFromSyntax n.getId (← getRef) n
alias mine := target
def helper : AxiomVal := { name := `target._helper, levelParams := [], type := .const ``False [], isUnsafe := false }
run_cmd Lean.Elab.Command.liftCoreM <| addDecl <| .axiomDecl helper
@[ext] structure Pair where
  x : Nat
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    folder = tmp_path_factory.mktemp("accounts")
    (folder / "A.lean").write_text(LEMMAS, encoding="utf-8")
    return LeanProject(folder, folder / "build")


@pytest.fixture(scope="module")
def lemmas(lean: LeanPool, project: LeanProject) -> TracedFile:
    return lean.trace_file(project, "A.lean")


def test_what_a_macro_makes_a_theorem_of_is_a_theorem_of_the_file(lemmas: TracedFile) -> None:
    claim = "«commandClaim_:_:=_»"
    assert [(t.full_name, t.command, t.has_sorry) for t in lemmas.theorems] == [
        ("N.first", "lemma", False),
        ("N.left", "lemma", True),
        ("N.equations", "lemma", False),
        ("claimed", claim, False),
        ("target", None, False),
    ]
    first, _, equations, claimed, _ = lemmas.theorems
    assert (first.statement, first.proof) == ("lemma first (n : Nat) : 0 + n = n", "by\n  rw [Nat.zero_add]")
    assert [tactic.tactic for tactic in first.tactics] == ["rw [Nat.zero_add]"]
    assert equations.proof.startswith("| 0 => rfl") and equations.proof.endswith("congrArg (· + 1) h")
    assert (claimed.statement, claimed.proof, claimed.mode) == ("claim claimed : 1 + 1 = 2", "by decide", "tactic")
    for theorem in lemmas.theorems:
        assert with_proof(LEMMAS.encode(), theorem, theorem.proof).decode() in (
            LEMMAS,
            LEMMAS.replace("0 + n = n\n  | 0", "0 + n = n\n  := | 0"),
        )


def test_what_no_text_states_is_told(lemmas: TracedFile) -> None:
    lost = [(t.full_name, t.kind, t.reason.split("\n", maxsplit=1)[0], t.start_pos.line) for t in lemmas.lost]
    assert lost == [
        ("N.failing", "failed", "Tactic `rfl` failed: The left-hand side", 21),
        ("N.first", "undeclared", "`N.first` has already been declared", 22),
        ("swallowed", "undeclared", "its command (`commandSwallow_`) has declared nothing of this name", 32),
    ]
    products = [(product.full_name.split("._@")[0], product.origin) for product in lemmas.products]
    assert sorted(products) == sorted(
        [
            ("bogus", "commandHidden"),
            ("target", "commandTwin"),  # with macro scopes: nobody else can say its name
            ("mine", "«commandAlias_:=_»"),
            ("target._helper", "Lean.runCmd"),
            ("Pair.ext", "Pair"),
            ("Pair.ext_iff", "Pair"),
        ]
    )
    # the hidden twin of a theorem is no helper of it
    messages = [(message.text.split("._@")[0], message.start.line) for message in lemmas.beside_theorems]
    assert messages == [("`N.failing` is no theorem that could be judged, and rests on [sorryAx]", 21), ("`target", 29)]


def test_a_lemma_of_a_macro_is_searched_and_judged(lean: LeanPool, project: LeanProject, lemmas: TracedFile) -> None:
    site = TheoremSite(project, "A.lean", "N.left")
    state = lean.goal_start(site)
    assert state.text == "p q : Prop\n⊢ p ∧ q → q ∧ p"
    for tactic in ("intro h", "exact ⟨h.2, h.1⟩"):
        (result,) = lean.goal_tactics([(state, tactic)])
        assert isinstance(result, GoalState)
        state = result
    assert state.is_solved
    proof = "by\n  intro h\n  exact ⟨h.2, h.1⟩"
    assert lean.verify(site, proof).accepted
    assert lean.verify(site, "by\n  sorry").kind == "sorry"
    assert lean.verify(site, "N.left p q").kind in ("circular", "error")
    assert lean.verify(site, f"{proof}\ntheorem more : 1 = 1 := rfl").kind == "forbidden"
    claimed = TheoremSite(project, "A.lean", "claimed")
    assert lean.goal_start(claimed).text == "⊢ 1 + 1 = 2"
    assert lean.verify(claimed, "rfl", whole_file=True).accepted
    assert lean.verify(claimed, "by native_decide").kind == "forbidden"


LOST = """\
theorem fine : 1 = 1 := rfl
set_option autoImplicit false
theorem ill_stated (x : Nope) : 1 = 1 := by rfl
theorem fine : 2 = 2 := rfl
namespace 3
theorem inside : 1 = 1 := rfl
theorem broken : := by simp
)) lemma unread : 1 = 1 := rfl -- theorem in_a_comment
theorem before : 1 = 1 := rfl
lemma as_an_argument : 1 = 1 := rfl /- theorem in_another -/
theorem cut : 1 = 1 := by by
mutual
theorem even : ∀ n : Nat, n = n := fun n => rfl
theorem odd : ∀ n : Nat, n = n := fun n => nope
end
theorem : 1 = 1 := rfl
theorem last : 1 = 1 := by rfl
#exit
def quoted := "theorem in_a_string"
theorem after_the_end : 1 = 1 := rfl
"""
KINDS = {
    "ill_stated": "failed", "fine": "undeclared", "broken": "undeclared", "unread": "unread", "before": "failed",
    "as_an_argument": "unread", "cut": "failed", "odd": "failed", "(unnamed)": "undeclared", "after_the_end": "unread",
}  # fmt: skip


def test_no_theorem_of_the_text_vanishes(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.lean").write_text(LOST, encoding="utf-8")
    repository = local_repository(tmp_path / "p")
    with DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)
        (file,), (summary,) = traced.files, traced.summaries
    assert [theorem.full_name for theorem in file.theorems] == ["fine", "inside", "even", "last"]
    assert {theorem.full_name: theorem.kind for theorem in file.lost} == KINDS
    assert all(theorem.reason for theorem in file.lost)
    assert [t.full_name for t in file.failed] == ["ill_stated", "before", "cut", "odd"]
    assert (summary.stated, summary.theorems, summary.failed, summary.undeclared, summary.unread) == (14, 4, 4, 3, 3)
    words = trace_summary(traced)
    assert "4 more theorems left out for errors inside" in words
    assert "3 more theorems that Lean has read and not declared" in words
    assert (
        "3 more theorems in text that Lean has not read; `lean-agent db show p` names them (14 theorems stated)"
        in words
    )
    with closing(sqlite3.connect(tmp_path / "db")) as connection:  # as it was written before
        connection.execute("UPDATE files SET lost = NULL")
        connection.commit()
    with DynamicDatabase(tmp_path / "db") as database:
        old = database.load_file(repository, "A.lean")
    assert [t.full_name for t in old.lost] == [t.full_name for t in file.failed]


HOLES = """\
def f : Nat := sorry
def g : Nat := undefined_thing
theorem over_a_hole : f = f := rfl
theorem over_an_error : g = g := rfl
theorem open_still : 1 = 2 := by sorry
theorem uses : 2 = 1 := open_still.symm
theorem open_too : 2 = 1 := by have := uses; sorry
theorem helped : 1 = 1 := two where two : 1 = 1 := by sorry
theorem clean : 1 = 1 := rfl
"""


def test_what_rests_on_a_hole_further_down_says_so(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.lean").write_text(HOLES, encoding="utf-8")
    (tmp_path / "p" / "B.lean").write_text(
        "import A\ntheorem far : f = f := rfl\ntheorem far_open : f = f := by sorry\n"
        "theorem own : 1 = 1 := by sorry\ntheorem none : 1 = 1 := clean\n"
    )
    repository = local_repository(tmp_path / "p")
    with DynamicDatabase(tmp_path / "db") as database:
        trace_repository(repository, lean, database=database, progress=False)
        theorems = {stored.theorem.full_name: stored.theorem for stored in database.theorems(repository)}
        metadata = database.export_merged_data([repository], tmp_path / "x", "jsonl")
    assert {name: (theorem.has_sorry, theorem.axioms) for name, theorem in theorems.items()} == {
        "over_a_hole": (False, ("sorryAx",)),
        "over_an_error": (False, ("sorryAx",)),
        "open_still": (True, ()),
        "uses": (False, ("sorryAx",)),
        "open_too": (True, ("sorryAx",)),
        "helped": (True, ()),
        "clean": (False, ()),
        "far": (False, ("sorryAx",)),
        "far_open": (True, ("sorryAx",)),
        "own": (True, ()),
        "none": (False, ()),
    }
    splits = metadata["splits"]["random"]
    assert (metadata["proved"], metadata["sorries"], metadata["on_axioms"]) == (2, 5, 4)
    assert splits["train"] + splits["val"] + splits["test"] == 2


# Proofs that other Leans accept: theirs has the bodies of `mergeSort`, `toDigits`, `splitOn` and a `for` loop.
HIDDEN = """\
theorem unfolds (l : List Nat) : l.mergeSort = l := by unfold List.mergeSort; rfl
theorem by_rfl : [3, 1].mergeSort = [1, 3] := rfl
theorem by_decide : Nat.toDigits 10 12 = ['1', '2'] := by decide
theorem by_simp : "a,b".splitOn "," = ["a", "b"] := by simp [String.splitOn]
theorem by_rw (l : List Nat) : l.mergeSort = l := by rw [List.mergeSort]
theorem by_equation (l : List Nat) : l.mergeSort = l := by rw [List.mergeSort.eq_def]
theorem loops : (Id.run do
  let mut s := 0
  for i in [0:3] do s := s + i
  return s) = 3 := by rfl
theorem wrong : 1 = 2 := by rfl
theorem wrong_too (f : Nat → Nat) : f 1 = 2 := rfl
theorem unsolved (l : List Nat) : l.mergeSort = l := by skip
theorem unknown : nope 1 = 2 := by simp
def Reflexive' (n : Nat) : Prop := n = n
instance (n : Nat) : Decidable (Reflexive' n) := nope n
theorem stuck : Reflexive' 2 := by decide
"""


def test_errors_for_want_of_the_library_s_bodies_are_told_from_others(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "A.lean").write_text(HIDDEN, encoding="utf-8")
    repository = local_repository(tmp_path / "p")
    with DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)
        (file,), (summary,) = traced.files, traced.summaries
    begins = {theorem.full_name: theorem.start_pos for theorem in file.lost}

    def theorem_at(place: Position) -> str:
        return max((name for name in begins if begins[name] <= place), key=lambda name: begins[name])

    caused = {theorem_at(error.start) for error in file.errors if error.cause == "hidden body"}
    assert caused == {"unfolds", "by_rfl", "by_decide", "by_simp", "by_rw", "by_equation", "loops"}
    others = {theorem_at(error.start) for error in file.errors if error.cause is None}
    assert others == {"wrong", "wrong_too", "unsolved", "unknown", "stuck"}
    assert summary.hidden_bodies == sum(error.cause is not None for error in file.errors) > 7
    assert replace(file, messages=()).errors == ()
