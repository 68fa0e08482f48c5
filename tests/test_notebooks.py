"""Objects in Jupyter, the cell magic, and the notebooks of examples/."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lean_agent.agent import notebook
from lean_agent.evaluation.evaluate import Report
from lean_agent.lean import html
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import FileVerdict, Goal, GoalState, Position, TracedTactic, TracedTheorem, Variable, Verdict
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure

NOTEBOOKS = sorted((Path(__file__).resolve().parent.parent / "examples" / "notebooks").glob("*.ipynb"))
HOSTILE = "<script>alert('x')</script>"


def shown(item: Any) -> tuple[str, str]:
    """Return what Jupyter gets of an object, as HTML and as text, neither with a tag of the object's own."""
    bundle = item._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"} and bundle["text/html"] == item._repr_html_()
    assert "<script" not in bundle["text/html"]
    return bundle["text/html"], bundle["text/plain"]


def test_goals() -> None:
    goals = (
        Goal("1", "q ∧ p", (Variable("h", "p ∧ q"), Variable("n", "Nat", "2")), name="left"),
        Goal("2", HOSTILE),
    )
    markup, text = shown(GoalState("p", (), goals))
    assert text == f"case left\nh : p ∧ q\nn : Nat := 2\n⊢ q ∧ p\n⊢ {HOSTILE}"
    assert "&lt;script&gt;" in markup
    assert shown(GoalState("p", ("simp",), ()))[1] == "✓ no goals"


def test_verdicts_and_theorems() -> None:
    assert shown(Verdict("accepted", "", ("propext",), statement="1 + 1 = 2"))[1].splitlines() == [
        "✓ accepted",
        "1 + 1 = 2",
        "axioms: propext",
    ]
    refused = Verdict("kernel", f"no: {HOSTILE}")
    assert shown(refused)[1].splitlines() == ["✗ kernel", f"no: {HOSTILE}"]
    assert shown(FileVerdict((), kind="timeout"))[1] == "✗ timeout"
    tactic = TracedTactic("rfl", "rfl", 0, 3, "⊢ 1 = 1", "", 1, 0)
    place = Position(1, 0)
    theorem = TracedTheorem(
        "t", "theorem t : 1 = 1", "by rfl", "tactic", False, "1 = 1", "0", 0, 9, place, place, (tactic,)
    )
    lines = [line.strip() for line in shown(theorem)[1].splitlines()]
    assert lines == ["theorem t : 1 = 1", "tactic  goals before it", "rfl  ⊢ 1 = 1"]


def test_searches_are_trees_that_end() -> None:
    root = SavedNode(0, 0, (f"⊢ {HOSTILE}",), "expanded", False, 0.0, 0, edges=(SavedEdge("a", -1.0, (1,)),))
    back = SavedNode(
        0, 1, ("⊢ q",), "expanded", False, -1.0, 1,
        edges=(SavedEdge("b", -1.0, (0,)),), failures=(Failure("simp", -1.0, "error", "no", "policy"),),
    )  # fmt: skip
    _, text = shown(SavedSearch("t", "A.lean", "p", "best_step", "budget", nodes=(root, back)))
    assert "as above" in text and "1 tactics failed" in text and HOSTILE in text
    children = {number: [number + 1] for number in range(50)}
    assert "…" in html.tree(0, {number: "x" for number in range(51)}, children, most=20)


def test_a_report_has_a_line_for_each_prover() -> None:
    report = Report(("first", HOSTILE), (), SearchBudget(), frozenset())
    assert [line.split()[:3] for line in shown(report)[1].splitlines()][1] == ["first", "0", "0"]


@pytest.mark.lean
def test_a_cell_of_lean(lean: LeanPool) -> None:
    cell = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  sorry\n\ntheorem wrong : 1 + 1 = 3 := by decide\n"
    markup, text = shown(notebook.lean("", cell, lean))
    lines = text.splitlines()
    below = lines[lines.index("  2   sorry") + 1 :]
    assert lines[0] == "✗ errors" and below[:4] == ["p : Prop", "q : Prop", "h : p ∧ q", "⊢ q ∧ p"]
    assert any("✗ 4:32" in line for line in lines) and "<b" in markup
    assert "✗ sorry" in shown(notebook.lean("--verify", cell, lean))[1]
    assert "swap ✓ proved" in shown(notebook.lean("--prove --lean-calls 40", cell.partition("\n\n")[0], lean))[1]
    assert "✗" in shown(notebook.lean("--nonsense", cell, lean))[1]
    assert "✗" in shown(notebook.lean("--prove", "theorem t : 1 = 1 := rfl", lean))[1]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_clean(path: Path) -> None:
    assert path.stat().st_size < 60_000
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert outputs and not any(output["output_type"] == "error" for output in outputs)


@pytest.mark.lean
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, own_cache: Path, tmp_path: Path) -> None:
    client = pytest.importorskip("nbclient", reason="nbclient is not installed: pip install 'lean4-agent[notebooks]'")
    import nbformat

    cells = nbformat.read(path, as_version=4)
    client.NotebookClient(cells, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
