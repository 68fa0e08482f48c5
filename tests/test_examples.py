"""Every example runs as it stands; every configuration loads, and makes an algorithm and a scorer."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lean_agent.rollout import load_theorems
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.dpo_trainer import DPOConfig
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted(p.name for p in (ROOT / "examples").glob("*.py") if p.name != "starting_point.py")
MOST_SECONDS = 180


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all, so that the model that they start from is made once."""
    return tmp_path_factory.mktemp("examples")


@pytest.mark.long
@pytest.mark.lean
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs_as_it_stands(name: str, folder: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=5 * MOST_SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip()
    assert time.monotonic() - began < MOST_SECONDS


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_explains_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(ROOT / "examples")
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(ROOT / "examples" / name), run_name="__main__")
    assert end.value.code == 0
    assert f"python examples/{name}" in capsys.readouterr().out
    assert not list(tmp_path.iterdir())


def test_the_examples_are_those_that_are_promised() -> None:
    assert EXAMPLES == [
        "grpo.py",
        "lora.py",
        "offline_grpo.py",
        "sft.py",
        "train_advanced.py",
        "train_domain_specific.py",
        "train_example.py",
        "train_with_rewards.py",
        "trl_environment.py",
    ]
    assert len(load_theorems(ROOT / "examples" / "example_theorems.jsonl")) == 16


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_configuration_loads(path: Path) -> None:
    if path.stem.startswith("offline_"):
        config = DPOConfig if path.stem == "offline_dpo" else OfflineGRPOConfig
        assert config.from_yaml(path).batch_size == 8
        return
    LeanGRPOConfig.load(path)  # makes the algorithm and the scorer
