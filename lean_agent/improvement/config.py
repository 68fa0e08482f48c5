"""What decides a run of practice: inert data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from lean_agent.errors import ConfigError
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.registry import STRATEGIES
from lean_agent.settings import Count, CountFrom0, checked_class


@checked_class
@dataclass(frozen=True, kw_only=True)
class ImproveConfig:
    """Everything that decides a run of practice, beside the model and the theorems.

    Attributes:
        theorems: practised in a round, chosen by their pass rates (:mod:`lean_agent.improvement.practice`).
        variants: of theorems whose proofs were traced or that are practised, mixed into each round, chosen as these are
            (:mod:`lean_agent.improvement.variants`).
        disproof_calls: Lean calls for the negation of each variant that a round has not proved; what is disproved is
            practised no more (:mod:`lean_agent.improvement.disproof`). 0: no negation is searched.
        development: theorems of practice that are set aside: searched with every checkpoint, never learnt from. At most
            a quarter of all.
        policy: who proposes tactics in practice: ``own``, the model; ``mixture``, the model, neighbours and closing
            tactics in one ranking. On the development set it is the model alone.
        temperatures: every theorem of a round is searched at each; the development set says which is the checkpoint's
            best.
        search: how to search; its budget is for one theorem at one temperature.
        lessons: how found tactics are learnt: ``whole``; ``short``, what the goal needs alone of several alternatives
            or of a list of names, as Lean finds out (:mod:`lean_agent.improvement.shortening`); ``schemes``, short, and
            with ``{lemmas}`` in the place of the names where the tactic came of a scheme: searches fill it in with the
            goal's definitions and premises (:attr:`~lean_agent.prompts.HelpSettings.filled`). A model that is shown
            premises or tactics learns ``short`` ones in their place, and so does one for ``attempts``.
        found_share: so many of the steps of supervised training, at least, are found ones. Practice finds some hundred
            where thousands are traced, and each alike they would hardly be learnt.
        strategies: names of :data:`lean_agent.registry.STRATEGIES`; each goes on from the checkpoint of the one before.
            Without any, nothing is trained, and no development set is set aside: theorems are searched, and what that
            finds is for neighbours and closing tactics to learn from.
        start: of the first strategy of a round: ``base``, the checkpoint that the run began with; ``last``, the one
            that was kept last.
        training: settings of the strategies' trainers, by the names of
            :class:`~lean_agent.trainer.settings.TrainerSettings`.
        of_strategy: strategy -> settings of its trainer alone, which come before ``training``.
        traced: practise theorems whose proofs were traced, too, these hidden: those of the training split.
        one_by_one: practise repository by repository, the easiest first, ``rounds`` rounds after each has come; what
            was learnt of earlier ones is rehearsed. Otherwise all are practised together.
        max_tactic_tokens: longest tactic of the model, in tokens.
        seed: of the choice of theorems, the sampling and the training.
    """

    theorems: Count = 64
    variants: CountFrom0 = 0
    disproof_calls: CountFrom0 = 16
    development: CountFrom0 = 16
    policy: Literal["own", "mixture"] = "own"
    temperatures: tuple[float, ...] = (0.7, 1.0)
    search: SearchConfig = field(
        default_factory=lambda: SearchConfig(budget=SearchBudget(expansions=64, lean_calls=64), tactics_per_node=16)
    )
    lessons: Literal["whole", "short", "schemes"] = "schemes"
    found_share: float = 0.25
    strategies: tuple[str, ...] = ("supervised",)
    start: Literal["base", "last"] = "base"
    training: Mapping[str, Any] = field(default_factory=dict)
    of_strategy: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    traced: bool = False
    one_by_one: bool = False
    max_tactic_tokens: Count = 64
    seed: CountFrom0 = 0

    def __post_init__(self) -> None:
        different = set(self.temperatures)
        if not different or min(different) <= 0 or len(different) < len(self.temperatures):
            raise ConfigError(f"temperatures are different numbers above 0, at least one, not {self.temperatures}.")
        if not 0 <= self.found_share < 1:
            raise ConfigError(f"found_share is a share from 0 to below 1, not {self.found_share}.")
        for name in (*self.strategies, *self.of_strategy):
            STRATEGIES.find(name)

    @property
    def learns_schemes(self) -> bool:
        """Whether a model may learn found tactics as schemes: nothing else is shown, and no strategy has Lean run what
        the model writes."""
        is_shown = any(self.training.get(name) for name in ("premises", "neighbours_in_prompt"))
        is_trained = bool(self.strategies) and "attempts" not in self.strategies
        return self.lessons == "schemes" and not is_shown and is_trained

    def settings_of(self, strategy: str, **defaults: Any) -> dict[str, Any]:
        """Return the settings of a strategy's trainer; ``defaults`` are those of the strategy."""
        return {**defaults, **self.training, "seed": self.seed, **self.of_strategy.get(strategy, {})}
