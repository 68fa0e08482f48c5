"""Lean source text, read without Lean: line ends, comments, the layout of proofs, the names that a text states."""
