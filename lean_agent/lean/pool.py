"""A pool of Lean processes behind the :class:`~lean_agent.lean.server.LeanServer` interface.

Owns where work goes, deadlines, replacement and retry. States are addressed by content (:attr:`GoalState.key`): any
process can serve any state, and rebuilds the one that it does not hold from the nearest ancestor that it does. A
process that dies, hangs or grows too large is replaced, and what was in flight is tried once more. What fails twice is
told by name.

All work happens on one event loop in a thread of the pool's own (:mod:`lean_agent.lean.faces`).
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import math
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from lean_agent.errors import (
    LeanError,
    LeanProcessDied,
    LeanRequestError,
    LeanStartupError,
    LeanTimeout,
    TacticFailure,
)
from lean_agent.files import write_atomically
from lean_agent.lean import wire
from lean_agent.lean.checker import Checker
from lean_agent.lean.embedded.install import LEAN_VERSION, Installation
from lean_agent.lean.faces import Faces
from lean_agent.lean.process import LeanProcess
from lean_agent.lean.runtime import EmbeddedRuntime, Runtime, choose_runtime
from lean_agent.lean.server import PROGRAM_MARK, TacticResult
from lean_agent.lean.turns import Turns
from lean_agent.lean.types import GoalState, LeanProject, Origin, Subgoals, TheoremSite, TracedFile, Verdict

T = TypeVar("T")
Item = TypeVar("Item")
Result = TypeVar("Result")
Pair = tuple[GoalState, str]
Json = dict[str, Any]

_PROMPT_S = 60.0  # for what Lean does at once
_GONE = "the Lean process that held this has been replaced"
_GROWN_MB = 32  # a process has grown when its heap has by so much
_TACTICS_A_START = 8  # what is likely to be asked of a proof that has been started
_CHUNK = 32  # items of one request: enough to hide the pipe, few enough that a dead process costs little


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits of a pool.

    Attributes:
        tactic_timeout_s: wall-clock seconds of one tactic (heartbeats stop most runaways earlier).
        start_timeout_s: seconds of one start of a proof.
        verify_timeout_s: seconds of one verification.
        file_timeout_s: seconds to elaborate or trace one file.
        max_heap_mb: a process whose Lean heap is larger after an answer is replaced (the hard limit is 2,048).
        evict_heap_mb: from this size on, a process that has grown forgets the states and files used longest ago, half
            of them each time. They are made again when they are asked for.
        open_files: elaborated files that a process keeps; the one used longest ago goes first.
        requests: so many requests (of up to 32 items) wait or run; who comes then waits until one is done.
    """

    tactic_timeout_s: float = 10.0
    start_timeout_s: float = 30.0
    verify_timeout_s: float = 60.0
    file_timeout_s: float = 900.0
    max_heap_mb: int = 1500
    evict_heap_mb: int = 900
    open_files: int = 16
    requests: int = 256


@dataclass(eq=False)
class _Worker:
    """One place for a process, and what lives there. ``generation`` changes with every process that takes it.

    Attributes:
        files: keys of the files that are open, in the order of their last use.
        states: the process's own number for each state that it holds, by key, in the order of their last use.
        dropped: numbers of states that it may forget, from its next turn on.
        forgettable: those of the turns before; told with the next request.
        evicted_mb: the size of the heap after which states were evicted last.
        projects: build folders of what was elaborated here.
    """

    generation: int
    process: LeanProcess | None = None
    files: dict[str, None] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    dropped: list[int] = field(default_factory=list)
    forgettable: list[int] = field(default_factory=list)
    evicted_mb: int = 0
    projects: set[Path] = field(default_factory=set)

    def keep(self, key: str, number: int) -> None:
        """A state has been made, or used."""
        old = self.states.pop(key, number)
        if old != number:
            self.dropped.append(old)
        self.states[key] = number

    def drop(self, key: str) -> None:
        """A state is needed no more."""
        if (number := self.states.pop(key, None)) is not None:
            self.dropped.append(number)

    def empty(self, generation: int) -> None:
        """Nothing lives here any more: a new process comes."""
        self.generation = generation
        self.files.clear()
        self.states.clear()
        self.dropped.clear()
        self.forgettable.clear()
        self.projects.clear()
        self.evicted_mb = 0

    def opened(self, file: str) -> bool:
        """Whether a file is open here, in whatever version of its text."""
        return any(key.startswith(file + "-") for key in self.files)


class _Pace:
    """Seconds that things take here, as a running mean: what it costs to have something in another process."""

    def __init__(self) -> None:
        self._seconds = {"process": 2.0, "open": 0.5, "start": 0.05, "tactic": 0.01}

    def __getitem__(self, what: str) -> float:
        return self._seconds[what]

    @contextmanager
    def measured(self, what: str, items: int = 1) -> Iterator[None]:
        began = time.monotonic()
        yield
        each = (time.monotonic() - began) / items
        self._seconds[what] += (each - self._seconds[what]) / 8


def _digest(text: bytes | str) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


class LeanPool(Faces):
    """``workers`` Lean processes (embedded: 0.6 GB each at their start), started when first needed.

    Args:
        lean: ``embedded``, ``native``, or the path of a toolchain; see :func:`~lean_agent.lean.runtime.choose_runtime`.
        where: an embedded Lean that is installed elsewhere.

    Raises:
        LeanInstallError: there is no such toolchain.
    """

    def __init__(
        self,
        workers: int = 1,
        *,
        limits: PoolLimits | None = None,
        lean: str | None = None,
        where: Installation | None = None,
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one process, not {workers}")
        self.limits = limits or PoolLimits()
        self.runtime: Runtime = EmbeddedRuntime(where) if where else choose_runtime(lean)
        self._generations = itertools.count()
        super().__init__("Lean pool")
        self._workers = [_Worker(next(self._generations)) for _ in range(workers)]
        self._turns = Turns(self._workers, most=self.limits.requests)
        self._pace = _Pace()
        self._checker = Checker(self._started, max_heap_mb=self.limits.max_heap_mb)

    version = LEAN_VERSION

    @property
    def workers(self) -> int:
        """See :attr:`LeanServer.workers`."""
        return len(self._workers)

    @property
    def busy_s(self) -> float:
        """Seconds that Lean itself has worked on requests, in the processes that run now."""
        return sum(w.process.busy_s for w in self._workers if w.process is not None)

    def module_path(self, project: LeanProject, file_path: str) -> Path:
        """See :meth:`LeanServer.module_path`."""
        return (self.runtime.folder(project.build) / file_path).with_suffix(".olean")

    def pids(self) -> list[int]:
        """Process ids of the running Lean processes."""
        return [w.process.pid for w in self._workers if w.process is not None]

    async def _shut_down(self) -> None:
        running = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for worker in self._workers:
            if worker.process is not None:
                await worker.process.kill()
        await self._checker.close()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    # -- processes

    async def _process(self, worker: _Worker) -> LeanProcess:
        """The worker's process, started or replaced if need be. Call in the worker's turn."""
        if worker.process is not None and worker.process.alive and worker.process.heap_mb <= self.limits.max_heap_mb:
            return worker.process
        return await self._replaced(worker)

    async def _replaced(self, worker: _Worker) -> LeanProcess:
        if worker.process is not None:
            await worker.process.kill()
            worker.process = None
        worker.empty(next(self._generations))
        with self._pace.measured("process"):
            worker.process = await self._started()
        return worker.process

    async def _started(self) -> LeanProcess:
        """A new process. One that is killed while it starts gets a second try, like any other."""
        where = await asyncio.to_thread(self.runtime.installed)
        try:
            return await LeanProcess.start(where)
        except LeanProcessDied:
            try:
                return await LeanProcess.start(where)
            except LeanProcessDied as e:
                raise LeanStartupError(f"{where.name} was killed twice while it started; is memory short? {e}") from e

    def _idlest(self, file: str | None = None) -> _Worker:
        """The worker with the least to do; among equals one that has the file, or a process, already."""
        return min(
            self._workers,
            key=lambda w: (self._turns.backlog(w), file is not None and not w.opened(file), w.process is None),
        )

    async def _on_worker(
        self,
        home: _Worker,
        work: Callable[[_Worker, LeanProcess], Coroutine[Any, Any, T]],
        needs: Callable[[_Worker], float] = lambda _: 0.0,
    ) -> T:
        """Do work in a process: at ``home``, or where it can be done sooner.

        Args:
            needs: the seconds that it takes a worker to have what the work needs and it does not hold.
        """
        starts = self._pace["process"]

        async with self._turns.turn(home, lambda w: needs(w) + (starts if w.process is None else 0.0)) as worker:
            process = await self._process(worker)
            worker.forgettable += worker.dropped  # what is dropped during a turn may be in use in it
            worker.dropped = []
            result = await work(worker, process)
            if worker.process is process:
                await self._evict(worker, process)
            return result

    async def _evict(self, worker: _Worker, process: LeanProcess) -> None:
        """Forget what was used longest ago when the process has grown. Lean's heap never shrinks, but what is free in
        it is used again; so half of the states goes each time that it has grown still."""
        if process.heap_mb < max(self.limits.evict_heap_mb, worker.evicted_mb + _GROWN_MB):
            return
        worker.evicted_mb = process.heap_mb
        for key in list(worker.states)[: len(worker.states) // 2]:
            worker.drop(key)
        await self._forget(worker, process, list(worker.files)[: len(worker.files) // 2])

    async def ask(
        self, op: str, *, timeout_s: float, generation: int | None = None, **fields: Any
    ) -> tuple[int, dict[str, Any]]:
        """One raw request, for rooms that keep values of their own in a process. To be awaited on :attr:`loop`.

        Args:
            generation: the process that must answer, as an earlier call named it; ``None`` takes the idlest.

        Returns:
            The generation that answered, which changes when a process is replaced, and its answer.

        Raises:
            LeanProcessDied: the process ended, or has been replaced by now; nothing is tried twice.
            LeanTimeout: no answer within ``timeout_s``.
        """
        home = self._idlest() if generation is None else self._of_generation(generation)
        if home is None:
            raise LeanProcessDied(_GONE)
        async with self._turns.turn(home, lambda _: 0.0 if generation is None else math.inf) as worker:
            # one that is asked for by name is not replaced for its size: its values would be lost half-way
            process = await self._process(worker) if generation is None else worker.process
            if process is None or not process.alive or generation not in (None, worker.generation):
                raise LeanProcessDied(_GONE)
            return worker.generation, await process.request(op, timeout_s=timeout_s, **fields)

    def has_outgrown(self, generation: int) -> bool:
        """Whether a process that :meth:`ask` named is larger than the limit, and due to be replaced."""
        worker = self._of_generation(generation)
        return worker is not None and worker.process is not None and worker.process.heap_mb > self.limits.max_heap_mb

    def _of_generation(self, generation: int) -> _Worker | None:
        return next((w for w in self._workers if w.generation == generation), None)

    # -- files

    def _source(self, project: LeanProject, file_path: str) -> tuple[str, str]:
        """(key, text) of a file; the key changes with the text."""
        if project.lean is not None and (project.lean == "embedded") != self.runtime.confines:
            raise LeanRequestError(
                f"the project in {project.root} is to run on {project.lean} Lean, and this server runs "
                f"{self.runtime.name}; LeanPool(lean={project.lean!r}) is a server for it"
            )
        try:
            data = (project.root / file_path).read_bytes()
            text = data.decode("utf-8")
        except FileNotFoundError:
            raise LeanRequestError(f"there is no file {file_path} in {project.root}") from None
        except UnicodeDecodeError:
            raise LeanRequestError(f"{file_path} is not UTF-8 text, which Lean requires") from None
        return f"{_file(project, file_path)}-{_digest(data)}", text

    def _elaborates(self, worker: _Worker, process: LeanProcess, project: LeanProject) -> None:
        """Note what a process is about to load. What compiled modules were made from, their marks tell."""
        worker.projects.add(project.build)
        folders = [self.runtime.folder(build) for build in (project.build, *project.libraries)]
        if process.program is None and any(any(folder.rglob(f"*{PROGRAM_MARK}")) for folder in folders):
            process.program = "a module that was compiled where programs ran"

    async def _open(self, worker: _Worker, process: LeanProcess, project: LeanProject, file_path: str) -> str:
        key, text = self._source(project, file_path)
        if key not in worker.files:
            place = self.runtime.place(project)
            self._elaborates(worker, process, project)
            with self._pace.measured("open"):
                answer = await process.request(
                    "open",
                    timeout_s=self.limits.file_timeout_s,
                    file=key,
                    module=_module(file_path),
                    text=text,
                    **place,
                )
            _refuse_errors(answer, file_path)
            too_many = max(0, len(worker.files) + 1 - self.limits.open_files)
            await self._forget(worker, process, list(worker.files)[:too_many])
        worker.files.pop(key, None)
        worker.files[key] = None
        return key

    async def _forget(self, worker: _Worker, process: LeanProcess, files: Sequence[str]) -> None:
        for file in files:
            await process.request("forget", timeout_s=_PROMPT_S, file=file)
            del worker.files[file]

    def _ready_s(self, files: Iterable[str | None], worker: _Worker) -> float:
        """Seconds until a worker has a process with these files open."""
        return self._opens(files, worker) + (self._pace["process"] if worker.process is None else 0.0)

    def _opens(self, files: Iterable[str | None], worker: _Worker) -> float:
        """Seconds to open those of the files that a worker has not."""
        return self._pace["open"] * sum(file is not None and not worker.opened(file) for file in set(files))

    async def _trace(self, project: LeanProject, file_path: str) -> TracedFile:
        try:
            return await self._trace_file(project, file_path)
        except OSError as e:
            raise LeanError(f"{file_path}: its compiled module cannot be kept in {project.build}: {e.strerror}") from e

    async def _trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        key, text = self._source(project, file_path)
        place = self.runtime.place(project)
        compiled = Path(file_path).with_suffix(".olean")

        async def work(worker: _Worker, process: LeanProcess) -> TracedFile:
            if process.program is not None and worker.projects - {project.build, *project.libraries}:
                process = await self._replaced(worker)  # what others ran here shall not get into this project's modules
            self._elaborates(worker, process, project)
            answer = await process.request(
                "trace",
                timeout_s=self.limits.file_timeout_s,
                file=key,
                module=_module(file_path),
                text=text,
                olean=self.runtime.module_file(project, compiled),
                **place,
            )
            _refuse_errors(answer, file_path)
            await asyncio.to_thread(self._keep_module, process, project, compiled, answer)
            return wire.traced_file(answer, file_path)

        return await self._twice(lambda: self._on_worker(self._idlest(), work))

    def _keep_module(self, process: LeanProcess, project: LeanProject, compiled: Path, answer: Json) -> None:
        mark = (self.runtime.folder(project.build) / compiled).with_suffix(PROGRAM_MARK)
        if process.program is not None:
            write_atomically(mark, process.program.encode())
        self.runtime.keep(project, compiled, answer)
        if process.program is None:
            mark.unlink(missing_ok=True)

    async def _verify(
        self, site: TheoremSite, proof: str, whole_file: bool, allowed: Sequence[str], timeout_s: float | None
    ) -> Verdict:
        limit = timeout_s or self.limits.verify_timeout_s
        file = _file(site.project, site.file_path)
        home = self._idlest(file)

        async def work(worker: _Worker, process: LeanProcess) -> Json:
            opened = await self._open(worker, process, site.project, site.file_path)
            place = self.runtime.place(site.project)
            answer = await process.request(
                "verify",
                timeout_s=limit + 10,
                file=opened,
                theorem=site.full_name,
                proof=proof,
                wholeFile=whole_file,
                axioms=list(allowed),
                limit=_ms(limit),
                export=self.runtime.confines and process.program is not None,
                **place,
            )
            _refuse_errors(answer, site.full_name)
            return answer

        async def second_opinion(export: Json) -> Json:
            return await self._checker.check(export, site.full_name, allowed, timeout_s=limit)

        try:
            answer = await self._twice(lambda: self._on_worker(home, work, lambda w: self._opens([file], w)))
            if export := answer.get("export"):
                answer = await self._twice(lambda: second_opinion(export))
            return wire.verdict(answer)
        except LeanTimeout as e:
            return Verdict("timeout", str(e))

    async def _twice(self, attempt: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Try again once when the process died under the work; a time-out is final."""
        try:
            return await attempt()
        except LeanProcessDied:
            return await attempt()

    # -- many items at once

    async def _batch(
        self,
        items: Sequence[Item],
        homes: Sequence[_Worker],
        work: Callable[[_Worker, LeanProcess, list[Item]], Coroutine[Any, Any, list[Result]]],
        needs: Callable[[list[Item], _Worker], float],
    ) -> list[Result | LeanError]:
        """Do the items in chunks of those with the same home, some chunks at a time."""
        results: list[Result | LeanError] = [LeanRequestError("lost")] * len(items)
        lanes = [[i for i, home in enumerate(homes) if home is worker] for worker in self._workers]
        at_once = asyncio.Semaphore(2 * len(self._workers))

        async def run(home: _Worker, chunk: list[int]) -> None:
            async with at_once:
                found = await self._item_by_item(home, [items[i] for i in chunk], work, needs)
            for i, result in zip(chunk, found, strict=True):
                results[i] = result

        longest = max(map(len, lanes))
        await _all(
            run(worker, lane[at : at + _CHUNK])
            for at in range(0, longest, _CHUNK)
            for worker, lane in zip(self._workers, lanes, strict=True)
            if at < len(lane)
        )
        return results

    async def _item_by_item(
        self,
        home: _Worker,
        items: list[Item],
        work: Callable[[_Worker, LeanProcess, list[Item]], Coroutine[Any, Any, list[Result]]],
        needs: Callable[[list[Item], _Worker], float],
    ) -> list[Result | LeanError]:
        """Run a chunk. When its process dies, run the items one by one: each gets its second try, and only the guilty
        one fails."""

        async def attempt(some: list[Item]) -> list[Result | LeanError]:
            done = lambda worker, process: work(worker, process, some)  # noqa: E731
            return list(await self._on_worker(home, done, lambda w: needs(some, w)))

        try:
            return await attempt(items)
        except (LeanProcessDied, LeanTimeout) as e:
            if len(items) > 1:
                return [(await self._item_by_item(home, [item], work, needs))[0] for item in items]
            if isinstance(e, LeanTimeout):
                return [e]
        try:
            return await attempt(items)
        except (LeanProcessDied, LeanTimeout) as e:
            return [e]

    # -- starts

    async def _starts(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]:
        if not origins:
            return []

        async def work(worker: _Worker, process: LeanProcess, chunk: list[Origin]) -> list[GoalState | LeanError]:
            return await self._start_now(worker, process, chunk, timeout_s)

        def needs(chunk: list[Origin], worker: _Worker) -> float:
            return self._opens(map(_file_of, chunk), worker)

        return await self._batch(origins, self._shared_out(origins), work, needs)

    def _shared_out(self, origins: Sequence[Origin]) -> list[_Worker]:
        """Which process starts which origin: those of a file together, where they are done soonest; in more processes
        when there are so many that the work on them outweighs the opening of the file there."""
        by_file: dict[str | None, list[int]] = {}
        for i, origin in enumerate(origins):
            by_file.setdefault(_file_of(origin), []).append(i)
        each = self._pace["start"] + _TACTICS_A_START * self._pace["tactic"]
        workers = range(len(self._workers))
        todo = [self._turns.backlog(worker) * _CHUNK * self._pace["tactic"] for worker in self._workers]
        homes = [self._workers[0]] * len(origins)
        for file, mine in by_file.items():
            ready = [self._ready_s([file], worker) for worker in self._workers]
            soonest = [at for _, at in sorted((todo[at] + ready[at], at) for at in workers)]
            count = 1
            while count < len(soonest) and len(mine) * each / (count * (count + 1)) > ready[soonest[count]]:
                count += 1
            share = -(-len(mine) // count)
            for at, first in zip(soonest, range(0, len(mine), share), strict=False):
                part = mine[first : first + share]
                todo[at] += ready[at] + len(part) * each
                for i in part:
                    homes[i] = self._workers[at]
        return homes

    async def _start_now(
        self, worker: _Worker, process: LeanProcess, origins: Sequence[Origin], timeout_s: float | None
    ) -> list[GoalState | LeanError]:
        limit = timeout_s or self.limits.start_timeout_s
        if len(parts := self._at_once(origins)) > 1:
            return [r for part in parts for r in await self._start_now(worker, process, part, timeout_s)]
        items: list[Json] = []
        settled: dict[int, GoalState | LeanError] = {}  # what needs no `start`
        roots: dict[int, str] = {}
        for i, origin in enumerate(origins):
            if isinstance(origin, Subgoals):
                settled[i] = await self._start_subgoals(worker, process, origin)
                continue
            if isinstance(origin, str):
                items.append({"expr": origin, "limit": _ms(limit)})
                roots[i] = _address("", origin)
                continue
            try:
                key = await self._open(worker, process, origin.project, origin.file_path)
            except LeanRequestError as e:
                settled[i] = e
                continue
            item: Json = {"file": key, "theorem": origin.full_name, "limit": _ms(limit)}
            if origin.position is not None:
                item["position"] = origin.position
            items.append(item)
            roots[i] = _address(key, origin.full_name, origin.position)
        if not items:
            return list(settled.values())
        with self._pace.measured("start", len(items)):
            answers = iter(await self._asked(worker, process, "start", items, (limit + 6) * len(items) + 10))
        results: list[GoalState | LeanError] = []
        for i, origin in enumerate(origins):
            if i in settled:
                results.append(settled[i])
                continue
            j = next(answers)
            if "failure" in j or "error" in j:
                results.append(
                    LeanRequestError(f"no proof can start at {_shown(origin)}: {j.get('message') or j.get('error')}")
                )
            else:
                root = roots[i]
                worker.keep(root, j["state"])
                results.append(wire.goal_state(j, origin, (), root, root))
        return results

    def _at_once(self, origins: Sequence[Origin]) -> list[list[Origin]]:
        """Origins in parts of no more files than a process keeps open."""
        parts: list[list[Origin]] = [[]]
        files: set[str | None] = set()
        for origin in origins:
            if len(files | {_file_of(origin)}) > self.limits.open_files:
                parts.append([])
                files = set()
            files.add(_file_of(origin))
            parts[-1].append(origin)
        return parts

    async def _asked(
        self, worker: _Worker, process: LeanProcess, op: str, items: list[Json], timeout_s: float
    ) -> list[Json]:
        """The answers to items of one kind. What the process may forget is told on the way."""
        forgettable, worker.forgettable = worker.forgettable, []
        answer = await process.request(op, timeout_s=timeout_s, items=items, release=forgettable)
        _refuse_errors(answer, op)
        found: list[Json] = answer["items"]
        return found

    async def _start_subgoals(self, worker: _Worker, process: LeanProcess, origin: Subgoals) -> GoalState | LeanError:
        """Some goals of a state, from the beginning."""
        root = self._root(origin.origin)
        before = GoalState(origin.origin, origin.script, (), key=_chain(root, origin.script)[-1], root=root)
        here = await self._number(worker, process, before)
        if isinstance(here, LeanError):
            return here
        parts = (await self._split_now(worker, process, [(before, here, (origin.goals,))]))[0]
        return parts if isinstance(parts, LeanError) else parts[0]

    # -- addresses

    def _root(self, origin: Origin) -> str:
        """The key of the state in which a proof starts: what it depends on, the text of its file included."""
        if isinstance(origin, str):
            return _address("", origin)
        if isinstance(origin, Subgoals):
            return _part(_chain(self._root(origin.origin), origin.script)[-1], origin.goals)
        key, _ = self._source(origin.project, origin.file_path)
        return _address(key, origin.full_name, origin.position)

    def _home(self, state: GoalState) -> _Worker:
        """Where a state lives, or would best be rebuilt."""
        holders = [worker for worker in self._workers if state.key in worker.states]
        return min(holders, key=self._turns.backlog) if holders else self._idlest(_file_of(state.origin))

    def _moves(self, states: Iterable[GoalState], worker: _Worker) -> float:
        """Seconds to rebuild those of the states that a worker does not hold."""
        missing = {state.key: state for state in states if state.key not in worker.states}.values()
        replay = sum(self._pace["start"] + len(state.script) * self._pace["tactic"] for state in missing)
        return replay + self._opens((_file_of(state.origin) for state in missing), worker)

    async def _number(self, worker: _Worker, process: LeanProcess, state: GoalState) -> int | LeanError:
        """The process's own number for a state, which it rebuilds from the nearest ancestor that it holds."""
        keys = _chain(state.root, state.script)
        known = max((i for i, key in enumerate(keys) if key in worker.states), default=-1)
        if known < 0:
            began = (await self._start_now(worker, process, [state.origin], None))[0]
            if isinstance(began, LeanError):
                return began
            if began.key != state.root:
                return LeanRequestError(f"the file of {_shown(state.origin)} has changed since this state was made")
            known = 0
        worker.keep(keys[known], worker.states[keys[known]])
        limit = self.limits.tactic_timeout_s
        for before, after, tactic in zip(keys[known:], keys[known + 1 :], state.script[known:], strict=False):
            item = {"state": worker.states[before], "tactic": tactic, "limit": _ms(limit)}
            (j,) = await self._asked(worker, process, "tactic", [item], limit + 16)
            if "state" not in j:
                return LeanRequestError(f"a state could not be rebuilt: `{tactic}`: {j.get('message') or j['error']}")
            worker.keep(after, j["state"])
        return worker.states[keys[-1]]

    # -- goals apart

    async def _splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        if not states:
            return []

        async def work(
            worker: _Worker, process: LeanProcess, chunk: list[GoalState]
        ) -> list[list[GoalState] | LeanError]:
            numbers = [await self._number(worker, process, state) for state in chunk]
            here = [
                (state, number, state.groups)
                for state, number in zip(chunk, numbers, strict=True)
                if not isinstance(number, LeanError)
            ]
            parts = iter(await self._split_now(worker, process, here))
            return [number if isinstance(number, LeanError) else next(parts) for number in numbers]

        return await self._batch(states, [self._home(state) for state in states], work, self._moves)

    async def _split_now(
        self,
        worker: _Worker,
        process: LeanProcess,
        asked: Sequence[tuple[GoalState, int, tuple[tuple[int, ...], ...]]],
    ) -> list[list[GoalState] | LeanError]:
        """These goals of these states (given with their numbers), each group as a state of its own."""
        if not asked:
            return []
        items = [{"state": number, "groups": groups} for _, number, groups in asked]
        results: list[list[GoalState] | LeanError] = []
        answers = await self._asked(worker, process, "split", items, _PROMPT_S)
        for (state, _, groups), j in zip(asked, answers, strict=True):
            if "error" in j:
                results.append(LeanRequestError(f"the goals could not be taken apart: {j['error']}"))
                continue
            parts = []
            for group, part in zip(groups, j["parts"], strict=True):
                root = _part(state.key, group)
                worker.keep(root, part["state"])
                parts.append(wire.goal_state(part, Subgoals(state.origin, state.script, group), (), root, root))
            results.append(parts)
        return results

    # -- tactics

    async def _tactics(self, pairs: Sequence[Pair], timeout_s: float | None) -> list[TacticResult]:
        if not pairs:
            return []
        limit = timeout_s or self.limits.tactic_timeout_s

        async def work(worker: _Worker, process: LeanProcess, chunk: list[Pair]) -> list[TacticResult]:
            return await self._tactics_now(worker, process, chunk, limit)

        def needs(chunk: list[Pair], worker: _Worker) -> float:
            return self._moves((state for state, _ in chunk), worker)

        homes = {state.key: self._home(state) for state, _ in pairs}
        found = await self._batch(pairs, [homes[state.key] for state, _ in pairs], work, needs)
        # a tactic that no limit could stop, found by its process being killed, failed like any other that ran too long
        return [
            TacticFailure(tactic, "timeout", str(r)) if isinstance(r, LeanTimeout) else r
            for r, (_, tactic) in zip(found, pairs, strict=True)
        ]

    async def _tactics_now(
        self, worker: _Worker, process: LeanProcess, pairs: list[Pair], limit: float
    ) -> list[TacticResult]:
        """Each distinct pair is run once, however often it is asked for."""
        numbers: dict[str, int | LeanError] = {}
        for state, _ in pairs:
            if state.key not in numbers:
                numbers[state.key] = await self._number(worker, process, state)
        asked = list(
            {(state.key, t): number for state, t in pairs if isinstance(number := numbers[state.key], int)}.items()
        )
        items = [{"state": number, "tactic": tactic, "limit": _ms(limit)} for (_, tactic), number in asked]
        answers: dict[tuple[str, str], Json] = {}
        if items:
            with self._pace.measured("tactic", len(items)):
                found = await self._asked(worker, process, "tactic", items, (limit + 6) * len(items) + 10)
            answers = {pair: j for (pair, _), j in zip(asked, found, strict=True)}
        for (key, tactic), j in answers.items():
            if "state" in j:
                worker.keep(_child(key, tactic), j["state"])
        return [self._tactic_result(state, tactic, numbers[state.key], answers) for state, tactic in pairs]

    def _tactic_result(
        self, state: GoalState, tactic: str, number: int | LeanError, answers: dict[tuple[str, str], Json]
    ) -> TacticResult:
        if isinstance(number, LeanError):
            return number
        j = answers[state.key, tactic]
        if "failure" in j:
            return wire.failure(j, tactic)
        if "error" in j:
            return LeanRequestError(f"`{tactic}` could not be run: {j['error']}")
        return wire.goal_state(j, state.origin, (*state.script, tactic), _child(state.key, tactic), state.root)

    async def _release(self, states: Sequence[GoalState]) -> None:
        for worker in self._workers:
            for state in states:
                worker.drop(state.key)


def _file(project: LeanProject, file_path: str) -> str:
    """A file in whatever version of its text: the beginning of the keys of all of them."""
    place = _digest("\n".join(map(str, (project.build, *project.libraries))))
    return f"{file_path}@{place}"


def _file_of(origin: Origin) -> str | None:
    """The file that an origin is in; ``None`` without one."""
    while isinstance(origin, Subgoals):
        origin = origin.origin
    return None if isinstance(origin, str) else _file(origin.project, origin.file_path)


def _address(*content: str | int | None) -> str:
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _child(key: str, tactic: str) -> str:
    return _address(key, tactic)


def _part(key: str, goals: Sequence[int]) -> str:
    return _address(key, *goals)


def _chain(root: str, script: Sequence[str]) -> list[str]:
    """The keys of the states that a script leads through, the first and the last included."""
    keys = [root]
    for tactic in script:
        keys.append(_child(keys[-1], tactic))
    return keys


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; when one fails, or the caller is cancelled, the others are cancelled, and ended, first."""
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _ms(seconds: float) -> int:
    return max(1, int(seconds * 1000))


def _module(file_path: str) -> str:
    return ".".join(Path(file_path).with_suffix("").parts)


def _shown(origin: Origin) -> str:
    if isinstance(origin, Subgoals):
        return f"goals {origin.goals} of {_shown(origin.origin)} after {origin.script}"
    return f"`{origin}`" if isinstance(origin, str) else f"{origin.full_name} ({origin.file_path})"


def _refuse_errors(answer: Json, what: str) -> None:
    if "error" in answer:
        raise LeanRequestError(f"{what}: {answer['error']}")
