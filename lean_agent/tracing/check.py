"""A check of a trace by Lean: every traced tactic is run again, in the state that was stored for it.

Each step of a stored proof is started where it stands in its file, and what Lean prints then is compared with what is
stored: the state before, and the state that the tactic leaves. It is the way by which a reward restores a state, so a
step that passes is one that training can use. No step is left out in silence: holes and repeated runs are counted.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Literal

from lean_agent.errors import LeanError, TacticFailure
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite, TracedFile, TracedTactic, TracedTheorem

Miss = Literal["no start", "state before", "tactic failed", "state after"]
_METAVARIABLE = re.compile(r"\?m\.\d+")
_BATCH = 64  # steps of one request


@dataclass(frozen=True, slots=True)
class MissedStep:
    """A step that Lean does not repeat as it is stored. ``reason`` says what Lean said or printed instead."""

    path: str
    full_name: str
    line: int
    tactic: str
    kind: Miss
    reason: str


@dataclass(slots=True)
class TraceCheck:
    """The account of a check.

    Attributes:
        matched: steps whose state before and state after are the stored ones, character by character.
        missed: the others.
        holes: ``sorry`` and tactics with one inside, which leave no proof to repeat.
        frames: ``·``, ``case`` and the like, what ``conv =>`` and ``grind =>`` run, and later runs of one piece of text
            (``all_goals``, ``<;>``): no steps of a proof of their own.
    """

    matched: int = 0
    missed: list[MissedStep] = field(default_factory=list)
    holes: int = 0
    frames: int = 0

    def add(self, other: TraceCheck) -> None:
        """Add another account to this one."""
        self.matched += other.matched
        self.missed += other.missed
        self.holes += other.holes
        self.frames += other.frames

    @property
    def steps(self) -> int:
        """How many steps were run again."""
        return self.matched + len(self.missed)

    @property
    def share(self) -> float:
        """The share of steps that match, from 0 to 1; 1 when there are none."""
        return self.matched / self.steps if self.steps else 1.0

    @property
    def reasons(self) -> Counter[Miss]:
        """How many steps were missed for which kind of reason."""
        return Counter(miss.kind for miss in self.missed)


@dataclass(frozen=True, slots=True)
class _Step:
    theorem: TracedTheorem
    tactic: TracedTactic
    site: TheoremSite


def check_file(
    project: LeanProject,
    file: TracedFile,
    server: LeanServer,
    check: TraceCheck,
    *,
    on_batch: Callable[[int], None] = lambda steps: None,
) -> None:
    """Run every step of a traced file again and add what came of it to ``check``.

    Args:
        on_batch: is told now and then how many steps of the file are done.

    Raises:
        LeanStartupError, LeanInstallError: Lean does not run at all.
    """
    steps = list(_steps(project, file, check))
    for at in range(0, len(steps), _BATCH):
        batch = steps[at : at + _BATCH]
        starts = server.goal_starts([step.site for step in batch])
        started = [(state, step) for state, step in zip(starts, batch, strict=True) if isinstance(state, GoalState)]
        ends = server.goal_tactics([(state, step.tactic.tactic) for state, step in started])
        answers = iter(ends)
        for step, start in zip(batch, starts, strict=True):
            _judge(check, file.path, step, start, next(answers) if isinstance(start, GoalState) else start)
        server.release([state for state in (*starts, *ends) if isinstance(state, GoalState)])
        on_batch(at + len(batch))


def check_files(
    project: LeanProject, files: Iterable[TracedFile], server: LeanServer, *, on_batch: Callable[[int], None]
) -> Iterator[TraceCheck]:
    """Check files, as many at a time as the server can work on, each opened by one of its processes; yields the account
    of each, in their order. Arguments and errors as those of :func:`check_file`."""

    def checked(file: TracedFile) -> TraceCheck:
        check = TraceCheck()
        check_file(project, file, server, check, on_batch=on_batch)
        return check

    with ThreadPoolExecutor(server.workers, thread_name_prefix="check") as threads:
        under_way: deque[Future[TraceCheck]] = deque()
        for file in files:
            under_way.append(threads.submit(checked, file))
            if len(under_way) > server.workers:  # of a large repository not all files are held
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()


def _steps(project: LeanProject, file: TracedFile, check: TraceCheck) -> Iterator[_Step]:
    for theorem in file.theorems:
        for tactic in theorem.tactics:
            if tactic.step:
                yield _Step(theorem, tactic, TheoremSite(project, file.path, theorem.full_name, tactic.start))
            else:
                check.frames += 1


def _judge(check: TraceCheck, path: str, step: _Step, start: GoalState | LeanError, end: GoalState | LeanError) -> None:
    def missed(kind: Miss, reason: str) -> None:
        line = step.theorem.start_pos.line
        check.missed.append(MissedStep(path, step.theorem.full_name, line, step.tactic.tactic, kind, reason))

    if not isinstance(start, GoalState):
        missed("no start", str(start))
    elif not _are_alike(start.text, step.tactic.state_before):
        missed("state before", start.text)
    elif isinstance(end, TacticFailure) and end.kind == "sorry":
        check.holes += 1
    elif not isinstance(end, GoalState):
        missed("tactic failed", str(end))
    elif not _are_alike(end.text or "no goals", step.tactic.state_after):
        missed("state after", end.text or "no goals")
    else:
        check.matched += 1


def _are_alike(state: str, stored: str) -> bool:
    return state == stored or _numbered_anew(state) == _numbered_anew(stored)


def _numbered_anew(state: str) -> str:
    """Return a state with its nameless metavariables (``?m.24``) numbered as they come: Lean counts on from what it has
    elaborated before."""
    numbers: dict[str, str] = {}
    return _METAVARIABLE.sub(lambda match: numbers.setdefault(match.group(), f"?m.{len(numbers)}"), state)
