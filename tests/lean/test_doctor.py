"""`lean-agent lean doctor`: each part is tried, and what is wrong comes with what to do."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.errors import LeanInstallError, LeanStartupError
from lean_agent.lean.embedded.doctor import Finding, Machine, doctor
from lean_agent.lean.embedded.install import Installation, node_binary
from lean_agent.lean.pool import LeanPool


def named(what: str, machine: Machine | None = None) -> Finding:
    return next(finding for finding in doctor(machine) if finding.what == what)


@pytest.mark.parametrize("folder", ["a_file/cache", "/proc/lean_agent"])
def test_a_cache_folder_that_cannot_be_made_is_bad(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, folder: str
) -> None:
    (tmp_path / "a_file").write_text("")
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / folder))
    finding = named("cache folder")
    assert finding.good is False
    assert "set LEAN_AGENT_CACHE" in finding.text and folder in finding.text
    result = CliRunner().invoke(app, ["lean", "doctor"])
    assert result.exit_code == 1 and "BAD cache folder" in result.output


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_folder_of_somebody_else_is_bad(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    assert named("cache folder").good is False


def test_a_disk_without_room_is_bad_until_lean_is_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path))
    full = Machine(free_mb=lambda folder: 5)
    assert "5 MB are free. Make room, or set LEAN_AGENT_CACHE" in named("cache folder", full).text
    installed = replace(full, is_installed=lambda: True, pool=no_pool)
    assert named("cache folder", installed).good is True


def test_without_lean_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    assert named("cache folder").good is True
    assert not list((tmp_path / "cache" / "lean").iterdir())
    finding = named("embedded Lean")
    assert finding.good is False and "`lean-agent lean install --from PATH`" in finding.text


def no_pool(*_: object, **__: object) -> LeanPool:
    raise LeanStartupError("it did not come up.")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo v22.1.0", "v22.1.0 at .*, which is not 24; "),
        ("exit 3", "does not run .*exit status 3.*; "),
        (None, "does not run"),
    ],
)
def test_a_node_that_is_not_right_is_bad(tmp_path: Path, script: str | None, words: str) -> None:
    node = tmp_path / "node"
    if script is not None:
        node.write_text(f"#!/bin/sh\n{script}\n")
        node.chmod(0o755)
    finding = named("Node", Machine(node=lambda: node))
    assert finding.good is False and re.search(words + ".*pip install", finding.text)


def test_without_node_the_rest_is_looked_at_all_the_same() -> None:
    def no_node() -> NoReturn:
        raise LeanInstallError("no Node: pip install it")

    findings = {finding.what: finding.good for finding in doctor(Machine(node=no_node, installation=no_node))}
    assert findings["Node"] is findings["embedded Lean"] is False
    assert findings["cache folder"] is True and "native Lean" in findings


def test_a_lean_that_does_not_start_says_how_to_make_it_anew(tmp_path: Path) -> None:
    lean = Installation(node_binary(), tmp_path / "host.cjs", tmp_path, tmp_path)
    machine = Machine(installation=lambda: lean, is_installed=lambda: True, pool=no_pool)
    finding = named("a theorem", machine)
    assert finding.good is False and "it did not come up. `lean-agent lean clean --all`" in finding.text


@pytest.mark.lean
def test_all_is_well() -> None:
    findings = doctor()
    assert all(finding.good is not False for finding in findings), findings
    assert [finding.what for finding in findings][-3] == "a theorem"
