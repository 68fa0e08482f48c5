"""Make the options of commands: by registries, of files, of settings classes; and check the inputs that they name."""

from __future__ import annotations

import inspect
import json
import math
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from copy import copy
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass, make_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer
from typer.models import ParameterInfo

from lean_agent.cli.program import server_maker
from lean_agent.errors import ConfigError, ConfigTypeError, nearest
from lean_agent.lean.native.walls import TRUST_VARIABLE
from lean_agent.registry import ALGORITHMS, SCORERS, Registry
from lean_agent.settings import Bound, read_yaml

if TYPE_CHECKING:
    from lean_agent.lean.server import LeanServer

_ROLE = re.compile(r":[a-z]+:`~?(?:[\w.]+\.)?(\w+)`")
"""What docstrings say to a reader of the documentation, who sees the last part as a link."""


def named(registry: Registry[Any], *flags: str, help: str, without: Sequence[str] = ()) -> Any:
    """Make the option, or without ``flags`` the argument, that takes a name of a registry: its help lists the names but
    those ``without``, and <Tab> completes them."""
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
    """Make the option that takes a finite number from ``least`` to ``most``, between ``above`` and ``below``; typer's
    own takes nan for any."""
    limits = {"at least": least, "above": above, "below": below, "at most": most}
    words = [f"{side} {limit:g}" for side, limit in limits.items() if math.isfinite(limit)]
    bound = Bound(" and ".join(words) or "finite", lambda value: least <= value <= most and above < value < below)
    return typer.Option(*flags, help=help, parser=_parser(float, bound, "no number"), metavar="NUMBER")


ALIASES = {
    "base_model": "model",
    "model_name": "model",
    "learning_rate": "lr",
    "num_train_epochs": "epochs",
    "algorithm_config": "algo_config",
    "algorithm_preset": "preset",
    "reward_type": "reward",
}
"""Names that settings have in Python and in files of lean-grpo, and the option of the same meaning."""


def _read_config(context: typer.Context, path: Path | None) -> None:
    """Take the values of a file for those of options that the command line does not give; refuse what is no option."""
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


ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config",
        callback=_read_config,
        is_eager=True,
        dir_okay=False,
        metavar="FILE.yaml",
        help="A file with values for the options below, such as `max_steps: 10`; the command line takes precedence.",
    ),
]


def given(context: typer.Context, name: str, *, in_file: bool = True) -> bool:
    """Return whether an option was given, on the command line or, where that counts, in the file of ``--config``."""
    source = context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", *(["DEFAULT_MAP"] if in_file else []))


T = TypeVar("T")
_BY_NAME = inspect.Parameter.KEYWORD_ONLY


@dataclass(frozen=True)
class OptionGroup:
    """How a settings class that is the type of a command's parameter becomes options, one for each of its fields.

    Attributes:
        title: of the panel that they have in the help text; by default that of all other options.
        prefix: of their names. Nothing is asked for by default then.
        build: makes the parameter's value from the options' values by field; by default the class.
    """

    title: str | None = None
    prefix: str = ""
    build: Callable[..., Any] | None = None


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command, so that a parameter that is a dataclass stands for an option of each of its fields.

    A field that is annotated with an option of its own has that one; others have the one of their name in
    :data:`OPTIONS`, or else one that is made of their type and of what the class's docstring says of them. A
    :class:`OptionGroup` in the annotation of the parameter says more.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: made for name, hint in hints.items() if (made := _group(hint)) is not None}
    parameters: list[inspect.Parameter] = []
    options: dict[str, dict[str, str]] = {}  # by parameter: field -> option
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in groups:
            settings, group = groups[parameter.name]
            parameters += _parameters(settings, group)
            options[parameter.name] = {field.name: group.prefix + field.name for field in fields(settings)}
        else:
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=_BY_NAME))

    def ungrouped(**values: Any) -> None:
        for name, names in options.items():
            settings, group = groups[name]
            build = group.build or settings
            values[name] = build(**{field: values.pop(option) for field, option in names.items()})
        command(**values)

    ungrouped.__name__, ungrouped.__doc__, ungrouped.__module__ = command.__name__, command.__doc__, command.__module__
    ungrouped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    ungrouped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return ungrouped


def completed_by(
    settings: type, *, without: Collection[str], names: Mapping[str, str] | None = None
) -> Callable[[type[T]], type[T]]:
    """Decorate a class of options, so that it has one for every setting of a class of another room.

    Settings that the options do not name become fields of their own type and default, and so options by themselves.

    Args:
        without: settings that are no options, or options of another name or class.
        names: settings whose options are called otherwise.
    """

    def complete(options: type[T]) -> type[T]:
        own = {field.name for field in fields(options)}  # type: ignore[arg-type]  # a dataclass
        hints = get_type_hints(settings, include_extras=True)
        missing = [
            (name, hints[field.name], copy(field))
            for field in fields(settings)
            if field.name not in without and (name := (names or {}).get(field.name, field.name)) not in own
        ]
        if not missing:
            return options
        lines = [f"    {name}: {described(settings, field.name)}" for name, _, field in missing]
        completed = make_dataclass(options.__name__, missing, bases=(options,), frozen=True, kw_only=True)
        completed.__doc__ = "\n".join([options.__doc__ or "", "", "Attributes:", *lines])
        return completed

    return complete


def _group(hint: Any) -> tuple[type, OptionGroup] | None:
    """Return a parameter's settings class and how it becomes options; ``None`` where it is an option itself."""
    settings, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    settings = next((kind for kind in get_args(settings) if is_dataclass(kind)), settings)  # of SETTINGS | None
    if not (is_dataclass(settings) and isinstance(settings, type)):
        return None
    return settings, next((note for note in notes if isinstance(note, OptionGroup)), OptionGroup())


def _parameters(settings: type, group: OptionGroup) -> list[inspect.Parameter]:
    hints = get_type_hints(settings, include_extras=True)
    parameters = []
    for field in fields(settings):
        name, default = group.prefix + field.name, field.default
        if default is MISSING and field.default_factory is not MISSING:
            default = field.default_factory()
        kind, option = _option(settings, field.name, name, hints[field.name])
        if group.prefix:
            kind, default = kind | None, None
        option = copy(option)
        option.rich_help_panel = group.title
        default = inspect.Parameter.empty if default is MISSING else default
        parameters.append(inspect.Parameter(name, _BY_NAME, default=default, annotation=Annotated[kind, option]))
    return parameters


def _option(settings: type, field: str, name: str, hint: Any) -> tuple[Any, Any]:
    """Return the type and the option of a field: its own, or that of its name, or one made of type, bound and docs."""
    bare = next((part for part in get_args(hint) if get_origin(part) is Annotated), hint)  # of Annotated[…] | None
    plain, *notes = get_args(bare) if get_origin(bare) is Annotated else (bare,)
    kind = plain if bare is hint else plain | None
    if any(get_origin(part) is tuple for part in (bare, *get_args(bare))):  # typer knows only lists of any length
        kind = list[str] | None
    own = next((note for note in notes if isinstance(note, ParameterInfo)), None)
    if own is not None or name in OPTIONS:
        return kind, own or OPTIONS[name]
    option = typer.Option(help=described(settings, field))
    for bound in notes:
        if isinstance(bound, Bound):
            option.parser, option.metavar = _parser(plain, bound), "NUMBER"
    return kind, option


def _parser(kind: type, bound: Bound, misread: str = "") -> Callable[[Any], Any]:
    """Make what reads a number of a kind within a bound; ``misread`` is what a text is that is no number at all."""

    def parsed(text: Any) -> Any:
        try:
            value = kind(text)
        except (ValueError, OverflowError) as error:
            raise typer.BadParameter(f"{text!r} is {misread or f'not {bound.words}'}.") from error
        if not (math.isfinite(value) and bound.allows(value)):
            raise typer.BadParameter(f"{text} is not {bound.words}.")
        return value

    return parsed


def described(settings: type, field: str) -> str:
    """Return what the docstring of a settings class, or of one that it derives from, says of a field, as a sentence."""
    for owner in settings.__mro__:
        if described := re.search(rf"^    {field}: (.+?)(?=^    \w|^\w|\Z)", inspect.getdoc(owner) or "", re.M | re.S):
            text = " ".join(_ROLE.sub(r"\1", described[1]).replace("``", "").split())
            return text[0].upper() + text[1:]
    return f"{field.replace('_', ' ').capitalize()}."


OPTIONS = {
    "expansions": typer.Option(min=1, help="States expanded for each theorem."),
    "lean_calls": typer.Option(min=1, help="Lean calls for each theorem: its start, every tactic, the verification."),
    "seconds": number(above=0, help="Seconds for each theorem; the first limit reached ends its search."),
    "tokens": typer.Option(min=1, help="Tokens that the model writes for each theorem; by default no limit."),
    "total_expansions": typer.Option(min=1, help="States expanded for all theorems together; by default no limit."),
    "total_lean_calls": typer.Option(
        min=1, help="Lean calls for all theorems together: starts, tactics, verifications; by default no limit."
    ),
    "total_seconds": number(above=0, help="Seconds for all theorems together; by default no limit."),
    "total_tokens": typer.Option(
        min=1, help="Tokens that the model writes for all theorems together; by default no limit."
    ),
}
"""Options of settings that classes of other rooms declare, with the limits and words that a user of a command needs."""

AlgorithmName = Annotated[
    str | None, named(ALGORITHMS, "--algorithm", "-a", help="The algorithm, see docs/algorithms.md; by default grpo:")
]
ScorerName = Annotated[
    str | None, named(SCORERS, "--reward", help="The scorer, see docs/REWARDS.md; by default verified:")
]
DatabasePath = Annotated[
    Path | None,
    typer.Option("--database", help="The SQLite database to use. By default your own, in the cache folder."),
]
Commit = Annotated[str | None, typer.Option(help="A commit hash, branch or tag; only with a single repository.")]
WhichLean = Annotated[
    str | None,
    typer.Option(
        metavar="embedded|native|PATH|URL",
        help="Which Lean to run; the address of `lean-agent serve`: the one there. By default that of LEAN_AGENT_LEAN, "
        "or else the embedded one.",
    ),
]


def _trust(chosen: bool) -> bool:
    """Note that repositories are trusted: for this process and those that it starts."""
    if chosen:
        os.environ[TRUST_VARIABLE] = "1"
    return chosen


TrustRepository = Annotated[
    bool,
    typer.Option(
        "--trust-repository",
        callback=_trust,
        help="Run a native Lean without walls around it: programs in the repository's files have your own rights.",
    ),
]
Premises = Annotated[
    int,
    typer.Option(min=0, help="Premises shown with each goal, 0 for none; `prove` shows as many."),
]
NeighboursInPrompt = Annotated[
    int,
    typer.Option(min=0, help="Tactics of similar goals shown with each goal, 0 for none; `prove` shows as many."),
]
PremisesAsTrained = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Premises beside each goal; by default as many as the model was trained with, or ten for closing tactics.",
    ),
]
RetrieverName = Annotated[
    str,
    typer.Option(
        "--retriever",
        metavar="bm25|learnt|FOLDER",
        help="What chooses the premises: bm25, learnt, or what `train --kind retrieval` has written.",
    ),
]
RetrieverAsTrained = Annotated[
    str | None,
    typer.Option(
        "--retriever",
        metavar="bm25|learnt|FOLDER",
        help="What chooses premises: bm25, learnt, or what `train --kind retrieval` wrote; by default as in training, "
        "and learnt for closing tactics.",
    ),
]
Workers = Annotated[int, typer.Option(min=1, help="Number of Lean processes, which take 0.6 to 1.5 GB of memory each.")]
ExecutorName = Annotated[
    Literal["local", "ray"], typer.Option(help="local: run Lean on this machine; ray: on every node of a Ray cluster.")
]
Repositories = Annotated[
    list[str], typer.Argument(metavar="PATH|URL…", help="Folders, or addresses that git can clone.", show_default=False)
]
Chosen = Annotated[
    list[str] | None, typer.Option("--repository", help="A name or address; may be repeated. By default all.")
]
SavedSearches = Annotated[
    list[Path],
    typer.Argument(metavar="FILE|FOLDER…", help="Searches that `prove --save-trees` has saved.", show_default=False),
]
RunsDir = Annotated[Path, typer.Option(help="Folder in which run folders are created.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON; docs/data.md has its keys.")]


@dataclass(frozen=True, kw_only=True)
class LeanOptions:
    """Which Lean runs, and where."""

    workers: Workers = 2
    executor: ExecutorName = "local"
    lean: WhichLean = None
    trust_repository: TrustRepository = False


@dataclass(frozen=True, kw_only=True)
class RunOptions(LeanOptions):
    """What an agent needs that keeps its run in a folder."""

    runs_dir: RunsDir = Path("runs")


@dataclass(frozen=True, kw_only=True)
class AgentOptions(RunOptions):
    """What an agent needs that works on traced repositories."""

    database: DatabasePath = None


def agent_settings(options: LeanOptions) -> dict[str, Any]:
    """Return the options by the names of an agent's arguments."""
    settings = asdict(options)
    del settings["trust_repository"]  # noted when it was read
    if maker := server_maker.get():
        settings["lean"] = maker(workers=options.workers, lean=options.lean)
    return settings


def lean_server(*, workers: int, lean: str | None = None, executor: str = "local") -> closing[LeanServer]:
    """Return a Lean server, or that of a program that embeds the commands, to be closed at the end."""
    from lean_agent.lean.cluster import lean_server as start

    return closing((server_maker.get() or partial(start, executor))(workers=workers, lean=lean))


def check_repositories(places: Sequence[str]) -> None:
    """Refuse a path at which there is nothing; addresses are for git to find."""
    from lean_agent.tracing.clones import check_address

    for place in places:
        check_address(place)


def check_one_commit(commit: str | None, places: Sequence[str]) -> None:
    """Refuse a commit of several repositories."""
    if commit is not None and len(places) > 1:
        raise ConfigError("--commit goes with a single repository; name the others in commands of their own.")


def check_models(names: Iterable[str], *, started: Path | None = None) -> None:
    """Refuse a model whose files are missing or broken. A training that was ``started`` in an output folder has its
    own checkpoint."""
    if started is not None and (started / "progress.json").is_file():
        return
    from lean_agent.policy.model_files import check_model_files

    for name in names:
        check_model_files(name)


def check_retriever_of(premises: int | None, retriever: str | None) -> None:
    """Refuse a retriever that is none, where premises are asked for; what was not given, the model's folder says.

    Raises:
        ConfigError, ModelNotFound: in words.
    """
    from lean_agent.policy.retrieval import check_retriever
    from lean_agent.policy.retrieval.retriever import BM25

    if retriever is None:
        return
    if premises:
        check_retriever(retriever)
    elif retriever != BM25:
        raise ConfigError(f"--retriever {retriever} chooses premises, and none are shown: give --premises, too.")


def check_files(*paths: str | Path | None) -> None:
    """Refuse a file to read that is not there."""
    for path in paths:
        if path is not None and not Path(path).expanduser().is_file():
            reason = "is a folder; name a file" if Path(path).is_dir() else "is not there"
            raise ConfigError(f"The file {path} {reason}. Paths are relative to the working directory.")
