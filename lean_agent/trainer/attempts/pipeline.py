"""From a file of theorems to a trained model, with Lean started and ended on the way."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from lean_agent.errors import TrainingError
from lean_agent.files import write_atomically, writing_to
from lean_agent.lean.cluster import lean_server
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import SamplingPolicy
from lean_agent.rewards import BaseRewardScorer
from lean_agent.settings import checked
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import Dataset, LeanGRPOTrainer
from lean_agent.trajectory import TrajectoryGroup


@dataclass(frozen=True, slots=True)
class PipelineResult:
    """What came of a training; also ``summary.json`` in the output folder.

    Attributes:
        model_path: what to load.
        theorems: how many were attempted.
        attempts: at each, before and after.
        before, after: the mean share of attempts that prove a theorem.
        proved_before, proved_after: the theorems that at least one attempt proves.
    """

    model_path: str
    theorems: int
    attempts: int
    before: float
    after: float
    proved_before: tuple[str, ...]
    proved_after: tuple[str, ...]


class LeanGRPOPipeline:
    """Sets everything up, measures, trains, measures again.

        LeanGRPOPipeline(LeanGRPOConfig(base_model=…, algorithm="dapo")).run("theorems.jsonl")

    Args:
        config: the settings.
        lean: a Lean server; or which Lean one of ``workers`` processes runs, ended when the run ends: ``embedded`` (the
            default), ``native``, or the path of a toolchain.
        inference, scorer: as for :class:`~lean_agent.trainer.attempts.lean_grpo_trainer.LeanGRPOTrainer`.
        workers: Lean processes.
        executor: where they run: ``local``, or ``ray`` for a Ray cluster (:mod:`lean_agent.lean.cluster`).
    """

    @checked
    def __init__(
        self,
        config: LeanGRPOConfig,
        lean: LeanServer | str | None = None,
        inference: SamplingPolicy | None = None,
        *,
        scorer: BaseRewardScorer | None = None,
        workers: int = 2,
        executor: str = "local",
    ) -> None:
        self.config = config
        self._lean, self._inference, self._scorer = lean, inference, scorer
        self._workers, self._executor = workers, executor

    def run(self, dataset: Dataset, evaluation: Dataset | None = None, *, attempts: int = 4) -> PipelineResult:
        """Train on ``dataset``.

        Args:
            dataset: theorems to train on.
            evaluation: theorems to measure on; by default those that are trained on, which says what was learnt and
                nothing about others.
            attempts: at each theorem of the evaluation, before and after.

        Raises:
            ConfigError: another process is at work in the output folder.
        """
        with ExitStack() as stack:
            lean = self._lean
            if lean is None or isinstance(lean, str):
                lean = stack.enter_context(lean_server(self._executor, workers=self._workers, lean=lean))
            trainer = LeanGRPOTrainer(self.config, lean, self._inference, scorer=self._scorer)
            stack.enter_context(trainer.claimed())
            stack.enter_context(writing_to(self.config.output_dir, TrainingError))
            trainer.setup()
            measured = dataset if evaluation is None else evaluation
            before = self._before(trainer, measured, attempts)
            trainer.train(dataset)
            after = _measure(trainer.evaluate(measured, attempts))
            (rate_before, proved_before, _), (rate, proved, count) = before, after
            rates, theorems = (rate_before, rate), (tuple(proved_before), tuple(proved))
            result = PipelineResult(trainer.model_path, count, attempts, *rates, *theorems)
            if trainer.processes.is_first:
                self._write("summary.json", asdict(result))
        return result

    def _before(self, trainer: LeanGRPOTrainer, measured: Dataset, attempts: int) -> tuple[float, list[str], int]:
        """Return what the model could do at first: measured once, also for a run that is taken up again."""
        path = self.config.output_dir / "before.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
        if (known := trainer.processes.broadcast(known)) is not None:
            rate, proved, count = known
            return rate, proved, count
        measure = _measure(trainer.evaluate(measured, attempts))
        if trainer.processes.is_first:
            self._write(path.name, measure)
        return measure

    def _write(self, name: str, value: object) -> Path:
        text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
        return write_atomically(self.config.output_dir / name, text.encode())


def _measure(groups: list[TrajectoryGroup]) -> tuple[float, list[str], int]:
    """Return the mean pass rate, the names of the theorems with a proof, and how many theorems there are."""
    proved = [group.theorem for group in groups if group.pass_rate > 0]
    return sum(group.pass_rate for group in groups) / len(groups), proved, len(groups)
