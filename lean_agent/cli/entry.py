"""Run `lean-agent` and `lean-grpo` from their first moment on: Ctrl-C ends them in one line at any time.

While the program itself is imported, it ends at once. Afterwards Ctrl-C raises KeyboardInterrupt as Python does, but
never in the middle of an import, as commands import torch and transformers when they need them: libraries catch an
exception there, or stay half loaded and fail later for reasons that nobody understands. Compiled libraries (pydantic's
for one) make an error of their own of it, so whatever error ends a command after Ctrl-C counts as the interrupt.

Importing this module sets the handler of the first moments, so nothing but the programs imports it. Until then there is
no more than Python's own start and two modules without imports. A program that was started with Ctrl-C ignored
(`nohup`, a background job) goes on ignoring it.
"""

# `signal` itself takes milliseconds, for its enumerations; this is the part of it that is built into Python.
import _signal  # type: ignore[import-not-found]  # typeshed leaves it out
import os
import sys


def _leave(signal_number: int, frame: object) -> None:
    """End at once, without a word to anything that runs: processes of Lean end with this one."""
    os.write(2, b"Interrupted.\n")
    os._exit(128 + _signal.SIGINT)  # INTERRUPTED, which the first moments have not imported


# A child of multiprocessing imports the program's file once more, as a module of this name, and is no program.
_main = sys.modules["__main__"]
if sys.modules.get("__mp_main__", _main) is _main and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _leave)  # an exception in the middle of an import may end anywhere

import signal  # noqa: E402
from importlib import import_module  # noqa: E402
from types import FrameType  # noqa: E402

from lean_agent.cli.interrupts import note_interrupt  # noqa: E402

ASK_AGAIN_S = 0.02


def agent() -> None:
    """Run `lean-agent`."""
    _run("lean_agent.cli.main")


def grpo() -> None:
    """Run `lean-grpo`."""
    _run("lean_agent.cli.grpo")


def _run(module: str) -> None:
    app = import_module(module).app
    if signal.getsignal(signal.SIGINT) is not _leave:
        return app()  # type: ignore[no-any-return]
    try:
        # asyncio.run takes Ctrl-C over from Python's own handler alone.
        signal.default_int_handler = _interrupt  # type: ignore[assignment]
        signal.signal(signal.SIGINT, _interrupt)
        signal.signal(signal.SIGALRM, _interrupt)
        app()
    except KeyboardInterrupt:
        _leave(signal.SIGINT, None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter ends, and nothing is left to be said


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt as soon as no import is under way; a second Ctrl-C in one ends the program at once."""
    note_interrupt()
    if not _is_importing(frame):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt
    if signal_number == signal.SIGINT and signal.getitimer(signal.ITIMER_REAL)[0]:
        _leave(signal.SIGINT, None)
    signal.setitimer(signal.ITIMER_REAL, ASK_AGAIN_S)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
