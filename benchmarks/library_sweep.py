"""Calls of every function of Lean's library in embedded Lean: what fails, what ends the process, what is wrong.

python benchmarks/library_sweep.py                        # Init and Std, three choices of arguments: some 30 minutes
python benchmarks/library_sweep.py --modules Init --choices 1
python benchmarks/library_sweep.py --only 'String.*' --show

Every function whose arguments can be made up from its type is run by ``#eval``, its value as a list of numbers; then
the kernel, which knows none of the compiled code, is asked whether it computes the same list. Calls are run many to a
file; a file that ends its process is cut in halves until the guilty calls are alone.
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_agent.errors import LeanProcessDied, LeanTimeout
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.types import LeanProject

SWEEP = Path(__file__).parent / "sweep"
CALLS_A_FILE = 100
RUN = "#eval show IO Unit from do (← IO.mkRef (%s)).modify id"  # for a value that is no list of numbers
FILE_TIMEOUT_S = 120.0
NO_CALL = (
    r"type mismatch|has type|failed to synthesize|could not prove|unsolved goals|[Tt]actic|don't know how|sort expected"
    r"|[Ff]unction expected|universe|stuck|omega could not|did not evaluate|is invalid|placeholder|simp|Unknown ident"
)
WORDS = (  # of an error, and what it means
    ("not printed", r"failed to synthesize(.|\n)*Encoded"),
    ("no such call", NO_CALL),
    ("not computable", "noncomputable|does not have executable code|no executable code available|not supported"),
    ("missing", "Unknown constant|no executable code|[Cc]ould not find|unknown declaration|IR of declaration"),
)


@dataclass(frozen=True, slots=True)
class Call:
    """A function applied to values, as Lean text."""

    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a call: ``value``, a word of :data:`WORDS`, ``error``, or ``crash``."""

    call: Call
    kind: str
    text: str


class Sweep:
    """Files of many calls, run in one process at a time."""

    def __init__(self, lean: LeanPool, folder: Path) -> None:
        self._lean = lean
        self._project = LeanProject(folder, folder / "build")
        (folder / "Encoded.lean").write_text((SWEEP / "Encoded.lean").read_text("utf-8"), "utf-8")
        (folder / "Calls.lean").write_text((SWEEP / "Calls.lean").read_text("utf-8"), "utf-8")
        for module in ("Encoded", "Calls"):
            traced = lean.trace_file(self._project, f"{module}.lean")
            if traced.errors:
                raise SystemExit(f"{module}.lean: {traced.errors[0].text}")

    def calls(self, modules: Sequence[str], choice: int) -> list[Call]:
        """Return the calls of all functions of some modules."""
        roots = ", ".join(f"`{module}" for module in modules)
        text = (
            "import Calls\nset_option maxHeartbeats 0\nopen Lean Meta in\n"
            f'#eval show MetaM Unit from do logInfo ("\\n".intercalate (← Sweep.calls [{roots}] {choice}).toList)\n'
        )
        (self._project.root / "List.lean").write_text(text, "utf-8")
        (message,) = self._lean.trace_file(self._project, "List.lean").messages
        if message.severity == "error":
            raise SystemExit(message.text)
        return [Call(*line.split("\t", 1)) for line in message.text.splitlines()]

    def evaluate(self, calls: Sequence[Call]) -> list[Found]:
        """Return what ``#eval`` says of each call."""
        messages = self._run([(call, f"#eval Sweep.code ({call.text})") for call in calls])
        results = [_evaluated(call, kind, text) for call, kind, text in messages]
        only_run = self._run(
            [(result.call, RUN % result.call.text) for result in results if result.kind == "not printed"]
        )
        return [result for result in results if result.kind != "not printed"] + [
            Found(call, "ran", "") if kind == "silent" else _evaluated(call, kind, text)
            for call, kind, text in only_run
        ]

    def compare(self, values: Sequence[Found]) -> list[Found]:
        """Compare each call's value with the kernel's: ``same``, ``different`` or ``undecided``."""
        lines = [
            (value.call, f"example : Sweep.code ({value.call.text}) = {value.text} := by decide +kernel")
            for value in values
        ]
        return [_compared(call, kind, text) for call, kind, text in self._run(lines)]

    def _run(self, lines: Sequence[tuple[Call, str]]) -> list[tuple[Call, str, str]]:
        """(call, kind, text) of the message on each line."""
        chunks = [list(lines[at : at + CALLS_A_FILE]) for at in range(0, len(lines), CALLS_A_FILE)]
        results = []
        while chunks:
            chunk = chunks.pop(0)
            outcome = self._file([text for _, text in chunk])
            if isinstance(outcome, list):
                results += [(call, *answer) for (call, _), answer in zip(chunk, outcome, strict=True)]
            elif len(chunk) == 1:
                results.append((chunk[0][0], "crash", outcome))
            else:
                middle = len(chunk) // 2
                chunks[:0] = [chunk[:middle], chunk[middle:]]
        return results

    def _file(self, lines: Sequence[str]) -> list[tuple[str, str]] | str:
        """(severity, text) of each line, or why the process ended."""
        options = ("maxHeartbeats 20000", "maxRecDepth 2000", "eval.pp false")
        head = ["import Encoded", *(f"set_option {option}" for option in options)]
        (self._project.root / "Run.lean").write_text("\n".join([*head, *lines]) + "\n", "utf-8")
        try:
            traced = self._lean.trace_file(self._project, "Run.lean")
        except (LeanProcessDied, LeanTimeout) as e:
            return str(e).splitlines()[-1]
        answers = [("silent", "")] * len(lines)
        for message in traced.messages:
            at = message.start.line - 1 - len(head)
            if at >= 0 and answers[at][0] != "error":
                answers[at] = (message.severity, message.text)
        return answers


def _evaluated(call: Call, kind: str, text: str) -> Found:
    if kind == "crash":
        return Found(call, "crash", text)
    if kind == "information" and re.fullmatch(r"\[[-0-9, \n]*\]", text):
        return Found(call, "value", " ".join(text.split()))
    return Found(call, next((word for word, pattern in WORDS if re.search(pattern, text)), "error"), text)


def _compared(call: Call, kind: str, text: str) -> Found:
    if kind == "silent":
        return Found(call, "same", "")
    return Found(call, "different" if "is false" in text else "crash" if kind == "crash" else "undecided", text)


def report(title: str, results: Sequence[Found], quiet: Sequence[str]) -> None:
    """Print the counts, and all that is not among ``quiet``."""
    counts = Counter(result.kind for result in results)
    print(f"{title}: " + ", ".join(f"{count} {kind}" for kind, count in counts.most_common()), flush=True)
    for result in results:
        if result.kind not in quiet:
            print(f"  {result.kind}: {result.call.text}\n    {result.text[:300]}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", nargs="+", default=["Init", "Std"], help="modules whose name begins so")
    parser.add_argument("--choices", type=int, default=3, choices=(1, 2, 3), help="how many choices of arguments")
    parser.add_argument("--only", default="*", help="functions whose name fits this pattern")
    parser.add_argument("--show", action="store_true", help="print what could not be called, too")
    settings = parser.parse_args()
    limits = PoolLimits(file_timeout_s=FILE_TIMEOUT_S)
    with tempfile.TemporaryDirectory() as folder, LeanPool(1, limits=limits) as lean:
        sweep = Sweep(lean, Path(folder))
        quiet = (
            ()
            if settings.show
            else ("value", "ran", "no such call", "not printed", "not computable", "same", "undecided")
        )
        for choice in range(settings.choices):
            began = time.monotonic()
            calls = [c for c in sweep.calls(settings.modules, choice) if fnmatch.fnmatch(c.function, settings.only)]
            evaluated = sweep.evaluate(calls)
            report(f"choice {choice}: {len(calls)} calls", evaluated, quiet)
            compared = sweep.compare([result for result in evaluated if result.kind == "value"])
            report(f"choice {choice}, by the kernel", compared, quiet)
            print(f"{time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
