"""Which versions are installed."""

from __future__ import annotations

from importlib import metadata


def installed_version(package: str = "lean-agent") -> str:
    """The version of a package, or that there is none: a source tree may be on the path without being installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed as a package"
