"""``python -m lean_agent`` is ``lean-agent``."""

from lean_agent.cli.entry import agent

if __name__ == "__main__":
    agent()
