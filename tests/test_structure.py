"""The package keeps its shape: sizes of functions, parameters, names, docstrings, patches.

The figures are those of ``benchmarks/structure.py``. Folders and circles of imports are in test_import_direction.py.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from structure import (
    Module,
    functions_of,
    is_property,
    length,
    modules_of,
    noun_phrases,
    parameters,
    patches,
    vague_names,
)

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("lean_agent", "benchmarks", "examples")

LONGEST_FUNCTION = 60
MOST_PARAMETERS = 12
MOST_PATCHES = 46
# What is left to mend in each folder; the numbers only go down.
ALLOWED_LONG: dict[str, int] = {}
ALLOWED_WIDE: dict[str, int] = {}
ALLOWED_VAGUE: dict[str, int] = {}
ALLOWED_NOUN_PHRASES: dict[str, int] = {}


@pytest.fixture(scope="module")
def modules() -> dict[str, list[Module]]:
    return {folder: modules_of(ROOT / folder) for folder in FOLDERS}


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_are_short(modules: dict[str, list[Module]], folder: str) -> None:
    long = [f"{f.name}: {length(f)}" for f in functions_of(modules[folder]) if length(f) > LONGEST_FUNCTION]
    assert len(long) <= ALLOWED_LONG.get(folder, 0), long


@pytest.mark.parametrize("folder", FOLDERS)
def test_functions_take_few_parameters(modules: dict[str, list[Module]], folder: str) -> None:
    wide = [f"{f.name}: {parameters(f)}" for f in functions_of(modules[folder]) if parameters(f) > MOST_PARAMETERS]
    assert len(wide) <= ALLOWED_WIDE.get(folder, 0), wide


@pytest.mark.parametrize("folder", FOLDERS)
def test_variables_are_nouns_of_the_domain(modules: dict[str, list[Module]], folder: str) -> None:
    places = vague_names(modules[folder])
    assert len(places) <= ALLOWED_VAGUE.get(folder, 0), places


@pytest.mark.parametrize("folder", FOLDERS)
def test_docstrings_of_functions_open_with_a_verb(modules: dict[str, list[Module]], folder: str) -> None:
    """Ruff's D401 sees only verbs that it knows; this finds the openings that are certainly none."""
    places = noun_phrases(modules[folder])
    assert len(places) <= ALLOWED_NOUN_PHRASES.get(folder, 0), places


def test_tests_hand_over_what_they_replace() -> None:
    """Clocks, processes, servers and paths are arguments; patching a module is the exception."""
    assert patches(ROOT / "tests") <= MOST_PATCHES


SAMPLE = '''
def wide(self, a, b, *, c): pass

class Example:
    @property
    def size(self):
        """The size."""
        return 1

    def found(self, one):
        """What is found."""
        some = one
        return some
'''


def test_the_measures_see_what_they_should() -> None:
    module = Module("sample", SAMPLE.count("\n"), ast.parse(SAMPLE))
    wide, size, named = functions_of([module])
    assert parameters(wide) == 3  # a, b and c; `self` does not count
    assert (is_property(size), is_property(named)) == (True, False)
    assert length(named) == 3  # the header and two lines; the docstring does not count
    assert vague_names([module]) == ["sample:10: one", "sample:12: some"]
    assert noun_phrases([module]) == ["sample:10: found"]
