"""Searches that run, as they are seen from outside: nothing is written unless somebody looks, and no search goes
another way for being looked at."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.saved.live import LOOKED_FOR_S, LiveTrees, Pace, Running, look, running_searches
from lean_agent.prover.saved.trees import SavedSearch, load_search, record_search
from lean_agent.prover.searches.base import Search
from lean_agent.registry import SEARCHES

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
TACTICS = ("intro p q h", "constructor", "exact h.2", "exact h.1", "nonsense")
PLACE = Path("repository", "T.swap.jsonl")


class Clock:
    """Seconds, which go by when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def named(search: Search) -> Running:
    return Running("T.swap", "T.lean", "mock", PLACE, search)


def searched(
    on_turn: Callable[[Iterable[Running]], None] | None,
    on_end: Callable[[Running], None] = lambda _: None,
    search: str = "best_step",
) -> SavedSearch:
    """Return a search for the proof of ``SWAP``, in the end; before that each of its turns is shown."""
    ended: list[SavedSearch] = []

    def end(_: int, search: Search) -> None:
        on_end(named(search))
        ended.append(record_search(search, theorem="T.swap", file_path="T.lean", prover="mock"))

    def turn(searches: Mapping[int, Search]) -> None:
        assert on_turn is not None
        on_turn(map(named, searches.values()))

    driver = Driver(MockLeanServer(), MockPolicy({}, default=TACTICS), SearchConfig(search), on_end=end)
    list(driver.run([SWAP], on_turn=turn if on_turn else None))
    return ended[0]


@pytest.mark.parametrize("search", [name for name in SEARCHES.own if name != "whole_proof"])
def test_a_search_that_is_looked_at_goes_the_same_way(search: str) -> None:
    shown: list[SavedSearch] = []
    watched = searched(lambda searches: shown.extend(each.record() for each in searches), search=search)
    unwatched = searched(None, search=search)
    timeless = [{**asdict(each), "seconds": 0} for each in (watched, unwatched)]
    assert timeless[0] == timeless[1] and watched.status == "proved"
    assert len(shown) > 2 and {each.status for each in shown} == {"running"}
    counts = [(len(each.nodes), each.lean_calls, each.failures) for each in shown]
    assert counts == sorted(counts) and counts[0][0] == 1 < counts[-1][0]  # it grows
    assert all(each.failures == sum(len(node.failures) for node in each.nodes) for each in shown)


def test_nothing_is_written_while_nobody_looks(tmp_path: Path) -> None:
    folder, clock = tmp_path / "running", Clock()

    def turn(searches: Iterable[Running]) -> None:
        clock.now += 1.0
        live.turn(searches)

    with LiveTrees(folder, clock) as live:
        searched(turn, live.ended)
        assert list(folder.iterdir()) == []
        look(folder)
        searched(turn, live.ended)
        assert [path.name for path in folder.rglob("*.json*")] == ["searches.json"]  # the tree has gone with its search
        clock.now += LOOKED_FOR_S
        (folder / "searches.json").unlink()
        searched(turn, live.ended)  # the last look was long ago
        assert not (folder / "searches.json").exists()
    assert not folder.exists()


def test_a_tree_that_is_looked_at_is_written_until_it_has_ended(tmp_path: Path) -> None:
    folder, clock = tmp_path / "running", Clock()
    seen: list[SavedSearch] = []

    def turn(searches: Iterable[Running]) -> None:
        clock.now += 1.0
        look(folder)
        look(folder, PLACE.as_posix())
        live.turn(searches)
        for line in running_searches(folder):
            seen.append(load_search(folder / PLACE))
            assert (line.path, line.theorem, line.status, line.states) == (
                "repository/T.swap.jsonl", "T.swap", "running", len(seen[-1].nodes)
            )  # fmt: skip

    with LiveTrees(folder, clock) as live:
        ended = searched(turn, live.ended)
        assert len(seen) > 2 and {each.status for each in seen} == {"running"}
        assert [len(each.nodes) for each in seen] == sorted(len(each.nodes) for each in seen)
        assert load_search(folder / PLACE) == ended
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_stops_no_search(tmp_path: Path) -> None:
    folder = tmp_path / "running"
    with LiveTrees(folder) as live:
        look(folder)
        look(folder, PLACE.as_posix())
        (folder / "searches.json").mkdir()  # in the way
        (folder / PLACE).mkdir()
        assert searched(live.turn, live.ended).status == "proved"


def test_what_cannot_be_read_is_no_list(tmp_path: Path) -> None:
    assert running_searches(tmp_path) == []
    for content in ('[{"path": "a"', '[{"path": "a"}]', json.dumps({"a": 1})):
        (tmp_path / "searches.json").write_text(content, encoding="utf-8")
        assert running_searches(tmp_path) == []


def test_work_takes_a_hundredth_of_the_time() -> None:
    clock = Clock()
    pace = Pace(1.0, 0.01, clock)
    done = 0
    for _ in range(10_000):  # of a tenth of a second
        clock.now += 0.1
        if pace.is_due:
            with pace.working():
                clock.now += 0.5
            done += 1
    # each time takes 0.5 s and is followed by 49.5 s: at 0.1 s, 50.1 s, …, 1,000.1 s
    assert done == 21


def test_nothing_is_asked_for_where_nothing_is_searched_for(tmp_path: Path) -> None:
    folder = tmp_path / "running"
    look(folder)
    look(folder, PLACE.as_posix())
    assert not folder.exists()
    (folder / "old").mkdir(parents=True)  # of a process that was killed
    with LiveTrees(folder):
        assert list(folder.iterdir()) == []


HARD = "theorem hard (f : Nat → Nat) (h : ∀ n, f (n + 1) > f (f n)) : ∀ n, f n = n := by\n  sorry"


@pytest.mark.lean
@pytest.mark.slow
def test_a_run_folder_shows_what_its_process_searches_for(lean: LeanPool, tmp_path: Path) -> None:
    """Another thread looks, as a page would; the run keeps no trees."""
    lean.check("", timeout_s=600)
    seen: list[SavedSearch] = []
    ended = threading.Event()

    def watch(folder: Path) -> None:
        while not ended.wait(0.2):
            look(folder)
            for line in running_searches(folder):
                look(folder, line.path)
                if (folder / line.path).is_file():
                    seen.append(load_search(folder / line.path))

    budget = SearchBudget(seconds=8.0, lean_calls=10_000, expansions=10_000)
    config = SearchConfig(budget=budget, tactic_timeout_s=1.0)
    with ScriptedAgent(
        lean=lean, database=tmp_path / "database.sqlite", runs_dir=tmp_path / "runs", progress=False
    ) as agent:
        watcher = threading.Thread(target=watch, args=(agent.run.path / "running",))
        watcher.start()
        try:
            agent.prove(theorems=agent.theorems_of(HARD), config=config)
        finally:
            ended.set()
            watcher.join()
        assert [each.theorem for each in seen] == ["hard"] * len(seen) and seen[0].status == "running"
        assert len(seen[0].nodes) <= len(seen[-1].nodes) and seen[-1].lean_calls > 1
        assert not (agent.run.path / "running").exists() and not (agent.run.path / "trees").exists()
