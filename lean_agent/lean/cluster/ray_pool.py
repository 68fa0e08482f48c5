"""A Lean server over a Ray cluster: every member is a Ray actor with a pool of Lean processes of its own.

Owns which member does what, and what becomes of the work of a member that is lost: its states are rebuilt by the others
from their origin and script, and what was in flight is done again. Where actors run and when a new one starts is Ray's
business. The members read sources and write compiled modules where this process does: on several machines, the
repositories and the cache folder must lie on a file system that all share.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from typing_extensions import override

from lean_agent.errors import ConfigError, LeanError, LeanProcessDied, LeanRequestError, LeanStartupError
from lean_agent.extras import install
from lean_agent.lean.facade import OwnLoop
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.server import LoopServer, TacticResult
from lean_agent.lean.types import (
    Conjecture,
    Consequence,
    DeclarationInfo,
    FileVerdict,
    GoalLemma,
    GoalState,
    LeanMessage,
    LeanProject,
    Matches,
    Origin,
    TheoremSite,
    TracedFile,
    Verdict,
    site_of,
)
from lean_agent.settings import Count, Seconds

T = TypeVar("T")

START_TIMEOUT_S = 300.0
"""So long Ray may take to start the first member: a cluster may have to bring up a machine for it."""
_OPENING = 16  # to open a file costs as much as so many starts or tactics
_AT_ONCE = 1000  # calls that a member takes at a time; its pool puts them in order


class Member:
    """What runs in a Ray actor: a pool, and its answers as data, errors included."""

    def __init__(self, workers: int, limits: PoolLimits | None) -> None:
        self._pool = LeanPool(workers, limits=limits)

    async def ready(self) -> str:
        """Return which Lean the actor has, once that is up; Lean starts when it is first needed."""
        return self._pool.version

    async def pids(self) -> list[int]:
        """Return the process ids of the Lean processes, on the member's machine."""
        return self._pool.pids()

    async def call(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Return the answer of a method of the pool, or the ``LeanError`` that it has raised."""
        try:
            return await getattr(self._pool, f"{method}_async")(*arguments, **options)
        except LeanError as error:
            return error

    async def release(self, states: Sequence[GoalState]) -> None:
        """Forget states."""
        await self._pool.release_async(states)

    async def close(self) -> None:
        """End the Lean processes."""
        await asyncio.to_thread(self._pool.close)


@dataclass(eq=False)
class _Seat:
    """A member as this process sees it.

    Attributes:
        load: items that it works on.
        files: those that it has been sent to.
        states: keys of the states that it has made and that nobody has released.
    """

    actor: Any
    load: int = 0
    files: set[tuple[str, str]] = field(default_factory=set)
    states: set[str] = field(default_factory=set)

    def made(self, result: Any) -> None:
        """Note the states of a result."""
        if isinstance(result, GoalState):
            self.states.add(result.key)
        elif isinstance(result, list):
            for item in result:
                self.made(item)


class RayPool(LoopServer):
    """Lean pools on the nodes of a Ray cluster, behind the interface of one server.

    Args:
        workers: Lean processes of each member, 1.1 GB each; Ray sets aside a CPU for each.
        members: how many; by default as many as the cluster has CPUs for.
        address: of the cluster, as ``ray.init`` takes it; ``None`` is the one that ``RAY_ADDRESS`` names, or else a
            cluster of this machine alone.
        limits: of every pool.
        ray: what stands in for Ray, for a program that simulates a cluster.
        loop: where coroutines run then.

    Raises:
        ConfigError: Ray is not installed, or there is no such cluster.
    """

    in_order = False

    def __init__(
        self,
        workers: Count = 1,
        *,
        members: Count | None = None,
        address: str | None = None,
        limits: PoolLimits | None = None,
        ray: Any = None,
        loop: OwnLoop | None = None,
    ) -> None:
        self._ray = ray or _connected(address)
        self._members = members or max(1, int(self._ray.cluster_resources().get("CPU", 1)) // workers)
        self._per_member = workers
        self._make = (
            self._ray.remote(Member)
            .options(num_cpus=workers, scheduling_strategy="SPREAD", max_concurrency=_AT_ONCE)
            .remote
        )
        self._limits = limits
        super().__init__("Ray pool", loop)
        self._seats: list[_Seat] = []
        self._starting: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()  # a member has come up, or will not
        self._why_not = ""
        self._version = ""
        self.loop.run(self._start())

    @property
    @override
    def version(self) -> str:
        """Which Lean runs: what the first member runs, which is waited for.

        Raises:
            LeanStartupError: no member came up.
        """
        if not self._version:
            self.loop.run(self._idlest())
        return self._version

    @property
    @override
    def workers(self) -> int:
        """How many requests it works on at the same time: of all members, those included that Ray is still starting."""
        return self._per_member * self._members

    def pids(self) -> list[list[int]]:
        """Return the process ids of the Lean processes of each member that is up."""
        return self.loop.run(self._pids())

    async def _pids(self) -> list[list[int]]:
        pids: list[list[int]] = []
        for seat in list(self._seats):
            with contextlib.suppress(LeanProcessDied):
                pids.append(await self._on(seat, 0, lambda actor: actor.pids.remote()))
        return pids

    def actors(self) -> list[Any]:
        """Return the Ray actors that are up."""
        return [seat.actor for seat in self._seats]

    # -- members

    async def _start(self) -> None:
        for _ in range(self._members):
            self._add()

    def _add(self) -> None:
        """Ask Ray for one more member; it takes a seat when it is up."""
        actor = self._make(self._per_member, self._limits)

        async def come_up() -> None:
            from ray.exceptions import RayError

            try:
                version = await actor.ready.remote()
                self._version = self._version or version
                self._seats.append(_Seat(actor))
            except RayError as error:
                self._why_not = str(error)
            finally:
                self._starting.discard(task)
                self._changed.set()

        task = asyncio.get_running_loop().create_task(come_up())
        self._starting.add(task)

    def _lose(self, seat: _Seat) -> None:
        """Go on without a member that is gone, and ask Ray for another."""
        if seat in self._seats:
            self._seats.remove(seat)
            self._add()

    async def _idlest(self, key: tuple[str, str] | None = None) -> _Seat:
        """Return the member with the least to do, the opening of a file that it has not seen counted in; waits for
        one where none is up."""
        while not self._seats:
            if not self._starting:
                raise LeanStartupError(
                    f"No member of the Ray cluster came up; is lean_agent installed on its nodes? {self._why_not}"
                )
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), START_TIMEOUT_S)
            except TimeoutError:
                raise LeanStartupError(
                    f"Ray has started no member in {START_TIMEOUT_S:.0f} s: the cluster has too few CPUs free for "
                    f"{self._per_member} Lean processes. `ray status` shows what it has."
                ) from None
        seat = min(self._seats, key=lambda member: member.load + (_OPENING if key not in member.files else 0))
        if key is not None:
            seat.files.add(key)
        return seat

    async def _on(self, seat: _Seat, size: int, call: Callable[[Any], Awaitable[T]]) -> T:
        """Have a member do something.

        Raises:
            LeanProcessDied: it was lost.
        """
        from ray.exceptions import RayActorError

        seat.load += size
        try:
            return await call(seat.actor)
        except RayActorError as error:
            self._lose(seat)
            raise LeanProcessDied(f"a member of the Ray cluster was lost: {error}") from error
        finally:
            seat.load -= size

    async def _twice(self, choose: Callable[[], Awaitable[_Seat]], call: Callable[[_Seat, Any], Awaitable[T]]) -> T:
        """Have a member do something, and another one when it is lost.

        Raises:
            LeanProcessDied: the second was lost as well.
        """
        for last in (False, True):
            seat = await choose()
            try:
                return await self._on(seat, 1, lambda actor, seat=seat: call(seat, actor))  # type: ignore[misc]  # bound now
            except LeanProcessDied:
                if last:
                    raise
        raise AssertionError("unreachable")

    # -- what a server does

    @override
    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        async def call(seat: _Seat, share: list[Origin]) -> Any:
            return await seat.actor.call.remote("goal_starts", share, timeout_s=timeout_s)

        return await self._shared_out(origins, lambda origin: (None, origin), call)

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        async def call(seat: _Seat, share: list[tuple[GoalState, str]]) -> Any:
            return await seat.actor.call.remote("goal_tactics", share, timeout_s=timeout_s)

        return await self._shared_out(pairs, lambda pair: (pair[0], pair[0].origin), call)

    @override
    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        async def call(seat: _Seat, share: list[GoalState]) -> Any:
            return await seat.actor.call.remote("goal_splits", share)

        return await self._shared_out(states, lambda state: (state, state.origin), call)

    @override
    async def goal_lemmas_async(
        self, states: Sequence[GoalState], *, most: int = 6, laws: int = 0, own: int = 0
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        async def call(seat: _Seat, share: list[GoalState]) -> Any:
            return await seat.actor.call.remote("goal_lemmas", share, most=most, laws=laws, own=own)

        return await self._shared_out(states, lambda state: (state, state.origin), call)

    @override
    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        async def call(seat: _Seat, share: list[GoalState]) -> Any:
            return await seat.actor.call.remote("goal_consequences", share, most=most)

        return await self._shared_out(states, lambda state: (state, state.origin), call)

    async def _shared_out(
        self,
        items: Sequence[T],
        place: Callable[[T], tuple[GoalState | None, Origin]],
        call: Callable[[_Seat, list[T]], Awaitable[Any]],
    ) -> list[Any]:
        """Return results in the order of the items, each computed where its state lives, or else where the least is to
        do. The items of a lost member go to the others, once.

        Args:
            place: the state that an item is about, if any, and where that comes from.
        """
        results: list[Any] = [LeanRequestError("lost")] * len(items)

        async def run(wanted: list[int], first_try: bool) -> None:
            shares: dict[_Seat, list[int]] = {}
            for index in wanted:
                state, origin = place(items[index])
                seat = next((member for member in self._seats if state and state.key in member.states), None)
                seat = seat or await self._idlest(_file_of(origin))
                seat.load += 1
                shares.setdefault(seat, []).append(index)
            parts = [share(seat, indices, first_try) for seat, indices in shares.items()]
            await (parts[0] if len(parts) == 1 else asyncio.gather(*parts))  # of a search's tactics all are at home

        async def share(seat: _Seat, indices: list[int], first_try: bool) -> None:
            try:
                answers = await self._on(seat, 0, lambda _: call(seat, [items[index] for index in indices]))
            except LeanProcessDied as error:
                answers = [error] * len(indices)
                if first_try:
                    return await run(indices, False)
            finally:
                seat.load -= len(indices)
            if isinstance(answers, LeanError):
                answers = [answers] * len(indices)
            for index, result in zip(indices, answers, strict=True):
                seat.made(result)
                results[index] = result

        await run(list(range(len(items))), True)
        return results

    @override
    async def release_async(self, states: Sequence[GoalState]) -> None:
        for seat in list(self._seats):
            held = [state for state in states if state.key in seat.states]
            seat.states.difference_update(state.key for state in held)
            if held:
                try:
                    await self._on(seat, 0, lambda actor, held=held: actor.release.remote(held))  # type: ignore[misc]
                except LeanProcessDied:
                    continue  # the states are gone with it

    @override
    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        traced: TracedFile = await self._one(None, "trace_file", project, file_path)
        return traced

    @override
    async def variants_async(
        self, project: LeanProject, file_path: str, theorems: Sequence[str]
    ) -> tuple[Conjecture, ...]:
        variants: tuple[Conjecture, ...] = await self._one(None, "variants", project, file_path, theorems)
        return variants

    @override
    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: Seconds | None = None
    ) -> tuple[LeanMessage, ...]:
        messages: tuple[LeanMessage, ...] = await self._one(None, "check", text, project=project, timeout_s=timeout_s)
        return messages

    @override
    async def verify_async(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        verdict: Verdict = await self._one(_file_of(site), "verify", site, proof, **options)
        return verdict

    @override
    async def verify_file_async(self, project: LeanProject, file_path: str, **options: Any) -> FileVerdict:
        verdict: FileVerdict = await self._one(None, "verify_file", project, file_path, **options)
        return verdict

    @override
    async def verify_text_async(self, text: str, **options: Any) -> FileVerdict:
        verdict: FileVerdict = await self._one(None, "verify_text", text, **options)
        return verdict

    @override
    async def declarations_async(self, names: Sequence[str], **options: Any) -> list[DeclarationInfo | None]:
        known: list[DeclarationInfo | None] = await self._one(None, "declarations", names, **options)
        return known

    @override
    async def matches_async(self, pattern: str, **options: Any) -> Matches:
        matches: Matches = await self._one(None, "matches", pattern, **options)
        return matches

    async def _one(self, key: tuple[str, str] | None, method: str, *arguments: Any, **options: Any) -> Any:
        """Call whoever has the least to do, and raise the error that comes back."""

        async def call(_: _Seat, actor: Any) -> Any:
            return await actor.call.remote(method, *arguments, **options)

        answer = await self._twice(lambda: self._idlest(key), call)
        if isinstance(answer, LeanError):
            raise answer
        return answer

    @override
    async def _shut_down(self) -> None:
        starting = list(self._starting)
        for task in starting:
            task.cancel()
        await asyncio.gather(*self.loop.cancel_work(), *starting, return_exceptions=True)
        for seat in self._seats:
            self._ray.kill(seat.actor)  # its Lean processes end with it
        self._seats.clear()


def _connected(address: str | None) -> Any:
    """Return Ray, connected to the cluster."""
    try:
        import ray
    except ImportError as error:
        raise ConfigError(f"executor='ray' needs Ray: {install('ray')}.") from error
    if not ray.is_initialized():
        try:
            ray.init(address=address, log_to_driver=False, include_dashboard=False, configure_logging=False)
        except (ConnectionError, ValueError, RuntimeError) as error:
            raise ConfigError(f"No Ray cluster could be reached at {address or 'RAY_ADDRESS'}: {error}") from error
    return ray


def _file_of(origin: Origin) -> tuple[str, str] | None:
    """Return the file that an origin lies in, if any."""
    site = site_of(origin)
    return None if site is None else (str(site.project.root), site.file_path)
