"""What practice has learnt, in as few words as do.

A scheme is one long tactic, ``induction n <;> first | … | grind [f, g, …]``, of which one alternative and few names
prove the goal. A model is to learn these; the rest it could not write within its ``max_tactic_tokens``. Lean tries what
can go, at the state of the search where the tactic was found, and what it says is kept in the round's folder.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Lock

from lean_agent.database import StoredTheorem
from lean_agent.database.records import FoundTactic
from lean_agent.errors import LeanError
from lean_agent.files import json_lines, keep_json_lines
from lean_agent.improvement.lessons import Lessons
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState
from lean_agent.policy.closers.placeholders import LEMMAS
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of
from lean_agent.progress import ProgressBar
from lean_agent.prompts import main_goal
from lean_agent.prover.proofs.minimise import can_be_shorter, shorter_tactic
from lean_agent.prover.saved.training_rows import Place, ProofStep
from lean_agent.prover.saved.trees import SavedSearch
from lean_agent.prover.tree.steps import separable

FILE = "shorter.jsonl"
"""A line for each tactic: its goal, what it was, what it is, and the Lean calls that this took."""

_NAMES = re.compile(r"\b(grind|simp_all)(?: \(instances := \d+\))? \[[^\[\]]+\]")
"""A list of definitions and premises; hypotheses are among what these tactics use anyway."""

Lesson = tuple[str, str]
"""A goal, and a tactic that proves it."""


class Shortened:
    """Short forms of tactics at their goals, on disk.

    Args:
        folders: of the rounds so far. What is added goes to the last of them; a line that a kill has cut short is left
            out.

    Attributes:
        calls: of Lean, that the last round's took.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._path = folders[-1] / FILE
        self._known: dict[Lesson, str] = {}
        self._lock = Lock()
        self.calls = 0
        for path in (folder / FILE for folder in folders):
            keep_json_lines(path, lambda _: True)
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            for goal, tactic, shorter, calls in map(json.loads, json_lines(text)):
                self._known[goal, tactic] = shorter
                self.calls += calls if path == self._path else 0

    def __contains__(self, lesson: object) -> bool:
        return lesson in self._known

    def add(self, lesson: Lesson, shorter: str, calls: int) -> None:
        """Keep the short form of a tactic, and what it took."""
        with self._lock, self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([*lesson, shorter, calls], ensure_ascii=False) + "\n")
            self._known[lesson] = shorter
            self.calls += calls

    def tactic(self, of_proof: FoundTactic) -> FoundTactic:
        """Return a step of a proof with the short form of its tactic, if there is one."""
        lesson = main_goal(of_proof.state_before), of_proof.step
        return replace(of_proof, step=self._known.get(lesson, of_proof.step))

    def applied(self, lessons: Lessons, *, schemes: bool = False) -> Lessons:
        """Return lessons with short forms for their tactics, each goal and tactic once.

        Args:
            schemes: write ``{lemmas}`` for the names of a tactic that came of a scheme.
        """

        def short(goal: str, tactic: str) -> str:
            shorter = self._known.get((goal, tactic), tactic)
            is_scheme = schemes and scheme_of(tactic, goal, CLOSING_SCHEMES) is not None
            return _NAMES.sub(rf"\1 [{LEMMAS}]", shorter) if is_scheme else shorter

        steps: dict[Lesson, tuple[StoredTheorem, ProofStep]] = {}
        for theorem, step in lessons.steps:
            tactic = short(step.goal, step.tactic)
            steps.setdefault((step.goal, tactic), (theorem, replace(step, tactic=tactic)))
        pairs = tuple({**pair, "chosen": short(pair["prompt"], pair["chosen"])} for pair in lessons.pairs)
        return replace(lessons, steps=tuple(steps.values()), pairs=pairs, schemes=schemes)


def shorten(
    lessons: Lessons,
    searches: Sequence[tuple[StoredTheorem, SavedSearch]],
    server: LeanServer,
    known: Shortened,
    *,
    title: str,
    progress: bool = True,
) -> None:
    """Have Lean shorten the lessons' tactics that prove their goals by one of several alternatives or with names.

    Args:
        searches: those that the lessons are of.
        known: where short forms go; what is there is not tried again.
    """
    asked: defaultdict[int, list[ProofStep]] = defaultdict(list)
    for _, step in lessons.steps:
        if not step.after and can_be_shorter(step.tactic) and (step.goal, step.tactic) not in known:
            asked[step.search].append(step)
    with (
        ThreadPoolExecutor(max_workers=2 * server.workers, thread_name_prefix="shorten") as threads,
        ProgressBar(title, total=len(asked), enabled=progress and bool(asked)) as bar,
    ):
        for _ in threads.map(lambda number: _shorten_of(*searches[number], asked[number], server, known), asked):
            bar.advance(Lean_calls=f"{known.calls:,}")


def _shorten_of(
    theorem: StoredTheorem, search: SavedSearch, steps: Iterable[ProofStep], server: LeanServer, known: Shortened
) -> None:
    """Shorten tactics of one search. One at a state that Lean does not come to again stays as it is."""
    states = _States(theorem, search, server)
    namespace = theorem.full_name.rpartition(".")[0]
    try:
        for step in steps:
            try:
                shorter, calls = shorter_tactic(server, states.at(step.place), step.tactic, namespace=namespace)
            except LeanError:
                shorter, calls = step.tactic, 1
            known.add((step.goal, step.tactic), shorter, calls)
    finally:
        states.release()


class _States:
    """States of a saved search, made anew by its tactics from the theorem's first state on."""

    def __init__(self, theorem: StoredTheorem, search: SavedSearch, server: LeanServer) -> None:
        self._theorem = theorem
        self._server = server
        self._nodes = {(node.graph, node.id): node for node in search.nodes}
        self._states: dict[Place, GoalState] = {}
        self._whole: list[GoalState] = []

    def at(self, place: Place) -> GoalState:
        """Return the state of a node.

        Raises:
            LeanError: Lean does not come there again.
        """
        if place not in self._states:
            self._states[place] = state = self._made(place)
            if tuple(goal.text for goal in state.goals) != self._nodes[place].goals:
                raise LeanError("The same tactics lead to another state.")  # where hypotheses have other names
        return self._states[place]

    def _made(self, place: Place) -> GoalState:
        graph, number = place
        parent = self._nodes[place].parent
        if parent is None:
            return self._server.goal_start(self._theorem.site)
        edge = next(edge for edge in self._nodes[graph, parent].edges if number in edge.targets)
        after = self._server.goal_tactic(self.at((graph, parent)), edge.tactic)
        groups = separable(after.groups)
        if len(edge.targets) == 1 or len(groups) != len(edge.targets):
            return after
        self._whole.append(after)
        (parts,) = self._server.goal_splits([replace(after, groups=groups)])
        if isinstance(parts, LeanError):
            raise parts
        return parts[edge.targets.index(number)]

    def release(self) -> None:
        """Let Lean forget them."""
        self._server.release([*self._states.values(), *self._whole])
