"""The command line: what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from lean_agent.agent.run_folder import versions
from lean_agent.cli.commands.lean import print_findings
from lean_agent.cli.main import app
from lean_agent.errors import LeanStartupError
from lean_agent.extras import DISTRIBUTION
from lean_agent.lean.embedded.doctor import Finding
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanMessage, LeanProject, Position, TracedFile, TracedTactic, TracedTheorem

SECOND = "∀ (p q : Prop), p ∧ q → q"
PROOF = "by\n  intro p q h\n  exact h.2"
SOURCE = f"theorem first : {SECOND} := {PROOF}\n\ntheorem second : True := by\n  sorry\n"

GROUPS = ("lean", "db", "export", "search", "retrieval")

Run = Callable[..., Result]


def theorem(name: str, statement: str, proof: str) -> TracedTheorem:
    text = f"theorem {name} : {statement}"
    start = len(SOURCE[: SOURCE.index(text)].encode())
    end = start + len(f"{text} := {proof}".encode())
    place = Position(1, 0)
    return TracedTheorem(
        name, text, proof, "tactic", "sorry" in proof, statement, name, start, end, start_pos=place, end_pos=place
    )


class Server(MockLeanServer):
    """Has traced the file above.

    Args:
        failure: what tracing ends in.
        traced: changes of the traced file.
    """

    def __init__(
        self,
        workers: int,
        lean: str | None = None,
        *,
        failure: BaseException | None = None,
        traced: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__({"first": SECOND, "second": "True"})
        self.failure = failure
        self.traced = traced or {}

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        if self.failure is not None:
            raise self.failure
        both = (theorem("first", SECOND, PROOF), theorem("second", "True", "by\n  sorry"))
        theorems = both if (project.root / file_path).read_text(encoding="utf-8") else ()
        module = file_path.removesuffix(".lean")
        return replace(TracedFile(file_path, module, (), theorems, (), (), 0.1, 0.1), **self.traced)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository above, with a mock server in the place of Lean."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("LEAN_AGENT_DEBUG", raising=False)
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "A.lean").write_text(SOURCE, encoding="utf-8")
    (folder / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    return folder


def run(*arguments: object, server: Callable[..., MockLeanServer] = Server) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], obj=server)


@pytest.mark.parametrize(
    "command",
    ["", "demo", "trace", "trace check", "train", "improve", "variants", "dpo", "prove", "evaluate", "verify", *GROUPS],
)
def test_every_command_explains_itself(command: str) -> None:
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    if command:
        assert f"Example: lean-agent {command}" in result.stdout


def test_every_option_explains_itself() -> None:
    commands = [typer.main.get_command(app)]
    for command in commands:
        commands += getattr(command, "commands", {}).values()
    assert len(commands) > 20
    helped = [
        one for one in commands if one.context_settings.get("help_option_names") != []
    ]  # `lean run` is Lean's own
    silent = [f"{one.name} {option.name}" for one in helped for option in one.params if not vars(option)["help"]]
    assert silent == []


def test_tracing_fills_the_database_that_is_listed(repository: Path) -> None:
    traced = run("trace", repository)
    assert (traced.exit_code, traced.exception) == (0, None)
    assert "small: 2 theorems in 1 file, 1 of them open" in traced.stdout
    listed = run("db", "list")
    assert listed.exit_code == 0
    assert all(words in listed.stdout for words in ("small", "theorems", "open", "proved"))


def test_a_database_of_one_s_own_is_filled_and_listed(repository: Path, tmp_path: Path) -> None:
    traced = run("trace", repository, "--database", tmp_path / "own.sqlite")
    assert (traced.exit_code, traced.exception) == (0, None)
    assert "small" in run("db", "list", "--database", tmp_path / "own.sqlite").stdout
    assert "There is no database" in run("db", "list").output


def test_a_check_of_a_trace_stands_beside_tracing(repository: Path) -> None:
    step = TracedTactic("exact id", "exact id", 0, 8, "⊢ False", "no goals", 1, 0)
    assert run("trace", "check", repository).stdout.count("small: 0 of 0 steps match (100.00%)") == 1
    (repository / "A.lean").write_text(SOURCE + "\n", encoding="utf-8")  # traced again
    first = replace(theorem("first", SECOND, PROOF), tactics=(step,))
    checked = run("trace", "check", repository, server=partial(Server, traced={"theorems": (first,)}))
    assert checked.exit_code == 1
    assert "small: 0 of 1 steps match (0.00%)" in checked.stdout
    assert "1 missed: no start" in checked.stdout
    own = repository.parent / "own.sqlite"
    assert "0 of 0 steps match" in run("trace", "check", repository, "--database", own).stdout
    assert "small" in run("db", "list", "--database", own).stdout
    folder = repository.rename(repository.parent / "check")
    assert "check: 2 theorems" in run("trace", folder).stdout


def test_a_list_of_repositories_goes_on_past_one_that_fails(repository: Path, tmp_path: Path) -> None:
    listed = tmp_path / "list.yaml"
    listed.write_text("- url: nowhere\n  commit: main\n- url: small\n  licence: MIT\n", encoding="utf-8")
    result = run("trace", "--repos", listed)
    assert result.exit_code == 1
    assert "small: 2 theorems in 1 file, 1 of them open" in result.stdout
    assert "failed:" in result.stdout and "MB in Lean" in result.stdout
    assert "small" in run("db", "list").stdout


def test_a_repository_that_disappears_keeps_what_was_traced(repository: Path, tmp_path: Path) -> None:
    other = shutil.copytree(repository, repository.parent / "other")
    listed = tmp_path / "list.yaml"
    listed.write_text("- url: other\n- url: small\n", encoding="utf-8")
    assert run("trace", "--repos", listed).exit_code == 0
    shutil.rmtree(other)
    gone = run("trace", "--repos", listed)
    assert gone.exit_code == 1
    assert f"{other}: failed: there is no folder {other}" in gone.stdout
    assert "small: 2 theorems in 1 file" in gone.stdout
    listed.write_text("- url: small\n", encoding="utf-8")  # nobody asks for the other one any more
    assert run("trace", "--repos", listed).exit_code == 0
    kept = run("db", "list").stdout
    assert "other" in kept and "small" in kept


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Name a folder, an address, or a list of repositories"),
        (("--repos", "list.yaml", "--commit", "main"), "--commit goes with a single repository"),
        (("--repos", "nothing.yaml"), "nothing.yaml could not be read"),
        (("nowhere",), "Error: there is no folder"),
    ],
)
def test_what_trace_cannot_do_is_said_in_words(repository: Path, arguments: tuple[str, ...], words: str) -> None:
    result = run("trace", *arguments)
    assert result.exit_code == 1
    assert words in result.stderr
    assert "Traceback" not in result.output


def test_what_cannot_be_traced_leaves_no_database_behind(tmp_path: Path) -> None:
    assert run("trace", tmp_path / "nowhere", "--database", tmp_path / "new.db").exit_code == 1
    assert list(tmp_path.glob("new.db*")) == []


def test_theorems_as_lines_of_json_become_a_traced_project(repository: Path, tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"name": name, "statement": f"theorem {name} : True", "imports": []} for name in ("a", "b")
    ]
    (tmp_path / "theorems.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = run("db", "import", tmp_path / "theorems.jsonl", "--database", tmp_path / "new.db", "--workers", 1)
    assert (done.exit_code, done.exception) == (0, None)
    assert "theorems: 4 theorems in 2 files" in done.stdout  # the mock finds its two theorems in every file
    assert "theorems:theorems" in run("db", "show", "theorems", "--database", tmp_path / "new.db").stdout
    (tmp_path / "theorems.jsonl").write_text('{"name": "a"}\n', encoding="utf-8")
    bad = run("db", "import", tmp_path / "theorems.jsonl", "--database", tmp_path / "new.db")
    assert bad.exit_code == 1 and "Line 1 of" in bad.stderr
    (tmp_path / "wrong.jsonl").write_text('{"name": "a", "statement": "theorem a : Wrong"}\n', encoding="utf-8")
    arguments = ("db", "import", tmp_path / "wrong.jsonl", "--database", tmp_path / "new.db")
    none = run(*arguments, server=partial(Server, traced={"theorems": ()}))
    assert none.exit_code == 1
    assert "None of the theorems of" in none.stderr.strip().splitlines()[-1]


def test_proving_says_what_was_proved_and_where_it_is(repository: Path) -> None:
    result = run("prove", repository, "--expansions", 2, "--workers", 1)
    assert result.exit_code == 0
    assert "1 of 1 open theorem proved and verified." in result.stdout
    (written,) = Path("runs/latest/proofs").glob("small-*/A/second.lean")
    assert written.read_text(encoding="utf-8") == SOURCE.replace("sorry", "trivial")
    assert " 1 │" in run("db", "list").stdout
    judged = run("verify", "runs/latest")
    assert (judged.exit_code, judged.exception) == (0, None)
    assert "runs/latest: 1 of 1 proof accepted" in judged.stdout
    assert "statements of local:small at local-" in judged.stdout
    kept = Path("runs/latest/proofs.jsonl")
    row = json.loads(kept.read_text(encoding="utf-8"))
    assert row["seconds"] > 0 and not {"policy_s", "lean_s"} & row.keys(), "what was not measured is not said"
    kept.write_text(kept.read_text(encoding="utf-8").replace("trivial", "sorry"), encoding="utf-8")
    judged = run("verify", "runs/latest")
    assert judged.exit_code == 1 and "second: sorry" in judged.stdout


def test_all_eight_budgets_are_the_searchs(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.prover.config import SearchBudget

    given: list[Any] = []
    monkeypatch.setattr(ScriptedAgent, "prove", lambda _, *, config, **__: given.append(config))
    one = ("--expansions", 2, "--lean-calls", 3, "--seconds", 4.5, "--tokens", 5)
    all_ = ("--total-expansions", 6, "--total-lean-calls", 7, "--total-seconds", 8.5, "--total-tokens", 9)
    assert run("prove", repository, *one, *all_, "--workers", 1).exit_code == 0
    assert given[0].budget == SearchBudget(2, 3, 4.5, 5)
    assert given[0].total == SearchBudget(6, 7, 8.5, 9)
    assert run("prove", repository, "--total-tokens", 9, "--workers", 1).exit_code == 0
    total = given[1].total
    assert total.tokens == 9 and min(total.expansions, total.lean_calls, total.seconds) > 1e18, "nothing else ends it"
    assert run("prove", repository, "--workers", 1).exit_code == 0
    assert given[2].total is None


def test_proving_has_a_database_of_one_s_own(repository: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.sqlite"
    assert run("prove", repository, "--lean-calls", 40, "--workers", 1, "--database", own).exit_code == 0
    assert " 1 │" in run("db", "list", "--database", own).stdout
    assert "There is no database" in run("db", "list").output


def interrupted(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


class Interrupted(Server):
    """Ctrl-C comes when a search begins, or a file is judged."""

    goal_starts = goal_starts_async = verify = interrupted


def test_an_interrupt_says_what_is_left(repository: Path) -> None:
    run("trace", repository)
    result = run("prove", repository, "--workers", 1, server=Interrupted)
    assert result.exit_code == 130
    assert "the same command searches anew" in result.stderr.strip().splitlines()[-1]
    assert "open theorems proved" not in result.stdout
    judged = run("verify", repository / "A.lean", server=Interrupted)
    assert judged.stderr.strip().splitlines()[-1] == "Interrupted."


def test_what_need_not_be_there_is_not_called_good(capsys: pytest.CaptureFixture[str]) -> None:
    findings = [Finding("Node", "v24", True), Finding("native Lean", "none was found", None)]
    assert print_findings(findings)
    assert capsys.readouterr().out == "ok  Node: v24\n--  native Lean: none was found\n"
    assert not print_findings([*findings, Finding("a theorem", "refused", False)])
    assert "BAD a theorem: refused" in capsys.readouterr().out


def test_the_version_is_said() -> None:
    for name in ("lean_agent.cli.main", "lean_agent.cli.grpo"):
        result = CliRunner().invoke(import_module(name).app, ["--version"])
        assert result.exit_code == 0
        assert result.stdout == f"lean-agent {versions()[DISTRIBUTION]}\n"


def test_verify_judges_every_theorem_of_a_file(repository: Path) -> None:
    result = run("verify", repository / "A.lean")
    assert result.exit_code == 1
    assert "first: accepted" in result.stdout
    assert "second: sorry" in result.stdout


def test_the_exit_code_of_a_trace_says_how_much_came_of_it(repository: Path, tmp_path: Path) -> None:
    def trace(*arguments: object) -> tuple[int, str]:
        result = run("trace", *arguments)
        return result.exit_code, result.stdout

    assert trace(repository)[0] == 0
    (repository / "B.lean").write_bytes(b"\xff\xfe")
    code, printed = trace(repository)
    assert code == 3 and "B.lean:1: not traced: the file could not be read as UTF-8 text" in printed
    assert trace(repository, tmp_path / "nowhere")[0] == 1

    needy = tmp_path / "needy"
    needy.mkdir()
    for name in "ABCDE":
        (needy / f"{name}.lean").write_text("import Mathlib.Tactic\n")
    (needy / "F.lean").write_text("import A\n")
    code, printed = trace(needy)
    assert code == 4
    assert (
        "6 files not traced: need Mathlib, which is no part of the project (A.lean:1, B.lean:1, C.lean:1 and 3 more)"
        in printed
    )
    assert printed.count("Mathlib") == 2 and "--lean native" in printed

    old = tmp_path / "old"
    (old / "src").mkdir(parents=True)
    (old / "leanpkg.toml").write_text('[package]\nlean_version = "leanprover-community/lean:3.4.2"\n')
    for name in "ab":
        (old / "src" / f"{name}.lean").write_text("theorem t : true := trivial\n")
    code, printed = trace(old)
    assert code == 4
    assert "2 files not traced: written for Lean 3, which no Lean 4 reads" in printed and "port to Lean 4" in printed


def test_a_quiet_trace_says_what_it_left_out_and_why(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_QUIET", "")  # the command sets it, and has it set back with the test
    (repository / "B.lean").write_bytes(b"\xff\xfe")
    for _ in range(2):  # the second time all was stored before
        traced = run("--quiet", "trace", repository)
        assert traced.exit_code == 3
        assert traced.stdout.startswith("small: 2 theorems in 1 file")
        assert "B.lean:1: not traced: the file could not be read as UTF-8 text" in traced.stdout
        assert "Memory" not in traced.output and not traced.stderr
    proved = run("prove", repository, "--expansions", 2, "--workers", 1, "--quiet")
    assert "not traced" in proved.stdout
    assert "1 of 1 open theorem proved" in proved.stdout and "Searched" not in proved.stdout


def test_a_quiet_command_says_nothing_of_a_whole_repository_on_its_way(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAN_AGENT_QUIET", "")
    traced = run("--quiet", "trace", repository)
    assert (traced.exit_code, len(traced.stdout.splitlines()), traced.stderr) == (0, 1, "")
    assert "small: 2 theorems" not in run("--quiet", "prove", repository, "--expansions", 2, "--workers", 1).stdout


def test_projects_of_one_repository_are_traced_together_or_alone(repository: Path, tmp_path: Path) -> None:
    several = tmp_path / "several"
    for name in ("one", "two"):
        shutil.copytree(repository, several / name)
    result = run("trace", several)
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines() if "theorems in" in line] == [
        "several/one",
        "several/two",
    ]
    alone = tmp_path / "alone.db"
    assert run("trace", several, "--subfolder", "two", "--database", alone).exit_code == 0
    assert "several/two" in run("db", "list", "--database", alone).stdout
    assert "several/one" not in run("db", "list", "--database", alone).stdout
    assert run("trace", several, repository, "--subfolder", "two").exit_code == 1
    checked = run("trace", "check", several).stdout
    assert "several/one: 0 of 0 steps match" in checked and "several/two: 0 of 0 steps match" in checked
    shown = run("db", "show", "several").stdout
    assert "several/one: local:several#one at" in shown and "several/two/A.lean" not in shown and "two/A.lean" in shown
    assert "1 of 1 open theorem proved" in run("prove", f"{several}#one", "--workers", 1).stdout
    written = tmp_path / "data"
    assert run("export", "jsonl", written, "--repository", "several/two").exit_code == 0
    lines = [json.loads(line) for path in written.glob("random/*.jsonl") for line in path.read_text().splitlines()]
    assert {(line["url"], line["subfolder"], line["file_path"]) for line in lines} == {
        ("local:several", "two", "two/A.lean")
    }


def test_theorems_to_prove_are_named_or_counted(repository: Path) -> None:
    (repository / "A.lean").write_text(SOURCE.replace("theorem first", "theorem first", 1))
    result = run("prove", repository, "--theorem", "sec*", "--workers", 1)
    assert result.exit_code == 0 and "1 of 1 open theorem proved" in result.stdout
    assert run("prove", repository, "--limit", 1, "--workers", 1).exit_code == 0
    wrong = run("prove", repository, "--theorem", "first", "--workers", 1)
    assert wrong.exit_code == 1
    assert (
        "No open theorem of these repositories is called first." in wrong.stderr and "There are second." in wrong.stderr
    )


def test_verify_accepts_no_file_without_having_judged_something(repository: Path) -> None:
    (repository / "Empty.lean").write_text("")
    result = run("verify", repository / "Empty.lean")
    assert result.exit_code == 1
    assert "Empty.lean: no theorem to judge" in result.stdout
    (repository / ".lake").mkdir()
    for path in (repository / "Notes.txt", repository / ".lake" / "A.lean"):
        path.write_text(SOURCE)
        result = run("verify", path)
        assert result.exit_code == 1
        assert "not checked: no Lean file of the project" in result.stdout
    result = run("verify", repository)
    assert result.exit_code == 1
    assert "is a folder" in result.stderr


def test_benchmarks_are_listed() -> None:
    result = run("evaluate")
    assert result.exit_code == 0
    assert "lean-core" in result.stdout and "putnambench" in result.stdout


def test_an_evaluation_leaves_results_that_verify_judges_again(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    chosen: list[str | None] = []

    def server(workers: int, lean: str | None = None) -> Server:
        chosen.append(lean)
        return Server(workers)

    command = ("evaluate", "sorries", repository, "--output", out, "--lean-calls", 40, "--lean", "native")
    first = run(*command, server=server)
    assert (first.exit_code, first.exception) == (0, None)
    assert chosen == ["native"]
    assert "scripted" in first.stdout and "1/1" in first.stdout and "40 Lean calls" in first.stdout
    written = (out / "attempts.jsonl").read_bytes()
    assert "small: 1 theorem<" in (out / "report.html").read_text(encoding="utf-8")
    assert run("evaluate", "sorries", repository, "--output", out, "--lean-calls", 40).exit_code == 0
    assert (out / "attempts.jsonl").read_bytes() == written, "nothing is attempted twice"

    result = run("verify", out)
    assert (result.exit_code, result.exception) == (0, None)
    assert "1 of 1 proof accepted" in result.stdout and "1/1, accepted 1" in result.stderr
    assert "statements of local:small at local-" in result.stdout
    (out / "attempts.jsonl").write_bytes(written.replace(b"by\\n", b"by sorry\\n"))
    result = run("verify", out)
    assert result.exit_code == 1
    assert "scripted: second: sorry" in result.stdout and "0 of 1 proof accepted" in result.stdout


def test_an_evaluation_says_what_could_not_be_tried(repository: Path, tmp_path: Path) -> None:
    (repository / "B.lean").write_text("import Mathlib\ntheorem far : True := by\n  sorry\n", encoding="utf-8")
    out = tmp_path / "results"
    told = "1 theorem tried; 1 file of the benchmark left out."
    for _ in range(2):  # the second time nothing is tried again
        result = run("evaluate", "sorries", repository, "--output", out, "--lean-calls", 40)
        assert (result.exit_code, result.exception) == (0, None)
        assert told in result.stdout and "  1: needs Mathlib" in result.stdout
        assert "needs Mathlib" not in result.stderr, "once is enough"
        for name in ("report.md", "report.html"):
            assert told in (out / name).read_text(encoding="utf-8")
        assert '"name": "B.lean:1"' in (out / "report.json").read_text(encoding="utf-8")


def test_results_of_a_repository_that_has_changed_are_refused(repository: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    run("evaluate", "sorries", repository, "--output", out, "--lean-calls", 40)
    (repository / "A.lean").write_text(SOURCE + "\n-- another\n", encoding="utf-8")
    result = run("verify", out)
    assert result.exit_code == 1
    assert "is not what it was" in result.stderr


@pytest.mark.parametrize(
    ("where", "line", "text"), [("messages", 3, "oh [no]"), ("beside_theorems", 7, "`lie` rests on nothing")]
)
def test_verify_tells_errors_of_a_file_and_what_it_takes_for_granted(
    repository: Path, where: str, line: int, text: str
) -> None:
    traced = {where: (LeanMessage("error", text, Position(line, 0)),)}
    result = run("verify", repository / "A.lean", server=partial(Server, traced=traced))
    assert result.exit_code == 1
    assert f"A.lean:{line}:0: {text}" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("trace", "nowhere"), "nowhere"),
        (("trace", "small", "small", "--commit", "abc"), "single repository"),
        (("train", "small", "--model", "no/such/model", "--method", "sft"), "no/such/model"),
        (
            ("train", "small", "--model", "m", "--method", "sft", "--algorithm", "dapo"),
            "algorithm is a setting of --method grpo",
        ),
        (
            ("train", "small", "--model", "m", "--kind", "progress", "--method", "sft"),
            "--method is of --kind policy, and this is progress",
        ),
        (
            ("train", "small", "--model", "m", "--searches", "x"),
            "searches is a setting of --kind progress, and this is",
        ),
        (("prove", "small", "--value", "no/such/value"), "no/such/value"),
        (("train", "small", "--method", "sft"), "A policy needs a model to start from: give --model"),
        (
            ("train", "small", "--kind", "retrieval", "--method", "sft"),
            "--method is of --kind policy, and this is retri",
        ),
        (
            ("train", "small", "--kind", "retrieval", "--packing"),
            "packing is a setting of --method sft, and this is re",
        ),
        (("train", "small", "--model", "m", "--negatives", "3"), "negatives is a setting of --kind retrieval"),
        (("prove", "small", "--premises", "2", "--retriever", "small"), "small is no retriever: it holds neither"),
        (("prove", "small", "--retriever", "small"), "none are shown: give --premises, too"),
        (("trace", "small/A.lean"), "A.lean is a file; name its folder, or judge it with `lean-agent verify`"),
        (("prove", "small", "--output-dir", "small/A.lean"), "small/A.lean: it is a file, and a folder is needed"),
        (("prove", "small", "--output-dir", "small/A.lean/x"), "small/A.lean/x: it lies below a file"),
        (("verify", "small"), "small is a folder in which neither prove nor evaluate has left a proof"),
        (("evaluate", "lean-core", "small"), "read from nothing else"),
        (("retrieval", "recall", "nowhere"), "nowhere/novel_premises/test.json does not read as a split (No such file"),
        (("offline-grpo", "nowhere.yaml"), "There is no configuration nowhere.yaml (No such file or directory)."),
        (("prove", "small", "--model", "no/such/model"), "no/such/model"),
        (("verify", "nowhere.lean"), "nowhere.lean"),
        (("evaluate", "nothing"), "There are jsonl, lean-core"),
        (("evaluate", "jsonl"), "JSON Lines file"),
        (("evaluate", "jsonl", "nowhere.jsonl"), "nothing at nowhere.jsonl"),
        (("evaluate", "sorries", "small", "--no-closers"), "--model"),
        (("evaluate", "sorries", "small", "--split", "test"), "no split 'test'"),
        (("evaluate", "sorries", "small", "--model", "no/such/model"), "no/such/model"),
        (("demo", "--repos", "small"), "--repos"),
        (("db", "list", "--database", "small/none.sqlite"), "lean-agent trace"),
        (("db", "list", "--database", "small/A.lean"), "A.lean"),
    ],
)
def test_bad_input_gets_one_sentence_and_exit_code_1(
    arguments: tuple[str, ...], words: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    result = run(*arguments)
    assert result.exit_code == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("Error: ") and words in last
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "command",
    [
        ("export", "theorems", "."),
        ("export", "theorems", "small/A.lean/x"),
        ("export", "leandojo", "small/A.lean"),
        ("db", "plots", "small/A.lean"),
        ("db", "export", "small/A.lean/x"),
        ("search", "show", "runs/latest/trees/small/second.jsonl", "--html", "."),
        ("export", "scored", "runs/latest/trees", "--output", "."),
        ("export", "scored", "runs/latest/trees", "--output", "x" * 300),
        ("prove", "small", "--runs-dir", "small/A.lean"),
    ],
)
def test_what_stands_in_the_way_of_a_file_is_said_in_words(command: tuple[str, ...], repository: Path) -> None:
    run("prove", repository, "--lean-calls", 40, "--workers", 1, "--save-trees")
    result = run(*command)
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit), result.exception
    said = " ".join(result.stderr.split())
    assert any(
        words in said for words in ("is a file", "is a directory", "below a file", "too long", "Not a directory")
    )
    assert "Errno" not in said


@pytest.mark.parametrize(
    ("failure", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "run the same command again"),
        (LeanStartupError("Lean did not start."), 1, "Error: Lean did not start."),
        (OSError(28, "No space left on device", "data.db"), 1, "No space left on device (data.db)"),
    ],
)
def test_a_command_that_cannot_go_on_says_why(failure: BaseException, code: int, words: str, repository: Path) -> None:
    result = run("trace", repository, server=partial(Server, failure=failure))
    assert result.exit_code == code
    assert words in result.stderr.strip().splitlines()[-1]
    assert "Traceback" not in result.output


def test_debug_shows_the_traceback(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_DEBUG", "1")
    result = run("trace", repository, server=partial(Server, failure=LeanStartupError("Lean did not start.")))
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert "trace_file" in result.stderr


def test_what_nobody_expected_is_not_hidden(repository: Path) -> None:
    result = run("trace", repository, server=partial(Server, failure=RuntimeError("a defect")))
    assert isinstance(result.exception, RuntimeError)


def test_torch_s_threads_do_not_spin(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    run("db", "list")
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    run("db", "list")
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"
