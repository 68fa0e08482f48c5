"""Pages of searches: which there are, and one of them as a map, a film and an outline, also while it runs."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from dataclasses import asdict, replace
from http import HTTPStatus
from pathlib import Path
from textwrap import shorten

from fastapi.responses import Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from lean_agent.errors import ConfigError
from lean_agent.prover.saved.live import FOLDER, SearchLine, look, running_searches
from lean_agent.prover.saved.trees import FORMAT, SavedSearch, find_searches, search_as_json
from lean_agent.service.failures import refusal
from lean_agent.service.jobs import Job
from lean_agent.service.ui.pages import AtSite, Site, pages_router
from lean_agent.service.ui.run_list import Run, find_run, list_runs
from lean_agent.service.ui.runs import LOOK_EVERY_S, RETRY_MS

router = pages_router()

MAX_MB = 64
"""A larger file of a search is not shown: a browser would hold several times as much."""
PAGE = 200
MAX_TITLE = 160
"""Of a text that is searched for."""
MARK, LIVE = "X-Mark", "X-Live"
"""Headers of a search as data: what changes when it does, and whether it may change."""
_MAX_HEAD = 100_000
_TREES = ("trees", "rounds/*/trees", "practice/rounds/*/trees")
_LIVE_FOLDERS = (FOLDER, f"practice/{FOLDER}")


@router.get("/searches")
def searches(site: AtSite, run: str = "", text: str = "", page: int = 1, part: bool = False) -> Response:
    """List the searches of a run, saved and running; or those of this service, and the runs that have some. The part
    that changes alone, where that is asked for."""
    if not run:
        runs = [each for each in list_runs(site.runs_dir) if _tree_folders(each.path) or _live_folders(each)]
        values = {"runs": runs, "jobs": site.desk.jobs.newest, "mark": _mark_of_jobs(site)}
        return site.page("searches_part.html" if part else "searches.html", run="", running=[], **values)
    chosen, page = find_run(site.runs_dir, run), max(1, page)
    running = _running(chosen)
    values = {"run": chosen.name, "state": chosen.state, "running": running, "mark": _mark(running)}
    if part:
        return site.page("searches_part.html", **values)
    paths = [path for path in _paths(chosen) if text.lower() in path.stem.lower()]
    shown = [line for path in paths[PAGE * (page - 1) : PAGE * page] if (line := _line(chosen, path)) is not None]
    values |= {"lines": shown, "total": len(paths), "page": page, "size": PAGE, "text": text}
    return site.page("searches.html", **values)


@router.get("/searches/events", response_class=EventSourceResponse)
async def events(site: AtSite, run: str = "") -> AsyncIterator[ServerSentEvent]:
    """Tell when the searches under way have changed, of a run or of this service, as server-sent events."""
    known = None
    while not site.is_stopping():
        if run:
            now = await asyncio.to_thread(lambda: _mark(_running(find_run(site.runs_dir, run))))
        else:
            now = _mark_of_jobs(site)
        if now != known:
            known = now
            yield ServerSentEvent(data=now, event="change", retry=RETRY_MS)
        await asyncio.sleep(LOOK_EVERY_S)


@router.get("/search")
def search(site: AtSite, run: str = "", path: str = "", job: str = "") -> Response:
    """Show a search: one of a run, or one of this service."""
    title, words = _about_job(site, job) if job else _about(find_run(site.runs_dir, run), path)
    return site.page("search.html", title=title, words=words, run=run, path=path, job=job)


@router.get("/search/data")
def data(site: AtSite, run: str = "", path: str = "", job: str = "", known: str = "") -> Response:
    """Return a search as data; nothing where it is the one that is ``known``, or has no tree yet."""
    if job:
        return _data_of_job(site, job, known)
    place, is_live = _find(find_run(site.runs_dir, run), path)
    mark = f"{place.stat().st_mtime_ns} {is_live}" if place.is_file() else ""
    headers = {MARK: mark} | ({LIVE: "1"} if is_live else {})
    if not mark or mark == known:
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)
    _check_size(place)
    return Response(search_as_json(place), media_type="application/json", headers=headers)


def _data_of_job(site: Site, identifier: str, known: str) -> Response:
    job, tree = _looked_at(site, identifier)
    text = job.tree_text
    mark = f"{tree.status} {tree.seconds} {len(tree.nodes)}" if tree else ""
    is_live = not job.has_ended and (tree is None or tree.status == "running")
    headers = {MARK: mark} | ({LIVE: "1"} if is_live else {})
    if tree is None or mark == known:
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)
    text = text or json.dumps(asdict(tree), ensure_ascii=False)
    return Response(text, media_type="application/json", headers=headers)


def _about_job(site: Site, identifier: str) -> tuple[str, str]:
    job, tree = _looked_at(site, identifier)
    return shorten(job.theorem, MAX_TITLE, placeholder=" …"), tree.status if tree else job.status


def _looked_at(site: Site, identifier: str) -> tuple[Job, SavedSearch | None]:
    """Return a search of this service with its tree as far as it is known, and have that kept up for a while.

    Raises:
        HTTPException: there is no such search, or it has ended without a tree.
    """
    job = site.desk.jobs.find(identifier)
    tree = job.look()
    if tree is None and job.has_ended:
        raise refusal(HTTPStatus.NOT_FOUND, "This search has no tree: it ended before it began.")
    return job, tree


def _about(run: Run, path: str) -> tuple[str, str]:
    """Return the theorem of a search of a run, and what is known of the search in a few words."""
    place, is_live = _find(run, path)
    if is_live and not place.is_file():
        names = [line.theorem for line in _running(run) if line.path == path]
        return names[0] if names else place.stem, "running"
    _check_size(place)
    line = _line(run, place)
    if line is None:
        raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"{path[:200]} is no saved search, or was cut short.")
    return line.theorem, f"{line.status}; {line.prover or 'no prover'}, {line.search}; {line.states:,} states"


def _find(run: Run, path: str) -> tuple[Path, bool]:
    """Return the file of a search of a run, and whether the search is under way: then it is asked for once more, and
    need not be there yet.

    Raises:
        HTTPException: there is none, or it lies elsewhere.
    """
    place = (run.path / path).resolve() if "\0" not in path else run.path
    no_search = refusal(HTTPStatus.NOT_FOUND, f"There is no saved search {path[:200]!r} in this run.")
    if not place.is_relative_to(run.path.resolve()) or place.suffix != ".jsonl" or ".." in Path(path).parts:
        raise no_search
    folder = next((folder for folder in _LIVE_FOLDERS if path.startswith(f"{folder}/")), None)
    if folder is None:
        if not place.is_file():
            raise no_search
        return place, False
    saved = run.path / path.replace(FOLDER, "trees", 1)
    if not place.is_file() and saved.is_file():  # it has ended since
        return saved, False
    if folder in _live_folders(run):
        look(run.path / folder, path.removeprefix(f"{folder}/"))
        return place, True
    if not place.is_file():
        words = "This search has ended, and its tree was not kept; `lean-agent prove … --save-trees` keeps all of them."
        raise refusal(HTTPStatus.NOT_FOUND, words)
    return place, False


def _check_size(place: Path) -> None:
    """Refuse a file that is too large to be shown."""
    size = place.stat().st_size / 1e6
    if size > MAX_MB:
        words = f"The search has {size:,.0f} MB, and {MAX_MB} are shown; `lean-agent search show` prints it as text."
        raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)


def _live_folders(run: Run) -> list[str]:
    """Return the folders of a run where searches under way are shown; there are some only while it searches."""
    return [folder for folder in _LIVE_FOLDERS if run.state == "running" and (run.path / folder).is_dir()]


def _running(run: Run) -> list[SearchLine]:
    """Return the searches of a run that are under way, and have the list of them kept up for a while."""
    lines: list[SearchLine] = []
    for folder in _live_folders(run):
        look(run.path / folder)
        lines += [replace(line, path=f"{folder}/{line.path}") for line in running_searches(run.path / folder)]
    return lines


def _mark_of_jobs(site: Site) -> str:
    return _mark([(job.id, job.status, job.cost.lean_calls) for job in site.desk.jobs.newest])


def _mark(shown: object) -> str:
    """Return what changes when a list does."""
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]


def _tree_folders(folder: Path) -> list[Path]:
    """Return the folders of a run that hold searches."""
    return [place for pattern in _TREES for place in sorted(folder.glob(pattern)) if place.is_dir()]


def _paths(run: Run) -> list[Path]:
    folders = _tree_folders(run.path)
    try:
        return find_searches(folders) if folders else []
    except ConfigError:  # there is none in these folders
        return []


def _line(run: Run, path: Path) -> SearchLine | None:
    """Return what the first line of a saved search says; ``None`` where that cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            head = json.loads(file.readline(_MAX_HEAD))
        if head["format"] != FORMAT:
            return None
        place = path.resolve().relative_to(run.path.resolve()).as_posix()
        theorem, prover, search, status = (str(head[name]) for name in ("theorem", "prover", "search", "status"))
        states, calls, seconds = int(head["nodes"]), int(head["lean_calls"]), float(head["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return SearchLine(place, theorem, prover, search, status, states, calls, seconds)
