"""Goal states on real Lean: what a search sees."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError, TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, LeanProject, TheoremSite, Variable

pytestmark = pytest.mark.lean

FILE = """namespace Scopes
open Nat
variable (n m : Nat) (h : n < m)

notation "ten" => (10 : Nat)

theorem before : n + 0 = n := rfl

include h in
theorem inside : n + 1 < m + 1 ∧ ten = 10 := by
  constructor
  · omega
  · rfl

theorem after : 1 = 1 := rfl

theorem poly.{u} (α : Type u) (x : α) : ∃ y : α, y = x := by
  sorry

end Scopes
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    root = tmp_path_factory.mktemp("scöpes and spaces")
    (root / "Scopes.lean").write_text(FILE, encoding="utf-8")
    return LeanProject(root=root, build=tmp_path_factory.mktemp("build"))


def site(project: LeanProject, name: str, position: int | None = None) -> TheoremSite:
    return TheoremSite(project, "Scopes.lean", f"Scopes.{name}", position)


def run(lean: LeanPool, state: GoalState, *tactics: str) -> GoalState:
    for tactic in tactics:
        state = lean.goal_tactic(state, tactic)
    return state


def failure(lean: LeanPool, state: GoalState, tactic: str) -> TacticFailure:
    with pytest.raises(TacticFailure) as caught:
        lean.goal_tactic(state, tactic)
    return caught.value


def test_scopes_of_the_file_are_in_force(lean: LeanPool, project: LeanProject) -> None:
    state = lean.goal_start(site(project, "inside"))
    assert state.text == "n m : Nat\nh : n < m\n⊢ n + 1 < m + 1 ∧ 10 = 10"
    assert run(lean, state, "constructor", "exact succ_lt_succ h", "rfl").is_solved  # `open Nat` and the notation
    assert run(lean, state, "exact ⟨by have := before n; omega, rfl⟩").is_solved  # an earlier theorem is there


def test_the_theorem_and_what_follows_are_not_there(lean: LeanPool, project: LeanProject) -> None:
    state = lean.goal_start(site(project, "inside"))
    assert "unknown" in failure(lean, state, "exact inside n m h").message.lower()
    assert "unknown" in failure(lean, state, "have := @after").message.lower()
    middle = lean.goal_start(site(project, "inside", FILE.encode().index(b"omega")))
    assert "unknown" in failure(lean, middle, "exact (inside n m h).1").message.lower()
    assert "unknown" in failure(lean, middle, "exact (Scopes.inside n m h).1").message.lower()


def test_a_traced_position_gives_its_exact_state(lean: LeanPool, project: LeanProject) -> None:
    position = FILE.encode().index(b"omega")
    state = lean.goal_start(site(project, "inside", position))
    assert state.text == "case left\nn m : Nat\nh : n < m\n⊢ n + 1 < m + 1"
    assert run(lean, state, "exact Nat.succ_lt_succ h").is_solved


def test_a_match_of_the_statement_and_of_the_proof_are_ones(lean: LeanPool, tmp_path: Path) -> None:
    """Lean knows a `match` by a constant of the command; it must print as one, and `split` must take it apart."""
    source = (
        "theorem stated (b : Bool) : (match b with | true => 1 | false => 2) > 0 := by\n  sorry\n\n"
        "theorem within (xs : List Nat) : True := by\n"
        "  have h : (match xs with | [] => True | _ :: _ => True) := by cases xs <;> trivial\n  trivial\n"
    )
    (tmp_path / "Matches.lean").write_text(source, encoding="utf-8")
    project = LeanProject(root=tmp_path, build=tmp_path / "build")
    stated = lean.goal_start(TheoremSite(project, "Matches.lean", "stated"))
    assert stated.text == "b : Bool\n⊢ (match b with\n    | true => 1\n    | false => 2) >\n    0"
    assert run(lean, stated, "split", "decide", "decide").is_solved
    within = lean.goal_start(TheoremSite(project, "Matches.lean", "within", source.encode().rindex(b"trivial")))
    assert "match xs with" in within.text
    assert run(lean, within, "split at h", "trivial", "trivial").is_solved


def test_universes_are_kept(lean: LeanPool, project: LeanProject) -> None:
    state = lean.goal_start(site(project, "poly"))
    assert state.goals[0].variables[0] == Variable("α", "Type u", None, False)
    assert run(lean, state, "have f : Type u := α", "exact ⟨x, rfl⟩").is_solved


def test_coupled_goals_close_together(lean: LeanPool) -> None:
    state = run(lean, lean.goal_start("∃ x, x = 3"), "constructor")
    assert len(state.goals) == 2  # the equation and the witness that it speaks of
    assert run(lean, state, "rfl").is_solved


def test_nothing_is_solved_while_a_metavariable_is_left(lean: LeanPool) -> None:
    state = run(lean, lean.goal_start("∃ x : Nat, True"), "refine ⟨?w, ?h⟩", "case h => trivial")
    assert [goal.target for goal in state.goals] == ["Nat"]
    assert run(lean, state, "exact 0").is_solved


def test_let_values_and_inaccessible_names(lean: LeanPool) -> None:
    state = run(lean, lean.goal_start("∀ n : Nat, n = n → True"), "intro", "intro", "let k := 2")
    variables = state.goals[0].variables
    assert [v.is_inaccessible for v in variables] == [True, True, False]
    assert variables[2] == Variable("k", "Nat", "2", False)


def test_steps_with_holes_keep_their_branches(lean: LeanPool) -> None:
    state = run(
        lean, lean.goal_start("∀ n : Nat, 0 + n = n"), "intro n", "induction n with\n| zero => ?_\n| succ n ih => ?_"
    )
    assert [goal.name for goal in state.goals] == ["zero", "succ"]
    assert run(lean, state, "rfl", "omega").is_solved


@pytest.mark.parametrize(
    ("tactic", "kind"),
    [
        ("nonsense", "parse"),
        ("exact (", "parse"),
        ("assumption", "error"),
        ("exact 1", "error"),
        ("sorry", "sorry"),
        ("admit", "sorry"),
        ("exact sorry", "sorry"),
        ("exact sorryAx _ false", "sorry"),
        ("first | sorry | rfl", "sorry"),
        ("native_decide", "forbidden"),
        ("simp (config := unsafeCast ())", "forbidden"),
        ("decide +native", "forbidden"),
        ("set_option debug.skipKernelTC true in rfl", "forbidden"),
        ("exact Lean.ofReduceBool _ _ rfl", "forbidden"),
    ],
)
def test_failures_say_their_kind(lean: LeanPool, tactic: str, kind: str) -> None:
    state = lean.goal_start("∀ n : Nat, n + 0 = n ∨ n = 1")
    assert failure(lean, state, tactic).kind == kind


@pytest.mark.parametrize(
    ("tactic", "left"),
    [
        ("· skip", "n : Nat\n⊢ n + 0 = n ∨ n = 1"),
        ("have : 1 = 2 := by skip", "n : Nat\n⊢ 1 = 2"),
        ("cases n with | zero => simp | succ n => skip", "case succ\nn : Nat\n⊢ n + 1 + 0 = n + 1 ∨ n + 1 = 1"),
    ],
)
def test_a_block_that_is_left_unfinished_says_what_is_left(lean: LeanPool, tactic: str, left: str) -> None:
    state = run(lean, lean.goal_start("∀ n : Nat, n + 0 = n ∨ n = 1"), "intro n")
    assert failure(lean, state, tactic).message == f"unsolved goals\n{left}"


def test_goals_stay_what_they_are_while_others_are_solved(lean: LeanPool) -> None:
    """A goal whose type is told by what was assigned (``?a`` of ``And.intro``) is known from one state to the next, in
    text and key; one that hangs on an open one changes with it."""
    state = run(
        lean, lean.goal_start("∀ p q : Prop, p → q → (p ∧ q) ∧ ∃ n : Nat, n = 3"), "intro p q hp hq", "constructor"
    )
    first, second = state.goals
    after = run(lean, state, "constructor", "exact hp", "exact hq")
    assert after.goals == (second,)
    open_ones = run(lean, after, "refine ⟨?w, ?_⟩")
    assert [goal.target for goal in open_ones.goals] == ["Nat", "?w = 3"]
    assert open_ones.groups == ((0, 1),)
    assert [goal.target for goal in run(lean, open_ones, "case w => exact 3").goals] == ["3 = 3"]
    assert first.target == "p ∧ q"


def test_runaway_tactics_are_stopped(lean: LeanPool) -> None:
    state = lean.goal_start("∀ n : Nat, n = n")
    pids = lean.pids()
    (stopped,) = lean.goal_tactics([(state, "repeat (first | skip; skip | skip); skip")], timeout_s=1.0)
    assert isinstance(stopped, TacticFailure)
    assert stopped.kind == "timeout" or "recursion" in stopped.message
    assert run(lean, state, "intro n", "rfl").is_solved
    assert lean.pids() == pids  # stopped by a token or a limit inside, not by a kill


def test_no_goals_is_a_failure_of_its_own(lean: LeanPool) -> None:
    solved = run(lean, lean.goal_start("1 = 1"), "rfl")
    assert solved.is_solved
    assert failure(lean, solved, "rfl").kind == "no_goals"


def test_what_cannot_start_says_why(lean: LeanPool, project: LeanProject) -> None:
    with pytest.raises(LeanRequestError, match=r"no theorem `Scopes\.missing`"):
        lean.goal_start(site(project, "missing"))
    with pytest.raises(LeanRequestError, match="not a proposition"):
        lean.goal_start("Nat")
    with pytest.raises(LeanRequestError, match="no file"):
        lean.goal_start(TheoremSite(project, "Nowhere.lean", "x"))
    with pytest.raises(LeanRequestError):
        lean.goal_start(TheoremSite(LeanProject(Path("/nowhere"), project.build), "Scopes.lean", "x"))


@pytest.mark.parametrize(
    ("statement", "script"),
    [
        ("∀ (a b c : Nat), a < b → b < c → a + 1 < c", ["intro a b c h h2", "have k : a < c := by omega"]),
        (
            "∀ (n : Nat), n = n",
            ["intro n", "let m := n + 1", "have e : m = n + 1 := rfl", "obtain ⟨k, hk⟩ : ∃ k, k = m := ⟨m, rfl⟩"],
        ),
        ("∀ (x : Nat), ∀ (x : Nat), x = x", ["intro x x"]),
        ("∀ (x y : Nat), x = y → y = x", ["intros"]),
        (
            "∀ (α : Type) [Inhabited α] (f : α → α) (g : Nat → α), ∃ y, f y = f y ∧ g 0 = g 0",
            ["intro α _ f g", "refine ⟨?w, ?_, ?_⟩"],
        ),
        ("∃ n : Nat, n = 3 ∧ n < 4", ["apply Exists.intro", "constructor"]),
        (
            "∀ p q r s t : Prop, (p ∧ q ∧ r ∧ s ∧ t → t ∧ s ∧ r ∧ q ∧ p) ∧ "
            "(p ∧ q ∧ r ∧ s ∧ t → t ∧ s ∧ r ∧ q ∧ p) ∧ True",
            ["intros", "refine ⟨?left, ?_, ?_⟩", "intro ⟨a, b, c, d, e⟩"],
        ),
        (
            "∀ n : Nat, 0 + n = n",
            ["intro n", "induction n with\n| zero => ?_\n| succ n ih => ?_", "rotate_left", "cases n"],
        ),
    ],
)
def test_states_read_as_lean_prints_them(lean: LeanPool, statement: str, script: list[str]) -> None:
    """`fail` prints with Lean's own `ppGoal`; ours keeps what it printed before and must never differ."""
    state = lean.goal_start(statement)
    for tactic in script:
        result = lean.goal_tactics([(state, tactic)])[0]
        assert isinstance(result, GoalState), result
        state = result
        told = failure(lean, state, 'fail "as Lean prints it:"').message
        assert told == f"as Lean prints it:\n{state.text}"


def key(lean: LeanPool, statement: str, *tactics: str) -> list[str]:
    state = lean.goal_start(statement)
    for tactic in tactics:
        state = lean.goal_tactic(state, tactic)
    return [goal.key for goal in state.goals]


def test_goals_that_share_a_metavariable_stay_together(lean: LeanPool) -> None:
    state = lean.goal_start("∀ (p q : Prop), p → q → p ∧ (∃ n : Nat, n > 3) ∧ q")
    state = lean.goal_tactic(state, "intro p q hp hq")
    state = lean.goal_tactic(state, "refine ⟨?_, ⟨?w, ?_⟩, ?_⟩")
    assert [goal.target for goal in state.goals] == ["p", "Nat", "?w > 3", "q"]
    assert state.groups == ((0,), (1, 2), (3,))
    (parts,) = lean.goal_splits([state])
    assert isinstance(parts, list)
    middle = lean.goal_tactic(parts[1], "exact 4")
    assert [goal.target for goal in middle.goals] == ["4 > 3"]
    assert lean.goal_tactic(middle, "decide").is_solved
    # What one group's tactics find out is theirs alone.
    assert [goal.target for goal in parts[2].goals] == ["q"]
    # Through a hypothesis: the goal ?a ≤ 3 speaks of ?a, and so does `h` in the context of the other.
    state = lean.goal_start("∀ p : Nat → Prop, (∀ n, n ≤ 3 → p n → p 0) → (∀ n, p n) → p 0")
    state = lean.goal_tactic(lean.goal_tactic(state, "intro p h all"), "apply h")
    assert [goal.target for goal in state.goals] == ["?n ≤ 3", "p ?n", "Nat"]
    assert state.groups == ((0, 1, 2),)


def test_keys_do_not_depend_on_names_that_no_tactic_can_speak_of(lean: LeanPool) -> None:
    both = "∀ (a b : Nat), a = b → b = 3 → a = 3"
    hidden = key(lean, both, "intros")
    assert hidden == key(lean, both, "intro", "intro", "intros")
    # x✝ < y✝ and y✝ < x✝ are two hypotheses, though both say of two unnamed numbers that one is below the other.
    less = key(lean, "∀ (a b : Nat), a < b → False", "intros")
    greater = key(lean, "∀ (a b : Nat), b < a → False", "intros")
    same = key(lean, "∀ (a b : Nat), a < a → False", "intros")
    assert len({*less, *greater, *same}) == 3
    # Metavariables are numbered as they come.
    there_is = "∃ n : Nat, n = n ∧ n = 3"
    assert key(lean, there_is, "refine ⟨?_, ?_⟩") == key(lean, there_is, "skip", "refine ⟨?x, ?y⟩")
    value = key(lean, "let n := 3; n = 3", "intro n")
    assert value != key(lean, "let n := 4; n = 3", "intro n")


def test_keys_do_not_depend_on_the_order_of_hypotheses(lean: LeanPool) -> None:
    begin = lean.goal_start("∀ (p q : Prop), p → q → q ∧ p")
    one = run(lean, begin, "intro p q hp hq")
    other = run(lean, one, "revert hp", "intro hp")
    assert [[v.name for v in state.goals[0].variables] for state in (one, other)] == [
        ["p", "q", "hp", "hq"],
        ["p", "q", "hq", "hp"],
    ]
    assert one.text != other.text and one.goals[0].key == other.goals[0].key
    swapped = run(lean, begin, "intro p q hq hp")  # each name for the other hypothesis: another goal
    assert swapped.goals[0].key != one.goals[0].key


def test_a_part_of_a_state_survives_its_process(lean: LeanPool) -> None:
    state = lean.goal_tactic(lean.goal_start("True ∧ 1 = 1"), "constructor")
    (parts,) = lean.goal_splits([state])
    assert isinstance(parts, list)
    (pid,) = lean.pids()
    os.kill(pid, signal.SIGKILL)
    assert lean.goal_tactic(parts[1], "rfl").is_solved
    (again,) = lean.goal_splits([state])
    assert again == parts


def test_a_goal_is_printed_as_it_is_in_its_own_state(lean: LeanPool) -> None:
    """What one branch makes of a metavariable does not show in another, in which the goal has the same name."""
    state = lean.goal_tactic(lean.goal_start("∃ n : Nat, n * n = 16"), "refine ⟨?n, ?_⟩")
    assert lean.goal_tactic(state, "exact 3").text == "⊢ 3 * 3 = 16"
    assert lean.goal_tactic(state, "exact 4").text == "⊢ 4 * 4 = 16"
    assert lean.goal_tactic(state, "skip").text == state.text
    three, four, same = (lean.goal_tactic(state, tactic) for tactic in ("exact 3", "exact 4", "skip"))
    assert len({three.goals[0].key, four.goals[0].key}) == 2 and same.goals[1].key == state.goals[1].key


def test_goals_of_one_name_in_two_branches_are_kept_apart(lean: LeanPool) -> None:
    """Names are given anew in each branch, so two goals may share one; printed goals go by more than their name."""
    state = lean.goal_tactic(lean.goal_start("∀ n : Nat, n = n"), "intro n")
    branches = [f"have k : {i} = {i} := rfl" for i in (1, 2)]
    first, second, again = (lean.goal_tactic(state, tactic) for tactic in (*branches, branches[0]))
    assert [one.text for one in (first, second)] == [f"n : Nat\nk : {i} = {i}\n⊢ n = n" for i in (1, 2)]
    assert again.goals == first.goals and first.goals[0].key != second.goals[0].key
    assert lean.goal_tactic(second, "skip").text == second.text


@pytest.mark.parametrize("tactic", ["decide +kernel", "have k : 2 + 2 = 5 := by decide +kernel", "by_the_kernel"])
def test_what_the_kernel_refuses_is_no_step(lean: LeanPool, tmp_path: Path, tactic: str) -> None:
    """The kernel is asked at the end of a proof; what only the kernel can decide, it decides at once."""
    (tmp_path / "A.lean").write_text(
        'macro "by_the_kernel" : tactic => `(tactic| decide +kernel)\n'
        "theorem false (n : Nat) : 2 + 2 = 5 ∧ n = n := by sorry\n"
        "theorem true (n : Nat) : 2 + 2 = 4 ∧ n = n := by sorry\n"
    )
    project = LeanProject(root=tmp_path, build=tmp_path / "build")
    wrong, right = (
        run(lean, lean.goal_start(TheoremSite(project, "A.lean", name)), "constructor") for name in ("false", "true")
    )
    assert failure(lean, wrong, tactic).kind == "error"
    assert run(lean, wrong, f"first | {tactic} | skip").text == wrong.text
    assert run(lean, right, tactic.replace("5", "4"), "all_goals trivial").is_solved


def test_starts_within_a_proof_are_the_same_whichever_run_of_it_they_come_from(project: LeanProject) -> None:
    """First from what was recorded as the file was opened, which goes with the asking; then from runs of the proof."""
    text = FILE.encode()
    places = [
        site(project, "inside", text.index(tactic)) for tactic in (b"constructor", b"omega", b"rfl\n\ntheorem after")
    ]
    elsewhere = site(project, "poly", text.index(b"sorry"))
    with LeanPool(1) as pool:
        first = [pool.goal_start(place) for place in places]
        pool.goal_start(elsewhere)
        again = [pool.goal_start(place) for place in places]
        assert [state.goals for state in first] == [state.goals for state in again]
        assert [len(state.goals) for state in first] == [1, 1, 1]
        assert first[0].text.endswith("⊢ n + 1 < m + 1 ∧ 10 = 10")
        assert pool.goal_tactic(first[1], "omega").is_solved


SAID_BY_DEFINITION = """def Inj (f : Nat → Nat) := ∀ a b, f a = f b → a = b
def MySet := Nat → Prop
instance : Membership Nat MySet := ⟨fun s a => s a⟩
instance : HasSubset MySet := ⟨fun s t => ∀ x, x ∈ s → x ∈ t⟩
theorem injective (f : Nat → Nat) : Inj f := by sorry
theorem subset (s : MySet) : s ⊆ s := by sorry
theorem negation (s : MySet) : ¬ s = s := by sorry
theorem itself (s : MySet) : ∀ x, x ∈ s → x ∈ s := by sorry
theorem member (s : MySet) (x : Nat) : x ∈ s := by sorry
"""


def test_goals_say_what_their_definitions_bind(tmp_path: Path, lean: LeanPool) -> None:
    (tmp_path / "A.lean").write_text(SAID_BY_DEFINITION, encoding="utf-8")
    project = LeanProject(tmp_path, tmp_path / "build")
    names = ["injective", "subset", "negation", "itself", "member"]
    states = [lean.goal_start(TheoremSite(project, "A.lean", name)) for name in names]
    assert [state.goals[0].binders for state in states] == [("a", "b", "h"), ("x", "h"), (), (), ()]
    assert lean.goal_tactic(states[1], "intro x h; exact h").is_solved


QUEUES = """def AllAtMost (n : Int) : List Int → Prop
  | [] => True
  | m :: rest => n ≥ m ∧ AllAtMost n rest

def Falling : List Int → Prop
  | [] => True
  | m :: rest => AllAtMost m rest ∧ Falling rest

def put (k : Int) : List Int → List Int
  | [] => [k]
  | m :: rest => if k > m then k :: m :: rest else m :: put k rest

theorem at_most {l : List Int} {a b : Int} (h : b ≥ a) (k : AllAtMost a l) : AllAtMost b l := by
  induction l <;> grind [AllAtMost]

theorem all_put {l : List Int} {n k : Int} (h : n ≥ k) (a : AllAtMost n l) : AllAtMost n (put k l) := by
  induction l <;> grind [AllAtMost, put]

theorem falling_put {l : List Int} (f : Falling l) (k : Int) : Falling (put k l) := by
  sorry

theorem all_put_again (n k : Int) : ∀ {l : List Int}, n ≥ k → AllAtMost n l → AllAtMost n (put k l) := by
  sorry
"""


@pytest.mark.lean
def test_what_tactics_make_is_in_the_order_of_a_file(lean: LeanPool, tmp_path: Path) -> None:
    """Lean orders terms by the names of variables, and ``grind`` finds instances by that order, which once was that of
    ``head`` before ``k`` where in a file ``k`` comes first."""
    (tmp_path / "Queues.lean").write_text(QUEUES)
    project = LeanProject(tmp_path, tmp_path / "build")
    by_cases = "induction l <;> grind [Falling, AllAtMost, put, all_put, at_most]"
    for theorem, tactic, works in (
        ("falling_put", by_cases, False),
        ("all_put_again", f"intros; rename_i l _ _; {by_cases}", True),
    ):
        site = TheoremSite(project, "Queues.lean", theorem)
        (result,) = lean.goal_tactics([(lean.goal_start(site), tactic)])
        accepted = lean.verify(site, f"by {tactic}").accepted
        assert (isinstance(result, GoalState), accepted) == (works, works), theorem
