"""What attempts add up to, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from lean_agent.evaluation import plots
from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.sections import budget_words, sections
from lean_agent.evaluation.summary import (
    Share,
    at_budget,
    budgets,
    by_difficulty,
    by_group,
    comparisons,
    outcome,
    outcomes,
    pass_at,
    rows,
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


def test_shares_by_difficulty_and_group() -> None:
    assert by_difficulty(REPORT) == {
        "1": {"model": Share(0.5, 1), "list": Share(1.0, 1)},
        "2": {"model": Share(1.0, 1), "list": Share(0.0, 1)},
    }
    assert list(by_group(REPORT)) == ["g", "h"]


def test_many_difficulties_become_four_ranges() -> None:
    many = [attempt("a", f"t{n}", 0, "proved" if n <= 4 else "failed", difficulty=float(n)) for n in range(1, 9)]
    table = by_difficulty(Report(("a",), tuple(many), BUDGET, frozenset()))
    # Eight theorems of difficulty 1 to 8, two in each range; the first four are proved.
    assert {label: one["a"] for label, one in table.items()} == {
        "up to 2": Share(2, 2),
        "up to 4": Share(2, 2),
        "up to 6": Share(0, 2),
        "up to 8": Share(0, 2),
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
    table = {f"Init.Data.List{n}": dict.fromkeys(names, Share(1.0, 1)) for n in range(labels)}
    figure = plots.shares(table, names, what)
    plots.image(figure, "png")
    (axes,), (legend,) = figure.axes, figure.legends
    # With labels and ticks: all of it lies below the legend and in the picture.
    drawn = axes.get_tightbbox()
    assert drawn is not None and legend.get_window_extent().y0 >= drawn.y1 - 1 and drawn.y0 >= -1
