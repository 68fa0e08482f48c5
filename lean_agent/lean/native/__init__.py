"""A Lean toolchain of this machine: found, and made ready to run our Lean code."""
