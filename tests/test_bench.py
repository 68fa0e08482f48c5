"""``make bench``: marks of several programs in one table, failures as rows, and the comparison with the last run."""

from __future__ import annotations

import json
from pathlib import Path

import bench
import cluster
import pytest
from marks import KEPT_IN, Mark, read_marks, show


def test_a_bound_is_met_on_its_side_alone() -> None:
    assert Mark("start", 0.6, 0.6, "s").is_met
    assert not Mark("start", 0.61, 0.6, "s").is_met
    assert Mark("rate", 2, 2, "times", "at least").is_met
    assert not Mark("rate", 1.99, 2, "times", "at least").is_met


def test_marks_are_printed_and_kept_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "marks.jsonl"
    monkeypatch.setenv(KEPT_IN, str(kept))
    show(Mark("rate", 1234.4, 2000, "a second", "at least"))
    show(Mark("rate", 2000.0, 2000, "a second", "at least"), Mark("lost", 0, 0))
    assert capsys.readouterr().out.splitlines() == [
        "rate: 1,234 a second (mark: at least 2,000; MISSED)",
        "rate: 2,000 a second (mark: at least 2,000)",
        "lost: 0 (mark: at most 0)",
    ]
    with kept.open("a", encoding="utf-8") as file:
        file.write('{"name": "cut sho')
    assert [(mark.name, mark.value) for mark in read_marks(kept)] == [("rate", 2000.0), ("lost", 0)]


def program(folder: Path, name: str, ends: str) -> None:
    lines = ["import sys, time", "from marks import Mark, show", "show(Mark('figure', float(sys.argv[1]), 10))", ends]
    (folder / f"{name}.py").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", f"{Path(bench.__file__).parent}:{bench.ROOT}")
    program(tmp_path, "good", "")
    program(tmp_path, "missed", "sys.exit(1)")
    program(tmp_path, "broken", "raise ValueError")
    program(tmp_path, "endless", "time.sleep(600)")
    (tmp_path / "silent.py").write_text("", encoding="utf-8")
    return tmp_path


def test_a_program_that_fails_is_said_to_have_failed_and_keeps_its_marks(programs: Path) -> None:
    failures = {}
    for name, figure, limit_s in (
        ("good", "3", 60.0), ("missed", "30", 60.0), ("broken", "3", 60.0), ("endless", "3", 4.0), ("silent", "", 60.0)
    ):  # fmt: skip
        outcome = bench.run(name, [figure], limit_s, programs)
        failures[name] = outcome.failure
        assert [mark.value for mark in outcome.marks] == ([] if name == "silent" else [float(figure)])
    assert failures == {
        "good": "",
        "missed": "",
        "broken": "ended with 1",
        "endless": "not done after 4 s",
        "silent": "has shown no mark",
    }


def record(started: str, form: bench.Form, **figures: float) -> bench.Record:
    marks = tuple(Mark(name.replace("_", " "), value, 10, "ms") for name, value in figures.items())
    return bench.Record(started, form, {"commit": "c0ffee"}, (bench.Outcome("speed", 1.0, marks),))


def test_figures_are_compared_with_the_newest_of_the_same_form(tmp_path: Path) -> None:
    record("2026-01-01T00:00:00", "short", a_query=4.0, a_start=9.0).keep(tmp_path)
    record("2026-01-02T00:00:00", "short", a_query=8.0).keep(tmp_path)
    record("2026-01-03T00:00:00", "whole", a_query=1.0).keep(tmp_path)
    (tmp_path / "2026-01-04T00-00-00.json").write_text("{", encoding="utf-8")
    before = bench.last_figures(tmp_path, "short")
    now = record("2026-01-05T00:00:00", "short", a_query=12.0, a_start=8.8, a_step=1.0)
    failed = bench.Outcome("memory", 2.0, (), "ended with 3")
    rows = list(bench.rows(bench.Record(now.started, "short", {}, (*now.outcomes, failed)), before))
    assert rows == [
        ("speed", "a query", "12 ms", "at most 10", "MISSED", "+50% WORSE"),  # 12 / 8 - 1
        ("speed", "a start", "8.8 ms", "at most 10", "met", "-2%"),  # 8.8 / 9 - 1, too little to be called better
        ("speed", "a step", "1 ms", "at most 10", "met", "new"),
        ("memory", "ended with 3", "", "", "FAILED", ""),
    ]
    more = Mark("rate", 3.0, 2, "times", "at least")
    assert bench.change(more, Mark("rate", 2.0, 2, "times", "at least")) == "+50% better"
    assert bench.Record.read(now.keep(tmp_path)) == now


def test_every_listed_program_is_a_benchmark_with_marks_and_takes_the_arguments() -> None:
    for program in bench.PROGRAMS:
        text = (Path(bench.__file__).parent / f"{program.name}.py").read_text(encoding="utf-8")
        assert "from marks import Mark, show" in text, program.name
        for argument in {*(program.short or ()), *(program.whole or ())}:
            assert not argument.startswith("--") or f'"{argument}"' in text, (program.name, argument)


@pytest.mark.ray
def test_on_a_simulated_cluster_nothing_is_lost_and_nobody_waits_for_the_slowest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shares = []
    for in_order in (False, True):
        cluster.search(120, 2, 64, in_order)
        lines = [line for line in capsys.readouterr().out.splitlines() if "mark:" in line]
        marks = dict(line.partition(" (mark")[0].rsplit(": ", 1) for line in lines)
        assert marks["search: theorems that end otherwise when members are killed"] == "0"
        shares.append(float(marks["search: share of processes' time at work"]))
    assert shares[0] > 2 * shares[1]


def test_the_machine_is_described() -> None:
    described = json.loads(json.dumps(bench.machine()))
    assert described["cores"] >= 1
    assert described["memory_gb"] > 0
    assert described["node"].startswith("v")
    assert described["processor"]
    assert {"python", "lean", "commit", "changed", "load"} <= described.keys()
