"""Setting up many repositories, of which one may fail."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from lean_agent.agent.base import BaseAgent
from lean_agent.errors import DatabaseError, LeanAgentError, LeanInstallError, LeanStartupError
from lean_agent.tracing import RepositoryEntry, TracedRepository

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SetUp:
    """What came of one entry: a traced repository, or why there is none."""

    entry: RepositoryEntry
    traced: TracedRepository | None
    error: Exception | None = None


def set_up_all(
    agent: BaseAgent, entries: Iterable[RepositoryEntry], *, submodules: bool = False, dependencies: bool = False
) -> list[SetUp]:
    """Clone and trace one repository after the other, and go on past those that fail.

    Each uses all of the agent's Lean processes, and what was traced stays when a later one is interrupted.

    Args:
        submodules, dependencies: as for :meth:`BaseAgent.setup_repository`.

    Raises:
        LeanStartupError, LeanInstallError, DatabaseError: nothing could be traced after these.
    """
    results = []
    for entry in entries:
        try:
            traced = agent.setup_repository(
                entry.url, entry.commit, licence=entry.licence, submodules=submodules, dependencies=dependencies
            )
        except (LeanStartupError, LeanInstallError, DatabaseError):
            raise
        except (LeanAgentError, OSError, ValueError, RecursionError) as error:
            logger.info("%s could not be set up", entry.url, exc_info=error)
            results.append(SetUp(entry, None, error))
        else:
            results.append(SetUp(entry, traced))
    return results
