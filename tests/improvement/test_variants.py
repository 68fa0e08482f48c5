"""Variants: what becomes of conjectures, the files that state them, and rounds that practise them, without Lean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from typing_extensions import override

from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError, TraceError
from lean_agent.improvement.practice import Guard
from lean_agent.improvement.variants import (
    Sieve,
    Variant,
    counts,
    original_of,
    practice_variants,
    read_variants,
    write_variants,
)
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Conjecture, LeanProject, Position, TracedFile, TracedTheorem
from lean_agent.tracing import Repository, lean_project
from lean_agent.tracing.project.repository import beside, build_folder

Stored = Callable[..., list[StoredTheorem]]
SWAPPED = "∀ (n : Nat), n = n + 0"
NEAR = "∀ (a b : Prop), a ∧ b → b ∧ a"


def conjecture(kind: str, type_: str, outcome: Any = "stated", **others: Any) -> Conjecture:
    named = {"statement": f": {type_}", "scope": ("namespace Small",), "type_hash": f"hash {type_}", **others}
    return Conjecture("Small.zero", kind, "sides", outcome, type=type_, **named)


MADE = (
    conjecture("swap", SWAPPED),
    conjecture("subgoal", SWAPPED),
    conjecture("specialise", "0 + 0 = 0"),
    conjecture("drop", "∀ (n : Nat), n = 1", "refuted", reason="n := 0"),
    conjecture("permute", NEAR),
    conjecture("exchange", "", "unprintable", reason="does not parse when printed"),
)


class Server(MockLeanServer):
    """Makes the variants above of every file, and traces the files that state them."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, Sequence[str]]] = []

    @override
    def variants(self, project: LeanProject, file_path: str, theorems: Sequence[str]) -> tuple[Conjecture, ...]:
        self.asked.append((file_path, theorems))
        return MADE

    @override
    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        text = (project.root / file_path).read_text(encoding="utf-8")
        here = Position(1, 0)
        theorems = tuple(
            TracedTheorem(f"Small.{name}", text, "by sorry", "tactic", True, type_, f"hash {type_}", 0, 9, here, here)
            for name, type_ in re.findall(r"theorem (\S+) : (.+) := by\n  sorry", text)
        )
        return TracedFile(file_path, "Variants.A0", (), theorems, (), (), 0.1, 0.1)


def test_each_statement_is_kept_once_and_none_that_is_known_or_held_out(stored: Stored) -> None:
    (held,) = stored(("held", "∀ (p q : Prop), p ∧ q → q ∧ p"))
    sieve = Sieve(Guard([held]), ["hash 0 + 0 = 0"])
    variants = list(sieve.variants("A.lean", "A", MADE))
    assert [variant.fate for variant in variants] == [
        "open",
        "duplicate",  # of the one before
        "duplicate",  # of a theorem
        "refuted",
        "refused",  # the same as what is held out
        "unprintable",
    ]
    assert (variants[0].full_name, variants[3].reason) == ("Small.zero_variant1", "n := 0")
    assert counts(variants)["drop"] == {"refuted": 1}


def test_a_variant_is_stated_where_its_theorem_was() -> None:
    scope = ("namespace Small.Inner", "open Nat")
    swap = Variant("zero", "A.lean", "A", "swap", "", "open", name="v", statement="(n : Nat) : n = n", scope=scope)
    text = """\
namespace Small.Inner
open Nat

theorem v (n : Nat) : n = n := by
  sorry

end Small.Inner
"""
    assert (swap.full_name, swap.text) == ("Small.Inner.v", text)
    levels = Variant("zero", "A.lean", "A", "swap", "", "open", name="v", statement=".{u} : 1 = 1", scope=("section",))
    assert levels.text == "section\n\ntheorem v.{u} : 1 = 1 := by\n  sorry\n\nend\n"


def test_variants_are_made_once_and_stand_beside_the_repository(
    stored: Stored, database: DynamicDatabase, repository: Repository, tmp_path: Path, own_cache: Path
) -> None:
    sources, server = stored(("zero", "∀ (n : Nat), n + 0 = n")), Server()
    (held,) = stored(("held", NEAR))

    def made() -> tuple[list[StoredTheorem], list[Variant]]:
        options: dict[str, Any] = {"server": server, "database": database, "guard": Guard([held]), "progress": False}
        return practice_variants(tmp_path / "run", [repository], sources, **options)

    with pytest.raises(TraceError, match="needs A0"):  # the repository was never compiled here
        made()
    build_folder(repository).mkdir(parents=True)
    (build_folder(repository) / "A0.olean").touch()
    theorems, variants = made()
    assert server.asked == [("A0.lean", ["zero"])]
    # Of the six two are open: the swapped statement, and the special case.
    assert [theorem.full_name for theorem in theorems] == ["Small.zero_variant1", "Small.zero_variant2"]
    assert theorems[0].file_path == "Variants/A0.lean"
    place = theorems[0].repository
    text = (place.path / "Variants" / "A0.lean").read_text(encoding="utf-8")
    assert text.startswith(
        "import A0\n\nnamespace Small\n\ntheorem zero_variant1 : ∀ (n : Nat), n = n + 0 := by\n  sorry"
    )
    assert not place.path.is_relative_to(repository.path), "never in the user's own folder"
    assert original_of(theorems[0]) == repository == beside(place) and original_of(sources[0]) == repository
    assert lean_project(place).libraries == (build_folder(repository),), "its files can import the originals"
    assert place not in database.repositories(), "no data of theirs is exported with the repository's"
    assert made() == (theorems, variants) and len(server.asked) == 1, "a second run finds what the first has made"
    assert read_variants(tmp_path / "run" / "variants" / "00-small.jsonl") == variants


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "variants.jsonl"
    write_variants([], path)
    assert read_variants(path) == []
    path.write_text('{"name": "x"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="holds no variants"):
        read_variants(path)


def test_the_command_writes_all_that_was_made_and_counts_it(tmp_path: Path, own_cache: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "A.lean").write_text("theorem zero : ∀ (n : Nat), n + 0 = n := by\n  sorry\n", encoding="utf-8")
    output = tmp_path / "variants.jsonl"
    arguments = ["variants", str(folder), "-o", str(output), "--database", str(tmp_path / "db.sqlite")]
    result = CliRunner().invoke(app, arguments, obj=lambda **_: Server())
    assert result.exit_code == 0, result.output
    assert len(read_variants(output)) == len(MADE) and f"6variantsin{output}" in "".join(result.output.split())
    # kind, open, refuted, duplicate, trivial, unprintable, refused, all
    cells = [line.split("│")[1:-1] for line in result.output.splitlines() if "drop" in line]
    assert [cell.strip() for cell in cells[0]] == ["drop", "0", "1", "0", "0", "0", "0", "1"]
