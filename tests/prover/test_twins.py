"""States and tactics that differ in names alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import Goal, GoalState, Variable
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchConfig, SearchResult
from lean_agent.prover.driver import Driver
from lean_agent.prover.searches.base import Search
from lean_agent.prover.tree.graph import ProofGraph
from lean_agent.prover.tree.steps import render
from lean_agent.prover.tree.twins import rename, renaming, shape_of, tactic_shape


def goal(target: str, *variables: tuple[str, str], key: str = "") -> Goal:
    lines = [*(f"{name} : {kind}" for name, kind in variables), f"⊢ {target}"]
    text = "\n".join(lines)
    names = tuple(Variable(name, kind, is_inaccessible="✝" in name) for name, kind in variables)
    return Goal("0", target, names, text=text, key=key or text)


def state(*goals: Goal) -> GoalState:
    return GoalState("p", (), goals)


AND = state(goal("q ∧ h.1 = n", ("n", "Nat"), ("h", "p n ∧ q")))


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (goal("q ∧ ha.1 = m", ("m", "Nat"), ("ha", "p m ∧ q")), True),
        (goal("q ∧ n.1 = h", ("h", "Nat"), ("n", "p h ∧ q")), True),  # the names change places
        (goal("q ∧ h.1 = n", ("n", "Nat"), ("h", "p n ∧ r")), False),
        (goal("q ∧ h.2 = n", ("n", "Nat"), ("h", "p n ∧ q")), False),
        (goal("q ∧ n.1 = n", ("n", "Nat"), ("h", "p n ∧ q")), False),
        (goal("q ∧ h✝.1 = n", ("n", "Nat"), ("h✝", "p n ∧ q")), False),  # no tactic can speak of it
    ],
)
def test_states_are_twins_when_names_alone_differ(other: Goal, alike: bool) -> None:
    assert (shape_of(state(other)) == shape_of(AND)) is alike


def test_metavariables_and_goals_without_structure_have_no_twins() -> None:
    assert shape_of(state(goal("?w = n", ("n", "Nat")))) is None
    assert shape_of(state(Goal("0", "", text="⊢ p"))) is None


def test_proofs_are_renamed() -> None:
    names = renaming(AND, state(goal("q ∧ ha.1 = n", ("n", "Nat"), ("ha", "p n ∧ q"))))
    assert names == {"h": "ha"}
    # Fields, longer names and the steps of blocks: h is a name where it stands alone, or first.
    assert rename(["exact h.1 hh", ("rw [foo.h, h]", ("exact @h",))], names) == [
        "exact ha.1 hh",
        ("rw [foo.h, ha]", ("exact @ha",)),
    ]
    assert rename(["exact f a b"], {"a": "b", "b": "a"}) == ["exact f b a"]
    # Two goals of one state that call one place differently are not renamed.
    both = (goal("p", ("h", "p")), goal("q", ("h", "p")))
    assert renaming(state(*both), state(goal("p", ("x", "p")), goal("q", ("y", "p")))) == {}


@pytest.mark.parametrize(
    ("tactics", "alike"),
    [
        (("intro a", "intro b"), True),
        (("intro a b; exact a b", "intro x y; exact x y"), True),
        (("intro a b; exact a b", "intro x y; exact y x"), False),
        (("intro a", "intro h"), False),  # there is an h, which this would hide
        (("rintro ⟨a, rfl⟩ | b", "rintro ⟨x, rfl⟩ | y"), True),
        (("rintro ⟨a, rfl⟩", "rintro ⟨a, b⟩"), False),
        (("obtain ⟨k, hk⟩ := h", "obtain ⟨x, hx⟩ := h"), True),
        (("obtain ⟨k, hk⟩ := h", "obtain ⟨k, hk⟩ := n"), False),
        (("cases h with | inl a => exact a | inr b => simp", "cases h with | inl x => exact x | inr y => simp"), True),
        (("cases h with | inl a => exact a | inr b => simp", "cases h with | inl a => exact a | inr b => rfl"), False),
        (("exact fun a => f a", "exact fun b => f b"), True),
        (("exact a", "exact b"), False),  # these are used, not bound
        (("have a : p := h", "have b : q := h"), False),
        (("induction n generalizing a b <;> simp", "induction n generalizing b a <;> simp"), True),
        (("induction n generalizing a b", "induction n generalizing b a"), True),
        (("induction n generalizing a b with | zero => rfl", "induction n generalizing b with | zero => rfl"), False),
    ],
)
def test_tactics_are_twins_when_the_names_alone_that_they_bind_differ(tactics: tuple[str, str], alike: bool) -> None:
    first, second = (tactic_shape(tactic, AND.goals[0]) for tactic in tactics)
    assert (first == second) is alike


def twin(name: str) -> GoalState:
    return state(goal("q", (name, "p ∧ q")))


def test_a_twin_is_the_same_node_and_its_proof_is_renamed() -> None:
    graph = ProofGraph(state(goal("r")))
    (side,) = graph.reach(graph.root, "apply side", -0.1, [state(goal("s"))]).fresh
    (first,) = graph.reach(side, "intro h", -1.0, [twin("h")]).fresh
    arrival = graph.reach(graph.root, "intro ha", -0.5, [twin("ha")])
    assert (arrival.fresh, arrival.improved, arrival.superfluous) == ((), (first,), (twin("ha"),))
    assert first.logprob == -0.5
    assert graph.reach(first, "exact h.2", -0.1, []).solved == (first, side, graph.root)
    # Each way has the words of its own names; which one is taken, the search may not care.
    assert graph.proof(side) == ["intro h", "exact h.2"]
    assert graph.root.solved_by is not None and graph.root.solved_by.tactic in ("intro ha", "apply side")
    (edge,) = (edge for edge in graph.root.edges if edge.tactic == "intro ha")
    graph.root.solved_by = edge
    assert graph.proof(graph.root) == ["intro ha", "exact ha.2"]
    assert graph.leaps() == [edge]  # so it is run in one piece before it counts
    graph.check_invariants()


def test_without_twins_names_tell_states_apart() -> None:
    graph = ProofGraph(state(goal("r")), twins=False)
    graph.reach(graph.root, "intro h", -1.0, [twin("h")])
    assert len(graph.reach(graph.root, "intro ha", -1.0, [twin("ha")]).fresh) == 1


def test_states_of_one_key_are_not_renamed() -> None:
    """Lean's key says that they differ in the order of hypotheses alone: places do not match then."""
    graph = ProofGraph(state(goal("r")))
    graph.reach(graph.root, "x", -1.0, [state(goal("q", ("h", "p"), ("k", "p"), key="same"))])
    graph.reach(graph.root, "y", -1.0, [state(goal("q", ("k", "p"), ("h", "p"), key="same"))])
    assert [edge.renamings for edge in graph.root.edges] == [(), ()]


class Counting(MockLeanServer):
    """Writes down every tactic."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.ran: list[str] = []

    def goal_tactics(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.ran += [tactic for _, tactic in pairs]
        return super().goal_tactics(pairs, timeout_s=timeout_s)


def run(twins: bool, says: Sequence[tuple[str, float]]) -> tuple[list[str], SearchResult]:
    server = Counting(table={("⊢ r", "done"): ()})
    policy = MockPolicy({"⊢ r": [(tactic, math.log(p)) for tactic, p in says]})
    config = SearchConfig(tactics_per_round=1, length_exponent=0.0, twins=twins, learn_refusals=False)
    ((_, result),) = Driver(server, policy, config).run(["r"])
    return server.ran, result


def test_of_tactics_that_are_twins_one_runs_with_the_probabilities_of_all() -> None:
    says = [("simp", 0.3), ("intro x", 0.2), ("intro y", 0.15), ("done", 0.1)]
    # 0.2 + 0.15 comes before 0.3; nothing is known of `intro`, which fails for all names alike.
    assert run(True, says)[0] == ["intro x", "simp", "done"]
    assert run(False, says)[0] == ["simp", "intro x", "intro y", "done"]


@pytest.mark.lean
def test_lean_expands_twins_once_and_runs_the_renamed_proof(lean: LeanPool) -> None:
    policy = MockPolicy(
        {
            "⊢ ∀ (p : Prop), p → p ∧ True": [("intro p h", -0.1), ("(intro p k; refine ⟨?_, trivial⟩)", -0.2)],
            "p : Prop\nh : p\n⊢ p ∧ True": [("refine ⟨?_, trivial⟩", -0.1)],
            "p : Prop\nk : p\n⊢ p": [("exact k", -0.1)],
            "p : Prop\nh : p\n⊢ p": [("exact h", -0.1)],
        }
    )
    searches: list[Search] = []
    config = SearchConfig("best_first", nodes_per_round=1, twins=True)
    driver = Driver(lean, policy, config, on_end=lambda _, search: searches.append(search))
    ((_, result),) = driver.run(["∀ (p : Prop), p → p ∧ True"])
    assert result.status == "proved"
    start = lean.goal_start("∀ (p : Prop), p → p ∧ True")
    assert lean.goal_tactic(start, "\n".join(result.script)).is_solved
    (graph,) = searches[0].graphs
    twins = [edge for node in graph.nodes for edge in node.edges if edge.renamings]
    assert [edge.renamings for edge in twins] == [({"k": "h"},)] and len(graph.nodes) == 3
    # The proof by way of the twin holds, too.
    renamed = ["intro p h", twins[0].tactic, *rename(["exact k"], twins[0].renamings[0])]
    assert lean.goal_tactic(start, "\n".join(render(renamed))).is_solved
