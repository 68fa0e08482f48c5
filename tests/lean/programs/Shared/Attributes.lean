import Lean
open Lean Meta

/-- Names that carry our attribute. -/
initialize favourites : SimplePersistentEnvExtension Name (Array Name) ←
  registerSimplePersistentEnvExtension {
    addEntryFn := Array.push
    addImportedFn := fun all => all.foldl (· ++ ·) #[] }

initialize registerBuiltinAttribute {
  name := `favourite
  descr := "a theorem that we like"
  add := fun name _ _ => modifyEnv (favourites.addEntry · name) }

register_simp_attr shrink

register_option shared.limit : Nat := { defValue := 3, descr := "how many" }

initialize visits : IO.Ref Nat ← IO.mkRef 0

def allFavourites : CoreM (Array Name) := return favourites.getState (← getEnv)
