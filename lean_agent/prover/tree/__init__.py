"""The AND/OR graph of proof states that a search grows, what is open in it, and what is proved already."""
