"""The command line, ``lean-agent``."""
