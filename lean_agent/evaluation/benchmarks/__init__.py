"""Benchmarks by name. One more is one module with a ``load`` and one line here."""

from __future__ import annotations

from dataclasses import dataclass

from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import lean_core, lean_files, sorries, theorem_jsonl
from lean_agent.evaluation.benchmarks.base import Benchmark, Facts, LeftOut, Loader, Request, spread

__all__ = ["BENCHMARKS", "Benchmark", "Entry", "Facts", "LeftOut", "Request", "load_benchmark", "spread"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the registry: how to load a benchmark, and a line about it for people."""

    load: Loader
    summary: str


BENCHMARKS = {
    "lean-core": Entry(lean_core.load, "1,000 theorems of Lean's own library; needs no source"),
    "sorries": Entry(sorries.load, "the open theorems of a repository: a folder or an address"),
    "jsonl": Entry(theorem_jsonl.load, "theorems as lines of JSON: name, statement, context, imports"),
    "lean-files": Entry(lean_files.plain("lean-files"), "a Lean file or a folder of Lean files with sorries"),
    "minif2f": Entry(lean_files.plain("miniF2F", "Mathlib"), "miniF2F's Lean 4 files or JSON Lines; need Mathlib"),
    "proofnet": Entry(lean_files.plain("ProofNet", "Mathlib"), "ProofNet's Lean 4 files or JSON Lines; need Mathlib"),
    "putnambench": Entry(
        lean_files.plain("PutnamBench", "Mathlib", lean_files.with_answers),
        "PutnamBench's Lean 4 files, answers filled in; need Mathlib",
    ),
}


def load_benchmark(name: str, request: Request) -> Benchmark:
    """The theorems that are wanted of the benchmark of that name.

    Raises:
        ConfigError: there is none, it holds no theorem that Lean can start, it has no such split, or its source is
            missing or unreadable.
    """
    entry = BENCHMARKS.get(name)
    if entry is None:
        raise ConfigError(f"There is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}.")
    benchmark = entry.load(request)
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
