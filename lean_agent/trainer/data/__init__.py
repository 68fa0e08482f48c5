"""Rows that trainers learn from, and in what order."""
