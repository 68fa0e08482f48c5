"""Searches as jobs, over a mock: submitted, watched, cancelled, and their trees."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import GoalState, Position, TracedFile, TracedTheorem
from lean_agent.service.jobs import Job, ProofJobs
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"


def world(kind: type[MockLeanServer] = MockLeanServer) -> MockLeanServer:
    """A mock that has traced what `lean-agent prove` makes of the text ``SWAP``."""
    place = Position(1, 0)
    theorem = TracedTheorem(
        "goal", f"theorem goal : {SWAP}", "by sorry", "tactic", True, SWAP, "1", 0, 50, place, place
    )
    file = TracedFile("Text.lean", "Text", (), (theorem,), (), (), 0.0, 0.0)
    return kind({"goal": SWAP}, files={"Text.lean": file})


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(world()) as address:
        yield address


@pytest.fixture
def http(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


def events(http: httpx.Client, identifier: str) -> list[tuple[str, dict[str, Any]]]:
    """All events of a search: kind and data."""
    received, kind = [], ""
    with http.stream("GET", f"/v1/prove/{identifier}/events") as stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                received.append((kind, json.loads(line.removeprefix("data: "))))
    return received


def test_a_search_from_its_submission_to_its_tree(http: httpx.Client) -> None:
    asked = {"theorem": SWAP, "budget": {"lean_calls": 50, "expansions": 50, "seconds": 60}}
    answer = http.post("/v1/prove", json=asked)
    job = answer.json()
    assert answer.status_code == 202 and job["status"] in ("waiting", "running")
    *_, (kind, last) = events(http, job["id"])
    assert kind == "end" and last == http.get(f"/v1/prove/{job['id']}").json()
    # the mock has few tactics: what it cannot prove within the budget has failed, and is a result all the same
    assert last["status"] in ("proved", "failed", "budget") and last["cost"]["lean_calls"] >= 1
    assert last["result"]["full_name"] == "goal" and last["result"]["statement"] == SWAP
    tree = http.get(f"/v1/prove/{job['id']}/tree").json()
    assert (tree["status"], tree["nodes"][0]["goals"]) == (last["result"] and tree["status"], [f"⊢ {SWAP}"])
    page = http.get(f"/v1/prove/{job['id']}/tree", params={"format": "html"})
    assert page.headers["Content-Type"].startswith("text/html") and "<html" in page.text


def test_a_search_that_nobody_wants_ends(http: httpx.Client) -> None:
    asked = {"theorem": SWAP, "budget": {"lean_calls": 100_000, "expansions": 100_000, "seconds": 600}}
    identifiers = [http.post("/v1/prove", json=asked).json()["id"] for _ in range(4)]
    for identifier in identifiers:
        assert http.delete(f"/v1/prove/{identifier}").is_success
    for identifier in identifiers:
        assert events(http, identifier)[-1][1]["status"] in ("cancelled", "proved", "failed")


def test_a_text_without_a_theorem_is_an_error_in_a_sentence(http: httpx.Client) -> None:
    job = http.post("/v1/prove", json={"theorem": "theorem other : 1 = 1 := by sorry\ntheorem x := sorry"}).json()
    last = events(http, job["id"])[-1][1]
    assert last["status"] in ("error", "failed", "budget", "proved")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"theorem": "p", "search": "os:system"}, "There is no search 'os:system'"),
        ({"theorem": "p", "budget": {"lean_calls": 0}}, "budget"),
        ({"theorem": "p", "budget": {"seconds": 1e9}}, "900 s and no more"),
        ({}, "theorem: Field required."),
    ],
)
def test_what_no_search_can_be_is_refused(http: httpx.Client, asked: dict[str, Any], words: str) -> None:
    answer = http.post("/v1/prove", json=asked)
    assert answer.status_code == 422 and words in answer.json()["error"]["message"]


def test_a_search_that_there_is_not(http: httpx.Client) -> None:
    for method, path in [("GET", "no"), ("DELETE", "no"), ("GET", "no/events"), ("GET", "no/tree")]:
        answer = http.request(method, f"/v1/prove/{path}")
        assert answer.status_code == 404 and "no such search" in answer.json()["error"]["message"]


def test_a_search_that_ends_while_an_event_is_on_its_way_has_its_last_event() -> None:
    async def seen() -> list[str]:
        jobs = ProofJobs(world(), ServiceSettings(port=0))
        job, statuses = Job("1", SWAP, status="running"), []
        async for form in jobs.events(job):
            statuses.append(form["status"])
            if len(statuses) == 1:
                jobs._change(job, {"status": "proved"})  # as the loop does while a slow client takes the event
        jobs.close()
        return statuses

    assert asyncio.run(seen()) == ["running", "proved"]


def test_more_searches_than_may_wait_are_refused() -> None:
    settings = ServiceSettings(port=0, searches=1, waiting_searches=0)
    asked = {"theorem": SWAP, "budget": {"lean_calls": 100_000, "expansions": 100_000, "seconds": 600}}
    with serving(world(), settings) as address, httpx.Client(base_url=address, timeout=60) as http:
        answers = [http.post("/v1/prove", json=asked) for _ in range(8)]
        assert {answer.status_code for answer in answers} == {202, 429}


def test_a_tree_is_seen_while_its_search_runs() -> None:
    """Each tactic waits until the tree has been asked for, so the search is looked at between any two of its turns."""
    turn = threading.Semaphore(0)

    class Slow(MockLeanServer):
        def goal_tactic(self, *arguments: Any, **options: Any) -> GoalState:
            assert turn.acquire(timeout=60)
            return super().goal_tactic(*arguments, **options)

    budget = {"lean_calls": 60, "expansions": 60, "seconds": 600}
    with serving(world(Slow)) as address, httpx.Client(base_url=address, timeout=60) as http:
        job = http.post("/v1/prove", json={"theorem": SWAP, "budget": budget, "policy": "own"}).json()
        seen, mark, end = [], "", time.monotonic() + 120
        while time.monotonic() < end:
            answer = http.get("/search/data", params={"job": job["id"], "known": mark})
            if answer.status_code == 200:
                mark = answer.headers["X-Mark"]
                seen.append(answer.json())
                is_live = answer.headers.get("X-Live") == "1"
                assert is_live == (seen[-1]["status"] == "running")
                if not is_live:
                    break
            turn.release()
            time.sleep(0.05)
        assert seen[0]["status"] == "running" and seen[-1]["status"] in ("proved", "failed", "budget")
        assert [len(each["nodes"]) for each in seen] == sorted(len(each["nodes"]) for each in seen)
        assert len({len(each["nodes"]) for each in seen}) > 1
        assert seen[-1]["theorem"] == SWAP
