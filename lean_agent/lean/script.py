"""From a list of tactics to a proof. Owns the layout; knows no Lean beyond ``by``."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

INDENT = "  "


def by_block(tactics: Sequence[str]) -> str:
    """The flat ``by`` block of a script; later lines of a tactic keep their indentation relative to its first."""
    return "\n".join(["by", *(textwrap.indent(tactic, INDENT) for tactic in tactics)])
