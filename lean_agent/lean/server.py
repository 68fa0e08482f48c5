"""The contract of every Lean server: text in, frozen values out.

Implementations: :class:`lean_agent.lean.pool.LeanPool` (embedded or native processes),
:class:`lean_agent.lean.cluster.ray_pool.RayPool`, :class:`lean_agent.lean.remote.client.LeanClient`,
:class:`lean_agent.lean.mock.server.MockLeanServer` and :class:`lean_agent.lean.pantograph.adaptor.PantographLean`.
They pass ``tests/lean/test_conformance.py``.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, NoReturn, Self

from typing_extensions import override

from lean_agent.errors import LeanError, LeanRequestError
from lean_agent.lean.facade import BothForms, CallingThread, LoopThread, OwnLoop, WorkLoop, plain
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
)
from lean_agent.settings import Seconds

PROGRAMS_SUFFIX = ".program.json"
"""The ending of a file beside a compiled module that was made in a process where programs of its project ran, or in
which something rests on other axioms than Lean's three, or on a ``sorry``: it names both."""

EMPTY_TACTIC = "the tactic is empty: there is nothing to run"
"""The message of the failure of an empty tactic."""

TacticResult = GoalState | LeanError
"""A state, or (as data) the :class:`~lean_agent.errors.TacticFailure`; any other ``LeanError`` means that Lean itself
failed twice on this pair, and nothing is known about the tactic."""


class LeanServer(BothForms):
    """What search, rewards and tracing need of Lean. Every method has an ``…_async`` form, to be awaited.

    A server is a context manager; ``close`` ends its processes. Timeouts are wall-clock seconds per item. An argument
    that no request can have is a ``LeanTypeError`` or ``LeanValueError``; every method raises ``LeanRequestError`` on a
    closed server and for what its kind of server cannot do, and ``LeanForkError`` in a forked child of the process that
    made it.

    A subclass writes one form of each method that it can do, plain or to be awaited, and has the other by
    :class:`~lean_agent.lean.facade.BothForms`.

    Attributes:
        loop: where coroutines run that call this server: ``loop.submit`` starts one beside the caller.
        in_order: whether searches take its answers in the order in which they asked, which repeats itself from run to
            run. Of many processes most would stand idle meanwhile, for the slowest tactic of a batch.
    """

    loop: WorkLoop
    in_order: ClassVar[bool] = True

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many requests it works on at the same time."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Which Lean runs, such as ``4.28.0``."""

    async def goal_start_async(self, origin: Origin, *, timeout_s: Seconds | None = None) -> GoalState:
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
        return _raised((await self.goal_starts_async([origin], timeout_s=timeout_s))[0])

    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        """Return for each origin what :meth:`goal_start` would, in their order; errors are results too.

        Args:
            origins: a list of them.
            timeout_s: wall-clock seconds for each; ``None`` is the server's own limit (a pool's: 30).

        Raises:
            LeanTypeError, LeanValueError: one of ``origins`` is none, or ``timeout_s`` no time.
        """
        self._refuse("start proofs")

    async def goal_tactic_async(self, state: GoalState, tactic: str, *, timeout_s: Seconds | None = None) -> GoalState:
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
        return _raised((await self.goal_tactics_async([(state, tactic)], timeout_s=timeout_s))[0])

    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        """Return for each pair (state, tactic) what :meth:`goal_tactic` would, in their order; failures are results.

        Args:
            timeout_s: wall-clock seconds for each pair; ``None`` is the server's own limit (a pool's: 10).

        Raises:
            LeanTypeError, LeanValueError: a pair is none, or ``timeout_s`` no time.
        """
        self._refuse("run tactics")

    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        """Return for each state its groups of goals (:attr:`GoalState.groups`), each as a state to be proved apart, or
        why there are none.

        The origin of such a state is a :class:`~lean_agent.lean.types.Subgoals`; it is solved when its own goals are.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        self._refuse("prove goals of a state apart")

    async def goal_lemmas_async(
        self, states: Sequence[GoalState], *, most: int = 6, laws: int = 0, own: int = 0
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        """Return for each state theorems that may help at its first goal, and that no tactic uses by itself. Of Lean's
        own library: what may conclude the target, then how functions of the goal, or of definitions of the project
        that it names, take a step (``List.range_succ``). None where the server looks for no such.

        Args:
            most: so many for each, at most.
            laws: so many laws of the operations on numbers in a goal (``%``, ``/``, ``gcd``) as well, at most, and
                behind them three bounds or laws with conditions for four (``Nat.mod_lt``), of functions on lists, too.
            own: so many theorems of the project as well, at most, that stand above the goal. They may conclude its
                target for some values of its variables: those that say the most of it and those that say the least
                (transitivity) in turn; behind antisymmetry what may conclude its conditions. A third of them follow
                from a hypothesis or a condition of the target. Open ones are among them. Beside these stand theorems
                about what the bodies of definitions use, equations about nothing else than the goal, and what
                derivations of its relation are put together by.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        return [() for _ in states]

    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        """Return for each state what follows at its first goal: theorems of the project above it, and hypotheses that
        say ``∀`` or ``→``, all of whose conditions are hypotheses, by unification, and what follows from that in one
        step more; hypotheses that say ``∃``, ``∧`` or ``∨`` by a definition come first. None where the server looks
        for no such.

        Args:
            most: so many for each, at most. Lean looks for a third of a second, as a rule.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        return [() for _ in states]

    async def release_async(self, states: Sequence[GoalState]) -> None:
        """Forget states that are needed no more, so that Lean can free their memory. One that is used all the same is
        rebuilt by a pool.

        Raises:
            LeanTypeError: one of ``states`` is none.
        """
        return

    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        """Return what is learnt from a file: it is elaborated (its imports traced before), its info trees are walked,
        and its compiled module is kept in ``project.build``. Takes at most ``PoolLimits.file_timeout_s`` (900 seconds).

        Args:
            file_path: below ``project.root``, with forward slashes, such as ``A/B.lean``.

        Raises:
            LeanRequestError: there is no such file, or an import of it was not traced.
            LeanProcessDied, LeanTimeout: Lean failed twice, or took too long.
            LeanTypeError: an argument is of another type.
        """
        self._refuse("trace files")

    async def variants_async(
        self, project: LeanProject, file_path: str, theorems: Sequence[str]
    ) -> tuple[Conjecture, ...]:
        """Return conjectures made of some theorems of a file (which is elaborated, its imports traced before): at most
        four of each kind that are ``stated`` of each theorem, and all that came to nothing before these.

        Args:
            file_path: as for :meth:`trace_file`.
            theorems: full names; others than the file's are passed over.

        Raises:
            LeanRequestError: there is no such file, or an import of it was not traced.
            LeanProcessDied, LeanTimeout: Lean failed twice, or took too long.
            LeanTypeError: an argument is of another type.
        """
        self._refuse("make variants of theorems")

    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: Seconds | None = None
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
        self._refuse("check texts")

    async def verify_async(
        self,
        site: TheoremSite,
        proof: str,
        *,
        whole_file: bool = False,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
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
        self._refuse("judge proofs")

    async def verify_file_async(
        self,
        project: LeanProject,
        file_path: str,
        *,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
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
        self._refuse("judge files")

    async def verify_text_async(
        self,
        text: str,
        *,
        project: LeanProject | None = None,
        allowed_axioms: Sequence[str] = (),
        timeout_s: Seconds | None = None,
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
        self._refuse("judge texts")

    async def declarations_async(
        self,
        names: Sequence[str],
        *,
        project: LeanProject | None = None,
        file_path: str | None = None,
        timeout_s: Seconds | None = None,
    ) -> list[DeclarationInfo | None]:
        """Return for each full name what Lean knows of that declaration; ``None`` where there is none.

        Args:
            project, file_path: a file, its imports traced before, which the question is about: what it imports and what
                it declares. Without them it is about ``Init`` and ``Std``.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 60).

        Raises:
            LeanRequestError: there is no such file, or an import of it was not traced.
            LeanTimeout: Lean was not done within ``timeout_s``.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        self._refuse("describe declarations")

    async def matches_async(
        self,
        pattern: str,
        *,
        most: int = 10,
        project: LeanProject | None = None,
        file_path: str | None = None,
        timeout_s: Seconds | None = None,
    ) -> Matches:
        """Find declarations by what they state.

        Args:
            pattern: a term with holes, such as ``_ * (_ + _)`` or ``?a + ?b = ?b + ?a``; it matches where the statement
                has an instance of it. After ``⊢`` the conclusion itself has to be one.
            most: so many are returned.
            project, file_path: as for :meth:`declarations`.
            timeout_s: wall-clock seconds; ``None`` is the server's own limit (a pool's: 60).

        Raises:
            LeanRequestError: the pattern does not elaborate, or as for :meth:`declarations`.
            LeanTimeout: Lean was not done within ``timeout_s``.
            LeanTypeError, LeanValueError: an argument is of another type, or ``timeout_s`` is no time.
        """
        self._refuse("look for declarations")

    goal_start = plain(goal_start_async)
    goal_starts = plain(goal_starts_async)
    goal_tactic = plain(goal_tactic_async)
    goal_tactics = plain(goal_tactics_async)
    goal_splits = plain(goal_splits_async)
    goal_lemmas = plain(goal_lemmas_async)
    goal_consequences = plain(goal_consequences_async)
    release = plain(release_async)
    trace_file = plain(trace_file_async)
    variants = plain(variants_async)
    check = plain(check_async)
    verify = plain(verify_async)
    verify_file = plain(verify_file_async)
    verify_text = plain(verify_text_async)
    declarations = plain(declarations_async)
    matches = plain(matches_async)

    def module_path(self, project: LeanProject, file_path: str) -> Path:
        """Return where the compiled module of a file is, once it was traced."""
        return project.build / project.compiled(file_path)

    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        """Return folders with compiled modules of the project's packages that this Lean finds by itself, as a native
        one does by its Lake.

        Raises:
            LeanRequestError: Lake cannot tell.
        """
        return ()

    def under_way(self, project: LeanProject) -> dict[str, int]:
        """Return how many bytes are done of each file of the project that is being elaborated, by path, where that
        is known. Any thread may ask, at any time."""
        return {}

    def close(self) -> None:
        """End the processes. Idempotent."""

    def _refuse(self, what: str) -> NoReturn:
        raise LeanRequestError(f"{type(self).__name__} does not {what}; LeanPool does")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LoopServer(LeanServer):
    """A server whose coroutines run on a loop in a thread of its own."""

    loop: OwnLoop

    def __init__(self, name: str, loop: OwnLoop | None = None) -> None:
        self.loop = loop or LoopThread(name)

    @abstractmethod
    async def _shut_down(self) -> None:
        """End what was started, and whatever still runs on the loop."""

    @override
    def close(self, wait_s: float = 0.0) -> None:
        """End the processes. Idempotent.

        Args:
            wait_s: so long requests that are under way may still take, and the processes live; new ones are refused at
                once. What has no answer by then gets a ``LeanRequestError``. The end of a ``with`` waits for nothing.
        """
        self.loop.close(self._shut_down(), wait_s=wait_s)


class InCallerServer(LeanServer):
    """A server that answers in the thread that calls, one request at a time; batches are made of single requests."""

    loop = CallingThread()

    @override
    def goal_starts(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        return [_as_data(partial(self.goal_start, origin, timeout_s=timeout_s)) for origin in origins]

    @override
    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        return [_as_data(partial(self.goal_tactic, state, tactic, timeout_s=timeout_s)) for state, tactic in pairs]


def _as_data(call: Callable[[], GoalState]) -> GoalState | LeanError:
    try:
        return call()
    except LeanError as error:
        return error


def _raised(result: GoalState | LeanError) -> GoalState:
    if isinstance(result, LeanError):
        raise result
    return result
