"""A progress bar with counts and time left, the same for everything in the package that takes a while.

It knows no room. It writes to stderr, so that a command's output stays clean; where stderr is no terminal it writes a
line every half minute and one at the end.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

BETWEEN_LINES_S = 30.0


class TimeLeft:
    """How long work will still take, by the rate since the middle of the time that it has taken so far.

    Units may take milliseconds or hours. What went by in no time at the start, such as files that were traced before,
    is soon forgotten. All times are in seconds, on any clock.

    Args:
        start: when the work began.
        done: how many units were done then.
    """

    def __init__(self, start: float, done: float = 0) -> None:
        self._start = start
        self._samples = deque([(start, done)])  # (when, units done by then), at most one a second behind the first
        self._last = start
        self._per_s: float | None = None

    def advance(self, now: float, done: float) -> None:
        """So many units are done now, more than at the last call."""
        middle = (self._start + now) / 2
        while len(self._samples) > 1 and self._samples[1][0] <= middle:
            self._samples.popleft()
        since, before = self._samples[0]
        self._per_s = (done - before) / (now - since) if now > since else None
        self._last = now
        if len(self._samples) > 1 and int(self._samples[-1][0]) == int(now):
            self._samples[-1] = (now, done)
        else:
            self._samples.append((now, done))

    def seconds(self, now: float, units: float) -> float | None:
        """For so many units that are left; ``None`` before anything is known. One of them is under way."""
        per_s = self._per_s
        if not per_s:
            return None
        return max(0.0, units - min(1.0, (now - self._last) * per_s)) / per_s


class _TimeLeftColumn(ProgressColumn):
    max_refresh = 0.5

    def __init__(self, left_s: Callable[[], float | None]) -> None:
        super().__init__()
        self._left_s = left_s

    def render(self, task: Task) -> Text:
        left_s = self._left_s()
        text = "-:--:--" if left_s is None else str(timedelta(seconds=math.ceil(left_s)))
        return Text(text, style="progress.remaining")


class ProgressBar:
    """``with ProgressBar("Tracing", total=12) as bar: bar.advance(theorems=40, errors=0)``

    Args:
        description: what is being done.
        total: how many units there are; ``None`` while that is not known.
        done: how many of them an earlier run has done.
        enabled: ``False`` shows nothing.
        console: where to write, for tests; stderr by default.
        clock: seconds, for tests.
    """

    def __init__(
        self,
        description: str,
        total: int | None,
        *,
        done: int = 0,
        enabled: bool = True,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console or Console(stderr=True)
        self._clock = clock
        self._writes_lines = enabled and not self._console.is_terminal
        self._next_line = clock() + BETWEEN_LINES_S
        self._left = TimeLeft(clock(), done)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            _TimeLeftColumn(self._left_s),
            console=self._console,
            get_time=clock,
            disable=not enabled,
        )
        self._task = self._progress.add_task(description, total=total, completed=done, counts="")

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
        if units:
            self._left.advance(self._clock(), self._progress.tasks[self._task].completed)
        if counts:
            text = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items())
            self._progress.update(self._task, counts=text)
        if self._writes_lines and self._clock() >= self._next_line:
            self._next_line = self._clock() + BETWEEN_LINES_S
            self._console.print(self._line(), highlight=False, markup=False, soft_wrap=True)

    def _left_s(self) -> float | None:
        task = self._progress.tasks[self._task]
        return None if task.remaining is None else self._left.seconds(self._clock(), task.remaining)

    def _line(self) -> str:
        task = self._progress.tasks[self._task]
        left_s = self._left_s()
        left = "" if left_s is None else f", about {left_s:,.0f} s left"
        counts = f", {task.fields['counts']}" if task.fields["counts"] else ""
        total = "" if task.total is None else f"/{task.total:,.0f}"
        return f"{task.description}: {task.completed:,.0f}{total}{counts}, {task.elapsed or 0:,.0f} s{left}"

    def finish(self) -> None:
        """Move to the end, for work whose last units are not worth counting."""
        self._progress.update(self._task, completed=self._progress.tasks[self._task].total)
