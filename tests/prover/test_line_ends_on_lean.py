r"""Files whose lines end in ``\r\n``: traced, searched, judged and written back with the line ends that they have."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.evaluation.benchmarks.problem import stored_problem
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.source import as_lean_reads, place_in_file
from lean_agent.prover.proofs.proof_text import proof_span
from lean_agent.tracing.check import TraceCheck, check_file
from lean_agent.tracing.project.repository import lean_project

FILE = """import Init
open Nat

theorem swap (p q : Prop)
    (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.2
  · exact And.left
      h

theorem first (p q : Prop)
    (h : p ∧ q) : p ∧ True := by
  sorry

theorem second (n : Nat) :
    n + 0 = n := by sorry
"""


def test_places_of_the_text_are_places_of_the_file() -> None:
    source = b"a\r\nbc\nd\r\n"
    assert as_lean_reads(source) == b"a\nbc\nd\n"
    #                                                     a  \n  b  c  \n  d  \n  end
    assert [place_in_file(source, at) for at in range(8)] == [0, 1, 3, 4, 5, 6, 7, 9]


@pytest.mark.lean
@pytest.mark.parametrize("mixed", [False, True])
def test_line_ends_stay_as_they_are(mixed: bool, tmp_path: Path, lean: LeanPool) -> None:
    source = FILE.replace("\n", "\r\n").encode()
    if mixed:
        source = source.replace(b":\r\n    n + 0", b":\n    n + 0")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "project"\n', encoding="utf-8")
    (folder / "A.lean").write_bytes(source)
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)

    database = DynamicDatabase(tmp_path / "database.sqlite")
    with ScriptedAgent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False) as agent:
        traced = agent.setup_local_repository(folder)
        (file,) = traced.files
        spans = [proof_span(source, theorem) for theorem in file.theorems]
        proofs = [source[start:end].decode().replace("\r\n", "\n") for start, end in spans]
        assert proofs == [theorem.proof for theorem in file.theorems] and proofs[1:] == ["by\n  sorry", "by sorry"]
        assert [theorem.start_pos.line for theorem in file.theorems] == [4, 11, 15]
        check = TraceCheck()
        check_file(lean_project(traced.repository), file, lean, check)
        assert (check.matched, check.missed) == (3, [])  # constructor and both of its `exact`s
        second = next(one for one in agent.open_theorems() if one.full_name == "second")
        assert (
            stored_problem(second).context
            == as_lean_reads(source).decode()[len("import Init\n") :].partition("theorem second")[0]
        )

        results = agent.prove(write_back=True)
        assert {one.theorem.full_name: one.status for one in results} == {"first": "proved", "second": "proved"}
        expected = source
        for result in results:
            assert result.path is not None and b"\r\n" in result.path.read_bytes()
            theorem, proof = result.theorem.theorem, result.proof.replace("\n", "\r\n").encode()
            old = theorem.proof.replace("\n", "\r\n").encode()
            at = expected.index(theorem.full_name.encode())
            expected = expected[:at] + expected[at:].replace(old, proof, 1)
        assert (folder / "A.lean").read_bytes() == expected and b"sorry" not in expected
        (patch,) = (agent.run.path / "patches").glob("project-*.patch")
        subprocess.run([*git, "checkout", "-q", "--", "A.lean"], check=True)
        subprocess.run([*git, "apply", str(patch)], check=True)
        assert (folder / "A.lean").read_bytes() == expected
