"""What every agent does: repositories in, a trained policy, proofs and reports out.

Owns the order of the steps and the run folder. Every step is another room's: cloning and tracing, training, search and
verification, evaluation. What kind of policy the trained model becomes is left to the agents themselves
(:class:`~lean_agent.agent.hf_agent.HFAgent`).
"""

from __future__ import annotations

import logging
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Protocol, Self, get_args, runtime_checkable

from rich.console import Console

from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.tables import print_report, print_results, print_written_back, trace_summary
from lean_agent.cache import cache_dir as default_cache_dir
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import ConfigError
from lean_agent.evaluation.benchmarks import Benchmark, Request, load_benchmark
from lean_agent.evaluation.evaluate import Report, evaluate, keep_proof, runs
from lean_agent.evaluation.report import write_report
from lean_agent.evaluation.results import ATTEMPTS, PROOFS, keep_repositories
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject
from lean_agent.policy.retrieval import PremiseCorpus, PremisePrompts, PremiseRetriever
from lean_agent.progress import ProgressBar
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchResult
from lean_agent.prover.provers import ProofResult, Prover, ScriptedProver, theorem_key
from lean_agent.prover.write_back import Place
from lean_agent.prover.write_back import write_back as write_back_proofs
from lean_agent.tracing import (
    Repository,
    TracedRepository,
    clone,
    fetch_packages,
    lean_project,
    local_repository,
    trace_repository,
)

logger = logging.getLogger(__name__)

Tracer = Literal["embedded", "lean-dojo"]


class Trainer(Protocol):
    """What an agent asks of a trainer."""

    @property
    def model_path(self) -> str:
        """What to load to use the model as trained so far."""
        ...

    def train(self, repos: Sequence[Repository], database: DynamicDatabase, data_path: Path) -> None:
        """Train on ``repos`` in their order."""
        ...


@runtime_checkable
class LearnsFromLean(Protocol):
    """A trainer whose own reward asks Lean."""

    def set_server(self, server: LeanServer, projects: Mapping[tuple[str, str], LeanProject]) -> None:
        """Give it the server and the projects that its rows come from."""
        ...


class BaseAgent(ABC):
    """Sets up repositories, trains on them, proves their open theorems.

    A context manager: leaving it ends the Lean processes that the agent has started. A server that was given is the
    caller's and stays open.

    Args:
        trainer: trains the policy; ``None`` for an agent that only proves.
        lean: a Lean server; or which Lean one of ``workers`` processes runs, started when first needed: ``embedded``
            (the default), ``native``, or the path of a toolchain.
        database: where traced files and proofs are kept, or the path of such a file, which is opened, or made, when it
            is first needed; by default one for the user, under ``cache_dir``.
        cache_dir: for clones and the default database; by default the user's cache folder.
        workers: Lean processes, 0.6 to 1.5 GB of memory each; with ``ray``, of every member of the cluster.
        executor: where they run: ``local``, or ``ray`` for all over a Ray cluster (:mod:`lean_agent.lean.ray_pool`).
        runs_dir: where run folders are made.
        run: the run folder; by default a new one under ``runs_dir``, made when first needed.
        progress: whether to show progress bars.
        tracer: ``embedded``, or ``lean-dojo``: LeanDojo's tracer on a native toolchain, and folders that it has traced
            (:mod:`lean_agent.tracing.lean_dojo`; its proofs cannot be searched before embedded Lean has traced them).

    Attributes:
        repositories: what was set up and traced, in the order of the calls.
    """

    def __init__(
        self,
        trainer: Trainer | None = None,
        *,
        lean: LeanServer | str | None = None,
        database: DynamicDatabase | str | os.PathLike[str] | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        workers: int = 2,
        executor: str = "local",
        runs_dir: str | os.PathLike[str] = "runs",
        run: RunFolder | None = None,
        progress: bool = True,
        tracer: Tracer = "embedded",
    ) -> None:
        if tracer not in get_args(Tracer):
            raise ConfigError(f"tracer is {' or '.join(get_args(Tracer))}, not {tracer!r}.")
        if workers < 1:
            raise ConfigError(f"An agent needs at least one Lean process, not {workers}.")
        self.trainer = trainer
        self.repositories: list[TracedRepository] = []
        self._cache_dir = Path(cache_dir) if cache_dir is not None else None
        self._lean = None if isinstance(lean, str) else lean
        self._which_lean = lean if isinstance(lean, str) else None
        self._close_lean: Callable[[], object] | None = None
        self._database: DynamicDatabase | None = None
        self._database_path: str | os.PathLike[str] | None = None
        if isinstance(database, DynamicDatabase):
            self._database = database
        else:
            self._database_path = database
        self._owns_database = self._database is None
        self._workers = workers
        self._executor = executor
        self._runs_dir = Path(runs_dir)
        self._run = run
        self._progress = progress
        self._tracer = tracer
        self._console = Console()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def lean(self) -> LeanServer:
        """The Lean server, started now if it was not."""
        if self._lean is None:
            from lean_agent.lean.executor import lean_server

            server = lean_server(self._executor, workers=self._workers, lean=self._which_lean)
            # Without a `with`, the processes end with the agent or with Python.
            self._close_lean = weakref.finalize(self, server.close)
            self._lean = server
        return self._lean

    @property
    def database(self) -> DynamicDatabase:
        """The database, opened now if it was not."""
        if self._database is None:
            default = (self._cache_dir or default_cache_dir()) / "database.sqlite"
            self._database = DynamicDatabase(Path(self._database_path or default))
        return self._database

    @property
    def run(self) -> RunFolder:
        """The run folder, made now if it was not."""
        if self._run is None:
            self._run = RunFolder.create(self._runs_dir, type(self).__name__.lower(), self._config())
        return self._run

    def setup_github_repository(
        self, url: str, commit: str | None = None, *, submodules: bool = False, dependencies: bool = False
    ) -> TracedRepository:
        """Clone a repository at a commit and trace it.

        Args:
            url: anything that git clones: https, ssh, ``file://``, a path.
            commit: a hash, a branch or a tag; ``None`` is the default branch.
            submodules: fetch its git submodules too.
            dependencies: clone and trace the packages of its Lake manifest first.

        Raises:
            RepositoryNotFound, CommitNotFound, NotALeanProject: see :func:`lean_agent.tracing.clone`.
        """
        cloned = clone(url, commit, cache_dir=self._clones, submodules=submodules, progress=self._progress)
        return self._set_up(cloned, submodules=submodules, dependencies=dependencies)

    def setup_local_repository(
        self, path: str | os.PathLike[str], *, submodules: bool = False, dependencies: bool = False
    ) -> TracedRepository:
        """Trace a folder of this machine where it lies.

        Args:
            submodules: fetch the git submodules of its packages too; those of the folder are the user's.
            dependencies: clone and trace the packages of its Lake manifest first.

        Raises:
            RepositoryNotFound, NotALeanProject: see :func:`lean_agent.tracing.local_repository`.
        """
        return self._set_up(local_repository(path), submodules=submodules, dependencies=dependencies)

    def setup_repository(
        self,
        place: str,
        commit: str | None = None,
        *,
        licence: str | None = None,
        submodules: bool = False,
        dependencies: bool = False,
    ) -> TracedRepository:
        """Set up a folder where it lies, or, with a commit or an address, a clone.

        Args:
            licence: SPDX identifier; by default what the repository's licence file says.
        """
        if commit is None and Path(place).expanduser().is_dir():
            traced = self.setup_local_repository(place, submodules=submodules, dependencies=dependencies)
        else:
            traced = self.setup_github_repository(place, commit, submodules=submodules, dependencies=dependencies)
        if licence is not None:
            self.database.add_repository(traced.repository, licence=licence)
        return traced

    def open_theorems(self) -> list[StoredTheorem]:
        """All theorems with a ``sorry`` of the repositories that were set up."""
        self._check_set_up()
        return self.database.sorry_theorems([traced.repository for traced in self.repositories])

    def curriculum(self) -> list[Repository]:
        """The repositories that were set up, the easiest first."""
        self._check_set_up()
        return self.database.sort_repositories_by_difficulty([traced.repository for traced in self.repositories])

    def train(self) -> None:
        """Train on all repositories that were set up, the easiest first, from where an earlier run stopped."""
        if self.trainer is None:
            raise ConfigError("This agent has no trainer: give it one, HFAgent(trainer=…), to train a policy.")
        repositories = self.curriculum()
        if isinstance(self.trainer, LearnsFromLean):
            self.trainer.set_server(self.lean, {(one.url, one.commit): lean_project(one) for one in repositories})
        with self.run.logging():
            self.trainer.train(repositories, self.database, self.run.data)

    @abstractmethod
    def prover(self, **options: Any) -> Prover:
        """A prover with the policy as trained so far; ``options`` as for :class:`~lean_agent.prover.provers.Prover`."""

    def prove(
        self,
        *,
        theorems: Sequence[StoredTheorem] | None = None,
        config: SearchConfig | None = None,
        premises: int = 0,
        output_dir: str | os.PathLike[str] | None = None,
        whole_list: bool = False,
        whole_proof: bool = False,
        save_trees: bool = False,
        minimal: bool = False,
        write_back: bool | Place = False,
    ) -> list[ProofResult]:
        """Try to prove the open theorems, print what came out and return it.

        Every accepted proof is stored in the database and written out as soon as it is found; ``lean-agent verify`` of
        the run folder judges them again. On Ctrl-C what was found is printed, and the interrupt goes on its way.

        Args:
            theorems: which; by default all that are open in the repositories that were set up.
            config: how to search, with the budget for each theorem and, as ``total``, for all of them.
            premises: how many premises the policy is shown with each goal; as many as it was trained with.
            output_dir: where files with accepted proofs go; by default ``proofs/`` in the run folder.
            whole_list: print every theorem, not only those that were proved.
            whole_proof: the policy writes whole scripts (the search ``whole_proof``, whatever the config says).
            save_trees: save every search in ``trees/`` of the run folder, for ``lean-agent search show``.
            minimal: make accepted proofs shorter where that can be done.
            write_back: put accepted proofs where the ``sorry``s are: ``True`` or ``"patch"`` in files that are as they
                were committed, ``"branch"`` on a new git branch. A patch is left in the run folder either way, and for
                repositories that were cloned nothing else.
        """
        wanted = self.open_theorems() if theorems is None else list(theorems)
        config = config or SearchConfig()
        if whole_proof:
            config = replace(config, search="whole_proof")
        results: list[ProofResult] = []
        try:
            self._prove(
                wanted,
                results,
                config=config,
                premises=self._premises(wanted, premises) if premises else None,
                proofs_dir=Path(output_dir or self.run.proofs),
                trees_dir=self.run.path / "trees" if save_trees else None,
                minimal=minimal,
            )
        finally:
            places = {theorem_key(theorem): place for place, theorem in enumerate(wanted)}
            results.sort(key=lambda result: places[theorem_key(result.theorem)])
            if results or not wanted:  # an interrupt before the first has nothing to sum up
                print_results(self._console, results, whole_list=whole_list)
        if write_back:
            place = "patch" if write_back is True else write_back
            branch = f"lean-agent/{self.run.path.name}"
            written = write_back_proofs(results, self.lean, self.run.path / "patches", place=place, branch=branch)
            print_written_back(self._console, written)
        return results

    def _prove(self, wanted: Sequence[StoredTheorem], results: list[ProofResult], **options: Any) -> None:
        """Fill ``results`` as they come."""
        keep_repositories(self.run.path, wanted)
        with self.run.logging(), ProgressBar("Proving", total=len(wanted), enabled=self._progress) as bar:
            calls = 0

            def advance(spent: SearchResult | None = None) -> None:
                nonlocal calls
                calls = spent.lean_calls if spent else calls
                proved = sum(one.proved for one in results)
                bar.advance(0 if spent else 1, proved=proved, Lean_calls=f"{calls:,}")

            prover = self.prover(on_round=advance, **options)
            for result in prover.prove_all(wanted):
                results.append(result)
                if result.proved:
                    keep_proof(self.run.path / PROOFS, result, prover.config.budget)
                logger.info("%s: %s %s", result.theorem.full_name, result.status, result.message)
                advance()
            logger.info("%s", prover.usage)
        self._console.print(f"Searched: {prover.usage}.", highlight=False)

    def _premises(self, theorems: Sequence[StoredTheorem], k: int) -> PremisePrompts:
        """The ``k`` best premises by BM25, out of the repositories that these theorems stand in."""
        repositories = dict.fromkeys(theorem.repository for theorem in theorems)
        return PremisePrompts(PremiseRetriever(PremiseCorpus(self.database.corpus(repositories))), k)

    def evaluate(
        self,
        benchmark: str | Benchmark | None = None,
        *,
        source: str | None = None,
        provers: Sequence[Prover] | None = None,
        theorems: Sequence[StoredTheorem] | None = None,
        budget: SearchBudget | None = None,
        seeds: Sequence[int] = (0,),
        baseline: str = "scripted",
        title: str = "Evaluation",
        notes: str = "",
    ) -> Report:
        """Compare provers at one budget; print the table and write report and results into the run folder.

        Args:
            benchmark: a name of :data:`lean_agent.evaluation.benchmarks.BENCHMARKS`, or one that is loaded; without
                it, the theorems that are open in the repositories that were set up.
            source: the file, folder or address that a benchmark given by name is read from.
            provers: by default the list of common closing tactics and, where that is another, the policy as trained so
                far.
            theorems: some of them; by default all.
            budget: for each theorem, prover and seed.
            seeds: how often, and with what, a policy that draws at random tries each theorem.
            baseline: name of the prover that decides which theorems a single tactic closes.
            title, notes: stand in the report.
        """
        if isinstance(benchmark, str):
            benchmark = load_benchmark(benchmark, Request(self.lean, self.database, source, self._progress))
        if theorems is None:
            theorems = benchmark.theorems if benchmark else self.open_theorems()
        with self.run.logging():
            if provers is None:
                scripted = ScriptedProver(self.lean, **self.kept("scripted"))
                policy = self.prover(**self.kept("policy"))
                provers = [scripted, *([policy] if policy.name != scripted.name else [])]
            keep_repositories(self.run.path, theorems)
            total = len(runs(provers, seeds)) * len(theorems)
            with ProgressBar("Searching", total=total, enabled=self._progress) as bar:
                report = evaluate(
                    provers,
                    theorems,
                    budget or SearchBudget(),
                    seeds=seeds,
                    facts=benchmark.facts if benchmark else None,
                    left_out=benchmark.left_out if benchmark else (),
                    baseline=baseline,
                    results_path=self.run.path / ATTEMPTS,
                    on_attempt=lambda attempt: bar.advance(),
                    on_round=lambda prover, calls: bar.advance(0, policy=prover.name, Lean_calls=f"{calls:,}"),
                )
            write_report(report, self.run.path, title=title, notes=notes)
        print_report(self._console, report, self.run.path)
        return report

    def kept(self, name: str) -> dict[str, Any]:
        """Options that make a prover keep its proofs in the database and in the run folder."""
        return {"database": self.database, "proofs_dir": self.run.proofs / name}

    def close(self) -> None:
        """End the Lean processes that the agent has started, and close the database that it has opened. Idempotent."""
        if self._close_lean is not None:
            self._close_lean()
            self._lean = self._close_lean = None
        if self._owns_database and self._database is not None:
            self._database.close()
            self._database = None

    @property
    def _clones(self) -> Path | None:
        return self._cache_dir / "repositories" if self._cache_dir else None

    def _set_up(self, repository: Repository, *, submodules: bool, dependencies: bool) -> TracedRepository:
        if dependencies:
            packages = fetch_packages(
                repository, cache_dir=self._clones, submodules=submodules, progress=self._progress
            )
            for package in packages:
                self._trace(package)
        traced = self._trace(repository)
        others = [other for other in self.repositories if other.repository != repository]
        self.repositories = [*others, traced]
        return traced

    def _trace(self, repository: Repository) -> TracedRepository:
        if self._tracer == "lean-dojo":
            from lean_agent.tracing.lean_dojo import trace_with_lean_dojo

            traced = trace_with_lean_dojo(repository, self.database, progress=self._progress)
        else:
            traced = trace_repository(repository, self.lean, database=self.database, progress=self._progress)
        self._console.print(trace_summary(traced), markup=False, highlight=False, soft_wrap=True)
        return traced

    def _check_set_up(self) -> None:
        if not self.repositories:
            raise ConfigError(
                "No repository was set up: call setup_github_repository(url=…) or setup_local_repository(path) first."
            )

    def _config(self) -> dict[str, Any]:
        return {
            "agent": type(self).__name__,
            "trainer": type(self.trainer).__name__ if self.trainer else None,
            "model": self.trainer.model_path if self.trainer else None,
            "repositories": [
                {"url": traced.repository.url, "commit": traced.repository.commit} for traced in self.repositories
            ],
            "workers": self._workers,
        }
