"""Two processes train one model, and one of them writes.

They are started by torchrun, which is what ``accelerate launch`` uses on several GPUs (on CPUs it wants MPI).
"""

from __future__ import annotations

import json
from collections.abc import Callable
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
    checkpoint_every_s=0.0, progress=False, draw_ahead=sys.argv[4] == "ahead",
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


ATTEMPTS = """
import json, os, sys
from pathlib import Path
import torch
sys.path.insert(0, sys.argv[1])
from test_lean_grpo import AND, THEOREMS, Served, Spelling, config, lean
from lean_agent.policy.base import Completion
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer

model, folder = Path(sys.argv[2]), Path(sys.argv[3])
rank = os.environ.get("RANK", "0")
torch.set_num_threads(1)


class ByGoal(Served):
    '''Answers each goal alike, whoever asks and beside what: three tactics in turn.'''

    model = "base"

    def update(self, folder):
        super().update(folder)
        self.model = folder.name

    def follow(self, model):
        self.model = model

    def complete(self, goals, k, *, seed=None):
        texts = ("exact ⟨hp, hq⟩", "nonsense", "constructor", "exact hp", "left")
        return [[Completion(texts[(i + len(goal)) % 5], -1.0, 3) for i in range(k)] for goal in goals]


class Remembering(Spelling):
    '''Pays less for what it has seen before, as novelty does.'''

    seen = 0

    def score(self, trajectory, **kwargs):
        self.seen += 1
        return super().score(trajectory)[0] - 0.01 * (self.seen % 5), {}

    def state_dict(self):
        return {"seen": self.seen}

    def load_state_dict(self, state):
        self.seen = state["seen"]


def train(name, policy, until=None, **changes):
    settings = config(model, folder / name, max_steps=4, checkpoint_every=1, theorems_per_step=3, **changes)
    trainer = LeanGRPOTrainer(settings, lean(), policy, scorer=Remembering())
    trainer.setup()

    def stop(done):
        if done == until:
            raise KeyboardInterrupt

    try:
        trainer.train(THEOREMS, on_step=stop)
    except KeyboardInterrupt:
        return None
    rates = [group.pass_rate for group in trainer.evaluate(THEOREMS, 4)]
    weights = torch.cat([weight.detach().flatten() for weight in trainer.model.parameters() if weight.requires_grad])
    torch.save((weights, rates, trainer.lean_calls), folder / f"{name}-{rank}.pt")


for algorithm, more in (("grpo", {}), ("dgpo", {}), ("dapo", {}), ("gspo", {"sync_frequency": 2})):
    settings = {"beta": 0.1, **more}
    train(algorithm, ByGoal(), algorithm=algorithm, algorithm_config=settings, updates_per_batch=1 + len(more))
server = ByGoal()
train("served", server, lora_rank=4)
assert server.names == (["update-0", "update-1", "update-2", "update-3", "update-4"] if rank == "0" else [])
assert server.model == "update-4", server.model
if "RANK" in os.environ:
    train("own", None)
    train("cut", None, until=2)
    train("cut", None)
"""


@pytest.mark.long
def test_two_processes_learn_from_whole_attempts_as_one_does(
    tiny_folder: Path, tmp_path: Path, launched: Callable[..., None]
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, processes in ((one, 1), (two, 2)):
        folder.mkdir()
        launched(ATTEMPTS, folder, Path(__file__).parent, tiny_folder, folder, processes=processes)
    for name in ("grpo", "dgpo", "dapo", "gspo", "served"):
        alone = torch.load(one / f"{name}-0.pt")
        first, second = (torch.load(two / f"{name}-{rank}.pt") for rank in (0, 1))
        assert torch.equal(first[0], second[0])
        assert torch.allclose(first[0], alone[0], atol=1e-5), name
        assert first[1:] == second[1:] == alone[1:]
        assert alone[2] > 0
        histories = [(folder / name / "attempts.jsonl").read_text("utf-8").splitlines() for folder in (one, two)]
        assert histories[0] == histories[1]
        assert len(histories[0]) == 4 * 3 * 4 or name == "gspo"  # whose groups change their size
    assert not torch.equal(torch.load(one / "dgpo-0.pt")[0], torch.load(one / "grpo-0.pt")[0])
    # The model itself, interrupted after two steps and taken up again.
    whole, cut = (torch.load(two / f"{name}-1.pt")[0] for name in ("own", "cut"))
    assert torch.allclose(whole, cut, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("drawn", ["ahead", "on policy"])
def test_two_processes_train_one_model(
    tiny_folder: Path, tmp_path: Path, launched: Callable[..., None], drawn: str
) -> None:
    launched(PROGRAM, tmp_path, Path(__file__).parent, tiny_folder, tmp_path, drawn)
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
