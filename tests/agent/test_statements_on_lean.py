"""Theorems outside any repository: a text, a name, a file, by Python and on the command line. Lean is real."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.agent.external_agent import ExternalAgent
from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.cli.main import app
from lean_agent.errors import ConfigError, TraceError
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.prover.provers import ExternalProver, ScriptedProver
from lean_agent.prover.statements import theorems_of_file, theorems_of_text

pytestmark = pytest.mark.lean

FILE = """def double (n : Nat) : Nat := n + n

theorem double_two : double 2 = 4 := by
  sorry

theorem proved : 1 = 1 := rfl

theorem no_proof (p : Prop) : p := sorry
"""


@pytest.fixture
def agent(lean: LeanPool, tmp_path: Path) -> Iterator[ScriptedAgent]:
    with ScriptedAgent(
        lean=lean, database=tmp_path / "database.sqlite", runs_dir=tmp_path / "runs", progress=False
    ) as agent:
        yield agent


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "somewhere" / "Mine.lean"
    path.parent.mkdir()
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("theorem two : 1 + 1 = 2 := by sorry", "two"),
        ("theorem two : 1 + 1 = 2", "two"),
        ("lemma two : 1 + 1 = 2", None),  # Lean itself has no such word
        ("∀ n : Nat, n + 0 = n", "goal"),
        ("open Nat in\ntheorem two : succ 1 = 2 := sorry", "two"),
        ("namespace A\ntheorem one : 1 = 1 := rfl\ntheorem two : 1 + 1 = 2 := by\n  sorry\nend A", "A.two"),
    ],
)
def test_a_prover_takes_text(lean: LeanPool, text: str, name: str | None) -> None:
    prover = ScriptedProver(lean)
    if name is None:
        with pytest.raises(TraceError, match="The text has nothing to prove; line 1: "):
            prover.prove(text)
        return
    result = prover.prove(text)
    assert (result.theorem.full_name, result.proved) == (name, True)


APPEND = """inductive Items | none | more (first : Nat) (rest : Items)

def append : Items → Items → Items
  | .none, ys => ys
  | .more x xs, ys => .more x (append xs ys)

def Swaps (f : Items → Items → Items) : Prop := ∀ x y, f x y = f y x

"""


@pytest.mark.parametrize(
    ("statement", "proof"),
    [
        ("(xs ys zs : Items) : append (append xs ys) zs = append xs (append ys zs)", "induction xs <;> simp_all!"),
        ("(f : Items → Items → Items) (h : Swaps f) (x y : Items) : f x y = f y x", "grind [Swaps]"),
    ],
)
def test_schemes_prove_what_closing_tactics_cannot(lean: LeanPool, statement: str, proof: str) -> None:
    text = f"{APPEND}theorem t {statement} := by sorry"
    schemes = ScriptedProver(lean, tactics=["simp_all!", "induction {local} <;> simp_all!", "grind [{definitions}]"])
    assert schemes.prove(text).search.script == (proof,)
    assert not ScriptedProver(lean, tactics=CLOSING_TACTICS).prove(text).proved


def test_what_is_wrong_with_a_text_is_said(lean: LeanPool) -> None:
    prover = ScriptedProver(lean)
    with pytest.raises(TraceError, match=r"The text has nothing to prove; line 1: .*Nat.nothing"):
        prover.prove("theorem t : Nat.nothing 1 = 2")
    with pytest.raises(TraceError, match=r"leaves 2 theorems open \(a, b\): give one"):
        prover.prove("theorem a : True := sorry\ntheorem b : True := sorry")
    with pytest.raises(TraceError, match=r"nothing to prove; it leaves no theorem as sorry"):
        theorems_of_text("theorem a : True := trivial -- no sorry left", lean)
    with pytest.raises(TraceError, match="There is no file"):
        theorems_of_file(Path("nowhere/Mine.lean"), lean)


def test_an_agent_takes_text_and_files_and_keeps_the_proofs(agent: ScriptedAgent, file: Path) -> None:
    result = agent.prove_theorem("theorem two : 1 + 1 = 2")
    assert result.proved
    assert [proof.full_name for proof in agent.database.proofs()] == ["two"]
    assert agent.database.repositories() == []  # a text is no repository: it is in no list and in no data set
    results = agent.prove(theorems=agent.theorems_of(file))
    assert {result.theorem.full_name: result.proved for result in results} == {"double_two": True, "no_proof": False}
    written = next(result.path for result in results if result.proved)
    assert written is not None
    assert FILE.partition("  sorry")[0] in written.read_text(encoding="utf-8")


def test_an_agent_takes_a_name(agent: ScriptedAgent, file: Path) -> None:
    (file.parent / "lakefile.toml").write_text('name = "mine"\n')
    agent.setup_local_repository(file.parent)
    assert agent.prove_theorem("double_two").proved
    with pytest.raises(ConfigError, match=r"No open theorem .* is called proved"):
        agent.prove_theorem("proved")
    with pytest.raises(ConfigError, match=r"2 open theorems are meant \(double_two, no_proof\)"):
        agent.prove_theorem("*o*")


def test_an_agent_with_a_model_elsewhere(lean: LeanPool, tmp_path: Path) -> None:
    with ExternalAgent(
        "http://127.0.0.1:9/v1", model="m", lean=lean, database=tmp_path / "database.sqlite", client={"max_retries": 0}
    ) as agent:
        prover = agent.prover()
        assert isinstance(prover, ExternalProver)
        assert prover.name == "policy"


def test_files_and_statements_on_the_command_line(file: Path, tmp_path: Path) -> None:
    options = ["--database", tmp_path / "database.sqlite", "--runs-dir", tmp_path / "runs", "--workers", "1"]
    arguments = ["prove", file, "theorem two : 1 + 1 = 2", "--theorem", "*two", "--lean-calls", "32", *options]
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    assert "2 of 2 open theorems proved and verified." in done.output
    assert (file.read_text(encoding="utf-8")) == FILE
