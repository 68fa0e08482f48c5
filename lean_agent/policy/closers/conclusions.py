"""Which premises may conclude a target, as far as their texts tell: each of the others would cost a Lean call.

Owns this reading of a statement as it stands in a file; where it is not sure, a premise may.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from lean_agent.policy.neighbours.goals import IDENTIFIER, bound_variables, conclusion, head_and_parts, tokens

_RELATIONS = {"=": "=", "≠": "¬", "¬": "¬", "False": "¬", "∧": "∧", "∨": "∨", "∃": "∃"}
"""What a proposition may be made by that nobody gives a meaning of his own (as ``≤`` has); those that are the same."""
_COMMENT = re.compile(r"/-.*?-/|--[^\n]*", re.DOTALL)


def may_conclude(premise: str, target: str) -> bool:
    """Return whether a premise, as it stands in a file, may conclude a target as Lean prints it.

    A target that is made by a relation of Lean's own (``=``, ``∧``) is concluded by the same relation, or by a premise
    about any proposition (``p n``), as induction principles are. Of predicates and notations nothing is known.
    """
    relation = _RELATIONS.get(_head(tokens(target)))
    return relation is None or _concluded(premise) in (relation, None)


def _head(words: Sequence[str]) -> str:
    end = next((place for place, word in enumerate(words) if word in ("fun", "λ")), len(words))
    return head_and_parts(words[:end])[0]


@lru_cache(maxsize=100_000)
def _concluded(premise: str) -> str | None:
    """Return the relation that the conclusion of a statement is made by; ``None`` where it may be any, and nothing for
    a predicate or a notation."""
    words = tokens(_COMMENT.sub(" ", premise).replace("->", "→"))
    depths = accumulate((word in "([{⦃⟨") - (word in ")]}⦄⟩") for word in words)
    colon = next((place for place, depth in enumerate(depths) if depth == 0 and words[place] == ":"), None)
    if colon is None:
        return None
    concluded = conclusion(" ".join(words[colon + 1 :]))
    head = _head(concluded)
    is_any = head in bound_variables(premise) and all(map(IDENTIFIER.match, concluded))
    return None if is_any else _RELATIONS.get(head, "")
