"""Move the exported functions of ``lean.wasm`` from its export section into its function table, once at install.

The package exports every compiled Lean function, 193,000 of them, so that the interpreter can find them by name. Each
thread of each process then makes a JavaScript object for every one at its start: half of the time and of the memory of
a process. A function in the table is found by its number and costs nothing until it is called. So the exports that the
glue does not name are dropped, their functions appended to the table, and their names written to a sorted table of
symbols, which ``symbols.js`` searches.

Source of the formats: the WebAssembly core specification 2.0, chapter 5 (binary format).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.patches.binary import (
    FUNCTION,
    GLOBAL,
    TABLE_KIND,
    Reader,
    exports_of,
    imports_of,
    number,
    sections,
    vector,
)
from lean_agent.lean.embedded.patches.invokes import TABLE

_TYPE, _IMPORT, _FUNCTION, _TABLE, _GLOBAL, _EXPORT, _ELEMENT = 1, 2, 3, 4, 6, 7, 9
_I32_CONST, _END, _FUNCTION_REFERENCE = 0x41, 0x0B, 0x70
_DATA_ARITY = 0xFFFF


@dataclass(frozen=True, slots=True)
class Moved:
    """The new module, which imports its function table as ``env.lean_table``, and its table of symbols.

    Attributes:
        table_size: how large the function table has to be.
        places: where each function with a name stands in it.
        names: of all symbols, sorted.

    The table of symbols, little-endian: uint32 n; uint32 hash[n][2], the first 8 bytes of the SHA-256 of each name in
    UTF-8 as two big-endian numbers, in order; uint32 value[n], the place of a function in the table or the address of
    data; uint16 arity[n], 65535 for data.
    """

    wasm: bytes
    symbols: bytes
    table_size: int
    places: Mapping[str, int]
    names: Sequence[str]


def _arities(section: memoryview) -> list[int]:
    """Return the number of parameters of each function type."""
    reader = Reader(section)
    arities = []
    for _ in range(reader.number()):
        if reader.byte() != 0x60:
            raise LeanInstallError("lean.wasm has a type that is not a function's")
        parameters = reader.number()
        reader.take(parameters)
        reader.take(reader.number())
        arities.append(parameters)
    return arities


def _constants(section: memoryview) -> list[int]:
    """Return the value with which each global of the module starts."""
    reader, values = Reader(section), []
    for _ in range(reader.number()):
        reader.take(2)
        if reader.byte() != _I32_CONST:
            raise LeanInstallError("lean.wasm has a global that is not a constant")
        values.append(reader.signed() & 0xFFFFFFFF)
        if reader.byte() != _END:
            raise LeanInstallError("lean.wasm has a global that is not a constant")
    return values


def _elements(section: memoryview) -> tuple[int, list[int]]:
    """Return (first place, functions) of the one segment that fills the table."""
    reader = Reader(section)
    if reader.number() != 1 or reader.number() != 0 or reader.byte() != _I32_CONST:
        raise LeanInstallError("lean.wasm fills its table in a way that this version of lean_agent does not know")
    first = reader.signed()
    if reader.byte() != _END or not 0 <= first < 64:  # a number that takes one byte, signed or not
        raise LeanInstallError("lean.wasm fills its table in a way that this version of lean_agent does not know")
    return first, [reader.number() for _ in range(reader.number())]


def move_exports(wasm: bytes, kept: Set[str]) -> Moved:
    """Drop all exports but those in ``kept`` (and the table), reachable from now on by the table of symbols.

    Raises:
        LeanInstallError: the module is not built as the one that this was made for.
    """
    contents = {kind: content for kind, content in sections(wasm) if kind}
    arities = _arities(contents[_TYPE])
    imports = imports_of(contents[_IMPORT])
    types = [type_ for kind, type_ in imports if kind == FUNCTION]
    imported_globals = sum(kind == GLOBAL for kind, _ in imports)
    reader = Reader(contents[_FUNCTION])
    types += [reader.number() for _ in range(reader.number())]
    constants = _constants(contents[_GLOBAL])
    exports = exports_of(contents[_EXPORT])
    first, functions = _elements(contents[_ELEMENT])
    places = {function: place for place, function in enumerate(functions, first)}

    symbols: dict[bytes, tuple[int, int]] = {}
    for name, kind, index in exports:
        if kind == FUNCTION:
            if index not in places:
                places[index] = first + len(functions)
                functions.append(index)
            symbols[name] = (places[index], arities[types[index]])
        elif kind == GLOBAL and index >= imported_globals:
            symbols[name] = (constants[index - imported_globals], _DATA_ARITY)

    staying = [e for e in exports if e[1] not in (FUNCTION, GLOBAL) or e[0].decode() in kept]
    size = _table_size(contents[_TABLE], first + len(functions))
    changed = {
        _IMPORT: _with_table(contents[_IMPORT], size),
        _EXPORT: vector(number(len(n)) + n + bytes([kind]) + number(index) for n, kind, index in staying),
        _ELEMENT: b"\1\0" + bytes([_I32_CONST, first, _END]) + vector(number(f) for f in functions),
    }
    parts: list[bytes | memoryview] = [b"\0asm\1\0\0\0"]
    for kind, content in sections(wasm):
        if kind != _TABLE:
            new = changed.get(kind, content)
            parts += [bytes([kind]), number(len(new)), new]
    named = {symbol.decode(): value for symbol, (value, arity) in symbols.items() if arity != _DATA_ARITY}
    return Moved(b"".join(parts), _symbol_table(symbols), size, named, sorted(name.decode() for name in symbols))


def _table_size(section: memoryview, needed: int) -> int:
    reader = Reader(section)
    if reader.number() != 1 or reader.byte() != _FUNCTION_REFERENCE:
        raise LeanInstallError("lean.wasm has more than one table, or none of functions")
    _, minimum, maximum = reader.limits()
    if maximum is not None:
        raise LeanInstallError(f"the table of lean.wasm holds {maximum} functions at most")
    return max(needed, minimum)


def _with_table(section: memoryview, size: int) -> bytes:
    """Return the imports, and the table after them: functions keep their numbers."""
    reader = Reader(section)
    count = reader.number()
    name = TABLE.encode()
    table = b"\3env" + number(len(name)) + name + bytes([TABLE_KIND, _FUNCTION_REFERENCE, 0]) + number(size)
    return number(count + 1) + bytes(section[reader.at :]) + table


def _symbol_table(symbols: dict[bytes, tuple[int, int]]) -> bytes:
    hashed = {hashlib.sha256(name).digest()[:8]: contents for name, contents in symbols.items()}
    if len(hashed) < len(symbols):
        raise LeanInstallError("two names of lean.wasm have the same hash")
    n, ordered = len(hashed), sorted(hashed)
    return b"".join(
        [
            struct.pack("<I", n),
            *(struct.pack("<2I", *struct.unpack(">2I", key)) for key in ordered),
            struct.pack(f"<{n}I", *(hashed[key][0] for key in ordered)),
            struct.pack(f"<{n}H", *(hashed[key][1] for key in ordered)),
        ]
    )
