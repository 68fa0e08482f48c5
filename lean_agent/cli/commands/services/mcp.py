"""``lean-agent mcp``: Lean for one coding agent, over the standard streams (:mod:`lean_agent.service.mcp`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from lean_agent.cli.commands.services.serve import NAMES, settings_of
from lean_agent.cli.options import DatabasePath, LeanOptions, Workers, completed_by, grouped, lean_server
from lean_agent.errors import MissingExtra
from lean_agent.extras import install
from lean_agent.service.settings import ServiceSettings

_OF_HTTP = (
    *("host", "port", "token", "max_body_mb", "body_timeout_s", "stop_timeout_s", "max_states", "max_requests"),
    "runs_dir",
)


@completed_by(ServiceSettings, without=["roots", *_OF_HTTP], names=NAMES)
@dataclass(frozen=True, kw_only=True)
class McpOptions(LeanOptions):
    """What an agent's server is started with."""

    workers: Workers = 1
    database: DatabasePath = None
    root: Annotated[
        list[Path] | None,
        typer.Option(exists=True, file_okay=False, help="A folder whose Lean files agents may name; may be repeated."),
    ] = None
    project: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="A Lean project whose modules all code may import."),
    ] = None


@grouped
def mcp(*, options: McpOptions) -> None:
    """Serve Lean to a coding agent: the Model Context Protocol on standard input and output.

    Over HTTP, for many agents, it is part of `lean-agent serve`, at /mcp.

    Example: lean-agent mcp --root .
    """
    settings = settings_of(asdict(options))
    try:
        from lean_agent.service.mcp.server import run_stdio
    except ImportError as error:
        raise MissingExtra(f"mcp needs its extra: {install('mcp')} ({error}).") from error
    with lean_server(workers=options.workers, executor=options.executor, lean=options.lean) as server:
        run_stdio(server, settings)
