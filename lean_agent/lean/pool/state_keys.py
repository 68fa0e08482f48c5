"""Where a state is found: keys made of what it depends on, so that any process can serve it.

A proof's first state is addressed by the text of its file, what that imports, and the theorem; a later one by the
state before it and the tactic.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from lean_agent.lean.types import LeanProject, Origin, Subgoals, TheoremSite


def digest(text: bytes | str) -> str:
    """Return a short hash."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()[:16]


def file_key(project: LeanProject, file_path: str) -> str:
    """Return a file in whatever version of its text: the beginning of the keys of all of them."""
    place = digest("\n".join(map(str, (project.build, *project.libraries))))
    return f"{file_path}@{place}"


def file_of(origin: Origin) -> str | None:
    """Return the file that an origin is in; ``None`` without one."""
    site = _site(origin)
    return None if site is None else file_key(site.project, site.file_path)


def project_of(origin: Origin) -> LeanProject | None:
    """Return the project that an origin is in; ``None`` without one."""
    site = _site(origin)
    return None if site is None else site.project


def _site(origin: Origin) -> TheoremSite | None:
    while isinstance(origin, Subgoals):
        origin = origin.origin
    return None if isinstance(origin, str) else origin


def root_key(*content: str | int | None) -> str:
    """Return the key of a state that a proof starts with."""
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def child(key: str, tactic: str) -> str:
    """Return the key of the state after a tactic."""
    return root_key(key, tactic)


def part(key: str, goals: Sequence[int]) -> str:
    """Return the key of some of a state's goals, as a state of their own."""
    return root_key(key, *goals)


def chain(root: str, script: Sequence[str]) -> list[str]:
    """Return the keys of the states that a script leads through, the first and the last included."""
    keys = [root]
    for tactic in script:
        keys.append(child(keys[-1], tactic))
    return keys


def shown(origin: Origin) -> str:
    """Return an origin in a message."""
    if isinstance(origin, Subgoals):
        return f"goals {origin.goals} of {shown(origin.origin)} after {origin.script}"
    return f"`{origin}`" if isinstance(origin, str) else f"{origin.full_name} ({origin.file_path})"
