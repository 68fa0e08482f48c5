"""A pool of Lean processes behind the :class:`~lean_agent.lean.server.LeanServer` interface.

Owns where work goes, deadlines, replacement and retry. States are addressed by content (:attr:`GoalState.key`): any
process can serve any state, and rebuilds the one that it does not hold from the nearest ancestor that it does. A
process that dies, hangs or grows too large is replaced, and what was in flight is tried once more. What fails twice is
told by name.

All work happens on one event loop in a thread of the pool's own (:mod:`lean_agent.lean.facade`).
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, TypeVar

from typing_extensions import override

from lean_agent.errors import (
    CrashKind,
    LeanCrashed,
    LeanError,
    LeanProcessDied,
    LeanRequestError,
    LeanStalled,
    LeanTimeout,
    TacticFailure,
)
from lean_agent.lean.embedded.install import Installation
from lean_agent.lean.pool.affinity import AffinityScheduler, LatencyEstimates
from lean_agent.lean.pool.kernel_check import KernelCheck
from lean_agent.lean.pool.room import Room
from lean_agent.lean.pool.worker import Judged, Pair, Worker
from lean_agent.lean.pool.worker_state import Json, PoolLimits, WorkerState, file_key, file_of, started
from lean_agent.lean.process import codec
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.process.runtime import EmbeddedRuntime, Runtime, choose_runtime
from lean_agent.lean.server import LoopServer, TacticResult
from lean_agent.lean.types import (
    Comparison,
    Conjecture,
    Consequence,
    DeclarationInfo,
    FileVerdict,
    GoalLemma,
    GoalState,
    LeanMessage,
    LeanProject,
    Matches,
    Origin,
    Position,
    TargetComparison,
    TheoremSite,
    TracedFile,
    Verdict,
)
from lean_agent.settings import Count, Seconds

T = TypeVar("T")
Item = TypeVar("Item", bound=Origin | GoalState | Pair)
Result = TypeVar("Result")

_GONE = "the Lean process that held this has been replaced"
_TACTICS_A_START = 8  # what is likely to be asked of a proof that has been started
_CHUNK = 32  # items of one request: enough to hide the pipe, few enough that a dead process costs little


class LeanPool(LoopServer):
    """``workers`` Lean processes (embedded: 0.6 GB each at their start), started when first needed.

    Args:
        lean: ``embedded``, ``native``, or a toolchain's path (:func:`~lean_agent.lean.process.runtime.choose_runtime`).
        where: an embedded Lean that is installed elsewhere.
        process: what a process is started as: of a subclass, which sees every request before Lean does.
        room: tells whether the machine has memory for one more process. Without it work waits for those that run; one
            is always started.

    Raises:
        LeanInstallError: there is no such toolchain.
        LeanTypeError, LeanValueError: ``workers`` is no whole number from 1 on.
    """

    def __init__(
        self,
        workers: Count = 1,
        *,
        limits: PoolLimits | None = None,
        lean: str | None = None,
        where: Installation | None = None,
        process: type[LeanProcess] = LeanProcess,
        room: Room | None = None,
    ) -> None:
        self._room = room or Room()
        self.limits = limits or PoolLimits()
        self.runtime: Runtime = EmbeddedRuntime(where) if where else choose_runtime(lean)
        super().__init__("Lean pool")
        self._latency = LatencyEstimates()
        generations = itertools.count()
        start = partial(started, self.runtime, self.limits, process)
        self._workers = [
            Worker(self.runtime, self.limits, start, self._latency, generations, may_start=self._may_start)
            for _ in range(workers)
        ]
        self._due: Counter[tuple[Worker, str | None]] = Counter()  # files that proofs wait to be started in, and where
        self._scheduler = AffinityScheduler(self._workers, max_requests=self.limits.requests)
        self._kernel_check = KernelCheck(start, max_heap_mb=self.limits.max_heap_mb)

    @property
    @override
    def workers(self) -> int:
        return len(self._workers)

    @property
    @override
    def version(self) -> str:
        return self.runtime.version

    @property
    def busy_s(self) -> float:
        """Seconds that Lean itself has worked on requests, in the processes that run now."""
        return sum(w.process.busy_s for w in self._workers if w.process is not None)

    @override
    def module_path(self, project: LeanProject, file_path: str) -> Path:
        return self.runtime.folder(project.build) / project.compiled(file_path)

    @override
    def under_way(self, project: LeanProject) -> dict[str, int]:
        running = [(worker.elaborating, worker.process) for worker in self._workers]
        return {
            at[1]: process.reached
            for at, process in running
            if at is not None and process is not None and at[0] == project.build
        }

    @override
    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        return self.runtime.package_folders(project)

    def pids(self) -> list[int]:
        """Return the process ids of the running Lean processes."""
        return [w.process.pid for w in self._workers if w.process is not None]

    @override
    async def _shut_down(self) -> None:
        running = self.loop.cancel_work()  # first, or it would start new processes in the place of those that die now
        for worker in self._workers:
            if worker.process is not None:
                await worker.process.kill()
        await self._kernel_check.close()
        await asyncio.gather(*running, return_exceptions=True)

    # -- processes

    def _may_start(self, worker: WorkerState) -> bool:
        """Check whether a worker without a process may have one. Where processes share the modules that they map, the
        first worker's reads them for all."""
        if pids := self.pids():
            return self._room.check(pids)
        return worker is self._workers[0] or not self.runtime.maps_modules

    def _soonest(self, file: str | None = None, needs: Callable[[Worker], float] = lambda _: 0.0) -> Worker:
        """Return the worker that can begin soonest with work on a file.

        Args:
            needs: the seconds that it takes a worker to have what else the work needs.
        """
        return min(self._workers, key=lambda w: self._waiting_s(w) + w.opening_s([file]) + w.starting_s() + needs(w))

    def _waiting_s(self, worker: Worker) -> float:
        """Return the seconds until a worker is done with what it has to do, by the number of its requests."""
        return self._scheduler.backlog(worker) * _CHUNK * self._latency["tactic"]

    async def _on_worker(
        self,
        home: Worker,
        work: Callable[[Worker], Coroutine[Any, Any, T]],
        needs: Callable[[Worker], float] = lambda _: 0.0,
        files: Collection[str] = (),
    ) -> T:
        """Do work in a process: at ``home``, or where it can be done sooner.

        Args:
            needs: the seconds that it takes a worker to have what the work needs and it does not hold.
            files: those that the work is on.
        """

        def move_s(worker: Worker) -> float:
            return max(0.0, needs(worker) - needs(home)) + worker.starting_s()

        async with self._scheduler.assigned(home, move_s, lambda worker, s: worker.stood_idle(files, s)) as worker:
            is_new = worker.process is None
            await worker.ready()
            if is_new:
                self._scheduler.reconsider()
            result = await work(worker)
            await worker.evict()
            return result

    async def ask(
        self, op: str, *, timeout_s: float, generation: int | None = None, **fields: Any
    ) -> tuple[int, dict[str, Any]]:
        """Send one raw request, for rooms that keep values of their own in a process. To be awaited on :attr:`loop`.

        Args:
            generation: the process that must answer, as an earlier call named it; ``None`` takes the idlest.
            fields: with ``session``, the key of the session that asks; without a generation it begins, in a process
                where no programs of others have run, or only those of sessions that are not over.

        Returns:
            The generation that answered, which changes when a process is replaced, and its answer.

        Raises:
            LeanProcessDied: the process ended, or has been replaced by now; nothing is tried twice.
            LeanTimeout: no answer within ``timeout_s``.
        """
        begins: str | None = fields.get("session") if generation is None else None

        def apart_s(worker: Worker) -> float:
            return 0.0 if begins is None else worker.apart_s(begins)

        home = self._soonest(needs=apart_s) if generation is None else self._of_generation(generation)
        if home is None:
            raise LeanProcessDied(_GONE)

        def move_s(worker: Worker) -> float:
            return math.inf if generation is not None else max(0.0, apart_s(worker) - apart_s(home))

        async with self._scheduler.assigned(home, move_s) as worker:
            # one that is asked for by name is not replaced for its size: its values would be lost half-way
            process = await worker.ready() if generation is None else worker.process
            if process is None or not process.alive or generation not in (None, worker.generation):
                raise LeanProcessDied(_GONE)
            if begins is not None:
                process = await worker.begin_session(begins)
            return worker.generation, await process.request(op, timeout_s=timeout_s, **fields)

    def end_session(self, session: str) -> None:
        """End a session that :meth:`ask` named: others may have its process to themselves."""
        for worker in self._workers:
            worker.end_session(session)

    def has_outgrown(self, generation: int) -> bool:
        """Check whether a process that :meth:`ask` named is larger than the limit, and due to be replaced."""
        worker = self._of_generation(generation)
        return worker is not None and worker.outgrown

    def _of_generation(self, generation: int) -> Worker | None:
        return next((w for w in self._workers if w.generation == generation), None)

    # -- files

    @override
    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        # two threads for one file, where a core would have nothing to do: with one for each process they cost 5 %
        return await self._anywhere(
            lambda worker: worker.trace(project, file_path, beside=self._scheduler.busy < self.limits.cores)
        )

    @override
    async def variants_async(
        self, project: LeanProject, file_path: str, theorems: Sequence[str]
    ) -> tuple[Conjecture, ...]:
        return await self._anywhere(lambda worker: worker.variants(project, file_path, theorems))

    @override
    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: Seconds | None = None
    ) -> tuple[LeanMessage, ...]:
        limit = timeout_s or self.limits.verify_timeout_s
        return await self._anywhere(lambda worker: worker.check(text, project, limit))

    @override
    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
    ) -> Verdict:
        limit = timeout_s or self.limits.verify_timeout_s
        file = file_key(site.project, site.file_path)
        home = self._soonest(file)

        def work(worker: Worker) -> Coroutine[Any, Any, Json]:
            return worker.verify(site, proof, whole_file, allowed_axioms, limit)

        try:
            answer = await self._twice(lambda: self._on_worker(home, work, lambda w: w.opening_s([file]), [file]))
            if export := answer.get("export"):
                answer = await self._twice(
                    lambda: self._kernel_check.check(export, site.full_name, allowed_axioms, timeout_s=limit)
                )
            return codec.verdict(answer)
        except LeanTimeout as e:
            return Verdict("timeout", str(e))
        except LeanCrashed as e:
            if e.op in ("verify", "check"):
                return Verdict(e.kind, str(e))
            raise  # the proof was not judged: its file ended the process

    @override
    async def verify_file_async(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
    ) -> FileVerdict:
        limit = timeout_s or self.limits.file_timeout_s
        return await self._judged(
            lambda worker: worker.judge_file(project, file_path, allowed_axioms, limit), allowed_axioms, limit
        )

    @override
    async def verify_text_async(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
    ) -> FileVerdict:
        limit = timeout_s or self.limits.verify_timeout_s
        return await self._judged(
            lambda worker: worker.judge_text(text, project, allowed_axioms, limit), allowed_axioms, limit
        )

    @override
    async def declarations_async(
        self,
        names: Sequence[str],
        *,
        project: LeanProject | None = None,
        file_path: str | None = None,
        timeout_s: Seconds | None = None,
    ) -> list[DeclarationInfo | None]:
        limit = timeout_s or self.limits.verify_timeout_s
        return await self._anywhere(lambda worker: worker.declarations(names, project, file_path, limit))

    @override
    async def matches_async(
        self,
        pattern: str,
        *,
        most: int = 10,
        project: LeanProject | None = None,
        file_path: str | None = None,
        timeout_s: Seconds | None = None,
    ) -> Matches:
        limit = timeout_s or self.limits.verify_timeout_s
        return await self._anywhere(lambda worker: worker.matches(pattern, most, project, file_path, limit))

    def compare(
        self,
        project: LeanProject,
        challenge: str,
        solution: str,
        *,
        theorems: Sequence[str],
        definitions: Sequence[str] = (),
        permitted_axioms: Sequence[str] = ("propext", "Classical.choice", "Quot.sound"),
        timeout_s: Seconds | None = None,
    ) -> Comparison:
        """Judge whether one file of a project proves what another states (:class:`Comparison`), what both import traced
        before.

        Args:
            challenge, solution: the files, relative to ``project.root``.
            theorems: full names. Their statements have to be the same expressions, made of the same definitions.
            definitions: full names of definitions that the challenge may leave open with a ``sorry``.
            permitted_axioms: all that the solution's theorems may rest on.

        Raises:
            LeanRequestError: there is no such file.
            LeanTimeout: Lean was not done within ``timeout_s`` seconds, for each of the files.
        """
        limit = timeout_s or self.limits.file_timeout_s
        names = [*theorems, *definitions]

        async def judged(file: str) -> Judged:
            return await self._anywhere(
                lambda worker: worker.judge_file(project, file, permitted_axioms, limit, statements=names)
            )

        async def compared() -> Comparison:
            asked = await judged(challenge)  # first: nothing of the solution has run by then
            given = await judged(solution)
            verdict = await self._second_opinion(given, permitted_axioms, limit)
            differences = await self._kernel_check.compare(
                asked.answer, given.answer, theorems, definitions, permitted_axioms, timeout_s=limit
            )
            targets = [
                TargetComparison(name, "theorem" if i < len(theorems) else "definition", reason or "")
                for i, (name, reason) in enumerate(zip(names, differences, strict=True))
            ]
            return Comparison(tuple(targets), verdict)

        return self.loop.run(compared())

    async def _judged(
        self, work: Callable[[Worker], Coroutine[Any, Any, Judged]], allowed: Sequence[str], limit: float
    ) -> FileVerdict:
        """Return the verdict on a whole text, after a second opinion where its programs ran."""
        try:
            judged = await self._anywhere(work)
            return await self._second_opinion(judged, allowed, limit)
        except LeanTimeout as e:
            return _unjudged(e, "timeout")
        except LeanProcessDied as e:
            return _unjudged(e, e.kind if isinstance(e, LeanCrashed) else "crashed")

    async def _second_opinion(self, judged: Judged, allowed: Sequence[str], limit: float) -> FileVerdict:
        answer = judged.answer
        if judged.doubted:
            answer = await self._twice(lambda: self._kernel_check.check_file(judged.answer, allowed, timeout_s=limit))
        return codec.file_verdict(answer, judged.text)

    async def _anywhere(self, work: Callable[[Worker], Coroutine[Any, Any, T]]) -> T:
        """Do work where it can begin soonest."""
        return await self._twice(lambda: self._on_worker(self._soonest(), work))

    async def _twice(self, attempt: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Try again once when the process died under the work and not by it; a time-out is final.

        Raises:
            LeanTimeout: it was late, or nothing had worked on it for long, twice.
        """
        for attempts_left in (1, 0):
            try:
                return await attempt()
            except LeanProcessDied as e:
                if attempts_left == 0 or (isinstance(e, LeanCrashed) and e.is_certain):
                    raise _late_if_stalled(e) from None
        raise AssertionError("the second attempt has returned or raised")

    # -- many items at once

    async def _batch(
        self,
        items: Sequence[Item],
        homes: Sequence[Worker],
        work: Callable[[Worker, list[Item]], Coroutine[Any, Any, list[Result]]],
        needs: Callable[[list[Item], Worker], float],
        kinds: Sequence[object] | None = None,
    ) -> list[Result | LeanError]:
        """Do the items in chunks of those with the same home, and of one kind each where kinds are told, some chunks at
        a time."""
        if len(items) == 1:
            return await self._item_by_item(homes[0], list(items), work, needs)
        results: list[Result | LeanError] = [LeanRequestError("lost")] * len(items)
        at_once = asyncio.Semaphore(2 * len(self._workers))

        async def run(home: Worker, chunk: list[int]) -> None:
            async with at_once:
                answers = await self._item_by_item(home, [items[i] for i in chunk], work, needs)
            for i, result in zip(chunk, answers, strict=True):
                results[i] = result

        lanes: dict[Worker, dict[object, list[int]]] = {worker: {} for worker in self._workers}
        for i, home in enumerate(homes):
            lanes[home].setdefault(kinds[i] if kinds else None, []).append(i)
        chunks = [
            [run(home, chunk) for indices in by_kind.values() for chunk in _parts(indices)]
            for home, by_kind in lanes.items()
        ]
        await _all([chunk for turn in zip_longest(*chunks) for chunk in turn if chunk is not None])
        return results

    async def _item_by_item(
        self,
        home: Worker,
        items: list[Item],
        work: Callable[[Worker, list[Item]], Coroutine[Any, Any, list[Result]]],
        needs: Callable[[list[Item], Worker], float],
    ) -> list[Result | LeanError]:
        """Run a chunk. When its process dies, run the items one by one: only the guilty one fails. An item alone is
        tried twice, unless it is what ends the process."""

        async def attempt(chunk: list[Item]) -> list[Result | LeanError]:
            return list(await self._on_worker(home, lambda w: work(w, chunk), lambda w: needs(chunk, w), _files(chunk)))

        try:
            return await attempt(items)
        except (LeanProcessDied, LeanTimeout) as e:
            if len(items) > 1:
                return [(await self._item_by_item(home, [item], work, needs))[0] for item in items]
            if isinstance(e, LeanTimeout) or (isinstance(e, LeanCrashed) and e.is_certain):
                return [e]
        try:
            return await attempt(items)
        except (LeanProcessDied, LeanTimeout) as e:
            return [_late_if_stalled(e)]

    # -- starts

    @override
    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        files = [file_of(origin) for origin in origins]
        homes = self._shared_out(files)
        ours = {(home, file) for home, file in zip(homes, files, strict=True) if file is not None}

        def needs(chunk: list[Origin], worker: Worker) -> float:
            # what somebody else waits for at a place will be open there
            missing = {file for file in map(file_of, chunk) if self._due[worker, file] <= ((worker, file) in ours)}
            return worker.opening_s(missing)

        async def work(worker: Worker, chunk: list[Origin]) -> list[GoalState | LeanError]:
            come({place for place in ours if place[1] in map(file_of, chunk)})  # to whichever place
            return await worker.start(chunk, timeout_s)

        def come(places: set[tuple[Worker, str]]) -> None:
            self._due.subtract(places)
            ours.difference_update(places)

        self._due.update(ours)
        try:
            # by file, so that another process can take one that waits
            return await self._batch(origins, homes, work, needs, files)
        finally:
            come(ours.copy())

    def _shared_out(self, files: Sequence[str | None]) -> list[Worker]:
        """Return which process starts which origin, by its file: those of a file together, where they are done
        soonest; in more processes when there are so many that the work on them outweighs the opening of the file
        there."""
        by_file: dict[str | None, list[int]] = {}
        for i, file in enumerate(files):
            by_file.setdefault(file, []).append(i)
        each = self._latency["start"] + _TACTICS_A_START * self._latency["tactic"]
        workers = range(len(self._workers))
        todo = [self._waiting_s(worker) for worker in self._workers]
        homes = [self._workers[0]] * len(files)
        for file, indices in by_file.items():
            ready = [
                worker.starting_s() + (0.0 if self._due[worker, file] else worker.opening_s([file]))
                for worker in self._workers
            ]
            soonest = [at for _, at in sorted((todo[at] + ready[at], at) for at in workers)]
            count = 1
            while count < len(soonest) and len(indices) * each / (count * (count + 1)) > ready[soonest[count]]:
                count += 1
            share = -(-len(indices) // count)
            for at, first in zip(soonest, range(0, len(indices), share), strict=False):
                part = indices[first : first + share]
                todo[at] += ready[at] + len(part) * each
                for i in part:
                    homes[i] = self._workers[at]
        return homes

    def _home(self, state: GoalState) -> Worker:
        """Return where a state lives, or would best be rebuilt."""
        holders = [worker for worker in self._workers if state.key in worker.states]
        return min(holders, key=self._scheduler.backlog) if holders else self._soonest(file_of(state.origin))

    # -- goals apart, and tactics

    @override
    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        return await self._batch(
            states,
            [self._home(state) for state in states],
            lambda worker, chunk: worker.split(chunk),
            lambda chunk, worker: worker.rebuilding_s(chunk),
        )

    @override
    async def goal_lemmas_async(
        self, states: Sequence[GoalState], *, most: int = 6, laws: int = 0, own: int = 0
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        return await self._batch(
            states,
            [self._home(state) for state in states],
            lambda worker, chunk: worker.lemmas(chunk, most, laws, own),
            lambda chunk, worker: worker.rebuilding_s(chunk),
        )

    @override
    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        return await self._batch(
            states,
            [self._home(state) for state in states],
            lambda worker, chunk: worker.consequences(chunk, most),
            lambda chunk, worker: worker.rebuilding_s(chunk),
        )

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[Pair], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        limit = timeout_s or self.limits.tactic_timeout_s
        homes = {state.key: self._home(state) for state, _ in pairs}
        results = await self._batch(
            pairs,
            [homes[state.key] for state, _ in pairs],
            lambda worker, chunk: worker.tactics(chunk, limit),
            lambda chunk, worker: worker.rebuilding_s(state for state, _ in chunk),
        )
        return [_as_failure(tactic, result) for result, (_, tactic) in zip(results, pairs, strict=True)]

    @override
    async def release_async(self, states: Sequence[GoalState]) -> None:
        for worker in self._workers:
            for state in states:
                worker.drop(state.key)


def _late_if_stalled(error: LeanError) -> LeanError:
    return LeanTimeout(str(error)) if isinstance(error, LeanStalled) else error


def _unjudged(error: LeanError, kind: Literal["timeout", CrashKind]) -> FileVerdict:
    """Return the verdict on a text that no process has judged to its end."""
    return FileVerdict((), (LeanMessage("error", str(error), Position(1, 0)),), kind=kind)


def _as_failure(tactic: str, result: TacticResult) -> TacticResult:
    """Return a tactic that no limit could stop, or that ends the process, as one that has failed like any other."""
    if isinstance(result, LeanTimeout):
        return TacticFailure(tactic, "timeout", str(result))
    if isinstance(result, LeanCrashed) and result.op == "tactic":
        return TacticFailure(tactic, result.kind, str(result))
    return result


def _files(items: Sequence[Origin | GoalState | Pair]) -> set[str]:
    """Return the files that the items are in."""
    states = [item[0] if isinstance(item, tuple) else item for item in items]
    files = {file_of(state.origin if isinstance(state, GoalState) else state) for state in states}
    return {file for file in files if file is not None}


def _parts(items: list[int]) -> list[list[int]]:
    """Split them into parts of at most a request's size."""
    return [items[at : at + _CHUNK] for at in range(0, len(items), _CHUNK)]


async def _all(work: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; when one fails, or the caller is cancelled, the others are cancelled, and ended, first."""
    if len(work) == 1:
        return await work[0]  # without the turns of the event loop that a task of its own takes
    tasks = [asyncio.ensure_future(w) for w in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def verify(
    text: str, *, allowed_axioms: Sequence[str] = (), timeout_s: float | None = None, lean: str | None = None
) -> FileVerdict:
    """Judge a Lean text once, in a process of its own; for several texts keep a :class:`LeanPool`.

    Args:
        text: a whole file, imports first.
        allowed_axioms: beside Lean's own three.
        timeout_s: wall-clock seconds.
        lean: as in :class:`LeanPool`.

    Raises:
        LeanError: Lean is not installed, or does not start.
    """
    with LeanPool(1, lean=lean) as pool:
        return pool.verify_text(text, allowed_axioms=allowed_axioms, timeout_s=timeout_s)
