"""A pool of Lean processes behind the :class:`~lean_agent.lean.server.LeanServer` interface.

Owns scheduling, deadlines, replacement and retry: a process that dies, hangs or grows too large is replaced, the
states that lived in it are rebuilt from their origin and script, and what was in flight is tried once more. What fails
twice is told by name.

All work happens on one event loop in a thread of the pool's own (:mod:`lean_agent.lean.faces`).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
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
from lean_agent.lean.embedded.install import Installation, install
from lean_agent.lean.embedded.process import LeanProcess
from lean_agent.lean.faces import Faces
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, LeanProject, Origin, Subgoals, TheoremSite, TracedFile, Verdict

T = TypeVar("T")
Json = dict[str, Any]

_PROMPT_S = 60.0  # for what Lean does at once
_GONE = "the Lean process that held this has been replaced"
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
        open_files: elaborated files that a process keeps; the one used longest ago goes first.
    """

    tactic_timeout_s: float = 10.0
    start_timeout_s: float = 30.0
    verify_timeout_s: float = 60.0
    file_timeout_s: float = 900.0
    max_heap_mb: int = 1500
    open_files: int = 16


@dataclass(eq=False)
class _Worker:
    """One place for a process. ``generation`` changes with every process that takes it."""

    generation: int
    process: LeanProcess | None = None
    files: dict[str, None] = field(default_factory=dict)  # in the order of their last use
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    load: int = 0

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the process to be free, and have it to oneself."""
        self.load += 1
        try:
            async with self.lock:
                yield
        finally:
            self.load -= 1


def _digest(text: bytes | str) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


class LeanPool(Faces):
    """``workers`` embedded Lean processes (1.1 GB each), started when first needed."""

    def __init__(
        self, workers: int = 1, *, limits: PoolLimits | None = None, where: Installation | None = None
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one process, not {workers}")
        self.limits = limits or PoolLimits()
        self._where = where
        self._generations = itertools.count()
        super().__init__("Lean pool")
        self._workers = [_Worker(next(self._generations)) for _ in range(workers)]

    @property
    def workers(self) -> int:
        """See :attr:`LeanServer.workers`."""
        return len(self._workers)

    def pids(self) -> list[int]:
        """Process ids of the running Lean processes."""
        return [w.process.pid for w in self._workers if w.process is not None]

    async def _shut_down(self) -> None:
        running = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for worker in self._workers:
            if worker.process is not None:
                await worker.process.kill()
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    # -- processes

    async def _process(self, worker: _Worker) -> LeanProcess:
        """The worker's process, started or replaced if need be. Call with the worker's lock held."""
        if worker.process is not None and worker.process.alive and worker.process.heap_mb <= self.limits.max_heap_mb:
            return worker.process
        if worker.process is not None:
            await worker.process.kill()
            worker.process = None
        worker.generation = next(self._generations)
        worker.files.clear()
        worker.process = await self._started()
        return worker.process

    async def _started(self) -> LeanProcess:
        """A new process. One that is killed while it starts gets a second try, like any other."""
        where = self._where
        if where is None:
            where = await asyncio.to_thread(install)  # each time: the cache may have been cleared
        try:
            return await LeanProcess.start(where)
        except LeanProcessDied:
            try:
                return await LeanProcess.start(where)
            except LeanProcessDied as e:
                raise LeanStartupError(f"embedded Lean was killed twice while it started; is memory short? {e}") from e

    def _idlest(self, key: str | None = None) -> _Worker:
        """The worker with the least to do; among equals one that has the file, or a process, already."""
        return min(self._workers, key=lambda w: (w.load, key not in w.files, w.process is None))

    async def _on_worker(self, worker: _Worker, work: Callable[[LeanProcess], Coroutine[Any, Any, T]]) -> T:
        async with worker.turn():
            return await work(await self._process(worker))

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
        worker = self._idlest() if generation is None else self._of_generation(generation)
        if worker is None:
            raise LeanProcessDied(_GONE)
        async with worker.turn():
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

    def _place(self, project: LeanProject) -> Json:
        """Where Lean finds compiled modules: the project's own first, then those of its libraries."""
        project.build.mkdir(parents=True, exist_ok=True)
        mounts = [[f"/build-{_digest(str(b))}", str(b.absolute())] for b in (project.build, *project.libraries)]
        return {"path": [inside for inside, _ in mounts], "mounts": mounts}

    def _source(self, project: LeanProject, file_path: str) -> tuple[str, str]:
        """(key, text) of a file; the key changes with the text."""
        try:
            data = (project.root / file_path).read_bytes()
            text = data.decode("utf-8")
        except FileNotFoundError:
            raise LeanRequestError(f"there is no file {file_path} in {project.root}") from None
        except UnicodeDecodeError:
            raise LeanRequestError(f"{file_path} is not UTF-8 text, which Lean requires") from None
        place = _digest("\n".join(map(str, (project.build, *project.libraries))))
        return f"{file_path}@{place}-{_digest(data)}", text

    async def _open(self, worker: _Worker, process: LeanProcess, project: LeanProject, file_path: str) -> str:
        key, text = self._source(project, file_path)
        if key not in worker.files:
            place = self._place(project)
            answer = await process.request(
                "open", timeout_s=self.limits.file_timeout_s, file=key, module=_module(file_path), text=text, **place
            )
            _refuse_errors(answer, file_path)
            for oldest in list(worker.files)[: len(worker.files) + 1 - self.limits.open_files]:
                await process.request("forget", timeout_s=_PROMPT_S, file=oldest)
                del worker.files[oldest]
        worker.files.pop(key, None)
        worker.files[key] = None
        return key

    async def _trace(self, project: LeanProject, file_path: str) -> TracedFile:
        key, text = self._source(project, file_path)
        place = self._place(project)
        compiled = Path(file_path).with_suffix(".olean")

        async def work(process: LeanProcess) -> TracedFile:
            answer = await process.request(
                "trace",
                timeout_s=self.limits.file_timeout_s,
                file=key,
                module=_module(file_path),
                text=text,
                olean=f"/out/{compiled.as_posix()}",
                **place,
            )
            _refuse_errors(answer, file_path)
            if "compiled" in answer:  # Lean itself writes no file of this machine
                await asyncio.to_thread(
                    write_atomically, project.build / compiled, base64.b64decode(answer["compiled"])
                )
            return wire.traced_file(answer, file_path)

        return await self._twice(lambda: self._on_worker(self._idlest(), work))

    async def _verify(
        self, site: TheoremSite, proof: str, whole_file: bool, allowed: Sequence[str], timeout_s: float | None
    ) -> Verdict:
        limit = timeout_s or self.limits.verify_timeout_s
        key, _ = self._source(site.project, site.file_path)
        worker = self._idlest(key)

        async def work(process: LeanProcess) -> Verdict:
            opened = await self._open(worker, process, site.project, site.file_path)
            place = self._place(site.project)
            answer = await process.request(
                "verify",
                timeout_s=limit + 10,
                file=opened,
                theorem=site.full_name,
                proof=proof,
                wholeFile=whole_file,
                axioms=list(allowed),
                limit=_ms(limit),
                **place,
            )
            _refuse_errors(answer, site.full_name)
            return wire.verdict(answer)

        try:
            return await self._twice(lambda: self._on_worker(worker, work))
        except LeanTimeout as e:
            return Verdict("timeout", str(e))

    async def _twice(self, attempt: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Try again once when the process died under the work; a time-out is final."""
        try:
            return await attempt()
        except LeanProcessDied:
            return await attempt()

    # -- starts

    async def _starts(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]:
        results: list[GoalState | LeanError | None] = [None] * len(origins)

        async def run(worker: _Worker, mine: list[int]) -> None:
            for at in range(0, len(mine), _CHUNK):
                chunk = mine[at : at + _CHUNK]
                found = await self._start_chunk(worker, [origins[i] for i in chunk], timeout_s)
                for i, result in zip(chunk, found, strict=True):
                    results[i] = result

        await asyncio.gather(*(run(worker, mine) for worker, mine in self._shared_out(origins)))
        return [r if r is not None else LeanRequestError("lost") for r in results]

    def _shared_out(self, origins: Sequence[Origin]) -> list[tuple[_Worker, list[int]]]:
        """Which process starts which origins: those of a file together, where it is open already, or else where the
        least is to do; opening a file costs as much as many starts."""
        by_file: dict[str | None, list[int]] = {}
        for i, origin in enumerate(origins):
            by_file.setdefault(self._key_of(origin), []).append(i)
        shares: dict[int, list[int]] = {index: [] for index in range(len(self._workers))}
        todo = {index: worker.load * _CHUNK for index, worker in enumerate(self._workers)}
        for key, mine in by_file.items():
            best = min(shares, key=lambda index: (key not in self._workers[index].files, todo[index]))
            if key not in self._workers[best].files:
                todo[best] += _CHUNK
            todo[best] += len(mine)
            shares[best] += mine
        return [(self._workers[index], mine) for index, mine in shares.items() if mine]

    def _key_of(self, origin: Origin) -> str | None:
        while isinstance(origin, Subgoals):
            origin = origin.origin
        if isinstance(origin, str):
            return None
        try:
            return self._source(origin.project, origin.file_path)[0]
        except LeanRequestError:
            return None

    async def _start_chunk(
        self, worker: _Worker, origins: list[Origin], timeout_s: float | None
    ) -> list[GoalState | LeanError]:
        async def work(process: LeanProcess) -> list[GoalState | LeanError]:
            return await self._start_now(worker, process, origins, timeout_s)

        return await self._item_by_item(worker, origins, work, lambda o: self._start_chunk(worker, [o], timeout_s))

    async def _start_now(
        self, worker: _Worker, process: LeanProcess, origins: Sequence[Origin], timeout_s: float | None
    ) -> list[GoalState | LeanError]:
        limit = timeout_s or self.limits.start_timeout_s
        items: list[Json] = []
        settled: dict[int, GoalState | LeanError] = {}  # what needs no `start`
        for i, origin in enumerate(origins):
            if isinstance(origin, Subgoals):
                settled[i] = await self._start_subgoals(worker, process, origin)
                continue
            if isinstance(origin, str):
                items.append({"expr": origin, "limit": _ms(limit)})
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
        if not items:
            return list(settled.values())
        answer = await process.request("start", timeout_s=(limit + 6) * max(len(items), 1) + 10, items=items)
        _refuse_errors(answer, "start")
        answers = iter(answer["items"])
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
                results.append(wire.goal_state(j, origin, (), worker.generation))
        return results

    async def _start_subgoals(self, worker: _Worker, process: LeanProcess, origin: Subgoals) -> GoalState | LeanError:
        """Some goals of a state, from the beginning."""
        before = await self._rebuild(worker, process, GoalState(origin.origin, origin.script, goals=()))
        if isinstance(before, LeanError):
            return before
        parts = (await self._split_now(worker, process, [(before, (origin.goals,))]))[0]
        await process.request("release", timeout_s=_PROMPT_S, items=[before.id])
        return parts if isinstance(parts, LeanError) else parts[0]

    # -- goals apart

    async def _splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        results: list[list[GoalState] | LeanError | None] = [None] * len(states)
        by_worker: dict[int, list[int]] = {}
        for i, state in enumerate(states):
            by_worker.setdefault(self._home(state), []).append(i)

        async def run(index: int, mine: list[int]) -> None:
            worker = self._workers[index]
            for at in range(0, len(mine), _CHUNK):
                chunk = mine[at : at + _CHUNK]
                found = await self._split_chunk(worker, [states[i] for i in chunk])
                for i, result in zip(chunk, found, strict=True):
                    results[i] = result

        await asyncio.gather(*(run(index, mine) for index, mine in by_worker.items()))
        return [r if r is not None else LeanRequestError("lost") for r in results]

    async def _split_chunk(self, worker: _Worker, states: list[GoalState]) -> list[list[GoalState] | LeanError]:
        async def work(process: LeanProcess) -> list[list[GoalState] | LeanError]:
            live = [
                state if state.worker == worker.generation else await self._rebuild(worker, process, state)
                for state in states
            ]
            here = [(now, state.groups) for now, state in zip(live, states, strict=True) if isinstance(now, GoalState)]
            parts = iter(await self._split_now(worker, process, here))
            return [now if isinstance(now, LeanError) else next(parts) for now in live]

        return await self._item_by_item(worker, states, work, lambda state: self._split_chunk(worker, [state]))

    async def _split_now(
        self, worker: _Worker, process: LeanProcess, asked: Sequence[tuple[GoalState, tuple[tuple[int, ...], ...]]]
    ) -> list[list[GoalState] | LeanError]:
        """These goals of these states, each group as a state of its own."""
        if not asked:
            return []
        items = [{"state": state.id, "groups": groups} for state, groups in asked]
        answer = await process.request("split", timeout_s=_PROMPT_S, items=items)
        _refuse_errors(answer, "split")
        results: list[list[GoalState] | LeanError] = []
        for (state, groups), j in zip(asked, answer["items"], strict=True):
            if "error" in j:
                results.append(LeanRequestError(f"the goals could not be taken apart: {j['error']}"))
                continue
            origins = [Subgoals(state.origin, state.script, group) for group in groups]
            results.append(
                [
                    wire.goal_state(part, origin, (), worker.generation)
                    for origin, part in zip(origins, j["parts"], strict=True)
                ]
            )
        return results

    # -- tactics

    async def _tactics(self, pairs: Sequence[tuple[GoalState, str]], timeout_s: float | None) -> list[TacticResult]:
        results: list[TacticResult | None] = [None] * len(pairs)
        by_worker: dict[int, list[int]] = {}
        for i, (state, _) in enumerate(pairs):
            by_worker.setdefault(self._home(state), []).append(i)

        async def run(index: int, mine: list[int]) -> None:
            worker = self._workers[index]
            for at in range(0, len(mine), _CHUNK):
                chunk = mine[at : at + _CHUNK]
                found = await self._tactic_chunk(worker, [pairs[i] for i in chunk], timeout_s)
                for i, result in zip(chunk, found, strict=True):
                    results[i] = result

        await asyncio.gather(*(run(index, mine) for index, mine in by_worker.items()))
        return [r if r is not None else LeanRequestError("lost") for r in results]

    def _home(self, state: GoalState) -> int:
        for index, worker in enumerate(self._workers):
            if worker.generation == state.worker:
                return index
        return self._workers.index(self._idlest(self._key_of(state.origin)))

    async def _tactic_chunk(
        self, worker: _Worker, pairs: list[tuple[GoalState, str]], timeout_s: float | None
    ) -> list[TacticResult]:
        limit = timeout_s or self.limits.tactic_timeout_s

        async def work(process: LeanProcess) -> list[TacticResult]:
            return await self._tactics_now(worker, process, pairs, limit)

        found = await self._item_by_item(worker, pairs, work, lambda p: self._tactic_chunk(worker, [p], timeout_s))
        # a tactic that no limit could stop, found by its process being killed, failed like any other that ran too long
        return [
            TacticFailure(tactic, "timeout", str(r)) if isinstance(r, LeanTimeout) else r
            for r, (_, tactic) in zip(found, pairs, strict=True)
        ]

    async def _tactics_now(
        self, worker: _Worker, process: LeanProcess, pairs: list[tuple[GoalState, str]], limit: float
    ) -> list[TacticResult]:
        live: dict[int, GoalState | LeanError] = {}
        for state, _ in pairs:  # a state of a process that is gone is rebuilt once, whatever the number of its tactics
            if id(state) not in live:
                live[id(state)] = (
                    state if state.worker == worker.generation else await self._rebuild(worker, process, state)
                )
        items, asked = [], []
        results: list[TacticResult | None] = [None] * len(pairs)
        for i, (state, tactic) in enumerate(pairs):
            here = live[id(state)]
            if isinstance(here, LeanError):
                results[i] = here
                continue
            items.append({"state": here.id, "tactic": tactic, "limit": _ms(limit)})
            asked.append(i)
        if items:
            answer = await process.request("tactic", timeout_s=(limit + 6) * len(items) + 10, items=items)
            _refuse_errors(answer, "tactic")
            for i, j in zip(asked, answer["items"], strict=True):
                state, tactic = pairs[i]
                if "failure" in j:
                    results[i] = wire.failure(j, tactic)
                elif "error" in j:
                    results[i] = LeanRequestError(f"`{tactic}` could not be run: {j['error']}")
                else:
                    results[i] = wire.goal_state(j, state.origin, (*state.script, tactic), worker.generation)
        return [r if r is not None else LeanRequestError("lost") for r in results]

    async def _rebuild(self, worker: _Worker, process: LeanProcess, state: GoalState) -> GoalState | LeanError:
        """The same state in this process: its origin once more, its script once more."""
        now = (await self._start_now(worker, process, [state.origin], None))[0]
        for tactic in state.script:
            if isinstance(now, LeanError):
                break
            before = now
            found = await self._tactics_now(worker, process, [(before, tactic)], self.limits.tactic_timeout_s)
            await process.request("release", timeout_s=_PROMPT_S, items=[before.id])
            now = found[0]
        if isinstance(now, TacticFailure):
            return LeanRequestError(f"a state could not be rebuilt after its process was replaced: {now}")
        return now

    async def _item_by_item(
        self,
        worker: _Worker,
        items: Sequence[Any],
        work: Callable[[LeanProcess], Coroutine[Any, Any, list[Any]]],
        again: Callable[[Any], Coroutine[Any, Any, list[Any]]],
    ) -> list[Any]:
        """Run a chunk. When its process dies, run the items one by one: each gets its second try, and only the guilty
        one fails."""
        try:
            return await self._on_worker(worker, work)
        except (LeanProcessDied, LeanTimeout) as e:
            if len(items) > 1:
                return [(await again(item))[0] for item in items]
            if isinstance(e, LeanTimeout):
                return [e]
        try:
            return await self._on_worker(worker, work)
        except (LeanProcessDied, LeanTimeout) as e:
            return [e]

    async def _release(self, states: Sequence[GoalState]) -> None:
        for worker in self._workers:
            mine = [s.id for s in states if s.worker == worker.generation]
            if mine and worker.process is not None:

                async def work(process: LeanProcess, mine: list[int] = mine) -> None:
                    await process.request("release", timeout_s=_PROMPT_S, items=mine)

                try:
                    await self._on_worker(worker, work)
                except (LeanProcessDied, LeanTimeout):
                    continue  # the states are gone with the process


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
