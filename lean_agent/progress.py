"""What commands show: a progress bar with counts and time left, the same for everything in the package that takes a
while, and the terminal that they print on.

It knows no room. It writes to stderr, so that a command's output stays clean; where stderr is no terminal it writes a
line every half minute and one at the end. ``LEAN_AGENT_QUIET=1`` (``--quiet``) shows no bar, and none of the lines that
only inform.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.text import Text

BETWEEN_LINES_S = 30.0
QUIET_VARIABLE = "LEAN_AGENT_QUIET"


def is_quiet() -> bool:
    """Return whether nothing but results and errors is wanted."""
    return bool(os.environ.get(QUIET_VARIABLE))


def inform(words: str, *, to_stderr: bool = False) -> None:
    """Print a line that is no result, unless nothing but results is wanted."""
    if not is_quiet():
        print(words, file=sys.stderr if to_stderr else sys.stdout, flush=True)


def terminal(*, stderr: bool = False, highlight: bool = True, soft_wrap: bool = False) -> Console:
    """Return where commands print. To Rich ``A.lean:100: unknown constant`` has an emoji in it, which has to be turned
    off for each console."""
    return Console(stderr=stderr, highlight=highlight, soft_wrap=soft_wrap, emoji=False)


class TimeLeft:
    """Estimate how long work will still take, by the rate since the middle of the time that it has taken so far.

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
        """Note how many units are done now, more than at the last call."""
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
        """Return the time for the units that are left, one of them under way; ``None`` before anything is known."""
        per_s = self._per_s
        if not per_s:
            return None
        return max(0.0, units - min(1.0, (now - self._last) * per_s)) / per_s


class WorkLeft:
    """How long work will still take of which parts differ in size: by the mean time for a unit of size since the start,
    and nothing before that mean means something.

    All times are in seconds, on any clock.

    Args:
        start: when the work began.
        total: the size of all of it.
    """

    def __init__(self, start: float, total: float) -> None:
        self._start = start
        self._total = total
        self._done = 0.0
        self._shown: tuple[float, float] | None = None  # when, and what was said

    def drop(self, size: float) -> None:
        """Take off a size that needs no work after all, such as a file that was traced before."""
        self._total -= size

    def done(self, size: float) -> None:
        """Note the size that is done now, parts of what is under way included."""
        self._done = max(self._done, size)

    def seconds(self, now: float) -> float | None:
        """Return the time for what is left; ``None`` in the first minute while less than a tenth is done."""
        elapsed = now - self._start
        if not self._done or (elapsed < FIRST_MINUTE_S and self._done < self._total / 10):
            return None
        measured = max(0.0, self._total - self._done) * elapsed / self._done
        if self._shown is None:
            left = measured
        else:
            when, shown = self._shown
            expected = max(0.0, shown - (now - when))
            share = min(1.0, (now - when) / SMOOTHED_OVER_S)
            left = expected + share * (measured - expected)
        self._shown = (now, left)
        return left


FIRST_MINUTE_S = 60.0
SMOOTHED_OVER_S = 20.0


class _WordsColumn(ProgressColumn):
    """What is to be said at that moment."""

    def __init__(self, words: Callable[[], str], style: str, max_refresh: float | None = None) -> None:
        super().__init__()
        self.max_refresh = max_refresh
        self._words, self._style = words, style

    def render(self, task: Task) -> Text:
        return Text(self._words(), style=self._style)


class ProgressBar:
    """A bar on a terminal, lines elsewhere: ``with ProgressBar("Tracing", total=12) as bar: bar.advance(errors=0)``.

    Args:
        description: what is being done.
        total: how many units there are; ``None`` while that is not known.
        done: how many of them an earlier run has done.
        work: the sum of their sizes, where they differ much: the bar and the time left go by sizes then.
        enabled: ``False`` shows nothing, and so does quiet.
        console: where to write, for tests; stderr by default.
        clock: seconds, for tests.
    """

    def __init__(
        self,
        description: str,
        total: int | None,
        *,
        done: int = 0,
        work: float | None = None,
        enabled: bool = True,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        enabled = enabled and not is_quiet()
        self._console = console or terminal(stderr=True)
        self._clock = clock
        self._writes_lines = enabled and not self._console.is_terminal
        self._next_line = clock() + BETWEEN_LINES_S
        self._left = TimeLeft(clock(), done)
        self._work = None if work is None else WorkLeft(clock(), work)
        self._finished = self._dropped = 0.0  # size of the units that are done; of those of them that took no time
        self._units, self._total = done, total
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            _WordsColumn(self._units_words, "progress.download"),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            _WordsColumn(self._time_left, "progress.remaining", max_refresh=0.5),
            console=self._console,
            get_time=clock,
            disable=not enabled or self._writes_lines,
        )
        drawn = total if work is None else work
        self._task = self._progress.add_task(description, total=drawn, completed=done, counts="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()
        if self._writes_lines:
            self._print_line()

    def advance(
        self, units: int = 1, *, size: float = 0.0, was_done: bool = False, **counts: int | float | str
    ) -> None:
        """Move on by ``units``, and show these counts beside the bar: ``theorems 40, errors 0``.

        Args:
            size: of the units, where the bar goes by sizes.
            was_done: it took no time, since it had been done before.
        """
        self._units += units
        if self._work is None:
            self._progress.advance(self._task, units)
        else:
            self._finished += size
            if was_done:
                self._work.drop(size)
                self._dropped += size
            self._draw(0.0)
        if units:
            self._left.advance(self._clock(), self._units)
        if counts:
            text = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items())
            self._progress.update(self._task, counts=text)
        self._write_line()

    def under_way(self, size: float) -> None:
        """Note how much is done of units that are under way, where the bar goes by sizes."""
        self._draw(size)
        self._write_line()

    def _draw(self, under_way: float) -> None:
        assert self._work is not None, "a bar that goes by units"
        self._work.done(self._finished - self._dropped + under_way)
        drawn = max(self._progress.tasks[self._task].completed, self._finished + under_way)
        self._progress.update(self._task, completed=drawn)

    def _write_line(self) -> None:
        if self._writes_lines and self._clock() >= self._next_line:
            self._next_line = self._clock() + BETWEEN_LINES_S
            self._print_line()

    def _print_line(self) -> None:
        self._console.print(self._line(), highlight=False, markup=False, soft_wrap=True)

    def _left_s(self) -> float | None:
        if self._total is not None and self._units >= self._total:  # whatever the rate was
            return 0.0
        if self._work is not None:
            return self._work.seconds(self._clock())
        return None if self._total is None else self._left.seconds(self._clock(), self._total - self._units)

    def _time_left(self) -> str:
        left_s = self._left_s()
        return "-:--:--" if left_s is None else str(timedelta(seconds=math.ceil(left_s)))

    def _units_words(self) -> str:
        return f"{self._units:,}/{'?' if self._total is None else f'{self._total:,}'}"

    def _line(self) -> str:
        task = self._progress.tasks[self._task]
        left_s = self._left_s()
        left = "" if not left_s else f", about {left_s:,.0f} s left"
        counts = f", {task.fields['counts']}" if task.fields["counts"] else ""
        total = "" if self._total is None else f"/{self._total:,.0f}"
        return f"{task.description}: {self._units:,.0f}{total}{counts}, {task.elapsed or 0:,.0f} s{left}"

    def finish(self) -> None:
        """Move to the end, for work whose last units are not worth counting."""
        self._units = self._total if self._total is not None else self._units
        self._progress.update(self._task, completed=self._progress.tasks[self._task].total)
