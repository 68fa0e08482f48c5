"""A benchmark of our own: statements of a text file, each with how hard it is."""

from __future__ import annotations

from lean_agent.evaluation.benchmarks import Benchmark, Problem, Request, from_problems


def load(request: Request) -> Benchmark:
    """Lessons: a line for each theorem, ``difficulty | statement``."""
    lines = request.path("a file of lessons").read_text(encoding="utf-8").splitlines()
    problems = []
    for line in lines:
        difficulty, _, statement = line.partition(" | ")
        name = statement.split()[1]
        problems.append(Problem(name, statement, group="Lessons", difficulty=float(difficulty)))
    return from_problems("lessons", problems, request)
