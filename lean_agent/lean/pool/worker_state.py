"""What lives in a worker's process: files, states, and whose programs may have run there.

Owns the process, started and replaced; which files and states are there, which it may forget. Everything here happens
in requests that the scheduler has assigned (:mod:`lean_agent.lean.pool.affinity`), one at a time.

States are found by keys made of what they depend on, so that any process can serve them: a proof's first state by the
text of its file, what that imports, and the theorem; a later one by the state before it and the tactic.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import math
import os
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lean_agent.errors import LeanProcessDied, LeanRequestError, LeanStartupError
from lean_agent.lean.facade import REFUSALS
from lean_agent.lean.pool.affinity import LatencyEstimates
from lean_agent.lean.pool.room import own_mb
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.process.runtime import Runtime
from lean_agent.lean.server import PROGRAMS_SUFFIX
from lean_agent.lean.types import GoalState, LeanProject, Origin, Subgoals, site_of
from lean_agent.settings import Count, Seconds, checked_class


def available_cores() -> int:
    """Return how many processors this process may use; a quota of its container is not known here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@partial(checked_class, refusals=REFUSALS)
@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits of a pool.

    Attributes:
        tactic_timeout_s: seconds of one tactic. Embedded Lean does not count, up to five more, those in which it
            waited for a processor, or slept: what others do on a machine is no reason to stop a tactic.
        start_timeout_s: seconds of one start of a proof.
        verify_timeout_s: seconds of one verification, or of the check of one text.
        grace_s: seconds beyond its limit that a tactic, start or verification may take which does not listen when it is
            told to stop; its process is killed then.
        file_timeout_s: seconds to elaborate or trace one file.
        silent_s: a process that gives signs of life while it works, and gives none for so long, is killed.
        max_heap_mb: a process whose Lean heap is larger after an answer is replaced (the hard limit is 2,048).
        max_resident_mb: a process that takes more memory than this, whatever for, is replaced: beside its heap it has
            code and files, and a stack for each thread that a program has started. Embedded Lean looks every 2 seconds.
        kill_resident_mb: one that takes more than this in the middle of a request is killed at once: a program that
            starts threads without end would have the whole machine's memory before its time is over. The heap and
            what programs write to files in memory stay below it. Of a native Lean mapped modules are left out.
        evict_heap_mb: from this size on, a process that has grown forgets the states used longest ago, half of them
            each time. They are made again when they are asked for.
        evict_files_mb: as ``evict_heap_mb`` for elaborated files, which take a second or more to make again.
        open_files: elaborated files that a process keeps at most; the one used longest ago goes first.
        requests: so many requests (of up to 32 items) wait or run; who comes then waits until one is done.
        cores: processors to make use of. While fewer processes work, a trace uses a second one for what it records.
    """

    tactic_timeout_s: Seconds = 10.0
    start_timeout_s: Seconds = 30.0
    verify_timeout_s: Seconds = 60.0
    grace_s: Seconds = 1.0
    file_timeout_s: Seconds = 900.0
    silent_s: Seconds = 20.0
    max_heap_mb: Count = 1500
    max_resident_mb: Count = 3000
    kill_resident_mb: Count = 6000
    evict_heap_mb: Count = 900
    evict_files_mb: Count = 1200
    open_files: Count = 64
    requests: Count = 256
    cores: Count = field(default_factory=available_cores)


def digest(text: bytes | str) -> str:
    """Return a short hash."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


def file_key(project: LeanProject, file_path: str) -> str:
    """Return a file in whatever version of its text: the beginning of the keys of all of them."""
    place = digest("\n".join(map(str, (project.build, *project.libraries))))
    return f"{file_path}@{place}"


def file_of(origin: Origin) -> str | None:
    """Return the file that an origin is in; ``None`` without one."""
    site = site_of(origin)
    return None if site is None else file_key(site.project, site.file_path)


def root_key(*content: str | int | None) -> str:
    """Return the key of a state that a proof starts with."""
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def child(key: str, tactic: str) -> str:
    """Return the key of the state after a tactic."""
    return root_key(key, tactic)


def part(key: str, goals: Sequence[int]) -> str:
    """Return the key of some of a state's goals, as a state of their own."""
    return root_key(key, *goals)


def chain(root: str, script: Sequence[str]) -> list[str]:
    """Return the keys of the states that a script leads through, the first and the last included."""
    keys = [root]
    for tactic in script:
        keys.append(child(keys[-1], tactic))
    return keys


def shown(origin: Origin) -> str:
    """Return an origin in a message."""
    if isinstance(origin, Subgoals):
        return f"goals {origin.goals} of {shown(origin.origin)} after {origin.script}"
    return f"`{origin}`" if isinstance(origin, str) else f"{origin.full_name} ({origin.file_path})"


logger = logging.getLogger(__name__)

Json = dict[str, Any]
Guest = Path | str
"""The build folder of a project, the key of a session, or ``TEXTS``."""

TEXTS = "texts that are checked"
NO_TEXT = "it is no text: it has half of a surrogate pair"
PROMPT_S = 60.0  # for what Lean does at once
LEMMAS_S = 20.0  # for one goal; the first one waits until the library is read
_CROWDED_S = 60.0  # a session rather waits so long for another process than to begin where others run programs
_GROWN_MB = 32  # a process has grown when its heap has by so much


async def started(runtime: Runtime, limits: PoolLimits, process: type[LeanProcess]) -> LeanProcess:
    """Start a process. One that ends while it starts gets a second try, like any other."""
    where = await asyncio.to_thread(runtime.installed)
    start = partial(
        process.start,
        where,
        kill_resident_mb=limits.kill_resident_mb,
        grace_s=limits.grace_s,
        silent_s=limits.silent_s,
        own_mb=own_mb if runtime.maps_modules else None,
    )
    try:
        return await start()
    except LeanProcessDied as e:
        logger.warning("%s It is started once more.", e)
    try:
        return await start()
    except LeanProcessDied as e:
        raise LeanStartupError(f"{e} So it did the time before. {runtime.suspicion}") from e


class WorkerState:
    """A place for a process, and what is known of the one that has it.

    Args:
        start: starts a process.
        generations: numbers for the processes that take the place, one after the other.
        may_start: tells whether there may be a process in a place that has none.

    Attributes:
        generation: of the process that has the place now.
        process: which that is; ``None`` before the first is needed.
        is_starting: whether one is about to take the place.
        files: keys of the files that are open, in the order of their last use.
        opening: the file that is being opened.
        elaborating: build folder and path of the file that is being elaborated, to be opened or traced.
        states: the process's own number for each state that it holds, by key, in the order of their last use.
    """

    def __init__(
        self,
        runtime: Runtime,
        limits: PoolLimits,
        start: Callable[[], Awaitable[LeanProcess]],
        latency: LatencyEstimates,
        generations: Iterator[int],
        *,
        may_start: Callable[[WorkerState], bool] = lambda _: True,
    ) -> None:
        self._may_start = may_start
        self._runtime = runtime
        self._start_process = start
        self._limits = limits
        self._latency = latency
        self._generations = generations
        self.generation = next(generations)
        self.process: LeanProcess | None = None
        self.is_starting = False
        self.files: dict[str, None] = {}
        self.opening: str | None = None
        self.elaborating: tuple[Path, str] | None = None
        self.states: dict[str, int] = {}
        self._dropped: list[int] = []  # numbers of states that the process may forget, from its next turn on
        self._forgettable: list[int] = []  # those of the turns before; told with the next request
        self._evicted_mb = 0  # the size of the heap after which states were evicted last
        self._idle_s: defaultdict[str, float] = defaultdict(float)  # lost for want of a file since it was open here
        self._guests: set[Guest] = set()  # whose text was elaborated here
        self._sessions: set[str] = set()  # those of them that are sessions, and not over

    # -- what is there

    def opened(self, file: str) -> bool:
        """Check whether a file is open here, or soon, in whatever version of its text."""
        return file == self.opening or any(key.startswith(file + "-") for key in self.files)

    def opening_s(self, files: Iterable[str | None]) -> float:
        """Return the seconds to open those of the files that are not open here, less those that were lost without
        them: once these are as many, opening a file a second time has cost no more than doing without."""
        missing = {file for file in files if file is not None and not self.opened(file)}
        return sum(max(0.0, self._latency.open_s(file) - self._idle_s.get(file, 0.0)) for file in missing)

    def stood_idle(self, files: Collection[str], seconds: float) -> None:
        """Nothing was done here while work on these files waited for another process."""
        for file in files:
            if not self.opened(file):
                self._idle_s[file] += seconds / len(files)

    def starting_s(self) -> float:
        """Return the seconds until there is a process; infinite where there may be none."""
        if self.process is not None:
            return 0.0
        return self._latency["process"] if self.is_starting or self._may_start(self) else math.inf

    def rebuilding_s(self, states: Iterable[GoalState]) -> float:
        """Return the seconds to make those of the states that are not here."""
        missing = {state.key: state for state in states if state.key not in self.states}.values()
        replay = sum(self._latency["start"] + len(state.script) * self._latency["tactic"] for state in missing)
        return replay + self.opening_s(file_of(state.origin) for state in missing)

    def keep(self, key: str, number: int) -> None:
        """Note a state that has been made, or used."""
        old = self.states.pop(key, number)
        if old != number:
            self._dropped.append(old)
        self.states[key] = number

    def drop(self, key: str) -> None:
        """Forget a state that is needed no more."""
        if (number := self.states.pop(key, None)) is not None:
            self._dropped.append(number)

    # -- its process

    @property
    def outgrown(self) -> bool:
        """Whether the process is larger than a limit, and due to be replaced."""
        process, limits = self.process, self._limits
        return process is not None and (
            process.heap_mb > limits.max_heap_mb or process.resident_mb > limits.max_resident_mb
        )

    async def ready(self) -> LeanProcess:
        """Return the process, started or replaced if need be. What was dropped before this turn may be forgotten in
        it; what is dropped during it may be in use."""
        if self.process is None or not self.process.alive or self.outgrown:
            await self._replace()
        self._forgettable += self._dropped
        self._dropped = []
        return self._running

    async def _replace(self) -> None:
        """Nothing lives here any more: a new process comes."""
        if self.process is not None:
            await self.process.kill()
            self.process = None
        self.generation = next(self._generations)
        for held in (self.files, self.states, self._dropped, self._forgettable, self._guests, self._sessions):
            held.clear()
        self._idle_s.clear()
        self._evicted_mb = 0
        self.is_starting = True
        try:
            with self._latency.measured("process"):
                self.process = await self._start_process()
        finally:
            self.is_starting = False

    @property
    def _running(self) -> LeanProcess:
        if self.process is None:
            raise LeanProcessDied("there is no process here")
        return self.process

    async def evict(self) -> None:
        """Forget what was used longest ago when the process has grown. Lean's heap never shrinks, but what is free in
        it is used again; so half of the states goes each time that it has grown still, and later half of the files."""
        process = self._running
        if process.heap_mb < max(self._limits.evict_heap_mb, self._evicted_mb + _GROWN_MB):
            return
        self._evicted_mb = process.heap_mb
        for key in list(self.states)[: len(self.states) // 2]:
            self.drop(key)
        if process.heap_mb >= self._limits.evict_files_mb:
            await self._forget(list(self.files)[: len(self.files) // 2])

    async def _asked(self, op: str, items: list[Json], timeout_s: float) -> list[Json]:
        """Return the answers to items of one kind. What the process may forget is told on the way."""
        forgettable, self._forgettable = self._forgettable, []
        answer = await self._running.request(op, timeout_s=timeout_s, items=items, release=forgettable)
        refuse_errors(answer, op)
        answers: list[Json] = answer["items"]
        return answers

    # -- files

    def _source(self, project: LeanProject, file_path: str) -> tuple[str, str]:
        """Return (key, text) of a file; the key changes with the text and the options that it is elaborated with."""
        if project.lean is not None and (project.lean == "embedded") != self._runtime.confines:
            raise LeanRequestError(
                f"the project in {project.root} is to run on {project.lean} Lean, and this server runs "
                f"{self._runtime.name}; LeanPool(lean={project.lean!r}) is a server for it"
            )
        if not (project.root / file_path).resolve().is_relative_to(project.root.resolve()):
            raise LeanRequestError(f"{file_path} is no file of {project.root}")
        try:
            data = (project.root / file_path).read_bytes()
            text = data.decode("utf-8")
        except FileNotFoundError:
            raise LeanRequestError(f"there is no file {file_path} in {project.root}") from None
        except UnicodeDecodeError:
            raise LeanRequestError(f"{file_path} is not UTF-8 text, which Lean requires") from None
        options = project.options.of(project.module(file_path))
        return f"{file_key(project, file_path)}-{digest(data + repr(options).encode() if options else data)}", text

    # -- whose programs may have run here

    def _strange_to(self, *guests: Guest) -> bool:
        """Check whether programs of others may have run in the process."""
        return self.process is not None and self.process.program is not None and not self._guests <= {*guests}

    async def _alone(self, *guests: Guest | LeanProject) -> None:
        """Have a process in which no programs but the guests' own have run, and which can read the projects' modules.
        A project is the guest of its own build folder and those of its libraries."""
        projects = [guest for guest in guests if isinstance(guest, LeanProject)]
        own = [guest for guest in guests if not isinstance(guest, LeanProject)]
        if self._strange_to(*own, *(build for project in projects for build in builds_of(project))):
            await self._replace()
        await self._show(projects)

    async def _show(self, projects: Iterable[LeanProject]) -> None:
        """Have a process that can read the modules of these projects: one within walls sees what was known of when it
        started."""
        if (shown := self._running.shown) is None:
            return
        needed = [await asyncio.to_thread(self._runtime.shows, project) for project in projects]
        if not shown.issuperset(folder for folders in needed for folder in folders):
            await self._replace()

    def apart_s(self, session: str) -> float:
        """Return the seconds until a session can begin in a process where no programs of others have run; many where
        the sessions that ran them are not over."""
        if not self._strange_to(session):
            return 0.0
        return self._latency["process"] if self._sessions <= {session} else _CROWDED_S

    async def begin_session(self, session: str) -> LeanProcess:
        """Return the process for a session that begins. A session that lives here already keeps its process."""
        if self._sessions <= {session}:
            await self._alone(session)
        self._guests.add(session)
        self._sessions.add(session)
        return self._running

    def end_session(self, session: str) -> None:
        """Forget a session that is over, wherever it lived."""
        self._sessions.discard(session)

    async def _elaborates(self, project: LeanProject) -> _Imported:
        """Note what the process is about to load; returns what is told of the project's compiled modules."""
        self._guests.add(project.build)
        folders = [self._runtime.folder(build) for build in builds_of(project)]
        imported = await asyncio.to_thread(_imported, folders)
        if imported.programs and self._running.program is None:
            self._running.program = "a module that was compiled where programs ran"
        return imported

    async def _open(self, project: LeanProject, file_path: str, *, for_proofs: bool = False) -> str:
        """Have a file open, and return its key.

        Args:
            for_proofs: starts within its theorems' own proofs are next: what Lean records of these as it opens the file
                is kept for them.
        """
        key, text = self._source(project, file_path)
        if key not in self.files:
            place = self._runtime.place(project)
            self.opening = file_key(project, file_path)
            try:
                unbelieved = (await self._elaborates(project)).unbelieved
                with self._latency.opening(self.opening):
                    await self._elaborated(
                        "open",
                        project,
                        file_path,
                        file=key,
                        text=text,
                        unbelieved=unbelieved,
                        proofs=for_proofs,
                        **place,
                    )
                self._idle_s.pop(self.opening, None)
            finally:
                self.opening = None
            too_many = max(0, len(self.files) + 1 - self._limits.open_files)
            await self._forget(list(self.files)[:too_many])
        self.files.pop(key, None)
        self.files[key] = None
        return key

    async def _elaborated(self, op: str, project: LeanProject, file_path: str, **fields: Any) -> Json:
        """Return the answer to a request for which Lean elaborates a whole file."""
        self.elaborating, self._running.reached = (project.build, file_path), 0
        module = project.module(file_path)
        try:
            answer = await self._running.request(
                op, timeout_s=self._limits.file_timeout_s, module=module, options=project.options.of(module), **fields
            )
        finally:
            self.elaborating = None
        refuse_errors(answer, file_path)
        return answer

    async def _forget(self, files: Sequence[str]) -> None:
        for file in files:
            await self._running.request("forget", timeout_s=PROMPT_S, file=file)
            del self.files[file]


def builds_of(project: LeanProject) -> tuple[Path, ...]:
    """Return the build folders of a project: its own, and those of its libraries."""
    return (project.build, *project.libraries)


class _Imported(NamedTuple):
    """What is told of compiled modules by the marks beside them; names by their parts.

    Attributes:
        programs: whether one was made where programs ran.
        unbelieved: constants that the kernel has refused.
        on_axioms: constants that rest on other axioms than Lean's three, each followed by these.
    """

    programs: bool
    unbelieved: list[Json]
    on_axioms: list[Json]


def _imported(folders: Iterable[Path]) -> _Imported:
    marks = []
    for folder in folders:
        for mark in folder.rglob(f"*{PROGRAMS_SUFFIX}"):
            with contextlib.suppress(FileNotFoundError):  # it may be being replaced
                marks.append(json.loads(mark.read_text("utf-8")))
    return _Imported(
        any(mark["program"] is not None for mark in marks),
        [name for mark in marks for name in mark["unbelieved"]],
        [names for mark in marks for names in mark.get("onAxioms", ())],
    )


def is_text(given: str) -> bool:
    """Check whether a string is text: Python's may hold halves of surrogate pairs, which no encoding has."""
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True


def milliseconds(seconds: float) -> int:
    return max(1, int(seconds * 1000))


def refuse_errors(answer: Json, what: str) -> None:
    if "error" in answer:
        raise LeanRequestError(f"{what}: {answer['error']}")
