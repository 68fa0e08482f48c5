"""Policies without a model: a list of tactics for every goal. The baseline that a model has to beat.

An entry of a list is a tactic, or a scheme: a tactic with a placeholder for what a goal's text names. Owns the lists
and what schemes stand for; asks Lean nothing, so some of what a scheme stands for may not be possible at a goal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from lean_agent.errors import ConfigError
from lean_agent.policy.base import ProofRequest, Suggestion
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


class ScriptedPolicy:
    """Proposes the first ``k`` of the tactics that a list stands for at a goal.

    The tactic of rank ``i`` (from 0) has a probability in proportion to ``1 / (i + 1)``; those of all that the list
    stands for at a goal sum up to 1. So the last ones are unlikely and not impossible: a search that ranks steps at
    different states by log-probability goes deeper before it comes to the end of a list.

    Args:
        tactics: what to propose, best first, without repetition; tactics and schemes (:func:`tactics_of`).

    Raises:
        ConfigError: ``tactics`` is empty or repeats itself.
    """

    samples = False

    def __init__(self, tactics: Sequence[str] = CLOSING_SCHEMES) -> None:
        if not tactics or len(set(tactics)) != len(tactics):
            raise ConfigError(f"A scripted policy needs a list of different tactics; it was given {list(tactics)}.")
        self._tactics = tuple(tactics)

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`."""
        return repr([*self._tactics])

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose the first ``k`` tactics of the list for every goal."""
        return [self._suggest(goal, k) for goal in goals]

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """Offer each entry as a script; none can be repaired."""
        return [self._suggest(request.goal, k) if request.attempt is None else [] for request in requests]

    def _suggest(self, goal: str, k: int) -> list[Suggestion]:
        tactics = dict.fromkeys(tactic for scheme in self._tactics for tactic in tactics_of(scheme, goal))
        total = math.fsum(1 / (rank + 1) for rank in range(len(tactics)))
        return [
            Suggestion(tactic, logprob=-math.log((rank + 1) * total), tokens=0)
            for rank, tactic in enumerate([*tactics][:k])
        ]
