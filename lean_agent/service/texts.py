"""Loose texts as files of their own: traced, for what a check does not say of them.

Each lies in a folder of its own below one that ends with the service; the ones used longest ago are removed first.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_agent.errors import LeanError, LeanRequestError, LeanTimeout, TraceError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite, TracedFile, TracedTheorem
from lean_agent.tracing.project.repository import open_text

FILE = "Text.lean"
NO_GOAL = "no goal: the place is in no proof"
"""What Lean says of a place without goals (``LeanAgent/Explore.lean``)."""
_MOST = 256


@dataclass(eq=False)
class _Trace:
    """A text that is traced, or was.

    Attributes:
        waiting: requests that wait for it.
    """

    task: asyncio.Task[tuple[LeanProject, TracedFile]]
    waiting: int = 0

    @property
    def has_failed(self) -> bool:
        return self.task.done() and (self.task.cancelled() or self.task.exception() is not None)


class LooseTexts:
    """Texts that were traced lately, each once.

    Args:
        server: traces them.
        most: so many are kept.
    """

    def __init__(self, server: LeanServer, most: int = _MOST) -> None:
        self._server = server
        self._most = most
        self._folder = tempfile.TemporaryDirectory(prefix="lean-agent-texts-")
        self._traces: OrderedDict[str, _Trace] = OrderedDict()

    async def traced(self, text: str, timeout_s: float) -> tuple[LeanProject, TracedFile]:
        """Return a project of the text alone, and what was learnt from it. What nobody waits for any more is cancelled.

        Raises:
            LeanTimeout: Lean was not done within ``timeout_s``.
            LeanError: Lean failed twice.
        """
        key = hashlib.sha256(text.encode()).hexdigest()[:32]
        trace = self._traces.get(key)
        if trace is None or trace.has_failed:
            trace = self._traces[key] = _Trace(asyncio.create_task(self._trace(key, text)))
        self._traces.move_to_end(key)
        await self._forget_old()
        trace.waiting += 1
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.shield(trace.task)
        except TimeoutError:
            raise LeanTimeout(f"the text was not traced within {timeout_s:g} s") from None
        finally:
            trace.waiting -= 1
            if not trace.waiting:
                trace.task.cancel()

    async def open_theorem(self, text: str, timeout_s: float) -> tuple[TheoremSite, TracedTheorem]:
        """Return the one theorem that a text leaves open.

        Args:
            text: a statement, with or without ``theorem NAME`` and ``:= by sorry``, or a whole file.

        Raises:
            TraceError: Lean finds an error in it, or it leaves none open, or several.
            LeanTimeout: Lean was not done within ``timeout_s``.
        """
        project, file = await self.traced(open_text(text), timeout_s)
        theorems = [theorem for theorem in file.theorems if theorem.has_sorry]
        if len(theorems) != 1:
            error = next(iter(file.errors), None)
            why = f"line {error.start.line}: {error.text}" if error else f"it leaves {len(theorems)} theorems open"
            raise TraceError(f"The text has to leave one theorem open: {why}.")
        return TheoremSite(project, FILE, theorems[0].full_name), theorems[0]

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()

    async def _trace(self, key: str, text: str) -> tuple[LeanProject, TracedFile]:
        folder = Path(self._folder.name) / key
        project = LeanProject(folder / "source", folder / "build")
        await asyncio.to_thread(_write, project.root / FILE, text)
        return project, await self._server.trace_file_async(project, FILE)

    async def _forget_old(self) -> None:
        while len(self._traces) > self._most:
            key, trace = next(iter(self._traces.items()))
            if not trace.task.done():
                return  # somebody waits for it
            del self._traces[key]
            await asyncio.to_thread(shutil.rmtree, Path(self._folder.name) / key, True)


async def goals_at(
    server: LeanServer, project: LeanProject, file_path: str, offsets: Sequence[int], timeout_s: float | None
) -> list[GoalState | None]:
    """Return the goals that an editor shows at places of a file; ``None`` where there are none.

    Args:
        offsets: bytes of the file.
        timeout_s: wall-clock seconds for each; ``None`` is the server's own limit.

    Raises:
        LeanError: the file cannot be elaborated, or Lean failed.
    """
    sites = [TheoremSite(project, file_path, "", offset) for offset in offsets]
    states: list[GoalState | None] = []
    for state in await server.goal_starts_async(sites, timeout_s=timeout_s):
        if isinstance(state, LeanRequestError) and NO_GOAL in str(state):
            states.append(None)
        elif isinstance(state, LeanError):
            raise state
        else:
            states.append(state)
    return states


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
