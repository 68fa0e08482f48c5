"""What attempts add up to, by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from lean_agent.evaluation import plots
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.report import budget_words, sections, unfinished_words
from lean_agent.evaluation.summary import (
    CostMeasure,
    ProvedShare,
    ReportRow,
    at_budget,
    budgets,
    by_difficulty,
    by_group,
    comparisons,
    outcome,
    outcomes,
    pass_at,
    pass_rates,
    rows,
    stated_ks,
)
from lean_agent.prover.config import SearchBudget

BUDGET = SearchBudget(expansions=8, lean_calls=100, seconds=60.0)


def attempt(prover: str, name: str, seed: int, status: str, **fields: Any) -> Attempt:
    limits = {"expansions": 8, "lean_calls": 100, "seconds": 60.0}
    defaults: dict[str, Any] = {"expansions": 3, "lean_calls": fields.pop("calls", 10), "tokens": 0, "group": "g"}
    known = {"url": "u", "commit": "c", "file_path": "A.lean", "proof": "", "steps": 1, "seconds": 1.0, "message": ""}
    told = {"prover": prover, "full_name": name, "seed": seed, "status": status, "budget": limits}
    return Attempt(**{**known, **defaults, **told, **fields})


REPORT = Report(
    ("model", "list"),
    (
        attempt("model", "one", 0, "proved", calls=5, tokens=40, difficulty=1.0),
        attempt("model", "one", 1, "budget", calls=100, tokens=90, difficulty=1.0),
        attempt("model", "two", 0, "proved", calls=50, tokens=70, difficulty=2.0, group="h"),
        attempt("model", "two", 1, "proved", calls=17, tokens=20, difficulty=2.0, group="h"),
        attempt("list", "one", 0, "proved", calls=16, difficulty=1.0),
        attempt("list", "two", 0, "failed", calls=9, difficulty=2.0, group="h"),
    ),
    BUDGET,
    frozenset({("u", "c", "A.lean", "two")}),
)


def test_several_seeds_count_as_their_mean() -> None:
    model, scripted = rows(REPORT)
    assert (model.proved, model.attempted, model.seeds) == (1.5, 2, 2)
    assert (model.hard_proved, model.hard_attempted) == (1.0, 1)
    assert (model.lean_calls, model.tokens, model.seconds) == (172, 220, 4.0)
    assert model.rate.value == pytest.approx(0.75)
    assert (scripted.proved, scripted.seeds, scripted.hard_proved) == (1.0, 1, 0)
    assert "tried with 2 seeds" in budget_words(REPORT)


def test_pass_at_k_over_theorems() -> None:
    # One of two attempts at the first theorem, both at the second: (1/2 + 1) / 2, and 1 for k = 2.
    assert pass_at(REPORT, "model", 1).value == pytest.approx(0.75)
    assert pass_at(REPORT, "model", 2).value == 1
    with pytest.raises(ValueError):
        pass_at(REPORT, "list", 2)


def test_a_proof_counts_at_the_budgets_that_it_kept_to() -> None:
    assert budgets(REPORT, "lean_calls") == [4, 16, 64, 100]
    assert budgets(REPORT, "tokens") == [4, 16, 64, 90]
    found = [at_budget(REPORT, "model", "lean_calls", budget).value for budget in (4, 16, 17, 64, 100)]
    # Proofs at 5 (one of two attempts), 17 and 50 (both of two attempts).
    assert found == [0, 0.25, 0.5, 0.75, 0.75]
    assert at_budget(REPORT, "list", "lean_calls", 16).value == 0.5


def test_pass_at_k_counts_proofs_within_the_budget() -> None:
    # Three attempts at one theorem, proofs after 5 and 40 calls; three at another, one proof after 20.
    calls = {
        "one": [("proved", 5), ("proved", 40), ("budget", 100)],
        "two": [("failed", 9), ("proved", 20), ("failed", 9)],
    }
    made = [
        attempt("model", name, seed, status, calls=spent, tokens=2 * spent)
        for name, outcomes in calls.items()
        for seed, (status, spent) in enumerate(outcomes)
    ]
    report = Report(
        ("model", "list"), (*made, *(attempt("list", name, 0, "failed") for name in calls)), BUDGET, frozenset()
    )
    assert stated_ks(report) == [1, 2, 3]
    # pass@2 of c proofs among 3 attempts is 1 - C(3 - c, 2) / C(3, 2): 0, 2/3, 1, 1.
    for calls_spent, expected in ((4, 0), (16, (2 / 3) / 2), (20, (2 / 3 + 2 / 3) / 2), (40, (1 + 2 / 3) / 2)):
        assert at_budget(report, "model", "lean_calls", calls_spent, 2).value == pytest.approx(expected)
        assert at_budget(report, "model", "tokens", 2 * calls_spent, 2).value == pytest.approx(expected)
    with pytest.raises(ValueError, match="pass@2"):
        at_budget(report, "list", "lean_calls", 16, 2)
    # Stated are three of the model and one of the list: at the full budget, at four of calls and at four of tokens.
    rates = pass_rates(report)
    stated = [None, *(("lean_calls", n) for n in (4, 16, 64, 100)), *(("tokens", n) for n in (4, 16, 64, 200))]
    assert len(rates) == 4 * len(stated)
    (found,) = [
        one.rate for one in rates if (one.prover, one.k, one.measure, one.budget) == ("model", 2, "lean_calls", 16)
    ]
    assert found == at_budget(report, "model", "lean_calls", 16, 2)
    assert found.low == 0 and found.high == pytest.approx(2 / 3)  # where a theorem is drawn twice
    (section,) = [one for one in sections(report) if one.title == "Proved against Lean calls"]
    assert list(section.headings) == ["policy", "", "4", "16", "64", "100"]
    assert [line[:2] for line in section.lines] == [["model", f"pass@{k}"] for k in (1, 2, 3)] + [["list", "pass@1"]]
    assert section.lines[1][3] == "33.3 % (0–67)"


def test_shares_by_difficulty_and_group() -> None:
    assert by_difficulty(REPORT) == {
        "1": {"model": ProvedShare(0.5, 1), "list": ProvedShare(1.0, 1)},
        "2": {"model": ProvedShare(1.0, 1), "list": ProvedShare(0.0, 1)},
    }
    assert list(by_group(REPORT)) == ["g", "h"]


def test_many_difficulties_become_four_ranges() -> None:
    many = [attempt("a", f"t{n}", 0, "proved" if n <= 4 else "failed", difficulty=float(n)) for n in range(1, 9)]
    table = by_difficulty(Report(("a",), tuple(many), BUDGET, frozenset()))
    # Eight theorems of difficulty 1 to 8, two in each range; the first four are proved.
    assert {label: one["a"] for label, one in table.items()} == {
        "up to 2": ProvedShare(2, 2),
        "up to 4": ProvedShare(2, 2),
        "up to 6": ProvedShare(0, 2),
        "up to 8": ProvedShare(0, 2),
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"status": "budget", "calls": 99}, "out of Lean calls"),
        ({"status": "budget", "calls": 98}, "out of time"),
        ({"status": "budget", "expansions": 8}, "out of expansions"),
        ({"status": "budget"}, "out of time"),
        ({"status": "failed"}, "nothing left to try"),
        ({"status": "rejected", "verdict": "axiom"}, "rejected by the judge: axiom"),
        ({"status": "error"}, "error"),
        ({"status": "proved"}, "proved"),
    ],
)
def test_why_an_attempt_ended(fields: dict[str, Any], words: str) -> None:
    assert outcome(attempt("a", "t", 0, **fields)) == words


def test_every_attempt_has_one_outcome() -> None:
    assert {prover: dict(counts) for prover, counts in outcomes(REPORT).items()} == {
        "model": {"proved": 3, "out of Lean calls": 1},
        "list": {"proved": 1, "nothing left to try": 1},
    }


def test_provers_are_compared_theorem_by_theorem() -> None:
    ((first, second, found),) = comparisons(REPORT)
    assert (first, second) == ("model", "list")
    # At the first attempt the model proves both, the list the first.
    assert (found.only_first, found.only_second, found.p_value) == (1, 0, 1.0)
    assert found.difference.value == pytest.approx(0.75 - 0.5)


def test_every_table_is_as_wide_as_its_headings() -> None:
    parts = list(sections(REPORT))
    assert [part.title for part in parts] == [
        "Proved",
        "pass@k",
        "Proved against Lean calls",
        "Proved against tokens",
        "Comparisons",
        "Time",
        "By difficulty",
        "By repository",
        "How attempts ended",
    ]
    assert all(len(line) == len(part.headings) for part in parts for line in part.lines)


@pytest.mark.parametrize("policies", [1, 2, 6])
@pytest.mark.parametrize("labels", [1, 2, 4, 5, 12])
@pytest.mark.parametrize("what", ["difficulty", "repository or part of it"])
def test_the_legend_covers_neither_bars_nor_labels(what: str, labels: int, policies: int) -> None:
    names = [f"policy {n}" for n in range(policies)]
    table = {f"Init.Data.List{n}": dict.fromkeys(names, ProvedShare(1.0, 1)) for n in range(labels)}
    figure = plots.shares(table, names, what)
    plots.image(figure, "png")
    (axes,), (legend,) = figure.axes, figure.legends
    # With labels and ticks: all of it lies below the legend and in the picture.
    drawn = axes.get_tightbbox()
    assert drawn is not None and legend.get_window_extent().y0 >= drawn.y1 - 1 and drawn.y0 >= -1


# -- pictures: what is drawn, by hand from the attempts

Bars = dict[str, list[tuple[float, float]]]


def row(prover: str, policy_s: float, lean_s: float, seconds: float) -> ReportRow:
    (known,) = rows(Report((prover,), (attempt(prover, "one", 0, "proved"),), BUDGET, frozenset()))
    return replace(known, policy_s=policy_s, lean_s=lean_s, seconds=seconds)


def only(figure: Figure) -> Axes:
    (axes,) = figure.axes
    return axes


def bars(axes: Axes) -> Bars:
    """Of each label the bars as (from, to)."""
    found = cast("list[BarContainer]", axes.containers)
    return {
        str(one.get_label()): [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in one.patches] for one in found
    }


def points(line: Line2D) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in np.asarray(line.get_xydata())]


def ticks(axes: Axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def legend(figure: Figure) -> list[str]:
    (found,) = figure.legends
    return [text.get_text() for text in found.get_texts()]


@pytest.mark.parametrize(
    ("measure", "name", "model", "scripted"),
    [
        ("lean_calls", "Lean calls", [0, 5, 17, 50, 100], [0, 16, 100]),
        ("tokens", "tokens", [0, 20, 40, 70, 90], [0, 0, 90]),
    ],
)
def test_a_line_goes_up_at_what_each_proof_has_cost(
    measure: CostMeasure, name: str, model: list[float], scripted: list[float]
) -> None:
    axes = only(plots.against_budget(REPORT, measure, name))
    first, second = axes.lines
    assert points(first) == list(zip(model, [0, 0.5, 1, 1.5, 1.5], strict=True))
    assert points(second) == list(zip(scripted, [0, 1, 1], strict=True))
    assert (axes.get_xlabel(), axes.get_ylabel()) == (f"{name} spent on a theorem", "theorems proved")
    found = axes.get_legend()
    assert found is not None and [text.get_text() for text in found.get_texts()] == ["model (1.5)", "list (1)"]
    assert {line.get_drawstyle() for line in axes.lines} == {"steps-post"}, "nothing is proved before its cost is spent"


def test_shares_are_bars_in_percent_beside_their_labels() -> None:
    table = {
        "up to 2": {"model": ProvedShare(1.5, 2), "list": ProvedShare(2.0, 2)},
        "up to 9": {"model": ProvedShare(0.25, 1), "list": ProvedShare(0.0, 0)},
    }
    figure = plots.shares(table, ["model", "list"], "difficulty")
    axes = only(figure)
    assert bars(axes) == {"model": [(0, 75), (0, 25)], "list": [(0, 100), (0, 0)]}
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_xlim()) == ("% proved", "difficulty", (0, 100))
    assert (ticks(axes), legend(figure)) == (["up to 2", "up to 9"], ["model", "list"])
    assert axes.yaxis_inverted(), "the first label is on top"


def test_outcomes_are_parts_of_one_bar() -> None:
    found = {"model": Counter({"proved": 3, "out of time": 2}), "list": Counter({"proved": 1, "error": 4})}
    figure = plots.outcomes(found, ["proved", "error", "out of time"])
    axes = only(figure)
    assert bars(axes) == {"proved": [(0, 3), (0, 1)], "error": [(3, 3), (1, 5)], "out of time": [(3, 5), (5, 5)]}
    assert (ticks(axes), axes.get_xlabel()) == (["model", "list"], "attempts")
    assert legend(figure) == ["proved", "error", "out of time"]
    assert axes.yaxis_inverted()


def test_time_has_three_bars_for_each_prover() -> None:
    figure = plots.time([row("model", 7.5, 2.5, 12.0), row("list", 0.0, 3.0, 3.5)])
    axes = only(figure)
    assert bars(axes) == {
        "in the policy": [(0, 7.5), (0, 0)],
        "in Lean": [(0, 2.5), (0, 3)],
        "of all attempts": [(0, 12), (0, 3.5)],
    }
    assert (ticks(axes), axes.get_xlabel()) == (["model", "list"], "seconds")
    assert legend(figure) == ["in the policy", "in Lean", "of all attempts"]


def test_theorems_that_nobody_could_prove_count_and_are_told_apart() -> None:
    """Three theorems, one proved, one of which the statement rests on a hole: 1 of 3 it stays."""
    statuses = {"one": "proved", "two": "failed", "three": "unfinished"}
    tries = tuple(attempt("model", name, seed, status) for name, status in statuses.items() for seed in (0, 1))
    report = Report(("model",), tries, BUDGET, frozenset())
    (row,) = rows(report)
    assert (row.proved, row.attempted, row.unfinished) == (1.0, 3, 1)
    ended = "no proof could count: the statement rests on a sorry"
    assert outcomes(report) == {"model": Counter({"proved": 2, "nothing left to try": 2, ended: 2})}
    words = "1 theorem rests on a sorry in what it states: no proof could be accepted, none was tried, and they count"
    assert unfinished_words(report).startswith(words)
    assert words in next(iter(sections(report))).words
    assert unfinished_words(REPORT) == ""
