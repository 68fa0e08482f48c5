"""The theorems that a repository leaves as ``sorry``."""

from __future__ import annotations

from pathlib import Path

from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks.base import Benchmark, Request, from_repository
from lean_agent.tracing import clone, local_repository


def load(request: Request) -> Benchmark:
    """Open theorems of a repository: a folder or an address.

    It is traced, and what is open is taken.

    Raises:
        ConfigError: no source was named.
        TraceError: it is no Lean project.
    """
    if request.source is None:
        raise ConfigError("The sorries of which repository? Name a folder or an address that git clones.")
    if Path(request.source).expanduser().is_dir():
        repository = local_repository(request.source)
    else:
        repository = clone(request.source, progress=request.progress)
    return from_repository(repository.name, repository, request)
