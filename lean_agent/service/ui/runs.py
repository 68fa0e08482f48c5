"""Pages of runs: a list, one run with its curves and attempts while it goes on, several beside each other."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

import yaml
from fastapi import Query, Request
from fastapi.responses import FileResponse, RedirectResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from lean_agent.evaluation.evaluate import Attempt, Report
from lean_agent.evaluation.report import HEADINGS, table_cells
from lean_agent.evaluation.results import ATTEMPTS
from lean_agent.evaluation.statistics import compare as compare_pairs
from lean_agent.evaluation.summary import by_theorem, rows
from lean_agent.folder_lock import HOLDER, holder
from lean_agent.prover.config import SearchBudget
from lean_agent.prover.saved.live import FOLDER
from lean_agent.service.failures import refusal
from lean_agent.service.ui.charts import line_chart, number
from lean_agent.service.ui.pages import AtSite, address, form_of, pages_router
from lean_agent.service.ui.run_control import OUTPUT, command_to_resume, resume, stop
from lean_agent.service.ui.run_files import METRICS, ShownAttempt, attempts_in, files_of, outcomes_of, parts_of, work_of
from lean_agent.service.ui.run_list import Run, find_run, list_runs, read_json, tail_of

router = pages_router()
PAGE = 100
"""Attempts on a page."""
LOOK_EVERY_S = 1.0
RETRY_MS = 2000
"""After so long a browser whose stream has broken off asks again."""
LOG_BYTES = 4_000
MOST_COMPARED = 8
_REPORT_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:"
}
_SHOWN_FILES = {METRICS, ATTEMPTS, "development.jsonl", "round.json", "log.txt", OUTPUT, "stages.json", HOLDER}
_SEARCHED = ("trees", "**/rounds/*/trees", FOLDER, f"practice/{FOLDER}")
Runs = Annotated[list[str], Query(max_length=MOST_COMPARED)]


@router.get("/runs")
def runs(site: AtSite) -> Response:
    """List the runs."""
    return site.page("runs.html", runs=list_runs(site.runs_dir), runs_dir=site.runs_dir)


@router.get("/run")
def run(site: AtSite, run: str, part: bool = False) -> Response:
    """Show a run; the part of its page that changes alone, where that is asked for."""
    return site.page("run_part.html" if part else "run.html", **_shown(find_run(site.runs_dir, run)))


@router.get("/run/events", response_class=EventSourceResponse)
async def events(site: AtSite, run: str) -> AsyncIterator[ServerSentEvent]:
    """Tell when a run has changed on disk, as server-sent events, until the service is stopped."""
    known = None
    place = find_run(site.runs_dir, run).path
    while not site.is_stopping():
        now = await asyncio.to_thread(_mark, place)
        if now != known:
            known = now
            yield ServerSentEvent(data=now, event="change", retry=RETRY_MS)
        await asyncio.sleep(LOOK_EVERY_S)


@router.get("/run/report")
def report(site: AtSite, run: str) -> Response:
    """Return the report that the run has written; it has a style inside, and no script."""
    path = find_run(site.runs_dir, run).path / "report.html"
    if not path.is_file():
        raise refusal(HTTPStatus.NOT_FOUND, "This run has written no report.html.")
    return FileResponse(path, media_type="text/html; charset=utf-8", headers=_REPORT_HEADERS)


@router.post("/run/stop")
async def stopped(request: Request, site: AtSite) -> Response:
    """Stop a run, as Ctrl-C does."""
    chosen = find_run(site.runs_dir, (await form_of(request)).get("run", ""))
    stop(chosen)
    return RedirectResponse(address("/run", run=chosen.name), HTTPStatus.SEE_OTHER)


@router.post("/run/resume")
async def resumed(request: Request, site: AtSite) -> Response:
    """Go on with a run that was stopped."""
    chosen = find_run(site.runs_dir, (await form_of(request)).get("run", ""))
    resume(chosen)
    return RedirectResponse(address("/run", run=chosen.name), HTTPStatus.SEE_OTHER)


@router.get("/runs/attempts")
def attempts(
    site: AtSite,
    *,
    run: Runs,
    label: str = "",
    outcome: str = "",
    only: str = "",
    text: str = "",
    page: int = 1,
) -> Response:
    """List attempts: of one prover, that ended in one way, proved by one prover only, or of some theorems."""
    problems: list[str] = []
    chosen = [find_run(site.runs_dir, name) for name in run]
    everything = _attempts(chosen, problems)
    labels = list(dict.fromkeys(each.label for each in everything))
    kept = [
        each
        for each in (_only(everything, only) if only else everything)
        if label in ("", each.label)
        and outcome in ("", each.outcome)
        and text.lower() in each.attempt.full_name.lower()
    ]
    page = max(1, page)
    values = {"label": label, "outcome": outcome, "only": only, "text": text}
    return site.page(
        "attempts.html",
        runs=run,
        labels=labels,
        outcomes=[name for name, _ in outcomes_of(everything)],
        shown=kept[PAGE * (page - 1) : PAGE * page],
        total=len(kept),
        size=PAGE,
        page=page,
        problems=problems,
        **values,
    )


@router.get("/runs/compare")
def compare(site: AtSite, run: Runs) -> Response:
    """Show runs beside each other: settings that differ, last metrics, what was proved."""
    chosen = [find_run(site.runs_dir, name) for name in dict.fromkeys(run)]
    if len(chosen) < 2:
        raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, "Choose two runs or more to compare.")
    shown = _attempts(chosen, [])
    proved = [table_cells(row) for row in rows(_report(shown))]
    metrics = {each.name: {name: v for part in parts_of(each) for name, v in part.last.items()} for each in chosen}
    names = sorted({name for values in metrics.values() for name in values})
    lines = [
        [name, *(number(metrics[each.name][name]) if name in metrics[each.name] else "" for each in chosen)]
        for name in names
    ]
    return site.page(
        "compare_runs.html",
        runs=chosen,
        settings=_differences(chosen),
        metrics=lines,
        charts=_compared_curves(chosen),
        headings=HEADINGS,
        proved=proved,
        pairs=_pairs(shown),
    )


def _shown(run: Run) -> dict[str, Any]:
    """Return what the page of a run shows."""
    parts, problems = parts_of(run), list[str]()
    shown = attempts_in(run, problems)
    charts = [
        (
            part.name,
            [(title, line_chart(f"{title} by step", curves)) for title, curves in part.curves.items()],
            part.steps,
        )
        for part in parts
    ]
    rounds = [
        read_json(path, {})
        for path in sorted([*run.path.glob("rounds/*/round.json"), *run.path.glob("practice/rounds/*/round.json")])
    ]
    command = command_to_resume(run)
    return {
        "run": run,
        "mark": _mark(run.path),
        "charts": charts,
        "works": work_of(run, parts) if run.state == "running" else [],
        "rounds": [each for each in rounds if isinstance(each, dict) and each.get("number")],
        "outcomes": _by_label(shown),
        "problems": problems,
        "log": tail_of(run.path / "log.txt", LOG_BYTES),
        "output": tail_of(run.path / OUTPUT, LOG_BYTES),
        "settings": _settings(run),
        "has_report": (run.path / "report.html").is_file(),
        "has_trees": any(any(run.path.glob(pattern)) for pattern in _SEARCHED),
        "command": " ".join(command) if command else "",
    }


def _by_label(shown: Sequence[ShownAttempt]) -> dict[str, list[tuple[str, int]]]:
    """Return how the attempts of each prover ended; of trainings all steps together."""
    groups: dict[str, list[ShownAttempt]] = {}
    for each in shown:
        groups.setdefault("training" if each.label.startswith("training, step") else each.label, []).append(each)
    return {label: outcomes_of(attempts) for label, attempts in groups.items()}


def _attempts(chosen: Sequence[Run], problems: list[str]) -> list[ShownAttempt]:
    """Return the attempts of some runs, their provers named with the run where there are several."""
    if len(chosen) == 1:
        return attempts_in(chosen[0], problems)
    return [
        ShownAttempt(f"{each.label} ({run.name})", each.outcome, each.attempt)
        for run in chosen
        for each in attempts_in(run, problems)
    ]


def _only(shown: Sequence[ShownAttempt], label: str) -> list[ShownAttempt]:
    """Return the proofs by one prover of theorems that no other has proved."""
    by_others = {_theorem(each) for each in shown if each.attempt.proved and each.label != label}
    return [each for each in shown if each.attempt.proved and each.label == label and _theorem(each) not in by_others]


def _theorem(shown: ShownAttempt) -> tuple[str, str, str]:
    """Return what a theorem is known by in several runs: its commit may differ."""
    return shown.attempt.url, shown.attempt.file_path, shown.attempt.full_name


def _report(shown: Sequence[ShownAttempt]) -> Report:
    """Return attempts as a report of an evaluation, each label a prover."""
    labels = tuple(dict.fromkeys(each.label for each in shown if each.attempt.budget))
    attempts = tuple(_named(each) for each in shown if each.attempt.budget)
    return Report(labels, attempts, SearchBudget(), frozenset())


def _named(shown: ShownAttempt) -> Attempt:
    return replace(shown.attempt, prover=shown.label)


def _pairs(shown: Sequence[ShownAttempt]) -> list[tuple[str, str, int, int, int, float]]:
    """Return for each two provers: theorems that both have tried, those that only one has proved, McNemar's p."""
    report = _report(shown)
    tried = {label: by_theorem(report.of(label)) for label in report.provers}
    pairs = []
    for index, first in enumerate(report.provers):
        for second in report.provers[index + 1 :]:
            common = [key for key in tried[first] if key in tried[second]]
            if common:
                ours, theirs = (
                    [[each.proved for each in tried[label][key]] for key in common] for label in (first, second)
                )
                paired = compare_pairs(ours, theirs)
                pairs.append((first, second, len(common), paired.only_first, paired.only_second, paired.p_value))
    return pairs


def _compared_curves(chosen: Sequence[Run]) -> list[tuple[str, Any]]:
    """Return the first metric of each drawing, a curve for each run."""
    series: dict[str, dict[str, Any]] = {}
    for run in chosen:
        for part in parts_of(run):
            for curves in part.curves.values():
                for name, points in curves.items():
                    series.setdefault(name, {})[f"{run.name} {part.name}".strip()] = points
    return [(name, line_chart(f"{name} by step", curves)) for name, curves in series.items() if len(curves) > 1]


def _settings(run: Run) -> str:
    for name in ("config.yaml", "progress.json"):
        path = run.path / name
        if path.is_file():
            return tail_of(path)
    return ""


def _differences(chosen: Sequence[Run]) -> list[list[str]]:
    """Return the settings in which runs differ, a line for each."""
    known = [_settings_of(run) for run in chosen]
    names = dict.fromkeys(name for settings in known for name in settings)
    lines = [[name, *(str(settings.get(name, "")) for settings in known)] for name in names]
    return [line for line in lines if len(set(line[1:])) > 1]


def _settings_of(run: Run) -> dict[str, Any]:
    try:
        values = yaml.safe_load((run.path / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError):
        progress = read_json(run.path / "progress.json", {})
        values = progress.get("settings") if isinstance(progress, dict) else None
    return values if isinstance(values, dict) else {}


def _mark(path: Path) -> str:
    """Return what changes when a file that a page of a run shows has changed, or its process has ended."""
    marks: list[object] = [holder(path)]  # a process that was killed leaves its files as they were
    for file in files_of(path, _SHOWN_FILES):
        try:
            marks.append((str(file), file.stat().st_mtime_ns, file.stat().st_size))
        except OSError:
            continue
    return hashlib.sha256(repr(marks).encode()).hexdigest()[:16]
