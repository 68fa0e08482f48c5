"""The service over embedded Lean: verdicts, traces, searches, many clients at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.lean.cluster import lean_server
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.types import LeanProject, TracedFile
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import ScriptedProver

pytestmark = pytest.mark.lean

SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
BUDGET = SearchBudget(lean_calls=60, expansions=60, seconds=600)


def untimed(file: TracedFile) -> TracedFile:
    return replace(file, elaborate_s=0.0, walk_s=0.0)


@pytest.mark.parametrize(
    ("statement", "proof", "verdict", "axioms"),
    [
        (SWAP, "by exact ⟨h.2, h.1⟩", "accepted", []),
        (SWAP, "⟨h.2, h.1⟩", "accepted", []),
        ("∀ p q : Prop, (p ↔ q) → p = q", "fun _ _ h => propext h", "accepted", ["propext"]),
        (SWAP, "by exact h", "error", None),
        (SWAP, "by sorry", "sorry", None),
        ("1 + 1 = 2", "by native_decide", "forbidden", None),
        # a proof that goes on to declare something of its own is none
        ("1 = 2", "by trivial\naxiom cheat : 1 = 2\ntheorem goal2 : 1 = 2 := cheat", "forbidden", None),
        ("1 = 2", "cheat where cheat : 1 = 2 := sorry", "sorry", None),
    ],
)
def test_a_proof_of_a_statement_is_judged(
    lean_http: httpx.Client, statement: str, proof: str, verdict: str, axioms: list[str] | None
) -> None:
    answer = lean_http.post("/v1/verify", json={"statement": statement, "proof": proof}).json()
    assert (answer["verdict"], answer["accepted"]) == (verdict, verdict == "accepted"), answer
    assert axioms is None or answer["axioms"] == axioms
    printed = {SWAP: "∀ (p q : Prop), p ∧ q → q ∧ p"}.get(statement)
    assert printed is None or answer["statement"] == printed


def test_what_states_nothing_cannot_be_proved(lean_http: httpx.Client) -> None:
    for statement, words in [
        ("1 = ", "unexpected"),
        ("theorem a : 1 = 1 := by sorry\ntheorem b : 2 = 2 := by sorry", "2 theorems"),
    ]:
        answer = lean_http.post("/v1/verify", json={"statement": statement, "proof": "rfl"})
        assert answer.status_code == 422 and words in answer.json()["error"]["message"]


def test_messages_have_ranges(lean_http: httpx.Client) -> None:
    (message,) = lean_http.post("/v1/check", json={"text": "theorem x :\n    1 = 2 := by omega"}).json()["messages"]
    assert message["severity"] == "error"
    assert (message["line"], message["column"], message["end_line"], message["end_column"]) == (2, 16, 2, 21)


def test_a_trace_over_the_wire_is_that_of_the_pool(lean_address: str, lean: LeanPool, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(
        f"{SWAP} := by\n  constructor\n  · exact h.2\n  · exact h.1\n\ndef two : Nat := x\n#exit\n", encoding="utf-8"
    )
    project = LeanProject(tmp_path, tmp_path / "build")
    with LeanClient(lean_address) as client:
        here, there = lean.trace_file(project, "A.lean"), client.trace_file(project, "A.lean")
        assert untimed(there) == untimed(here) and there.messages and there.theorems[0].tactics
        assert client.variants(project, "A.lean", ["swap"]) == lean.variants(project, "A.lean", ["swap"]) != ()
        assert client.verify_file(project, "A.lean") == lean.verify_file(project, "A.lean")
        assert client.module_path(project, "A.lean").is_file()
        assert client.version == lean.version
        file: dict[str, Any] = {"project": project, "file_path": "A.lean"}
        assert client.declarations(["swap", "none"], **file) == lean.declarations(["swap", "none"], **file)
        assert client.matches("⊢ _ ∧ _", **file) == lean.matches("⊢ _ ∧ _", **file)
        text = httpx.post(f"{lean_address}/v1/trace", json={"text": f"{SWAP} := ⟨h.2, h.1⟩"}, timeout=60).json()
        assert [theorem["full_name"] for theorem in text["theorems"]] == ["swap"]


def test_a_search_through_the_client_and_one_of_the_service(lean_address: str, lean_http: httpx.Client) -> None:
    """The same search on both sides of the wire finds the same proof with the same calls of Lean."""
    with LeanClient(lean_address) as client:
        result = ScriptedProver(client, config=SearchConfig(budget=BUDGET)).prove(f"{SWAP} := by sorry")
    assert result.proved
    asked: dict[str, Any] = {"theorem": f"{SWAP} := by sorry", "policy": "own"}
    asked |= {"budget": {"lean_calls": 60, "expansions": 60, "seconds": 600}}
    job = lean_http.post("/v1/prove", json=asked).json()
    with lean_http.stream("GET", f"/v1/prove/{job['id']}/events") as stream:
        assert "event: end" in list(stream.iter_lines())
    there = lean_http.get(f"/v1/prove/{job['id']}").json()
    assert (there["status"], there["result"]["verdict"]["accepted"]) == ("proved", True)
    assert (there["result"]["proof"], there["result"]["lean_calls"]) == (result.proof, result.lean_calls)
    assert any(node["on_proof"] for node in lean_http.get(f"/v1/prove/{job['id']}/tree").json()["nodes"])


def test_no_answer_goes_to_another_client(lean_address: str) -> None:
    """Sixteen clients at a time; each has texts that only it can have an answer to."""

    def ask(number: int) -> bool:
        with httpx.Client(base_url=lean_address, timeout=120) as http:
            for turn in range(3):
                n = 100 * number + turn
                (message,) = http.post("/v1/check", json={"text": f"#check (rfl : {n} = {n})"}).json()["messages"]
                (start,) = http.post("/v1/goals/start", json={"origins": [f"{n} = {n}"]}).json()["results"]
                if message["text"] != f"rfl : {n} = {n}" or start["state"]["goals"][0]["target"] != f"{n} = {n}":
                    return False
            return True

    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(ask, range(16)))


def test_lean_stops_what_a_client_has_not_waited_for(lean_address: str, lean: LeanPool) -> None:
    (pid,) = lean.pids()
    endless = "theorem long : True := by\n  repeat' (first | skip)\n  trivial"
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{lean_address}/v1/check", json={"text": endless, "timeout_s": 600}, timeout=1.0)
    answer = httpx.post(f"{lean_address}/v1/check", json={"text": "#check Nat"}, timeout=60).json()
    assert [message["text"] for message in answer["messages"]] == ["Nat : Type"]
    assert lean.pids() == [pid]  # it has listened


@pytest.mark.long
def test_a_million_brackets_of_lean_are_answered_and_the_next_text_too(lean_http: httpx.Client) -> None:
    text = "theorem deep : True := " + "(" * 900_000
    for path, body in [("/v1/check", {"text": text}), ("/v1/goals/start", {"origins": ["(" * 900_000]})]:
        answer = lean_http.post(path, json=body)
        assert answer.status_code in (200, 400, 502), answer.text[:1000]
        assert lean_http.post("/v1/check", json={"text": "#check Nat"}).json()["messages"][0]["text"] == "Nat : Type"


def test_commands_take_the_address_of_a_service_for_a_lean(lean_address: str, tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(f"{SWAP} := ⟨h.2, h.1⟩\n\ntheorem wrong : 1 = 2 := rfl\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["verify", str(tmp_path / "A.lean"), "--lean", lean_address])
    assert done.exit_code == 1 and "swap: accepted" in done.output and "wrong: error" in done.output, done.output
    assert isinstance(lean_server(lean=lean_address), LeanClient)
