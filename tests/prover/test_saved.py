"""Searches on disk, as graphs, text and lessons."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import networkx as nx
import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.errors import ConfigError, LeanError, TacticFailure
from lean_agent.lean.mock import MockLeanServer
from lean_agent.policy.mock import MockPolicy
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.driver import Driver
from lean_agent.prover.refusals import TOO_DEEP
from lean_agent.prover.saved.pages import as_html, as_text
from lean_agent.prover.saved.training_rows import NEVER, distance_rows, preference_rows, proof_steps, scored_rows
from lean_agent.prover.saved.trees import (
    SavedEdge,
    SavedNode,
    SavedSearch,
    find_searches,
    load_search,
    record_search,
    save_search,
)
from lean_agent.prover.searches.base import Search
from lean_agent.prover.tree.graph import Failure
from lean_agent.trainer.data.distances import read_distances
from lean_agent.trainer.data.scored_dataset import ScoredGroup, read_groups

TABLE: dict[tuple[str, str], Sequence[str] | LeanError] = {
    ("⊢ r", "split"): ("⊢ a", "⊢ b"),
    ("⊢ a", "done"): (),
    ("⊢ b", "again"): ("⊢ a",),
    ("⊢ r", "astray"): ("⊢ c",),
    ("⊢ b", "slow"): TacticFailure("slow", "timeout", "stopped at the time limit"),
    ("⊢ b", "evil </script><b>"): TacticFailure("evil </script><b>", "error", "no & never\nmore"),
}
TACTICS = ("split", "done", "again", "astray", "slow", "evil </script><b>")


def searched(path: Path) -> SavedSearch:
    """A search that proves ``r``: saved, and as it was when it was saved."""
    kept: list[SavedSearch] = []

    def keep(index: int, search: Search) -> None:
        save_search(path, search, theorem="T.r", file_path="T.lean", prover="mock")
        kept.append(record_search(search, theorem="T.r", file_path="T.lean", prover="mock"))

    policy = MockPolicy({}, default=TACTICS)
    list(
        Driver(MockLeanServer(table=TABLE), policy, SearchConfig("best_first", nodes_per_round=2), on_end=keep).run(
            ["r"]
        )
    )
    return kept[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trees" / "T.r.jsonl"


def test_a_search_is_read_as_it_was_saved(path: Path) -> None:
    search = searched(path)
    assert load_search(path) == search
    assert (search.status, search.script) == ("proved", ("split", "· done", "· again\n  done"))
    root, a, b = search.nodes[:3]
    assert [(edge.tactic, edge.targets, edge.proves) for edge in root.edges] == [
        ("split", (1, 2), True),
        ("astray", (3,), False),
    ]
    assert (root.on_proof, a.on_proof, b.on_proof, search.nodes[3].on_proof) == (True, True, True, False)
    assert {failure.tactic: failure.kind for failure in b.failures}["slow"] == "timeout"
    assert find_searches([path.parent]) == [path]


def test_files_of_another_kind_are_passed_over(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    searched(path)
    for name, text in (("a", '{"prompt": 1}\n'), ("b", "[1]\n"), ("c", "no JSON\n"), ("d", "")):
        path.with_name(f"{name}.jsonl").write_text(text, encoding="utf-8")
    assert find_searches([path.parent]) == [path]
    assert [record.getMessage() for record in caplog.records] == [
        "Passed over 4 other .jsonl files, with no saved search."
    ]
    other = path.with_name("a.jsonl")
    with pytest.raises(ConfigError, match="not a saved search"):  # one that is named is not passed over
        load_search(*find_searches([other]))
    path.unlink()
    with pytest.raises(ConfigError, match="There is no saved search in"):
        find_searches([path.parent])


def test_a_line_ends_where_a_newline_says_so(path: Path) -> None:
    searches: list[Search] = []
    policy = MockPolicy({}, default=["simp\u2028", "simp\x85", "simp\u2029at h"])
    list(Driver(MockLeanServer(), policy, on_end=lambda _, search: searches.append(search)).run(["r"]))
    save_search(path, searches[0], theorem="r")
    (root,) = load_search(path).nodes
    assert {failure.tactic for failure in root.failures} == {"simp\u2028", "simp\x85", "simp\u2029at h"}


def test_a_long_proof_can_be_shown() -> None:
    nodes = tuple(
        SavedNode(0, n, (f"⊢ {n}",), "expanded", True, 0.0, n, edges=(SavedEdge(f"t{n}", 0.0, targets),))
        for n in range(1_500)
        for targets in [(n + 1,) if n < 1_499 else ()]
    )
    lines = as_text(SavedSearch("long", "", "", "best_step", "proved", nodes=nodes)).splitlines()
    # Two lines for each state, in their order, the last one the deepest: four blanks for each step.
    assert lines[2:4] == ["| ⊢ 0", "- t0  [100.0 %]"]
    assert lines[-2:] == [" " * 4 * 1_499 + "| ⊢ 1499", " " * 4 * 1_499 + "- t1499  [100.0 %] ✓"]
    assert len(lines) == 2 + 2 * 1_500


def test_what_is_no_saved_search_is_refused(path: Path, tmp_path: Path) -> None:
    searched(path)
    whole = path.read_text(encoding="utf-8")
    for broken in (whole[: len(whole) // 2], "", "{}\n", "[]\n", whole.splitlines()[0]):
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(ConfigError, match="not a saved search"):
            load_search(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_search(tmp_path / "nothing")
    with pytest.raises(ConfigError, match="no saved search"):
        find_searches([tmp_path / "trees" / "empty"][:0])


def test_the_graph_is_one_for_networkx(path: Path) -> None:
    graph = searched(path).graph()
    assert nx.has_path(graph, "0:0", "0:3")
    tactics = {data["tactic"] for _, _, data in graph.edges(data=True) if data["proves"]}
    assert tactics == {"split", "done", "again"}
    # split leads to two states with one step; each `done` to a leaf of its own
    assert len([1 for _, _, data in graph.out_edges("0:0", data=True) if data["step"] == 0]) == 2
    assert sum(str(name).endswith("solved by 0") for name in graph) == 1


def test_the_tree_as_text(path: Path) -> None:
    text = as_text(searched(path), failures=True)
    lines = text.splitlines()
    assert lines[0].startswith("T.r: proved (mock, best_first; 4 states")
    assert "* split  [50.0 %] -> 2 goals apart" in lines
    assert "    | ⊢ a" in lines and "    * done  [25.0 %] ✓" in lines
    assert "        (state 1, shown above)" in lines
    assert "- astray  [6.2 %]" in lines
    assert "    x evil </script><b>: no & never" in lines
    assert text.endswith("Proof:\n  split\n  · done\n  · again\n    done\n")


def test_the_page_fetches_nothing_and_holds_all(path: Path) -> None:
    page = as_html(searched(path))
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("</script>") == 2  # that of the data and that of the program
    data = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert json.loads(data)["nodes"][2]["failures"][-1]["tactic"] == "evil </script><b>"


def test_lessons(path: Path) -> None:
    search = searched(path)
    rows = {row["prompt"]: row["completions"] for row in scored_rows([search, search])}
    assert set(rows) == {"⊢ r", "⊢ a", "⊢ b"}  # c: nothing worked, nothing to compare
    assert rows["⊢ r"][:2] == [{"text": "split", "score": 1.0}, {"text": "astray", "score": 0.3}]
    scores = {one["text"]: one["score"] for one in rows["⊢ b"]}
    assert scores["again"] == 1.0 and scores["evil </script><b>"] == 0.0
    assert "slow" not in scores  # a time-out says little
    pairs = [row for row in preference_rows([search]) if row["prompt"] == "⊢ r"]
    assert len(pairs) == 1 and pairs[0]["chosen"] == "split" and pairs[0]["rejected"] != "astray"


def test_where_alternatives_have_failed_each_of_them_has() -> None:
    failed = Failure("first | rfl | (simp; done)", -1.0, "error", "no")
    in_cases = Failure("cases h <;> first | rfl | grind", -1.0, "error", "no")
    too_deep = Failure("first | rfl | grind", -1.0, "error", f"simp: {TOO_DEEP}")
    edges, failures = (SavedEdge("omega", -1.0, ()),), (failed, in_cases, too_deep)
    node = SavedNode(0, 0, ("⊢ r",), "expanded", True, 0.0, 0, edges=edges, failures=failures)
    search = SavedSearch("r", "A.lean", "p", "best_step", "proved", nodes=(node,))
    ((row,), distances) = [*scored_rows([search])], [*distance_rows([search])]
    all_failed = ["rfl", "(simp; done)", in_cases.tactic, too_deep.tactic]  # of which `grind` may not have been tried
    assert [each["text"] for each in row["completions"]] == ["omega", *all_failed]
    assert [each["tactic"] for each in distances if each["steps"] == NEVER] == all_failed


def test_distances_are_those_of_the_shortest_known_proof() -> None:
    """r splits into a and b; a is closed at once, b in two steps or, by a detour, in three; of c no proof is known."""
    nodes = (
        SavedNode(
            0, 0, ("⊢ r",), "expanded", True, 0.0, 0,
            edges=(SavedEdge("split", -1.0, (1, 2)), SavedEdge("astray", -1.0, (4,))),
            failures=(Failure("wrong", -1.0, "error", "no"), Failure("slow", -1.0, "timeout", "…")),
        ),
        SavedNode(0, 1, ("⊢ a",), "expanded", True, 0.0, 1, edges=(SavedEdge("done", -1.0, ()),)),
        SavedNode(
            0, 2, ("⊢ b",), "expanded", True, 0.0, 1,
            edges=(SavedEdge("detour", -1.0, (3,)), SavedEdge("on", -1.0, (1,)), SavedEdge("m", 0.0, (), "memory")),
        ),
        SavedNode(0, 3, ("⊢ d",), "expanded", True, 0.0, 2, edges=(SavedEdge("on", -1.0, (1,)),)),
        SavedNode(0, 4, ("⊢ c",), "expanded", False, 0.0, 1, edges=(SavedEdge("on", -1.0, (5, 6)),)),
        SavedNode(0, 5, ("⊢ e",), "dead", False, 0.0, 2),
        SavedNode(0, 6, ("⊢ f",), "open", False, 0.0, 2),
    )  # fmt: skip
    search = SavedSearch("T.r", "T.lean", "p", "best_step", "proved", nodes=nodes)
    rows = {(row["goal"], row["tactic"]): (row["steps"], row["censored"]) for row in distance_rows([search])}
    assert rows == {
        ("⊢ r", ""): (4, False),  # split, then 1 + 2
        ("⊢ r", "split"): (4, False),
        ("⊢ r", "astray"): (3, True),  # itself, c and e
        ("⊢ r", "wrong"): (NEVER, True),
        ("⊢ a", ""): (1, False),
        ("⊢ a", "done"): (1, False),
        ("⊢ b", ""): (2, False),
        ("⊢ b", "detour"): (3, False),
        ("⊢ b", "on"): (2, False),
        ("⊢ d", ""): (2, False),
        ("⊢ d", "on"): (2, False),
        ("⊢ c", ""): (2, True),  # c and e were looked at
        ("⊢ c", "on"): (2, True),
        ("⊢ e", ""): (1, True),
    }


def test_exported_distances_are_read_by_the_training_of_a_value_model(path: Path, tmp_path: Path) -> None:
    searched(path)
    file = tmp_path / "distances.jsonl"
    assert CliRunner().invoke(app, ["export", "distances", str(path), "-o", str(file)]).exit_code == 0
    steps = {row.goal: row.steps for row in read_distances(file) if not row.tactic and not row.censored}
    assert steps == {"⊢ r": 4, "⊢ a": 1, "⊢ b": 2}  # split, done, again, done


def test_exported_pairs_are_read_by_the_offline_training(path: Path, tmp_path: Path) -> None:
    searched(path)
    pairs = tmp_path / "pairs.jsonl"
    assert CliRunner().invoke(app, ["export", "pairs", str(path), "-o", str(pairs)]).exit_code == 0
    groups = read_groups(pairs)
    assert [group.prompt for group in groups] == ["⊢ r", "⊢ a", "⊢ b"]  # a proof of each, one tactic
    assert [group.texts[0] for group in groups] == ["split", "done", "again"]
    assert all(group.scores == (1.0, 0.0) and group.texts[0] != group.texts[1] for group in groups)
    pairs.write_text('[{"prompt": "⊢ p", "chosen": "rfl", "rejected": "simp"}]', encoding="utf-8")
    assert read_groups(pairs) == (ScoredGroup("⊢ p", ("rfl", "simp"), (1.0, 0.0)),)


def test_commands(path: Path, tmp_path: Path) -> None:
    searched(path)
    run = CliRunner()
    assert "T.r: proved" in run.invoke(app, ["search", "list", str(path.parent)]).output
    assert "* split" in run.invoke(app, ["search", "show", str(path)]).output
    page = tmp_path / "page.html"
    assert run.invoke(app, ["search", "show", str(path), "--html", str(page)]).exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    rows = tmp_path / "scored.jsonl"
    assert "3 rows" in run.invoke(app, ["export", "scored", str(path.parent), "-o", str(rows)]).output
    first = json.loads(rows.read_text(encoding="utf-8").splitlines()[0])
    assert set(first) == {"prompt", "completions"} and set(first["completions"][0]) == {"text", "score"}
    groups = {group.prompt: group for group in read_groups(rows)}  # as offline training reads them
    assert set(groups) == {"⊢ r", "⊢ a", "⊢ b"}
    assert (groups["⊢ r"].texts[:2], groups["⊢ r"].scores[:2]) == (("split", "astray"), (1.0, 0.3))
    assert run.invoke(app, ["export", "pairs", str(path), "-o", str(tmp_path / "pairs.jsonl")]).exit_code == 0
    refused = run.invoke(app, ["search", "show", str(page)])
    assert refused.exit_code == 1


def solved(number: int, goal: str, *edges: SavedEdge, graph: int = 0) -> SavedNode:
    return SavedNode(graph, number, (goal,), "expanded", bool(edges), 0.0, number, edges=edges)


def test_only_steps_on_a_shortest_proof_are_steps() -> None:
    """From r, `near` leaves a, which `done` closes: 2 steps. `far` leaves b, which needs 2: a detour, as is `round`,
    which leads back to r. Of a both `done` and `too` are proofs of one step."""
    nodes = (
        solved(0, "⊢ r", SavedEdge("far", -1.0, (2,)), SavedEdge("near", -1.0, (1,)), SavedEdge("astray", -1.0, (3,))),
        solved(1, "⊢ a", SavedEdge("done", -1.0, ()), SavedEdge("too", -2.0, ()), SavedEdge("round", -1.0, (0,))),
        solved(2, "⊢ b", SavedEdge("on", -1.0, (1,))),
        solved(3, "⊢ c"),
    )
    search = SavedSearch("T.r", "T.lean", "p", "best_step", "proved", nodes=nodes)
    steps = {(step.goal, step.tactic): (step.steps, step.after) for step in proof_steps([search, search])}
    assert steps == {
        ("⊢ r", "near"): (2, ("⊢ a",)),
        ("⊢ a", "done"): (1, ()),
        ("⊢ a", "too"): (1, ()),
        ("⊢ b", "on"): (2, ("⊢ a",)),  # of a sub-goal that the proof does not need
    }
    rows = {row["prompt"]: row["completions"] for row in scored_rows([search])}
    assert {tactic["text"]: tactic["score"] for tactic in rows["⊢ r"]} == {"near": 1.0, "far": 0.3, "astray": 0.3}
    assert {tactic["text"]: tactic["score"] for tactic in rows["⊢ a"]} == {"done": 1.0, "too": 1.0, "round": 0.3}


def test_what_a_memory_proved_has_the_length_that_another_search_has_seen() -> None:
    remembered = SavedSearch(
        "T.told", "T.lean", "p", "best_step", "proved",
        nodes=(solved(0, "⊢ q", SavedEdge("to r", -1.0, (1,))), solved(1, "⊢ r", SavedEdge("a\nb", 0.0, (), "memory"))),
    )  # fmt: skip
    assert list(proof_steps([remembered])) == []
    known = SavedSearch(
        "T.r", "T.lean", "p", "best_step", "proved", nodes=(solved(0, "⊢ r", SavedEdge("c", -1.0, ())),)
    )
    steps = {(step.goal, step.tactic): (step.steps, step.search) for step in proof_steps([remembered, known])}
    assert steps == {("⊢ q", "to r"): (2, 0), ("⊢ r", "c"): (1, 1)}
