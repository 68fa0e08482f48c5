"""Benchmarks by name. A new one is a function that loads it, and a line of :mod:`lean_agent.registry`."""

from __future__ import annotations

from lean_agent import registry
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks.base import (
    Benchmark,
    Facts,
    LeftOut,
    Loader,
    Request,
    from_problems,
    from_repository,
    spread,
)
from lean_agent.evaluation.benchmarks.problem import Problem
from lean_agent.registry import Registry

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Facts",
    "LeftOut",
    "Loader",
    "Problem",
    "Request",
    "from_problems",
    "from_repository",
    "load_benchmark",
    "spread",
]

BENCHMARKS: Registry[Loader] = registry.BENCHMARKS


def load_benchmark(name: str, request: Request) -> Benchmark:
    """Load the theorems that are wanted of the benchmark of that name, or of the loader at ``module:function``.

    Raises:
        ConfigError: there is none, it holds no theorem that Lean can start, it has no such split, or its source is
            missing or unreadable.
    """
    benchmark = BENCHMARKS.find(name)(request)
    if not isinstance(benchmark, Benchmark):
        raise ConfigError(f"{name!r} loaded a {type(benchmark).__name__}; it has to return a Benchmark.")
    if not benchmark.theorems:
        why = (
            f" {len(benchmark.left_out)} were left out, the first: {benchmark.left_out[0]}."
            if benchmark.left_out
            else ""
        )
        needs = (
            f" These files need {benchmark.needs}, which embedded Lean has not: run them where it is."
            if benchmark.needs
            else ""
        )
        raise ConfigError(f"{benchmark.name} has no open theorem that this Lean can start.{why}{needs}")
    return benchmark.choose(request.count, request.split)
