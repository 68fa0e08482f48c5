"""``lean-agent serve``: Lean for programs that speak HTTP (:mod:`lean_agent.service`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lean_agent.cli.options import DatabasePath, LeanOptions, completed_by, grouped, lean_server
from lean_agent.errors import MissingExtra
from lean_agent.extras import install
from lean_agent.lean.remote import TOKEN_VARIABLE
from lean_agent.service.settings import ServiceSettings

NAMES = {name: name.removesuffix("_s") for name in ("max_timeout_s", "body_timeout_s", "stop_timeout_s")}

Token = Annotated[
    str | None,
    typer.Option(
        envvar=TOKEN_VARIABLE, help="What clients have to send, as `Authorization: Bearer …`.", show_default=False
    ),
]


@completed_by(ServiceSettings, without=["roots"], names=NAMES)
@dataclass(frozen=True, kw_only=True)
class ServeOptions(LeanOptions):
    """What a service is started with."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8000
    token: Token = None
    database: DatabasePath = None
    runs_dir: Annotated[Path, typer.Option(help="Folder of the run folders that the pages show.")] = Path("runs")
    root: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True, file_okay=False, help="A folder whose Lean projects clients may name; may be repeated."
        ),
    ] = None
    project: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="A Lean project whose modules and packages all texts may import."
        ),
    ] = None


@grouped
def serve(*, options: ServeOptions) -> None:
    """Serve Lean over HTTP: Kimina's API, and this package's own for checks, proofs, goals, searches and traces.

    Example: lean-agent serve --workers 4

    For other machines: LEAN_AGENT_TOKEN=secret lean-agent serve --host 0.0.0.0
    """
    settings = settings_of(asdict(options))
    try:
        from lean_agent.service.run import serve as run
    except ImportError as error:
        raise MissingExtra(f"serve needs its extra: {install('serve')} ({error}).") from error
    with lean_server(workers=options.workers, executor=options.executor, lean=options.lean) as server:
        run(server, settings, ready=lambda address: print(f"Lean {server.version} at {address}", flush=True))


def settings_of(given: dict[str, Any]) -> ServiceSettings:
    """Return the settings of a service from the values of a command's options."""
    for of_lean in ("workers", "executor", "lean", "trust_repository"):
        del given[of_lean]
    roots = tuple(folder.resolve() for folder in given.pop("root", None) or ())
    full_names = {option: name for name, option in NAMES.items()}
    return ServiceSettings(roots=roots, **{full_names.get(name, name): value for name, value in given.items()})
