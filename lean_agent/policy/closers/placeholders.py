"""The placeholders of schemes: what each stands for at a goal, in a row of one table.

To add one, add a row here, and what it stands for to the part of :class:`Fillings` that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Flag, auto

from lean_agent.policy.fillings.at_goal import Fillings
from lean_agent.policy.fillings.reading import MOST_VALUES


class Placed(Flag):
    """What is particular to a placeholder.

    Attributes:
        OPTIONAL: a tactic is possible without it. Where a goal has nothing for any other, a scheme is not possible.
        AS_GRIND: a list that is as ``grind`` takes it already.
        OF_HELP: what it stands for rests on what stands above a goal, and cannot be told from the goal alone.
    """

    PLAIN = 0
    OPTIONAL = auto()
    AS_GRIND = auto()
    OF_HELP = auto()


@dataclass(frozen=True, slots=True)
class Placeholder:
    """One of them.

    Attributes:
        means: what it stands for.
        values: what that is at a goal, given the scheme, where there is a tactic for each; else ``None``.
        text: what that is at a goal, given the value of the placeholder in the same scheme that has several; else
            ``None``.
        placed: what is particular to it.
    """

    means: str
    values: Callable[[Fillings, str], Sequence[str]] | None = None
    text: Callable[[Fillings, str], str] | None = None
    placed: Placed = Placed.PLAIN


def _each(
    means: str, values: Callable[[Fillings], Sequence[str]], placed: Placed = Placed.PLAIN, *, most: int | None = None
) -> Placeholder:
    """Return a placeholder with a tactic for each of its values, the first ones."""
    return Placeholder(means, values=lambda at, _: values(at)[:most], placed=placed)


def _list(means: str, names: Callable[[Fillings], Iterable[str]], placed: Placed = Placed.PLAIN) -> Placeholder:
    """Return a placeholder for names with a comma between them."""
    return Placeholder(means, text=lambda at, _: ", ".join(dict.fromkeys(names(at))), placed=placed)


def _text(means: str, text: Callable[[Fillings], str], placed: Placed = Placed.PLAIN) -> Placeholder:
    return Placeholder(means, text=lambda at, _: text(at), placed=placed)


def _locals_for(at: Fillings, scheme: str) -> list[str]:
    if "generalizing" in scheme:
        return at.inductions.with_hypothesis
    return at.inductions.for_induction if scheme.startswith("induction") else at.inductions.derived_first


def _unfolding(at: Fillings) -> str:
    functions = at.goal.functions
    return f" | (simp_all [{', '.join(functions)}] <;> grind; done)" if functions else ""


LEMMAS, LAWS, PROOFS, RULES = "{lemmas}", "{laws}", "{proofs}", "{rules}"
"""Lists that stand in each other's places: the first is what a model learns to write; it names its variables itself."""
OPENINGS, INVERSIONS, UNFOLDING = "{openings}", "{inversions}", "{unfolding}"
VARYING, GENERALIZING = "{varying}", "{generalizing}"
"""Nothing, or what stands before a tactic, in it, or among its alternatives."""
EXTENDED, INSTANCES, FORWARD, DERIVED, ENUMERATED, OF_PRODUCTS, PRINCIPLE, AT_VALUES, BY_SIDES, CHAINED = (
    *("{extended}", "{instances}", "{forward}", "{derived}", "{enumerated}"),
    *("{of_products}", "{principle}", "{at_values}", "{by_sides}", "{chained}"),
)
"""What can be told by its form in a tactic."""
_OPTIONAL, _AS_GRIND, _OF_HELP = Placed.OPTIONAL, Placed.AS_GRIND, Placed.OF_HELP

PLACEHOLDERS = {
    # a tactic for each
    "{local}": Placeholder(
        "a hypothesis or variable that may be taken apart", lambda at, scheme: _locals_for(at, scheme)[:MOST_VALUES]
    ),
    "{pair}": _each(
        "a hypothesis with `∧`, `∨` or `∃`, behind a pattern for it",
        lambda at: at.consequences.pairs,
        most=MOST_VALUES,
    ),
    "{fields}": _each(
        "a structure with something recursive inside, behind a pattern with names for its fields",
        lambda at: at.consequences.fields,
        _OF_HELP,
        most=MOST_VALUES,
    ),
    "{conclusion}": _each(
        "a proof of such a thing that follows from hypotheses, behind a pattern",
        lambda at: at.consequences.opened,
        most=MOST_VALUES,
    ),
    "{consequence}": _each(
        "a proof of anything else that does, behind a name",
        lambda at: at.consequences.named,
        _OF_HELP,
        most=MOST_VALUES,
    ),
    "{rule}": _each("a hypothesis with `→` or `∀`", lambda at: at.goal.rules, most=MOST_VALUES),
    "{by_rule}": _each(
        "the only hypothesis that concludes the target's predicate, which is a variable, and an induction on a "
        "variable of the target",
        lambda at: at.inductions.rule_inductions,
        most=MOST_VALUES,
    ),
    "{equation}": _each("a hypothesis with `=`", lambda at: at.goal.equations, most=MOST_VALUES),
    "{witness}": _each(
        "a variable, or 0, where the target is an `∃`", lambda at: at.witnesses.witnesses, most=MOST_VALUES
    ),
    "{value}": _each(
        "the same and one more than a number, where a definition may say `∃` that the target begins with, too",
        lambda at: at.witnesses.values,
    ),
    "{opened}": _each(
        "hypotheses that may say `∃`, or `∣`, behind patterns, and terms of their witnesses as the target's, a tactic "
        "for each kind of terms",
        lambda at: at.witnesses.opened,
    ),
    "{term}": _each("sums of numbers, and `-a`, where the target may say `∃`", lambda at: at.witnesses.terms),
    "{solution}": _each(
        "the number that the target says to exist, as Lean has solved its equation, and a proof of that",
        lambda at: list(at.witnesses.solutions),
        _OF_HELP,
    ),
    "{side}": _each("`left` and `right`, where the target is an `∨`", lambda at: at.goal.sides),
    "{call}": _each(
        "a function with the variables that the target, or else a hypothesis, applies it to, and with `generalizing` "
        "those that a hypothesis equates it with; then with all other variables of the target generalized",
        lambda at: at.inductions.call_inductions,
        most=MOST_VALUES,
    ),
    DERIVED: _each(
        "what an induction may be on whose cases bring derivations that can be taken apart",
        lambda at: at.inductions.derived,
    ),
    "{stepped}": _each(
        "a derivation by steps, for an induction in whose cases there are such",
        lambda at: at.inductions.stepped,
        _OF_HELP,
    ),
    "{inductive}": _each("a derivation by rules, for an induction", lambda at: at.inductions.inductive, _OF_HELP),
    PRINCIPLE: _each(
        "a principle of induction that no structure suggests, as Lean says it, what the induction generalizes, and "
        "what makes its hypothesis one of all that is smaller",
        lambda at: list(at.inductions.descents),
        _OF_HELP,
    ),
    "{bound}": _each("a name for what the target says `∀` of first", lambda at: at.goal.bound),
    "{indexed}": _each(
        "a derivation whose indices are no variables, behind what gives these names",
        lambda at: at.inductions.indexed,
        most=MOST_VALUES,
    ),
    "{premise}": _each(
        "a premise above the goal that may conclude the target, the best one first",
        lambda at: at.lists.concluding,
        _OF_HELP,
    ),
    EXTENDED: _each(
        "the list with laws of one variable at those of the goal, and at a compound term of the target, too "
        "(`mul_inv (a * b)`)",
        lambda at: at.lists.extended,
        _OF_HELP,
    ),
    # beside the value of such a one
    "{others}": Placeholder(
        "what else an induction on it may generalize, with a space between",
        text=lambda at, local: " ".join(at.inductions.others(local)),
    ),
    "{other}": Placeholder(
        "one of the others: beside a hypothesis, one that speaks of the same variables",
        text=lambda at, local: at.inductions.other(local),
    ),
    VARYING: Placeholder(
        "that it generalizes the functions that recursive calls change",
        text=lambda at, local: at.inductions.varying(local),
        placed=_OPTIONAL,
    ),
    GENERALIZING: Placeholder(
        "that it generalizes all the others that it may",
        text=lambda at, local: at.inductions.generalizing(local),
        placed=_OPTIONAL | _OF_HELP,
    ),
    "{descent}": Placeholder(
        "what it is on: a function of which the project says that it gets smaller, behind a name (`h : rank p`), a "
        "natural number, or variables",
        text=lambda at, principle: at.inductions.descents[principle],
        placed=_OF_HELP,
    ),
    OPENINGS: Placeholder(
        "what takes apart the hypotheses that a solution speaks of",
        text=lambda at, solution: at.witnesses.solutions[solution],
        placed=_OPTIONAL | _OF_HELP,
    ),
    # lists of names
    "{functions}": _list("the functions that the target names", lambda at: at.goal.functions),
    "{cased}": _list("those of them that are no recursion", lambda at: at.goal.cased, _OF_HELP),
    "{definitions}": _list(
        "the same with what is written with a capital (`Injective`), and of hypotheses, too",
        lambda at: at.lists.definitions,
    ),
    "{predicates}": _list("those of them that stand for a proposition", lambda at: at.goal.predicates),
    "{unfolded}": _list(
        "the definitions, those among the premises, too", lambda at: at.lists.unfolded, _OPTIONAL | _OF_HELP
    ),
    "{unfoldings}": _list(
        "the definitions that are not recursive, and such in their bodies, to the bottom",
        lambda at: at.lists.unfoldings,
        _OF_HELP,
    ),
    "{unfolded_values}": _list(
        "the definitions, and those that the goal can be unfolded by", lambda at: at.lists.unfolded_values
    ),
    "{seen_through}": _list(
        "definitions that the goal, and what follows, can be unfolded by",
        lambda at: at.lists.seen_through,
        _OPTIONAL | _AS_GRIND | _OF_HELP,
    ),
    "{behind}": _list(
        "the same with what else the goal names, and premises",
        lambda at: at.lists.behind_consequences,
        _OPTIONAL | _AS_GRIND | _OF_HELP,
    ),
    "{premises}": _list(
        "all premises above the goal; after `grind [` those that it takes", lambda at: at.lists.premises, _OF_HELP
    ),
    LEMMAS: _list(
        "definitions and premises, as far as there are any", lambda at: at.lists.lemmas, _OPTIONAL | _OF_HELP
    ),
    LAWS: _list(
        "the same with equations as such alone, which takes `grind` a third of the time",
        lambda at: at.lists.lemmas,
        _OPTIONAL | _OF_HELP,
    ),
    PROOFS: _list(
        "the premises that prove something, with the rules of `∨` and `∃` where the target has such",
        lambda at: at.lists.for_elim,
        _OPTIONAL | _OF_HELP,
    ),
    RULES: _list(
        "the same with all rules of the goal's inductive predicates",
        lambda at: at.lists.with_rules,
        _OPTIONAL | _OF_HELP,
    ),
    INSTANCES: _list(
        "definitions and premises, with laws of one variable at those of the goal (`mul_inv a`)",
        lambda at: at.lists.instances,
        _AS_GRIND | _OF_HELP,
    ),
    "{own}": _list(
        "definitions and premises, with theorems of the project that Lean has found by unification",
        lambda at: at.lists.own,
        _AS_GRIND | _OF_HELP,
    ),
    FORWARD: _list(
        "definitions and premises, with `→ name` for premises with whose hypotheses `grind` may begin",
        lambda at: at.lists.forward,
        _AS_GRIND | _OF_HELP,
    ),
    "{alike}": _list(
        "equations of the project about nothing else than the goal, with what notation means",
        lambda at: at.lists.alike,
        _AS_GRIND | _OF_HELP,
    ),
    "{arithmetic}": _list(
        "definitions, with laws of the goal's operations on numbers (`Nat.add_mod`)",
        lambda at: at.lists.arithmetic,
        _AS_GRIND | _OF_HELP,
    ),
    OF_PRODUCTS: _list(
        "definitions and premises, with laws of products of numbers, where there is a product behind a `fun`",
        lambda at: at.lists.of_products,
        _OF_HELP,
    ),
    "{by_rules}": _list(
        "definitions, with rules in the place of the predicates",
        lambda at: at.lists.by_rules,
        _AS_GRIND | _OF_HELP,
    ),
    "{of_steps}": _list(
        "definitions and premises, with definitions that rules of steps are made of",
        lambda at: at.lists.of_steps,
        _OPTIONAL | _AS_GRIND | _OF_HELP,
    ),
    # any other text
    "{binders}": _text(
        "names for all that the target says `∀`, `→` and `¬` of first, with a space between", lambda at: at.goal.binders
    ),
    "{arguments}": _text(
        "names for the arguments of functions that the target equates", lambda at: " ".join(at.goal.arguments)
    ),
    "{argument}": _text("the first of these", lambda at: next(iter(at.goal.arguments), "")),
    "{finite}": _text(
        "the variables of types of the project without arguments, two or more, with `<;> cases` between",
        lambda at: " <;> cases ".join(at.inductions.finite),
    ),
    "{consequences}": _text(
        "all proofs that follow from hypotheses, behind names",
        lambda at: "; have ".join(at.consequences.all_named),
        _OF_HELP,
    ),
    "{facts}": _text(
        "what `grind` needs beside the hypotheses: comparisons times terms of the goal, and what an associative "
        "operation makes of equations",
        lambda at: at.consequences.facts,
        _OF_HELP,
    ),
    AT_VALUES: _text(
        "what hypotheses with `∀` say of values of the goal, and that none of these is a witness where the target says "
        "`∃`",
        lambda at: at.instances.at_values,
    ),
    "{derivation}": _text(
        "what builds a derivation rule by rule, where the target is a predicate or an `∃`",
        lambda at: at.witnesses.derivation,
        _OF_HELP,
    ),
    ENUMERATED: _text(
        "types of a few values, each of which `grind` looks at, and definitions",
        lambda at: at.lists.enumerated,
        _OF_HELP,
    ),
    "{each_value}": _text(
        "what it is that something holds of one value of these types, and of all",
        lambda at: at.lists.each_value,
        _OF_HELP,
    ),
    "{inverted}": _text(
        "what takes all derivations apart that are made by few rules", lambda at: at.derivations.inverted, _OF_HELP
    ),
    "{inverting}": _text(
        "what takes them apart in a case of an induction", lambda at: at.derivations.inverting, _OF_HELP
    ),
    BY_SIDES: _text(
        "what proves one side of an `∨` by derivations, others taken apart until that is possible",
        lambda at: at.derivations.by_sides,
        _OF_HELP,
    ),
    CHAINED: _text(
        "what derives the target piece by piece, by transitivity and theorems that replace a part of a term",
        lambda at: at.derivations.chained,
        _OF_HELP,
    ),
    "{apart}": _text("what takes the steps apart that a case has", lambda at: at.derivations.steps_apart, _OF_HELP),
    "{taken_apart}": _text(
        "what takes derivations about terms apart, and equations, where the target is `False`",
        lambda at: at.derivations.taken_apart,
        _OF_HELP,
    ),
    INVERSIONS: _text(
        "further alternatives: a derivation of a predicate of the goal, whatever its name, is taken apart; witnesses "
        "where the target says `∃`",
        lambda at: "".join(f" | ({way}; done)" for way in at.derivations.inversions),
        _OPTIONAL | _OF_HELP,
    ),
    UNFOLDING: _text(
        "a further alternative: `simp_all` with the functions, and `grind`", _unfolding, _OPTIONAL | _OF_HELP
    ),
}
"""All of them, by their names in a scheme."""
