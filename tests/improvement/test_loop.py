"""Rounds over the mock server, with policies from tables and a training that writes down what it is asked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.improvement.config import ImproveConfig
from lean_agent.improvement.loop import Improvement, Policies
from lean_agent.improvement.practice import set_up_practice
from lean_agent.improvement.report import ImproveReport, RoundReport
from lean_agent.improvement.strategies import TrainingTask
from lean_agent.improvement.variants import Fate, Variant
from lean_agent.lean.mock import MockLeanServer
from lean_agent.policy.base import Policy, TacticExample
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.registry import STRATEGIES
from lean_agent.tracing import Repository
from lean_agent.tracing.project.repository import text_project

Stored = Callable[..., list[StoredTheorem]]
STATEMENTS = {
    "left": "∀ (p q : Prop), p ∧ q → p",
    "right": "∀ (a b c d e : Prop), (a ∧ b) ∧ (c ∧ (d ∧ e)) → c ∧ (d ∧ e)",
    "or": "∀ (r s : Prop), r → r ∨ (s ∨ (s ∨ s))",
    "never": "∀ (x : Prop), x",
    "five": "∀ (u v w : Prop), (u → v) → (v → w) → u → v",
}
WEAK = ("intro p q h", "exact h.1")
STRONG = (*WEAK, "intro a b c d e h", "exact h.2", "intro r s h", "left", "exact h")
"""What proves `left`; and what proves `right` and `or`, too."""
SEARCH = SearchConfig(budget=SearchBudget(expansions=8, lean_calls=64, seconds=600.0), tactics_per_node=8)


@dataclass
class Fake:
    """A strategy: the model that comes out is the next of ``models``."""

    models: list[str] = field(default_factory=lambda: ["strong", "strong", "strong"])
    tasks: list[TrainingTask] = field(default_factory=list)
    fails_at: int = 0

    def __call__(self, task: TrainingTask) -> str:
        self.tasks.append(task)
        if len(self.tasks) == self.fails_at:
            raise TrainingError("The training diverged.")
        return self.models[len(self.tasks) - 1]


FAKE = Fake()
STRATEGIES.register("fake", FAKE)
CONFIG = ImproveConfig(theorems=8, development=0, temperatures=(1.0,), search=SEARCH, strategies=("fake",))


@pytest.fixture
def fake() -> Fake:
    FAKE.models, FAKE.tasks, FAKE.fails_at = ["strong"] * 3, [], 0
    return FAKE


class Learner(MockPolicy):
    """A policy that takes in proofs; it proves ``left``."""

    def __init__(self) -> None:
        super().__init__({}, default=WEAK)
        self.learnt: list[TacticExample] = []

    def add(self, steps: Iterable[TacticExample]) -> None:
        self.learnt += steps


class Loop:
    """Makes runs of practice in one folder."""

    def __init__(self, folder: Path, database: DynamicDatabase, repositories: Sequence[Repository]) -> None:
        self.folder, self.database, self.repositories = folder, database, repositories
        self.server = MockLeanServer(STATEMENTS)
        self.loaded: list[str] = []
        self.learner: Learner | None = None
        self.rounds: list[RoundReport] = []

    def policy(self, model: str, seed: int) -> Policy:
        self.loaded.append(model)
        return MockPolicy({}, default={"weak": WEAK, "strong": STRONG, "one": ("skip",)}[model])

    def __call__(
        self,
        theorems: Sequence[StoredTheorem],
        rounds: int = 1,
        config: ImproveConfig = CONFIG,
        held: Any = (),
        variants: Sequence[StoredTheorem] = (),
    ) -> Improvement:
        practice = set_up_practice(theorems, held, development=config.development, seed=config.seed)
        return Improvement(
            folder=self.folder,
            model="weak",
            rounds=rounds,
            database=self.database,
            server=self.server,
            config=config,
            practice=replace(practice, variants=tuple(variants)),
            repositories=self.repositories,
            held_out=len(held),
            policies=Policies(self.policy, lambda _, own, __: self.learner or own),
            progress=False,
            made=[_made(each.full_name, "open", each.theorem.type_hash) for each in variants]
            + [_made("no", "refuted")] * 3
            if variants
            else [],
            on_round=self.rounds.append,
        )


def _made(name: str, fate: Fate, type_hash: str = "") -> Variant:
    return Variant(name, "A.lean", "A", "swap", "sides", fate, name=name, statement=": p", type_hash=type_hash)


@pytest.fixture
def theorems(stored: Stored, fake: Fake) -> list[StoredTheorem]:
    return stored(*STATEMENTS.items())


@pytest.fixture
def loop(tmp_path: Path, database: DynamicDatabase, repository: Repository) -> Iterator[Loop]:
    yield Loop(tmp_path / "run-1", database, [repository])


def test_theorems_of_a_repository_that_was_not_set_up_are_practised(loop: Loop, theorems: list[StoredTheorem]) -> None:
    """Such as those of a benchmark, whose own proofs nobody learns."""
    loop.repositories = []
    with pytest.raises(ConfigError, match="5 of the theorems stand in none, left among them"):
        loop(theorems, config=replace(CONFIG, one_by_one=True)).run()
    assert [entry.practised for entry in loop(theorems).run().rounds] == [0, 5]


def test_a_round_searches_learns_trains_and_keeps_proofs(
    loop: Loop, theorems: list[StoredTheorem], fake: Fake, database: DynamicDatabase
) -> None:
    report = loop(theorems, rounds=2).run()
    first, second = report.rounds[1:]
    # The weak policy proves one theorem; the strong one, of the first round, two more.
    assert [(entry.practised, entry.proved, entry.new, entry.kept) for entry in (first, second)] == [
        (5, 1, 1, True),
        (5, 3, 2, True),
    ]
    assert (report.model, report.temperature) == ("strong", 1.0)
    proofs = {proof.full_name: proof for proof in database.found_proofs()}
    assert {name: (proof.round, proof.source) for name, proof in proofs.items()} == {
        "left": (1, "run-1"),
        "right": (2, "run-1"),
        "or": (2, "run-1"),
    }
    assert [tactic.step for tactic in proofs["or"].tactics][1:] == ["left", "exact h"]
    learnt = [{step.tactic for _, step in task.data.lessons.steps} for task in fake.tasks]
    assert learnt[0] == set(WEAK)
    assert learnt[1] > learnt[0] and {"left", "exact h.2"} <= learnt[1], "all positives of all rounds"
    assert loop.loaded == ["weak", "strong", "strong", "strong"], "a round's checkpoint, and the one that it practises"
    assert [task.start for task in fake.tasks] == ["weak", "weak"], "from the base checkpoint each round"
    written = (loop.folder / "report.md").read_text(encoding="utf-8")
    assert "| 2 | 5 | 3 | 2 |" in written
    assert json.loads((loop.folder / "report.json").read_text(encoding="utf-8"))["model"] == "strong"


def test_variants_are_practised_beside_theorems_and_counted_apart(
    loop: Loop, stored: Stored, fake: Fake, repository: Repository, own_cache: Path
) -> None:
    theorems = stored(("never", STATEMENTS["never"]))
    place = text_project("variants of small", {"Variants/A.lean": ""}, original=repository)
    variants = stored(("left", STATEMENTS["left"]), ("five", STATEMENTS["five"]), of=place)
    config = replace(CONFIG, variants=2, disproof_calls=0)
    report = loop(theorems, config=config, variants=variants).run()
    entry = report.rounds[1]
    assert (entry.practised, entry.proved, entry.new) == (1, 0, 0), "a proof of a variant is none of the repository's"
    assert (entry.variants, entry.variants_proved) == (2, 1) and not loop.database.found_proofs()
    assert {stored.full_name for stored, _ in fake.tasks[0].data.lessons.steps} == {"left"}, "it is learnt from"
    assert {theorem.full_name for theorem in fake.tasks[0].theorems} == {"never", "left", "five"}
    written = (loop.folder / "report.md").read_text(encoding="utf-8")
    assert "(files in `variants/`): 2 open, 3 refuted." in written and "1 of 2 in round 1" in written
    again = loop(theorems, config=config, variants=variants)
    assert again.run() == report, "read back from its files"


@pytest.mark.usefixtures("own_cache")
def test_a_variant_that_is_disproved_is_practised_no_more(
    loop: Loop, stored: Stored, fake: Fake, repository: Repository
) -> None:
    theorems = stored(("never", STATEMENTS["never"]))
    place = text_project("variants of small", {"Variants/A.lean": ""}, original=repository)
    variants = stored(*((name, STATEMENTS[name]) for name in ("left", "or", "five")), of=place)
    negations = {
        each.full_name: each for each in stored(("not_or", STATEMENTS["left"]), ("not_five", STATEMENTS["never"]))
    }
    loop.server = MockLeanServer({**STATEMENTS, "not_or": STATEMENTS["left"], "not_five": STATEMENTS["never"]})
    asked: list[list[str]] = []

    def stated(pairs: Iterable[tuple[StoredTheorem, Variant]], *_: object) -> list[tuple[StoredTheorem, StoredTheorem]]:
        of_variants = [(theorem, negations[f"not_{variant.full_name}"]) for theorem, variant in pairs]
        asked.append([theorem.full_name for theorem, _ in of_variants])
        return of_variants

    fake.models = ["weak"] * 3
    config = replace(CONFIG, variants=3)

    def run() -> ImproveReport:
        return replace(loop(theorems, rounds=2, config=config, variants=variants), negate=stated).run()

    report = run()
    first, second = report.rounds[1:]
    assert (first.variants, first.variants_proved, first.variants_disproved) == (3, 1, 1)
    assert (second.variants, second.variants_proved, second.variants_disproved) == (2, 1, 0)
    assert asked == [["or", "five"], ["five"]], "what was proved has no negation to be searched"
    assert {stored.full_name for stored, _ in fake.tasks[1].data.lessons.steps} == {"left"}, (
        "a disproof teaches nothing"
    )
    assert not loop.database.found_proofs()
    assert "1 was disproved, and is practised no more" in (loop.folder / "report.md").read_text(encoding="utf-8")
    assert run() == report
    (loop.folder / "rounds" / "02" / "round.json").unlink()
    assert run() == report, "killed before the end of a round"


def test_no_negation_is_searched_where_the_settings_say_so(
    loop: Loop, stored: Stored, repository: Repository, fake: Fake, own_cache: Path
) -> None:
    place = text_project("variants of small", {"Variants/A.lean": ""}, original=repository)
    variants = stored(("five", STATEMENTS["five"]), of=place)
    config = replace(CONFIG, variants=1, disproof_calls=0)
    entry = loop(stored(("never", STATEMENTS["never"])), config=config, variants=variants).run().rounds[1]
    assert (entry.variants, entry.variants_disproved) == (1, 0)
    assert not list(loop.folder.rglob("dispro*"))


def test_a_theorem_that_lean_does_not_start_ends_no_round(
    loop: Loop, theorems: list[StoredTheorem], stored: Stored
) -> None:
    (unknown,) = stored(("unknown", "∀ (n : Nat), n ≠ n + 1"))
    entry = loop([*theorems, unknown]).run().rounds[1]
    assert (entry.practised, entry.proved) == (len(theorems) + 1, 1)


def test_a_tree_is_read_once(loop: Loop, theorems: list[StoredTheorem], fake: Fake) -> None:
    run = replace(loop(theorems, rounds=2), on_round=lambda entry: shutil.rmtree(loop.folder / "rounds/01/trees", True))
    run.run()
    learnt = [{step.tactic for _, step in task.data.lessons.steps} for task in fake.tasks]
    assert learnt[1] > learnt[0] == set(WEAK)


def test_a_held_out_theorem_is_never_searched(loop: Loop, theorems: list[StoredTheorem], fake: Fake) -> None:
    held = [theorem for theorem in theorems if theorem.full_name == "left"]
    rest = [theorem for theorem in theorems if theorem not in held]
    report = loop(rest, held=held).run()
    assert (report.rounds[1].practised, report.held_out) == (4, 1)
    assert not [path for path in loop.folder.rglob("*.jsonl") if path.name == "left.jsonl"]


def test_a_checkpoint_that_proves_no_more_is_dropped(loop: Loop, theorems: list[StoredTheorem], fake: Fake) -> None:
    fake.models = ["weak", "strong", "weak"]
    config = replace(CONFIG, development=1, start="last")
    report = loop(theorems, rounds=3, config=config).run()
    aside = report.rounds[0].measure
    assert len(aside.proved) == 1 and aside.lean_calls > 0
    outcomes = [(entry.measure.model, entry.kept) for entry in report.rounds[1:]]
    by_hand = {"left": 1, "right": 2, "or": 2}  # which model proves it first
    (name,) = [theorem.full_name for theorem in loop(theorems, config=config).practice.development]
    assert outcomes == [("weak", False), ("strong", by_hand.get(name) == 2), ("weak", False)]
    assert [task.start for task in fake.tasks] == ["weak", "weak", report.model]


def test_what_was_done_is_not_done_again(loop: Loop, theorems: list[StoredTheorem], fake: Fake) -> None:
    fake.fails_at = 1
    with pytest.raises(TrainingError, match=r"Round 1 was stopped. The training diverged. .* kept last: weak"):
        loop(theorems).run()
    attempts = loop.folder / "rounds" / "01" / "attempts.jsonl"
    before = attempts.read_text(encoding="utf-8")
    assert before.count("\n") == 5 and list((loop.folder / "rounds" / "01" / "trees").rglob("*.jsonl"))
    assert "**Stopped.**" in (loop.folder / "report.md").read_text(encoding="utf-8")
    loop.server = MockLeanServer({})  # which knows none of the theorems any more
    report = loop(theorems).run()
    assert attempts.read_text(encoding="utf-8") == before
    assert (report.rounds[1].proved, report.rounds[1].new) == (1, 1)
    assert "**Stopped.**" not in (loop.folder / "report.md").read_text(encoding="utf-8")
    rounds = len(loop.rounds)
    loop.loaded.clear()
    assert loop(theorems).run() == report
    assert loop.loaded == [] and len(loop.rounds) == rounds + 2, "rounds that are done are only told"


def test_another_run_is_not_gone_on_with(loop: Loop, theorems: list[StoredTheorem]) -> None:
    loop(theorems).run()
    loop(theorems, rounds=2).run()  # more rounds are the same run
    with pytest.raises(ConfigError, match="other settings or theorems"):
        loop(theorems[:3]).run()
    with pytest.raises(ConfigError, match="other settings or theorems"):
        loop(theorems, config=replace(CONFIG, temperatures=(0.5,))).run()


def test_every_theorem_is_searched_at_every_temperature(
    loop: Loop, theorems: list[StoredTheorem], database: DynamicDatabase
) -> None:
    report = loop(theorems, config=replace(CONFIG, temperatures=(0.5, 1.0), development=1)).run()
    lines = (loop.folder / "rounds" / "01" / "attempts.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["prover"] for line in lines} == {"practice at 0.5", "practice at 1"}
    assert len(lines) == 2 * report.rounds[1].practised
    rates = database.pass_rates(database.repositories(), ("practice at 0.5", "practice at 1"))
    assert {rate.tried for rate in rates.values()} == {2}
    assert report.temperature == 0.5, "of two that prove and cost the same, the first"


def test_a_policy_that_knows_one_tactic_is_stopped(
    loop: Loop, stored: Stored, fake: Fake, theorems: list[StoredTheorem]
) -> None:
    fake.models = ["one"]
    many = stored(*((f"t{n}", f"Only{n}") for n in range(8)))
    table = {(f"⊢ Only{n}", f"by_{n}"): () for n in range(8)}
    loop.server = MockLeanServer({f"t{n}": f"Only{n}" for n in range(8)}, table=table)
    steps = [f"by_{n}" for n in range(8)]
    loop.policy = lambda model, seed: MockPolicy({}, default=("skip",) if model == "one" else steps)  # type: ignore[method-assign]
    with pytest.raises(TrainingError, match=r"collapsed: the model answers the same tactic, 'skip', at 8 of 8 goals"):
        loop(many).run()
    assert list((loop.folder / "rounds" / "01" / "trees").rglob("*.jsonl"))


def test_repository_by_repository_the_report_says_what_became_of_each(
    loop: Loop, stored: Stored, theorems: list[StoredTheorem], fake: Fake, tmp_path: Path
) -> None:
    other = Repository("https://example.org/other", "b" * 40, "other", tmp_path)
    more = stored(*((f"{name}2", f"∀ (z : Z{name}), z") for name in STATEMENTS), of=other)
    loop.server = MockLeanServer({**STATEMENTS, **{theorem.full_name: theorem.theorem.type for theorem in more}})
    loop.repositories = [loop.repositories[0], other]
    report = loop([*theorems, *more], config=replace(CONFIG, one_by_one=True, development=2)).run()
    assert [entry.repositories for entry in report.rounds] == [(), ("small",), ("small", "other")]
    assert [entry.practised for entry in report.rounds[1:]] == [4, 4]
    assert set(report.rounds[0].measure.by_repository) == {"small", "other"}
    assert "| 1 (small) |" in (loop.folder / "report.md").read_text(encoding="utf-8")


def test_without_a_strategy_nothing_is_trained(
    loop: Loop, theorems: list[StoredTheorem], fake: Fake, database: DynamicDatabase
) -> None:
    """What is proved is not searched again, and the rounds after it know how."""
    loop.learner = Learner()
    config = replace(CONFIG, strategies=(), policy="mixture", search=replace(SEARCH, remember=False))
    report = loop(theorems, rounds=2, config=config).run()
    first, second = report.rounds[1:]
    assert (first.practised, first.proved, second.practised, second.proved) == (5, 1, 4, 0)
    assert [step.tactic for step in loop.learner.learnt] == ["intro p q h", "exact h.1"]
    assert loop.learner.learnt == loop(theorems, rounds=2, config=config).examples(2)
    assert not fake.tasks and not report.has_trained and report.model == "weak"
    text = (loop.folder / "report.md").read_text(encoding="utf-8")
    assert "Nothing was trained. Searches of the mixture from now on learn from 2 steps" in text
    assert "kept" not in text and "Trained on" not in text and "| 2 | 4 | 0 | 0 |" in text


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ConfigError, match="no strategy 'nothing'"):
        ImproveConfig(strategies=("nothing",))
    with pytest.raises(ConfigError, match="different numbers above 0"):
        ImproveConfig(temperatures=(1.0, 1.0))
