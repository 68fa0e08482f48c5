"""The one way from a theorem to the mixture that searches for it, for agents, the service and its tools.

Knows where a mixture's sources have their knowledge: traced proofs, what practice has found, what closing tactics have
solved in the repositories that are shipped, and the premises of the theorem's own repository. What comes of the search
is for others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.exports.entries import DatasetEntry
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import Policy, TacticExample
from lean_agent.policy.closers.scripted import LearningClosers, ScriptedPolicy
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy, SharedNeighbours, found_examples, tactic_examples
from lean_agent.policy.neighbours.tactics import NearTactics, placed_steps
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.policy.retrieval.near_proofs import premises_of_stored
from lean_agent.policy.retrieval.retriever import LEARNT
from lean_agent.prompts import HelpSettings
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.provers import Prover
from lean_agent.prover.searches.best_step import BestStepSettings
from lean_agent.tracing import Repository

PolicyChoice = Literal["own", "neighbours", "mixture"]
"""Who proposes tactics: a model, or closing tactics where there is none; the nearest goals of traced proofs; all of
them."""
MIXTURE_WEIGHTS: Mapping[str, float] = {"own": 4.0, "neighbours": 2.0, "closers": 32.0}
"""Of the sources of a mixture at first, one to the other; those that are there share the whole."""
CLOSER_PREMISES = 10
"""Premises that the schemes of a mixture are filled in with, beside the definitions that a goal names."""
LIBRARY_LEMMAS = 4
"""Theorems of Lean's own library beside these."""
NUMBER_LAWS = 16
"""Laws of the operations on numbers in a goal, for a tactic of their own."""
OWN_THEOREMS = 6
"""Theorems of the project that Lean finds by unification, for tactics of their own: four that may conclude the target
and two that follow from what is known. In the lists of all premises they would cost a tactic the time that it has."""
CONSEQUENCES = 8
"""Of what follows at a goal from its hypotheses."""
CLOSER_HELP = HelpSettings(
    premises=CLOSER_PREMISES,
    retriever=LEARNT,
    names=True,
    facts=True,
    library=LIBRARY_LEMMAS,
    laws=NUMBER_LAWS,
    own=OWN_THEOREMS,
    consequences=CONSEQUENCES,
)
"""What schemes are filled in with."""
FILLED_IN = replace(CLOSER_HELP, filled=True)
"""The same for a model that writes schemes, as practice teaches it."""
LEAST_TACTICS = 32
"""Tactics that neighbours are asked for at each state: they cost nothing, and the likeliest run first."""
MOST_TACTICS = 256
"""Without a model, half as many tactics as Lean calls are asked for at each state, up to so many. With more, what
comes late at the first goal would run in the place of what is next at the goals after it; with fewer, a search would
end before it has spent its calls."""

Weighs = Callable[[Collection[str]], Mapping[str, float] | None]
"""Returns the weights that a mixture of these sources begins with; ``None`` for :data:`MIXTURE_WEIGHTS`."""


@dataclass(frozen=True)
class ProofSources:
    """What provers know before they search.

    Attributes:
        database: traced proofs, proofs that practice has found, and premises.
        texts: where the theorems that are searched for stand, if the database does not know their files.
        known: the proofs of the database, as :meth:`read_into` has read them for several provers; by default each
            prover reads them.
    """

    database: DynamicDatabase
    texts: DynamicDatabase | None = None
    known: SharedNeighbours | None = None

    def read_into(self, known: SharedNeighbours) -> None:
        """Have ``known`` know the proofs of the database as they are now."""
        known.update(self._proved(()), self.database.found_proofs(), self.database.theorem_names())

    def prover(
        self,
        policy: Literal["neighbours", "mixture"],
        theorems: Sequence[StoredTheorem],
        server: LeanServer,
        own: Policy | None = None,
        *,
        name: str | None = None,
        config: SearchConfig | None = None,
        shown: PromptHelp | None = None,
        weigh: Weighs | None = None,
        **options: Any,
    ) -> Prover:
        """Return a prover by neighbours, or by a mixture of these, closing tactics and a model, which knows no proof
        of these theorems.

        Args:
            theorems: what it is for.
            own: the model of a mixture, if there is one.
            name: of the prover; by default the policy's.
            shown: what stands beside goals (:func:`help_for`), for the model, too; by default only what closing tactics
                of a mixture are filled in with.
            weigh: says what weights the mixture begins with.
            options: as for :class:`~lean_agent.prover.provers.Prover`.
        """
        sees = shown is not None and bool(shown.settings.premises or shown.settings.neighbours)  # names are for schemes
        mixture = self.mixture(policy, own, theorems, own_sees_help=sees, weigh=weigh)
        shown = shown or self.shown(help_for(policy, HelpSettings()), theorems)
        with_model = own is not None and not isinstance(own, ScriptedPolicy)
        config = for_policy(config or SearchConfig(), policy, with_model=with_model)
        return Prover(name or policy, mixture, server, shown=shown, config=config, **options)

    def mixture(
        self,
        policy: PolicyChoice,
        own: Policy | None,
        hidden: Iterable[StoredTheorem],
        *,
        own_sees_help: bool = False,
        weigh: Weighs | None = None,
    ) -> MixturePolicy:
        """Return neighbours, or a mixture of these, closing tactics and a model, which sees no proof of the theorems
        that are hidden.

        Args:
            own: the model, if there is one; a fixed list of closing tactics counts as none.
            own_sees_help: whether the model was trained with premises or tactics above its goals.
            weigh: as for :meth:`prover`.
        """
        hidden = list(hidden)
        sources: dict[str, Policy] = {"neighbours": self.neighbours(without=hidden)}
        if policy == "mixture":
            practised = self._practised({theorem.full_name for theorem in hidden})
            sources |= {"closers": LearningClosers(steps=practised)}
            if own is not None and not isinstance(own, ScriptedPolicy):
                sources |= {"own": own}
        alone = () if own_sees_help else sources.keys() - {"closers"}
        weights = weigh(sources) if weigh else None
        return MixturePolicy(
            sources, weights or {source: MIXTURE_WEIGHTS[source] for source in sources}, goals_alone=alone
        )

    def neighbours(self, *, without: Iterable[StoredTheorem] = (), practised: bool = True) -> NeighbourPolicy:
        """Return a policy that proposes what worked at similar goals in the proofs of the database, traced ones and
        those that practice has found.

        Args:
            without: theorems whose proofs it must not see, whichever repository or commit they stand in.
            practised: whether it knows what practice has found.
        """
        hidden = {theorem.full_name for theorem in without}
        if self.known is not None and practised:
            return self.known.without(hidden)
        practice = self._practised(hidden) if practised else ()
        steps = chain(tactic_examples(self._proved(hidden)), practice)
        return NeighbourPolicy(steps, names=self.database.theorem_names())

    def shown(
        self, settings: HelpSettings, theorems: Sequence[StoredTheorem], hidden: Iterable[StoredTheorem] = ()
    ) -> PromptHelp | None:
        """Return what finds premises, and tactics in all traced proofs of the database, for goals of these theorems.

        Args:
            hidden: other theorems whose proofs are not to be seen.
        """
        if not settings:
            return None
        repositories = dict.fromkeys(theorem.repository for theorem in theorems)
        corpus = PremiseCorpus(self._lines(repositories), without=self._unproved(repositories))
        names = {theorem.full_name for theorem in (*theorems, *hidden)}
        near = NearTactics(placed_steps(self._proved(names)), corpus) if settings.neighbours else None
        beside = _proved_of(self.texts or self.database, repositories, names)
        return PromptHelp.of(settings, corpus, near, premises_of_stored(beside))

    def _lines(self, repositories: Collection[Repository]) -> Iterator[DatasetEntry]:
        """Yield the premises of Lean's own library, as far as they are kept, and those of these repositories."""
        if self.texts is None:
            yield from self.database.corpus(repositories)
            return
        library = list(self.database.corpus(()))
        yield from library
        known = {line["path"] for line in library}
        for line in self.texts.corpus(repositories):
            if line["url"] or line["path"] not in known:  # it has an empty line for each module that it does not know
                yield line

    def _unproved(self, repositories: Iterable[Repository]) -> set[str]:
        """Return the full names of theorems that are open, or rest on one that is: no proof may use them."""
        return {
            stored.full_name
            for repository in repositories
            for stored in (self.texts or self.database).unfinished_theorems(repository)
        }

    def _practised(self, hidden: Collection[str]) -> Iterator[TacticExample]:
        """Yield the steps of proofs that practice has found, but for those of the full names ``hidden``."""
        return found_examples(proof for proof in self.database.found_proofs() if proof.full_name not in hidden)

    def _proved(self, hidden: Collection[str]) -> Iterator[StoredTheorem]:
        """Yield the theorems of the database with traced proofs, but for those of the full names ``hidden``."""
        yield from _proved_of(self.database, self.database.repositories(), hidden)


def _proved_of(
    database: DynamicDatabase, repositories: Iterable[Repository], hidden: Collection[str]
) -> Iterator[StoredTheorem]:
    """Yield the theorems of repositories with traced proofs, but for those of the full names ``hidden``."""
    for repository in repositories:
        for theorem in database.theorems(repository, sorry=False):
            if theorem.full_name not in hidden:
                yield theorem


def help_for(
    policy: PolicyChoice, trained_with: HelpSettings, *, premises: int | None = None, retriever: str | None = None
) -> HelpSettings:
    """Return what stands beside goals: what the model was trained with; where that is nothing, premises for the closing
    tactics of a mixture, with the definitions that goals name.

    Args:
        premises, retriever: how many premises, and by which ranker, where that shall be otherwise.
    """
    settings = trained_with or (CLOSER_HELP if policy == "mixture" else HelpSettings())
    return replace(
        settings,
        premises=settings.premises if premises is None else premises,
        retriever=settings.retriever if retriever is None else retriever,
    )


def for_policy(config: SearchConfig, policy: PolicyChoice, *, with_model: bool = True) -> SearchConfig:
    """Return how to search with a policy that was chosen: what costs nothing is asked for enough tactics, and a mixture
    is ranked by plain probabilities, twins as one and what only introduces first, unless the settings say otherwise.

    Args:
        with_model: whether a model may be among the sources of a mixture; it would have to write as many tactics.
    """
    if policy == "own":
        return config
    settings = config.settings
    if policy == "mixture" and isinstance(settings, BestStepSettings):
        settings = replace(
            settings,
            length_exponent=0.0 if settings.length_exponent is None else settings.length_exponent,
            twins=True if settings.twins is None else settings.twins,
            intro_first=True if settings.intro_first is None else settings.intro_first,
        )
    tactics = LEAST_TACTICS if with_model else max(LEAST_TACTICS, min(MOST_TACTICS, config.budget.lean_calls // 2))
    return replace(config, settings=settings, tactics_per_node=max(config.tactics_per_node, tactics))
