"""What every agent does: repositories in, a trained policy, proofs and reports out.

Owns the order of the steps and the run folder. Every step is another room's: cloning and tracing, training, search and
verification, evaluation. What kind of policy the trained model becomes is left to the agents themselves
(:class:`~lean_agent.agent.hf_agent.HFAgent`).
"""

from __future__ import annotations

import json
import logging
import math
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, get_args, runtime_checkable

from lean_agent.agent.learnt_steps import LearntSteps, words_of
from lean_agent.agent.run_folder import RunFolder
from lean_agent.agent.tables import print_report, print_results, print_written_back, trace_summary
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.difficulty import Order
from lean_agent.errors import ConfigError, TraceError, nearest
from lean_agent.evaluation.benchmarks import Benchmark, Request, load_benchmark
from lean_agent.evaluation.evaluate import Report, evaluate, keep_proof, runs
from lean_agent.evaluation.report import write_report
from lean_agent.evaluation.results import ATTEMPTS, PROOFS, keep_repositories
from lean_agent.files import default_database, writing_to
from lean_agent.folder_lock import locked_folder
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject
from lean_agent.policy.base import Policy
from lean_agent.policy.mixture import MixturePolicy
from lean_agent.policy.neighbours import NeighbourPolicy
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.progress import ProgressBar, inform, terminal
from lean_agent.prompts import HelpSettings
from lean_agent.prover.config import Cost, SearchBudget, SearchConfig
from lean_agent.prover.mixed import PolicyChoice, ProofSources, help_for
from lean_agent.prover.proofs.result import ProofResult, theorem_key
from lean_agent.prover.proofs.write_back import WriteBackPlace
from lean_agent.prover.proofs.write_back import write_back as write_back_proofs
from lean_agent.prover.provers import Prover, ScriptedProver
from lean_agent.prover.saved.live import FOLDER as RUNNING
from lean_agent.prover.saved.live import LiveTrees
from lean_agent.prover.statements import theorems_of_file, theorems_of_text
from lean_agent.prover.tree.priorities import ValueModel
from lean_agent.settings import checked, checked_methods
from lean_agent.tracing import (
    Repository,
    TracedRepository,
    clone,
    fetch_packages,
    lean_project,
    lean_projects,
    local_repository,
    trace_repository,
)
from lean_agent.tracing.project.packages import MANIFEST
from lean_agent.tracing.project.repository import is_text, project_url, split_url
from lean_agent.wording import counted

if TYPE_CHECKING:
    from lean_agent.trainer.repositories import MergedDataExporter

logger = logging.getLogger(__name__)

Tracer = Literal["embedded", "lean-dojo"]

MIXTURE = "mixture.json"
"""Of a run folder: the weights that its mixture ended with, by source."""
SHOWN_NAMES = 20


class TrainsOnRepositories(Protocol):
    """What an agent asks of a trainer."""

    @property
    def model_path(self) -> str:
        """What to load to use the model as trained so far."""
        ...

    def train(self, repos: Sequence[Repository], database: MergedDataExporter, data_path: Path) -> None:
        """Train on ``repos`` in their order."""
        ...


@runtime_checkable
class LearnsFromLean(Protocol):
    """A trainer whose own reward asks Lean."""

    def set_server(self, server: LeanServer, projects: Mapping[tuple[str, str], LeanProject]) -> None:
        """Give it the server and the projects that its rows come from."""
        ...


@checked_methods
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
        executor: where they run: ``local``, or ``ray`` for a Ray cluster (:mod:`lean_agent.lean.cluster.ray_pool`).
        runs_dir: where run folders are made.
        run: the run folder; by default a new one under ``runs_dir``, made when first needed.
        progress: whether to show progress bars.
        tracer: ``embedded``, or ``lean-dojo``: LeanDojo's tracer on a native toolchain, and folders that it has traced
            (:mod:`lean_agent.tracing.lean_dojo`; its proofs cannot be searched before embedded Lean has traced them).

    Attributes:
        repositories: what was set up and traced, in the order of the calls.
        proposes: who proposes tactics where :meth:`prove` is not told.
    """

    proposes: ClassVar[PolicyChoice] = "mixture"

    @checked
    def __init__(
        self,
        trainer: TrainsOnRepositories | None = None,
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
        self._database = database if isinstance(database, DynamicDatabase) else None
        self._database_path = None if isinstance(database, DynamicDatabase) else database
        self._owns_database = self._database is None
        self._workers = workers
        self._executor = executor
        self._runs_dir = Path(runs_dir)
        self._run = run
        self._progress = progress
        self._tracer = tracer
        self._console = terminal()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def lean(self) -> LeanServer:
        """The Lean server, started now if it was not."""
        if self._lean is None:
            from lean_agent.lean.cluster import lean_server

            server = lean_server(self._executor, workers=self._workers, lean=self._which_lean)
            # Without a `with`, the processes end with the agent or with Python.
            self._close_lean = weakref.finalize(self, server.close)
            self._lean = server
        return self._lean

    @property
    def database(self) -> DynamicDatabase:
        """The database, opened now if it was not."""
        if self._database is None:
            self._database = DynamicDatabase(Path(self._database_path or default_database(self._cache_dir)))
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
            url: anything that git clones: https, ssh, ``file://``, a path; ``URL#FOLDER`` for one Lake project of it.
            commit: a hash, a branch or a tag; ``None`` is the default branch.
            submodules: fetch its git submodules too.
            dependencies: clone and trace the packages of its Lake manifest first, as far as it imports them.

        Returns:
            Its first Lake project, the one at the top if there is one. All of them are in :attr:`repositories`.

        Raises:
            RepositoryNotFound, CommitNotFound, NotALeanProject: see :func:`lean_agent.tracing.clone`.
        """
        cloned = clone(url, commit, submodules=submodules, **self._cloning)
        return self._set_up(self._split(cloned), submodules=submodules, dependencies=dependencies)

    def setup_local_repository(
        self, path: str | os.PathLike[str], *, submodules: bool = False, dependencies: bool = False
    ) -> TracedRepository:
        """Trace a folder of this machine where it lies; returns as :meth:`setup_github_repository` does.

        Args:
            path: ``PATH#FOLDER`` is one Lake project in it.
            submodules: fetch the git submodules of its packages too; those of the folder are the user's.
            dependencies: clone and trace the packages of its Lake manifest first.

        Raises:
            RepositoryNotFound, NotALeanProject: see :func:`lean_agent.tracing.local_repository`.
        """
        return self._set_up(self._split(local_repository(path)), submodules=submodules, dependencies=dependencies)

    def setup_repository(
        self,
        place: str,
        commit: str | None = None,
        *,
        licence: str | None = None,
        submodules: bool = False,
        dependencies: bool = False,
    ) -> TracedRepository:
        """Set up a folder where it lies, or, with a commit or an address, a clone; returns as
        :meth:`setup_github_repository` does.

        Args:
            licence: SPDX identifier; by default what the repository's licence file says.
        """
        projects = self.projects(place, commit, submodules=submodules)
        return self._set_up(projects, licence=licence, submodules=submodules, dependencies=dependencies)

    def projects(
        self, place: str, commit: str | None = None, *, subfolders: Sequence[str] = (), submodules: bool = False
    ) -> tuple[Repository, ...]:
        """Return the Lake projects of a folder where it lies, or, with a commit or address, of a clone; trace nothing.

        Args:
            subfolders: those in these folders of it alone.
            submodules: fetch its git submodules too.
        """
        if subfolders:
            address, inside = split_url(place)
            folders = [os.path.normpath(os.path.join(inside, folder)) for folder in subfolders]
            return tuple(
                self._find(project_url(address, "" if folder == "." else folder), commit, submodules)
                for folder in dict.fromkeys(folders)
            )
        return self._split(self._find(place, commit, submodules))

    def _split(self, repository: Repository) -> tuple[Repository, ...]:
        return (repository,) if self._tracer == "lean-dojo" else lean_projects(repository)  # LeanDojo takes it as it is

    def _find(self, place: str, commit: str | None, submodules: bool) -> Repository:
        if commit is None and Path(split_url(place)[0]).expanduser().is_dir():
            return local_repository(place)
        return clone(place, commit, submodules=submodules, **self._cloning)

    def setup_project(
        self,
        project: Repository,
        *,
        licence: str | None = None,
        submodules: bool = False,
        dependencies: bool = False,
        brief: bool = True,
    ) -> TracedRepository:
        """Trace one of :meth:`projects`; ``brief`` prints no more than a line where nothing of it is new."""
        failed = self._trace_packages(project, submodules, dependencies)
        traced = self._trace(project, failed_packages=failed, brief=brief)
        if licence is not None:
            self.database.add_repository(traced.repository, licence=licence)
        others = [other for other in self.repositories if other.repository != project]
        self.repositories = [*others, traced]
        return traced

    def open_theorems(self) -> list[StoredTheorem]:
        """Return all theorems with a ``sorry`` of the repositories that were set up."""
        self._check_set_up()
        return self.database.sorry_theorems([traced.repository for traced in self.repositories])

    def curriculum(self, order: Order = "easy_share") -> list[Repository]:
        """Return the repositories that were set up, the easiest first.

        Args:
            order: by the share of easy theorems, or by their number, as LeanAgent does
                (:data:`~lean_agent.database.difficulty.Order`).
        """
        self._check_set_up()
        repositories = [traced.repository for traced in self.repositories]
        return self.database.sort_repositories_by_difficulty(repositories, order=order)

    def train(self, *, order: Order = "easy_share") -> None:
        """Train on all repositories that were set up, the easiest first, from where an earlier run stopped.

        Args:
            order: as for :meth:`curriculum`.
        """
        self._train(order, self.database)

    def _train(self, order: Order, data: MergedDataExporter) -> None:
        """Train on the repositories as ``data`` exports them."""
        if self.trainer is None:
            raise ConfigError("This agent has no trainer: give it one, HFAgent(trainer=…), to train a policy.")
        repositories = self.curriculum(order)
        if isinstance(self.trainer, LearnsFromLean):
            projects = {(repository.url, repository.commit): lean_project(repository) for repository in repositories}
            self.trainer.set_server(self.lean, projects)
        with self.run.claimed(), writing_to(self.run.path), self.run.logging():
            self.trainer.train(repositories, data, self.run.data)

    @abstractmethod
    def prover(self, **options: Any) -> Prover:
        """Return a prover with the policy as trained so far; ``options`` as for
        :class:`~lean_agent.prover.provers.Prover`."""

    def prove(
        self,
        *,
        theorems: Sequence[StoredTheorem | str] | None = None,
        config: SearchConfig | None = None,
        policy: PolicyChoice | None = None,
        premises: int | None = None,
        value: ValueModel | str | os.PathLike[str] | None = None,
        retriever: str | os.PathLike[str] | None = None,
        output_dir: str | os.PathLike[str] | None = None,
        whole_list: bool = False,
        whole_proof: bool = False,
        save_trees: bool = False,
        minimal: bool = False,
        write_back: bool | WriteBackPlace = False,
    ) -> list[ProofResult]:
        """Try to prove the open theorems, print what came out and return it.

        Every accepted proof is stored in the database and written out as soon as it is found; ``lean-agent verify`` of
        the run folder judges them again. On Ctrl-C what was found is printed, and the interrupt goes on its way.

        Args:
            theorems: which; by default all that are open in the repositories that were set up. Of these a text names
                one by its full name or the end of it, or several with ``*`` and ``?``.
            config: how to search, with the budget for each theorem and, as ``total``, for all of them.
            policy: ``own``: the agent's; ``neighbours``: the tactics of the most similar goals in all traced proofs of
                the database, and in those found on the way (:class:`~lean_agent.policy.neighbours.NeighbourPolicy`);
                ``mixture``: both of these and closing tactics in one ranking, with the weights that the last mixture of
                the same sources in ``runs_dir`` ended with. By default the mixture, and ``own`` for whole proofs and
                models behind an endpoint.
            premises: how many premises the policy is shown with each goal; by default as many as its checkpoint says
                that it was trained with. In a mixture its closing tactics are filled in with so many, by default ten,
                beside the definitions that the goal names.
            retriever: which: ``bm25``, ``learnt``, or the folder of a retriever that was trained
                (:class:`~lean_agent.trainer.retrieval_trainer.RetrievalTrainer`); by default as in training, and for
                closing tactics ``learnt``.
            value: says how far states are from being proved, and the search goes by it, too (``value_weight``): a
                model, or the folder of one that :class:`~lean_agent.trainer.progress_trainer.ProgressTrainer` has
                trained.
            output_dir: where files with accepted proofs go; by default ``proofs/`` in the run folder.
            whole_list: print every theorem, not only those that were proved.
            whole_proof: the policy writes whole scripts (the search ``whole_proof``, whatever the config says).
            save_trees: save every search in ``trees/`` of the run folder, for ``lean-agent search show``.
            minimal: make accepted proofs shorter where that can be done.
            write_back: put accepted proofs where the ``sorry``s are: ``True`` or ``"patch"`` in files that are as they
                were committed, ``"branch"`` on a new git branch. A patch is left in the run folder either way, and for
                repositories that were cloned nothing else.

        Raises:
            ConfigError: another process is at work in the run folder, or in ``output_dir``, or a name means none
                of the open theorems; or the value model was trained on another prompt, or with another tokenizer, or
                answers with no number.
            ModelNotFound: no value model, or no retriever, in that folder.
        """
        if isinstance(value, (str, os.PathLike)):
            from lean_agent.policy.progress import ProgressModel  # brings torch

            value = ProgressModel(Path(value))
        wanted = self._wanted(theorems)
        config = config or SearchConfig()
        if whole_proof:
            config = config.with_search("whole_proof")
        policy = policy or ("own" if whole_proof else self.proposes)
        results: list[ProofResult] = []
        proofs_dir = Path(output_dir or self.run.proofs)
        with self.run.claimed(), locked_folder(proofs_dir), writing_to(self.run.path):
            try:
                self._prove(
                    wanted,
                    results,
                    policy,
                    config=config,
                    shown=self._sources.shown(self._help_asked_for(policy, premises, retriever), wanted),
                    value=value,
                    proofs_dir=proofs_dir,
                    trees_dir=self.run.path / "trees" if save_trees else None,
                    minimal=minimal,
                )
            finally:
                places = {theorem_key(theorem): place for place, theorem in enumerate(wanted)}
                results.sort(key=lambda result: places[theorem_key(result.theorem)])
                if results or not wanted:  # an interrupt before the first has nothing to sum up
                    print_results(self._console, results, whole_list=whole_list)
            if write_back:
                self._write_back(results, "patch" if write_back is True else write_back)
        return results

    def prove_theorem(self, theorem: str, **options: Any) -> ProofResult:
        """Try to prove one theorem, print what came out and return it.

        Args:
            theorem: the name of an open theorem of the repositories that were set up, or Lean text that leaves one
                open, which needs no repository: ``"theorem two : 1 + 1 = 2 := by sorry"``, also without its end, or as
                a bare proposition. A text has a space in it, and a name has none.
            options: as for :meth:`prove`.

        Raises:
            ConfigError: no open theorem of that name, or several.
            TraceError: a text in which Lean finds an error, or which leaves nothing open, or several theorems.
        """
        if is_text(theorem):
            theorems = theorems_of_text(theorem, self.lean, self.database)
        else:
            theorems = choose_theorems(self.open_theorems(), [theorem])
        if len(theorems) > 1:
            names = ", ".join(stored.full_name for stored in theorems)
            raise ConfigError(f"{len(theorems)} open theorems are meant ({names}): name one, or use prove().")
        (result,) = self.prove(theorems=theorems, **options)
        return result

    def theorems_of(self, file_or_text: str | os.PathLike[str]) -> list[StoredTheorem]:
        """Return the open theorems of a Lean file, or of Lean text, outside any repository, for :meth:`prove`.

        Raises:
            TraceError: no such file, an error in it, or nothing that is left open.
        """
        if isinstance(file_or_text, str) and is_text(file_or_text) and not Path(file_or_text).exists():
            return theorems_of_text(file_or_text, self.lean, self.database)
        return theorems_of_file(Path(file_or_text), self.lean, self.database)

    def _wanted(self, theorems: Sequence[StoredTheorem | str] | None) -> list[StoredTheorem]:
        patterns = [theorem for theorem in theorems or () if isinstance(theorem, str)]
        given = [theorem for theorem in theorems or () if not isinstance(theorem, str)]
        if theorems is None or patterns:
            given += choose_theorems(self.open_theorems(), patterns)
        return list({theorem_key(theorem): theorem for theorem in given}.values())

    def _write_back(self, results: Sequence[ProofResult], place: WriteBackPlace) -> None:
        branch = f"lean-agent/{self.run.path.name}"
        written = write_back_proofs(results, self.lean, self.run.path / "patches", place=place, branch=branch)
        print_written_back(self._console, written)

    def _prove(
        self, wanted: Sequence[StoredTheorem], results: list[ProofResult], policy: PolicyChoice, **options: Any
    ) -> None:
        """Fill ``results`` as they come."""
        keep_repositories(self.run.path, wanted)
        with (
            self.run.logging(),
            ProgressBar("Proving", total=len(wanted), enabled=self._progress) as bar,
            LiveTrees(self.run.path / RUNNING) as live,
        ):
            calls = 0
            files = len({(theorem.repository, theorem.file_path) for theorem in wanted})
            bar.advance(0, opening=counted(files, "file"))  # of a large one Lean takes a minute

            def advance(spent: Cost | None = None) -> None:
                nonlocal calls
                calls = spent.lean_calls if spent else calls
                if spent and not calls:
                    return
                proved = sum(result.proved for result in results)
                bar.advance(0 if spent else 1, proved=proved, Lean_calls=f"{calls:,}")

            prover = self._prover_with(policy, wanted, on_round=advance, **options).watched(live)
            learns = isinstance(prover.policy, MixturePolicy) and prover.config.remember
            learnt = self._learnt_steps(theorem.repository for theorem in wanted) if learns else None
            if learnt is not None and isinstance(prover.policy, MixturePolicy):
                prover.policy.add(learnt.usable())
            try:
                for result in prover.prove_all(wanted):
                    results.append(result)
                    if result.proved:
                        keep_proof(self.run.path / PROOFS, result, prover.config.budget)
                    logger.info("%s: %s %s", result.theorem.full_name, result.status, result.message)
                    advance()
            finally:
                if isinstance(prover.policy, MixturePolicy):
                    self.run.write_text(MIXTURE, json.dumps(prover.policy.weights) + "\n")
                    if learnt is not None:
                        learnt.keep(prover.policy.learnt)
            logger.info("%s", prover.usage)
        if isinstance(prover.policy, MixturePolicy):
            inform(f"Weights of the mixture: {prover.policy}.")
        inform(f"Searched: {prover.usage}.")

    def _learnt_steps(self, repositories: Iterable[Repository]) -> LearntSteps:
        """Return the steps that this run and those before it have found, for use in some repositories."""
        return LearntSteps(self.run, words_of(self.database, dict.fromkeys(repositories)))

    def neighbours(self, *, without: Iterable[StoredTheorem] = (), practised: bool = True) -> NeighbourPolicy:
        """Return a policy that proposes what worked at similar goals in the proofs of the database, traced ones and
        those that practice has found.

        Args:
            without: theorems whose proofs it must not see, whichever repository or commit they stand in.
            practised: whether it knows what practice has found.
        """
        return self._sources.neighbours(without=without, practised=practised)

    def _prover_with(self, policy: PolicyChoice, theorems: Sequence[StoredTheorem], **options: Any) -> Prover:
        """Return a prover of these theorems with the policy that was chosen."""
        if policy == "own":
            return self.prover(**options)
        own = self.prover(**options).policy if policy == "mixture" else None
        return self.mixed_prover(policy, theorems, own, **options)

    def mixed_prover(
        self,
        policy: Literal["neighbours", "mixture"],
        theorems: Sequence[StoredTheorem],
        own: Policy | None = None,
        *,
        name: str | None = None,
        config: SearchConfig | None = None,
        shown: PromptHelp | None = None,
        **options: Any,
    ) -> Prover:
        """Return a prover of these theorems that learns from this agent's database and runs: see
        :meth:`lean_agent.prover.mixed.ProofSources.prover`."""
        options = {"database": self.database, "weigh": self._learnt_weights, **options}
        return self._sources.prover(policy, theorems, self.lean, own, name=name, config=config, shown=shown, **options)

    def _mixed(
        self,
        policy: PolicyChoice,
        own: Policy | None,
        hidden: Iterable[StoredTheorem],
        *,
        own_sees_help: bool = False,
    ) -> MixturePolicy:
        """Return neighbours, or a mixture of these, closing tactics and a policy of one's own, which sees no proof of
        the theorems that are hidden."""
        return self._sources.mixture(policy, own, hidden, own_sees_help=own_sees_help, weigh=self._learnt_weights)

    @property
    def _sources(self) -> ProofSources:
        return ProofSources(self.database)

    def _learnt_weights(self, sources: Collection[str]) -> dict[str, float] | None:
        """Return the weights that the last mixture of these sources ended with, if there was one."""
        return self.run.newest_of(MIXTURE, lambda text: _weights(text, sources))

    def trained_with(self) -> HelpSettings:
        """Return what the agent's own policy was shown beside goals in training, as far as it says."""
        return HelpSettings()

    def _help_asked_for(
        self, policy: PolicyChoice, premises: int | None, retriever: str | os.PathLike[str] | None
    ) -> HelpSettings:
        """Return what is shown beside goals: what the policy was trained with, but for what the caller wants; nothing
        where the prover knows better."""
        trained = HelpSettings() if policy == "neighbours" else self.trained_with()
        if premises is None and retriever is None:
            return trained
        return help_for(
            policy, trained, premises=premises, retriever=None if retriever is None else os.fspath(retriever)
        )

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
        notes: str | Callable[[Report], str] = "",
    ) -> Report:
        """Compare provers at one budget; print the table and write report and results into the run folder.

        Args:
            benchmark: a name of :data:`lean_agent.evaluation.benchmarks.BENCHMARKS`, or one that is loaded; without
                it, the theorems that are open in the repositories that were set up.
            source: the file, folder or address that a benchmark given by name is read from.
            provers: by default closing tactics and schemes and, where that is another, the policy as trained so
                far.
            theorems: some of them; by default all.
            budget: for each theorem, prover and seed.
            seeds: how often, and with what, a policy that draws at random tries each theorem.
            baseline: name of the prover that decides which theorems a single tactic closes.
            title, notes: stand in the report; notes may be a function of what it says.

        Raises:
            ConfigError: another process is at work in the run folder.
        """
        if isinstance(benchmark, str):
            benchmark = load_benchmark(benchmark, Request(self.lean, self.database, source, self._progress))
        if theorems is None:
            theorems = benchmark.theorems if benchmark else self.open_theorems()
        with self.run.claimed(), writing_to(self.run.path), self.run.logging():
            if provers is None:
                scripted = ScriptedProver(self.lean, **self.kept("scripted"))
                policy = self.prover(**self.kept("policy"), shown=self._sources.shown(self.trained_with(), theorems))
                provers = [scripted, *([policy] if policy.name != scripted.name else [])]
            keep_repositories(self.run.path, theorems)
            total = len(runs(provers, seeds)) * len(theorems)
            with (
                ProgressBar("Searching", total=total, enabled=self._progress) as bar,
                LiveTrees(self.run.path / RUNNING) as live,
            ):
                report = evaluate(
                    [prover.watched(live) for prover in provers],
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
            write_report(report, self.run.path, title=title, notes=notes(report) if callable(notes) else notes)
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
    def _cloning(self) -> dict[str, Any]:
        """Where clones go, and whether that is shown."""
        return {"cache_dir": self._cache_dir and self._cache_dir / "repositories", "progress": self._progress}

    def _set_up(self, projects: Sequence[Repository], **options: Any) -> TracedRepository:
        traced = [self.setup_project(project, **options) for project in projects]
        return traced[0]

    def _trace_packages(self, project: Repository, submodules: bool, elsewhere: bool) -> tuple[tuple[str, str], ...]:
        """Trace what a project imports of its packages; returns the names of those that cannot be had, with reasons.

        Args:
            elsewhere: packages of other repositories too, not only those in folders of its own.
        """
        if self._tracer == "lean-dojo":
            return ()
        try:
            packages = fetch_packages(project, elsewhere=elsewhere, submodules=submodules, **self._cloning)
        except TraceError as error:
            return ((MANIFEST, str(error)),) if elsewhere else ()
        for package, paths in packages.needed:
            self._trace(package, only=paths)
        return packages.failed

    def _trace(
        self,
        repository: Repository,
        *,
        only: Collection[str] | None = None,
        failed_packages: tuple[tuple[str, str], ...] = (),
        brief: bool = True,
    ) -> TracedRepository:
        if self._tracer == "lean-dojo":
            from lean_agent.tracing.lean_dojo import trace_with_lean_dojo

            traced = trace_with_lean_dojo(repository, self.database, progress=self._progress)
        else:
            traced = trace_repository(repository, self.lean, database=self.database, only=only, progress=self._progress)
        traced = replace(traced, failed_packages=failed_packages)
        kept = self.database.path  # of one in memory nothing can be shown
        database = kept if isinstance(kept, Path) and kept != default_database() else None
        summary = trace_summary(traced, brief=brief, database=database)
        if brief and not traced.is_partial:
            inform(summary)
        else:  # what was asked for; or what is missing of it, which everything that follows is without
            print(summary, flush=True)
        return traced

    def _check_set_up(self) -> None:
        if not self.repositories:
            raise ConfigError(
                "No repository was set up: call setup_github_repository(url=…) or setup_local_repository(path) first."
            )

    def _config(self) -> dict[str, Any]:
        repositories = [traced.repository for traced in self.repositories]
        return {
            "agent": type(self).__name__,
            "trainer": type(self.trainer).__name__ if self.trainer else None,
            "model": self.trainer.model_path if self.trainer else None,
            "repositories": [{"url": repository.url, "commit": repository.commit} for repository in repositories],
            "workers": self._workers,
        }


def _weights(text: str, sources: Collection[str]) -> dict[str, float] | None:
    """Return the weights that a file of a run folder holds, if they are of these sources and it was not damaged."""
    try:
        weights = json.loads(text)
    except ValueError:
        return None
    is_sound = isinstance(weights, dict) and all(
        isinstance(weight, (int, float)) and math.isfinite(weight) and weight > 0 for weight in weights.values()
    )
    return weights if is_sound and weights.keys() == set(sources) else None


def choose_theorems(theorems: Sequence[StoredTheorem], patterns: Sequence[str]) -> list[StoredTheorem]:
    """Return those theorems that a pattern means, in their order.

    Args:
        patterns: full names, their ends (``twice`` for ``Lists.twice``), or either with ``*`` and ``?``; without any
            all theorems are meant.

    Raises:
        ConfigError: a pattern means none of them.
    """
    for pattern in patterns:
        if not any(_means(pattern, theorem) for theorem in theorems):
            known = [theorem.full_name for theorem in theorems]
            raise ConfigError(f"No open theorem of these repositories is called {pattern}. {_known(pattern, known)}")
    return [theorem for theorem in theorems if not patterns or any(_means(pattern, theorem) for pattern in patterns)]


def _known(pattern: str, names: Sequence[str]) -> str:
    if not names:
        return "They leave none open."
    if len(names) <= SHOWN_NAMES:
        return nearest(pattern, names)
    return f"They leave {len(names):,} open; `lean-agent db show` of a repository with --all lists them."


def _means(pattern: str, theorem: StoredTheorem) -> bool:
    return fnmatchcase(theorem.full_name, pattern) or fnmatchcase(theorem.full_name, f"*.{pattern}")
