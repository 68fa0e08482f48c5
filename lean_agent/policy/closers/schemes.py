"""Tactics that close goals, and schemes: tactics with a placeholder for what a goal's text names.

Owns the lists and what schemes stand for; asks Lean nothing, so some of what a scheme stands for may not be possible at
a goal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from lean_agent.policy.neighbours.goals import ParsedGoal, parse_goal, tokens
from lean_agent.prompts import shown_premises, without_help

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

CLOSING_SCHEMES = (
    "rfl",
    "simp_all!",
    "omega",
    "grind",
    "trivial",
    "simp_all [{functions}]",
    "induction {local} <;> simp_all!",
    "grind [{premises}]",
    "grind [{definitions}]",
    "induction {local} <;> grind [{premises}]",
    "induction {local} <;> simp_all [{functions}]",
    "cases {local} <;> simp_all!",
    "induction {local} <;> grind [{functions}]",
    "simp",
    "intros; rfl",
    "constructor",
    "simp_all [{definitions}]",
    "simp_all [{definitions}, {premises}]",
    "induction {local} <;> simp_all [{premises}]",
    "simp_all [{premises}]",
    "exact {premise} ..",
    "induction {local} generalizing {others} <;> simp_all [{functions}]",
    "induction {local} generalizing {others} <;> grind [{functions}]",
    "cases {local} <;> grind [{functions}]",
    "intro x",
    "intro x; induction x <;> simp_all!",
    "funext x; simp_all!",
    "exact ⟨_, rfl⟩",
    "rw [{premise}]",
    "cases {local} <;> grind [{premises}]",
    "constructor <;> grind [{premises}]",
    "split <;> simp_all",
    "induction {local}",
    "cases {local}",
    "simp_all",
    "decide",
    "assumption",
    "contradiction",
    "intros; simp_all",
    "intros; grind",
    "intros; omega",
    "intros; assumption",
)
"""Tactics and schemes (:func:`tactics_of`), those first that prove much for few Lean calls. What proves a goal at once
comes before what leaves smaller ones; all of
:data:`CLOSING_TACTICS` are among them."""

MOST_LOCALS = 4
"""A scheme stands for at most so many tactics for its ``{local}``: the first hypotheses and variables of the goal."""

_PLACEHOLDER = re.compile(r"\{(?:local|others|functions|definitions|premises?)\}")
_DOTTED = re.compile(r"[^\W\d][\w.'!?✝]*")
_NOTHING_TO_TAKE_APART = re.compile(r"^(?:Type|Sort|Prop)\b|[=≠≤<≥>↔∀¬→]")
_NOT_UNFOLDED = frozenset(
    {"fun", "if", "then", "else", "let", "have", "match", "with", "do", "Type", "Sort", "Prop"}
    | {"True", "False", "Nat", "Int", "List", "Bool", "Option", "some", "none", "true", "false"}
)


def tactics_of(scheme: str, goal: str) -> list[str]:
    """Return the tactics that a scheme stands for at a goal: none where the goal has nothing for a placeholder.

    ==================  ===================================================================
    ``{local}``         a hypothesis or variable that may be taken apart: a tactic for each
    ``{others}``        the other ones, with a space between them
    ``{functions}``     the functions that the target names, with a comma between them
    ``{definitions}``   the same with what is written with a capital (``Injective``), and of hypotheses, too
    ``{premise}``       a premise that stands above the goal: a tactic for each, the best one first
    ``{premises}``      all of them, with a comma between them
    ==================  ===================================================================

    Args:
        scheme: a tactic; one without placeholders stands for itself.
        goal: as Lean prints it, with or without premises above it (:func:`lean_agent.prompts.with_help`).
    """
    placeholders = set(_PLACEHOLDER.findall(scheme))
    if not placeholders:
        return [scheme]
    parsed = parse_goal(without_help(goal))
    premises = [line.partition(":")[0] for line in shown_premises(goal)]
    locals_ = _locals(parsed)
    values = {
        "{functions}": ", ".join(name for name in _named(parsed, [parsed.target]) if _is_lower(name)),
        "{definitions}": ", ".join(_named(parsed, [parsed.target, *_facts(parsed)])),
        "{premises}": ", ".join(premises),
    }
    tactics = []
    for local in locals_[:MOST_LOCALS] if placeholders & {"{local}", "{others}"} else [""]:
        values["{local}"] = local
        values["{others}"] = " ".join(name for name in locals_ if name != local)
        for values["{premise}"] in premises if "{premise}" in placeholders else [""]:
            if all(values[placeholder] for placeholder in placeholders):
                tactics.append(_PLACEHOLDER.sub(lambda match: values[match[0]], scheme))
    return tactics


def scheme_of(tactic: str, goal: str, schemes: Sequence[str]) -> str | None:
    """Return the first of the schemes that stands for the tactic at a goal, whichever premises there were; ``None``
    where none does."""
    goal = without_help(goal)
    likely = [scheme for scheme in schemes if _pattern(scheme).fullmatch(tactic)]
    alone = (scheme for scheme in likely if tactic in tactics_of(scheme, goal))
    return next(alone, next((scheme for scheme in likely if "{premise" in scheme), None))


@lru_cache(maxsize=1000)
def _pattern(scheme: str) -> re.Pattern[str]:
    """Return what all tactics look like that a scheme stands for."""
    return re.compile(".+".join(map(re.escape, _PLACEHOLDER.split(scheme))), re.DOTALL)


def _locals(goal: ParsedGoal) -> list[str]:
    """Return the names that may be taken apart: not types, instances, functions, equations, elements of a variable."""
    return [
        name
        for name, kind in goal.types.items()
        if not ("✝" in name or name.startswith("inst") or kind in goal.types or _NOTHING_TO_TAKE_APART.search(kind))
    ]


def _facts(goal: ParsedGoal) -> list[str]:
    """Return the types of hypotheses that nothing else mentions: propositions, as a rule."""
    texts = (goal.target, *goal.types.values())
    mentioned = {token.partition(".")[0] for text in texts for token in tokens(text)}
    return [kind for name, kind in goal.types.items() if name not in mentioned and not name.startswith("inst")]


def _named(goal: ParsedGoal, texts: Sequence[str]) -> list[str]:
    """Return the constants that texts name: by their own names, or by a dot after a variable (``xs.map``)."""
    names: dict[str, None] = {}
    for name in (name for text in texts for name in _DOTTED.findall(text)):
        first, _, fields = name.partition(".")
        kind = next(iter(_DOTTED.findall(goal.types.get(first, ""))), "")
        if kind and fields:  # of `p.scale.eval` it is not known what `p.scale` is, nor so whose `eval`
            names[f"{kind}.{fields.partition('.')[0]}"] = None
        elif first not in goal.types and len(name) > 1 and name not in _NOT_UNFOLDED:
            names[name] = None
    return list(names)


def _is_lower(name: str) -> bool:
    return name.rpartition(".")[2][:1].islower()
