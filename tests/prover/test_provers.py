"""Provers: nothing counts before the judge has accepted it, and what counts is kept."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lean_agent.agent.tables import print_results
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import LeanProcessDied, PolicyError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import GoalState, Position, TheoremSite, TracedTheorem, Verdict, site_of
from lean_agent.policy.base import Suggestion
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.policy.mock import MockPolicy
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.prompts import PREMISES_HEADING, HelpSettings
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.proofs.write_back import write_back
from lean_agent.prover.provers import Prover, ScriptedProver, file_name, place_of
from lean_agent.tracing.project.repository import Repository

STATEMENTS = {"swap": "∀ (p q : Prop), p ∧ q → q ∧ p", "same": "∀ (p : Prop), p → p", "false": "∀ (p : Prop), p"}
SOURCE = "".join(f"theorem {name} : {statement} := by\n  sorry\n\n" for name, statement in STATEMENTS.items())
POLICY = MockPolicy({}, default=["exact h.1", "exact h.2", "constructor", "intro p q h", "intro p h", "assumption"])


@pytest.fixture
def theorems(tmp_path: Path, database: DynamicDatabase) -> list[StoredTheorem]:
    root = tmp_path / "böse Dinge"
    root.mkdir()
    (root / "A.lean").write_text(SOURCE, encoding="utf-8")
    repository = Repository("https://example.org/logic", "c" * 40, "logic", root)
    database.add_repository(repository)
    return [StoredTheorem(repository, "A.lean", traced(name)) for name in STATEMENTS]


def traced(name: str) -> TracedTheorem:
    statement = f"theorem {name} : {STATEMENTS[name]}"
    declaration = f"{statement} := by\n  sorry"
    start = len(SOURCE[: SOURCE.index(declaration)].encode())
    return TracedTheorem(
        full_name=name,
        statement=statement,
        proof="by\n  sorry",
        mode="tactic",
        has_sorry=True,
        type=STATEMENTS[name],
        type_hash=name,
        start=start,
        end=start + len(declaration.encode()),
        start_pos=Position(1, 0),
        end_pos=Position(2, 7),
    )


def test_a_proof_is_verified_stored_and_written_where_the_sorry_was(
    theorems: list[StoredTheorem], tmp_path: Path, database: DynamicDatabase
) -> None:
    prover = Prover("mock", POLICY, MockLeanServer(STATEMENTS), database=database, proofs_dir=tmp_path / "proofs")
    result = prover.prove(theorems[0])
    assert (result.proved, result.status) == (True, "proved")
    assert result.proof == "by\n  intro p q h\n  constructor\n  · exact h.2\n  · exact h.1"
    assert result.lean_calls == result.search.lean_calls + 1
    # The hash of "https://example.org/logic\ncccc…", for `sha256sum`.
    assert result.path == tmp_path / "proofs" / "logic-438ebc9c" / "A" / "swap.lean"
    written = result.path.read_text(encoding="utf-8")
    head = "theorem swap : ∀ (p q : Prop), p ∧ q → q ∧ p := "
    assert written == SOURCE.replace(head + "by\n  sorry", head + result.proof)
    assert (theorems[0].repository.path / "A.lean").read_text(encoding="utf-8") == SOURCE
    (kept,) = database.proofs()
    assert (kept.full_name, kept.script, kept.source) == ("swap", result.proof, "mock")
    assert (kept.verdict, kept.lean_calls) == (result.verdict, result.lean_calls)


class Liar(MockLeanServer):
    """Every tactic proves everything; the judge sees through it."""

    def goal_tactics(self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: float | None = None) -> list[Any]:
        return [GoalState(state.origin, (*state.script, tactic), goals=()) for state, tactic in pairs]

    def verify(self, site: TheoremSite, proof: str, **_: Any) -> Verdict:
        return Verdict("error", "this proves nothing")


class Dying(Liar):
    """The judge's process ends."""

    def verify(self, site: TheoremSite, proof: str, **_: Any) -> Verdict:
        raise LeanProcessDied("Lean ended while it verified a proof.")


@pytest.mark.parametrize(
    ("server", "status", "words"),
    [(Liar, "rejected", "proves nothing"), (Dying, "error", "Lean ended")],
)
def test_nothing_is_proved_before_the_judge_says_so(
    server: type[MockLeanServer],
    status: str,
    words: str,
    theorems: list[StoredTheorem],
    database: DynamicDatabase,
) -> None:
    proofs = theorems[0].repository.path / "proofs"
    prover = Prover("liar", POLICY, server(STATEMENTS), database=database, proofs_dir=proofs)
    result = prover.prove(theorems[2])
    assert result.search.status == "proved"
    assert (result.proved, result.status) == (False, status)
    assert words in result.message
    assert result.path is None
    assert database.proofs() == []
    assert len(database.proofs(accepted_only=False)) == (status == "rejected")
    assert not proofs.exists()


def test_nothing_is_tried_where_the_statement_rests_on_a_sorry(
    theorems: list[StoredTheorem], database: DynamicDatabase, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither a call of Lean's nor an attempt is counted, and those beside it are searched as ever."""

    class Unfinished(MockLeanServer):
        def goal_start(self, origin: Any, **options: Any) -> GoalState:
            site, state = site_of(origin), super().goal_start(origin, **options)
            return replace(state, unfinished=("pol", "map")) if site is not None and site.full_name == "same" else state

    server = Unfinished(STATEMENTS)
    results = list(Prover("mock", POLICY, server, database=database).prove_all(theorems[:2]))
    by_name = {result.theorem.full_name: result for result in results}
    assert (by_name["swap"].status, by_name["same"].status) == ("proved", "unfinished")
    assert (by_name["same"].lean_calls, by_name["same"].search.expansions) == (0, 0)
    assert by_name["same"].message == "its statement rests on `pol`, `map`, which are left as sorry, or have an error"
    assert [name for *_, name in database.pass_rates([theorems[0].repository], ["mock"])] == ["swap"]
    print_results(Console(width=200), results, whole_list=False)
    printed = capsys.readouterr().out
    assert "1 of 2 open theorems proved and verified." in printed
    assert "No proof of 1 of them can be accepted, and none was tried:\n  same: its statement rests on" in printed


def test_what_others_wait_for_is_named(theorems: list[StoredTheorem], capsys: pytest.CaptureFixture[str]) -> None:
    results = {
        result.theorem.full_name: result
        for result in Prover("mock", POLICY, MockLeanServer(STATEMENTS)).prove_all(theorems)
    }
    failed = [replace(result, verdict=None, likely_lemmas=("swap", "elsewhere")) for result in results.values()]
    print_results(Console(width=200), [replace(failed[0], likely_lemmas=()), *failed[1:]], whole_list=False)
    assert f"likely to help others that were not proved: swap ({len(failed) - 1})." in capsys.readouterr().out
    proved = [results["swap"], *(each for each in failed if each.theorem.full_name != "swap")]
    print_results(Console(width=200), proved, whole_list=False)
    assert "likely to help" not in capsys.readouterr().out


def test_the_judge_reads_the_whole_file(theorems: list[StoredTheorem]) -> None:
    asked = []

    class Server(MockLeanServer):
        def verify(self, site: TheoremSite, proof: str, *, whole_file: bool = False, **options: Any) -> Verdict:
            asked.append((site.full_name, site.position, whole_file))
            return super().verify(site, proof, whole_file=whole_file, **options)

    assert Prover("mock", POLICY, Server(STATEMENTS)).prove(theorems[1]).proved
    assert asked == [("same", None, True)]


def test_many_theorems_each_get_their_own_result(theorems: list[StoredTheorem]) -> None:
    unknown = {name: text for name, text in STATEMENTS.items() if name != "same"}
    results = {
        result.theorem.full_name: result
        for result in Prover("mock", POLICY, MockLeanServer(unknown)).prove_all(theorems)
    }
    assert {name: result.status for name, result in results.items()} == {
        "swap": "proved",
        "same": "error",
        "false": "failed",
    }
    assert "same" in results["same"].message
    assert results["false"].proof == ""


def test_another_budget_makes_another_prover(theorems: list[StoredTheorem]) -> None:
    prover = Prover("mock", POLICY, MockLeanServer(STATEMENTS))
    short = prover.with_budget(SearchBudget(expansions=1))
    assert short.prove(theorems[0]).status == "budget"
    assert prover.prove(theorems[0]).status == "proved"


def test_a_scripted_prover_tries_its_whole_list(theorems: list[StoredTheorem]) -> None:
    tactics = ["skip", "trivial", "constructor", "intro p h", "assumption"]
    config = SearchConfig(tactics_per_node=2)
    prover = ScriptedProver(MockLeanServer(STATEMENTS), tactics=tactics, config=config)
    result = prover.prove(theorems[1])
    assert (result.prover, result.status, result.search.script) == ("scripted", "proved", ("intro p h", "assumption"))


def test_names_become_file_names() -> None:
    assert [file_name(name) for name in ("Logic.and_swap'", "«a/b»", "..", "Größe.äß", "a b")] == [
        "Logic.and_swap'",
        "_a_b_-06100adf",
        "_-5ec1f7e7",
        "Größe.äß",
        "a_b-c8687a08",
    ]


def test_no_two_theorems_keep_their_files_in_one_place(theorems: list[StoredTheorem]) -> None:
    one = theorems[0]
    others = [
        replace(one, repository=replace(one.repository, url="https://example.com/logic")),
        replace(one, repository=replace(one.repository, commit="d" * 40)),
        replace(one, file_path="A/B.lean"),
        replace(one, file_path="A.B.lean"),
        replace(one, theorem=replace(one.theorem, full_name="«a/b»")),
        replace(one, theorem=replace(one.theorem, full_name="«a_b»")),
    ]
    places = [place_of(theorem, ".lean") for theorem in [one, *others]]
    assert len(set(places)) == len(places)
    assert places[3].parts[1:] == ("A", "B", "swap.lean")
    outside = place_of(replace(one, file_path="../../B.lean"), ".lean")
    assert ".." not in outside.parts and not outside.is_absolute()


@pytest.mark.parametrize("error", [KeyboardInterrupt(), PolicyError("the endpoint is gone"), RuntimeError("a defect")])
def test_what_ends_a_run_keeps_what_is_being_judged(
    error: BaseException, theorems: list[StoredTheorem], database: DynamicDatabase
) -> None:
    judging = threading.Event()

    class Slow(MockLeanServer):
        def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
            judging.set()
            time.sleep(0.2)
            return super().verify(site, proof)

    class Stopped(MockPolicy):
        def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
            if judging.is_set():
                raise error
            return super().suggest(goals, k)

    policy = Stopped({}, default=["intro p h", "assumption", "skip"])
    config = SearchConfig(parallel_theorems=2)  # so that the policy is asked again and again
    prover = Prover("mock", policy, Slow(STATEMENTS), config=config, database=database)
    results = []
    with pytest.raises(type(error)):
        for result in prover.prove_all([theorems[1], *[theorems[2]] * 40]):
            results.append(result)
    assert [result.theorem.full_name for result in results if result.proved] == ["same"]
    assert [proof.full_name for proof in database.proofs()] == ["same"]


def test_a_file_that_was_edited_costs_its_own_proof_s_file_and_nothing_else(
    theorems: list[StoredTheorem], tmp_path: Path, database: DynamicDatabase
) -> None:
    root = theorems[0].repository.path
    (root / "A.lean").write_text(f"-- mine\n{SOURCE}", encoding="utf-8")
    (root / "B.lean").write_text(SOURCE, encoding="utf-8")
    wanted = [theorems[0], replace(theorems[1], file_path="B.lean"), replace(theorems[1], file_path="C.lean")]
    prover = Prover("mock", POLICY, MockLeanServer(STATEMENTS), database=database, proofs_dir=tmp_path / "proofs")
    results = {result.theorem.file_path: result for result in prover.prove_all(wanted)}
    assert all(result.proved for result in results.values()) and len(database.proofs()) == 3
    assert results["A.lean"].path is None and "has changed" in results["A.lean"].message
    assert results["C.lean"].path is None and "No such file" in results["C.lean"].message
    assert results["B.lean"].path is not None and results["B.lean"].path.is_file()


@pytest.mark.parametrize("calls", [1, 2, 3, 4, 5])
def test_the_verification_is_within_the_budget(calls: int, theorems: list[StoredTheorem]) -> None:
    # The first state, two tactics and the verification.
    policy = MockPolicy({f"⊢ {STATEMENTS['same']}": ["intro p h"]}, default=["assumption"])
    config = SearchConfig(budget=SearchBudget(lean_calls=calls), tactics_per_round=1, nodes_per_round=1)
    result = Prover("mock", policy, MockLeanServer(STATEMENTS), config=config).prove(theorems[1])
    assert result.lean_calls <= calls
    assert (result.status, result.lean_calls) == (("proved", 4) if calls >= 4 else ("budget", max(1, calls - 1)))


def test_the_policy_is_shown_what_its_theorem_can_use(theorems: list[StoredTheorem]) -> None:
    asked: list[str] = []

    class Watched(MockPolicy):
        def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
            asked.extend(goals)
            return super().suggest(goals, k)

    def line(path: str, name: str) -> dict[str, Any]:
        premise = {"full_name": name, "code": f"theorem {name} : Prop := x", "end": [9, 9]}
        place = {"url": "https://example.org/logic", "commit": "c" * 40}
        return {"path": path, "imports": ["B.lean"], "premises": [premise], **place}

    corpus = PremiseCorpus([line("A.lean", "later"), line("B.lean", "imported")])  # the theorems stand in line 1
    policy = Watched({}, default=["intro p h", "assumption"])
    help_of_three = PromptHelp.of(HelpSettings(premises=3), corpus)
    prover = Prover("mock", policy, MockLeanServer(STATEMENTS), shown=help_of_three)
    assert prover.prove(theorems[1]).proved
    shown = f"{PREMISES_HEADING}\nimported: theorem imported : Prop\n\n"
    assert asked and all(goal.startswith(shown) for goal in asked)


def test_every_attempt_is_counted(theorems: list[StoredTheorem], database: DynamicDatabase) -> None:
    prover = Prover("mock", POLICY, MockLeanServer(STATEMENTS), database=database)
    assert [result.proved for result in prover.prove_all(theorems[1:])].count(True) == 1
    prover.prove(theorems[1])
    dead = Prover("dead", POLICY, Dying(STATEMENTS), database=database)
    dead.prove(theorems[0])  # an accident of Lean's says nothing of the policy
    found = database._connection.execute("SELECT full_name, source, tried, proved FROM attempts ORDER BY full_name")
    assert found.fetchall() == [("false", "mock", 1, 0), ("same", "mock", 2, 2)]


@pytest.mark.parametrize("holds", [True, False])
def test_a_shorter_proof_is_judged_again(holds: bool, theorems: list[StoredTheorem], database: DynamicDatabase) -> None:
    judged: list[str] = []

    class Server(MockLeanServer):
        def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
            judged.append(proof)
            if "trivial" in proof and not holds:
                return Verdict("kernel", "the kernel refuses it")
            return super().verify(site, proof, **options)

    server = Server(STATEMENTS, table={(f"⊢ {STATEMENTS['same']}", "trivial"): ()})
    result = Prover("mock", POLICY, server, database=database, minimal=True).prove(theorems[1])
    found, shorter = "by\n  intro p h\n  assumption", "by\n  trivial"
    assert judged == [found, shorter]
    assert result.proved and result.proof == (shorter if holds else found)
    (kept,) = database.proofs(accepted_only=False)
    assert (kept.script, kept.verdict) == (result.proof, result.verdict)


def test_proofs_that_do_not_hold_together_are_not_written_back(theorems: list[StoredTheorem], tmp_path: Path) -> None:
    class Server(MockLeanServer):
        def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
            content = (site.project.root / site.file_path).read_text(encoding="utf-8")
            if site.full_name == "same" and content.count("sorry") == 1:
                return Verdict("error", "two of a name")
            return super().verify(site, proof, **options)

    server = Server(STATEMENTS)
    proved = [one for one in Prover("mock", POLICY, server).prove_all(theorems) if one.proved]
    assert {one.theorem.full_name for one in proved} == {"swap", "same"}
    for one in proved:  # each alone holds
        (written,) = write_back([one], server, tmp_path / "alone", place="patch", branch="b")
        assert one.proof.splitlines()[-1] in written.patch.read_text(encoding="utf-8")
    (written,) = write_back(proved, server, tmp_path / "together", place="patch", branch="b")
    assert written.left == (("A.lean", "same does not hold beside the other proofs of its file: two of a name"),)
    assert (written.changed, written.patch.read_text(encoding="utf-8")) == ((), "")


def test_every_request_to_lean_is_told_and_counted(theorems: list[StoredTheorem]) -> None:
    class Counting(MockLeanServer):
        requests = 0

        def goal_start(self, *arguments: Any, **options: Any) -> GoalState:
            self.requests += 1
            return super().goal_start(*arguments, **options)

        def goal_tactic(self, *arguments: Any, **options: Any) -> GoalState:
            self.requests += 1
            return super().goal_tactic(*arguments, **options)

        def verify(self, *arguments: Any, **options: Any) -> Verdict:
            self.requests += 1
            return super().verify(*arguments, **options)

    # `swap` cannot be started, `same` is proved in three tactics where one would do, `false` is not proved.
    startable = {name: text for name, text in STATEMENTS.items() if name != "swap"}
    server = Counting(startable, table={(f"⊢ {STATEMENTS['same']}", "trivial"): ()})
    policy = MockPolicy({f"⊢ {STATEMENTS['same']}": ["intro p"], "p : Prop\n⊢ p → p": ["intro h"]}, default=["trivial"])
    told: list[int] = []
    config = SearchConfig(and_or=False)
    prover = Prover(
        "mock", policy, server, config=config, minimal=True, on_round=lambda spent: told.append(spent.lean_calls)
    )
    results = {result.theorem.full_name: result for result in prover.prove_all(theorems)}
    assert {name: one.status for name, one in results.items()} == {"swap": "error", "same": "proved", "false": "failed"}
    # The verification, the first state for shorter scripts, a script for each closer, and `trivial` verified.
    assert results["same"].judge_calls == 1 + 1 + len(CLOSING_TACTICS) + 1 and results["false"].judge_calls == 0
    assert told == sorted(told) and told[-1] == sum(one.lean_calls for one in results.values()) == server.requests
