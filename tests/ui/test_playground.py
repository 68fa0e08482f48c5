"""The playground over embedded Lean, as its script asks for it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Goal, GoalState, Variable
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from lean_agent.service.ui.goals import ShownHypothesis, marked_lines, shown_goals
from lean_agent.service.ui.symbols import SYMBOLS
from tests.ui.samples import Place

SWAP = (
    "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by\n  obtain ⟨a, b⟩ := h\n  constructor\n  · exact b\n  · sorry\n"
)


def test_what_a_tactic_has_changed_is_marked() -> None:
    def state(*goals: Goal) -> GoalState:
        return GoalState("p", (), goals)

    x, y, n = (Variable(name, "Nat") for name in "xyn")
    before = state(Goal("1", "x = y", (x, y, Variable("h", "x < y"))))
    after = state(
        Goal("2", "y = x", (x, y, n, Variable("h", "x ≤ y"), Variable("k", "Nat", "3")), name="inl"),
        Goal("3", "x = y", (x, y)),
    )
    first, second = shown_goals(before, after)
    assert first.hypotheses == (
        ShownHypothesis("x y", "Nat", None, ""),
        ShownHypothesis("n", "Nat", None, "new"),
        ShownHypothesis("h", "x ≤ y", None, "changed"),
        ShownHypothesis("k", "Nat", "3", "new"),
    )
    assert (first.is_changed, second.is_changed, first.name) == (True, False, "inl")
    assert not any(goal.is_changed or goal.hypotheses[0].mark for goal in shown_goals(None, after))
    assert marked_lines("h : p\n⊢ q", "h : p\n⊢ r\n") == [("h : p", False), ("⊢ r", True)]


def test_names_of_symbols() -> None:
    assert (SYMBOLS["alpha"], SYMBOLS["to"], SYMBOLS["<"], SYMBOLS["_1"[1:]], SYMBOLS["^2"]) == (
        "α",
        "→",
        "⟨",
        "₁",
        "²",
    )
    assert all(len(symbol) in (1, 2) for symbol in SYMBOLS.values())


@pytest.fixture(scope="module")
def lean_http(lean: LeanPool, place: Place) -> Iterator[httpx.Client]:
    """A client of pages over embedded Lean."""
    lean.check("", timeout_s=600)
    settings = ServiceSettings(port=0, database=place.database, runs_dir=place.runs)
    with serving(lean, settings) as address, httpx.Client(base_url=address, timeout=300) as client:
        client.headers["X-Fragment"] = "1"
        yield client


def look(http: httpx.Client, text: str, line: int, column: int) -> str:
    answer = http.post("/playground/look", json={"text": text, "line": line, "column": column})
    assert answer.status_code == 200, answer.text
    return answer.text


@pytest.mark.lean
def test_goals_at_the_cursor_and_messages(lean_http: httpx.Client) -> None:
    after_obtain = look(lean_http, SWAP, 2, 20)
    assert "1 goal at line 2" in after_obtain and '<span class="names">a</span> : p <small>new</small>' in after_obtain
    assert 'class="target">⊢ q ∧ p' in after_obtain  # the target is as it was
    after_constructor = look(lean_http, SWAP, 3, 13)
    assert "2 goals at line 3" in after_constructor and after_constructor.count('class="target changed"') == 2
    assert "Nothing is left at line 4" in look(lean_http, SWAP, 4, 11)
    assert "No goal at line 1" in look(lean_http, SWAP, 1, 0)
    assert "warning at 1:8" in after_obtain and 'data-line="1" data-column="8"' in after_obtain
    broken = look(lean_http, 'theorem t : "<b>" = 3 := by\n  rfl\n', 2, 2)
    assert "error at" in broken and "<b>" not in broken


@pytest.mark.lean
def test_suggestions_with_what_each_leaves(lean_http: httpx.Client) -> None:
    """They come one after the other, each time with all that are known; single tactics before those that try many."""
    assert lean_http.post("/playground/prepare", json={"policy": "own"}).status_code == 204
    asked = {"text": SWAP, "line": 5, "column": 4, "policy": "own"}
    with lean_http.stream("POST", "/playground/suggest", json=asked) as answer:
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        parts = [json.loads(line) for line in answer.iter_lines()]
    counts = [part.count("data-insert=") for part in parts]
    assert len(parts) > 3 and counts == sorted(counts) and counts[-1] > 0
    assert "<;>" not in "".join(parts[:2]) and "to be tried" in parts[0] and "to be tried" not in parts[-1]
    assert 'data-insert="assumption"' in parts[-1] and "closes the main goal" not in parts[-1], parts[-1]
    assert parts[-1].index("closes everything") < (parts[-1] + "leaves").index("leaves")
    nothing = lean_http.post("/playground/suggest", json={**asked, "line": 1, "column": 0})
    assert nothing.status_code == 422 and "There is no open goal here" in nothing.text


@pytest.mark.lean
def test_the_judges_word(lean_http: httpx.Client) -> None:
    proof = "theorem em (p : Prop) : p ∨ ¬p := Classical.em p\naxiom cheat : False\n"
    answer = lean_http.post("/playground/verdict", json={"text": proof}).text
    assert "Not accepted" in answer and "cheat" in answer and "Axioms:" in answer
    good = lean_http.post("/playground/verdict", json={"text": "theorem one : 1 = 1 := rfl"}).text
    assert "Accepted" in good and "1 = 1" in good


@pytest.mark.lean
def test_prove_it(lean_http: httpx.Client) -> None:
    budget = {"lean_calls": 200, "expansions": 100, "seconds": 300}
    asked = {"theorem": "theorem t (a b : Nat) : a + b = b + a := by\n  sorry", "budget": budget, "policy": "own"}
    job = lean_http.post("/v1/prove", json=asked).json()
    with lean_http.stream("GET", f"/v1/prove/{job['id']}/events") as events:
        forms = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
    assert forms[-1]["status"] == "proved"
    shown = lean_http.get(f"/playground/search/{job['id']}").text
    assert "Search: proved" in shown and "∀ (a b : Nat), a + b = b + a" in shown and "data-proof=" in shown
    assert lean_http.get("/search/data", params={"job": job["id"]}).json()["status"] == "proved"
    assert lean_http.get("/playground/search/none").status_code == 404
