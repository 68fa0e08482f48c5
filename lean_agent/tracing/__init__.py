"""From a git address to traced theorems.

This room clones repositories, finds the order of their files and has a Lean server trace each file once. It knows
nothing of Lean's language beyond a file's header: theorems, tactics and premises come from the server as they are.
"""

from lean_agent.tracing.clones import (
    FetchedPackages,
    LeanGitRepo,
    clone,
    fetch_packages,
    missing_packages,
    missing_submodules,
)
from lean_agent.tracing.project.import_graph import ImportGraph, SkippedFile, SourceFile, read_import_graph
from lean_agent.tracing.project.repository import (
    Repository,
    RepositoryEntry,
    lean_project,
    lean_projects,
    local_repository,
    read_repository_list,
    setup_local_repository,
)
from lean_agent.tracing.tracer import (
    FileSummary,
    TracedRepository,
    TraceStore,
    trace_repository,
    trace_repository_async,
)

__all__ = [
    "FetchedPackages",
    "FileSummary",
    "ImportGraph",
    "LeanGitRepo",
    "Repository",
    "RepositoryEntry",
    "SkippedFile",
    "SourceFile",
    "TraceStore",
    "TracedRepository",
    "clone",
    "fetch_packages",
    "lean_project",
    "lean_projects",
    "local_repository",
    "missing_packages",
    "missing_submodules",
    "read_import_graph",
    "read_repository_list",
    "setup_local_repository",
    "trace_repository",
    "trace_repository_async",
]
