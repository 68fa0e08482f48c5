"""Premises that `grind` refuses are not given to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.errors import LeanError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.patterns import PatternChecks
from lean_agent.policy.prompt_help import PromptHelp, names_of
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.policy.retrieval.corpus import Place, place_of_stored
from lean_agent.prompts import GoalNames, HelpSettings, shown_premises, with_help
from lean_agent.prover.mixed import CLOSER_HELP

STACKS = """inductive Stack where
  | empty
  | push (top : Nat) (rest : Stack)

namespace Stack

inductive Small : Stack → Prop where
  | empty : Small empty
  | single (top : Nat) : Small (push top empty)

def onto : Stack → Stack → Stack
  | empty, below => below
  | push top rest, below => push top (rest.onto below)

theorem onto_empty (s : Stack) : s.onto empty = s := by
  induction s <;> simp_all [onto]

theorem empty_or_not (s t : Stack) : s = t ∨ s ≠ t := Classical.em _

theorem onto_assoc (s t u : Stack) : (s.onto t).onto u = s.onto (t.onto u) := by
  sorry

end Stack
"""

RELATIONS = """abbrev Rel := Nat → Nat → Prop

def below : Rel := fun a b => a < b

abbrev Small (n : Nat) := below n 9

def Linked (r : Rel) (a b : Nat) : Prop := ∃ c, r a c ∧ r c b

theorem linked_small (r : Rel) (n m : Nat) (h : n ≤ m) (hs : Small m) : Linked r n m → Linked r n m := sorry
"""


@pytest.mark.lean
def test_lean_says_which_definitions_are_seen_through(tmp_path: Path, lean: LeanPool) -> None:
    (tmp_path / "Relations.lean").write_text(RELATIONS)
    project = LeanProject(tmp_path, tmp_path / "build")
    state = lean.goal_start(TheoremSite(project, "Relations.lean", "linked_small"))
    goal = state.goals[0]
    assert set(goal.definitions) == {"Linked", "Rel", "Small", "below"}, "what an abbreviation says is named, too"
    assert set(goal.reducible) == {"Rel", "Small"}
    asked = with_help(goal.text, names=names_of(goal))
    (tactic,) = tactics_of("grind [{definitions}]", asked)
    whole = f"grind [{', '.join(goal.definitions)}]"
    assert not {"Rel", "Small"} & set(tactic[7:-1].split(", "))
    inductions = tactics_of("induction {local} generalizing {others}", asked)
    of_n = next(tactic for tactic in inductions if tactic.startswith("induction n "))
    proved, refused, generalized, too_much = lean.goal_tactics(
        [(state, tactic), (state, whole), (state, of_n), (state, "induction n generalizing m h")]
    )
    assert not isinstance(proved, LeanError) and proved.is_solved
    assert isinstance(refused, LeanError) and "reducible" in str(refused)
    assert not isinstance(generalized, LeanError) and isinstance(too_much, LeanError)
    lean.release([state, proved, generalized])


@contextmanager
def traced(folder: Path, lean: LeanPool, file: str, text: str) -> Iterator[tuple[ScriptedAgent, DynamicDatabase]]:
    """Yield an agent that has traced a repository of one file."""
    root = folder / "repository"
    root.mkdir()
    (root / file).write_text(text)
    with (
        DynamicDatabase(folder / "database.sqlite") as database,
        ScriptedAgent(database=database, lean=lean, runs_dir=folder / "runs", progress=False) as agent,
    ):
        agent.setup_local_repository(root)
        yield agent, database


def check(lean: LeanPool, shown: PromptHelp, place: Place, state: GoalState) -> None:
    lean.loop.submit(PatternChecks(lean, shown).check([(place, state)])).result()


@contextmanager
def shown_in(
    folder: Path, lean: LeanPool, file: str, text: str, settings: HelpSettings
) -> Iterator[tuple[str, GoalState]]:
    """Yield the one open theorem of a file: its goal with what is shown beside it once Lean was asked, and its
    state."""
    with traced(folder, lean, file, text) as (agent, database):
        (theorem,) = agent.open_theorems()
        corpus = PremiseCorpus(database.corpus([theorem.repository]), without={theorem.full_name})
        shown = PromptHelp.of(settings, corpus)
        place, state = place_of_stored(theorem), lean.goal_start(theorem.site)
        check(lean, shown, place, state)
        yield shown.goal(state.text, place, GoalNames(state.goals[0].definitions)), state
        lean.release([state])


@pytest.mark.lean
def test_lean_says_which_premises_are_for_grind(tmp_path: Path, lean: LeanPool) -> None:
    with traced(tmp_path, lean, "Stacks.lean", STACKS) as (agent, database):
        (theorem,) = agent.open_theorems()
        corpus = PremiseCorpus(database.corpus([theorem.repository]), without={theorem.full_name})
        shown = PromptHelp.of(HelpSettings(premises=8, names=True, facts=True), corpus)
        place = place_of_stored(theorem)
        state = lean.goal_start(theorem.site)
        goal = shown.goal(state.text, place, GoalNames(("Stack.onto",)))
        names = {line.partition(":")[0] for line in shown_premises(goal)}
        assert {"Stack.onto_empty", "Stack.empty_or_not"} <= names
        assert not names & {"Stack", "Stack.push", "Stack.empty"}
        (before,) = tactics_of("grind [{lemmas}]", goal)
        assert "empty_or_not" in before
        assert isinstance(lean.goal_tactics([(state, f"induction s <;> {before}")])[0], LeanError)

        check(lean, shown, place, state)
        assert shown.unchecked(shown.likely(state.text, place, 64), ["Stack.onto"], place) == []
        goal = shown.goal(state.text, place, GoalNames(("Stack.onto",)))
        (after,) = tactics_of("grind [{lemmas}]", goal)
        assert "Stack.onto_empty" in after and "empty_or_not" not in after
        assert "empty_or_not" in tactics_of("simp_all [{lemmas}]", goal)[0]
        (proved,) = lean.goal_tactics([(state, f"induction s <;> {after}")])
        assert not isinstance(proved, LeanError) and proved.is_solved
        lean.release([state, proved])


HEAPS = """inductive Heap where
  | empty
  | node (left : Heap) (top : Nat) (right : Heap)

namespace Heap

def RootLe (n : Nat) : Heap → Prop
  | empty => True
  | node _ top _ => n ≤ top

def small (n : Nat) (h : Heap) : Bool := match h with
  | empty => true
  | node _ top _ => n ≤ top

def IsHeap : Heap → Prop
  | empty => True
  | node left top right => RootLe top left ∧ RootLe top right ∧ small top left ∧ IsHeap left ∧ IsHeap right

private theorem rootLe_empty (n : Nat) : RootLe n empty := trivial

theorem rootLe_of_le (n m : Nat) (h : Heap) (hn : n ≤ m) (hm : RootLe m h) : RootLe n h := by
  sorry

theorem isHeap_node (n : Nat) : IsHeap (node empty n empty) := by
  sorry

end Heap
"""


@pytest.mark.lean
def test_what_predicates_are_made_of_is_named_and_private_names_as_their_file_says_them(
    tmp_path: Path, lean: LeanPool
) -> None:
    with traced(tmp_path, lean, "Heaps.lean", HEAPS) as (agent, database):
        theorems = agent.open_theorems()
        corpus = PremiseCorpus(database.corpus([theorems[0].repository]))
        shown = PromptHelp.of(HelpSettings(premises=8, names=True, facts=True), corpus)
        assert any(document.full_name == "_private.Heaps.0.Heap.rootLe_empty" for document in corpus.documents)
        state, place = lean.goal_start(theorems[1].site), place_of_stored(theorems[1])
        names = GoalNames(state.goals[0].definitions)
        assert set(names.definitions) == {"Heap.IsHeap", "Heap.RootLe", "Heap.small"}
        check(lean, shown, place, state)
        goal = shown.goal(state.text, place, names)
        assert "Heap.rootLe_empty" in {line.partition(":")[0] for line in shown_premises(goal)}
        tactics = [*tactics_of("simp_all [{lemmas}]", goal), *tactics_of("grind [{lemmas}]", goal)]
        assert all("Heap.rootLe_empty" in tactic and "_private" not in tactic for tactic in tactics)
        for result in lean.goal_tactics([(state, tactic) for tactic in tactics]):
            assert not isinstance(result, LeanError) and result.is_solved
        lean.release([state])


RULES = """inductive Term where
  | leaf
  | node (left right : Term)

inductive Made : Term → Prop where
  | leaf : Made .leaf
  | node (h₁ : Made l) (h₂ : Made r) : Made (.node l r)

inductive Loose : Term → Prop where
  | leaf : Loose .leaf
  | pick (n : Nat) (h : n = n) (h' : Loose t) : Loose t

theorem made_of_loose (h : Loose t) : Made t := by
  sorry
"""


@pytest.mark.lean
def test_lean_says_which_predicates_are_for_grind(tmp_path: Path, lean: LeanPool) -> None:
    with traced(tmp_path, lean, "Rules.lean", RULES) as (agent, database):
        (theorem,) = agent.open_theorems()
        corpus = PremiseCorpus(database.corpus([theorem.repository]), without={theorem.full_name})
        shown = PromptHelp.of(HelpSettings(premises=1, names=True, facts=True), corpus)
        state, place = lean.goal_start(theorem.site), place_of_stored(theorem)
        names = GoalNames(state.goals[0].definitions)
        assert set(names.definitions) == {"Made", "Loose"}
        check(lean, shown, place, state)
        (tactic,) = tactics_of("grind [{definitions}]", shown.goal(state.text, place, names))
        assert tactic == "grind [Made]"
        (refused,) = lean.goal_tactics([(state, "grind [Made, Loose]")])
        assert isinstance(refused, LeanError) and "patterns" in str(refused)
        lean.release([state])


def test_rules_of_a_predicate_take_no_place_of_other_premises() -> None:
    code = {
        "Made": ("inductive", "inductive Made : Term → Prop where"),
        "Made.leaf": ("constructor", "| leaf : Made .leaf"),
        "Made.node": ("constructor", "| node (h₁ : Made l) (h₂ : Made r) : Made (.node l r)"),
        "made_size": ("theorem", "theorem made_size (h : Made t) : 0 < size t"),
        "Other.of": ("constructor", "| of (h : Made t) : Other t"),
    }
    premises = [
        {"full_name": name, "code": code, "start": [1, 1], "end": [1, 2], "kind": kind}
        for name, (kind, code) in code.items()
    ]
    corpus = PremiseCorpus([{"path": "A.lean", "imports": [], "premises": premises}])
    shown = PromptHelp.of(HelpSettings(premises=2, names=True, facts=True, retriever="bm25"), corpus)
    place = Place("", "", "A.lean", (9, 1))
    goal = shown.goal("h : Made t\n⊢ Made t", place, GoalNames(("Made",)))
    assert len(shown_premises(goal)) == 4
    (by_grind,) = tactics_of("grind [{lemmas}]", goal)
    assert set(by_grind[7:-1].split(", ")) == {"Made", "made_size", "Other.of"}, "it takes the rules with the predicate"
    (by_elim,) = tactics_of("solve_by_elim [{lemmas}]", goal)
    assert set(by_elim[15:-1].split(", ")) == set(code)
    refused = shown.goal("h : Made t\n⊢ Made t", place, GoalNames(("Made",), not_for_grind=("Made",)))
    (by_grind,) = tactics_of("grind [{lemmas}]", refused)
    assert set(by_grind[7:-1].split(", ")) == set(code) - {"Made"}


def test_predicates_and_their_constructors_are_facts_and_data_types_are_not() -> None:
    texts = {
        "Tree": ("inductive", "inductive Tree where | leaf | node (left right : Tree)"),
        "Tree.leaf": ("constructor", "| leaf"),
        "Even": ("inductive", "/-- even | or not -/ inductive Even : Nat → Prop where | zero : Even 0"),
        "Even.zero": ("constructor", "| zero : Even 0"),
        "Of": ("inductive", "inductive Of (p : Prop) where | mk"),
        "Less.of": ("constructor", "| of"),  # of a type that is not in the corpus
        "flip": ("definition", "def flip : Tree → Tree"),
        "flip_flip": ("theorem", "theorem flip_flip (t : Tree) : flip (flip t) = t"),
        "Class": ("axiom", "axiom Class : Type"),
        "Member": ("axiom", "noncomputable axiom Member (x : Class) : Class → Prop"),
        "same": ("axiom", "axiom same (A B : Class) (h : ∀ x, Member x A ↔ Member x B) : A = B"),
        "property": ("theorem", "theorem property : ∃ T : Type, T = Prop"),
    }
    premises = [
        {"full_name": name, "code": code, "start": [1, 1], "end": [1, 2], "kind": kind}
        for name, (kind, code) in texts.items()
    ]
    corpus = PremiseCorpus([{"path": "A.lean", "imports": [], "premises": premises}])
    facts = [document.full_name for document, is_fact in zip(corpus.documents, corpus.is_fact, strict=True) if is_fact]
    assert facts == ["Even", "Even.zero", "Less.of", "flip", "flip_flip", "same", "property"]


def test_grind_alone_does_without_them() -> None:
    of_equations = with_help("n : Nat\n⊢ f n = n", ["a: theorem a"], names=GoalNames(("f",), equations=("a",)))
    assert tactics_of("grind [{lemmas}]", of_equations) == ["grind [f, = a, a]"]
    assert tactics_of("cases {local} <;> grind [{laws}]", of_equations) == ["cases n <;> grind [f, = a]"]
    assert tactics_of("cases {local} <;> simp_all [{lemmas}]", of_equations) == ["cases n <;> simp_all [f, a]"]
    names = GoalNames(("f",), not_for_grind=("b",))
    goal = with_help("n : Nat\n⊢ f n = n", ["a: theorem a", "b: theorem b"], names=names)
    assert tactics_of("grind [{lemmas}]", goal) == ["grind [f, a]"]
    assert tactics_of("simp [{premises}]", goal) == ["simp [a, b]"]
    assert tactics_of("first | exact {premise} ..", goal) == ["first | exact a .. | exact b .."]
    seen_through = GoalNames(("Rel", "Total"), not_for_grind=("Rel",))
    goal = with_help("r : Rel\n⊢ Total r", names=seen_through)
    assert tactics_of("grind [{definitions}]", goal) == ["grind [Total]"]
    assert tactics_of("simp_all [{definitions}]", goal) == ["simp_all [Rel, Total]"]
    nothing = with_help("n : Nat\n⊢ f n = n", ["b: theorem b"], names=GoalNames(not_for_grind=("b",)))
    assert tactics_of("grind [{premises}]", nothing) == []


SQUARES = """def total (f : Nat → Nat) (n : Nat) : Nat := ((List.range n).map f).sum

theorem total_step (f : Nat → Nat) (n : Nat) : total f (n + 1) = total f n + f n := by
  sorry
"""


@pytest.mark.lean
@pytest.mark.parametrize(
    ("most", "expected"), [(CLOSER_HELP.library, ["List.range_succ", "List.map_congr_left"]), (0, [])]
)
def test_theorems_of_the_library_are_premises_where_they_are_shown(
    tmp_path: Path, lean: LeanPool, most: int, expected: list[str]
) -> None:
    with shown_in(tmp_path, lean, "Squares.lean", SQUARES, replace(CLOSER_HELP, library=most)) as (goal, _):
        assert [line.partition(":")[0] for line in shown_premises(goal)] == expected
        (tactic,) = tactics_of("grind [{lemmas}]", goal)
        assert ("= List.range_succ, List.range_succ" in tactic) == bool(expected), "grind takes it as an equation"


BOXES = """structure Box where
  full : Bool
  marks : List Nat

inductive Made : Box → Prop where
  | empty : Made ⟨false, []⟩
  | mark (n : Nat) {b : Box} : Made b → n ∉ b.marks → Made ⟨true, n :: b.marks⟩

def Kept (b : Box) : Prop := b.marks.Nodup ∧ (b.full = false → b.marks = [])

theorem made_kept {b : Box} (h : Made b) : Kept b := by
  induction h <;> simp_all [Kept]

theorem marks_nodup {b : Box} (h : Made b) : b.marks.Nodup := by
  sorry
"""


@pytest.mark.lean
def test_grind_may_begin_with_the_hypothesis_of_a_premise_and_knows_what_it_concludes(
    tmp_path: Path, lean: LeanPool
) -> None:
    with shown_in(tmp_path, lean, "Boxes.lean", BOXES, replace(CLOSER_HELP, premises=1)) as (goal, state):
        (tactic,) = tactics_of("grind [{forward}]", goal)
        assert "→ made_kept" in tactic and "Kept" in tactic, "the goal itself does not speak of it"
        (plain,) = tactics_of("grind [{lemmas}]", goal)
        proved, failed = lean.goal_tactics([(state, tactic), (state, plain)])
        assert not isinstance(proved, LeanError) and proved.is_solved
        assert isinstance(failed, LeanError)


CLOSURES = """abbrev Region (α : Type) := α → Prop

def Closure (r : α → α → Prop) (s : Region α) : Region α := fun x => ∃ y, s y ∧ r y x

def Fresh (r : α → α → Prop) (s t : Region α) : Region α := fun x => Closure r s x ∧ ¬ t x

theorem fresh_mono (r : α → α → Prop) (s t u : Region α) (h : ∀ x, s x → u x) (x : α) (k : Fresh r s t x) :
    Fresh r u t x := by
  sorry
"""


@pytest.mark.lean
def test_what_a_definition_of_an_abbreviated_type_is_made_of_is_named(tmp_path: Path, lean: LeanPool) -> None:
    (tmp_path / "Closures.lean").write_text(CLOSURES)
    state = lean.goal_start(TheoremSite(LeanProject(tmp_path, tmp_path / "build"), "Closures.lean", "fresh_mono"))
    assert {"Fresh", "Closure"} <= set(state.goals[0].definitions)
    lean.release([state])


OPENED = """open Nat

infix:50 (priority := high) " | " => fun m n : Nat => n % m = 0

theorem mod_mod (a n : Nat) : a % n % n = a % n := Nat.mod_mod a n

theorem own_fact (a : Nat) : a % 1 = 0 := Nat.mod_one a

theorem thrice (a n : Nat) : a % n % n % n = a % n := by
  sorry
"""


@pytest.mark.lean
def test_a_premise_is_named_so_that_it_means_nothing_of_an_open_namespace(tmp_path: Path, lean: LeanPool) -> None:
    with shown_in(tmp_path, lean, "Opened.lean", OPENED, replace(CLOSER_HELP, library=0)) as (goal, state):
        assert {line.partition(":")[0] for line in shown_premises(goal)} >= {"_root_.mod_mod", "own_fact"}
        (tactic,) = tactics_of("grind [{lemmas}]", goal)
        plain = tactic.replace("_root_.", "")
        proved, refused = lean.goal_tactics([(state, tactic), (state, plain)])
        assert not isinstance(proved, LeanError) and proved.is_solved
        assert isinstance(refused, LeanError) and "ambiguous" in str(refused)


REMAINDERS = """def Splits (n m : Nat) : Prop := m % n = 0

theorem splits_product (n a b : Nat) (h : b = n * a) : Splits n b := by
  sorry
"""


@pytest.mark.lean
def test_grind_is_given_the_laws_of_operations_that_stand_in_definitions(tmp_path: Path, lean: LeanPool) -> None:
    with shown_in(tmp_path, lean, "Remainders.lean", REMAINDERS, CLOSER_HELP) as (goal, state):
        (tactic,) = tactics_of("grind [{arithmetic}]", goal)
        assert tactic.startswith("grind [Splits, Nat.") and "Nat.mul_mod" in tactic
        (result,) = lean.goal_tactics([(state, tactic)])
        assert not isinstance(result, LeanError) or "pattern" not in str(result), "what grind refuses is left out"


DIVISORS = """theorem at_most (a n : Nat) (h : 0 < n) (d : a ∣ n) : a ≤ n := by
  sorry
"""


@pytest.mark.lean
def test_bounds_with_conditions_are_begun_with_these(tmp_path: Path, lean: LeanPool) -> None:
    with shown_in(tmp_path, lean, "Divisors.lean", DIVISORS, CLOSER_HELP) as (goal, state):
        (tactic,) = tactics_of("grind [{arithmetic}]", goal)
        assert "→ Nat.le_of_dvd" in tactic and ", Nat.dvd_trans" in tactic
        solved, unsolved = lean.goal_tactics([(state, tactic), (state, tactic.replace("→ ", ""))])
        assert not isinstance(solved, LeanError) and solved.is_solved and isinstance(unsolved, LeanError)


CLASSES = """class Semi (G : Type u) where
  op : G → G → G
  op_assoc : ∀ a b c : G, op (op a b) c = op a (op b c)

class Group (G : Type u) where
  mul : G → G → G
  one : G
  mul_assoc : ∀ a b c : G, mul (mul a b) c = mul a (mul b c)
  mul_one : ∀ a : G, mul a one = a

class Cyclic [Group G] : Prop where
  same : ∀ a b : G, a = b

class Pointed (G : Type u) where
  point : G
  is_point : ∀ a : G, a = point → point = a

instance [Group G] : Pointed G := ⟨Group.one, fun _ h => h.symm⟩

theorem op_twice [Semi G] (a : G) : Semi.op a (Semi.op a a) = Semi.op (Semi.op a a) a := (Semi.op_assoc a a a).symm

theorem mul_ones [Group G] (a : G) : Group.mul (Group.mul a Group.one) Group.one = a := by
  sorry
"""


@pytest.mark.lean
def test_no_premise_is_shown_of_a_class_without_an_instance(tmp_path: Path, lean: LeanPool) -> None:
    settings = HelpSettings(premises=16, names=True, facts=True)
    with traced(tmp_path, lean, "Classes.lean", CLASSES) as (agent, database):
        (theorem,) = agent.open_theorems()
        corpus = PremiseCorpus(database.corpus([theorem.repository]), without={theorem.full_name})
        shown = PromptHelp.of(settings, corpus)
        place, state = place_of_stored(theorem), lean.goal_start(theorem.site)
        before: set[str] = set()
        after: set[str] = set()
        for names in (before, after):
            goal = shown.goal(state.text, place, GoalNames(state.goals[0].definitions))
            names |= {line.partition(":")[0] for line in shown_premises(goal)}
            check(lean, shown, place, state)
        lean.release([state])
    assert shown.without[place] == {"Semi", "Cyclic"}
    assert {"Semi.op_assoc", "Cyclic.same", "op_twice"} <= before - after
    assert {"Group.mul_one", "Group.mul_assoc", "Pointed.is_point"} <= after


STEPS = """inductive Linked : Nat → Nat → Prop
  | by_two (n) : Linked n (n + 2)

theorem chain {a b c : Nat} (left : Linked a b) (right : Linked b c) : a + 4 = c := by cases left; cases right; omega

def Far (a b : Nat) : Prop := a ≤ b + 7

theorem onward {x y z : Nat} (h : Far x y) (g : y ≤ z) : Far x z := by unfold Far at *; omega

theorem far_less {x y : Nat} (h : Far x y) : x < y + 8 := by unfold Far at h; omega

theorem zeta_eta_theta (far zeta eta theta : Nat) : zeta + eta + theta + far = far + theta + eta + zeta := by omega

theorem goal_about_zeta_eta_theta (zeta eta theta : Nat) (h : Far zeta eta) : Far zeta (eta + theta) := by sorry
"""


@pytest.mark.lean
@pytest.mark.parametrize("own", [6, 0])
def test_what_may_conclude_the_target_is_used_whatever_it_is_called(tmp_path: Path, lean: LeanPool, own: int) -> None:
    settings = HelpSettings(premises=1, names=True, facts=True, own=own)
    with shown_in(tmp_path, lean, "Steps.lean", STEPS, settings) as (goal, state):
        assert [line.partition(":")[0] for line in shown_premises(goal)] == ["zeta_eta_theta"]
        assert ("apply onward" in tactics_of("apply {premise}", goal)) == bool(own)
        assert tactics_of("grind [{own}]", goal) == (
            ["grind [Far, = zeta_eta_theta, zeta_eta_theta, onward, → far_less]"] if own else []
        )
        proved = lean.goal_tactics([(state, "grind [onward]")])[0]
        assert not isinstance(proved, LeanError) and proved.is_solved


FILLED = """def keep (xs : List Nat) (n : Nat) : List Nat := n :: xs.reverse

def filled : Nat → List Nat
  | 0 => []
  | n + 1 => keep (filled n) n

theorem kept {xs : List Nat} {m n : Nat} (h : m ∈ xs) : m ∈ keep xs n := by simp [keep, h]

theorem zeta_eta_theta (far zeta eta theta : Nat) : zeta + eta + theta + far = far + theta + eta + zeta := by omega

theorem goal_about_zeta_eta_theta (zeta : Nat) : (filled zeta).length = zeta := by sorry
"""


@pytest.mark.lean
def test_theorems_about_what_bodies_use_are_for_grind_alone(tmp_path: Path, lean: LeanPool) -> None:
    settings = HelpSettings(premises=1, names=True, facts=True, own=6)
    with shown_in(tmp_path, lean, "Filled.lean", FILLED, settings) as (goal, _):
        assert tactics_of("grind [{own}]", goal) == ["grind [filled, = zeta_eta_theta, zeta_eta_theta, kept]"]
        assert "apply kept" not in tactics_of("apply {premise}", goal)


def listed(tactic: str) -> list[str]:
    """Return what stands in the list of ``grind [f, = e]``."""
    return tactic.removeprefix("grind [").removesuffix("]").split(", ")


HALVES = """def half (n : Nat) : Option Nat := if n % 2 = 0 then some (n / 2) else none

def quarter (n : Nat) : Option Nat := (half n).bind half

theorem half_twice (n : Nat) : half (2 * n) = some n := by simp [half]

theorem half_some (n m : Nat) : half n = some m ↔ ∃ k, k = m ∧ n = 2 * k := by unfold half; split <;> simp <;> omega

theorem goal_about_zeta_eta_theta (zeta : Nat) : quarter (4 * zeta) = some zeta := by sorry
"""


@pytest.mark.lean
def test_what_makes_witnesses_is_no_equation_for_grind(tmp_path: Path, lean: LeanPool) -> None:
    settings = HelpSettings(premises=2, names=True, facts=True, own=6)
    with shown_in(tmp_path, lean, "Halves.lean", HALVES, settings) as (goal, _):
        (lemmas,), (laws,) = (tactics_of(f"grind [{{{of}}}]", goal) for of in ("lemmas", "laws"))
        assert {"= half_twice", "half_twice", "half_some"} <= {*listed(lemmas)}
        assert {"= half_twice", "half_some"} <= {*listed(laws)} and "half_twice" not in listed(laws)
        assert "= half_some" not in [*listed(lemmas), *listed(laws)]
    (other := tmp_path / "other").mkdir()
    with shown_in(other, lean, "Halves.lean", HALVES, replace(settings, premises=1)) as (goal, _):
        (own,) = tactics_of("grind [{own}]", goal)
        assert {"= half_twice", "half_some"} <= {*listed(own)} and "= half_some" not in listed(own)


class Recording(LeanPool):
    """A pool that keeps how long each batch of tactics may take."""

    seconds_given: list[float | None]

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None
    ) -> list[TacticResult]:
        self.seconds_given.append(timeout_s)
        return await super().goal_tactics_async(pairs, timeout_s=timeout_s)


@pytest.mark.lean
def test_premises_are_asked_of_once_and_may_take_longer_than_a_tactic(tmp_path: Path) -> None:
    Recording.seconds_given = []
    with Recording(1) as lean, shown_in(tmp_path, lean, "Stacks.lean", STACKS, HelpSettings(2, names=True, facts=True)):
        assert lean.seconds_given == [60.0], (
            "what a busy machine does not answer in time is known in the whole run no more"
        )
