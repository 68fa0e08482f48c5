"""A thread with an event loop: whoever waits on it gets an answer, or is told why there is none."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from lean_agent.errors import LeanRequestError
from lean_agent.lean.facade import LoopThread


async def seven(seconds: float) -> int:
    await asyncio.sleep(seconds)
    return 7


async def end_all() -> None:
    running = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)


def test_closing_waits_as_long_as_it_may() -> None:
    for wait_s, answer in ((10.0, 7), (0.0, None)):
        loop = LoopThread("thread")
        with ThreadPoolExecutor() as callers:
            waiting = callers.submit(loop.run, seven(0.3))
            time.sleep(0.1)
            loop.close(end_all(), wait_s=wait_s)
            if answer is None:
                with pytest.raises(LeanRequestError, match="this thread was closed before it had an answer"):
                    waiting.result()
            else:
                assert waiting.result() == answer


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_while_closing_waits_ends_it_at_once() -> None:
    loop = LoopThread("thread")
    with ThreadPoolExecutor() as callers:
        waiting = callers.submit(loop.run, seven(60))
        time.sleep(0.1)
        interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        interrupt.start()
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            loop.close(end_all(), wait_s=50.0)
        assert time.monotonic() - began < 40
        with pytest.raises(LeanRequestError, match="closed before"):
            waiting.result(timeout=10)
    assert not any(thread.name == "thread" for thread in threading.enumerate()), "its thread has ended"
    loop.close(end_all())  # idempotent


def test_callers_in_an_event_loop_are_told_too_and_may_still_be_cancelled_themselves() -> None:
    async def main() -> None:
        loop = LoopThread("thread")
        told = asyncio.ensure_future(loop.run_async(seven(60)))
        cancelled = asyncio.ensure_future(loop.run_async(seven(60)))
        await asyncio.sleep(0.1)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        await asyncio.to_thread(loop.close, end_all())
        with pytest.raises(LeanRequestError, match="closed before"):
            await told
        with pytest.raises(LeanRequestError, match="is closed"):
            await loop.run_async(seven(0))

    asyncio.run(main())


MADE_UNDER_CTRL_C = """
import os, signal, threading, time
from lean_agent.lean.facade import LoopThread

signal.signal(signal.SIGINT, signal.default_int_handler)
async def nothing(): ...
interrupts = made = 0
def interrupt():
    for _ in range(40):
        time.sleep(0.005)
        os.kill(os.getpid(), signal.SIGINT)
    over.set()
over = threading.Event()
thread = threading.Thread(target=interrupt)
while True:
    try:
        if not thread.ident:
            thread.start()
        while not over.is_set():
            LoopThread("thread")
            made += 1
        break
    except KeyboardInterrupt:
        interrupts += 1
print(interrupts > 5 and made > 5)
"""


def test_ctrl_c_while_a_loop_is_made_leaves_no_half_of_one() -> None:
    done = subprocess.run([sys.executable, "-c", MADE_UNDER_CTRL_C], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr
    assert "Exception ignored" not in done.stderr
