"""The commands of `lean-agent`, a module each."""
