"""What a run of practice says of itself: values, and ``report.md`` with ``report.json`` beside it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from lean_agent.evaluation.statistics import mcnemar, percent_range, share_interval
from lean_agent.files import write_atomically
from lean_agent.wording import counted

OF_CHECKPOINTS = ("set aside", "at", "")
HEADINGS = ("round", "tried", "proved", "new", "Lean calls", "steps", *OF_CHECKPOINTS)
"""Short, so that the table fits into 80 columns; the report says what they mean."""


@dataclass(frozen=True, slots=True)
class Share:
    """Theorems that were proved, of those tried."""

    proved: int
    tried: int

    def __str__(self) -> str:
        return f"{self.proved}/{self.tried}"


@dataclass(frozen=True, slots=True)
class Measure:
    """What a checkpoint proves of the development set, at its best temperature.

    Attributes:
        model: the checkpoint.
        proved: for each theorem of the development set, in its order, whether it was proved.
        lean_calls: what that took.
        by_repository: repository -> the share proved of its theorems.
    """

    model: str
    temperature: float
    proved: tuple[bool, ...]
    lean_calls: int
    by_repository: Mapping[str, Share]

    @property
    def share(self) -> Share:
        """Theorems proved of all."""
        return Share(sum(self.proved), len(self.proved))

    def is_better_than(self, other: Measure) -> bool:
        """Return whether it proves more, or as many with fewer Lean calls; without theorems to tell, it is."""
        ours, theirs = ((measure.share.proved, -measure.lean_calls) for measure in (self, other))
        return not self.proved or ours > theirs

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Make it of what JSON has kept of it."""
        by_repository = {name: Share(**share) for name, share in values["by_repository"].items()}
        return cls(**{**values, "proved": tuple(values["proved"]), "by_repository": by_repository})


@dataclass(frozen=True, slots=True)
class RoundReport:
    """What came of a round; round 0 only measures the checkpoint that the run begins with.

    Attributes:
        repositories: names of those that were practised on.
        practised: theorems that were searched, variants aside.
        proved: of these.
        new: theorems whose proof was found for the first time, or shorter than before.
        lean_calls: of practice, verifications included.
        learnt: steps that were trained on and stand in no traced proof, of all rounds so far; all steps that were
            found, where nothing is trained.
        traced: steps of traced proofs that were trained on.
        refused: steps that were left out, near to held-out theorems or the development set: found and traced ones.
        measure: of the new checkpoint.
        variants, variants_proved, variants_disproved: variants that were searched, were proved, and whose negation was.
        kept: whether the new checkpoint was kept.
        trained: whether there is one, or the round has only searched.
    """

    number: int
    measure: Measure
    kept: bool
    repositories: tuple[str, ...] = ()
    practised: int = 0
    proved: int = 0
    new: int = 0
    lean_calls: int = 0
    learnt: int = 0
    traced: int = 0
    refused: int = 0
    variants: int = 0
    variants_proved: int = 0
    variants_disproved: int = 0
    trained: bool = True

    @classmethod
    def read(cls, text: str) -> Self:
        """Read it back from its file."""
        values = json.loads(text)
        measure = Measure.read(values.pop("measure"))
        return cls(**{**values, "measure": measure, "repositories": tuple(values["repositories"])})

    def cells(self) -> tuple[str, ...]:
        """Return its line of the table, a cell for each of ``HEADINGS``."""
        calls = f"{self.measure.share} in {counted(self.measure.lean_calls, 'call')}"
        measured = (calls if self.measure.proved else "-", f"{self.measure.temperature:g}")
        if not self.number:
            return ("start", "", "", "", "", "", *measured, "")
        counts = (self.practised, self.proved, self.new, self.lean_calls, self.learnt)
        fate = ("kept" if self.kept else "dropped") if self.trained else ""
        return (str(self.number), *(f"{count:,}" for count in counts), *measured, fate)


@dataclass(frozen=True, slots=True)
class ImproveReport:
    """What came of a run of practice.

    Attributes:
        rounds: round 0 first.
        refused: theorems that were not practised, near to held-out ones or the development set.
        held_out: theorems that were held out.
        variants: how many were made, by what became of them.
        stopped: why the run ended before its last round; empty where it did not.
    """

    rounds: tuple[RoundReport, ...]
    refused: int
    held_out: int
    stopped: str = ""
    variants: Mapping[str, int] = field(default_factory=dict)

    @property
    def kept(self) -> RoundReport:
        """The last round whose checkpoint was kept."""
        return next(report for report in reversed(self.rounds) if report.kept)

    @property
    def model(self) -> str:
        """What to load to use the model that was kept last."""
        return self.kept.measure.model

    @property
    def temperature(self) -> float:
        """Its best temperature on the development set."""
        return self.kept.measure.temperature

    @property
    def has_trained(self) -> bool:
        """Whether the rounds train checkpoints."""
        return all(entry.trained for entry in self.rounds)

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return headings, and the cells of each round; without those of checkpoints where none is trained."""
        if self.has_trained:
            return HEADINGS, [entry.cells() for entry in self.rounds]
        count = len(HEADINGS) - len(OF_CHECKPOINTS)
        return HEADINGS[:count], [entry.cells()[:count] for entry in self.rounds if entry.number]


def write_report(report: ImproveReport, folder: Path) -> None:
    """Write ``report.md`` and ``report.json`` into a run folder."""
    values = {**asdict(report), "model": report.model, "temperature": report.temperature}
    write_atomically(folder / "report.json", (json.dumps(values, ensure_ascii=False, indent=2) + "\n").encode())
    write_atomically(folder / "report.md", ("\n".join(_lines(report)) + "\n").encode())


def _lines(report: ImproveReport) -> Iterator[str]:
    yield "# Practice"
    yield ""
    if report.stopped:
        yield f"**Stopped.** {report.stopped}"
        yield ""
    yield f"{words(report)}."
    yield ""
    yield (
        f"Held out: {counted(report.held_out, 'theorem')}. Not practised, since they are near to these or to the "
        f"development set: {report.refused:,}."
    )
    yield ""
    yield from _table(*report.table())
    yield ""
    yield (
        "Tried and proved: theorems of practice. New: whose proof was not known to practice, or is shorter now. Steps: "
        "learnt beside those of traced proofs, of all rounds so far."
    )
    if report.has_trained:
        yield "Set aside: proved of the development set by the new checkpoint, at its best temperature."
    last = report.rounds[-1]
    if report.has_trained and len(report.rounds) > 1:
        yield ""
        yield (
            f"Trained on {last.traced:,} steps of traced proofs and {last.learnt:,} that practice has found; "
            f"{last.refused:,} were left out, near to held-out theorems or the development set."
        )
    if report.variants:
        yield ""
        yield _variants_line(report)
    names = list(last.measure.by_repository)
    if len(names) > 1:
        yield ""
        yield "## Each repository"
        yield ""
        yield "Proved of the development set."
        if any(entry.repositories != last.repositories for entry in report.rounds[1:]):
            yield "A share that falls was forgotten; one that rises before its repository is practised was transferred."
        yield ""
        lines = [
            [_practised(entry, last), *(str(entry.measure.by_repository[name]) for name in names)]
            for entry in report.rounds
        ]
        yield from _table(("after round", *names), lines)


def _variants_line(report: ImproveReport) -> str:
    """Say how many variants were made, practised and proved."""
    made = ", ".join(f"{count:,} {fate}" for fate, count in sorted(report.variants.items()))
    practised = [entry for entry in report.rounds if entry.number]
    rounds = ", ".join(f"{entry.variants_proved} of {entry.variants} in round {entry.number}" for entry in practised)
    false = sum(entry.variants_disproved for entry in practised)
    are = ("was", "is") if false == 1 else ("were", "are")
    dropped = f" Of the others {false:,} {are[0]} disproved, and {are[1]} practised no more." if false else ""
    return (
        f"Variants of theorems (files in `variants/`): {made}. Practised are open ones, and their proofs stand in no "
        f"column of the table: proved were {rounds or 'none yet'}.{dropped}"
    )


def words(report: ImproveReport) -> str:
    """Say which checkpoint was kept, or that nothing was trained, and who learns from what was found."""
    if report.has_trained:
        return f"The model: `{report.model}`, best at temperature {report.temperature:g} ({measured_words(report)})"
    steps = counted(report.rounds[-1].learnt, "step")
    return f"Nothing was trained. Searches of the mixture from now on learn from {steps} that practice has found"


def measured_words(report: ImproveReport) -> str:
    """Say what the checkpoint that was kept proves of the development set, and the one that the run began with."""
    first, last = report.rounds[0].measure, report.kept.measure
    if not last.proved:
        return "no development set"
    pairs = list(zip(last.proved, first.proved, strict=True))
    won, lost = (sum(pair == outcome for pair in pairs) for outcome in ((True, False), (False, True)))
    interval = percent_range(share_interval([float(proved) for proved in last.proved]))
    return (
        f"{last.share} of the development set, {interval}; the checkpoint at the start {first.share}: {won} won and "
        f"{lost} lost, p = {mcnemar(won, lost):.2f}"
    )


def _practised(entry: RoundReport, last: RoundReport) -> str:
    """Name a round, and the repositories that it practised on where that were not all."""
    if not entry.number:
        return "start"
    return (
        f"{entry.number}"
        if entry.repositories == last.repositories
        else f"{entry.number} ({', '.join(entry.repositories)})"
    )


def _table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[str]:
    for line in (headings, ["---"] * len(headings), *lines):
        yield f"| {' | '.join(line)} |"
