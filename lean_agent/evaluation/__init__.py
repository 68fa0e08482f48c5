"""Measure provers on open theorems at one search budget, and report it."""
