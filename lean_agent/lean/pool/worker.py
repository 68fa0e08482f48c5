"""One place for a Lean process, what lives there, and all that is asked of it.

Owns the process, its files and its states: which are there, which it may forget, and how one that is not there is made
again. Everything here happens in the worker's turn (:mod:`lean_agent.lean.pool.affinity`), one request at a time. Who
has the turn, where else the work could be done and what becomes of it when the process dies is the pool's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from lean_agent.errors import (
    LeanError,
    LeanProcessDied,
    LeanRequestError,
    LeanStartupError,
    LeanTimeout,
    TacticFailure,
)
from lean_agent.files import write_atomically
from lean_agent.lean.pool.latency import LatencyEstimates
from lean_agent.lean.pool.limits import PoolLimits
from lean_agent.lean.pool.state_keys import chain, child, digest, file_key, file_of, part, project_of, root_key, shown
from lean_agent.lean.process import codec
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.process.runtime import Runtime
from lean_agent.lean.server import EMPTY_TACTIC, PROGRAMS_SUFFIX, TacticResult
from lean_agent.lean.source.text import is_blank
from lean_agent.lean.types import GoalState, LeanMessage, LeanProject, Origin, Subgoals, TheoremSite, TracedFile

logger = logging.getLogger(__name__)

Json = dict[str, Any]
Pair = tuple[GoalState, str]
Guest = Path | str
"""The build folder of a project, the key of a session, or ``_TEXTS``."""
Groups = tuple[tuple[int, ...], ...]

_PROMPT_S = 60.0  # for what Lean does at once
_REBUILD_S = 120.0  # at least, for each step that is done again: it went well once, maybe under a larger limit
_NO_TEXT = "it is no text: it has half of a surrogate pair"
_CROWDED_S = 60.0  # a session rather waits so long for another process than to begin where others run programs
_TEXTS = "texts that are checked"
_GROWN_MB = 32  # a process has grown when its heap has by so much


async def started(runtime: Runtime, limits: PoolLimits) -> LeanProcess:
    """Start a process. One that ends while it starts gets a second try, like any other."""
    where = await asyncio.to_thread(runtime.installed)
    start = partial(
        LeanProcess.start,
        where,
        kill_resident_mb=limits.kill_resident_mb,
        grace_s=limits.grace_s,
        silent_s=limits.silent_s,
    )
    try:
        return await start()
    except LeanProcessDied as e:
        logger.warning("%s It is started once more.", e)
    try:
        return await start()
    except LeanProcessDied as e:
        raise LeanStartupError(f"{e} So it did the time before. Is memory short?") from e


class Worker:
    """A place for a process.

    Args:
        generations: numbers for the processes that take the place, one after the other.

    Attributes:
        generation: of the process that has the place now.
        process: which that is; ``None`` before the first is needed.
        files: keys of the files that are open, in the order of their last use.
        opening: the file that is being opened.
        elaborating: build folder and path of the file that is being elaborated, to be opened or traced.
        states: the process's own number for each state that it holds, by key, in the order of their last use.
    """

    def __init__(
        self, runtime: Runtime, limits: PoolLimits, latency: LatencyEstimates, generations: Iterator[int]
    ) -> None:
        self._runtime = runtime
        self._limits = limits
        self._latency = latency
        self._generations = generations
        self.generation = next(generations)
        self.process: LeanProcess | None = None
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
        """Return the seconds until there is a process."""
        return self._latency["process"] if self.process is None else 0.0

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
        with self._latency.measured("process"):
            self.process = await started(self._runtime, self._limits)

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
        _refuse_errors(answer, op)
        answers: list[Json] = answer["items"]
        return answers

    # -- files

    def _source(self, project: LeanProject, file_path: str) -> tuple[str, str]:
        """Return (key, text) of a file; the key changes with the text."""
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
        return f"{file_key(project, file_path)}-{digest(data)}", text

    # -- whose programs may have run here

    def _strange_to(self, *guests: Guest) -> bool:
        """Check whether programs of others may have run in the process."""
        return self.process is not None and self.process.program is not None and not self._guests <= {*guests}

    async def _alone(self, *guests: Guest) -> None:
        """Have a process in which no programs but the guests' own have run."""
        if self._strange_to(*guests):
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
        folders = [self._runtime.folder(build) for build in _builds(project)]
        imported = await asyncio.to_thread(_imported, folders)
        if imported.programs and self._running.program is None:
            self._running.program = "a module that was compiled where programs ran"
        return imported

    async def _open(self, project: LeanProject, file_path: str) -> str:
        key, text = self._source(project, file_path)
        if key not in self.files:
            place = self._runtime.place(project)
            self.opening = file_key(project, file_path)
            try:
                unbelieved = (await self._elaborates(project)).unbelieved
                with self._latency.opening(self.opening):
                    await self._elaborated(
                        "open", project, file_path, file=key, text=text, unbelieved=unbelieved, **place
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
        try:
            answer = await self._running.request(
                op, timeout_s=self._limits.file_timeout_s, module=project.module(file_path), **fields
            )
        finally:
            self.elaborating = None
        _refuse_errors(answer, file_path)
        return answer

    async def _forget(self, files: Sequence[str]) -> None:
        for file in files:
            await self._running.request("forget", timeout_s=_PROMPT_S, file=file)
            del self.files[file]

    async def trace(self, project: LeanProject, file_path: str, *, beside: bool) -> TracedFile:
        """Trace a file and keep its compiled module.

        Args:
            beside: what is recorded of a command is printed while the next ones are elaborated, on another core.

        Raises:
            LeanRequestError: there is no such file, or it cannot be elaborated.
            LeanError: its compiled module cannot be kept.
        """
        try:
            return await self._trace(project, file_path, beside)
        except OSError as e:
            raise LeanError(f"{file_path}: its compiled module cannot be kept in {project.build}: {e.strerror}") from e

    async def _trace(self, project: LeanProject, file_path: str, beside: bool) -> TracedFile:
        key, text = self._source(project, file_path)
        place = self._runtime.place(project)
        compiled = project.compiled(file_path)
        await self._alone(*_builds(project))  # what others ran here shall not get into this project's modules
        imported = await self._elaborates(project)
        module_file = self._runtime.module_file(project, compiled)
        answer = await self._elaborated(
            "trace",
            project,
            file_path,
            file=key,
            text=text,
            olean=module_file,
            beside=beside,
            unbelieved=imported.unbelieved,
            onAxioms=imported.on_axioms,
            **place,
        )
        await asyncio.to_thread(self._keep_module, self._running, project, compiled, answer)
        return codec.traced_file(answer, file_path)

    def _keep_module(self, process: LeanProcess, project: LeanProject, compiled: Path, answer: Json) -> None:
        mark = (self._runtime.folder(project.build) / compiled).with_suffix(PROGRAMS_SUFFIX)
        unbelieved, on_axioms = answer["unbelieved"], answer["onAxioms"]
        has_mark = process.program is not None or on_axioms
        if has_mark:
            record = {"program": process.program, "unbelieved": unbelieved, "onAxioms": on_axioms}
            write_atomically(mark, json.dumps(record, ensure_ascii=False).encode())
        self._runtime.keep(project, compiled, answer)
        if not has_mark:
            mark.unlink(missing_ok=True)

    async def check(self, text: str, project: LeanProject | None, limit_s: float) -> tuple[LeanMessage, ...]:
        """Return what Lean says of a text.

        Raises:
            LeanRequestError: it is no text.
            LeanTimeout: Lean was not done within ``limit_s`` seconds.
        """
        if not _is_text(text):
            raise LeanRequestError(f"the text cannot be checked: {_NO_TEXT}")
        place = self._runtime.place(project) if project else {}
        await self._alone(_TEXTS, *(_builds(project) if project else ()))
        unbelieved = (await self._elaborates(project)).unbelieved if project else []
        self._guests.add(_TEXTS)
        late = f"the text was not checked within {limit_s:g} s; give it more with timeout_s"
        try:
            answer = await self._running.request(
                "messages", timeout_s=limit_s + 10, text=text, unbelieved=unbelieved, limit=_ms(limit_s), **place
            )
        except LeanTimeout as e:
            raise LeanTimeout(late) from e
        if answer.get("error") == "interrupted":
            raise LeanTimeout(late)
        _refuse_errors(answer, "the text cannot be checked")
        return codec.messages(answer)

    async def judge_file(
        self,
        project: LeanProject,
        file_path: str,
        allowed_axioms: Sequence[str],
        limit_s: float,
        *,
        statements: Sequence[str] = (),
    ) -> Judged:
        """Return the judge's answer on a whole file.

        Args:
            statements: constants that are exported with all that they are made of, whatever the judge says of them.

        Raises:
            LeanRequestError: there is no such file.
            LeanTimeout: Lean was not done within ``limit_s`` seconds.
        """
        key, text = self._source(project, file_path)
        await self._alone(*_builds(project))
        module = list(project.module(file_path))
        return await self._judge(
            text, project, allowed_axioms, limit_s, file=key, module=module, statements=list(statements)
        )

    async def judge_text(
        self, text: str, project: LeanProject | None, allowed_axioms: Sequence[str], limit_s: float
    ) -> Judged:
        """Return the judge's answer on a text, in a process where no programs of other texts have run.

        Raises:
            LeanRequestError: it is no text.
            LeanTimeout: Lean was not done within ``limit_s`` seconds.
        """
        if not _is_text(text):
            raise LeanRequestError(f"the text cannot be judged: {_NO_TEXT}")
        guest = f"text {digest(text.encode())}"
        await self._alone(guest, *(_builds(project) if project else ()))
        self._guests.add(guest)
        return await self._judge(text, project, allowed_axioms, limit_s, file="text", module=["Text"])

    async def _judge(
        self,
        text: str,
        project: LeanProject | None,
        allowed_axioms: Sequence[str],
        limit_s: float,
        **fields: Any,
    ) -> Judged:
        place = self._runtime.place(project) if project else {}
        unbelieved = (await self._elaborates(project)).unbelieved if project else []
        late = f"timeout: not judged within {limit_s:g} s; give it more with timeout_s (lean-agent verify --timeout)"
        try:
            answer = await self._running.request(
                "judge_file",
                timeout_s=limit_s + 10,
                text=text,
                axioms=list(allowed_axioms),
                unbelieved=unbelieved,
                limit=_ms(limit_s),
                export=self._doubted,
                confined=self._runtime.confines,
                **fields,
                **place,
            )
        except LeanTimeout as e:
            raise LeanTimeout(late) from e
        if answer.get("error") == "interrupted":
            raise LeanTimeout(late)
        if "error" in answer:  # an import that is not there, for example
            answer = {"declarations": [], "problems": [_problem(answer["error"])], "messages": []}
        return Judged(answer, text, self._doubted)

    async def verify(
        self, site: TheoremSite, proof: str, whole_file: bool, allowed_axioms: Sequence[str], limit_s: float
    ) -> Json:
        """Return the judge's answer; with ``export``, where its word is not enough."""
        if not _is_text(proof):
            return {"kind": "error", "reason": _NO_TEXT, "axioms": [], "messages": []}
        await self._alone(*_builds(site.project))
        opened = await self._open(site.project, site.file_path)

        async def asked(export: bool) -> Json:
            answer = await self._running.request(
                "verify",
                timeout_s=limit_s + 10,
                file=opened,
                theorem=site.full_name,
                proof=proof,
                wholeFile=whole_file,
                axioms=list(allowed_axioms),
                limit=_ms(limit_s),
                export=export,
                **self._runtime.place(site.project),
            )
            _refuse_errors(answer, site.full_name)
            return answer

        answer = await asked(self._doubted)
        if answer["kind"] == "accepted" and self._doubted and not answer.get("export"):
            answer = await asked(True)  # if a program has run only now
            if answer["kind"] == "accepted" and not answer.get("export"):
                return {
                    **answer,
                    "kind": "kernel",
                    "reason": "the process that accepts the proof has none to be checked",
                }
        return answer

    @property
    def _doubted(self) -> bool:
        """Whether programs ran in the process that may have written over its memory."""
        return self._runtime.confines and self._running.program is not None

    # -- starts

    async def start(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]:
        """Return the first state of each origin, or why there is none: in a process where no programs of others have
        run, if nobody loses by it."""
        if not (self.states or self._sessions):
            projects = [project for origin in origins if (project := project_of(origin)) is not None]
            await self._alone(*(build for project in projects for build in _builds(project)))
        return await self._start(origins, timeout_s)

    async def _start(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]:
        limit = timeout_s or self._limits.start_timeout_s
        if len(parts := self._at_once(origins)) > 1:
            return [r for part in parts for r in await self._start(part, timeout_s)]
        items: list[Json] = []
        settled: dict[int, GoalState | LeanError] = {}  # what needs no `start`
        roots: dict[int, str] = {}
        for i, origin in enumerate(origins):
            if isinstance(origin, Subgoals):
                settled[i] = await self._start_subgoals(origin)
                continue
            if isinstance(origin, str) and not _is_text(origin):
                settled[i] = LeanRequestError(f"no proof can start at {origin!r}: {_NO_TEXT}")
                continue
            if isinstance(origin, str):
                items.append({"expr": origin, "limit": _ms(limit)})
                roots[i] = root_key("", origin)
                continue
            try:
                key = await self._open(origin.project, origin.file_path)
            except LeanRequestError as e:
                settled[i] = e
                continue
            item: Json = {"file": key, "theorem": origin.full_name, "limit": _ms(limit)}
            if origin.position is not None:
                item["position"] = origin.position
            items.append(item)
            roots[i] = root_key(key, origin.full_name, origin.position)
        if not items:
            return list(settled.values())
        with self._latency.measured("start", len(items)):
            answers = iter(await self._asked("start", items, (limit + 6) * len(items) + 10))
        results: list[GoalState | LeanError] = []
        for i, origin in enumerate(origins):
            if i in settled:
                results.append(settled[i])
                continue
            j = next(answers)
            if "failure" in j or "error" in j:
                results.append(
                    LeanRequestError(f"no proof can start at {shown(origin)}: {j.get('message') or j.get('error')}")
                )
            else:
                root = roots[i]
                self.keep(root, j["state"])
                results.append(codec.goal_state(j, origin, (), root, root))
        return results

    def _at_once(self, origins: Sequence[Origin]) -> list[list[Origin]]:
        """Split origins into parts of no more files than a process keeps open."""
        parts: list[list[Origin]] = [[]]
        files: set[str | None] = set()
        for origin in origins:
            if len(files | {file_of(origin)}) > self._limits.open_files:
                parts.append([])
                files = set()
            files.add(file_of(origin))
            parts[-1].append(origin)
        return parts

    async def _start_subgoals(self, origin: Subgoals) -> GoalState | LeanError:
        """Start at some goals of a state, from the beginning."""
        root = self._root(origin.origin)
        before = GoalState(origin.origin, origin.script, (), key=chain(root, origin.script)[-1], root=root)
        parts = (await self._split([(before, (origin.goals,))]))[0]
        return parts if isinstance(parts, LeanError) else parts[0]

    def _root(self, origin: Origin) -> str:
        """Return the key of the state in which a proof starts: what it depends on, the text of its file included."""
        if isinstance(origin, str):
            return root_key("", origin)
        if isinstance(origin, Subgoals):
            return part(chain(self._root(origin.origin), origin.script)[-1], origin.goals)
        key, _ = self._source(origin.project, origin.file_path)
        return root_key(key, origin.full_name, origin.position)

    async def _number(self, state: GoalState, limit: float = 0.0) -> int | LeanError:
        """Return the process's own number for a state, which it rebuilds from the nearest ancestor that it holds,
        with ``limit`` seconds for each step, or more."""
        limit = max(limit, _REBUILD_S)
        if (number := self.states.get(state.key)) is not None:
            self.keep(state.key, number)
            return number
        if not state.root:
            return LeanRequestError(
                f"the state of {shown(state.origin)} comes from another kind of server; start it here with goal_start"
            )
        keys = chain(state.root, state.script)
        known = max((i for i, key in enumerate(keys) if key in self.states), default=-1)
        if known < 0:
            began = (await self._start([state.origin], max(limit, self._limits.start_timeout_s)))[0]
            if isinstance(began, LeanError):
                return began
            if began.key != state.root:
                return LeanRequestError(f"the file of {shown(state.origin)} has changed since this state was made")
            known = 0
        self.keep(keys[known], self.states[keys[known]])
        for before, after, tactic in zip(keys[known:], keys[known + 1 :], state.script[known:], strict=False):
            item = {"state": self.states[before], "tactic": tactic, "limit": _ms(limit)}
            (j,) = await self._asked("tactic", [item], limit + 16)
            if "state" not in j:
                return LeanRequestError(f"a state could not be rebuilt: `{tactic}`: {j.get('message') or j['error']}")
            self.keep(after, j["state"])
        return self.states[keys[-1]]

    # -- goals apart

    async def split(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """Return the groups of each state's goals, each group as a state of its own."""
        return await self._split([(state, state.groups) for state in states])

    async def _split(self, asked: Sequence[tuple[GoalState, Groups]]) -> list[list[GoalState] | LeanError]:
        numbers = [await self._number(state) for state, _ in asked]
        items = [
            {"state": number, "groups": groups}
            for number, (_, groups) in zip(numbers, asked, strict=True)
            if not isinstance(number, LeanError)
        ]
        answers = iter(await self._asked("split", items, _PROMPT_S) if items else [])
        results: list[list[GoalState] | LeanError] = []
        for number, (state, groups) in zip(numbers, asked, strict=True):
            if isinstance(number, LeanError):
                results.append(number)
                continue
            j = next(answers)
            if "error" in j:
                results.append(LeanRequestError(f"the goals could not be taken apart: {j['error']}"))
                continue
            roots = [part(state.key, group) for group in groups]
            for root, made in zip(roots, j["parts"], strict=True):
                self.keep(root, made["state"])
            results.append(
                [
                    codec.goal_state(made, Subgoals(state.origin, state.script, group), (), root, root)
                    for group, root, made in zip(groups, roots, j["parts"], strict=True)
                ]
            )
        return results

    # -- tactics

    async def tactics(self, pairs: Sequence[Pair], limit: float) -> list[TacticResult]:
        """Return the result of each pair, with ``limit`` seconds for each tactic. Each pair is run once, however
        often it is asked for."""
        numbers: dict[str, int | LeanError] = {}
        for state, _ in pairs:
            if state.key not in numbers:
                numbers[state.key] = await self._number(state, limit)
        asked = list(
            {
                (state.key, tactic): number
                for state, tactic in pairs
                if isinstance(number := numbers[state.key], int) and _is_text(tactic) and not is_blank(tactic)
            }.items()
        )
        items = [{"state": number, "tactic": tactic, "limit": _ms(limit)} for (_, tactic), number in asked]
        answers: dict[tuple[str, str], Json] = {}
        if items:
            with self._latency.measured("tactic", len(items)):
                replies = await self._asked("tactic", items, (limit + 6) * len(items) + 10)
            answers = {pair: j for (pair, _), j in zip(asked, replies, strict=True)}
        for (key, tactic), j in answers.items():
            if "state" in j:
                self.keep(child(key, tactic), j["state"])
        return [self._tactic_result(state, tactic, numbers[state.key], answers) for state, tactic in pairs]

    def _tactic_result(
        self, state: GoalState, tactic: str, number: int | LeanError, answers: dict[tuple[str, str], Json]
    ) -> TacticResult:
        if isinstance(number, LeanError):
            return number
        if not _is_text(tactic):
            return TacticFailure(tactic, "parse", _NO_TEXT)
        if is_blank(tactic):
            return TacticFailure(tactic, "parse", EMPTY_TACTIC)
        j = answers[state.key, tactic]
        if "failure" in j:
            return codec.failure(j, tactic)
        if "error" in j:
            return LeanRequestError(f"`{tactic}` could not be run: {j['error']}")
        return codec.goal_state(j, state.origin, (*state.script, tactic), child(state.key, tactic), state.root)


def _builds(project: LeanProject) -> tuple[Path, ...]:
    """Return the build folders of a project: its own, and those of its libraries."""
    return (project.build, *project.libraries)


class Judged(NamedTuple):
    """The judge's answer on a whole text.

    Attributes:
        doubted: whether programs ran in its process, so that its word is not enough.
    """

    answer: Json
    text: str
    doubted: bool


def _problem(text: str) -> Json:
    return {"severity": "error", "text": text, "start": [1, 0]}


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


def _is_text(given: str) -> bool:
    """Check whether a string is text: Python's may hold halves of surrogate pairs, which no encoding has."""
    try:
        given.encode()
    except UnicodeEncodeError:
        return False
    return True


def _ms(seconds: float) -> int:
    return max(1, int(seconds * 1000))


def _refuse_errors(answer: Json, what: str) -> None:
    if "error" in answer:
        raise LeanRequestError(f"{what}: {answer['error']}")
