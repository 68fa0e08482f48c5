"""Proofs that somebody has begun: text with ``sorry`` in some places.

A search takes such a text for a tactic at its root, which leaves the goals of these holes
(:meth:`~lean_agent.prover.tree.graph.ProofGraph.reach`). Owns how a text is cut at its holes, and how proofs are laid
out in their places; that the whole is a proof is for Lean to say.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from lean_agent.lean.source import INDENT
from lean_agent.lean.types import GoalState, Hole, Origin, TheoremSite, TracedTheorem
from lean_agent.prover.tree.steps import Step, render

T = TypeVar("T")

_COMMENT = re.compile(r"/-.*?-/|--[^\n]*", re.DOTALL)
_HELPERS = re.compile(r"^\s*(?:termination_by|decreasing_by|where)\b", re.MULTILINE)
_CUT = "\0"
_STANDS_ALONE = re.compile(r"(?:^|·|=>|\bby)\s*$")
"""What may stand before a tactic on its line for other tactics to follow below it, in its column."""
_TAKES_BY = re.compile(r"(?::=|\bexact|\bfrom|=>|<\|)\s*$")
"""What may stand before a term for it to begin with ``by``."""
_BEGIN = re.compile(r"[\s·]*")
_ENDS = re.compile(r"\s*(?:$|[)\]}⟩])")
"""What may stand behind a proof that is in no parentheses."""
_SAME_TACTIC = re.compile(r"(?:<;>|\bby|\bwith|=>|:=|[(,\[{⟨])\s*$")
"""How a line ends on which a tactic begins that the next line goes on with."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A proof with holes.

    Attributes:
        pieces: its tactics, as a block, cut at the holes.
        holes: those; one fewer than there are pieces.
        runs: at how many goals each of them stands: an arm for several cases has one text for all (``| _ => sorry``).
    """

    pieces: tuple[str, ...]
    holes: tuple[Hole, ...]
    runs: tuple[int, ...]

    @property
    def text(self) -> str:
        """The tactics as they were left."""
        return "sorry".join(self.pieces)

    def sites(self, theorem: TheoremSite) -> list[TheoremSite]:
        """Return where the goals of the holes are, in order."""
        return [
            replace(theorem, position=hole.start, run=run)
            for hole, runs in zip(self.holes, self.runs, strict=True)
            for run in range(runs)
        ]

    def by_hole(self, of_goals: Sequence[T]) -> list[Sequence[T]]:
        """Return what there is for each goal, those of each hole together."""
        rest = iter(of_goals)
        return [tuple(islice(rest, runs)) for runs in self.runs]

    def filled(self, proofs: Sequence[Sequence[Step] | None]) -> str:
        """Return the tactics with proofs in the places of the holes, given one for each goal; a hole of which a goal
        has ``None`` stays."""
        text = self.pieces[0]
        for hole, of_goals, rest in zip(self.holes, self.by_hole(proofs), self.pieces[1:], strict=True):
            known = list(dict.fromkeys("\n".join(render(steps)) for steps in of_goals if steps is not None))
            if None in of_goals:
                text += f"sorry{rest}"
                continue
            line = text.rsplit("\n", 1)[-1]
            ends_line = bool(_ENDS.match(_COMMENT.sub("", rest.split("\n", 1)[0])))
            text += _laid_out(_for_any(known), line, is_term=hole.is_term, ends_line=ends_line) + rest
        return text


@dataclass(frozen=True, slots=True)
class Begun:
    """A proof that was begun, with the state at each goal of its holes."""

    draft: Draft
    states: tuple[GoalState, ...]


@dataclass(frozen=True, slots=True)
class FilledDraft:
    """A proof that was begun, with what was found for its holes.

    Attributes:
        origins: where the goals of its holes are.
        proofs: of these; ``None`` for those for which there is none.
    """

    draft: Draft
    origins: tuple[Origin, ...]
    proofs: tuple[tuple[Step, ...] | None, ...]

    @property
    def tactics(self) -> str:
        """Its tactics, with the proofs in place."""
        return self.draft.filled(self.proofs)

    @property
    def holes(self) -> int:
        """How many holes it had."""
        return len(self.draft.holes)

    @property
    def filled(self) -> int:
        """How many of them are filled."""
        return sum(None not in of_hole for of_hole in self.draft.by_hole(self.proofs))


def _for_any(proofs: Sequence[str]) -> str:
    """Return a proof for several goals, given those of each; one that works at another goal, too, has to close it."""
    if len(proofs) == 1:
        return proofs[0]
    whole = (_hanging(f"{proof}\ndone", len(INDENT) + 3) for proof in proofs)
    return "\n".join(["first", *(f"{INDENT}| ({proof})" for proof in whole)])


def _laid_out(proof: str, line: str, *, is_term: bool, ends_line: bool) -> str:
    """Return a proof as it may stand behind the beginning of a line."""
    if is_term:
        if not (ends_line and _TAKES_BY.search(line)):
            return f"(by {_hanging(proof, len(line) + 4)})"
        if "\n" not in proof or "=>" in line:
            return f"by {_hanging(proof, len(line) + 3)}"
        # further to the right than the tactic that it is in, or what follows that would be part of it
        begin = _BEGIN.match(line)
        return "by\n" + textwrap.indent(proof, " " * len(begin.group() if begin else "") + INDENT)
    if ends_line and _STANDS_ALONE.search(line):
        return _hanging(proof, len(line))
    return f"({_hanging(proof, len(line) + 1)})"


def _hanging(text: str, column: int) -> str:
    """Return a text whose first line stands at a column, with the others below it."""
    return text.replace("\n", "\n" + " " * column)


def draft_of(theorem: TracedTheorem) -> Draft | None:
    """Return the proof that a theorem's author has begun; ``None`` where there is nothing but ``sorry``, where Lean has
    come to no goal at a hole, or where one term is that of several."""
    if not theorem.holes or theorem.mode == "equations" or _HELPERS.search(theorem.proof):
        return None
    data = theorem.proof.encode()
    begin = theorem.end - len(data)
    cuts = [(hole.start - begin, hole.end - begin) for hole in theorem.holes]
    runs = tuple(_runs(theorem, hole) for hole in theorem.holes)
    if any(data[start:end] not in (b"sorry", b"admit") for start, end in cuts) or 0 in runs:
        return None
    places = [0, *(place for cut in cuts for place in cut), len(data)]
    text = _CUT.join(data[start:end].decode() for start, end in zip(places[::2], places[1::2], strict=True))
    if _COMMENT.sub("", text).split() in ([_CUT], ["by", _CUT]):
        return None
    block = _block(text) if theorem.mode == "tactic" else "exact " + _below(text)
    return Draft(tuple(block.split(_CUT)), theorem.holes, runs)


def _runs(theorem: TracedTheorem, hole: Hole) -> int:
    """Return at how many goals a hole stands; 0 where it is not known."""
    if not hole.is_term:
        return sum((tactic.start, tactic.end) == (hole.start, hole.end) for tactic in theorem.tactics)
    around = Counter((each.start, each.end) for each in theorem.tactics if each.start <= hole.start < each.end)
    return int(all(count == 1 for count in around.values()))


def _block(text: str) -> str:
    """Return the tactics of a ``by`` as a block."""
    first, _, rest = text.removeprefix("by").partition("\n")
    if not first.strip() or _COMMENT.sub("", first).strip() == "":
        return textwrap.dedent(rest).strip("\n")
    if not rest.strip() or rest.lstrip().startswith("|") or _SAME_TACTIC.search(first):
        return _below(f"{first.strip()}\n{rest}")
    return f"{first.strip()}\n{textwrap.dedent(rest)}".rstrip()


def _below(text: str) -> str:
    """Return a text with all lines but the first one indented."""
    first, _, rest = text.partition("\n")
    return f"{first}\n{textwrap.indent(textwrap.dedent(rest), INDENT)}".rstrip()
