"""Searches on real Lean: goals apart and goals that hang together, on any number of processes, and proofs put back."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lean_agent.agent.base import BaseAgent
from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState
from lean_agent.policy.base import ProofRequest, Sampling, Suggestion
from lean_agent.policy.closers.schemes import tactics_of
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.mock import MockPolicy
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import completion_messages, prompt_messages, proof_messages
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.proofs.minimise import minimise, shorter_tactic, with_used_names
from lean_agent.prover.provers import HFProver, Prover, ScriptedProver, place_of
from lean_agent.prover.saved.trees import SavedSearch, find_searches, load_search
from lean_agent.prover.searches.base import Search
from lean_agent.prover.tree.alternatives import tracing, without_unused
from lean_agent.prover.tree.steps import count_steps

pytestmark = pytest.mark.lean

FILE = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  sorry

theorem four (p : Prop) (h : p) : (∃ n : Nat, n * n = 16) ∧ p := by sorry

theorem chain (a b c d : Nat) (h : a = b ∧ b = c) (k : c = d) : a = c ∧ (b = d ∧ True) := by
  sorry

theorem cases' (p q r : Prop) (f : p → r) (g : q → r) : p ∨ q → r := by
  sorry

theorem false_claim (n : Nat) : n < n := by
  sorry
"""
TACTICS = (
    "refine ⟨⟨?n, ?_⟩, ?_⟩",
    "constructor",
    "exact 4",
    "rfl",
    "exact h",
    "exact h.1",
    "exact h.2",
    "exact h.1.trans h.2",
    "exact h.2.trans k",
    "trivial",
    "intro h",
    "rcases h with h | h",
    "exact f h",
    "exact g h",
    "skip",
)
BUDGET = SearchBudget(expansions=40, lean_calls=600, seconds=600.0)
CONFIG = SearchConfig(budget=BUDGET, nodes_per_round=2, length_exponent=0.0)
PROVED = {"swap": True, "four": True, "chain": True, "cases'": True, "false_claim": False}


class Agent(BaseAgent):
    """Proves with the list above."""

    def prover(self, **options: object) -> Prover:
        return ScriptedProver(self.lean, tactics=TACTICS, database=self.database, **options)  # type: ignore[arg-type]


def git(folder: Path, *words: str) -> str:
    named = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org", *words]
    return subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "søk"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "sok"\n', encoding="utf-8")
    (folder / "Sok.lean").write_text(FILE, encoding="utf-8")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder


def agent_for(tmp_path: Path, lean: LeanPool) -> Agent:
    database = DynamicDatabase(tmp_path / "database.sqlite")
    return Agent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False)


def test_what_is_found_does_not_depend_on_the_number_of_processes(
    repository: Path, tmp_path: Path, lean: LeanPool
) -> None:
    with agent_for(tmp_path, lean) as agent, LeanPool(2) as two:
        agent.setup_local_repository(repository)
        theorems = agent.open_theorems()
        outcomes = []
        for server in (lean, two):
            prover = ScriptedProver(server, tactics=TACTICS, config=CONFIG)
            results = {one.theorem.full_name: one for one in prover.prove_all(theorems)}
            assert {name: one.proved for name, one in results.items()} == PROVED
            outcomes.append(
                {name: replace(one.search, cost=replace(one.search.cost, seconds=0.0)) for name, one in results.items()}
            )
            assert prover.usage.busy > 0.6 * prover.usage.wall  # 0.9 on a machine with nothing else to do
        assert outcomes[0] == outcomes[1]
        found = outcomes[0]
        assert found["swap"].steps == ("constructor", ("exact h.2",), ("exact h.1",))
        # The number and what is said of it are one state; the goal beside them is another, and comes first.
        assert found["four"].steps[0] == "refine ⟨⟨?n, ?_⟩, ?_⟩"
        assert {("exact h",), ("trivial",)} & set(found["four"].steps) and "exact 4" in found["four"].steps
        # Goals in a row prove the same, and need no blocks.
        plain = ScriptedProver(lean, tactics=TACTICS, config=replace(CONFIG, and_or=False))
        rows = {one.theorem.full_name: one for one in plain.prove_all(theorems)}
        assert {name: one.proved for name, one in rows.items()} == PROVED
        assert rows["swap"].search.steps == ("constructor", "exact h.2", "exact h.1")


def test_proofs_are_made_shorter_and_put_where_the_sorry_was(repository: Path, tmp_path: Path, lean: LeanPool) -> None:
    source = repository / "Sok.lean"
    with agent_for(tmp_path, lean) as agent:
        agent.setup_local_repository(repository)
        results = {
            one.theorem.full_name: one
            for one in agent.prove(config=CONFIG, policy="own", save_trees=True, write_back="branch")
        }
        assert {name: one.proved for name, one in results.items()} == PROVED
        # The branch holds the proofs; the work tree, the index and the branch that is checked out are as they were.
        assert source.read_text(encoding="utf-8") == FILE
        assert git(repository, "status", "--porcelain") == ""
        assert git(repository, "branch", "--show-current") == "main"
        branch = f"lean-agent/{agent.run.path.name}"
        written = git(repository, "show", f"{branch}:Sok.lean")
        assert written.count("sorry") == 1 and "· exact h.2" in written
        # The patch says the same.
        (patch,) = (agent.run.path / "patches").iterdir()
        assert patch.name.startswith("søk-")
        git(repository, "apply", str(patch))
        assert source.read_text(encoding="utf-8").strip() == written
        git(repository, "checkout", "-q", "--", "Sok.lean")
        # Trees were saved.
        tree = load_search(agent.run.path / "trees" / place_of(results["swap"].theorem, ".jsonl"))
        assert tree.status == "proved" and tree.script == results["swap"].search.script

        # Work that is in no commit is not written over.
        source.write_text(FILE + "-- mine\n", encoding="utf-8")
        again = agent.prove(
            config=CONFIG, policy="own", theorems=[results["swap"].theorem], write_back=True, minimal=True
        )
        assert again[0].proved and again[0].search.steps == ("simp_all",)
        assert source.read_text(encoding="utf-8") == FILE + "-- mine\n"
        source.write_text(FILE, encoding="utf-8")
        agent.prove(config=CONFIG, policy="own", theorems=[results["swap"].theorem], write_back=True)
        assert source.read_text(encoding="utf-8") == FILE.replace(
            "q ∧ p := by\n  sorry", "q ∧ p := by\n  constructor\n  · exact h.2\n  · exact h.1"
        )


def test_a_clone_in_the_cache_is_left_as_its_commit_has_it(
    repository: Path, tmp_path: Path, lean: LeanPool, capsys: pytest.CaptureFixture[str]
) -> None:
    with Agent(lean=lean, cache_dir=tmp_path / "cache", runs_dir=tmp_path / "runs", progress=False) as agent:
        cloned = agent.setup_github_repository(f"file://{repository}").repository
        wanted = [one for one in agent.open_theorems() if one.full_name == "swap"]
        for place in ("patch", "branch"):
            assert agent.prove(config=CONFIG, policy="own", theorems=wanted, write_back=place)[0].proved
            assert (cloned.path / "Sok.lean").read_text(encoding="utf-8") == FILE
            assert (
                git(cloned.path, "status", "--porcelain") == "" == git(cloned.path, "branch", "--list", "lean-agent/*")
            )
            assert "Sok.lean was left as it is: it is in a clone" in capsys.readouterr().out
        (patch,) = (agent.run.path / "patches").iterdir()
    git(repository, "apply", str(patch))
    assert "· exact h.2" in (repository / "Sok.lean").read_text(encoding="utf-8")


def test_two_projects_of_one_git_repository_share_a_commit(tmp_path: Path, lean: LeanPool) -> None:
    top = tmp_path / "both"
    text = "/- one\u2028line -/\n" + FILE.partition("\n\n")[0] + "\n"
    for name in ("x/lib", "y/lib"):
        (top / name).mkdir(parents=True)
        (top / name / "lakefile.toml").write_text('name = "lib"\n', encoding="utf-8")
        for file in ("A.lean", "B.lean"):
            (top / name / file).write_text(text, encoding="utf-8")
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "all")
    files = ["x/lib/A.lean", "x/lib/B.lean", "y/lib/A.lean", "y/lib/B.lean"]
    with agent_for(tmp_path, lean) as agent:
        for name in ("x/lib", "y/lib"):
            agent.setup_local_repository(f"{top}#{name}")
        results = agent.prove(config=CONFIG, save_trees=True, write_back="branch")
        assert [one.proved for one in results] == [True] * 4
        assert len({one.path for one in results}) == 4
        assert len([*(agent.run.path / "trees").rglob("*.jsonl")]) == 4
        branch = f"lean-agent/{agent.run.path.name}"
        assert git(top, "diff", "--name-only", "main", branch).splitlines() == files
        assert git(top, "rev-list", "--count", f"main..{branch}") == "1"
        # The same once more: there is such a branch, which is no reason to lose what was proved.
        assert len(agent.prove(config=CONFIG, write_back="branch")) == 4
        (patch,) = (agent.run.path / "patches").iterdir()
        git(top, "apply", str(patch))
        assert git(top, "diff", branch) == ""


def test_states_that_differ_in_the_order_of_hypotheses_are_expanded_once(lean: LeanPool) -> None:
    policy = MockPolicy({}, default=["intro p q hp hq", "(intro p q hp hq; revert hp; intro hp)"])
    searches: list[Search] = []
    driver = Driver(lean, policy, CONFIG, on_end=lambda _, search: searches.append(search))
    ((_, result),) = driver.run(["∀ (p q : Prop), p → q → False"])
    assert (result.status, result.states, len(policy.calls)) == ("failed", 2, 2)
    root = searches[0].graphs[0].root
    assert len(root.edges) in (1, 2) and len({edge.targets for edge in root.edges}) == 1


def test_a_shorter_proof_is_one_that_lean_runs(lean: LeanPool) -> None:
    statement = "∀ (p q : Prop), p ∧ q → q ∧ p"
    steps = ("intro p q h", "skip", "constructor", ("skip", "exact h.2"), ("have k := h.1", "exact k"))
    # No closer to help: the two `skip`s go, and nothing else can.
    shorter, calls = minimise(lean, statement, steps, closers=())
    assert shorter == ("intro p q h", "constructor", ("exact h.2",), ("have k := h.1", "exact k"))
    # The first state; without each of 7 tactics; without each of 6, after one `skip`; without each of 5, after both.
    assert calls == 1 + 7 + 6 + 5
    assert (
        minimise(lean, statement, steps, closers=("exact h.1",))[0][-1] == "exact h.1"
    )  # for the rest, the last block
    assert count_steps(minimise(lean, statement, steps)[0]) == 1
    assert minimise(lean, statement, steps, max_attempts=0) == (steps, 1)


def test_a_shorter_proof_names_what_it_needs(lean: LeanPool) -> None:
    statement = "∀ (xs ys : List Nat), (xs ++ ys).length + 0 = ys.length + xs.length"
    steps = (
        "intro xs ys",
        "simp only [List.map, List.length_append, Nat.mul_comm, Nat.add_zero, Nat.add_comm, List.foldr]",
    )
    shorter, calls = minimise(lean, statement, steps, closers=())
    assert shorter == ("intro xs ys", "simp only [List.length_append, Nat.add_zero, Nat.add_comm]") and calls < 40
    assert minimise(lean, "1 + 1 = 2", ("simp [Nat.add_comm, Nat.mul_comm]",), closers=())[0] == ("simp",)
    bounded = ("intro a n h", "grind (instances := 100) [Nat.gcd_comm, → Nat.le_of_dvd]")
    named, _ = with_used_names(lean, "∀ a n : Nat, 0 < n ∧ a ∣ n → a ≤ n", bounded)
    assert named == ("intro a n h", "grind (instances := 100) [→ Nat.le_of_dvd]")


_EVEN = "∀ (a b : Nat), (∃ d, a = d + d) → (∃ d, b = d + d) → ∃ e, a + b = e + e"
_CONGRUENT = "∀ (m a b c d : Int), (∃ k, a - b = m * k) → (∃ k, c - d = m * k) → ∃ e, a * c - b * d = m * e"


@pytest.mark.parametrize(
    ("scheme", "statement", "intro", "shortest"),
    [
        ("obtain {opened}", "∀ a : Int, (∃ d, a = 2 * d) → ∃ e, -a = 2 * e", "intro a h", "exact ⟨-d, by grind⟩"),
        ("obtain {opened}", _EVEN, "intro a b h g", "exact ⟨d + d₁, by grind⟩"),
        ("obtain {opened}", _CONGRUENT, "intro m a b c d h g", "exact ⟨k * c + k₁ * b, by grobner⟩"),
        ("first | exact ⟨{term}, by grind⟩", "∀ a : Int, ∃ e, a + e = 0", "intro a", "exact ⟨-a, by grind⟩"),
        (
            "ext1 <;> (simp_all [{functions}] <;> grind)",
            "∀ xs : List Nat, List.take xs.length xs = List.map (fun x => x) xs",
            "intro xs",
            "ext1 <;> ",
        ),
    ],
)
def test_witnesses_and_extensionality(lean: LeanPool, scheme: str, statement: str, intro: str, shortest: str) -> None:
    (state,) = lean.goal_tactics([(lean.goal_start(statement), intro)])
    assert isinstance(state, GoalState)
    tactics = tactics_of(scheme, state.goals[0].text)
    results = lean.goal_tactics([(state, tactic) for tactic in tactics])
    proved = [tactic for tactic, result in zip(tactics, results, strict=True) if isinstance(result, GoalState)]
    assert proved, results
    assert shortest in shorter_tactic(lean, state, proved[0])[0]


def test_what_a_list_leaves_out_stays_left_out(lean: LeanPool) -> None:
    steps = ("intro a b h", "simp [-Nat.add_comm, List.map, *]")
    shorter, calls = with_used_names(lean, "∀ a b : Nat, a = b → b = a", steps)
    assert shorter == ("intro a b h", "simp [-Nat.add_comm, *]") and calls == 1 + 2


def test_a_relation_is_used_where_its_rules_are(lean: LeanPool) -> None:
    steps = ("grind [List.Sublist, Nat.mul_comm]",)
    assert with_used_names(lean, "[1].Sublist [2, 1]", steps)[0] == ("grind [List.Sublist]",)


@pytest.mark.parametrize(
    ("statement", "head", "ways", "worked"),
    [
        ("∀ n : Nat, n + 0 = n", "intro n; cases n <;> ", "contradiction | (simp_all; done) | omega", "simp_all"),
        ("∀ n < 2, n * n = n", "intro n h; cases n <;> ", "rfl | (omega; done) | grind", "first | rfl | grind"),
        ("True ∨ False", "", "exact .inr ⟨⟩ | exact .inl ⟨⟩", "exact .inl ⟨⟩"),
        ("∀ p : Prop, False → p", "intro p h; cases h <;> ", "rfl | assumption", ""),
    ],
)
def test_of_alternatives_only_those_stay_that_have_worked(
    statement: str, head: str, ways: str, worked: str, lean: LeanPool
) -> None:
    root = lean.goal_start(statement)
    tactic = f"{head}first | {ways}"
    result = lean.goal_tactic(root, tracing(tactic))
    shorter = without_unused(tactic, result.messages)
    assert shorter == (f"{head}{worked}" if worked else head.removesuffix(" <;> "))
    assert result.is_solved and lean.goal_tactic(root, shorter).is_solved


def test_a_proof_has_no_alternatives_that_did_nothing(repository: Path, tmp_path: Path, lean: LeanPool) -> None:
    with agent_for(tmp_path, lean) as agent:
        agent.setup_local_repository(repository)
        (swap,) = (theorem for theorem in agent.open_theorems() if theorem.full_name == "swap")
        policy = ScriptedPolicy(["constructor <;> first | rfl | omega | (cases h; assumption)"])
        result = Prover("alternatives", policy, lean).prove(swap)
    assert result.proof == "by\n  constructor <;> (cases h; assumption)" and result.proved and result.judge_calls == 1


def test_a_proof_names_what_lean_has_used(repository: Path, tmp_path: Path, lean: LeanPool) -> None:
    """But for one that is measured, which would cost more calls."""
    tactic = "first | rfl | (intros; simp_all [List.map, and_comm, Nat.add_comm]; done) | grind [List.length_append]"
    with agent_for(tmp_path, lean) as agent:
        agent.setup_local_repository(repository)
        (swap,) = (theorem for theorem in agent.open_theorems() if theorem.full_name == "swap")
        prover = Prover("names", ScriptedPolicy([tactic]), lean)
        result = prover.prove(swap)
        measured = prover.with_budget(SearchBudget()).prove(swap)
    assert measured.proof == "by\n  (intros; simp_all [List.map, and_comm, Nat.add_comm])" and measured.judge_calls == 1
    assert result.proof == "by\n  (intros; simp_all)" and result.proved and result.judge_calls == 1 + 3


@pytest.mark.parametrize("search", ["best_step", "beam", "mcts", "portfolio"])
def test_every_engine_proves_on_real_lean(search: str, repository: Path, tmp_path: Path, lean: LeanPool) -> None:
    with agent_for(tmp_path, lean) as agent:
        agent.setup_local_repository(repository)
        wanted = [one for one in agent.open_theorems() if one.full_name in ("swap", "cases'", "false_claim")]
        own: dict[str, dict[str, Any]] = {
            "best_step": {"length_exponent": 0.0},
            "beam": {"beam_width": 4},
            "portfolio": {"portfolio": ("beam", "mcts"), "beam_width": 4},
        }
        settings = {"tactics_per_node": len(TACTICS), "nodes_per_round": 2, **own.get(search, {})}
        config = SearchConfig(search, budget=BUDGET, **settings)
        prover = Prover("list", ScriptedPolicy(TACTICS), lean, config=config)
        results = {one.theorem.full_name: one for one in prover.prove_all(wanted)}
        assert {name: one.proved for name, one in results.items()} == {name: PROVED[name] for name in results}
        assert len(results) == 3
        assert results["swap"].search.steps == ("constructor", ("exact h.2",), ("exact h.1",))
        assert "rcases h with h | h" in results["cases'"].search.steps


class Author(MockPolicy):
    """Writes a script with an error and one that leaves a goal; repairs by what Lean says of them."""

    GOAL = "case right\np q : Prop\nh : p ∧ q\n⊢ p"

    def __init__(self) -> None:
        super().__init__({})
        self.errors: dict[str, str] = {}

    def write_proofs(self, requests: Sequence[ProofRequest], k: int) -> list[list[Suggestion]]:
        """See :meth:`lean_agent.policy.base.WritesProofs.write_proofs`."""
        return [[Suggestion(script, -1.0 - n, 9) for n, script in enumerate(self._scripts(one))] for one in requests]

    def _scripts(self, request: ProofRequest) -> list[str]:
        if request.attempt is None or request.error is None:
            return ["constructor\n· exact h.1", "constructor\n· exact h.2"]
        self.errors[request.attempt] = request.error
        left = "unsolved goals" in request.error and self.GOAL in request.error
        return [request.attempt + "\n· exact h.1"] if left else []


class WholeProofs(BaseAgent):
    """Proves with the author above."""

    def prover(self, **options: object) -> Prover:
        self.author = Author()
        return Prover("author", self.author, self.lean, database=self.database, **options)  # type: ignore[arg-type]


def test_whole_proofs_are_repaired_by_what_real_lean_says(repository: Path, tmp_path: Path, lean: LeanPool) -> None:
    with WholeProofs(
        lean=lean,
        database=DynamicDatabase(tmp_path / "database.sqlite"),
        runs_dir=tmp_path / "runs",
        progress=False,
    ) as agent:
        agent.setup_local_repository(repository)
        (swap,) = [one for one in agent.open_theorems() if one.full_name == "swap"]
        (result,) = agent.prove(theorems=[swap], whole_proof=True, write_back=True)
        assert result.proved
        assert result.proof == "by\n  constructor\n  · exact h.2\n  · exact h.1"
        # The likelier script was handed back first, and could not be mended.
        wrong, unfinished = agent.author.errors.items()
        assert wrong[0] == "constructor\n· exact h.1" and "Type mismatch" in wrong[1]
        assert unfinished[0] == "constructor\n· exact h.2"
    assert (repository / "Sok.lean").read_text(encoding="utf-8") == FILE.replace(
        "q ∧ p := by\n  sorry", f"q ∧ p := {result.proof}"
    )


SCRIPT = "intro h\nrcases h with h | h\n· exact f h\n· exact g h"


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, teach: Callable[..., tuple[Any, Any]]) -> Path:
    """A tiny model that has learnt tactics for `swap` and a script for `cases'`; of the others it knows nothing."""
    goal = "p q : Prop\nh : p ∧ q\n⊢ "
    turns = [
        [*prompt_messages(text), *completion_messages(tactic)]
        for text, tactics in (
            (f"{goal}q ∧ p", ("skip", "constructor")),
            (f"case left\n{goal}q", ("exact h.1", "exact h.2")),
            (f"case right\n{goal}p", ("exact h.1", "exact h.2")),
        )
        for tactic in tactics
    ]
    cases = "p q r : Prop\nf : p → r\ng : q → r\n⊢ p ∨ q → r"
    turns.append([*proof_messages(cases), *completion_messages(SCRIPT)])
    texts = [turn["content"] for turn in (turn for one in turns for turn in one if turn["role"] != "system")]
    folder = make_tiny_model(texts, tmp_path_factory.mktemp("model") / "taught", hidden_size=64, layers=1)
    network, _ = teach(folder, turns)
    network.save_pretrained(folder)
    return folder


def test_what_a_model_finds_without_chance_does_not_depend_on_the_number_of_processes(
    repository: Path, tmp_path: Path, lean: LeanPool, taught: Path
) -> None:
    config = SearchConfig(budget=SearchBudget(expansions=6), tactics_per_node=4)
    with agent_for(tmp_path, lean) as agent, LeanPool(2) as two:
        agent.setup_local_repository(repository)
        theorems = agent.open_theorems()
        outcomes = []
        for server in (lean, two):
            prover = HFProver(taught, server, sampling=Sampling(method="beam", max_new_tokens=16), config=config)
            outcomes.append(
                {
                    one.theorem.full_name: replace(one.search, cost=replace(one.search.cost, seconds=0.0))
                    for one in prover.prove_all(theorems)
                }
            )
    assert outcomes[0] == outcomes[1]
    found = outcomes[0]["swap"]
    assert found.steps == ("constructor", ("exact h.2",), ("exact h.1",)) and found.failures > 0 < found.tokens


@pytest.mark.usefixtures("own_cache")
def test_the_command_line_has_a_model_write_whole_proofs(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taught: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (statement,) = [one for one in FILE.split("\n\n") if "cases'" in one]
    (repository / "Sok.lean").write_text(f"{statement}\n", encoding="utf-8")
    limits = ["--lean-calls", "32", "--expansions", "4", "--workers", "1"]
    result = CliRunner().invoke(
        app, ["prove", str(repository), "--model", str(taught), "--whole-proof", "--save-trees", *limits]
    )
    assert result.exit_code == 0, result.output
    (saved,) = map(load_search, find_searches([tmp_path / "runs" / "latest" / "trees"]))
    assert (saved.search, saved.status) == ("whole_proof", "proved")
    assert saved.script == (SCRIPT,)  # one tactic, as it was written


def test_a_goal_proved_once_is_remembered_in_the_next_theorem(lean: LeanPool) -> None:
    policy = MockPolicy({}, default=["intro p q h", "constructor", "exact h.1", "exact h.2"])
    known, goal = "∀ (p q : Prop), p ∧ q → q ∧ p", "∀ (p q : Prop), p ∧ q → (q ∧ p) ∧ p"
    searches: dict[int, Search] = {}
    config = replace(CONFIG, parallel_theorems=1)
    results = dict(Driver(lean, policy, config, on_end=searches.__setitem__).run([known, goal]))
    assert results[1].steps == ("intro p q h", "constructor", results[0].steps[1:], ("exact h.1",))
    used = [edge for node in searches[1].graphs[0].nodes for edge in node.edges if edge.proposed_by == "memory"]
    assert [edge.tactic for edge in used] == ["constructor\n· exact h.2\n· exact h.1", "exact h.1"]
    # Alone, the theorem takes more: the goals that were known are expanded, and those that they leave.
    ((_, alone),) = Driver(lean, policy, replace(config, remember=False)).run([goal])
    assert alone.steps == results[1].steps and alone.expansions > results[1].expansions


@pytest.mark.usefixtures("own_cache")
def test_the_command_line_proves_minimally_and_writes_back(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["prove", str(repository), "--minimal", "--lean-calls", "8", "--workers", "1"]
    arguments += ["--theorem", "swap", "--write-back"]
    source = repository / "Sok.lean"
    source.write_text(FILE + "-- mine\n", encoding="utf-8")
    first = CliRunner().invoke(app, [*arguments, "patch"])
    assert first.exit_code == 0, first.output
    assert source.read_text(encoding="utf-8") == FILE + "-- mine\n"
    assert "no commit" in first.stdout
    source.write_text(FILE, encoding="utf-8")
    second = CliRunner().invoke(app, [*arguments, "branch"])
    assert second.exit_code == 0, second.output
    assert source.read_text(encoding="utf-8") == FILE and git(repository, "status", "--porcelain") == ""
    (branch,) = git(repository, "branch", "--list", "lean-agent/*", "--format=%(refname:short)").splitlines()
    written = git(repository, "show", f"{branch}:Sok.lean")
    assert branch in second.stdout
    assert written.splitlines()[:2] == [*FILE.splitlines()[:1], "  simp_all"]
    third = CliRunner().invoke(app, [*arguments, "patch"])
    assert third.exit_code == 0, third.output
    assert source.read_text(encoding="utf-8").strip() == written


@pytest.mark.usefixtures("own_cache")
def test_the_command_line_ends_at_the_tokens_for_all(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_tiny_model([FILE], tmp_path / "tiny", hidden_size=64, layers=1)
    arguments = ["prove", str(repository), "--model", "tiny", "--expansions", "6", "--workers", "1", "--save-trees"]
    arguments += ["--policy", "own"]

    def spent(*more: str) -> list[SavedSearch]:
        result = CliRunner().invoke(app, [*arguments, *more])
        assert result.exit_code == 0, result.output
        return [load_search(path) for path in find_searches([tmp_path / "runs" / "latest" / "trees"])]

    # The first round asks about the first state of each theorem, far from the limit of any single one.
    bounded = spent("--total-tokens", "1")
    assert [(one.status, one.expansions) for one in bounded] == [("budget", 1)] * len(PROVED)
    assert all(one.tokens > 1 for one in bounded)
    free = spent()
    assert [one.expansions for one in free] == [6] * len(PROVED)
    assert sum(one.tokens for one in free) > sum(one.tokens for one in bounded)
