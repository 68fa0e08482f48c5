"""The tools for coding agents, driven with the client of the protocol's library: in memory, over stdio, over HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from lean_agent.database import DynamicDatabase
from lean_agent.database.library import LibraryModule
from lean_agent.errors import LeanStartupError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.service.desk import Desk
from lean_agent.service.mcp.search import mode_of
from lean_agent.service.mcp.server import LeanMCP
from lean_agent.service.mcp.suggestions import suggested
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from lean_agent.tracing import local_repository, trace_repository

Json = dict[str, Any]

BASE = """\
/-- Twice as much. -/
def twice (n : Nat) : Nat := n + n

axiom bad : 1 = 2
"""
MAIN = """\
import Base

theorem twice_eq (n : Nat) : twice n = n + n := by
  unfold twice
  rfl

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact nonsense
  · sorry

theorem open_one (p q : Prop) (h : p ∧ q) : q ∧ p := by sorry

theorem cheat : 1 = 2 := bad
"""
ENDLESS = "theorem long : True := by\n  repeat' (first | skip)\n  trivial"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of two files, the second of which has an error."""
    folder = tmp_path_factory.mktemp("agents") / "project"
    folder.mkdir()
    (folder / "lakefile.toml").write_text('name = "example"\n', encoding="utf-8")
    (folder / "Base.lean").write_text(BASE, encoding="utf-8")
    (folder / "Main.lean").write_text(MAIN, encoding="utf-8")
    (folder.parent / "Outside.lean").write_text("theorem secret : True := trivial\n", encoding="utf-8")
    (folder / "Link.lean").symlink_to(folder.parent / "Outside.lean")
    return folder


@pytest.fixture(scope="module")
def settings(project: Path, lean: LeanPool) -> ServiceSettings:
    database = project.parent / "database.sqlite"
    with DynamicDatabase(database) as opened:
        modules = [
            LibraryModule(
                "Init.Data.Nat.Basic",
                (),
                (
                    ("Nat.add_comm", "theorem", "∀ (n m : Nat), n + m = m + n"),
                    ("Nat.le_antisymm", "theorem", "∀ {n m : Nat}, n ≤ m → m ≤ n → n = m"),
                ),
            )
        ]
        opened.store_library(lean.version, modules)
    return ServiceSettings(roots=(project,), database=database)


@pytest.fixture(scope="module")
def desk(lean: LeanPool, settings: ServiceSettings) -> Iterator[Desk]:
    lean.check("", timeout_s=600)
    desk = Desk(lean, settings)
    yield desk
    desk.close()


Ask = Callable[..., Json]


@pytest.fixture(scope="module")
def ask(desk: Desk) -> Ask:
    """Calls a tool; what comes back is its structured answer, or its failure as ``{"failure": …}``."""

    def asked(tool: str, **arguments: Any) -> Json:
        return asyncio.run(_ask(LeanMCP(desk), tool, arguments))

    return asked


async def _ask(server: Any, tool: str, arguments: Json, **options: Any) -> Json:
    async with Client(server) as client:
        return _answer(await client.call_tool(tool, arguments, **options))


def _answer(result: Any) -> Json:
    if result.is_error:
        return {"failure": result.content[0].text}
    answer: Json = result.structured_content
    return answer


def line_of(text: str) -> int:
    return MAIN.split("\n").index(text) + 1


# -- the tools, over Lean


@pytest.mark.lean
def test_code_and_files_are_checked(ask: Ask) -> None:
    answer = ask("lean_check", code="#check Nat\nexample : 1 = 2 := rfl")
    assert not answer["success"]
    info, error = answer["diagnostics"]
    assert (info["severity"], info["message"], info["line"], info["column"]) == ("info", "Nat : Type", 1, 1)
    assert (error["severity"], error["line"], error["column"]) == ("error", 2, 20)  # `rfl`, from 1
    in_file = ask("lean_check", file_path="Main.lean")
    assert [d["message"] for d in in_file["diagnostics"] if d["severity"] == "error"] == [
        "Unknown identifier `nonsense`"
    ]
    assert ask("lean_check", code="example : 1 + 1 = 2 := rfl")["success"]  # no program: the process stays clean


@pytest.mark.lean
def test_imports_are_compiled_again_when_they_change(lean: LeanPool, tmp_path: Path) -> None:
    desk = Desk(lean, ServiceSettings(roots=(tmp_path,)))
    server = LeanMCP(desk)
    (tmp_path / "Main.lean").write_text("import Base\nexample : number = 1 := rfl\n", encoding="utf-8")
    for number in (1, 2, 1):
        (tmp_path / "Base.lean").write_text(f"def number := {number}\n", encoding="utf-8")
        answer = asyncio.run(_ask(server, "lean_check", {"file_path": "Main.lean"}))
        assert answer["success"] == (number == 1)
    (tmp_path / "Base.lean").write_text("def number := nothing\n", encoding="utf-8")
    for _ in range(2):
        answer = asyncio.run(_ask(server, "lean_check", {"file_path": "Main.lean"}))
        assert "imports Base.lean, line 1: " in answer["failure"]
    (tmp_path / "Base.lean").unlink()
    assert "line 1" in asyncio.run(_ask(server, "lean_check", {"file_path": "Main.lean"}))["failure"]
    desk.close()


@pytest.mark.lean
def test_goals_are_those_of_an_editor(ask: Ask) -> None:
    unfolded = ask("lean_goal", file_path="Main.lean", line=line_of("  unfold twice"))
    assert unfolded["goals_before"] == ["n : Nat\n⊢ twice n = n + n"]
    assert unfolded["goals_after"] == ["n : Nat\n⊢ n + n = n + n"]
    # the proof has an error, and its other parts have goals all the same
    broken = ask("lean_goal", file_path="Main.lean", line=line_of("  · exact nonsense"), column=5, format="structured")
    (goal,) = broken["goals"]
    assert goal["goal"] == "q" and [each["name"] for each in goal["context"]] == ["p", "q", "h"]
    assert ask("lean_goal", file_path="Main.lean", line=line_of("  rfl"), column=6)["status"] == "complete"
    assert ask("lean_goal", file_path="Main.lean", line=1)["status"] == "no_goal_at_position"


@pytest.mark.lean
def test_several_tactics_are_tried_and_the_file_stays_as_it_is(ask: Ask, project: Path) -> None:
    line = line_of("theorem open_one (p q : Prop) (h : p ∧ q) : q ∧ p := by sorry")
    column = len("theorem open_one (p q : Prop) (h : p ∧ q) : q ∧ p := by s")
    tactics = ["exact h", "constructor", "exact ⟨h.2, h.1⟩", "sorry"]
    answer = ask("lean_multi_attempt", file_path=str(project / "Main.lean"), line=line, column=column, snippets=tactics)
    assert answer["goals"] == ["p q : Prop\nh : p ∧ q\n⊢ q ∧ p"]
    wrong, halves, solved, hole = answer["items"]
    assert wrong["status"] == "failed" and "Type mismatch" in wrong["error"]
    assert (halves["status"], len(halves["goals"])) == ("open", 2)
    assert (solved["status"], solved["goals"]) == ("solved", [])
    assert hole["status"] == "failed"
    assert (project / "Main.lean").read_text("utf-8") == MAIN


@pytest.mark.lean
def test_suggestions_are_run(ask: Ask) -> None:
    answer = ask("lean_suggest", statement="∀ n m : Nat, n + m = m + n", tactics=["exact?", "simp?"])
    exact, simp = answer["items"]
    assert exact["suggestions"] and exact["suggestions"][0]["closes"]
    assert exact["suggestions"][0]["tactic"].startswith("exact ")
    assert simp["suggestions"] or simp["error"]


def test_suggestions_are_read_from_what_lean_says() -> None:
    told = "Try this:\n  [apply] refine f ?_\n  -- Remaining subgoals:\n  -- ⊢ p"
    long = "Try these:\n  [apply] simp only [a,\n    b]\n  [apply] exact h"
    assert suggested([told, long, "nothing", told]) == ["refine f ?_", "simp only [a,\n  b]", "exact h"]
    assert suggested(["Try this: exact h"]) == ["exact h"]


@pytest.mark.lean
def test_the_judge_decides(ask: Ask) -> None:
    swap = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
    accepted = ask("lean_verify", theorem=swap, proof="⟨h.2, h.1⟩")
    assert (accepted["accepted"], accepted["statement"]) == (True, "∀ (p q : Prop), p ∧ q → q ∧ p")
    assert ask("lean_verify", theorem=swap, proof="by sorry")["verdict"] == "sorry"
    whole = ask("lean_verify", file_path="Main.lean")
    verdicts = {each["name"]: each["verdict"] for each in whole["declarations"]}
    assert not whole["accepted"]
    assert verdicts == {"twice_eq": "accepted", "swap": "error", "open_one": "sorry", "cheat": "axiom"}
    assert ask("lean_verify", file_path="Base.lean")["reason"].startswith("it is an axiom")
    cheat = ask("lean_verify", file_path="Main.lean", theorem_name="cheat")
    assert (cheat["accepted"], cheat["axioms"]) == (False, ["bad"])
    in_place = ask("lean_verify", file_path="Main.lean", theorem_name="open_one", proof="by exact ⟨h.2, h.1⟩")
    assert in_place["accepted"]


@pytest.mark.lean
def test_declarations_are_looked_up(ask: Ask) -> None:
    twice = ask("lean_declaration", symbol="twice", file_path="Main.lean")
    assert (twice["signature"], twice["module"], twice["kind"]) == ("twice (n : Nat) : Nat", "Base", "definition")
    assert (twice["docstring"].strip(), twice["line"]) == ("Twice as much.", 1)
    assert ask("lean_declaration", symbol="cheat", file_path="Main.lean")["axioms"] == ["bad"]
    assert ask("lean_declaration", symbol="Nat.add_comm")["signature"] == "Nat.add_comm (n m : Nat) : n + m = m + n"
    assert "no declaration 'twice'" in ask("lean_declaration", symbol="twice")["failure"]  # the library has none


@pytest.mark.lean
def test_declarations_are_found_by_pattern_name_and_words(ask: Ask) -> None:
    found = ask("lean_search", query="⊢ twice _ = _", file_path="Main.lean")
    assert (found["mode"], found["total"], [item["name"] for item in found["items"]]) == ("type", 1, ["twice_eq"])
    (comm,) = ask("lean_search", query="add_comm")["items"]
    assert (comm["name"], comm["module"]) == ("Nat.add_comm", "Init.Data.Nat.Basic")
    words = ask("lean_search", query="antisymm of two numbers n m", mode="words")
    assert words["items"][0]["name"] == "Nat.le_antisymm"
    assert "Unknown identifier" in ask("lean_search", query="⊢ nothing_of_the_kind _")["failure"]


def test_queries_are_read_as_what_they_look_like() -> None:
    assert [mode_of(query) for query in ("Nat.add_comm", "_ * (_ + _)", "sum of two lists")] == [
        "name",
        "type",
        "words",
    ]


@pytest.mark.lean
def test_a_proof_is_searched_with_progress(desk: Desk) -> None:
    reports: list[float] = []

    async def told(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    wanted = {"file_path": "Main.lean", "theorem_name": "open_one", "lean_calls": 60, "seconds": 300}
    answer = asyncio.run(_ask(LeanMCP(desk), "lean_prove", wanted, progress_callback=told))
    assert (answer["status"], answer["verdict"], answer["policy"]) == ("proved", "accepted", "mixture")
    assert reports and reports == sorted(set(reports))  # each larger than the one before


@pytest.mark.lean
def test_a_theorem_of_a_file_is_proved_with_what_the_file_imports(lean: LeanPool, tmp_path: Path) -> None:
    """Without the lemma, the theorem takes an induction with arithmetic that no closing tactic does."""
    (tmp_path / "lakefile.toml").write_text('name = "sums"\n', encoding="utf-8")
    (tmp_path / "Lemma.lean").write_text(
        "def sumTo : Nat → Nat\n  | 0 => 0\n  | n + 1 => (n + 1) + sumTo n\n\n"
        "theorem two_sum (n : Nat) : 2 * sumTo n = n * (n + 1) := by\n  induction n with\n  | zero => rfl\n"
        "  | succ n ih => simp [sumTo, Nat.mul_add, ih, Nat.add_mul]; omega\n",
        encoding="utf-8",
    )
    statement = "2 * sumTo (m * m + m) + 5 = (m * m + m) * (m * m + m + 1) + 5"
    (tmp_path / "Goal.lean").write_text(
        f"import Lemma\n\ntheorem goal (m : Nat) : {statement} := by sorry\n", encoding="utf-8"
    )
    desk = Desk(lean, ServiceSettings(roots=(tmp_path,), database=tmp_path / "none.sqlite"))
    try:
        wanted = {"file_path": "Goal.lean", "theorem_name": "goal", "lean_calls": 64, "seconds": 300}
        mixed = asyncio.run(_ask(LeanMCP(desk), "lean_prove", wanted))
        alone = asyncio.run(_ask(LeanMCP(desk), "lean_prove", {**wanted, "policy": "own"}))
    finally:
        desk.close()
    assert (mixed["policy"], mixed["status"]) == ("mixture", "proved") and "two_sum" in mixed["proof"]
    assert alone["policy"] == "own" and alone["status"] in ("failed", "budget")
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.lean
def test_traced_repositories_are_resources(
    desk: Desk, lean: LeanPool, project: Path, settings: ServiceSettings
) -> None:
    assert settings.database is not None
    with DynamicDatabase(settings.database) as opened:
        trace_repository(local_repository(str(project)), lean, database=opened, progress=False)

    async def read() -> tuple[list[Json], list[Json]]:
        async with Client(LeanMCP(desk)) as client:
            (listed,) = (await client.read_resource("lean://repositories")).contents
            (repository,) = json.loads(listed.text)  # type: ignore[union-attr]  # text
            (told,) = (await client.read_resource(repository["open_theorems"])).contents
            with pytest.raises(MCPError, match="No repository was traced"):
                await client.read_resource("lean://repositories/nothing/open")
            return [repository], json.loads(told.text)  # type: ignore[union-attr]

    (repository,), theorems = asyncio.run(read())
    assert (repository["name"], repository["theorems"], repository["open"]) == ("project", 3, 1)
    assert [theorem["full_name"] for theorem in theorems] == ["open_one"]
    assert theorems[0]["line"] == 12


# -- bad input: a sentence, and the next request is served


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("lean_goal", {"file_path": "../Outside.lean", "line": 1}, "below the folders"),
        ("lean_goal", {"file_path": "Link.lean", "line": 1}, "below the folders"),
        ("lean_goal", {"file_path": "/etc/passwd", "line": 1}, "below the folders"),
        ("lean_goal", {"file_path": "Main.lean\0.lean", "line": 1}, "below the folders"),
        ("lean_goal", {"file_path": "M" * 5000 + ".lean", "line": 1}, "below the folders"),
        ("lean_goal", {"file_path": "Main.lean", "line": "first"}, "line: Input should be a valid integer"),
        ("lean_goal", {"file_path": "Base.lean", "line": 999}, "There is no line 999"),
        ("lean_check", {"code": 7}, "code: Input should be a valid string"),
        ("lean_check", {"code": "x" * 1_000_001}, "1,000,001 characters is too long"),
        ("lean_check", {}, "Give code or a file_path"),
        ("lean_verify", {"theorem": "1 = 1"}, "Give theorem and proof"),
        ("lean_prove", {"theorem": "1 = 1", "search": "os:system"}, "There is no search"),
        ("lean_prove", {"theorem": "1 = 1", "seconds": 1e9}, "seconds: Input should be less than or equal to 900"),
        ("lean_multi_attempt", {"file_path": "Main.lean", "line": 1, "snippets": []}, "snippets: List should have"),
        ("no_such_tool", {}, "Unknown tool"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(project: Path, tool: str, arguments: Json, words: str) -> None:
    desk = Desk(MockLeanServer(), ServiceSettings(roots=(project,)))
    failure = asyncio.run(_ask(LeanMCP(desk), tool, arguments))["failure"]
    assert words in failure and "\n" not in failure and len(failure) < 300
    desk.close()


@pytest.mark.lean
def test_brackets_and_nul_bytes_of_code_are_answered_and_the_next_code_too(ask: Ask) -> None:
    for code in ("theorem deep : True := " + "(" * 300, "\0"):  # a million: test_over_lean.py, the same way to Lean
        answer = ask("lean_check", code=code)
        assert answer.get("success") is not True
        assert ask("lean_check", code="#check Nat")["success"]


def test_pages_of_other_sites_are_refused() -> None:
    with serving(MockLeanServer(), ServiceSettings(port=0)) as address:
        answer = httpx.post(f"{address}/mcp", json={}, headers={"Origin": "https://example.org"})
        assert answer.status_code == 403 and "other sites" in answer.json()["error"]["message"]
        assert httpx.post(f"{address}/mcp", json={}, headers={"Origin": address}).status_code != 403


def test_a_pool_that_cannot_start_is_a_sentence() -> None:
    class Dead(MockLeanServer):
        async def check_async(self, text: str, **options: Any) -> Any:
            raise LeanStartupError("node could not be started: no such file")

    desk = Desk(Dead(), ServiceSettings())
    for _ in range(2):
        answer = asyncio.run(_ask(LeanMCP(desk), "lean_check", {"code": "#check Nat"}))
        assert answer == {"failure": "node could not be started: no such file"}
    desk.close()


def test_a_defect_does_not_show_its_words(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(MockLeanServer):
        async def check_async(self, text: str, **options: Any) -> Any:
            raise RuntimeError("a secret")

    desk = Desk(Broken(), ServiceSettings())
    answer = asyncio.run(_ask(LeanMCP(desk), "lean_check", {"code": ""}))
    assert answer == {"failure": "Something went wrong in the server; its log says what."}
    assert "a secret" in caplog.text
    desk.close()


@pytest.mark.lean
def test_what_an_agent_does_not_wait_for_is_stopped(desk: Desk, lean: LeanPool) -> None:
    (pid,) = lean.pids()

    async def leave() -> Json:
        async with Client(LeanMCP(desk)) as client:
            with pytest.raises(MCPError, match=r"(?i)timed out"):
                await client.call_tool("lean_check", {"code": ENDLESS, "timeout_s": 600}, read_timeout_seconds=1.0)
            return _answer(await client.call_tool("lean_check", {"code": "#check Nat"}))

    assert asyncio.run(leave())["success"]
    assert lean.pids() == [pid] and desk.under_way == 0


# -- over stdio


def _program(*options: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "lean_agent", "mcp", *options])


def test_a_process_over_stdio(project: Path) -> None:
    """What needs no Lean: none is started before it is needed."""

    async def talk() -> tuple[list[str], Json]:
        async with Client(_program("--root", str(project))) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, _answer(await client.call_tool("lean_goal", {"file_path": "../Outside.lean", "line": 1}))

    tools, refused = asyncio.run(talk())
    assert {"lean_check", "lean_goal", "lean_multi_attempt", "lean_verify", "lean_search"} <= set(tools)
    assert "below the folders" in refused["failure"]


def test_lines_that_are_no_messages_are_answered(project: Path) -> None:
    """Over the bare streams: not JSON, a million brackets, fifty megabytes of code; and the next line is served."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    call = {"name": "lean_check", "arguments": {"code": "x" * 50_000_000}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "this is no JSON",
        "[" * 1_000_000,
        '{"jsonrpc": "2.0", "id": "\0"}',
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": 5}}),
        json.dumps({"jsonrpc": "2.0", "id": 4, "method": "tools/list"}),
    ]
    program = subprocess.Popen(
        [sys.executable, "-m", "lean_agent", "mcp", "--root", str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdin and program.stdout
    program.stdin.write("\n".join(lines) + "\n")
    program.stdin.flush()
    answers: list[Json] = []
    while not any(answer["id"] == 4 for answer in answers):
        answers.append(json.loads(program.stdout.readline()))
    program.stdin.close()
    assert program.wait(30) == 0
    program.stdout.close()
    by_id = {answer["id"]: answer for answer in answers}
    parse_errors = [answer["error"]["code"] for answer in answers if answer["id"] is None]
    assert parse_errors == [-32700, -32700, -32700]
    assert "50,000,000 characters is too long" in by_id[2]["result"]["content"][0]["text"]
    assert by_id[3]["error"]["code"] == -32602
    assert by_id[4]["result"]["tools"]


# -- over HTTP, in the service


@pytest.fixture(scope="module")
def address(lean: LeanPool, project: Path, desk: Desk) -> Iterator[str]:
    with serving(lean, ServiceSettings(port=0, roots=(project,), token="secret")) as address:
        yield address


Talk = Callable[[Client], Awaitable[Any]]


async def _over_http(address: str, talk: Talk, token: str = "secret") -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        return await talk(client)


@pytest.mark.lean
def test_many_agents_share_one_pool(address: str, lean: LeanPool) -> None:
    pids = lean.pids()

    async def agent(number: int) -> list[str]:
        async def talk(client: Client) -> list[str]:
            told = []
            for turn in range(3):
                code = f"#check (rfl : {100 * number + turn} = {100 * number + turn})"
                answer = _answer(await client.call_tool("lean_check", {"code": code}))
                told.append(answer["diagnostics"][0]["message"])
            return told

        answers: list[str] = await _over_http(address, talk)
        return answers

    async def all_agents() -> list[list[str]]:
        return await asyncio.gather(*map(agent, range(6)))

    for number, told in enumerate(asyncio.run(all_agents())):
        assert told == [f"rfl : {n} = {n}" for n in range(100 * number, 100 * number + 3)]
    assert lean.pids() == pids


@pytest.mark.lean
def test_progress_and_leaving_over_http(address: str, lean: LeanPool) -> None:
    reports: list[float] = []
    (pid,) = lean.pids()

    async def told(progress: float, total: float | None, message: str | None) -> None:
        reports.append(progress)

    async def talk(client: Client) -> Json:
        theorem = "theorem t (p q : Prop) (h : p ∧ q) : q ∧ p"
        proved = await client.call_tool("lean_prove", {"theorem": theorem, "seconds": 300}, progress_callback=told)
        assert _answer(proved)["status"] == "proved"
        with pytest.raises(MCPError, match=r"(?i)timed out"):
            await client.call_tool("lean_check", {"code": ENDLESS, "timeout_s": 600}, read_timeout_seconds=1.0)
        return _answer(await client.call_tool("lean_check", {"code": "#check Nat"}))

    assert asyncio.run(_over_http(address, talk))["success"]
    assert reports and lean.pids() == [pid]


@pytest.mark.lean
def test_http_without_the_token_and_other_bad_requests(address: str) -> None:
    with httpx.Client(base_url=address, timeout=60) as http:
        refused = http.post("/mcp", json={})
        assert refused.status_code == 401 and "wants its token" in refused.json()["error"]["message"]
        http.headers["Authorization"] = "Bearer secret"
        assert http.get("/mcp").status_code == 405
        http.headers.update({"Accept": "application/json, text/event-stream", "Content-Type": "application/json"})
        for body in (b"not JSON", b"[" * 1_000_000, b"\0"):
            answer = http.post("/mcp", content=body)
            assert answer.status_code == 400 and answer.json()["error"]["code"] == -32700
        assert http.post("/mcp", content=b'"' + b"x" * 50_000_000).status_code == 413
        assert http.get("/health").json() == {"status": "ok"}
