"""Which split a theorem belongs to, and why no later one can change that."""
