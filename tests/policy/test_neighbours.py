"""Nearest neighbours: what goals are found by, which come first, and how a tactic is carried over."""

from __future__ import annotations

import math
import random

import pytest

from lean_agent.policy.base import TacticExample
from lean_agent.policy.neighbours import NeighbourPolicy
from lean_agent.policy.neighbours.binders import binders, with_fresh_names
from lean_agent.policy.neighbours.goals import head_and_parts, parse_goal, tokens
from lean_agent.policy.neighbours.index import GoalIndex
from lean_agent.policy.neighbours.rewriting import carried_over, constant_exchange, proved_by_hypotheses

SWAP = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
ALIKE = "r s : Prop\nrs : r ∧ s\n⊢ s ∧ r"


def tactics(policy: NeighbourPolicy, goal: str, k: int = 8) -> list[str]:
    (answers,) = policy.suggest([goal], k)
    return [suggestion.tactic for suggestion in answers]


def rewritten(tactic: str, source: str, goal: str, known: tuple[str, ...] = ()) -> list[str]:
    return [text for text, _ in carried_over(tactic, parse_goal(source), parse_goal(goal), known)]


@pytest.mark.parametrize(
    ("target", "head"),
    [
        *(
            ("(x !→ v; m) = x !→ v; m", "="),
            ("m = x !→ v; m", "="),
            ("xs ++ ys = zs", "="),
            ("p → q", "→"),
            ("¬¬p", "¬"),
        ),
        *(("t ==>* n", "t"), ("t →β u", "t"), ("t ~> u", "t"), ("Γ |- t : T", "Γ"), ("x ≤ᵢ y", "x"), ("a -> b", "a")),
        *(("-1 < x", "<"), ("∃! x, p x", "∃"), ("a = b → c", "→"), ("x<y", "<"), ("f <$> x = y", "=")),
    ],
)
def test_an_operator_of_several_signs_is_none_of_these(target: str, head: str) -> None:
    assert head_and_parts(tokens(target))[0] == head


def test_a_goal_is_read_as_lean_prints_it() -> None:
    goal = parse_goal(
        "case succ\nα : Type\nxs ys : List α\nn : Nat := 3\n"
        "h : ∀ (x : α),\n    x ∈ xs →\n      x ∈ ys\n⊢ xs =\n    ys\n\n⊢ False"
    )
    assert dict(goal.types) == {
        "α": "Type",
        "xs": "List α",
        "ys": "List α",
        "n": "Nat",
        "h": "∀ (x : α), x ∈ xs → x ∈ ys",
    }
    assert goal.target == "xs = ys"
    assert goal.generic_target == ("‹List›", "=", "‹List›")


def test_a_notation_after_a_name_is_no_part_of_it() -> None:
    goal = parse_goal("a b : α\nh : aⁱ = bᶜ\n⊢ x₁ = a✝¹")
    assert goal.kinds["h"] == ("‹α›", "ⁱ", "=", "‹α›", "ᶜ")
    assert goal.generic_target == ("x₁", "=", "a✝¹")
    assert rewritten("exact f aⁱ", "a : Nat\n⊢ a = aⁱ", "k : Nat\n⊢ k = kⁱ")[0] == "exact f kⁱ"


def test_names_of_variables_make_no_difference() -> None:
    first = parse_goal("xs : List Nat\nhx : xs = []\n⊢ ∀ n : Nat, n + xs.length = n").features
    second = parse_goal("l : List Nat\nh : l = []\n⊢ ∀ k : Nat, k + l.length = k").features
    assert first == second


def test_the_same_goal_comes_first_with_a_similarity_of_one() -> None:
    index = GoalIndex()
    goals = ["n : Nat\n⊢ n + 0 = n", "n : Nat\n⊢ 0 + n = n", "p : Prop\nh : p\n⊢ p", "xs : List Nat\n⊢ xs ++ [] = xs"]
    for goal in goals:
        index.add(parse_goal(goal).features)
    for number, goal in enumerate(goals):
        (best, nearest), *others = index.nearest(parse_goal(goal).features, 3)
        assert nearest == number
        assert best == pytest.approx(1.0)
        assert all(0 < similarity < 1 for similarity, _ in others)
    assert index.nearest(parse_goal("⊢ Quux").features, 3) == []


def test_an_index_without_goals_finds_none() -> None:
    assert GoalIndex().nearest(parse_goal(SWAP).features, 3) == []
    assert NeighbourPolicy().suggest([SWAP], 4) == [[]]


def test_similarities_are_cosines_of_weights_and_rarities() -> None:
    index = GoalIndex()
    index.add({"a": 1.0, "b": 0.5})
    index.add({"b": 1.0})
    rare, common = math.log(1 + 2 / 1), math.log(1 + 2 / 2)
    expected = 0.5 * common * common / (math.hypot(rare, 0.5 * common) * common)
    assert index.nearest({"b": 1.0}, 2) == [(pytest.approx(1.0), 1), (pytest.approx(expected), 0)]


def test_a_query_looks_at_rare_features_of_many_goals_and_scores_by_all() -> None:
    generator = random.Random(0)
    rows = [{f"f{generator.randrange(60)}": generator.choice((0.5, 1.0)) for _ in range(12)} for _ in range(400)]
    index = GoalIndex()
    for row in rows:
        index.add(row)

    def exact(query: dict[str, float]) -> float:
        rarity = {name: math.log(1 + len(rows) / sum(name in row for row in rows)) for name in query}
        norm = math.sqrt(sum((weight * rarity[name]) ** 2 for name, weight in query.items()))
        best = 0.0
        for row in rows:
            row_rarity = {name: math.log(1 + len(rows) / sum(name in other for other in rows)) for name in row}
            size = math.sqrt(sum((weight * row_rarity[name]) ** 2 for name, weight in row.items()))
            shared = sum(query[name] * rarity[name] * row[name] * row_rarity[name] for name in query if name in row)
            best = max(best, shared / norm / size)
        return best

    for query in rows[:5]:
        assert index.nearest(query, 4)[0][0] == pytest.approx(exact(query))


def test_local_names_go_by_their_types() -> None:
    source = "a b : Nat\nh1 : a < b\nh2 : b = 0\n⊢ False"
    goal = "x y : Nat\nhy : y = 0\nlt : x < y\n⊢ False"
    assert rewritten("rw [h2] at h1", source, goal)[0] == "rw [hy] at lt"


def test_the_second_best_names_come_after() -> None:
    ways = rewritten("exact h", "p q : Prop\nh : p\n⊢ p", "p q : Prop\nh1 : p\nh2 : q\n⊢ q")
    assert ways[0] == "exact h2"  # alike but for the name, which says nothing: the later one
    assert "exact h1" in ways


def test_a_tactic_about_hypotheses_is_not_carried_to_a_goal_without() -> None:
    assert rewritten("exact h", "p : Prop\nh : p\n⊢ p", "⊢ True") == []
    assert rewritten("trivial", "p : Prop\nh : p\n⊢ True", "⊢ True") == ["trivial"]


def test_names_after_a_dot_and_parts_of_names_are_no_local_names() -> None:
    source = "add : Nat\nh : add = 1\n⊢ add + 0 = 1"
    goal = "n : Nat\ne : n = 1\n⊢ n + 0 = 1"
    assert rewritten("rw [Nat.add_zero, h, foo.add, addd]", source, goal)[0] == "rw [Nat.add_zero, e, foo.add, addd]"


def test_constants_that_stand_in_the_same_places_are_exchanged() -> None:
    source = parse_goal("t : Tree\n⊢ size (mirror t) = size t")
    goal = parse_goal("u : Tree\n⊢ depth (mirror u) = depth u")
    assert constant_exchange(source, goal) == {"size": "depth"}
    ways = [text for text, _ in carried_over("simp [size, size_mirror]", source, goal, {"depth_mirror"})]
    assert ways == ["simp [depth, depth_mirror]", "simp [size, size_mirror]"]
    assert next(carried_over("rw [size_mirror]", source, goal))[0] == "rw [size_mirror]", "no such lemma is known"


def test_a_tactic_that_lists_names_is_given_those_of_the_goal() -> None:
    steps = [
        TacticExample("n : Num\n⊢ (n.add n).toNat = n.toNat", "simp [toNat]"),
        TacticExample("n : Num\n⊢ n.mul n = n", "simp [mul]"),
    ]
    assert "simp [mul, toNat]" in tactics(NeighbourPolicy(steps), "k : Num\n⊢ (k.mul k).toNat = k.toNat", 20)


def test_probabilities_sum_up_to_one_and_the_likeliest_comes_first() -> None:
    steps = [
        TacticExample(SWAP, "constructor"),
        TacticExample(SWAP, "exact ⟨h.2, h.1⟩"),
        TacticExample(ALIKE, "constructor"),
    ]
    (answers,) = NeighbourPolicy(steps).suggest(["a b : Prop\nab : a ∧ b\n⊢ b ∧ a"], 100)
    assert [answer.tactic for answer in answers[:2]] == ["constructor", "exact ⟨ab.2, ab.1⟩"]
    assert math.fsum(math.exp(answer.logprob) for answer in answers) == pytest.approx(1.0)
    assert answers[0].logprob == pytest.approx(math.log(2 / 3), abs=0.02)  # two votes of three


def test_a_proof_is_taken_in_at_once_and_once() -> None:
    policy = NeighbourPolicy([TacticExample("⊢ True", "trivial")])
    before = policy.identity
    assert tactics(policy, SWAP) == ["trivial"] or tactics(policy, SWAP) == []
    step = TacticExample(SWAP, "exact And.symm h")
    policy.add([step, step])
    assert len(policy) == 2
    assert policy.identity != before
    assert tactics(policy, "x y : Prop\nxy : x ∧ y\n⊢ y ∧ x")[0] == "exact And.symm xy"


@pytest.mark.parametrize("goal", ["", "⊢", "⊢ ((((", "nonsense", "h : \n⊢ ]", "⊢ " + "(" * 2000, "a : a\n⊢ a"])
def test_whatever_stands_for_a_goal_is_answered(goal: str) -> None:
    steps = [TacticExample(SWAP, "exact h"), TacticExample(goal, "exact h"), TacticExample(goal, "exact ")]
    NeighbourPolicy(steps).suggest([goal, SWAP], 4)


def test_tactics_that_differ_in_what_they_bind_are_one() -> None:
    steps = [
        TacticExample("p q : Prop\n⊢ p → q", "intro hp"),
        TacticExample("r s : Prop\n⊢ r → s", "intro x"),
        TacticExample("t u : Prop\n⊢ t → u", "intro hp"),
    ]
    (answers,) = NeighbourPolicy(steps).suggest(["a b : Prop\nhp : a\n⊢ a → b"], 8)
    introduced = [answer for answer in answers if answer.tactic.startswith("intro")]
    assert [answer.tactic for answer in introduced] == ["intro hp'"], "hp hides no hypothesis"
    assert introduced[0].logprob == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("tactic", "names", "shape"),
    [
        ("intro x hx", ("x", "hx"), "intro #0 #1"),
        ("obtain ⟨k, rfl⟩ := h", ("k",), "obtain ⟨#0, rfl⟩ := h"),
        ("rcases h with hp | hq", ("hp", "hq"), "rcases h with #0 | #1"),
        ("by_cases c : p x", ("c",), "by_cases #0 : p x"),
        (
            "induction n with\n| zero => ?_\n| succ n ih => ?_",
            ("n", "ih"),
            "induction n with\n| zero => ?_\n| succ #0 #1 => ?_",
        ),
        ("have e : f x = y := ?_", ("e",), "have #0 : f x = y := ?_"),
        ("exact fun y => h y", (), "exact fun y => h y"),
    ],
)
def test_what_a_tactic_binds(tactic: str, names: tuple[str, ...], shape: str) -> None:
    assert binders(tactic).names == names
    assert binders(tactic).shape({"n", "h", "p", "x", "y", "f"}) == shape


def test_fresh_names_hide_no_hypothesis_that_the_tactic_does_not_speak_of() -> None:
    assert with_fresh_names("obtain ⟨x, hx⟩ := h", {"h", "x", "x'"}) == "obtain ⟨x'', hx⟩ := h"
    inductive = "cases n with\n| zero => ?_\n| succ n => ?_"
    assert with_fresh_names(inductive, {"n", "m"}) == inductive, "n is taken apart, and may be hidden"


def test_types_values_and_proofs_stand_for_their_like() -> None:
    goal = "α : Type\nxs : List α\nlaw : ∀ (x : List α), rev (rev x) = x\n⊢ length (rev xs) = length xs"
    assert rewritten("induction n", "n : Nat\n⊢ n + 0 = n", goal) == ["induction xs"]
    assert rewritten("exact h", "p : Prop\nh : p\n⊢ p", "n : Nat\n⊢ n = n") == []


def test_arguments_of_terms_are_left_to_lean() -> None:
    source = "n m : Nat\nh : n < m\nf : ∀ k, k < m → P k\n⊢ P n"
    goal = "a b c : Nat\ng : ∀ k, k < c → P k\ne : a < c\n⊢ P a"
    assert "exact g _ ‹_›" in rewritten("exact f n h", source, goal), "a value by unification, a proof by assumption"
    assert "exact ⟨‹_›, ‹_›⟩" in rewritten("exact ⟨h, k⟩", "h : p\nk : q\n⊢ p ∧ q", "g : r\ne : s\n⊢ r ∧ s")
    assert rewritten("rw [h]", "a : Nat\nh : a = 1\n⊢ a = 1", "b : Nat\ne : b = 1\n⊢ b = 1") == ["rw [e]"]


def test_hypotheses_that_conclude_the_target_are_used() -> None:
    goal = parse_goal("p q : Prop\nih : ∀ (x : Nat), p → Even x\nn : Nat\nh : Even n\nno : ¬q\n⊢ Even n")
    assert list(proved_by_hypotheses(goal)) == ["apply ih", "exact h"]
    assert list(proved_by_hypotheses(parse_goal("q : Prop\nno : ¬q\n⊢ False"))) == ["apply no"]
    assert list(proved_by_hypotheses(parse_goal("p q : Prop\nh : p ∧ q\n⊢ q ∧ p"))) == []
    steps = [TacticExample("⊢ True", "trivial")]
    (answers,) = NeighbourPolicy(steps).suggest(["p : Prop\nh : p → True\n⊢ True"], 8)
    # one vote, and a tenth of it for the hypothesis
    assert {a.tactic: math.exp(a.logprob) for a in answers} == pytest.approx({"trivial": 1 / 1.1, "apply h": 0.1 / 1.1})


def test_names_at_a_hypothesis_are_those_that_stand_there() -> None:
    steps = [
        TacticExample("t : Tree\nh : t.size = 0\n⊢ t = leaf", "simp [size] at h"),
        TacticExample("t : Tree\nh : t.depth = 0\n⊢ t = leaf", "simp [depth] at h"),
    ]
    proposed = tactics(NeighbourPolicy(steps), "u : Tree\ng : u.size = u.depth\n⊢ u = leaf", 20)
    assert "simp [size, depth] at g" in proposed
