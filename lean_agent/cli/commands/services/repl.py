"""``lean-agent repl``: the line protocol of leanprover-community/repl (:mod:`lean_agent.service.repl`)."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from lean_agent.cli.options import TrustRepository, WhichLean, number


def repl(
    project: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="A traced Lean project whose modules commands may import."),
    ] = None,
    lean: WhichLean = None,
    trust_repository: TrustRepository = False,
    timeout: Annotated[float, number(above=0, help="Seconds for a command that has no `timeout` of its own.")] = 600.0,
) -> None:
    """Speak the line protocol of leanprover-community/repl on standard input and output.

    Example: lean-agent repl < commands.in
    """
    del trust_repository  # noted when it was read
    from lean_agent.lean.pool import LeanPool
    from lean_agent.service.repl import Repl, serve_lines
    from lean_agent.tracing import lean_project, local_repository

    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]  # text streams both
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    imported = lean_project(local_repository(str(project))) if project else None
    try:
        with LeanPool(1, lean=lean) as pool:
            serve_lines(Repl(pool, project=imported, timeout_s=timeout), iter(sys.stdin.readline, ""), sys.stdout)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the client is gone: nobody to tell
