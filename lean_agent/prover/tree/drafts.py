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
from dataclasses import dataclass

from lean_agent.lean.source import INDENT
from lean_agent.lean.types import GoalState, Hole, TracedTheorem
from lean_agent.prover.tree.steps import Step, render

_COMMENT = re.compile(r"/-.*?-/|--[^\n]*", re.DOTALL)
_HELPERS = re.compile(r"^\s*(?:termination_by|decreasing_by|where)\b", re.MULTILINE)
_CUT = "\0"
_STANDS_ALONE = re.compile(r"(?:^|·|=>|\bby)\s*$")
"""What may stand before a tactic on its line for other tactics to follow below it, in its column."""
_DEFINED = re.compile(r":=\s*$")
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
    """

    pieces: tuple[str, ...]
    holes: tuple[Hole, ...]

    @property
    def text(self) -> str:
        """The tactics as they were left."""
        return "sorry".join(self.pieces)

    def filled(self, proofs: Sequence[Sequence[Step] | None]) -> str:
        """Return the tactics with a proof in the place of each hole; those for which there is ``None`` stay."""
        text = self.pieces[0]
        for hole, steps, rest in zip(self.holes, proofs, self.pieces[1:], strict=True):
            if steps is None:
                text += f"sorry{rest}"
                continue
            line = text.rsplit("\n", 1)[-1]
            ends_line = bool(_ENDS.match(_COMMENT.sub("", rest.split("\n", 1)[0])))
            text += _laid_out("\n".join(render(steps)), line, is_term=hole.is_term, ends_line=ends_line) + rest
        return text


@dataclass(frozen=True, slots=True)
class Begun:
    """A proof that was begun, with the state at each of its holes."""

    draft: Draft
    states: tuple[GoalState, ...]


def _laid_out(proof: str, line: str, *, is_term: bool, ends_line: bool) -> str:
    """Return a proof as it may stand behind the beginning of a line."""
    if is_term:
        if ends_line and _DEFINED.search(line):
            if "\n" not in proof:
                return f"by {proof}"
            indent = line[: len(line) - len(line.lstrip())] + INDENT
            return "by\n" + textwrap.indent(proof, indent)
        return f"(by {_hanging(proof, len(line) + 4)})"
    if ends_line and _STANDS_ALONE.search(line):
        return _hanging(proof, len(line))
    return f"({_hanging(proof, len(line) + 1)})"


def _hanging(text: str, column: int) -> str:
    """Return a text whose first line stands at a column, with the others below it."""
    return text.replace("\n", "\n" + " " * column)


def draft_of(theorem: TracedTheorem) -> Draft | None:
    """Return the proof that a theorem's author has begun; ``None`` where there is nothing but ``sorry``, or where one
    text stands for proofs of several goals (``all_goals sorry``)."""
    if not theorem.holes or theorem.mode == "equations" or _HELPERS.search(theorem.proof):
        return None
    data = theorem.proof.encode()
    begin = theorem.end - len(data)
    cuts = [(hole.start - begin, hole.end - begin) for hole in theorem.holes]
    if any(data[start:end] not in (b"sorry", b"admit") for start, end in cuts) or _runs_again(theorem):
        return None
    places = [0, *(place for cut in cuts for place in cut), len(data)]
    text = _CUT.join(data[start:end].decode() for start, end in zip(places[::2], places[1::2], strict=True))
    if _COMMENT.sub("", text).split() in ([_CUT], ["by", _CUT]):
        return None
    block = _block(text) if theorem.mode == "tactic" else "exact " + _below(text)
    return Draft(tuple(block.split(_CUT)), theorem.holes)


def _runs_again(theorem: TracedTheorem) -> bool:
    """Return whether a tactic that a hole stands in was run at several goals."""
    runs = Counter((tactic.start, tactic.end) for tactic in theorem.tactics)
    return any(
        count > 1 and any(start <= hole.start and hole.end <= end for hole in theorem.holes)
        for (start, end), count in runs.items()
    )


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
