"""The line protocol of leanprover-community/repl: sessions of its documentation, limits, pickled files, a client."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from lean_interact import Command, LeanREPLConfig, LeanServer, ProofStep
from lean_interact.interface import CommandResponse, LeanError, ProofStepResponse

from lean_agent.lean.pool import LeanPool
from lean_agent.service.repl import MOST_CHARACTERS, Repl, requests_of, serve_lines

Json = dict[str, Any]
SORRY = "declaration uses `sorry`"

pytestmark = pytest.mark.lean


def at(line: int, column: int) -> Json:
    return {"line": line, "column": column}


def hole(state: int, goal: str, start: Json, end: Json) -> Json:
    return {"proofState": state, "pos": start, "goal": goal, "endPos": end}


def warning(start: Json, end: Json, text: str = SORRY) -> Json:
    return {"severity": "warning", "pos": start, "endPos": end, "data": text}


# What the project's README and tests record, as values: the order of fields says nothing. The README's words for a
# `sorry` are older than Lean 4.28, and `proofStatus` is younger than the README.
TACTIC_MODE = [
    (
        {"cmd": "def f (x : Unit) : Nat := by sorry"},
        {
            "sorries": [hole(0, "x : Unit\n⊢ Nat", at(1, 29), at(1, 34))],
            "messages": [warning(at(1, 4), at(1, 5))],
            "env": 0,
        },
    ),
    (
        {"tactic": "apply Int.natAbs", "proofState": 0},
        {"proofStatus": "Incomplete: open goals remain", "proofState": 1, "goals": ["x : Unit\n⊢ Int"]},
    ),
    ({"tactic": "exact -37", "proofState": 1}, {"proofStatus": "Completed", "proofState": 2, "goals": []}),
]
HAVE_BY_SORRY = [
    (
        {"cmd": "theorem foo (x : Int) : x = x := by\n  have h : x = 1 := by sorry"},
        {
            "sorries": [hole(0, "x : Int\n⊢ x = 1", at(2, 23), at(2, 28))],
            "messages": [
                {
                    "severity": "error",
                    "pos": at(1, 33),
                    "endPos": at(2, 28),
                    "data": "unsolved goals\nx : Int\nh : x = 1\n⊢ x = x",
                }
            ],
            "env": 0,
        },
    ),
    (
        {"proofState": 0, "tactic": "have h : x = 1 := by sorry"},
        {
            "sorries": [{"proofState": 1, "goal": "x : Int\n⊢ x = 1"}],
            "proofStatus": "Incomplete: open goals remain",
            "proofState": 2,
            "goals": ["x : Int\nh : x = 1\n⊢ x = 1"],
        },
    ),
]
BY_CASES = [
    (
        {"cmd": "theorem foo (x : Int) : x = x := by sorry"},
        {
            "sorries": [hole(0, "x : Int\n⊢ x = x", at(1, 36), at(1, 41))],
            "messages": [warning(at(1, 8), at(1, 11))],
            "env": 0,
        },
    ),
    (
        {"proofState": 0, "tactic": "by_cases h : x < 0"},
        {
            "proofStatus": "Incomplete: open goals remain",
            "proofState": 1,
            "goals": ["case pos\nx : Int\nh : x < 0\n⊢ x = x", "case neg\nx : Int\nh : ¬x < 0\n⊢ x = x"],
        },
    ),
    (
        {"proofState": 1, "tactic": "case pos => rfl"},
        {
            "proofStatus": "Incomplete: open goals remain",
            "proofState": 2,
            "goals": ["case neg\nx : Int\nh : ¬x < 0\n⊢ x = x"],
        },
    ),
    (
        {"proofState": 1, "tactic": "all_goals sorry"},
        {
            "sorries": [
                {"proofState": 3, "goal": "case pos\nx : Int\nh : x < 0\n⊢ x = x"},
                {"proofState": 4, "goal": "case neg\nx : Int\nh : ¬x < 0\n⊢ x = x"},
            ],
            "proofStatus": "Incomplete: contains sorry",
            "proofState": 5,
            "goals": [],
        },
    ),
]


@pytest.fixture
def repl(lean: LeanPool) -> Repl:
    lean.check("", timeout_s=600)
    return Repl(lean)


def ask(repl: Repl, **request: Any) -> Json:
    return repl.answer(json.dumps(request))


@pytest.mark.parametrize("session", [TACTIC_MODE, HAVE_BY_SORRY, BY_CASES], ids=["readme", "have_by_sorry", "by_cases"])
def test_recorded_sessions_come_out_the_same(repl: Repl, session: list[tuple[Json, Json]]) -> None:
    for request, answer in session:
        assert repl.answer(json.dumps(request)) == answer


def test_environments_are_branched_from(repl: Repl) -> None:
    assert ask(repl, cmd="def f := 2\nopen Nat\nvariable (n : Nat)") == {"env": 0}
    assert ask(repl, cmd="example : f = 2 := rfl\ntheorem x : succ n = n + 1 := rfl", env=0) == {"env": 1}
    assert ask(repl, cmd="def g := f + 1", env=0) == {"env": 2}
    assert ask(repl, cmd="example : g = 3 := rfl", env=2) == {"env": 3}
    (missing,) = ask(repl, cmd="#check g", env=1)["messages"]
    assert missing["severity"] == "error" and "g" in missing["data"]
    (late,) = ask(repl, cmd="import Lean", env=0)["messages"]
    assert "'import'" in late["data"]


def test_a_file_and_its_tactics(repl: Repl, tmp_path: Path) -> None:
    file = tmp_path / "file.lean"
    file.write_text("def f : Nat := 37\n\ndef g := 2\n\ntheorem h : f + g = 39 := by exact rfl\n", encoding="utf-8")
    answer = ask(repl, path=str(file), allTactics=True)
    (tactic,) = answer["tactics"]
    assert tactic.pop("usedConstants") == ["rfl"]
    assert tactic == {
        "tactic": "exact rfl",
        "proofState": 0,
        "pos": at(5, 29),
        "goals": "⊢ f + g = 39",
        "endPos": at(5, 38),
    }
    assert answer["env"] == 0
    assert ask(repl, tactic="decide", proofState=0)["proofStatus"] == "Completed"


def test_a_time_limit_ends_a_command_and_not_the_process(repl: Repl, lean: LeanPool) -> None:
    ask(repl, cmd="def kept := 5")
    (pid,) = lean.pids()
    late = ask(repl, cmd="theorem long : True := by\n  repeat' (first | skip)\n  trivial", timeout=0.5)
    assert late == {"message": "Lean error:\ntimeout: not done within 0.5 s"}
    assert ask(repl, cmd="example : kept = 5 := rfl", env=0) == {"env": 1}
    assert lean.pids() == [pid]


def test_a_session_outlives_its_process(repl: Repl, lean: LeanPool) -> None:
    ask(repl, cmd="def kept := 5")
    ask(repl, cmd="theorem t (p : Prop) (h : p) : p ∧ p := by sorry", env=0)
    ask(repl, tactic="constructor", proofState=0)
    (pid,) = lean.pids()
    os.kill(pid, signal.SIGKILL)
    assert ask(repl, tactic="all_goals exact h", proofState=1)["proofStatus"] == "Completed"
    assert ask(repl, cmd="example : kept = 5 := rfl", env=1) == {"env": 2}
    assert lean.pids() != [pid]


def test_values_are_pickled_as_what_they_came_from(repl: Repl, lean: LeanPool, tmp_path: Path) -> None:
    ask(repl, cmd="def f : Nat := by sorry\nopen Nat")
    assert ask(repl, pickleTo=str(tmp_path / "a"), env=0) == {"env": 0}
    ask(repl, tactic="have t : Nat := 42", proofState=0)
    told = ask(repl, pickleTo=str(tmp_path / "b"), proofState=1)
    assert told == {"proofStatus": "Incomplete: open goals remain", "proofState": 2, "goals": ["t : Nat\n⊢ Nat"]}
    other = Repl(lean)
    assert ask(other, unpickleEnvFrom=str(tmp_path / "a")) == {"env": 0}
    assert ask(other, cmd="#check (f, succ)", env=0)["messages"][0]["severity"] == "info"
    assert ask(other, unpickleProofStateFrom=str(tmp_path / "b")) == {**told, "proofState": 0}
    assert ask(other, tactic="exact t", proofState=0)["proofStatus"] == "Completed"
    assert "holds no pickled value" in ask(other, unpickleEnvFrom=str(tmp_path / "b"))["message"]


def test_bad_requests_are_answered_and_the_next_one_too(repl: Repl, tmp_path: Path) -> None:
    huge = "x" * (MOST_CHARACTERS + 1)
    for line, words in [
        ("no JSON", "Could not parse JSON"),
        ("[" * 1_000_000, "nested too deeply"),
        ("[]", "Could not parse as a valid JSON command."),
        ("{}", "Could not parse as a valid JSON command."),
        (json.dumps({"cmd": 3}), "cmd: text expected."),
        (json.dumps({"cmd": huge}), "1,000,001 characters are too many"),
        (json.dumps({"cmd": "\ud800"}), "surrogate"),
        (json.dumps({"cmd": "#check Nat", "env": 7}), "Unknown environment."),
        (json.dumps({"cmd": "#check Nat", "env": "0"}), "Unknown environment."),
        (json.dumps({"cmd": "#check Nat", "timeout": -1}), "timeout: a number of seconds expected."),
        (json.dumps({"tactic": "rfl"}), "Unknown proof state."),
        (json.dumps({"path": str(tmp_path / "none.lean")}), "cannot be read"),
        (json.dumps({"path": "a\0b"}), "a path expected"),
        (json.dumps({"unpickleEnvFrom": str(tmp_path)}), "cannot be read"),
        (json.dumps({"cmd": "import Nothing"}), "unknown module prefix 'Nothing'"),
    ]:
        answer = repl.answer(line)
        assert set(answer) == {"message"} and words in answer["message"], line[:80]
    assert ask(repl, cmd="\0")["messages"][0]["severity"] == "error"
    assert "messages" not in ask(repl, cmd="def fine := 1")


def test_requests_are_parted_by_empty_lines() -> None:
    lines = ['{"cmd":\n', '  "def f := 2"}\n', "\n", "\n", "-- a comment\n", "\n", '{"cmd": "x"}\n']
    assert list(requests_of(lines)) == ['{"cmd":  "def f := 2"}', '{"cmd": "x"}']


def test_answers_are_followed_by_an_empty_line(repl: Repl) -> None:
    out = StringIO()
    serve_lines(repl, ['{"cmd": "def f := 2"}\n', "\n"], out)
    assert out.getvalue() == '{"env": 0}\n\n'


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LeanServer]:
    """LeanInteract's own client, pointed at ours: it asks a `lake` to run the program of a folder."""
    folder = tmp_path_factory.mktemp("repl")
    (folder / "lean-toolchain").write_text("leanprover/lean4:v4.28.0\n", encoding="utf-8")
    program = folder / ".lake" / "build" / "bin" / "repl"
    program.parent.mkdir(parents=True)
    root = Path(__file__).resolve().parents[2]
    program.write_text(
        f'#!/bin/sh\nPYTHONPATH="{root}:$PYTHONPATH" exec "{sys.executable}" -m lean_agent repl\n', encoding="utf-8"
    )
    program.chmod(0o755)
    config = LeanREPLConfig(local_repl_path=folder, build_repl=False, lake_path="/usr/bin/env")
    server = LeanServer(config)
    yield server
    server.kill()


def test_lean_interact_drives_it(client: LeanServer) -> None:
    command = client.run(Command(cmd="theorem t (n : Nat) : n + 0 = n := by sorry", all_tactics=True), timeout=600)
    assert isinstance(command, CommandResponse)
    assert command.env == 0 and command.sorries[0].goal == "n : Nat\n⊢ n + 0 = n"
    step = client.run(ProofStep(tactic="rfl", proof_state=0), timeout=60)
    assert isinstance(step, ProofStepResponse) and step.proof_status == "Completed"
    wrong = client.run(Command(cmd="example : t = 3 := rfl", env=0), timeout=60)
    assert isinstance(wrong, CommandResponse) and not wrong.lean_code_is_valid()
    assert isinstance(client.run(ProofStep(tactic="nothing", proof_state=0), timeout=60), LeanError)
