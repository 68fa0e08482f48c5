"""Both forms of a server's methods, plain and ``…_async``, made in one place from whichever of them is written.

Owns the loops that the coroutines run on, so that both forms are the same code and work from any thread and any event
loop. Knows nothing of Lean.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import inspect
import threading
import types
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Sequence
from concurrent.futures import Future
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from typing_extensions import override

from lean_agent.errors import LeanForkError, LeanRequestError, LeanTypeError, LeanValueError
from lean_agent.forks import Owner
from lean_agent.settings import Refusals, checked

T = TypeVar("T")
P = ParamSpec("P")

REFUSALS = Refusals(LeanTypeError, LeanValueError)
"""The errors that refuse an argument of a method of a Lean server."""


class WorkLoop(ABC):
    """Where a server's coroutines run: in a thread of its own, or in the calling one."""

    @abstractmethod
    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and wait for its result."""

    @abstractmethod
    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine for a caller in an event loop: this one or any other."""

    @abstractmethod
    async def call(self, function: Callable[[], T]) -> T:
        """Call a plain method for a caller in an event loop."""

    @abstractmethod
    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine, and wait for nothing."""

    @abstractmethod
    def advance(self, futures: Collection[Future[Any]]) -> None:
        """Give the calling thread's time to submitted work that only this thread may do, if there is any."""

    def wait(self, event: threading.Event) -> None:
        """Wait until submitted work has set an event."""
        event.wait()

    @abstractmethod
    def cancel(self, futures: Collection[Future[Any]]) -> None:
        """Cancel submitted work, and wait until it has ended. Idempotent."""


class CallingThread(WorkLoop):
    """Runs coroutines in the thread that calls, from their beginning to their end: they may wait for nothing."""

    def __init__(self) -> None:
        self._waiting: dict[Future[Any], Coroutine[Any, Any, Any]] = {}

    @override
    def run(self, work: Coroutine[Any, Any, T]) -> T:
        try:
            work.send(None)
        except StopIteration as end:
            return cast(T, end.value)
        work.close()
        raise RuntimeError(
            "a server that answers in the calling thread has waited for something: await its `_async` form"
        )

    @override
    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        return await work

    @override
    async def call(self, function: Callable[[], T]) -> T:
        return function()

    @override
    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        future: Future[T] = Future()
        self._waiting[future] = work
        return future

    @override
    def advance(self, futures: Collection[Future[Any]]) -> None:
        for future in futures:
            work = self._waiting.pop(future, None)
            if work is None:
                continue
            try:
                future.set_result(self.run(work))
            except Exception as error:  # belongs to whoever asks for the result
                future.set_exception(error)

    @override
    def cancel(self, futures: Collection[Future[Any]]) -> None:
        for future in futures:
            if work := self._waiting.pop(future, None):
                work.close()
                future.cancel()


class OwnLoop(WorkLoop):
    """A loop that belongs to one server, which ends it."""

    @property
    @abstractmethod
    def closed(self) -> bool:
        """True once :meth:`close` has begun."""

    @abstractmethod
    def cancel_work(self, works: Collection[Coroutine[Any, Any, Any]] | None = None) -> Sequence[asyncio.Future[Any]]:
        """Cancel these, or all work, from within the loop; return what is to be awaited."""

    @abstractmethod
    def close(self, last: Coroutine[Any, Any, None], *, wait_s: float = 0.0) -> None:
        """Refuse new work, give what is under way ``wait_s`` seconds, run ``last`` and end. Idempotent."""


class LoopThread(OwnLoop):
    """Runs coroutines on an event loop in a thread of its own, for callers in any thread, until it is closed.

    What is asked of it then, or had no answer by then, is a ``LeanRequestError``; anything asked in a forked child of
    the process that it belongs to is a ``LeanForkError``.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._owner = Owner(name, LeanForkError)
        self._closed = False
        self._under_way: dict[Future[Any], Coroutine[Any, Any, Any]] = {}
        self._tasks: dict[asyncio.Task[Any], Coroutine[Any, Any, Any]] = {}
        self._door = threading.Lock()  # nothing comes in between the closing and the look at what is under way
        made: Future[asyncio.AbstractEventLoop] = Future()
        self._thread = threading.Thread(target=_serve, args=(made,), name=name, daemon=True)
        self._thread.start()
        try:
            self._loop = made.result()
        except BaseException:  # Ctrl-C
            made.add_done_callback(lambda loop: loop.result().call_soon_threadsafe(loop.result().stop))
            raise

    @property
    @override
    def closed(self) -> bool:
        """True once :meth:`close` has begun."""
        return self._closed

    @override
    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run ``work`` on the loop and wait for its result. Ctrl-C while waiting stops the work as well."""
        future = self.submit(work)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise self._cut_short() from None
        except BaseException:
            future.cancel()
            raise

    @override
    async def run_async(self, work: Coroutine[Any, Any, T]) -> T:
        if asyncio.get_running_loop() is self._loop:
            return await work
        future = self.submit(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if self._closed and future.cancelled() and not _is_cancelled():
                raise self._cut_short() from None
            raise

    @override
    async def call(self, function: Callable[[], T]) -> T:
        return await asyncio.to_thread(function)

    @override
    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run ``work`` on the loop, and wait for nothing. Cancelling the future cancels the work."""
        if not self._owner.is_here:
            work.close()
        self._owner.check()
        with self._door:
            if self._closed:
                work.close()
                raise LeanRequestError(f"this {self._name} is closed")
            future = asyncio.run_coroutine_threadsafe(self._known(work), self._loop)
            self._under_way[future] = work
        future.add_done_callback(lambda done: self._under_way.pop(done, None))
        return future

    async def _known(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = work
        try:
            return await work
        finally:
            del self._tasks[task]

    @override
    def advance(self, futures: Collection[Future[Any]]) -> None:
        return

    @override
    def cancel(self, futures: Collection[Future[Any]]) -> None:
        works = [work for future in futures if (work := self._under_way.get(future)) is not None]

        async def ended() -> None:
            await asyncio.gather(*self.cancel_work(works), return_exceptions=True)

        if works:
            with contextlib.suppress(LeanRequestError):  # it is closed, at which all work has ended
                self.run(ended())

    @override
    def cancel_work(self, works: Collection[Coroutine[Any, Any, Any]] | None = None) -> list[asyncio.Task[Any]]:
        """Cancel these, or all work, from within the loop; return what is to be awaited.

        What callers have brought and nothing else: asyncio has tasks of its own, which connect the pipes of a process
        for instance, and a process whose pipes were never connected has an end that nobody hears of. What is being
        cancelled already is let clean up.
        """
        here = asyncio.current_task()
        tasks = [task for task, work in self._tasks.items() if task is not here and (works is None or work in works)]
        for task in tasks:
            if not task.cancelling():
                task.cancel()
        return tasks

    @override
    def close(self, last: Coroutine[Any, Any, None], *, wait_s: float = 0.0) -> None:
        """Refuse new work, give what is under way ``wait_s`` seconds, run ``last`` and end the thread. Idempotent.

        ``last`` has to end what still runs; those who wait for it get a ``LeanRequestError``. In a forked child nothing
        happens: what runs there is the parent's.
        """
        if not self._owner.is_here:
            last.close()
            return
        with self._door:
            if self._closed:
                last.close()
                return
            self._closed = True
        try:
            if wait_s > 0:
                concurrent.futures.wait(list(self._under_way), timeout=wait_s)
        finally:  # Ctrl-C while waiting: then at once
            asyncio.run_coroutine_threadsafe(last, self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()

    def _cut_short(self) -> LeanRequestError:
        return LeanRequestError(f"this {self._name} was closed before it had an answer")


def _serve(made: Future[asyncio.AbstractEventLoop]) -> None:
    """Make a loop in the thread that runs it: no Ctrl-C, which only the main thread hears, leaves half of one."""
    loop = asyncio.new_event_loop()
    try:
        made.set_result(loop)
        loop.run_forever()
    finally:
        loop.close()


def _is_cancelled() -> bool:
    """Return whether it is the task that runs which somebody has cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class HasLoop(Protocol):
    """Whose coroutines run on a loop of its own."""

    @property
    def loop(self) -> WorkLoop:
        """Where they run."""
        ...


S = TypeVar("S", bound=HasLoop)


def plain(method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[S, P], T]:
    """Return the plain form of a method ``…_async``."""

    @wraps(method)
    def twin(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.loop.run(method(self, *args, **kwargs))

    twin.__name__ = method.__name__.removesuffix("_async")
    twin.__qualname__ = method.__qualname__.removesuffix("_async")
    return twin


class BothForms(ABC):
    """A class whose methods come in two forms: a subclass writes ``verify`` or ``verify_async``, and has both.

    A form that is made calls the one that was written in the same class, so that ``super()`` means what it says, and
    never takes the place of one that was written.
    A coroutine runs on :attr:`loop`, from whichever thread and event loop it is called. The constructor and the public
    methods refuse arguments that do not fit their annotations (:mod:`lean_agent.settings`); a method that takes
    ``**options`` is held to the annotations of the one that it overrides.
    """

    loop: WorkLoop

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        written = {
            name: member for name, member in vars(cls).items() if _is_method(member) and not name.startswith("_")
        }
        for name, method in written.items():
            is_coroutine = inspect.iscoroutinefunction(method) and name.endswith("_async")
            takes_options = inspect.getfullargspec(method).varkw is not None
            contract = next(vars(base)[name] for base in reversed(cls.__mro__) if name in vars(base))
            made = _on_loop(method) if is_coroutine else method
            setattr(cls, name, checked(made, REFUSALS, like=contract if takes_options else None))
        if "__init__" in vars(cls):
            cls.__init__ = checked(cls.__init__, REFUSALS)  # type: ignore[method-assign]
        for name in [name for name in dir(cls) if name.endswith("_async") and not name.startswith("_")]:
            twin = name.removesuffix("_async")
            if name in written and not _is_method(getattr(cls, twin, None)):
                setattr(cls, twin, plain(vars(cls)[name]))
            elif twin in written and name not in written:
                setattr(cls, name, _awaitable(vars(cls)[twin]))


def _is_method(member: object) -> bool:
    """Return whether somebody has written a method, which :func:`plain` has not made of another."""
    if not isinstance(member, types.FunctionType):
        return False
    return inspect.iscoroutinefunction(member) or not inspect.iscoroutinefunction(inspect.unwrap(member))


def _on_loop(method: Callable[..., Coroutine[Any, Any, T]]) -> Callable[..., Coroutine[Any, Any, T]]:
    @wraps(method)
    async def on_loop(self: HasLoop, *args: Any, **kwargs: Any) -> T:
        return await self.loop.run_async(method(self, *args, **kwargs))

    return on_loop


def _awaitable(method: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Return the form to be awaited of a plain method."""

    @wraps(method)
    async def answer(self: HasLoop, *args: Any, **kwargs: Any) -> T:
        return await self.loop.call(partial(method, self, *args, **kwargs))

    answer.__name__ = f"{method.__name__}_async"
    answer.__qualname__ = f"{method.__qualname__}_async"
    return answer
