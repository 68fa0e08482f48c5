"""Every Python block of README.md, CONTRIBUTING.md, AGENTS.md and docs/ runs as it stands; every link leads somewhere.

The blocks of a page run in their order and share their names, in a folder that has what the pages speak of: a tiny
model at ``path/or/name``, small repositories, files of theorems. A block that cannot run here has a comment before it,
``<!-- not run: REASON -->``, and is listed below. The blocks of docs/concurrency.md are programs, which
test_concurrency.py runs.
"""

from __future__ import annotations

import ast
import json
import os
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from git import Actor, Repo

from lean_agent.policy.tiny import make_tiny_model
from lean_agent.registry import SCORERS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "AGENTS.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
OF_ANOTHER_TEST = {"docs/concurrency.md": "tests/test_concurrency.py"}
NOT_RUN = {
    "docs/QUICK_REFERENCE.md": ["needs a vLLM server; `make test-vllm` trains through one"],
    "docs/native_lean.md": ["needs a native toolchain; tests/lean/test_native.py runs the same on a stand-in"],
    "docs/pantograph.md": [
        "needs PyPantograph and a native Lean with Mathlib; tests/prover/test_foreign_server.py has a stand-in"
    ],
}
"""Blocks that do not run here, page by page, with the reason that the page gives."""
ON_LEAN = ("LeanPool", "LeanInterface", "HFAgent", "Server()", "LeanGRPOPipeline")

FENCE = re.compile(r"^(?:<!-- not run: (?P<reason>.+) -->\n)?```python\n(?P<code>.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Block:
    """A Python block: its page, the line of its first statement, its code, and why it does not run, if so."""

    page: str
    line: int
    code: str
    reason: str | None


def blocks_of(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix()
    return [
        Block(page, text[: match.start("code")].count("\n") + 1, match["code"], match["reason"])
        for match in FENCE.finditer(text)
    ]


BLOCKS = {page: blocks for path in PAGES if (blocks := blocks_of(path)) for page in [blocks[0].page]}
RUN_HERE = [page for page in BLOCKS if page not in OF_ANOTHER_TEST]


def pages_to_run() -> Iterator[Any]:
    """Yield the pages with blocks that run here; those that start Lean are marked."""
    for page in RUN_HERE:
        code = "".join(block.code for block in BLOCKS[page] if block.reason is None)
        if code:
            marks = [pytest.mark.lean, pytest.mark.slow] if any(name in code for name in ON_LEAN) else []
            yield pytest.param(page, marks=marks)


def test_every_block_is_run_or_listed_with_its_reason() -> None:
    reasons = {page: [block.reason for block in BLOCKS[page] if block.reason] for page in RUN_HERE}
    assert {page: listed for page, listed in reasons.items() if listed} == NOT_RUN


def test_python_stands_in_fences() -> None:
    """Code that is only indented would be seen by no test."""
    hidden = []
    for path in PAGES:
        prose = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for indented in re.findall(r"(?:^ {4}.*\n|^\n)+", prose, re.M):
            if re.search(r"^ {4}(from|import) \w+|^ {4}\w+ = \w+\(", indented, re.M):
                hidden.append(f"{path.relative_to(ROOT)}: {indented.strip().splitlines()[0]}")
    assert hidden == []


def test_the_site_has_every_page() -> None:
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    in_menu = set(re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", settings, re.M))
    assert in_menu == {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}


def test_names_come_from_the_front_door() -> None:
    """What `lean_agent` itself offers is imported from there, whatever module it lies in."""
    import lean_agent

    deep = []
    for block in (block for blocks in BLOCKS.values() for block in blocks):
        for node in ast.walk(ast.parse(block.code)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lean_agent."):
                offered = [alias.name for alias in node.names if alias.name in lean_agent.__all__]
                deep += [f"{block.page}:{block.line}: from {node.module} import {name}" for name in offered]
    assert deep == []


PROVED = """theorem one (a b : Prop) (h : a ∧ b) : b ∧ a := by
  exact ⟨h.2, h.1⟩

theorem two (a b : Prop) (h : a ∧ b) : (b ∧ a) ∨ False := by
  left
  exact ⟨h.2, h.1⟩

theorem three (a b : Prop) (h : a ∨ b) : b ∨ a := by
  cases h
  · right; assumption
  · left; assumption
"""
OPEN = """
theorem open_one (a : Prop) (h : a) : a ∨ False := by
  sorry
"""
STATEMENTS = ["theorem id_of (p : Prop) : p → p", "theorem swap (p q : Prop) : p ∧ q → q ∧ p"]


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [PROVED, OPEN, *STATEMENTS]
    return make_tiny_model(texts, tmp_path_factory.mktemp("models") / "tiny", hidden_size=64, layers=1)


@pytest.fixture
def prepared(tmp_path: Path, tiny_model: Path, cache_with_lean: Callable[[Path], Path]) -> Path:
    """A folder with everything that the pages name."""
    folder = tmp_path
    (folder / "path" / "or").mkdir(parents=True)
    (folder / "path" / "or" / "name").symlink_to(tiny_model)
    for repository in ("repos/logic", "upstream"):
        (folder / repository).mkdir(parents=True)
        (folder / repository / "lakefile.toml").write_text('name = "logic"\n', encoding="utf-8")
        (folder / repository / "Logic.lean").write_text(PROVED + OPEN, encoding="utf-8")
    git = Repo.init(folder / "upstream")
    git.index.add(["lakefile.toml", "Logic.lean"])
    author = Actor("A", "a@example.org")
    git.index.commit("all", author=author, committer=author)
    git.create_head("b14fef0")  # stands for the commit that README names
    (folder / "My.lean").write_text(OPEN, encoding="utf-8")
    (folder / "examples").mkdir()
    lines = "".join(json.dumps({"name": text.split()[1], "statement": text}) + "\n" for text in STATEMENTS)
    for name in ("examples/example_theorems.jsonl", "theorems.jsonl", "held_out.jsonl"):
        (folder / name).write_text(lines, encoding="utf-8")
    (folder / "configs").symlink_to(ROOT / "configs")
    (folder / "data").mkdir()
    scored = {
        "prompt": "⊢ True",
        "completions": [{"text": "trivial", "score": 1.0}, {"text": "simp at h", "score": 0.0}],
    }
    (folder / "data" / "grpo_dataset.json").write_text(json.dumps([scored] * 4), encoding="utf-8")
    (folder / "pairs.jsonl").write_text(json.dumps(scored) + "\n", encoding="utf-8")
    cache_with_lean(folder / "cache")  # a database and clones of the test's own
    return folder


@pytest.fixture
def registered_scorers() -> Iterator[None]:
    """Forget afterwards what a page registers: other tests of this process list what the package has."""
    before = dict(SCORERS._registered)
    yield
    SCORERS._registered = before


@pytest.mark.usefixtures("registered_scorers")
@pytest.mark.parametrize("page", list(pages_to_run()))
def test_the_blocks_of_a_page_run(page: str, prepared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(prepared)
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(prepared / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{(prepared / 'upstream').as_uri()}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/durant42040/lean4-example")
    names: dict[str, Any] = {"__name__": "page"}
    try:
        for block in BLOCKS[page]:
            if block.reason is None:
                padded = "\n" * (block.line - 1) + block.code  # so that a traceback has the page's lines
                exec(compile(padded, os.fspath(ROOT / page), "exec"), names)
    finally:
        if "agent" in names:
            names["agent"].close()


def anchor(heading: str) -> str:
    """Return a heading's anchor, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    kept = (char for char in text if char in " -_" or unicodedata.category(char)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def anchors_of(path: Path) -> set[str]:
    prose = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    return {anchor(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.M)}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"^\[[^\]]+\]: (\S+)$", text, re.M)
    broken = []
    for target in targets:
        if target.startswith(("http://", "https://")):
            continue
        place, _, part = target.partition("#")
        linked = (path.parent / place).resolve() if place else path
        if not linked.exists() or (part and part not in anchors_of(linked)):
            broken.append(target)
    assert broken == []


def test_pages_that_are_named_exist() -> None:
    """`docs/NAME.md` in prose, code, help texts and configurations."""
    sources = [*PAGES, *(ROOT / "lean_agent").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.py")]
    sources += [ROOT / "CHANGELOG.md", *(ROOT / "configs").glob("*.yaml"), *(ROOT / "examples").glob("*.py")]
    missing = {
        f"{source.relative_to(ROOT)}: {name}"
        for source in sources
        if "docs/log/2026" not in source.as_posix()  # entries are never rewritten
        for name in re.findall(r"\bdocs/[\w/-]+\.(?:md|png)", source.read_text(encoding="utf-8"))
        if not (ROOT / name).is_file()
    }
    assert missing == set()


OF_OTHER_PROGRAMS = {"rewards/composite.py", "grpo/train_grpo.py"}
A_FILE = re.compile(r"`([\w.-]+/[\w./-]+\.(?:py|lean|cjs|yaml|jsonl)|(?:lean_agent|tests|benchmarks)/[\w./-]+)`")


@pytest.fixture(scope="module")
def files() -> list[str]:
    """Every file and folder that a page may name."""
    folders = ("lean_agent", "tests", "benchmarks", "examples", "configs", "repos")
    return [f"/{file.relative_to(ROOT)}" for folder in folders for file in (ROOT / folder).rglob("*")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_that_are_named_exist(path: Path, files: list[str]) -> None:
    """`folder/file.py` in a page, whole or from any folder of it on; what happened in the log is history."""
    if path.parent.name == "log":
        return
    named = {name.rstrip("/") for name in A_FILE.findall(path.read_text(encoding="utf-8"))} - OF_OTHER_PROGRAMS
    known = {name for name in named if any(file.endswith(f"/{name}") for file in files)}
    assert {name for name in named - known if not name.startswith(("path/", "random/"))} == set()
