"""Faults of single functions of ``lean.wasm``, mended once at install.

The C runtime of Lean is tried out on machines whose pointers have 64 bits. There a boxed number is no object; with 32
bits it is one, and what should be a plain ``box(0)`` becomes one too. Each fix replaces a few instructions of one
function by as many bytes, and is refused where the function is not the one that it was made for.
"""

from __future__ import annotations

from dataclasses import dataclass

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.patches.binary import FUNCTION, Reader, exports_of, imports_of, sections

_IMPORT, _EXPORT, _CODE = 2, 7, 10
_NOP = "01"


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to one function.

    Attributes:
        function: its name among the exports.
        why: the fault.
        replacements: pairs (bytes that stand in it once, as many bytes to stand there), in hexadecimal.
    """

    function: str
    why: str
    replacements: tuple[tuple[str, str], ...]


FIXES = (
    Fix(
        "lean_string_data",
        "the list of a string's characters ended with `box_uint32(0)`, an object, which is no empty list to the C "
        "functions that take it: `String.ofList s.toList` ran on through memory",
        (
            # local 4 = mi_malloc_small(16), now local 4 = box(0)
            ("411010efcf08" + "220445", "4101" + _NOP * 4 + "220445"),
            # *local 4 = {count 1, size 16}; local 4[8..16] = 0
            ("2004" + "428180808080023702002004420037020802400240", _NOP * 19 + "02400240"),
        ),
    ),
)


def fix(wasm: bytes) -> bytes:
    """Return ``lean.wasm``, as it was published, without the faults that are known.

    Raises:
        LeanInstallError: a function is not the one that its fix was made for.
    """
    mended = bytearray(wasm)
    content = dict(sections(mended))
    imported = sum(kind == FUNCTION for kind, _ in imports_of(content[_IMPORT]))
    numbers = {name.decode(): number for name, kind, number in exports_of(content[_EXPORT]) if kind == FUNCTION}
    bodies = _bodies(content[_CODE])
    for change in FIXES:
        body = bodies[numbers[change.function] - imported] if change.function in numbers else memoryview(bytearray())
        _replace(body, change)
    return bytes(mended)


def _bodies(section: memoryview) -> list[memoryview]:
    """Return the code of each function of the module's own, locals first."""
    reader, bodies = Reader(section), []
    for _ in range(reader.number()):
        size = reader.number()
        bodies.append(section[reader.at : reader.at + size])
        reader.at += size
    return bodies


def _replace(body: memoryview, change: Fix) -> None:
    for old, new in ((bytes.fromhex(old), bytes.fromhex(new)) for old, new in change.replacements):
        if bytes(body).count(old) != 1 or len(old) != len(new):
            raise LeanInstallError(
                f"lean.wasm is not the one this version of lean_agent knows ({change.function}: {change.why}). "
                "Upgrade lean_agent, or clear its cache and install again."
            )
        at = bytes(body).index(old)
        body[at : at + len(old)] = new
