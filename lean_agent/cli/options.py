"""Options that several commands have, and how options are made: by registries, of files, in groups."""

from __future__ import annotations

import inspect
import json
import math
import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_type_hints

import typer

from lean_agent.cli.program import DEBUG_VARIABLE
from lean_agent.errors import ConfigTypeError, nearest
from lean_agent.progress import QUIET_VARIABLE
from lean_agent.registry import ALGORITHMS, SCORERS, Registry
from lean_agent.settings import read_yaml
from lean_agent.version import installed_version


def _setting(variable: str) -> Callable[[bool], None]:
    """Make the callback of a flag that sets a variable of the environment, for processes that are started too."""

    def set_variable(wanted: bool) -> None:
        if wanted:
            os.environ[variable] = "1"

    return set_variable


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lean-agent {installed_version()}")
        raise typer.Exit


def named(registry: Registry[Any], *flags: str, help: str, without: Sequence[str] = ()) -> Any:
    """Make the option that takes a name of a registry: its help lists the names, and <Tab> completes them.

    Args:
        flags: none for an argument.
        without: names that mean something in Python alone.
    """
    names = [name for name in registry if name not in without]

    def completed(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    words = f"{help} {', '.join(names)}; your own: module:Name."
    if not flags:
        return typer.Argument(help=words, autocompletion=completed, show_default=False)
    return typer.Option(*flags, help=words, metavar="NAME", autocompletion=completed)


def number(
    *flags: str,
    help: str,
    least: float = -math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
) -> Any:
    """Make the option that takes a finite number within limits; typer's own takes nan for any.

    Args:
        least, most: the limits that are taken themselves; ``above`` and ``below`` are not.
    """
    limits = [
        words
        for limit, words in (
            (least, f"at least {least:g}"),
            (above, f"above {above:g}"),
            (below, f"below {below:g}"),
            (most, f"at most {most:g}"),
        )
        if math.isfinite(limit)
    ]

    def parsed(text: str | float) -> float:
        try:
            value = float(text)
        except ValueError as error:
            raise typer.BadParameter(f"{text!r} is no number.") from error
        if not (math.isfinite(value) and least <= value <= most and above < value < below):
            raise typer.BadParameter(f"{text} is not {' and '.join(limits) or 'finite'}.")
        return value

    return typer.Option(*flags, help=help, parser=parsed, metavar="NUMBER")


ALIASES = {
    "base_model": "model",
    "model_name": "model",
    "learning_rate": "lr",
    "algorithm_config": "algo_config",
    "algorithm_preset": "preset",
    "reward_type": "reward",
}
"""Names that settings have in Python and in files of lean-grpo, and the option of the same meaning."""


def _read_config(context: typer.Context, path: Path | None) -> None:
    """Take the values of a file for those of options that the command line does not give.

    Raises:
        ConfigError: no such file, or it does not read.
        ConfigTypeError: it sets what is no option of the command (the nearest is said).
    """
    if path is None:
        return
    known: dict[str, str] = {}
    for parameter in context.command.params:
        if not {"--config", "--help"}.intersection(parameter.opts):
            flags = [flag for flag in parameter.opts if flag.startswith("--")] or [str(parameter.name)]
            known |= {flag.removeprefix("--").replace("-", "_"): str(parameter.name) for flag in flags}
    known |= {name: known[option] for name, option in ALIASES.items() if option in known and name not in known}
    values: dict[str, Any] = {}
    for name, value in read_yaml(path).items():
        key = name.replace("-", "_")
        if key not in known:
            raise ConfigTypeError(f"There is no setting {name!r} in {path}. {nearest(key, list(known))}")
        if value is not None:
            values[known[key]] = json.dumps(value) if isinstance(value, dict) else value
    context.default_map = {**(context.default_map or {}), **values}


Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        callback=_read_config,
        is_eager=True,
        dir_okay=False,
        metavar="FILE.yaml",
        help="Values of the options below, as `max_steps: 10`; the command line comes before them.",
    ),
]


def given(context: typer.Context, name: str, *, in_file: bool = True) -> bool:
    """Return whether an option was given, on the command line or, where that counts, in the file of ``--config``."""
    source = context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", *(["DEFAULT_MAP"] if in_file else []))


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command, so that a parameter that is a dataclass stands for an option of each of its fields."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    own: dict[str, list[str]] = {name: [field.name for field in fields(group)] for name, group in groups.items()}

    def ungrouped(**values: Any) -> None:
        built = {name: groups[name](**{field: values.pop(field) for field in own[name]}) for name in groups}
        command(**values, **built)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            parameters += _parameters(groups[parameter.name])
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=inspect.Parameter.KEYWORD_ONLY))
    ungrouped.__name__, ungrouped.__doc__, ungrouped.__module__ = command.__name__, command.__doc__, command.__module__
    ungrouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    ungrouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return ungrouped


def _parameters(group: type) -> list[inspect.Parameter]:
    """A parameter for each field; in a help text they stand together under the first line of the class's docstring."""
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=_in_panel(hints[field.name], (group.__doc__ or "").partition(".")[0]),
        )
        for field in fields(group)
    ]


def _in_panel(hint: Any, title: str) -> Any:
    kind, option = get_args(hint)
    option = copy(option)
    option.rich_help_panel = title
    return Annotated[kind, option]


Algorithm = Annotated[
    str | None, named(ALGORITHMS, "--algorithm", "-a", help="The algorithm, see docs/algorithms.md; by default grpo:")
]
Reward = Annotated[str | None, named(SCORERS, "--reward", help="The scorer, see docs/REWARDS.md; by default verified:")]
Database = Annotated[
    Path | None,
    typer.Option("--database", help="The SQLite file to work on. By default the user's own, in the cache folder."),
]
Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Say which version this is, and end.")
]
Debug = Annotated[bool, typer.Option("--debug", callback=_setting(DEBUG_VARIABLE), help="Show tracebacks of errors.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", callback=_setting(QUIET_VARIABLE), help="Show results and errors alone, no progress."),
]
Commit = Annotated[str | None, typer.Option(help="A hash, branch or tag; only with a single address.")]
Lean = Annotated[
    str | None,
    typer.Option(metavar="embedded|native|PATH", help="Which Lean. By default LEAN_AGENT_LEAN, or the embedded one."),
]
Premises = Annotated[
    int, typer.Option(min=0, help="Premises shown with each goal, 0 for none; the same in training and proving.")
]
Workers = Annotated[int, typer.Option(min=1, help="Lean processes, 0.6 to 1.5 GB of memory each.")]
Executor = Annotated[
    Literal["local", "ray"], typer.Option(help="Where Lean runs: here, or on every node of a Ray cluster.")
]
