"""``lean-agent db`` and ``lean-agent export`` on a database made by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from typer.testing import CliRunner, Result

from lean_agent.cli.main import app
from lean_agent.database import DynamicDatabase, ProofStatistics
from lean_agent.evaluation import plots
from lean_agent.evaluation.benchmarks.problem import read_problems
from lean_agent.lean.types import LeanMessage, LostTheorem, Position, TracedFile, TracedTheorem, Verdict
from lean_agent.tracing import Repository, SkippedFile, local_repository


@pytest.fixture
def run(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Result]:
    monkeypatch.setenv("COLUMNS", "200")
    database.add_repository(repository, licence="MIT")
    theorems = [make_theorem(f"N.t{n}", steps=n % 3 + 1, premises=["And.intro"]) for n in range(30)]
    database.store_file(repository, make_file("A.lean", [*theorems, make_theorem("N.open", sorry=True)]), "1")
    database.store_skipped_file(repository, SkippedFile("B.lean", 2, "needs [Mathlib]"))
    database.store_proof(repository, "A.lean", "N.open", "by simp", Verdict("accepted", ""), source="search")

    def run(*arguments: object, answer: str | None = None) -> Result:
        words = [str(argument) for argument in arguments]
        return CliRunner().invoke(app, [*words, "--database", str(database.path)], input=answer)

    return run


def test_list_and_show(run: Callable[..., Result]) -> None:
    listed = run("db", "list").stdout
    assert all(words in listed for words in ("swap", "aaaaaaaaaaaa", "31", "https://example.org/swap"))
    shown = run("db", "show", "swap").stdout
    assert "licence MIT, toolchain asked for leanprover/lean4:v4.28.0; 1 file, 1 skipped" in shown
    assert "1 of 1 open theorem proved" in shown
    assert "B.lean:2: skipped: needs [Mathlib]" in shown
    theorem = run("db", "show", "N.open").stdout
    assert "N.open: swap, A.lean, line 3" in theorem
    assert "accepted, found by search" in theorem and "by simp" in theorem
    assert "N.open: swap, A.lean, line 3" in run("db", "show", "open").stdout
    missing = run("db", "show", "N.opne")
    assert missing.exit_code == 1
    assert "no repository and no theorem N.opne. The nearest are N.open;" in missing.stderr


def test_show_lists_as_much_as_is_asked_for(
    run: Callable[..., Result],
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    errors = tuple(LeanMessage("error", f"wrong {n}", Position(3, 8)) for n in range(23))
    place = Position(3, 0)
    lost = [LostTheorem(f"N.failed{n}", "failed", "wrong", place, place) for n in range(22)]
    lost += [
        LostTheorem("N.swallowed", "undeclared", "", place, place),
        LostTheorem("after", "unread", "", place, place),
    ]
    file = make_file("C.lean", [])
    database.store_file(repository, replace(file, messages=errors, lost=tuple(lost)), "1")
    for n in range(21):
        database.store_skipped_file(repository, SkippedFile(f"D{n:02}.lean", 1, "gone"))
    few = run("db", "show", "swap").stdout
    assert "23 errors" in few and "wrong 19" in few and "wrong 20" not in few
    assert "and 3 more errors, which --all lists" in few
    assert "22 theorems left out for errors inside: N.failed0 (C.lean:3)" in few
    assert "and 2 more, which --all lists" in few and "N.failed21" not in few
    assert "1 theorem that Lean has read and not declared: N.swallowed (C.lean:3)" in few
    assert "1 theorem in text that Lean has not read: after (C.lean:3)" in few
    assert "and 2 more skipped files, which --all lists" in few  # one was there before
    assert "open theorem:" not in few
    everything = run("db", "show", "swap", "--all").stdout
    assert all(words in everything for words in ("wrong 22", "N.failed21", "D20.lean:1: skipped: gone"))
    assert "1 open theorem: N.open (A.lean:3)" in everything and "--all" not in everything


def test_of_an_edited_folder_an_export_takes_what_it_is_now(
    database: DynamicDatabase,
    tmp_path: Path,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    folder = tmp_path / "edited"
    folder.mkdir()
    versions = []
    for text in ("-- one\n", "-- two\n"):
        (folder / "A.lean").write_text(text)
        versions.append(local_repository(folder))
        database.add_repository(versions[-1])
        database.store_file(versions[-1], make_file("A.lean", [make_theorem("t")]), "1")

    def exported(*arguments: str) -> tuple[set[str], str]:
        place = tmp_path / "data"
        words = ["export", "leandojo", str(place), "--database", str(database.path), *arguments]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0
        return {
            repository["commit"] for repository in json.loads((place / "metadata.json").read_text())["repositories"]
        }, done.stderr

    old, new = (version.commit for version in versions)
    for arguments in ((), ("--repository", "edited")):
        commits, messages = exported(*arguments)
        assert commits == {new}
        assert f"edited at {old} is left out: its folder was edited since" in messages
    assert exported("--repository", old)[0] == {old}
    (folder / "A.lean").write_text("-- one\n")  # as it was
    assert exported()[0] == {old}


def test_show_finds_a_theorem_by_the_end_of_its_name(
    run: Callable[..., Result],
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
) -> None:
    names = ["_private.A.0.N.hidden", "M.twin", "N.twin", "N.not_hidden", "N.a_b", "N.aXb"]
    database.store_file(repository, make_file("C.lean", [make_theorem(name) for name in names]), "1")
    for name in ("hidden", "N.hidden"):
        assert run("db", "show", name).stdout.startswith("_private.A.0.N.hidden: swap, C.lean")
    assert run("db", "show", "a_b").stdout.startswith("N.a_b: swap")
    several = run("db", "show", "twin")
    assert several.exit_code == 1
    assert "twin is the end of several names: M.twin, N.twin. Give one of them." in several.stderr
    far = run("db", "show", "🦊")
    assert far.exit_code == 1 and "nearest" not in far.stderr


def test_difficulty_and_plots(run: Callable[..., Result], tmp_path: Path) -> None:
    # Ten proofs each of one, two and three steps: a third of 31 is easy, the open one unknown.
    assert "│ swap       │   10 │     20 │    0 │       1 │           33% │" in run("db", "difficulty").stdout
    assert run("db", "difficulty", "--measure", "luck").exit_code == 1
    assert run("db", "plots", tmp_path / "plots").exit_code == 0
    names = ["proof_lengths", "tactics", "state_sizes", "difficulty"]
    for name in names:
        assert (tmp_path / "plots" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    numbers = json.loads((tmp_path / "plots" / "statistics.json").read_text(encoding="utf-8"))
    assert numbers["tactics"] == {"tac": 60}  # 10 * (1 + 2 + 3)
    assert numbers["proof_steps"] == [1] * 10 + [2] * 10 + [3] * 10


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Axes]:
    """The axes of all plots that are drawn, in the order of drawing."""
    found: list[Axes] = []

    def draw(plot: Callable[[Axes], None], *, height: float = 4.5) -> bytes:
        found.append(Figure().add_subplot())
        plot(found[-1])
        return b""

    monkeypatch.setattr(plots, "_draw", draw)
    return found


def heights(axes: Axes) -> dict[float, float]:
    """Upright bars by the middle of their foot."""
    return {bar.get_x() + bar.get_width() / 2: bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)}


def test_what_the_plots_of_a_database_show(run: Callable[..., Result], drawn: list[Axes], tmp_path: Path) -> None:
    assert run("db", "plots", tmp_path / "plots").exit_code == 0
    lengths, tactics, sizes, difficulty = drawn
    assert heights(lengths) == {1: 10, 2: 10, 3: 10}
    assert (lengths.get_xlabel(), lengths.get_ylabel()) == ("steps of the proof", "theorems, of 30 with a tactic proof")

    assert [bar.get_width() for bar in tactics.containers[0]] == [60]
    assert [label.get_text() for label in tactics.get_yticklabels()] == ["tac"]
    assert tactics.get_xlabel() == "uses, of 60 steps with 1 tactic"

    # Every state is four characters long: ⊢ p0. Eight bins a decade: they lie between 10^(4/8) and 10^(5/8).
    ((middle, steps),) = [one for one in heights(sizes).items() if one[1]]
    assert steps == 60 and 10 ** (4 / 8) <= 4 <= 10 ** (5 / 8)
    assert middle == pytest.approx((10 ** (4 / 8) + 10 ** (5 / 8)) / 2)
    assert (sizes.get_xlabel(), sizes.get_ylabel()) == ("characters of the state before a step", "steps")
    assert sizes.get_xscale() == "log"

    parts = {str(one.get_label()): [(bar.get_x(), bar.get_width()) for bar in one] for one in difficulty.containers}
    assert parts == {"easy": [(0, 10)], "medium": [(10, 20)], "hard": [(30, 0)], "unknown": [(30, 1)]}
    assert [label.get_text() for label in difficulty.get_yticklabels()] == ["swap"]
    assert [text.get_text() for text in difficulty.texts] == ["10", "20", "", "1", "31"]
    assert difficulty.get_xlabel() == "theorems, by thirds of all repositories (steps)"


def test_the_last_bars_stand_for_more(drawn: list[Axes], tmp_path: Path) -> None:
    counts = Counter({f"t{n}": n for n in range(1, 31)})
    plots.write_data_plots(ProofStatistics((1, 2, 29, 30, 45, 400), counts, (5, 3_000)), [], "steps", tmp_path)
    lengths, tactics, sizes, difficulty = drawn
    assert {place: count for place, count in heights(lengths).items() if count} == {1: 1, 2: 1, 29: 1, 30: 3}
    assert lengths.get_xlabel() == "steps of the proof (30: that or more)"
    # The 25 commonest of 30, the commonest on top.
    assert [label.get_text() for label in tactics.get_yticklabels()] == [f"t{n}" for n in range(6, 31)]
    assert [bar.get_width() for bar in tactics.containers[0]] == list(range(6, 31))
    assert tactics.get_xlabel() == "uses, of 465 steps with 30 tactics"
    assert sorted(heights(sizes).values())[-3:] == [0, 1, 1]
    assert not any(len(one) for one in difficulty.containers)


def test_plots_of_nothing(tmp_path: Path) -> None:
    DynamicDatabase(tmp_path / "empty.db").close()
    done = CliRunner().invoke(app, ["db", "plots", str(tmp_path / "p"), "--database", str(tmp_path / "empty.db")])
    assert (done.exit_code, done.exception) == (0, None)


def test_merge_and_vacuum(run: Callable[..., Result], database: DynamicDatabase, tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "other.db") as other:
        other.add_repository(Repository("https://example.org/more", "c" * 40, "more", tmp_path))
    assert "Added 1 repository, 0 files" in run("db", "merge", tmp_path / "other.db").stdout
    assert [repository.name for repository in database.repositories()] == ["swap", "more"]
    assert "MB before" in run("db", "vacuum").stdout


@pytest.mark.parametrize("kind", ["leandojo", "jsonl", "parquet", "huggingface"])
def test_export(kind: str, run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("export", kind, tmp_path / "x", "--repository", "swap")
    assert done.exit_code == 0
    assert "30 proved theorems of 1 repository" in done.stdout
    metadata = json.loads((tmp_path / "x" / "metadata.json").read_text(encoding="utf-8"))
    train, val, test = (metadata["splits"]["random"][split] for split in ("train", "val", "test"))
    assert f"random: train {train}, val {val}, test {test}, in none 0" in done.stdout
    assert train + val + test == 30


def test_an_unknown_repository_is_named(run: Callable[..., Result], tmp_path: Path) -> None:
    done = run("export", "jsonl", tmp_path / "x", "--repository", "mathlib")
    assert done.exit_code == 1
    assert "no repository mathlib in the database; it has swap" in done.stderr
    assert not (tmp_path / "x").exists()


def test_import_and_export_of_others_data_sets(run: Callable[..., Result], tmp_path: Path) -> None:
    assert run("db", "export", tmp_path / "dynamic_database.json").exit_code == 0
    assert run("export", "leandojo", tmp_path / "benchmark").exit_code == 0
    for source, count in (("dynamic_database.json", "31"), ("benchmark", "30")):
        fresh = tmp_path / f"{count}.db"
        done = CliRunner().invoke(app, ["db", "import", str(tmp_path / source), "--database", str(fresh)])
        assert f"{count} theorems in 1 file of 1 repository" in done.stdout
    damaged = tmp_path / "damaged.json"
    damaged.write_text("{")
    assert "does not read as LeanDojo's" in run("db", "import", damaged).stderr


def test_open_theorems_as_lines_of_json(
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    make_theorem: Callable[..., TracedTheorem],
    tmp_path: Path,
) -> None:
    header = "/- import X -/\nimport Init.Core\nimport «A b».C -- more\n"
    context = "/- é import Y -/\nnamespace N\n\n"
    text = f"{header}{context}theorem open : p := by sorry\n"
    start = len(f"{header}{context}".encode())
    (repository.path / "A.lean").write_text(text, encoding="utf-8")
    theorem = replace(
        make_theorem("N.open", sorry=True), statement="theorem open : p", start=start, end=len(text.encode()) - 1
    )
    database.add_repository(repository)
    database.store_file(repository, make_file("A.lean", [theorem, make_theorem("N.done")]), "1")
    arguments = ["export", "theorems", str(tmp_path / "open.jsonl"), "--database", str(database.path)]
    output = CliRunner().invoke(app, arguments).stdout
    assert "1 theorem:" in output
    assert "1 of them import files beside Lean's own library" in output
    (repository.path / "A.lean").write_text(text.replace("import «A b».C", "import Std.A  "), encoding="utf-8")
    assert "import files beside" not in CliRunner().invoke(app, arguments).stdout
    (repository.path / "A.lean").write_text(text, encoding="utf-8")
    CliRunner().invoke(app, arguments)
    (line,) = (tmp_path / "open.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line) == {
        "name": "N.open",
        "statement": "theorem open : p",
        "context": context,
        "imports": ["Init.Core", "A b.C"],
        "type_hash": "hash of N.open",
    }
    (problem,) = read_problems(tmp_path / "open.jsonl")
    assert problem.source.endswith("namespace N\n\ntheorem open : p := by\n  sorry\n")
    (repository.path / "A.lean").write_text("-- another text now\n", encoding="utf-8")
    assert "has changed since N.open was traced" in CliRunner().invoke(app, arguments).stderr


def test_list_and_show_as_json(run: Callable[..., Result]) -> None:
    (listed,) = json.loads(run("db", "list", "--json").stdout)
    assert (listed["name"], listed["theorems"], listed["open"], listed["proved"]) == ("swap", 31, 1, 1)
    (shown,) = json.loads(run("db", "show", "swap", "--json").stdout)
    assert {key: shown[key] for key in ("url", "licence", "n_files", "n_skipped")} == {
        "url": "https://example.org/swap", "licence": "MIT", "n_files": 1, "n_skipped": 1,
    }  # fmt: skip
    (file,) = shown["files"]
    assert (file["path"], len(file["theorems"]), file["open"], file["errors"]) == ("A.lean", 31, ["N.open"], [])
    assert shown["skipped"] == [{"path": "B.lean", "line": 2, "reason": "needs [Mathlib]"}]
    (theorem,) = json.loads(run("db", "show", "N.t1", "--json").stdout)
    assert (theorem["full_name"], theorem["statement"], theorem["proof"]) == ("N.t1", "theorem N.t1 : p", "by tac")
    assert (len(theorem["tactics"]), theorem["premises"], theorem["found"]) == (2, ["And.intro"], [])
    (is_open,) = json.loads(run("db", "show", "open", "--json").stdout)
    assert is_open["has_sorry"] and [proof["script"] for proof in is_open["found"]] == ["by simp"]
    unknown = run("db", "show", "nowhere", "--json")
    assert (unknown.exit_code, unknown.stdout) == (1, "")


def test_remove(run: Callable[..., Result], database: DynamicDatabase) -> None:
    unknown = run("db", "remove", "nowhere", "--yes")
    assert unknown.exit_code == 1 and "There is no repository nowhere" in unknown.stderr
    assert "Nothing was removed." in run("db", "remove", "swap", answer="n").stdout
    assert len(database.repositories()) == 1
    done = run("db", "remove", "swap", answer="y").stdout
    assert "1 file, 31 theorems, 1 of 1 open theorem proved" in done
    assert f"Removed swap at {'a' * 40}: 2 files, 31 theorems, 61 tactics, 1 proof." in done
    assert database.repositories() == []


def test_remove_asks_unless_told(run: Callable[..., Result], database: DynamicDatabase) -> None:
    assert run("db", "remove", "swap").exit_code == 1  # nobody answers
    assert len(database.repositories()) == 1
    assert run("db", "remove", "swap", "--yes").exit_code == 0
    assert database.repositories() == []


def test_errors_for_want_of_the_library_s_bodies_are_counted_apart(
    run: Callable[..., Result],
    database: DynamicDatabase,
    repository: Repository,
    make_file: Callable[..., TracedFile],
    tmp_path: Path,
) -> None:
    error = LeanMessage("error", "wrong", Position(3, 8))
    errors = (error, replace(error, cause="hidden body"), replace(error, cause="hidden body"))
    database.store_file(repository, replace(make_file("C.lean"), messages=errors), "1")
    words = "the library's bodies are not in this build"
    assert f"2 of 3 errors: {words}" in run("db", "show", "swap").stdout
    assert run("export", "leandojo", tmp_path / "x").exit_code == 0
    assert f"- 2 errors of them: {words}" in (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
