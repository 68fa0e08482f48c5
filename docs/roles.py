"""Docstrings name things as Sphinx does (``:class:`~lean_agent.lean.pool.LeanPool` ``); the site shows them as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`(?:~(?:\w+\.)*)?([\w.]+)`")


class Roles(Extension):
    """Turn each role into the last part of its name, or all of it, in backquotes."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite a docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = ROLE.sub(r"`\1`", obj.docstring.value)
