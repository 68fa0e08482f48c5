"""A GRPO training that is killed, at any moment, and resumed ends with the weights of one that was not."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

PROGRAM = '''
import os, signal, sys, threading
from pathlib import Path
import torch
sys.path.insert(0, sys.argv[1])
from conftest import ARITHMETIC, LOGIC, FakeDatabase, Repo
from lean_agent.trainer.grpo_trainer import GRPOTrainer

model, folder, moments = sys.argv[2], Path(sys.argv[3]), [float(moment) for moment in sys.argv[4:]]
torch.set_num_threads(1)
counter = folder.parent / f"{folder.name}.calls"

def reward(completions, **_):
    """Counts its calls over all lives; when a moment of death comes up, it is within the second after it."""
    calls = len(counter.read_text()) if counter.exists() else 0
    with counter.open("a") as file:  # never cut short: a death between emptying and writing would begin the count again
        file.write(".")
    for moment in moments:
        if calls == int(moment):
            delay = moment - int(moment)
            threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return torch.tensor([float(len(tactic) % 5) for tactic in completions])

logic, arithmetic = Repo("file:///logic", "1" * 10), Repo("file:///arithmetic", "2" * 10)
trainer = GRPOTrainer(
    model, reward, folder, algorithm="dapo", algorithm_config={"population_size": 40, "dynamic_sampling": 1},
    batch_size=8, num_generations=4, num_iterations=2, max_steps=8, max_completion_length=8, lr=1e-3,
    curriculum="pass_rate", checkpoint_every_s=0.0, progress=False,
)
trainer.train([logic, arithmetic], FakeDatabase({logic: LOGIC, arithmetic: ARITHMETIC}), folder.parent / "data")
'''


def run(model: Path, folder: Path, moments: Sequence[float]) -> int:
    """Train to the end through all deaths; how often it died."""
    program = folder.parent / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, str(program), str(Path(__file__).parent), str(model), str(folder), *map(str, moments)]
    deaths = 0
    while True:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode == 0:
            return deaths
        assert done.returncode == -signal.SIGKILL, done.stderr
        deaths += 1


def weights(folder: Path) -> torch.Tensor:
    return torch.cat([tensor.flatten() for _, tensor in sorted(load_file(folder / "model.safetensors").items())])


@pytest.fixture(scope="module")
def straight(tiny_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[torch.Tensor, int]:
    """The weights of a training without a death, and how often it called its reward."""
    folder = tmp_path_factory.mktemp("straight") / "out"
    assert run(tiny_folder, folder, []) == 0
    return weights(folder), len((folder.parent / "out.calls").read_text())


@pytest.mark.long
@pytest.mark.slow
def test_killed_within_each_repository(tiny_folder: Path, tmp_path: Path, straight: tuple[torch.Tensor, int]) -> None:
    wanted, calls = straight
    # Four batches a repository, two steps on each: the third call is in the first, the last but one in the second.
    assert run(tiny_folder, tmp_path / "out", [2.0, calls - 1.95]) == 2
    assert not torch.equal(weights(tmp_path / "out"), weights(tiny_folder))
    assert torch.allclose(weights(tmp_path / "out"), wanted, rtol=0, atol=1e-6)


@pytest.mark.long
def test_killed_at_any_moment(tiny_folder: Path, tmp_path: Path, straight: tuple[torch.Tensor, int]) -> None:
    """Deaths 0 to 0.3 s after a call: in generation, in an update, within a checkpoint, between repositories. Later
    ones would let a quick machine get through several calls in each life, and so through all of them in three."""
    wanted, calls = straight
    assert run(tiny_folder, tmp_path / "out", [call + 0.04 * call for call in range(1, calls)]) >= 4
    assert torch.allclose(weights(tmp_path / "out"), wanted, rtol=0, atol=1e-6)
