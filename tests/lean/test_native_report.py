"""`lean-agent lean doctor --native`: what is there, what to install, and whether it works on a stand-in."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.cli.native_report import native_report
from lean_agent.lean.native.walls import TRUST_VARIABLE
from lean_agent.lean.process.runtime import LEAN_VARIABLE
from tests.lean.test_native import says_it_is_lean, script


def test_without_a_toolchain_one_sentence_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(LEAN_VARIABLE, raising=False)
    result = CliRunner().invoke(app, ["lean", "doctor", "--native"])
    assert result.exit_code == 1
    machine, missing = result.output.splitlines()
    assert machine.startswith("ok  machine: ")
    assert missing.startswith("BAD native Lean: no native Lean was found") and "install elan (github.com/" in missing


def test_it_is_about_the_toolchain_that_the_environment_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lean = says_it_is_lean(tmp_path / "named", version="4.31.0")
    monkeypatch.setenv(LEAN_VARIABLE, str(tmp_path / "named"))
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    findings = {finding.what: (finding.good, finding.text) for finding in native_report(None, full=False)}
    assert findings["native Lean"] == (True, f"4.31.0 at {lean}")
    assert findings["Lake"][0] is None and findings["walls"] == (None, f"nothing confines it: {TRUST_VARIABLE} is set")
    lake = script(lean.with_name("lake"), "exit 1")
    findings = {finding.what: (finding.good, finding.text) for finding in native_report(None, full=False)}
    assert findings["Lake"] == (True, str(lake))


@pytest.mark.lean
@pytest.mark.long
def test_it_judges_and_traces(toolchain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a checkout's own projects one with a package is for Lake to build, and is not tried without."""
    monkeypatch.setenv(LEAN_VARIABLE, str(toolchain))
    monkeypatch.setenv(TRUST_VARIABLE, "1")
    small = tmp_path / "repos" / "small"
    small.mkdir(parents=True)
    (small / "lakefile.toml").write_text('name = "small"\n')
    (small / "A.lean").write_text("theorem a : 1 = 1 := rfl\ntheorem b : 1 = 1 := by simp\n")
    mini = tmp_path / "tests" / "lean" / "MiniMathlib"
    mini.mkdir(parents=True)
    (mini / "lakefile.toml").write_text('name = "mini"\n')
    (mini / "lake-manifest.json").write_text('{"packages": []}')
    monkeypatch.chdir(tmp_path)
    findings = {finding.what: (finding.good, finding.text) for finding in native_report(None, full=True)}
    judged = {what: good for what, (good, _) in findings.items() if what.startswith("judge: ")}
    assert len(judged) == 5 and all(judged.values())
    good, text = findings["trace small"]
    assert good is True and text.startswith("2 theorems in 1 file, 0 errors, 0 skipped")
    assert findings["trace MiniMathlib"] == (None, "not tried: only Lake can build its package")
