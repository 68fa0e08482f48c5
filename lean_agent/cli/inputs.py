"""Look at what a command is given, files, repositories and models, before any library that takes seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from lean_agent.errors import ConfigError


def check_repositories(places: Sequence[str]) -> None:
    """Refuse a path at which there is nothing; addresses are for git to find.

    Raises:
        RepositoryNotFound: in words.
    """
    from lean_agent.tracing.git.clones import check_address

    for place in places:
        check_address(place)


def check_models(names: Iterable[str], *, started: Path | None = None) -> None:
    """Refuse a model whose files are missing or broken.

    Args:
        started: an output folder; a training that was begun there goes on with its own checkpoint.

    Raises:
        ModelNotFound: in words.
    """
    if started is not None and (started / "progress.json").is_file():
        return
    from lean_agent.policy.model_files import check_model_files

    for name in names:
        check_model_files(name)


def check_files(*paths: str | Path | None) -> None:
    """Refuse a file to read that is not there.

    Raises:
        ConfigError: in words.
    """
    for path in paths:
        if path is not None and not Path(path).expanduser().is_file():
            reason = "is a folder; name a file" if Path(path).is_dir() else "is not there"
            raise ConfigError(f"The file {path} {reason}. Paths are relative to the working directory.")
