/-
Print each name of Lean's own that the given modules use, with the module it stands in and its type: `lean --run
lean_names.lean MODULE…`. What the compiler has made of a definition (`…._proof_1`, matchers) is left out.
-/
import Lean
open Lean

def main (modules : List String) : IO Unit := do
  let modules := modules.map (·.toName)
  let env ← importModules (modules.toArray.map fun module => { module }) {}
  let isOurs (constant : Name) : Bool :=
    match env.getModuleIdxFor? constant with
    | some i => (modules.map (·.getRoot)).contains env.header.moduleNames[i]!.getRoot
    | none => true
  let mut used : NameSet := {}
  for (name, info) in env.constants.map₁.toList do
    if isOurs name then
      for constant in info.getUsedConstantsAsSet do
        unless isOurs constant || constant.isInternalDetail do used := used.insert constant
  let options := ({} : Options).setBool `pp.fullNames true |>.setNat `format.width 1000000
  let context : Core.Context := { fileName := "", fileMap := default, options, maxHeartbeats := 0 }
  for name in used do
    let some info := env.find? name | continue
    let some i := env.getModuleIdxFor? name | continue
    let (type, _) ← (Meta.MetaM.run' (Meta.ppExpr info.type)).toIO context { env }
    IO.println s!"{name}\t{env.header.moduleNames[i]!}\t{type.pretty (width := 1000000)}"
