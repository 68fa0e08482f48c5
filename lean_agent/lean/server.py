"""The interface of every Lean server: text in, frozen values out.

Implementations: :class:`lean_agent.lean.pool.LeanPool` (embedded or native processes) and
:class:`lean_agent.lean.mock.MockLeanServer` (users' unit tests). All pass ``tests/lean/test_conformance.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from lean_agent.errors import LeanError
from lean_agent.lean.types import GoalState, LeanProject, Origin, TheoremSite, TracedFile, Verdict

MARK = ".program.json"
"""The ending of a file beside a compiled module that was made in a process where programs of its project ran, or in
which something rests on other axioms than Lean's three: it names both."""

TacticResult = GoalState | LeanError
"""A state, or (as data) the :class:`~lean_agent.errors.TacticFailure`; any other ``LeanError`` means that Lean itself
failed twice on this pair, and nothing is known about the tactic."""


@runtime_checkable
class LeanServer(Protocol):
    """What search, rewards and tracing need of Lean. Every method has an ``…_async`` twin.

    A server is a context manager; ``close`` ends its processes. Timeouts are wall-clock seconds per item.
    """

    @property
    def workers(self) -> int:
        """How many requests it works on at the same time."""
        ...

    @property
    def version(self) -> str:
        """Which Lean runs, such as ``4.28.0``."""
        ...

    def goal_start(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState:
        """The state before a proof: of a theorem in its file, of a proposition given as an expression (core Lean), or
        of some goals of a state.

        Raises:
            LeanRequestError: no such theorem, or the expression does not elaborate.
        """
        ...

    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        """Batch form of :meth:`goal_start`: a result for each, failures as data."""
        ...

    def goal_tactic(self, state: GoalState, tactic: str, *, timeout_s: float | None = None) -> GoalState:
        """Run a tactic on a state. The state itself stays as it was.

        Raises:
            TacticFailure: the tactic failed.
        """
        ...

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        """Batch form of :meth:`goal_tactic`: a result for each pair, failures as data."""
        ...

    def goal_splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """For each state its groups of goals (:attr:`GoalState.groups`), each as a state to be proved apart.

        The origin of such a state is a :class:`~lean_agent.lean.types.Subgoals`; it is solved when its own goals are.
        """
        ...

    def release(self, states: Sequence[GoalState]) -> None:
        """Forget states that are needed no more, so that Lean can free them."""
        ...

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        """Elaborate a file (its imports traced before), walk its info trees, keep its compiled module in ``build``."""
        ...

    def module_path(self, project: LeanProject, file_path: str) -> Path:
        """Where the compiled module of a file is, once it was traced."""
        ...

    def verify(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict:
        """Judge ``proof`` (``by …`` or a term, without ``:=``) in the place of the theorem's own proof.

        ``whole_file`` elaborates the whole file afresh with the proof in place instead of starting from the state
        just before the theorem.
        """
        ...

    def close(self) -> None:
        """End the processes. Idempotent."""
        ...

    async def goal_start_async(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState: ...

    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: float | None = None
    ) -> list[GoalState | LeanError]: ...

    async def goal_tactic_async(
        self, state: GoalState, tactic: str, *, timeout_s: float | None = None
    ) -> GoalState: ...

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]: ...

    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]: ...

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile: ...

    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict: ...
