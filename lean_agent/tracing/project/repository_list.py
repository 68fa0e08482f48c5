"""A list of repositories in a YAML file: what to trace, at which commit, under which licence."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from lean_agent.errors import ConfigError
from lean_agent.tracing.project.repository import is_remote

KEYS = ("url", "commit", "licence")
EXAMPLE = "- url: https://github.com/durant42040/lean4-example"


@dataclass(frozen=True, slots=True)
class RepositoryEntry:
    """One line of the list.

    Attributes:
        url: what git clones, or a folder; a relative path counts from the folder of the list.
        commit: a hash, branch or tag; ``None`` is the default branch, or the folder as it lies there.
        licence: an SPDX identifier such as ``Apache-2.0``, where the repository itself does not say.
    """

    url: str
    commit: str | None = None
    licence: str | None = None


def read_repository_list(path: Path) -> tuple[RepositoryEntry, ...]:
    """Read the entries of a list.

    Such as::

        - url: https://github.com/durant42040/lean4-example
          commit: b14fef0
          licence: Apache-2.0
        - url: ../a-folder

    Raises:
        ConfigError: the file is no such list; the message names the line's place and, for a key that nobody knows, the
            nearest one.
    """
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path} could not be read ({error.strerror}); name a YAML file of repositories.") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, list) or not content:
        raise ConfigError(f"{path} has to be a list of repositories, each such as `{EXAMPLE}`.")
    entries = tuple(_entry(item, f"{path}, entry {n}", path.parent) for n, item in enumerate(content, start=1))
    for n, entry in enumerate(entries):
        if (entry.url, entry.commit) in {(other.url, other.commit) for other in entries[:n]}:
            raise ConfigError(f"{path}, entry {n + 1}: {entry.url} is listed twice at the same commit.")
    return entries


def _entry(item: Any, place: str, folder: Path) -> RepositoryEntry:
    if not isinstance(item, dict):
        raise ConfigError(f"{place} has to be a repository such as `{EXAMPLE}`, not {item!r}.")
    for key, value in item.items():
        if key not in KEYS:
            near = get_close_matches(str(key), KEYS, n=1)
            hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(KEYS)}."
            raise ConfigError(f"{place}: {key!r} is no key of a repository; {hint}")
        if value is not None and not isinstance(value, str):  # `commit: 1234567` is a number in YAML
            raise ConfigError(f"{place}: {key} has to be text; write it in quotes: {key}: '{value}'.")
    if not item.get("url"):
        raise ConfigError(f"{place} has no url.")
    url = item["url"] if is_remote(item["url"]) else str(folder / Path(item["url"]).expanduser())
    return RepositoryEntry(url, item.get("commit"), item.get("licence"))
