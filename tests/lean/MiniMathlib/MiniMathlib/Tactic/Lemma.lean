/-! A command `lemma`, which is `theorem` under another name, with the kind and the tree that Mathlib's has. -/

/-- A theorem of less weight. -/
syntax (name := «lemma») declModifiers group("lemma " declId declSig declVal) : command

macro_rules
  | `($mods:declModifiers lemma $name:declId $sig:declSig $val:declVal) =>
    `($mods:declModifiers theorem $name:declId $sig:declSig $val:declVal)
