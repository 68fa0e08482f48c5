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

from lean_agent.errors import LeanAgentError

FAILED = 1
INTERRUPTED = 130
DEBUG_VARIABLE = "LEAN_AGENT_DEBUG"
RESUME = "What was finished is kept; run the same command again to go on."


class Commands(TyperGroup):
    """A group of commands that ends every expected error in words. A command's name may have two words."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        if " ".join(args[:2]) in self.commands:
            args = [" ".join(args[:2]), *args[2:]]
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            _end(f"Interrupted. {RESUME}", INTERRUPTED, error)
        except LeanAgentError as error:
            _end(f"Error: {error}", FAILED, error)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
                raise
            place = f" ({error.filename})" if error.filename else ""
            _end(
                f"Error: {error.strerror}{place}. Make room or choose another place, then run it again.", FAILED, error
            )


def _end(sentence: str, code: int, error: BaseException) -> None:
    if os.environ.get(DEBUG_VARIABLE):
        traceback.print_exception(error)
    print(sentence, file=sys.stderr, flush=True)
    raise typer.Exit(code)
