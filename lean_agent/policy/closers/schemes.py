"""Tactics that close goals, and schemes: tactics with placeholders (:mod:`lean_agent.policy.closers.placeholders`).

Owns the lists, and both ways between a scheme and its tactics; asks Lean nothing, so some of what a scheme stands for
may not be possible at a goal.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from lean_agent.policy.base import Suggestion
from lean_agent.policy.closers.placeholders import (
    AT_VALUES,
    BY_SIDES,
    CHAINED,
    DERIVED,
    ENUMERATED,
    EXTENDED,
    FORWARD,
    GENERALIZING,
    INSTANCES,
    INVERSIONS,
    LAWS,
    LEMMAS,
    OF_PRODUCTS,
    OPENINGS,
    PLACEHOLDERS,
    PRINCIPLE,
    PROOFS,
    RULES,
    UNFOLDING,
    VARYING,
    Placed,
)
from lean_agent.policy.fillings.at_goal import Fillings
from lean_agent.policy.fillings.conclusions import depths
from lean_agent.policy.fillings.derivations import RULE_BY_RULE
from lean_agent.policy.fillings.instances import NO_WITNESS
from lean_agent.policy.fillings.reading import BY_FUNCTION, BY_TERM
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
LAWS_REQUEST = "laws?"
"""What asks for laws of the goal's functions (:mod:`lean_agent.prover.tree.laws`)."""
BY_SIMP = "(simp_all!; done)"
"""What ``simp_all!`` leaves where it does not close a goal is no step: of 104 such states 3 were on a proof."""
_BRIEFLY = "grind (instances := 200)"
"""In each of many cases a long list may not take all the time where it fails."""
_AT_LENGTH = "grind (instances := 2000)"
"""Laws of one operation make many terms of each."""
_FIRST = "first | "
_OR = " | "
_WAYS = (
    "rfl",
    BY_SIMP,
    "(simp_all!; omega)",
    "(constructor <;> simp_all!; done)" + INVERSIONS,
    "grind [{laws}]",
    "(simp_all! [{lemmas}]; done)",  # may simplify without end, and takes the time of what comes after it
    "solve_by_elim [{proofs}]",  # may end it all by an error that is not caught
)
_BY_CASES = f" <;> {_FIRST}{_OR.join(_WAYS)}"
"""Closes all the goals that a tactic leaves, each in one of several ways. Rules of an inductive relation are applied by
``solve_by_elim`` and ``constructor``, which ``grind`` does not do where a premise has to be guessed; derivations that a
case has brought, and that have no name, are taken apart."""
_BY_OWN_CASES = _BY_CASES.replace(INVERSIONS, INVERSIONS + UNFOLDING)
"""The same after an induction by a function's own cases, and after one on two values at once, where unfolding it closes
some before the lists of premises take their time. After other inductions it would cost each that fails more than it
brings."""
_GENERALIZED = re.compile(r"^(induction [^\s<;]+) generalizing [^<;]+?(?=$| <;>)")
_SPLIT = " <;> first | (simp_all [{functions}]; done) | grind [{lemmas}] | omega"
_BY_SPLITTING = " <;> first | rfl | (simp_all [{unfolded}] <;> (repeat' split) <;> simp_all [{functions}]; done)"
"""Closes cases in which functions that distinguish cases are called with what is no variable, as a smart constructor
is with what a simplifier has made of the parts."""
_WAY = r"(?:rfl|(?:simp_all!|grind|solve_by_elim)(?: \[[^\[\]]+\])?|\([^|]+\))"
_BY_RULES = (
    f" <;> first | contradiction | (simp_all; done) | ({RULE_BY_RULE})"
    " | solve_by_elim [{rules}] | grind [{definitions}]"
)
"""Closes goals that are left where derivations were taken apart: by rules, the first that fit, or any."""
_BY_VALUES = (
    "first | rfl | grind [{lemmas}] | "
    "(cases {argument} <;> first | rfl | (simp_all [{lemmas}]; done) | grind [{lemmas}])"
)
"""Closes an equation of values of functions, at each form of the first argument."""
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
    "induction {inductive}{generalizing} <;> intros <;> {by_sides}": 0.05,
    "induction {inductive}{generalizing} <;> intros <;> {chained}": 0.05,
    "generalize {indexed} <;> (try subst_vars) <;> (try simp only [forall_const] at *) <;> {by_sides}": 0.05,
    "induction {stepped} <;> {apart} <;> first | grind [{of_steps}] | (constructor <;> grind [{of_steps}]; done)": 0.15,
    "apply {by_rule}" + _BY_CASES: 0.03,
    f"induction {{local}}{VARYING}" + _BY_CASES: 0.2,
    f"induction {{local}}{VARYING} <;> {_BRIEFLY} [cases {{enumerated}}]": 0.02,
    "fun_induction {call}" + _BY_OWN_CASES: 0.19,
    "intro {bound}; induction {bound}" + _BY_CASES: 0.24,
    "generalize {indexed}" + _BY_CASES: 0.08,
    "cases {finite} <;> first | rfl | decide | (simp_all [{unfolded}]; done) | (simp [{unfolded}] <;> grind)": 0.12,
    "obtain {pair}": 0.03,
    "obtain {conclusion}": 0.06,
    "obtain {fields}": 0.02,
    "have {consequences}; first | grind [{seen_through}] | (simp_all [{seen_through}]; done) | grind [{behind}]": 0.16,
    "obtain {opened}": 0.06,
    "(repeat' (first | {taken_apart})) <;> grind [{seen_through}]": 0.03,
    "cases {local}" + _BY_CASES: 0.005,
    "simp_all [{functions}]": 0.06,
    "ext1 <;> (simp_all [{functions}] <;> grind)": 0.015,
    "funext {arguments}; try simp only [Function.comp_apply]": 0.03,
    "funext {arguments}; " + _BY_VALUES: 0.1,
    "congr; funext x; " + _BY_VALUES.replace("{argument}", "x"): 0.05,
    "simp_all [{functions}, funext_iff] <;> grind": 0.01,
    f"simp_all [{OF_PRODUCTS}]": 0.06,
    "grind [{premises}]": 0.005,
    "grind [{instances}]": 0.05,
    "grind [{extended}]": 0.02,
    "grind [{own}]": 0.02,
    "grind [{forward}]": 0.04,
    "grind [{arithmetic}]": 0.02,
    f"{_AT_LENGTH} [{{alike}}]": 0.02,
    "simp only [{unfoldings}] at *; omega": 0.02,
    "grind [{definitions}]": 0.005,
    "induction {inductive}{generalizing} <;> intros <;> grind [{by_rules}]": 0.05,
    f"induction {{local}}{VARYING}" + _BY_SPLITTING: 0.02,
    "induction {local} generalizing {others}" + _BY_CASES: 0.015,
    "induction {local} generalizing {others} <;> cases {other}" + _BY_OWN_CASES: 0.015,
    f"induction {{descent}} using {PRINCIPLE}" + _BY_CASES: 0.03,
    f"induction {{descent}} using {PRINCIPLE}": 0.008,
    LAWS_REQUEST: 0.008,
    "constructor": 0.02,
    "trivial": 0.01,
    "{side}": 0.015,
    AT_VALUES + "; first | grind | grind [{lemmas}]": 0.012,
    f"induction {{local}}{VARYING} <;> {_BRIEFLY} [{{own}}]": 0.03,
    f"induction {{local}}{VARYING} <;> {_AT_LENGTH} [{{alike}}]": 0.03,
    f"induction {{local}}{VARYING} <;> {_BRIEFLY} [{{forward}}]": 0.02,
    f"induction {{local}}{VARYING} <;> {_BRIEFLY} [{{arithmetic}}]": 0.015,
    "simp_all [{lemmas}]": 0.08,
    "exists {witness}": 0.01,
    "first | exact ⟨_, by {derivation}⟩ | ({derivation}; done)": 0.015,
    "apply Exists.intro; (repeat' apply And.intro) <;> solve_by_elim [{proofs}]": 0.02,
    "first | exact ⟨{value}, by grind [{lemmas}]⟩": 0.03,
    "first | exact ⟨{term}, by grind⟩": 0.01,
    "simp only [{predicates}] at *": 0.006,
    "simp_all [{definitions}]": 0.01,
    "simp_all [{premises}]": 0.01,
    "apply {rule}": 0.01,
    "have {consequence}": 0.035,
    f"(repeat' split){_SPLIT}": 0.02,
    f"simp only [{{cased}}]; (repeat' split){_SPLIT}": 0.04,
    "split <;> simp_all": 0.01,
    "apply {premise}": 0.015,
    "fun_induction {call}": 0.01,
    f"induction {{local}}{VARYING}": 0.004,
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

_MARKS = {
    EXTENDED: re.compile(r"^grind \[.*[\w'] \("),
    INSTANCES: re.compile(r"^grind \[(?!cases )(?!.*[\w'] \().*(?<!=)[\w'] \w"),
    DERIVED: re.compile(r"^induction "),
    PRINCIPLE: re.compile(r"^induction [^<;|]* using "),
    OF_PRODUCTS: re.compile(r"^simp_all \[.*\bInt\.mul_left_comm\b"),
    AT_VALUES: re.compile(rf"^(?:have := |refine Classical\.byContradiction fun {NO_WITNESS}\b)"),
    BY_SIDES: re.compile(r"<;> \(repeat' \(first \| contradiction \| \(left; "),
    CHAINED: re.compile(r"<;> \(iterate \d"),
    ENUMERATED: re.compile(r"\bgrind (?:\([^()]*\) )?\[cases "),
    FORWARD: re.compile(r"^grind \[.*→ (?!(?:Nat|Int|List)\.)"),  # Lean's own are laws
}
"""What no other list has than those of laws at terms and at variables of a goal, and that of premises to begin with;
and what only one of the tactics that take derivations apart begins with."""
_MEANINGS = re.compile(rf"(?:_=_ |= )?@\w+(?:{BY_FUNCTION}|{BY_TERM})(?:, )?")
"""What any list for ``grind`` has where the goal has notation of the project."""
_OF_HELP = [name for name, placeholder in PLACEHOLDERS.items() if Placed.OF_HELP in placeholder.placed]
_NAME = re.compile("|".join(map(re.escape, PLACEHOLDERS)))
_PLACEHOLDER = re.compile(rf"(grind \[)?({_NAME.pattern})")
"""A placeholder, behind ``grind [`` or not: some names are not for ``grind``."""


def tactics_of(scheme: str, goal: str) -> list[str]:
    """Return the tactics that a scheme stands for at a goal: none where the goal has nothing for a placeholder, or the
    tactic could do nothing (:meth:`Fillings.suits`).

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
    each = (values for _, name in placeholders if (values := PLACEHOLDERS[name].values) is not None)
    tactics = []
    for value in next((values(at, scheme) for values in each), [""]):
        texts = {(of, name): _text_of(name, _as_taken(at, of, name), value) for of, name in placeholders}
        if all(text or Placed.OPTIONAL in PLACEHOLDERS[name].placed for (_, name), text in texts.items()):
            tactics.append(_filled(scheme, texts).replace(" []", ""))
    if tactics and scheme.startswith(_FIRST):
        return [_FIRST + " | ".join(tactic.removeprefix(_FIRST) for tactic in tactics)]
    return tactics


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
    if not by_grind or Placed.AS_GRIND in PLACEHOLDERS[name].placed:
        return at
    return at.as_laws if name == LAWS else at.for_grind


def _text_of(name: str, at: Fillings, value: str) -> str:
    """Return what stands for a placeholder, given the value of the one that has several."""
    text = PLACEHOLDERS[name].text
    return value if text is None else text(at, value)


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
    fewer = _FEWER_WAYS.fullmatch(tactic)
    heads = {scheme: head_of(scheme) for scheme in schemes if fewer and head_of(scheme) != scheme}
    of_premises = (scheme for scheme in likely if _is_of_help(scheme) and scheme not in heads.values())
    shorter = (scheme for scheme, head in heads.items() if fewer and _may_be(fewer[1], head, goal))
    if (scheme := next(chain(alone, of_premises, shorter), None)) is not None:
        return scheme
    simpler = _GENERALIZED.sub(r"\1", tactic)  # functions are generalized where Lean says so
    return None if simpler == tactic else scheme_of(simpler, goal, schemes)


def _is_of_help(scheme: str) -> bool:
    return any(name in scheme for name in _OF_HELP)


def _may_be(tactic: str, head: str, goal: str) -> bool:
    """Return whether a head stands for a tactic at a goal without what stands above it, which it may rest on."""
    return tactic in tactics_of(head, goal) or (_is_of_help(head) and _pattern(head).fullmatch(tactic) is not None)


@lru_cache(maxsize=1000)
def _pattern(scheme: str) -> re.Pattern[str]:
    """Return what all tactics look like that a scheme stands for."""
    may_begin = re.escape(_FIRST).join(["(?:", ")?"]) if scheme.startswith(_FIRST) else ""  # one alternative is enough
    if scheme.startswith(OPENINGS):
        may_begin = "(?:obtain .+; )?"
    named = (
        scheme.removeprefix(_FIRST)
        .removeprefix(OPENINGS)
        .replace(LAWS, LEMMAS)
        .replace(PROOFS, LEMMAS)
        .replace(RULES, LEMMAS)
        .replace(UNFOLDING, "")
        .replace(VARYING, "")
        .replace(GENERALIZING, "")
    )
    pattern = r"(?: \| .+)?".join(map(_with_names, named.split(INVERSIONS)))
    return re.compile(may_begin + pattern, re.DOTALL)


def _with_names(part: str) -> str:
    texts = [".+".join(map(re.escape, _NAME.split(text))) for text in part.split(f" [{LEMMAS}]")]
    return r"(?: \[.+\])?".join(texts)
