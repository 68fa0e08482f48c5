"""What a trace says of every kind of proof: each tactic with its own before and after, once, at its own place.

The values are worked by hand from the proofs of ``every_kind_of_proof.lean``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.types import (
    GoalState,
    LeanProject,
    TheoremSite,
    TracedFile,
    TracedTheorem,
)
from lean_agent.tracing import lean_project, local_repository
from lean_agent.tracing.check import TraceCheck, check_file

pytestmark = pytest.mark.lean

REPOS = Path(__file__).resolve().parents[2] / "repos"
SOURCE = Path(__file__).with_name("every_kind_of_proof.lean").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, cache_with_lean: Callable[[Path], Path]) -> Iterator[LeanProject]:
    """The source as a project, compiled into a folder of these tests."""
    folder = tmp_path_factory.mktemp("fidelity")
    (folder / "A.lean").write_text(SOURCE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAN_AGENT_CACHE", str(cache_with_lean(folder / "cache")))
        yield lean_project(local_repository(folder))


@pytest.fixture(scope="module")
def traced(lean: LeanPool, project: LeanProject) -> TracedFile:
    file = lean.trace_file(project, "A.lean")
    assert file.errors == ()
    return file


@pytest.mark.long
def test_a_trace_is_the_same_with_and_without_a_second_core(project: LeanProject, traced: TracedFile) -> None:
    """What is recorded is printed beside the elaboration where there is a core for it, and else between commands."""

    def timeless(file: TracedFile) -> TracedFile:
        return replace(file, elaborate_s=0, walk_s=0)

    asked: list[bool] = []

    class Heard(LeanProcess):
        async def request(self, op: str, **fields: Any) -> dict[str, Any]:
            asked.append(fields["beside"])
            return await super().request(op, **fields)

    for cores in (1, 2):
        with LeanPool(1, limits=PoolLimits(cores=cores), process=Heard) as pool:
            assert timeless(pool.trace_file(project, "A.lean")) == timeless(traced)
    assert asked == [False, True]


@pytest.fixture
def steps(traced: TracedFile) -> dict[str, list[tuple[str, str, str]]]:
    """(tactic, target before, target after) of every theorem's tactics; goals are parted by `` & ``."""
    return {
        theorem.full_name.removeprefix("Fidélité."): [
            (tactic.tactic, targets(tactic.state_before), targets(tactic.state_after)) for tactic in theorem.tactics
        ]
        for theorem in traced.theorems
    }


def targets(state: str) -> str:
    return " & ".join(re.findall(r"^[⊢|] (.*)$", state, re.MULTILINE)) or state


DONE = "no goals"
EXPECTED = {
    "byCalc": [("exact h", "a = b", DONE), ("rw [k]", "b = c", DONE)],
    "byConv": [
        ("conv =>\n  lhs\n  rw [Nat.add_zero]", "a + 0 + b = a + b", DONE),
        ("lhs", "a + 0 + b = a + b", "a + 0 + b"),
        ("rw [Nat.add_zero]", "a + 0 + b", "a + b"),
    ],
    "bySplit": [
        ("constructor <;> assumption", "p ∧ q", DONE),
        ("constructor", "p ∧ q", "p & q"),
        ("assumption", "p", DONE),
        ("assumption", "q", DONE),
    ],
    "byCase": [
        ("constructor", "p ∧ q", "p & q"),
        ("case right => exact hq", "p & q", "p"),
        ("exact hq", "q", DONE),
        ("· exact hp", "p", DONE),
        ("exact hp", "p", DONE),
    ],
    "byAll": [
        ("constructor", "p ∧ p", "p & p"),
        ("all_goals exact hp", "p & p", DONE),
        ("exact hp", "p", DONE),
        ("exact hp", "p", DONE),
    ],
    "byInduction": [
        (
            "induction n with\n| zero => rfl\n| succ n ih =>\n  rw [← Nat.add_assoc]\n  rw [ih]",
            "0 + n = n",
            DONE,
        ),
        ("rfl", "0 + 0 = 0", DONE),
        ("rw [← Nat.add_assoc]", "0 + (n + 1) = n + 1", "0 + n + 1 = n + 1"),
        ("rw [ih]", "0 + n + 1 = n + 1", DONE),
    ],
    "byMatch": [
        ("match h with\n| .inl α => exact Or.inr α\n| .inr β => exact Or.inl β", "q ∨ p", DONE),
        ("exact Or.inr α", "q ∨ p", DONE),
        ("exact Or.inl β", "q ∨ p", DONE),
    ],
    "byNested": [
        ("have hq : q := by\n  apply f\n  exact hp", "p ∧ q", "p ∧ q"),
        ("apply f", "q", "p"),
        ("exact hp", "p", DONE),
        ("exact ⟨hp, by exact hq⟩", "p ∧ q", DONE),
        ("exact hq", "q", DONE),
    ],
    "byMacro": [("both", "p ∧ q", DONE)],
    # `exact hq` and the `exact hp` of `try` fail: no state of theirs is one
    "byFirst": [
        ("constructor", "p ∧ q", "p & q"),
        ("first | exact hq | exact hp", "p & q", "q"),
        ("exact hp", "p & q", "q"),
        ("try exact hp", "q", "q"),
        ("assumption", "q", DONE),
    ],
    "halved": [("omega", "n / 2 < n", DONE)],
    "evenly": [("exact Nat.le_refl 0", "0 ≤ 0", DONE)],
    "oddly": [("exact Nat.le_succ_of_le (evenly n)", "0 ≤ n + 1", DONE)],
    "byTerm": [],
    "recurses": [("exact Nat.add_comm n m", "n + m = m + n", DONE)],
    # `decreasing_by` is no tactic; each of its goals is one call's
    "descends": [
        ("exact hp", "p", DONE),
        ("· exact Nat.lt_succ_self (n + 1)", "n + 1 < n.succ.succ & n < n.succ.succ", "n < n.succ.succ"),
        ("exact Nat.lt_succ_self (n + 1)", "n + 1 < n.succ.succ", DONE),
        ("· apply Nat.lt_succ_of_lt\n  exact Nat.lt_succ_self n", "n < n.succ.succ", DONE),
        ("apply Nat.lt_succ_of_lt", "n < n.succ.succ", "n < n + 1"),
        ("exact Nat.lt_succ_self n", "n < n + 1", DONE),
    ],
    "descendsAtOnce": [
        ("rfl", "0 + 0 = 0", DONE),
        ("all_goals omega", "k < k.succ", DONE),
        ("omega", "k < k.succ", DONE),
    ],
    "descendsInside": [
        ("have less : k < k + 1 := by exact Nat.lt_succ_self k", "k < k.succ", "k < k.succ"),
        ("exact Nat.lt_succ_self k", "k < k + 1", DONE),
        ("exact less", "k < k.succ", DONE),
    ],
    "descendsByStructure": [("rfl", "0 + 0 = 0", DONE)],
    "byGrind": [
        ("grind =>\n  instantiate\n  finish", "f 3 = 4", DONE),
        ("instantiate", "False", "False"),
        ("finish", "False", DONE),
    ],
    # of a branch that fails nothing is told, whatever it has done before
    "byBranch": [
        ("first | (left; exact h) | (right; first | (left; exact h) | (right; exact h))", "p ∨ q ∨ r", DONE),
        ("right", "p ∨ q ∨ r", "q ∨ r"),
        ("first | (left; exact h) | (right; exact h)", "q ∨ r", DONE),
        ("right", "q ∨ r", "r"),
        ("exact h", "r", DONE),
    ],
    "byOnlyBranch": [
        ("first | done | (exact hp; exact hp) | exact hp", "p", DONE),
        ("exact hp", "p", DONE),
    ],
    "bySolve": [
        ("solve | left; exact hq | right; exact hq", "p ∨ q", DONE),
        ("right", "p ∨ q", "q"),
        ("exact hq", "q", DONE),
    ],
    "byTry": [
        ("try (left; exact hq)", "p ∨ q", "p ∨ q"),
        ("try (right; try exact absurd hq; skip)", "p ∨ q", "q"),
        ("right", "p ∨ q", "q"),
        ("try exact absurd hq; skip", "q", "q"),
        ("exact hq", "q", DONE),
    ],
    "byRepeat": [
        ("repeat (first | (left; exact hq) | exact hq | right)", "p ∨ p ∨ q", DONE),
        ("first | (left; exact hq) | exact hq | right", "p ∨ p ∨ q", "p ∨ q"),
        ("first | (left; exact hq) | exact hq | right", "p ∨ q", "q"),
        ("first | (left; exact hq) | exact hq | right", "q", DONE),
        ("exact hq", "q", DONE),
        ("right", "p ∨ p ∨ q", "p ∨ q"),
        ("right", "p ∨ q", "q"),
    ],
    "byRepeatOnEach": [
        ("repeat' constructor", "p ∧ q ∧ p", "p & q & p"),
        ("constructor", "p ∧ q ∧ p", "p & q ∧ p"),
        ("constructor", "q ∧ p", "q & p"),
        ("repeat1' (skip; exact hp)", "p & q & p", "q"),
        ("skip", "p", "p"),
        ("skip", "p", "p"),
        ("exact hp", "p", DONE),
        ("exact hp", "p", DONE),
        ("exact hq", "q", DONE),
    ],
    "byIterate": [
        ("iterate (right)", "p ∨ p ∨ q", "q"),
        ("right", "p ∨ p ∨ q", "p ∨ q"),
        ("right", "p ∨ q", "q"),
        ("fail_if_success (skip; exact absurd hq)", "q", "q"),
        ("exact hq", "q", DONE),
    ],
    "byAnyGoals": [
        ("constructor", "(p ∧ p) ∧ (p ∨ q)", "p ∧ p & p ∨ q"),
        ("any_goals (constructor; exact hp; done)", "p ∧ p & p ∨ q", "p ∧ p"),
        ("constructor", "p ∨ q", "p"),
        ("exact hp", "p", DONE),
        ("done", DONE, DONE),
        ("· exact ⟨hp, hp⟩", "p ∧ p", DONE),
        ("exact ⟨hp, hp⟩", "p ∧ p", DONE),
    ],
    "byRewriting": [
        ("conv => lhs; first | (arg 1; rw [Nat.zero_add]) | rw [Nat.add_zero]", "a + 0 = c", "a = c"),
        ("lhs", "a + 0 = c", "a + 0"),
        ("first | (arg 1; rw [Nat.zero_add]) | rw [Nat.add_zero]", "a + 0", "a"),
        ("rw [Nat.add_zero]", "a + 0", "a"),
        ("first | rw [h, Nat.add_comm] | rw [h, k]", "a = c", DONE),
        ("rw [h, k]", "a = c", DONE),
    ],
    "byMacroOfFirst": [
        ("oneOf left; exact hq or right; exact hq", "p ∨ q", DONE),
        ("right", "p ∨ q", "q"),
        ("exact hq", "q", DONE),
    ],
    "byFocus": [
        ("constructor", "p ∧ q", "p & q"),
        (
            "first | (· exact hp; · exact hp) | (rotate_left; exact hp; exact hq) | (rotate_left; exact hq; exact hp)",
            "p & q",
            DONE,
        ),
        ("rotate_left", "p & q", "q & p"),
        ("exact hq", "q & p", "p"),
        ("exact hp", "p", DONE),
    ],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_each_tactic_once_with_its_own_states(steps: dict[str, list[tuple[str, str, str]]], name: str) -> None:
    assert steps[name] == EXPECTED[name]


def test_texts_and_positions_are_those_of_the_source(traced: TracedFile) -> None:
    source = SOURCE.encode()
    lines = SOURCE.splitlines()
    for theorem in traced.theorems:
        text = source[theorem.start : theorem.end].decode()
        assert text.startswith("theorem ") and theorem.statement in text and theorem.proof in text
        # line from 1, column in letters: the é of the namespace and the Greek names count once
        line = lines[theorem.start_pos.line - 1]
        assert line[theorem.start_pos.column :] == text.splitlines()[0]
        for tactic in theorem.tactics:
            written = source[tactic.start : tactic.end].decode()
            assert [part.strip() for part in written.splitlines()] == [
                part.strip() for part in tactic.tactic.splitlines()
            ]
            for premise in tactic.premises:
                used = source[premise.start : premise.end].decode()
                assert used.startswith("⟨") or premise.full_name.split(".")[-1] == used.split(".")[-1]


def theorem_of(traced: TracedFile, name: str) -> TracedTheorem:
    return next(theorem for theorem in traced.theorems if theorem.full_name == f"Fidélité.{name}")


def test_term_proofs_are_recorded(traced: TracedFile) -> None:
    theorem = theorem_of(traced, "byTerm")
    assert (theorem.mode, theorem.proof) == ("term", "⟨h.2, And.left h⟩")
    assert theorem.statement == "theorem byTerm {p q : Prop} (h : p ∧ q) : q ∧ p"
    assert [(p.full_name, p.module) for p in theorem.premises] == [
        ("And.intro", "Init.Prelude"),  # what ⟨…⟩ stands for
        ("And.left", "Init.Prelude"),
    ]


def test_premises_are_global_names_with_their_modules(traced: TracedFile) -> None:
    # `evenly`, of the same mutual block, stands among the hypotheses while `oddly` is proved
    premises = {(p.full_name, p.module) for p in theorem_of(traced, "oddly").premises}
    assert premises == {("Nat.le_refl", "Init.Prelude"), ("Nat.le_succ_of_le", "Init.Prelude")}
    named = {premise.full_name for theorem in traced.theorems for premise in theorem.premises}
    assert named.isdisjoint({"h", "hp", "hq", "ih", "n", "f", "α", "β"})


BY_DOTS = """inductive Full : Nat → Prop where
  | leaf : Full 0
  | node (h : Full n) : Full (n + 1)
theorem byTactic (h : Full n) : Full (n + 2) := by
  exact .node (.node h)
theorem byTerm : Full 1 := .node .leaf
"""


def test_a_name_behind_a_dot_is_a_premise(tmp_path: Path, lean: LeanPool) -> None:
    (file,) = trace_texts(lean, tmp_path, A=BY_DOTS)
    (tactic,) = file.theorems[0].tactics
    used = [(premise.full_name, BY_DOTS.encode()[premise.start : premise.end]) for premise in tactic.premises]
    assert used == [("Full.node", b".node")] * 2
    assert [premise.full_name for premise in file.theorems[1].premises] == ["Full.node", "Full.leaf"]


def test_what_only_a_failed_branch_names_is_no_premise(traced: TracedFile) -> None:
    assert [premise.full_name for premise in theorem_of(traced, "byRewriting").premises] == ["Nat.add_zero"]
    assert theorem_of(traced, "byTry").premises == ()


def test_every_statement_starts_exactly(project: LeanProject, traced: TracedFile, lean: LeanPool) -> None:
    """The state at the statement is the one before the first tactic, and a term's own type where there is none."""
    starts = lean.goal_starts([TheoremSite(project, "A.lean", theorem.full_name) for theorem in traced.theorems])
    for theorem, start in zip(traced.theorems, starts, strict=True):
        assert isinstance(start, GoalState), start
        if theorem.mode == "tactic":
            assert start.text == theorem.tactics[0].state_before
    by_term = next(s for s in starts if isinstance(s, GoalState) and "byTerm" in str(s.origin))
    assert by_term.text == "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"


PRINTED = """\
def A.c : Nat := 0

theorem one : A.c = 0 := by rfl
theorem again : A.c = 0 := by rfl
open A in
theorem opened : A.c = 0 := by rfl
theorem closed : A.c = 0 := by rfl
namespace B
open A
theorem short : A.c = 0 := by rfl
def c : Nat := 1
theorem hidden : A.c = 0 := by rfl
end B
notation "zéro" => A.c
theorem noted : A.c = 0 := by rfl

theorem bound (P : Nat → Prop) (h : ∀ x, P x) (_ : True) (k : ∀ y, P y) : P 0 := by exact h 0
theorem renamed (P : Nat → Prop) (k : ∀ x, P x) (_ : True) (h : ∀ y, P y) : P 0 := by exact h 0
theorem otherwise (P : Int → Prop) (k : ∀ x, P x) : P 0 := by exact k 0
theorem free (P : Nat → Prop) (x : Nat) (h : P x) : P x := by exact h
theorem under (P : Nat → Prop) (h : ∀ x, P x) : P 0 := by exact h 0
"""


@pytest.mark.usefixtures("own_cache")
def test_what_was_printed_before_is_printed_anew_where_it_reads_otherwise(lean: LeanPool, tmp_path: Path) -> None:
    """Names get shorter under ``open``, longer beside a new name, other with a notation; bound names are as written."""
    (tmp_path / "P.lean").write_text(PRINTED, encoding="utf-8")
    file = lean.trace_file(lean_project(local_repository(tmp_path)), "P.lean")
    states = {theorem.full_name: theorem.tactics[0].state_before for theorem in file.theorems}
    targets = {name: state.removeprefix("⊢ ") for name, state in states.items()}
    assert [targets[name] for name in ("one", "again", "opened", "closed")] == ["A.c = 0"] * 2 + ["c = 0", "A.c = 0"]
    assert [targets[name] for name in ("B.short", "B.hidden", "noted")] == ["c = 0", "A.c = 0", "zéro = 0"]
    hypotheses = ["P : Nat → Prop", "{} : ∀ (x : Nat), P x", "x✝ : True", "{} : ∀ (y : Nat), P y", "⊢ P 0"]
    assert states["bound"] == "\n".join(hypotheses).format("h", "k")
    assert states["renamed"] == "\n".join(hypotheses).format("k", "h")
    assert states["otherwise"] == "P : Int → Prop\nk : ∀ (x : Int), P x\n⊢ P 0"
    assert states["free"] == "P : Nat → Prop\nx : Nat\nh : P x\n⊢ P x"
    assert states["under"] == "P : Nat → Prop\nh : ∀ (x : Nat), P x\n⊢ P 0"  # with `P` and `x` in front it is `h` above


def test_every_step_runs_again_in_its_stored_state(project: LeanProject, traced: TracedFile, lean: LeanPool) -> None:
    """All but the one that calls a theorem of its own mutual block: no state offers a theorem for its own proof."""
    check = TraceCheck()
    check_file(project, traced, lean, check)
    assert [(miss.tactic, miss.kind) for miss in check.missed] == [
        ("exact Nat.le_succ_of_le (evenly n)", "tactic failed")
    ]
    assert check.matched >= 45 and check.holes == 0
    steps = {t.full_name: [tactic.step for tactic in t.tactics] for t in traced.theorems}
    assert steps["Fidélité.byGrind"] == ["grind =>\n  instantiate\n  finish", "", ""]  # no tactics, outside of `grind`


MIDDLE = """theorem between (a b : Nat) (h : a ≤ b) : a ≤ b := by
  apply Nat.le_trans
  apply Nat.le_refl
  apply h
"""


def test_a_middle_term_is_still_to_be_found_in_a_stored_state(tmp_path: Path, lean: LeanPool) -> None:
    (file,) = trace_texts(lean, tmp_path, A=MIDDLE)
    check = TraceCheck()
    check_file(LeanProject(tmp_path, tmp_path / "build"), file, lean, check)
    assert check.missed == [] and check.matched == 3


MID_LINE = """theorem t (p q r : Prop) (h : (p ∨ q) ∨ r) : True := by skip; cases h with
    | inl h => cases h with
      | inl => trivial
      | inr => trivial

    | inr => trivial
"""


def test_a_tactic_that_begins_in_the_middle_of_a_line_keeps_its_layout(tmp_path: Path, lean: LeanPool) -> None:
    (file,) = trace_texts(lean, tmp_path, A=MID_LINE)
    check = TraceCheck()
    check_file(LeanProject(root=tmp_path, build=tmp_path / "build"), file, lean, check)
    assert check.missed == [] and check.matched > 3
    text = file.theorems[0].tactics[1].tactic
    assert text.splitlines()[1:3] == ["| inl h => cases h with", "  | inl => trivial"]


@pytest.mark.long
def test_every_step_of_a_shipped_file_runs_again_in_its_stored_state(lean: LeanPool, tmp_path: Path) -> None:
    project = LeanProject(root=REPOS / "lists", build=tmp_path)
    check = TraceCheck()
    check_file(project, lean.trace_file(project, "Lists/Basic.lean"), lean, check)
    assert (check.missed, check.matched > 100) == ([], True)


CALC = """theorem steps (a b c : Nat) (h : a = b) (k : b = c) : a = c := by
  calc
    a = b := by rw [h]
    _ = c := by exact k

theorem first (a b c : Nat) (h : a = b) (k : b = c) : a = c := by
  calc a
    _ = b := h
    _ = c := by
      rw [k]

theorem inside (a b : Nat) (h : a = b) : True ∧ a = b := by
  constructor
  · trivial
  · calc a = b := by exact h
"""


def test_the_steps_of_calc_are_no_tactic(tmp_path: Path, lean: LeanPool) -> None:
    (tmp_path / "A.lean").write_text(CALC)
    project = LeanProject(tmp_path, tmp_path / "build")
    file = lean.trace_file(project, "A.lean")
    assert file.errors == ()
    heads = {t.full_name: [tactic.tactic.split()[0] for tactic in t.tactics] for t in file.theorems}
    assert heads == {
        "steps": ["calc", "rw", "exact"],
        "first": ["calc", "rw"],
        "inside": ["constructor", "·", "trivial", "·", "calc", "exact"],
    }
    assert all(tactic.goals_before for theorem in file.theorems for tactic in theorem.tactics)
    check = TraceCheck()
    check_file(project, file, lean, check)
    assert (check.missed, check.matched) == ([], 9)


def test_a_proof_with_an_error_is_no_proof(tmp_path: Path, lean: LeanPool) -> None:
    """Lean puts no hole into what says that something is wrong, and goes on."""
    (tmp_path / "A.lean").write_text(
        "import Lean\ntheorem wrong (a b : Nat) : a + b = b + a := by\n"
        '  run_tac Lean.logError "something is wrong"\n  exact Nat.add_comm a b\n\n'
        "theorem right : 1 = 1 := rfl\n"
    )
    file = lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "A.lean")
    assert [theorem.full_name for theorem in file.theorems] == ["right"]
    assert [error.text for error in file.errors] == ["something is wrong"]


def trace_texts(lean: LeanPool, folder: Path, **texts: str) -> list[TracedFile]:
    for name, text in texts.items():
        (folder / f"{name}.lean").write_text(text, encoding="utf-8")
    project = LeanProject(folder, folder / "build")
    return [lean.trace_file(project, f"{name}.lean") for name in texts]


MODULE = """\
module
import all Init.Data.Nat.Basic
public import Init.Data.Nat.Basic
@[expose] public section
private theorem hidden (n : Nat) : 0 + n = n := by
  exact Nat.zero_add n
theorem shown (n : Nat) : 0 + n = n := by
  exact hidden n
"""


def test_a_file_with_a_module_header(tmp_path: Path, lean: LeanPool) -> None:
    """Private declarations of a user are premises like others, and an import that is written twice counts once."""
    (file,) = trace_texts(lean, tmp_path, A=MODULE)
    assert file.errors == ()
    assert file.imports.count("Init.Data.Nat.Basic") == 1
    hidden = "_private.A.0.hidden"
    assert [theorem.full_name for theorem in file.theorems] == [hidden, "shown"]
    (tactic,) = file.theorems[1].tactics
    assert (tactic.tactic, tactic.state_before) == ("exact hidden n", "n : Nat\n⊢ 0 + n = n")
    assert [(premise.full_name, premise.module) for premise in tactic.premises] == [(hidden, "A")]
    codes = {one.full_name: one.code for one in file.declarations}
    assert codes[hidden] == "private theorem hidden (n : Nat) : 0 + n = n := by\n  exact Nat.zero_add n"
    assert set(codes) == {hidden, "shown"}


NAMED = """\
inductive N where
  | z
  | s (n : N)

theorem N.a : N.z = N.z := by
  rfl

example : N.z = N.z := by
  rfl

namespace N
theorem b : N.z = N.z := by
  rfl
end N

open N in
theorem c : N.z = N.z := by
  rfl

theorem d : N.z = N.z := by
  rfl
"""


def test_the_same_goal_is_printed_as_its_namespace_has_it(tmp_path: Path, lean: LeanPool) -> None:
    (file,) = trace_texts(lean, tmp_path, A=NAMED)
    assert file.errors == ()
    states = {theorem.full_name: theorem.tactics[0].state_before for theorem in file.theorems}
    assert [states[name] for name in ("N.a", "N.b", "c")] == ["⊢ z = z"] * 3
    assert states["d"] == "⊢ N.z = N.z"
    assert [text for name, text in states.items() if "example" in name] == ["⊢ N.z = N.z"]


def test_only_what_is_imported_is_known(tmp_path: Path, lean: LeanPool) -> None:
    (bare,) = trace_texts(lean, tmp_path, A="#check Lean.Meta.whnf\n")
    assert [error.text for error in bare.errors] == ["Unknown identifier `Lean.Meta.whnf`"]
