"""Recorded sessions of the line protocol: what goes in, and what its description says must come out."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import LeanError
from lean_agent.lean.pantograph.repl import answer_line, serve
from lean_agent.lean.pantograph.session import Session
from lean_agent.lean.pool import LeanPool

pytestmark = pytest.mark.lean

Json = dict[str, Any]

AND_OR = "∀ (p : Prop), p → p ∧ (p ∨ p)"


@pytest.fixture
def session(lean: LeanPool) -> Iterator[Session]:
    session = Session(lean)
    yield session
    session.close()


def shape(answer: Json) -> Json:
    """An answer without what no description fixes: Lean's internal names."""
    answer = json.loads(json.dumps(answer))
    answer.pop("root", None) if isinstance(answer.get("root"), str) else None
    for goal in answer.get("goals", ()):
        assert goal.pop("name")
        for var in goal["vars"]:
            assert var.pop("name")
    return answer


def goal(target: str, *variables: tuple[str, str], user_name: str | None = None) -> Json:
    found: Json = {
        "fragment": "tactic",
        "target": {"pp": target},
        "vars": [{"userName": n, "isInaccessible": n.endswith("✝"), "type": {"pp": t}} for n, t in variables],
    }
    return found if user_name is None else {**found, "userName": user_name}


def moved(state: int, *goals: Json, sorry: bool = False) -> Json:
    return {"nextStateId": state, "goals": list(goals), "messages": [], "hasSorry": sorry, "hasUnsafe": False}


def play(session: Session, transcript: list[tuple[str, Json]]) -> None:
    for line, expected in transcript:
        answer = answer_line(session, line)
        assert shape(answer) == expected, line


P = ("p", "Prop")
H = ("h", "p")


def test_one_closed_branch_is_no_proof(session: Session) -> None:
    play(
        session,
        [
            ("goal.start " + json.dumps({"expr": AND_OR}), {"stateId": 0}),
            ('goal.tactic {"stateId": 0, "tactic": "intro p h"}', moved(1, goal("p ∧ (p ∨ p)", P, H))),
            (
                'goal.tactic {"stateId": 1, "tactic": "constructor"}',
                moved(2, goal("p", P, H, user_name="left"), goal("p ∨ p", P, H, user_name="right")),
            ),
            ('goal.tactic {"stateId": 2, "tactic": "exact h"}', moved(3, goal("p ∨ p", P, H, user_name="right"))),
            (
                'goal.print {"stateId": 3}',
                {
                    "goals": [],
                    "extraMVars": [],
                    "rootHasSorry": False,
                    "rootHasUnsafe": False,
                    "rootHasMVar": True,
                },
            ),
            # the other goal first: the first one waits its turn
            (
                'goal.tactic {"stateId": 2, "goalId": 1, "tactic": "left"}',
                moved(4, goal("p", P, H, user_name="right.h"), goal("p", P, H, user_name="left")),
            ),
            ('goal.tactic {"stateId": 4, "tactic": "all_goals assumption"}', moved(5)),
            (
                'goal.print {"stateId": 5, "rootExpr": true, "parentExprs": true}',
                {
                    "root": {"pp": "fun p h => ⟨h, Or.inl h⟩"},
                    "parentExprs": [{"pp": "h"}],
                    "goals": [],
                    "extraMVars": [],
                    "rootHasSorry": False,
                    "rootHasUnsafe": False,
                    "rootHasMVar": False,
                },
            ),
            ("stat", {"nGoals": 6}),
            ('goal.delete {"stateIds": [0, 1]}', {}),
            ('{"cmd": "stat", "payload": {}}', {"nGoals": 4}),
            ('goal.tactic {"stateId": 0, "tactic": "skip"}', {"error": "index", "desc": "Invalid state index 0"}),
            ("reset", {"nGoals": 4}),
            ('goal.start {"expr": "True"}', {"stateId": 0}),
        ],
    )


def test_dormant_goals_come_back(session: Session) -> None:
    play(
        session,
        [
            ('options.set {"automaticMode": false}', {}),
            ("goal.start " + json.dumps({"expr": AND_OR}), {"stateId": 0}),
            ('goal.tactic {"stateId": 0, "tactic": "intro p h"}', moved(1, goal("p ∧ (p ∨ p)", P, H))),
            (
                'goal.tactic {"stateId": 1, "tactic": "constructor"}',
                moved(2, goal("p", P, H, user_name="left"), goal("p ∨ p", P, H, user_name="right")),
            ),
            ('goal.tactic {"stateId": 2, "tactic": "exact h"}', moved(3)),  # its sibling is dormant
            (
                'goal.print {"stateId": 3}',
                {"goals": [], "extraMVars": [], "rootHasSorry": False, "rootHasUnsafe": False, "rootHasMVar": True},
            ),
            ('goal.tactic {"stateId": 3, "tactic": "exact h"}', {"error": "index", "desc": "No goals to be solved"}),
            (
                'goal.continue {"target": 3, "branch": 2}',
                {"nextStateId": 4, "goals": [goal("p ∨ p", P, H, user_name="right")]},
            ),
            (
                'goal.continue {"target": 2, "branch": 1}',
                {"error": "structure", "desc": "Target state has unresolved goals"},
            ),
            ('goal.tactic {"stateId": 4, "tactic": "exact Or.inr h"}', moved(5)),
            (
                'goal.print {"stateId": 5}',
                {"goals": [], "extraMVars": [], "rootHasSorry": False, "rootHasUnsafe": False, "rootHasMVar": False},
            ),
            (
                'goal.tactic {"stateId": 2, "goalId": 0, "autoResume": true, "tactic": "exact h"}',
                moved(6, goal("p ∨ p", P, H, user_name="right")),
            ),
        ],
    )


def test_goals_that_depend_on_each_other(session: Session) -> None:
    play(
        session,
        [('options.set {"printDependentMVars": true}', {}), ('goal.start {"expr": "∃ x, x = 3"}', {"stateId": 0})],
    )
    answer = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "apply Exists.intro"}')
    equation, witness = answer["goals"]
    assert (equation["target"]["pp"], witness["target"]["pp"]) == ("?w = 3", "Nat")
    assert equation["target"]["dependentMVars"] == [witness["name"]]
    assert witness["target"]["dependentMVars"] == []
    # solving the equation settles the witness; choosing a wrong witness leaves an equation that is false
    assert shape(answer_line(session, 'goal.tactic {"stateId": 1, "tactic": "rfl"}'))["goals"] == []
    wrong = answer_line(session, 'goal.tactic {"stateId": 1, "goalId": 1, "tactic": "exact 4"}')
    assert [g["target"]["pp"] for g in wrong["goals"]] == ["4 = 3"]
    assert "goals" not in answer_line(session, 'goal.tactic {"stateId": 3, "tactic": "rfl"}')


def test_universes_and_copies(session: Session) -> None:
    poly = {"expr": "∀ (α : Type u) (x : α), ∃ y, y = x", "levels": ["u"]}
    assert "stateId" in answer_line(session, "goal.start " + json.dumps(poly))
    answer = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "exact fun α x => ⟨x, rfl⟩"}')
    assert answer["goals"] == []
    assert answer_line(session, 'goal.start {"expr": "∀ (α : Type u), α = α"}')["error"] == "exception"
    assert answer_line(session, 'goal.start {"copyFrom": "Nat.add_comm"}')["stateId"] == 2
    assert answer_line(session, 'goal.start {"copyFrom": "no.such"}')["error"] == "index"
    assert answer_line(session, 'goal.start {"expr": "(", "levels": []}')["error"] == "parse"
    assert answer_line(session, "goal.start {}")["error"] == "arguments"


def test_failures_of_a_tactic(session: Session) -> None:
    answer_line(session, 'goal.start {"expr": "∀ (p q : Prop), p → q"}')
    failed = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "rfl"}')
    assert "goals" not in failed
    assert failed["messages"][0]["severity"] == "error"
    assert "rfl" in failed["messages"][0]["data"]
    assert "parseError" in answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "intro )"}')
    play(
        session,
        [
            ('goal.tactic {"stateId": 0, "tactic": "sorry"}', moved(1, sorry=True)),
            (
                'goal.tactic {"stateId": 0}',
                {
                    "error": "operation",
                    "desc": "Exactly one of {tactic, mode, expr, have, let, draft} must be supplied",
                },
            ),
            (
                'goal.tactic {"stateId": 0, "goalId": 3, "tactic": "skip"}',
                {"error": "index", "desc": "Invalid goal index 3"},
            ),
            ("nonsense {}", {"error": "command", "desc": "Unknown command nonsense"}),
        ],
    )
    assert answer_line(session, 'goal.tactic {"stateId": 0, "tactic": 3}')["error"] == "command"
    assert answer_line(session, 'goal.tactic {"stateId": 0, "mode": "tactic"}')["error"] == "invalid"
    assert answer_line(session, 'goal.tactic {"stateId": 0, "mode": "poetry"}')["error"] == "operation"
    assert answer_line(session, "goal.tactic {")["error"] == "command"


def test_modes(session: Session) -> None:
    equation = ("1 + 1 = 2", ("h", "True"))
    play(
        session,
        [
            ('goal.start {"expr": "True → 1 + 1 = 2"}', {"stateId": 0}),
            ('goal.tactic {"stateId": 0, "tactic": "intro h"}', moved(1, goal(*equation))),
            ('goal.tactic {"stateId": 1, "mode": "calc"}', moved(2, goal(*equation) | {"fragment": "calc"})),
            ('goal.tactic {"stateId": 2, "tactic": "_ = 2"}', moved(3, goal(*equation, user_name="calc"))),
            ('goal.tactic {"stateId": 1, "mode": "conv"}', moved(4, goal(*equation) | {"fragment": "conv"})),
            (
                'goal.tactic {"stateId": 4, "tactic": "lhs"}',
                moved(5, goal("1 + 1", ("h", "True")) | {"fragment": "conv"}),
            ),
            ('goal.tactic {"stateId": 5, "mode": "tactic"}', moved(6, goal(*equation))),
            ('goal.tactic {"stateId": 6, "expr": "rfl"}', moved(7)),
        ],
    )


def test_steps_of_a_sketch(session: Session) -> None:
    k, n = ("k", "p ∨ p"), {"userName": "n", "isInaccessible": False, "type": {"pp": "Nat"}, "value": {"pp": "?n"}}
    after_let = goal("p ∧ p", P, H)
    after_let["vars"].append(n)
    play(
        session,
        [
            ('goal.start {"expr": "∀ (p : Prop), p → p ∧ p"}', {"stateId": 0}),
            ('goal.tactic {"stateId": 0, "tactic": "intro p h"}', moved(1, goal("p ∧ p", P, H))),
            (
                'goal.tactic {"stateId": 1, "have": "p ∨ p", "binderName": "k"}',
                moved(2, goal("p ∨ p", P, H), goal("p ∧ p", P, H, k)),
            ),
            (
                'goal.tactic {"stateId": 1, "let": "Nat", "binderName": "n"}',
                moved(3, goal("Nat", P, H, user_name="n"), after_let),
            ),
            ('goal.tactic {"stateId": 1, "draft": "⟨sorry, sorry⟩"}', moved(4, goal("p", P, H), goal("p", P, H))),
            ('goal.tactic {"stateId": 4, "goalId": 1, "expr": "h"}', moved(5, goal("p", P, H))),
            ('goal.tactic {"stateId": 5, "expr": "h"}', moved(6)),
        ],
    )


def test_a_goal_that_another_one_solves(session: Session) -> None:
    answer_line(session, 'goal.start {"expr": "∀ (p : Prop), p → p ∧ p"}')
    answer = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "intro p h; constructor"}')
    left, right = (goal["name"] for goal in answer["goals"])
    asked = {"stateId": 1, "goal": right, "candidates": [left]}
    assert answer_line(session, "goal.subsume " + json.dumps(asked)) == {
        "result": "subsumed",
        "subsumptor": left,
        "stateId": 2,
    }
    play(session, [('goal.tactic {"stateId": 2, "tactic": "exact h"}', moved(3))])
    printed = answer_line(session, "goal.print " + json.dumps({"stateId": 3, "extraMVars": [left, right]}))
    assert printed["extraMVars"] == [{"pp": "h"}, {"pp": "h"}]
    assert printed["rootHasMVar"] is False
    unknown = answer_line(session, 'goal.print {"stateId": 3, "extraMVars": ["x"]}')
    assert unknown == {"error": "exception", "desc": "no metavariable x in this state"}


def test_sketches_and_what_completes_them(session: Session) -> None:
    for text, failure in (("def f : Nat := 3", {}), ("def g : Nat := 3", {"failure": "f is not accounted for"})):
        answer = answer_line(session, "frontend.track " + json.dumps({"src": "def f : Nat := sorry", "dst": text}))
        (warning,) = answer.pop("srcMessages")
        assert (warning["severity"], warning["data"]) == ("warning", "declaration uses `sorry`")
        assert answer == {"dstMessages": [], **failure}
    sketch = "theorem t (p : Prop) (h : p) : p ∧ p := by\n  have k : p := sorry\n  exact ⟨k, sorry⟩"
    answer = answer_line(session, "frontend.distil " + json.dumps({"file": sketch, "ignoreValues": False}))
    assert [shape(target) for target in answer["targets"]] == [
        {"stateId": 0, "goals": [goal("p", P, H), goal("p", P, H, ("k", "p"))]}
    ]
    play(session, [('goal.tactic {"stateId": 0, "tactic": "exact h"}', moved(1, goal("p", P, H, ("k", "p"))))])


def test_a_definition_and_what_is_said_of_it(session: Session) -> None:
    sketch = {"file": "def f : Nat := sorry\ntheorem t : f = 1 := sorry", "ignoreValues": True}
    (target,) = answer_line(session, "frontend.distil " + json.dumps(sketch))["targets"]
    assert shape(target) == {"stateId": 0, "goals": [goal("{ f // f = 1 }")]}
    named = answer_line(session, "frontend.distil " + json.dumps({**sketch, "binderName": "n"}))["targets"]
    assert [shape(target) for target in named] == [{"stateId": 1, "goals": [goal("{ n // n = 1 }")]}]
    joined = answer_line(session, "frontend.refactor " + json.dumps({"file": sketch["file"], "coreOptions": []}))
    assert joined == {"file": "\ndef f_composite : { f : Nat // f = 1 } :=\n  sorry"}


def test_heartbeats_count_from_the_request_on(session: Session) -> None:
    """A process that has imported the library has long used up a hundred thousand of them."""
    payload = {"file": "def f : Nat := sorry\ntheorem t : f = 1 := sorry", "coreOptions": ["maxHeartbeats=100"]}
    answer = answer_line(session, "frontend.refactor " + json.dumps(payload))
    assert answer == {"file": "\ndef f_composite : { f : Nat // f = 1 } :=\n  sorry"}


def test_options_and_what_they_show(session: Session) -> None:
    defaults = {
        "printJsonPretty": False,
        "printExprPretty": True,
        "printExprAST": False,
        "printDependentMVars": False,
        "noRepeat": False,
        "printAuxDecls": False,
        "printImplementationDetailHyps": False,
        "automaticMode": True,
        "timeout": 0,
    }
    function = ("aux", "Nat → Nat")
    play(
        session,
        [
            ("options.print {}", defaults),
            ('goal.start {"expr": "Nat"}', {"stateId": 0}),
            ('goal.tactic {"stateId": 0, "tactic": "have __k : True := trivial"}', moved(1, goal("Nat"))),
            (
                'goal.tactic {"stateId": 0, "tactic": "let rec aux (n : Nat) : Nat := n"}',
                moved(2, goal("Nat"), goal("Nat → Nat")),
            ),
            ('options.set {"printImplementationDetailHyps": true}', {}),
            ('goal.tactic {"stateId": 1, "tactic": "skip"}', moved(3, goal("Nat", ("__k", "True")))),
            ('goal.tactic {"stateId": 2, "tactic": "skip"}', moved(4, goal("Nat"), goal("Nat → Nat"))),
            ('options.set {"printImplementationDetailHyps": false, "printAuxDecls": true}', {}),
            ('goal.tactic {"stateId": 1, "tactic": "skip"}', moved(5, goal("Nat"))),
            ('goal.tactic {"stateId": 2, "tactic": "skip"}', moved(6, goal("Nat", function), goal("Nat → Nat"))),
            ("options.print {}", {**defaults, "printAuxDecls": True}),
        ],
    )


def test_constants_in_full(session: Session) -> None:
    described = answer_line(session, "env.describe {}")
    assert described["imports"] == ["Init"]
    assert described["modules"][0] == "Init.Prelude" and described["modules"][-1] == "Init"
    recursor = answer_line(session, 'env.inspect {"name": "Nat.rec"}')["recursorInfo"]
    rules = [(rule["ctor"], rule["nFields"], rule["rhs"]["pp"]) for rule in recursor.pop("rules")]
    assert rules == [
        ("Nat.zero", 0, "fun motive zero succ => zero"),
        ("Nat.succ", 1, "fun motive zero succ n => succ n (Nat.rec zero succ n)"),
    ]
    assert recursor == {"all": ["Nat"], "k": False, "numIndices": 0, "numMinors": 2, "numMotives": 1, "numParams": 0}
    text = "private theorem secret : 1 = 1 := rfl\nunsafe def danger : Nat := 1"
    answer_line(session, "frontend.process " + json.dumps({"file": text, "inheritEnv": True}))
    (private,) = (name for name in answer_line(session, "env.catalog {}")["symbols"] if name.endswith(".secret"))
    asked = {"name": private.removeprefix("t"), "value": True, "dependency": True}
    secret = answer_line(session, "env.inspect " + json.dumps(asked))
    assert (secret["publicName"], secret["isUnsafe"], secret["value"]) == ("secret", False, {"pp": "rfl"})
    assert secret["typeDependency"] == ["Eq", "Nat", "OfNat.ofNat", "instOfNatNat"]
    assert secret["valueDependency"] == ["rfl", "Nat", "OfNat.ofNat", "instOfNatNat"]
    assert answer_line(session, 'env.inspect {"name": "danger"}')["isUnsafe"] is True
    answer_line(session, 'goal.start {"expr": "Nat"}')
    unfinished = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "refine danger + ?_"}')
    assert unfinished["hasUnsafe"] is True
    assert answer_line(session, 'goal.print {"stateId": 1}')["rootHasUnsafe"] is True


def test_a_time_limit_is_an_answer(session: Session) -> None:
    answer_line(session, 'goal.start {"expr": "True"}')
    answer_line(session, 'options.set {"timeout": 300}')
    slow = 'goal.tactic {"stateId": 0, "tactic": "run_tac pure ()"}'
    assert "not allowed" in answer_line(session, slow)["messages"][0]["data"]
    slow = 'goal.tactic {"stateId": 0, "tactic": "sleep 1000; skip"}'
    assert answer_line(session, slow) == {"error": "internal", "desc": "interrupt"}
    answer_line(session, 'options.set {"timeout": 0}')
    assert answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "trivial"}')["goals"] == []


def test_the_environment(session: Session, tmp_path: Path) -> None:
    inspected = answer_line(session, 'env.inspect {"name": "Nat.add_one"}')
    assert inspected["type"] == {"pp": "∀ (n : Nat), n + 1 = n.succ"}
    assert inspected["module"].startswith("Init.")
    inductive = answer_line(session, 'env.inspect {"name": "Nat"}')["inductInfo"]
    assert inductive["ctors"] == ["Nat.zero", "Nat.succ"]
    assert (inductive["numParams"], inductive["numIndices"], inductive["isRec"]) == (0, 0, True)
    assert answer_line(session, 'env.inspect {"name": "Nat.succ"}')["constructorInfo"]["cidx"] == 1
    assert answer_line(session, 'env.inspect {"name": "no.such"}')["error"] == "index"
    added = {"name": "mystery", "value": "fun (a b : Prop) => a ∨ b", "isTheorem": False}
    assert answer_line(session, "env.add " + json.dumps(added)) == {}
    again = answer_line(session, 'env.inspect {"name": "mystery", "value": true}')
    assert (again["type"], again["value"]) == ({"pp": "Prop → Prop → Prop"}, {"pp": "fun a b => a ∨ b"})
    false = {"name": "absurd'", "type": "1 = 2", "value": "sorry", "isTheorem": True}
    assert answer_line(session, "env.add " + json.dumps({**false, "value": "rfl"}))["error"] == "exception"
    symbols = answer_line(session, "env.catalog {}")["symbols"]
    assert {"tNat.add_comm", "iNat", "cNat.zero", "rNat.rec", "dmystery", "apropext"} <= set(symbols)
    listing = tmp_path / "symbols"
    listing.touch()
    with listing.open() as held:  # a client holds the file open while it is written
        assert (
            answer_line(session, "env.catalog " + json.dumps({"filename": str(listing), "modulePrefix": "Init.Core"}))
            == {}
        )
        named = held.read().split("\n")
    assert "tNat.add_comm" not in named
    assert 10 < len(named) < len(symbols)
    echo = answer_line(session, 'expr.echo {"expr": "fun {α : Sort (u + 1)} => List α", "levels": ["u"]}')
    assert echo == {"expr": {"pp": "fun {α} => List α"}, "type": {"pp": "{α : Type u} → Type u"}}
    module = answer_line(session, 'env.module_read {"module": "Init.Core"}')
    assert module["imports"] == ["Init.SizeOf"]
    assert answer_line(session, 'env.parse {"input": "intro x; apply a", "category": "tactic"}') == {"pos": 7}


def test_whole_texts(session: Session, tmp_path: Path) -> None:
    source = "example : ∀ (p q: Prop), p → p ∨ q := by\n  intro p q h\n  exact Or.inl h"
    found = tmp_path / "invocations.json"
    request = {"file": source, "invocations": str(found)}
    assert answer_line(session, "frontend.process " + json.dumps(request)) == {
        "units": [{"boundary": [0, len(source.encode())], "messages": [], "nInvocations": 2}]
    }
    assert json.loads(found.read_text("utf-8")) == {
        "units": [
            {
                "invocations": [
                    {
                        "goalBefore": "⊢ ∀ (p q : Prop), p → p ∨ q",
                        "goalAfter": "p q : Prop\nh : p\n⊢ p ∨ q",
                        "tactic": "intro p q h",
                        "usedConstants": [],
                    },
                    {
                        "goalBefore": "p q : Prop\nh : p\n⊢ p ∨ q",
                        "goalAfter": "",
                        "tactic": "exact Or.inl h",
                        "usedConstants": ["Or.inl"],
                    },
                ]
            }
        ]
    }
    header = {"file": "import Init\nopen Nat\nuniverse u", "readHeader": True, "inheritEnv": True}
    answer = answer_line(session, "frontend.process " + json.dumps(header))
    assert [unit["boundary"] for unit in answer["units"]] == [[12, 21], [21, 31]]
    assert answer_line(session, 'goal.start {"expr": "∀ (x : Sort u), Sort (u + 1)"}')["stateId"] == 0
    answer_line(session, 'goal.start {"expr": "∀ (n : Nat), n + 1 = Nat.succ n"}')
    assert answer_line(session, 'goal.tactic {"stateId": 1, "tactic": "exact fun n => add_one n"}')["goals"] == []
    assert answer_line(session, "frontend.process {}")["error"] == "arguments"


def test_refusals_name_the_command(session: Session) -> None:
    for line in ('env.save {"path": "x"}', 'env.load {"path": "x"}'):
        answer = answer_line(session, line)
        assert answer["error"] == "invalid"
        assert line.split(" ", maxsplit=1)[0] in answer["desc"]
        assert "not supported" in answer["desc"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('options.set {"noRepeat": true}', "invalid"),
        ('options.set {"printExprAST": true}', "invalid"),
        ('options.set {"printExprPretty": false}', "invalid"),
        ('options.set {"noRepeat": 1}', "command"),
        ('frontend.process {"file": "", "sorrys": true}', "invalid"),
        ('frontend.distil {"file": "example : True := sorry", "ignoreValues": true}', "frontend"),
        (
            'frontend.distil {"file": "def f : Nat := sorry\\nexample : f = f := sorry", "ignoreValues": false}',
            "frontend",
        ),
        ('goal.subsume {"stateId": 0, "goal": "g", "candidates": [], "srcStateId": 0}', "invalid"),
    ],
)
def test_the_kind_of_a_refusal_is_the_documented_one(session: Session, line: str, kind: str) -> None:
    answer_line(session, 'goal.start {"expr": "True"}')
    assert answer_line(session, line)["error"] == kind


def test_a_tactic_that_is_not_allowed_fails_as_any_other(session: Session) -> None:
    answer_line(session, 'goal.start {"expr": "True"}')
    answer = answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "run_tac pure ()"}')
    assert "goals" not in answer and "error" not in answer
    assert "not allowed" in answer["messages"][0]["data"]


def test_a_session_outlives_its_process(session: Session, lean: LeanPool) -> None:
    answer_line(session, 'env.add {"name": "two", "type": "Nat", "value": "2", "isTheorem": false}')
    answer_line(session, 'goal.start {"expr": "∀ (n : Nat), n = two → n = 2"}')
    answer_line(session, 'goal.tactic {"stateId": 0, "tactic": "intro n h"}')
    (pid,) = lean.pids()
    os.kill(pid, signal.SIGKILL)
    assert answer_line(session, 'goal.tactic {"stateId": 1, "tactic": "exact h"}')["goals"] == []
    assert lean.pids() != [pid]


def test_a_module_that_is_not_there_is_named(lean: LeanPool) -> None:
    with pytest.raises(LeanError, match="unknown module prefix 'No'"):
        Session(lean, ["No.Such"]).run("stat", {})


def test_the_program_speaks_the_protocol() -> None:
    lines = 'goal.start {"expr": "1 + 1 = 2"}\ngoal.tactic {"stateId": 0, "tactic": "rfl"}\n\nstat {}\n'
    done = subprocess.run(
        [sys.executable, "-m", "lean_agent", "pantograph-repl", "Init", "--pp.all=false"],
        input=lines,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    ready, started, closed = done.stdout.splitlines()  # the empty line ended it
    assert ready == "ready."
    assert json.loads(started)["stateId"] == 0
    assert json.loads(closed) == moved(1)


def test_serve_ends_with_its_input() -> None:
    out = io.StringIO()
    serve(["Init"], [], ['options.set {"printJsonPretty": true}\n', "stat\n"], out)
    assert out.getvalue() == 'ready.\n{}\n{\n  "nGoals": 0\n}\n'


LINES = [
    (r'goal.start {"expr": "\ud800"}', "surrogates"),
    (r'{"cmd": "\ud800", "payload": {}}', "surrogates"),
    ('env.catalog {"filename": 3}', "filename"),
    ('frontend.process {"fileName": 3}', "fileName"),
    (r'frontend.process {"fileName": "a\u0000b"}', "fileName"),
    ('goal.start {"expr": NaN}', "NaN is no number"),
    ('goal.start {"expr": -Infinity}', "-Infinity is no number"),
    ('goal.start {"expr": 1e999}', "JSON"),
    ("[" * 100_000, "Unknown command"),
    ('{"cmd": "stat", "payload": ' + "[" * 100_000 + "}", "nested too deeply"),
    ('options.set {"timeout": 1' + "0" * 400 + "}", "timeout"),
    ('goal.delete {"stateIds": ["a", [1]]}', "stateIds"),
    ('goal.save {"id": 0, "path": ""}', "it is no file"),
    ('goal.save {"id": 0, "path": "' + "a" * 5000 + '"}', "too long"),
    ("session.close {}", "Unknown command"),
]


@pytest.mark.parametrize(("line", "words"), LINES)
def test_a_bad_line_is_answered(session: Session, line: str, words: str) -> None:
    answer_line(session, 'goal.start {"expr": "True"}')
    answer = answer_line(session, line)
    assert answer["error"] in ("command", "io")
    assert words in answer["desc"]
    json.dumps(answer, ensure_ascii=False).encode()
    assert answer_line(session, "stat {}") == {"nGoals": 1}


def test_bytes_that_are_no_text_are_answered() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lean_agent", "pantograph-repl"],
        input=b'goal.start {"expr": "\xff"}\nstat {}\n',
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    _, refused, stat = done.stdout.decode().splitlines()
    assert json.loads(refused)["error"] == "command"
    assert json.loads(stat) == {"nGoals": 0}
