"""Ends of all kinds: clients that leave, too many of them, SIGTERM, Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.remote.client import LeanClient
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings

PROGRAM = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
import asyncio, sys
from lean_agent.cli.main import app
from lean_agent.lean.mock import MockLeanServer

class Slow(MockLeanServer):
    async def check_async(self, text, **options):
        print("asked", text, flush=True)
        await asyncio.sleep(float(text or 0))
        return ()

app(["serve", "--port", "0", *sys.argv[1:]], obj=lambda **_: Slow())
"""


class Slow(MockLeanServer):
    """Takes its time for every text, until it may answer."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = threading.Semaphore(0)
        self.cancelled = threading.Semaphore(0)
        self.may_answer = threading.Event()

    async def check_async(self, text: str, **options: Any) -> Any:
        await self._wait()
        return ()

    async def verify_text_async(self, text: str, **options: Any) -> Any:
        await self._wait()

    async def trace_file_async(self, project: Any, file_path: str) -> Any:
        await self._wait()

    async def goal_starts_async(self, origins: Any, **options: Any) -> Any:
        await self._wait()

    async def _wait(self) -> None:
        self.begun.release()
        try:
            while not self.may_answer.is_set():
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.cancelled.release()
            raise


def test_the_work_of_a_client_that_leaves_is_cancelled() -> None:
    slow = Slow()
    with serving(slow) as address:
        for path, body in [
            ("/v1/check", {"text": "x"}),
            ("/v1/goals/start", {"origins": ["p"]}),
            ("/v1/trace", {"text": "x"}),
            ("/v1/verify", {"statement": "p", "proof": "q"}),
            ("/api/check", {"snippets": [{"id": "a", "code": "x"}]}),
        ]:
            with pytest.raises(httpx.ReadTimeout):
                httpx.post(address + path, json=body, timeout=0.3)
            assert slow.begun.acquire(timeout=10) and slow.cancelled.acquire(timeout=10)
        slow.may_answer.set()
        assert httpx.post(f"{address}/v1/check", json={"text": "x"}).json() == {"messages": []}
        counted = httpx.get(f"{address}/metrics").text
    assert 'lean_agent_requests_total{route="/v1/check",status="499"} 1.0' in counted
    assert "lean_agent_under_way 0.0" in counted


def test_who_finds_no_room_is_told_when_to_come_again() -> None:
    slow = Slow()
    with serving(slow, ServiceSettings(port=0, max_requests=1)) as address, ThreadPoolExecutor(2) as threads:
        first = threads.submit(httpx.post, f"{address}/v1/check", json={"text": "x"}, timeout=60)
        assert slow.begun.acquire(timeout=10)
        second = httpx.post(f"{address}/v1/check", json={"text": "y"})
        assert (second.status_code, second.headers["Retry-After"]) == (429, "1")
        assert second.json()["error"]["message"].startswith("1 requests are under way")
        with LeanClient(address) as client:  # comes again by itself
            third = threads.submit(client.check, "z")
            slow.may_answer.set()
            assert first.result().json() == {"messages": []} and third.result() == ()


@contextmanager
def started(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that serves, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().split()[-1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_finished_after_a_signal(how: signal.Signals) -> None:
    with started() as (process, address), ThreadPoolExecutor(1) as threads:
        answer = threads.submit(httpx.post, f"{address}/v1/check", json={"text": "1"}, timeout=60)
        assert process.stdout is not None and process.stdout.readline() == "asked 1\n"
        process.send_signal(how)
        assert answer.result().json() == {"messages": []}
        assert process.wait(60) == (0 if how == signal.SIGTERM else 130)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{address}/health")
        assert process.stderr is not None
        log = process.stderr.read()
    assert '"path": "/v1/check", "status": 200' in log and "Traceback" not in log


def test_what_takes_longer_than_the_stop_may_is_cut_off() -> None:
    with started("--stop-timeout", "1") as (process, address), ThreadPoolExecutor(1) as threads:
        answer = threads.submit(httpx.post, f"{address}/v1/check", json={"text": "600"}, timeout=60)
        assert process.stdout is not None and process.stdout.readline() == "asked 600\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert answer.result().status_code == 503
        assert answer.result().json()["error"]["message"] == "The service is being stopped."


def test_the_command_refuses_an_open_address_without_a_token() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "--host", "0.0.0.0"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: Whoever reaches 0.0.0.0 could use this Lean: give a token, as --token or in LEAN_AGENT_TOKEN.\n"
    )
