"""A proof made shorter: tactics that are not needed go, and closing tactics take the place of what they can do alone.

Owns the order of attempts. Each attempt is the whole proof, run by Lean from the theorem's first state; what comes out
still has to be judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import Origin
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.prover.tree.steps import Step, count_steps, render

Steps = tuple[Step, ...]


def minimise(
    server: LeanServer,
    origin: Origin,
    steps: Steps,
    *,
    closers: Sequence[str] = CLOSING_TACTICS,
    max_attempts: int = 128,
    timeout_s: float = 10.0,
) -> tuple[Steps, int]:
    """Return a proof of no more tactics than ``steps`` that Lean runs to the end; ``steps`` where none is shorter.

    Also says how many requests to Lean it took: the first state and every script count one each. They are within no
    budget of a search but within ``max_attempts``.

    Args:
        closers: tactics that may take the place of the rest of a block, cheap ones first.
        max_attempts: how many scripts Lean may run.
        timeout_s: for each of them, and for each of its tactics.
    """
    left = max_attempts

    def proves(candidates: Sequence[Steps]) -> Steps | None:
        """Return the first of these that proves; Lean runs them in one batch."""
        nonlocal left
        tried = list(candidates)[:left]
        left -= len(tried)
        scripts = ["\n".join(render(proof)) for proof in tried]
        limit = timeout_s * max([1, *map(count_steps, tried)])
        results = server.goal_tactics([(root, script) for script in scripts], timeout_s=limit)
        server.release([result for result in results if not isinstance(result, LeanError)])
        solved = [not isinstance(result, LeanError) and result.is_solved for result in results]
        return next((proof for proof, is_solved in zip(tried, solved, strict=True) if is_solved), None)

    try:
        root = server.goal_start(origin)
    except LeanError:
        return steps, 1
    try:
        shortest = _shortest(steps, closers, proves)
        return shortest, 1 + max_attempts - left
    finally:
        server.release([root])


def _shortest(steps: Steps, closers: Sequence[str], proves: Callable[[Sequence[Steps]], Steps | None]) -> Steps:
    """Try closers first, from the beginning on, since one can save the most; then leave out tactics, from the end."""
    improved = True
    while improved and count_steps(steps) > 1:
        improved = False
        for candidates in _closed(steps, closers):
            if shorter := proves([proof for proof in candidates if count_steps(proof) < count_steps(steps)]):
                steps, improved = shorter, True
                break
        if not improved and (shorter := proves(list(_without_one(steps))[::-1])):
            steps, improved = shorter, True
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
