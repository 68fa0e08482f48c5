"""What ``set_option trace.Elab.info true`` prints, as a second opinion on our traces.

Any stock Lean prints it; nothing of ours has a part in it. Each tactic that we record has to stand there, at the same
place and with the same states, and each tactic there that changes a state has to be one of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import TracedFile
from lean_agent.tracing import lean_project, local_repository, read_import_graph

pytestmark = pytest.mark.lean

LOGIC = Path(__file__).parents[2] / "repos" / "logic"

TELL = """\
import Lean
open Lean Elab Command
elab "#infos " command:command : command => do
  elabCommand command
  for tree in ← getInfoTrees do logInfo (← tree.format)
"""
"""The option prints the trees behind the command's other messages, where only Lean's own frontend looks for them."""

_NODE = re.compile(r"^ *• \[Tactic\] @ ⟨(\d+), (\d+)⟩(†!?)?-⟨(\d+), (\d+)⟩(†!?)?")
_CHILD = re.compile(r"^ *• ")
_STEP = re.compile(
    r"^\((Tactic\.|Lean\.cdot |«)"
    r"(?!tacticSeq|paren|inductionAlt|rwRule|location|simpLemma|withReducible|Conv\.conv|Conv\.paren|Grind\.grindSeq|Grind\.grindStep)"
)
"""Syntax that is a tactic of its own, and not a frame around others."""


FAILED = {
    ("byBranch", "left"), ("byOnlyBranch", "done"), ("byOnlyBranch", "exact hp"), ("bySolve", "left"),
    ("byTry", "left"), ("byRepeat", "left"), ("byAnyGoals", "constructor"), ("byAnyGoals", "exact hp"),
    ("byAnyGoals", "done"), ("byRewriting", "arg 1"), ("byRewriting", "rw [h, Nat.add_comm]"),
    ("byMacroOfFirst", "left"), ("byFocus", "· exact hp; · exact hp"), ("byFocus", "rotate_left"),
    ("byFocus", "exact hp"),
}  # fmt: skip
"""In ``every_kind_of_proof.lean``: tactics of branches that failed, which Lean's text tells like any other. They are
in no proof, and in no trace."""


@dataclass(frozen=True, slots=True, order=True)
class Node:
    """A tactic: lines from 1 and columns from 0, in letters; states with all white space as one space."""

    start: tuple[int, int]
    end: tuple[int, int]
    before: str
    after: str


def told(source: str) -> str:
    """The file with each declaration told about: no line or column of a declaration moves."""
    lines = ["import Tell", *source.splitlines()]
    mutual = False
    for number, line in enumerate(lines):
        if not mutual and re.match(r"(@\[.*\] )?(theorem|mutual)\b", line):
            lines[number - 1] += " #infos"
        mutual = line == "mutual" or (mutual and line != "end")
    return "\n".join(lines) + "\n"


def info_nodes(text: str) -> Iterator[tuple[Node, str]]:
    """The tactics of the text of an info tree, each with its syntax; those that a macro has made (†) left out."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        head = _NODE.match(line)
        if head is None or head[3] or head[6]:
            continue
        own: list[str] = []
        for below in lines[number + 1 :]:
            if _CHILD.match(below):
                break
            own.append(below.strip())
        before = next(i for i, one in enumerate(own) if re.match(r"before( |$)", one))
        after = next(i for i, one in enumerate(own) if i > before and re.match(r"after( |$)", one))
        node = Node(
            (int(head[1]), int(head[2])),
            (int(head[4]), int(head[5])),
            one_line(" ".join(own[before:after]).removeprefix("before")),
            one_line(" ".join(own[after:]).removeprefix("after")),
        )
        yield node, " ".join(own[:before])


def one_line(state: str) -> str:
    return " ".join(state.split())


def traced_nodes(file: TracedFile, source: str) -> set[Node]:
    """Our tactics in the same form."""
    data = source.encode()

    def position(byte: int) -> tuple[int, int]:
        before = data[:byte].decode()
        return before.count("\n") + 1, len(before) - before.rfind("\n") - 1

    return {
        Node(position(tactic.start), position(tactic.end), one_line(tactic.state_before), one_line(tactic.state_after))
        for theorem in file.theorems
        for tactic in theorem.tactics
    }


@dataclass(frozen=True, slots=True)
class Opinions:
    """Tactics that both know, those of ours alone, and those of the text alone that change a state."""

    agreed: set[Node]
    ours_alone: set[Node]
    theirs_alone: set[Node]


def compare(file: TracedFile, source: str) -> Opinions:
    """Both opinions on a file whose declarations are told about."""
    ours = traced_nodes(file, source)
    said = [node for message in file.messages if "[Tactic]" in message.text for node in info_nodes(message.text)]
    theirs = {node for node, _ in said}
    steps = {node for node, syntax in said if _STEP.match(syntax) and node.before != node.after}
    return Opinions(ours & theirs, ours - theirs, steps - ours)


def in_words(nodes: set[Node], file: TracedFile, source: str) -> set[tuple[str, str]]:
    """Nodes as (theorem, text)."""
    lines = source.splitlines()
    found = set()
    for node in nodes:
        (theorem,) = (t for t in file.theorems if t.start_pos.line <= node.start[0] <= t.end_pos.line)
        assert node.start[0] == node.end[0]
        text = lines[node.start[0] - 1][node.start[1] : node.end[1]]
        found.add((theorem.full_name.rpartition(".")[2], text))
    return found


@pytest.mark.long  # it changes with Lean alone
@pytest.mark.usefixtures("own_cache")
def test_lean_s_own_text_says_the_same(lean: LeanPool, tmp_path: Path) -> None:
    """Every kind of proof, and what people write: the first two files of ``repos/logic``."""
    root = tmp_path / "project"
    names = ("Logic/Connectives.lean", "Logic/Classical.lean")
    texts = {name: (LOGIC / name).read_text(encoding="utf-8") for name in names}
    texts["Kinds.lean"] = Path(__file__).with_name("every_kind_of_proof.lean").read_text(encoding="utf-8")
    texts = {name: told(text) for name, text in texts.items()} | {"Tell.lean": TELL}
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    project = lean_project(local_repository(root))
    agreed = {}
    for name in (source.path for source in read_import_graph(root).files):
        file = lean.trace_file(project, name)
        assert file.errors == (), name
        found = compare(file, texts[name])
        assert found.ours_alone == set(), name
        failed = FAILED if name == "Kinds.lean" else set()
        assert in_words(found.theirs_alone, file, texts[name]) == failed, name
        agreed[name] = len(found.agreed)
    assert agreed["Kinds.lean"] >= 40
    assert sum(agreed.values()) >= 400
