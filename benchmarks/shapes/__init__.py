"""Lean repositories of a given shape, written for measurements."""
