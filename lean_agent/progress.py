"""A progress bar with counts and time left, the same for everything in the package that takes a while.

It knows no room. It writes to stderr, so that a command's output stays clean; where stderr is no terminal it writes a
line every half minute and one at the end.
"""

from __future__ import annotations

import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

BETWEEN_LINES_S = 30.0


class ProgressBar:
    """``with ProgressBar("Tracing", total=12) as bar: bar.advance(theorems=40, errors=0)``

    Args:
        description: what is being done.
        total: how many units there are; ``None`` while that is not known.
        enabled: ``False`` shows nothing.
        console: where to write, for tests; stderr by default.
    """

    def __init__(
        self, description: str, total: int | None, *, enabled: bool = True, console: Console | None = None
    ) -> None:
        self._console = console or Console(stderr=True)
        self._writes_lines = enabled and not self._console.is_terminal
        self._next_line = time.monotonic() + BETWEEN_LINES_S
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=self._console,
            disable=not enabled,
        )
        self._task = self._progress.add_task(description, total=total, counts="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def advance(self, units: int = 1, **counts: int | float | str) -> None:
        """Move on by ``units``, and show these counts beside the bar: ``theorems 40, errors 0``."""
        self._progress.advance(self._task, units)
        if counts:
            text = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items())
            self._progress.update(self._task, counts=text)
        if self._writes_lines and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + BETWEEN_LINES_S
            self._console.print(self._line(), highlight=False, markup=False, soft_wrap=True)

    def _line(self) -> str:
        task = self._progress.tasks[self._task]
        left = "" if task.time_remaining is None else f", about {task.time_remaining:,.0f} s left"
        counts = f", {task.fields['counts']}" if task.fields["counts"] else ""
        total = "" if task.total is None else f"/{task.total:,.0f}"
        return f"{task.description}: {task.completed:,.0f}{total}{counts}, {task.elapsed or 0:,.0f} s{left}"

    def finish(self) -> None:
        """Move to the end, for work whose last units are not worth counting."""
        self._progress.update(self._task, completed=self._progress.tasks[self._task].total)
