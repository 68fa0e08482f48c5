"""Lean on every node of a Ray cluster."""
