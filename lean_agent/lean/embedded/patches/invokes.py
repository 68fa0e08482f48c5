"""Calls that may throw, made inside WebAssembly instead of through JavaScript.

The package was built with exceptions in JavaScript: a C++ function that has something to clean up makes each of its
calls through one of 49 functions ``invoke_*`` of the glue, which looks the callee up, calls it in a ``try`` and tells
the caller of a number that was thrown. Lean's interpreter does little else, and a quarter of the time of a tactic went
into this way out of WebAssembly and back. Here is a second, small module with functions of the same names, which do the
same by WebAssembly's own exceptions. It holds the function table too, since it has to be there before the large one.

Source of the formats: the WebAssembly core specification 2.0, chapter 5 (binary format), and the proposal "exception
handling" in its first form (``try``, ``catch_all``, ``rethrow``), which engines go on running.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lean_agent.lean.embedded.patches.binary import number, vector

TABLE = "lean_table"  # the export of the small module that the large one imports
THROWN = "lean_thrown"  # a global: 1 from the throw of a C++ exception until someone catches it

_VALUE = {"i": 0x7F, "j": 0x7E, "f": 0x7D, "d": 0x7C}
_ZERO = {"i": b"\x41\0", "j": b"\x42\0", "f": b"\x43" + bytes(4), "d": b"\x44" + bytes(8), "v": b""}
_NO_VALUE = 0x40
_END = b"\x0b"
_HELPERS = {"emscripten_stack_get_current": "i", "_emscripten_stack_restore": "vi", "setThrew": "vii"}


def named_invokes(javascript: str) -> list[str]:
    """Return the functions ``invoke_*`` of the glue. Their names are types: ``invoke_vij`` calls a function of (i32,
    i64) that returns nothing."""
    return sorted(set(re.findall(r"function (invoke_[vijfd]+)\(", javascript)))


def trampolines(invokes: Iterable[str], places: Mapping[str, int], table_size: int) -> bytes:
    """Make the small module.

    Args:
        invokes: the functions to make.
        places: where the large module's functions ``emscripten_stack_get_current``, ``_emscripten_stack_restore`` and
            ``setThrew`` stand in the table.
        table_size: of the function table.
    """
    wanted = [(name, name.removeprefix("invoke_")) for name in invokes]
    signatures = sorted({*_HELPERS.values(), *(s for _, of in wanted for s in (of, _with_place(of)))})
    types = {signature: index for index, signature in enumerate(signatures)}
    helpers = {name: _call_at(places[name], types[signature]) for name, signature in _HELPERS.items()}
    exports = [(TABLE, 1, 0), (THROWN, 3, 0), *((name, 0, index) for index, (name, _) in enumerate(wanted))]
    sections = {
        1: vector(_function_type(signature) for signature in signatures),
        3: vector(number(types[_with_place(signature)]) for _, signature in wanted),
        4: vector([b"\x70\0" + number(table_size)]),
        6: vector([b"\x7f\1\x41\0" + _END]),
        7: vector(number(len(name)) + name.encode() + bytes([kind]) + number(index) for name, kind, index in exports),
        10: vector(_sized(_body(signature, types[signature], helpers)) for _, signature in wanted),
    }
    return b"\0asm\1\0\0\0" + b"".join(bytes([kind]) + _sized(content) for kind, content in sections.items())


def _with_place(signature: str) -> str:
    """Return the type of the function that calls one of this type: the place in the table comes first."""
    return signature[0] + "i" + signature[1:]


def _function_type(signature: str) -> bytes:
    results = [] if signature[0] == "v" else [bytes([_VALUE[signature[0]]])]
    return b"\x60" + vector(bytes([_VALUE[p]]) for p in signature[1:]) + vector(results)


def _sized(content: bytes) -> bytes:
    return number(len(content)) + content


def _get(local: int) -> bytes:
    return b"\x20" + number(local)


def _call_at(place: int, of_type: int) -> bytes:
    return b"\x41" + _signed(place) + _call_indirect(of_type)


def _call_indirect(of_type: int) -> bytes:
    return b"\x11" + number(of_type) + b"\0"


def _signed(value: int) -> bytes:
    """Write a number that is not negative as signed LEB128: its highest bit must be 0."""
    padded = value.bit_length() // 7 + 1
    return bytes((value >> 7 * i) & 0x7F | (0x80 if i + 1 < padded else 0) for i in range(padded))


def _body(signature: str, of_type: int, helpers: Mapping[str, bytes]) -> bytes:
    """Write the function of a signature.

    ``sp = stack; try { return table[place](arguments) } catch { stack = sp; if (!thrown) rethrow; thrown =
    0; setThrew(1, 0); return 0 }"""
    parameters = len(signature)  # the place, and the arguments
    stack = parameters  # the one local
    result = _NO_VALUE if signature[0] == "v" else _VALUE[signature[0]]
    return b"".join(
        [
            b"\1\1\x7f",
            helpers["emscripten_stack_get_current"] + b"\x21" + number(stack),
            bytes([0x06, result]),
            *(_get(argument) for argument in range(1, parameters)),
            _get(0) + _call_indirect(of_type),
            b"\x19",
            _get(stack) + helpers["_emscripten_stack_restore"],
            b"\x23\0\x45" + bytes([0x04, _NO_VALUE]) + b"\x09\1" + _END,  # what is no C++ exception is not ours
            b"\x41\0\x24\0",
            b"\x41\1\x41\0" + helpers["setThrew"],
            _ZERO[signature[0]],
            _END,
            _END,
        ]
    )
