"""How far each algorithm's weights are from GRPO's after ten steps, in both trainers, by default and by its YAML file.

python benchmarks/differences.py            # the table
python benchmarks/differences.py --write    # the table into docs/algorithm_results.md
python benchmarks/differences.py --offline  # the directions of the offline objective on lean-grpo's own example

A small model, rewards of 0 and 1, and completions that are drawn from a seed and not from the model: every algorithm
learns from the same ones, so that a distance is a difference of the updates alone. Distances are in units of the path
that grpo's weights went from the start. Two equal runs say what is noise.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
import yaml

from lean_agent.algorithms import ALGORITHMS
from lean_agent.lean.interface import MockLeanInterface
from lean_agent.policy.decoding import Answers
from lean_agent.policy.mock import MockInferenceClient
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rollout import Theorem
from lean_agent.trainer.algorithm_trainer import AlgorithmTrainer
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trajectory import ProofTrajectory

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "algorithm_results.md"
BEGIN, END = "<!-- differences: begin -->\n", "<!-- differences: end -->\n"
STEPS, LEARNING_RATE, TOKENS = 10, 1e-3, 20
GOALS = ("p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q", "p q : Prop\nhp : p\n⊢ p ∨ q", "p : Prop\nhp : p\n⊢ p", "⊢ True")
TACTICS = ("exact ⟨hp, hq⟩", "constructor", "exact hp", "left", "nonsense", "trivial", "rfl", "intro h")
THEOREMS = [
    Theorem("and", "theorem and (p q : Prop) (hp : p) (hq : q) : p ∧ q"),
    Theorem("or", "theorem or (p q : Prop) (hp : p) : p ∨ q"),
    Theorem("id", "theorem id (p : Prop) (hp : p) : p"),
]
PRESETS = ("drgrpo", "dapo", "gspo")
"""Algorithms of which a paper has another reading."""


@dataclass(frozen=True)
class Variant:
    """An algorithm with its settings."""

    name: str
    algorithm: str
    config: Mapping[str, Any] = field(default_factory=dict)
    preset: str | None = None
    updates: int | None = None


def by_default() -> list[Variant]:
    """Return all algorithms with the settings that they come with, and the papers' readings."""
    plain = [Variant(name, name) for name in ALGORITHMS]
    return plain + [Variant(f"{name}, published", name, preset="published") for name in PRESETS]


def by_file() -> list[Variant]:
    """Return the algorithms as configs/ has them, under the names of :func:`by_default`."""
    variants = []
    for variant in by_default():
        file = f"{variant.algorithm}_published" if variant.preset else variant.algorithm
        values = yaml.safe_load((ROOT / "configs" / f"{file}.yaml").read_text(encoding="utf-8"))
        config, preset = values.get("algorithm_config", {}), values.get("algorithm_preset")
        variants.append(Variant(variant.name, variant.algorithm, config, preset, values.get("updates_per_batch")))
    return variants


def is_rewarded(text: str) -> bool:
    """Decide by a text's letters whether it earns 1 or 0."""
    return hashlib.sha256(text.encode()).digest()[0] % 3 == 0


class ByLetters(BaseRewardScorer):
    """Rewards of 0 and 1."""

    def score(self, trajectory: ProofTrajectory, **kwargs: Any) -> tuple[float, dict[str, float]]:
        return float(is_rewarded("\n".join(step.tactic for step in trajectory.steps))), {}


@dataclass(frozen=True)
class Goals:
    """A repository of goals, as a trainer asks for one."""

    url: str = "goals"
    commit: str = "0" * 40

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> None:
        """Write the goals as training data."""
        rows = [
            {
                "url": self.url,
                "commit": self.commit,
                "file_path": "Main.lean",
                "full_name": f"t{number}",
                "theorem_statement": "theorem",
                "start": [number, 1],
                "end": [number, 9],
                "traced_tactics": [
                    {
                        "tactic": "simp",
                        "annotated_tactic": ["simp", []],
                        "state_before": goal,
                        "state_after": "no goals",
                        "step": "simp",
                        "position": 100 * number,
                    }
                ],
            }
            for number, goal in enumerate(GOALS)
        ]
        (path / "random").mkdir(parents=True, exist_ok=True)
        (path / "random" / "train.json").write_text(json.dumps(rows), encoding="utf-8")


@contextmanager
def drawn_from_a_seed() -> Iterator[None]:
    """Let :class:`GRPOTrainer` learn from completions in which the model has no say."""
    generator = torch.Generator().manual_seed(0)

    def sample(
        model: Any, prompts: Sequence[Sequence[int]], k: int, *, end_ids: Sequence[int], pad_id: int, **_: Any
    ) -> Answers:
        rows = len(prompts) * k
        tokens = torch.randint(10, 250, (rows, TOKENS), generator=generator)
        ends = torch.randint(2, TOKENS + 4, (rows, 1), generator=generator)  # a few are cut off
        places = torch.arange(TOKENS)
        tokens = torch.where(places > ends, pad_id, torch.where(places == ends, end_ids[0], tokens))
        return Answers(tokens, torch.zeros(rows))

    with patch.object(AlgorithmTrainer, "sample", staticmethod(sample)):
        yield


def trained_on_tactics(variant: Variant, model: Path, folder: Path) -> torch.Tensor:
    """Return the weights after ten steps of :class:`GRPOTrainer`, in one row."""

    def reward(completions: Sequence[str], **_: Any) -> torch.Tensor:
        return torch.tensor([float(is_rewarded(text)) for text in completions])

    preset = {"preset": variant.preset} if variant.preset else {}
    trainer = GRPOTrainer(
        model,
        reward,
        folder,
        algorithm=variant.algorithm,
        algorithm_config={**variant.config, **preset},
        num_generations=8,
        num_iterations=variant.updates,
        batch_size=16,
        max_steps=STEPS,
        max_completion_length=TOKENS,
        lr=LEARNING_RATE,
        warmup=0.0,
        progress=False,
    )
    goals = Goals()
    with drawn_from_a_seed():
        trainer.train([goals], goals, folder / "data")
    return weights(folder)


def trained_on_attempts(variant: Variant, model: Path, folder: Path) -> torch.Tensor:
    """Return the weights after ten batches of :class:`LeanGRPOTrainer`, in one row."""
    config = LeanGRPOConfig(
        base_model=str(model),
        output_dir=folder,
        algorithm=variant.algorithm,
        algorithm_config=dict(variant.config),
        algorithm_preset=variant.preset,
        num_generations=8,
        updates_per_batch=variant.updates,
        theorems_per_step=2,
        max_proof_steps=2,
        max_tactic_tokens=16,
        max_steps=STEPS,
        learning_rate=LEARNING_RATE,
        warmup_ratio=0.0,
        progress=False,
    )
    policy = MockInferenceClient(default=TACTICS)
    trainer = LeanGRPOTrainer(config, MockLeanInterface(), policy, scorer=ByLetters())
    trainer.setup()
    trainer.train(THEOREMS)
    return weights(folder)


def weights(folder: Path) -> torch.Tensor:
    """Return all weights of a model's folder in one row."""
    from safetensors.torch import load_file

    return torch.cat([tensor.flatten() for _, tensor in sorted(load_file(folder / "model.safetensors").items())])


TRAINERS = {"GRPOTrainer": trained_on_tactics, "LeanGRPOTrainer": trained_on_attempts}


@dataclass(frozen=True)
class Distance:
    """Return how far a variant's weights are, in units of the path that grpo's went."""

    variant: str
    from_grpo: float
    nearest: str
    from_nearest: float


def distances(trainer: str, variants: Sequence[Variant], folder: Path) -> tuple[list[Distance], float]:
    """Train with every variant, the first of which is grpo; return the distances, and that of two equal runs."""
    train = TRAINERS[trainer]
    texts = [*GOALS, *TACTICS]
    model = make_tiny_model(texts, folder / "model", vocab_size=300, hidden_size=64, layers=1)
    ends = [train(variant, model, folder / f"run-{number}") for number, variant in enumerate(variants)]
    again = train(variants[0], model, folder / "again")
    path = (ends[0] - weights(model)).norm()

    def away(first: torch.Tensor, second: torch.Tensor) -> float:
        return float((first - second).norm() / path)

    rows = []
    for number, (variant, end) in enumerate(zip(variants, ends, strict=True)):
        others = {variants[other].name: away(end, ends[other]) for other in range(len(ends)) if other != number}
        nearest = min(others, key=lambda name: others[name])
        rows.append(Distance(variant.name, away(end, ends[0]), nearest, others[nearest]))
    return rows, away(ends[0], again)


def table() -> str:
    """Measure, and return the table for docs/algorithm_results.md."""
    lines = [
        "| algorithm | tactics, default | by its file | attempts, default | by its file |",
        "| --- | --- | --- | --- | --- |",
    ]
    columns, noise = [], []
    for trainer in TRAINERS:
        for variants in (by_default(), by_file()):
            with tempfile.TemporaryDirectory() as folder:
                rows, equal = distances(trainer, variants, Path(folder))
            columns.append(rows)
            noise.append(f"{equal:.1g}")
    for cells_of in zip(*columns, strict=True):
        cells = [f"{row.from_grpo:.2g} ({row.from_nearest:.2g} from {row.nearest})" for row in cells_of]
        lines.append(f"| {cells_of[0].variant} | {' | '.join(cells)} |")
    return "\n".join([*lines, f"| two equal runs | {' | '.join(noise)} |", ""])


def offline() -> str:
    """Train on the example of lean-grpo's description in both directions; return the losses before and after."""
    example = {
        "prompt": "Prove that the square root of 2 is irrational.",
        "completions": [
            {"text": "Assume sqrt(2) is rational...", "score": 3.2},
            {"text": "Using Pythagoras theorem...", "score": 1.8},
        ],
    }
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.jsonl").write_text(json.dumps(example) + "\n", encoding="utf-8")
        model = make_tiny_model(TACTICS, folder / "model", vocab_size=300, hidden_size=64, layers=2)
        for direction in ("policy_to_target", "target_to_policy"):
            config = OfflineGRPOConfig(
                model_path=str(model),
                dataset_path=str(folder / "data.jsonl"),
                output_dir=str(folder / direction),
                num_epochs=30,
                kl_direction=direction,
            )
            trainer = OfflineGRPOTrainer(config, progress=False)
            before = trainer.evaluate().loss
            trainer.train()
            lines.append(f"{direction}: loss {before:.4f} before, {trainer.evaluate().loss:.4f} after 30 steps")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--write", action="store_true", help="put the table into docs/algorithm_results.md")
    parser.add_argument("--offline", action="store_true", help="the offline objective's directions instead")
    arguments = parser.parse_args()
    logging.disable(logging.WARNING)
    torch.set_num_threads(1)
    if arguments.offline:
        print(offline())
        return
    measured = table()
    print(measured)
    if arguments.write:
        head, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
        _, _, tail = rest.partition(END)
        DOCUMENT.write_text(f"{head}{BEGIN}{measured}{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
