"""Tactics that close goals, and schemes: tactics with a placeholder for what a goal's text names.

Owns the lists and what schemes stand for; asks Lean nothing, so some of what a scheme stands for may not be possible at
a goal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from lean_agent.policy.base import Suggestion
from lean_agent.policy.closers.conclusions import depths
from lean_agent.policy.closers.fillings import BY_FUNCTION, BY_TERM, MOST_VALUES, Fillings
from lean_agent.prompts import without_help

CLOSING_TACTICS = (
    "rfl",
    "assumption",
    "trivial",
    "contradiction",
    "decide",
    "simp",
    "simp_all",
    "omega",
    "grind",
    "constructor",
    "intros; rfl",
    "intros; assumption",
    "intros; simp_all",
    "intros; omega",
    "intros; grind",
)
"""Tactics of core Lean that close a goal, or fail, without being told anything about it; cheap ones first."""

INTRO = "intro {binders}"
BY_SIMP = "(simp_all!; done)"
"""What ``simp_all!`` leaves where it does not close a goal is no step: of 104 such states 3 were on a proof."""
_BRIEFLY = "grind (instances := 200)"
"""In each of many cases a long list may not take all the time where it fails."""
_FIRST = "first | "
_OR = " | "
_INVERSIONS = "{inversions}"
_WAYS = (
    "rfl",
    BY_SIMP,
    "(simp_all!; omega)",
    "(constructor <;> simp_all!; done)" + _INVERSIONS,
    "grind [{laws}]",
    "(simp_all! [{lemmas}]; done)",  # may simplify without end, and takes the time of what comes after it
    "solve_by_elim [{proofs}]",  # may end it all by an error that is not caught
)
_BY_CASES = f" <;> {_FIRST}{_OR.join(_WAYS)}"
"""Closes all the goals that a tactic leaves, each in one of several ways. Rules of an inductive relation are applied by
``solve_by_elim`` and ``constructor``, which ``grind`` does not do where a premise has to be guessed; derivations that a
case has brought, and that have no name, are taken apart."""
_UNFOLDING = "{unfolding}"
_BY_OWN_CASES = _BY_CASES.replace(_INVERSIONS, _INVERSIONS + _UNFOLDING)
"""The same after an induction by a function's own cases, where unfolding it closes some before the lists of premises
take their time. After other inductions it would cost each that fails more than it brings."""
_WAY = r"(?:rfl|(?:simp_all!|grind|solve_by_elim)(?: \[[^\[\]]+\])?|\([^|]+\))"
_BY_RULES = (
    " <;> first | (simp_all; done) | ((repeat' (first | assumption | rfl | constructor)); done)"
    " | solve_by_elim [{rules}] | grind [{definitions}]"
)
"""Closes goals that are left where derivations were taken apart: by rules, the first that fit, or any."""
_FEWER_WAYS = re.compile(rf"(.*?) <;> (?:{re.escape(_FIRST)}{_WAY}(?: \| {_WAY})+|{_WAY})", re.DOTALL)
"""A tactic with one or some of them, as is left when it is made shorter."""

CLOSING_SCHEMES = {
    "rfl": 0.03,
    INTRO: 0.17,
    BY_SIMP: 0.03,
    "omega": 0.02,
    "grind": 0.03,
    "grind [{lemmas}]": 0.16,
    "grind [cases {enumerated}]": 0.2,
    "have e : ∀ p : {each_value}⟩; simp_all [{unfolded_values}] <;> grind [cases {enumerated}]": 0.05,
    "{openings}exact ⟨{solution}⟩": 0.3,
    "{facts} <;> first | grind | grind [{lemmas}]": 0.08,
    "{inverted}" + _BY_RULES: 0.06,
    "induction {derived}{generalizing} <;> {inverting}" + _BY_RULES: 0.02,
    "induction {stepped} <;> {apart} <;> first | grind [{of_steps}] | (constructor <;> grind [{of_steps}]; done)": 0.15,
    "apply {by_rule}" + _BY_CASES: 0.03,
    "induction {local}" + _BY_CASES: 0.2,
    f"induction {{local}} <;> {_BRIEFLY} [cases {{enumerated}}]": 0.02,
    "fun_induction {call}" + _BY_OWN_CASES: 0.19,
    "intro {bound}; induction {bound}" + _BY_CASES: 0.24,
    "generalize {indexed}" + _BY_CASES: 0.08,
    "cases {finite} <;> first | rfl | decide | (simp_all [{unfolded}]; done) | (simp [{unfolded}] <;> grind)": 0.12,
    "obtain {pair}": 0.03,
    "obtain {conclusion}": 0.06,
    "have {consequences}; first | grind [{seen_through}] | (simp_all [{seen_through}]; done) | grind [{behind}]": 0.16,
    "obtain {opened}": 0.06,
    "(repeat' (first | {taken_apart})) <;> grind [{seen_through}]": 0.03,
    "cases {local}" + _BY_CASES: 0.005,
    "simp_all [{functions}]": 0.06,
    "ext1 <;> (simp_all [{functions}] <;> grind)": 0.015,
    "funext x; try simp only [Function.comp_apply]": 0.03,
    "simp_all [{functions}, funext_iff] <;> grind": 0.01,
    "grind [{premises}]": 0.005,
    "grind [{instances}]": 0.05,
    "grind [{extended}]": 0.02,
    "grind [{own}]": 0.02,
    "grind [{forward}]": 0.04,
    "grind [{arithmetic}]": 0.02,
    "simp only [{unfoldings}] at *; omega": 0.02,
    "grind [{definitions}]": 0.005,
    "induction {inductive}{generalizing} <;> intros <;> grind [{by_rules}]": 0.05,
    "induction {local} generalizing {others}" + _BY_CASES: 0.015,
    "induction {local} generalizing {others} <;> cases {other}" + _BY_CASES: 0.015,
    "constructor": 0.02,
    "trivial": 0.01,
    "{side}": 0.015,
    f"induction {{local}} <;> {_BRIEFLY} [{{own}}]": 0.03,
    f"induction {{local}} <;> {_BRIEFLY} [{{forward}}]": 0.02,
    f"induction {{local}} <;> {_BRIEFLY} [{{arithmetic}}]": 0.015,
    "simp_all [{lemmas}]": 0.08,
    "exists {witness}": 0.01,
    "first | exact ⟨_, by {derivation}⟩ | ({derivation}; done)": 0.015,
    "first | exact ⟨{value}, by grind [{lemmas}]⟩": 0.03,
    "first | exact ⟨{term}, by grind⟩": 0.01,
    "simp only [{predicates}] at *": 0.006,
    "simp_all [{definitions}]": 0.01,
    "simp_all [{premises}]": 0.01,
    "apply {rule}": 0.01,
    "have {consequence}": 0.035,
    "split <;> simp_all": 0.01,
    "apply {premise}": 0.015,
    "fun_induction {call}": 0.01,
    "induction {local}": 0.004,
    "induction {local} generalizing {others}": 0.004,
    "cases {local}": 0.003,
    "decide": 0.01,
    "assumption": 0.005,
    "contradiction": 0.005,
}
"""Tactics and schemes (:func:`tactics_of`) with how likely each is to be a step of the proof where something fills it
in, before anything is learnt.

Most were measured: the share of Lean calls with the first of its tactics that were a step of a proof, in searches for
441 theorems of 40 public projects (``benchmarks/worth.py``). Those that were hardly tried are set by hand, and so are
those that take no time, such as ``rfl``: they close what is no project's theorem."""

_OPENINGS = "{openings}"
_FORWARD, _ARITHMETIC, _OWN = "{forward}", "{arithmetic}", "{own}"
_BEHIND, _SEEN_THROUGH, _OF_STEPS, _BY_RULES_OF = "{behind}", "{seen_through}", "{of_steps}", "{by_rules}"
_OF_EACH: dict[str, Callable[[Fillings, str], Sequence[str]]] = {
    "{local}": lambda at, scheme: _locals_for(at, scheme)[:MOST_VALUES],
    "{pair}": lambda at, _: at.pairs[:MOST_VALUES],
    "{conclusion}": lambda at, _: at.conclusions[:MOST_VALUES],
    "{consequence}": lambda at, _: at.consequences[:MOST_VALUES],
    "{rule}": lambda at, _: at.rules[:MOST_VALUES],
    "{by_rule}": lambda at, _: at.rule_inductions[:MOST_VALUES],
    "{equation}": lambda at, _: at.equations[:MOST_VALUES],
    "{witness}": lambda at, _: at.witnesses[:MOST_VALUES],
    "{value}": lambda at, _: at.values,
    "{opened}": lambda at, _: at.opened,
    "{term}": lambda at, _: at.terms,
    "{solution}": lambda at, _: list(at.solutions),
    "{extended}": lambda at, _: at.extended,
    "{side}": lambda at, _: at.sides,
    "{call}": lambda at, _: at.call_inductions[:MOST_VALUES],
    "{derived}": lambda at, _: at.derived,
    "{stepped}": lambda at, _: at.stepped,
    "{inductive}": lambda at, _: at.inductive,
    "{bound}": lambda at, _: at.bound,
    "{indexed}": lambda at, _: at.indexed[:MOST_VALUES],
    "{premise}": lambda at, _: at.concluding,
}
_TOGETHER: dict[str, Callable[[Fillings, str], str]] = {
    "{others}": lambda at, local: " ".join(at.others(local)),
    "{other}": lambda at, local: at.other(local),
    "{binders}": lambda at, _: at.binders,
    _OPENINGS: lambda at, solution: at.solutions[solution],
    "{consequences}": lambda at, _: "; have ".join(at.all_consequences),
    _SEEN_THROUGH: lambda at, _: ", ".join(at.seen_through),
    _BEHIND: lambda at, _: ", ".join(at.behind_consequences),
    "{derivation}": lambda at, _: at.derivation,
    "{inverted}": lambda at, _: at.inverted,
    "{enumerated}": lambda at, _: at.enumerated,
    "{each_value}": lambda at, _: at.each_value,
    "{unfolded_values}": lambda at, _: ", ".join(at.unfolded_values),
    "{inverting}": lambda at, _: at.inverting,
    "{apart}": lambda at, _: at.steps_apart,
    _BY_RULES_OF: lambda at, _: ", ".join(dict.fromkeys(at.by_rules)),
    _OF_STEPS: lambda at, _: ", ".join(dict.fromkeys(at.of_steps)),
    "{generalizing}": lambda at, local: at.generalizing(local),
    "{facts}": lambda at, _: at.facts,
    "{taken_apart}": lambda at, _: at.taken_apart,
    "{finite}": lambda at, _: " <;> cases ".join(at.finite),
    "{unfolded}": lambda at, _: ", ".join(at.unfolded),
    "{functions}": lambda at, _: ", ".join(at.functions),
    "{definitions}": lambda at, _: ", ".join(at.definitions),
    "{unfoldings}": lambda at, _: ", ".join(at.unfoldings),
    "{predicates}": lambda at, _: ", ".join(at.predicates),
    "{premises}": lambda at, _: ", ".join(at.premises),
    "{rules}": lambda at, _: ", ".join(at.with_rules),
    "{proofs}": lambda at, _: ", ".join(at.for_elim),
    _ARITHMETIC: lambda at, _: ", ".join(dict.fromkeys(at.arithmetic)),
    _OWN: lambda at, _: ", ".join(at.own),
    _FORWARD: lambda at, _: ", ".join(dict.fromkeys(at.forward)),
    "{instances}": lambda at, _: ", ".join(at.instances),
    _INVERSIONS: lambda at, _: "".join(f"{_OR}({way}; done)" for way in at.inversions),
    _UNFOLDING: lambda at, _: f"{_OR}(simp_all [{', '.join(at.functions)}] <;> grind; done)" if at.functions else "",
    **dict.fromkeys(("{lemmas}", "{laws}"), lambda at, _: ", ".join(dict.fromkeys([*at.definitions, *at.premises]))),
}
LEMMAS = "{lemmas}"
"""The placeholder that a model learns to write; it names its variables itself."""
_LAWS = "{laws}"
_INSTANCES, _EXTENDED = "{instances}", "{extended}"
_FOR_GRIND = frozenset({_INSTANCES, _FORWARD, _ARITHMETIC, _OWN, _BEHIND, _SEEN_THROUGH, _OF_STEPS, _BY_RULES_OF})
"""Lists that are as ``grind`` takes them already."""
_PROOFS = "{proofs}"
_RULES = "{rules}"
_MAY_BE_MISSING = (
    *(LEMMAS, _LAWS, _PROOFS, _RULES, "{generalizing}", "{unfolded}"),
    *(_OPENINGS, _INVERSIONS, _UNFOLDING, _BEHIND, _SEEN_THROUGH, _OF_STEPS),
)
_NEED_PREMISES = (
    "{premise",
    "{consequence",
    "{derivation}",
    "{taken_apart}",
    "{unfoldings}",
    "{facts}",
    "{solution}",
    "{inverted}",
    "{inverting}",
    "{stepped}",
    "{apart}",
    "{inductive}",
    _BY_RULES_OF,
    "{enumerated}",
    "{each_value}",
    _EXTENDED,
    _INSTANCES,
    _FORWARD,
    _ARITHMETIC,
    _OWN,
    *_MAY_BE_MISSING,
)
_MARKS = {
    _EXTENDED: re.compile(r"^grind \[.*[\w'] \("),
    _INSTANCES: re.compile(r"^grind \[(?!cases )(?!.*[\w'] \().*(?:_=_ |[\w'] \w)"),
    "{derived}": re.compile(r"^induction "),
    "{enumerated}": re.compile(r"\bgrind (?:\([^()]*\) )?\[cases "),
    _FORWARD: re.compile(r"^grind \[.*→ (?!(?:Nat|Int|List)\.)"),  # Lean's own are laws
}
"""What no other list has than those of laws at terms and at variables of a goal, and that of premises to begin with;
and what only one of the tactics that take derivations apart begins with."""
_MEANINGS = re.compile(rf"(?:_=_ |= )?@\w+(?:{BY_FUNCTION}|{BY_TERM})(?:, )?")
"""What any list for ``grind`` has where the goal has notation of the project."""
_NAME = re.compile("|".join(map(re.escape, (*_OF_EACH, *_TOGETHER))))
_PLACEHOLDER = re.compile(rf"(grind \[)?({_NAME.pattern})")
"""A placeholder, behind ``grind [`` or not: some names are not for ``grind``."""


def tactics_of(scheme: str, goal: str) -> list[str]:
    """Return the tactics that a scheme stands for at a goal: none where the goal has nothing for a placeholder, or the
    tactic could do nothing (:meth:`Fillings.suits`).

    ==================  ===================================================================
    ``{local}``         a hypothesis or variable that may be taken apart: a tactic for each
    ``{others}``        those of the others that an induction on it may generalize, with a space between them
    ``{other}``         one of the others: beside a hypothesis, one that speaks of the same variables
    ``{pair}``          a hypothesis with ``∧``, ``∨`` or ``∃`` behind a pattern for it: a tactic for each
    ``{conclusion}``    a proof of such a thing that follows from hypotheses, behind a pattern: a tactic for each
    ``{consequence}``   a proof of anything else that does, behind a name: a tactic for each
    ``{consequences}``  all of these proofs, for ``grind`` behind them
    ``{seen_through}``  definitions that the goal, and these, can be unfolded by
    ``{behind}``        the same with what else the goal names, and premises
    ``{rule}``          a hypothesis with ``→`` or ``∀``: a tactic for each
    ``{by_rule}``       the only hypothesis that concludes the target's predicate, which is a variable, and an
                        induction on a variable of the target: a tactic for each
    ``{equation}``      a hypothesis with ``=``: a tactic for each
    ``{witness}``       a variable, or 0, where the target is an ``∃``: a tactic for each
    ``{value}``         the same and one more than a number, where a definition may say ``∃`` that the target begins
                        with, too
    ``{opened}``        hypotheses that may say ``∃``, or ``∣``, behind patterns, and terms of their witnesses as the
                        target's: a tactic for each kind of terms
    ``{term}``          sums of numbers, and ``-a``, where the target may say ``∃``: a tactic for each
    ``{solution}``      the number that the target says to exist, as Lean has solved its equation, and a proof of that
    ``{openings}``      what takes apart the hypotheses that this speaks of
    ``{derivation}``    what builds a derivation rule by rule, where the target is a predicate or an ``∃``
    ``{facts}``         what ``grind`` needs beside the hypotheses: comparisons times terms of the goal, and what an
                        associative operation makes of equations
    ``{derived}``       what an induction may be on whose cases bring derivations that can be taken apart: a tactic for
                        each
    ``{stepped}``       a derivation by steps, for an induction in whose cases there are such: a tactic for each
    ``{apart}``         what takes these steps apart there
    ``{of_steps}``      definitions and premises, with definitions that rules of steps are made of
    ``{inductive}``     a derivation by rules, for an induction: a tactic for each
    ``{by_rules}``      definitions, with these rules in the place of the predicates
    ``{generalizing}``  that it generalizes all the others that it may
    ``{inverting}``     what takes them apart there
    ``{inverted}``      what takes all derivations apart that are made by few rules
    ``{enumerated}``    types of a few values, each of which ``grind`` looks at, and definitions
    ``{each_value}``    what it is that something holds of one value of these types, and of all
    ``{unfolded_values}`` definitions, for ``simp`` behind that
    ``{taken_apart}``   what takes derivations about terms apart, and equations, where the target is ``False``
    ``{side}``          ``left`` and ``right``, where the target is an ``∨``
    ``{call}``          a function with the variables that the target, or else a hypothesis, applies it to, and with
                        ``generalizing`` those that a hypothesis equates it with: a tactic for each, then one with
                        all other variables of the target generalized
    ``{bound}``         a name for what the target says ``∀`` of first
    ``{indexed}``       a derivation whose indices are no variables, behind what gives these names: a tactic for each
    ``{binders}``       names for all that the target says ``∀``, ``→`` and ``¬`` of first
    ``{functions}``     the functions that the target names, with a comma between them
    ``{definitions}``   the same with what is written with a capital (``Injective``), and of hypotheses, too
    ``{finite}``        the variables of types of the project without arguments, two or more, with ``<;> cases`` between
    ``{unfolded}``      the definitions, those among the premises, too, with a comma between them
    ``{unfoldings}``    the definitions that are not recursive, and such in their bodies, to the bottom
    ``{predicates}``    those of the definitions that stand for a proposition
    ``{premise}``       a premise above the goal that may conclude the target: a tactic for each, the best one first
    ``{premises}``      all of them, with a comma between them; after ``grind [`` those that it takes
    ``{proofs}``        those of them that prove something, with the rules of ``∨`` and ``∃`` where the target has such
    ``{rules}``         the same with all rules of the goal's inductive predicates
    ``{lemmas}``        definitions and premises, as far as there are any
    ``{instances}``     the same, with laws of one variable at those of the goal (``mul_inv a``), if there are such
    ``{extended}``      the same, with these laws at a compound term of the target, too (``mul_inv (a * b)``): a tactic
                        for each
    ``{inversions}``    further alternatives: a derivation of a predicate of the goal, whatever its name, is taken
                        apart; witnesses where the target says ``∃``
    ``{own}``           definitions and premises, with theorems of the project that Lean has found by unification
    ``{unfolding}``     a further alternative: ``simp_all`` with the functions, and ``grind``
    ``{forward}``       the same, with ``→ name`` for premises with whose hypotheses ``grind`` may begin
    ``{arithmetic}``    the definitions, with laws of the goal's operations on numbers (``Nat.add_mod``), if any
    ``{laws}``          ``{lemmas}`` with equations as such alone, which takes ``grind`` a third of the time
    ==================  ===================================================================

    A scheme that begins with ``first |`` is one tactic, with all that it stands for as alternatives.

    Args:
        scheme: a tactic; one without placeholders stands for itself. One placeholder at most is of those with a tactic
            for each; there are :data:`MOST_VALUES` tactics, but for premises.
        goal: as Lean prints it, with or without premises above it (:func:`lean_agent.prompts.with_help`).
    """
    at = _fillings(goal)
    if not at.suits(scheme):
        return []
    placeholders = set(_PLACEHOLDER.findall(scheme))
    if not placeholders:
        return [scheme]
    each = next((name for _, name in placeholders if name in _OF_EACH), "")
    tactics = []
    for value in _OF_EACH[each](at, scheme) if each else [""]:
        values = {
            (of, name): value if name == each else _TOGETHER[name](_as_taken(at, of, name), value)
            for of, name in placeholders
        }
        if all(text for (_, name), text in values.items() if name not in _MAY_BE_MISSING):
            tactics.append(_filled(scheme, values).replace(" []", ""))
    if tactics and scheme.startswith(_FIRST):
        return [_FIRST + " | ".join(tactic.removeprefix(_FIRST) for tactic in tactics)]
    return tactics


def _locals_for(at: Fillings, scheme: str) -> list[str]:
    if "generalizing" in scheme:
        return at.with_hypothesis
    return at.for_induction if scheme.startswith("induction") else at.derived_first


def head_of(scheme: str) -> str:
    """Return a scheme without the ways of closing the goals that it leaves."""
    return scheme.removesuffix(_BY_CASES).removesuffix(_BY_OWN_CASES)


def alternatives(tactic: str) -> tuple[str, list[str]]:
    """Return what stands before the last ``first |`` of a tactic, and its alternatives; none where it has no such.
    What stands in brackets is of one alternative."""
    outside = _outside_brackets(tactic)
    place = outside.rfind(_FIRST)
    if place < 0:
        return tactic, []
    begin = place + len(_FIRST)
    ends = [match.start() for match in re.finditer(re.escape(_OR), outside) if match.start() >= begin]
    starts = [begin, *(end + len(_OR) for end in ends)]
    return tactic[:place], [tactic[start:end] for start, end in zip(starts, [*ends, None], strict=True)]


def _outside_brackets(text: str) -> str:
    """Return a text with another letter for each in brackets."""
    return "".join("·" if depth > 0 else letter for letter, depth in zip(text, depths(text), strict=True))


def with_alternatives(head: str, ways: Sequence[str]) -> str:
    """Return the tactic with these alternatives; one stands by itself."""
    return head + (_FIRST if len(ways) > 1 else "") + _OR.join(ways)


def _as_taken(at: Fillings, by_grind: str, name: str) -> Fillings:
    """Return what there is to name, as the tactic takes it."""
    if not by_grind or name in _FOR_GRIND:
        return at
    return at.as_laws if name == _LAWS else at.for_grind


def filled(suggestions: Iterable[Suggestion], goal: str) -> list[Suggestion]:
    """Return suggestions with the tactics that their schemes stand for at a goal; others are as they are."""
    return [
        replace(suggestion, tactic=tactic)
        for suggestion in suggestions
        for tactic in (tactics_of(suggestion.tactic, goal) if LEMMAS in suggestion.tactic else [suggestion.tactic])
    ]


_fillings = lru_cache(maxsize=1000)(Fillings.at)


def _filled(scheme: str, values: Mapping[tuple[str, str], str]) -> str:
    return _PLACEHOLDER.sub(lambda match: (match[1] or "") + values[match[1] or "", match[2]], scheme)


def scheme_of(tactic: str, goal: str, schemes: Collection[str]) -> str | None:
    """Return the first of the schemes that stands for the tactic at a goal, whichever premises there were and however
    few ways of closing cases are left of it; ``None`` where none does."""
    goal = without_help(goal)
    if (closing := f"({tactic}; done)") in schemes:
        return closing
    likely = [scheme for scheme in schemes if _pattern(scheme).fullmatch(tactic)]
    marked = [name for name, mark in _MARKS.items() if mark.search(_MEANINGS.sub("", tactic))]
    likely.sort(key=lambda scheme: not any(name in scheme for name in marked))
    alone = (scheme for scheme in likely if tactic in tactics_of(scheme, goal))
    of_premises = (scheme for scheme in likely if any(name in scheme for name in _NEED_PREMISES))
    fewer = _FEWER_WAYS.fullmatch(tactic)
    by_cases = schemes if fewer else ()
    heads = ((scheme, head_of(scheme)) for scheme in by_cases if head_of(scheme) != scheme)
    shorter = (scheme for scheme, head in heads if fewer and fewer[1] in tactics_of(head, goal))
    return next(chain(alone, of_premises, shorter), None)


@lru_cache(maxsize=1000)
def _pattern(scheme: str) -> re.Pattern[str]:
    """Return what all tactics look like that a scheme stands for."""
    may_begin = re.escape(_FIRST).join(["(?:", ")?"]) if scheme.startswith(_FIRST) else ""  # one alternative is enough
    if scheme.startswith(_OPENINGS):
        may_begin = "(?:obtain .+; )?"
    named = (
        scheme.removeprefix(_FIRST)
        .removeprefix(_OPENINGS)
        .replace(_LAWS, LEMMAS)
        .replace(_PROOFS, LEMMAS)
        .replace(_RULES, LEMMAS)
        .replace(_UNFOLDING, "")
    )
    pattern = r"(?: \| .+)?".join(map(_with_names, named.split(_INVERSIONS)))
    return re.compile(may_begin + pattern, re.DOTALL)


def _with_names(part: str) -> str:
    texts = [".+".join(map(re.escape, _NAME.split(text))) for text in part.split(f" [{LEMMAS}]")]
    return r"(?: \[.+\])?".join(texts)
