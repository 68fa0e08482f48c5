"""Inductive types that programs of a file declare: of every shape, and forged ones, which the kernel never made.

What stands there is believed if the kernel makes the same of the declaration, with the recursors for what is nested.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import PROGRAMS_SUFFIX
from lean_agent.lean.types import LeanProject, TheoremSite

pytestmark = pytest.mark.lean

# `#eval … in` makes a program of the command. Each `size` recurses by the recursors for what is nested too.
SHAPES = {
    "nested": """#eval 0 in inductive T | m (c : List T)
mutual
def T.size : T → Nat | .m c => T.sizes c + 1
def T.sizes : List T → Nat | [] => 0 | t :: c => t.size + T.sizes c
end
theorem t : (T.m [.m []]).size = 2 := by sorry""",
    "nested through a structure": """structure Box (α : Type) where
  inside : Option α
#eval 0 in inductive T | m (c : Box T)
mutual
def T.size : T → Nat | .m c => T.ofBox c + 1
def T.ofBox : Box T → Nat | ⟨c⟩ => T.ofOption c
def T.ofOption : Option T → Nat | none => 0 | some t => t.size
end
theorem t : (T.m ⟨some (.m ⟨none⟩)⟩).size = 2 := by sorry""",
    "mutual and nested": """#eval 0 in mutual
inductive T | m (c : List (U × T))
inductive U | one | of (t : T)
end
theorem t (u : U) : U.of (.m [(u, .m [])]) = .of (.m [(u, .m [])]) := by sorry""",
    "nested through an array": """#eval 0 in inductive T | m (c : Array T)
theorem t : T.m #[.m #[]] = .m (#[.m #[]] ++ #[]) := by sorry""",
    "indexed and nested": """inductive Vec (α : Type u) : Nat → Type u
  | nil : Vec α 0
  | cons : α → Vec α n → Vec α (n + 1)
#eval 0 in inductive T : Bool → Type | m (n : Nat) (c : Vec (T .true) n) : T .true
theorem t : T.m 1 (.cons (.m 0 .nil) .nil) = T.m 1 (.cons (.m 0 .nil) .nil) := by sorry""",
    "a recursor in the statement": """#eval 0 in inductive T | m (c : List T)
theorem t (c : List T) : @T.rec_1 (fun _ => Nat) (fun _ => Nat) (fun _ n => n) 0 (fun _ _ n k => n + k) c =
    @T.rec_1 (fun _ => Nat) (fun _ => Nat) (fun _ n => n) 0 (fun _ _ n k => n + k) c := by sorry""",
}


def unbelieved(pool: LeanPool, folder: Path, text: str) -> tuple[LeanProject, list[str]]:
    """A project of one file, and the names in it that are not believed."""
    (folder / "File.lean").write_text(text + "\n", encoding="utf-8")
    project = LeanProject(folder, folder / "build")
    assert [error.text for error in pool.trace_file(project, "File.lean").errors] == []
    (mark,) = project.build.rglob(f"*{PROGRAMS_SUFFIX}")
    names = json.loads(mark.read_text(encoding="utf-8"))["unbelieved"]
    return project, [".".join(map(str, name)) for name in names]


@pytest.mark.parametrize("shape", SHAPES)
def test_types_of_every_shape_are_believed(lean: LeanPool, tmp_path: Path, shape: str) -> None:
    project, names = unbelieved(lean, tmp_path, SHAPES[shape])
    assert names == []
    for whole_file in (False, True):
        verdict = lean.verify(TheoremSite(project, "File.lean", "t"), "by rfl", whole_file=whole_file)
        assert verdict.accepted, verdict
        assert verdict.statement  # a second process has checked it


# Lean lets no program put a constant into an environment past the kernel; one that copies its fields can.
FORGE = """import Lean
open Lean Elab Command
structure KernelFields where
  constants : ConstMap
  quotInit : Bool
  (diagnostics const2ModIdx extensions irBaseExts extraConstNames header : NonScalar)
structure Fields where
  (base serverBaseExts : NonScalar)
  checked : Task Kernel.Environment
  (asyncConstsMap asyncCtx realizedImported realizedLocal allRealizations : NonScalar)
  isExporting : Bool
unsafe def put (env : Environment) (info : ConstantInfo) : Environment :=
  let kernel : KernelFields := unsafeCast env.toKernelEnv
  let kernel := { kernel with constants := kernel.constants.insert info.name info }
  let fields : Fields := unsafeCast env
  unsafeCast { fields with checked := .pure (unsafeCast kernel) }
def declare (text : String) : CommandElabM Unit := do
  elabCommand (← ofExcept (Parser.runParserCategory (← getEnv) `command text))
def recursor (change : RecursorVal → RecursorVal) : ConstantInfo → ConstantInfo
  | .recInfo r => .recInfo (change r)
  | info => info
def type (change : InductiveVal → InductiveVal) : ConstantInfo → ConstantInfo
  | .inductInfo i => .inductInfo (change i)
  | info => info
def bad (T : Expr) : Expr := .forallE `f (.forallE `t T T .default) T .default   -- `(T → T) → T`
def forge (name : Name) (change : ConstantInfo → ConstantInfo) : CommandElabM Unit := do
  let some info := (← getEnv).constants.find? name | throwError "no {name}"
  modifyEnv fun env => unsafe put env (change info)
"""

NESTED = "inductive T | m (c : List T) | n (c : List T)"
MUTUAL = "mutual inductive T | m (c : List U) inductive U | m (c : List T) end"
FORGED = {
    "a recursor": (NESTED, "`T.rec (recursor fun r => { r with k := not r.k })"),
    "an auxiliary recursor": (NESTED, "`T.rec_1 (recursor fun r => { r with numMinors := r.numMinors - 1 })"),
    "its type": (NESTED, "`T.rec_1 (recursor fun r => { r with type := .const ``False [] })"),
    "its rule": (
        NESTED,
        "`T.rec_1 (recursor fun r => { r with rules := r.rules.map fun rule => { rule with rhs := r.rules[0]!.rhs } })",
    ),
    "a rule of the recursor": (
        NESTED,
        "`T.rec (recursor fun r => { r with rules := r.rules.map fun rule => { rule with rhs := r.rules[0]!.rhs } })",
    ),
    "no rules": (NESTED, "`T.rec_1 (recursor fun r => { r with rules := [] })"),
    "an unsafe one": (NESTED, "`T.rec_1 (recursor fun r => { r with isUnsafe := true })"),
    "one more": (NESTED, "`T.rec_1 (recursor fun r => { r with name := `T.rec_2 })"),
    "something else for it": (NESTED, "`T.rec_1 fun i => .axiomInfo { i.toConstantVal with isUnsafe := false }"),
    "that of the second type": (MUTUAL, "`U.rec (recursor fun r => { r with numMotives := 1 })"),
    "a second auxiliary one": (MUTUAL, "`T.rec_2 (recursor fun r => { r with rules := [] })"),
    "a type that does not recurse": (NESTED, "`T (type fun i => { i with isRec := false })"),
    "a type with fewer constructors": (NESTED, "`T (type fun i => { i with ctors := i.ctors.take 1 })"),
    "a constructor": (NESTED, "`T.m fun | .ctorInfo c => .ctorInfo { c with numFields := 0 } | i => i"),
    "a constructor that the kernel refuses": (
        NESTED,
        "`T.m fun | .ctorInfo c => .ctorInfo { c with type := bad (.const `T []) } | i => i",
    ),
}


def test_forged_types_and_recursors_are_not_believed(lean: LeanPool, tmp_path: Path) -> None:
    cases = {**FORGED, "honest": (NESTED, ""), "both honest": (MUTUAL, "")}
    commands = []
    for i, (declared, forgery) in enumerate(cases.values()):
        forge = f"; forge {forgery}" if forgery else ""
        name = forge.replace("`T", f"`N{i}.T").replace("`U", f"`N{i}.U")
        commands.append(f'namespace N{i}\nrun_cmd declare "{declared}"{name}\nend N{i}')
    _, names = unbelieved(lean, tmp_path, "\n".join([FORGE, *commands]))
    told = {what for i, what in enumerate(cases) if f"N{i}.T" in names}
    assert told == set(FORGED)
