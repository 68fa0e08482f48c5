"""The rounds of a run of practice, each of which can be taken up again wherever it was killed.

    run folder/variants/        variants of theorems, where they are practised, too
    run folder/rounds/01/
        plan.json            which theorems are practised
        attempts.jsonl       a line for each that was searched, at each temperature
        repositories.json    where they stand: `lean-agent verify` of the folder judges their proofs again
        trees/…              their searches
        disproof.jsonl       the negations of variants that were not proved
        disproved.json       variants that are false, since the negation was proved
        shorter.jsonl        tactics of these in short forms
        1-supervised/        what the first strategy has trained, if there is one
        development.jsonl    the new checkpoint on the development set
        round.json           what came of it; written last

What stands there is not done again: a search whose line is there, a training whose checkpoints are, a round that has
its ``round.json``.
"""

from __future__ import annotations

import copy
import json
import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.records import FoundProof, FoundTactic
from lean_agent.errors import ConfigError, TrainingError
from lean_agent.evaluation.evaluate import Attempt, evaluate
from lean_agent.evaluation.results import ATTEMPTS, keep_repositories
from lean_agent.files import write_atomically
from lean_agent.improvement.config import ImproveConfig
from lean_agent.improvement.disproof import state_negations
from lean_agent.improvement.lessons import Lessons, found_tactics, lessons_of
from lean_agent.improvement.practice import Practice, choose, of_repositories
from lean_agent.improvement.report import ImproveReport, Measure, RoundReport, Share, write_report
from lean_agent.improvement.shortening import Shortened, shorten
from lean_agent.improvement.strategies import Strategy, TrainingTask
from lean_agent.improvement.variants import Variant, original_of
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import HasSampling, LearnsAtOnce, Policy, TacticExample
from lean_agent.policy.model_files import record_help, recorded_help
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.progress import ProgressBar
from lean_agent.prover.mixed import FILLED_IN
from lean_agent.prover.proofs.result import TheoremKey, theorem_key
from lean_agent.prover.provers import Prover, file_name, place_of
from lean_agent.prover.saved.live import FOLDER as RUNNING
from lean_agent.prover.saved.live import LiveTrees
from lean_agent.prover.saved.trees import SavedSearch, load_search
from lean_agent.registry import STRATEGIES
from lean_agent.tracing import Repository

logger = logging.getLogger(__name__)

LEAST_DIFFERENT = 8
"""From so many different tactics on it can be told whether a policy knows but one."""
DRAWN = 8
"""Answers to each goal of which the likeliest is looked at."""
MOST_GOALS = 64
COLLAPSED_SHARE = 0.9
RESULTS = {"practice": ATTEMPTS, "development": "development.jsonl", "negations of variants": "disproof.jsonl"}
DISPROVED = "disproved.json"


@dataclass(frozen=True, slots=True)
class Policies:
    """Where the loop has its policies from.

    Attributes:
        load: a checkpoint, and the seed of its sampling -> the policy.
        searching: a checkpoint, its policy, and theorems whose proofs must not be looked up -> who proposes tactics
            in practice.
        shown: a checkpoint, theorems, others whose proofs must not be looked up, and whether the checkpoint is alone ->
            what is shown beside goals.
    """

    load: Callable[[str, int], Policy]
    searching: Callable[[str, Policy, Sequence[StoredTheorem]], Policy]
    shown: Callable[[str, Sequence[StoredTheorem], Sequence[StoredTheorem], bool], PromptHelp | None] = lambda *_: None


@dataclass(frozen=True, slots=True)
class Improvement:
    """A run of practice.

    Attributes:
        folder: its run folder.
        model: the checkpoint that it begins with; empty where there is none, and nothing is trained.
        rounds: how many; with ``config.one_by_one`` so many after each repository has come.
        repositories: those that are practised, the easiest first; their traced proofs are learnt, too.
        held_out: how many theorems are held out.
        made: the variants that were made, whatever became of them.
        on_round: told of each round as it ends, those of an earlier run included.
        negate: states the negations of variants.
    """

    folder: Path
    model: str
    rounds: int
    database: DynamicDatabase
    server: LeanServer
    config: ImproveConfig
    practice: Practice
    repositories: Sequence[Repository]
    held_out: int
    policies: Policies
    progress: bool = True
    made: Sequence[Variant] = ()
    on_round: Callable[[RoundReport], None] = lambda _: None
    negate: Callable[..., list[tuple[StoredTheorem, StoredTheorem]]] = state_negations
    _read: dict[int, list[tuple[StoredTheorem, SavedSearch]]] = field(default_factory=dict, init=False, repr=False)
    """The searches of each round that were read: each tree is read once."""

    @property
    def total(self) -> int:
        """How many rounds there are in all."""
        return self.rounds * (len(self.repositories) if self.config.one_by_one else 1)

    @property
    def _variants(self) -> set[TheoremKey]:
        return {theorem_key(theorem) for theorem in self.practice.variants}

    def run(self) -> ImproveReport:
        """Practise to the last round, from where an earlier run in the folder stopped.

        Raises:
            TrainingError: a training went astray. What was kept before is kept, and the report says so.
        """
        self._claim()
        fates: Counter[str] = Counter(variant.fate for variant in self.made)
        report = ImproveReport((), len(self.practice.refused), self.held_out, variants=dict(fates))
        for number in range(self.total + 1):
            try:
                entry = self._known(number) or self._round(number, report.rounds)
            except TrainingError as error:
                stopped = f"Round {number} was stopped. {error} The checkpoint that was kept last: {report.model}."
                write_report(replace(report, stopped=stopped), self.folder)
                raise TrainingError(f"{stopped} The searches of the round: {self._place(number)}.") from error
            report = replace(report, rounds=(*report.rounds, entry))
            write_report(report, self.folder)
            self.on_round(entry)
        return report

    def _claim(self) -> None:
        """Note what decides the run; refuse to go on in the folder of another.

        Raises:
            ConfigError: the folder holds a run of practice with other settings, or other theorems; or repositories are
                practised one by one, and theorems stand in none of them.
        """
        if self.config.one_by_one:
            self._check_places()
        path = self.folder / "practice.json"
        decided = {
            "config": repr(self.config),
            "theorems": [theorem_key(theorem) for theorem in self.practice.theorems],
            "development": [theorem_key(theorem) for theorem in self.practice.development],
        }
        text = json.dumps(decided, ensure_ascii=False, indent=2) + "\n"
        if path.is_file() and path.read_text(encoding="utf-8") != text:
            raise ConfigError(
                f"{self.folder} holds a run of practice with other settings or theorems. Go on with those, or practise "
                "in another run folder."
            )
        write_atomically(path, text.encode())

    def _check_places(self) -> None:
        """Refuse theorems whose turn would never come.

        Raises:
            ConfigError: they stand in none of the repositories.
        """
        come = set(map(theorem_key, of_repositories(self.practice.theorems, self.repositories)))
        strangers = [each for each in self.practice.theorems if theorem_key(each) not in come]
        if strangers:
            raise ConfigError(
                f"Repositories that were set up are practised one by one, and {len(strangers)} of the theorems stand "
                f"in none, {strangers[0].full_name} among them: set theirs up, too, or leave one_by_one out."
            )

    def _place(self, number: int) -> Path:
        return self.folder / "rounds" / f"{number:02d}"

    def _known(self, number: int) -> RoundReport | None:
        path = self._place(number) / "round.json"
        return RoundReport.read(path.read_text(encoding="utf-8")) if path.is_file() else None

    def _round(self, number: int, before: Sequence[RoundReport]) -> RoundReport:
        if number:
            kept = next(report.measure for report in reversed(before) if report.kept)
            entry = self._practised_round(number, base=before[0].measure.model, kept=kept)
        else:
            entry = RoundReport(0, self._measured(0, self.model), kept=True, trained=bool(self.config.strategies))
        text = json.dumps(asdict(entry), ensure_ascii=False, indent=2) + "\n"
        write_atomically(self._place(number) / "round.json", text.encode())
        return entry

    def _practised_round(self, number: int, *, base: str, kept: Measure) -> RoundReport:
        repositories = self._repositories_of(number)
        chosen = self._plan(number, repositories)
        attempts = self._practise(number, kept.model, chosen)
        disproved, spent = self._disprove(number, kept.model, chosen, attempts)
        lessons, calls = self._lessons(number, attempts)
        model, policy = kept.model, None
        counts: Mapping[str, int] = {"traced": 0, "found": len(lessons.steps), "refused": 0}
        if self.config.strategies:
            start = base if self.config.start == "base" else kept.model
            model, counts = self._train(number, start, repositories, lessons, chosen)
            policy = self._load(number, model)
            self._check_answers(policy, lessons)
        logger.info("Round %d: %s, %d found steps refused", number, counts, lessons.refused)
        measure = self._measured(number, model, policy)
        origin = (self.folder.name, number)
        proved = {attempt.key for attempt in attempts if attempt.proved}
        variants = {theorem_key(theorem) for theorem in chosen} & self._variants
        return RoundReport(
            number,
            measure,
            measure.is_better_than(kept),
            repositories=tuple(repository.name for repository in repositories),
            practised=len(chosen) - len(variants),
            proved=len(proved - variants),
            new=sum((proof.source, proof.round) == origin for proof in self.database.found_proofs()),
            variants=len(variants),
            variants_proved=len(proved & variants),
            variants_disproved=len(disproved),
            lean_calls=calls + spent + sum(attempt.lean_calls for attempt in attempts),
            learnt=counts["found"],
            traced=counts["traced"],
            refused=counts["refused"] + lessons.refused,
            trained=bool(self.config.strategies),
        )

    def _lessons(self, number: int, attempts: Sequence[Attempt]) -> tuple[Lessons, int]:
        """Return what all rounds so far teach, and the Lean calls of this one that made it shorter; its proofs are kept
        in short forms, too."""
        searches = list(self._searches(number))
        lessons = lessons_of(searches, self.practice.guard)
        if self.config.lessons == "whole":
            return lessons, 0
        known = self._shortened(number)
        title = f"Round {number}/{self.total}: shorter tactics"
        shorten(lessons, searches, self.server, known, title=title, progress=self.progress)
        of_round = {(theorem_key(theorem), search.prover): (theorem, search) for theorem, search in self._read[number]}
        for attempt in filter(self._has_kept_proof, attempts):
            theorem, search = of_round[attempt.key, attempt.prover]
            self._keep_proof(number, attempt, theorem, map(known.tactic, found_tactics(search)))
        shown = recorded_help(self.model)
        schemes = self.config.learns_schemes and (not shown or shown.filled)
        return known.applied(lessons, schemes=schemes), known.calls

    def _shortened(self, until: int) -> Shortened:
        """Return the short forms of tactics of the rounds up to that one."""
        return Shortened([self._place(number) for number in range(1, until + 1)])

    def examples(self, until: int, *, without: Collection[TheoremKey] = ()) -> list[TacticExample]:
        """Return the steps that the searches of practice of the rounds up to that one have found, in short forms.

        Args:
            without: theorems whose searches do not count.
        """
        lessons = lessons_of(
            [each for each in self._searches(until) if theorem_key(each[0]) not in without], self.practice.guard
        )
        steps = self._shortened(until).applied(lessons).steps if self.config.lessons != "whole" else lessons.steps
        return [TacticExample(step.goal, step.tactic) for _, step in steps]

    def _repositories_of(self, number: int) -> Sequence[Repository]:
        """Return the repositories that have come by that round."""
        come = (number - 1) // self.rounds + 1 if self.config.one_by_one else len(self.repositories)
        return self.repositories[:come]

    def _plan(self, number: int, repositories: Sequence[Repository]) -> list[StoredTheorem]:
        """Return the theorems of a round, which stay the same when it is taken up again."""
        path = self._place(number) / "plan.json"
        if not path.is_file():
            theorems: Sequence[StoredTheorem] = self.practice.theorems
            false = {key for earlier in range(1, number) for key in self._disproved(earlier)}
            variants: Sequence[StoredTheorem] = [
                each for each in self.practice.variants if theorem_key(each) not in false
            ]
            if self.config.one_by_one:
                theorems = of_repositories(theorems, repositories[-1:])
                variants = [variant for variant in variants if original_of(variant) in repositories[-1:]]
            chosen = self._chosen(number, theorems, self.config.theorems)
            chosen += self._chosen(number, variants, self.config.variants)
            write_atomically(
                path, json.dumps([theorem_key(theorem) for theorem in chosen], ensure_ascii=False).encode()
            )
        planned = {tuple(key) for key in json.loads(path.read_text(encoding="utf-8"))}
        known = (*self.practice.theorems, *self.practice.variants)
        return [theorem for theorem in known if theorem_key(theorem) in planned]

    def _chosen(self, number: int, theorems: Sequence[StoredTheorem], count: int) -> list[StoredTheorem]:
        """Return so many of the theorems for a round; where nothing is trained, of those without a proof, which alone
        can teach something new."""
        if not self.config.strategies:
            proved = set(map(theorem_key, self.database.found_proofs()))
            theorems = [theorem for theorem in theorems if theorem_key(theorem) not in proved]
        sources = [_practice_at(temperature) for temperature in self.config.temperatures]
        rates = self.database.pass_rates({theorem.repository: None for theorem in theorems}, sources)
        return choose(theorems, rates, count, self._seed(number))

    def _practise(self, number: int, model: str, theorems: Sequence[StoredTheorem]) -> tuple[Attempt, ...]:
        """Search theorems at every temperature; keep trees, and the proofs of what is no variant."""
        by_key = {theorem_key(theorem): theorem for theorem in theorems}

        def keep(attempt: Attempt) -> None:
            if self._has_kept_proof(attempt):
                theorem = by_key[attempt.key]
                tactics = found_tactics(load_search(self._tree(number, attempt.prover, theorem)))
                self._keep_proof(number, attempt, theorem, tactics)

        keep_repositories(self._place(number), theorems)
        provers = self._provers(number, model, self._load(number, model), _practice_at, theorems, practising=True)
        return self._search(number, "practice", provers, theorems, keep)

    def _disprove(
        self, number: int, model: str, chosen: Sequence[StoredTheorem], attempts: Sequence[Attempt]
    ) -> tuple[Collection[TheoremKey], int]:
        """Search the negations of the variants that a round has not proved; return those that are false, and the Lean
        calls."""
        unproved_keys = self._variants - {attempt.key for attempt in attempts if attempt.proved}
        of_hash = {variant.type_hash: variant for variant in self.made if variant.fate == "open"}
        unproved = [
            (theorem, of_hash[theorem.theorem.type_hash])
            for theorem in chosen
            if theorem_key(theorem) in unproved_keys and theorem.theorem.type_hash in of_hash
        ]
        if not (self.config.disproof_calls and unproved):
            return (), 0
        pairs = self.negate(unproved, self.server, self.database)
        negations = [negation for _, negation in pairs]
        own = at_temperature(self._load(number, model), self.config.temperatures[0])
        search = self.config.search
        prover = Prover(
            "disproof",
            self._searching(number, model, negations)(own),
            self.server,
            config=replace(search, budget=replace(search.budget, lean_calls=self.config.disproof_calls)),
            database=self.database,
            shown=self.policies.shown(model, negations, self.practice.hidden, False),
        )
        results = self._search(number, "negations of variants", [prover], negations)
        true = {attempt.key for attempt in results if attempt.proved}
        false = [theorem_key(theorem) for theorem, negation in pairs if theorem_key(negation) in true]
        write_atomically(self._place(number) / DISPROVED, json.dumps(false, ensure_ascii=False).encode())
        return false, sum(attempt.lean_calls for attempt in results)

    def _disproved(self, number: int) -> set[TheoremKey]:
        """Return the variants that a round has found to be false."""
        path = self._place(number) / DISPROVED
        return {tuple(key) for key in json.loads(path.read_text(encoding="utf-8"))} if path.is_file() else set()

    def _has_kept_proof(self, attempt: Attempt) -> bool:
        """Return whether an attempt has a proof to be kept: one of no variant."""
        return attempt.proved and attempt.key not in self._variants

    def _keep_proof(
        self, number: int, attempt: Attempt, theorem: StoredTheorem, tactics: Iterable[FoundTactic]
    ) -> None:
        """Store a proof that practice has found, and its tactics."""
        place = (theorem.repository, theorem.file_path, theorem.full_name)
        self.database.store_found_proof(FoundProof(*place, attempt.proof, tuple(tactics), self.folder.name, number))

    def _load(self, number: int, model: str) -> Policy:
        return self.policies.load(model, self._seed(number))

    def _measured(self, number: int, model: str, policy: Policy | None = None) -> Measure:
        """Search the development set with a checkpoint at every temperature; return how it does at its best one.

        Args:
            policy: the checkpoint's, where it is loaded.
        """
        theorems, temperatures = self.practice.development, self.config.temperatures
        if not theorems:
            return Measure(model, temperatures[0], (), 0, {})
        provers = self._provers(number, model, policy or self._load(number, model), _development_at, theorems)
        attempts = self._search(number, "development", provers, theorems)
        measures = []
        for temperature in temperatures:
            of_temperature = [attempt for attempt in attempts if attempt.prover == _development_at(temperature)]
            tried = Counter(theorem.repository.name for theorem in theorems)
            proved = Counter(attempt.group for attempt in of_temperature if attempt.proved)
            shares = {name: Share(proved[name], count) for name, count in tried.items()}
            calls = sum(attempt.lean_calls for attempt in of_temperature)
            outcomes = tuple(attempt.proved for attempt in of_temperature)
            measures.append(Measure(model, temperature, outcomes, calls, shares))
        return max(measures, key=lambda measure: (measure.share.proved, -measure.lean_calls))

    def _provers(
        self,
        number: int,
        model: str,
        own: Policy,
        named: Callable[[float], str],
        theorems: Sequence[StoredTheorem],
        *,
        practising: bool = False,
    ) -> list[Prover]:
        """Return a prover for each temperature, which may look up no proof of these theorems or of hidden ones.

        Args:
            model: the checkpoint.
            own: its policy.
            practising: whether their searches are saved, and others propose tactics, too, where the settings say so; in
                a mixture, checkpoints would hardly differ.
        """
        shown = self.policies.shown(model, theorems, self.practice.hidden, not practising)
        searching = self._searching(number, model, theorems) if practising else lambda own: own
        return [
            Prover(
                named(temperature),
                searching(at_temperature(own, temperature)),
                self.server,
                config=self.config.search,
                database=self.database,
                trees_dir=self._trees(number, named(temperature)) if practising else None,
                shown=shown,
            )
            for temperature in self.config.temperatures
        ]

    def _searching(self, number: int, model: str, theorems: Sequence[StoredTheorem]) -> Callable[[Policy], Policy]:
        """Return what makes of a checkpoint's policy the one that practises: with neighbours and closing tactics, where
        the settings say so, which know what earlier rounds have found in searches of other theorems, too."""
        searched = set(map(theorem_key, theorems))
        known = self.examples(number - 1, without=searched) if number > 1 and self.config.policy != "own" else []

        def searching(own: Policy) -> Policy:
            policy = self.policies.searching(model, own, [*self.practice.hidden, *theorems])
            if known and isinstance(policy, LearnsAtOnce):
                policy.add(known)
            return policy

        return searching

    def _search(
        self,
        number: int,
        what: str,
        provers: Sequence[Prover],
        theorems: Sequence[StoredTheorem],
        keep: Callable[[Attempt], None] = lambda _: None,
    ) -> tuple[Attempt, ...]:
        """Give every theorem to every prover, but for what stands in the round's file of attempts."""
        title = f"Round {number}/{self.total}: {what}" if number else "The checkpoint at the start"
        proved: set[TheoremKey] = set()
        with (
            ProgressBar(title, total=len(provers) * len(theorems), enabled=self.progress) as bar,
            LiveTrees(self.folder / RUNNING) as live,
        ):

            def take_in(attempt: Attempt) -> None:
                keep(attempt)
                proved.update([attempt.key] if attempt.proved else [])
                bar.advance(proved=len(proved))

            return evaluate(
                [prover.watched(live) for prover in provers],
                theorems,
                self.config.search.budget,
                results_path=self._place(number) / RESULTS[what],
                on_attempt=take_in,
                on_round=lambda prover, calls: bar.advance(0, search=prover.name, Lean_calls=f"{calls:,}"),
            ).attempts

    def _trees(self, number: int, prover: str) -> Path:
        return self._place(number) / "trees" / file_name(prover)

    def _tree(self, number: int, prover: str, theorem: StoredTheorem) -> Path:
        return self._trees(number, prover) / place_of(theorem, ".jsonl")

    def _searches(self, until: int) -> Iterator[tuple[StoredTheorem, SavedSearch]]:
        """Yield the searches of practice of the rounds up to that one."""
        for number in range(1, until + 1):
            if number not in self._read:
                self._read[number] = list(self._saved(number))
            yield from self._read[number]

    def _saved(self, number: int) -> Iterator[tuple[StoredTheorem, SavedSearch]]:
        """Read the searches of practice of a round."""
        for theorem in self._plan(number, self._repositories_of(number)):
            for temperature in self.config.temperatures:
                path = self._tree(number, _practice_at(temperature), theorem)
                if path.is_file():  # a theorem that did not start has no search
                    yield theorem, load_search(path)

    def _train(
        self,
        number: int,
        start: str,
        repositories: Sequence[Repository],
        lessons: Lessons,
        theorems: Sequence[StoredTheorem],
    ) -> tuple[str, Mapping[str, int]]:
        """Train with one strategy after the other; return the checkpoint, and how many steps it has learnt."""
        from lean_agent.improvement.practice_data import PracticeData  # brings torch

        share = self.config.found_share
        data = PracticeData(self.database, repositories, lessons, self.practice.guard, found_share=share)
        counts = data.export_merged_data((), self._place(number) / "data")
        for place, name in enumerate(self.config.strategies, start=1):
            strategy: Strategy = STRATEGIES.find(name)
            folder = self._place(number) / f"{place}-{file_name(name)}"
            start = strategy(TrainingTask(start, folder, data, theorems, self.server, self.config, self.progress))
            if lessons.schemes and Path(start).is_dir():
                record_help(FILLED_IN, Path(start))
        return start, counts

    def _check_answers(self, policy: Policy, lessons: Lessons) -> None:
        """Refuse a policy that answers goals of different proofs all alike.

        Raises:
            TrainingError: its likeliest tactic is the same at nine of ten goals that were proved by different tactics.
        """
        goals = list({step.tactic: step.goal for _, step in lessons.steps}.values())[:MOST_GOALS]
        if len(goals) < LEAST_DIFFERENT:
            return
        answers = policy.suggest(goals, DRAWN)
        first = Counter(suggestions[0].tactic if suggestions else "" for suggestions in answers)
        ((tactic, count),) = first.most_common(1)
        if count >= COLLAPSED_SHARE * len(goals):
            what = f"the same tactic, {tactic!r}," if tactic else "nothing that is a tactic"
            raise TrainingError(
                f"The training collapsed: the model answers {what} at {count} of {len(goals)} goals that were proved "
                "by different ones. Take a lower lr, fewer epochs or another strategy."
            )

    def _seed(self, number: int) -> int:
        return self.config.seed * 1_009 + number


def at_temperature(policy: Policy, temperature: float) -> Policy:
    """Return a policy that draws at another temperature; weights are shared. One that draws nothing is as it is."""
    if not isinstance(policy, HasSampling):
        return policy
    other = copy.copy(policy)
    other.sampling = replace(policy.sampling, temperature=temperature)
    return other


def _practice_at(temperature: float) -> str:
    return f"practice at {temperature:g}"


def _development_at(temperature: float) -> str:
    return f"development at {temperature:g}"
