"""A server for projects that are pinned to different toolchains: a pool for each of these, made when first needed.

Owns the choice of a pool: a project's ``lean-toolchain`` says which, by elan. What is asked and answered is the pool's.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import override

from lean_agent.errors import LeanError
from lean_agent.lean.native.toolchain import NativeLean, find_toolchain
from lean_agent.lean.pool.pool import LeanPool
from lean_agent.lean.pool.worker_state import PoolLimits
from lean_agent.lean.server import LoopServer, TacticResult
from lean_agent.lean.types import (
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
    TheoremSite,
    TracedFile,
    Verdict,
    site_of,
)
from lean_agent.settings import Count, Seconds

Item = TypeVar("Item")
Result = TypeVar("Result")


class ToolchainPools(LoopServer):
    """Native Leans, one pool of ``workers`` processes for each toolchain that a project asks for. What belongs to no
    project is asked of the current folder's.

    Args:
        find: returns the toolchain of a folder.

    Raises:
        LeanInstallError: there is no toolchain for the current folder.
        LeanTypeError, LeanValueError: ``workers`` is no whole number from 1 on.
    """

    def __init__(
        self,
        workers: Count = 1,
        *,
        limits: PoolLimits | None = None,
        find: Callable[[Path], NativeLean] = lambda folder: find_toolchain(folder=folder),
    ) -> None:
        self._find = find
        self._limits = limits
        self._count = workers
        self._lock = threading.Lock()
        self._by_folder: dict[Path, LeanPool] = {}
        self._pools: dict[NativeLean, LeanPool] = {}
        self._default = self._in(Path.cwd())
        super().__init__("Lean pools")

    def pool(self, project: LeanProject | None) -> LeanPool:
        """Return the pool of a project's toolchain; the toolchain is looked for once.

        Raises:
            LeanInstallError: there is no such toolchain.
        """
        return self._default if project is None else self._in(project.folder.absolute())

    def _in(self, folder: Path) -> LeanPool:
        with self._lock:
            if folder not in self._by_folder:
                toolchain = self._find(folder)
                if toolchain not in self._pools:
                    lean = os.fspath(toolchain.lean)
                    self._pools[toolchain] = LeanPool(self._count, lean=lean, limits=self._limits)
                self._by_folder[folder] = self._pools[toolchain]
            return self._by_folder[folder]

    async def _of(self, project: LeanProject | None) -> LeanPool:
        return await asyncio.to_thread(self.pool, project)

    @property
    @override
    def workers(self) -> int:
        return self._count

    @property
    @override
    def version(self) -> str:
        return self._default.version

    def pids(self) -> list[int]:
        """Return the process ids of the running Lean processes."""
        return [pid for pool in self._pools.values() for pid in pool.pids()]

    @property
    def busy_s(self) -> float:
        """Seconds that Lean itself has worked on requests, in the processes that run now."""
        return sum(pool.busy_s for pool in self._pools.values())

    async def _spread(
        self,
        items: Sequence[Item],
        origin_of: Callable[[Item], Origin],
        work: Callable[[LeanPool, list[Item]], Coroutine[Any, Any, list[Result]]],
    ) -> list[Result | LeanError]:
        """Have each item done by its pool; return the results in the order of the items."""
        parts: defaultdict[LeanPool, list[int]] = defaultdict(list)
        results: list[Result | LeanError | None] = [None] * len(items)
        for i, item in enumerate(items):
            try:
                site = site_of(origin_of(item))
                parts[await self._of(site.project if site else None)].append(i)
            except LeanError as error:
                results[i] = error
        done = await asyncio.gather(*(work(pool, [items[i] for i in part]) for pool, part in parts.items()))
        for part, answers in zip(parts.values(), done, strict=True):
            for i, answer in zip(part, answers, strict=True):
                results[i] = answer
        return [result for result in results if result is not None]

    @override
    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        return await self._spread(
            origins, lambda origin: origin, lambda pool, part: pool.goal_starts_async(part, timeout_s=timeout_s)
        )

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        return await self._spread(
            pairs, lambda pair: pair[0].origin, lambda pool, part: pool.goal_tactics_async(part, timeout_s=timeout_s)
        )

    @override
    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        return await self._spread(states, lambda state: state.origin, lambda pool, part: pool.goal_splits_async(part))

    @override
    async def goal_lemmas_async(
        self, states: Sequence[GoalState], *, most: int = 6, laws: int = 0, own: int = 0
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        return await self._spread(
            states,
            lambda state: state.origin,
            lambda pool, part: pool.goal_lemmas_async(part, most=most, laws=laws, own=own),
        )

    @override
    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        return await self._spread(
            states, lambda state: state.origin, lambda pool, part: pool.goal_consequences_async(part, most=most)
        )

    @override
    async def release_async(self, states: Sequence[GoalState]) -> None:
        async def release(pool: LeanPool, part: list[GoalState]) -> list[None]:
            await pool.release_async(part)
            return [None] * len(part)

        await self._spread(states, lambda state: state.origin, release)

    @override
    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        return await (await self._of(project)).trace_file_async(project, file_path)

    @override
    async def variants_async(
        self, project: LeanProject, file_path: str, theorems: Sequence[str]
    ) -> tuple[Conjecture, ...]:
        return await (await self._of(project)).variants_async(project, file_path, theorems)

    @override
    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: Seconds | None = None
    ) -> tuple[LeanMessage, ...]:
        return await (await self._of(project)).check_async(text, project=project, timeout_s=timeout_s)

    @override
    async def verify_async(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        return await (await self._of(site.project)).verify_async(site, proof, **options)

    @override
    async def verify_file_async(self, project: LeanProject, file_path: str, **options: Any) -> FileVerdict:
        return await (await self._of(project)).verify_file_async(project, file_path, **options)

    @override
    async def verify_text_async(self, text: str, *, project: LeanProject | None = None, **options: Any) -> FileVerdict:
        return await (await self._of(project)).verify_text_async(text, project=project, **options)

    @override
    async def declarations_async(
        self, names: Sequence[str], *, project: LeanProject | None = None, **options: Any
    ) -> list[DeclarationInfo | None]:
        return await (await self._of(project)).declarations_async(names, project=project, **options)

    @override
    async def matches_async(self, pattern: str, *, project: LeanProject | None = None, **options: Any) -> Matches:
        return await (await self._of(project)).matches_async(pattern, project=project, **options)

    @override
    def module_path(self, project: LeanProject, file_path: str) -> Path:
        return self.pool(project).module_path(project, file_path)

    @override
    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        return self.pool(project).package_folders(project)

    @override
    def under_way(self, project: LeanProject) -> dict[str, int]:
        pool = self._by_folder.get(project.folder.absolute())
        return pool.under_way(project) if pool else {}

    @override
    async def _shut_down(self) -> None:
        running = self.loop.cancel_work()
        for pool in self._pools.values():
            await asyncio.to_thread(pool.close)
        await asyncio.gather(*running, return_exceptions=True)
