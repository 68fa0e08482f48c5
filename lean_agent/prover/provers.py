"""Provers: search for a proof, have it verified afresh, keep it.

What counts as proved is for :mod:`.proofs.judge` to say.
Knows policies by their contract only, so every prover is the same code with another policy.
"""

from __future__ import annotations

import copy
import hashlib
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.errors import LeanError, TraceError
from lean_agent.files import write_atomically
from lean_agent.lean.pantograph.adaptor import PantographServer, as_lean_server
from lean_agent.lean.server import LeanServer
from lean_agent.lean.source import by_block
from lean_agent.lean.types import TheoremSite
from lean_agent.policy.base import LearnsAtOnce, Policy, TacticExample, identity_of
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.policy.retrieval.corpus import place_of_stored
from lean_agent.policy.retrieval.retriever import BM25
from lean_agent.prompts import GoalNames, HelpSettings
from lean_agent.prover.config import Cost, SearchBudget, SearchConfig
from lean_agent.prover.driver import Driver, Ended, OpenTheorems, Spent, Turn
from lean_agent.prover.preparation import Preparation
from lean_agent.prover.proofs.judge import Judge, Verdicts
from lean_agent.prover.proofs.lemmas import Lemma, ProvedLemmas, RestingOnOpen, accepted_proofs, likely_lemmas, with_all
from lean_agent.prover.proofs.result import ProofResult
from lean_agent.prover.saved.live import Running, Watcher
from lean_agent.prover.saved.trees import save_search
from lean_agent.prover.searches.base import Search
from lean_agent.prover.statements import theorems_of_text
from lean_agent.prover.timing import Usage, WorkTimer
from lean_agent.prover.tree.drafts import Draft, draft_of
from lean_agent.prover.tree.priorities import ValueModel
from lean_agent.prover.tree.proof_cache import ProvedGoals
from lean_agent.tracing import Repository
from lean_agent.wording import installed_version

PARTIAL = "partial"
"""The folder beside files with accepted proofs where those go in which a begun proof has fewer holes."""
_ALL_TACTICS = 10_000  # more than the schemes of a list stand for at any goal


class _Account:
    """Reports what a run has cost: its searches up to their last round, and the Lean calls that came after them."""

    def __init__(self, report: Spent) -> None:
        self._report = report
        self._searches = Cost()
        self._beside = Cost()

    def round(self, cost: Cost) -> None:
        """Take in what all searches together have cost so far."""
        self._searches = cost
        self._report(self._searches + self._beside)

    def ended(self, result: ProofResult) -> None:
        """Take in a result that is certain."""
        # A search that did not start is in no round's cost.
        calls = result.search.lean_calls if result.search.status == "error" else 0
        self._beside += Cost(lean_calls=result.judge_calls + calls)
        self._report(self._searches + self._beside)


class Prover:
    """A search with a policy, then the judge.

    Args:
        name: stands in results and reports.
        policy: proposes tactics.
        server: runs and judges them; stays open. A Pantograph server, PyPantograph's own too, runs them only: the judge
            is then a process of ours.
        config: how to search, and what each theorem may cost.
        database: keeps every proof that was judged, with its verdict, and how many attempts there were.
        proofs_dir: where files with accepted proofs are written, see :func:`place_of`; in :data:`PARTIAL` those in
            which a proof that was begun has fewer holes than before.
        trees_dir: where every search is saved (:mod:`lean_agent.prover.saved.trees`), see :func:`place_of`.
        value: guesses how likely states are to be proved, for searches that rank by it.
        on_end: told of each search, by its theorem's place in the list, as it ends.
        on_round: told after each round, and as each result is certain, what one :meth:`prove_all` has spent so far: in
            the end as many Lean calls as its results count.
        shown: what the policy is shown beside each goal; nothing by default.
        minimal: whether an accepted proof is made shorter where that can be done, and judged again. The Lean calls of
            that are counted, outside the budget, as are those that say which names of a list were used.
    """

    def __init__(
        self,
        name: str,
        policy: Policy,
        server: LeanServer | PantographServer,
        *,
        config: SearchConfig | None = None,
        database: DynamicDatabase | None = None,
        proofs_dir: Path | None = None,
        trees_dir: Path | None = None,
        value: ValueModel | None = None,
        on_end: Ended | None = None,
        on_round: Spent | None = None,
        shown: PromptHelp | None = None,
        minimal: bool = False,
    ) -> None:
        self.name = name
        self.policy = policy
        self.config = config or SearchConfig()
        self._server = as_lean_server(server)
        self._database = database
        self._proofs_dir = proofs_dir
        self._trees_dir = trees_dir
        self._value = value
        self._on_end = on_end
        self._on_round = on_round
        self._shown = shown
        self._minimal = minimal
        self._measured = False
        self._verdicts: Verdicts | None = None
        self._watcher: Watcher | None = None
        self._memory = ProvedGoals()
        self._admitted: set[tuple[Repository, str]] = set()  # open theorems that others may use
        self._resting = RestingOnOpen(())
        self._timer = WorkTimer()

    @property
    def usage(self) -> Usage:
        """How much of the time that searches took had the policy or Lean at work."""
        return self._timer.usage()

    def copy(self, policy: Policy | None = None) -> Prover:
        """Return a copy, or one with another policy, that remembers nothing that was proved and has counted no time."""
        other = copy.copy(self)
        other.policy = policy or self.policy
        other._memory = ProvedGoals()
        other._admitted = set()
        other._timer = WorkTimer()
        return other

    def with_budget(self, budget: SearchBudget, verdicts: Verdicts | None = None) -> Prover:
        """Return the same prover at another budget, to be measured: each theorem by itself, with nothing remembered;
        proofs stay as they are.

        Args:
            verdicts: proofs that others have found of the same theorems, which are not judged again.
        """
        other = copy.copy(self)
        other._verdicts = verdicts
        other._measured = True
        other.config = replace(self.config, budget=budget, remember=False)
        return other

    def with_callback(self, on_round: Spent) -> Prover:
        """Return a copy that calls back after each round with what its searches have spent so far."""
        other = copy.copy(self)
        other._on_round = on_round
        return other

    def watched(self, watcher: Watcher) -> Prover:
        """Return a copy that shows its searches to ``watcher`` while they run, and as they end."""
        other = copy.copy(self)
        other._watcher = watcher
        return other

    @property
    def fingerprint(self) -> str:
        """The same for provers that search alike at the same budget: policy, value model, search, our version and
        Lean's, and what the policy is shown beside goals; a model without an ``identity`` counts by its class."""
        how = replace(self.config, budget=SearchBudget(), remember=False)
        shown = self._shown.identity if self._shown else ""
        models = [identity_of(model) for model in (self.policy, self._value)]
        parts = (*models, how, shown, self._minimal, installed_version(), self._server.version)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def prove(self, theorem: StoredTheorem | str) -> ProofResult:
        """Try to prove one theorem.

        Args:
            theorem: one of a traced repository, or Lean text that leaves one open:
                ``"theorem two : 1 + 1 = 2 := by sorry"``
                (:func:`~lean_agent.prover.statements.theorems_of_text`).

        Raises:
            TraceError: a text in which Lean finds an error, or which leaves nothing open, or several theorems.
        """
        if isinstance(theorem, str):
            theorems = theorems_of_text(theorem, self._server, self._database)
            if len(theorems) > 1:
                names = ", ".join(stored.full_name for stored in theorems)
                raise TraceError(
                    f"The text leaves {len(theorems)} theorems open ({names}): give one, or prove all of them by "
                    "prove_all(theorems_of_text(…))."
                )
            (theorem,) = theorems
        (result,) = self.prove_all([theorem])
        return result

    def prove_all(self, theorems: Sequence[StoredTheorem]) -> Iterator[ProofResult]:
        """Try to prove each theorem; yields each result once it is certain, in the order in which they end.

        Lean judges what was found while the search for other theorems goes on. Where the prover remembers
        (``SearchConfig.remember``), theorems that are proved are premises and lemmas of those after them: a search
        begins when those for theorems that are likely to help it have ended, and a proof that rests on the ``sorry`` of
        others is judged in the end, with their proofs in place. On Ctrl-C and on any error what is being judged is
        judged to the end, kept and yielded; then the interrupt or the error goes on its way.
        """
        if self._shown is not None:
            self._shown.corpus.check(map(place_of_stored, theorems))
        budget = self.config.budget
        account = _Account(self._on_round or (lambda _: None))
        driver = Driver(
            self._server,
            self.policy,
            # one call is for the verification
            replace(self.config, budget=replace(budget, lean_calls=max(1, budget.lean_calls - 1))),
            wording=lambda index, question: self.worded(theorems[index], question.goal, question.names),
            value=self._value,
            open_theorems=self._open_theorems(theorems) if self.config.remember else None,
            preparation=self._preparation(theorems),
            memory=self._memory,
            on_end=lambda index, search: self._ended(index, theorems[index], search),
            on_round=account.round,
            timer=self._timer,
        )
        began = time.monotonic()
        if self.config.remember:
            self._resting = RestingOnOpen(self._unfinished_beside(theorems))
        lemmas = self._known_lemmas(theorems) if self.config.remember else None
        judge = Judge(
            self.name,
            self._server,
            lemmas=lemmas,
            used_names=not (self._measured or self._minimal),
            minimal=self._minimal,
            timer=self._timer,
            verdicts=self._verdicts,
        )
        after = likely_lemmas(theorems, self._shown, self._resting) if self.config.remember else [()] * len(theorems)
        sites = [self._site(theorem) for theorem in theorems]
        try:
            for index, search in driver.run(sites, after, drafts=self._drafts(theorems), on_turn=self._turn(theorems)):
                if search.status == "proved":
                    self._admit(theorems[index])
                    judge.submit(theorems[index], search)
                else:
                    failed = ProofResult(
                        theorems[index],
                        self.name,
                        search,
                        seconds=search.seconds,
                        message=search.message,
                        likely_lemmas=tuple(theorems[other].full_name for other in sorted(after[index])),
                    )
                    yield self._kept(failed, account)
                for result in judge.ready():
                    yield self._kept(result, account)
            for result in judge.rest():
                yield self._kept(result, account)
        except (Exception, KeyboardInterrupt):
            for result in judge.rest():
                yield self._kept(result, account)
            raise
        finally:
            judge.close()
            self._timer.ran(began, time.monotonic())

    def _site(self, theorem: StoredTheorem) -> TheoremSite:
        """Return where a search starts, with what its proof may rest on."""
        return replace(
            theorem.site, may_use_open=self.config.remember, may_use_axioms=self.config.settings.project_axioms
        )

    def _open_theorems(self, theorems: Sequence[StoredTheorem]) -> OpenTheorems:
        """Return which open theorems may be used, those for which there is a proof, and which of them are searched."""
        searched = {(theorem.repository, theorem.full_name): index for index, theorem in enumerate(theorems)}
        return OpenTheorems(
            may_use=lambda index, name: (theorems[index].repository, name) in self._admitted,
            searched_as=lambda index, name: searched.get((theorems[index].repository, name)),
        )

    def _drafts(self, theorems: Sequence[StoredTheorem]) -> dict[int, Draft]:
        """Return the proofs that authors have begun, by the indices of their theorems."""
        if not self.config.settings.uses_drafts:
            return {}
        drafts = {index: draft_of(stored.theorem) for index, stored in enumerate(theorems)}
        return {index: draft for index, draft in drafts.items() if draft is not None}

    def _turn(self, theorems: Sequence[StoredTheorem]) -> Turn | None:
        """Return what shows searches under way to the watcher, if there is one."""
        watcher = self._watcher
        if watcher is None:
            return None
        return lambda searches: watcher.turn(
            self._running(theorems[index], search) for index, search in searches.items()
        )

    def _running(self, theorem: StoredTheorem, search: Search) -> Running:
        return Running(theorem.full_name, theorem.file_path, self.name, place_of(theorem, ".jsonl"), search)

    def _preparation(self, theorems: Sequence[StoredTheorem]) -> Preparation | None:
        """Return what asks Lean about theorems and their goals, where a policy is shown something beside these."""
        if self._shown is None:
            return None
        return Preparation(self._server, self._shown, [place_of_stored(theorem) for theorem in theorems])

    def _known_lemmas(self, theorems: Sequence[StoredTheorem]) -> ProvedLemmas:
        """Return the open theorems of these repositories that have an accepted proof in the database, which may be
        used from now on."""
        lemmas = ProvedLemmas(self._shown.corpus if self._shown else None)
        if self._database is not None:
            for theorem, proof, uses in accepted_proofs(self._database, {theorem.repository for theorem in theorems}):
                lemmas.add(theorem, proof, uses)
                self._admit(theorem)
        return lemmas

    def _unfinished_beside(self, theorems: Sequence[StoredTheorem]) -> Iterator[StoredTheorem]:
        """Yield what is open, or rests on that, in the repositories of some theorems, as far as the database knows."""
        if self._database is not None and self._shown is not None:
            for repository in dict.fromkeys(theorem.repository for theorem in theorems):
                yield from self._database.unfinished_theorems(repository)

    def _admit(self, theorem: StoredTheorem) -> None:
        """Let searches use a theorem for which there is a proof, though that may not be judged yet."""
        if not self.config.remember:
            return
        self._admitted.add((theorem.repository, theorem.full_name))
        if self._shown is not None:
            for usable in (theorem, *self._resting.proved(theorem)):
                self._shown.corpus.admit(usable.full_name, place_of_stored(usable))

    def worded(self, theorem: StoredTheorem, goal: str, names: GoalNames | None = None) -> str:
        """Return how a goal of a theorem's search is put to the policy: as Lean prints it, below what is shown with
        it."""
        return goal if self._shown is None else self._shown.goal(goal, place_of_stored(theorem), names)

    def _ended(self, index: int, theorem: StoredTheorem, search: Search) -> None:
        if self._on_end is not None:
            self._on_end(index, search)
        if self._watcher is not None:
            self._watcher.ended(self._running(theorem, search))
        if self.config.remember and isinstance(self.policy, LearnsAtOnce):
            # what is solved in a search that failed is proved, too
            self.policy.add(TacticExample(*step) for graph in search.graphs for step in graph.solved_steps())
        if self._trees_dir is not None:
            path = self._trees_dir / place_of(theorem, ".jsonl")
            save_search(path, search, theorem=theorem.full_name, file_path=theorem.file_path, prover=self.name)

    def _kept(self, result: ProofResult, account: _Account) -> ProofResult:
        """Count the attempt, if there was one, store a judged proof, write out the file of an accepted one."""
        account.ended(result)
        theorem = result.theorem
        if self._database is not None and result.status not in ("error", "unfinished"):
            self._database.store_attempt(
                theorem.repository, theorem.file_path, theorem.full_name, source=self.name, proved=result.proved
            )
        if self._database is not None and result.verdict is not None:
            self._database.store_proof(
                theorem.repository,
                theorem.file_path,
                theorem.full_name,
                result.proof,
                result.verdict,
                source=self.name,
                seconds=result.seconds,
                lean_calls=result.lean_calls,
                lemmas=[lemma.row for lemma in result.lemmas],
            )
        if self._proofs_dir is None:
            return result
        try:
            if result.proved:
                of_file = [lemma for lemma in (result.lemma, *result.lemmas) if lemma.file_path == theorem.file_path]
                path = self._proofs_dir / place_of(theorem, ".lean")
                return replace(result, path=write_atomically(path, with_all(_source_of(theorem), of_file)))
            if result.search.filled_draft is not None:
                return self._partly_written(result, result.search.filled_draft.tactics)
        except (TraceError, OSError) as error:
            return replace(result, message=f"The proof is in no file: {error}")
        return result

    def _partly_written(self, result: ProofResult, tactics: str) -> ProofResult:
        """Write out the file in which fewer holes of a begun proof are left, if Lean finds no error in that proof.

        Raises:
            TraceError, OSError: the file has changed, or cannot be written.
        """
        assert self._proofs_dir is not None
        theorem = result.theorem
        start = theorem.theorem.start_pos
        proof = by_block([tactics], start.column)
        content = with_all(_source_of(theorem), [Lemma.of(theorem, proof)])
        lines = range(start.line, start.line + theorem.theorem.statement.count("\n") + proof.count("\n") + 2)
        result = replace(result, judge_calls=result.judge_calls + 1)
        try:
            messages = self._server.check(content.decode(), project=theorem.site.project)
        except LeanError:
            return result
        if any(message.severity == "error" and message.start.line in lines for message in messages):
            return result
        path = self._proofs_dir / PARTIAL / place_of(theorem, ".lean")
        return replace(result, partial_path=write_atomically(path, content))


def _source_of(theorem: StoredTheorem) -> bytes:
    return (theorem.site.project.root / theorem.file_path).read_bytes()


class HFProver(Prover):
    """A prover whose policy is a HuggingFace causal language model.

    Args:
        model: a checkpoint folder (LoRA adapters too) or a model's name.
        sampling: how candidates are drawn.

    Raises:
        ModelNotFound: no causal language model there.
    """

    def __init__(
        self, model: str | Path, server: LeanServer, *, name: str | None = None, sampling: Any = None, **options: Any
    ) -> None:
        from lean_agent.policy.hf import HFPolicy  # brings torch

        super().__init__(name or Path(model).name, HFPolicy(model, sampling=sampling), server, **options)


class RetrievalProver(HFProver):
    """A HuggingFace model that is shown the premises that may help, beside each goal.

    Args:
        corpus: the premises to choose from; those that a theorem cannot use are left out.
        k: how many are shown; as many as the model saw in training.
        retriever: which: ``bm25``, ``learnt``, or the folder of a retriever that was trained.
    """

    def __init__(
        self,
        model: str | Path,
        server: LeanServer,
        *,
        corpus: PremiseCorpus,
        k: int = 8,
        retriever: str | Path = BM25,
        **options: Any,
    ) -> None:
        shown = PromptHelp.of(HelpSettings(premises=k, retriever=str(retriever)), corpus)
        super().__init__(model, server, shown=shown, **options)


class ExternalProver(Prover):
    """A prover whose policy is a model behind an OpenAI-compatible chat endpoint.

    Args:
        base_url: the endpoint's address, up to and with ``/v1``.
        model: as the endpoint names it; by default the first that it lists.
        client: other settings of :class:`~lean_agent.policy.endpoint.InferenceClient`: ``api_key``, ``sampling``,
            ``concurrency``, …
    """

    def __init__(
        self,
        base_url: str,
        server: LeanServer,
        *,
        model: str | None = None,
        name: str | None = None,
        client: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        from lean_agent.policy.endpoint import InferenceClient

        super().__init__(
            name or model or "endpoint", InferenceClient(base_url, model, **(client or {})), server, **options
        )


class ScriptedProver(Prover):
    """A prover without a model: at every state the tactics and schemes of a list, in its order.

    Args:
        tactics: by default :data:`~lean_agent.policy.closers.schemes.CLOSING_SCHEMES`;
            :data:`~lean_agent.policy.closers.schemes.CLOSING_TACTICS` is the short list without schemes. Schemes that
            name premises need ``shown``.
    """

    def __init__(
        self,
        server: LeanServer,
        *,
        tactics: Sequence[str] | Mapping[str, float] = CLOSING_SCHEMES,
        name: str = "scripted",
        config: SearchConfig | None = None,
        **options: Any,
    ) -> None:
        # A list that is cut off would be no fair baseline; what counts is the budget of Lean calls.
        config = replace(config or SearchConfig(), tactics_per_node=_ALL_TACTICS)
        super().__init__(name, ScriptedPolicy(tactics), server, config=config, **options)


def place_of(theorem: StoredTheorem, suffix: str) -> Path:
    """Return where something is kept for a theorem and for no other:
    ``REPOSITORY-HASH/FOLDERS/FILE/THEOREM.suffix``."""
    repository = theorem.repository
    folders = Path(theorem.file_path).with_suffix("").parts
    return Path(
        file_name(repository.name, f"{repository.url}\n{repository.commit}"),
        *map(file_name, folders),
        file_name(theorem.full_name) + suffix,
    )


def file_name(name: str, identity: str | None = None) -> str:
    """Return ``name`` as the name of a file: letters of any script stay, separators and the like do not.

    Args:
        identity: what is named, by default the name itself. Where the file's name does not say all of it, a short hash
            of it follows, so that the files of two things do not meet.
    """
    safe = re.sub(r"[^\w.\-']", "_", name).lstrip(".") or "_"
    identity = name if identity is None else identity
    return safe if safe == identity else f"{safe}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
