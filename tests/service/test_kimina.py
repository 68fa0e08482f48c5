"""Kimina's own client, from PyPI, against the service."""

from __future__ import annotations

import asyncio
import importlib
import typing
import warnings
from types import ModuleType
from typing import Any
from unittest import mock

import httpx
import pytest
import typing_extensions

from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import FileVerdict, LeanMessage, Position
from lean_agent.service.run import serving

SWAP = "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by"


@pytest.fixture(scope="module")
def kimina() -> ModuleType:
    # Below Python 3.12 pydantic refuses the `TypedDict` that the client takes, and takes the one of typing_extensions.
    with warnings.catch_warnings(), mock.patch.object(typing, "TypedDict", typing_extensions.TypedDict):
        warnings.simplefilter("ignore")  # of what it imports
        return importlib.import_module("kimina_client")


@pytest.fixture(scope="module")
def client(kimina: ModuleType, lean_address: str) -> Any:
    return kimina.KiminaClient(api_url=lean_address, n_retries=1)


@pytest.mark.lean
class TestOverLean:
    def test_its_own_test_passes(self, client: Any) -> None:
        """`#check Nat`, and the answer to the letter."""
        client.test()
        assert client.health() == {"status": "ok"}

    @pytest.mark.parametrize(
        ("code", "status"),
        [
            (f"{SWAP}\n  exact ⟨h.2, h.1⟩", "valid"),
            (f"{SWAP}\n  exact h", "lean_error"),
            (f"{SWAP}\n  constructor\n  · exact h.2\n  · sorry", "sorry"),
            ("theorem two : 1 + 1 = 2 := sorry", "sorry"),
            ("def two : Nat := sorry", "sorry"),
            # what others take for valid: it compiles
            ("axiom cheat : 1 = 2\ntheorem wrong : 1 = 2 := cheat", "lean_error"),
            ("theorem one : 1 = 1 := rfl\n#exit\ntheorem wrong : 1 = 2 := rfl", "lean_error"),
            ("import Mathlib\ntheorem one : 1 = 1 := rfl", "lean_error"),
        ],
    )
    def test_snippets_have_the_status_that_the_client_reads(self, client: Any, code: str, status: str) -> None:
        (result,) = client.check(code, show_progress=False).results
        assert result.analyze().status.value == status, result.response

    def test_a_hole_has_its_place_and_its_goal(self, client: Any) -> None:
        code = f"-- ∀\n{SWAP}\n  constructor\n  · exact h.2\n  · sorry\n\ntheorem two (n : Nat) : n = n := sorry\n"
        response = client.check(code, show_progress=False).results[0].response
        branch, term = response["sorries"]
        # line 5 is `  · sorry`: four characters, one of them of two bytes
        assert branch["pos"] == {"line": 5, "column": 4} and branch["endPos"] == {"line": 5, "column": 9}
        assert branch["goal"] == "case right\np q : Prop\nh : p ∧ q\n⊢ p"
        assert term["pos"] == {"line": 7, "column": 33} and term["endPos"] == {"line": 7, "column": 38}
        assert term["goal"] == "n : Nat\n⊢ n = n"

    def test_info_trees_hold_tactics_below_those_that_they_are_parts_of(self, client: Any, kimina: ModuleType) -> None:
        code = f"{SWAP}\n  constructor\n  · exact h.2\n  · exact h.1"
        trees = {}
        for level in ("tactics", "substantive"):
            result = client.check(code, infotree=kimina.Infotree(level), show_progress=False).results[0]
            trees[level] = result.response["infotree"]

        def tactics(forest: list[dict[str, Any]]) -> list[str]:
            return [pp for tree in forest for pp in (tree["node"]["stx"]["pp"], *tactics(tree["children"]))]

        assert tactics(trees["substantive"]) == ["constructor", "exact h.2", "exact h.1"]
        assert {"constructor", "exact h.2", "exact h.1"} < set(tactics(trees["tactics"]))  # the bullets, too
        first = trees["substantive"][0]["node"]
        assert first["goalsBefore"] == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"] and len(first["goalsAfter"]) == 2
        assert first["stx"]["range"]["start"] == {"line": 2, "column": 2}

    def test_many_snippets_from_the_asynchronous_client(self, kimina: ModuleType, lean_address: str) -> None:
        snippets = [
            kimina.Snippet(id=str(n), code=f"theorem t{n} : {n} + 1 = {n + n % 2 + 1 - n % 2} := rfl") for n in range(9)
        ]

        async def statuses() -> dict[str, str]:
            client = kimina.AsyncKiminaClient(api_url=lean_address, n_retries=1)
            response = await client.check(snippets, batch_size=2, show_progress=False)
            await client.close()
            return {result.id: result.analyze().status.value for result in response.results}

        assert asyncio.run(statuses()) == {str(n): "valid" for n in range(9)}

    def test_the_older_address(self, lean_http: httpx.Client) -> None:
        codes = [{"custom_id": 1, "proof": "#check Nat"}, {"custom_id": "b", "code": "theorem x : 1 = 2 := rfl"}]
        for path in ("/verify", "/one_pass_verify_batch"):
            first, second = lean_http.post(path, json={"codes": codes, "timeout": 60}).json()["results"]
            assert (first["custom_id"], first["error"]) == ("1", None)
            assert [m["data"] for m in first["response"]["messages"]] == ["Nat : Type"] and first["response"][
                "time"
            ] > 0
            assert "error" in {m["severity"] for m in second["response"]["messages"]}


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/api/check", {"snippets": []}, "snippets: List should have at least 1 item after validation, not 0."),
        (
            "/api/check",
            {"snippets": [{"id": "a", "code": ""}, {"id": "a", "code": ""}]},
            "the body: the ids of snippets have to differ.",
        ),
        ("/api/check", {"snippets": [{"id": "a", "code": 1}]}, "snippets.0.code: Input should be a valid string."),
        ("/verify", {"codes": [{"custom_id": "a"}]}, "codes.0: give a proof or a code."),
    ],
)
def test_bad_requests_are_refused_in_a_sentence(http: httpx.Client, path: str, body: Any, sentence: str) -> None:
    answer = http.post(path, json=body)
    assert (answer.status_code, answer.json()["error"]["message"]) == (422, sentence)


def test_no_time_at_all_is_too_little(http: httpx.Client) -> None:
    (result,) = http.post("/api/check", json={"snippets": [{"id": "a", "code": ""}], "timeout": 0}).json()["results"]
    assert "timed out" in result["error"] and "response" not in result


@pytest.mark.parametrize(
    ("kind", "status"), [("timeout", "timeout_error"), ("out_of_memory", "server_error"), ("crashed", "server_error")]
)
def test_snippets_without_a_verdict_are_told_by_their_words(kimina: ModuleType, kind: Any, status: str) -> None:
    class Unjudged(MockLeanServer):
        def verify_text(self, text: str, **options: Any) -> FileVerdict:
            return FileVerdict((), (LeanMessage("error", "it ended the process", Position(1, 0)),), kind=kind)

    with serving(Unjudged()) as address:
        client = kimina.KiminaClient(api_url=address, n_retries=1)
        (result,) = client.check("theorem x : True := y", show_progress=False).results
    assert result.analyze().status.value == status and result.response is None
