"""Theorems as lines of JSON: ``name``, ``statement``, ``context``, ``imports``; see :func:`.problem.read_problems`."""

from __future__ import annotations

from lean_agent.evaluation.benchmarks.base import Benchmark, Request, from_problems
from lean_agent.evaluation.benchmarks.problem import read_problems


def load(request: Request) -> Benchmark:
    """The theorems of a file.

    Raises:
        ConfigError: no file, or it is no such file.
    """
    path = request.path("a JSON Lines file of theorems")
    return from_problems(path.stem, read_problems(path), request)
