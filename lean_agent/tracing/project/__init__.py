"""A Lean project as a value: its sources, its packages, and the order of its imports."""
