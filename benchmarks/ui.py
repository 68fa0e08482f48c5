"""Figures of the pages: the first page over 10,000 theorems and 100 runs, a theorem search, a tree of 5,000 states, the
first suggestion in the playground, and how soon a search knows the proofs of the database.

    python benchmarks/ui.py [--theorems 10000] [--runs 100] [--states 5000] [--times 20]

The service runs in a process of its own; database, run folders and tree are made here. Pages are timed from the request
to their last byte, by medians; the first request after the start, which loads templates, stands apart. The tree is
timed in a Chromium, from the address being typed to the tree on the screen; without one that is left out, in words. A
suggestion is timed as the page asks for it: the goal has been shown, and Lean is up. Ends with 1 when a mark is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import httpx
from marks import Mark, show

from lean_agent.database import DynamicDatabase
from lean_agent.lean.types import Position, Premise, TracedFile, TracedTactic, TracedTheorem
from lean_agent.policy.neighbours import SharedNeighbours
from lean_agent.prover.mixed import ProofSources
from lean_agent.prover.saved.trees import FORMAT
from lean_agent.tracing import Repository

PAGE_MS = 300.0
TREE_S = 2.0
FILES = 100
STEPS = 4
REPOSITORIES = 5
RUN = "run-000"
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage")

SUGGESTION_S = 2.0
KNOWN_S = 0.5
STATEMENTS = (
    "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p",
    "theorem less (a b : Nat) (h : a < b) : a + 1 ≤ b",
    "theorem lengths (xs ys : List Nat) : (xs ++ ys).length = ys.length + xs.length",
    "theorem twice (f : Nat → Nat) (h : ∀ x y, f x = f y → x = y) : ∀ x y, f (f x) = f (f y) → x = y",
)
"""Whose proofs are asked for in the playground."""


def make_database(path: Path, theorems: int) -> None:
    """Store so many theorems of four steps each, in files of several repositories."""
    each = theorems // (REPOSITORIES * FILES // REPOSITORIES)
    with DynamicDatabase(path) as database:
        for number in range(REPOSITORIES):
            repository = Repository(
                f"https://example.org/{number}", f"{number}" * 40, f"repository-{number}", path.parent
            )
            database.add_repository(repository)
            for file in range(FILES // REPOSITORIES):
                name = f"Part{number}.File{file}"
                made = tuple(_theorem(f"{name}.theorem_{place}", place) for place in range(each))
                traced = TracedFile(f"{name.replace('.', '/')}.lean", name, ("Init",), made, (), (), 1.0, 0.1)
                database.store_file(repository, traced, name)


def _theorem(name: str, place: int) -> TracedTheorem:
    draw = random.Random(name)
    states = [_goal(draw) for _ in range(STEPS + 1)]
    premises = (Premise(f"Nat.le_{place % 50}", "Init", 1, 2),)
    tactics = tuple(
        TracedTactic("omega", f"simp [f{draw.randrange(400)}]", step, step + 1, before, after, 1, 1, premises)
        for step, (before, after) in enumerate(pairwise(states))
    )
    end = Position(place * 5 + 5, 0)
    where = (1, 2, Position(place * 5 + 1, 0), end)
    statement = f"theorem {name} (x y : Nat) (h : x ≤ y) : x + {place} ≤ y + {place}"
    sorry = place % 7 == 0
    return TracedTheorem(name, statement, "by omega", "tactic", sorry, name, name, *where, tactics, premises)


def _goal(draw: random.Random) -> str:
    """Return a goal that hardly another one is like."""

    def term(depth: int) -> str:
        if depth == 0:
            return draw.choice(("x", "y", "z", "0", "1"))
        return f"f{draw.randrange(400)} ({term(depth - 1)} {draw.choice('+-*/%^')} {term(depth - 1)})"

    lines = [f"h{index} : {term(1)} {draw.choice('=≤<≠∣')} {term(1)}" for index in range(draw.randrange(1, 6))]
    return "\n".join(["x y z : Nat", *lines, f"⊢ {term(2)} {draw.choice('=≤<≠∣')} {term(1)}"])


def make_runs(folder: Path, runs: int, states: int) -> None:
    """Make run folders with a training of 1,000 steps and 200 attempts each; the first has a tree."""
    metrics = [
        {"repository": "r", "commit": "c", "step": step, "time": step, "loss": 1 / (step + 1)} for step in range(1000)
    ]
    for number in range(runs):
        run = folder / f"run-{number:03d}"
        run.mkdir(parents=True)
        (run / "config.yaml").write_text(f"seed: {number}\n", encoding="utf-8")
        (run / "stages.json").write_text('{"tracing": {"seconds": 1.0}, "finished": {}}', encoding="utf-8")
        (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in metrics), encoding="utf-8")
        (run / "log.txt").write_text("a line\n" * 200, encoding="utf-8")
    trees = folder / RUN / "trees"
    trees.mkdir()
    (trees / "tree.jsonl").write_text("\n".join(_tree(states)) + "\n", encoding="utf-8")


def _tree(states: int) -> Iterator[str]:
    """Yield the lines of a saved search whose states hang below one another at random, each with two failures."""
    draw = random.Random(0)
    parents = [None, *(draw.randrange(max(0, number - 200), number) for number in range(1, states))]
    depths, children = [0] * states, [list[int]() for _ in range(states)]
    for number, parent in enumerate(parents):
        if parent is not None:
            depths[number] = depths[parent] + 1
            children[parent].append(number)
    goal = "\n".join([*(f"h{index} : x{index} ≤ y{index}" for index in range(8)), "⊢ x0 + x1 ≤ y0 + y1"])
    failure = {"logprob": -3.0, "kind": "error", "message": "omega could not prove the goal", "proposed_by": "policy"}
    head = {
        "theorem": "t",
        "file_path": "T.lean",
        "prover": "p",
        "search": "best_step",
        "status": "budget",
        "script": [],
    }
    counts = {"expansions": states, "lean_calls": states, "failures": 2 * states, "tokens": 0, "seconds": 60.0}
    yield json.dumps({"format": FORMAT, **head, **counts, "nodes": states})
    for number, parent in enumerate(parents):
        edges = [
            {"tactic": f"simp [h{to}]", "logprob": -0.5, "targets": [to], "proposed_by": "policy", "proves": False}
            for to in children[number]
        ]
        node = {"graph": 0, "id": number, "goals": [f"{goal} + {number}"], "status": "expanded", "solved": False}
        place = {
            "logprob": -0.5 * depths[number],
            "depth": depths[number],
            "parent": parent,
            "value": 0.5,
            "on_proof": False,
        }
        failures = [{"tactic": tactic, **failure} for tactic in ("omega", "decide")]
        yield json.dumps({**node, **place, "edges": edges, "failures": failures})


@contextmanager
def pages(database: Path, runs: Path) -> Iterator[str]:
    """Start `lean-agent ui`; yields its address."""
    options = ["--port", "0", "--database", str(database), "--runs-dir", str(runs)]
    command = [sys.executable, "-m", "lean_agent", "ui", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


def of_pages(address: str, times: int) -> Iterator[Mark]:
    """Time pages."""
    print(f"first page, at the first request: {_millis(address, '/', 1):.0f} ms")
    for name, path in {
        "first page": "/",
        "theorems by words": "/theorems?text=theorem_7",
        "theorems by premise": "/theorems?text=le_7&mode=premise",
        "a run": f"/run?run={RUN}",
    }.items():
        yield Mark(name, _millis(address, path, times), PAGE_MS, "ms")


def _millis(address: str, path: str, times: int) -> float:
    taken = []
    with httpx.Client(base_url=address, timeout=60) as client:
        for _ in range(times):
            began = time.perf_counter()
            client.get(path).raise_for_status()
            taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def of_tree(address: str, states: int, times: int) -> Iterator[Mark]:
    """Time the opening of a tree in a browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    name = f"a tree of {states:,} states opens"
    if chromium is None:
        print(f"{name}: not timed, there is no Chromium here")
        return
    from playwright.sync_api import sync_playwright

    taken = []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=list(FLAGS))
        for _ in range(times):
            page = browser.new_page()
            began = time.perf_counter()
            page.goto(f"{address}/search?run={RUN}&path=trees/tree.jsonl")
            page.wait_for_selector("#film:has-text('of')")  # the map has been painted
            taken.append(time.perf_counter() - began)
            page.close()
        browser.close()
    yield Mark(name, statistics.median(taken), TREE_S, "s")


def of_suggestions(address: str) -> Iterator[Mark]:
    """Time the first suggestion at a goal that is shown; the slowest of several counts."""
    taken = []
    with httpx.Client(base_url=address, timeout=600, headers={"X-Fragment": "1"}) as client:
        client.post("/playground/prepare", json={"policy": "own"}).raise_for_status()
        for statement in STATEMENTS:
            place = {"text": f"{statement} := by\n  sorry\n", "line": 2, "column": 2}
            client.post("/playground/look", json=place).raise_for_status()
            began = time.perf_counter()
            with client.stream("POST", "/playground/suggest", json=place) as answer:
                for line in answer.iter_lines():
                    if "data-insert=" in json.loads(line):
                        taken.append(time.perf_counter() - began)
                        break
    assert len(taken) == len(STATEMENTS), "a goal without a suggestion"
    yield Mark("first suggestion at a goal that is shown", max(taken), SUGGESTION_S, "s")


def of_knowledge(path: Path, theorems: int, times: int) -> Iterator[Mark]:
    """Time how soon a search has the proofs of the database, once one has read them."""
    with DynamicDatabase(path) as database:
        known = SharedNeighbours()
        sources = ProofSources(database, known=known)
        began = time.perf_counter()
        sources.read_into(known)
        print(f"the proofs of {theorems:,} theorems, at the first search: {time.perf_counter() - began:.1f} s")
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            sources.mixture("mixture", None, ())
            taken.append(time.perf_counter() - began)
    yield Mark(f"the proofs of {theorems:,} theorems, for a search", statistics.median(taken), KNOWN_S, "s")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("--theorems", 10_000), ("--runs", 100), ("--states", 5000), ("--times", 20)):
        parser.add_argument(name, type=int, default=default)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database, runs = Path(folder, "database.sqlite"), Path(folder, "runs")
        make_database(database, asked.theorems)
        make_runs(runs, asked.runs, asked.states)
        with pages(database, runs) as address:
            marks = [*of_pages(address, asked.times), *of_tree(address, asked.states, max(1, asked.times // 4))]
            marks += of_suggestions(address)
        marks += of_knowledge(database, asked.theorems, asked.times)
    show(*marks)
    sys.exit(0 if all(mark.is_met for mark in marks) else 1)


if __name__ == "__main__":
    main()
