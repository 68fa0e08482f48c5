"""What a user sees when a command cannot go on: one clear sentence and an exit code, never a traceback.

``--debug`` or ``LEAN_AGENT_DEBUG=1`` shows the traceback after all.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from typing import Any

import typer
from typer.core import TyperGroup

from lean_agent.cli.interrupts import INTERRUPTED, was_interrupted
from lean_agent.errors import LeanAgentError, next_step

FAILED = 1
PARTIAL = 3
"""Of ``trace``: a file, a theorem or a package was left out."""
NOTHING_TRACED = 4
"""Of ``trace``: something was left out, and there is no theorem."""
DEBUG_VARIABLE = "LEAN_AGENT_DEBUG"
RESUME = " What was finished is kept; run the same command again to go on."
KEPT = {
    **dict.fromkeys(("demo", "trace", "train", "offline-grpo"), RESUME),
    "prove": " The proofs that were found are in the run folder and the database; the same command searches anew.",
    "evaluate": " What was attempted is in the run folder, and --output with that folder goes on from there.",
}
"""What is left of a command that was interrupted; of the others there is nothing to be said."""

OF_ALL_COMMANDS = ("--debug", "--quiet")
_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
_WRONG_PLACE = {
    errno.ENOTDIR: "it lies below a file; name a folder that there is, or a new one",
    errno.EISDIR: "it is a folder; name a file",
    errno.EEXIST: "it is a file, and a folder is needed there; choose another place",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}


class Commands(TyperGroup):
    """A group of commands that ends every expected error in words. A command's name may have two words, and the options
    of all commands may stand after it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        end = args.index("--") if "--" in args else len(args)  # what comes after is another program's
        of_all = [word for word in args[:end] if ctx.parent is None and word in OF_ALL_COMMANDS]
        return super().parse_args(ctx, [*of_all, *(word for word in args[:end] if word not in of_all), *args[end:]])

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if " ".join(args[:2]) in self.commands:
            args = [" ".join(args[:2]), *args[2:]]
        return super().resolve_command(ctx, args)

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        try:
            return super().make_context(*arguments, **options)
        except (KeyboardInterrupt, Exception) as error:
            if _is_interrupt(error):
                _end("Interrupted.", INTERRUPTED, error)  # while the arguments are read: nothing has begun
            raise

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, Exception) as error:
            if _is_interrupt(error):
                _end(f"Interrupted.{KEPT.get(ctx.invoked_subcommand, '')}", INTERRUPTED, error)
            if sentence := _expected(error):
                _end(f"Error: {sentence}", FAILED, error)
            raise


def _is_interrupt(error: BaseException) -> bool:
    return isinstance(error, KeyboardInterrupt) or (was_interrupted() and not isinstance(error, typer.Exit))


def _expected(error: BaseException) -> str | None:
    """Return what to say of an error that users may meet; ``None`` for one that is a defect of ours."""
    if isinstance(error, LeanAgentError):
        return str(error)
    if isinstance(error, OSError):
        place = error.filename2 or error.filename  # of what is renamed, the place where it was to go
        if error.errno in _REFUSED:
            named = f" ({place})" if place else ""
            return f"{error.strerror}{named}; {next_step(error)}, then run it again."
        if place and error.errno in _WRONG_PLACE:
            return f"{place}: {_WRONG_PLACE[error.errno]}."
    return None


def _end(sentence: str, code: int, error: BaseException) -> None:
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    print(sentence, file=sys.stderr, flush=True)
    raise typer.Exit(code)
