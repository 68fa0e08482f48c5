"""The agent for HuggingFace models.

trainer = GRPOTrainer(model_name="path/or/name", output_dir="outputs", epochs_per_repo=1, batch_size=8, lr=2e-5)
agent = HFAgent(trainer=trainer)
agent.setup_github_repository(url="https://github.com/durant42040/lean4-example", commit="b14fef0")
agent.train()
agent.prove()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from lean_agent.agent.base import BaseAgent, TrainsOnRepositories
from lean_agent.agent.tables import print_improvement, print_round
from lean_agent.database import StoredTheorem
from lean_agent.database.difficulty import Order
from lean_agent.errors import ConfigError
from lean_agent.files import writing_to
from lean_agent.improvement import ImproveConfig, ImproveReport
from lean_agent.improvement.practice import Guard, Practice, set_up_practice, spread
from lean_agent.improvement.variants import SOURCES_EACH, practice_variants
from lean_agent.policy.base import Policy, Sampling
from lean_agent.policy.model_files import recorded_help
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.prompts import HelpSettings
from lean_agent.prover.mixed import for_policy, help_for
from lean_agent.prover.proofs.result import theorem_key
from lean_agent.prover.provers import HFProver
from lean_agent.settings import checked, checked_methods
from lean_agent.tracing import Repository

if TYPE_CHECKING:
    from lean_agent.improvement.loop import Policies


@checked_methods
class HFAgent(BaseAgent):
    """An agent whose policy is a HuggingFace causal language model.

    Args:
        trainer: trains the model; ``None`` for an agent that only proves.
        model: a checkpoint folder or a model's name to prove with; by default the trainer's newest checkpoint.
        options: as for :class:`~lean_agent.agent.base.BaseAgent`.
    """

    @checked
    def __init__(
        self, trainer: TrainsOnRepositories | None = None, *, model: str | Path | None = None, **options: Any
    ) -> None:
        super().__init__(trainer, **options)
        self._model = model

    @property
    def model_path(self) -> str:
        """What the agent proves with: the model that was given, or the trainer's as trained so far.

        Raises:
            ConfigError: there is neither.
        """
        if self._model is not None:
            return str(self._model)
        if self.trainer is None:
            raise ConfigError("This agent has no model to prove with: give it a trainer, or a model=… of its own.")
        return self.trainer.model_path

    def improve(
        self,
        *,
        rounds: int = 2,
        practice: Sequence[StoredTheorem | str] | None = None,
        held_out: Sequence[StoredTheorem | str] = (),
        config: ImproveConfig | None = None,
        order: Order = "easy_share",
    ) -> ImproveReport:
        """Practise: search theorems, train on what the searches teach, and search again with the better policy.

        Each round is printed, and all are in ``report.md`` of the run folder. The same call in the same run folder goes
        on where an earlier one was interrupted. Afterwards the agent proves with the checkpoint that was kept last. A
        trainer that has not trained yet trains first, as by :meth:`train`.

        Args:
            rounds: of searching and training (:class:`~lean_agent.improvement.config.ImproveConfig.one_by_one`: after
                each repository has come).
            practice: theorems to search, open ones or such whose proofs are known and hidden while they are practised;
                by default the open ones of the repositories that were set up, but for those held out. A text names open
                theorems, as for :meth:`prove`.
            held_out: theorems that are never searched, nor learnt from, nor what is near to them.
            config: everything else.
            order: of the repositories, as for :meth:`curriculum`.

        Raises:
            ConfigError: there is nothing to practise, or a theorem is to be both practised and held out, or the agent's
                trainer trains no policy.
            TrainingError: a training went astray; the checkpoint that was kept before it, and all searches, are kept.
        """
        from lean_agent.improvement.lessons import Lessons, PracticeData  # bring torch
        from lean_agent.improvement.loop import Improvement
        from lean_agent.improvement.strategies import check_settings

        self._check_trains_a_policy()
        config = config or ImproveConfig()
        check_settings(config)
        config = replace(config, search=for_policy(config.search, config.policy))
        kept_out = self._meant(held_out)
        away = {theorem_key(theorem) for theorem in kept_out}
        if practice is None:
            theorems = [*self.open_theorems(), *(self._traced() if config.traced else ())]
            theorems = [theorem for theorem in theorems if theorem_key(theorem) not in away]
        else:
            theorems = self._meant(practice)
        practised = set_up_practice(theorems, kept_out, development=config.development, seed=config.seed)
        repositories = self.curriculum(order)
        if self.trainer is not None:
            self._train(order, PracticeData(self.database, repositories, Lessons(), Guard(kept_out)))

        with self.run.claimed(), writing_to(self.run.path), self.run.logging():
            made: dict[str, int] = {}
            if config.variants:
                practised, made = self._with_variants(practised, repositories, config)
            report = Improvement(
                folder=self.run.path,
                model=self.model_path,
                rounds=rounds,
                database=self.database,
                server=self.lean,
                config=config,
                practice=practised,
                repositories=repositories,
                held_out=len(kept_out),
                policies=self._policies(config),
                progress=self._progress,
                made=made,
                on_round=lambda entry: print_round(self._console, entry),
            ).run()
        print_improvement(self._console, report, self.run.path)
        self._model = report.model
        return report

    def _policies(self, config: ImproveConfig) -> Policies:
        """Return where practice has its policies from, and what they are shown."""
        from lean_agent.improvement.loop import Policies

        def load(model: str, seed: int) -> Policy:
            from lean_agent.policy.hf import HFPolicy  # brings torch

            return HFPolicy(model, sampling=Sampling(max_new_tokens=config.max_tactic_tokens, seed=seed))

        def searching(model: str, own: Policy, hidden: Sequence[StoredTheorem]) -> Policy:
            sees = bool(recorded_help(model))
            return own if config.policy == "own" else self._mixed(config.policy, own, hidden, own_sees_help=sees)

        def shown(
            model: str, theorems: Sequence[StoredTheorem], hidden: Sequence[StoredTheorem], alone: bool
        ) -> PromptHelp | None:
            settings = help_for("own" if alone else config.policy, recorded_help(model))
            return self._sources.shown(settings, theorems, hidden)

        return Policies(load, searching, shown)

    def _with_variants(
        self, practice: Practice, repositories: Sequence[Repository], config: ImproveConfig
    ) -> tuple[Practice, dict[str, int]]:
        """Return what is practised with variants of it and of traced theorems, and how many were made, by their
        fate."""
        allowed = {theorem_key(theorem): theorem for theorem in (*practice.theorems, *self._traced())}
        sources = [theorem for theorem in allowed.values() if not practice.guard.refuses(theorem)]
        theorems, variants = practice_variants(
            self.run.path,
            repositories,
            spread(sources, SOURCES_EACH * config.variants, config.seed, what="variants"),
            server=self.lean,
            database=self.database,
            guard=practice.guard,
            progress=self._progress,
        )
        return replace(practice, variants=tuple(theorems)), dict(Counter(variant.fate for variant in variants))

    def _check_trains_a_policy(self) -> None:
        """Refuse a trainer of other models: what practice begins with proposes tactics."""
        from lean_agent.trainer.progress_trainer import ProgressTrainer
        from lean_agent.trainer.retrieval_trainer import RetrievalTrainer

        if isinstance(self.trainer, (ProgressTrainer, RetrievalTrainer)):
            raise ConfigError(
                f"Practice improves a policy, and {type(self.trainer).__name__} trains none: give the agent an "
                "SFTTrainer or GRPOTrainer, or model=… alone."
            )

    def _traced(self) -> list[StoredTheorem]:
        """Return the theorems with traced proofs of the training split."""
        splits = self.database.placements()
        return [
            stored
            for traced in self.repositories
            for stored in self.database.theorems(traced.repository, sorry=False)
            if (placement := splits.get(stored.theorem.type_hash)) is not None and placement.random == "train"
        ]

    def _meant(self, theorems: Sequence[StoredTheorem | str]) -> list[StoredTheorem]:
        """Return theorems, of which a text names open ones."""
        return self._wanted(theorems) if theorems else []

    @override
    def trained_with(self) -> HelpSettings:
        return recorded_help(self.model_path)

    @override
    def prover(self, **options: Any) -> HFProver:
        return HFProver(self.model_path, self.lean, **{"name": "policy", "database": self.database, **options})
