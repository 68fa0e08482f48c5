"""Traced tactics as training rows.

Reads the LeanDojo Benchmark 4 layout that ``database.export_merged_data`` writes. A row keeps where its state came
from, so that a reward can restore it exactly. Prompts come from :mod:`lean_agent.prompts` alone.

Which of them a GRPO training sees after a repository, and in what order, is decided here too: the replay of earlier
repositories, the order by difficulty, and the pass rates that one order goes by.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

from datasets import Dataset
from datasets.arrow_writer import ArrowWriter
from typing_extensions import override

from lean_agent.database.exports.entries import TacticRow, entry_key, has_hole, tactic_rows
from lean_agent.errors import TrainingError
from lean_agent.files import json_array
from lean_agent.lean.types import is_conv
from lean_agent.policy.base import TacticExample
from lean_agent.policy.neighbours.tactics import NearTactics, PlacedStep, near_duplicates
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import PremiseCorpus
from lean_agent.policy.retrieval.corpus import place_of
from lean_agent.policy.retrieval.near_proofs import premises_of_entries
from lean_agent.prompts import TEMPLATE_SETTINGS, HelpSettings, completion_messages, main_goal, prompt_messages
from lean_agent.rollout.schemes import SchemeFiller, TheoremKey
from lean_agent.rollout.single_tactics import KnownProofs
from lean_agent.trainer.data.renaming import renamed, with_copies
from lean_agent.trainer.settings import Curriculum

NOTHING = HelpSettings()
TRAIN_FILE = Path("random") / "train.json"
HELD_OUT_FILE = Path("random") / "val.json"
TEST_FILE = Path("random") / "test.json"
ROWS_AT_ONCE = 1000
ROWS_IN_A_VISIT = 16
"""Enough to pay for the elaboration of a file, few enough that a short training sees many files."""
FILES_AT_ONCE = 8
"""Files whose visits are mixed, so that the goals of a batch are of many kinds; a Lean process keeps twice as many."""
BANDS = 4
"""Goals are sorted into so many bands of difficulty; within a band their order is random, file by file for Lean."""


def read_split(path: Path) -> list[dict[str, Any]]:
    """Read the theorems of a split that ``database.export_merged_data`` has written.

    Raises:
        TrainingError: there is no such file, or it does not read as one.
    """
    return list(iterate_split(path))


def iterate_split(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the theorems of a split one after the other; errors as in :func:`read_split`."""
    try:
        yield from json_array(path)
    except FileNotFoundError as error:
        raise TrainingError(
            f"There is no training data at {path}. Export it with database.export_merged_data(repos, data_path)."
        ) from error
    except ValueError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: Exception) -> TrainingError:
    """Return the error for a file that does not hold traced theorems."""
    return TrainingError(f"{path} does not read as traced theorems ({type(error).__name__}: {error}). Export it anew.")


class TacticDataset(ABC):
    """The steps of all training theorems under ``data_path``, in the order of the file.

    Steps that are empty (a bullet, a ``case``) or leave a hole are skipped.

    Args:
        data_path: the folder that ``database.export_merged_data`` wrote.
        file: the split, relative to that folder.
        shown: what is shown with each goal; neighbours are steps of the training theorems. A model that writes schemes
            (:attr:`~lean_agent.prompts.HelpSettings.filled`) sees goals alone.

    Raises:
        ConfigError, ModelNotFound: something is to be shown, and there is no corpus with these theorems' files, or no
            such retriever.
        TrainingError: there is no training file, it does not read as one, or it has no step to learn from.
    """

    def __init__(self, data_path: str | Path, *, file: Path = TRAIN_FILE, shown: HelpSettings = NOTHING) -> None:
        self._path = path = Path(data_path) / file
        try:
            is_empty = not self._take()
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(path, error) from error
        if is_empty:
            n_theorems = len(read_split(path))
            raise TrainingError(
                f"{path} has no tactic to learn from: {n_theorems} theorems, none with a finished tactic proof. Add a "
                "repository with tactic proofs, or look at what its tracing reported."
            )

        self._help: PromptHelp | None = None
        if shown:
            theorems = read_split(path)
            corpus = PremiseCorpus.read(data_path, with_open=not shown.filled)
            self._places = {_place(theorem): place_of(theorem) for theorem in theorems}
            corpus.check(self._places.values())
            training = theorems if file == TRAIN_FILE else read_split(Path(data_path) / TRAIN_FILE)
            near = near_tactics(training, theorems, corpus) if shown.neighbours else None
            self._help = PromptHelp.of(shown, corpus, near, premises_of_entries(training))

    @property
    @abstractmethod
    def rows(self) -> Iterable[TacticRow]:
        """The steps."""

    @abstractmethod
    def _take(self) -> int:
        """Read the file; returns how many steps there are."""

    @abstractmethod
    def __len__(self) -> int: ...

    def goal(self, row: TacticRow) -> str:
        """Return what a model is shown of a row: the main goal, below what is shown with it."""
        goal, shown = main_goal(row.problem), self._help
        return goal if shown is None or shown.settings.filled else shown.goal(goal, self._places[theorem_of(row)])

    @property
    def schemes(self) -> SchemeFiller | None:
        """Return what fills in the schemes of a model that writes some."""
        return None if self._help is None or not self._help.settings.filled else SchemeFiller(self._help, self._places)

    def fingerprint(self) -> str:
        """Return twelve hexadecimal digits that change whenever a row does."""
        digest = hashlib.sha256()
        for row in self.rows:
            digest.update(json.dumps(asdict(row), sort_keys=True).encode())
        return digest.hexdigest()[:12]

    def to_hf(self, folder: Path | None = None) -> Dataset:
        """Return the rows as a HuggingFace dataset.

        Args:
            folder: where a file with the columns is written; what ``map`` and ``filter`` make of them is written there,
                too, and nothing is held in memory. By default all is.
        """
        if folder is None:
            return Dataset.from_list(list(map(self._columns, self.rows)))
        folder.mkdir(parents=True, exist_ok=True)
        file = Path(mkdtemp(prefix="rows-", dir=folder)) / "rows.arrow"  # each process of a training has its own
        with ArrowWriter(path=str(file), writer_batch_size=ROWS_AT_ONCE) as writer:
            for row in self.rows:
                writer.write(self._columns(row))
            writer.finalize()
        return Dataset.from_file(str(file))

    @abstractmethod
    def _columns(self, row: TacticRow) -> dict[str, Any]:
        """Return the columns that a row becomes."""


class GRPODataset(TacticDataset):
    """Rows for GRPO: ``problem`` (the raw state), ``prompt`` (system and user turn, with the main goal), the gold
    ``tactic`` and where the state came from: ``url``, ``commit``, ``file_path``, ``full_name``, ``position``.

    Args:
        data_path: the folder that ``database.export_merged_data`` wrote.
        arrange: chooses rows and their order; ``None`` leaves them as they are.
        shown: as for :class:`TacticDataset`.

    Attributes:
        known: what the finished proofs among the theorems go on to prove.
    """

    _rows: tuple[TacticRow, ...]

    def __init__(
        self,
        data_path: str | Path,
        *,
        arrange: Callable[[Sequence[TacticRow]], Sequence[TacticRow]] | None = None,
        shown: HelpSettings = NOTHING,
    ) -> None:
        super().__init__(data_path, shown=shown)
        if arrange is not None:
            self._rows = tuple(arrange(self.rows))

    @property
    @override
    def rows(self) -> tuple[TacticRow, ...]:
        """The steps, in the order in which they are trained on."""
        return self._rows

    @override
    def __len__(self) -> int:
        return len(self._rows)

    @override
    def _take(self) -> int:
        theorems = read_split(self._path)
        self._rows = tuple(row for theorem in theorems for row in tactic_rows(theorem))
        self.known = KnownProofs(goal for theorem in theorems for goal in _proved_goals(theorem))
        return len(self._rows)

    def _columns(self, row: TacticRow) -> dict[str, Any]:
        return {**asdict(row), "prompt": prompt_messages(self.goal(row))}


class SFTDataset(TacticDataset):
    """Rows for supervised training: ``prompt`` (system and user turn, with the main goal), ``completion``, and for trl
    ``chat_template_kwargs``.

    Args:
        data_path: the folder that ``database.export_merged_data`` wrote.
        file: the split, relative to that folder.
        augment: so many copies of each row in other names (:mod:`lean_agent.trainer.data.renaming`).
        seed: of the names.
        shown: as for :class:`TacticDataset`.
    """

    def __init__(
        self,
        data_path: str | Path,
        *,
        file: Path = TRAIN_FILE,
        augment: int = 0,
        seed: int = 0,
        shown: HelpSettings = NOTHING,
    ) -> None:
        self._copies, self._seed = augment, seed
        super().__init__(data_path, file=file, shown=shown)

    @property
    @override
    def rows(self) -> Iterator[TacticRow]:
        """The steps, read from the file each time, and after them their copies."""
        return with_copies(self._read, self._copies, self._seed, _in_other_names)

    @override
    def __len__(self) -> int:
        return self._count * (1 + self._copies)

    @override
    def _take(self) -> int:
        self._count = sum(1 for _ in self._read())
        return self._count

    def _read(self) -> Iterator[TacticRow]:
        return (row for theorem in iterate_split(self._path) for row in tactic_rows(theorem))

    def _columns(self, row: TacticRow) -> dict[str, Any]:
        return {
            "prompt": prompt_messages(self.goal(row)),
            "completion": completion_messages(row.tactic),
            "chat_template_kwargs": TEMPLATE_SETTINGS,
        }


def _in_other_names(row: TacticRow, random: Random) -> TacticRow:
    """Return a row whose state is the main goal of another in other names."""
    goal, (tactic,) = renamed(main_goal(row.problem), [row.tactic], random)
    return replace(row, problem=goal, tactic=tactic)


def near_tactics(
    training: Sequence[Mapping[str, Any]], theorems: Sequence[Mapping[str, Any]], corpus: PremiseCorpus
) -> NearTactics:
    """Return what finds tactics at goals of the ``training`` theorems that are like those of ``theorems``; none of a
    theorem that says nearly the same."""
    statements = {place_of(theorem): str(theorem["theorem_statement"]) for theorem in (*training, *theorems)}
    steps = (
        PlacedStep(place_of(theorem), TacticExample(main_goal(row.problem), row.tactic))
        for theorem in training
        for row in tactic_rows(theorem)
        if not is_conv(row.problem)
    )
    return NearTactics(steps, corpus, hidden=near_duplicates(statements))


def visit_files(rows: Sequence[TacticRow], seed: int) -> tuple[TacticRow, ...]:
    """Return the rows in a random order in which those of one file come ``ROWS_IN_A_VISIT`` near one another, mixed
    with those of ``FILES_AT_ONCE`` files.

    A Lean process elaborates a file before it can give a state of it, which takes seconds, and then gives any number of
    its states in milliseconds, as long as it keeps the file. In a plain random order nearly every goal would have to
    wait for its file.
    """
    random = Random(seed)
    files: dict[tuple[str, str, str], list[TacticRow]] = {}
    for row in rows:
        files.setdefault((row.url, row.commit, row.file_path), []).append(row)
    visits = []
    for rows_of_file in files.values():
        random.shuffle(rows_of_file)
        visits += [rows_of_file[i : i + ROWS_IN_A_VISIT] for i in range(0, len(rows_of_file), ROWS_IN_A_VISIT)]
    random.shuffle(visits)
    ordered: list[TacticRow] = []
    for start in range(0, len(visits), FILES_AT_ONCE):
        mixed = [row for visit in visits[start : start + FILES_AT_ONCE] for row in visit]
        random.shuffle(mixed)
        ordered += mixed
    return tuple(ordered)


def _place(theorem: Mapping[str, Any]) -> TheoremKey:
    return (*entry_key(theorem), theorem["file_path"], theorem["full_name"])


def _proved_goals(theorem: Mapping[str, Any]) -> Iterator[tuple[TheoremKey, int, str]]:
    """Yield the states that a finished proof goes through, each with its place; of another proof, none."""
    tactics = theorem["traced_tactics"]
    if not any(has_hole(str(traced.get("tactic", ""))) or has_hole(str(traced["step"])) for traced in tactics):
        for traced in tactics:
            yield _place(theorem), int(traced["position"]), str(traced["state_before"])


def theorem_of(row: TacticRow) -> TheoremKey:
    """Return the theorem that a row belongs to."""
    return (row.url, row.commit, row.file_path, row.full_name)


@dataclass(slots=True)
class PassRates:
    """How often tactics for the goals of each theorem got a reward above 0, as far as training has seen."""

    passed: Counter[TheoremKey] = field(default_factory=Counter)
    tried: Counter[TheoremKey] = field(default_factory=Counter)

    def record(self, theorems: Iterable[TheoremKey], rewards: Iterable[float | None]) -> None:
        """Count a batch; a completion that could not be scored does not count."""
        for theorem, reward in zip(theorems, rewards, strict=True):
            if reward is not None:
                self.tried[theorem] += 1
                self.passed[theorem] += reward > 0

    def rate(self, theorem: TheoremKey) -> float | None:
        """Return the share that passed, in [0, 1]; ``None`` for a theorem that was not met."""
        tried = self.tried[theorem]
        return self.passed[theorem] / tried if tried else None

    def state(self) -> list[list[Any]]:
        """Return the counts as JSON values."""
        return [[*theorem, self.passed[theorem], tried] for theorem, tried in self.tried.items()]

    def restore(self, state: Iterable[Sequence[Any]]) -> None:
        """Go on from :meth:`state`."""
        rows = [((url, commit, file, name), passed, tried) for url, commit, file, name, passed, tried in state]
        self.passed = Counter({theorem: passed for theorem, passed, _ in rows})
        self.tried = Counter({theorem: tried for theorem, _, tried in rows})


def replayed(rows: Sequence[TacticRow], repository: tuple[str, str], share: float, seed: int) -> tuple[TacticRow, ...]:
    """Return the rows of ``repository`` (url, commit), and a random ``share`` of those of the others.

    Whole theorems stay or go; the order of rows stays.
    """
    if share >= 1:
        return tuple(rows)
    others = list(dict.fromkeys(theorem_of(row) for row in rows if (row.url, row.commit) != repository))
    kept = set(Random(seed).sample(others, round(share * len(others))))
    return tuple(row for row in rows if (row.url, row.commit) == repository or theorem_of(row) in kept)


def arranged(rows: Sequence[TacticRow], curriculum: Curriculum, rates: PassRates, seed: int) -> tuple[TacticRow, ...]:
    """Arrange the rows in the order of a curriculum.

    ``mixed``: at random, file by file (:func:`visit_files`). ``easy_first``: theorems with
    short proofs come first. ``pass_rate``: theorems whose pass rate is nearest to one half come first, since a group
    that all passes or all fails teaches nothing; a theorem that was not met yet counts as 0.5 to the power of its
    proof's length.
    """
    if curriculum == "mixed":
        return visit_files(rows, seed)
    steps = Counter(theorem_of(row) for row in rows)
    difficulty = {
        theorem: float(count) if curriculum == "easy_first" else _distance(rates.rate(theorem), count)
        for theorem, count in steps.items()
    }
    ordered = sorted(rows, key=lambda row: difficulty[theorem_of(row)])
    cuts = pairwise(len(ordered) * band // BANDS for band in range(BANDS + 1))
    bands = [visit_files(ordered[start:end], seed + band) for band, (start, end) in enumerate(cuts)]
    return tuple(row for band in bands for row in band)


def _distance(rate: float | None, steps: int) -> float:
    return abs((0.5**steps if rate is None else rate) - 0.5)
