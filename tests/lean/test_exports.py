"""What is done to lean.wasm at install, on modules small enough to write by hand, run by the real Node: exports moved
into the function table, and calls that may throw."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.install import node_binary
from lean_agent.lean.embedded.patches import exports, invokes


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
const lean_table = new WebAssembly.Table({initial: 4, element: "anyfunc"});   // the module wants no more
const imports = {env: {f: () => 0, lean_table}};
const {exports} = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(wasm)), imports);
const names = Symbols.read(wasm + ".symbols"), table = exports.t;
const call = (n, ...args) => table.get(names.find(n).value)(...args);
console.log(JSON.stringify({
  exports: Object.keys(exports), two: call("two"), plus: call("plus", 40, 2),
  plusArity: names.find("plus").arity, datum: names.find("datum"),
  absent: ["pl", "pluss", "", "zzz"].map(n => names.find(n) ?? null),
}));
"""


def test_functions_are_found_in_the_table_by_name(tmp_path: Path) -> None:
    moved = exports.move_exports(MODULE, {"stays"})
    assert moved.table_size == 4  # 0 is nobody; two, plus, stays
    assert moved.places == {"two": 1, "plus": 2, "stays": 3}
    assert moved.names == ["datum", "plus", "stays", "two"]
    (tmp_path / "m.wasm").write_bytes(moved.wasm)
    (tmp_path / "m.wasm.symbols").write_bytes(moved.symbols)
    symbols = Path(exports.__file__).parent.with_name("symbols.js")
    done = subprocess.run(
        [str(node_binary()), "-e", SCRIPT, str(tmp_path / "m.wasm"), str(symbols)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == {
        "exports": ["t", "stays"],
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


# Imports get: () -> i32, restore: i32 -> (), threw: (i32, i32) -> (), next: i32 -> i32, long: i32 -> i64, and exports
# them: a function of JavaScript that has been through a module has a type, and may stand in a table.
TYPED = b"".join(
    [
        b"\0asm\1\0\0\0",
        section(
            1,
            5,
            *[0x60, 0, 1, 0x7F],
            *[0x60, 1, 0x7F, 0],
            *[0x60, 2, 0x7F, 0x7F, 0],
            *[0x60, 1, 0x7F, 1, 0x7F],
            *[0x60, 1, 0x7F, 1, 0x7E],
        ),
        section(2, 5, *(b for i, n in enumerate("grtnl") for b in (*name("e"), *name(n), 0, i))),
        section(7, 5, *(b for i, n in enumerate("grtnl") for b in (*name(n), 0, i))),
    ]
)

CALLS = """
const fs = require("fs"), [typed, calls] = process.argv.slice(1).map(f => new WebAssembly.Module(fs.readFileSync(f)));
const seen = [], fail = {};
const small = new WebAssembly.Instance(calls).exports;
const throwing = (x) => { if (x === 13) { small.lean_thrown.value = 1; throw 4242; } if (x === 14) throw fail; };
const e = { g: () => 777, r: (sp) => { seen.push(["stack", sp]); }, t: (a, b) => { seen.push(["threw", a, b]); },
            n: (x) => { throwing(x); return x + 1; }, l: (x) => { throwing(x); return BigInt(x) * 2n ** 40n; } };
const {g, r, t, n, l} = new WebAssembly.Instance(typed, {e}).exports;
[g, r, t, n, l].forEach((f, i) => small.lean_table.set(100 + i, f));
const tried = (f) => { try { return String(f()); } catch (e) { return e === fail ? "the same error" : String(e); } };
const look = (name, place, x) => [tried(() => small[name](place, x)), small.lean_thrown.value, seen.splice(0)];
const all = [["invoke_ii", 103], ["invoke_ji", 104], ["invoke_vi", 101]];
console.log(JSON.stringify([1, 13, 14].flatMap((x) => all.map(([name, place]) => look(name, place, x)))));
"""


def test_a_call_that_throws_stays_in_webassembly(tmp_path: Path) -> None:
    places = {"emscripten_stack_get_current": 100, "_emscripten_stack_restore": 101, "setThrew": 102}
    wanted = invokes.named_invokes("function invoke_ii(i,a){} function invoke_ji(i,a){};function invoke_vi(i,a){}")
    assert wanted == ["invoke_ii", "invoke_ji", "invoke_vi"]
    (tmp_path / "typed.wasm").write_bytes(TYPED)
    (tmp_path / "calls.wasm").write_bytes(invokes.trampolines(wanted, places, 105))
    done = subprocess.run(
        [str(node_binary()), "-e", CALLS, str(tmp_path / "typed.wasm"), str(tmp_path / "calls.wasm")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    caught = [["stack", 777], ["threw", 1, 0]]  # what the glue's own invoke_* do
    assert json.loads(done.stdout) == [
        ["2", 0, []],
        [str(2**40), 0, []],
        ["undefined", 0, [["stack", 1]]],  # `restore` itself, called as any function
        ["0", 0, caught],  # a C++ exception: told, and 0 returned
        ["0", 0, caught],
        ["undefined", 0, [["stack", 13]]],
        ["the same error", 0, [["stack", 777]]],  # anything else goes on its way
        ["the same error", 0, [["stack", 777]]],
        ["undefined", 0, [["stack", 14]]],
    ]
