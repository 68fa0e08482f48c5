"""Exports moved into the function table, on a module small enough to write by hand, run by the real Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded import exports
from lean_agent.lean.embedded.install import node_binary


def section(kind: int, *content: int) -> bytes:
    return bytes([kind, len(content), *content])


def name(text: str) -> list[int]:
    return [len(text), *text.encode()]


# One imported function (index 0); `two` (1), in the table already; `plus` (2) and `stays` (3), not; a datum at 300.
MODULE = b"".join(
    [
        b"\0asm\1\0\0\0",
        section(1, 2, 0x60, 0, 1, 0x7F, 0x60, 2, 0x7F, 0x7F, 1, 0x7F),  # () -> i32 and (i32, i32) -> i32
        section(2, 1, *name("env"), *name("f"), 0, 0),
        section(3, 3, 0, 1, 0),
        section(4, 1, 0x70, 0, 2),
        section(6, 1, 0x7F, 0, 0x41, 0xAC, 0x02, 0x0B),  # 300 = 0x2c + 2 * 128
        section(
            7,
            5,
            *[*name("t"), 1, 0],
            *[*name("two"), 0, 1],
            *[*name("plus"), 0, 2],
            *[*name("stays"), 0, 3],
            *[*name("datum"), 3, 0],
        ),
        section(9, 1, 0, 0x41, 1, 0x0B, 1, 1),
        section(10, 3, 4, 0, 0x41, 2, 0x0B, 7, 0, 0x20, 0, 0x20, 1, 0x6A, 0x0B, 4, 0, 0x41, 7, 0x0B),
    ]
)

SCRIPT = """
const fs = require("fs"), [wasm, symbols] = process.argv.slice(1);
const Symbols = eval(`${fs.readFileSync(symbols, "utf8")}; LeanSymbols`);
const {exports} = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(wasm)), {env: {f: () => 0}});
const names = Symbols.read(wasm + ".symbols"), table = exports.t;
const call = (n, ...args) => table.get(names.find(n).value)(...args);
console.log(JSON.stringify({
  exports: Object.keys(exports), names: [...names.names()], two: call("two"), plus: call("plus", 40, 2),
  plusArity: names.find("plus").arity, datum: names.find("datum"),
  absent: ["pl", "pluss", "", "zzz"].map(n => names.find(n) ?? null),
}));
"""


def test_functions_are_found_in_the_table_by_name(tmp_path: Path) -> None:
    moved = exports.move_exports(MODULE, {"stays"})
    (tmp_path / "m.wasm").write_bytes(moved.wasm)
    (tmp_path / "m.wasm.symbols").write_bytes(moved.symbols)
    symbols = Path(exports.__file__).with_name("symbols.js")
    done = subprocess.run(
        [str(node_binary()), "-e", SCRIPT, str(tmp_path / "m.wasm"), str(symbols)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == {
        "exports": ["t", "stays"],
        "names": ["datum", "plus", "stays", "two"],
        "two": 2,
        "plus": 42,
        "plusArity": 2,
        "datum": {"value": 300},
        "absent": [None, None, None, None],
    }


def test_a_module_built_otherwise_is_refused() -> None:
    with pytest.raises(LeanInstallError, match="not a WebAssembly module"):
        exports.move_exports(b"<html>", set())
    with pytest.raises(LeanInstallError, match="fills its table"):
        exports.move_exports(MODULE.replace(section(9, 1, 0, 0x41, 1, 0x0B, 1, 1), section(9, 1, 1, 0, 1, 1)), set())
