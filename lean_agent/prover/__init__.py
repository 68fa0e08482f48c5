"""Search for proofs with a policy and a Lean server, and have every proof verified before it counts."""
