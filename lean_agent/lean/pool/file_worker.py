"""What a worker does with whole files and texts: trace, check, judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lean_agent.errors import LeanError, LeanRequestError, LeanTimeout
from lean_agent.files import write_atomically
from lean_agent.lean.pool.state_keys import digest
from lean_agent.lean.pool.worker_state import (
    NO_TEXT,
    TEXTS,
    Json,
    WorkerState,
    builds_of,
    is_text,
    milliseconds,
    refuse_errors,
)
from lean_agent.lean.process import codec
from lean_agent.lean.process.process import LeanProcess
from lean_agent.lean.server import PROGRAMS_SUFFIX
from lean_agent.lean.types import LeanMessage, LeanProject, TheoremSite, TracedFile


class Judged(NamedTuple):
    """The judge's answer on a whole text.

    Attributes:
        doubted: whether programs ran in its process, so that its word is not enough.
    """

    answer: Json
    text: str
    doubted: bool


class FileWorker(WorkerState):
    """A worker that elaborates whole files and texts."""

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
        await self._alone(*builds_of(project))  # what others ran here shall not get into this project's modules
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
        if not is_text(text):
            raise LeanRequestError(f"the text cannot be checked: {NO_TEXT}")
        place = self._runtime.place(project) if project else {}
        await self._alone(TEXTS, *(builds_of(project) if project else ()))
        unbelieved = (await self._elaborates(project)).unbelieved if project else []
        self._guests.add(TEXTS)
        late = f"the text was not checked within {limit_s:g} s; give it more with timeout_s"
        try:
            answer = await self._running.request(
                "messages",
                timeout_s=limit_s + 10,
                text=text,
                unbelieved=unbelieved,
                limit=milliseconds(limit_s),
                **place,
            )
        except LeanTimeout as e:
            raise LeanTimeout(late) from e
        if answer.get("error") == "interrupted":
            raise LeanTimeout(late)
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

        Raises:
            LeanRequestError: there is no such file.
            LeanTimeout: Lean was not done within ``limit_s`` seconds.
        """
        key, text = self._source(project, file_path)
        await self._alone(*builds_of(project))
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
        if not is_text(text):
            raise LeanRequestError(f"the text cannot be judged: {NO_TEXT}")
        guest = f"text {digest(text.encode())}"
        await self._alone(guest, *(builds_of(project) if project else ()))
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
                limit=milliseconds(limit_s),
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
        if not is_text(proof):
            return {"kind": "error", "reason": NO_TEXT, "axioms": [], "messages": []}
        await self._alone(*builds_of(site.project))
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
            refuse_errors(answer, site.full_name)
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


def _problem(text: str) -> Json:
    return {"severity": "error", "text": text, "start": [1, 0]}
