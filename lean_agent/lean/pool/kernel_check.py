"""A second opinion on proofs from a process whose word is not enough.

The programs of a repository (``#eval``, macros, elaborators) run in the process that elaborates it, and native code
can write over that process's memory: its verdicts then mean nothing. So an accepted proof leaves it as plain data, with
all that it rests on down to Lean's own library, and a process that has never run anything but our code and Lean's gives
it to the kernel again.

Owns that process: started when first needed, replaced when it dies or grows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from lean_agent.errors import LeanRequestError
from lean_agent.lean.process.process import LeanProcess

Json = dict[str, Any]

_NOTHING = {"imports": ["Init"], "names": [], "levels": [], "exprs": [], "constants": []}
UNEXPORTED = {"kind": "kernel", "reason": "the process that accepts the proof has none to be checked"}


class KernelCheck:
    """One process for second opinions.

    Args:
        start: starts a Lean process.
        max_heap_mb: a process whose heap is larger after an answer is replaced.
    """

    def __init__(self, start: Callable[[], Awaitable[LeanProcess]], *, max_heap_mb: int) -> None:
        self._start = start
        self._max_heap_mb = max_heap_mb
        self._process: LeanProcess | None = None
        self._lock = asyncio.Lock()

    async def check(self, export: Json, theorem: str, allowed_axioms: Sequence[str], *, timeout_s: float) -> Json:
        """Return the verdict on an exported proof, with the statement as this process prints it.

        Raises:
            LeanProcessDied, LeanTimeout: no verdict came.
            LeanRequestError: the export is not one.
        """
        answer = await self.ask("check", timeout_s, export=export, theorem=theorem, axioms=list(allowed_axioms))
        if "error" in answer:
            raise LeanRequestError(f"{theorem}: {answer['error']}")
        return answer

    async def check_file(self, judged: Json, allowed_axioms: Sequence[str], *, timeout_s: float) -> Json:
        """Return the judge's answer on a whole file, where each declaration that it accepts has the verdict and the
        statement of this process instead. One that it has not exported is not believed.

        Raises:
            LeanProcessDied, LeanTimeout: no verdict came.
        """
        exports = judged.get("exports", [])
        answer = await self.ask("check_file", timeout_s, exports=exports, axioms=list(allowed_axioms))
        opinions: dict[int, Json] = {}
        for export, verdicts in zip(exports, answer.get("judged", []), strict=False):
            opinions.update(zip(export["about"], verdicts, strict=False))
        declarations = [
            _reviewed(declaration, opinions.get(place, UNEXPORTED))
            for place, declaration in enumerate(judged["declarations"])
        ]
        return {**judged, "declarations": declarations}

    async def compare(
        self,
        challenge: Json,
        solution: Json,
        theorems: Sequence[str],
        definitions: Sequence[str],
        permitted_axioms: Sequence[str],
        *,
        timeout_s: float,
    ) -> list[str | None]:
        """Return for each of the names how the two answers on files differ in it, or on which axioms the solution's
        rests that are not permitted, or ``None``.

        Raises:
            LeanProcessDied, LeanTimeout: no answer came.
            LeanRequestError: what was exported is none.
        """
        answer = await self.ask(
            "compare",
            timeout_s,
            challenge=challenge.get("statements", _NOTHING),
            solution=solution.get("statements", _NOTHING),
            theorems=list(theorems),
            definitions=list(definitions),
            permitted=list(permitted_axioms),
        )
        if "error" in answer:
            raise LeanRequestError(f"the two files cannot be compared: {answer['error']}")
        differences: list[str | None] = answer["compared"]
        return differences

    async def ask(self, op: str, timeout_s: float, **fields: Any) -> Json:
        """Return the answer of the process, started anew if need be."""
        async with self._lock:
            process = self._process
            if process is None or not process.alive or process.heap_mb > self._max_heap_mb:
                await self.close()
                process = self._process = await self._start()
            return await process.request(op, timeout_s=timeout_s + 10, limit=int(timeout_s * 1000), **fields)

    async def close(self) -> None:
        """End the process. Idempotent."""
        process, self._process = self._process, None
        if process is not None:
            await process.kill()


def _reviewed(declaration: Json, opinion: Json) -> Json:
    """Return a declaration as the doubted process has it, with the opinion of this one if it was accepted there."""
    if declaration["kind"] != "accepted":
        return declaration
    is_named = opinion["kind"] == "accepted" and declaration["declaration"] != "example"
    return {**declaration, **opinion, "name": opinion["name"] if is_named else declaration["name"]}
