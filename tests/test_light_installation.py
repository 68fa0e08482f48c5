"""What the light installation can do, and the sentence for somebody who asks it for more."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lean_agent.extras import DISTRIBUTION, EXTRAS, missing

ROOT = Path(__file__).resolve().parent.parent
WITHOUT = """
import sys
from importlib import import_module
from lean_agent.extras import EXTRAS

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS["train"]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Without())
"""
LIGHT = (
    "agent.base",
    "cli.commands.trace",
    "cli.commands.verify",
    "cli.main",
    "environments.trl",
    "evaluation.report",
    "lean.pool",
    "prover.provers",
    "service.run",
    "tracing.tracer",
)
USES = """
for module in sys.argv[1:]:
    import_module(f"lean_agent.{module}")
from lean_agent.cli.main import app
try:
    from lean_agent import SFTTrainer
except ImportError as error:
    print(error)
app(["demo"])
"""


def test_much_works_without_the_extra_for_training(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + USES, *LIGHT],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    sentence = f"which is not installed: pip install '{DISTRIBUTION}[train]'."
    assert done.stdout.startswith("SFTTrainer: This needs ") and done.stdout.rstrip().endswith(sentence), done.stderr
    assert done.returncode == 1 and done.stderr.startswith("Error: This needs "), done.stderr
    assert done.stderr.rstrip().endswith(sentence) and "Traceback" not in done.stderr


@pytest.mark.lean
def test_practice_works_without_the_extra_for_training(tmp_path: Path) -> None:
    (tmp_path / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    (tmp_path / "Small.lean").write_text("theorem two (n : Nat) : n + 0 = n := by\n  sorry\n", encoding="utf-8")
    use = 'from lean_agent.cli.main import app\napp(["improve", ".", "--no-training", "--database", "db"])'
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + use],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert "1 of 1 theorem proved" in done.stdout and "Nothing was trained." in done.stdout, done.stderr


def test_the_sentence_is_of_extras_that_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION
    declared = set(project["optional-dependencies"]) - {"dev"}
    assert declared - set(EXTRAS) == set(), "every extra is known"
    assert missing(ModuleNotFoundError("no", name="torch.nn")) == (
        "This needs torch, which is not installed: pip install 'lean4-agent[train]'."
    )
    assert missing(ModuleNotFoundError("no", name="something_else")) is None


@pytest.mark.parametrize("module", ["torch", "transformers", "trl", "pyarrow", "matplotlib"])
def test_the_light_installation_asks_for_nothing_heavy(module: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert not any(line.startswith(module) for line in project["dependencies"])
    assert any(line.startswith(module) for line in project["optional-dependencies"]["train"])
