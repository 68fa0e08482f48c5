"""All marks of the product in one table: met or missed, and what got better or worse since the last run.

python benchmarks/bench.py                            # the short form: some ten minutes on two cores
python benchmarks/bench.py --whole                    # everything that needs no trained model: hours
python benchmarks/bench.py --only lean_server tracing
python benchmarks/bench.py --keep FOLDER              # where the results lie; by default runs/bench, which git ignores
python benchmarks/bench.py --list                     # what each form runs

Each benchmark runs in a process of its own. One that fails, or takes too long, is a row that says so. Results are a
JSON file for each run, with the machine that they are of; a figure is compared with the newest one before it of the
same form. Figures of a machine that is busy differ by a third from run to run: the load stands beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import psutil
from marks import KEPT_IN, Mark, read_marks
from rich.console import Console
from rich.table import Table

from lean_agent.files import write_atomically
from lean_agent.lean.embedded.install import node_binary
from lean_agent.lean.process.runtime import EmbeddedRuntime

ROOT = Path(__file__).resolve().parent.parent
KEEP = ROOT / "runs" / "bench"
NOTABLE = 0.05
"""Changes of a figure below this share are not called better or worse."""

Form = Literal["short", "whole"]


@dataclass(frozen=True, slots=True)
class Program:
    """A benchmark with marks.

    Attributes:
        short, whole: its arguments in each form; ``None``: it is left out there.
        timeout_s: after which it counts as failed, in the short form; the whole form gives it ten times as long.
    """

    name: str
    short: tuple[str, ...] | None = ()
    whole: tuple[str, ...] | None = ()
    timeout_s: float = 300.0


PROGRAMS = (
    Program("structure"),
    Program("lean_server", short=("--theorems", "60", "--runs", "1")),
    Program(
        "tracing",
        short=("overhead", "check", "verify", "--repositories", "logic"),
        whole=("overhead", "check", "verify", "width", "large"),
    ),
    Program(
        "scale", short=("--sizes", "0.01", "0.05", "--rows", "25000"), whole=("--sizes", "0.1", "1"), timeout_s=400.0
    ),
    Program("cluster", short=("--theorems", "1000")),
    Program("soak", short=("--tactics", "1500")),
    Program("serve", short=("--seconds", "20", "--clients", "20", "--requests", "60")),
    Program("ui", short=("--times", "10")),
    Program("training", short=("--pairs", "1"), whole=()),
    Program("neighbours", short=None, whole=("--only", "speed")),
    Program(
        "policy",
        short=("--only", "sampling", "--repositories", "logic", "--theorems", "24"),
        whole=("--only", "sampling", "search"),
        timeout_s=600.0,
    ),
    Program("search", short=None, whole=("--only", "searches", "savings", "processes")),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a benchmark.

    Attributes:
        failure: why it did not come to its end; empty where it did. A mark that was missed is no failure.
        seconds: wall-clock time.
    """

    program: str
    seconds: float
    marks: tuple[Mark, ...] = ()
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A run of the benchmarks: the machine that it was on, and what came out."""

    started: str
    form: Form
    machine: Mapping[str, Any]
    outcomes: tuple[Outcome, ...] = field(default=())

    def figures(self) -> dict[tuple[str, str], Mark]:
        """Return the marks by program and name."""
        return {(outcome.program, mark.name): mark for outcome in self.outcomes for mark in outcome.marks}

    def keep(self, folder: Path) -> Path:
        """Write the record below ``folder``, in the place of what it wrote before."""
        name = self.started.replace(":", "-")
        return write_atomically(folder / f"{name}.json", (json.dumps(asdict(self), indent=1) + "\n").encode())

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read what :meth:`keep` has written."""
        data = json.loads(path.read_text(encoding="utf-8"))
        outcomes = [
            Outcome(**{**outcome, "marks": tuple(Mark(**mark) for mark in outcome["marks"])})
            for outcome in data.pop("outcomes")
        ]
        return cls(**data, outcomes=tuple(outcomes))


def machine() -> dict[str, Any]:
    """Describe the machine, the versions, and how busy it is before anything runs."""
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 2**30, 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "node": first_line([str(node_binary()), "--version"]),
        "lean": EmbeddedRuntime().version,
        "commit": first_line(["git", "-C", str(ROOT), "rev-parse", "HEAD"]),
        "changed": bool(first_line(["git", "-C", str(ROOT), "status", "--porcelain"])),
        "load": round(os.getloadavg()[0], 2),
    }


def processor() -> str:
    """Return the processor's name; of a system that does not say, its kind."""
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def first_line(command: Sequence[str]) -> str:
    """Return the first line that a command prints; nothing where it cannot run."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout.splitlines() or [""])[0]


def run(name: str, arguments: Sequence[str], timeout_s: float, folder: Path = ROOT / "benchmarks") -> Outcome:
    """Run a benchmark to its end, its lines printed as they come."""
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch) / "marks.jsonl"
        began = time.monotonic()
        process = subprocess.Popen(
            [sys.executable, str(folder / f"{name}.py"), *arguments],
            env={**os.environ, KEPT_IN: str(kept)},
            start_new_session=True,  # what it has started ends with it
        )
        try:
            code = process.wait(timeout_s)
            failure = ""
        except subprocess.TimeoutExpired:
            code, failure = 0, f"not done after {timeout_s:.0f} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        marks = tuple(read_marks(kept))
        if code < 0:
            failure = f"ended by signal {-code}"
        elif code and all(mark.is_met for mark in marks):  # a benchmark may end with 1 where a mark is missed
            failure = f"ended with {code}"
        elif not marks and not failure:
            failure = "has shown no mark"
        return Outcome(name, round(time.monotonic() - began, 1), marks, failure)


def last_figures(folder: Path, form: Form) -> dict[tuple[str, str], Mark]:
    """Return the newest figure of each mark among the records of this form below ``folder``; files that do not read as
    one are passed over."""
    figures: dict[tuple[str, str], Mark] = {}
    for path in sorted(folder.glob("*.json")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            record = Record.read(path)
            if record.form == form:
                figures |= record.figures()
    return figures


def change(now: Mark, before: Mark | None) -> str:
    """Say how a figure has changed, in percent, and for the better or the worse."""
    if before is None:
        return "new"
    if before.value == now.value:
        return "same"
    if not before.value:
        return f"was {before.figure}"
    share = (now.value - before.value) / abs(before.value)
    if abs(share) < NOTABLE:
        return f"{share:+.0%}"
    is_better = (share < 0) == (now.side == "at most")
    return f"{share:+.0%} {'better' if is_better else 'WORSE'}"


def rows(record: Record, before: Mapping[tuple[str, str], Mark]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table: benchmark, mark, figure, bound, met or missed, change."""
    for outcome in record.outcomes:
        for mark in outcome.marks:
            compared = change(mark, before.get((outcome.program, mark.name)))
            yield outcome.program, mark.name, mark.figure, mark.wanted, "met" if mark.is_met else "MISSED", compared
        if outcome.failure:
            yield outcome.program, outcome.failure, "", "", "FAILED", ""


def print_table(record: Record, before: Mapping[tuple[str, str], Mark]) -> None:
    """Print all marks, and how many are met."""
    table = Table("benchmark", "mark", "figure", "bound", "", "since the last run")
    for row in rows(record, before):
        table.add_row(*row, style="red" if row[4] in ("MISSED", "FAILED") else None)
    Console(width=None if sys.stdout.isatty() else 160).print(table)
    marks = list(record.figures().values())
    failed = sum(bool(outcome.failure) for outcome in record.outcomes)
    described = ", ".join(f"{name} {value}" for name, value in record.machine.items())
    print(f"{sum(mark.is_met for mark in marks)} of {len(marks)} marks met, {failed} benchmarks failed; {described}")


def chosen(form: Form, only: Sequence[str]) -> list[tuple[Program, tuple[str, ...]]]:
    """Return what a form runs, with its arguments; by name also what the form leaves out."""
    programs = [program for program in PROGRAMS if not only or program.name in only]
    listed = []
    for program in programs:
        arguments = program.short if form == "short" else program.whole
        if arguments is None and only:
            arguments = program.short if program.short is not None else program.whole
        if arguments is not None:
            listed.append((program, arguments))
    return listed


def main() -> int:
    """Run the benchmarks of a form; returns 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true", help="the long form")
    parser.add_argument("--only", nargs="+", choices=[program.name for program in PROGRAMS], default=[])
    parser.add_argument("--keep", type=Path, default=KEEP, metavar="FOLDER", help="of the results")
    parser.add_argument("--list", action="store_true", help="print what would run")
    options = parser.parse_args()
    form: Form = "whole" if options.whole else "short"
    programs = chosen(form, options.only)
    if options.list:
        for program, arguments in programs:
            print(f"benchmarks/{program.name}.py", *arguments)
        return 0
    before = last_figures(options.keep, form)
    started = datetime.now(UTC).isoformat(timespec="seconds").removesuffix("+00:00")
    record = Record(started, form, machine())
    for program, arguments in programs:
        print(f"== benchmarks/{program.name}.py", *arguments, flush=True)
        outcome = run(program.name, arguments, program.timeout_s * (10 if options.whole else 1))
        record = Record(started, form, record.machine, (*record.outcomes, outcome))
        record.keep(options.keep)  # after each, so that a run that is ended keeps what it has measured
    print_table(record, before)
    print(f"kept in {record.keep(options.keep)}")
    return 1 if any(outcome.failure for outcome in record.outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
