"""Tracing with real Lean: small projects written here; tests/test_repos.py traces those that ship with the package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lean_agent.agent.tables import trace_summary
from lean_agent.database import DynamicDatabase
from lean_agent.errors import RepositoryNotFound
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer
from lean_agent.tracing import fetch_packages, lean_project, lean_projects, local_repository, trace_repository

pytestmark = pytest.mark.lean

PROJECT = {
    "lean-toolchain": "leanprover/lean4:v4.28.0\n",
    "Pair/Basic.lean": """\
namespace Pair
variable {p q : Prop}

/-- A name of our own for the pair. -/
theorem both (hp : p) (hq : q) : p ∧ q := ⟨hp, hq⟩

end Pair
""",
    "Pair/Swap.lean": """\
import Pair.Basic
open Pair

theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  cases h with
  | intro hp hq =>
    exact both hq hp

theorem left_open (p q : Prop) (h : p ∧ q) : q := by
  have hp := h.left
  sorry
""",
    "Pair/Broken.lean": """\
import Pair.Basic

theorem fine : True := trivial

theorem broken : 1 = 2 := by
  exact rfl
""",
    "Pair/Far.lean": "import Mathlib.Logic.Basic\n\ntheorem far : True := trivial\n",
    "Pair/Beyond.lean": "import Pair.Far\n",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_with_lean: Callable[[Path], Path]) -> Path:
    """Compiled modules go to a folder of the test; Lean itself stays where the user has it."""
    folder = cache_with_lean(tmp_path / "cache ∀ü")
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(folder))
    return folder


def test_a_project_of_several_files(lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]) -> None:
    repository = local_repository(write_project(tmp_path / "päir s", PROJECT))
    with DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)

        assert [file.path for file in traced.files] == ["Pair/Basic.lean", "Pair/Broken.lean", "Pair/Swap.lean"]
        theorems = {theorem.full_name: theorem for theorem in traced.theorems}
        assert {"Pair.both", "swap", "left_open", "fine"} <= set(theorems)

        swap = theorems["swap"]
        assert not swap.has_sorry
        source = PROJECT["Pair/Swap.lean"].encode()
        last = swap.tactics[-1]
        assert source[last.start : last.end].decode() == last.tactic == "exact both hq hp"
        assert "⊢ q ∧ p" in last.state_before
        assert last.state_after == "no goals"
        assert "Pair.both" in {premise.full_name for premise in last.premises}
        assert swap.start_pos.line == 4 and swap.start_pos.column == 0
        assert theorems["left_open"].has_sorry

        # What could not be traced says so in its own file, line and words.
        broken = [(path, message.start.line) for path, message in traced.errors]
        assert broken == [("Pair/Broken.lean", 6)]
        assert [(skipped.path, skipped.line) for skipped in traced.skipped] == [
            ("Pair/Beyond.lean", 1),
            ("Pair/Far.lean", 1),
        ]
        assert all("needs Mathlib" in skipped.reason for skipped in traced.skipped)

        # What was stored equals what was traced, and a second run finds all of it.
        assert [database.load_file(repository, file.path) for file in traced.files] == list(traced.files)
        assert [theorem.full_name for theorem in database.sorry_theorems()] == ["left_open"]
        assert trace_repository(repository, lean, database=database, progress=False).reused == len(traced.files)


AXIOMS = """\
axiom magic : ∀ n : Nat, n = n + 0
axiom Point : Type
axiom origin : Point
namespace N
theorem sound (n : Nat) : n = n + 0 := by simp
theorem uses (n : Nat) : n = n + 0 := by exact magic n
theorem deep (n : Nat) : n = n + 0 := by
  rw [← uses n]
theorem compiled : 10 < 20 := by native_decide
theorem compiled_too : 10 < 20 ∧ True := ⟨by decide +native, trivial⟩
theorem states (p : Point) : p = p := by rfl
noncomputable def here : Point := origin
theorem through_a_definition : here = here := by rfl
theorem binds (here : Nat) : here = here := by rfl
axiom four : 2 + 2 = 5
@[simp] theorem hidden : 4 = 5 := four
theorem unnamed (p : Prop) (h : 4 = 5 → p) : p := by exact h (by simp only [hidden])
macro "quietly" : tactic => `(tactic| exact magic _)
theorem by_macro : 3 = 3 + 0 := by quietly
theorem only_speaks_of_it : True := by
  -- native_decide
  trivial
end N
"""
NOT_STANDARD = {
    "N.uses": {"magic"}, "N.deep": {"magic"}, "N.compiled": {"Lean.ofReduceBool"},
    "N.compiled_too": {"Lean.ofReduceBool"}, "N.states": {"Point"}, "N.through_a_definition": {"Point", "origin"},
    "N.hidden": {"N.four"}, "N.unnamed": {"N.four"}, "N.by_macro": {"magic"},
}  # fmt: skip


def test_theorems_on_axioms_of_their_own_are_named_and_in_no_split(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    importing = (
        "import A\ntheorem far (p : Prop) (h : 4 = 5 → p) : p := by simp_all\ntheorem too : 3 = 3 + 0 := by quietly\n"
    )
    files = {"A.lean": AXIOMS, "B.lean": importing}
    repository = local_repository(write_project(tmp_path / "p", files))
    with DynamicDatabase(tmp_path / "db") as database:
        trace_repository(repository, lean, database=database, progress=False)
        theorems = [stored.theorem for stored in database.theorems(repository)]
        found = {theorem.full_name: set(theorem.axioms) for theorem in theorems if theorem.axioms}
        assert found == {**NOT_STANDARD, "far": {"N.four"}, "too": {"magic"}}
        metadata = database.export_merged_data([repository], tmp_path / "x", "jsonl")
        database.export_dynamic_database([repository], tmp_path / "v2.json")
    # sound, binds and only_speaks_of_it
    assert (metadata["theorems"], metadata["proved"], metadata["on_axioms"]) == (14, 3, 11)
    assert metadata["axioms"] == {"magic": 4, "N.four": 3, "Lean.ofReduceBool": 2, "Point": 2, "origin": 1}
    in_splits = metadata["splits"]["random"]
    assert in_splits["train"] + in_splits["val"] + in_splits["test"] == 3
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    assert (
        "- 11 theorems resting on other axioms than Lean's three: `magic` (4), `N.four` (3), `Lean.ofReduceBool` (2),"
        in card
    )
    (v2,) = json.loads((tmp_path / "v2.json").read_text(encoding="utf-8"))["repositories"]
    assert (v2["num_proven_theorems"], v2["metadata"]["on_axioms"]) == (3, 11)


FAILING = """\
theorem fine : 1 = 1 := by rfl
theorem wrong : 1 = 2 := by rfl
theorem ill_typed : 1 = 2 := rfl
theorem cut_short : 1 = 1 := by by
theorem wrong_within : 1 = 1 := by exact helper 1
where
  helper (n : Nat) : n = 2 := by rfl
theorem fine_within : 1 = 1 := by exact helper 1
where
  helper (n : Nat) : n = n := by rfl
set_option autoImplicit false in
theorem ill_stated (x : Nope) : 1 = 1 := by rfl
lemma unread : 1 = 1 := rfl
example : 1 = 2 := by rfl
"""


def test_theorems_with_an_error_inside_are_counted_and_named(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    repository = local_repository(write_project(tmp_path / "p", {"A.lean": FAILING}))
    with DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)
        (summary,) = traced.summaries
        metadata = database.export_merged_data([repository], tmp_path / "x")
        (file,) = traced.files
    failed = ["wrong", "ill_typed", "cut_short", "wrong_within", "ill_stated", "example.1"]
    assert [one.full_name for one in file.failed] == failed
    assert (summary.theorems, summary.failed) == (2, 6)  # to Lean, `lemma` is no word
    assert metadata["repositories"][0]["failed"] == failed
    assert [(theorem.full_name, theorem.kind) for theorem in file.lost if theorem.kind != "failed"] == [
        ("unread", "unread")
    ]
    words = trace_summary(traced)
    assert "  6 more theorems left out for errors inside\n" in words
    assert (
        "  1 more theorem in text that Lean has not read; `lean-agent db show p` names them (9 theorems stated)"
        in words
    )
    card = (tmp_path / "x" / "README.md").read_text(encoding="utf-8")
    assert "- 6 theorems in which Lean finds an error; `failed` of their repository in metadata.json names them" in card


UNSTATED = """\
theorem fine (n : Nat) : n + 0 = n := by sorry
/-- What an exercise says. -/
def unstated : ∀ n : Nat, n + 0 = n := by sorry
instance : Nonempty Nat := sorry
def rests : ∀ n : Nat, n + 0 = n := unstated
def double (n : Nat) : Nat := go n
where
  go (n : Nat) : Nat := sorry
theorem of_double : double 1 = 2 := by sorry
"""


def test_a_summary_names_what_is_left_open_and_is_no_theorem(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    repository = local_repository(write_project(tmp_path / "p", {"A.lean": UNSTATED}))
    with DynamicDatabase(tmp_path / "db") as database:
        for _ in range(2):
            traced = trace_repository(repository, lean, database=database, progress=False)
            words = trace_summary(traced)
            assert traced.summaries[0].open_beside == ("unstated", "instNonemptyNat_a", "double", "double.go")
            assert (
                "  4 declarations that are no theorems are left as sorry, and never searched for (unstated, " in words
            )
    assert "no theorems" not in trace_summary(replace(traced, summaries=()))


OLD = """\
theorem fine : 1 = 1 := by rfl
theorem renamed (n : Nat) : n = n := by exact Nat.a_name_of_another_version n
theorem respelled (n : Nat) : n = n := by a_tactic_of_another_version
theorem wrong_in_any : 1 = 2 := by rfl
"""


def test_a_summary_says_which_lean_ran_where_another_was_asked_for(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    files = {"lean-toolchain": "leanprover/lean4:v4.9.0\n", "A.lean": OLD}
    repository = local_repository(write_project(tmp_path / "p", files))
    # a name and a tactic that this Lean does not have; the tactic's goal is left unsolved; `1 = 2` is wrong in any Lean
    line = f"  asks for leanprover/lean4:v4.9.0, traced by Lean {lean.version}: that may be why it has 4 errors, 2"
    with DynamicDatabase(tmp_path / "db") as database:
        for reused in (0, 1):  # what is read from the database says so too
            traced = trace_repository(repository, lean, database=database, progress=False)
            assert traced.reused == reused
            assert line in trace_summary(traced)
            assert traced.summaries[0].failed == 3
    same = replace(traced, toolchain="leanprover/lean4:v" + lean.version.partition("-")[0])
    assert "asks for" not in trace_summary(same)
    unnamed = replace(traced, toolchain=None, summaries=traced.summaries * 2)
    assert "  it has no lean-toolchain, and 4 of 8 errors speak of names or syntax that Lean" in trace_summary(unnamed)
    assert "lean-toolchain" not in trace_summary(replace(traced, toolchain=None))  # two may be slips


PRIVATE = """\
namespace N
variable {p : Prop}
private theorem hidden (n : Nat) (h : p) : 0 + n = n ∧ p := by
  constructor
  · exact Nat.zero_add n
  · exact h
private theorem left_open (h : p) : p ∨ False := by
  sorry
theorem shown (n : Nat) (h : p) : p := by
  exact (hidden n h).2
end N
"""


def test_private_theorems_start_exactly_from_the_database(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    """Two files have one of the same name."""
    files = {"M/A.lean": PRIVATE, "M/B.lean": "import M.A\n" + PRIVATE.replace("N\n", "N'\n")}
    repository = local_repository(write_project(tmp_path / "p", files))
    with DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, lean, database=database, progress=False)
        assert (traced.errors, traced.skipped) == ((), ())
        stored = {one.theorem.full_name: one for one in database.theorems(repository)}
    assert sorted(stored) == sorted(
        name
        for space, module in (("N", "M.A"), ("N'", "M.B"))
        for name in (f"{space}.shown", *(f"_private.{module}.0.{space}.{last}" for last in ("hidden", "left_open")))
    )
    for name, one in stored.items():
        start = lean.goal_start(one.site)
        assert start.text == one.theorem.tactics[0].state_before, name
        last = name.rpartition(".")[2]
        assert one.theorem.statement.startswith(f"theorem {last} "), name
        proof = "by\n  exact Or.inl h" if last == "left_open" else one.theorem.proof
        assert lean.verify(one.site, proof).accepted, name
    hidden = lean.goal_start(stored["_private.M.A.0.N.hidden"].site)
    assert hidden.text == "p : Prop\nn : Nat\nh : p\n⊢ 0 + n = n ∧ p"
    (premise,) = {p.full_name for p in stored["N'.shown"].theorem.premises if "hidden" in p.full_name}
    assert premise == "_private.M.B.0.N'.hidden"


def test_a_folder_that_is_deleted_while_it_is_traced_is_named(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    files = {f"F{n}.lean": f"theorem t{n} : {n} = {n} := rfl\n" for n in range(3)}
    files["F1.lean"] = "import F0\n" + files["F1.lean"]
    files["F2.lean"] = "import F1\n" + files["F2.lean"]
    repository = local_repository(write_project(tmp_path / "p", files))
    with DynamicDatabase(tmp_path / "db") as database:
        with pytest.raises(RepositoryNotFound, match=f"{repository.path} was there when its trace began and is gone"):
            trace_repository(
                repository,
                lean,
                database=database,
                on_file=lambda _: shutil.rmtree(repository.path, ignore_errors=True),
                progress=False,
            )
        assert [file.path for file in database.files(repository)] == ["F0.lean"]
        assert database.skipped_files(repository) == []
        write_project(repository.path, files)
        assert trace_repository(repository, lean, database=database, progress=False).reused == 1


PACKAGE = """\
namespace Marks
/-- A notation and a tactic that other packages use. -/
infixl:65 " ⊹ " => fun (a b : Nat) => a + b + 1
macro "finish" : tactic => `(tactic| omega)
theorem marked (a b : Nat) : a ⊹ b = a + b + 1 := rfl
end Marks
"""
USER = """\
import Marks
open Marks

theorem twice (a : Nat) : a ⊹ a = 2 * a + 1 := by
  rw [marked]
  finish

theorem left_open (a : Nat) : a ⊹ 0 = a + 1 := by
  sorry
"""


def test_paths_are_relative_to_the_top_and_modules_to_the_source_folder(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    """Two Lake projects of one repository, each with a module A of its own below its ``srcDir``."""
    files = {
        f"{name}/{path}": text
        for name, statement in (("first", "True"), ("second", "True ∧ True"))
        for path, text in {
            "lakefile.toml": 'name = "p"\n[[lean_lib]]\nname = "A"\nsrcDir = "src"\n',
            "src/A.lean": f"theorem a : {statement} := by simp\n",
            "src/A/B.lean": f"import A\ntheorem b : {statement} := by exact a\ntheorem c : {statement} := by sorry\n",
        }.items()
    }
    repository = local_repository(write_project(tmp_path / "p", files))
    with DynamicDatabase(tmp_path / "db") as database:
        for project in lean_projects(repository):
            traced = trace_repository(project, lean, database=database, progress=False)
            assert (traced.errors, traced.skipped) == ((), ())
            assert [file.path for file in traced.files] == [
                f"{project.folder}/src/A.lean",
                f"{project.folder}/src/A/B.lean",
            ]
            assert [file.module for file in traced.files] == ["A", "A.B"]
            (left_open,) = database.theorems(project, sorry=True)
            assert lean.goal_start(left_open.site).text.removeprefix("⊢ ") in left_open.theorem.statement
            assert lean.verify(left_open.site, "by exact b", whole_file=True).accepted


def test_how_far_a_file_is_can_be_asked_while_it_is_traced(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    theorems = "".join(f"theorem t{n} (a b : Nat) (h : a < b) : a + {n} < b + {n} := by omega\n" for n in range(150))
    repository = local_repository(write_project(tmp_path / "p", {"A.lean": theorems}))
    project, seen = lean_project(repository), [0]
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            seen.append(lean.under_way(project).get("A.lean", seen[-1]))

    looking = threading.Thread(target=look)
    looking.start()
    traced = trace_repository(repository, lean, progress=False)
    done.set()
    looking.join()
    assert len(traced.theorems) == 150
    assert seen == sorted(seen), "it only grows"
    assert 0 < seen[-1] <= len(theorems)
    assert lean.under_way(project) == {}


def test_a_package_is_imported_with_its_notation_and_tactics(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path], git: Callable[..., str]
) -> None:
    package = write_project(tmp_path / "marks", {"lakefile.toml": 'name = "marks"\n', "Marks.lean": PACKAGE})
    git(package, "init", "--quiet")
    git(package, "add", ".")
    git(package, "commit", "--quiet", "-m", "one")
    entry = {"url": str(package), "type": "git", "rev": git(package, "rev-parse", "HEAD"), "name": "marks"}
    files = {"User.lean": USER, "lake-manifest.json": json.dumps({"version": "1.1.0", "packages": [entry]})}
    repository = local_repository(write_project(tmp_path / "user", files))
    with DynamicDatabase(tmp_path / "db") as database:
        for project, paths in (*fetch_packages(repository, progress=False).needed, (repository, None)):
            traced = trace_repository(project, lean, database=database, only=paths, progress=False)
            assert (traced.errors, traced.skipped) == ((), ())
        (twice, left_open) = database.theorems(repository)
        uses = [(premise.full_name, premise.module) for premise in twice.theorem.premises]
        assert ("Marks.marked", "Marks") in uses
        assert lean.verify(left_open.site, "by\n  show a + 0 + 1 = a + 1\n  finish", whole_file=True).accepted
        assert lean.goal_tactic(lean.goal_start(left_open.site), "exact marked a 0").is_solved


PUT = """\
def put (n : Nat) (l : List Nat) : List Nat :=
  match l with
  | [] => [n]
  | h :: t => if n ≤ h then n :: l else h :: put n t
"""
SPLIT = """\
import Put.Spec

theorem {name} (n : Nat) (l : List Nat) : put n l ≠ [] := by
  unfold put; split
  · simp
  · split <;> simp
"""


def test_what_lean_makes_for_one_file_of_its_imports_is_not_in_the_next_file(
    tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    # Both split the `match` of `put`, for which Lean makes a lemma with a private name of the file that does.
    files = {
        "Put/Spec.lean": PUT,
        "Put/First.lean": SPLIT.format(name="first"),
        "Put/Second.lean": SPLIT.format(name="second"),
        "Put.lean": "import Put.First\nimport Put.Second\n\ntheorem both : put 1 [] ≠ [] := first 1 []\n",
    }
    repository = local_repository(write_project(tmp_path / "put", files))
    with LeanPool(1) as one_process, DynamicDatabase(tmp_path / "db") as database:
        traced = trace_repository(repository, one_process, database=database, progress=False)
        assert (traced.errors, traced.skipped) == ((), ())
        assert {theorem.full_name for theorem in database.theorems(repository)} == {"first", "second", "both"}


KILLED = """
import sys
from pathlib import Path
import lean_agent.tracing.project.repository as place
place.cache_dir = lambda: Path(sys.argv[3])
from lean_agent.database import DynamicDatabase
from lean_agent.errors import RepositoryNotFound
from lean_agent.lean.pool import LeanPool
from lean_agent.tracing import local_repository, trace_repository

with LeanPool(1) as pool, DynamicDatabase(sys.argv[2]) as database:
    trace_repository(local_repository(sys.argv[1]), pool, database=database, progress=False)
"""


@pytest.mark.slow
def test_a_trace_that_was_killed_goes_on_where_it_was(
    lean: LeanServer, tmp_path: Path, write_project: Callable[..., Path], cache: Path
) -> None:
    # twelve files in a row, each using the theorem of the one before
    files = {"F00.lean": "theorem t00 (n : Nat) : n + 0 = n := by\n  omega\n"}
    for n in range(1, 12):
        proof = f"by\n  have below := t{n - 1:02} n\n  omega"
        files[f"F{n:02}.lean"] = f"import F{n - 1:02}\n\ntheorem t{n:02} (n : Nat) : n + 0 = n := {proof}\n"
    repository = local_repository(write_project(tmp_path / "row", files))
    database_path = tmp_path / "db"
    command = [sys.executable, "-c", KILLED, str(repository.path), str(database_path), str(cache)]
    with DynamicDatabase(database_path) as database, subprocess.Popen(command) as process:
        database.add_repository(repository)
        while process.poll() is None and len(list(database.files(repository))) < 3:
            time.sleep(0.02)
        process.kill()
        process.wait()
        stored = len(list(database.files(repository)))
        assert 3 <= stored < 12
        result = trace_repository(repository, lean, database=database, progress=False)
        assert (result.reused, len(result.files)) == (stored, 12)
        assert (result.errors, result.skipped) == ((), ())
        # the modules compiled by the process that was killed serve the files that were left
        assert {premise.full_name for premise in result.files[stored].theorems[0].premises} >= {f"t{stored - 1:02}"}
