"""A proof made shorter: tactics that are not needed go, and closing tactics take the place of what they can do alone.

Owns the order of attempts. Each attempt is the whole proof, run by Lean from the theorem's first state; what comes out
still has to be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, Origin
from lean_agent.policy.closers.schemes import CLOSING_TACTICS, alternatives
from lean_agent.prover.tree.steps import Step, count_steps, render

Steps = tuple[Step, ...]
Proves = Callable[[Sequence[Steps]], Steps | None]
"""Returns the first of some proofs that Lean accepts, if it accepts one."""

_LIST = re.compile(r" \[([^\[\]]+)\]")
_AT_ONCE = 3
"""Of many alternatives so many are run together, single tactics first: as a rule one of these is enough."""
_DONE = re.compile(r"^\((.*); done\)$", re.DOTALL)
_SEVERAL = re.compile(r"^\((.*;.*); done\)$", re.DOTALL)


def minimise(
    server: LeanServer,
    origin: Origin,
    steps: Steps,
    *,
    closers: Sequence[str] = CLOSING_TACTICS,
    max_attempts: int = 128,
    timeout_s: float = 10.0,
) -> tuple[Steps, int]:
    """Return a proof of no more tactics than ``steps`` that Lean runs to the end, and with no names in its lists
    (``simp [f, g]``) that it can do without; ``steps`` where none is shorter.

    Also says how many requests to Lean it took: the first state and every script count one each. They are within no
    budget of a search but within ``max_attempts``.

    Args:
        closers: tactics that may take the place of the rest of a block, cheap ones first.
        max_attempts: how many scripts Lean may run.
        timeout_s: for each of them, and for each of its tactics.
    """
    return _attempted(
        server, origin, steps, partial(_shortest, closers=closers), left=max_attempts, timeout_s=timeout_s
    )


def without_alternatives(
    server: LeanServer, origin: Origin, steps: Steps, *, max_attempts: int = 16, timeout_s: float = 10.0
) -> tuple[Steps, int]:
    """Return the proof with ``t <;> a`` for ``t <;> first | a | b`` wherever one of the alternatives is enough.

    Requests to Lean are counted and limited as in :func:`minimise`; without such a tactic there is none.
    """
    if not any(map(_alternatives, _tactics(steps))):
        return steps, 0
    return _attempted(server, origin, steps, _decided, left=max_attempts, timeout_s=timeout_s)


def can_be_shorter(tactic: str) -> bool:
    """Return whether :func:`shorter_tactic` has something to try: alternatives, or names in a list."""
    return bool(_alternatives(tactic) or _LIST.search(tactic))


def shorter_tactic(
    server: LeanServer,
    state: GoalState,
    tactic: str,
    *,
    namespace: str = "",
    max_attempts: int = 32,
    timeout_s: float = 2.0,
) -> tuple[str, int]:
    """Return what is needed of a tactic that proves a state: its shortest alternative that does, with no names in its
    list that this can do without, and with names as they are called in ``namespace``; also how many scripts Lean ran.
    """
    parts = namespace.split(".")
    outer = [re.escape(".".join(parts[:count])) + r"\." for count in range(len(parts), 0, -1)]

    def shorten(steps: Steps, proves: Proves) -> Steps:
        candidates = [(alternative,) for alternative in sorted(_alternatives(tactic), key=len)]
        (chosen,) = (proves(candidates) if candidates else None) or steps
        called = re.sub(rf"(?<![\w.])(?:{'|'.join(outer)})", "", str(chosen)) if namespace else chosen
        (chosen,) = (called != chosen and proves([(called,)])) or (chosen,)
        return _fewer_names((chosen,), str(chosen), proves)

    (shortest,), attempts = _shortened(server, state, (tactic,), shorten, left=max_attempts, timeout_s=timeout_s)
    return str(shortest), attempts


def _attempted(
    server: LeanServer,
    origin: Origin,
    steps: Steps,
    shorten: Callable[[Steps, Proves], Steps],
    *,
    left: int,
    timeout_s: float,
) -> tuple[Steps, int]:
    """Shorten a proof with at most ``left`` scripts that Lean runs; also return how many requests it took."""
    try:
        root = server.goal_start(origin)
    except LeanError:
        return steps, 1
    try:
        shortest, attempts = _shortened(server, root, steps, shorten, left=left, timeout_s=timeout_s)
        return shortest, 1 + attempts
    finally:
        server.release([root])


def _shortened(
    server: LeanServer,
    root: GoalState,
    steps: Steps,
    shorten: Callable[[Steps, Proves], Steps],
    *,
    left: int,
    timeout_s: float,
) -> tuple[Steps, int]:
    """Shorten the proof of a state, as :func:`_attempted`."""
    attempts = 0

    def proves(candidates: Sequence[Steps]) -> Steps | None:
        """Return the first of these that proves; Lean runs them in one batch."""
        nonlocal attempts
        tried = list(candidates)[: left - attempts]
        attempts += len(tried)
        scripts = ["\n".join(render(proof)) for proof in tried]
        limit = timeout_s * max([1, *map(count_steps, tried)])
        results = server.goal_tactics([(root, script) for script in scripts], timeout_s=limit)
        server.release([result for result in results if not isinstance(result, LeanError)])
        solved = [not isinstance(result, LeanError) and result.is_solved for result in results]
        return next((proof for proof, is_solved in zip(tried, solved, strict=True) if is_solved), None)

    return shorten(steps, proves), attempts


def _alternatives(tactic: str) -> list[str]:
    """Return a tactic with each of its alternatives alone; nothing where it has none.

    One that has to be done with ``(…; done)`` lest the next be left out needs no brackets when it stands alone, and no
    ``done`` where it is of several tactics.
    """
    head, ways = alternatives(tactic)
    if not (head == "" or head.endswith(" <;> ")):
        return []
    return [head + _DONE.sub(r"\1", _SEVERAL.sub(r"(\1)", way)) for way in ways]


def _tactics(steps: Steps) -> Iterator[str]:
    for step in steps:
        if isinstance(step, str):
            yield step
        else:
            yield from _tactics(step)


def _decided(steps: Steps, proves: Proves) -> Steps:
    for tactic in dict.fromkeys(_tactics(steps)):
        single_first = sorted(_alternatives(tactic), key=lambda alternative: alternative.endswith(")"))
        candidates = [_replaced(steps, tactic, alternative) for alternative in single_first]
        batches = (candidates[at : at + _AT_ONCE] for at in range(0, len(candidates), _AT_ONCE))
        steps = next((proof for proof in map(proves, batches) if proof), steps)
    return steps


def _replaced(steps: Steps, old: str, new: str) -> Steps:
    return tuple(
        (new if step == old else step) if isinstance(step, str) else _replaced(step, old, new) for step in steps
    )


def _shortest(steps: Steps, proves: Proves, *, closers: Sequence[str]) -> Steps:
    """Try closers first, from the beginning on, since one can save the most; then leave out tactics, from the end; then
    names."""
    improved = True
    while improved and count_steps(steps) > 1:
        improved = False
        for candidates in _closed(steps, closers):
            if shorter := proves([proof for proof in candidates if count_steps(proof) < count_steps(steps)]):
                steps, improved = shorter, True
                break
        if not improved and (shorter := proves(list(_without_one(steps))[::-1])):
            steps, improved = shorter, True
    for tactic in dict.fromkeys(_tactics(steps)):
        steps = _fewer_names(steps, tactic, proves)
    return steps


def _fewer_names(steps: Steps, tactic: str, proves: Proves) -> Steps:
    """Leave names out of the first list of a tactic: halves first, then quarters, then single ones (delta debugging,
    Zeller and Hildebrandt 2002)."""
    listed = _LIST.search(tactic)
    if listed is None:
        return steps
    before, after = tactic[: listed.start()], tactic[listed.end() :]
    names = listed[1].split(", ")
    size = len(names)
    while size:
        shorter = [names[:start] + names[start + size :] for start in range(0, len(names), size)]
        tactics = [before + (f" [{', '.join(rest)}]" if rest else "") + after for rest in shorter]
        candidates = [_replaced(steps, tactic, new) for new in tactics]
        if (proof := proves(candidates)) is None:
            size //= 2
            continue
        place = candidates.index(proof)
        steps, tactic, names = proof, tactics[place], shorter[place]
        size = min(size, len(names))
    return steps


def _closed(steps: Steps, closers: Sequence[str]) -> Iterator[list[Steps]]:
    """Yield, for each place, outermost and earliest first, the proof with each closer for the rest of its block."""
    for index, step in enumerate(steps):
        yield [(*steps[:index], closer) for closer in closers]
        if not isinstance(step, str):
            for candidates in _closed(step, closers):
                yield [(*steps[:index], inner, *steps[index + 1 :]) for inner in candidates]


def _without_one(steps: Steps) -> Iterator[Steps]:
    """Yield the proof without each single tactic, in their order."""
    for index, step in enumerate(steps):
        if isinstance(step, str):
            yield (*steps[:index], *steps[index + 1 :])
        else:
            for inner in _without_one(step):
                yield (*steps[:index], *([inner] if inner else []), *steps[index + 1 :])
