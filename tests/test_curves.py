"""The picture of docs/learning_curves.md: what stands in it is what the run has written down."""

from __future__ import annotations

import json
import runpy
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

CURVES = runpy.run_path(str(Path(__file__).resolve().parent.parent / "docs" / "curves.py"))


def write_lines(path: Path, *rows: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def attempt(prover: str, calls: int, status: str) -> dict[str, object]:
    return {"prover": prover, "lean_calls": calls, "status": status}


def test_curves_are_those_of_the_run(tmp_path: Path) -> None:
    write_lines(tmp_path / "checkpoints/sft/metrics.jsonl", {"step": 10, "loss": 4.0}, {"step": 10, "eval_loss": 3.0})
    for number, proved in ((0, 0), (1, 5), (2, 6)):
        row = {"number": number, "practised": 8, "proved": proved, "new": 5 - number}
        write_lines(tmp_path / f"practice/rounds/{number:02}/round.json", row)
    rows = [attempt("a", 9, "proved"), attempt("a", 3, "proved"), attempt("a", 12, "failed"), attempt("b", 4, "failed")]
    write_lines(tmp_path / "attempts.jsonl", *rows)
    figure, shown = CURVES["drawn"](tmp_path)
    assert list(shown.values()) == [
        {"training": [(10, 4.0)], "held out": [(10, 3.0)]},
        {},  # without --grpo
        {"proved of 8": [(1, 5), (2, 6)], "for the first time": [(1, 4), (2, 3)]},
        {"a (2)": [(0, 0), (3, 1), (9, 2), (12, 2)], "b (0)": [(0, 0), (12, 0)]},
    ]
    assert [axes.get_title() for axes in figure.axes] == list(shown)


def test_the_picture_of_the_page_is_small_and_there() -> None:
    path = Path(__file__).resolve().parent.parent / "docs" / "learning_curves.png"
    assert path.stat().st_size < 80_000
    with Image.open(path) as picture:
        assert picture.width >= 1000
