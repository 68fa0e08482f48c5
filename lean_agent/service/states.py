"""The proof states that a service knows by their keys.

A client names a state by its key. Who keeps a key for so long that the state is forgotten, or has it from before the
service was started again, sends the state whole: where it comes from, and its script, by which it is made again. A key
is never taken at a client's word, since states are shared among all.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from lean_agent.errors import LeanError, UnknownState
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, Origin

_REBUILD_S = 120.0  # for each tactic of a state that is made again: it went well before, maybe under another limit


class StateTable:
    """States by key.

    Args:
        server: has made them, and is told of those that are forgotten.
        most: so many are kept; the one used longest ago goes first.
    """

    def __init__(self, server: LeanServer, most: int) -> None:
        self._server = server
        self._most = most
        self._states: OrderedDict[str, GoalState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    async def keep(self, results: Sequence[GoalState | LeanError]) -> None:
        """Take in the states among results; forget others, where they are too many."""
        for state in results:
            if isinstance(state, GoalState):
                self._states[state.key] = state
                self._states.move_to_end(state.key)
        count = len(self._states) - self._most
        if count > 0:
            await self._server.release_async([self._states.popitem(last=False)[1] for _ in range(count)])

    def known(self, key: str) -> GoalState:
        """Return the state with this key.

        Raises:
            UnknownState: it is not held here.
        """
        if key not in self._states:
            raise UnknownState(f"The state {key[:64]!r} is not held here any more; send its origin and script.")
        self._states.move_to_end(key)
        return self._states[key]

    async def rebuilt(self, origin: Origin, script: Sequence[str]) -> GoalState:
        """Return the state that a script leads to.

        Raises:
            LeanError: the proof cannot be started, or a tactic fails.
        """
        state = await self._server.goal_start_async(origin)
        for tactic in script:
            state = await self._server.goal_tactic_async(state, tactic, timeout_s=_REBUILD_S)
        await self.keep([state])
        return state

    async def release(self, keys: Sequence[str]) -> int:
        """Forget states; returns how many of them were known."""
        states = [state for key in keys if (state := self._states.pop(key, None)) is not None]
        await self._server.release_async(states)
        return len(states)
