"""The interface of every Lean server: text in, frozen values out.

Implementations: :class:`lean_agent.lean.pool.LeanPool` (embedded or native processes) and
:class:`lean_agent.lean.mock.server.MockLeanServer` (users' unit tests). All pass ``tests/lean/test_conformance.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from lean_agent.errors import LeanError
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

MARK = ".program.json"
"""The ending of a file beside a compiled module that was made in a process where programs of its project ran, or in
which something rests on other axioms than Lean's three, or on a ``sorry``: it names both."""

EMPTY = "the tactic is empty: there is nothing to run"
"""The message of the failure of an empty tactic."""

TacticResult = GoalState | LeanError
"""A state, or (as data) the :class:`~lean_agent.errors.TacticFailure`; any other ``LeanError`` means that Lean itself
failed twice on this pair, and nothing is known about the tactic."""


@runtime_checkable
class LeanServer(Protocol):
    """What search, rewards and tracing need of Lean. Every method has an ``…_async`` twin.

    A server is a context manager; ``close`` ends its processes. Timeouts are wall-clock seconds per item. An argument
    that no request can have is a ``LeanTypeError`` or ``LeanValueError``; every method raises ``LeanRequestError`` on a
    closed server, and ``LeanForkError`` in a forked child of the process that made it.
    """

    @property
    def workers(self) -> int:
        """How many requests it works on at the same time."""
        ...

    @property
    def answers_in_caller(self) -> bool:
        """Whether every method, ``…_async`` ones too, does its work in the thread that calls it and awaits nothing."""
        ...

    @property
    def version(self) -> str:
        """Which Lean runs, such as ``4.28.0``."""
        ...

    def goal_start(self, origin: Origin, *, timeout_s: float | None = None) -> GoalState:
        """Return the state before a proof: of a theorem in its file, of a proposition given as an expression (core
        Lean), or of some goals of a state.

        Args:
            origin: a :class:`~lean_agent.lean.types.TheoremSite`, a proposition such as ``∀ n : Nat, n + 0 = n``, or
                :class:`~lean_agent.lean.types.Subgoals`.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 30).

        Raises:
            LeanRequestError: no such theorem, or the expression does not elaborate.
            LeanProcessDied, LeanTimeout: Lean failed twice; nothing is known of the theorem.
            LeanTypeError, LeanValueError: ``origin`` or ``timeout_s`` is none.
        """
        ...

    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        """Return for each origin what :meth:`goal_start` would, in their order; errors are results too.

        Args:
            origins: a list of them.
            timeout_s: wall-clock seconds for each; ``None`` is the server's own limit (a pool's: 30).

        Raises:
            LeanTypeError, LeanValueError: one of ``origins`` is none, or ``timeout_s`` no time.
        """
        ...

    def goal_tactic(self, state: GoalState, tactic: str, *, timeout_s: float | None = None) -> GoalState:
        """Return the state after a tactic. The state before stays as it was, and may be used again.

        Args:
            state: from this server, or another pool: a state that does not live here is rebuilt.
            tactic: one or several tactics of Lean, without ``by``.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 10).

        Raises:
            TacticFailure: the tactic failed, was empty or took too long; ``kind`` says which.
            LeanRequestError: the state cannot be rebuilt, since its file has changed.
            LeanProcessDied: Lean died twice of this tactic.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        ...

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        """Return for each pair (state, tactic) what :meth:`goal_tactic` would, in their order; failures are results.

        Args:
            timeout_s: wall-clock seconds for each pair; ``None`` is the server's own limit (a pool's: 10).

        Raises:
            LeanTypeError, LeanValueError: a pair is none, or ``timeout_s`` no time.
        """
        ...

    def goal_splits(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """Return for each state its groups of goals (:attr:`GoalState.groups`), each as a state to be proved apart, or
        why there are none.

        The origin of such a state is a :class:`~lean_agent.lean.types.Subgoals`; it is solved when its own goals are.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        ...

    def release(self, states: Sequence[GoalState]) -> None:
        """Forget states that are needed no more, so that Lean can free their memory. One that is used all the same is
        rebuilt by a pool.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        ...

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        """Return what is learnt from a file: it is elaborated (its imports traced before), its info trees are walked,
        and its compiled module is kept in ``project.build``. Takes at most ``PoolLimits.file_timeout_s`` (900 seconds).

        Args:
            file_path: below ``project.root``, with forward slashes, such as ``A/B.lean``.

        Raises:
            LeanRequestError: there is no such file, or an import of it was not traced.
            LeanProcessDied, LeanTimeout: Lean failed twice, or took too long.
            LeanTypeError: an argument is of another type.
        """
        ...

    def module_path(self, project: LeanProject, file_path: str) -> Path:
        """Return where the compiled module of a file is, once it was traced."""
        ...

    def check(
        self, text: str, *, project: LeanProject | None = None, timeout_s: float | None = None
    ) -> tuple[LeanMessage, ...]:
        """Elaborate a text as a file of its own and return what Lean says of it, with line and column, in the order of
        the text; a text without an error has no message of the severity ``error``. Whether a theorem counts as proved
        is the judge's business (:meth:`verify`).

        Args:
            text: a whole file, its imports first; without any, ``Init`` is imported.
            project: one whose traced files may be imported; ``None``: core Lean only.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 60).

        Raises:
            LeanTimeout: Lean was not done within ``timeout_s``.
            LeanProcessDied: Lean died twice of this text.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        ...

    def under_way(self, project: LeanProject) -> dict[str, int]:
        """How many bytes are done of each file of the project that is being elaborated, by path, where that is known.
        Any thread may ask, at any time."""
        ...

    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        """Folders with compiled modules of the project's packages that this Lean finds by itself, as a native one does
        by its Lake.

        Raises:
            LeanRequestError: Lake cannot tell.
        """
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

        Args:
            whole_file: elaborate the whole file afresh with the proof in place, instead of starting from the state just
                before the theorem.
            allowed_axioms: full names of others than Lean's three that the proof may rest on.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 60). One that takes longer has
                the verdict ``timeout``.

        Raises:
            LeanRequestError: the file cannot be read or elaborated.
            LeanProcessDied: Lean died twice of this proof.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        ...

    def verify_file(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """Judge a whole file, its imports traced before: it is elaborated once, and every declaration gets a verdict.

        Args:
            allowed_axioms: full names of others than Lean's three that a proof may rest on.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 900). A file that takes
                longer is not accepted, and a problem of the verdict says so.

        Raises:
            LeanRequestError: there is no such file.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        ...

    def verify_text(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict:
        """Judge a text as :meth:`verify_file` does a file.

        Args:
            text: a whole file, its imports first; without any, ``Init`` is imported.
            project: one whose traced files may be imported; ``None``: core Lean only.
            allowed_axioms: full names of others than Lean's three that a proof may rest on.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 60), as there.

        Raises:
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
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

    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: float | None = None
    ) -> tuple[LeanMessage, ...]: ...

    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> Verdict: ...

    async def verify_file_async(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict: ...

    async def verify_text_async(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: float | None = None,
    ) -> FileVerdict: ...
