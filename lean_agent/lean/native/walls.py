"""The walls around a native Lean, and Lake: bubblewrap, where the machine has it and lets it make namespaces, or else
Landlock, where the kernel has it.

Inside there is none of the user's variables, and of the disk only what is named: the system's libraries, the
toolchain, our compiled code, the folders with a project's compiled modules and what ``LEAN_AGENT_READABLE`` names, all
read-only; and a temporary folder, which goes with the process. Within bubblewrap there is no network and no other
process either; Landlock leaves more open, and :func:`confinement` says what.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_agent.lean.native.bubblewrap import why_no_bubblewrap, within_bubblewrap
from lean_agent.lean.native.landlock import LEFT_OPEN, landlock_version, network_left_open, within_landlock

TRUST_VARIABLE = "LEAN_AGENT_TRUST_REPOSITORY"
READABLE_VARIABLE = "LEAN_AGENT_READABLE"
_SYSTEM = tuple(
    map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store", "/etc/ld.so.cache"))
)


@dataclass(frozen=True, slots=True)
class Confinement:
    """What keeps a native Lean from the rest of the machine.

    Attributes:
        name: ``bubblewrap``, ``Landlock``, or empty for nothing.
        lacks: what it leaves open and why there is no better one; empty within bubblewrap.
    """

    name: str
    lacks: str = ""

    def of(self, what: str) -> str:
        """Return in words what it does for ``what``."""
        if not self.name:
            return f"nothing confines {what}: {self.lacks}"
        return f"{self.name} confines {what}{', but ' if self.lacks else ''}{self.lacks}"


def is_trusted() -> bool:
    """Check whether the user has said that the repositories are trusted, and wants no walls."""
    return os.environ.get(TRUST_VARIABLE, "") not in ("", "0")


def confinement() -> Confinement:
    """Return the walls that a native Lean has here: the best that the machine has, or none where nobody wants them."""
    return Confinement("", f"{TRUST_VARIABLE} is set") if is_trusted() else _best(os.environ.get("PATH", os.defpath))


def _best(path: str) -> Confinement:
    missing = why_no_bubblewrap(path, _SYSTEM)
    if not missing:
        return Confinement("bubblewrap")
    version, why = landlock_version()
    if not version:
        return Confinement("", f"{missing}; nor is there Landlock ({why})")
    left = ", ".join(filter(None, (network_left_open(version), LEFT_OPEN)))
    return Confinement("Landlock", f"it leaves open {left}; {missing}")


def walled(
    argv: Sequence[str],
    *,
    readable: Collection[Path],
    scratch: Path | None,
    environment: Mapping[str, str],
    working: Path | None = None,
) -> tuple[str, ...]:
    """Return the command that runs another within walls.

    Args:
        readable: folders that it may read, beside the system's.
        scratch: the one folder of the machine that it may write to. Without one it has within bubblewrap a ``/tmp`` of
            its own, and within Landlock nothing.
        environment: all its variables.
        working: where it works; by default where it may write.
    """
    home = scratch or Path("/tmp")
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", **environment}
    named = [Path(folder).absolute() for folder in os.environ.get(READABLE_VARIABLE, "").split(os.pathsep) if folder]
    within = within_landlock if _best(os.environ.get("PATH", os.defpath)).name == "Landlock" else within_bubblewrap
    return within(
        argv,
        readable=[*_SYSTEM, *named, *readable],
        scratch=scratch,
        environment=variables,
        working=working or home,
    )
