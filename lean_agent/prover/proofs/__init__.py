"""What is done with a proof once a search has found it: shortened, judged, written into its file."""
