"""What agents can read: the repositories that were traced, and the theorems that they leave open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from lean_agent.database import DynamicDatabase

Json = dict[str, Any]

REPOSITORIES = "lean://repositories"
OPEN_THEOREMS = "lean://repositories/{commit}/open"


def add_resources(server: MCPServer[Any], database: Path) -> None:
    """Add the resources of a database; one that is not there holds nothing."""

    @server.resource(REPOSITORIES, name="repositories", title="Traced repositories", mime_type="application/json")
    def repositories() -> str:
        """List the traced Lean repositories: theorems, how many are open and proved, where their open ones are read."""
        return json.dumps(_repositories(database), ensure_ascii=False, indent=1)

    @server.resource(OPEN_THEOREMS, name="open-theorems", title="Open theorems", mime_type="application/json")
    def open_theorems(commit: str) -> str:
        """List the theorems of a repository that a `sorry` leaves open: name, file, line, statement."""
        return json.dumps(_open_theorems(database, commit), ensure_ascii=False, indent=1)


def _repositories(database: Path) -> list[Json]:
    if not database.is_file():
        return []
    with DynamicDatabase(database) as opened:
        return [
            {
                "name": summary.name,
                "url": summary.url,
                "commit": summary.commit,
                "files": summary.files,
                "theorems": summary.theorems,
                "open": summary.open,
                "proved": summary.proved,
                "open_theorems": OPEN_THEOREMS.replace("{commit}", summary.commit),
            }
            for summary in opened.summaries()
        ]


def _open_theorems(database: Path, commit: str) -> list[Json]:
    missing = ResourceNotFoundError(f"No repository was traced at {commit[:60]!r}; {REPOSITORIES} lists them.")
    if not database.is_file():
        raise missing
    with DynamicDatabase(database) as opened:
        # the projects of one repository share its commit
        wanted = [repository for repository in opened.repositories(benchmarks=True) if repository.commit == commit]
        if not wanted:
            raise missing
        return [
            {
                "full_name": stored.full_name,
                "file_path": str(stored.repository.path / stored.file_path),
                "line": stored.theorem.start_pos.line,
                "statement": stored.theorem.statement,
            }
            for stored in opened.sorry_theorems(wanted)
        ]
