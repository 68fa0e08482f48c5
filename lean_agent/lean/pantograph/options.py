"""The options of a session (``options.set``), with the protocol's names and defaults."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

DEFAULTS: Json = {
    "printJsonPretty": False,
    "printExprPretty": True,
    "printExprAST": False,
    "printDependentMVars": False,
    "noRepeat": False,
    "printAuxDecls": False,
    "printImplementationDetailHyps": False,
    "automaticMode": True,
    "timeout": 0,
}

_REFUSED = {
    ("printExprPretty", False): "expressions are always printed",
    ("printExprAST", True): "there is no printer of syntax trees",
    ("noRepeat", True): "every goal is printed whole",
}


class NotSupported(ValueError):
    """An option's value that embedded Lean cannot give."""


def changed(options: Json, wished: Json) -> Json:
    """Return the options after ``options.set``; unknown names are ignored, as the protocol has it.

    Raises:
        NotSupported: a value that embedded Lean cannot give, with the reason.
        ValueError: a value of another type.
    """
    known = {name: value for name, value in wished.items() if name in DEFAULTS and value is not None}
    for name, value in known.items():
        if type(value) is not type(DEFAULTS[name]) or (name == "timeout" and not 0 <= value < 2**53):
            raise ValueError(f"Unable to parse json: options.set.{name}: {type(DEFAULTS[name]).__name__} expected")
        if reason := _REFUSED.get((name, value)):
            raise NotSupported(f"{name}={value} is not supported by embedded Lean: {reason}")
    return {**options, **known}
