from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.files import cache_dir


def test_the_variable_overrides_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "my cache"))
    assert cache_dir() == tmp_path / "my cache"


def test_a_relative_override_is_made_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEAN_AGENT_CACHE", "here")
    assert cache_dir() == tmp_path / "here"


def test_otherwise_the_platform_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LEAN_AGENT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "lean_agent"
