"""Numbers, vectors and sections of WebAssembly's binary format (core specification 2.0, chapter 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lean_agent.errors import LeanInstallError

FUNCTION, TABLE_KIND, MEMORY, GLOBAL, TAG = range(5)  # kinds of imports and exports


class Reader:
    def __init__(self, data: bytes | memoryview) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read an unsigned LEB128 number."""
        result = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result
            shift += 7

    def signed(self) -> int:
        """Read a signed LEB128 number of 32 bits."""
        start = self.at
        result = self.number()
        bits = 7 * (self.at - start)
        return result - (1 << bits) if result >> (bits - 1) & 1 else result

    def take(self, size: int) -> bytes:
        self.at += size
        return bytes(self.data[self.at - size : self.at])

    def limits(self) -> tuple[int, int, int | None]:
        """Read (flags, minimum, maximum)."""
        flags, minimum = self.byte(), self.number()
        return flags, minimum, self.number() if flags & 1 else None


def number(value: int) -> bytes:
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        if not value:
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def vector(items: Iterable[bytes]) -> bytes:
    whole = list(items)
    return number(len(whole)) + b"".join(whole)


def sections(wasm: bytes | bytearray) -> Iterator[tuple[int, memoryview]]:
    if wasm[:8] != b"\0asm\1\0\0\0":
        raise LeanInstallError("lean.wasm is not a WebAssembly module")
    whole = memoryview(wasm)
    reader = Reader(whole)
    reader.at = 8
    while reader.at < len(wasm):
        kind, size = reader.byte(), reader.number()
        yield kind, whole[reader.at : reader.at + size]
        reader.at += size


def imports_of(section: memoryview) -> list[tuple[int, int]]:
    """Return (kind, type) of each import; the type of a function is the number of it."""
    reader, imports = Reader(section), []
    for _ in range(reader.number()):
        for _ in range(2):
            reader.take(reader.number())
        kind = reader.byte()
        if kind in (TABLE_KIND, GLOBAL, TAG):
            reader.byte()
        if kind in (FUNCTION, GLOBAL, TAG):
            imports.append((kind, reader.number()))
        else:
            reader.limits()
    return imports


def exports_of(section: memoryview) -> list[tuple[bytes, int, int]]:
    """Return (name, kind, index) of each export."""
    reader = Reader(section)
    return [(reader.take(reader.number()), reader.byte(), reader.number()) for _ in range(reader.number())]
