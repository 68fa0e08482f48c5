"""Functions of Lean's library that are C, in embedded Lean, where a pointer has 32 bits and a boxed number is an
object: they give the same values as anywhere, and such as other functions can take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.embedded.patches import fixes
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject

ROOT = Path(__file__).parents[2]

ARGUMENTS = "benchmarks/library_sweep.py --modules Init.Data.String --choices 1 --show --only String.[lot]*"
VALUES = [
    ('String.ofList ("ab".toList)', '"ab"'),
    ('String.ofList ("".toList)', '""'),
    ('String.ofList ("añ😀".toList)', '"añ😀"'),
    ('("ab".toList).asString ++ String.mk "c".toList', '"abc"'),
    ('(String.toList "ab").reverse.asString', '"ba"'),
    ("ByteArray.mk (ByteArray.mk #[1, 200]).data", "[1, 200]"),
    ("(ByteArray.mk #[]).data", "#[]"),
    ("FloatArray.mk (FloatArray.mk #[1.5, 0.0]).data", "[1.500000, 0.000000]"),
    ("(FloatArray.mk #[]).data", "#[]"),
    ("Float.frExp 8.0", "(0.500000, 4)"),
    ("Float.frExp 0.0", "(0.000000, 0)"),
    ("(2 : Nat) ^ 70 % 1000", "424"),
    ("(0xffffffff : UInt32).toNat + 1", "4294967296"),
    ("(0xffffffffffffffff : UInt64).toNat + 1", "18446744073709551616"),
    ("some (0 : UInt64)", "some 0"),
    ("[(0 : UInt32), 4294967295]", "[0, 4294967295]"),
    ("System.Platform.numBits", "32"),
]


@pytest.mark.lean
def test_values_of_the_c_runtime(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "V.lean").write_text("\n".join(f"#eval {call}" for call, _ in VALUES) + "\n", encoding="utf-8")
    messages = lean.trace_file(LeanProject(tmp_path, tmp_path / "build"), "V.lean").messages
    assert [message.text for message in messages] == [value for _, value in VALUES]


def test_a_function_that_is_not_the_one_to_be_mended_is_refused() -> None:
    change = fixes.FIXES[0]
    with pytest.raises(LeanInstallError, match=rf"{change.function}: the list of a string"):
        fixes._replace(memoryview(bytearray(b"\0\x0b")), change)


def test_a_mend_puts_as_many_bytes_in_the_place_of_others() -> None:
    (change,) = [change for change in fixes.FIXES if change.function == "lean_string_data"]
    body = bytearray.fromhex("00".join(old for old, _ in change.replacements))
    before = bytes(body)
    fixes._replace(memoryview(body), change)
    assert body == bytes.fromhex("00".join(new for _, new in change.replacements)) and len(body) == len(before)


@pytest.mark.lean
@pytest.mark.slow
@pytest.mark.long
def test_the_sweep_over_the_library_runs() -> None:
    """Some calls of it; all of them take half an hour."""
    done = subprocess.run(
        [sys.executable, *ARGUMENTS.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "value: @String.ofList" in done.stdout and "value: @String.length" in done.stdout, done.stdout
    assert "crash" not in done.stdout and "different" not in done.stdout, done.stdout
