"""The service's own addresses, its limits, and what it answers to bad input. Numbers of requests, never of seconds."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from lean_agent.errors import ConfigError, LeanStartupError, LeanUnreachable
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.remote.client import LeanClient
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.rewards import get_scorer
from lean_agent.rollout import ProofRolloutGenerator, ProofTask
from lean_agent.service.run import bound, serving
from lean_agent.service.settings import ServiceSettings
from lean_agent.trajectory import TrajectoryGroup

SWAP = "∀ (p q : Prop), p ∧ q → q ∧ p"
HEALTHY = {"status": "ok"}


@contextlib.contextmanager
def limited(server: Any = None, **settings: Any) -> Iterator[httpx.Client]:
    """A client of a service with limits of its own."""
    with (
        serving(server or MockLeanServer(), ServiceSettings(port=0, **settings)) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        yield client


def sentence(answer: httpx.Response) -> str:
    """Return the words of a refusal, which are one sentence."""
    error = answer.json()["error"]
    assert set(error) >= {"type", "message"} and "\n" not in error["message"], error
    return str(error["message"])


# -- what is answered


def test_goals_as_data_by_their_keys(http: httpx.Client) -> None:
    (started,) = http.post("/v1/goals/start", json={"origins": ["∀ (p : Prop), p → p"]}).json()["results"]
    key = started["state"]["key"]
    steps = [{"state": key, "tactic": tactic} for tactic in ("intro p h", "exact h", "no_such")]
    first, second, third = http.post("/v1/goals/tactics", json={"steps": steps}).json()["results"]
    (goal,) = first["state"]["goals"]
    assert goal["target"] == "p" and [v["name"] for v in goal["variables"]] == ["p", "h"]
    assert [second["error"]["kind"], third["error"]["kind"]] == ["error", "parse"]
    last = {"state": first["state"]["key"], "tactic": "exact h"}
    (solved,) = http.post("/v1/goals/tactics", json={"steps": [last]}).json()["results"]
    assert solved["state"]["goals"] == [] and solved["state"]["script"] == ["intro p h", "exact h"]
    released = [key, first["state"]["key"], "unknown"]
    assert http.post("/v1/goals/release", json={"states": released}).json() == {"released": 2}
    (gone,) = http.post("/v1/goals/tactics", json={"steps": [last]}).json()["results"]
    assert gone["error"]["type"] == "UnknownState"


def test_a_state_that_is_sent_whole_is_made_again(http: httpx.Client) -> None:
    whole = {"origin": "∀ (p : Prop), p → p", "script": ["intro p h"]}
    (solved,) = http.post("/v1/goals/tactics", json={"steps": [{"state": whole, "tactic": "exact h"}]}).json()[
        "results"
    ]
    assert solved["state"]["goals"] == []
    broken = {**whole, "script": ["no_such"]}
    (error,) = http.post("/v1/goals/tactics", json={"steps": [{"state": broken, "tactic": "rfl"}]}).json()["results"]
    assert error["error"]["type"] == "TacticFailure"


def test_the_states_used_longest_ago_are_forgotten_first() -> None:
    mock = MockLeanServer()
    with limited(mock, max_states=2) as http:
        origins = [f"∀ ({name} : Prop), {name} → {name}" for name in "pqr"]
        states = http.post("/v1/goals/start", json={"origins": origins}).json()["results"]
        steps = [{"state": each["state"]["key"], "tactic": "no_such"} for each in states]
        kinds = [
            each["error"]["type"] for each in http.post("/v1/goals/tactics", json={"steps": steps}).json()["results"]
        ]
    assert kinds == ["UnknownState", "TacticFailure", "TacticFailure"]
    assert mock.live_states == 2


def test_a_client_goes_on_after_the_service_was_started_again() -> None:
    settings = ServiceSettings(port=0)
    with serving(MockLeanServer(), settings) as address:
        client = LeanClient(address)
        state = client.goal_tactic(client.goal_start("∀ (p : Prop), p → p"), "intro p h")
    port = urlsplit(address).port
    assert port is not None
    with serving(MockLeanServer(), ServiceSettings(port=port)), client:
        assert client.goal_tactic(state, "exact h").is_solved


def test_a_text_and_a_file_are_judged(http: httpx.Client, mock_address: str) -> None:
    text = "theorem t : ∀ (p : Prop), p → p := by\n  intro p h\n  exact h"
    answer = http.post("/v1/verify/text", json={"text": text}).json()
    (declaration,) = answer["declarations"]
    assert (answer["accepted"], declaration["verdict"], declaration["line"]) == (True, "accepted", 1)
    with LeanClient(mock_address) as client:
        assert client.verify_text(text) == MockLeanServer().verify_text(text)
        assert client.check(f"{text}x") == MockLeanServer().check(f"{text}x") != ()


def test_what_the_service_says_of_itself(http: httpx.Client) -> None:
    assert http.get("/health").json() == HEALTHY
    about = http.get("/v1/server").json()
    assert (about["version"], about["workers"], about["max_body_mb"]) == ("4.28.0, mock", 2, 16)
    assert "/api/check" in http.get("/openapi.json").json()["paths"]
    counted = http.get("/metrics").text
    assert 'lean_agent_requests_total{route="/health",status="200"}' in counted
    assert "lean_agent_workers 2.0" in counted and "lean_agent_under_way 0.0" in counted


def test_requests_are_logged_as_json(http: httpx.Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "lean_agent.service.access"):
        http.post("/v1/check", json={"text": ""})
    line = json.loads(caplog.messages[-1])
    assert (line["method"], line["path"], line["status"]) == ("POST", "/v1/check", 200)
    assert set(line) == {"time", "client", "method", "path", "status", "seconds"}


def test_attempts_have_the_same_rewards_over_the_wire(mock_address: str, project_file: Path) -> None:
    task = ProofTask("swap", TheoremSite(LeanProject(project_file.parent), "A.lean", "swap"))
    after = "p q : Prop\nh : p ∧ q\n⊢ q ∧ p"
    answers = {f"⊢ {SWAP}": ["intro p q h", "sorry"], after: ["constructor", "exact h"]}

    def attempts(server: LeanServer) -> TrajectoryGroup:
        generator = ProofRolloutGenerator(server, MockInferenceClient(answers), scorer=get_scorer("shaped"))
        (group,) = asyncio.run(generator.generate_groups([task], 6, seed=0))
        return group

    with LeanClient(mock_address) as client:
        there, here = attempts(client), attempts(MockLeanServer({"swap": SWAP}))
    assert [t.script for t in there] == [t.script for t in here] != []
    assert [t.reward for t in there] == [t.reward for t in here]
    assert len({t.reward for t in there}) > 1


# -- who may come in


def test_an_address_that_others_reach_needs_a_token() -> None:
    for host in ("0.0.0.0", "::", "example.org"):
        with pytest.raises(ConfigError, match="give a token"):
            ServiceSettings(host=host)
    assert ServiceSettings(host="0.0.0.0", token="secret").token == "secret"
    assert all(ServiceSettings(host=host).is_loopback for host in ("127.0.0.1", "localhost", "::1", "127.1.2.3"))


def test_everything_but_health_needs_the_token() -> None:
    with limited(token="secret") as http:
        assert http.get("/health").json() == HEALTHY
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic secret"}):
            for path in ("/v1/check", "/api/check", "/v1/goals/start", "/v1/prove", "/v1/trace"):
                answer = http.post(path, json={}, headers=headers)
                assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
                assert "token" in sentence(answer)
            assert http.get("/metrics", headers=headers).status_code == 401
        right = {"Authorization": "Bearer secret"}
        assert http.post("/v1/check", json={"text": ""}, headers=right).json() == {"messages": []}
        address = str(http.base_url)
        with LeanClient(address, "secret") as client:
            assert client.check("") == ()
        with LeanClient(address, "wrong") as client, pytest.raises(LeanUnreachable, match="token"):
            client.check("")


def test_a_page_of_another_host_is_not_served(http: httpx.Client) -> None:
    """A browser that was told that a host of somebody else's is this machine."""
    assert http.get("/v1/server", headers={"Host": "evil.example"}).status_code == 400


# -- limits


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"{", 400, "no JSON"),
        (b"\xff\xfe", 400, "no JSON"),
        (b"[" * 1_000_000, 400, "too deep"),
        (b'{"text": ' + b"[" * 1_000_000, 400, "too deep"),
        (b"[]", 422, "the body"),
        (b"{}", 422, "text: Field required."),
        (b'{"text": 1}', 422, "text: Input should be a valid string."),
        (b'{"text": "", "txet": ""}', 422, "txet: Extra inputs are not permitted."),
        (b'{"text": "", "timeout_s": -1}', 422, "timeout_s: Input should be greater than 0."),
        (b'{"text": "", "timeout_s": NaN}', 422, "timeout_s"),
        (b'{"text": "\\ud800"}', 422, "half of a surrogate pair"),
    ],
)
def test_what_is_no_request_is_refused_in_a_sentence(http: httpx.Client, body: bytes, status: int, words: str) -> None:
    answer = http.post("/v1/check", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status and words in sentence(answer)
    assert http.get("/health").json() == HEALTHY


def test_large_bodies_and_long_texts_are_refused() -> None:
    with limited(max_body_mb=1, max_code=1000) as http:
        for content in (b" " * 50_000_000, iter([b" " * 100_000] * 500)):  # with its length said, and in parts
            try:
                answer = http.post("/v1/check", content=content, headers={"Content-Type": "application/json"})
            except httpx.TransportError:
                continue  # the service hung up while the rest was being sent
            assert (answer.status_code, sentence(answer)) == (
                413,
                "The body of a request may have 1,000,000 bytes and no more.",
            )
        for path, body in [
            ("/v1/check", {"text": "x" * 1001}),
            ("/v1/goals/start", {"origins": ["x" * 1001]}),
            ("/api/check", {"snippets": [{"id": "a", "code": "x" * 1001}]}),
            ("/v1/prove", {"theorem": "x" * 1001}),
        ]:
            answer = http.post(path, json=body)
            assert (answer.status_code, sentence(answer)) == (
                413,
                "A text of 1,001 characters is too long: 1,000 are allowed.",
            )
        assert http.get("/health").json() == HEALTHY


def test_a_nul_byte_is_a_character_like_any_other(http: httpx.Client) -> None:
    (message,) = http.post("/v1/check", json={"text": "\0"}).json()["messages"]
    assert message["severity"] == "error"


HEAD = b"POST /v1/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def connection(http: httpx.Client) -> socket.socket:
    """A bare connection to the service."""
    return socket.create_connection((http.base_url.host, http.base_url.port or 0), timeout=30)


def test_slow_clients_are_cut_off_and_others_served() -> None:
    """A byte at a time of the head of a request, and of its body; and a client that reads nothing."""
    with limited(body_timeout_s=0.5) as http:
        with connection(http) as slow_head, connection(http) as slow_body:
            slow_body.sendall(HEAD % 100 + b"{")
            with pytest.raises(OSError):
                for byte in HEAD * 50:
                    slow_head.sendall(bytes([byte]))
                    time.sleep(0.02)
            answer = slow_body.recv(10_000)
            assert b"408" in answer and b"did not arrive within 0.5 s" in answer
        assert http.get("/health").json() == HEALTHY


def test_a_client_that_reads_nothing_is_cut_off() -> None:
    size, body = 30_000_000, b'{"text": "x"}'
    with limited(Verbose(size), body_timeout_s=0.5) as http:
        assert read_after_the_end(http, HEAD % len(body) + body) < size  # the connection was closed long before its end


def test_an_agent_that_reads_nothing_is_cut_off_too() -> None:
    size = 15_000_000  # a tool's answer has it as text and as data
    headers = {"Accept": "application/json, text/event-stream"}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "deaf", "version": "1"}}
    with limited(Verbose(size), body_timeout_s=0.5) as http:
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        session = http.post("/mcp", json=message, headers=headers).headers["mcp-session-id"]
        asked = {"name": "lean_check", "arguments": {"code": "x"}}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": asked}).encode()
        own = f"\r\nAccept: {headers['Accept']}\r\nMcp-Session-Id: {session}\r\n\r\n".encode()
        head = (HEAD % len(body)).replace(b"/v1/check", b"/mcp").removesuffix(b"\r\n\r\n") + own
        assert 0 < read_after_the_end(http, head + body) < 2 * size


def read_after_the_end(http: httpx.Client, request: bytes) -> int:
    """Return how many bytes of an answer a client gets that reads only once the service has closed its side."""
    with connection(http) as deaf:
        deaf.sendall(request)
        for there in (False, True):  # until the service has taken the connection, then until it has closed its side
            while there is any(each.raddr == deaf.getsockname() for each in psutil.Process().net_connections("tcp")):
                time.sleep(0.05)
        assert http.get("/health").json() == HEALTHY
        read = 0
        with contextlib.suppress(ConnectionResetError):
            while part := deaf.recv(1_000_000):
                read += len(part)
        return read


class Verbose(MockLeanServer):
    """Says very much of every text."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def check(self, text: str, **options: Any) -> Any:
        (message,) = super().check("?")
        return (type(message)(message.severity, "x" * self._size, message.start),) if text else ()


# -- files


@pytest.mark.parametrize(
    "file_path",
    ["../A.lean", "/etc/passwd", "A/../../A.lean", "A.txt", "A.lean\0", ""],
    ids=["up", "root", "round", "kind", "nul", "none"],
)
def test_paths_outside_a_project_are_refused(http: httpx.Client, project_file: Path, file_path: str) -> None:
    project = {"root": str(project_file.parent), "build": str(project_file.parent / "build")}
    for path in ("/v1/trace", "/v1/verify/file", "/v1/project"):
        answer = http.post(path, json={"project": project, "file_path": file_path})
        assert answer.status_code == 422 and "no Lean file" in sentence(answer)


def test_projects_outside_the_roots_are_refused(http: httpx.Client, project_file: Path, tmp_path: Path) -> None:
    root, build = str(project_file.parent), str(project_file.parent / "build")
    (tmp_path / "link").symlink_to("/etc", target_is_directory=True)
    for project in (
        {"root": "/etc", "build": build},
        {"root": root, "build": "/etc/build"},
        {"root": root, "build": build, "libraries": ["/etc"]},
        {"root": str(tmp_path / "link"), "build": build},
        {"root": "relative", "build": build},
        {"root": root, "build": build, "sources": ["../../../../../../etc", "."]},
    ):
        answer = http.post("/v1/project", json={"project": project, "file_path": "A.lean"})
        assert answer.status_code == 403 and "lies in no folder" in sentence(answer), project
    assert http.post("/v1/project", json={"project": {"root": root, "build": build}, "file_path": "A.lean"}).is_success


def test_a_client_is_told_where_modules_are(mock_address: str, project_file: Path) -> None:
    project = LeanProject(project_file.parent, project_file.parent / "build")
    with LeanClient(mock_address) as client:
        assert client.module_path(project, "A/B.lean") == project.build / "A" / "B.olean"
        assert client.package_folders(project) == () and client.under_way(project) == {}


def test_texts_import_from_the_project_of_the_service(tmp_path: Path) -> None:
    given = []

    class Noting(MockLeanServer):
        def verify_text(self, text: str, **options: Any) -> Any:
            given.append(options["project"])
            return super().verify_text(text)

    with limited(Noting(), project=tmp_path) as http:
        http.post("/api/check", json={"snippets": [{"id": "a", "code": ""}]})
        http.post("/v1/verify/text", json={"text": ""})
    assert given == [LeanProject(tmp_path)] * 2


# -- what does not come up


def test_two_services_at_one_port() -> None:
    with bound(ServiceSettings(port=0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(ConfigError, match=f"Another program listens at 127.0.0.1 port {port}"):
            bound(ServiceSettings(port=port))
    with pytest.raises(ConfigError, match="Nothing can listen at"):
        bound(ServiceSettings(host="192.0.2.1", token="t", port=0))


def test_a_lean_that_does_not_start_is_a_503() -> None:
    class Broken(MockLeanServer):
        def check(self, text: str, **options: Any) -> Any:
            raise LeanStartupError("node could not be started: no such file")

    with limited(Broken()) as http:
        answer = http.post("/v1/check", json={"text": "x"})
        assert (answer.status_code, sentence(answer)) == (503, "node could not be started: no such file")
        assert http.get("/health").json() == HEALTHY


def test_a_service_that_is_not_there() -> None:
    with bound(ServiceSettings(port=0)) as listening:
        port = listening.getsockname()[1]
    with (
        LeanClient(f"http://127.0.0.1:{port}", patience_s=0.2) as client,
        pytest.raises(LeanUnreachable, match="does not answer"),
    ):
        client.check("")


def test_a_defect_is_a_500_and_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    class Defect(MockLeanServer):
        def check(self, text: str, **options: Any) -> Any:
            raise RuntimeError("secret path /home/me")

    with limited(Defect()) as http:
        answer = http.post("/v1/check", json={"text": "x"})
    assert answer.status_code == 500 and "secret" not in sentence(answer)
    assert "secret path" in caplog.text
