"""By default and by its file, each algorithm trains otherwise than the others (benchmarks/differences.py)."""

from __future__ import annotations

from pathlib import Path

import pytest
from differences import BEGIN, DOCUMENT, END, TRAINERS, Variant, by_default, by_file, distances

from lean_agent.algorithms import ALGORITHMS, create_algorithm

LEAST = 0.05
"""Of the path that grpo's weights went in ten steps. Two equal runs are 0 apart, float noise makes some 1e-6."""


def test_every_algorithm_has_a_file() -> None:
    assert [variant.name for variant in by_file()] == [variant.name for variant in by_default()]


@pytest.mark.parametrize(
    ("default", "file"), list(zip(by_default(), by_file(), strict=True)), ids=[variant.name for variant in by_default()]
)
def test_a_file_trains_as_the_default_does(default: Variant, file: Variant) -> None:
    """So what holds of the one holds of the other, and is measured once."""
    by_name = create_algorithm(default.algorithm, preset=default.preset, **default.config).config
    written = create_algorithm(file.algorithm, preset=file.preset, **file.config).config
    assert written == by_name
    assert file.updates in (None, by_name.updates_per_batch)


@pytest.mark.slow
@pytest.mark.parametrize("trainer", TRAINERS)
def test_weights_after_ten_steps_are_no_other_algorithms(trainer: str, tmp_path: Path) -> None:
    rows, noise = distances(trainer, by_default(), tmp_path)
    assert noise < 1e-4
    assert {row.variant for row in rows if row.from_nearest < LEAST} == set()


def test_the_table_has_every_algorithm() -> None:
    _, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    names = [line.split(" | ")[0].removeprefix("| ") for line in rest.partition(END)[0].splitlines()[2:-1]]
    assert names == [variant.name for variant in by_default()]
    assert set(ALGORITHMS) <= set(names)
