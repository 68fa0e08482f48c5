from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lean_agent.errors import CommitNotFound, NotALeanProject, RepositoryNotFound, TraceError
from lean_agent.tracing import LeanGitRepo, clone

Git = Callable[..., str]


def test_settings_of_the_environment_that_say_how_to_reach_a_repository_are_kept(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker, elsewhere = tmp_path / "it ran", tmp_path / "elsewhere"
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    elsewhere.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    (hooks / "post-checkout").chmod(0o755)
    settings = {
        f"url.file://{upstream}.insteadOf": "https://e.org/far",
        "core.hooksPath": str(hooks),
        "core.worktree": str(elsewhere),
        "core.autocrlf": "true",
    }
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
    for index, (name, value) in enumerate(settings.items()):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{index}", name)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{index}", value)
    cloned = clone("https://e.org/far", progress=False)
    assert (cloned.path / "A.lean").read_bytes() == b"-- two\n"
    assert not marker.exists() and not any(elsewhere.iterdir())


def test_the_default_branch(upstream: Path, git: Git, cache: Path) -> None:
    found = clone(str(upstream), progress=False)
    assert found.commit == git(upstream, "rev-parse", "main")
    assert (found.path / "A.lean").read_text() == "-- two\n"
    assert (found.path / "B" / "C.lean").is_file()
    assert found.path.is_relative_to(cache)
    assert found.name == "up stream é"


@pytest.mark.parametrize("wanted", ["v1", "sha", "short", "branch"])
def test_every_way_to_name_a_commit(upstream: Path, git: Git, wanted: str) -> None:
    first = git(upstream, "rev-parse", "v1^{commit}")
    git(upstream, "branch", "old/branch", first)
    name = {"v1": "v1", "sha": first, "short": first[:8], "branch": "old/branch"}[wanted]
    found = clone(str(upstream), name, progress=False)
    assert found.commit == first
    assert (found.path / "A.lean").read_text() == "-- one\n"


def test_file_url_and_path_both_work(upstream: Path) -> None:
    by_url = clone(upstream.as_uri().replace("%20", " ").replace("%C3%A9", "é"), "v1", progress=False)
    assert by_url.commit == clone(str(upstream), "v1", progress=False).commit


def test_a_clone_is_found_again_without_its_origin(upstream: Path) -> None:
    found = clone(str(upstream), progress=False)
    other = upstream.with_name("moved")
    upstream.rename(other)
    upstream.mkdir()  # the address is still a folder, but nothing can be cloned from it
    assert clone(str(upstream), found.commit, progress=False) == found
    assert clone(str(upstream), found.commit[:9], progress=False) == found


def test_the_light_constructor_names_the_same_place(upstream: Path) -> None:
    found = clone(str(upstream), progress=False)
    light = LeanGitRepo(str(upstream), found.commit)
    assert light == found
    assert light.path == found.path


def test_credentials_stay_out_of_the_identity() -> None:
    repository = LeanGitRepo("https://user:secret@example.org/a/proofs.git/", "c" * 40)
    assert repository.url == "https://example.org/a/proofs.git"
    assert repository.name == "proofs"
    assert repository.path == LeanGitRepo("https://example.org/a/proofs.git", "c" * 40).path


def test_hooks_do_not_run(upstream: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
    (hooks / "post-checkout").chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n\thooksPath = {hooks}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    git(upstream, "checkout", "--quiet", "--detach", "v1")
    assert (tmp_path / "ran").exists()  # the hook works where hooks are on
    (tmp_path / "ran").unlink()
    clone(str(upstream), progress=False)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("commit", ["nothing", "0123456789", "f" * 40, "-x", "--upload-pack=touch x"])
def test_an_unknown_commit_is_named(upstream: Path, commit: str) -> None:
    with pytest.raises(CommitNotFound, match=rf"does not have a commit, branch or tag '{commit}'"):
        clone(str(upstream), commit, progress=False)


def test_an_empty_repository_has_no_commit(tmp_path: Path, git: Git) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    git(folder, "init", "--quiet")
    with pytest.raises(CommitNotFound, match="does not have any commit"):
        clone(str(folder), progress=False)


@pytest.mark.parametrize("url", ["", "{tmp}/nowhere", "{tmp}", "file://{tmp}/nowhere", "ext::sh -c true", "--help"])
def test_an_address_that_leads_nowhere_is_named(tmp_path: Path, url: str) -> None:
    with pytest.raises(RepositoryNotFound) as error:
        clone(url.format(tmp=tmp_path), progress=False)
    assert "\n" not in str(error.value)


def test_unusual_protocols_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RepositoryNotFound, match="cannot be cloned; use https, ssh"):
        clone(f"ext::sh -c 'touch {tmp_path}/ran' ://", progress=False)
    assert not (tmp_path / "ran").exists()


def test_a_repository_without_lean_is_refused_and_not_kept(tmp_path: Path, git: Git, cache: Path) -> None:
    folder = tmp_path / "prose"
    folder.mkdir()
    (folder / "README.md").write_text("words\n")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "words")
    with pytest.raises(NotALeanProject, match=f"{folder} at"):
        clone(str(folder), progress=False)
    assert list(cache.rglob("README.md")) == []


def test_what_a_killed_process_left_is_cleaned_up(upstream: Path) -> None:
    found = clone(str(upstream), "v1", progress=False)
    partial = found.path.with_name(".partial")
    shutil.copytree(found.path, partial)
    shutil.rmtree(found.path)
    assert (clone(str(upstream), "v1", progress=False).path / "A.lean").is_file()
    assert not partial.exists()


def test_a_cache_that_cannot_be_written_is_named(
    upstream: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(TraceError, match=r"No space left on device.*LEAN_AGENT_CACHE"):
        clone(str(upstream), cache_dir=tmp_path / "full", progress=False)


@pytest.fixture
def three_commits(upstream: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its middle commit is the tip of nothing, and who clones speaks the protocol in which a server may refuse it."""
    (upstream / "A.lean").write_text("-- three\n")
    git(upstream, "commit", "--quiet", "-am", "three")
    settings = tmp_path / "first protocol"
    settings.write_text("[protocol]\n\tversion = 0\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return upstream


@pytest.mark.parametrize(("allowed", "commits"), [("true", 1), ("false", 2)])
def test_one_commit_is_fetched_alone_where_the_server_allows_it(
    three_commits: Path, git: Git, tmp_path: Path, allowed: str, commits: int
) -> None:
    git(three_commits, "config", "uploadpack.allowReachableSHA1InWant", allowed)
    middle = git(three_commits, "rev-parse", "main^")
    for kind, address in (("path", str(three_commits)), ("url", f"file://{three_commits}")):
        found = clone(address, middle, cache_dir=tmp_path / kind, progress=False)
        assert found.commit == git(found.path, "rev-parse", "HEAD") == middle
        assert (found.path / "A.lean").read_text() == "-- two\n"
        assert git(found.path, "rev-list", "--count", "HEAD") == str(commits)
        assert git(found.path, "rev-parse", "--is-shallow-repository") == str(commits == 1).lower()


def test_the_tip_of_a_branch_is_fetched_alone_from_any_server(three_commits: Path, git: Git) -> None:
    git(three_commits, "config", "uploadpack.allowReachableSHA1InWant", "false")
    found = clone(str(three_commits), "main", progress=False)
    assert git(found.path, "rev-list", "--count", "--all", "HEAD") == "1"


def test_a_plain_file_server_gives_all_history(three_commits: Path, git: Git) -> None:
    """It hands out files and knows nothing of git, and so of no single commits."""
    git(three_commits, "update-server-info")
    folder = functools.partial(QuietFiles, directory=str(three_commits))
    with ThreadingHTTPServer(("127.0.0.1", 0), folder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            address = f"http://127.0.0.1:{server.server_port}/.git"
            found = clone(address, git(three_commits, "rev-parse", "main^"), progress=False)
        finally:
            server.shutdown()
    assert (found.path / "A.lean").read_text() == "-- two\n"
    assert git(found.path, "rev-list", "--count", "HEAD") == "2"


class QuietFiles(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


def test_two_processes_clone_the_same_at_once(upstream: Path, git: Git) -> None:
    code = "import sys; from lean_agent.tracing import clone; print(clone(sys.argv[1], progress=False).path)"
    command = [sys.executable, "-c", code, str(upstream)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    paths = {process.communicate(timeout=60)[0].strip() for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    (path,) = paths
    assert Path(path).name == git(upstream, "rev-parse", "HEAD")
    assert (Path(path) / "B" / "C.lean").is_file()
