"""Names that stand for Lean's symbols after a backslash, as editors for Lean have them."""

from __future__ import annotations

from collections.abc import Mapping

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ mu μ nu ν xi ξ pi π rho ρ sigma σ"
)
_MORE_GREEK = "tau τ phi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω"
_LOGIC = "forall ∀ all ∀ exists ∃ ex ∃ and ∧ or ∨ not ¬ neg ¬ to → r → imp → iff ↔ lr ↔ vdash ⊢ goal ⊢ top ⊤ bot ⊥"
_RELATIONS = "le ≤ ge ≥ ne ≠ neq ≠ equiv ≡ approx ≈ sim ∼ in ∈ mem ∈ notin ∉ sub ⊆ subset ⊆ ssub ⊂ sup ⊇ dvd ∣ mid ∣"
_OPERATIONS = (
    "x × times × cdot · . · comp ∘ o ∘ cup ∪ cap ∩ empty ∅ sum ∑ prod ∏ inv ⁻¹ -1 ⁻¹ smul • bub • t ▸ tr ▸ setminus \\"
)
_TYPES = "N ℕ nat ℕ Z ℤ int ℤ Q ℚ R ℝ C ℂ B 𝔹 l ← left ← mapsto ↦ lam λ fun λ lambda λ u ↑ d ↓ uparrow ↑ downarrow ↓"
_BRACKETS = (
    "< ⟨ > ⟩ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ f« « f» » << « >> » || ‖ norm ‖ oplus ⊕ otimes ⊗"
)
_DIGITS = " ".join(
    f"{digit} {below} ^{digit} {above}"
    for digit, (below, above) in enumerate(zip("₀₁₂₃₄₅₆₇₈₉", "⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True))
)
_WORDS = " ".join((_GREEK, _MORE_GREEK, _LOGIC, _RELATIONS, _OPERATIONS, _TYPES, _BRACKETS, _DIGITS)).split()

SYMBOLS: Mapping[str, str] = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
"""Name -> symbol."""
