"""Make a program of commands: the options that all of them have, and how they end.

A command that cannot go on ends with one clear sentence and an exit code, never a traceback, unless ``--debug`` or
``LEAN_AGENT_DEBUG=1`` asks for it.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from lean_agent.cli.interrupts import INTERRUPTED, was_interrupted
from lean_agent.errors import LeanAgentError, next_step
from lean_agent.extras import missing
from lean_agent.progress import QUIET_VARIABLE
from lean_agent.wording import RESUMED, installed_version

if TYPE_CHECKING:
    from lean_agent.lean.server import LeanServer

FAILED = 1
PARTIAL = 3
"""Of ``trace``: a file, a theorem or a package was left out."""
NOTHING_TRACED = 4
"""Of ``trace``: something was left out, and there is no theorem."""
DEBUG_VARIABLE = "LEAN_AGENT_DEBUG"
RESUME = " What was finished is kept; run the same command again to go on."
KEPT = {
    **dict.fromkeys(RESUMED, RESUME),
    "prove": " The proofs that were found are in the run folder and the database; the same command searches anew.",
    "evaluate": " What was attempted is in the run folder, and --output with that folder goes on from there.",
}
"""What is left of a command that was interrupted; of the others there is nothing to be said."""

server_maker: ContextVar[Callable[..., LeanServer] | None] = ContextVar("server_maker", default=None)
"""What makes Lean servers, called with ``workers`` and ``lean``, for a program that embeds the commands: it gives it as
``obj``, as click names what a program hands to its commands."""

OF_ALL_COMMANDS = ("--debug", "--quiet")
_REFUSED = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
_WRONG_PLACE = {
    errno.ENOTDIR: "it lies below a file; name a folder that there is, or a new one",
    errno.EISDIR: "it is a folder; name a file",
    errno.EEXIST: "it is a file, and a folder is needed there; choose another place",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}


def _set_debug(wanted: bool) -> None:
    """Show tracebacks, in processes that are started too."""
    if wanted:
        os.environ[DEBUG_VARIABLE] = "1"


def _set_quiet(wanted: bool) -> None:
    """Show results and errors alone, in processes that are started too."""
    if wanted:
        os.environ[QUIET_VARIABLE] = "1"
    if logging.lastResort is not None:  # prints the records that no handler takes
        logging.lastResort.setLevel(logging.ERROR if wanted else logging.WARNING)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lean-agent {installed_version()}")
        raise typer.Exit


Debug = Annotated[bool, typer.Option("--debug", callback=_set_debug, help="Show tracebacks of errors.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", callback=_set_quiet, help="Show only results and errors: no progress, no warnings.")
]
Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
]


def new_program(*, help: str, epilog: str) -> typer.Typer:
    """Make a program without commands; ``help`` is what it is for, ``epilog`` where to start."""
    style: dict[str, Any] = {"no_args_is_help": True, "pretty_exceptions_enable": False, "rich_markup_mode": "rich"}
    program = typer.Typer(cls=Commands, help=help, epilog=epilog, **style)

    @program.callback()
    def main(debug: Debug = False, quiet: Quiet = False, version: Version = False) -> None:
        """Take the options of all commands; they may stand after the command, too."""
        # Lean's processes share the cores. A thread of torch that spins while it waits for one that Lean has displaced
        # makes everything tens of times slower; read when torch is loaded, so it is set before.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

    return program


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
        server_maker.set(ctx.obj)
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
    if isinstance(error, ImportError):
        return missing(error)
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
