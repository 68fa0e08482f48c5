"""``python -m lean_agent`` is ``lean-agent``."""

from lean_agent.cli.main import app

if __name__ == "__main__":
    app()
