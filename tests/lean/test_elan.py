"""Toolchains and packages as they lie on users' disks, with an elan and a Lake that are scripts."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from lean_agent import ScriptedAgent
from lean_agent.database.store import DynamicDatabase
from lean_agent.errors import LeanInstallError, LeanRequestError
from lean_agent.lean.cluster import lean_server
from lean_agent.lean.embedded.install import lean_root
from lean_agent.lean.native.lake import build_command, library_path
from lean_agent.lean.native.toolchain import find_toolchain, install_native
from lean_agent.lean.native.walls import TRUST_VARIABLE
from lean_agent.lean.pool.by_toolchain import ToolchainPools
from lean_agent.lean.types import GoalState, LeanProject
from tests.lean.test_native import says_it_is_lean, script

USERS_CACHE = lean_root().parent  # before a test has a home of its own
ELAN = """
here=$PWD
while [ ! -f "$here/lean-toolchain" ] && [ "$here" != / ]; do here=$(dirname "$here"); done
pinned=$(cat "$here/lean-toolchain" 2>/dev/null || echo leanprover/lean4:v4.30.0)
folder={elan}/toolchains/$(echo "$pinned" | sed 's#/#--#;s#:#---#')
[ -d "$folder" ] || {{ echo "error: toolchain '$pinned' is not installed" >&2; exit 1; }}
exec "$folder/bin/lean" "$@"
"""


@pytest.fixture
def elan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """elan's folder with three toolchains, its proxy under the home folder and on no ``PATH``."""
    folder = tmp_path / "home" / ".elan"
    for version in ("4.28.0", "4.29.1", "4.30.0"):
        toolchain = folder / "toolchains" / f"leanprover--lean4---v{version}"
        lean = says_it_is_lean(toolchain, version)
        script(lean.with_name("lake"), 'test "$1 $2" = "env printenv" && echo "$PWD/.lake/build/lib/lean"')
    script(folder / "bin" / "lean", ELAN.format(elan=folder))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    monkeypatch.chdir(tmp_path)
    return folder


def pinned(folder: Path, version: str, publisher: str = "leanprover") -> LeanProject:
    """A project that is pinned to a toolchain, in a folder of its repository."""
    inner = folder / "formal"
    inner.mkdir(parents=True)
    (folder / "lean-toolchain").write_text(f"{publisher}/lean4:v{version}\n")
    (inner / "lakefile.toml").write_text('name = "x"\n')
    return LeanProject(inner, folder.parent / f"build-{folder.name}")


def test_the_toolchain_is_the_project_s_and_not_the_current_folder_s(elan: Path, tmp_path: Path) -> None:
    project = pinned(tmp_path / "a", "4.29.1")
    assert find_toolchain().version == "4.30.0"
    toolchain = find_toolchain(folder=project.folder)
    assert toolchain.version == "4.29.1"
    behind = elan / "toolchains" / "leanprover--lean4---v4.29.1" / "bin"
    assert (toolchain.lean, toolchain.lake) == (behind / "lean", behind / "lake")  # and no proxy


def test_each_project_has_the_pool_of_its_toolchain(elan: Path, tmp_path: Path) -> None:
    old, new = pinned(tmp_path / "a", "4.28.0"), pinned(tmp_path / "b", "4.29.1")
    again = pinned(tmp_path / "c", "4.28.0")
    with lean_server("local", workers=1, lean="native") as server:
        assert isinstance(server, ToolchainPools)
        assert server.version == "4.30.0"  # the current folder's
        assert (server.pool(old).version, server.pool(new).version) == ("4.28.0", "4.29.1")
        assert server.pool(again) is server.pool(old)
        assert server.pool(None) not in (server.pool(old), server.pool(new))
        assert server.module_path(old, "A.lean") != server.module_path(new, "A.lean")
        assert server.package_folders(new) == (new.folder / ".lake/build/lib/lean",)
        assert server.pids() == []  # none is started before it is needed


def test_a_toolchain_that_is_not_there_is_named_for_its_project_alone(elan: Path, tmp_path: Path) -> None:
    missing, there = pinned(tmp_path / "a", "4.31.0"), pinned(tmp_path / "b", "4.29.1")
    with ToolchainPools() as server:
        with pytest.raises(LeanInstallError, match=r"lean4:v4\.31\.0' is not installed"):
            server.pool(missing)
        assert server.pool(there).version == "4.29.1"


def test_a_repository_cannot_have_a_stranger_s_toolchain_fetched(
    elan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """elan fetches ``owner/repository:tag`` and runs it: outside of any walls."""
    project = pinned(tmp_path / "a", "4.28.0", publisher="mallory")
    (elan / "toolchains" / "mallory--lean4---v4.28.0").symlink_to(elan / "toolchains" / "leanprover--lean4---v4.28.0")
    monkeypatch.delenv(TRUST_VARIABLE)
    with pytest.raises(LeanInstallError, match="mallory/lean4"):
        find_toolchain(folder=project.folder)
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    assert find_toolchain(folder=project.folder).version == "4.28.0"


@pytest.fixture(scope="module")
def compiled(toolchain: Path) -> Path:
    """Our code as the stand-in compiles it, in the user's own cache: minutes, where nobody has asked for it before."""
    return install_native(find_toolchain(toolchain)).folder


@pytest.fixture
def releases(compiled: Path, elan: Path, toolchain: Path) -> dict[str, Path]:
    """Two of elan's toolchains that elaborate: Lean's stand-in, each with its version, folder and list of calls. What
    it is to compile of our code it takes from where that was done."""
    made = {}
    for version in ("4.28.0", "4.29.1"):
        folder = elan / "toolchains" / f"leanprover--lean4---v{version}"
        says = f"--version) echo 'Lean (version {version}, wasm32-unknown-emscripten)'; exit ;;"
        says += f" --print-prefix) echo {folder}; exit ;;"
        says += f' -R) cp "{compiled}/${{4#$2/}}" "$4"; exit ;;'
        lean = f'echo "$*" >> {folder}/calls\nLEAN_AGENT_CACHE={USERS_CACHE} exec {toolchain}/bin/lean "$@"'
        script(folder / "bin" / "lean", f'echo "$1" >> {folder}/asked\ncase $1 in {says} esac\n{lean}')
        made[version] = folder
    return made


@pytest.mark.lean
@pytest.mark.long
def test_a_curriculum_over_two_toolchains_is_traced_and_proved_in_one_run(
    releases: dict[str, Path], tmp_path: Path
) -> None:
    """By ``lean="native"`` alone: elan says which toolchain is a project's, and each elaborates its own files."""
    repositories = {}
    for version, statement in zip(releases, ("base + 2 = 4", "base = 2 ∧ True"), strict=True):
        repositories[version] = pinned(tmp_path / f"of-{version}", version).folder
        (repositories[version] / "Base.lean").write_text("@[simp] def base := 2\ntheorem base_eq : base = 2 := rfl\n")
        own = f"import Base\ntheorem traced : base + 1 = 3 := by rfl\ntheorem own : {statement} := by sorry\n"
        (repositories[version] / "Own.lean").write_text(own)
    with (
        DynamicDatabase(tmp_path / "database.sqlite") as database,
        ScriptedAgent(lean="native", workers=1, database=database, runs_dir=tmp_path / "runs", progress=False) as agent,
    ):
        for folder in repositories.values():
            traced = agent.setup_local_repository(folder)
            assert [(file.theorems, file.errors) for file in traced.summaries] == [(1, 0), (2, 0)]
        results = agent.prove()
        assert [result.theorem.full_name for result in results] == ["own", "own"] and all(r.proof for r in results)
        server = agent.lean
        assert isinstance(server, ToolchainPools)
        sites = [result.theorem.site for result in results]
        pools = [server.pool(site.project) for site in sites]
        assert sorted(pool.version for pool in pools) == list(releases)
        states = server.goal_starts(sites)  # of both in one call, and so are the tactics
        assert all(isinstance(state, GoalState) for state in states)
        after = server.goal_tactics([(state, "simp") for state in states if isinstance(state, GoalState)])
        assert all(isinstance(state, GoalState) and state.is_solved for state in after)
        assert all(len(pool.pids()) == 1 for pool in pools) and sorted(server.pids()) == sorted(
            pid for pool in pools for pid in pool.pids()
        )
        for site, result in zip(sites, results, strict=True):
            assert result.proof and server.verify(site, result.proof).accepted
            assert not server.verify(site, "by skip").accepted
        modules = {server.module_path(site.project, "Base.lean").parent for site in sites}
        assert len(modules) == 2 and all((folder / "Own.olean").is_file() for folder in modules)
    for folder in releases.values():
        assert (folder / "calls").read_text().count("--run") == 1  # it was started once
        assert (folder / "asked").read_text().count("-R") > 20  # and has compiled our code for itself


# -- packages


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with Mathlib and a package of a folder, both fetched and neither built."""
    root = tmp_path / "project"
    (root / ".lake" / "packages" / "mathlib").mkdir(parents=True)
    (root / "beside").mkdir()
    (root / "lakefile.toml").write_text('name = "x"\n')
    packages = [{"name": "mathlib", "type": "git", "url": "u"}, {"name": "beside", "type": "path", "dir": "./beside"}]
    (root / "lake-manifest.json").write_text(json.dumps({"packagesDir": ".lake/packages", "packages": packages}))
    return root


def built(package: Path) -> Path:
    library = package / ".lake" / "build" / "lib" / "lean"
    library.mkdir(parents=True)
    (library / "A.olean").touch()
    return library


def lake(folder: Path, text: str) -> Path:
    return script(folder / "bin" / "lake", text)


@pytest.mark.parametrize("there", ["no lake", "a lake"])
def test_what_is_not_built_is_told_with_the_command(project: Path, tmp_path: Path, there: str) -> None:
    program = (
        None if there == "no lake" else lake(tmp_path, f"echo {project}/.lake/packages/mathlib/.lake/build/lib/lean")
    )
    command = "lake exe cache get && lake build"
    assert build_command(project) == command
    with pytest.raises(LeanRequestError, match=f"mathlib, beside of .* has no compiled modules; run `{command}`"):
        library_path(program, project)
    built(project / ".lake" / "packages" / "mathlib")
    with pytest.raises(LeanRequestError, match=r"^beside of"):
        library_path(program, project)
    (project / "lake-manifest.json").write_text('{"packages": [{"name": "other", "dir": "other"}]}')
    assert build_command(project) == "lake build"


def test_without_lake_packages_are_where_it_puts_them(project: Path) -> None:
    libraries = [built(project / package) for package in (".", ".lake/packages/mathlib", "beside")]
    assert library_path(None, project) == tuple(map(str, libraries))
    old = project / "beside" / ".lake" / "build" / "lib"
    (old / "lean" / "A.olean").rename(old / "A.olean")
    (old / "lean").rmdir()
    library_path.cache_clear()
    assert library_path(None, project)[-1] == str(old)  # as Lake before version 5 has it


def test_a_folder_that_cannot_be_written_to_is_no_obstacle(project: Path, tmp_path: Path) -> None:
    """Lake fails there when it has to write its own configuration."""
    libraries = [built(project / package) for package in (".lake/packages/mathlib", "beside")]
    program = lake(tmp_path, "echo 'permission denied: .lake/config' >&2; exit 1")
    project.chmod(0o555)
    try:
        assert library_path(program, project) == tuple(map(str, libraries))
    finally:
        project.chmod(0o755)


def test_a_lean_path_of_the_user_reaches_lake_and_lean(
    elan: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEAN_PATH", "/of/the/user")
    (tmp_path / "lakefile.toml").touch()
    assert library_path(lake(tmp_path, 'echo "/own:$LEAN_PATH"'), tmp_path) == ("/own", "/of/the/user")
    with ToolchainPools() as server:
        command = server.pool(None).runtime.installed().serve_command(tmp_path)
    assert command.environment["LEAN_PATH"].split(os.pathsep)[-1] == "/of/the/user"


def test_a_broken_manifest_is_named(project: Path) -> None:
    (project / "lake-manifest.json").write_text("{")
    with pytest.raises(LeanRequestError, match="lake update"):
        library_path(None, project)
