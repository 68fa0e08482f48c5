"""GRPO on whole trajectories: the model attempts each theorem many times and learns from what each attempt is worth.

Group-relative across the attempts at one theorem (arXiv 2402.03300), with any algorithm of
:mod:`lean_agent.algorithms` and any scorer of :mod:`lean_agent.rewards`. Attempts come from
:mod:`lean_agent.rollout`; the update is here.

Everything random is drawn from the seed and the number of the step, so a training that was killed and taken up again
ends with the weights of one that was not.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, cast

import torch
from peft import PeftModel
from transformers import PreTrainedModel

from lean_agent.errors import ConfigError, TrainingError
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import HasSampling, SamplingPolicy, UpdatablePolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.model_files import adapter_base
from lean_agent.progress import ProgressBar
from lean_agent.rewards import BaseRewardScorer
from lean_agent.rewards.base import load_scorer_state, scored, scorer_state
from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator
from lean_agent.rollout.runner import wait_for
from lean_agent.rollout.theorems import ProofTask, Theorem, TheoremFiles, load_theorems
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.trajectory_update import REFERENCE, TrajectoryUpdate
from lean_agent.trainer.base import Trainer, takes_settings
from lean_agent.trainer.run.loading import Trainable, check_writes_tactics, quiet_libraries
from lean_agent.trainer.run.run_folder import resume_point, write_folder
from lean_agent.trainer.run.tracking import StepLog, open_tracker
from lean_agent.trajectory import TrajectoryGroup
from lean_agent.wording import counted

logger = logging.getLogger(__name__)

Dataset = str | Path | Sequence[Theorem] | Sequence[ProofTask] | Sequence[Mapping[str, Any]]
"""A JSONL file of theorems, its rows, theorems, or theorems in their places."""

_APART = 611_953
"""Between the seeds of two processes."""


@dataclass(frozen=True, slots=True)
class _Data:
    """A dataset as the run's folder knows it."""

    url: str
    commit: str


class LeanGRPOTrainer(Trainer[LeanGRPOConfig]):
    """Trains a model on whole attempts at theorems.

        trainer = LeanGRPOTrainer(config, lean, inference)
        trainer.setup()
        trainer.train("theorems.jsonl")

    Under ``accelerate launch`` every process makes its share of a step's attempts, with its own ``lean`` and
    ``inference``, and sees its share of their tokens; the first alone scores and writes. So :meth:`train` and
    :meth:`evaluate` are for all of them to call.

    Args:
        config: the settings; or the model, or a YAML file of settings, beside ``settings`` by name.
        lean: runs tactics and judges proofs; stays open.
        inference: proposes tactics; by default the model in training itself. A
            :class:`~lean_agent.policy.endpoint.VLLMClient` gets the weights before it is first asked and after each
            update. Any other endpoint goes on with the model that it serves, which a warning says.
        scorer: what an attempt is worth; by default ``config.reward_type``.

    Attributes:
        model, tokenizer, policy: there after :meth:`setup`.
        lean_calls: tactics that Lean has run for the dataset in training.
    """

    kind = "LeanGRPO"

    @takes_settings
    def __init__(
        self,
        config: LeanGRPOConfig | str | Path,
        lean: LeanServer,
        inference: SamplingPolicy | None = None,
        *,
        scorer: BaseRewardScorer | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(LeanGRPOConfig.of(config, **settings))
        self.algorithm = self.config.make_algorithm()
        self.scorer = scorer or self.config.make_scorer()
        self._check_model()
        check_writes_tactics(str(self.config.model_name))
        _check_sampling(self.config, inference)
        self._files = TheoremFiles(self.output_dir / "theorems")
        self._lean = lean
        self._inference = inference
        self._reference: PreTrainedModel | None = None
        self._served: int | None = None
        self.lean_calls = 0

    def _recorded(self) -> dict[str, Any]:
        # each process draws attempts from a stream of its own
        processes = {"processes": self.processes.count} if self.processes.count > 1 else {}
        return {**super()._recorded(), "scorer": type(self.scorer).__name__, **processes}

    def setup(self) -> None:
        """Load the model, and connect policy, Lean and rewards. Idempotent."""
        if hasattr(self, "model"):
            return
        torch.manual_seed(self.config.seed)  # of a new adapter's weights
        self.model, self.tokenizer = self._load()
        if self.algorithm.config.beta > 0:
            self._load_reference()
        self.policy = self._inference or self._own_policy()
        stands_still = self._inference is not None and not isinstance(self._inference, UpdatablePolicy)
        if stands_still and self.processes.is_first:
            logger.warning(
                "Attempts come from an endpoint that cannot be given new weights: its model stays as it is, and "
                "training is off-policy. Use a VLLMClient, or leave inference out."
            )
        generator = ProofRolloutGenerator(self._lean, self.policy, config=self.config.rollout)
        self.rollouts = BatchRolloutManager(generator, theorems_per_batch=max(16, self.config.batch_size))
        self._served = None  # what a server has is the base model, or what another run has left

    def train(self, dataset: Dataset, *, on_step: Callable[[int], None] | None = None) -> None:
        """Train on theorems; does nothing when that is done already.

        Args:
            dataset: see :data:`Dataset`.
            on_step: told how many steps are done, after each: to measure the policy on other theorems, for instance.

        Raises:
            ConfigError: another process is at work in ``output_dir``.
            TrainingError: :meth:`setup` was not called, no theorem can be started, or the training cannot go on.
        """
        self._require_setup()
        with self._training():
            self._train(dataset, on_step)

    def _train(self, dataset: Dataset, on_step: Callable[[int], None] | None) -> None:
        tasks = self.tasks(dataset)
        data = _Data(str(dataset) if isinstance(dataset, (str, Path)) else "theorems", _fingerprint(tasks))
        if self._run.is_finished(data):
            logger.info("%s is done already.", data.url)
            return
        if (idle := self.algorithm.idle_report()) and self.processes.is_first:
            logger.warning(idle)
        tasks = self._startable(tasks)
        with self.processes.first_alone():
            work = self._run.work_folder(data, _fingerprint(tasks)[:12])
        began = time.monotonic()
        first = self.processes.is_first
        attempts_file = self.output_dir / "attempts.jsonl"
        self._log = StepLog(self.metrics_file, attempts_file, data.url, data.commit[:12], writes=first)
        self._update = TrajectoryUpdate(
            self.config,
            self.algorithm,
            self.model,
            self.tokenizer,
            reference=self._reference,
            sampling=self.policy.sampling if isinstance(self.policy, HasSampling) else self.config.sampling,
            processes=self.processes,
        )
        self.lean_calls = 0
        done = self._resume(work)
        if self._served is None:
            self._serve(self._update.optimizer_steps)
        tracking = self.output_dir / "tracking"
        with open_tracker((first and self.config.report_to) or "none", tracking, name=work.name, step=done) as tracker:
            self._log = replace(self._log, tracker=tracker)
            done = self._train_steps(tasks, work, done, on_step)
        if self._unserved:
            self._serve(self._update.optimizer_steps)
        self._finish(data, rows=len(tasks), steps=done, seconds=time.monotonic() - began)

    def evaluate(self, dataset: Dataset, attempts: int = 1, *, seed: int = 0) -> list[TrajectoryGroup]:
        """Make ``attempts`` attempts at each theorem with the policy as it is; no weight changes, nothing is scored."""
        self._require_setup()
        if self._served is None:
            self._serve(0)
        generator = ProofRolloutGenerator(self._lean, self.policy, config=self.config.rollout)
        return self._attempts(BatchRolloutManager(generator), self.tasks(dataset), attempts, seed)

    def tasks(self, dataset: Dataset) -> list[ProofTask]:
        """Return the theorems of a dataset in their places."""
        rows: Sequence[Any] = load_theorems(dataset) if isinstance(dataset, (str, Path)) else dataset
        theorems = [Theorem(**row) if isinstance(row, Mapping) else row for row in rows]
        if all(isinstance(theorem, Theorem) for theorem in theorems):
            return self._files.tasks(theorems)
        return [row if isinstance(row, ProofTask) else self._files.task(row) for row in theorems]

    # Setting up

    def _require_setup(self) -> None:
        if not hasattr(self, "model"):
            raise TrainingError("The trainer is not set up: call trainer.setup() first.")

    def _load(self, source: str | None = None) -> Trainable:
        """Load in evaluation mode: without dropout, the log-probabilities of old and new policy are comparable."""
        model, tokenizer = super()._load(source)
        torch.nn.Module.train(model, False)
        if self.config.gradient_checkpointing:
            cast(PreTrainedModel, model).activation_checkpointing_enable()
        return model, tokenizer

    def _smaller(self) -> str:
        return (
            f"with {self.config.tokens_per_pass} tokens in a pass: lower tokens_per_pass or set "
            "gradient_checkpointing, which change nothing in the result, or set lora_rank."
        )

    def _load_reference(self) -> None:
        """Load the model that the run began with, whatever it has learned since: for an adapter whose training goes on
        a frozen copy beside it, for a new one its base."""
        if not isinstance(self.model, PeftModel):
            self._reference = load_causal_lm(self.config.model_name)[0].requires_grad_(False)
        elif adapter_base(self.config.model_name) is not None:
            with quiet_libraries():
                self.model.load_adapter(self.config.model_name, REFERENCE, is_trainable=False)

    def _own_policy(self) -> SamplingPolicy:
        from lean_agent.policy.hf import HFPolicy

        model, config = cast(PreTrainedModel, self.model), self.config
        return HFPolicy(model, self.tokenizer, sampling=config.sampling, max_rows=config.max_rows)

    def _startable(self, tasks: Sequence[ProofTask]) -> list[ProofTask]:
        """Return the theorems at which an attempt can start; the others are named, with Lean's reason."""
        roots = self._lean.goal_starts([task.site for task in self.processes.mine(tasks)])
        self._lean.release([root for root in roots if not isinstance(root, Exception)])
        reasons = self.processes.gather([str(root) if isinstance(root, Exception) else "" for root in roots])
        for task, reason in zip(tasks, reasons, strict=True):
            if reason and self.processes.is_first:
                logger.warning("%s is left out: %s", task.name, reason)
        kept = [task for task, reason in zip(tasks, reasons, strict=True) if not reason]
        if not kept:
            reason = next(iter(reasons), "there is none")
            raise TrainingError(f"No theorem can be started in Lean: {reason}. Check the statements and their imports.")
        return kept

    def _train_steps(
        self, tasks: Sequence[ProofTask], work: Path, done: int, on_step: Callable[[int], None] | None
    ) -> int:
        """Take the steps after the first ``done``, with a checkpoint now and then; return how many there are in all."""
        total, newest = self._total_steps(len(tasks)), done
        name = self.algorithm.config_class.__name__.removesuffix("Config")
        shown = self.config.progress and self.processes.is_first
        words = f"{name} on {counted(len(tasks), 'theorem')}"
        with ProgressBar(words, total=total, done=done, enabled=shown) as bar:
            while done < total:
                metrics = self._step(tasks, done, total)
                done += 1
                self._log.metrics(done, metrics)
                bar.advance(reward=f"{metrics['reward']:.3f}", proved=f"{metrics['pass_rate']:.0%}")
                if self._budget_is_spent:
                    total = done
                if done - newest >= self.config.checkpoint_every and self._is_whole and done < total:
                    newest = done
                    self._checkpoint(work, done)
                if on_step is not None:
                    on_step(done)
        return done

    # A step

    def _total_steps(self, theorems: int) -> int:
        if self.config.max_steps > 0:
            return self.config.max_steps
        return self.config.epochs * math.ceil(theorems / self.config.batch_size)

    def _step(self, tasks: Sequence[ProofTask], step: int, total: int) -> dict[str, float]:
        """Make attempts at the theorems of one batch, and the update that they give."""
        times = self.rollouts.generator.times
        before = replace(times)
        groups = self._sample(tasks, step)
        lean_calls = sum(self.processes.gather([times.lean_calls - before.lean_calls]))
        self.lean_calls += lean_calls
        began = time.monotonic()
        last = step + 1 == total or self._budget_is_spent
        learned = self._update.learn(groups, *self._progress(step, total), last=last)
        if self._unserved >= self.config.sync_every:
            self._serve(self._update.optimizer_steps)
        everyone = [trajectory for group in groups for trajectory in group]
        self._log.attempts(step + 1, everyone)
        scored = [t.reward for t in everyone if t.reward is not None]
        return {
            "reward": sum(scored) / len(scored) if scored else 0.0,
            "pass_rate": sum(group.pass_rate for group in groups) / len(groups),
            "unscored": float(len(everyone) - len(scored)),
            "steps": sum(len(t.steps) for t in everyone) / len(everyone),
            "tokens": float(sum(t.tokens for t in everyone)),
            "policy_s": times.policy_s - before.policy_s,
            "lean_s": times.lean_s - before.lean_s,
            "lean_calls": float(lean_calls),
            "update_s": time.monotonic() - began,
            **learned,
        }

    @property
    def _budget_is_spent(self) -> bool:
        return 0 < self.config.max_lean_calls <= self.lean_calls

    def _progress(self, step: int, total: int) -> tuple[int, int]:
        """Return which step this is of how many; where Lean calls are limited, which call of how many."""
        budget = self.config.max_lean_calls
        return (step, total) if budget < 0 else (min(max(self.lean_calls, 1), budget) - 1, budget)

    def _sample(self, tasks: Sequence[ProofTask], step: int) -> list[TrajectoryGroup]:
        """Return the groups of a batch; flat ones are replaced by others, as often as the algorithm wants."""
        size = self.algorithm.next_group_size()
        seed = _stream(self.config.seed, step)

        def draw(attempt: int, count: int) -> list[TrajectoryGroup]:
            others = Random(_stream(seed, attempt)).choices(tasks, k=count)
            return self._scored_attempts(others, size, _stream(seed, -attempt))

        groups = self._scored_attempts(self._batch(tasks, step), size, seed)
        return self.algorithm.resample(groups, lambda group: group.reward_spread > 0, draw)

    def _scored_attempts(self, tasks: Sequence[ProofTask], size: int, seed: int) -> list[TrajectoryGroup]:
        """Make attempts, scored where the scorer's memory is: in the first process."""
        groups = self._attempts(self.rollouts, tasks, size, seed)
        if self.processes.is_first:
            groups = [scored(self.scorer, group) for group in groups]
        return self.processes.broadcast(groups)

    def _attempts(
        self, rollouts: BatchRolloutManager, tasks: Sequence[ProofTask], size: int, seed: int
    ) -> list[TrajectoryGroup]:
        """Make ``size`` attempts at each theorem, all processes together."""
        share, own_seed = self.processes.mine(tasks), seed + _APART * self.processes.rank
        return self.processes.gather(wait_for(rollouts.generate(share, size, seed=own_seed)))

    def _batch(self, tasks: Sequence[ProofTask], step: int) -> list[ProofTask]:
        """Return the theorems of a step: every epoch has its own order; its last batch may be smaller."""
        per_epoch = math.ceil(len(tasks) / self.config.batch_size)
        epoch, at = divmod(step, per_epoch)
        order = list(tasks)
        Random(_stream(self.config.seed, epoch) + 1).shuffle(order)
        return order[at * self.config.batch_size : (at + 1) * self.config.batch_size]

    @property
    def _unserved(self) -> int:
        """Optimizer steps that a server that samples has not heard of."""
        heard = self._served or 0
        return self._update.optimizer_steps - heard if isinstance(self.policy, UpdatablePolicy) else 0

    @property
    def _is_whole(self) -> bool:
        """Whether model, optimizer and server are all that the next step depends on."""
        return not self._update.waiting and self._unserved == 0

    def _serve(self, optimizer_steps: int) -> None:
        """Give a server that samples the weights as they are, after so many steps."""
        if isinstance(self.policy, UpdatablePolicy):
            self._served = optimizer_steps
            self._send_weights(self.policy, optimizer_steps)

    # What is kept

    def _checkpoint(self, work: Path, step: int) -> None:
        """Write everything that the next step depends on; the newest checkpoint alone is kept."""
        if not self.processes.is_first:
            return

        def save(folder: Path) -> None:
            self._save_model(folder)
            torch.save(self._update.state_dict(), folder / "update.pt")
            state: dict[str, Any] = {"step": step, "lean_calls": self.lean_calls}
            state |= {"algorithm": self.algorithm.state_dict(), "scorer": scorer_state(self.scorer)}
            (folder / "trainer_state.json").write_text(json.dumps(state), encoding="utf-8")

        folder = work / f"checkpoint-{step}"
        write_folder(folder, save)
        for old in work.glob("checkpoint-*"):
            if old != folder:
                shutil.rmtree(old)

    def _resume(self, work: Path) -> int:
        """Go on at the newest checkpoint; return how many steps are done."""
        folder = resume_point(work)
        if folder is None:
            self._served = self._served and 0  # what was sent is what this dataset begins with
            self._log.forget_after(0)
            return 0
        state = json.loads((folder / "trainer_state.json").read_text(encoding="utf-8"))
        self._load_weights(folder)
        self._served = None
        self._update.load_state_dict(torch.load(folder / "update.pt", weights_only=True))
        self.algorithm.load_state_dict(state["algorithm"])
        load_scorer_state(self.scorer, state["scorer"])
        self.lean_calls = int(state["lean_calls"])
        self._log.forget_after(int(state["step"]))
        logger.info("Going on after step %d.", state["step"])
        return int(state["step"])

    def _load_weights(self, folder: Path) -> None:
        """Load the weights of a checkpoint into the model that policy and optimizer hold."""
        saved, _ = self._load(str(folder))
        values = dict(self.model.named_parameters())
        with torch.no_grad():
            for name, parameter in saved.named_parameters():
                values[name].copy_(parameter)


def _check_sampling(config: LeanGRPOConfig, inference: object) -> None:
    """Refuse a client that draws otherwise than the configuration says."""
    sampling = inference.sampling if isinstance(inference, HasSampling) else config.sampling
    for name, own in (("temperature", "temperature"), ("top_p", "top_p"), ("max_new_tokens", "max_tactic_tokens")):
        theirs, ours = getattr(sampling, name), getattr(config, own)
        if theirs != ours:
            raise ConfigError(
                f"The inference client samples with {name} {theirs}, and the configuration has {own} {ours}: make the "
                "client with sampling=config.sampling, or give the configuration the client's value."
            )


def _fingerprint(tasks: Sequence[ProofTask]) -> str:
    """Return what changes whenever a theorem does: the files are named by what they hold."""
    text = "\n".join(f"{task.site.project.root.name}/{task.site.file_path} {task.site.full_name}" for task in tasks)
    return hashlib.sha256(text.encode()).hexdigest()


def _stream(seed: int, number: int) -> int:
    """Return a seed of its own for every number."""
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:5], "big")
