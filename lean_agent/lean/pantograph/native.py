"""Find a native ``pantograph-repl``: Pantograph's own program, built with a native Lean."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from lean_agent.errors import LeanInstallError
from lean_agent.lean.native.toolchain import is_program

REPL_VARIABLE = "LEAN_AGENT_PANTOGRAPH_REPL"
_NAME = "pantograph-repl"


def find_pantograph(given: Path | None = None) -> Path:
    """Return the program, absolute: what is given, else what :data:`REPL_VARIABLE` says, else the one on ``PATH``, else
    the one in an installed PyPantograph.

    Args:
        given: the program, or the folder that it is in.

    Raises:
        LeanInstallError: there is none, or none where it is said to be.
    """
    if wanted := given or os.environ.get(REPL_VARIABLE):
        for candidate in (Path(wanted), Path(wanted) / _NAME):
            if is_program(candidate):
                return candidate.absolute()
        raise LeanInstallError(f"there is no program `{_NAME}` at {wanted}; name it, or the folder that it is in")
    if on_path := shutil.which(_NAME):
        return Path(on_path).absolute()
    package = importlib.util.find_spec("pantograph")  # not imported: it is asked only where it lies
    if package is not None and package.origin is not None and is_program(Path(package.origin).with_name(_NAME)):
        return Path(package.origin).with_name(_NAME).absolute()
    raise LeanInstallError(
        f"no native Pantograph was found, neither on PATH nor in an installed PyPantograph: give its path or set "
        f"{REPL_VARIABLE}. Without `repl`, `Server` runs on embedded Lean, which needs nothing."
    )
