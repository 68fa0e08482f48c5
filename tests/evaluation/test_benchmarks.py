"""Benchmarks by name: what each reads, what it leaves out and says so."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import BENCHMARKS, Benchmark, LeftOut, Request, load_benchmark, spread
from lean_agent.evaluation.benchmarks.problem import Problem, project_of, read_problems, write_problems
from lean_agent.evaluation.benchmarks.sorries import with_answers
from lean_agent.evaluation.results import ATTEMPTS, keep_repositories, origins, recheck
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanProject, Position, TheoremSite, TracedFile, TracedTheorem, Verdict
from lean_agent.prover.proofs.result import theorem_key

ADD_ZERO = {"name": "add_zero", "statement": "theorem add_zero (n : Nat) : n + 0 = n", "context": "", "imports": []}


def jsonl(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


# -- lines of JSON


def test_a_line_becomes_a_file_that_leaves_the_theorem_open(tmp_path: Path) -> None:
    row = {**ADD_ZERO, "context": "open Nat\n", "imports": ["Init.Data.Nat.Basic"]}
    (problem,) = read_problems(jsonl(tmp_path / "a.jsonl", row))
    assert problem.source == (
        "import Init.Data.Nat.Basic\n\nopen Nat\n\ntheorem add_zero (n : Nat) : n + 0 = n := by\n  sorry\n"
    )
    assert Problem("t", "theorem t : True", prelude=True, imports=("Init.Prelude",)).source.startswith(
        "prelude\nimport Init.Prelude\n\ntheorem"
    )


@pytest.mark.parametrize(
    ("given", "statement"),
    [
        ("theorem t : 1 = 1 := by", "theorem t : 1 = 1"),
        ("theorem t : 1 = 1 := by sorry", "theorem t : 1 = 1"),
        ("theorem t : 1 = 1 := sorry", "theorem t : 1 = 1"),
        ("theorem t : 1 = 1 :=\n  sorry\n", "theorem t : 1 = 1"),
        ("lemma t : 1 = 1", "lemma t : 1 = 1"),
        ("@[simp] theorem t : 1 = 1", "@[simp] theorem t : 1 = 1"),
        ("1 = 1", "theorem t : 1 = 1"),
        ("theorem t : let x := 1; x = 1 := by", "theorem t : let x := 1; x = 1"),
        ("theorem t (h : let x := 1; x = 1) : True", "theorem t (h : let x := 1; x = 1) : True"),
    ],
)
def test_statements_come_with_and_without_an_open_proof(tmp_path: Path, given: str, statement: str) -> None:
    (problem,) = read_problems(jsonl(tmp_path / "a.jsonl", {"name": "t", "statement": given}))
    assert problem.statement == statement


def test_the_fields_of_minif2f_and_proofnet_are_understood(tmp_path: Path) -> None:
    header = "import Mathlib\nimport Aesop\nset_option maxHeartbeats 400000\nopen Nat\n"
    row = {"name": "t", "split": "valid", "header": header, "formal_statement": "theorem t : 1 = 1 := by\n"}
    (problem,) = read_problems(jsonl(tmp_path / "a.jsonl", row))
    assert (problem.imports, problem.split) == (("Mathlib", "Aesop"), "valid")
    assert problem.context == "set_option maxHeartbeats 400000\nopen Nat"


def test_problems_survive_being_written_and_read(tmp_path: Path) -> None:
    problems = [
        Problem("a", "theorem a : α = α", "variable (α : Nat)", ("Init",), True, "M", "train", 2.5, "123"),
        Problem("b", "theorem b : True"),
    ]
    assert read_problems(write_problems(problems, tmp_path / "a.jsonl")) == problems


def test_statements_of_results_are_read_as_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    repository, paths = project_of("mine", [Problem("t", "theorem t : True", "open Nat\r\n-- x\u2028y")])
    theorem = TracedTheorem("t", "t", "by sorry", "tactic", True, "t", "t", 0, 1, Position(1, 0), Position(1, 0))
    results = tmp_path / "results"
    (path,) = paths.values()
    keep_repositories(results, [StoredTheorem(repository, path, theorem)])
    attempt = {"prover": "p", "url": repository.url, "commit": repository.commit, "file_path": path}
    rest = {"status": "proved", "proof": "by trivial", "message": "", "budget": {}, "full_name": "t"}
    numbers = dict.fromkeys(("steps", "expansions", "lean_calls", "tokens", "seconds"), 1)
    jsonl(results / ATTEMPTS, {**attempt, **rest, **numbers})
    assert len(list(recheck(results, MockLeanServer({"t": "True"}), progress=False))) == 1


class Watched(MockLeanServer):
    """Notes which files proofs are judged in, and which are judged at the same time."""

    def __init__(self, theorems: dict[str, str]) -> None:
        super().__init__(theorems)
        self.files: list[str] = []
        self.inside: list[str] = []
        self.traced: list[str] = []
        self.apart = threading.Barrier(2)

    @override
    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        self.traced.append(file_path)
        return super().trace_file(project, file_path)

    @override
    def verify(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        assert site.file_path not in self.inside
        self.inside.append(site.file_path)
        self.files.append(site.file_path)
        self.apart.wait(20)  # two at a time, of two files
        self.inside.remove(site.file_path)
        return super().verify(site, proof, **options)


def test_the_proofs_of_a_file_are_judged_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    problems = [Problem(name, f"theorem {name} : True") for name in ("a1", "b1", "a2", "b2")]
    repository, paths = project_of("mine", problems)
    theorem = TracedTheorem("t", "t", "by sorry", "tactic", True, "t", "t", 0, 1, Position(1, 0), Position(1, 0))
    results = tmp_path / "results"
    keep_repositories(results, [StoredTheorem(repository, path, theorem) for path in paths.values()])
    first, second = list(paths.values())[:2]
    numbers = dict.fromkeys(("steps", "expansions", "lean_calls", "tokens", "seconds"), 1)
    rows = [
        {
            **{"prover": "p", "url": repository.url, "commit": repository.commit, "full_name": name},
            **{
                "file_path": first if name[0] == "a" else second,
                "status": "proved",
                "proof": "by\n  intro p h\n  exact h",
            },
            **{"message": "", "budget": {}, **numbers},
        }
        for name in ("a1", "b1", "a2", "b2")
    ]
    jsonl(results / ATTEMPTS, *rows)
    server = Watched(dict.fromkeys(("a1", "b1", "a2", "b2"), "∀ (p : Prop), p → p"))
    judged = [(proof.attempt.full_name, proof.verdict.accepted) for proof in recheck(results, server, progress=False)]
    assert judged == [("a1", True), ("a2", True), ("b1", True), ("b2", True)]
    assert sorted(server.files) == sorted([first, first, second, second])
    assert server.traced == [], "nothing imports them"


@pytest.mark.parametrize("line", ['{"name": "t"}', "[]", '{"name"', '{"statement": "theorem t : True"}', "3"])
def test_a_line_that_is_no_theorem_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(ADD_ZERO) + "\n\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="Line 3 of"):
        read_problems(path)


def test_a_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_problems(tmp_path / "none.jsonl")
    with pytest.raises(ConfigError, match="holds no theorem"):
        read_problems(jsonl(tmp_path / "a.jsonl"))


def test_no_other_list_passes_for_lean_core(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "lean-core.jsonl", ADD_ZERO)
    with DynamicDatabase(tmp_path / "database.sqlite") as database, pytest.raises(ConfigError, match="another name"):
        load_benchmark("jsonl", Request(MockLeanServer(), database, str(path)))
    # Results that say they are of lean-core are checked against the list that ships, whatever they bring along.
    forged = Problem("List.any_reverse", "theorem List.any_reverse : True")
    repository, _ = project_of("lean-core", [forged])
    theorem = TracedTheorem("t", "t", "by sorry", "tactic", True, "t", "t", 0, 1, Position(1, 0), Position(1, 0))
    results = tmp_path / "results"
    keep_repositories(results, [StoredTheorem(repository, "A.lean", theorem)])
    attempt = {"prover": "p", "url": repository.url, "commit": repository.commit, "file_path": "A.lean"}
    rest = {"status": "proved", "proof": "by trivial", "message": "", "budget": {}, "full_name": "List.any_reverse"}
    numbers = dict.fromkeys(("steps", "expansions", "lean_calls", "tokens", "seconds"), 1)
    jsonl(results / ATTEMPTS, {**attempt, **rest, **numbers})
    with pytest.raises(ConfigError, match="list of lean-core that ships"):
        list(recheck(results, MockLeanServer(), progress=False))
    assert origins(results) == ["statements of lean-core as they ship with this version"]


def test_theorems_whose_names_look_alike_get_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    problems = [Problem(name, f"theorem {name} : True") for name in ("a.b", "a_b", "A.b", "../../etc")]
    repository, paths = project_of("x", problems)
    assert len({path.casefold() for path in paths.values()}) == 4
    assert all((repository.path / path).resolve().is_relative_to(repository.path.resolve()) for path in paths.values())
    assert project_of("x", problems)[0] == repository
    assert project_of("x", problems[:2])[0] != repository


# -- Lean files


def test_putnambench_gets_its_answers() -> None:
    text = (
        "abbrev putnam_solution : ℕ → ℕ := sorry\n-- fun n : ℕ =>\n--   n + 1\n/-- What? -/\n"
        "theorem putnam : f = putnam_solution := sorry\n"
    )
    assert with_answers(text) == (
        "abbrev putnam_solution : ℕ → ℕ :=\n  fun n : ℕ =>\n  n + 1\n/-- What? -/\n"
        "theorem putnam : f = putnam_solution := sorry\n"
    )
    assert with_answers("theorem t : True := sorry\n\n-- a remark\n") == "theorem t : True := sorry\n\n-- a remark\n"


@pytest.mark.lean
def test_lean_files_are_measured_and_what_needs_mathlib_says_so(lean: LeanPool, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "a.lean").write_text("import Mathlib\ntheorem a : True := by sorry\n", encoding="utf-8")
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        request = Request(lean, database, str(files), progress=False)
        with pytest.raises(ConfigError, match="need Mathlib, which embedded Lean has not"):
            load_benchmark("putnambench", request)
        (files / "b.lean").write_text(
            "abbrev b_solution : Nat := sorry\n-- 4\n\ntheorem b : b_solution = 2 + 2 := by sorry\n\n"
            "theorem done : True := trivial\n",
            encoding="utf-8",
        )
        found = load_benchmark("putnambench", request)
        (theorem,) = found.theorems
        assert theorem.full_name == "b"
        assert [("Mathlib" in one.reason, one.name, one.is_file) for one in found.left_out] == [
            (True, "a.lean:1", True)
        ]
        assert found.facts[theorem_key(theorem)].group == "PutnamBench"
        assert lean.verify(theorem.site, "by rfl", whole_file=True).accepted
        single = load_benchmark("lean-files", Request(lean, database, str(files / "b.lean"), progress=False))
        # Without the answer the definition itself is a hole.
        assert not lean.verify(single.theorems[-1].site, "by rfl", whole_file=True).accepted


# As their repositories lay them out, with theorems that Lean's own library can state: the header stands for Mathlib.
MINIF2F = {
    "MiniF2F.lean": "import MiniF2F.Test\nimport MiniF2F.Valid\n",
    "MiniF2F/Minif2fImport.lean": "HEADER",
    "MiniF2F/Test.lean": (
        "import MiniF2F.Minif2fImport\n\nset_option maxHeartbeats 400000\n\n"
        "theorem mathd_numbertheory_3 : (10 * 3 + 7) % 4 = 1 := by sorry\n\n"
        "theorem mathd_algebra_a (x y : Int) (h₀ : x + y = 7) (h₁ : x - y = 1) : x = 4 ∧ y = 3 := sorry\n"
    ),
    "MiniF2F/Valid.lean": (
        "import MiniF2F.Minif2fImport\n\nopen Nat\n\ntheorem amc12a_p1 (n : Nat) (h₀ : succ n = 3) : n = 2 := by\n"
        "  sorry\n"
    ),
    "lakefile.lean": "import Lake\nopen Lake DSL\npackage miniF2F\n",
}
PROOFNET = {
    "formal/Herstein.lean": (
        "HEADER\nopen Function Nat\n\nnamespace Herstein\n\n"
        "theorem exercise_2_1_18 {α : Type*} (f : α → α) (h : ∀ x, f (f x) = x) : ∀ x, f (f (f x)) = f x :=\nsorry\n\n"
        "end Herstein\n"
    ),
    "formal/Munkres.lean": "HEADER\ntheorem exercise_13_1 (p q : Prop) (hp : p) : q → p ∧ q := sorry\n",
    "lakefile.lean": "import Lake\nopen Lake DSL\npackage proofnet\n",
}


def laid_out(folder: Path, files: dict[str, str], header: str) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text.replace("HEADER", header), encoding="utf-8")
    return folder


LAYOUTS = {
    "minif2f": ("miniF2F", MINIF2F, {"mathd_numbertheory_3", "mathd_algebra_a", "amc12a_p1"}),
    "proofnet": ("ProofNet", PROOFNET, {"Herstein.exercise_2_1_18", "exercise_13_1"}),
}


@pytest.mark.lean
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("name", ["minif2f", pytest.param("proofnet", marks=pytest.mark.long)])
def test_minif2f_and_proofnet_in_the_layout_of_their_repositories(name: str, lean: LeanPool, tmp_path: Path) -> None:
    title, files, names = LAYOUTS[name]
    database = DynamicDatabase(tmp_path / "database.sqlite")
    with ScriptedAgent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False) as agent:

        def load(folder: Path) -> Benchmark:
            return load_benchmark(name, Request(lean, database, str(folder), progress=False))

        shipped = laid_out(tmp_path / "shipped", files, "import Mathlib\n")
        with pytest.raises(
            ConfigError, match=f"^{title} has no open theorem.*need Mathlib, which embedded Lean has not"
        ):
            load(shipped)
        # One file more, without it: that one is measured, and the report says what was not.
        (shipped / "Own.lean").write_text("theorem own : 2 + 2 = 4 := by sorry\n", encoding="utf-8")
        mixed = load(shipped)
        assert [one.full_name for one in mixed.theorems] == ["own"]
        assert {one.name.partition(":")[0] for one in mixed.left_out} == {f for f in files if f != "lakefile.lean"}
        assert all("Mathlib" in one.reason for one in mixed.left_out)
        assert [one.status for one in agent.evaluate(mixed).attempts] == ["proved"]
        report = (agent.run.path / "report.md").read_text(encoding="utf-8")
        assert f"1 theorem tried; {len(mixed.left_out)} files of the benchmark left out." in report
        assert "needs Mathlib" in report

        free = load(laid_out(tmp_path / "free", files, 'macro "Type*" : term => `(Type _)\n'))
        assert {one.full_name for one in free.theorems} == names and free.left_out == ()
        assert {one.full_name: one.status for one in agent.evaluate(free).attempts} == dict.fromkeys(names, "proved")


@pytest.mark.lean
@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("name", LAYOUTS)
def test_minif2f_and_proofnet_as_lines_of_json(name: str, lean: LeanPool, tmp_path: Path) -> None:
    title = LAYOUTS[name][0]
    far = {"name": "far", "split": "test", "header": "import Mathlib\nimport Aesop\nopen Nat\n"}
    far["formal_statement"] = "theorem far (n : ℕ) : n = n := by\n"
    near = {"name": "near", "split": "test", "header": "open Nat\n"}
    near["formal_statement"] = "theorem near (n : Nat) : succ n = n + 1 := by\n"
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        only_far = Request(lean, database, str(jsonl(tmp_path / "far.jsonl", far)), progress=False)
        with pytest.raises(
            ConfigError, match=f"^{title} has no open theorem.*need Mathlib, which embedded Lean has not"
        ):
            load_benchmark(name, only_far)
        both = Request(lean, database, str(jsonl(tmp_path / "both.jsonl", far, near)), progress=False, split="test")
        found = load_benchmark(name, both)
    assert [one.full_name for one in found.theorems] == ["near"]
    assert found.left_out == (LeftOut("far", "needs Mathlib, which is no part of the project (import Mathlib)"),)
    assert lean.verify(found.theorems[0].site, "by rfl", whole_file=True).accepted


@pytest.mark.lean
def test_a_jsonl_file_is_measured(lean: LeanPool, tmp_path: Path) -> None:
    path = jsonl(
        tmp_path / "mine.jsonl",
        {**ADD_ZERO, "name": "N.easy", "statement": "theorem N.easy (n : Nat) : n + 0 = n", "split": "test"},
        {"name": "wrong", "statement": "theorem wrong : no_such_thing", "difficulty": 7},
        {"name": "far", "statement": "theorem far : True", "imports": ["Mathlib"]},
    )
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        found = load_benchmark("jsonl", Request(lean, database, str(path), progress=False))
    (theorem,) = found.theorems
    assert theorem.full_name == "N.easy"
    assert found.left_out == (
        LeftOut("wrong", "Lean does not accept the statement"),
        LeftOut("far", "needs Mathlib, which is no part of the project (import Mathlib)"),
    )
    facts = found.facts[theorem_key(theorem)]
    assert (facts.group, facts.split, facts.difficulty) == ("mine", "test", float(len(theorem.theorem.statement)))
    assert found.choose(split="test").theorems == found.theorems
    with pytest.raises(ConfigError, match="it has test"):
        found.choose(split="train")


@pytest.mark.lean
def test_of_a_jsonl_file_only_what_is_wanted_is_traced(lean: LeanPool, tmp_path: Path) -> None:
    names = "abcdef"
    path = jsonl(
        tmp_path / "six.jsonl",
        *({"name": one, "statement": "1 = 1", "split": "test" if one in "bdf" else "train"} for one in names),
    )
    whole, _ = project_of("six", read_problems(path))
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        # Two of the three, evenly spread: those at 0 * 3 // 2 = 0 and 1 * 3 // 2 = 1.
        request = Request(lean, database, str(path), progress=False, count=2, split="test")
        found = load_benchmark("jsonl", request)
        assert [one.full_name for one in found.theorems] == ["b", "d"]
        assert {one.full_name for one in database.sorry_theorems([whole])} == {"b", "d"}
        with pytest.raises(ConfigError, match="six has no split 'valid'; it has test, train"):  # and traces nothing
            load_benchmark("jsonl", Request(MockLeanServer(), database, str(path), split="valid"))
        every = load_benchmark("jsonl", Request(lean, database, str(path), progress=False))
        assert [one.full_name for one in every.theorems] == [*names]


@pytest.mark.lean
def test_the_theorem_of_a_line_is_not_one_of_its_context(lean: LeanPool, tmp_path: Path) -> None:
    helper = "theorem a_helper_with_a_long_name (a b c : Nat) : a + b + c = a + (b + c) := by sorry"
    path = jsonl(
        tmp_path / "mine.jsonl",
        {"name": "t", "statement": "theorem t (n : Nat) : n + 0 = n", "context": helper},
        {"name": "wrong", "statement": "theorem wrong : no_such_thing", "context": helper},
        {
            "name": "N.t",
            "statement": "/-- Twice. -/\ntheorem t : 1 = 1",
            "context": f"namespace N\r\n-- x\u2028y\r\n{helper}",
        },
    )
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        found = load_benchmark("jsonl", Request(lean, database, str(path), progress=False))
    assert {one.full_name for one in found.theorems} == {"t", "N.t"}
    assert found.left_out == (LeftOut("wrong", "Lean does not accept the statement"),)


# -- the registry


def test_benchmarks_are_known_by_name(tmp_path: Path) -> None:
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        request = Request(MockLeanServer(), database)
        with pytest.raises(ConfigError, match="There are jsonl, lean-core"):
            load_benchmark("nothing", request)
        for name in set(BENCHMARKS) - {"lean-core"}:
            with pytest.raises(ConfigError, match=r"[Nn]ame"):
                load_benchmark(name, request)


def test_theorems_are_spread_evenly() -> None:
    numbers: list[Any] = [0, 1, 2, 3, 4, 5, 6, 7]
    assert spread(numbers[:6], 3) == [0, 2, 4]
    assert spread(numbers, 3) == [0, 2, 5]  # 0, 8/3, 16/3
    assert spread(numbers[:0], 3) == []
    assert spread(numbers[:2], 5) == spread(numbers[:2], None) == [0, 1]
