"""A small database and some run folders, made by hand, that the tests of pages look at."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.evaluate import Attempt
from lean_agent.lean.types import (
    LeanMessage,
    LostTheorem,
    Position,
    Premise,
    TracedFile,
    TracedTactic,
    TracedTheorem,
    Verdict,
)
from lean_agent.tracing import Repository

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
EVIL = "evil.«<script>alert(1)</script>»"
URL = "https://example.org/swap"
RUN = "2026-01-01T00-00-00-evaluate"
TRAINING = "training"
CUT = "cut-short"
TREE = "trees/prover/T.both.jsonl"
_BUDGET: dict[str, Any] = {"expansions": 8, "lean_calls": 8, "seconds": 60.0, "tokens": None}


@dataclass(frozen=True)
class Place:
    """Where the samples lie.

    Attributes:
        before, after: two commits of one repository.
    """

    database: Path
    runs: Path
    before: Repository
    after: Repository


def theorem(
    name: str, statement: str = "", *, proof: str = "by tac", sorry: bool = False, uses: str = ""
) -> TracedTheorem:
    """A theorem of two steps; ``uses`` is the premise of its first."""
    premises = (Premise(uses, "A", 60, 63),) if uses else ()
    tactics = (
        ()
        if sorry
        else (
            TracedTactic("intro h", "intro h", 60, 67, "⊢ p → q", "h : p\n⊢ q", 1, 1, premises),
            TracedTactic("exact f h", "exact f h", 70, 79, "h : p\n⊢ q", "no goals", 1, 0),
        )
    )
    return TracedTheorem(
        name,
        statement or f"theorem {name} : p → q",
        "by sorry" if sorry else proof,
        "tactic",
        sorry,
        f"says {name}",
        f"hash of {name} {statement}",
        50,
        90,
        Position(3, 0),
        Position(4, 8),
        tactics,
        premises,
    )


def file(path: str, *theorems: TracedTheorem) -> TracedFile:
    """A traced file with an error, and a theorem that it has lost to it."""
    lost = LostTheorem("A.broken", "failed", "unknown identifier <b>x</b>", Position(9, 0), Position(9, 8))
    error = LeanMessage("error", "unknown identifier <b>x</b>", Position(9, 4))
    return TracedFile(path, path.removesuffix(".lean"), ("Init",), theorems, (), (error,), 0.5, 0.1, lost=(lost,))


def attempt(prover: str, name: str, status: str, **values: Any) -> str:
    """A line of attempts.jsonl."""
    shown = Attempt(
        prover,
        URL,
        "b" * 40,
        "A.lean",
        name,
        status,
        "by\n  rfl" if status == "proved" else "",
        1,
        1,
        2,
        0,
        values.pop("seconds", 1.0),
        values.pop("message", ""),
        _BUDGET,
        **values,
    )
    return json.dumps(
        {name: getattr(shown, name) for name in Attempt.__dataclass_fields__ if getattr(shown, name) is not None}
    )


def tree_lines() -> list[str]:
    """A saved search of three states, one tactic of which failed with HTML in its message."""
    failure = {
        "tactic": "omega",
        "logprob": -1.0,
        "kind": "error",
        "message": "<img src=x onerror=alert(1)>",
        "proposed_by": "policy",
    }
    edge = {"tactic": "constructor", "logprob": -0.5, "targets": [1, 2], "proposed_by": "policy", "proves": False}
    node = {
        "graph": 0,
        "status": "open",
        "solved": False,
        "logprob": -0.5,
        "depth": 1,
        "parent": 0,
        "value": 0.25,
        "on_proof": False,
        "edges": [],
        "failures": [],
    }
    root = node | {
        "id": 0,
        "goals": ["⊢ p ∧ q"],
        "status": "expanded",
        "logprob": 0.0,
        "depth": 0,
        "parent": None,
        "edges": [edge],
        "failures": [failure],
    }
    head = {
        "format": "lean_agent search 1",
        "theorem": "T.both",
        "file_path": "T.lean",
        "prover": "prover",
        "search": "best_step",
        "status": "budget",
        "script": [],
        "expansions": 1,
        "lean_calls": 3,
        "failures": 1,
        "tokens": 0,
        "seconds": 0.5,
        "nodes": 3,
    }
    states = [root, node | {"id": 1, "goals": ["⊢ p"]}, node | {"id": 2, "goals": ["⊢ q"]}]
    return [json.dumps(line) for line in (head, *states)]


def make_database(folder: Path) -> tuple[Path, Repository, Repository]:
    """A database with two commits of a repository."""
    path = folder / "database.sqlite"
    before, after = (Repository(URL, letter * 40, "swap", folder) for letter in "ab")
    with DynamicDatabase(path) as database:
        for repository in (before, after):
            database.add_repository(repository)
        old = [theorem("A.first"), theorem("A.gone"), theorem("A.open", sorry=True)]
        database.store_file(before, file("A.lean", *old), "1")
        new = [
            theorem("A.first", proof="by other"),
            theorem("A.second", "theorem second : f 100% = a_b", uses="A.first"),
            theorem("A.open", sorry=True),
            theorem("A.still", sorry=True),
            theorem(EVIL, "theorem evil : <b>bold</b> \u202e"),
        ]
        database.store_file(after, file("A.lean", *new), "2")
        database.store_proof(after, "A.lean", "A.open", "by rfl", Verdict("accepted", ""), source="a test")
        database.store_proof(after, "A.lean", "A.still", "by bad", Verdict("error", "it <i>fails</i>"), source="a test")
    return path, before, after


def make_runs(folder: Path) -> Path:
    """An evaluation of two provers with a saved search, a training, and a run that was cut short everywhere."""
    evaluation = folder / RUN
    evaluation.mkdir(parents=True)
    (evaluation / "config.yaml").write_text("seed: 0\nprover: both\n", encoding="utf-8")
    lines = [
        attempt("first", "A.open", "proved"),
        attempt("first", "A.still", "budget", seconds=61.0),
        attempt("second", "A.open", "proved"),
        attempt("second", "A.still", "proved", message="<b>note</b>"),
    ]
    (evaluation / "attempts.jsonl").write_text("\n".join(lines) + "\n" + lines[0][:40], encoding="utf-8")
    (evaluation / "report.json").write_text("{}", encoding="utf-8")
    (evaluation / "report.html").write_text("<!doctype html><h1>A report</h1>", encoding="utf-8")
    (evaluation / TREE).parent.mkdir(parents=True)
    (evaluation / TREE).write_text("\n".join(tree_lines()) + "\n", encoding="utf-8")

    training = folder / TRAINING
    training.mkdir()
    metrics = [
        {
            "repository": "r",
            "commit": "c",
            "step": step,
            "time": 100.0 + step,
            "loss": 3 / step,
            "reward": None if step == 1 else 0.5,
            "generation_s": 1.0,
            "epoch": step / 4,
        }
        for step in range(1, 5)
    ]
    (training / "metrics.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in metrics) + '{"step": 5, "lo', encoding="utf-8"
    )
    (training / "progress.json").write_text(
        json.dumps({"settings": {"lr": 0.1, "epochs_per_repo": 2}, "repositories": []}), encoding="utf-8"
    )
    tried = {
        "data": "d",
        "step": 1,
        "theorem": "A.open",
        "outcome": "open",
        "reward": 0.0,
        "tactics": ["simp"],
        "failure": "timeout",
        "details": {},
    }
    (training / "attempts.jsonl").write_text(json.dumps(tried) + "\n", encoding="utf-8")

    cut = folder / CUT
    cut.mkdir()
    for name in (
        "config.yaml",
        "stages.json",
        "metrics.jsonl",
        "progress.json",
        "attempts.jsonl",
        ".lock.json",
        ".command.json",
    ):
        (cut / name).write_bytes(b'{"a": [1, \xff\n')
    (cut / "trees").mkdir()
    (cut / "trees" / "half.jsonl").write_text("\n".join(tree_lines()[:2]), encoding="utf-8")
    return folder
