"""One attempt at one theorem at a time, by tactics or by whole proofs, with the judge's verdict as its reward.

Owns the state of an episode, what may be done in it, and the words that an agent reads. Knows no framework.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError, FailureKind, LeanError, LeanRequestError, TacticFailure
from lean_agent.files import cache_dir
from lean_agent.lean.facade import BothForms, plain
from lean_agent.lean.server import LeanServer
from lean_agent.lean.source import by_block
from lean_agent.lean.types import GoalState, TheoremSite, Verdict, VerdictKind
from lean_agent.policy.retrieval import BM25Ranker, PremiseCorpus
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rollout.runner import step_of
from lean_agent.rollout.theorems import ProofTask, Theorem, TheoremFiles
from lean_agent.settings import Count, Seconds, checked_class
from lean_agent.trajectory import Outcome, ProofStep, ProofTrajectory

Tool = Literal["run_tactic", "undo", "search_library", "submit"]
"""What an agent can do: the names of methods of :class:`ProofEnvironment`."""

COLUMNS = ("name", "statement", "context", "imports")
"""The columns of a theorem in a data set."""

NO_LIBRARY = "There is no library to search: this environment was made without a corpus of premises."
PROVED = "Proved: Lean's judge accepts the proof."
UNKNOWN = "Lean could not answer, so nothing is known of this attempt; it has ended."

_FAILURES: dict[VerdictKind, FailureKind] = {
    "sorry": "sorry",
    "axiom": "forbidden",
    "statement": "forbidden",
    "forbidden": "forbidden",
    "circular": "forbidden",
    "kernel": "kernel",
    "timeout": "timeout",
    "out_of_memory": "out_of_memory",
    "deep_recursion": "deep_recursion",
    "crashed": "crashed",
}
"""What a refused proof is as a step of an attempt; any other is an ordinary error."""


@checked_class
@dataclass(frozen=True, slots=True)
class EnvironmentConfig:
    """What one attempt may take.

    Attributes:
        max_actions: tactics, proofs, steps back and searches together; then the attempt is cut off.
        tactic_timeout_s: wall-clock seconds of one tactic.
        verify_timeout_s: wall-clock seconds of judging one proof.
        premises: so many results of a search of the library.
    """

    max_actions: Count = 32
    tactic_timeout_s: Seconds = 10.0
    verify_timeout_s: Seconds = 60.0
    premises: Count = 8


class Library:
    """Premises that can be searched by words, or by their names.

    Args:
        corpus: what is searched.
    """

    def __init__(self, corpus: PremiseCorpus) -> None:
        self._corpus = corpus
        self._ranker = BM25Ranker(corpus)

    @classmethod
    def of(cls, database: DynamicDatabase) -> Library:
        """Make one of Lean's own library as a database keeps it (``lean-agent retrieval library`` stores it).

        Raises:
            LeanRequestError: the database has none.
        """
        if database.library() is None:
            raise LeanRequestError("This database keeps no library; `lean-agent retrieval library` stores Lean's own.")
        return cls(PremiseCorpus(database.corpus([])))

    def search(self, query: str, most: int) -> list[str]:
        """Return up to ``most`` premises as text, one of this very name first, then by the words in common."""
        scores = self._ranker.scores([query])[0]
        ranked = [int(number) for number in (-scores).argsort(kind="stable")[:most] if scores[number] > 0]
        named = self._corpus.by_name.get(query.strip(), [])
        return [self._corpus.documents[number].text for number in dict.fromkeys([*named, *ranked])][:most]


class ProofEnvironment(BothForms):
    """A theorem to be proved, by tactics one after another or by a whole proof; one episode after another.

    Every method that asks Lean has an ``…_async`` form, to be awaited. An environment serves one agent at a time; any
    number of them share a server.

    Args:
        lean: runs tactics and judges proofs; stays open.
        config: what one attempt may take.
        scorer: gives the reward; ``None``: 1 for a proof that the judge accepts, 0 for anything else.
        library: what ``search_library`` searches.
        files: where theorems without a file are put; by default a folder in the user's cache.

    Attributes:
        actions: how many actions this episode has taken.
        verdict: the judge's last answer in this episode.
    """

    def __init__(
        self,
        lean: LeanServer,
        *,
        config: EnvironmentConfig | None = None,
        scorer: BaseRewardScorer | None = None,
        library: Library | None = None,
        files: TheoremFiles | None = None,
    ) -> None:
        self.loop = lean.loop
        self.config = config or EnvironmentConfig()
        self.actions = 0
        self.verdict: Verdict | None = None
        self._lean = lean
        self._scorer = scorer
        self._library = library
        self._files = files or TheoremFiles(cache_dir() / "environments")
        self._task: ProofTask | None = None
        self._path: list[GoalState] = []
        self._steps: list[ProofStep] = []
        self._outcome: Outcome = "open"

    async def reset_async(self, theorem: Theorem | ProofTask | str) -> str:
        """Begin an attempt at a theorem and return its goal as text.

        Args:
            theorem: with a context and imports, or in its file, or its statement alone.

        Raises:
            LeanRequestError: the statement does not elaborate.
            LeanError: Lean is not there.
        """
        await self._forget()
        if isinstance(theorem, str):
            theorem = Theorem("problem", theorem)
        self._task = self._files.tasks([theorem])[0] if isinstance(theorem, Theorem) else theorem
        self._path = [await self._start(self._task.site)]
        return self.goals

    async def run_tactic_async(self, tactic: str) -> str:
        """Run a tactic at the open goals and return those that are left, or Lean's error with the goals as they were.

        When nothing is left, the whole proof is judged. Several tactics, one on each line, count as one.

        Raises:
            LeanRequestError: there is no episode, or it has ended.
        """
        state = self._act()
        try:
            after = await self._lean.goal_tactic_async(state, tactic, timeout_s=self.config.tactic_timeout_s)
        except TacticFailure as failure:
            self._take(tactic, state, failure)
            return f"Lean refuses this tactic ({failure.kind}): {failure.message}\n\n{self.goals}"
        except LeanError as error:
            return self._give_up(error)
        self._take(tactic, state, after)
        self._path.append(after)
        if not after.is_solved:
            return self.goals
        assert self._task is not None, "an episode is under way"
        return await self._judge(by_block(self.trajectory.script, self._task.column))

    async def undo_async(self) -> str:
        """Take the last tactic back that Lean has run, and return the goals from before it.

        Raises:
            LeanRequestError: there is no episode, or it has ended.
        """
        self._act()
        if len(self._path) == 1:
            return f"There is no tactic to take back.\n\n{self.goals}"
        await self._lean.release_async([self._path.pop()])
        del self._steps[max(number for number, step in enumerate(self._steps) if step.accepted)]
        return self.goals

    async def search_library_async(self, query: str) -> str:
        """Look for theorems and definitions by words or by name, and return the best, one a line.

        Raises:
            LeanRequestError: there is no episode, or it has ended.
        """
        self._act()
        if self._library is None:
            return NO_LIBRARY
        return "\n".join(self._library.search(query, self.config.premises)) or "Nothing has these words."

    async def submit_async(self, proof: str) -> str:
        """Have a whole proof judged in the theorem's place, whatever tactics were run before, and return the verdict.

        A proof that is refused ends nothing: the tactics that were run are still there.

        Args:
            proof: ``by …`` or a term, without ``:=``.

        Raises:
            LeanRequestError: there is no episode, or it has ended.
        """
        self._act()
        return await self._judge(proof, submitted=True)

    async def act_async(self, tool: Tool, argument: str = "") -> str:
        """Do what is named; the argument is the tactic, the query or the proof.

        Raises:
            LeanRequestError: there is no episode, or it has ended.
        """
        match tool:
            case "undo":
                return await self.undo_async()
            case "run_tactic":
                return await self.run_tactic_async(argument)
            case "search_library":
                return await self.search_library_async(argument)
            case "submit":
                return await self.submit_async(argument)

    async def close_async(self) -> None:
        """Forget the episode, so that Lean can free its states. Idempotent."""
        await self._forget()

    reset = plain(reset_async)
    run_tactic = plain(run_tactic_async)
    undo = plain(undo_async)
    search_library = plain(search_library_async)
    submit = plain(submit_async)
    act = plain(act_async)
    close = plain(close_async)

    @property
    def goals(self) -> str:
        """The open goals as text."""
        return self._path[-1].text if self._path else ""

    @property
    def terminated(self) -> bool:
        """Whether the episode came to its end: everything is closed, or Lean cannot go on."""
        return self._outcome != "open"

    @property
    def truncated(self) -> bool:
        """Whether it was cut off for its number of actions."""
        return not self.terminated and self.actions >= self.config.max_actions

    @property
    def done(self) -> bool:
        """Whether nothing more can be done in this episode."""
        return self.terminated or self.truncated or not self._path

    @property
    def outcome(self) -> Outcome:
        """What became of the attempt, as a trajectory has it."""
        return self._outcome

    @property
    def reward(self) -> float | None:
        """What the attempt is worth as it stands; ``None``, which is not 0, where nothing is known of it."""
        if self._outcome == "unknown":
            return None
        if self._scorer is None:
            return float(self._outcome == "proved")
        return self._scorer.score(self.trajectory)[0]

    @property
    def trajectory(self) -> ProofTrajectory:
        """The attempt so far: the tactics that stand and all that was refused, not what was taken back.

        Raises:
            LeanRequestError: there was no episode yet.
        """
        if self._task is None:
            raise LeanRequestError("This environment has no theorem yet: call reset first.")
        start = self._path[0].goals if self._path else ()
        task = self._task
        return ProofTrajectory(
            task.name,
            task.site,
            start,
            tuple(self._steps),
            self._outcome,
            self.verdict,
            difficulty=task.difficulty,
        )

    async def _start(self, site: TheoremSite) -> GoalState:
        limit = self.config.verify_timeout_s
        try:
            return await self._lean.goal_start_async(site, timeout_s=limit)
        except LeanRequestError as error:
            text = (site.project.root / site.file_path).read_text(encoding="utf-8")
            messages = await self._lean.check_async(text, project=site.project, timeout_s=limit)
            errors = [message.text for message in messages if message.severity == "error"]
            if not errors:
                raise
            raise LeanRequestError(f"{site.full_name} does not elaborate: {errors[0]}") from error

    def _act(self) -> GoalState:
        """Count an action, and return the state that it begins in."""
        if not self._path:
            raise LeanRequestError("This environment has no theorem: call reset first.")
        if self.done:
            raise LeanRequestError("This attempt has ended; reset begins another.")
        self.actions += 1
        return self._path[-1]

    def _take(self, tactic: str, before: GoalState, result: GoalState | TacticFailure) -> None:
        step = step_of(tactic, before.goals, result)
        assert step is not None, "Lean has answered"
        self._steps.append(step)

    async def _judge(self, proof: str, *, submitted: bool = False) -> str:
        """Judge a proof in its whole file afresh, and end the episode where it is accepted, or all tactics ran."""
        assert self._task is not None
        try:
            verdict = await self._lean.verify_async(
                self._task.site, proof, whole_file=True, timeout_s=self.config.verify_timeout_s
            )
        except LeanError as error:
            return self._give_up(error)
        self.verdict = verdict
        if submitted:
            self._submit(proof, verdict)
        if verdict.accepted:
            self._outcome = "proved"
            return PROVED
        if not submitted:
            # Too slow for the judge is not refused: nothing is known of it.
            self._outcome = "unknown" if verdict.kind == "timeout" else "rejected"
        reasons = "\n".join(_distinct(verdict.reason, *(message.text for message in verdict.messages)))
        refused = f"The judge refuses this proof ({verdict.kind}): {reasons}"
        return f"{refused}\n\n{self.goals}" if submitted else refused

    def _submit(self, proof: str, verdict: Verdict) -> None:
        """Note a whole proof as a step: an accepted one stands in the place of the tactics that were run."""
        start = self._path[0].goals
        if verdict.accepted:
            self._steps = [step for step in self._steps if not step.accepted] + [ProofStep(proof, start, ())]
            return
        failure = _FAILURES.get(verdict.kind, "error")
        self._steps.append(ProofStep(proof, start, failure=failure, message=verdict.reason))

    def _give_up(self, error: LeanError) -> str:
        self._outcome = "unknown"
        return f"{UNKNOWN} ({error})"

    async def _forget(self) -> None:
        states, self._path, self._steps = self._path, [], []
        self.actions, self.verdict, self._outcome, self._task = 0, None, "open", None
        await self._lean.release_async(states)


def columns_of(theorem: Theorem) -> dict[str, Any]:
    """Return a theorem as a row of a data set."""
    return {**{name: getattr(theorem, name) for name in COLUMNS}, "imports": list(theorem.imports)}


def theorem_of(row: Mapping[str, Any]) -> Theorem:
    """Return the theorem of a row of a data set: a ``statement``, and what else of :data:`COLUMNS` it has.

    Raises:
        ConfigError: the row has no statement.
    """
    statement = row.get("statement")
    if not isinstance(statement, str) or not statement.strip():
        raise ConfigError(f"A row of theorems needs a text in the column `statement`; it has {', '.join(row)}.")
    return Theorem(row.get("name") or "problem", statement, row.get("context") or "", tuple(row.get("imports") or ()))


def _distinct(*texts: str) -> Iterable[str]:
    return (text for text in dict.fromkeys(text.strip() for text in texts) if text)
