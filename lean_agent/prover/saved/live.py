"""Trees of searches that are not over, for those who look at them from another process.

Whoever looks touches a file in the run folder every few seconds (:func:`look`); the process that searches asks for its
time once a second (:class:`LiveTrees`). So nothing is written while nobody looks, and what is written takes at most a
hundredth of the search's time: a large tree comes more rarely. What is in the folder ends with the run.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, Self

from lean_agent.files import write_atomically
from lean_agent.prover.saved.trees import SavedSearch, record_search, write_search
from lean_agent.prover.searches.base import Search

FOLDER = "running"
"""Of a run folder, where its searches under way are written."""
LOOKED_FOR_S = 15.0
"""So long after the last look somebody is taken to be looking."""
EVERY_S = 1.0
SHARE = 0.01
"""Of a search's time, so much may go into showing it."""
SMALL = 200
"""Trees of no more states are written with the list, so that whoever chooses one of them has it at once."""
_LINES = "searches.json"
_LOOKED = ".looked"


@dataclass(frozen=True, slots=True)
class Running:
    """A search under way, or one that has just ended.

    Attributes:
        place: where it belongs below a folder of saved searches.
    """

    theorem: str
    file_path: str
    prover: str
    place: Path
    search: Search

    @property
    def states(self) -> int:
        """How many states are known."""
        return sum(len(graph.nodes) for graph in self.search.graphs)

    def record(self, *, is_over: bool = False) -> SavedSearch:
        """Return all of it as it is now."""
        return record_search(
            self.search, theorem=self.theorem, file_path=self.file_path, prover=self.prover, is_over=is_over
        )


class Watcher(Protocol):
    """Is shown the searches of a prover, in the prover's thread."""

    def turn(self, searches: Iterable[Running]) -> None:
        """Take in where searches stand after one of the prover's turns."""
        ...

    def ended(self, running: Running) -> None:
        """Take in that a search has ended."""
        ...


@dataclass(frozen=True, slots=True)
class SearchLine:
    """A search in a list.

    Attributes:
        path: below its run folder, or below the folder of those under way.
    """

    path: str
    theorem: str
    prover: str
    search: str
    status: str
    states: int
    lean_calls: int
    seconds: float


class Pace:
    """Lets something be done now and then: at most once in ``every_s``, and for no more than a share of all time."""

    def __init__(
        self, every_s: float = EVERY_S, share: float = SHARE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._every_s = every_s
        self._share = share
        self._clock = clock
        self._next = clock()

    @property
    def is_due(self) -> bool:
        """Whether it may be done now."""
        return self._clock() >= self._next

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count the time of the block, by which the next time is put off."""
        began = self._clock()
        yield
        took = self._clock() - began
        self._next = self._clock() + max(self._every_s, took * (1 / self._share - 1))


class LiveTrees:
    """Writes searches under way into a folder while somebody looks; what it cannot write it leaves out.

    As a context manager it makes the folder, and removes it in the end.

    Args:
        folder: of the searches under way of one run.
        clock: seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder = folder
        self._clock = clock
        self._pace = Pace(clock=clock)
        self._looks: dict[Path, tuple[int, float]] = {}  # when a file was touched last, and when that was noticed

    def __enter__(self) -> Self:
        self.__exit__()  # what a process that was killed has left
        with suppress(OSError):
            self._folder.mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def turn(self, searches: Iterable[Running]) -> None:
        """Write the list of searches, and the trees of those that are looked at."""
        if not self._pace.is_due:
            return
        with self._pace.working(), suppress(OSError):
            running = list(searches)
            is_listed = self._is_looked_at(self._folder / _LOOKED)
            if is_listed:
                lines = json.dumps([asdict(_line(each)) for each in running], ensure_ascii=False)
                write_atomically(self._folder / _LINES, lines.encode())
            for each in running:
                path = self._folder / each.place
                if self._is_looked_at(_touched(path)) or (is_listed and each.states <= SMALL):
                    write_search(path, each.record())

    def ended(self, running: Running) -> None:
        """Write the end of a search that is looked at."""
        path = self._folder / running.place
        with suppress(OSError):
            if self._is_looked_at(_touched(path)):
                write_search(path, running.record(is_over=True))
            else:
                path.unlink(missing_ok=True)

    def _is_looked_at(self, touched: Path) -> bool:
        """Check whether a file was touched lately; by changes of its time, since the clocks of machines differ."""
        try:
            changed = touched.stat().st_mtime_ns
        except OSError:
            return False
        now = self._clock()
        known, noticed = self._looks.get(touched, (None, now))
        if known != changed:
            noticed = now
        self._looks[touched] = (changed, noticed)
        return now - noticed <= LOOKED_FOR_S


def look(folder: Path, path: str = "") -> None:
    """Ask for the searches under way of a run, or for the tree of one; to be repeated while it is wanted.

    Args:
        folder: of the searches under way.
        path: of the tree, below it.
    """
    touched = _touched(folder / path) if path else folder / _LOOKED
    if folder.is_dir():  # else nothing is searched for
        with suppress(OSError):  # a folder that is for reading only
            touched.parent.mkdir(parents=True, exist_ok=True)
            touched.touch()


def running_searches(folder: Path) -> list[SearchLine]:
    """Return the searches under way in a folder, as they were written last."""
    try:
        return [SearchLine(**line) for line in json.loads((folder / _LINES).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def _line(running: Running) -> SearchLine:
    cost, name = running.search.cost, running.search.name
    counts = (running.states, cost.lean_calls, round(cost.seconds, 1))
    return SearchLine(running.place.as_posix(), running.theorem, running.prover, name, "running", *counts)


def _touched(path: Path) -> Path:
    return path.with_name(path.name + _LOOKED)
