"""Programs that repositories are made of, in embedded Lean: loops, classes, deriving, macros, elaborators, simprocs,
attributes, extensions, across files. Each file of programs/ says after ``-->`` what its command prints.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from lean_agent.errors import TacticFailure
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import GoalState, TheoremSite, TracedFile
from lean_agent.tracing import TracedRepository, lean_project, local_repository, trace_repository

pytestmark = pytest.mark.lean

PROGRAMS = Path(__file__).parent / "programs"
FILES = sorted(path.relative_to(PROGRAMS).as_posix() for path in PROGRAMS.rglob("*.lean"))
PRINTED = re.compile(r"--> (.*)$", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, cache_with_lean: Callable[[Path], Path]) -> Iterator[Path]:
    """Compiled modules go to a folder of these tests."""
    folder = cache_with_lean(tmp_path_factory.mktemp("programs"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEAN_AGENT_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module")
def traced(lean: LeanPool, cache: Path) -> TracedRepository:
    """All programs as one project."""
    return trace_repository(local_repository(PROGRAMS), lean, progress=False)


def file_of(traced: TracedRepository, path: str) -> TracedFile:
    skipped = {skipped.path: skipped.reason for skipped in traced.skipped}
    assert path not in skipped, skipped[path]
    return next(file for file in traced.files if file.path == path)


@pytest.mark.parametrize("path", FILES)
def test_a_program_prints_what_it_says(traced: TracedRepository, path: str) -> None:
    file = file_of(traced, path)
    assert [message.text for message in file.errors] == []
    source = (PROGRAMS / path).read_text(encoding="utf-8")
    assert [message.text.strip() for message in file.messages] == PRINTED.findall(source)
    # every theorem is there, with a proof that was elaborated to the end
    stated = [theorem.full_name for theorem in file.theorems if not theorem.is_example]
    named = re.findall(r"^(?:@\[\w+\] )?theorem (\S+)", source, re.MULTILINE)
    assert [full_name.split(".")[-1] for full_name in stated] == [name.split(".")[-1] for name in named]
    assert not any(theorem.has_sorry for theorem in file.theorems)


def test_there_are_programs_of_many_kinds() -> None:
    kinds = sum(len(PRINTED.findall((PROGRAMS / path).read_text(encoding="utf-8"))) for path in FILES)
    assert len(FILES) >= 44 and kinds >= 80


def test_a_tactic_of_the_project_proves_and_is_judged(traced: TracedRepository, lean: LeanPool) -> None:
    """The judge accepts a proof by an ``elab`` tactic from another file, and its axioms are Lean's own."""
    site = TheoremSite(lean_project(traced.repository), "Shared/UseTactics.lean", "everywhere")
    for whole_file in (False, True):
        verdict = lean.verify(site, "by find_all", whole_file=whole_file)
        assert verdict.accepted, verdict.reason
        assert set(verdict.axioms) <= {"propext", "Classical.choice", "Quot.sound"}


COMPILED = [
    "List.reverse._redArg",
    *(
        pytest.param(name, marks=pytest.mark.long)
        for name in ("Nat.add._boxed", "Id.instMonad._lam_0", "_private.Init.While.0.Lean.Loop.forIn.loop")
    ),
]


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_functions_are_no_constants(lean: LeanPool, tmp_path: Path, name: str) -> None:
    """What the compiler finds by name does not exist for elaborator and kernel: no proof can speak of it."""
    (tmp_path / "A.lean").write_text(
        "import Lean\nopen Lean\n"
        f"def compiled : Name := {lean_name(name)}\n"
        "#eval show CoreM Unit from do\n"
        "  let env ← getEnv\n"
        '  logInfo m!"{env.contains compiled} {(env.find? compiled).isSome} '
        '{(env.toKernelEnv.find? compiled).isSome} {(env.getModuleIdxFor? compiled).isSome}"\n',
        encoding="utf-8",
    )
    (file,) = trace_repository(local_repository(tmp_path), lean, progress=False).files
    # known to the table of modules, where the compiler looks, and nowhere else
    assert [message.text for message in file.messages] == ["false false false true"]


SHIMS: list[str] = json.loads((files("lean_agent.lean.embedded") / "shims.json").read_text(encoding="utf-8"))
SPEAKS_OF_A_SHIM = """\
import Lean
open Lean Elab Tactic

def shims : Array Name := #[
  {names}]

#eval show CoreM Unit from do
  let env ← getEnv
  let known := shims.filter fun n => env.contains n || (env.find? n).isSome || (env.toKernelEnv.find? n).isSome
  logInfo m!"{{shims.size}} {{known}}"

/-- What a shim is: an opaque constant of such a type. -/
opaque likeAShim : NonScalar → NonScalar

def speakOf (name : Name) : TacticM Unit := do
  let type ← mkArrow (mkConst ``NonScalar) (mkConst ``NonScalar)
  (← getMainGoal).assign <| .letE `shim type (mkConst name) (mkConst ``True.intro) false

elab "speak_of_shim " n:num : tactic => speakOf shims[n.getNat]!
elab "speak_of_another" : tactic => speakOf ``likeAShim

theorem target : True := by trivial
"""


def test_no_shim_can_appear_in_a_proof(lean: LeanPool, tmp_path: Path) -> None:
    """Shims are opaque constants with which our own code is compiled. A project's tactic that puts one into a proof,
    the elaborator not asked, comes up against the kernel, which knows none of them; the same tactic with a constant of
    the project's own is believed."""
    source = SPEAKS_OF_A_SHIM.format(names=",\n  ".join(map(lean_name, SHIMS)))
    (tmp_path / "A.lean").write_text(source, encoding="utf-8")
    repository = local_repository(tmp_path)
    (file,) = trace_repository(repository, lean, progress=False).files
    assert [message.text for message in file.messages] == [f"{len(SHIMS)} []"]
    assert len(SHIMS) > 100

    site = TheoremSite(lean_project(repository), "A.lean", "target")
    start = lean.goal_start(site)
    (other, *ends) = lean.goal_tactics(
        [(start, "speak_of_another"), *((start, f"speak_of_shim {n}") for n in range(len(SHIMS)))]
    )
    assert isinstance(other, GoalState) and other.is_solved
    for name, end in zip(SHIMS, ends, strict=True):
        assert isinstance(end, TacticFailure) and "unknown constant" in end.message, (name, end)

    assert lean.verify(site, "by speak_of_another").accepted
    for n, name in enumerate(SHIMS):
        verdict = lean.verify(site, f"by speak_of_shim {n}")
        assert not verdict.accepted and "unknown constant" in verdict.reason, (name, verdict)


def lean_name(name: str) -> str:
    """A name as a term: ``_private.A.0.f`` has a number in it, which no identifier can hold."""
    term = "Name.anonymous"
    for part in name.split("."):
        term = f"(.num {term} {part})" if part.isdigit() else f'(.str {term} "{part}")'
    return term


def test_a_process_runs_the_initializers_of_one_project(tmp_path: Path) -> None:
    """They leave their mark on it, so another project's get another process. Nobody sees it but by the process id."""

    def project(name: str) -> TracedRepository:
        root = tmp_path / name
        root.mkdir()
        (root / "Mark.lean").write_text(
            f'import Lean\ninitialize mark : IO.Ref String ← IO.mkRef "{name}"\n', encoding="utf-8"
        )
        (root / "Read.lean").write_text("import Mark\n#eval mark.get\ntheorem t : 1 = 1 := rfl\n", encoding="utf-8")
        return trace_repository(local_repository(root), pool, progress=False)

    with LeanPool(1) as pool:
        pids = []
        for name in ("first", "second"):
            traced = project(name)
            pids.append(pool.pids())
            assert [message.text for message in file_of(traced, "Read.lean").messages] == [f'"{name}"']
        site = TheoremSite(lean_project(traced.repository), "Read.lean", "t")
        assert pool.verify(site, "by rfl").accepted  # the project whose initializers ran goes on in the same process
        assert pool.pids() == pids[1] != pids[0]
