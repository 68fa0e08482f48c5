"""The contract of Pantograph's Python API, run over everything that stands behind it.

That is the mock, embedded Lean in a pool, our process on a pipe, and a native ``pantograph-repl`` where there is one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent.errors import LeanInstallError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pantograph import GoalState, Server, ServerError, Site, TacticFailure, Variable
from lean_agent.lean.pantograph.transport import find_pantograph

AND_OR = "∀ (p : Prop), p → p ∧ (p ∨ p)"

SERVERS = [
    "mock",
    pytest.param("embedded", marks=pytest.mark.lean),
    pytest.param("process", marks=[pytest.mark.lean, pytest.mark.slow]),
    pytest.param("native", marks=pytest.mark.lean),
]


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "native":
        try:
            find_pantograph()
        except LeanInstallError as e:
            pytest.skip(str(e))
    found = {
        "mock": lambda: Server(pool=MockLeanServer()),
        "embedded": lambda: Server(pool=request.getfixturevalue("lean")),
        "process": lambda: Server(repl=[sys.executable, "-m", "lean_agent", "pantograph-repl"], timeout=300),
        "native": lambda: Server(repl="native", timeout=300),
    }[request.param]()
    with found:
        yield found


def targets(state: GoalState) -> list[str]:
    return [goal.target for goal in state.goals]


def test_a_goal_starts_with_its_target(server: Server) -> None:
    state = server.goal_start(AND_OR)
    assert len(state.goals) == 1
    assert state.goals[0].variables == []
    assert not state.is_solved


def test_hypotheses_have_names_and_types(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    (goal,) = state.goals
    assert goal.variables == [Variable("Prop", None, "p"), Variable("p", None, "h")]
    assert goal.target == "p ∧ (p ∨ p)"


def test_one_branch_of_a_conjunction_is_not_the_theorem(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    state = server.goal_tactic(state, "constructor")
    assert targets(state) == ["p", "p ∨ p"]
    state = server.goal_tactic(state, "exact h")
    assert targets(state) == ["p ∨ p"]
    assert not state.is_solved
    state = server.goal_tactic(server.goal_tactic(state, "left"), "exact h")
    assert state.is_solved


def test_the_first_goal_can_be_named(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h", Site(0))
    assert targets(state) == ["p ∧ (p ∨ p)"]


def test_states_are_immutable(server: Server) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    first, second = server.goal_tactic(state, "constructor"), server.goal_tactic(state, "constructor")
    assert first.state_id != second.state_id
    assert targets(first) == targets(second) == ["p", "p ∨ p"]
    assert targets(state) == ["p ∧ (p ∨ p)"]


@pytest.mark.parametrize("tactic", ["exact q", "no_such_tactic", "sorry", "exact h"])
def test_a_tactic_that_fails_leaves_the_state_usable(server: Server, tactic: str) -> None:
    state = server.goal_tactic(server.goal_start(AND_OR), "intro p h")
    with pytest.raises(TacticFailure):
        server.goal_tactic(state, tactic)
    assert len(server.goal_tactic(state, "constructor").goals) == 2


def test_what_is_refused_is_a_server_error(server: Server) -> None:
    with pytest.raises(ServerError):
        server.goal_start("∀ (p : Prop), p →")
    state = server.goal_tactic(server.goal_start("True"), "trivial")
    assert state.is_solved
    with pytest.raises(ServerError):
        server.goal_tactic(state, "trivial")
    with pytest.raises(ServerError):
        server.run("goal.print", {"stateId": 99999}) and server.goal_tactic(GoalState(99999, [], [], []), "skip")


def test_states_that_are_forgotten_are_deleted(server: Server) -> None:
    state = server.goal_start(AND_OR)
    number = state.state_id
    del state
    server.gc()
    assert server.run("goal.print", {"stateId": number})["error"] == "index"


def test_the_asynchronous_face_is_the_same(server: Server) -> None:
    async def prove() -> bool:
        state = await server.goal_start_async("∀ (p q : Prop), p ∧ q → q ∧ p")
        for tactic in ("intro p q h", "constructor", "exact h.2", "exact h.1"):
            state = await server.goal_tactic_async(state, tactic)
        return state.is_solved

    assert asyncio.run(prove())


def test_a_command_without_its_state_is_an_error(server: Server) -> None:
    for cmd, payload in (("goal.tactic", {"tactic": "skip"}), ("goal.print", {}), ("goal.delete", {})):
        assert "Unable to parse json" in server.run(cmd, payload)["desc"]


# -- whole texts, which the mock does not read


@pytest.fixture
def reader(server: Server, request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.node.callspec.params["server"] == "mock":
        pytest.skip("the mock reads no text")
    server.run("options.set", {"printDependentMVars": True})
    yield server
    server.run("options.set", {"printDependentMVars": False})


def couplings(state: GoalState) -> list[tuple[str, set[int] | None]]:
    """Of each goal its target, unless it speaks of others, whose names are as they come; and which these are."""
    return [("…" if goal.sibling_dep else goal.target, goal.sibling_dep) for goal in state.goals]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("example : ∃ n, n = 2 := ⟨sorry, sorry⟩", [("Nat", set()), ("…", {0})]),
        ("theorem t : ∃ n, n = 2 := by\n  refine ⟨?_, ?_⟩\n  · sorry\n  · sorry", [("Nat", set()), ("…", {0})]),
        # In the order of the text, whichever speaks of which.
        ("theorem t : ∃ n, n = 2 := by\n  constructor\n  sorry\n  sorry", [("…", {1}), ("Nat", set())]),
        ("theorem t : ∃ n, n = 2 := by\n  constructor\n  · sorry\n  · exact .succ sorry", [("…", {1}), ("Nat", set())]),
        (
            "example : ∃ a b : Nat, a < b := by\n  refine ⟨?_, ?_, ?_⟩ <;> sorry",
            [("Nat", set()), ("Nat", set()), ("…", {0, 1})],
        ),
        (
            "example : ∃ (α : Type) (_ : Inhabited α), (default : α) = default := ⟨sorry, sorry, sorry⟩",
            [("Type", set()), ("…", {0}), ("…", {0, 1})],
        ),
        ("example : ∀ x : Nat, ∃ y, y = x := fun x => ⟨sorry, sorry⟩", [("Nat", set()), ("…", {0})]),
        (
            "example (a b : Nat) : a = b := calc\n  a = sorry := sorry\n  _ = b := sorry",
            [("Nat", set()), ("…", {0}), ("…", {0})],
        ),
        (
            "example (a b : Nat) : a = b := by\n  exact (show a = sorry from sorry).trans sorry",
            [("Nat", set()), ("…", {0}), ("…", {0})],
        ),
        ("example : True ∧ 1 = 1 := ⟨sorry, sorry⟩", [("True", set()), ("1 = 1", set())]),
    ],
)
def test_holes_that_speak_of_others_are_coupled_goals(
    reader: Server, source: str, expected: list[tuple[str, set[int] | None]]
) -> None:
    (target,) = reader.load_sorry(source)
    assert couplings(target.goal_state) == expected


def test_coupled_holes_are_filled_together(reader: Server) -> None:
    (target,) = reader.load_sorry("theorem t : ∃ n m : Nat, n = m + 2 := by\n  refine ⟨?_, ?_, ?_⟩ <;> sorry")
    assert targets(target.goal_state)[:2] == ["Nat", "Nat"]
    first = reader.goal_tactic(target.goal_state, "exact 5")
    assert [goal.sibling_dep for goal in first.goals] == [set(), {0}]
    for number, rest in (("3", []), ("4", ["5 = 4 + 2"])):
        state = reader.goal_tactic(first, f"exact {number}")
        assert targets(state) == [f"5 = {number} + 2"] and not state.is_solved
        if not rest:
            assert reader.goal_tactic(state, "rfl").is_solved
            continue
        with pytest.raises(TacticFailure):
            reader.goal_tactic(state, "rfl")
    for name in ("t", "t.1"):  # the theorem itself is not there
        with pytest.raises(TacticFailure):
            reader.goal_tactic(first, f"exact ({name})", Site(1))


def test_a_let_is_coupled_to_the_hole_in_its_value(reader: Server) -> None:
    source = "theorem t (m : Nat) : ∃ n, m < n := by\n  let k : Nat := sorry\n  refine ⟨k, ?_⟩\n  sorry"
    (target,) = reader.load_sorry(source)
    number, rest = target.goal_state.goals
    assert (number.target, [v.name for v in rest.variables], rest.target) == ("Nat", ["m", "k"], "m < k")
    state = reader.goal_tactic(target.goal_state, "exact m + 1")
    assert state.goals[0].variables[1] == Variable("Nat", "m + 1", "k")
    assert reader.goal_tactic(state, "exact Nat.lt_succ_self m").is_solved


@pytest.mark.parametrize(
    "source",
    [
        # The first hole stands under its own variable: what the second says of it is no goal.
        "example : ∃ f : Nat → Nat, ∀ n, f n = n := ⟨fun n => sorry, fun n => sorry⟩",
        "example : ∃ n : Nat, n = n := ⟨(fun k : Nat => (sorry : Nat)) 3, sorry⟩",
        # In a statement: there would be another theorem for each way to fill it.
        "theorem t : sorry = 1 := sorry",
        # An example is in no environment, so it is not joined to the definition that it speaks of.
        "def f : Nat → Nat := sorry\nexample (n : Nat) : f n = n := sorry",
    ],
)
def test_couplings_that_no_goal_can_have_are_refused(reader: Server, source: str) -> None:
    with pytest.raises(ServerError, match="coupled holes are not supported"):
        reader.load_sorry(source)


def test_invocations_know_their_goals_and_what_they_are_part_of(reader: Server, tmp_path: Path) -> None:
    file = tmp_path / "Tree.lean"
    file.write_text(
        "theorem t (p q : Prop) (hp : p) (hq : q) : p ∧ q ∧ True := by\n  constructor\n  · exact hp\n"
        "  · constructor <;> first | exact hq | trivial\n\n"
        "theorem u : True ∧ 1 = 1 := ⟨by trivial, by\n  have h : 1 = 1 := by rfl\n  exact id (by exact h)⟩\n"
    )
    first, second = reader.tactic_invocations(file, tree_info=True)
    assert [(i.tactic, i.parent) for i in first.invocations or []] == [
        ("constructor", None),
        ("· exact hp", None),
        ("exact hp", 1),
        ("· constructor <;> first | exact hq | trivial", None),
        ("constructor <;> first | exact hq | trivial", 3),
        ("constructor", 4),
        # It ran twice: each time with a part of its own.
        ("first | exact hq | trivial", 4),
        ("first | exact hq | trivial", 4),
        ("exact hq", 6),
        ("trivial", 7),
    ]
    assert [(i.tactic, i.parent) for i in second.invocations or []] == [
        ("trivial", None),
        ("have h : 1 = 1 := by rfl", None),
        ("rfl", 1),
        ("exact id (by exact h)", None),
        ("exact h", 3),
    ]
    found = [(i.goal_ids_before, i.goal_ids_after) for i in first.invocations or []]
    (root,) = found[0][0] or []
    left, right = found[0][1] or []
    assert found[1:4] == [([left, right], [right]), ([left], []), ([right], [])]
    assert len({root, left, right}) == 3
    for invocation in (first.invocations or []) + (second.invocations or []):
        before, after = invocation.goal_ids_before, invocation.goal_ids_after
        assert before is not None and after is not None
        assert len(before) == invocation.before.count("⊢") and len(after) == invocation.after.count("⊢")
    plain = reader.tactic_invocations(file)
    assert {(i.goal_ids_before, i.goal_ids_after, i.parent) for u in plain for i in u.invocations or []} == {
        (None, None, None)
    }


# What the statements below speak of: universes, own notation, instances, extended structures, default arguments.
PREAMBLE = """universe u v
namespace Deep.Er
class HasOp (α : Type u) where
  op : α → α → α
  comm : ∀ a b, op a b = op b a
instance : HasOp Nat := ⟨Nat.add, Nat.add_comm⟩
scoped infixl:65 " ⊕⊕ " => HasOp.op
structure Base (α : Type u) where
  x : α
structure Point (α : Type u) (n : Nat) extends Base α where
  y : α
  positive : 0 < n := by decide
def total (f : Nat → Nat) : Nat → Nat
  | 0 => 0
  | n + 1 => total f n + f n
scoped macro "∑∑ " i:ident " < " n:term ", " e:term : term => `(total (fun $i => $e) $n)
def half (n : Nat) (_even : n % 2 = 0 := by decide) : Nat := n / 2
def idf : {α : Sort u} → α → α := fun a => a
inductive Vec (α : Type u) : Nat → Type u
  | nil : Vec α 0
  | cons {n : Nat} : α → Vec α n → Vec α (n + 1)
end Deep.Er
"""

# Scope; binders; statement; a proof; the names and the target that the goal begins with.
STATEMENTS = {
    "universes": ("", "(α : Type u) (β : Type v) (f : α → β)", "f = f", "rfl", ["α", "β", "f"], "f = f"),
    "sort": ("", "{α : Sort u} (a : α)", "Deep.Er.idf a = a", "rfl", ["α", "a"], "Deep.Er.idf a = a"),
    "lifted": (
        "",
        "(α : Type u)",
        "(fun x : ULift.{v} α => ULift.up.{v} x.down) = id",
        "rfl",
        ["α"],
        "(fun x => { down := x.down }) = id",
    ),
    "variables": (
        "open Deep.Er\nvariable {α : Type u} [HasOp α] (a b : α)\n",
        "",
        "a ⊕⊕ b = b ⊕⊕ a",
        "exact HasOp.comm a b",
        ["α", "inst✝", "a", "b"],
        "a ⊕⊕ b = b ⊕⊕ a",
    ),
    "open scoped": ("open scoped Deep.Er\n", "", "(2 : Nat) ⊕⊕ 3 = 5", "rfl", [], "2 ⊕⊕ 3 = 5"),
    "sum": (
        "open Deep.Er\n",
        "(n : Nat)",
        "(∑∑ i < n + 1, i * i) = (∑∑ j < n, j * j) + n * n",
        "rfl",
        ["n"],
        "total (fun i => i * i) (n + 1) = total (fun j => j * j) n + n * n",
    ),
    "implicit lambda": (
        "",
        "",
        "∀ {α : Type u} {p : α → Prop}, (∀ {a : α}, p a) → ∀ {a : α}, p a",
        "exact fun h => h",
        [],
        "∀ {α : Type u} {p : α → Prop}, (∀ {a : α}, p a) → ∀ {a : α}, p a",
    ),
    "instances": (
        "",
        "{α : Type u} [i : Inhabited α] [DecidableEq α]",
        "(if (default : α) = default then 1 else 2) = 1",
        "simp",
        ["α", "i", "inst✝"],
        "(if default = default then 1 else 2) = 1",
    ),
    "autoParam": ("open Deep.Er\n", "", "half 4 = 2", "rfl", [], "half 4 ⋯ = 2"),
    "extends": (
        "namespace Deep.Er\n",
        "{α : Type u} (p : Point α 3)",
        "({ p with x := p.y } : Point α 3).toBase = ⟨p.y⟩",
        "rfl",
        ["α", "p"],
        "{ x := p.y, y := p.y, positive := ⋯ }.toBase = { x := p.y }",
    ),
    "dotted": (
        "namespace Deep\n",
        "(n : Nat) (h : n.succ.pred ≤ n)",
        "(.succ n : Nat).pred ≤ n.add 0",
        "exact h",
        ["n", "h"],
        "n.succ.pred ≤ n.add 0",
    ),
    "unicode": (
        "",
        "(α₁ ℝ' : Type) («odd name» : α₁) (ε : ℝ' → α₁) (h : ∃ x, ε x = «odd name»)",
        "∃ δ, «odd name» = ε δ",
        "exact h.elim fun x e => ⟨x, e.symm⟩",
        ["α₁", "ℝ'", "«odd name»", "ε", "h"],
        "∃ δ, «odd name» = ε δ",
    ),
    "indexed": (
        "open Deep.Er Vec\n",
        "{n : Nat} (a : α) (v w : Vec α n) (h : cons a v = cons a w)",
        "v = w",
        "exact (cons.inj h).2",
        ["α", "n", "a", "v", "w", "h"],
        "v = w",
    ),
    "let": (
        "",
        "(n : Nat)",
        "let m := n + n; m = 2 * n",
        "exact (Nat.two_mul n).symm",
        ["n"],
        "let m := n + n;\nm = 2 * n",
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_universe_polymorphic_and_notation_heavy_theorems_start_exactly(reader: Server, name: str) -> None:
    scope, binders, statement, proof, variables, shown = STATEMENTS[name]
    if "error" in reader.run("env.inspect", {"name": "Deep.Er.HasOp"}):
        reader.load_definitions(PREAMBLE)

    def theorem(called: str, by: str) -> str:
        return f"theorem {called} {binders} : {statement} := by\n  {by}\n\n"

    (target,) = reader.load_sorry(scope + theorem("before", proof) + theorem("again", "sorry"))
    (goal,) = target.goal_state.goals
    assert ([v.name for v in goal.variables], goal.target) == (variables, shown)
    # The very statement: what is proved of it before closes the goal with nothing unfolded, in every universe.
    before = "apply before <;> assumption" if variables else "exact @before"
    assert reader.goal_tactic(target.goal_state, f"with_reducible ({before})").is_solved
    assert reader.goal_tactic(target.goal_state, proof).is_solved
    with pytest.raises(TacticFailure, match="Unknown identifier `again`"):
        reader.goal_tactic(target.goal_state, "exact @again")
    assert reader.check_track(scope + theorem("again", "sorry"), scope + theorem("again", proof)).succeeded
