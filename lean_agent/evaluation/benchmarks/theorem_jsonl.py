"""Theorems as lines of JSON: ``name``, ``statement``, ``context``, ``imports``; see :func:`.problem.read_problems`."""

from __future__ import annotations

from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import lean_core
from lean_agent.evaluation.benchmarks.base import Benchmark, Request, from_problems
from lean_agent.evaluation.benchmarks.problem import read_problems


def load(request: Request) -> Benchmark:
    """Theorems as lines of JSON: name, statement, context, imports.

    Raises:
        ConfigError: no file, it is no such file, or it bears the name of lean-core.
    """
    path = request.path("a JSON Lines file of theorems")
    if path.stem == lean_core.NAME:
        raise ConfigError(f"A file called {path.name} would pass for lean-core; give it another name.")
    return from_problems(path.stem, read_problems(path), request)
