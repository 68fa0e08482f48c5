"""``lean-agent pantograph-repl``: embedded Lean for programs that speak Pantograph's line protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from lean_agent.errors import ConfigError


def repl(arguments: Sequence[str]) -> None:
    """Serve standard input and output. Arguments are modules, and Lean's options as ``--name=value``.

    Raises:
        ConfigError: an argument is neither.
        LeanError: Lean does not come up, or a module is not there.
    """
    from lean_agent.lean.pantograph.repl import serve

    options = [a.removeprefix("--") for a in arguments if a.startswith("--")]
    if broken := [option for option in options if "=" not in option]:
        raise ConfigError(f"--{broken[0]} is no option of Lean's: they are given as --name=value, as --pp.all=true.")
    modules = [a for a in arguments if not a.startswith("--")]
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]  # text streams both
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        serve(modules, options, iter(sys.stdin.readline, ""), sys.stdout)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the client is gone: nobody to tell
