"""The contract of every policy, and the one way in which candidates are ranked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self, cast, runtime_checkable

from lean_agent.errors import ConfigError
from lean_agent.prompts import Message, prompt_messages, proof_messages, tactic_from_completion
from lean_agent.settings import checked_class

ADAPTER_CONFIG = "adapter_config.json"
"""The file that tells a folder with a LoRA adapter from one with a whole model."""


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer as a model wrote it: what a training learns from.

    Attributes:
        text: without special tokens.
        logprob: natural logarithm of the probability of all its tokens at temperature 1, the end included.
        tokens: tokens generated, the end-of-turn token included.
        finished: the model ended it by itself; otherwise it was cut off at the limit.
        token_ids: the tokens; ``None`` where an endpoint does not tell them.
        token_logprobs: of each of ``token_ids`` at temperature 1, as the server that sampled reports it; ``None`` where
            no server did.
    """

    text: str
    logprob: float
    tokens: int
    finished: bool = True
    token_ids: tuple[int, ...] | None = None
    token_logprobs: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A tactic that a policy proposes for a goal.

    Attributes:
        tactic: the tactic's text, multi-line tactics whole.
        logprob: natural logarithm of the probability of the whole answer, its end included; at most 0.
        tokens: tokens generated for it, the end-of-turn token included; 0 where no model was asked.
        value: what a value model says of the goal when this tactic comes first, if there is one that rates tactics.
    """

    tactic: str
    logprob: float
    tokens: int
    value: float | None = None


@dataclass(frozen=True, slots=True)
class TacticExample:
    """A tactic that is a step of a proof.

    Attributes:
        goal: the main goal before it, as Lean prints it.
        tactic: the tactic, as one step of a search.
    """

    goal: str
    tactic: str


@checked_class
@dataclass(frozen=True, slots=True)
class Sampling:
    """How candidates are drawn.

    Attributes:
        method: ``sample`` draws ``k`` independent answers; ``beam`` takes the ``k`` best of a beam search.
        temperature: of ``sample``, above 0; the log-probabilities reported are always those at temperature 1.
        second_temperature: of ``sample``: every second answer to a goal is drawn at this one instead, if it is given.
        top_p: of ``sample``: nucleus in (0, 1], 1 for the whole distribution.
        max_new_tokens: an answer that has not ended by then is dropped: a tactic cut off in the middle is none.
        max_proof_tokens: the same for a whole proof.
        seed: two policies with the same seed give the same answers to the same sequence of calls.
    """

    method: Literal["sample", "beam"] = "sample"
    temperature: float = 1.0
    second_temperature: float | None = None
    top_p: float = 1.0
    max_new_tokens: int = 64
    max_proof_tokens: int = 512
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in ("sample", "beam"):
            raise ConfigError(f"method must be 'sample' or 'beam', not {self.method!r}.")
        if (
            min(self.temperatures(2)) <= 0
            or not 0 < self.top_p <= 1
            or min(self.max_new_tokens, self.max_proof_tokens) < 1
        ):
            raise ConfigError(
                "Temperatures must be above 0, top_p in (0, 1] and max_new_tokens at least 1; they are "
                f"{self.temperatures(2)}, {self.top_p} and {self.max_new_tokens}. For the likeliest answers use "
                "method='beam'."
            )

    def temperatures(self, k: int) -> list[float]:
        """Return the temperature of each of ``k`` answers to a goal."""
        second = self.temperature if self.second_temperature is None else self.second_temperature
        return [second if place % 2 else self.temperature for place in range(k)]


@runtime_checkable
class Policy(Protocol):
    """What proposes tactics."""

    @property
    def samples(self) -> bool:
        """Whether it draws at random, so that asking again about a goal gives other answers."""
        ...

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose up to ``k`` different tactics for each goal, in as few model calls as memory allows.

        Args:
            goals: main goals as Lean prints them.
            k: how many candidates to draw for each goal.

        Returns:
            For each goal its suggestions, no tactic twice, the most probable first; fewer than ``k``, even none, where
            the policy has no more to say.

        Raises:
            PolicyError: the model could not answer.
        """
        ...


@runtime_checkable
class SamplingPolicy(Policy, Protocol):
    """A policy with a model behind it, in this process or at an endpoint: it can be sampled from."""

    def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
        """Draw ``k`` independent answers to each goal, repeated ones included, in as few calls as memory allows.

        Args:
            goals: main goals as Lean prints them.
            k: answers for each.
            seed: the same seed gives the same answers to the same goals, as far as the model's arithmetic allows;
                ``None`` goes on with the policy's own.

        Raises:
            PolicyError: the model could not answer.
        """
        ...


@runtime_checkable
class UpdatablePolicy(SamplingPolicy, Protocol):
    """A policy whose model lives elsewhere and can be given new weights."""

    def update(self, folder: Path) -> None:
        """Answer from now on with the model, or the LoRA adapter, saved in ``folder``.

        Raises:
            PolicyError: the other side would not take it.
        """
        ...


@dataclass(frozen=True, slots=True)
class ProofRequest:
    """What a whole proof is wanted of.

    Attributes:
        goal: what to prove, as Lean prints it.
        attempt, error: a script that failed, and what Lean said of it, to be repaired.
    """

    goal: str
    attempt: str | None = None
    error: str | None = None


@runtime_checkable
class WritesProofs(Protocol):
    """A policy that writes whole scripts, too."""

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Write up to ``k`` different scripts for each request, as :meth:`Policy.suggest` proposes tactics."""
        ...


def suggestions(answers: Iterable[Completion], k: int) -> list[Suggestion]:
    """Rank the tactics in the answers to a goal. An answer that was cut off holds none."""
    candidates = [Suggestion(tactic_from_completion(a.text), a.logprob, a.tokens) for a in answers if a.finished]
    return rank_suggestions(candidates, k)


class ModelPolicy(ABC):
    """A policy with a language model behind it: wherever that runs, it is asked about goals in the same words."""

    sampling: Sampling

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose tactics, as :meth:`Policy.suggest`."""
        return [suggestions(answers, k) for answers in self.complete(goals, k)]

    def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
        """Draw answers, as :meth:`SamplingPolicy.complete`."""
        return self._answer([prompt_messages(goal) for goal in goals], k, self.sampling.max_new_tokens, seed)

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Write scripts, as :meth:`WritesProofs.write_proofs`."""
        conversations = [proof_messages(request.goal, request.attempt, request.error) for request in requests]
        scripts = self._answer(conversations, k, self.sampling.max_proof_tokens, None)
        return [suggestions(answers, k) for answers in scripts]

    @abstractmethod
    def _answer(
        self, conversations: Sequence[list[Message]], k: int, max_tokens: int, seed: int | None
    ) -> list[list[Completion]]:
        """Draw ``k`` independent answers to each conversation, of at most ``max_tokens`` tokens.

        ``seed``: as for :meth:`SamplingPolicy.complete`.
        """


@runtime_checkable
class Followable(Protocol):
    """A policy that asks for its model by name, and so learns of weights that another process has given it."""

    @property
    def model(self) -> str:
        """The name of the model that answers."""
        ...

    def follow(self, model: str) -> None:
        """Answer from now on with the model of that name."""
        ...


@runtime_checkable
class HasSampling(Protocol):
    """A policy that draws its candidates by settings that can be read."""

    sampling: Sampling


@runtime_checkable
class CountsTokens(Protocol):
    """A policy that counts what it generates, candidates that were repeated or cut off included."""

    @property
    def tokens_generated(self) -> int:
        """All tokens so far."""
        ...


@runtime_checkable
class LearnsAtOnce(Policy, Protocol):
    """A policy that takes in proofs while it is in use."""

    def add(self, steps: Iterable[TacticExample]) -> None:
        """Take in steps of proofs that were found; what is proposed from now on may follow them."""
        ...


@runtime_checkable
class RemakesTactics(LearnsAtOnce, Protocol):
    """One that makes tactics anew at each goal, with the names of that goal."""

    def remakes(self, step: TacticExample) -> bool:
        """Return whether the tactic of a step is one of these, with names in it that were its goal's."""
        ...


@runtime_checkable
class Seeded(Policy, Protocol):
    """A policy that draws at random and can be told to draw otherwise."""

    def with_seed(self, seed: int) -> Self:
        """Return the same policy, weights shared, that draws with another seed."""
        ...


@runtime_checkable
class Identified(Policy, Protocol):
    """A policy that can be told from others of its class."""

    @property
    def identity(self) -> str:
        """The same for two policies only if they answer alike: the model's weights, and how answers are drawn."""
        ...


def identity_of(model: object) -> str:
    """Return the identity of a policy or value model (:class:`Identified`); the name of its class where it has none."""
    # `isinstance` would compute an identity once more.
    return str(cast(Identified, model).identity) if "identity" in dir(model) else type(model).__qualname__


def rank_suggestions(candidates: Iterable[Suggestion], k: int) -> list[Suggestion]:
    """Return the ``k`` best candidates, most probable first; of repeated tactics the best log-probability counts.

    Empty tactics are dropped. Candidates of equal log-probability keep their order.
    """
    best: dict[str, Suggestion] = {}
    for candidate in candidates:
        if candidate.tactic and (candidate.tactic not in best or candidate.logprob > best[candidate.tactic].logprob):
            best[candidate.tactic] = candidate
    return sorted(best.values(), key=lambda suggestion: -suggestion.logprob)[:k]
