"""Practice, as every agent has it: theorems are searched, and what that finds is learnt from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lean_agent.agent.base import BaseAgent
from lean_agent.agent.tables import print_improvement, print_round
from lean_agent.database import StoredTheorem
from lean_agent.database.difficulty import Order
from lean_agent.files import writing_to
from lean_agent.improvement import ImproveConfig, ImproveReport
from lean_agent.improvement.loop import Improvement, Policies
from lean_agent.improvement.practice import Practice, set_up_practice, spread
from lean_agent.improvement.variants import SOURCES_EACH, Variant, practice_variants
from lean_agent.policy.base import HasSampling, Policy
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.prompts import HelpSettings
from lean_agent.prover.mixed import for_policy, help_for
from lean_agent.prover.proofs.result import theorem_key
from lean_agent.settings import checked_methods
from lean_agent.tracing import Repository


@checked_methods
class PractisingAgent(BaseAgent):
    """An agent that can practise. One that has no model of its own, or cannot train it, trains nothing: the tactics of
    similar goals and the order of closing tactics are what it learns."""

    def improve(
        self,
        *,
        rounds: int = 2,
        practice: Sequence[StoredTheorem | str] | None = None,
        held_out: Sequence[StoredTheorem | str] = (),
        config: ImproveConfig | None = None,
        order: Order = "easy_share",
    ) -> ImproveReport:
        """Practise: search theorems, learn from what the searches find, and search again knowing more.

        Each round is printed, and all are in ``report.md`` of the run folder. The same call in the same run folder goes
        on where an earlier one was interrupted. Afterwards searches of this agent's mixture know what practice has
        found, and an agent that trains proves with the checkpoint that was kept last. A trainer that has not trained
        yet trains first, as by :meth:`train`.

        Args:
            rounds: of searching and training (:class:`~lean_agent.improvement.config.ImproveConfig.one_by_one`: after
                each repository has come).
            practice: theorems to search, open ones or such whose proofs are known and hidden while they are practised;
                by default the open ones of the repositories that were set up, but for those held out. A text names open
                theorems, as for :meth:`prove`.
            held_out: theorems that are never searched, nor learnt from, nor what is near to them.
            config: everything else. Of an agent that trains no model its ``strategies`` do not count, and one that has
                none practises with the mixture, whatever its ``policy``.
            order: of the repositories, as for :meth:`curriculum`.

        Raises:
            ConfigError: there is nothing to practise, or a theorem is to be both practised and held out, or the agent's
                trainer trains no policy.
            TrainingError: a training went astray; the checkpoint that was kept before it, and all searches, are kept.
        """
        config = self._practice_config(config)
        kept_out = self._meant(held_out)
        theorems = self._meant(practice) if practice is not None else self._all_but(kept_out, config)
        development = config.development if config.strategies else 0
        practised = set_up_practice(theorems, kept_out, development=development, seed=config.seed)
        repositories = self.curriculum(order)
        self._train_before_practice(order, kept_out)

        with self.run.claimed(), writing_to(self.run.path), self.run.logging():
            made: Sequence[Variant] = ()
            if config.variants:
                practised, made = self._with_variants(practised, repositories, config)
            improvement = Improvement(
                folder=self.run.path,
                model=self._start_of_practice(),
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
            )
            report = improvement.run()
            self._learnt_steps(repositories).keep(improvement.examples(improvement.total))
        print_improvement(self._console, report, self.run.path)
        self._take_over(report)
        return report

    # What differs where a model is trained

    def _practice_config(self, config: ImproveConfig | None) -> ImproveConfig:
        """Return the settings of practice with this agent's policy."""
        own = self.prover().policy
        has_model = not isinstance(own, ScriptedPolicy)
        config = replace(config, strategies=()) if config else ImproveConfig(policy="mixture", strategies=())
        if not has_model:
            config = replace(config, policy="mixture")
        if not isinstance(own, HasSampling):
            config = replace(config, temperatures=(1.0,))  # at any other it would do the same
        return replace(config, search=for_policy(config.search, config.policy, with_model=has_model))

    def _train_before_practice(self, order: Order, held_out: Sequence[StoredTheorem]) -> None:
        """Train what has not been trained yet, on all but what is held out."""

    def _start_of_practice(self) -> str:
        """Return the checkpoint that practice begins with; nothing where none is trained."""
        return ""

    def _loading(self, config: ImproveConfig) -> Callable[[str, int], Policy]:
        """Return what loads the policy of a checkpoint, with a seed."""
        own = self.prover().policy
        return lambda *_: own

    def _help_of(self, model: str) -> HelpSettings:
        """Return what a checkpoint was trained to see beside goals."""
        return self.trained_with()

    def _take_over(self, report: ImproveReport) -> None:
        """Prove with what practice has trained from now on."""

    # What is the same

    def _policies(self, config: ImproveConfig) -> Policies:
        """Return where practice has its policies from, and what they are shown."""

        def searching(model: str, own: Policy, hidden: Sequence[StoredTheorem]) -> Policy:
            sees = bool(self._help_of(model))
            return own if config.policy == "own" else self._mixed(config.policy, own, hidden, own_sees_help=sees)

        def shown(
            model: str, theorems: Sequence[StoredTheorem], hidden: Sequence[StoredTheorem], alone: bool
        ) -> PromptHelp | None:
            settings = help_for("own" if alone else config.policy, self._help_of(model))
            return self._sources.shown(settings, theorems, hidden)

        return Policies(self._loading(config), searching, shown)

    def _with_variants(
        self, practice: Practice, repositories: Sequence[Repository], config: ImproveConfig
    ) -> tuple[Practice, Sequence[Variant]]:
        """Return what is practised with variants of it and of traced theorems, and all that were made."""
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
        return replace(practice, variants=tuple(theorems)), variants

    def _all_but(self, held_out: Sequence[StoredTheorem], config: ImproveConfig) -> list[StoredTheorem]:
        """Return all theorems that may be practised."""
        away = set(map(theorem_key, held_out))
        theorems = [*self.open_theorems(), *(self._traced() if config.traced else ())]
        return [theorem for theorem in theorems if theorem_key(theorem) not in away]

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
