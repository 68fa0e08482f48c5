"""Fetching a commit with git into the user's cache, and the packages of its workspace into a folder of ours.

Owns the folder of clones. A clone is prepared beside its place and renamed into it, one process at a time, so a clone
that exists is whole. Nothing of a repository is run: no hooks, no prompts, no unusual protocols; submodules are
fetched only where they are asked for.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from lean_agent.errors import CommitNotFound, RepositoryNotFound, TraceError
from lean_agent.files import cache_dir, write_atomically
from lean_agent.progress import ProgressBar
from lean_agent.tracing.project.packages import MANIFEST, Package, PackageFiles, closure, read_manifest
from lean_agent.tracing.project.repository import (
    LOCAL_ADDRESS,
    WORKSPACE,
    Repository,
    build_folder,
    check_folder,
    is_local,
    is_remote,
    public_url,
    shared_address,
    split_url,
    workspace,
)
from lean_agent.tracing.project.sources import check_is_lean_project, is_own_file

if TYPE_CHECKING:
    import git

FULL_SHA = re.compile(r"[0-9a-f]{40}")
ABBREVIATED_SHA = re.compile(r"[0-9a-f]{7,39}")
PROTOCOLS = ("https", "ssh", "git", "http", "file")
SETTINGS = {
    "core.autocrlf": "false",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "protocol.ext.allow": "never",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "credential.interactive": "false",
}
"""Settings of git that stand above the user's and the repository's own: nothing of a repository is run."""
OF_THE_USER = re.compile(r"(http|url|credential|safe|ssh)\.|core\.(sshcommand|gitproxy)$", re.IGNORECASE)
"""Settings that are taken from ``GIT_CONFIG_COUNT`` of the environment: how to reach another machine (proxy,
certificates, ``insteadOf``, credentials) and whom to trust. Others, such as ``core.worktree``, would change what a
clone is; git reads the user's files of settings besides."""
UNKNOWN_COMMIT = re.compile(r"not our ref|couldn't find remote ref|could not find remote|bad object", re.IGNORECASE)
WITH_SUBMODULES = "+submodules"
SUBMODULE_PATH = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
REFUSED_COMMIT = re.compile(r"unadvertised object|does not support shallow", re.IGNORECASE)


def clone(
    url: str,
    commit: str | None = None,
    *,
    cache_dir: Path | None = None,
    submodules: bool = False,
    progress: bool = True,
) -> Repository:
    """Fetch one commit of a repository into the cache, or find it there.

    Args:
        url: what git clones: https, ssh, ``file://`` or a path. ``URL#FOLDER`` is the Lake project in a folder of it.
        commit: a full or abbreviated hash, a branch or a tag; ``None`` is the default branch.
        cache_dir: another folder for the clones.
        submodules: fetch the repository's git submodules too, and theirs. Without it they are left empty.
        progress: whether to show a progress bar.

    Raises:
        RepositoryNotFound: nothing could be fetched from ``url``, or it has no such folder.
        CommitNotFound: ``url`` has no such commit.
        NotALeanProject: neither a lakefile nor any ``.lean`` file at that commit.
    """
    url, folder = split_url(url)
    source = _source(url)
    clones = _clones_of(url, cache_dir)
    known = _known_clone(clones, commit, submodules)
    if known is None:
        wanted = _resolve(source, commit)
        clones.mkdir(parents=True, exist_ok=True)
        with FileLock(clones / ".lock"):
            known = _known_clone(clones, wanted, submodules) or _fetch(
                source, wanted, clones, _name(url), submodules=submodules, show=progress
            )
    commit = known.name.removesuffix(WITH_SUBMODULES)
    project = Repository(shared_address(public_url(url)), commit, _name(url), known, origin=_origin(url)).at(folder)
    check_folder(project)
    return project


def has_submodules(folder: Path) -> bool:
    """Return whether ``folder`` lies, by way of links or not, in a clone that was made with its submodules."""
    return any(part.endswith(WITH_SUBMODULES) for part in folder.resolve().parts)


def missing_submodules(folder: Path) -> tuple[str, ...]:
    """Return the folders that ``.gitmodules`` names and that are empty, since submodules were not asked for."""
    listed = folder / ".gitmodules"
    if not is_own_file(listed, folder.resolve()):
        return ()
    paths = SUBMODULE_PATH.findall(listed.read_text(encoding="utf-8", errors="replace"))
    return tuple(path for path in paths if not any((folder / path).glob("*")))


def LeanGitRepo(url: str, commit: str) -> Repository:
    """Return a repository by its address alone, as LeanDojo spells it: nothing is fetched before it is traced.

    Args:
        url: what git clones.
        commit: the full hash. :func:`clone` takes abbreviations, branches and tags too.

    Returns:
        A repository whose ``path`` is where :func:`clone` would put it.
    """
    address, folder = split_url(url)
    if address.startswith(LOCAL_ADDRESS):  # of a data set: somebody's folder, which cannot be had here
        return Repository(address, commit, address.removeprefix(LOCAL_ADDRESS), _clones_of(address) / commit).at(folder)
    url, place = shared_address(public_url(address)), _clones_of(address) / commit
    return Repository(url, commit, _name(address), place, origin=_origin(address)).at(folder)


def _origin(url: str) -> str:
    """Return what to clone again from, where the address that others see does not say it."""
    return public_url(url) if is_local(url) else ""


def _name(url: str) -> str:
    return re.split(r"[/:\\]", url.rstrip("/\\"))[-1].removesuffix(".git") or "repository"


def check_address(url: str) -> None:
    """Refuse what can be no repository's address, without asking git: an empty one, or a path with nothing at it.

    Raises:
        RepositoryNotFound: in words.
    """
    _source(split_url(url)[0])


def _source(url: str) -> str:
    """Return what to hand to git: never something that it could take for an option."""
    if not url.strip():
        raise RepositoryNotFound("the repository's address is empty; give a URL or a path that git can clone")
    if is_remote(url):
        scheme = url.partition("://")[0] if "://" in url else "ssh"
        if scheme not in PROTOCOLS:
            raise RepositoryNotFound(f"{public_url(url)} cannot be cloned; use {', '.join(PROTOCOLS)} or a path")
        return url
    if url.startswith(LOCAL_ADDRESS) and not Path(url).exists():
        raise RepositoryNotFound(f"{url} is a folder that is not known here; give its path")
    folder = Path(url).expanduser().resolve()
    if not folder.exists():
        raise RepositoryNotFound(f"there is no folder {folder}; give a URL or a path that git can clone")
    if folder.is_file() and folder.suffix == ".lean":
        raise RepositoryNotFound(f"{folder} is a file; name its folder, or judge it with `lean-agent verify`")
    return str(folder)


def _clones_of(url: str, folder: Path | None = None) -> Path:
    public = public_url(url)
    label = re.sub(r"[^\w.-]", "_", _name(url))
    base = folder or cache_dir() / "repositories"
    return base / f"{label}-{hashlib.sha256(public.encode()).hexdigest()[:12]}"


def _known_clone(clones: Path, commit: str | None, submodules: bool) -> Path | None:
    """Return a clone that is there already, by its full hash or by an abbreviation that fits exactly one."""
    if commit is None or not (FULL_SHA.fullmatch(commit) or ABBREVIATED_SHA.fullmatch(commit)) or not clones.is_dir():
        return None
    suffix = WITH_SUBMODULES if submodules else ""
    known = [path for path in clones.iterdir() if FULL_SHA.fullmatch(path.name.removesuffix(suffix))]
    fitting = [path for path in known if path.name.startswith(commit) and path.name.endswith(suffix)]
    return fitting[0] if len(fitting) == 1 else None


def _git() -> git.Git:
    """Git that asks nothing, speaks no protocol but the ordinary ones, and answers in English."""
    try:
        import git
    except ImportError as error:  # GitPython raises it when there is no git program
        raise TraceError("the program git was not found; install git and make sure that it is on the PATH") from error
    command = git.Git(os.sep)
    command.update_environment(**_environment())
    return command


def _environment() -> dict[str, str]:
    pairs = [*_settings_of_the_user(), *SETTINGS.items()]  # of two values of one name git takes the later
    settings = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for index, (name, value) in enumerate(pairs):
        settings |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return {
        **settings,
        "GIT_CONFIG_PARAMETERS": "",  # it would stand above all of these
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "GIT_SSH_COMMAND": os.environ.get("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
        "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }


def _settings_of_the_user() -> list[tuple[str, str]]:
    count = os.environ.get("GIT_CONFIG_COUNT", "")
    pairs = [
        (os.environ.get(f"GIT_CONFIG_KEY_{index}", ""), os.environ.get(f"GIT_CONFIG_VALUE_{index}", ""))
        for index in range(int(count) if count.isdecimal() else 0)
    ]
    return [(name, value) for name, value in pairs if OF_THE_USER.match(name)]


def _words_of(error: git.GitCommandError) -> str:
    """Return what git said last, as one line without the wrapping of GitPython."""
    text = str(error.stderr).strip().removeprefix("stderr:").strip(" '\n")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith(("fatal:", "ERROR:", "remote:"))]
    return (fatal or lines or ["git gave no reason"])[0].removeprefix("fatal: ")


def _resolve(source: str, commit: str | None) -> str:
    """Return the full hash of a branch, a tag or the default branch; hashes come back as they are.

    Raises:
        RepositoryNotFound: ``source`` does not answer.
        CommitNotFound: the name is neither a branch nor a tag, and no hash either.
    """
    command = _git()
    import git

    try:
        listing = str(command.ls_remote("--", source))
    except git.GitCommandError as error:
        raise RepositoryNotFound(
            f"nothing could be cloned from {public_url(source)} ({_words_of(error)}); "
            "check the address and your access to it"
        ) from error
    refs = {name: sha for sha, name in (line.split("\t", 1) for line in listing.splitlines())}
    if commit is None:
        candidates = ["HEAD"]
    else:
        # The entry ending in ^{} is the commit that an annotated tag points to.
        candidates = [f"refs/tags/{commit}^{{}}", f"refs/tags/{commit}", f"refs/heads/{commit}", commit]
    for name in candidates:
        if name in refs:
            return refs[name]
    if commit is not None and (FULL_SHA.fullmatch(commit) or ABBREVIATED_SHA.fullmatch(commit)):
        return commit
    raise _no_such_commit(source, commit)


def _no_such_commit(source: str, commit: str | None) -> CommitNotFound:
    wanted = "any commit" if commit is None else f"a commit, branch or tag {commit!r}"
    return CommitNotFound(f"{public_url(source)} does not have {wanted}; check it with `git ls-remote` or `git log`")


def _fetch(source: str, commit: str, clones: Path, name: str, *, submodules: bool, show: bool) -> Path:
    """Fetch ``commit`` beside its place and rename it there. The caller holds the lock of ``clones``."""
    partial = clones / ".partial"
    shutil.rmtree(partial, ignore_errors=True)  # what a killed process has left
    import git

    try:
        with git.Repo.init(partial) as repo, ProgressBar(f"Cloning {name}", total=100, enabled=show) as bar:
            repo.git.update_environment(**_environment())
            origin = repo.create_remote("origin", source)
            sha = _fetch_commit(origin, commit, _listener(bar))
            origin.set_url(public_url(source))  # credentials stay out of the cache
            repo.git.checkout("--quiet", "--detach", sha)
            if submodules:
                _fetch_submodules(repo, source)
            bar.finish()
        check_is_lean_project(partial, f"{public_url(source)} at {sha[:12]}")
        place = clones / (sha + WITH_SUBMODULES if submodules else sha)
        if not place.is_dir():
            partial.rename(place)
        return place
    except (OSError, git.GitCommandError) as error:
        words = _words_of(error) if isinstance(error, git.GitCommandError) else str(error)
        raise TraceError(
            f"the clone could not be written to {clones} ({words}); free some space or set "
            "LEAN_AGENT_CACHE to another folder"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _fetch_commit(origin: git.Remote, commit: str, listener: git.RemoteProgress) -> str:
    """Fetch one commit, alone where its full hash is known and the other side allows that; else with all history.

    Returns its full hash.
    """
    import git

    try:
        if FULL_SHA.fullmatch(commit):
            try:
                origin.fetch(commit, progress=listener, depth=1, no_tags=True)
                return commit
            except git.GitCommandError as error:
                if not REFUSED_COMMIT.search(str(error.stderr)):
                    raise
        origin.fetch("+refs/heads/*:refs/remotes/origin/*", progress=listener, tags=True)
    except git.GitCommandError as error:
        if UNKNOWN_COMMIT.search(str(error.stderr)):
            raise _no_such_commit(origin.url, commit) from error
        raise RepositoryNotFound(
            f"{public_url(origin.url)} could not be fetched ({_words_of(error)}); try again, or check your access to it"
        ) from error
    try:
        return str(origin.repo.git.rev_parse("--verify", "--quiet", f"{commit}^{{commit}}"))
    except git.GitCommandError as error:
        raise _no_such_commit(origin.url, commit) from error


def _fetch_submodules(repo: git.Repo, source: str) -> None:
    """Fetch the submodules at the commits that the repository names, alone where that is allowed.

    A repository from elsewhere cannot name a folder of this machine as its submodule.
    """
    import git

    if not is_local(source):
        repo.git.update_environment(GIT_ALLOW_PROTOCOL=":".join(set(PROTOCOLS) - {"file"}))
    update = ("update", "--quiet", "--init", "--recursive", "--checkout")
    try:
        try:
            repo.git.submodule(*update, "--depth", "1")
        except git.GitCommandError:  # that commit is not offered alone
            repo.git.submodule(*update)
    except git.GitCommandError as error:
        raise RepositoryNotFound(
            f"a submodule of {public_url(source)} could not be fetched ({_words_of(error)}); "
            "check your access to it, or trace without submodules"
        ) from error


def _listener(bar: ProgressBar) -> git.RemoteProgress:
    """Return what moves a bar from 0 to 100 while git receives objects."""
    import git

    class Listener(git.RemoteProgress):
        reached = 0

        def update(
            self, op_code: int, cur_count: str | float, max_count: str | float | None = None, message: str = ""
        ) -> None:
            if op_code & self.RECEIVING and max_count:
                percent = int(100 * float(cur_count) / float(max_count))
                bar.advance(max(0, percent - self.reached), objects=int(float(cur_count)))
                self.reached = max(self.reached, percent)

    return Listener()


@dataclass(frozen=True, slots=True)
class FetchedPackages:
    """The packages of a project.

    Attributes:
        needed: those that it imports, each with the files that are needed of it, in the order in which they are to be
            traced. Once traced, the project can import them.
        failed: names of those that could not be fetched, each with the reason.
    """

    needed: tuple[tuple[Repository, frozenset[str]], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


def fetch_packages(
    repository: Repository,
    *,
    elsewhere: bool = True,
    cache_dir: Path | None = None,
    submodules: bool = False,
    progress: bool = True,
) -> FetchedPackages:
    """Clone the Lake packages that a repository's manifest pins, until everything that it imports is there.

    Args:
        repository: one whose folder is there.
        elsewhere: packages of other repositories too; without it only those in folders of this one.
        cache_dir, submodules, progress: as for :func:`~lean_agent.tracing.clone`.

    Raises:
        TraceError: the manifest cannot be used.
    """
    listed = read_manifest(repository.path, repository.folder)
    if not any(elsewhere or package.url is None for package in listed):
        return FetchedPackages()
    members = workspace(repository)
    wanted, files = _imports(repository), dict[str, PackageFiles]()
    failed: list[tuple[str, str]] = []
    for package, member in zip(listed, members, strict=True):
        if not closure(wanted, files).missing:
            break
        if package.url is not None and not elsewhere:
            continue
        try:
            top = _package_source(repository, package, cache_dir, submodules, progress)
            files[package.name] = PackageFiles.of(top, member.folder)
            _link(member.path, top)
        except TraceError as error:
            failed.append((package.name, str(error)))
    if members:
        rows = [[member.name, member.url, member.commit, member.folder] for member in members]
        write_atomically(members[0].path.parent / WORKSPACE, json.dumps(rows).encode())
    by_name = {member.name: member for member in members}
    needed = closure(wanted, files).paths
    return FetchedPackages(tuple((by_name[name], paths) for name, paths in needed.items()), tuple(failed))


def _imports(repository: Repository) -> set[str]:
    """Return the modules that a project's files import and that are none of its own."""
    own = PackageFiles.of(repository.path, repository.folder)
    return {module for name in own.paths for module in own.imports(name)} - own.paths.keys()


def _link(place: Path, top: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f".{place.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    beside.symlink_to(top, target_is_directory=True)
    beside.replace(place)


def _package_source(
    repository: Repository, package: Package, cache_dir: Path | None, submodules: bool, progress: bool
) -> Path:
    """Return the top of the package's repository. Its folder lies in there, by way of links or not.

    A repository from elsewhere cannot name a folder of this machine as its package.
    """
    top = repository.path
    if package.url is not None:
        if not FULL_SHA.fullmatch(package.commit or ""):
            raise TraceError(f"{MANIFEST} does not pin {package.name} to a commit; run `lake update` in the project")
        if is_local(package.url) and not is_local(repository.url):
            raise TraceError(
                f"the package {package.name} of {repository.url} is to come from a folder of this machine, which a "
                "repository from elsewhere cannot name; clone it, and trace the clone if you trust it"
            )
        top = clone(package.url, package.commit, cache_dir=cache_dir, submodules=submodules, progress=progress).path
    top = top.resolve()
    if not (top / package.folder).resolve().is_relative_to(top):
        raise TraceError(f"the package {package.name} leads out of its repository, which is not followed")
    check_is_lean_project(top / package.folder, f"the package {package.name}")
    return top


def nested_packages(repository: Repository) -> list[Path]:
    """Folders of the project itself that were traced as packages, and so hold no files of its own."""
    traced = {member.name for member in workspace(repository) if build_folder(member).is_dir()}
    if not traced or (repository.path.parent / WORKSPACE).is_file():
        return []
    listed = read_manifest(repository.path, repository.folder)
    return [repository.path / p.folder for p in listed if p.url is None and p.name in traced]


def missing_packages(repository: Repository) -> list[str]:
    """Return the names of packages that the manifest pins and that were not traced."""
    return [member.name for member in workspace(repository) if not build_folder(member).is_dir()]
