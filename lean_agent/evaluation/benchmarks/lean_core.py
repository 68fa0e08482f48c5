"""lean-core: 1,000 theorems of Lean's own library, each to be proved with what its module imports.

A theorem stands in a file of its own that begins with ``prelude`` and imports exactly what the theorem's module
imports. So the theorem itself, everything that was proved from it, every later alias, and the simp sets and instances
of later modules are not there to be used: not by ``exact``, not by ``simp``, not by ``exact?``. The statement is
compared with the library's own, as Lean's hash of the expression. ``core_sample`` says how the list was drawn.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import Benchmark, Request, from_problems
from lean_agent.evaluation.benchmarks.problem import project_of, read_problems
from lean_agent.tracing import Repository

NAME = "lean-core"
LIST = Path(__file__).with_name("lean_core.jsonl")


def load(request: Request) -> Benchmark:
    """1,000 theorems of Lean's own library; needs no source.

    The whole list, the easiest first; ``split`` halves it by folders of modules.

    Raises:
        ConfigError: a source was given.
    """
    if request.source is not None:
        raise ConfigError(f"{NAME} comes with the package and is read from nothing else: leave out {request.source}.")
    return from_problems(NAME, read_problems(LIST), request)


@cache
def shipped_project() -> Repository:
    """Return the project that the shipped list makes: what results on lean-core are checked against."""
    return project_of(NAME, read_problems(LIST))[0]
