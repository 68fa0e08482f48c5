"""Every name of Lean's own that our Lean code uses, from its compiled modules, with its module and its type.

    python benchmarks/lean_names.py --lean PATH > names.tsv
    python benchmarks/lean_names.py --record          # bring benchmarks/lean_names.toml up to date

Two toolchains' lists, compared with diff, show which of the names one of them has otherwise. Without --lean it is the
embedded Lean; our code is compiled once for it (minutes). It ends with a line on standard error: the counts.

The record says of each module of Lean's what was read of it in later releases. A name that came after the reading is
under ``unread`` until somebody has looked it up there and moved it to ``names``; a test says so.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lean_agent.lean.native.toolchain import NativeInstallation, find_toolchain, install_native

PROGRAM = Path(__file__).with_suffix(".lean")
RECORD = Path(__file__).with_suffix(".toml")
_UNREAD = "nothing"
_HEADING = (
    "# Names of Lean's own that our Lean code uses, by module, and what was read of the module in releases after 4.28;",
    "# kept by lean_names.py. Where a part was read, the names that stand outside it are known from the notes alone.",
    "# notes: release notes of 4.29 to 4.35. fork: datokrat-second-forks/lean4, which has work of its own on a Lean of",
    "# autumn 2026, after 4.33 (`addDeclCore` takes a `maxRecDepth`); what it changed itself is not told apart.",
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a module of Lean's in later releases, and the names of it that this holds for.

    Attributes:
        read: a key of the record's table ``sources``.
        unread: names that were first used after the reading.
    """

    read: str
    names: frozenset[str]
    unread: frozenset[str] = frozenset()


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


def by_module(lines: str) -> dict[str, frozenset[str]]:
    """Return the names of each module, from the program's lines."""
    modules: dict[str, set[str]] = {}
    for line in lines.splitlines():
        name, module, _ = line.split("\t", 2)
        modules.setdefault(module, set()).add(name)
    return {module: frozenset(names) for module, names in modules.items()}


def load_record(path: Path = RECORD) -> tuple[dict[str, str], dict[str, Reading]]:
    """Return what the record has: its sources, and the reading of each module."""
    record = tomllib.loads(path.read_text("utf-8"))
    return record["sources"], {
        module: Reading(entry["read"], frozenset(entry.get("names", ())), frozenset(entry.get("unread", ())))
        for module, entry in record["modules"].items()
    }


def brought_up_to_date(readings: Mapping[str, Reading], used: Mapping[str, frozenset[str]]) -> dict[str, Reading]:
    """Return the readings with the names that are used now: those that are new are unread, the others go or stay."""
    new: dict[str, Reading] = {}
    for module, names in used.items():
        former = readings.get(module, Reading(_UNREAD, frozenset()))
        new[module] = Reading(former.read, names & former.names, names - former.names)
    return new


def written(sources: Mapping[str, str], readings: Mapping[str, Reading]) -> str:
    """Return the record as TOML, sorted."""

    def listed(key: str, names: Iterable[str]) -> list[str]:
        rows = [f"  {json.dumps(name, ensure_ascii=False)}," for name in sorted(names)]
        return [f"{key} = [", *rows, "]"] if rows else []

    quoted = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in sorted(sources.items())]
    lines = [*_HEADING, "", "[sources]", *quoted]
    for module, reading in sorted(readings.items()):
        lines += ["", f'[modules."{module}"]', f"read = {json.dumps(reading.read)}"]
        lines += [*listed("names", reading.names), *listed("unread", reading.unread)]
    return "\n".join([*lines, ""])


def main() -> None:
    """Print the list, or bring the record up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lean", type=Path, help="a toolchain's folder, or its `lean`")
    parser.add_argument("--record", action="store_true", help="bring lean_names.toml up to date instead of printing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        toolchain = find_toolchain(options.lean or embedded_as_toolchain(Path(folder, "toolchain")))
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        lines = names(install_native(toolchain), scratch)
    used = by_module(lines)
    if options.record:
        sources, readings = load_record()
        RECORD.write_text(written(sources, brought_up_to_date(readings, used)), "utf-8")
    else:
        print(lines, end="")
    count = sum(map(len, used.values()))
    print(f"{count} names of {len(used)} modules, Lean {toolchain.version}", file=sys.stderr)


if __name__ == "__main__":
    main()
