"""Git: clones in the user's cache, and commits beside a work tree."""
