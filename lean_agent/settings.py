"""Settings as somebody writes them: names that are known, values of their types, files of them.

Python's own complaint about a misspelt keyword does not say what was meant, and a text in the place of a number is
noticed hours later. Here both are errors of this package, which are a ``TypeError`` too. What values make sense beside
their type is said by the class whose settings they are.
"""

from __future__ import annotations

import collections.abc
import inspect
import math
import numbers
import os
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, fields, is_dataclass
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

import yaml

from lean_agent.errors import ConfigError, ConfigTypeError, closest, nearest, place_of

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bound:
    """Which values of a type an annotation allows: ``Annotated[float, Bound("a number above 0", lambda x: x > 0)]``.

    Attributes:
        words: the type and the bound, for errors.
        allows: is given a value of the type.
    """

    words: str
    allows: Callable[[Any], bool]


Seconds = Annotated[float, Bound("a number of seconds above 0", lambda value: math.isfinite(value) and value > 0)]
Count = Annotated[int, Bound("a whole number from 1 on", lambda value: value >= 1)]
CountFrom0 = Annotated[int, Bound("a whole number from 0 on", lambda value: value >= 0)]
NotNegative = Annotated[float, Bound("a number from 0 on", lambda value: value >= 0)]


@dataclass(frozen=True, slots=True)
class Refusals:
    """The errors that refuse a value: of the wrong type, and of the right type but out of bounds."""

    wrong_type: type[Exception] = ConfigTypeError
    wrong_value: type[Exception] = ConfigError


CONFIG = Refusals()

_PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", Path: "a path"}
_CONTAINERS = {
    collections.abc.Mapping: "names with values",
    dict: "names with values",
    list: "a list",
    tuple: "a list",
    collections.abc.Sequence: "a list",
    collections.abc.Collection: "a list",
    collections.abc.Iterable: "a list",
    collections.abc.Set: "a set",
    collections.abc.Callable: "a function",
}
_SERIES = (
    tuple,
    list,
    collections.abc.Sequence,
    collections.abc.Collection,
    collections.abc.Iterable,
    collections.abc.Set,
)
_TESTS: dict[Any, Callable[[object], bool]] = {
    Any: lambda value: True,
    None: lambda value: value is None,
    types.NoneType: lambda value: value is None,
    int: lambda value: isinstance(value, numbers.Integral) and not isinstance(value, bool),
    float: lambda value: isinstance(value, numbers.Real) and not isinstance(value, bool),
    Path: lambda value: isinstance(value, (str, os.PathLike)),
    os.PathLike: lambda value: isinstance(value, (str, os.PathLike)),
    collections.abc.Callable: callable,
}


def checked(
    function: Callable[P, R], refusals: Refusals = CONFIG, like: Callable[..., Any] | None = None
) -> Callable[P, R]:
    """Decorate a function, a method or an ``__init__``: what :func:`check_call` refuses is refused before anything is
    done. Keywords that an ``__init__`` passes on as ``**options: Any`` are left to the class that they go to.

    Args:
        like: whose parameters count, where ``function`` takes its options as they come.

    Raises:
        ConfigTypeError, ConfigError: when called, or awaited; or the errors that ``refusals`` names.
    """
    name = function.__name__
    has_self = "." in function.__qualname__.rpartition("<locals>.")[2]

    def check(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        owner: type | None = type(args[0]) if has_self else None
        if owner is None or name != "__init__":
            of = f"{owner.__name__}.{name}" if owner else name
            check_call(like or function, args, kwargs, of=of, refusals=refusals)
        else:
            known = _keywords_of(owner)
            check_call(function, args, kwargs, of=owner.__name__, known=known, refusals=refusals)

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def checking_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            check(args, kwargs)
            return await function(*args, **kwargs)

        return checking_async  # type: ignore[return-value]  # of the same type, which inspect has hidden

    @wraps(function)
    def checking(*args: P.args, **kwargs: P.kwargs) -> R:
        check(args, kwargs)
        return function(*args, **kwargs)

    return checking


def checked_methods(owner: C) -> C:
    """Decorate a class, so that each of its public methods is :func:`checked`."""
    for name, method in list(vars(owner).items()):
        if isinstance(method, types.FunctionType) and not name.startswith("_"):
            setattr(owner, name, checked(method))
    return owner


def checked_class(settings: C, refusals: Refusals = CONFIG) -> C:
    """Decorate a dataclass of settings, so that its ``__init__`` is :func:`checked`."""
    settings.__init__ = checked(settings.__init__, refusals)  # type: ignore[misc]  # the dataclass has made it
    return settings


def check_call(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: Mapping[str, Any],
    *,
    of: str,
    known: tuple[str, ...] = (),
    refusals: Refusals = CONFIG,
) -> None:
    """Refuse a call that ``function`` could not work with.

    Args:
        of: whose arguments they are, for the error.
        known: names that are not the function's own and go on to another.
        refusals: the errors to raise.

    Raises:
        ConfigTypeError: a keyword that there is none of (the nearest is said), one that is missing, or a value of
            another type than its annotation. Annotations that cannot be looked at say nothing.
        ConfigError: a value out of its annotation's :class:`Bound`.
    """
    parameters = _parameters(function)
    signature, own, accepts, rest, takes_any, more, each, _, _ = parameters
    for name in keywords:
        if name not in own and not (takes_any and (name in known or not known)):
            names = sorted({*own, *known})
            words = f"{of} has no setting {name!r}. {nearest(name, names) if names else 'It has none.'}"
            raise refusals.wrong_type(words)
    given = parameters.given(args, keywords)
    if given is None:
        try:
            given = signature.bind(*args, **keywords).arguments
        except TypeError as error:
            raise refusals.wrong_type(f"{of}: {error}.") from error
    for name, value in {**given, **given.get(rest, {})}.items():
        if name in own and not accepts[name](value):
            check_value(name, value, own[name], of=of, refusals=refusals)
    for value in given.get(more, ()):
        check_value(f"each of {more}", value, each, of=of, refusals=refusals)


def make_settings(kind: type[T], *layers: Mapping[str, Any], of: str = "", known: tuple[str, ...] = ()) -> T:
    """Make settings from values by name: defaults < file < command line < keywords.

    Args:
        kind: the class of the settings, which has their defaults, their types and their bounds.
        layers: such as what a file has, then what the command line has: of two values the later one counts.
        of: whose settings they are, for errors; by default the name of ``kind``.
        known: other names that a misspelt one may have meant.

    Raises:
        ConfigTypeError, ConfigError: as :func:`check_call`, or what ``kind`` itself refuses.
    """
    values = {name: value for layer in layers for name, value in layer.items()}
    check_call(kind, (), values, of=of or kind.__name__, known=known)
    return kind(**values)


def setting_fields(kind: type[Any]) -> tuple[Field[Any], ...]:
    """Return what can be set in a dataclass of settings: the fields that its constructor takes."""
    return tuple(field for field in fields(kind) if field.init)


def check_value(
    name: str, value: object, hint: object, *, of: str, finite: bool = False, refusals: Refusals = CONFIG
) -> None:
    """Refuse a value that does not fit its annotation; one that is not understood fits all.

    Args:
        finite: whether an infinite number is refused, too; NaN is in any case.
        refusals: the errors to raise.

    Raises:
        ConfigTypeError: in words.
        ConfigError: it is out of its annotation's :class:`Bound`.
    """
    if _is_out_of_bounds(value, hint):
        raise refusals.wrong_value(f"{of}: {name} must be {' or '.join(_wanted(hint))}, not {value!r}.")
    if isinstance(value, float) and (math.isnan(value) or (finite and math.isinf(value))) and _takes(float, hint):
        raise refusals.wrong_type(f"{of}: {name} must be a finite number, not {value!r}.")
    if not fits(value, hint):
        name, value, hint = _first_misfit(name, value, hint)
        instead = place_of(value) if _takes(str, hint) else _nearest_of(value, hint)
        raise refusals.wrong_type(f"{of}: {name} must be {' or '.join(_wanted(hint))}, not {_shown(value)}.{instead}")


def _is_out_of_bounds(value: object, hint: Any) -> bool:
    """Return whether a value is of a type that the annotation allows within bounds only, and beyond them."""
    if get_origin(hint) in (Union, types.UnionType):
        return any(_is_out_of_bounds(value, option) for option in get_args(hint))
    if get_origin(hint) is not Annotated or not fits(value, hint):
        return False
    return not all(bound.allows(value) for bound in hint.__metadata__ if isinstance(bound, Bound))


def _first_misfit(name: str, value: Any, hint: Any) -> tuple[str, Any, Any]:
    """Return the innermost part of a list that does not fit, with its name and annotation: ``pairs[3][1]``."""
    options = get_args(hint)
    if get_origin(hint) in _SERIES and isinstance(value, (list, tuple)):
        if options[-1] is Ellipsis or get_origin(hint) is not tuple:
            options = options[:1] * len(value)
        if len(options) == len(value):
            for index, (item, option) in enumerate(zip(value, options, strict=True)):
                if not fits(item, option):
                    return _first_misfit(f"{name}[{index}]", item, option)
    return name, value, hint


def _nearest_of(value: object, hint: Any) -> str:
    """Return a sentence that names which of an annotation's words a text may have meant, or nothing."""
    meant = closest(value, _words(hint)) if isinstance(value, str) else None
    return "" if meant is None else f" Did you mean {meant!r}?"


def _words(hint: Any) -> list[str]:
    """Return the words that an annotation allows."""
    if get_origin(hint) is Literal:
        return [word for word in get_args(hint) if isinstance(word, str)]
    if get_origin(hint) in (Union, types.UnionType):
        return [word for option in get_args(hint) for word in _words(option)]
    return []


def fits(value: object, hint: Any) -> bool:
    """Return whether a value is of an annotation's type: a whole number is a ``float`` too, a text a ``Path``, a truth
    value no number, and a text no series of texts. What a list or tuple has in it counts; what is read as it is asked
    for is left alone. Bounds are no part of the type."""
    return _test_of(hint)(value)


@cache
def _test_of(hint: Any) -> Callable[[Any], bool]:
    """Return the test of an annotation, which batches of thousands are put to."""
    origin, options = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType, Annotated):
        tests = tuple(map(_test_of, options[:1] if origin is Annotated else options))
        return lambda value: any(test(value) for test in tests)
    if origin is Literal:
        return lambda value: value in options
    if origin is tuple and options[-1] is not Ellipsis:  # of a length of its own
        return _test_of_tuple(tuple(map(_test_of, options)))
    test = _test_of_kind(origin or hint)
    if origin in _SERIES:
        item_test = _test_of(options[0])
        return lambda value: (
            test(value) and (not isinstance(value, (list, tuple, set, frozenset)) or all(map(item_test, value)))
        )
    if origin in (dict, collections.abc.Mapping):
        key_test, value_test = map(_test_of, options)
        return lambda value: (
            test(value)
            and (not isinstance(value, dict) or (all(map(key_test, value)) and all(map(value_test, value.values()))))
        )
    return test


def _test_of_tuple(tests: tuple[Callable[[Any], bool], ...]) -> Callable[[Any], bool]:
    def test(value: Any) -> bool:
        if not isinstance(value, (list, tuple)) or len(value) != len(tests):
            return False
        for item_test, item in zip(tests, value, strict=True):  # noqa: SIM110  # half the time of all() over short ones
            if not item_test(item):
                return False
        return True

    return test


def _test_of_kind(kind: Any) -> Callable[[Any], bool]:
    if kind in _TESTS:
        return _TESTS[kind]
    if not isinstance(kind, type):
        return _TESTS[Any]
    if kind in _SERIES:
        taken = (list, tuple) if kind in (list, tuple) else kind
        return lambda value: isinstance(value, taken) and not isinstance(value, (str, bytes))
    if getattr(kind, "_is_protocol", False):  # whoever has its methods; no plain value has any
        plain = (str, bytes, numbers.Number, list, tuple, dict, os.PathLike, type, types.NoneType)
        return lambda value: not isinstance(value, plain)
    return lambda value: isinstance(value, kind)


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Read the names and values of a YAML file; an empty file has none. Numbers such as ``5e-5``, which YAML 1.1 reads
    as text, are numbers.

    Raises:
        ConfigError: no such file, or it does not hold names with values.
    """
    try:
        values = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"There is no configuration {path} ({error.strerror}). Paths are relative to the working directory."
        ) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} does not read as YAML: {' '.join(str(error).split())}") from error
    if values is None:
        return {}
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise ConfigError(f"{path} must hold names with values, as in `algorithm: grpo`.")
    return {name: _number(value) for name, value in values.items()}


def read_value(text: str) -> Any:
    """Read one value as a YAML file has it: a number, a text, a list ``[a, b]``, ``true``.

    Raises:
        ConfigError: it does not read.
    """
    try:
        return _number(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ConfigError(f"{text!r} does not read as a value: {' '.join(str(error).split())}") from error


def _number(value: Any) -> Any:
    if not isinstance(value, str) or "e" not in value.lower():
        return value
    try:
        return float(value)
    except ValueError:
        return value


def _takes(kind: type, hint: Any) -> bool:
    return hint is kind or kind in get_args(hint)


def _wanted(hint: Any) -> list[str]:
    """Return what an annotation asks for, in words."""
    origin = get_origin(hint)
    if origin is Annotated:
        return [bound.words for bound in hint.__metadata__ if isinstance(bound, Bound)] or _wanted(get_args(hint)[0])
    if origin in (Union, types.UnionType):
        options = [option for option in get_args(hint) if get_origin(option) is not Literal]
        return [words for option in [*_as_one_literal(hint), *options] for words in _wanted(option)]
    if origin is Literal:
        return [f"one of {', '.join(map(str, get_args(hint)))}"]
    if hint in (None, types.NoneType):
        return ["None"]
    kind = origin or hint
    plain = _PLAIN.get(kind) or _CONTAINERS.get(kind) or ("a path" if kind is os.PathLike else None)
    if plain:
        return [f"{plain}{_of_what(origin, get_args(hint))}"]
    name = str(getattr(kind, "__name__", kind))
    return [f"{'an' if name[0] in 'AEIOU' else 'a'} {name}{_of_properties(kind)}"]


def _as_one_literal(hint: Any) -> list[Any]:
    """Return the words of a union as one option, if it has any."""
    words = tuple(word for option in get_args(hint) if get_origin(option) is Literal for word in get_args(option))
    return [Literal[words]] if words else []


def _of_what(origin: Any, options: tuple[Any, ...]) -> str:
    """Return what a container holds, in words, where that can be wrong."""
    if origin in (dict, collections.abc.Mapping):
        return "" if options[1] is Any else f", each {' or '.join(_wanted(options[1]))}"
    if origin in _SERIES and options and options[0] is not Any and (origin is not tuple or options[-1] is Ellipsis):
        return f", each item {' or '.join(_wanted(options[0]))}"
    return ""


def _of_properties(kind: Any) -> str:
    """Return what a protocol asks for, where that is a property or two."""
    members = {name: member for name, member in vars(kind).items() if not name.startswith("_")}
    if not getattr(kind, "_is_protocol", False) or not all(isinstance(member, property) for member in members.values()):
        return ""
    return f" (with {' and '.join(members)})"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"a {type(value).__name__}"


class _Parameters(NamedTuple):
    """What a function takes.

    Attributes:
        own: the names that it takes as keywords, with their annotations.
        accepts: for each of these a test that is quick, and false for some values that :func:`check_value` takes: it
            looks at all numbers that may be out of bounds.
        rest: the name under which it has all other keywords, or none.
        takes_any: whether these may be any.
        more: the name under which it has any number of positional arguments, or none.
        each: the annotation of these.
        by_place: the names that may be given by place, in their order.
        required: the names without a default; ``None`` where it takes others than those that it names.
    """

    signature: inspect.Signature
    own: dict[str, Any]
    accepts: dict[str, Callable[[Any], bool]]
    rest: str
    takes_any: bool
    more: str
    each: Any
    by_place: tuple[str, ...]
    required: frozenset[str] | None

    def given(self, args: tuple[Any, ...], keywords: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments of a call by name, in a fraction of the time that ``signature.bind`` takes; ``None``
        where only that can tell them, or what is wrong with them."""
        given = dict(zip(self.by_place, args, strict=False))
        if self.required is None or len(args) > len(given) or not given.keys().isdisjoint(keywords):
            return None
        given.update(keywords)
        return given if given.keys() >= self.required else None


@cache
def _parameters(function: Callable[..., Any]) -> _Parameters:
    signature, hints = inspect.signature(function), _hints(function)
    own: dict[str, Any] = {}
    rest, takes_any, more = "", False, ""
    each: Any = Any

    def accept(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
        return lambda value: not isinstance(value, numbers.Number) and test(value)

    for name, parameter in signature.parameters.items():
        hint = hints.get(name, Any)
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            rest, takes_any = name, get_origin(hint) is not typing.Unpack
            if not takes_any:
                own |= get_type_hints(get_args(hint)[0])
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            more, each = name, hint
        elif parameter.kind is not inspect.Parameter.POSITIONAL_ONLY:
            own[name] = hint
    own.pop("self", None)
    accepts = {name: accept(_test_of(hint)) for name, hint in own.items()}
    all_of_them = signature.parameters.values()
    by_place = tuple(p.name for p in all_of_them if p.kind is p.POSITIONAL_OR_KEYWORD)
    is_plain = all(p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in all_of_them)
    required = frozenset(p.name for p in all_of_them if p.default is p.empty) if is_plain else None
    return _Parameters(signature, own, accepts, rest, takes_any, more, each, by_place, required)


@cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        if is_dataclass(function):  # whose annotations each belong to the module of the class that has them
            return get_type_hints(function, include_extras=True)
        made = vars(function).get("__init__", function) if isinstance(function, type) else function
        return get_type_hints(made, include_extras=True)
    except (NameError, TypeError, AttributeError):  # of what only type checkers import
        return {}


@cache
def _keywords_of(owner: type) -> tuple[str, ...]:
    """Return what the constructors of a class and of those that it derives from take."""
    return tuple({name for initialise in _constructors(owner) for name in _parameters(initialise).own})


def _constructors(owner: type) -> Iterator[Callable[..., Any]]:
    for base in owner.__mro__:
        if isinstance(base.__dict__.get("__init__"), types.FunctionType):
            initialise = base.__dict__["__init__"]
            yield initialise
            if not _parameters(initialise).takes_any:
                return
