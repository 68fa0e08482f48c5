"""The judge on honest proofs and honest failures, by real Lean. The cheats stand in test_cheats.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError, TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, TheoremSite

pytestmark = pytest.mark.lean

FILE = """axiom lies : False

namespace Judge

theorem earlier (p : Prop) (h : p) : p ∨ False := Or.inl h

theorem target (p : Prop) (h : p) : p ∧ p := by
  sorry

theorem later (p : Prop) (h : p) : p ∧ p := ⟨h, h⟩

theorem nat (n : Nat) : n + 0 = n := sorry

theorem pattern : ∀ n : Nat, n = n
  | 0 => rfl
  | _ + 1 => rfl

end Judge

theorem outside : 2 + 2 = 4 := by
  decide

universe u

theorem whereItIs : ∀ n : Nat, ∃ m, m = n := fun n => ⟨n, rfl⟩

theorem itself : ∀ n : Nat, ∃ m, m = n := by
  sorry
"""

# Honest tries that are no proof; those who cheat stand in cheats/.
FAILURES = [
    "by constructor; exact h",
    "by simp [later, h]; exact later p h",
    "by exact ⟨h, hh⟩",
    "by exact h",
    "by exact q",
    "by exact \ud800",
]

HONEST = [
    "by exact ⟨h, h⟩",
    "⟨h, h⟩",
    "by\n  constructor\n  · exact h\n  · exact h",
    "by constructor <;> assumption",
    "by simp [h]",
    "by simp (config := { decide := true }) [h]",
    "by simp (maxSteps := 5000) (disch := assumption) only [h, and_self]",
    "by first | rw (occs := .pos [1]) [and_self]; exact h | exact ⟨h, h⟩",
    "by simpa using h",
    "by exact ⟨h, h⟩ -- no sorry here",
    'by\n  have _s := "sorry"\n  exact ⟨h, h⟩',
    "by open Classical in exact ⟨h, h⟩",
    "by set_option maxRecDepth 2000 in exact ⟨h, h⟩",
    "by\n  rcases earlier p h with h | h\n  · exact ⟨h, h⟩\n  · exact h.elim",
]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("judge")
    (root / "Judge.lean").write_text(FILE, encoding="utf-8")
    return LeanProject(root=root, build=tmp_path_factory.mktemp("build"))


@pytest.fixture(scope="module")
def target(project: LeanProject) -> TheoremSite:
    return TheoremSite(project, "Judge.lean", "Judge.target")


@pytest.mark.parametrize("whole_file", [False, True])
@pytest.mark.parametrize("proof", FAILURES)
def test_what_is_no_proof_is_an_error(lean: LeanPool, target: TheoremSite, proof: str, whole_file: bool) -> None:
    verdict = lean.verify(target, proof, whole_file=whole_file)
    assert verdict.kind == "error"
    assert verdict.reason


@pytest.mark.parametrize("whole_file", [False, True])
@pytest.mark.parametrize("proof", HONEST)
def test_honest_proofs_are_accepted(lean: LeanPool, target: TheoremSite, proof: str, whole_file: bool) -> None:
    verdict = lean.verify(target, proof, whole_file=whole_file)
    assert verdict.accepted, verdict
    assert set(verdict.axioms) <= {"propext", "Classical.choice", "Quot.sound"}


def test_a_named_axiom_can_be_allowed_and_is_listed(lean: LeanPool, target: TheoremSite) -> None:
    verdict = lean.verify(target, "lies.elim", allowed_axioms=["lies"])
    assert verdict.accepted
    assert verdict.axioms == ("lies",)


OWN_AXIOMS = """axiom Point : Type
axiom between : Point → Point → Prop
axiom symmetric : ∀ a b, between a b → between b a
axiom lies : False
def Between (a b : Point) : Prop := between a b

theorem there (a b : Point) (h : Between a b) : Between a b := by
  sorry

theorem back (a b : Point) (h : Between a b) : Between b a := by
  sorry
"""


def test_a_proof_may_rest_on_the_axioms_that_its_statement_rests_on(lean: LeanPool, tmp_path: Path) -> None:
    """Theorems of an axiomatic theory say nothing without its axioms; others it has to be told to allow."""
    (tmp_path / "A.lean").write_text(OWN_AXIOMS, encoding="utf-8")
    project = LeanProject(tmp_path, tmp_path / "build")
    there, back = (TheoremSite(project, "A.lean", name) for name in ("there", "back"))
    for whole_file in (False, True):
        verdict = lean.verify(there, "by exact h", whole_file=whole_file)
        assert verdict.accepted, verdict
        assert set(verdict.axioms) == {"Point", "between"}
    assert lean.goal_tactic(lean.goal_start(there), "exact h").is_solved
    for proof in ("by exact symmetric a b h", "by exact lies.elim"):
        assert lean.verify(back, proof).kind == "axiom"
    assert lean.verify(back, "by exact symmetric a b h", allowed_axioms=["symmetric"]).accepted
    with pytest.raises(TacticFailure, match="rests on"):
        lean.goal_tactic(lean.goal_start(there), "exact lies.elim")
    with pytest.raises(TacticFailure, match="hole"):
        lean.goal_tactic(lean.goal_start(there), "sorry")


def test_a_comment_cannot_swallow_what_follows(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Swallow.lean").write_text(
        "theorem a : 1 = 1 := by\n  sorry\n\ntheorem b : 2 = 2 := rfl\n/- comment -/\ntheorem c : 3 = 3 := rfl -- -/\n"
    )
    site = TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "Swallow.lean", "a")
    assert lean.verify(site, "by rfl -- fine").accepted
    assert lean.verify(site, "by rfl /- fine, too -/").accepted
    assert not lean.verify(site, "by rfl /-").accepted


def test_no_project_module_can_pose_as_lean_s_own(lean: LeanPool, tmp_path: Path) -> None:
    """Constants of Lean's own library are trusted by their module's name."""
    (tmp_path / "Std").mkdir()
    (tmp_path / "Std" / "Evil.lean").write_text("axiom evil : False\n")
    with pytest.raises(LeanRequestError, match="Lean's own library"):
        lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "Std/Evil.lean")


def test_term_holes_and_equations_can_be_replaced(lean: LeanPool, project: LeanProject) -> None:
    assert lean.verify(TheoremSite(project, "Judge.lean", "Judge.nat"), "by rfl", whole_file=True).accepted
    assert lean.verify(TheoremSite(project, "Judge.lean", "Judge.pattern"), "fun _ => rfl", whole_file=True).accepted
    assert lean.verify(TheoremSite(project, "Judge.lean", "outside"), "by rfl", whole_file=True).accepted


def test_a_theorem_that_is_not_there(lean: LeanPool, project: LeanProject) -> None:
    assert lean.verify(TheoremSite(project, "Judge.lean", "Judge.missing"), "by rfl").kind == "not_found"
    assert lean.verify(TheoremSite(project, "Judge.lean", "Nat.add_comm"), "by rfl").kind == "not_found"


def test_a_statement_that_changes_its_meaning_is_another_statement(lean: LeanPool, project: LeanProject) -> None:
    """The text of the statement stays, and its type is compared: a proof cannot bring its own `p`."""
    verdict = lean.verify(TheoremSite(project, "Judge.lean", "Judge.nat"), "by rfl\n  where n : Nat := 0")
    assert verdict.kind in {"accepted", "error", "forbidden"}  # `where` may add a helper, never change the type
    assert lean.verify(TheoremSite(project, "Judge.lean", "Judge.nat"), "(rfl : 0 = 0)").kind == "error"


@pytest.mark.parametrize("whole_file", [False, True])
@pytest.mark.parametrize(
    ("name", "proof"),
    [
        ("Judge.target", "where\n  left := h\n  right := h"),
        ("Judge.target", "by\r\n  constructor\r\n  · exact h\r\n  · exact h"),
        ("Judge.pattern", "\n  | 0 => rfl\n  | _ + 1 => rfl"),
        ("itself", "| 0 => ⟨0, rfl⟩\n  | n + 1 => ⟨n + 1, rfl⟩"),
        ("itself", "whereItIs"),
        ("itself", "by\n  intro native\n  exact ⟨native, rfl⟩"),
        ("itself", "by\n  have _ : ∀ (α : Type u) (a : α), a = a := fun _ _ => rfl\n  exact fun n => ⟨n, rfl⟩"),
        (
            "itself",
            "by\n  let rec go : Nat → Nat\n    | 0 => 0\n    | n + 1 => go n + 1\n  intro n\n  exact ⟨n, rfl⟩",
        ),
    ],
)
def test_honest_proofs_of_every_form(
    lean: LeanPool, project: LeanProject, name: str, proof: str, whole_file: bool
) -> None:
    """Fields, equations, line ends as on Windows, the name of an option, a universe of the proof's own, recursion."""
    verdict = lean.verify(TheoremSite(project, "Judge.lean", name), proof, whole_file=whole_file)
    assert verdict.accepted, verdict


LEFT_OUT = """theorem fine : 1 = 1 := rfl
def fine.helper : 1 = 2 := sorry
instance : Nonempty Empty := sorry
axiom lies : False
def lie : 1 = 2 := lies.elim
def honest : 2 = 2 := rfl
example : False := by sorry
example : Nat := sorry
macro "declare_bogus" : command => `(theorem $(Lean.mkIdent `bogus) : False := by sorry)
declare_bogus
theorem open_still : 1 = 1 := by sorry
#exit
theorem unread : 1 = 2 := rfl
"""


def test_what_stands_beside_the_theorems_is_told(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "Beside.lean").write_text(LEFT_OUT)
    traced = lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "Beside.lean")
    assert [theorem.full_name for theorem in traced.theorems] == ["fine", "example.1", "open_still"]
    assert [(m.start.line, m.text.split(" is ")[0]) for m in traced.beside_theorems] == [
        (2, "`fine.helper`"),
        (3, "`instNonemptyEmpty_beside`"),
        (5, "`lie`"),
        (8, "a `sorry` that belongs to no theorem"),
        (10, "`bogus`"),
        (12, "what follows was not read"),
    ]


@pytest.mark.long
def test_definitions_may_stand_deep_upon_one_another(lean: LeanPool, tmp_path: Path) -> None:
    """2,000 of them upon one with a `sorry`: what is asked about them does not go down step by step on Lean's stack."""
    defs = "".join(f"def f{n} (x : Nat) : Nat := f{n - 1} x\n" for n in range(1, 2000))
    theorem = "theorem top (x : Nat) : f1999 x = f1999 x := rfl\n"
    head = "noncomputable section\ndef f0 (x : Nat) : Nat := sorry\n"  # nothing is compiled, which takes longest
    (tmp_path / "Deep.lean").write_text(head + defs + theorem)
    project = LeanProject(tmp_path, tmp_path / "build")
    traced = lean.trace_file(project, "Deep.lean")
    assert len(traced.beside_theorems) == 2000
    assert traced.walk_s < 0.5 * traced.elaborate_s
    assert lean.verify(TheoremSite(project, "Deep.lean", "top"), "rfl").kind == "sorry"


SKIPPED = """set_option debug.skipKernelTC true in
private theorem «wron\ng» : 1 = 2 := by decide +kernel
theorem wrong : 1 = 2 := «wron\ng»
"""


def test_what_an_imported_file_declared_past_the_kernel_is_not_believed(lean: LeanPool, tmp_path: Path) -> None:
    """By the state of a proof as by the judge, on which the second opinion would come too."""
    (tmp_path / "Bad.lean").write_text(SKIPPED)
    (tmp_path / "Main.lean").write_text("import Bad\ntheorem target : 1 = 2 := by\n  sorry\n")
    project = LeanProject(tmp_path, tmp_path / "build")
    lean.trace_file(project, "Bad.lean")
    site = TheoremSite(project, "Main.lean", "target")
    (result,) = lean.goal_tactics([(lean.goal_start(site), "exact wrong")])
    assert isinstance(result, TacticFailure), result
    assert "wron\ng" in str(result)
    assert lean.verify(site, "wrong").kind in ("axiom", "kernel")


# For a default argument Lean runs a value of `Syntax`, and elaborates what comes out, which no judge has read.
UNREAD = """by
  have := go 5
  rfl
where
  evil : Lean.Syntax := dbgTrace "it runs" fun _ => .missing
  go (n : Nat) : True := if h : n = 0 then trivial else go (n - 1)
  termination_by n
  decreasing_by
    have f : (h : autoParam (1 = 1) target.evil) → 1 = 1 := fun h => h
    have w : 1 = 1 := by first | exact f | rfl
    omega
"""


def test_a_proof_runs_no_value_of_syntax(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem target : 1 = 1 := by\n  sorry\n")
    verdict = lean.verify(TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "A.lean", "target"), UNREAD)
    assert (verdict.kind, verdict.reason) == ("forbidden", "not allowed in a proof: `autoParam`")


# Files that declare anew what the kernel knows by its name, or what everybody takes for granted.
FOUNDATIONS = {
    "propext": "prelude\nimport Init.Prelude\naxiom propext : False\ntheorem target : False := propext",
    "Classical.choice": "prelude\ninductive False : Prop\naxiom Classical.choice : False\n"
    "theorem target : False := Classical.choice",
    "Nat.gcd": "prelude\nimport Init.Core\ndef Nat.gcd (_ _ : Nat) : Nat := nat_lit 5\n"
    "theorem target : @Eq Nat (Nat.gcd (nat_lit 4) (nat_lit 6)) (nat_lit 2) := rfl",
    "False": "prelude\ninductive False : Prop\n  | intro : False\ntheorem target : False := False.intro",
}


@pytest.mark.parametrize("name", FOUNDATIONS)
@pytest.mark.parametrize("imported", [False, True])
def test_nothing_rests_on_a_foundation_of_one_s_own(lean: LeanPool, tmp_path: Path, name: str, imported: bool) -> None:
    source = FOUNDATIONS[name]
    if imported:
        above, theorem = source.split("theorem target")
        (tmp_path / "Below.lean").write_text(above)
        header = [line for line in above.splitlines() if line.startswith("import")]
        source = "\n".join(["prelude", *header, "import Below", f"theorem target{theorem}"])
    (tmp_path / "A.lean").write_text(source)
    project = LeanProject(tmp_path, tmp_path / "build")
    for file in ("Below.lean", "A.lean")[not imported :]:
        assert lean.trace_file(project, file).errors == ()
    verdict = lean.verify(TheoremSite(project, "A.lean", "target"), source.rsplit(":= ", 1)[1])
    assert verdict.kind == "axiom", verdict
    assert name in verdict.reason


def test_programs_cannot_exchange_the_foundations(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(
        "import Lean\nopen Lean Elab Command\n"
        'elab "swap" : command => do\n  let few ← importModules #[{module := `Init.Prelude}] {} (loadExts := true)\n'
        "  setEnv (few.setMainModule (← getEnv).mainModule)\nswap\n"
        "axiom propext : False\ntheorem target : False := propext\n"
    )
    verdict = lean.verify(TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "A.lean", "target"), "propext")
    assert verdict.kind == "axiom", verdict


@pytest.mark.parametrize("file", ["Std/a-b.lean", "Init/a b.lean", "Lean/1.lean"])
def test_no_odd_name_makes_a_file_lean_s_own(lean: LeanPool, tmp_path: Path, file: str) -> None:
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text("axiom evil : False\n")
    project = LeanProject(tmp_path, tmp_path / "build")
    with pytest.raises(LeanRequestError, match="is the name of a module of Lean's own library"):
        lean.trace_file(project, file)


def test_a_file_elsewhere_is_no_file_of_the_project(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere.lean").write_text("theorem t : 1 = 1 := by\n  sorry\n")
    (tmp_path / "project" / "link.lean").symlink_to(tmp_path / "elsewhere.lean")
    project = LeanProject(tmp_path / "project", tmp_path / "build")
    for path in ("../elsewhere.lean", str(tmp_path / "elsewhere.lean"), "link.lean"):
        with pytest.raises(LeanRequestError, match="is no file of"):
            lean.verify(TheoremSite(project, path, "t"), "rfl")


def test_a_hole_is_told_where_lean_says_nothing_of_it(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("set_option warn.sorry false\nexample : Nat := by sorry\n")
    file = lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "A.lean")
    assert [m.text for m in file.beside_theorems] == ["a `sorry` that belongs to no theorem"]
