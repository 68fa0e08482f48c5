"""A check of traces against a mock Lean: each kind of miss is found, and nothing that is no step is counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lean_agent.errors import TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanMessage, LeanProject, Position, TracedFile, TracedTactic, TracedTheorem
from lean_agent.tracing.check import TraceCheck, check_file, check_files
from lean_agent.tracing.project.sources import differs, is_unknown_here, minor_version

PROJECT = LeanProject(root=Path("."), build=Path("build"))


def step(at: int, tactic: str, before: str, after: str) -> TracedTactic:
    return TracedTactic(tactic, tactic, at, at + len(tactic), before, after, 1, 0 if after == "no goals" else 1)


def file_with(*tactics: TracedTactic) -> TracedFile:
    at = Position(3, 0)
    theorem = TracedTheorem("t", "theorem t : p", "by …", "tactic", False, "p", "1", 0, 9, at, at, tactics)
    return TracedFile("A.lean", "A", (), (theorem,), (), (), 0.0, 0.0)


def test_every_kind_of_miss_is_found() -> None:
    lean = MockLeanServer(
        {"t": "⊢ p"},
        positions={("t", at): ["⊢ p"] for at in (0, 10, 20, 30, 40, 60)},
        table={
            ("⊢ p", "good"): [],
            ("⊢ p", "other"): ["⊢ r"],
            ("⊢ p", "bad"): TacticFailure("bad", "error", "it does not fit"),
            ("⊢ p", "hole"): TacticFailure("hole", "sorry", "a hole"),
        },
    )
    traced = file_with(
        step(0, "good", "⊢ p", "no goals"),
        step(10, "other", "⊢ p", "⊢ q"),
        step(20, "bad", "⊢ p", "no goals"),
        step(30, "good", "⊢ elsewhere", "no goals"),
        step(40, "hole", "⊢ p", "no goals"),
        step(50, "good", "⊢ p", "no goals"),  # the mock knows no start there
        replace(step(60, "· good", "⊢ p", "no goals"), step=""),
    )
    check = TraceCheck()
    check_file(PROJECT, traced, lean, check)
    assert [(miss.tactic, miss.kind) for miss in check.missed] == [
        ("other", "state after"),
        ("bad", "tactic failed"),
        ("good", "state before"),
        ("good", "no start"),
    ]
    assert [miss.reason for miss in check.missed][:3] == ["⊢ r", "it does not fit", "⊢ p"]
    assert (check.matched, check.holes, check.frames, check.steps) == (1, 1, 1, 5)
    assert check.share == 1 / 5
    assert {miss.line for miss in check.missed} == {3}


def test_numbers_of_metavariables_say_nothing() -> None:
    lean = MockLeanServer(
        {"t": "⊢ p ?m.7 ?m.9"},
        positions={("t", 0): ["⊢ p ?m.7 ?m.9 ?m.7"]},
        table={("⊢ p ?m.7 ?m.9 ?m.7", "one"): ["⊢ q ?m.9"], ("⊢ p ?m.7 ?m.9 ?m.7", "other"): ["⊢ q ?m.9 ?m.7"]},
    )
    check = TraceCheck()
    before = "⊢ p ?m.24 ?m.3 ?m.24"
    traced = file_with(step(0, "one", before, "⊢ q ?m.3"), step(0, "other", before, "⊢ q ?m.3 ?m.3"))
    check_file(PROJECT, traced, lean, check)
    assert [(miss.tactic, miss.kind) for miss in check.missed] == [("other", "state after")]


def test_several_files_are_checked_at_a_time_and_their_accounts_put_together() -> None:
    lean = MockLeanServer({"t": "⊢ p"}, positions={("t", 0): ["⊢ p"]}, table={("⊢ p", "good"): []})
    whole, broken = (file_with(step(0, "good", "⊢ p", after)) for after in ("no goals", "⊢ q"))
    files = [whole, broken, replace(whole, path="B.lean"), whole, whole]
    done: list[int] = []
    checks = list(check_files(PROJECT, iter(files), lean, on_batch=done.append))
    assert [check.matched for check in checks] == [1, 0, 1, 1, 1]
    together = TraceCheck()
    for check in checks:
        together.add(check)
    assert (together.matched, together.steps, [miss.kind for miss in together.missed]) == (4, 5, ["state after"])
    assert done == [1] * 5


def test_a_trace_without_steps_is_whole() -> None:
    assert TraceCheck().share == 1.0


def test_versions() -> None:
    assert minor_version("leanprover/lean4:v4.28.0-rc1") == minor_version("4.28.0-pre (commit 38f3c0c4)") == (4, 28)
    assert differs("leanprover/lean4:v4.9.0", "4.28.0-pre")
    assert differs("leanprover/lean4:nightly", "4.28.0-pre")  # which one it was, nobody can say
    assert not differs("leanprover/lean4:v4.28.1", "4.28.0-pre")
    assert not differs(None, "4.28.0-pre")


def test_errors_that_another_version_may_explain() -> None:
    def error(text: str) -> LeanMessage:
        return LeanMessage("error", text, Position(1, 0))

    assert is_unknown_here(error("Unknown identifier `Nat.foo`"))
    assert is_unknown_here(error("unexpected token 'grind'; expected command"))
    assert not is_unknown_here(error("unsolved goals\n⊢ False"))
    assert not is_unknown_here(error("Type mismatch"))
