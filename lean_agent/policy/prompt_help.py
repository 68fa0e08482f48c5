"""What a model is shown beside a goal, in training and in search alike: premises, and tactics of similar goals.

Prompts are written in :mod:`lean_agent.prompts`, and what is shown is found in :mod:`.retrieval` and
:mod:`.neighbours`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from lean_agent.lean.types import Goal, LemmaKind
from lean_agent.policy.fillings.laws import sign_for_grind
from lean_agent.policy.neighbours.tactics import NearTactics
from lean_agent.policy.retrieval.chosen import ChosenLemmas
from lean_agent.policy.retrieval.corpus import ROOT, Place, PremiseCorpus
from lean_agent.policy.retrieval.near_proofs import ProofPremises
from lean_agent.policy.retrieval.retriever import PremiseRetriever, load_ranker
from lean_agent.prompts import GoalNames, HelpSettings, with_help

MOST_BEHIND = 4
"""Definitions that premises name and the goal does not are shown up to so many."""


def names_of(goal: Goal) -> GoalNames:
    """Return what Lean has said that a goal names."""
    return GoalNames(
        goal.definitions,
        goal.calls,
        not_for_grind=goal.reducible,
        predicates=goal.predicates,
        recursion=goal.recursion,
        unfoldings=goal.unfoldings,
        rules=goal.rules,
        steps=goal.steps,
        of_steps=goal.of_steps,
        behind=tuple(dict.fromkeys(name for each in goal.consequences for name in each.unfoldings)),
        enumerations=goal.enumerations,
        whole=goal.whole,
        derivations=goal.derivations,
        functions=goal.functions,
        varied=goal.varied,
        arguments=goal.arguments,
        structures=goal.structures,
        consequences=tuple(f"{each.proof} : {each.type}" for each in goal.consequences if each.kind == "applied"),
        inversions=tuple(each.derivation for each in goal.inversions if each.repeats),
        inverted=tuple(each.derivation for each in goal.inversions if each.is_there),
        facts=tuple(each.proof for each in goal.consequences if each.kind == "fact"),
        witnesses=tuple(each.proof for each in goal.consequences if each.kind == "witness"),
        descents=tuple(each.proof for each in goal.consequences if each.kind == "descent"),
    )


@dataclass(frozen=True, slots=True)
class PromptHelp:
    """Goals as they are put to a model that is shown more than these; trainers and provers share it.

    Attributes:
        settings: how much is shown.
        corpus: the premises, and which files import which.
        retriever: finds premises, where they are shown.
        tactics: finds tactics of similar goals, where they are shown.
        chosen: theorems that Lean has chosen, where such are shown.
        without: of theorems that were started, the classes of which their goals have no instance, as Lean says: no
            premise that needs one is shown there.
    """

    settings: HelpSettings
    corpus: PremiseCorpus
    retriever: PremiseRetriever | None = None
    tactics: NearTactics | None = None
    chosen: ChosenLemmas = field(default_factory=ChosenLemmas)
    without: dict[Place, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        settings: HelpSettings,
        corpus: PremiseCorpus,
        tactics: NearTactics | None = None,
        proofs: Iterable[ProofPremises] = (),
    ) -> Self:
        """Make it with the retriever that the settings name.

        Args:
            proofs: as for :func:`~lean_agent.policy.retrieval.retriever.load_ranker`.

        Raises:
            ModelNotFound: there is no such retriever.
        """
        retriever = None
        if settings.premises:
            retriever = PremiseRetriever(corpus, load_ranker(settings.retriever, corpus, proofs), facts=settings.facts)
        return cls(settings, corpus, retriever, tactics)

    @property
    def identity(self) -> str:
        """The same for help that finds alike out of the same data."""
        ranked_by = self.retriever.identity if self.retriever else ""
        steps = len(self.tactics) if self.tactics else 0
        settings = self.settings
        shown = (settings.premises, ranked_by, settings.neighbours, steps, settings.names, settings.facts)
        return " ".join(map(str, (*shown, settings.library, settings.laws, settings.own, settings.consequences)))

    def goal(self, goal: str, place: Place, names: GoalNames | None = None) -> str:
        """Return the goal below what is shown with it, for :func:`lean_agent.prompts.prompt_messages`."""
        names = names if self.settings.names else None
        numbers = self._premises(goal, place, names)
        forward = self._forward(numbers, names) if names is not None else []
        if names is not None:
            definitions = self.corpus.named(names.definitions, place)
            known = [*numbers, *definitions]
            behind = self.corpus.definitions_in(forward, place)
            numbers += [number for number in behind if number not in known][:MOST_BEHIND]
        library = self.chosen.at(place)
        shown = [(self.corpus.name_of(number), self.corpus.documents[number].text) for number in numbers]
        shown += [(document.name, document.text) for document in library]
        if names is not None:
            own, about, alike = self.own(place), self.about(place), self.alike(place)
            asked = [*definitions, *self.corpus.named(names.of_steps, place), *numbers, *own, *about, *alike]
            kinds = {self.corpus.name_of(number): self.corpus.for_grind(number) for number in asked}
            kinds |= {document.name: self.chosen.for_grind(document.full_name) for document in library}
            refused, equations = (
                tuple(name for name, kind in kinds.items() if kind and kind.way == wanted)
                for wanted in ("refused", "equation")
            )
            names = replace(
                names,
                not_for_grind=(*names.not_for_grind, *refused),
                equations=equations,
                forward=tuple(map(self.corpus.name_of, forward)),
                laws=tuple(self.chosen.laws(place)),
                own=tuple(self._spelled(own, place)),
                about=tuple(map(self.corpus.name_of, about)),
                alike=tuple(self._as_equations(alike)),
                chaining=tuple(map(self.corpus.name_of, self._chosen(place, "chaining"))),
            )
        tactics = self.tactics.tactics(goal, place, self.settings.neighbours) if self.tactics else []
        premises = [f"{name}: {text}" for name, text in shown]
        return with_help(goal, premises, tactics, names)

    def _premises(self, goal: str, place: Place, names: GoalNames | None) -> list[int]:
        """Return the numbers of the premises that are shown: none that stands among the goal's names already. Rules of
        predicates among these are shown beside the others, up to as many."""
        if self.retriever is None:
            return []
        known = {name.removeprefix(ROOT) for name in names.definitions} if names else set()
        most = self.settings.premises
        without = self.without.get(place, frozenset())
        wanted = most + len(known) + (most if names else 0) + (most if without else 0)
        (numbers,) = self.retriever.numbers([goal], [place], wanted)
        if without:
            numbers = [number for number in numbers if without.isdisjoint(self.corpus.classes_of(number))]
        unnamed = [number for number in numbers if self.corpus.documents[number].name not in known]
        predicates = known | set(names.steps) if names else known
        shown: list[int] = []
        taken: Counter[bool] = Counter()
        for number in unnamed:
            is_rule = self.corpus.documents[number].type_name in predicates
            taken[is_rule] += 1
            if taken[is_rule] <= most:
                shown.append(number)
        return shown

    def _forward(self, numbers: Iterable[int], names: GoalNames) -> list[int]:
        """Return those premises that ``grind`` may begin with at their hypotheses, and that name a definition or a
        predicate of the goal: one of these may be a hypothesis, and what follows from it not what the goal is made
        of."""
        of_goal = {name.rpartition(".")[2] for name in names.definitions}
        kinds = ((number, self.corpus.for_grind(number)) for number in numbers)
        may_begin = (number for number, kind in kinds if kind and kind.forward)
        return [number for number in may_begin if not of_goal.isdisjoint(self.corpus.names_in(number))]

    def own(self, place: Place) -> list[int]:
        """Return the numbers of the premises that may conclude the target of the theorem at a place, and of those that
        follow from what it knows, as Lean has said."""
        return self._chosen(place, "concluding", "following")

    def about(self, place: Place) -> list[int]:
        """Return the numbers of those that are about what the bodies of its definitions use, as Lean has said."""
        return self._chosen(place, "about")

    def alike(self, place: Place) -> list[int]:
        """Return the numbers of equations about nothing else than the goal, as Lean has said."""
        return self._chosen(place, "alike")

    def _chosen(self, place: Place, *kinds: LemmaKind) -> list[int]:
        names = (lemma.full_name for lemma in self.chosen.own(place) if lemma.kind in kinds)
        return self.corpus.named(names, place)

    def _spelled(self, numbers: Iterable[int], place: Place) -> Iterator[str]:
        """Yield the names of such premises, with ``→`` before those that follow and with which ``grind`` may begin."""
        following = {lemma.full_name for lemma in self.chosen.own(place) if lemma.kind == "following"}
        for number in numbers:
            kind = self.corpus.for_grind(number)
            begins = kind is not None and kind.forward and self.corpus.documents[number].name in following
            yield f"→ {self.corpus.name_of(number)}" if begins else self.corpus.name_of(number)

    def _as_equations(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield the names of those that ``grind`` takes as equations, as it does."""
        for number in numbers:
            kind = self.corpus.for_grind(number)
            if kind is not None and kind.way == "equation":
                yield f"{sign_for_grind(self.corpus.documents[number].text)} {self.corpus.name_of(number)}"

    def likely(self, goal: str, place: Place, most: int) -> list[int]:
        """Return the numbers of up to ``most`` premises that may be shown with a goal; none where premises are not for
        tactics."""
        if self.retriever is None or not self.settings.facts:
            return []
        return self.retriever.numbers([goal], [place], most)[0]

    def classes(self, numbers: Iterable[int]) -> list[str]:
        """Return the classes that these premises need an instance of."""
        return sorted(frozenset().union(*map(self.corpus.classes_of, numbers)))

    def unchecked(self, numbers: Sequence[int], definitions: Collection[str], place: Place) -> list[int]:
        """Return those of some premises, of what they name, and of definitions of a goal, of which it is not known
        whether ``grind`` takes them; none where premises are not for tactics."""
        if self.retriever is None or not self.settings.facts:
            return []
        behind = self.corpus.definitions_in(numbers, place)
        asked = dict.fromkeys([*self.corpus.named(definitions, place), *numbers, *behind])
        return [number for number in asked if self.corpus.for_grind(number) is None]
