"""Evaluations: the same budget for all, sums worked by hand, and nothing lost when interrupted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lean_agent.agent.tables import print_report
from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, LeanError
from lean_agent.evaluation.benchmarks import LeftOut
from lean_agent.evaluation.evaluate import Attempt, Report, evaluate, read_attempts
from lean_agent.evaluation.report import HEADINGS, table_cells, write_report
from lean_agent.evaluation.summary import rows
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import GoalState, Origin, Position, TracedTheorem, Verdict
from lean_agent.policy.base import Sampling, Suggestion
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.endpoint import InferenceClient
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import Prover
from lean_agent.tracing.project.repository import Repository

STATEMENTS = {"easy": "True", "two_steps": "True ∧ True", "hopeless": "p"}
BUDGET = SearchBudget(expansions=8, lean_calls=20, seconds=60.0)


def open_theorem(name: str) -> StoredTheorem:
    repository = Repository("https://example.org/logic", "c" * 40, "logic", Path("logic"))
    position = Position(1, 0)
    theorem = TracedTheorem(name, name, "by sorry", "tactic", True, name, name, 0, 1, position, position)
    return StoredTheorem(repository, "A.lean", theorem)


THEOREMS = [open_theorem(name) for name in STATEMENTS]


@pytest.fixture
def server() -> MockLeanServer:
    return MockLeanServer(STATEMENTS)


def provers(server: MockLeanServer) -> list[Prover]:
    return [
        Prover("closer", MockPolicy({}, default=["trivial"]), server),
        Prover("thinker", MockPolicy({}, default=["trivial", "constructor"]), server),
    ]


def test_the_table_is_the_sum_of_its_attempts(server: MockLeanServer) -> None:
    report = evaluate(provers(server), THEOREMS, BUDGET, baseline="closer")
    assert {key[3] for key in report.hard} == {"two_steps", "hopeless"}
    assert server.live_states == 0
    closer, thinker = rows(report)
    assert (closer.proved, closer.attempted, closer.hard_proved, closer.hard_attempted) == (1, 3, 0, 2)
    # A start and one tactic for each theorem, and one verification.
    assert (closer.lean_calls, closer.tokens) == (3 * 2 + 1, 3)
    assert (thinker.proved, thinker.attempted, thinker.hard_proved, thinker.hard_attempted) == (2, 3, 1, 2)
    # easy: start, trivial, constructor, verification = 4. hopeless: start and two = 3.
    # two_steps: start, 2 at the root, which leave `True` twice: one state, so 2 there, the proof in one piece,
    # verification = 7.
    assert (thinker.lean_calls, thinker.tokens) == (4 + 3 + 7, 2 + 2 + 4)
    steps = {one.full_name: one.steps for one in report.attempts if one.prover == "thinker"}
    assert steps == {"easy": 1, "two_steps": 3, "hopeless": 0}
    assert (thinker.errors, thinker.rejected) == (0, 0)
    assert all(0 < row.policy_s < 60 and 0 < row.lean_s <= row.seconds < 60 for row in (closer, thinker))


class CountingJudge(MockLeanServer):
    """Takes a little while to judge, and remembers what it has judged."""

    def __init__(self) -> None:
        super().__init__(STATEMENTS)
        self.judged: list[str] = []

    def verify(self, *arguments: Any, **options: Any) -> Verdict:
        self.judged.append(arguments[1])
        time.sleep(0.05)
        return super().verify(*arguments, **options)


def test_a_proof_that_two_provers_find_is_judged_once_and_charged_to_both() -> None:
    server = CountingJudge()
    report = evaluate(provers(server), THEOREMS, BUDGET)
    assert len(server.judged) == 2, "trivial for easy, of both, and what the second finds for two_steps"
    easy = [attempt for attempt in report.attempts if attempt.full_name == "easy"]
    assert [attempt.status for attempt in easy] == ["proved"] * 2
    assert all(attempt.seconds >= 0.05 for attempt in easy)
    evaluate(provers(server)[:1], THEOREMS[:1], BUDGET)
    assert len(server.judged) == 3, "another evaluation trusts nothing of the first"


def test_a_proof_that_was_refused_is_judged_again() -> None:
    class Refusing(CountingJudge):
        def verify(self, *arguments: Any, **options: Any) -> Verdict:
            super().verify(*arguments, **options)
            return Verdict("axiom", "rests on magic")

    server = Refusing()
    report = evaluate(provers(server), THEOREMS[:1], BUDGET)
    assert [attempt.status for attempt in report.attempts] == ["rejected"] * 2
    assert len(server.judged) == 2


def test_a_theorem_that_the_baseline_proves_in_several_steps_is_hard(server: MockLeanServer) -> None:
    report = evaluate(provers(server), THEOREMS, BUDGET, baseline="thinker")
    assert {key[3] for key in report.hard} == {"two_steps", "hopeless"}
    assert evaluate(provers(server), THEOREMS, BUDGET).hard == frozenset()


def test_provers_take_turns_batch_by_batch(server: MockLeanServer) -> None:
    """So that Lean still has the files of a batch open when the next prover comes to them."""
    seen: list[tuple[str, str]] = []
    evaluate(
        provers(server),
        THEOREMS,
        BUDGET,
        batch=2,
        on_attempt=lambda attempt: seen.append((attempt.prover, attempt.full_name)),
    )
    first, last = [one.full_name for one in THEOREMS[:2]], THEOREMS[2].full_name
    assert [sorted(seen[:2]), sorted(seen[2:4])] == [
        [(name, one) for one in sorted(first)] for name in ("closer", "thinker")
    ]
    assert seen[4:] == [("closer", last), ("thinker", last)]


def test_all_are_held_to_the_same_budget(server: MockLeanServer) -> None:
    report = evaluate(provers(server), THEOREMS, SearchBudget(expansions=1, lean_calls=20))
    assert [row.proved for row in rows(report)] == [1, 1]
    assert all(attempt.expansions <= 1 for attempt in report.attempts)


class Interrupted(MockPolicy):
    """Ctrl-C when ``last`` calls have been made."""

    def __init__(self, last: int) -> None:
        super().__init__({}, default=["trivial", "constructor"])
        self._last = last

    samples = False

    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        if len(self.calls) == self._last:
            raise KeyboardInterrupt
        return super().suggest(goals, k)


def test_an_interrupted_evaluation_goes_on_where_it_was(server: MockLeanServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    with pytest.raises(KeyboardInterrupt):
        evaluate(
            [Prover("thinker", Interrupted(1), server)],
            THEOREMS,
            BUDGET,
            results_path=path,
        )
    assert {one.full_name for one in read_attempts(path)} == {"easy", "hopeless"}
    with path.open("a", encoding="utf-8") as file:
        file.write('{"prover": "thin')  # a kill in the middle of a line

    again = MockPolicy({}, default=["trivial", "constructor"])
    seen: list[str] = []
    report = evaluate(
        [Prover("thinker", again, server)],
        THEOREMS,
        BUDGET,
        results_path=path,
        on_attempt=lambda attempt: seen.append(attempt.full_name),
    )
    assert {goal for call in again.calls for goal in call} == {"⊢ True ∧ True", "case left\n⊢ True"}  # one state
    assert sorted(seen) == ["easy", "hopeless", "two_steps"]
    assert (rows(report)[0].proved, rows(report)[0].attempted) == (2, 3)
    assert len(read_attempts(path)) == 3
    assert evaluate([Prover("thinker", Interrupted(0), server)], THEOREMS, BUDGET, results_path=path) == report


class Drawing(MockPolicy):
    """Draws at random: with an even seed it closes goals, with an odd one it does not."""

    samples = True

    def __init__(self, seed: int = 0) -> None:
        super().__init__({}, default=["trivial" if seed % 2 == 0 else "fail"])
        self.seed = seed

    def with_seed(self, seed: int) -> Drawing:
        return Drawing(seed)


def test_a_policy_that_draws_tries_with_every_seed_and_goes_on_with_those_missing(
    server: MockLeanServer, tmp_path: Path
) -> None:
    path = tmp_path / "attempts.jsonl"
    both = [Prover("drawing", Drawing(), server), Prover("closer", MockPolicy({}, default=["trivial"]), server)]
    evaluate(both, THEOREMS[:1], BUDGET, seeds=(0, 1), results_path=path)
    seen: list[tuple[str, int]] = []
    report = evaluate(
        both,
        THEOREMS[:1],
        BUDGET,
        seeds=range(4),
        results_path=path,
        on_attempt=lambda one: seen.append((one.prover, one.seed)),
    )
    assert seen == [("drawing", 0), ("drawing", 1), ("drawing", 2), ("drawing", 3), ("closer", 0)]
    assert [(one.seed, one.proved) for one in report.of("drawing")] == [(0, True), (1, False), (2, True), (3, False)]
    assert [(row.prover, row.proved, row.seeds) for row in rows(report)] == [("drawing", 0.5, 4), ("closer", 1.0, 1)]
    assert len(read_attempts(path)) == 2 + 1 + 2


def test_what_is_spent_is_told_before_attempts_end(server: MockLeanServer) -> None:
    events: list[str] = []
    evaluate(
        provers(server)[:1],
        THEOREMS[:1],
        BUDGET,
        on_attempt=lambda one: events.append("end"),
        on_round=lambda prover, calls: events.append(f"{prover.name} {calls}"),
    )
    name = provers(server)[0].name
    # The start of the theorem is the first call, the tactic that proves it the second, the verification the third.
    assert list(dict.fromkeys(events))[-3:] == [f"{name} 2", f"{name} 3", "end"]


def test_what_is_told_to_be_spent_is_what_the_attempts_count(server: MockLeanServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    told: dict[str, int] = {}

    def on_round(prover: Prover, calls: int) -> None:
        told[prover.name] = calls

    evaluate(provers(server), THEOREMS[:1], BUDGET, results_path=path)
    report = evaluate(provers(server), THEOREMS, BUDGET, results_path=path, on_round=on_round, batch=1)
    assert told == {name: sum(one.lean_calls for one in report.of(name)) for name in report.provers}


def test_attempts_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "attempts.jsonl").write_text('{"prover": "a"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="Line 1 of"):
        read_attempts(tmp_path / "attempts.jsonl")


def test_provers_of_one_name_and_no_seeds_are_refused(server: MockLeanServer) -> None:
    with pytest.raises(ConfigError, match="different names"):
        evaluate([*provers(server), *provers(server)], THEOREMS, BUDGET)
    with pytest.raises(ConfigError, match="needs a seed"):
        evaluate(provers(server), THEOREMS, BUDGET, seeds=())


def test_attempts_at_another_budget_are_made_again(server: MockLeanServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    evaluate(provers(server), THEOREMS, SearchBudget(expansions=1), results_path=path)
    report = evaluate(provers(server), THEOREMS, BUDGET, results_path=path)
    assert [row.proved for row in rows(report)] == [1, 2]
    assert len(read_attempts(path)) == 12


def test_attempts_of_another_prover_under_the_same_name_are_made_again(
    server: MockLeanServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "attempts.jsonl"

    def proved(policy: MockPolicy, **config: Any) -> int:
        prover = Prover("outputs", policy, server, config=SearchConfig(**config))
        report = evaluate([prover], THEOREMS[:1], BUDGET, results_path=path)
        assert read_attempts(path)[-1].fingerprint == prover.fingerprint
        return sum(one.proved for one in report.attempts)

    assert proved(MockPolicy({}, default=["fail"])) == 0
    assert not caplog.records
    trained = MockPolicy({}, default=["trivial"])  # other weights in the same folder
    assert proved(trained) == 1 and len(trained.calls) == 1
    assert "another model, search or version under the name of outputs" in caplog.text
    assert proved(trained, search="mcts") == 1 and len(trained.calls) == 2
    assert proved(trained, search="mcts") == 1 and len(trained.calls) == 2
    assert len(read_attempts(path)) == 3


def test_value_models_are_told_by_their_identity_or_their_class(server: MockLeanServer) -> None:
    class Length:
        def values(self, goals: Sequence[str]) -> list[float]:
            return [-float(len(goal)) for goal in goals]

    class Trained(Length):
        def __init__(self, identity: str) -> None:
            self.identity = identity

    values = [None, Length(), Length(), Trained("a"), Trained("b"), Trained("b")]
    told = [Prover("p", MockPolicy({}), server, value=value).fingerprint for value in values]
    assert [told.index(one) for one in told] == [0, 1, 1, 3, 4, 4]


def test_models_and_endpoints_are_told_by_what_answers() -> None:
    assert ScriptedPolicy(("a", "b")).identity == ScriptedPolicy(("a", "b")).identity != ScriptedPolicy(("b",)).identity
    one = InferenceClient("http://x/v1", "m")
    hotter = InferenceClient("http://x/v1", "m", sampling=Sampling(temperature=2.0))
    assert InferenceClient("http://x/v1/", "m").identity == one.identity
    assert len({client.identity for client in (one, hotter, InferenceClient("http://x/v1", "n"))}) == 3
    for client in (one, hotter):
        client.close()


class Broken(MockLeanServer):
    def goal_starts(self, origins: Sequence[Origin], *, timeout_s: float | None = None) -> list[GoalState | LeanError]:
        """Lean is down."""
        return [LeanError("the process died") for _ in origins]


def test_attempts_that_ended_in_an_error_are_made_again(server: MockLeanServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    (closer, _), (broken, _) = provers(server), provers(Broken(STATEMENTS))
    first = evaluate([broken], THEOREMS, BUDGET, results_path=path)
    assert {one.status for one in first.attempts} == {"error"}
    report = evaluate([closer], THEOREMS, BUDGET, results_path=path)
    assert (rows(report)[0].errors, rows(report)[0].proved) == (0, 1)


def test_an_attempt_is_one_line_whatever_lean_has_said(server: MockLeanServer, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    (found, *_) = evaluate(provers(server)[:1], THEOREMS, BUDGET, results_path=path).attempts
    odd = replace(found, message="one\u2028two\u0085three\x1cfour")
    path.write_text(json.dumps(asdict(odd), ensure_ascii=False) + "\n", encoding="utf-8")
    assert read_attempts(path) == [odd]


def attempt(prover: str, name: str, status: str, lean_calls: int, message: str = "") -> Attempt:
    return Attempt(
        prover, "u", "c", "A.lean", name, status, "", 0, 1, lean_calls, 1500, 1.25, message, {"expansions": 8}
    )


@pytest.fixture
def report() -> Report:
    attempts = (attempt("a", "x|y", "proved", 3), attempt("a", "z", "rejected", 9, "a|b\nc"))
    return Report(("a",), attempts, BUDGET, frozenset({("u", "c", "A.lean", "z")}))


def test_a_report_says_what_was_found(report: Report, tmp_path: Path) -> None:
    path = write_report(report, tmp_path, title="Demo <1>", notes="A note.")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# Demo <1>\n\nBudget for each theorem: 8 expansions, 20 Lean calls, 60 seconds.\n")
    # One of two theorems: drawing two anew gives none, one or both with 1/4, 1/2, 1/4, so 95 % are all of it.
    assert "| a | 1/2 | 0–100 % | 0/1 | 2.5 | 12 | 3,000 |" in text
    assert "| `x\\|y` | 0 | proved |  | 3 | 1.2 |" in text
    assert "| `z` | 0 | rejected by the judge: error: a\\|b c |  | 9 | 1.2 |" in text
    assert "A note." in text
    data = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert data["rows"][0]["proved"] == 1
    full = {"prover": "a", "k": 1, "rate": {"value": 0.5, "low": 0, "high": 1}, "measure": None, "budget": None}
    assert data["pass_at_k"][0] == full
    assert data["pass_at_k"][1] == {**full, "rate": data["pass_at_k"][1]["rate"], "measure": "lean_calls", "budget": 4}
    assert data["hard"] == [["u", "c", "A.lean", "z"]]
    assert [one["full_name"] for one in data["attempts"]] == ["x|y", "z"]
    pictures = sorted(file.name for file in tmp_path.glob("*.png"))
    assert pictures == [
        "how_attempts_ended.png",
        "proved_against_lean_calls.png",
        "proved_against_tokens.png",
        "time.png",
    ]
    assert all((tmp_path / name).read_bytes().startswith(b"\x89PNG") and name in text for name in pictures)


def test_a_report_says_what_was_left_out_and_why(report: Report, tmp_path: Path) -> None:
    """Two were tried; seven theorems need Mathlib, and a file of nobody knows how many theorems a package."""
    theorems = tuple(LeftOut(f"t{n}", "needs Mathlib") for n in range(7))
    some = replace(report, left_out=(LeftOut("A.lean:3", "needs X", is_file=True), *theorems))
    text = write_report(some, tmp_path, title="Some").read_text(encoding="utf-8")
    words = "2 theorems tried; 7 theorems and 1 file of the benchmark left out."
    table = ["| needs Mathlib | 7 | t0, t1, t2, t3, t4 and 2 more |", "| needs X | 1 | A.lean:3 |"]
    assert words in text and "\n".join(table) in text
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert words in page and "<td>t0, t1, t2, t3, t4 and 2 more</td>" in page
    kept = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["left_out"]
    assert tuple(LeftOut(**row) for row in kept) == some.left_out
    with (tmp_path / "terminal").open("w", encoding="utf-8") as file:
        print_report(Console(file=file, width=100), some, tmp_path)
    assert f"{words}\n  7: needs Mathlib: t0, t1" in (tmp_path / "terminal").read_text(encoding="utf-8")
    assert "left out" not in write_report(report, tmp_path, title="All").read_text(encoding="utf-8")


def test_the_page_is_whole_and_runs_nothing(report: Report, tmp_path: Path) -> None:
    hostile = replace(report.attempts[0], full_name="<script>alert(1)</script>", proof="by\n  exact <img src=x>")
    write_report(replace(report, attempts=(hostile,)), tmp_path, title="<b>")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "&lt;img src=x&gt;" in page and "<title>&lt;b&gt;" in page
    )
    assert "<script" not in page and "<img" not in page
    assert page.count("<svg") == 4
    assert not re.findall(r"""(?:src|href)=["'](?!#)""", page), "the page needs nothing from elsewhere"


def test_a_report_of_nothing_can_be_written(tmp_path: Path) -> None:
    assert write_report(Report((), (), BUDGET, frozenset()), tmp_path, title="Empty").is_file()


def test_a_line_of_the_table_fits_its_headings(report: Report) -> None:
    assert len(table_cells(rows(report)[0])) == len(HEADINGS)
