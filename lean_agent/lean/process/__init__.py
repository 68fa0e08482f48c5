"""One Lean process: which build runs it, the channel to it, and the codec of what it says."""
