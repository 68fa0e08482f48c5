"""Lean's messages on a text: where they are, what may be imported, and what a text leaves behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import LeanRequestError, LeanTimeout
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, Position

pytestmark = pytest.mark.lean


def test_a_message_has_the_place_that_lean_prints(lean: LeanPool) -> None:
    (message,) = lean.check("theorem two : 1 + 1 = 2 := rfl\n\nexample (α : Nat) : α = α + 1 := by\n  omega\n")
    assert (message.severity, message.start, message.end) == ("error", Position(4, 2), Position(4, 7))
    assert message.text.startswith("omega could not prove the goal")


def test_columns_count_code_points_and_an_end_may_be_unknown(lean: LeanPool) -> None:
    (unknown,) = lean.check("example (α𝔽 : Nat) : Nat := α𝔽 + 𝔾")
    assert (unknown.start, unknown.end) == (Position(1, 33), Position(1, 34))
    (parse,) = lean.check("/-")
    assert (parse.severity, parse.start, parse.end) == ("error", Position(1, 1), None)


def test_what_is_printed_is_information_and_comes_in_the_order_of_the_text(lean: LeanPool) -> None:
    messages = lean.check("#eval 1 + 1\n#check Nat\nexample : False := sorry\n")
    assert [(m.severity, m.start.line) for m in messages] == [("information", 1), ("information", 2), ("warning", 3)]
    assert messages[0].text.strip() == "2"


def test_an_import_that_is_not_there_is_the_only_error(lean: LeanPool) -> None:
    (message,) = lean.check("-- mathlib\nimport Mathlib\n\nexample : ℝ := 0\n")
    assert message.severity == "error" and "Mathlib" in message.text and message.start.line == 2
    assert lean.check("import Std\nopen Std in\n#guard (HashMap.emptyWithCapacity : HashMap Nat Nat).size == 0") == ()


def test_a_project_gives_its_traced_files(lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Base.lean").write_text("theorem base : 1 = 1 := rfl\n")
    project = LeanProject(tmp_path / "src", tmp_path / "build")
    lean.trace_file(project, "Base.lean")
    assert lean.check("import Base\nexample := base", project=project) == ()
    (message,) = lean.check("import Base\nexample := base")
    assert message.severity == "error"


def test_a_text_that_does_not_end_is_stopped(lean: LeanPool) -> None:
    endless = "def f : Nat → Nat := fun n => Id.run do\n  let mut n := n\n  repeat n := n + 1\n  return n\n#eval f 0\n"
    with pytest.raises(LeanTimeout, match=r"not checked within 0\.5 s"):
        lean.check(endless, timeout_s=0.5)
    assert lean.check("example := 1") == ()


def test_half_a_surrogate_pair_is_refused(lean: LeanPool) -> None:
    with pytest.raises(LeanRequestError, match="surrogate"):
        lean.check("-- \ud800")


def test_what_a_text_runs_is_not_there_for_a_project(lean: LeanPool, tmp_path: Path) -> None:
    """A text with a program marks its process; the next project is traced in another."""
    assert [m.text.strip() for m in lean.check("#eval 1")] == ["1"]
    before = lean.pids()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Base.lean").write_text("theorem base : 1 = 1 := rfl\n")
    lean.trace_file(LeanProject(tmp_path / "src", tmp_path / "build"), "Base.lean")
    assert lean.pids() != before
