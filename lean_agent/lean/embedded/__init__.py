"""Embedded Lean: real Lean 4 as WebAssembly under Node, from package registries alone."""
