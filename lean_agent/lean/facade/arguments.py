"""Check what the methods of a Lean server are given before any work begins: what they cannot take is refused in one
sentence, by an error that is a TypeError or a ValueError as well.

A parameter is known by its name, which is the same in all methods of :class:`~lean_agent.lean.server.LeanServer`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lean_agent.errors import LeanTypeError, LeanValueError
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, LeanProject, Subgoals, TheoremSite

Server = TypeVar("Server", bound=type)

_STATE = "a GoalState, such as goal_start returns"
_TEXT = "a string"
_ORIGIN = "a TheoremSite, a proposition as a string, or Subgoals"


def check_count(name: str, value: object) -> None:
    """Refuse what is no whole number from 1 on.

    Raises:
        LeanTypeError, LeanValueError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise LeanTypeError(f"{name} is a whole number, such as 2, not {value!r}.")
    if value < 1:
        raise LeanValueError(f"{name} is at least 1, not {value}.")


def check_seconds(name: str, value: object) -> None:
    """Refuse what is no limit in seconds; ``None`` is the default limit.

    Raises:
        LeanTypeError, LeanValueError: it is none.
    """
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise LeanTypeError(f"{name} is a number of seconds, such as 10.0, not {value!r}.")
    if not (math.isfinite(value) and value > 0):
        raise LeanValueError(f"{name} is a number of seconds above 0, or None for the default, not {value!r}.")


def _each(kind: Callable[[str, object], None], what: str) -> Callable[[str, object], None]:
    def check(name: str, value: object) -> None:
        if isinstance(value, str | bytes | Mapping) or not hasattr(value, "__len__") or not hasattr(value, "__iter__"):
            raise LeanTypeError(f"{name} is a list of {what}, not {_shown(value)}.")
        for number, item in enumerate(value):
            kind(f"{name}[{number}]", item)

    return check


def _is(kinds: type | tuple[type, ...], what: str, *, optional: bool = False) -> Callable[[str, object], None]:
    def check(name: str, value: object) -> None:
        if not (isinstance(value, kinds) or (optional and value is None)):
            raise LeanTypeError(f"{name} is {what}, not {_shown(value)}.")

    return check


def _pair(name: str, value: object) -> None:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise LeanTypeError(f"{name} is a pair (state, tactic), not {_shown(value)}.")
    _is(GoalState, _STATE)(f"{name}[0]", value[0])
    _is(str, _TEXT)(f"{name}[1]", value[1])


def _shown(value: object) -> str:
    words = repr(value)
    return f"{words if len(words) <= 60 else words[:60] + '…'} ({type(value).__name__})"


_PARAMETERS: dict[str, Callable[[str, object], None]] = {
    "state": _is(GoalState, _STATE),
    "states": _each(_is(GoalState, _STATE), "GoalStates"),
    "tactic": _is(str, _TEXT),
    "pairs": _each(_pair, "pairs (state, tactic)"),
    "origin": _is((TheoremSite, str, Subgoals), _ORIGIN),
    "origins": _each(_is((TheoremSite, str, Subgoals), _ORIGIN), "origins; goal_start takes a single one"),
    "site": _is(TheoremSite, "a TheoremSite"),
    "proof": _is(str, _TEXT),
    "text": _is(str, _TEXT),
    "file_path": _is(str, "the path of a file below project.root as a string, such as 'A/B.lean'"),
    "allowed_axioms": _each(_is(str, "the name of an axiom"), "names"),
    "timeout_s": check_seconds,
}
_PROJECT = "a LeanProject, such as LeanProject(Path('folder'))"


def checked(server: Server) -> Server:
    """Have the methods of a class of servers refuse what they cannot take, with the docstrings of the protocol."""
    for name, method in list(vars(server).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(server, name, _checked(method))
    return _documented(server)


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(method)
    checks = {name: _PARAMETERS[name] for name in signature.parameters if name in _PARAMETERS}
    if "project" in signature.parameters:
        checks["project"] = _is(LeanProject, _PROJECT, optional=signature.parameters["project"].default is None)
    if not checks:
        return method

    def check(arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        for name, value in signature.bind(*arguments, **options).arguments.items():
            if name in checks:
                checks[name](name, value)

    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def await_checked(*arguments: Any, **options: Any) -> Any:
            check(arguments, options)
            return await method(*arguments, **options)

        return await_checked

    @functools.wraps(method)
    def call_checked(*arguments: Any, **options: Any) -> Any:
        check(arguments, options)
        return method(*arguments, **options)

    return call_checked


def _documented(server: Server) -> Server:
    """Give the members of a class of servers the docstrings that the protocol has for them, where they only name it."""
    for name, member in vars(server).items():
        plain = name.removesuffix("_async")
        text = inspect.getdoc(getattr(LeanServer, plain, None))
        if text and (inspect.getdoc(member) or "See :").startswith("See :"):
            member.__doc__ = text if plain == name else f"Be :meth:`{plain}` for event loops, to be awaited.\n\n{text}"
    return server
