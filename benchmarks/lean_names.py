"""Every name of Lean's own that our Lean code uses, from its compiled modules, with its module and its type.

    python benchmarks/lean_names.py --lean PATH > names.tsv

Two toolchains' lists, compared with diff, show which of the names one of them has otherwise. Without --lean it is the
embedded Lean; our code is compiled once for it (minutes). It ends with a line on standard error: the counts.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from lean_agent.lean.native.toolchain import NativeInstallation, find_toolchain, install_native

PROGRAM = Path(__file__).with_suffix(".lean")


def embedded_as_toolchain(folder: Path) -> Path:
    """Make a toolchain's folder whose ``lean`` is the embedded one."""
    lean = folder / "bin" / "lean"
    lean.parent.mkdir(parents=True)
    lean.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m lean_agent lean run -- "$@"\n')
    lean.chmod(0o755)
    return folder


def names(where: NativeInstallation, scratch: Path) -> str:
    """Return the lines of the program: name, module and type, with tabs between."""
    lean = str(where.toolchain.lean)
    environment = {**os.environ, "LEAN_PATH": f"{where.folder}{os.pathsep}{scratch}"}
    main = scratch / "Main.lean"
    main.write_text((where.folder / "Main.lean").read_text("utf-8"), "utf-8")
    subprocess.run([lean, "-o", str(main.with_suffix(".olean")), str(main)], check=True, env=environment, cwd=scratch)
    modules = [f"LeanAgent.{path.stem}" for path in sorted((where.folder / "LeanAgent").glob("*.olean"))]
    argv = [lean, "--run", str(PROGRAM), "Main", *modules]
    done = subprocess.run(argv, check=True, env=environment, cwd=scratch, stdout=subprocess.PIPE, text=True)
    return done.stdout


def main() -> None:
    """Print the list."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lean", type=Path, help="a toolchain's folder, or its `lean`")
    given = parser.parse_args().lean
    with tempfile.TemporaryDirectory() as folder:
        toolchain = find_toolchain(given or embedded_as_toolchain(Path(folder, "toolchain")))
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        lines = names(install_native(toolchain), scratch)
    print(lines, end="")
    rows = [line.split("\t") for line in lines.splitlines()]
    print(f"{len(rows)} names of {len({row[1] for row in rows})} modules, Lean {toolchain.version}", file=sys.stderr)


if __name__ == "__main__":
    main()
