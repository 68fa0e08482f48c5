"""The names of Lean's own that our Lean code uses, and what is on record of them in later releases."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lean_names import RECORD, Reading, brought_up_to_date, by_module, load_record, names, written

from lean_agent.lean.native.toolchain import find_toolchain, install_native

SOURCES = Path(__file__).parents[2] / "lean_agent" / "lean" / "LeanAgent"
_NOT_CODE = re.compile(r"/-.*?-/|--[^\n]*|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_DEFINED = re.compile(r"^(?:(?:private|partial|noncomputable) +)*(?:def|structure|abbrev|inductive) +([\w?!']+)", re.M)
_BOUND = re.compile(
    r"\b(?:let|rec|mut|fun|for) ([\w?!']+)|^ +([\w?!']+)(?= [:({])|[(,] ?([\w?!']+)(?= :|\) [\w ]*=>)", re.M
)


def test_each_name_of_the_record_has_been_looked_up() -> None:
    sources, readings = load_record()
    assert not {module for module, reading in readings.items() if reading.read not in sources}
    unread = {name: module for module, reading in readings.items() for name in reading.unread}
    assert not unread, (
        "look these up in later releases of Lean, then move them to `names` of benchmarks/lean_names.toml"
    )
    assert not [module for module, reading in readings.items() if reading.read == "nothing"]
    places = [text.removeprefix("notes; ") for key, text in sources.items() if key not in ("notes", "nothing")]
    named = r": src/(Lean|Init|Std)/\S+\.lean( at [0-9a-f]{8,40}\b|, of an unknown commit after 4\.28)"
    assert all(re.search(named, place) for place in places), places
    assert written(sources, readings) == RECORD.read_text("utf-8")


def test_a_name_that_comes_later_is_unread() -> None:
    lines = "A.b\tA\tNat\nA.c\tA\tNat\nB.d\tB\tNat → Nat\n"
    used = by_module(lines)
    assert used == {"A": {"A.b", "A.c"}, "B": {"B.d"}}
    readings = {"A": Reading("notes", frozenset({"A.b", "A.gone"})), "C": Reading("notes", frozenset({"C.e"}))}
    assert brought_up_to_date(readings, used) == {
        "A": Reading("notes", frozenset({"A.b"}), frozenset({"A.c"})),
        "B": Reading("nothing", frozenset(), frozenset({"B.d"})),
    }


def test_each_file_imports_what_it_uses() -> None:
    """Embedded Lean has all our files as one; a native Lean compiles each by what it imports."""
    code = {path.stem: _NOT_CODE.sub("", path.read_text("utf-8")) for path in SOURCES.glob("*.lean")}
    imports = {name: re.findall(r"^import LeanAgent\.(\w+)", text, re.M) for name, text in code.items()}

    def reached(name: str) -> set[str]:
        return {name}.union(*map(reached, imports[name]))

    files: dict[str, set[str]] = {}
    for name, text in code.items():
        for defined in () if re.search(r"^namespace LeanAgent\.", text, re.M) else _DEFINED.findall(text):
            files.setdefault(defined, set()).add(name)
    missing = {}
    for name, text in code.items():
        bound = {word for words in _BOUND.findall(text) for word in words} | set(_DEFINED.findall(text))
        used = set(re.findall(r"(?<![\w.`])[a-z]+[A-Z][\w?!']*", text)) - bound
        known = reached(name)
        if lacking := {word: files[word] for word in used & files.keys() if not files[word] & known}:
            missing[name] = lacking
    assert not missing
    assert len(files) > 300


@pytest.mark.lean
@pytest.mark.long
def test_the_record_has_the_names_that_are_used(toolchain: Path, tmp_path: Path) -> None:
    """As compiled: what our code is made of, the two files beside ``native/`` included."""
    used = by_module(names(install_native(find_toolchain(toolchain)), tmp_path))
    recorded = {module: reading.names | reading.unread for module, reading in load_record()[1].items()}
    new = {module: sorted(names - recorded.get(module, frozenset())) for module, names in used.items()}
    gone = {module: sorted(known - used.get(module, frozenset())) for module, known in recorded.items()}
    advice = "run `python benchmarks/lean_names.py --record`, and look the new names up in later releases"
    assert not {module: names for module, names in new.items() if names}, advice
    assert not {module: names for module, names in gone.items() if names}, advice
