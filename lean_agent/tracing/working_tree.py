"""Changes to a git work tree that somebody works in: a commit beside it, and whether a file holds unsaved work.

Only git's plumbing is used: no hook and no filter of the repository runs, and neither its index nor its files change.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from lean_agent.errors import TraceError

NOBODY = {"name": "lean_agent", "email": "lean_agent@localhost"}


def work_tree(folder: Path) -> Path | None:
    """Return the top of the git work tree that ``folder`` lies in, if it lies in one."""
    try:
        return Path(_git(folder, "rev-parse", "--show-toplevel"))
    except TraceError:
        return None


def is_committed(folder: Path, file_path: str) -> bool:
    """Return whether ``file_path`` in ``folder`` is, byte for byte, what the last commit of its git work tree has
    there.

    False without git, without a commit, and for files that git does not know.
    """
    try:
        committed = _git(folder, "rev-parse", "--verify", "--quiet", f"HEAD:./{file_path}")
        return committed == _git(folder, "hash-object", "--no-filters", "--", file_path)
    except TraceError:
        return False


def commit_on_branch(folder: Path, files: Mapping[str, bytes], branch: str, message: str) -> str:
    """Commit ``files`` (contents by path in ``folder``) upon the last commit, as a new branch; returns the commit.

    The branch that is checked out stays, and so do the index and all files.

    Raises:
        TraceError: no git work tree with a commit, or there is such a branch already.
    """
    prefix = _git(folder, "rev-parse", "--show-prefix")
    parent = _git(folder, "rev-parse", "--verify", "HEAD")
    with tempfile.TemporaryDirectory(prefix="lean-agent-") as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        _git(folder, "read-tree", parent, environment=index)
        for path, content in files.items():
            blob = _git(folder, "hash-object", "-w", "--no-filters", "--stdin", given=content)
            mode = _git(folder, "ls-tree", parent, "--", path)[:6] or "100644"
            entry = f"{mode},{blob},{prefix}{path}"
            _git(folder, "update-index", "--add", "--cacheinfo", entry, environment=index)
        tree = _git(folder, "write-tree", environment=index)
    author = {f"GIT_{who}_{what.upper()}": value for who in ("AUTHOR", "COMMITTER") for what, value in NOBODY.items()}
    commit = _git(folder, "commit-tree", tree, "-p", parent, "-m", message, environment=author)
    _git(folder, "update-ref", f"refs/heads/{branch}", commit, "0" * len(commit))  # only where there was none
    return commit


def _git(folder: Path, *words: str, given: bytes = b"", environment: Mapping[str, str] | None = None) -> str:
    command = ["git", "-C", str(folder), "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", *words]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, check=False, env={**os.environ, **(environment or {})}
        )
    except OSError as error:
        raise TraceError(f"git cannot be run ({error}); install it.") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip() or f"it ended with {done.returncode}"
        raise TraceError(f"git {words[0]} in {folder}: {reason}")
    return done.stdout.decode(errors="replace").strip()
