r"""What a lakefile says of a project's sources: the folders that they lie in, and the options that they are elaborated
with.

Owns the reading of ``lakefile.toml`` and ``lakefile.lean``. Of the latter some settings are read as they are written,
and nothing of it is run. Lake takes ``lakefile.lean`` where there are both.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from lean_agent.errors import NotALeanProject
from lean_agent.lean.types import LeanOptions, OptionValues
from lean_agent.tracing.project.sources import LEAN_LAKEFILE, TOML_LAKEFILE, is_own_file

_COMMENT = re.compile(r'(?P<string>"(?:\\.|[^"\\])*")|/-.*?-/|--[^\n]*', re.DOTALL)
_SOURCE_SETTING = re.compile(r'\bsrcDir\s*:=\s*"([^"\n]+)"')
_OPTION = re.compile(r'⟨\s*`([^\s,⟩]+)\s*,\s*(?:\.of(?:Nat|Bool|String)\s+)?(true\b|false\b|\d+|"[^"\n]*")\s*⟩')
_LEAN_OPTIONS = re.compile(r"\bleanOptions\s*:=")
_LEAN_ARGUMENTS = re.compile(r"\b(?:more|weak)LeanArgs\s*:=")
_ARGUMENT = re.compile(r"(?:^|\s)-D\s*([^\s=]+)=(\S*)")
_QUOTED = re.compile(r'"([^"\n]*)"')


@dataclass(frozen=True, slots=True)
class Lakefile:
    """What is read of a lakefile.

    Attributes:
        sources: the folders that module names are resolved against, relative to the top of the repository: each
            ``srcDir``, and last the lakefile's own.
        options: ``leanOptions``, and the options among ``moreLeanArgs`` and ``weakLeanArgs``.
    """

    sources: tuple[str, ...]
    options: LeanOptions

    @classmethod
    def of(cls, root: Path, folder: str = "") -> Lakefile:
        """Read the lakefile of a folder below ``root``; without one the folder itself has the sources.

        Raises:
            NotALeanProject: ``lakefile.toml`` cannot be read.
        """
        resolved_root = root.resolve()
        for name, read in ((LEAN_LAKEFILE, _read_lean), (TOML_LAKEFILE, _read_toml)):
            if is_own_file(path := root / folder / name, resolved_root):
                folders, options = read(path)
                return cls(_sources(root / folder, folder, folders), options)
        return cls((_below(folder),), LeanOptions())


def _sources(top: Path, folder: str, named: Sequence[str]) -> tuple[str, ...]:
    resolved_top = top.resolve()
    inside = [path for path in dict.fromkeys(named) if (top / path).is_dir()]
    inside = [path for path in inside if (top / path).resolve().is_relative_to(resolved_top)]
    own = _below(folder)
    return (*(path for path in dict.fromkeys(_below(folder, path) for path in inside) if path != own), own)


def _below(folder: str, path: str = "") -> str:
    return PurePosixPath(os.path.normpath(PurePosixPath(folder, path))).as_posix()


# -- TOML


def _read_toml(path: Path) -> tuple[Sequence[str], LeanOptions]:
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise NotALeanProject(f"{path} is no valid TOML ({error}); mend it, or trace a copy without it") from error
    try:
        package = str(config.get("srcDir", "."))
        targets = [*config.get("lean_lib", []), *config.get("lean_exe", [])]
        folders = (package, *(str(PurePosixPath(package, str(target.get("srcDir", ".")))) for target in targets))
        shared = _values_in_toml(config)
        libraries = [(root, _values_in_toml(target)) for target in targets for root in _roots(target)]
    except (AttributeError, TypeError) as error:
        raise NotALeanProject(
            f"{path} is no lakefile: lean_lib and lean_exe have to be lists of tables, leanOptions a table, and "
            "moreLeanArgs a list of texts"
        ) from error
    has_own = any(values for _, values in libraries)
    return folders, LeanOptions(shared, tuple(libraries) if has_own else ())


def _roots(target: Mapping[str, Any]) -> list[str]:
    """Return the modules that a library or program is made of, each with those below it."""
    named = target.get("roots") or [target.get("root") or target.get("name", "")]
    return [str(module).rstrip("*+").rstrip(".") for module in [*named, *_listed(target.get("globs", []))]]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _values_in_toml(table: Mapping[str, Any]) -> OptionValues:
    """Return the options of a package or of one of its targets; those of its arguments come last."""
    options = table.get("leanOptions", {})
    if isinstance(options, list):  # [{name = "autoImplicit", value = false}]
        options = {str(option["name"]): option["value"] for option in options if "name" in option and "value" in option}
    arguments = [*table.get("moreLeanArgs", []), *table.get("weakLeanArgs", [])]
    return (*_flat(options), *_values_of_arguments([str(argument) for argument in arguments]))


def _flat(options: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield options by their whole names: ``pp.unicode.fun = true`` is a table of tables to TOML."""
    for name, value in options.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, str(value).lower() if isinstance(value, bool) else str(value)


def _values_of_arguments(arguments: Sequence[str]) -> OptionValues:
    """Return the options among Lean's arguments: ``-DmaxRecDepth=6000``, in one or in two."""
    return tuple(_ARGUMENT.findall(" ".join(arguments)))


# -- Lean


def _read_lean(path: Path) -> tuple[Sequence[str], LeanOptions]:
    """Return what is written in a ``lakefile.lean``. The first ``srcDir`` may be the package's, against which the
    others count; options are taken for the whole package, wherever they stand."""
    written = path.read_text(encoding="utf-8", errors="replace")
    text = _COMMENT.sub(lambda match: match["string"] or " ", written)
    folders = _SOURCE_SETTING.findall(text)
    options: list[tuple[str, str]] = []
    if _LEAN_OPTIONS.search(text):  # otherwise they are those of an editor
        options += [(name.replace("«", "").replace("»", ""), value.strip('"')) for name, value in _OPTION.findall(text)]
    if _LEAN_ARGUMENTS.search(text):
        options += _values_of_arguments(_QUOTED.findall(text))
    others = (str(PurePosixPath(folders[0], other)) for other in folders[1:])
    return [*folders, *others], LeanOptions(tuple(options))
