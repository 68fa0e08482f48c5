"""What a session remembers, and what the line protocol reads, without Lean."""

from __future__ import annotations

import pickle

import pytest

from lean_agent.errors import TacticFailure as AnyTacticFailure
from lean_agent.lean.pantograph import Goal, Message, Position, ServerError, Severity, Site, TacticFailure, Variable
from lean_agent.lean.pantograph.journal import Journal, JournalEntry
from lean_agent.lean.pantograph.repl import parse_line
from lean_agent.lean.pantograph.session import DEFAULTS, changed


def tactic(before: int, after: int, **more: int) -> JournalEntry:
    return JournalEntry("goal.tactic", {"stateId": before, "tactic": "skip", **more}, {}, (after,))


def test_a_script_holds_what_a_state_needs_in_order() -> None:
    journal = Journal()
    journal.record(JournalEntry("goal.start", {"expr": "True"}, {}, (0,)))
    for entry in (tactic(0, 1), tactic(0, 2), tactic(2, 3)):
        journal.record(entry)
    journal.record(JournalEntry("goal.continue", {"target": 3, "branch": 1}, {}, (4,)))
    assert [e.made for e in journal.script(4)] == [(0,), (1,), (2,), (3,), (4,)]
    assert [e.made for e in journal.script(3)] == [(0,), (2,), (3,)]


def test_forgotten_states_stay_while_others_came_from_them() -> None:
    journal = Journal()
    journal.record(JournalEntry("goal.start", {"expr": "True"}, {}, (0,)))
    journal.record(tactic(0, 1))
    journal.forget([0])
    assert not journal.knows(0)
    assert [e.made for e in journal.script(1)] == [(0,), (1,)]
    journal.forget([1])
    assert journal.script(1) == []


def test_a_command_without_states_changes_the_environment() -> None:
    journal = Journal()
    journal.record(JournalEntry("env.add", {"name": "x"}, {}))
    journal.record(JournalEntry("frontend.distil", {"file": "…"}, {}, (0, 1)))
    journal.clear()
    assert [e.cmd for e in journal.environment] == ["env.add"]
    assert not journal.knows(0)


def test_ids_are_exchanged_in_every_field_that_holds_one() -> None:
    entry = JournalEntry("goal.continue", {"target": 7, "branch": 5, "goals": None}, {}, (8,))
    assert entry.renumbered({7: 1, 5: 0}) == {"target": 1, "branch": 0, "goals": None}


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ('goal.start {"expr": "∀ p, p"}', ("goal.start", {"expr": "∀ p, p"})),
        ("stat", ("stat", {})),
        ('{"cmd": "goal.delete", "payload": {"stateIds": [0]}}', ("goal.delete", {"stateIds": [0]})),
    ],
)
def test_both_forms_of_a_line(line: str, command: tuple[str, dict[str, object]]) -> None:
    assert parse_line(line) == command


@pytest.mark.parametrize("line", ["goal.start {", "goal.start [1]", '{"payload": {}}', '{"cmd": "stat"}'])
def test_a_line_that_is_no_command(line: str) -> None:
    with pytest.raises(ValueError):
        parse_line(line)


def test_options_keep_their_types_and_refuse_what_is_not_there() -> None:
    assert changed(DEFAULTS, {"automaticMode": False, "timeout": 10, "other": 1}) == {
        **DEFAULTS,
        "automaticMode": False,
        "timeout": 10,
    }
    for wished, reason in (
        ({"timeout": True}, "int expected"),
        ({"automaticMode": 1}, "bool expected"),
        ({"printExprAST": True}, "no printer of syntax trees"),
    ):
        with pytest.raises(ValueError, match=reason):
            changed(DEFAULTS, wished)


def test_a_goal_reads_its_fields() -> None:
    payload = {
        "name": "_uniq.9",
        "userName": "inl",
        "fragment": "tactic",
        "target": {"pp": "?w = 3", "dependentMVars": ["_uniq.10", "_uniq.77"]},
        "vars": [
            {"name": "_uniq.1", "userName": "n", "isInaccessible": False, "type": {"pp": "Nat", "dependentMVars": []}}
        ],
    }
    goal = Goal.parse(payload, {"_uniq.9": 0, "_uniq.10": 1})
    assert goal == Goal("_uniq.9", [Variable("Nat", None, "n")], "?w = 3", {1}, "inl")  # _uniq.77 is no sibling
    assert str(goal) == "inl\nn : Nat\n⊢ ?w = 3"
    assert Site(goal_id=0).serial() == {"goalId": 0}


def test_failures_carry_what_pypantograph_puts_in_them() -> None:
    message = Message("no goals", Position(0, 0), severity=Severity.ERROR)
    failure = TacticFailure([message], "exact h")
    assert isinstance(failure, AnyTacticFailure)
    assert failure.args[0] == [message]
    assert (failure.message, failure.tactic, str(message)) == ("no goals", "exact h", "0:0: error: no goals")
    again = pickle.loads(pickle.dumps(TacticFailure({"parseError": "unexpected token"}, "(", "parse")))
    assert (again.message, again.kind, again.args[0]) == (
        "unexpected token",
        "parse",
        {"parseError": "unexpected token"},
    )
    assert str(ServerError({"error": "index", "desc": "Invalid state index 9"})) == "Invalid state index 9"
