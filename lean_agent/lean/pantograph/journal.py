"""How every state of a session came about, so that another process can make it again.

Owns the record of commands. Knows nothing of what they mean, but for which states they use and make.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

Json = dict[str, Any]

_STATE_FIELDS = ("stateId", "target", "branch")


def states_used(payload: Json) -> tuple[int, ...]:
    """Return the ids of the states that a command starts from."""
    return tuple(payload[name] for name in _STATE_FIELDS if isinstance(payload.get(name), int))


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A command that made states ``made``, or (with none) changed the environment.

    Attributes:
        environment: how many commands had changed the environment before it.
    """

    cmd: str
    payload: Json
    options: Json
    made: tuple[int, ...] = ()
    environment: int = 0

    @property
    def used(self) -> tuple[int, ...]:
        """The states it started from. With none it speaks of the environment of its time."""
        return states_used(self.payload)

    def renumbered(self, ids: dict[int, int]) -> Json:
        """Return the payload with other ids."""
        changed = {name: ids[self.payload[name]] for name in _STATE_FIELDS if isinstance(self.payload.get(name), int)}
        return {**self.payload, **changed}


class Journal:
    """The commands behind a session's environment and behind every state that can still be asked for."""

    def __init__(self) -> None:
        self.environment: list[JournalEntry] = []
        self._makers: dict[int, JournalEntry] = {}
        self._living: set[int] = set()

    def record(self, entry: JournalEntry) -> None:
        """Remember a command that went well."""
        entry = replace(entry, environment=len(self.environment))
        if not entry.made:
            self.environment.append(entry)
        for state in entry.made:
            self._makers[state] = entry
            self._living.add(state)

    def forget(self, states: Iterable[int]) -> None:
        """Forget states that will not be asked for again. What later states were made from stays."""
        self._living.difference_update(states)
        needed = {id(entry) for state in self._living for entry in self.script(state)}
        self._makers = {state: entry for state, entry in self._makers.items() if id(entry) in needed}

    def clear(self) -> None:
        """No state is left; the environment stays."""
        self._makers.clear()
        self._living.clear()

    def knows(self, state: int) -> bool:
        """Check whether a state can be made again."""
        return state in self._living

    def needs(self, state: int) -> bool:
        """Check whether a state, or one that was made from it or with it, can still be asked for."""
        return state in self._makers

    def __len__(self) -> int:
        """Return how many states can still be asked for."""
        return len(self._living)

    def beginnings(self, environment: int) -> list[JournalEntry]:
        """Return the commands by which states that are still needed came out of an environment, in the order of
        their ids."""
        entries = (entry for state, entry in sorted(self._makers.items()) if state == entry.made[0])
        return [entry for entry in entries if not entry.used and entry.environment == environment]

    def script(self, state: int) -> list[JournalEntry]:
        """Return the commands that make a state, in the order in which they ran."""
        entries: dict[int, JournalEntry] = {}
        waiting = [state]
        while waiting:
            entry = self._makers.get(waiting.pop())
            if entry is not None and entry.made[0] not in entries:
                entries[entry.made[0]] = entry
                waiting += entry.used
        return [entries[first] for first in sorted(entries)]  # ids only grow
