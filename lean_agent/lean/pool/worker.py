"""What a worker does: whole files and texts (trace, check, judge), starts of proofs, goals apart, tactics.

A state that is not there is made again from the nearest ancestor that is. Who is assigned the worker, where else the
work could be done and what becomes of it when the process dies is the pool's business.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lean_agent.errors import LeanError, LeanRequestError, LeanTimeout, TacticFailure
from lean_agent.files import write_atomically
from lean_agent.lean.pool.kernel_check import UNEXPORTED
from lean_agent.lean.pool.worker_state import (
    LEMMAS_S,
    NO_TEXT,
    PROMPT_S,
    TEXTS,
    Json,
    WorkerState,
    chain,
    child,
    digest,
    file_of,
    is_text,
    milliseconds,
    part,
    refuse_errors,
    root_key,
    shown,
)
from lean_agent.lean.process import codec
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.server import EMPTY_TACTIC, PROGRAMS_SUFFIX, TacticResult
from lean_agent.lean.source import is_blank
from lean_agent.lean.types import (
    Conjecture,
    Consequence,
    ConsequenceKind,
    DeclarationInfo,
    GoalLemma,
    GoalState,
    LeanMessage,
    LeanProject,
    LemmaKind,
    Matches,
    Origin,
    Subgoals,
    TheoremSite,
    TracedFile,
    site_of,
)

Pair = tuple[GoalState, str]
Groups = tuple[tuple[int, ...], ...]

_REBUILD_S = 120.0  # at least, for each step that is done again: it went well once, maybe under a larger limit


class Judged(NamedTuple):
    """The judge's answer on a whole text.

    Attributes:
        doubted: whether programs ran in its process, so that its word is not enough.
    """

    answer: Json
    text: str
    doubted: bool


class Worker(WorkerState):
    """A worker of a pool, with all that is asked of one."""

    # -- whole files and texts: a `LeanTimeout` where Lean was not done within `limit_s` seconds, a `LeanRequestError`
    # where there is no such file, or no text

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
        await self._alone(project)  # what others ran here shall not get into this project's modules
        imported = await self._elaborates(project)
        module_file = self._runtime.module_file(project, compiled, self._running.sandbox)
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
        self._runtime.keep(project, compiled, answer, process.sandbox)
        if not has_mark:
            mark.unlink(missing_ok=True)

    async def variants(self, project: LeanProject, file_path: str, theorems: Sequence[str]) -> tuple[Conjecture, ...]:
        """Return conjectures made of theorems of a file."""
        key, text = self._source(project, file_path)
        await self._alone(project)
        unbelieved = await self._unbelieved(project)
        answer = await self._elaborated(
            "variants",
            project,
            file_path,
            file=key,
            text=text,
            theorems=list(theorems),
            unbelieved=unbelieved,
            **self._runtime.place(project),
        )
        return tuple(map(codec.conjecture, answer["variants"]))

    async def check(self, text: str, project: LeanProject | None, limit_s: float) -> tuple[LeanMessage, ...]:
        """Return what Lean says of a text."""
        if not is_text(text):
            raise LeanRequestError(f"the text cannot be checked: {NO_TEXT}")
        await self._alone(TEXTS, *((project,) if project else ()))
        source = await self._as_file(text, project)
        self._guests.add(TEXTS)
        late = f"the text was not checked within {limit_s:g} s; give it more with timeout_s"
        answer = await self._in_time("messages", project, limit_s, late, **source)
        refuse_errors(answer, "the text cannot be checked")
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
        """
        key, text = self._source(project, file_path)
        await self._alone(project)
        source = await self._as_file(text, project, key, project.module(file_path))
        return await self._judge(source, project, allowed_axioms, limit_s, statements)

    async def judge_text(
        self, text: str, project: LeanProject | None, allowed_axioms: Sequence[str], limit_s: float
    ) -> Judged:
        """Return the judge's answer on a text, in a process where no programs of other texts have run."""
        if not is_text(text):
            raise LeanRequestError(f"the text cannot be judged: {NO_TEXT}")
        guest = f"text {digest(text.encode())}"
        await self._alone(guest, *((project,) if project else ()))
        self._guests.add(guest)
        return await self._judge(await self._as_file(text, project), project, allowed_axioms, limit_s)

    async def _judge(
        self,
        source: Json,
        project: LeanProject | None,
        allowed_axioms: Sequence[str],
        limit_s: float,
        statements: Sequence[str] = (),
    ) -> Judged:
        fields = {**source, "axioms": list(allowed_axioms), "statements": list(statements)}
        fields |= {"export": self._doubted, "confined": self._runtime.confines}
        late = f"timeout: not judged within {limit_s:g} s; give it more with timeout_s (lean-agent verify --timeout)"
        answer = await self._in_time("judge_file", project, limit_s, late, **fields)
        if "error" in answer:  # an import that is not there, for example
            problem = {"severity": "error", "text": answer["error"], "start": [1, 0]}
            answer = {"declarations": [], "problems": [problem], "messages": []}
        return Judged(answer, source["text"], self._doubted)

    async def _unbelieved(self, project: LeanProject | None) -> list[Json]:
        """Return the constants of a project's modules that the kernel has refused, now that these are loaded."""
        return (await self._elaborates(project)).unbelieved if project else []

    async def _as_file(
        self, text: str, project: LeanProject | None, file: str = "text", module: Sequence[str] = ("Text",)
    ) -> Json:
        """Return the fields of a request on a whole text, as one of the project's modules."""
        options = project.options.of(module) if project else ()
        unbelieved = await self._unbelieved(project)
        return {"text": text, "file": file, "module": module, "options": options, "unbelieved": unbelieved}

    async def _in_time(self, op: str, project: LeanProject | None, limit_s: float, late: str, **fields: Any) -> Json:
        """Return the answer to a request on a whole text.

        Raises:
            LeanTimeout: in the words of ``late``.
        """
        place = self._runtime.place(project) if project else {}
        try:
            answer = await self._running.request(
                op, timeout_s=limit_s + 10, limit=milliseconds(limit_s), **fields, **place
            )
        except LeanTimeout as e:
            raise LeanTimeout(late) from e
        if answer.get("error") == "interrupted":
            raise LeanTimeout(late)
        return answer

    async def verify(
        self, site: TheoremSite, proof: str, whole_file: bool, allowed_axioms: Sequence[str], limit_s: float
    ) -> Json:
        """Return the judge's answer; with ``export``, where its word is not enough."""
        if not is_text(proof):
            return {"kind": "error", "reason": NO_TEXT, "axioms": [], "messages": []}
        await self._alone(site.project)
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
                limit=milliseconds(limit_s),
                export=export,
                **self._runtime.place(site.project),
            )
            if answer.get("error") == "interrupted":
                late = f"not judged within {limit_s:g} s, in which the file has to be elaborated with the proof in it"
                return {"kind": "timeout", "reason": late, "axioms": [], "messages": []}
            refuse_errors(answer, site.full_name)
            return answer

        answer = await asked(self._doubted)
        if answer["kind"] == "accepted" and self._doubted and not answer.get("export"):
            answer = await asked(True)  # if a program has run only now
            if answer["kind"] == "accepted" and not answer.get("export"):
                return {**answer, **UNEXPORTED}
        return answer

    async def declarations(
        self, names: Sequence[str], project: LeanProject | None, file_path: str | None, limit_s: float
    ) -> list[DeclarationInfo | None]:
        """Return what Lean knows of each name after a file, or in the library."""
        answer = await self._about("describe", project, file_path, limit_s, names=list(names))
        return [None if "error" in item else codec.declaration_info(item) for item in answer["items"]]

    async def matches(
        self, pattern: str, most: int, project: LeanProject | None, file_path: str | None, limit_s: float
    ) -> Matches:
        """Return the declarations after a file, or of the library, whose statements match a pattern."""
        answer = await self._about("find", project, file_path, limit_s, pattern=pattern, most=most)
        if "failure" in answer:
            raise LeanRequestError(f"the pattern {pattern!r} cannot be looked for: {answer['message']}")
        return Matches(tuple(map(codec.declaration_info, answer["items"])), answer["total"])

    async def _about(
        self, op: str, project: LeanProject | None, file_path: str | None, limit_s: float, **fields: Any
    ) -> Json:
        """Return the answer to a question about the declarations after a file, or of the library."""
        if (project is None) != (file_path is None):
            raise LeanRequestError("a file is named by its project and its path, and not by one of them")
        if not all(map(is_text, (*fields.get("names", ()), fields.get("pattern", "")))):
            raise LeanRequestError(f"that cannot be looked for: {NO_TEXT}")
        if project is not None and file_path is not None:
            await self._alone(project)
            fields["file"] = await self._open(project, file_path)
        late = f"Lean was not done within {limit_s:g} s; give it more with timeout_s"
        answer = await self._in_time(op, project, limit_s, late, **fields)
        if answer.get("failure") == "timeout":
            raise LeanTimeout(late)
        refuse_errors(answer, "Lean could not answer")
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
            await self._alone(*_projects(origins))
        await self._show(_projects(origins))
        return await self._start(origins, timeout_s)

    async def _start(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]:
        limit = timeout_s or self._limits.start_timeout_s
        if len(parts := self._at_once(origins)) > 1:
            return [r for part in parts for r in await self._start(part, timeout_s)]
        results: dict[int, GoalState | LeanError] = {}
        asked: list[tuple[int, str, Json]] = []  # which origin, the key of its state, the item of the request
        for i, origin in enumerate(origins):
            if isinstance(origin, Subgoals):
                results[i] = await self._start_subgoals(origin)
            elif isinstance(origin, TheoremSite):
                try:
                    within = origin.position is not None
                    key = await self._open(origin.project, origin.file_path, for_proofs=within)
                except LeanRequestError as e:
                    results[i] = e
                    continue
                asked.append((i, *_start_item(key, origin, limit)))
            elif is_text(origin):
                asked.append((i, root_key("", origin), {"expr": origin, "limit": milliseconds(limit)}))
            else:
                results[i] = LeanRequestError(f"no proof can start at {origin!r}: {NO_TEXT}")
        if asked:
            with self._latency.measured("start", len(asked)):
                items = [item for _, _, item in asked]
                answers = await self._asked("start", items, (limit + 6) * len(asked) + 10)
            for (i, root, _), j in zip(asked, answers, strict=True):
                if "failure" in j or "error" in j:
                    words = j.get("message") or j.get("error")
                    results[i] = LeanRequestError(f"no proof can start at {shown(origins[i])}: {words}")
                else:
                    self.keep(root, j["state"])
                    results[i] = codec.goal_state(j, origins[i], (), root, root)
        return [results[i] for i in range(len(origins))]

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
        return _site_key(key, origin)

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
            item = {"state": self.states[before], "tactic": tactic, "limit": milliseconds(limit)}
            (j,) = await self._asked("tactic", [item], limit + 16)
            if "state" not in j:
                return LeanRequestError(f"a state could not be rebuilt: `{tactic}`: {j.get('message') or j['error']}")
            self.keep(after, j["state"])
        return self.states[keys[-1]]

    # -- goals apart

    async def split(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """Return the groups of each state's goals, each group as a state of its own."""
        await self._show(_projects(state.origin for state in states))
        return await self._split([(state, state.groups) for state in states])

    async def _split(self, asked: Sequence[tuple[GoalState, Groups]]) -> list[list[GoalState] | LeanError]:
        numbers = [await self._number(state) for state, _ in asked]
        items = [
            {"state": number, "groups": groups}
            for number, (_, groups) in zip(numbers, asked, strict=True)
            if not isinstance(number, LeanError)
        ]
        answers = iter(await self._asked("split", items, PROMPT_S) if items else [])
        results: list[list[GoalState] | LeanError] = []
        for number, (state, groups) in zip(numbers, asked, strict=True):
            if isinstance(number, LeanError):
                results.append(number)
                continue
            j = next(answers)
            if "error" in j:
                results.append(LeanRequestError(f"the goals could not be taken apart: {j['error']}"))
                continue
            parts = []
            for group, made in zip(groups, j["parts"], strict=True):
                root = part(state.key, group)
                self.keep(root, made["state"])
                parts.append(codec.goal_state(made, Subgoals(state.origin, state.script, group), (), root, root))
            results.append(parts)
        return results

    async def lemmas(
        self, states: Sequence[GoalState], most: int, laws: int, own: int
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        """Return theorems of the library and of the project for the first goal of each state."""
        answers = await self._found("lemmas", states, most=most, laws=laws, own=own)
        return [answer if isinstance(answer, LeanError) else _lemmas_of(answer) for answer in answers]

    async def consequences(self, states: Sequence[GoalState], most: int) -> list[tuple[Consequence, ...] | LeanError]:
        """Return what follows at the first goal of each state."""
        answers = await self._found("consequences", states, most=most)
        return [answer if isinstance(answer, LeanError) else _consequences_of(answer) for answer in answers]

    async def _found(self, op: str, states: Sequence[GoalState], **fields: Any) -> list[Json | LeanError]:
        """Return what Lean finds for each state."""
        await self._show(_projects(state.origin for state in states))
        numbers = [await self._number(state) for state in states]
        limit = milliseconds(LEMMAS_S)
        items = [{"state": number, "limit": limit, **fields} for number in numbers if not isinstance(number, LeanError)]
        answers = iter(await self._asked(op, items, (LEMMAS_S + 6) * len(items) + 10) if items else [])
        return [number if isinstance(number, LeanError) else next(answers) for number in numbers]

    # -- tactics

    async def tactics(self, pairs: Sequence[Pair], limit: float) -> list[TacticResult]:
        """Return the result of each pair, with ``limit`` seconds for each tactic. Each pair is run once, however
        often it is asked for."""
        await self._show(_projects(state.origin for state, _ in pairs))
        numbers: dict[str, int | LeanError] = {}
        for state, _ in pairs:
            if state.key not in numbers:
                numbers[state.key] = await self._number(state, limit)
        asked = list(
            {
                (state.key, tactic): (number, len(state.goals))
                for state, tactic in pairs
                if isinstance(number := numbers[state.key], int) and is_text(tactic) and not is_blank(tactic)
            }.items()
        )
        items = [
            {"state": number, "tactic": tactic, "limit": milliseconds(limit), "goals": goals}
            for (_, tactic), (number, goals) in asked
        ]
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
        if not is_text(tactic):
            return TacticFailure(tactic, "parse", NO_TEXT)
        if is_blank(tactic):
            return TacticFailure(tactic, "parse", EMPTY_TACTIC)
        j = answers[state.key, tactic]
        if "failure" in j:
            return codec.failure(j, tactic)
        if "error" in j:
            return LeanRequestError(f"`{tactic}` could not be run: {j['error']}")
        key = child(state.key, tactic)
        return codec.goal_state(j, state.origin, (*state.script, tactic), key, state.root, before=state.goals)


_LEMMAS: dict[str, LemmaKind] = {
    "lemmas": "library",
    "laws": "law",
    "concluding": "concluding",
    "following": "following",
    "about": "about",
    "alike": "alike",
    "chaining": "chaining",
}
"""What Lean calls the lists of its answer, and the theorems in them."""


def _lemmas_of(j: Json) -> tuple[GoalLemma, ...] | LeanError:
    if "lemmas" not in j:
        return LeanRequestError(f"there was no search for theorems: {j.get('message') or j.get('error')}")
    stated = ((kind, *each) for key, kind in _LEMMAS.items() for each in j.get(key, ()))
    return tuple(GoalLemma(name, " ".join(type_.split()), kind) for kind, name, type_ in stated)


_UNTYPED: dict[str, ConsequenceKind] = {
    "facts": "fact",
    "notations": "notation",
    "witnesses": "witness",
    "descents": "descent",
}
"""What Lean calls the lists of texts in its answer, and what follows by these."""


def _consequences_of(j: Json) -> tuple[Consequence, ...] | LeanError:
    if "consequences" not in j:
        return LeanRequestError(f"there was no search for consequences: {j.get('message') or j.get('error')}")
    applied = (
        Consequence(proof, " ".join(type_.split()), tuple(uses), tuple(unfoldings))
        for proof, type_, uses, unfoldings in j["consequences"]
    )
    untyped = (Consequence(" ".join(text.split()), "", kind=kind) for key, kind in _UNTYPED.items() for text in j[key])
    return (*applied, *untyped)


def _start_item(file: str, site: TheoremSite, limit: float) -> tuple[str, Json]:
    """Return the key of a theorem's first state, and what Lean is asked for it."""
    item: Json = {"file": file, "theorem": site.full_name, "limit": milliseconds(limit)}
    if site.position is not None:
        item |= {"position": site.position, "run": site.run}
    if site.may_use_open:
        item["allowsOpen"] = True
    if site.may_use_axioms:
        item["allowsAxioms"] = True
    return _site_key(file, site), item


def _site_key(file: str, site: TheoremSite) -> str:
    """Return the key of the state in which a proof starts in a file."""
    how = (("may use open", site.may_use_open), ("may use axioms", site.may_use_axioms), (site.run, site.run))
    return root_key(file, site.full_name, site.position, *(what for what, holds in how if holds))


def _projects(origins: Iterable[Origin]) -> list[LeanProject]:
    return [site.project for origin in origins if (site := site_of(origin)) is not None]
