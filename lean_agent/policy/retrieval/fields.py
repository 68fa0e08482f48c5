"""What the fields of a structure or a class say.

Lean, and LeanDojo after it, takes a field's name alone for its source, so that of the axioms of a class (``mul_assoc``)
nothing could be read. What follows the name stands in the source of the structure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

_AFTER_FIELD = re.compile(r"\n\s*(?:/--|--|deriving\b|\n)|\n\s*[({\[⦃]?$", re.DOTALL)


def field_texts(premises: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Return the source of each field with what it says (``mul_one : ∀ a, a * 1 = a``), by its place in the list.

    Args:
        premises: of one file, as a corpus has them: with ``full_name``, ``code``, ``start`` and ``end``.
    """
    named = {premise["full_name"]: premise for premise in premises}
    fields: defaultdict[str, list[int]] = defaultdict(list)
    for number, premise in enumerate(premises):
        structure, _, name = premise["full_name"].rpartition(".")
        if premise["code"].strip() == name and structure in named and _is_within(premise, named[structure]):
            fields[structure].append(number)
    texts = {}
    for structure, numbers in fields.items():
        code, begin = named[structure]["code"], named[structure]["start"]
        numbers.sort(key=lambda number: premises[number]["start"])
        places = [_place(code, begin, premises[number]) for number in numbers]
        for number, start, end in zip(numbers, places, [*places[1:], len(code)], strict=True):
            texts[number] = _AFTER_FIELD.split(code[start:end])[0].strip().rstrip("({[⦃").strip()
    return texts


def _is_within(premise: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return "start" in premise and bool(other["start"] < premise["start"] and premise["end"] <= other["end"])


def _place(code: str, begin: Sequence[int], field: Mapping[str, Any]) -> int:
    """Return where a field begins in the source of its structure, which begins at ``begin``: ``[line, column]``, with
    columns from 0 or, in LeanDojo's files, from 1."""
    line = field["start"][0] - begin[0]
    before = sum(len(text) + 1 for text in code.split("\n")[:line])
    place = before + field["start"][1] - (begin[1] if line == 0 else 0)
    return int(place) if code.startswith(field["code"].strip(), place) else int(place) - 1
