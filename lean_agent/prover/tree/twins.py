"""Tell goals and tactics that differ in names alone.

Two states are twins when their goals are the same but for the names of hypotheses; two tactics of one state are when
they are the same but for the names that they bind: ``intro h`` and ``intro ha`` lead to twins. Owns this reading of
what Lean prints, where a name is a word: of Lean's grammar it knows identifiers and where tactics bind some. So a
tactic that binds a name in a way that is not known here is nobody's twin, and costs a call. What Lean does not print,
implicit arguments above all, is not compared: a proof that was carried over from a twin counts when Lean has run it,
and not before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from lean_agent.lean.types import Goal, GoalState
from lean_agent.prover.tree.steps import Step

Renaming = Mapping[str, str]
"""Names of the hypotheses of one goal, and what those of another goal in the same places are called."""

_IDENTIFIER = re.compile(r"(?<![\w.?'!✝«])[^\W\d][\w'!?✝]*")
"""The first part of each name: ``h`` of ``h.1``."""
_METAVARIABLE = re.compile(r"\?\w")
_NAMES = re.compile(r"[^\W\d][\w'!?]*")
_BINDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:intro|intros|rintro|rename_i|ext|funext)\b([^:;\n<]*)",
        r"(?:\bfun\b|λ)([^:=,↦]*)(?:=>|↦)",
        r"\bobtain\b([^:]*):=",
        r"\brcases\b[^;\n]*\bwith\b([^:;\n<]*)",
        r"\|\s*@?[\w.]+((?:\s+[\w']+)*)\s*=>",
        r"\b(?:have|let|suffices|set|by_cases|generalize|cases|induction)\s+([\w']+)\s*:",
    )
)
_GENERALIZING = re.compile(r"\bgeneralizing((?: [\w'!?]+)+?)(?=\s*(?:with\b|<;>|;|\n|$))")
_NO_NAMES = frozenset({"rfl", "_", "at", "fun"})


def _renamed(text: str, name_of: Callable[[str], str]) -> str:
    return _IDENTIFIER.sub(lambda match: name_of(match.group()), text)


def shape_of(state: GoalState) -> tuple[str, ...] | None:
    """Return what twins have in common: of each goal all that Lean prints but its tag, with a number in the place of
    each hypothesis' name.

    ``None`` where a goal speaks of a metavariable, whose name says nothing, or has no target to be read.
    """
    shapes = tuple(map(_shape, state.goals))
    return None if any(_METAVARIABLE.search(shape) or shape.endswith("⊢ ") for shape in shapes) else shapes


def _shape(goal: Goal) -> str:
    numbers: dict[str, str] = {}
    lines = []
    for variable in goal.variables:
        value = "" if variable.value is None else f" := {variable.value}"
        kind = "✝" if variable.is_inaccessible else ""
        lines.append(kind + _renamed(f"{variable.type}{value}", lambda name: numbers.get(name, name)))
        numbers[variable.name] = f"#{len(numbers)}"
    target = _renamed(goal.target, lambda name: numbers.get(name, name))
    return "\n".join([*lines, f"⊢ {target}"])


def renaming(of: GoalState, to: GoalState) -> Renaming:
    """Return what the hypotheses of ``of`` are called in its twin ``to``, those of the same name left out.

    Empty where they disagree between goals: then no renaming makes one of the other.
    """
    names: dict[str, str] = {}
    for goal, twin in zip(of.goals, to.goals, strict=True):
        for variable, other in zip(goal.variables, twin.variables, strict=True):
            if names.setdefault(variable.name, other.name) != other.name:
                return {}
    return {name: other for name, other in names.items() if name != other}


def rename(steps: Sequence[Step], names: Renaming) -> list[Step]:
    """Return a proof in the words of a twin."""
    return [rename_tactic(step, names) if isinstance(step, str) else tuple(rename(step, names)) for step in steps]


def rename_tactic(tactic: str, names: Renaming) -> str:
    """Return a tactic with other names."""
    return _renamed(tactic, lambda name: names.get(name, name))


def tactic_shape(tactic: str, goal: Goal) -> str:
    """Return what tactics have in common that differ in the names that they bind, or in the order of what an induction
    generalizes.

    A name that the goal has already is not free to choose: to bind it again hides a hypothesis.
    """
    tactic = _GENERALIZING.sub(lambda names: f"generalizing {' '.join(sorted(names[1].split()))}", tactic)
    bound = _bound(tactic)
    if not bound:
        return tactic
    taken = {variable.name for variable in goal.variables}
    numbers = {name: f"#{number}" for number, name in enumerate(bound) if name not in taken}
    return _renamed(tactic, lambda name: numbers.get(name, name))


@lru_cache(maxsize=100_000)
def _bound(tactic: str) -> tuple[str, ...]:
    """Return the names that a tactic binds, in their order."""
    places = sorted((match.start(1), match.group(1)) for binder in _BINDERS for match in binder.finditer(tactic))
    names = (name for _, pattern in places for name in _NAMES.findall(pattern))
    return tuple(dict.fromkeys(name for name in names if name not in _NO_NAMES))
