"""A proof made shorter: tactics that are not needed go, and closing tactics take the place of what they can do alone.

Owns the order of attempts. Each attempt is the whole proof, run by Lean from the theorem's first state; what comes out
still has to be judged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from lean_agent.errors import LeanError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, Origin
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.prover.tree.alternatives import OF_ALL, single_alternatives, tracing, without_unused
from lean_agent.prover.tree.laws import is_law
from lean_agent.prover.tree.steps import Step, count_steps, render

Steps = tuple[Step, ...]

_LIST = re.compile(r" \[([^\[\]]+)\]")
_SUGGESTS = re.compile(r"\b(grind|simp_all|simp)(!?(?: only| \(instances := \d+\))?) \[([^\[\]]+)\]")
_SUGGESTED = re.compile(r"\bonly\s*\[([^\[\]]*)\]")
_MODIFIERS = re.compile(r"^(?:[^\w\s]+\s*|usr\s+|cases\s+|intro\s+|ext\s+)+")
_AGAIN = re.compile(r"\(repeat' \(first \| (.+?) \| fail\)\)(?= <;> )")
_OPTIONAL = re.compile(r"^\(try (have := .+)\)$")
"""A fact that a tactic may do without, as products are given (:attr:`.Fillings.products`)."""
_MOST_FOR_PARTS = 24
_PARTS_TIMEOUT_S = 1.0
"""What needs more of a tactic than the whole needs shows it by taking long."""
_LONGER = 4
"""So many times as long as a script may take, what says which names it has used may take."""


@dataclass(slots=True)
class _Scripts:
    """Runs proofs of one state, at most ``left`` of them."""

    server: LeanServer
    root: GoalState
    left: int
    timeout_s: float
    ran: int = 0

    def first(self, proofs: Sequence[Steps]) -> Steps | None:
        """Return the first of these that proves; Lean runs them in one batch."""
        results = self._results(proofs, self.timeout_s)
        return next((proof for proof, result in zip(proofs, results, strict=False) if result is not None), None)

    def messages(self, proof: Steps) -> tuple[str, ...]:
        """Return what Lean says while it runs the proof; nothing where it does not accept it."""
        return next((result.messages for result in self._results([proof], _LONGER * self.timeout_s) if result), ())

    def _results(self, proofs: Sequence[Steps], timeout_s: float) -> list[GoalState | None]:
        tried = list(proofs)[: self.left - self.ran]
        self.ran += len(tried)
        limit = timeout_s * max([1, *map(count_steps, tried)])
        pairs = [(self.root, "\n".join(render(proof))) for proof in tried]
        results = self.server.goal_tactics(pairs, timeout_s=limit)
        self.server.release([result for result in results if not isinstance(result, LeanError)])
        return [None if isinstance(result, LeanError) or not result.is_solved else result for result in results]


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


def with_used_names(server: LeanServer, origin: Origin, steps: Steps, *, timeout_s: float = 10.0) -> tuple[Steps, int]:
    """Return the proof with those names in its lists (``grind [f, g]``) that Lean says it has used, and without the
    laws (``have law_1 : …``), facts (``(try have := …)``) and derivations to be taken apart (``(repeat' (first | cases
    ‹Step ..› | …))``) that it does not need; also how many requests to Lean that took, none where there is no such
    thing."""
    calls = 0
    if any(is_law(tactic) or _facts(tactic) or _ways_apart(tactic) for tactic in _tactics(steps)):
        limit = min(timeout_s, _PARTS_TIMEOUT_S)
        steps, calls = _attempted(server, origin, steps, _fewer_parts, left=_MOST_FOR_PARTS, timeout_s=limit)
    if not any(map(_SUGGESTS.search, _tactics(steps))):
        return steps, calls
    steps, more = _attempted(server, origin, steps, _used_names, left=3, timeout_s=timeout_s)
    return steps, calls + more


def can_be_shorter(tactic: str) -> bool:
    """Return whether :func:`shorter_tactic` has something to try: alternatives, or names in a list."""
    return bool(single_alternatives(tactic, ()) or _LIST.search(tactic))


def shorter_tactic(
    server: LeanServer,
    state: GoalState,
    tactic: str,
    *,
    namespace: str = "",
    max_attempts: int = 32,
    timeout_s: float = 2.0,
) -> tuple[str, int]:
    """Return what is needed of a tactic that proves a state: the first alternative that does alone, or those that have
    closed something; no names in its list that Lean has not used; and names as they are called in ``namespace``. Also
    how many scripts Lean ran.
    """
    scripts = _Scripts(server, state, max_attempts, timeout_s)
    chosen = _without_alternatives(tactic, scripts)
    parts = namespace.split(".") if namespace else []
    outer = [re.escape(".".join(parts[:count])) + r"\." for count in range(len(parts), 0, -1)]
    called = re.sub(rf"(?<![\w.])(?:{'|'.join(outer)})", "", chosen) if outer else chosen
    for name in dict.fromkeys((called, chosen)):
        shortest = _used_names((name,), scripts)
        if shortest != (name,) or (name != chosen and scripts.first([shortest])):
            return str(shortest[0]), scripts.ran
    return chosen, scripts.ran


def _without_alternatives(tactic: str, scripts: _Scripts) -> str:
    if not single_alternatives(tactic, ()):
        return tactic
    messages = scripts.messages((tracing(tactic),))
    singles = single_alternatives(tactic, messages)
    return next((single for single in singles if scripts.first([(single,)])), without_unused(tactic, messages))


def _attempted(
    server: LeanServer,
    origin: Origin,
    steps: Steps,
    shorten: Callable[[Steps, _Scripts], Steps],
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
        scripts = _Scripts(server, root, left, timeout_s)
        return shorten(steps, scripts), 1 + scripts.ran
    finally:
        server.release([root])


def _tactics(steps: Steps) -> Iterator[str]:
    for step in steps:
        if isinstance(step, str):
            yield step
        else:
            yield from _tactics(step)


def _replaced(steps: Steps, old: str, new: str) -> Steps:
    return _rewritten(steps, lambda tactic: new if tactic == old else tactic)


def _shortest(steps: Steps, scripts: _Scripts, *, closers: Sequence[str]) -> Steps:
    """Try closers first, from the beginning on, since one can save the most; then leave out tactics, from the end; a
    closer in the place of a last one that goes on in each case; then leave out names."""
    improved = True
    while improved and count_steps(steps) > 1:
        improved = False
        for candidates in _closed(steps, closers):
            if shorter := scripts.first([proof for proof in candidates if count_steps(proof) < count_steps(steps)]):
                steps, improved = shorter, True
                break
        if not improved and (shorter := scripts.first(list(_without_one(steps))[::-1])):
            steps, improved = shorter, True
    if len(steps) == 1 and OF_ALL in steps[0]:
        steps = scripts.first([(closer,) for closer in closers]) or steps
    steps = _used_names(_fewer_parts(steps, scripts), scripts)
    for tactic in dict.fromkeys(_tactics(steps)):
        steps = _fewer_names(steps, tactic, scripts)
    return steps


def _used_names(steps: Steps, scripts: _Scripts) -> Steps:
    """Leave out of lists what Lean has not used, by what ``grind?`` and ``simp?`` say."""
    asking = _rewritten(steps, lambda tactic: _SUGGESTS.sub(r"\1?\2 [\3]", tactic))
    messages = scripts.messages(asking) if asking != steps else ()
    if not messages:
        return steps
    used = _names_in(messages)
    # of equations that are given in both ways, one may be enough
    shorter = (_rewritten(steps, partial(_with_used, used=used, twice=twice)) for twice in (False, True))
    return next((proof for proof in dict.fromkeys(shorter) if proof == steps or scripts.first([proof])), steps)


def _rewritten(steps: Steps, rewrite: Callable[[str], str]) -> Steps:
    return tuple(rewrite(step) if isinstance(step, str) else _rewritten(step, rewrite) for step in steps)


def _with_used(tactic: str, used: Collection[str], *, twice: bool) -> str:
    """Return a tactic with those entries of its lists that are among the names that Lean has used.

    Args:
        twice: keep an equation's name where it is there as ``= name``, too.
    """

    def shorter(match: re.Match[str]) -> str:
        kept = [name for name in match[3].split(", ") if _is_among(name, used)]
        kept = [name for name in kept if twice or f"= {name}" not in kept]
        return match[1] + match[2] + (f" [{', '.join(kept)}]" if kept else "")

    return _SUGGESTS.sub(shorter, tactic)


def _names_in(messages: Iterable[str]) -> set[str]:
    """Return the names, with what they are applied to, in the lists that Lean suggests."""
    lists = (names for message in messages for names in _SUGGESTED.findall(message))
    return {_MODIFIERS.sub("", " ".join(name.split())) for names in lists for name in names.split(",")}


def _is_among(entry: str, used: Iterable[str]) -> bool:
    """Return whether an entry of a list is among names that Lean may call in a shorter or a longer way, or what some of
    them are of (``Step`` of the rule ``Step.add``); ``*``, and what is not to be used (``-f``), always is."""
    name = _MODIFIERS.sub("", entry)
    if not name or entry.startswith("-"):
        return True
    called = (called for other in used for called in (other, other.rpartition(".")[0]) if called)
    return any(f".{name}".endswith(f".{other}") or f".{other}".endswith(f".{name}") for other in called)


def _with_names(tactic: str, listed: re.Match[str], names: Sequence[str]) -> str:
    between = f" [{', '.join(names)}]" if names else ""
    return tactic[: listed.start()] + between + tactic[listed.end() :]


def _fewer_names(steps: Steps, tactic: str, scripts: _Scripts) -> Steps:
    """Leave names out of the first list of a tactic."""
    listed = _LIST.search(tactic)
    if listed is None:
        return steps
    return _fewer_of(steps, tactic, listed[1].split(", "), partial(_with_names, tactic, listed), scripts)


def _fewer_parts(steps: Steps, scripts: _Scripts) -> Steps:
    """Leave out laws that the proof may do without, and of each tactic facts, and derivations that it may take
    apart."""
    if laws := [tactic for tactic in _tactics(steps) if is_law(tactic)]:
        steps = _fewer(laws, partial(_with_laws, steps), scripts)
    for find in (_facts, _ways_apart):
        for tactic in dict.fromkeys(_tactics(steps)):
            if parts := find(tactic):
                steps = _fewer_of(steps, tactic, *parts, scripts)
    return steps


def _with_laws(steps: Steps, kept: Sequence[str]) -> Steps:
    """Return a proof with some of its laws."""
    rest = (step if isinstance(step, str) else _with_laws(step, kept) for step in steps)
    return tuple(step for step in rest if not (isinstance(step, str) and is_law(step)) or step in kept)


Parts = tuple[list[str], Callable[[Sequence[str]], str]]
"""Parts of a tactic, and the tactic with some of them."""


def _facts(tactic: str) -> Parts | None:
    """Return what stands before the first ``<;>`` of a tactic, where some of it is optional; what stays is optional no
    more."""
    first, _, _ = tactic.partition(OF_ALL)
    facts = first.split("; ")
    if not any(map(_OPTIONAL.match, facts)):
        return None
    rest = tactic.removeprefix(first)

    def rebuilt(kept: Sequence[str]) -> str:
        plain = [_OPTIONAL.sub(r"\1", fact) for fact in kept]
        return "; ".join(plain) + rest if plain else rest.removeprefix(OF_ALL)

    return facts, rebuilt


def _ways_apart(tactic: str) -> Parts | None:
    """Return the ways in which a tactic takes derivations apart, again and again."""
    match = _AGAIN.search(tactic)
    if match is None:
        return None
    before, after = tactic[: match.start()], tactic[match.end() :]

    def rebuilt(kept: Sequence[str]) -> str:
        if not kept:
            return before + after.removeprefix(OF_ALL)
        return f"{before}(repeat' (first | {' | '.join(kept)} | fail)){after}"

    return match[1].split(" | "), rebuilt


def _fewer_of(
    steps: Steps, tactic: str, parts: Sequence[str], rebuilt: Callable[[Sequence[str]], str], scripts: _Scripts
) -> Steps:
    """Leave parts of a tactic out.

    Args:
        rebuilt: the tactic with some of its parts.
    """
    return _fewer(parts, lambda kept: _replaced(steps, tactic, rebuilt(kept)), scripts)


def _fewer(parts: Sequence[str], proof_with: Callable[[Sequence[str]], Steps], scripts: _Scripts) -> Steps:
    """Return a proof with fewer of its parts: halves are left out first, then quarters, then single ones (delta
    debugging, Zeller and Hildebrandt 2002).

    Args:
        proof_with: the proof with some of its parts.
    """
    kept = list(parts)
    size = len(kept)
    while size:
        shorter = [kept[:start] + kept[start + size :] for start in range(0, len(kept), size)]
        candidates = [proof_with(rest) for rest in shorter]
        if (proof := scripts.first(candidates)) is None:
            size //= 2
            continue
        kept = shorter[candidates.index(proof)]
        size = min(size, len(kept))
    return proof_with(kept)


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
