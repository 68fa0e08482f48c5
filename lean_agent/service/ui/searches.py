"""Pages of saved searches: which there are, and one of them as a map, a film and an outline."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path

from fastapi.responses import JSONResponse, Response

from lean_agent.errors import ConfigError
from lean_agent.prover.saved.pages import summary
from lean_agent.prover.saved.trees import FORMAT, SavedSearch, find_searches, search_as_json
from lean_agent.service.failures import refusal
from lean_agent.service.ui.pages import AtSite, Site, pages_router
from lean_agent.service.ui.run_list import Run, find_run, list_runs

router = pages_router()

MAX_MB = 64
"""A larger file of a search is not shown: a browser would hold several times as much."""
PAGE = 200
_MAX_HEAD = 100_000


@dataclass(frozen=True)
class SearchLine:
    """A saved search in a list, as its first line has it."""

    path: str
    theorem: str
    prover: str
    search: str
    status: str
    states: int
    lean_calls: int
    seconds: float


@router.get("/searches")
def searches(site: AtSite, run: str = "", text: str = "", page: int = 1) -> Response:
    """List the saved searches of a run, or the runs that have some."""
    if not run:
        with_trees = [each for each in list_runs(site.runs_dir) if _tree_folders(each.path)]
        return site.page("searches.html", runs=with_trees, run="", lines=[], total=0, page=1, size=PAGE, text="")
    chosen, page = find_run(site.runs_dir, run), max(1, page)
    paths = [path for path in _paths(chosen) if text.lower() in path.stem.lower()]
    shown = [line for path in paths[PAGE * (page - 1) : PAGE * page] if (line := _line(chosen, path)) is not None]
    values = {"run": chosen.name, "lines": shown, "total": len(paths), "page": page, "size": PAGE, "text": text}
    return site.page("searches.html", runs=[], **values)


@router.get("/search")
def search(site: AtSite, run: str = "", path: str = "", job: str = "") -> Response:
    """Show a search: one of a run, or one of this service."""
    if job:
        tree = _of_job(site, job)
        title, words = tree.theorem, summary(tree)
    else:
        chosen = find_run(site.runs_dir, run)
        line = _line(chosen, _file(chosen, path))
        if line is None:
            raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"{path[:200]} is no saved search, or was cut short.")
        title = line.theorem
        words = f"{line.status}; {line.prover or 'no prover'}, {line.search}; {line.states:,} states"
    return site.page("search.html", title=title, words=words, run=run, path=path, job=job)


@router.get("/search/data")
def data(site: AtSite, run: str = "", path: str = "", job: str = "") -> Response:
    """Return a search as data."""
    if job:
        return JSONResponse(asdict(_of_job(site, job)))
    text = search_as_json(_file(find_run(site.runs_dir, run), path))
    return Response(text, media_type="application/json")


def _of_job(site: Site, identifier: str) -> SavedSearch:
    tree = site.desk.jobs.find(identifier).tree
    if tree is None:
        raise refusal(HTTPStatus.NOT_FOUND, "This search has no tree, or none yet.")
    return tree


def _tree_folders(folder: Path) -> list[Path]:
    """Return the folders of a run that hold searches."""
    patterns = ("trees", "rounds/*/trees", "practice/rounds/*/trees")
    return [place for pattern in patterns for place in sorted(folder.glob(pattern)) if place.is_dir()]


def _paths(run: Run) -> list[Path]:
    folders = _tree_folders(run.path)
    try:
        return find_searches(folders) if folders else []
    except ConfigError:  # there is none in these folders
        return []


def _file(run: Run, path: str) -> Path:
    """Return a file of a run that is small enough to be shown.

    Raises:
        HTTPException: there is none, or it lies elsewhere, or is too large.
    """
    place = (run.path / path).resolve() if "\0" not in path else run.path
    if not place.is_relative_to(run.path.resolve()) or place.suffix != ".jsonl" or not place.is_file():
        raise refusal(HTTPStatus.NOT_FOUND, f"There is no saved search {path[:200]!r} in this run.")
    size = place.stat().st_size / 1e6
    if size > MAX_MB:
        words = f"The search has {size:,.0f} MB, and {MAX_MB} are shown; `lean-agent search show` prints it as text."
        raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)
    return place


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
