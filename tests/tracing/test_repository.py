from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.errors import NotALeanProject, RepositoryNotFound
from lean_agent.tracing import Repository, clone, lean_project, local_repository
from lean_agent.tracing.project.repository import shared_address


def test_identity_is_url_and_commit(tmp_path: Path) -> None:
    assert Repository("u", "c", "n", tmp_path) == Repository("u", "c", "other", tmp_path / "elsewhere")
    assert Repository("u", "c", "n", tmp_path) != Repository("u", "d", "n", tmp_path)


def test_a_clean_work_tree_is_at_its_commit(upstream: Path, git: Callable[..., str]) -> None:
    repository = local_repository(upstream)
    assert (repository.url, repository.name, repository.path) == ("local:up stream é", "up stream é", upstream)
    assert repository.commit == git(upstream, "rev-parse", "HEAD")


def test_an_edit_makes_another_commit(upstream: Path, write_project: Callable[..., Path]) -> None:
    clean = local_repository(upstream).commit
    write_project(upstream, {"A.lean": "-- three\n"})
    edited = local_repository(upstream).commit
    assert edited.startswith("local-")
    write_project(upstream, {"A.lean": "-- four\n"})
    assert len({clean, edited, local_repository(upstream).commit}) == 3


def test_lean_files_that_git_ignores_count(
    upstream: Path, git: Callable[..., str], write_project: Callable[..., Path]
) -> None:
    write_project(upstream, {".gitignore": "Made/\nnotes.txt\n.lake/\n"})
    git(upstream, "add", ".")
    git(upstream, "commit", "--quiet", "-m", "three")
    write_project(upstream, {"notes.txt": "", ".lake/packages/m/M.lean": ""})
    head = git(upstream, "rev-parse", "HEAD")
    assert local_repository(upstream).commit == head
    commits = {head}
    for text in ("-- one\n", "-- two\n"):
        write_project(upstream, {"Made/É.lean": text})
        commits.add(local_repository(upstream).commit)
    assert len(commits) == 3
    git(upstream, "add", "--force", "Made")
    git(upstream, "commit", "--quiet", "-m", "four")
    assert local_repository(upstream).commit == git(upstream, "rev-parse", "HEAD")


def test_lean_files_of_a_submodule_are_known_to_git(
    upstream: Path, git: Callable[..., str], write_project: Callable[..., Path], tmp_path: Path
) -> None:
    top = write_project(tmp_path / "top", {"T.lean": ""})
    git(top, "init", "--quiet")
    git(top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(upstream), "inner")
    git(top, "add", ".")
    git(top, "commit", "--quiet", "-m", "one")
    assert (top / "inner" / "A.lean").is_file()
    assert local_repository(top).commit == git(top, "rev-parse", "HEAD")


def test_a_plain_folder_and_a_folder_inside_a_work_tree_go_by_content(
    upstream: Path, tmp_path: Path, write_project: Callable[..., Path]
) -> None:
    plain = write_project(tmp_path / "plain", {"A.lean": "-- a\n"})
    inside = write_project(upstream / "inside", {"A.lean": "-- a\n"})
    assert local_repository(plain).commit == local_repository(inside).commit
    assert local_repository(plain).commit.startswith("local-")


def test_a_relative_path_is_made_absolute(upstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(upstream.parent)
    assert local_repository(upstream.name) == local_repository(upstream)


def test_bad_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(RepositoryNotFound, match=f"no folder {tmp_path / 'nowhere'}"):
        local_repository(tmp_path / "nowhere")
    with pytest.raises(NotALeanProject, match=str(tmp_path)):
        local_repository(tmp_path)


def test_compiled_modules_lie_in_the_cache_apart_for_each_commit(tmp_path: Path, cache: Path) -> None:
    one, other = (lean_project(Repository("u", commit, "n", tmp_path)) for commit in "cd")
    assert one.root == tmp_path
    assert one.build.parent == other.build.parent == cache / "projects"
    assert one.build != other.build


@pytest.mark.parametrize(
    ("url", "shared"),
    [
        ("/home/me/lists", "local:lists"),
        ("/home/me/lists#docs/more", "local:lists#docs/more"),
        ("file:///srv/git/lists.git", "local:lists"),
        ("/", "local:repository"),
        ("local:lists", "local:lists"),
        ("https://example.org/me/lists", "https://example.org/me/lists"),
        ("git@example.org:me/lists.git", "git@example.org:me/lists.git"),
        ("benchmark:lean-core", "benchmark:lean-core"),
    ],
)
def test_what_others_see_of_an_address_has_no_path_of_this_machine(url: str, shared: str) -> None:
    assert shared_address(url) == shared


def test_a_clone_of_a_folder_says_nothing_of_where_it_lies(upstream: Path) -> None:
    cloned = clone(str(upstream), progress=False)
    assert (cloned.url, cloned.name) == ("local:up stream é", "up stream é")
    assert cloned == clone(upstream.as_uri(), progress=False) == local_repository(upstream)
    with pytest.raises(RepositoryNotFound, match=r"local:up stream é is a folder that is not known here"):
        clone(cloned.url, cloned.commit, progress=False)
