"""The whole job on the repositories that ship with the project: trace, train, prove, compare.

Owns the demo's settings and the order of its stages. Every stage can be taken up again: files that are traced, models
that are trained and theorems that were attempted are not done twice, so a run that was interrupted goes on in its
folder. Held to two cores and 8 GB: two Lean processes and a model of a few million parameters.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lean_agent.agent.base import BaseAgent
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import FINISHED, RunFolder
from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.evaluate import Report
from lean_agent.lean.server import LeanServer
from lean_agent.progress import ProgressBar, inform
from lean_agent.prompts import main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.provers import HFProver, Prover, ScriptedProver
from lean_agent.tracing.project.sources import find_repositories

if TYPE_CHECKING:
    from lean_agent.trainer.grpo_trainer import GRPOTrainer
    from lean_agent.trainer.sft_trainer import SFTTrainer

logger = logging.getLogger(__name__)

NAME = "demo"
STAGES = ("tracing", "untrained model", "supervised training", "training with the verified reward", "search")
SCRIPTED = "closing tactics"
CHECKPOINT_EVERY_S = 20.0
"""So much of the training is lost at most when it is interrupted."""


@dataclass(frozen=True, slots=True)
class DemoConfig:
    """Everything that decides what the demo does.

    Attributes:
        repositories: names of those in ``repos/`` of the source checkout that it works on; a folder that is named
            instead is taken whole.
        hidden_size: width of the model; 192 makes two million parameters.
        sft_epochs: epochs over the merged data after each repository.
        grpo_steps: optimizer steps after each repository, of ``grpo_goals`` goals with ``grpo_group`` tactics each.
        theorems: how many of the open theorems are searched for, evenly spread over all; more would take longer than
            a demo should.
        expansions, lean_calls, seconds: the search budget of every policy, for each theorem.
        tactics_per_node: tactics that a model is asked for at each state.
        max_tactic_tokens: longest tactic of a model, in tokens.
    """

    seed: int = 0
    workers: int = 2
    repositories: tuple[str, ...] = ("arithmetic", "lists", "logic", "structures")
    hidden_size: int = 192
    sft_epochs: int = 2
    sft_batch: int = 16
    sft_lr: float = 1e-3
    grpo_steps: int = 24
    grpo_goals: int = 4
    grpo_group: int = 8
    grpo_lr: float = 3e-5
    theorems: int = 64
    expansions: int = 32
    lean_calls: int = 256
    seconds: float = 30.0
    tactics_per_node: int = 16
    max_tactic_tokens: int = 32

    @property
    def search(self) -> SearchConfig:
        """How every policy searches."""
        budget = SearchBudget(self.expansions, self.lean_calls, self.seconds)
        return SearchConfig(budget=budget, tactics_per_node=self.tactics_per_node)


def run_demo(
    config: DemoConfig,
    repos: Path | None = None,
    *,
    runs_dir: Path = Path("runs"),
    fresh: bool = False,
    lean: LeanServer | None = None,
    progress: bool = True,
) -> Report:
    """Run the demo, or go on with the newest run of the same settings that has not finished.

    Args:
        repos: a folder of Lean projects, to work on all of them; by default ``config.repositories``.
        runs_dir: where the run folder is made.
        fresh: start anew whatever there is.
        lean: a Lean server; by default one of ``config.workers`` processes.

    Raises:
        ConfigError: no repositories there, or another process is at work in the run's folder.
    """
    paths = demo_repositories(config, repos)
    settings = {**asdict(config), "repositories": [str(path) for path in paths]}
    run = None if fresh else RunFolder.newest_unfinished(runs_dir, NAME, settings)
    if run is not None:
        inform(f"Going on in {run.path}")
    run = run or RunFolder.create(runs_dir, NAME, settings)
    with run.claimed("begin another run with --fresh"):
        return Demo(config, run, lean=lean, progress=progress).run(paths)


def demo_repositories(config: DemoConfig, repos: Path | None) -> list[Path]:
    """Return all projects of the folder ``repos``; without one, those of ``config.repositories``.

    Raises:
        ConfigError: there are none.
    """
    paths = [path for path in find_repositories(repos) if repos or path.name in config.repositories]
    if not paths:
        raise ConfigError(f"None of the repositories {', '.join(config.repositories)} is in repos/; name others.")
    return paths


def untrained_model(agent: BaseAgent, folder: Path, *, hidden_size: int, seed: int, progress: bool = True) -> None:
    """Make a model with random weights whose tokenizer has learnt the spelling of what the agent has traced.

    Nothing is done where ``folder`` holds a model already.
    """
    if (folder / "config.json").is_file():
        return
    from lean_agent.policy.tiny import make_tiny_model

    agent.database.export_merged_data(agent.curriculum(), agent.run.data)
    theorems = json.loads((agent.run.data / "random" / "train.json").read_text(encoding="utf-8"))
    tactics = [tactic for theorem in theorems for tactic in theorem["traced_tactics"]]
    texts = [text for tactic in tactics for text in (main_goal(tactic["state_before"]), tactic["step"])]
    with ProgressBar("Tokenizer and random weights", total=1, enabled=progress) as bar:
        make_tiny_model(texts, folder, hidden_size=hidden_size, seed=seed)
        bar.advance(texts=len(texts))


class Demo:
    """One run of the demo in its folder."""

    def __init__(self, config: DemoConfig, run: RunFolder, *, lean: LeanServer | None, progress: bool) -> None:
        self._config = config
        self._run = run
        self._lean = lean
        self._progress = progress
        self._models = {name: run.checkpoints / name for name in ("untrained", "sft", "grpo")}

    def run(self, paths: list[Path]) -> Report:
        """Every stage in its order."""
        options: dict[str, Any] = {"run": self._run, "workers": self._config.workers, "progress": self._progress}
        with (
            self._run.logging(),
            DynamicDatabase(self._run.data / "database.sqlite") as database,
            HFAgent(lean=self._lean, database=database, **options) as agent,
        ):
            with self._stage("tracing"):
                for path in paths:
                    agent.setup_local_repository(path)
            with self._stage("untrained model"):
                if not self._run.is_done("untrained model"):
                    size, seed = self._config.hidden_size, self._config.seed
                    untrained_model(agent, self._models["untrained"], hidden_size=size, seed=seed)
            with self._stage("supervised training"):
                agent.trainer = self._sft_trainer()
                agent.train()
            with self._stage("training with the verified reward"):
                agent.trainer = trainer = self._grpo_trainer()
                agent.train()
                inform(str(trainer.step_time() or ""))
            with self._stage("search"):
                theorems = agent.open_theorems()
                chosen = spread(theorems, self._config.theorems)
                notes = self._notes(f"Searched for {len(chosen)} of the {len(theorems)} open theorems.")
                how: dict[str, Any] = {"budget": self._config.search.budget, "baseline": SCRIPTED, "title": "Demo"}
                report = agent.evaluate(provers=self._provers(agent), theorems=chosen, notes=notes, **how)
        self._run.mark_done(FINISHED)
        return report

    @property
    def _of_trainers(self) -> dict[str, Any]:
        options = {"seed": self._config.seed, "progress": self._progress}
        return {**options, "checkpoint_every_s": CHECKPOINT_EVERY_S}

    def _sft_trainer(self) -> SFTTrainer:
        from lean_agent.trainer.sft_trainer import SFTTrainer

        return SFTTrainer(
            self._models["untrained"],
            self._models["sft"],
            epochs_per_repo=self._config.sft_epochs,
            batch_size=self._config.sft_batch,
            lr=self._config.sft_lr,
            **self._of_trainers,
        )

    def _grpo_trainer(self) -> GRPOTrainer:
        from lean_agent.trainer.grpo_trainer import GRPOTrainer

        return GRPOTrainer(
            self._models["sft"],
            output_dir=self._models["grpo"],
            max_steps=self._config.grpo_steps,
            batch_size=self._config.grpo_goals * self._config.grpo_group,
            num_generations=self._config.grpo_group,
            max_completion_length=self._config.max_tactic_tokens,
            lr=self._config.grpo_lr,
            **self._of_trainers,
        )

    def _provers(self, agent: HFAgent) -> list[Prover]:
        from lean_agent.policy.base import Sampling

        search, lean = self._config.search, agent.lean
        sampling = Sampling(max_new_tokens=self._config.max_tactic_tokens, seed=self._config.seed)
        provers: list[Prover] = [ScriptedProver(lean, name=SCRIPTED, config=search, **agent.kept(SCRIPTED))]
        for name, title in (("untrained", "untrained model"), ("sft", "after SFT"), ("grpo", "after GRPO")):
            options = agent.kept(title)
            provers.append(HFProver(self._models[name], lean, name=title, sampling=sampling, config=search, **options))
        return provers

    def _notes(self, searched: str) -> str:
        lines = [searched, "", "Seconds for each stage before the search:", ""]
        lines += [f"- {name}: {facts['seconds']:.0f}" for name, facts in self._run.stages().items()]
        return "\n".join(lines)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        """Say that a stage begins, and keep what it took; one that was done before keeps its first figure."""
        inform(f"[{STAGES.index(name) + 1}/{len(STAGES)}] {name}")
        logger.info("Stage: %s", name)
        began = time.monotonic()
        yield
        seconds = time.monotonic() - began
        if not self._run.is_done(name):
            self._run.mark_done(name, seconds=round(seconds, 1))
        logger.info("Stage done: %s, %.1f s", name, seconds)
