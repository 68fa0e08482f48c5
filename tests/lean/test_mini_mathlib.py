"""A package in Mathlib's manner: commands, attributes and notations of its own, packages, a deep tree of imports."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lean_agent import ScriptedAgent
from lean_agent.database.records import StoredTheorem
from lean_agent.database.store import DynamicDatabase
from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.process.runtime import NativeRuntime
from lean_agent.lean.types import TheoremSite
from lean_agent.tracing import TracedRepository

pytestmark = [pytest.mark.lean, pytest.mark.slow]

SOURCE = Path(__file__).with_name("MiniMathlib")
PRIVATE = re.compile(r"^_private\..*\.0\.")
STATED = re.compile(r"^(?:@\[[^\]]*\] )?(?:(?:protected|private) )?(?:lemma|theorem) ", re.MULTILINE)


def stated(folder: Path) -> int:
    """The theorems and lemmas of a folder's files, counted without Lean."""
    return sum(len(STATED.findall(path.read_text("utf-8"))) for path in folder.rglob("*.lean"))


@pytest.fixture(scope="module")
def agent(lean: LeanPool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ScriptedAgent]:
    folder = tmp_path_factory.mktemp("mini")
    shutil.copytree(SOURCE, folder / "MiniMathlib", ignore=shutil.ignore_patterns(".lake"))
    if isinstance(lean.runtime, NativeRuntime):  # whose packages are compiled by Lake
        if lean.runtime.lean.lake is None:
            pytest.skip("there is no Lake to build its package")
        subprocess.run([lean.runtime.lean.lake, "build"], cwd=folder / "MiniMathlib", check=True, timeout=900)
    with (
        DynamicDatabase(folder / "database.sqlite") as database,
        ScriptedAgent(lean=lean, database=database, runs_dir=folder / "runs", progress=False) as agent,
    ):
        yield agent


@pytest.fixture(scope="module")
def traced(agent: ScriptedAgent) -> TracedRepository:
    return agent.setup_local_repository(agent.run.path.parent.parent / "MiniMathlib")


@pytest.fixture(scope="module")
def theorems(agent: ScriptedAgent, traced: TracedRepository) -> dict[str, StoredTheorem]:
    stored = agent.database.theorems(traced.repository)
    return {theorem.full_name: theorem for theorem in stored}


def test_it_is_traced_whole_with_every_lemma(traced: TracedRepository) -> None:
    assert len(list((SOURCE / "MiniMathlib").rglob("*.lean"))) == 22
    assert sum(file.theorems for file in traced.summaries) == stated(SOURCE / "MiniMathlib") == 141
    assert not traced.skipped
    assert [file.path for file in traced.summaries if file.errors or file.failed or file.undeclared] == []
    table = next(file for file in traced.summaries if file.path.endswith("Table.lean"))
    assert (table.theorems, table.tactics) == (100, 100)


def test_copies_and_aliases_are_premises_and_have_their_names(theorems: dict[str, StoredTheorem]) -> None:
    """What an attribute or a command of the package has declared is used like any other lemma."""

    def premises(name: str) -> set[str]:
        return {premise.full_name for tactic in theorems[name].theorem.tactics for premise in tactic.premises}

    assert "MiniMathlib.add_add_add" in premises("MiniMathlib.add_five")
    assert {"MiniMathlib.twin_first", "MiniMathlib.twin_second"} <= premises("MiniMathlib.twin_sum")
    assert "MiniMathlib.or_symm" in premises("MiniMathlib.flip_twice")


@pytest.mark.parametrize(
    "file",
    [
        *("Logic/Basic", "Order/Lattice", "Data/Nat/Sum"),
        *(
            pytest.param(file, marks=pytest.mark.long)
            for file in (
                *("Logic/Classical", "Logic/Function", "Algebra/Semi", "Algebra/Pairs", "Data/List/Basic"),
                *("Data/List/Perm", "Data/Set/Basic", "Data/Nat/Table"),
            )
        ),
    ],
)
def test_its_proofs_verify(lean: LeanPool, theorems: dict[str, StoredTheorem], file: str) -> None:
    path = f"MiniMathlib/{file}.lean"
    project = next(theorem.site.project for theorem in theorems.values() if theorem.file_path == path)
    verdict = lean.verify_file(project, path)
    assert not verdict.problems
    accepted = [declaration.name for declaration in verdict.declarations if declaration.verdict.accepted]
    names = [PRIVATE.sub("", theorem.full_name) for theorem in theorems.values() if theorem.file_path == path]
    assert len(names) == len(STATED.findall((SOURCE / path).read_text("utf-8")))
    assert set(names) <= set(accepted)


@pytest.mark.parametrize(
    ("name", "proof"),
    [
        ("MiniMathlib.between_max", "by\n  obtain ⟨h, k⟩ := h\n  omega"),  # under notations of a scope
        ("MiniMathlib.not_not_iff", "⟨byContradiction, fun h k => k h⟩"),  # under `open Classical`
        ("MiniMathlib.Set'.subset_antisymm", "by\n  ext a\n  exact ⟨@h a, @k a⟩"),  # with the package's own `@[ext]`
    ],
)
def test_proofs_verify_in_the_place_of_others(
    lean: LeanPool, theorems: dict[str, StoredTheorem], name: str, proof: str
) -> None:
    site = theorems[name].site
    assert lean.verify(site, proof).accepted
    assert not lean.verify(TheoremSite(site.project, site.file_path, name), "by skip").accepted


@pytest.mark.long
def test_its_open_goals_are_searched_and_proved(agent: ScriptedAgent, theorems: dict[str, StoredTheorem]) -> None:
    results = agent.prove()
    assert {result.theorem.full_name for result in results} == {
        "MiniMathlib.twin_positive",
        "MiniMathlib.open_max",
        "MiniMathlib.open_and",
    }
    proved = {result.theorem.full_name for result in results if result.proof}
    assert proved >= {"MiniMathlib.open_max", "MiniMathlib.open_and"}


ROW = """/-- Row {i}. -/
theorem row_{i} (n : Nat) : n + {i} + 1 = 1 + (n + {i}) := by
  have h := Nat.add_comm (n + {i}) 1
  exact h

"""


@pytest.mark.long
def test_a_file_of_three_thousand_lines(lean: LeanPool, theorems: dict[str, StoredTheorem]) -> None:
    """Traced, and at its end a goal is searched and a proof judged."""
    project, rows = theorems["MiniMathlib.open_and"].site.project, 600
    text = "import MiniMathlib.Data.Nat.Basic\n\nnamespace MiniMathlib.Long\n\n"
    text += "".join(ROW.format(i=i) for i in range(rows)) + "theorem last : row_0 = row_0 := by sorry\n"
    assert text.count("\n") >= 3000
    (project.root / "Long.lean").write_text(text)
    traced = lean.trace_file(project, "Long.lean")
    assert [theorem.full_name for theorem in traced.theorems[:2]] == [
        "MiniMathlib.Long.row_0",
        "MiniMathlib.Long.row_1",
    ]
    assert len(traced.theorems) == rows + 1
    assert all(len(theorem.tactics) == 2 for theorem in traced.theorems[:rows])
    assert not any(message.severity == "error" for message in traced.messages)
    site = TheoremSite(project, "Long.lean", f"MiniMathlib.Long.row_{rows - 1}")
    assert lean.goal_tactic(lean.goal_start(site), "omega").is_solved
    assert lean.verify(site, "by omega").accepted
    assert not lean.verify(site, "by exact Nat.add_comm n 1").accepted


LIMITED = """set_option maxHeartbeats 500

theorem as_usual : STATEMENT := by
  sorry

set_option maxHeartbeats 200 in
theorem too_short : STATEMENT := by
  sorry

set_option maxHeartbeats 200000 in
theorem long_enough : STATEMENT := by
  sorry
"""
STATEMENT = "∀ a b c d e f : Nat, a + b + c + d + e + f = f + e + d + c + b + a"
LONG = f"iterate 12 (have : {STATEMENT} := by omega)"


def test_a_limit_of_heartbeats_is_the_file_s_for_tracer_search_and_judge(
    lean: LeanPool, theorems: dict[str, StoredTheorem]
) -> None:
    """One long proof under three limits, two of which are too low for it."""
    project, proof = theorems["MiniMathlib.open_and"].site.project, f"by\n  {LONG}\n  omega"
    text = LIMITED.replace("STATEMENT", STATEMENT)
    (project.root / "Whole.lean").write_text(text.replace("by\n  sorry", proof))
    (project.root / "Limited.lean").write_text(text)
    traced = lean.trace_file(project, "Whole.lean")
    assert [theorem.full_name for theorem in traced.theorems] == ["long_enough"]  # Lean declares neither of the others
    errors = [message.text for message in traced.messages if message.severity == "error"]
    assert len(errors) >= 2 and all("maximum number of heartbeats" in words for words in errors), errors
    for name in ("as_usual", "too_short"):
        site = TheoremSite(project, "Limited.lean", name)
        verdict = lean.verify(site, proof)
        assert not verdict.accepted and "heartbeats" in str(verdict)
        with pytest.raises(TacticFailure, match="heartbeats"):
            lean.goal_tactic(lean.goal_start(site), LONG)
    site = TheoremSite(project, "Limited.lean", "long_enough")
    assert lean.verify(site, proof).accepted
    state = lean.goal_tactic(lean.goal_start(site), LONG)
    assert lean.goal_tactic(state, "omega").is_solved
