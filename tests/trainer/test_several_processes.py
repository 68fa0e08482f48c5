"""Two processes train one model, and one of them writes.

They are started by torchrun, which is what ``accelerate launch`` uses on several GPUs (on CPUs it wants MPI).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

PROGRAM = """
import json, os, sys
from pathlib import Path
import torch
from accelerate import PartialState
sys.path.insert(0, sys.argv[1])
from conftest import ARITHMETIC, LOGIC, FakeDatabase, Repo
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trainer.sft_trainer import SFTTrainer

model, folder = sys.argv[2], Path(sys.argv[3])
torch.set_num_threads(1)
repos = [Repo("file:///logic", "1" * 10), Repo("file:///arithmetic", "2" * 10)]
database = FakeDatabase({repos[0]: LOGIC, repos[1]: ARITHMETIC})
sft = SFTTrainer(model, folder / "sft", batch_size=2, max_steps=4, lr=1e-3, checkpoint_every_s=0.0, progress=False)
sft.train(repos, database, folder / "data")
grpo = GRPOTrainer(
    sft.model_path, lambda completions, **_: torch.tensor([float(len(tactic) % 5) for tactic in completions]),
    folder / "grpo", algorithm="dapo", algorithm_config={"preset": "published", "overlong_cache": 0},
    curriculum="pass_rate", batch_size=8, num_generations=4, max_steps=3, max_completion_length=8, lr=1e-3,
    checkpoint_every_s=0.0, progress=False,
)
grpo.train(repos, database, folder / "data")
scored = folder / "scored.jsonl"
rows = [{"prompt": goal, "completions": [{"text": "rfl", "score": 0}, {"text": tactic, "score": 1}]}
        for goal, tactic in LOGIC[:2]]
if os.environ["RANK"] == "0":
    scored.write_text("".join(json.dumps(row) + "\\n" for row in rows))
PartialState().wait_for_everyone()
offline = OfflineGRPOConfig(model_path=model, dataset_path=str(scored), output_dir=str(folder / "offline"),
                            batch_size=1, num_epochs=2, logging_steps=1)
OfflineGRPOTrainer(offline, progress=False).train()
weights = torch.cat([weight.detach().flatten() for weight in grpo.model.parameters()])
torch.save(weights, folder / f"weights-{os.environ['RANK']}.pt")
"""


@pytest.mark.long
def test_two_processes_train_one_model(tiny_folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_text(PROGRAM, encoding="utf-8")
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    arguments = [str(program), str(Path(__file__).parent), str(tiny_folder), str(tmp_path)]
    done = subprocess.run(
        [*launch, *arguments],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "1"},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    first, second = (torch.load(tmp_path / f"weights-{rank}.pt") for rank in (0, 1))
    assert torch.equal(first, second)
    progress = json.loads((tmp_path / "grpo" / "progress.json").read_text())
    assert [done["url"] for done in progress["repositories"]] == ["file:///logic", "file:///arithmetic"]
    before = load_file(tiny_folder / "model.safetensors")
    after = load_file(tmp_path / "grpo" / "model.safetensors")
    assert any(not torch.equal(before[name], after[name]) for name in before)
    lines = [json.loads(line) for line in (tmp_path / "grpo" / "metrics.jsonl").read_text().splitlines()]
    steps = [line["step"] for line in lines if line["repository"] == "file:///logic" and "loss" not in line]
    assert steps == [3], "one process logs"
    # Two prompts, one on each process: a step an epoch.
    logged = [json.loads(line) for line in (tmp_path / "offline" / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in logged] == [1, 2, 2]
    assert (tmp_path / "offline" / "model.safetensors").is_file()
