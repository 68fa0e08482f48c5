"""Run `lean-agent` and `lean-grpo` from their first moment on: Ctrl-C ends them in one line at any time.

Imports next to nothing itself. A program that was started with Ctrl-C ignored (`nohup`, a background job) goes on
ignoring it.
"""

import os

INTERRUPTED = 130

try:
    import signal
    from importlib import import_module
except KeyboardInterrupt:
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


def agent() -> None:
    """Run `lean-agent`."""
    _run("lean_agent.cli.main")


def grpo() -> None:
    """Run `lean-grpo`."""
    _run("lean_agent.cli.grpo")


def _run(module: str) -> None:
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not heard:
        return import_module(module).app()  # type: ignore[no-any-return]
    signal.signal(signal.SIGINT, _leave)  # an exception in the middle of an import may end anywhere
    app = import_module(module).app
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        app()
    except KeyboardInterrupt:
        _leave()
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the interpreter ends, and nothing is left to be said


def _leave(*_: object) -> None:
    """End at once; nothing has been started yet."""
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)
