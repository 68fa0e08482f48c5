"""Find the Lean repositories that ship with the source code, without any library."""

from __future__ import annotations

from pathlib import Path

from lean_agent.errors import ConfigError


def find_repositories(repos: Path | None) -> list[Path]:
    """Return the Lean projects of a folder; by default ``repos/`` of the source checkout.

    Raises:
        ConfigError: there is no such folder, or no Lean project in it.
    """
    folder = repos or Path(__file__).resolve().parents[2] / "repos"
    folders = sorted(path.parent for path in folder.glob("*/lakefile.*"))
    if not folders:
        raise ConfigError(
            f"The demo works on the Lean repositories that ship with the source code, and there are none in {folder}. "
            "Clone the project's repository and run the demo there, or name a folder of Lean projects with --repos."
        )
    return folders
