"""Which versions are installed."""

from __future__ import annotations

from importlib import metadata


def installed_version(package: str = "lean-agent") -> str:
    """Return the version of a package, or a note that there is none: a source tree need not be installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a package"
