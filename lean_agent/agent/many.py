"""Setting up many repositories, of which one may fail."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

from lean_agent.agent.base import BaseAgent
from lean_agent.agent.tables import SetUp
from lean_agent.errors import DatabaseError, LeanAgentError, LeanInstallError, LeanStartupError
from lean_agent.tracing import Repository, RepositoryEntry

logger = logging.getLogger(__name__)
FAILURES = (LeanAgentError, OSError, ValueError, RecursionError)


def set_up_all(
    agent: BaseAgent,
    entries: Iterable[RepositoryEntry],
    *,
    subfolders: Sequence[str] = (),
    submodules: bool = False,
    dependencies: bool = False,
) -> list[SetUp]:
    """Clone and trace one repository after the other, each of its Lake projects, and go on past those that fail.

    Each uses all of the agent's Lean processes, and what was traced stays when a later one is interrupted.

    Args:
        subfolders: as for :meth:`BaseAgent.projects`.
        submodules, dependencies: as for :meth:`BaseAgent.setup_repository`.

    Raises:
        LeanStartupError, LeanInstallError, DatabaseError: nothing could be traced after these.
    """
    results: list[SetUp] = []
    for entry in entries:
        try:
            projects = agent.projects(entry.url, entry.commit, subfolders=subfolders, submodules=submodules)
        except FAILURES as error:
            results.append(_failed(entry.url, error))
        else:
            options = {"submodules": submodules, "dependencies": dependencies}
            results += [_set_up(agent, project, licence=entry.licence, **options) for project in projects]
    return results


def _set_up(agent: BaseAgent, project: Repository, **options: Any) -> SetUp:
    try:
        return SetUp(project.place, agent.setup_project(project, brief=False, **options))
    except (LeanStartupError, LeanInstallError, DatabaseError):
        raise
    except FAILURES as error:
        return _failed(project.place, error)


def _failed(place: str, error: Exception) -> SetUp:
    logger.info("%s could not be set up", place, exc_info=error)
    return SetUp(place, None, error)
