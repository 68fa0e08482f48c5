"""Figures of the Lean service: what HTTP costs beside the pool called directly, and a load of clients that leave.

    python benchmarks/serve.py [--seconds 60] [--clients 200] [--workers 1] [--requests 300] [--kill-every 60]

The service runs in a process of its own, with its own Lean processes; the pool called directly is in this one. First
the same requests go to both by turns, one at a time, then many at a time. Then comes the load: every client asks for
what only it can have an answer to, one request in a hundred is left in the middle, and a Lean process is killed every
minute. No answer may be lost or another client's, and the service's memory at the end stays within 20 % of that after
the first tenth. Ends with 1 when a mark is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import httpx
import psutil
from marks import Mark, show

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.server import LeanServer

OVERHEAD_MS = 3.0
THROUGHPUT = 0.9
GROWTH = 1.2
LEAVERS = 0.01
AT_A_TIME = 16
LEFT_AFTER_S = 0.05


@contextmanager
def service(workers: int) -> Iterator[tuple[psutil.Process, str]]:
    """Start `lean-agent serve`; yields its process and its address."""
    command = [sys.executable, "-m", "lean_agent", "serve", "--port", "0", "--workers", str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield psutil.Process(process.pid), process.stdout.readline().split()[-1]
    finally:
        process.terminate()
        process.wait()


# -- beside the pool


def one_at_a_time(servers: Sequence[LeanServer], requests: int) -> tuple[list[list[float]], list[float]]:
    """Measure the milliseconds of each request at each server, by turns, and the processor's in this process for all of
    them together."""
    processor = [0.0 for _ in servers]
    states = [server.goal_start("∀ (a b : Nat), a < b → a + 1 < b + 1") for server in servers]
    millis: list[list[float]] = [[] for _ in servers]
    for number in range(requests):
        for at, (server, state, taken) in enumerate(zip(servers, states, millis, strict=True)):
            began, worked = time.perf_counter(), time.process_time()
            if number % 2:
                server.goal_tactic(state, f"intro a b h{number}")
            else:
                server.check(f"theorem t{number} : {number} + 1 = {number + 1} := rfl")
            taken.append(1000 * (time.perf_counter() - began))
            processor[at] += 1000 * (time.process_time() - worked)
    return millis, processor


def per_second(server: LeanServer, requests: int, seed: int) -> float:
    """Return how many checks a server answers in a second, with several callers at a time."""

    async def ask_all() -> None:
        numbers = iter(range(requests))

        async def ask() -> None:
            for number in numbers:
                await server.check_async(f"theorem t : {seed} + {number} = {seed + number} := rfl")

        await asyncio.gather(*(ask() for _ in range(AT_A_TIME)))

    began = time.perf_counter()
    asyncio.run(ask_all())
    return requests / (time.perf_counter() - began)


def beside_the_pool(process: psutil.Process, address: str, workers: int, requests: int) -> list[Mark]:
    """Measure the service beside a pool in this process."""
    with LeanPool(workers) as pool, LeanClient(address) as client:
        one_at_a_time([pool, client], 20)  # both are warm by then
        before = sum(process.cpu_times()[:2])  # its own, without its Lean processes
        (direct, over_http), (in_pool, in_client) = one_at_a_time([pool, client], requests)
        in_service = 1000 * (sum(process.cpu_times()[:2]) - before)
        rates = [
            (per_second(pool, requests, 10_000 * turn), per_second(client, requests, 10_000 * turn))
            for turn in range(1, 4)
        ]
    overhead = statistics.median(over_http) - statistics.median(direct)
    ratio = statistics.median(there / here for here, there in rates)
    print(f"a request to the pool, p50 and p95 of {requests}: {quantiles(direct)} ms")
    print(f"the same to the service: {quantiles(over_http)} ms")
    beyond = (in_service + in_client - in_pool) / requests
    print(f"processor time of a request beyond the pool's, both sides: {beyond:.2f} ms")
    return [
        Mark("overhead of HTTP at p50", overhead, OVERHEAD_MS, "ms"),
        Mark(f"throughput, {AT_A_TIME} at a time, against the pool's", ratio, THROUGHPUT, "times", "at least"),
    ]


def quantiles(millis: Sequence[float]) -> str:
    """Return the median and the 95th of a hundred parts."""
    return f"{statistics.median(millis):.1f}, {statistics.quantiles(millis, n=20)[-1]:.1f}"


# -- load


@dataclass
class Load:
    """What became of the requests of a load.

    Attributes:
        outcomes: right, left, busy (429), wrong (another answer than the only one), lost (none).
        resident_mb: of the service's process, over time.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    millis: list[float] = field(default_factory=list)
    resident_mb: list[float] = field(default_factory=list)
    kills: int = 0
    faults: list[str] = field(default_factory=list)


async def checked(http: httpx.AsyncClient, number: int) -> bool:
    """Ask for a message that names the number."""
    answer = await http.post("/v1/check", json={"text": f"#check (rfl : {number} = {number})"})
    answer.raise_for_status()
    return [message["text"] for message in answer.json()["messages"]] == [f"rfl : {number} = {number}"]


async def stepped(http: httpx.AsyncClient, number: int) -> bool:
    """Start a proof, and run a tactic in it."""
    proposition = f"∀ (n : Nat), n = {number} → n + 0 = {number}"
    answer = await http.post("/v1/goals/start", json={"origins": [proposition]})
    answer.raise_for_status()
    key = answer.json()["results"][0]["state"]["key"]
    step = {"state": key, "tactic": "intro n h"}
    answer = await http.post("/v1/goals/tactics", json={"steps": [step]})
    answer.raise_for_status()
    (goal,) = answer.json()["results"][0]["state"]["goals"]
    await http.post("/v1/goals/release", json={"states": [key, answer.json()["results"][0]["state"]["key"]]})
    return bool(goal["target"] == f"n + 0 = {number}")


async def verified(http: httpx.AsyncClient, number: int) -> bool:
    """Have a text judged whose statement names the number."""
    text = f"theorem t : {number} + 1 = {number + 1} := rfl"
    answer = await http.post("/v1/verify/text", json={"text": text})
    answer.raise_for_status()
    (declaration,) = answer.json()["declarations"]
    return bool(declaration["accepted"] and declaration["statement"] == f"{number} + 1 = {number + 1}")


KINDS: tuple[Callable[[httpx.AsyncClient, int], Awaitable[bool]], ...] = (checked, stepped, verified)


async def client(http: httpx.AsyncClient, number: int, until: float, load: Load) -> None:
    """Ask until the time is over."""
    draw = random.Random(number)
    for turn in itertools.count():
        if time.monotonic() > until:
            return
        began = time.monotonic()
        leaves = draw.random() < LEAVERS
        try:
            async with asyncio.timeout(LEFT_AFTER_S if leaves else None):
                is_right = await draw.choice(KINDS)(http, 100_000 * number + turn)
            load.outcomes["right" if is_right else "wrong"] += 1
        except TimeoutError:
            load.outcomes["left"] += 1
            continue
        except httpx.HTTPStatusError as error:
            busy = error.response.status_code == httpx.codes.TOO_MANY_REQUESTS
            load.outcomes["busy" if busy else "lost"] += 1
            if busy:
                await asyncio.sleep(float(error.response.headers["Retry-After"]))
            else:
                load.faults.append(error.response.text)
            continue
        except (httpx.HTTPError, KeyError, ValueError) as error:
            load.outcomes["lost"] += 1
            load.faults.append(f"{type(error).__name__}: {error}")
            continue
        load.millis.append(1000 * (time.monotonic() - began))


async def watch(process: psutil.Process, kill_every_s: float, until: float, load: Load) -> None:
    """Kill a Lean process now and then, and look at the service's memory."""
    next_kill = time.monotonic() + kill_every_s
    while time.monotonic() < until:
        load.resident_mb.append(process.memory_info().rss / 1e6)
        if time.monotonic() >= next_kill:
            next_kill += kill_every_s
            children = [child for child in process.children() if any("node" in word for word in child.cmdline())]
            if children:
                random.choice(children).kill()
                load.kills += 1
        print(f"{dict(load.outcomes)} {load.resident_mb[-1]:.0f} MB, {load.kills} kills", file=sys.stderr, flush=True)
        await asyncio.sleep(5)


async def loaded(process: psutil.Process, address: str, clients: int, seconds: float, kill_every_s: float) -> Load:
    """Put the service under load."""
    load, until = Load(), time.monotonic() + seconds
    limits = httpx.Limits(max_connections=clients + 10, max_keepalive_connections=clients + 10)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=600) as http:
        asking = [client(http, number, until, load) for number in range(1, clients + 1)]
        await asyncio.gather(watch(process, kill_every_s, until, load), *asking)
        health = await http.get("/health")
        load.outcomes["right" if health.is_success else "lost"] += 1
    return load


def under_load(load: Load) -> list[Mark]:
    """Return the marks of a load."""
    tenth = max(1, len(load.resident_mb) // 10)
    growth = max(load.resident_mb[-tenth:]) / max(load.resident_mb[: tenth + 1])
    total = sum(load.outcomes.values())
    left, busy = load.outcomes["left"], load.outcomes["busy"]
    print(f"{total:,} requests, of these {left} left in the middle and {busy} refused as busy")
    print(f"p50 and p95 of an answer: {quantiles(load.millis)} ms; {load.kills} Lean processes killed")
    return [
        Mark("answers lost", load.outcomes["lost"], 0),
        Mark("answers of others", load.outcomes["wrong"], 0),
        Mark("memory of the service against that after a tenth", growth, GROWTH, "times"),
    ]


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--kill-every", type=float, default=60.0)
    options = parser.parse_args()
    with service(options.workers) as (process, address):
        marks = beside_the_pool(process, address, options.workers, options.requests) if options.requests else []
        load = asyncio.run(loaded(process, address, options.clients, options.seconds, options.kill_every))
    marks += under_load(load)
    show(*marks)
    for fault in load.faults[:5]:
        print(fault, file=sys.stderr)
    return 0 if all(mark.is_met for mark in marks) else 1


if __name__ == "__main__":
    sys.exit(main())
