/-! A command `lemma`, which is `theorem` under another name. -/

/-- A theorem of less weight. -/
macro mods:declModifiers "lemma " name:declId sig:declSig val:declVal : command =>
  `($mods:declModifiers theorem $name:declId $sig:declSig $val:declVal)
