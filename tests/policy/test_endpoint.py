"""Clients of an OpenAI-compatible endpoint, against a server of a few lines that does what a test tells it to."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoConfig

from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, PolicyError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Position, TracedTheorem
from lean_agent.policy.base import Sampling, SamplingPolicy, UpdatablePolicy
from lean_agent.policy.endpoint import InferenceClient, VLLMClient
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.prompts import prompt_messages, proof_messages
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.provers import ExternalProver
from lean_agent.tracing.project.repository import Repository

Answer = tuple[int, Any, dict[str, str]]
"""Status, JSON, headers."""


class Endpoint:
    """A server on loopback; ``answer`` is called with each request's path and body, and may be replaced at any time."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Any]] = []
        self.answer: Callable[[str, Any], Answer] = lambda path, body: ok(choices(["intro h"] * body["n"]))
        self.device = "cuda"
        self.api_key: str | None = None
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length) or b"null")
                if endpoint.api_key and self.headers.get("Authorization") != f"Bearer {endpoint.api_key}":
                    return self._send((401, {"error": "Unauthorized"}, {}))
                endpoint.requests.append((self.path, body))
                self._send(endpoint.answer(self.path, body))

            def do_GET(self) -> None:
                if self.path.startswith("/server_info"):
                    return self._send(ok({"vllm_config": {"device_config": {"device": endpoint.device}}}))
                self._send(ok({"object": "list", "data": [{"id": "served", "object": "model"}]}))

            def _send(self, answer: Answer) -> None:
                status, body, headers = answer
                content = json.dumps(body).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(content)))
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(content)
                except OSError:
                    pass  # the client had enough

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def ok(body: Any) -> Answer:
    return 200, body, {}


def choices(
    texts: list[str], *, logprobs: bool = True, finish: str = "stop", ids: list[int] | None = None
) -> dict[str, Any]:
    """A chat completion: two tokens an answer, of log-probability -0.5 each."""
    told = {"content": [{"token": "t", "logprob": -0.5, "bytes": None, "top_logprobs": []}] * 2}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "served",
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": text},
                "finish_reason": finish,
                "logprobs": told if logprobs else None,
                **({"token_ids": ids} if ids else {}),
            }
            for index, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2 * len(texts), "total_tokens": 3},
    }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


def test_a_goal_is_asked_about_as_in_training(endpoint: Endpoint) -> None:
    with InferenceClient(endpoint.url, sampling=Sampling(temperature=0.7, max_new_tokens=9, seed=3)) as client:
        ((first, second),) = client.complete(["⊢ p"], 2)
    assert first == second
    assert (first.text, first.logprob, first.tokens, first.finished) == ("intro h", -1.0, 2, True)
    assert first.token_ids is None
    ((path, body),) = endpoint.requests
    assert path == "/v1/chat/completions"
    assert body["messages"] == prompt_messages("⊢ p")
    assert (body["model"], body["n"], body["temperature"], body["max_tokens"], body["seed"]) == ("served", 2, 0.7, 9, 3)
    assert client.tokens_generated == 4


def test_a_second_temperature_is_asked_for_by_a_request_of_its_own(endpoint: Endpoint) -> None:
    endpoint.answer = lambda path, body: ok(choices([f"at {body['temperature']}"] * body["n"]))
    sampling = Sampling(temperature=0.7, second_temperature=1.3)
    with InferenceClient(endpoint.url, "m", sampling=sampling) as client:
        (answers,) = client.complete(["⊢ p"], 5)
    assert [answer.text for answer in answers] == ["at 0.7"] * 3 + ["at 1.3"] * 2
    assert sorted((body["n"], body["temperature"]) for _, body in endpoint.requests) == [(2, 1.3), (3, 0.7)]


def test_suggestions_are_ranked_and_those_cut_off_are_dropped(endpoint: Endpoint) -> None:
    with InferenceClient(endpoint.url, "m") as client:
        endpoint.answer = lambda path, body: ok(choices(["```lean\nsimp\n```", "simp", "omega"]))
        assert [s.tactic for s in client.suggest(["⊢ p"], 3)[0]] == ["simp", "omega"]
        endpoint.answer = lambda path, body: ok(choices(["simp"] * 3, finish="length"))
        assert client.suggest(["⊢ p"], 3) == [[]]


def test_an_endpoint_without_log_probabilities_is_counted(endpoint: Endpoint) -> None:
    endpoint.answer = lambda path, body: ok(choices(["a", "a", "a", "b"], logprobs=False))
    with InferenceClient(endpoint.url, "m") as client:
        (found,) = client.suggest(["⊢ p"], 4)
    assert [s.tactic for s in found] == ["a", "b"]
    assert [s.logprob for s in found] == pytest.approx([math.log(3 / 4), math.log(1 / 4)])


def test_an_endpoint_that_gives_one_answer_a_request_is_asked_again(endpoint: Endpoint) -> None:
    endpoint.answer = lambda path, body: ok(choices(["intro h"]))
    with InferenceClient(endpoint.url, "m") as client:
        assert len(client.complete(["⊢ p"], 3, seed=10)[0]) == 3
    assert [(body["n"], body["seed"]) for _, body in endpoint.requests] == [(3, 10), (2, 11), (1, 12)]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(endpoint: Endpoint, status: int) -> None:
    endpoint.answer = lambda path, body: (
        (status, {}, {"retry-after-ms": "1"}) if len(endpoint.requests) < 3 else ok(choices(["simp"]))
    )
    with InferenceClient(endpoint.url, "m") as client:
        assert client.complete(["⊢ p"], 1)[0][0].text == "simp"
    assert len(endpoint.requests) == 3


def test_what_does_not_pass_is_told(endpoint: Endpoint) -> None:
    endpoint.answer = lambda path, body: (500, {"error": {"message": "no luck"}}, {"retry-after-ms": "1"})
    with InferenceClient(endpoint.url, "m", max_retries=1) as client, pytest.raises(PolicyError, match=r"500.*no luck"):
        client.complete(["⊢ p"], 1)
    assert len(endpoint.requests) == 2
    endpoint.answer = lambda path, body: (404, {"error": {"message": "no model m"}}, {})
    with InferenceClient(endpoint.url, "m") as client, pytest.raises(PolicyError, match=r"'m': HTTP 404.*no model m"):
        client.complete(["⊢ p"], 1)
    with (
        InferenceClient("http://127.0.0.1:9/v1", "m", max_retries=0) as client,
        pytest.raises(PolicyError, match=r"Nothing answers at http://127.0.0.1:9/v1.*Start the server"),
    ):
        client.complete(["⊢ p"], 1)


def test_a_request_has_its_time(endpoint: Endpoint) -> None:
    def slow(path: str, body: Any) -> Answer:
        time.sleep(0.5)
        return ok(choices(["simp"]))

    endpoint.answer = slow
    with (
        InferenceClient(endpoint.url, "m", timeout_s=0.1, max_retries=0) as client,
        pytest.raises(PolicyError, match="did not answer in time"),
    ):
        client.complete(["⊢ p"], 1)


def test_no_more_requests_are_under_way_than_allowed(endpoint: Endpoint) -> None:
    lock, now, most = threading.Lock(), 0, 0

    def counted(path: str, body: Any) -> Answer:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        time.sleep(0.02)
        with lock:
            now -= 1
        return ok(choices([body["messages"][-1]["content"]]))

    endpoint.answer = counted
    goals = [f"⊢ p{i}" for i in range(12)]
    with InferenceClient(endpoint.url, "m", concurrency=3) as client:
        answers = client.complete(goals, 1)
    assert [found[0].text for found in answers] == goals  # in their order, whoever came first
    assert most == 3


def test_back_offs_grow_and_no_two_clients_come_back_together(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint.answer = lambda path, body: (503, {}, {})
    slept: list[float] = []
    monkeypatch.setattr("time.sleep", slept.append)
    for _ in range(2):
        with InferenceClient(endpoint.url, "m", max_retries=5) as client, pytest.raises(PolicyError, match="HTTP 503"):
            client.complete(["⊢ p"], 1)
    assert len(endpoint.requests) == 2 * (1 + 5)
    first, second = slept[:5], slept[5:]
    # Half a second, then twice as long each time, less up to a quarter of it at random.
    for delays in (first, second):
        assert all(0.75 <= delay / (0.5 * 2**n) <= 1 for n, delay in enumerate(delays))
    assert all(one != other for one, other in zip(first, second, strict=True))


def test_a_rate_limit_is_kept(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    now_ms = 1_000_000.0
    asked: list[float] = []

    def sleep(seconds: float) -> None:
        nonlocal now_ms
        now_ms += 1000 * seconds

    def answer(path: str, body: Any) -> Answer:
        asked.append(now_ms / 1000)
        return ok(choices(["simp"]))

    endpoint.answer = answer
    monkeypatch.setattr("pyrate_limiter.limiter.sleep", sleep)
    monkeypatch.setattr("pyrate_limiter.clocks.MonotonicClock.now", lambda self: int(now_ms))
    with InferenceClient(endpoint.url, "m", requests_per_minute=2, concurrency=1) as client:
        client.complete(["⊢ p"] * 5, 1)
    # Two at once, two a minute later, the last after another: never three in a minute, and no longer wait than that.
    waited = [time - asked[0] for time in asked]
    assert waited == pytest.approx([0, 0, 60, 60, 120], abs=0.5)
    assert all(later - earlier >= 60 for earlier, later in zip(asked, asked[2:], strict=False))


@pytest.mark.parametrize(
    "options",
    [
        {"concurrency": 0},
        {"timeout_s": 0},
        {"max_retries": -1},
        {"requests_per_minute": 0},
        {"sampling": Sampling("beam")},
    ],
)
def test_settings_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        InferenceClient("http://127.0.0.1:9/v1", **options)


def test_vllm_tells_tokens_and_takes_weights(endpoint: Endpoint, tmp_path: Path) -> None:
    adapter, model = tmp_path / "adapter", tmp_path / "model"
    adapter.mkdir()
    (adapter / "adapter_config.json").write_text("{}")
    AutoConfig.for_model("qwen3", tie_word_embeddings=True).save_pretrained(model)

    def answer(path: str, body: Any) -> Answer:
        return ok(choices(["simp"], ids=[7, 8])) if path.endswith("completions") else ok(None)

    endpoint.answer = answer
    with VLLMClient(endpoint.url) as client:
        assert client.health()
        assert client.complete(["⊢ p"], 1)[0][0].token_ids == (7, 8)
        assert endpoint.requests.pop()[1]["return_token_ids"] is True
        # No other client's adapter, which the server may still hold, has the same name.
        with VLLMClient(endpoint.url) as other:
            other.update(adapter)
        of_another = endpoint.requests[-1][1]["lora_name"]
        endpoint.requests.clear()
        client.update(adapter)
        name = endpoint.requests[0][1]["lora_name"].removesuffix("-1")
        assert of_another.startswith("lean-agent-adapter-") and of_another != f"{name}-1"
        client.update(adapter)
        client.complete(["⊢ p"], 1)
        assert [(path, body.get("lora_name") or body["model"]) for path, body in endpoint.requests] == [
            ("/v1/load_lora_adapter", f"{name}-1"),
            ("/v1/load_lora_adapter", f"{name}-2"),
            ("/v1/unload_lora_adapter", f"{name}-1"),
            ("/v1/chat/completions", f"{name}-2"),
        ]
        endpoint.requests.clear()
        client.update(model)
        assert endpoint.requests[0] == (
            "/collective_rpc",
            {"method": "reload_weights", "kwargs": {"weights_path": str(model)}},
        )
        endpoint.answer = lambda path, body: (404, {}, {})
        with pytest.raises(PolicyError, match="VLLM_SERVER_DEV_MODE=1"):
            client.update(model)
        endpoint.device = "cpu"
        with pytest.raises(PolicyError, match="tied to the embedding"):
            client.update(model)


def test_a_server_with_a_key_takes_weights_and_says_how_likely_its_tokens_were(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.api_key = "secret"
    (tmp_path / "adapter_config.json").write_text("{}")

    def answer(path: str, body: Any) -> Answer:
        return ok(choices(["simp"], ids=[7, 8])) if path.endswith("completions") else ok(None)

    endpoint.answer = answer
    with VLLMClient(endpoint.url, api_key="secret") as client:
        client.update(tmp_path)
        assert client.complete(["⊢ p"], 1)[0][0].token_logprobs == (-0.5, -0.5)
        endpoint.answer = lambda path, body: ok(choices(["simp"], ids=[7, 8, 9]))  # of three tokens it reports two
        assert client.complete(["⊢ p"], 1)[0][0].token_logprobs is None
    with VLLMClient(endpoint.url, api_key="wrong") as client, pytest.raises(PolicyError, match="HTTP 401"):
        client.update(tmp_path)


def test_the_mock_samples_what_its_table_says() -> None:
    client = MockInferenceClient({"⊢ p": ["a", "b"]}, default=["c d"])
    (ours, other) = client.complete(["⊢ p", "⊢ q"], 40, seed=1)
    assert {answer.text for answer in ours} == {"a", "b"} and ours[0].logprob == pytest.approx(math.log(0.5))
    assert {answer.text for answer in other} == {"c d"} and other[0].tokens == 2
    assert client.complete(["⊢ p"], 40, seed=1) == client.complete(["⊢ p"], 40, seed=1)
    assert client.complete(["⊢ p"], 40) != client.complete(["⊢ p"], 40)


def test_every_client_is_a_policy() -> None:
    for client in (InferenceClient(), VLLMClient(), MockInferenceClient()):
        assert isinstance(client, SamplingPolicy)
    assert isinstance(VLLMClient(), UpdatablePolicy)
    assert not isinstance(InferenceClient(), UpdatablePolicy)


def test_a_prover_hands_a_script_back_with_what_lean_said(endpoint: Endpoint, tmp_path: Path) -> None:
    statement = "∀ (p q : Prop), p ∧ q → q ∧ p"
    good = "intro p q h\nconstructor\n· exact h.2\n· exact h.1"

    def answer(path: str, body: Any) -> Answer:
        is_repair = len(body["messages"]) > 2
        return ok(choices([f"```lean4\n{good if is_repair else 'intro p q h'}\n```"] * body["n"]))

    endpoint.answer = answer
    nowhere = Position(1, 0)
    traced = TracedTheorem("swap", "theorem swap", "by sorry", "tactic", True, statement, "1", 0, 1, nowhere, nowhere)
    theorem = StoredTheorem(Repository("url", "c", "name", tmp_path), "A.lean", traced)
    server = MockLeanServer({"swap": statement})
    prover = ExternalProver(endpoint.url, server, config=SearchConfig(search="whole_proof", tactics_per_node=2))
    result = prover.prove(theorem)
    assert result.proved and result.search.script == (good,)
    first, second = (body for _, body in endpoint.requests)
    assert first["messages"] == proof_messages(f"⊢ {server.goal_start(theorem.site).goals[0].target}")
    assert second["messages"][2] == {"role": "assistant", "content": "intro p q h"}
    assert "Lean does not accept" in second["messages"][3]["content"]
    assert first["max_tokens"] == 512
