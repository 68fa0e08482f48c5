"""The methods of a Lean server in both forms, plain and ``…_async``, over one coroutine for each kind of work.

Owns the thread that the coroutines run in, so that both forms are the same code and work from any thread and any event
loop. Knows neither processes nor machines.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from lean_agent.errors import LeanError
from lean_agent.lean.facade.arguments import checked
from lean_agent.lean.facade.background_loop import LoopThread
from lean_agent.lean.server import LeanServer, TacticResult
from lean_agent.lean.types import (
    FileVerdict,
    GoalState,
    LeanMessage,
    LeanProject,
    Origin,
    TheoremSite,
    TracedFile,
    Verdict,
)


@checked
class Faces(ABC):
    """A :class:`~lean_agent.lean.server.LeanServer` whose work is in the abstract coroutines below.

    Attributes:
        loop: where they run.
    """

    def __init__(self, name: str) -> None:
        self.loop = LoopThread(name)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        checked(cls)

    @property
    def answers_in_caller(self) -> bool:
        """See :attr:`LeanServer.answers_in_caller`."""
        return False

    @property
    @abstractmethod
    def workers(self) -> int:
        """See :attr:`LeanServer.workers`."""

    @property
    @abstractmethod
    def version(self) -> str:
        """See :attr:`LeanServer.version`."""

    @abstractmethod
    async def _starts(self, origins: Sequence[Origin], timeout_s: float | None) -> list[GoalState | LeanError]: ...

    @abstractmethod
    async def _tactics(self, pairs: Sequence[tuple[GoalState, str]], timeout_s: float | None) -> list[TacticResult]: ...

    @abstractmethod
    async def _splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]: ...

    @abstractmethod
    async def _release(self, states: Sequence[GoalState]) -> None: ...

    @abstractmethod
    async def _trace(self, project: LeanProject, file_path: str) -> TracedFile: ...

    @abstractmethod
    async def _check(
        self, text: str, project: LeanProject | None, timeout_s: float | None
    ) -> tuple[LeanMessage, ...]: ...

    @abstractmethod
    async def _verify(
        self, site: TheoremSite, proof: str, whole_file: bool, allowed: Sequence[str], timeout_s: float | None
    ) -> Verdict: ...

    @abstractmethod
    async def _verify_file(
        self, project: LeanProject, file_path: str, allowed: Sequence[str], timeout_s: float | None
    ) -> FileVerdict: ...

    @abstractmethod
    async def _verify_text(
        self, text: str, project: LeanProject | None, allowed: Sequence[str], timeout_s: float | None
    ) -> FileVerdict: ...

    @abstractmethod
    async def _shut_down(self) -> None:
        """End what was started, and whatever still runs on the loop."""

    def module_path(self, project: LeanProject, file_path: str) -> Path:
        """See :meth:`LeanServer.module_path`."""
        return project.build / project.compiled(file_path)

    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        """See :meth:`LeanServer.package_folders`."""
        return ()

    def under_way(self, project: LeanProject) -> dict[str, int]:
        """See :meth:`LeanServer.under_way`."""
        return {}

    def goal_start(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState:
        """See :meth:`LeanServer.goal_start`."""
        return _raised(self.loop.run(self._starts([origin], timeout_s))[0])

    async def goal_start_async(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState:
        """See :meth:`LeanServer.goal_start`."""
        return _raised((await self.loop.run_async(self._starts([origin], timeout_s)))[0])

    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        """See :meth:`LeanServer.goal_starts`."""
        return self.loop.run(self._starts(origins, timeout_s))

    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: float | None = None
    ) -> list[GoalState | LeanError]:
        """See :meth:`LeanServer.goal_starts`."""
        return await self.loop.run_async(self._starts(origins, timeout_s))

    def goal_tactic(self, state: GoalState, tactic: str, *, timeout_s: float | None = None) -> GoalState:
        """See :meth:`LeanServer.goal_tactic`."""
        return _raised(self.loop.run(self._tactics([(state, tactic)], timeout_s))[0])

    async def goal_tactic_async(self, state: GoalState, tactic: str, *, timeout_s: float | None = None) -> GoalState:
        """See :meth:`LeanServer.goal_tactic`."""
        return _raised((await self.loop.run_async(self._tactics([(state, tactic)], timeout_s)))[0])

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        """See :meth:`LeanServer.goal_tactics`."""
        return self.loop.run(self._tactics(pairs, timeout_s))

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        """See :meth:`LeanServer.goal_tactics`."""
        return await self.loop.run_async(self._tactics(pairs, timeout_s))

    def goal_splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """See :meth:`LeanServer.goal_splits`."""
        return self.loop.run(self._splits(states))

    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """See :meth:`LeanServer.goal_splits`."""
        return await self.loop.run_async(self._splits(states))

    def release(self, states: Sequence[GoalState]) -> None:
        """See :meth:`LeanServer.release`."""
        self.loop.run(self._release(states))

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        """See :meth:`LeanServer.trace_file`."""
        return self.loop.run(self._trace(project, file_path))

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        """See :meth:`LeanServer.trace_file`."""
        return await self.loop.run_async(self._trace(project, file_path))

    def check(
        self, text: str, *, project: LeanProject | None = None, timeout_s: float | None = None
    ) -> tuple[LeanMessage, ...]:
        """See :meth:`LeanServer.check`."""
        return self.loop.run(self._check(text, project, timeout_s))

    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: float | None = None
    ) -> tuple[LeanMessage, ...]:
        """See :meth:`LeanServer.check`."""
        return await self.loop.run_async(self._check(text, project, timeout_s))

    def verify(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict:
        """See :meth:`LeanServer.verify`."""
        return self.loop.run(self._verify(site, proof, whole_file, allowed_axioms, timeout_s))

    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict:
        """See :meth:`LeanServer.verify`."""
        return await self.loop.run_async(self._verify(site, proof, whole_file, allowed_axioms, timeout_s))

    def verify_file(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """See :meth:`LeanServer.verify_file`."""
        return self.loop.run(self._verify_file(project, file_path, allowed_axioms, timeout_s))

    async def verify_file_async(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """See :meth:`LeanServer.verify_file`."""
        return await self.loop.run_async(self._verify_file(project, file_path, allowed_axioms, timeout_s))

    def verify_text(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """See :meth:`LeanServer.verify_text`."""
        return self.loop.run(self._verify_text(text, project, allowed_axioms, timeout_s))

    async def verify_text_async(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """See :meth:`LeanServer.verify_text`."""
        return await self.loop.run_async(self._verify_text(text, project, allowed_axioms, timeout_s))

    def close(self, wait_s: float = 0.0) -> None:
        """See :meth:`LeanServer.close`.

        Args:
            wait_s: so long requests that are under way may still take, and the processes live; new ones are refused at
                once. What has no answer by then gets a ``LeanRequestError``. The end of a ``with`` waits for nothing.
        """
        self.loop.close(self._shut_down(), wait_s=wait_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PlainFaces(LeanServer):
    """The ``…_async`` methods of a server that answers one caller at a time: they call the plain ones, and hold up the
    event loop as long as these take."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def answers_in_caller(self) -> bool:
        """See :attr:`LeanServer.answers_in_caller`."""
        return True

    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        """See :meth:`LeanServer.package_folders`."""
        return ()

    def under_way(self, project: LeanProject) -> dict[str, int]:
        """See :meth:`LeanServer.under_way`."""
        return {}

    async def goal_start_async(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState:
        """As :meth:`goal_start`."""
        return self.goal_start(origin, timeout_s=timeout_s)

    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: float | None = None
    ) -> list[GoalState | LeanError]:
        """As :meth:`goal_starts`."""
        return self.goal_starts(origins, timeout_s=timeout_s)

    async def goal_tactic_async(self, state: GoalState, tactic: str, *, timeout_s: float | None = None) -> GoalState:
        """As :meth:`goal_tactic`."""
        return self.goal_tactic(state, tactic, timeout_s=timeout_s)

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        """As :meth:`goal_tactics`."""
        return self.goal_tactics(pairs, timeout_s=timeout_s)

    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """As :meth:`goal_splits`."""
        return self.goal_splits(states)

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        """As :meth:`trace_file`."""
        return self.trace_file(project, file_path)

    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: float | None = None
    ) -> tuple[LeanMessage, ...]:
        """As :meth:`check`."""
        return self.check(text, project=project, timeout_s=timeout_s)

    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict:
        """As :meth:`verify`."""
        return self.verify(site, proof, whole_file=whole_file, allowed_axioms=allowed_axioms, timeout_s=timeout_s)

    async def verify_file_async(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """As :meth:`verify_file`."""
        return self.verify_file(project, file_path, allowed_axioms=allowed_axioms, timeout_s=timeout_s)

    async def verify_text_async(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """As :meth:`verify_text`."""
        return self.verify_text(text, project=project, allowed_axioms=allowed_axioms, timeout_s=timeout_s)


def _raised(result: GoalState | LeanError) -> GoalState:
    if isinstance(result, LeanError):
        raise result
    return result
