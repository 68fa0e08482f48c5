"""Projects whose files run programs: their proofs are checked again by a process that has run none of them."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import LeanProcessDied
from lean_agent.lean.embedded.install import install
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.server import PROGRAMS_SUFFIX
from lean_agent.lean.types import LeanProject, TheoremSite

pytestmark = pytest.mark.lean

PLAIN = """@[simp] theorem one (n : Nat) : n + 0 = n := rfl
notation "⟪" n "⟫" => n + n
theorem twice (n : Nat) : ⟪n⟫ = 2 * n := by
  sorry
"""

# All kinds of constants that a proof can rest on: structures, nested and indexed types, matches, recursion, instances.
PROGRAMS = """macro "finish" : tactic => `(tactic| omega)
#eval (pure () : IO Unit)
structure Pair (α : Type u) where
  first : α
  second : α
inductive Tree (α : Type u) where
  | node : α → List (Tree α) → Tree α
inductive Vector' (α : Type u) : Nat → Type u where
  | nil : Vector' α 0
  | cons {n : Nat} : α → Vector' α n → Vector' α (n + 1)
def Pair.swap (p : Pair α) : Pair α := ⟨p.second, p.first⟩
def half : Nat → Nat
  | 0 | 1 => 0
  | n + 2 => half n + 1
def Vector'.length {α : Type u} {n : Nat} : Vector' α n → Nat
  | .nil => 0
  | .cons _ rest => rest.length + 1
instance : Add (Pair Nat) := ⟨fun p q => ⟨p.first + q.first, p.second + q.second⟩⟩
theorem half_le (n : Nat) : half n ≤ n := by
  fun_induction half n <;> finish
axiom lies : False
theorem all (p : Pair Nat) (v : Vector' Nat 3) (n : Nat) :
    p.swap.swap = p ∧ v.length = v.length ∧ half n ≤ n ∧ (p + p).first = p.first + p.first ∧ "a" ≠ "b" := by
  sorry
"""
PROOF = "⟨rfl, rfl, half_le n, rfl, by decide⟩"


@pytest.fixture(scope="module")
def pool() -> Iterator[LeanPool]:
    with LeanPool(1) as pool:
        yield pool


@pytest.fixture
def plain(tmp_path: Path) -> LeanProject:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "Plain.lean").write_text(PLAIN, encoding="utf-8")
    return LeanProject(tmp_path / "plain", tmp_path / "plain-build")


@pytest.fixture
def programs(tmp_path: Path) -> LeanProject:
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "Programs.lean").write_text(PROGRAMS, encoding="utf-8")
    return LeanProject(tmp_path / "programs", tmp_path / "programs-build")


def marks(project: LeanProject) -> list[str]:
    """Name the marks of modules that were made where programs ran; a mark may tell of a `sorry` alone."""
    paths = project.build.rglob(f"*{PROGRAMS_SUFFIX}")
    return [path.name for path in paths if json.loads(path.read_text("utf-8"))["program"] is not None]


def test_plain_mathematics_needs_no_second_opinion(pool: LeanPool, plain: LeanProject) -> None:
    assert [e.text for e in pool.trace_file(plain, "Plain.lean").errors] == []
    verdict = pool.verify(TheoremSite(plain, "Plain.lean", "twice"), "by omega", whole_file=True)
    assert verdict.accepted
    assert verdict.statement == ""
    assert marks(plain) == []


def test_where_programs_run_proofs_are_checked_again(pool: LeanPool, plain: LeanProject, programs: LeanProject) -> None:
    pool.trace_file(plain, "Plain.lean")
    traced = pool.trace_file(programs, "Programs.lean")
    assert [error.text for error in traced.errors] == []
    assert marks(programs) == ["Programs.program.json"]
    site = TheoremSite(programs, "Programs.lean", "all")
    for whole_file in (False, True):
        verdict = pool.verify(site, PROOF, whole_file=whole_file)
        assert verdict.accepted, verdict
        assert "p.swap.swap = p" in verdict.statement
    assert pool.verify(site, "lies.elim").kind == "axiom"
    allowed = pool.verify(site, "lies.elim", allowed_axioms=["lies"])
    assert (allowed.accepted, allowed.axioms) == (True, ("lies",))
    # another project is not traced where these programs have run, and stays plain
    before = pool.pids()
    pool.trace_file(plain, "Plain.lean")
    assert pool.pids() != before
    assert marks(plain) == []
    # what was compiled where programs ran is marked for every process that imports it
    (programs.root / "Importer.lean").write_text("import Programs\ntheorem t : half 0 = 0 := by\n  sorry\n")
    verdict = pool.verify(TheoremSite(programs, "Importer.lean", "t"), "rfl")
    assert verdict.accepted
    assert verdict.statement == "half 0 = 0"


# What looks like mathematics, and has Lean run what it declares: in a macro, as a parser, or as what the value of a
# tactic's configuration means.
HIDDEN = {
    "notation": 'infixl:65 " +++ " => $(Lean.mkIdent `Nat.add)',
    "parser": 'import Lean\ndef p : Lean.ParserDescr := .const `ident\nsyntax "evil" p : term',
    "shadow": 'import Lean\ndef ident : Lean.ParserDescr := .const `num\nsyntax "evil" ident : term',
    "field": "class C where\n  true : Bool\ninstance : C := ⟨false⟩",
    "field in brackets": "structure S where\n  (x true : Nat)",
    "implicit field": "structure S where\n  {false : Nat}",
    "instance field": "class S where\n  [true : Inhabited Nat]",
    "constructor": "inductive B\n  | true",
    "constructor of a structure": "structure S where\n  true ::\n  x : Nat",
    "renamed": "def E.evil := true\nopen E renaming evil → true",
    "instance": "@[instance] def five := (fun _ => instOfNatNat 5 : Unit → OfNat Nat 5) ()",
    "coercion": "instance : Coe Bool Nat := ⟨fun _ => 500⟩",
    "hidden": "abbrev Hidden := Coe Bool Nat\ninstance : Hidden := ⟨fun _ => 500⟩",
    "inherited": 'class Evil extends Coe String Bool\ninstance : Evil := { coe := fun s => s == "x" }',
    "value of a configuration": "def Bool.all : Bool := false",
    "local name": "def foo : Nat := go\nwhere\n  go := 1\n  true : Bool := false",
    "local recursion": "def foo : Nat := Id.run do\n  let rec true : Bool := false\n  return 1",
    "default argument": "def q : Lean.Syntax := .missing\ndef f (h : autoParam (1 = 1) q) : 1 = 1 := h",
    "default field": "def q : Lean.Syntax := .missing\nstructure S where\n  h : autoParam (1 = 1) q",
    "quotations": "instance (priority := 10000) : Lean.MonadQuotation Lean.MacroM := inferInstance",
    "monad": "instance (priority := 10000) : Monad (ReaderT r (EStateM e s)) := inferInstance",
    "any monad": "class Own (m : Type → Type)\ninstance [Own m] [Monad m] : Pure m := inferInstance",
    "monad by another name": "abbrev R (r : Type) (m : Type → Type) := ReaderT r m\n"
    "instance [Monad m] : Monad (R r m) := inferInstance",
    "numerals": "instance : One Nat := ⟨5⟩",
    "made": "def one : Coe Bool Nat := ⟨fun _ => 500⟩\nattribute [instance] one",
}
HONEST = """structure Point where
  x : Nat
  deriving Repr, BEq
instance : Add Point := ⟨fun p q => ⟨p.x + q.x⟩⟩
instance [Inhabited α] : Inhabited (α × Point) := ⟨default, ⟨0⟩⟩
def Even (n : Nat) : Prop := n % 2 = 0
instance : DecidablePred Even := fun n => inferInstanceAs (Decidable (n % 2 = 0))
instance : Mul (Nat × Nat) := ⟨fun p q => (p.1 * q.1, p.2 * q.2)⟩
structure Box (α : Type) where
  inside : α
instance : Functor Box := ⟨fun f b => ⟨f b.inside⟩, fun a _ => ⟨a⟩⟩
class Group' (α : Type) where
  inverse : α → α
  strict : Bool := false
inductive Steps (test : Nat → Bool) : Nat → Nat → Prop
  | stop (n : Nat) (h : test n = false) : Steps test n n
  | go (n m : Nat) (h : test n = true) (rest : Steps test (n + 1) m) : Steps test n m
instance : Group' Int := ⟨fun a => -a, true⟩
syntax "two" term : term
infixl:65 " ⊕⊕ " => Nat.add
theorem t (a b : Nat) (h : a = b) : b = a := by simp (contextual := true) [h]
"""


@pytest.fixture(scope="module")
def warnings() -> dict[str, str | None]:
    """The program that each text is said to run: Lean says it of each anew, and a process remembers the first."""

    async def run() -> dict[str, str | None]:
        process, warnings = await LeanProcess.start(install()), dict[str, str | None]()
        try:
            for name, text in {**HIDDEN, "honest": HONEST}.items():
                process.program = None
                answer = await process.request("trace", timeout_s=60, file=name, module=["A"], text=text + "\n")
                assert [m["text"] for m in answer["messages"] if m["severity"] == "error"] == [], name
                warnings[name] = process.program
            return warnings
        finally:
            await process.kill()

    return asyncio.run(run())


@pytest.mark.parametrize("what", HIDDEN)
def test_programs_that_look_like_mathematics_are_programs(warnings: dict[str, str | None], what: str) -> None:
    assert warnings[what]


def test_structures_instances_and_notations_are_no_programs(warnings: dict[str, str | None]) -> None:
    assert warnings["honest"] is None


def test_no_verdict_where_another_project_s_programs_run(plain: LeanProject, programs: LeanProject) -> None:
    site = TheoremSite(plain, "Plain.lean", "twice")
    with LeanPool(1) as pool:
        assert pool.verify(site, "by omega").accepted
        before = pool.pids()
        pool.goal_start(TheoremSite(programs, "Programs.lean", "all"))
        assert pool.pids() == before
        assert pool.verify(site, "by omega").accepted
        assert pool.pids() != before


@pytest.mark.long
def test_no_search_begins_where_another_project_s_programs_ran(tmp_path: Path) -> None:
    programs = {
        "Spoils": "import Lean\n#eval (Lean.Parser.builtinParserCategoriesRef.set {} : IO Unit)\n",
        "Own": 'macro "mine" : tactic => `(tactic| rfl)\n',
    }
    sites = []
    for name, program in programs.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "File.lean").write_text(program + "theorem t : 1 = 1 := by\n  sorry\n", encoding="utf-8")
        sites.append(TheoremSite(LeanProject(tmp_path / name, tmp_path / f"{name}-build"), "File.lean", "t"))
    spoils, own = sites
    with LeanPool(1) as pool:
        living = pool.goal_start(spoils)
        before = pool.pids()
        pool.release([pool.goal_start(spoils)])  # one's own programs are no reason for a new process
        assert pool.pids() == before
        pool.release([living])
        state = pool.goal_start(own)
        assert pool.goal_tactic(state, "mine").is_solved
        alone = pool.pids()
        assert alone != before
        pool.goal_start(spoils)  # a search that is under way keeps its process
        assert pool.pids() == alone
        assert pool.goal_tactic(state, "mine").is_solved


class Silent(LeanProcess):
    """A process that keeps the proof to itself."""

    async def request(self, op: str, **fields: Any) -> dict[str, Any]:
        answer = await super().request(op, **fields)
        return {name: value for name, value in answer.items() if name != "export"}


def test_a_word_without_a_proof_is_not_believed(programs: LeanProject) -> None:
    with LeanPool(1, process=Silent) as pool:
        verdict = pool.verify(TheoremSite(programs, "Programs.lean", "all"), PROOF)
    assert (verdict.kind, verdict.reason) == ("kernel", "the process that accepts the proof has none to be checked")


def test_the_warning_comes_before_the_program_runs(tmp_path: Path) -> None:
    async def run() -> str | None:
        process = await LeanProcess.start(install())
        try:
            text = "theorem t : True := trivial\n#eval (IO.Process.exit 3 : IO Unit)\n"
            with pytest.raises(LeanProcessDied):
                await process.request("trace", timeout_s=60, file="A", module=["A"], text=text)
            return process.program
        finally:
            await process.kill()

    assert asyncio.run(run()) == "Lean.Parser.Command.eval"


def test_what_one_job_makes_of_the_search_path_is_gone_for_the_next(
    pool: LeanPool, plain: LeanProject, programs: LeanProject
) -> None:
    (programs.root / "Path.lean").write_text('import Lean\n#eval Lean.searchPathRef.set ["/nowhere"]\n')
    assert [e.text for e in pool.trace_file(programs, "Path.lean").errors] == []
    (programs.root / "After.lean").write_text("import Std.Data.HashSet\ntheorem t : True := trivial\n")
    assert [e.text for e in pool.trace_file(programs, "After.lean").errors] == []


# -- the process that checks, against exports that nobody honest would make


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process where programs ran says of an honest proof."""

    async def run() -> dict[str, Any]:
        process = await LeanProcess.start(install())
        try:
            text = "def two : Nat := 2\ntheorem t : two = 2 := by\n  sorry\n"
            await process.request("open", timeout_s=60, file="A", module=["A"], text=text)
            answer = await process.request(
                "verify", timeout_s=60, file="A", theorem="t", proof="rfl", wholeFile=False, axioms=[], export=True
            )
            found: dict[str, Any] = answer["export"]
            return found
        finally:
            await process.kill()

    return asyncio.run(run())


def checked(pool: LeanPool, export: dict[str, Any], name: str = "t") -> tuple[str, str]:
    answer = pool.loop.run(pool._kernel_check.check(export, name, [], timeout_s=30))
    return answer["kind"], answer["reason"]


def constant(export: dict[str, Any], kind: str) -> dict[str, Any]:
    (found,) = [c for c in export["constants"] if c["kind"] == kind]
    return dict(found)


def test_an_honest_export_is_accepted(pool: LeanPool, export: dict[str, Any]) -> None:
    assert checked(pool, export) == ("accepted", "")


def test_a_forged_export_is_refused(pool: LeanPool, export: dict[str, Any]) -> None:
    true, false = len(export["exprs"]), len(export["exprs"]) + 1
    words = len(export["names"])
    forged = copy.deepcopy(export)
    forged["names"] += [[0, "False"], [0, "True"], [words + 2, "intro"], [0, "believe"], [0, "sorryAx"]]
    forged["exprs"] += [["c", words + 3, []], ["c", words + 1, []]]

    def with_constants(*constants: dict[str, Any]) -> dict[str, Any]:
        return {**forged, "constants": list(constants)}

    theorem = {"kind": "theorem", "levels": [], "name": words + 4, "type": false}
    # a value of another type; the theorem itself; a name that is not there; an axiom; an unsafe definition
    assert checked(pool, with_constants({**theorem, "value": true}), "believe")[0] == "kernel"
    itself = copy.deepcopy(forged)
    itself["exprs"].append(["c", words + 4, []])
    itself["constants"] = [{**theorem, "value": false + 1}]
    assert checked(pool, itself, "believe")[0] == "kernel"
    assert checked(pool, forged, "absent")[0] == "kernel"
    axiom = {**theorem, "kind": "axiom"}
    assert checked(pool, with_constants(axiom), "believe")[0] == "kernel"  # an axiom is no theorem
    unsafe = {**theorem, "kind": "definition", "value": true, "height": 0, "unsafe": True}
    assert checked(pool, with_constants(unsafe), "believe")[0] == "kernel"
    # constants of the library cannot be declared again, nor modules of others imported
    again = {**theorem, "name": words + 1, "value": true}
    assert checked(pool, with_constants(again), "False")[0] == "kernel"
    assert checked(pool, {**export, "imports": [*export["imports"], "Evil"]})[0] == "kernel"
    assert checked(pool, export)[0] == "accepted"  # and none of it has left a trace


@pytest.mark.parametrize(
    "change",
    [
        {"imports": "Init"},
        {"names": [[7, "x"]]},
        {"names": [[0, "x", "y"]]},
        {"levels": [["s", 3]]},
        {"exprs": [["b"]]},
        {"exprs": [["a", 0, 1]]},
        {"exprs": [["?"]]},
        {"constants": [{"kind": "theorem"}]},
        {"constants": [{}]},
        {"constants": 3},
    ],
)
def test_an_export_of_another_shape_is_refused(pool: LeanPool, export: dict[str, Any], change: dict[str, Any]) -> None:
    kind, reason = checked(pool, {**export, **change})
    assert kind == "kernel"
    assert reason


def test_a_loop_of_rows_cannot_be_written(pool: LeanPool, export: dict[str, Any]) -> None:
    rows = [*export["exprs"], ["a", len(export["exprs"]), len(export["exprs"])]]  # speaks of itself
    assert checked(pool, {**export, "exprs": rows})[0] == "kernel"


def test_an_export_that_is_none_at_all(pool: LeanPool) -> None:
    nothings: tuple[Any, ...] = ({}, None, [], "export")
    for nothing in nothings:
        assert checked(pool, nothing)[0] == "kernel"
