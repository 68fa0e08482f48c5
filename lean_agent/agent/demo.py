"""The whole job on the repositories that ship with the project: trace, train, practise, prove, compare.

Owns the demo's settings and the order of its stages. Every stage can be taken up again: files that are traced, models
that are trained and theorems that were attempted are not done twice, so a run that was interrupted goes on in its
folder. Held to two cores and 8 GB: two Lean processes and a model of a few million parameters. Supervised training
keeps one core, so what needs no model is searched for on the other at that time, in a Lean process of its own.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import psutil

from lean_agent.agent.base import BaseAgent
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.agent.run_folder import FINISHED, RunFolder
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import spread
from lean_agent.evaluation.evaluate import Report, evaluate
from lean_agent.evaluation.results import ATTEMPTS
from lean_agent.evaluation.summary import versus
from lean_agent.improvement import ImproveConfig, ImproveReport
from lean_agent.improvement.lessons import Lessons
from lean_agent.improvement.practice import Guard, hold_out
from lean_agent.lean.cluster import lean_server
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import Policy, Sampling
from lean_agent.policy.model_files import recorded_help
from lean_agent.progress import ProgressBar, inform
from lean_agent.prompts import main_goal
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import ProofSources, for_policy
from lean_agent.prover.provers import Prover, ScriptedProver
from lean_agent.settings import checked_class
from lean_agent.tracing import lean_project
from lean_agent.tracing.project.sources import find_repositories

if TYPE_CHECKING:
    from lean_agent.improvement.practice_data import PracticeData
    from lean_agent.trainer.grpo_trainer import GRPOTrainer
    from lean_agent.trainer.repositories import MergedDataExporter, RepositoryTrainer
    from lean_agent.trainer.sft_trainer import SFTTrainer

logger = logging.getLogger(__name__)

NAME = "demo"
GRPO = "training with the verified reward"
STAGES = ("tracing", "model", "supervised training", GRPO, "practice", "search")
"""The third but one only where it is asked for."""
SCRIPTED, NEIGHBOURS, SFT, PRACTISED, MIXTURE = (
    "closing tactics",
    "neighbours",
    "model after SFT",
    "model after practice",
    "mixture",
)
HELD_OUT = 0.5
"""This share of the open theorems is only measured on, the rest is practised."""
CHECKPOINT_EVERY_S = 20.0
"""So much of the training is lost at most when it is interrupted."""


@checked_class
@dataclass(frozen=True, slots=True)
class DemoConfig:
    """Everything that decides what the demo does.

    Attributes:
        seed: of the random weights, the order of the data, the sampling and the choice of practised theorems. Which
            theorems are held out does not depend on it.
        workers: Lean processes.
        repositories: names of those in ``repos/`` of the source checkout that it works on; a folder that is named
            instead is taken whole.
        hidden_size: width of the model; 192 makes two million parameters.
        epochs, sft_batch, sft_lr: of the supervised training on the traced proofs of all repositories together, rows of
            an optimizer step, and its peak learning rate.
        rounds: of practice; each searches ``practised`` of the open theorems that are not held out, with the mixture of
            the model, neighbours and closing tactics, and trains on.
        practice_epochs, practice_lr: of the training of a round, over traced and found steps.
        grpo: train a copy of the model after SFT by GRPO on tactics, too, and measure it beside the others:
            ``grpo_steps`` optimizer steps of ``grpo_goals`` goals with ``grpo_group`` tactics each.
        theorems: how many of the theorems that are held out are searched for, evenly spread over all; more would take
            longer than a demo should.
        expansions, lean_calls, seconds: the search budget of every policy, for each theorem.
        practice_calls: Lean calls for each theorem that is practised; most proofs are found by the first few.
        tactics_per_node: tactics that a model is asked for at each state; neighbours and mixtures are asked for more.
        temperature: at which models draw.
        max_tactic_tokens: longest tactic of a model, in tokens.
    """

    seed: int = 0
    workers: int = 2
    repositories: tuple[str, ...] = ("arithmetic", "lists", "logic", "structures")
    hidden_size: int = 192
    epochs: int = 8
    sft_batch: int = 16
    sft_lr: float = 1e-3
    rounds: int = 2
    practised: int = 48
    practice_calls: int = 32
    practice_epochs: int = 1
    practice_lr: float = 5e-4
    grpo: bool = False
    grpo_steps: int = 96
    grpo_goals: int = 4
    grpo_group: int = 8
    grpo_lr: float = 3e-5
    theorems: int = 64
    expansions: int = 64
    lean_calls: int = 64
    seconds: float = 120.0
    tactics_per_node: int = 16
    temperature: float = 1.0
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


def untrained_model(
    agent: BaseAgent,
    folder: Path,
    *,
    hidden_size: int,
    seed: int,
    data: MergedDataExporter | None = None,
    progress: bool = True,
) -> None:
    """Make a model with random weights whose tokenizer has learnt the spelling of what the agent has traced.

    Nothing is done where ``folder`` holds a model already.

    Args:
        data: what is spelled; by default all traced proofs of the agent's repositories.
    """
    if (folder / "config.json").is_file():
        return
    from lean_agent.policy.tiny import make_tiny_model

    (data or agent.database).export_merged_data(agent.curriculum(), agent.run.data)
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
        self._stages = [stage for stage in STAGES if config.grpo or stage != GRPO]

    def run(self, paths: list[Path]) -> Report:
        """Every stage in its order."""
        from lean_agent.improvement.practice_data import PracticeData  # brings torch

        options: dict[str, Any] = {"run": self._run, "workers": self._config.workers, "progress": self._progress}
        with (
            self._run.logging(),
            DynamicDatabase(self._run.data / "database.sqlite") as database,
            HFAgent(lean=self._lean, database=database, **options) as agent,
        ):
            with self._stage("tracing"):
                for path in paths:
                    agent.setup_local_repository(path)
            theorems = agent.open_theorems()
            # By a hash of what they state, whatever the seed: runs of several seeds measure the same ones.
            held_out = hold_out(theorems, HELD_OUT) or theorems[:1]
            chosen = spread(held_out, self._config.theorems)
            data = PracticeData(database, agent.curriculum(), Lessons(), Guard(held_out))
            with self._stage("model"):
                size, seed = self._config.hidden_size, self._config.seed
                untrained_model(agent, self._models["untrained"], hidden_size=size, seed=seed, data=data)
            with self._stage("supervised training"), self._searching_without_a_model(agent, chosen):
                self._train(self._sft_trainer(), data)
            if self._config.grpo:
                with self._stage(GRPO):
                    self._reinforce(agent, data)
            with self._stage("practice"):
                practised = self._practise(agent, held_out, traced=len(held_out) == len(theorems))
            with self._stage("search"):
                report = self._compare(agent, theorems, held_out, chosen, practised)
        self._run.mark_done(FINISHED)
        return report

    def _train(self, trainer: RepositoryTrainer[Any], data: PracticeData) -> None:
        """Train on all traced proofs together, without what is near to the theorems that are measured."""
        trainer.train([data.key], data, self._run.data)

    def _reinforce(self, agent: HFAgent, data: PracticeData) -> None:
        trainer = self._grpo_trainer()
        repositories = [traced.repository for traced in agent.repositories]
        projects = {(repository.url, repository.commit): lean_project(repository) for repository in repositories}
        trainer.set_server(agent.lean, projects)
        self._train(trainer, data)
        inform(str(trainer.step_time() or ""))

    def _practise(self, agent: HFAgent, held_out: Sequence[StoredTheorem], *, traced: bool) -> ImproveReport:
        """Practise the open theorems that are not measured; where there are none, traced ones, their proofs hidden."""
        config = self._config
        practice = ImproveConfig(
            theorems=config.practised,
            development=0,
            policy="mixture",
            temperatures=(config.temperature,),
            search=replace(config.search, budget=replace(config.search.budget, lean_calls=config.practice_calls)),
            start="last",
            training={"epochs": config.practice_epochs, "lr": config.practice_lr, "batch_size": config.sft_batch},
            traced=traced,
            max_tactic_tokens=config.max_tactic_tokens,
            seed=config.seed,
        )
        run = RunFolder(self._run.path / "practice")
        learner = HFAgent(
            model=self._models["sft"], lean=agent.lean, database=agent.database, run=run, progress=self._progress
        )
        learner.repositories = agent.repositories
        return learner.improve(rounds=config.rounds, held_out=held_out, config=practice)

    def _compare(
        self,
        agent: HFAgent,
        theorems: Sequence[StoredTheorem],
        held_out: Sequence[StoredTheorem],
        chosen: Sequence[StoredTheorem],
        practised: ImproveReport,
    ) -> Report:
        """Measure every policy on theorems that nothing was learnt of; say which is ahead of which."""
        searched = (
            f"Searched for {len(chosen)} of the {len(held_out)} open theorems that were held out, of {len(theorems)}: "
            "never searched before, and nothing near to them was learnt."
        )
        report = agent.evaluate(
            provers=self._provers(agent, chosen, practised),
            theorems=chosen,
            budget=self._config.search.budget,
            baseline=SCRIPTED,
            title="Demo",
            notes=lambda report: f"{conclusion(report)}\n\n{self._notes(searched)}",
        )
        print(conclusion(report), flush=True)
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
            epochs=self._config.epochs,
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

    def _provers(self, agent: HFAgent, theorems: Sequence[StoredTheorem], practised: ImproveReport) -> list[Prover]:
        search, lean = self._config.search, agent.lean
        models = {SFT: str(self._models["sft"]), PRACTISED: practised.model}
        models |= {"model after GRPO": str(self._models["grpo"])} if self._config.grpo else {}
        policies = {name: self._policy(model) for name, model in models.items()}
        sources = ProofSources(agent.database)
        shown = {name: sources.shown(recorded_help(model), theorems) for name, model in models.items()}

        def options(name: str) -> dict[str, Any]:
            return {"name": name, "config": search, **agent.kept(name)}

        return [
            *self._provers_without_a_model(agent, lean, theorems),
            *(
                Prover(policy=policy, server=lean, shown=shown[name], **options(name))
                for name, policy in policies.items()
            ),
            agent.mixed_prover("mixture", theorems, policies[PRACTISED], shown=shown[PRACTISED], **options(MIXTURE)),
        ]

    def _provers_without_a_model(
        self, agent: HFAgent, lean: LeanServer, theorems: Sequence[StoredTheorem]
    ) -> list[Prover]:
        """Return the provers whose rows need no model. What they prove stays out of the database: practice learns
        from it after them."""
        search = self._config.search
        neighbours, wide = agent.neighbours(without=theorems, practised=False), for_policy(search, "neighbours")
        return [
            ScriptedProver(lean, name=SCRIPTED, config=search, proofs_dir=self._run.proofs / SCRIPTED),
            Prover(NEIGHBOURS, neighbours, lean, config=wide, proofs_dir=self._run.proofs / NEIGHBOURS),
        ]

    @contextmanager
    def _searching_without_a_model(self, agent: HFAgent, theorems: Sequence[StoredTheorem]) -> Iterator[None]:
        """Search with what needs no model meanwhile, and wait for it at the end. The comparison reads its attempts."""
        given_up = Event()

        def on_round(*_: object) -> None:
            if given_up.is_set():
                raise CancelledError

        with ExitStack() as stack:
            thread = stack.enter_context(ThreadPoolExecutor(1))
            lean = self._lean or stack.enter_context(closing(lean_server(workers=1)))
            stack.callback(given_up.set)
            provers = self._provers_without_a_model(agent, lean, theorems)
            bar = ProgressBar("Searching without a model", len(provers) * len(theorems), enabled=self._progress)
            searched = thread.submit(
                evaluate,
                provers,
                theorems,
                self._config.search.budget,
                results_path=self._run.path / ATTEMPTS,
                on_attempt=lambda _: bar.advance(),
                on_round=on_round,
            )
            yield
            with bar:
                searched.result()

    def _policy(self, model: str) -> Policy:
        from lean_agent.policy.hf import HFPolicy  # brings torch

        config = self._config
        how = Sampling(max_new_tokens=config.max_tactic_tokens, temperature=config.temperature, seed=config.seed)
        return HFPolicy(model, sampling=how)

    def _notes(self, searched: str) -> str:
        lines = [searched, "", "Seconds for each stage before the search, and of the processor:", ""]
        lines += [
            f"- {name}: {facts['seconds']:.0f}, {facts['processor_s']:.0f}"
            for name, facts in self._run.stages().items()
        ]
        return "\n".join(lines)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        """Say that a stage begins, and keep what it took; one that was done before keeps its first figures."""
        inform(f"[{self._stages.index(name) + 1}/{len(self._stages)}] {name}")
        logger.info("Stage: %s", name)
        began, worked = time.monotonic(), processor_s()
        yield
        seconds, processor = time.monotonic() - began, processor_s() - worked
        if not self._run.is_done(name):
            self._run.mark_done(name, seconds=round(seconds, 1), processor_s=round(processor, 1))
        logger.info("Stage done: %s, %.1f s, %.1f s of the processor", name, seconds, processor)


def processor_s() -> float:
    """Return the seconds of the processor that this program and those that it has started have used so far."""
    own = psutil.Process()
    total = 0.0
    for process in (own, *own.children(recursive=True)):
        with suppress(psutil.Error):  # ended just now
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def conclusion(report: Report) -> str:
    """Say what the mixture is ahead of, and whether the model after practice is ahead of the one before, with figures.

    A policy is ahead of another where the 95 % interval of their difference, paired by theorem, lies above 0.
    """
    verdicts: dict[str, list[str]] = {}
    others = [prover for prover in report.provers if prover != MIXTURE]
    for other in others:
        verdicts.setdefault(_verdict(report, MIXTURE, other), []).append(other)
    of_mixture = "; ".join(f"{verdict} {', '.join(names)}" for verdict, names in verdicts.items())
    practised = f"The {PRACTISED} is {_verdict(report, PRACTISED, SFT)} the {SFT}."
    lines = [
        _difference(report, first, second) for first, second in (*((MIXTURE, x) for x in others), (PRACTISED, SFT))
    ]
    return "\n".join([f"At equal Lean calls the mixture is {of_mixture}. {practised}", "", *lines])


def _verdict(report: Report, first: str, second: str) -> str:
    difference = versus(report, first, second).difference
    return "ahead of" if difference.low > 0 else "behind" if difference.high < 0 else "not told apart from"


def _difference(report: Report, first: str, second: str) -> str:
    paired = versus(report, first, second)
    value, low, high = (100 * share for share in astuple(paired.difference))
    ours, theirs = (sum(attempt.proved for attempt in report.of(prover)) for prover in (first, second))
    return (
        f"- {first} − {second}: {ours} − {theirs} of {len(report.of(first))}, {value:+.1f} points (95 % {low:+.1f} to "
        f"{high:+.1f}), {paired.only_first} won and {paired.only_second} lost"
    )
