"""Theorems from JSONL, and the files that they become."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import TrainingError
from lean_agent.rollout import Theorem, TheoremFiles, load_theorems


@pytest.mark.parametrize(
    ("theorem", "declaration", "full_name"),
    [
        (Theorem("a", "theorem a (n : Nat) : n + 0 = n"), "theorem a (n : Nat) : n + 0 = n", "a"),
        (Theorem("a", "theorem b : True := by sorry"), "theorem b : True", "b"),
        (Theorem("a", "theorem b : True := by\n  sorry\n"), "theorem b : True", "b"),
        (Theorem("a", "theorem b: True := sorry"), "theorem b: True", "b"),
        (Theorem("a", "lemma b{p : Prop} : p → p :="), "theorem b{p : Prop} : p → p", "b"),
        (Theorem("a", "@[simp] protected theorem b : True"), "@[simp] protected theorem b : True", "b"),
        (Theorem("a", "∀ p : Prop, p → p"), "theorem a : ∀ p : Prop, p → p", "a"),
        (Theorem("a", "theorem A.b : True", "namespace N"), "theorem A.b : True", "N.A.b"),
        (
            Theorem("a", "theorem b : True", "namespace N\nsection\nnamespace M\nend M\nend\nnamespace O.P"),
            "theorem b : True",
            "N.O.P.b",
        ),
        (Theorem("a", "theorem b.{u, v} (α : Sort u) : True"), "theorem b.{u, v} (α : Sort u) : True", "b"),
        (Theorem("a", "theorem N.«b c» : True"), "theorem N.«b c» : True", "N.«b c»"),
        (Theorem("a", "theorem b : True", "namespace N\ndef x := 1\nend N"), "theorem b : True", "b"),
    ],
)
def test_a_statement_becomes_a_declaration(theorem: Theorem, declaration: str, full_name: str) -> None:
    assert theorem.declaration == declaration
    assert theorem.full_name == full_name


def test_a_theorem_gets_a_file_of_its_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    files = TheoremFiles(tmp_path)
    theorem = Theorem("a", "theorem a : True", "variable (p : Prop)", ("Mathlib", "Std.Data.HashMap"), 0.5)
    (task, other) = files.tasks([theorem, Theorem("b", "theorem b : True")])
    text = (task.site.project.root / task.site.file_path).read_text(encoding="utf-8")
    assert text == (
        "import Std.Data.HashMap\n\nset_option autoImplicit false\n\n"
        "variable (p : Prop)\n\ntheorem a : True := by\n  sorry\n"
    )
    assert (task.name, task.site.full_name, task.difficulty) == ("a", "a", 0.5)
    assert other.site.file_path != task.site.file_path
    files.tasks([theorem])
    assert caplog.text.count("no Mathlib") == 1, "the same is not said twice"
    assert TheoremFiles(tmp_path).task(theorem).site == task.site


def test_rows_are_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n", "context": "", '
        '"imports": ["Mathlib"]}\n\n{"name": "b", "statement": "True", "difficulty": 1}\n',
        encoding="utf-8",
    )
    first, second = load_theorems(path)
    assert first == Theorem("add_zero", "theorem add_zero (n : Nat) : n + 0 = n", imports=("Mathlib",))
    assert second == Theorem("b", "True", difficulty=1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no theorem"),
        ("{", "line 1 is no JSON"),
        ("[]", "line 1 is no JSON object"),
        ('\n{"name": "a"}', "line 2: name, statement and context must be texts"),
        ('{"name": "a", "statment": "True"}', "no 'statment'. Did you mean 'statement'"),
        ('{"name": "a", "statement": "True", "imports": "Mathlib"}', "imports must be a list"),
        ('{"name": "a", "statement": "True", "difficulty": 2}', "difficulty"),
        ('{"name": "a", "statement": "True"}\n{"name": "a", "statement": "True"}', "line 2: the name 'a' occurs twice"),
    ],
)
def test_rows_that_make_no_sense_are_refused(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TrainingError, match=complaint):
        load_theorems(path)


def test_what_a_benchmark_says_besides_is_passed_over(tmp_path: Path) -> None:
    """`lean-agent export theorems` writes a `type_hash`, and benchmarks may have groups and splits."""
    row = '{"name": "t", "statement": "theorem t : 1 = 1", "type_hash": "7", "group": "g", "split": "test"}'
    (tmp_path / "t.jsonl").write_text(row)
    assert load_theorems(tmp_path / "t.jsonl") == [Theorem("t", "theorem t : 1 = 1")]


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="could not be read"):
        load_theorems(tmp_path / "none.jsonl")


def test_separators_of_unicode_end_no_line(tmp_path: Path) -> None:
    path = tmp_path / "theorems.jsonl"
    path.write_text('{"name": "a", "statement": "theorem a : \\"\u2028\x85\\" = x"}\n', encoding="utf-8")
    assert load_theorems(path)[0].statement == 'theorem a : "\u2028\x85" = x'
