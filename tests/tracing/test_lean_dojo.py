"""LeanDojo's traced folders. ``lean_dojo_folder`` is one in LeanDojo's format: the syntax trees are Lean's own.

Most of this needs the extra ``lean-dojo``; what is said without it does not.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError, TraceError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Position, TracedFile
from lean_agent.tracing import Repository, local_repository
from lean_agent.tracing.lean_dojo import as_of_old, import_traced_folder, is_traced_folder, trace_with_lean_dojo

HERE = Path(__file__).parent / "lean_dojo_folder"
Git = Callable[..., str]

# LeanDojo leaves the files that it reads to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
installed = pytest.mark.skipif(importlib.util.find_spec("lean_dojo") is None, reason="the extra lean-dojo is missing")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as LeanDojo leaves it before it writes XML: sources, and syntax trees under .lake."""
    place = tmp_path / "pair"
    shutil.copytree(HERE, place, ignore=shutil.ignore_patterns("ir"))
    shutil.copytree(HERE / "ir", place / ".lake" / "build" / "ir")
    return place


@pytest.fixture
def xml(folder: Path) -> Path:
    """The same folder with the XML that LeanDojo itself makes of it, and without the trees."""
    from lean_dojo.data_extraction.traced_data import TracedFile as TheirFile

    for tree in folder.rglob("*.ast.json"):
        text = TheirFile.from_traced_file(folder, tree, None).to_xml()
        tree.with_name(tree.name.replace(".ast.json", ".trace.xml")).write_text(text, encoding="utf-8")
        tree.unlink()
    return folder


def imported(folder: Path, database: DynamicDatabase) -> dict[str, TracedFile]:
    return {file.path: file for file in import_traced_folder(folder, database, progress=False).files}


@installed
def test_theorems_tactics_and_premises(folder: Path, database: DynamicDatabase) -> None:
    files = imported(folder, database)
    assert list(files) == ["Pair.lean", "Pair/Basic.lean", "Pair/Swap.lean"]
    swap_file = files["Pair/Swap.lean"]
    assert (swap_file.module, swap_file.imports) == ("Pair.Swap", ("Pair.Basic",))
    source = (folder / "Pair/Swap.lean").read_bytes()
    swap, double_eq, left_open, by_cases_of = swap_file.theorems

    assert swap.full_name == "swap"
    assert swap.statement == "theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p"
    assert swap.proof == "by\n  cases h with\n  | intro hp hq =>\n    exact both hq hp"
    assert source[swap.start : swap.end].decode() == f"{swap.statement} := {swap.proof}"
    assert (swap.start_pos, swap.end_pos) == (Position(5, 0), Position(8, 20))
    assert [tactic.tactic for tactic in swap.tactics] == [
        "cases h with\n| intro hp hq =>\n  exact both hq hp",
        "exact both hq hp",
    ]
    exact = swap.tactics[1]
    assert source[exact.start : exact.end].decode() == "exact both hq hp"
    assert exact.state_before == "case intro\np q : Prop\nhp : p\nhq : q\n⊢ q ∧ p"
    assert (exact.state_after, exact.goals_before, exact.goals_after) == ("no goals", 1, 0)
    (both,) = exact.premises
    assert (both.full_name, both.module) == ("Pair.both", "Pair.Basic")
    assert source[both.start : both.end] == b"both"
    assert swap.premises == (both,)

    assert [tactic.tactic for tactic in double_eq.tactics] == ["unfold double", "omega"]  # without the comment
    assert [theorem.has_sorry for theorem in swap_file.theorems] == [False, False, True, False]
    assert [theorem.mode for theorem in swap_file.theorems] == ["tactic", "tactic", "tactic", "equations"]
    assert left_open.tactics[0].state_after.endswith("hp : p\n⊢ q")
    assert by_cases_of.proof.startswith("| 0 => rfl")

    (both_theorem,) = files["Pair/Basic.lean"].theorems
    assert (both_theorem.full_name, both_theorem.mode, both_theorem.proof) == ("Pair.both", "term", "⟨hp, hq⟩")
    declarations = [(d.full_name, d.kind) for d in files["Pair/Basic.lean"].declarations]
    assert declarations == [("Pair.both", "theorem"), ("Pair.double", "definition")]


@installed
def test_xml_and_trees_say_the_same(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    with DynamicDatabase(":memory:") as from_trees, DynamicDatabase(":memory:") as from_xml:
        trees = imported(folder, from_trees)
        assert imported(request.getfixturevalue("xml"), from_xml) == trees


def as_v2_writes(tree: Any) -> Any:
    """Return the same tree in LeanDojo-v2's form, on a Lean whose comments are trees of their own."""
    if isinstance(tree, list):
        return [as_v2_writes(part) for part in tree]
    if not isinstance(tree, dict):
        return tree
    made = {key: as_v2_writes(value) for key, value in tree.items()}
    for key in ("pos", "endPos"):
        if isinstance(made.get(key), int):
            made[key] = {"byteIdx": made[key]}
    if made.get("kind") in ("Lean.Parser.Command.docComment", "Lean.Parser.Command.moduleDoc"):
        body = {"node": {"info": "none", "kind": "Lean.Parser.Command.commentBody", "args": made["args"][1:]}}
        made["args"] = [made["args"][0], body]
    return made


@installed
def test_trees_as_v2_writes_them_say_the_same(folder: Path, tmp_path: Path) -> None:
    with DynamicDatabase(":memory:") as old, DynamicDatabase(":memory:") as new:
        files = imported(folder, old)
        for trace in folder.rglob("*.ast.json"):
            tree = as_v2_writes(json.loads(trace.read_text("utf-8")))
            trace.write_text(json.dumps(tree), encoding="utf-8")
            assert '"byteIdx"' in trace.read_text("utf-8")
        (folder / ".lake/build/ir/Pair/Swap.dep_paths").write_text(f"/elsewhere/Init.lean\n{folder}/Pair/Basic.lean\n")
        assert imported(folder, new) == files


def test_what_later_leans_write_is_put_in_the_form_of_old() -> None:
    """Modifiers before ``section``, and documentation in several parts; both with v2's positions."""

    def read(text: str) -> Any:
        return json.loads(text, object_hook=as_of_old)

    def atom(word: str, start: int) -> str:
        place = (
            f'{{"leading": "", "pos": {{"byteIdx": {start}}}, "trailing": "", "endPos": {{"byteIdx": {start + 2}}}}}'
        )
        return f'{{"atom": {{"info": {{"original": {place}}}, "val": "{word}"}}}}'

    header = '{"node": {"kind": "Lean.Parser.Command.sectionHeader", "info": "none", "args": []}}'
    section = f'{{"kind": "Lean.Parser.Command.section", "info": {{"none": {{}}}}, "args": [{header}, %s, %s]}}'
    made = read(section % (atom("section", 0), atom("A", 8)))
    assert [part["atom"]["val"] for part in made["args"]] == ["section", "A"] and made["info"] == "none"
    assert made["args"][1]["atom"]["info"]["original"]["pos"] == 8
    body = f'{{"node": {{"kind": "body", "info": "none", "args": [{atom("a ", 4)}, {atom("b -/", 6)}]}}}}'
    doc = read(f'{{"kind": "Lean.Parser.Command.docComment", "info": "none", "args": [{atom("/--", 0)}, {body}]}}')
    _, text = doc["args"]
    place = {"leading": "", "pos": 4, "trailing": "", "endPos": 8}
    assert text == {"atom": {"info": {"original": place}, "val": "a b -/"}}
    premise = '{"fullName": "a", "pos": {"line": 1, "column": 2}}'
    assert read(premise) == json.loads(premise)  # lines and columns stay


@installed
def test_statements_are_told_apart_by_their_text(folder: Path, database: DynamicDatabase) -> None:
    theorems = [t for file in imported(folder, database).values() for t in file.theorems]
    hashes = [theorem.type_hash for theorem in theorems]
    assert len(set(hashes)) == len(hashes)
    assert theorems[0].type == "{p q : Prop} (hp : p) (hq : q) : p ∧ q"


@installed
def test_a_second_import_reads_nothing_again(folder: Path, database: DynamicDatabase) -> None:
    first = import_traced_folder(folder, database, progress=False)
    second = import_traced_folder(folder, database, progress=False)
    assert (first.reused, second.reused) == (0, 3)
    assert second.summaries == first.summaries


@installed
def test_a_file_that_cannot_be_read_is_named_and_the_rest_goes_on(
    folder: Path, database: DynamicDatabase, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue("xml")
    (folder / "Pair/Basic.lean").write_text("-- changed since\n")  # LeanDojo compares checksums
    (folder / ".lake/build/ir/Pair.trace.xml").write_text("<TracedFile")
    result = import_traced_folder(folder, database, progress=False)
    assert [file.path for file in result.files] == ["Pair/Swap.lean"]
    assert [skipped.path for skipped in result.skipped] == ["Pair.lean", "Pair/Basic.lean"]
    assert all("LeanDojo's trace could not be read" in skipped.reason for skipped in result.skipped)
    assert database.skipped_files(result.repository) == list(result.skipped)


@installed
def test_its_address_and_commit_are_those_of_its_git(folder: Path, database: DynamicDatabase, git: Git) -> None:
    assert import_traced_folder(folder, database, progress=False).repository == local_repository(folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "Pair")
    git(folder, "commit", "--quiet", "-m", "one")
    git(folder, "remote", "add", "origin", "https://user:secret@example.org/a/pair")
    repository = import_traced_folder(folder, database, progress=False).repository
    assert (repository.url, repository.commit) == ("https://example.org/a/pair", git(folder, "rev-parse", "HEAD"))


@installed
def test_an_agent_imports_a_traced_folder(folder: Path, database: DynamicDatabase, tmp_path: Path) -> None:
    with ScriptedAgent(
        lean=MockLeanServer(), database=database, runs_dir=tmp_path / "runs", progress=False, tracer="lean-dojo"
    ) as agent:
        assert len(agent.setup_local_repository(folder).theorems) == 5
        assert [theorem.full_name for theorem in agent.open_theorems()] == ["left_open"]
        exported = agent.database.export_merged_data(agent.curriculum(), tmp_path / "out", progress=False)
        assert exported


@installed
def test_its_tracer_is_used_where_a_toolchain_is(
    folder: Path, database: DynamicDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to the call of LeanDojo, and from its answer on: there is no toolchain here to run it."""
    import lean_dojo

    asked: list[Any] = []
    for program in ("lake", "lean"):
        (tmp_path / program).touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(lean_dojo, "LeanGitRepo", lambda url, commit: (url, commit))

    def traced(repo: Any, build_deps: bool) -> Path:
        asked.append(repo)
        if len(asked) > 1:
            raise RuntimeError("lake build failed")
        return folder

    monkeypatch.setattr(lean_dojo, "get_traced_repo_path", traced)
    repository = Repository("https://example.org/a/pair", "c" * 40, "pair", tmp_path)
    result = trace_with_lean_dojo(repository, database, progress=False)
    assert asked == [("https://example.org/a/pair", "c" * 40)]
    assert (result.repository, len(result.files)) == (repository, 3)

    with pytest.raises(TraceError, match=r"LeanDojo could not trace.*lake build failed"):
        trace_with_lean_dojo(repository, database, progress=False)


def test_without_a_toolchain_it_says_what_to_do(
    tmp_path: Path, database: DynamicDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    extra = ModuleType("lean_dojo")
    extra.__spec__ = ModuleSpec("lean_dojo", None)
    monkeypatch.setitem(sys.modules, "lean_dojo", extra)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(TraceError, match=r'no lake on the PATH; install elan .* or use tracer="embedded"'):
        trace_with_lean_dojo(Repository("u", "c", "u", tmp_path), database)


def test_without_the_extra_it_says_what_to_install(
    folder: Path, database: DynamicDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lean_dojo", None)
    for step in (
        lambda: import_traced_folder(folder, database),
        lambda: trace_with_lean_dojo(local_repository(folder), database),
    ):
        with pytest.raises(TraceError, match=r"pip install 'lean4-agent\[lean-dojo\]'"):
            step()


def test_what_is_a_traced_folder(folder: Path, tmp_path: Path) -> None:
    assert is_traced_folder(folder)
    assert not is_traced_folder(tmp_path)


def test_an_unknown_tracer_is_refused() -> None:
    with pytest.raises(ConfigError, match="tracer must be one of embedded, lean-dojo, not 'lake'"):
        ScriptedAgent(tracer="lake")  # type: ignore[arg-type]
