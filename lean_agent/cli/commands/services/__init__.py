"""Commands that keep running for other programs."""
