"""Pages of what was traced: repositories, files, theorems with their proofs step by step, two commits, difficulty."""

from __future__ import annotations

import difflib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi.responses import FileResponse, RedirectResponse, Response

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.catalogue import SearchMode, TheoremChange, TheoremQuery, TheoremStatus
from lean_agent.extras import install
from lean_agent.lean.types import TracedTactic
from lean_agent.registry import MEASURES
from lean_agent.service.failures import refusal
from lean_agent.service.ui.goals import marked_lines
from lean_agent.service.ui.pages import AtSite, Site, address, pages_router
from lean_agent.service.ui.run_list import list_runs
from lean_agent.tracing import Repository
from lean_agent.wording import LOST

router = pages_router()

PAGE = 100
"""Theorems on a page."""
PICTURES = {
    "difficulty.png": "Easy, medium and hard theorems of each repository",
    "proof_lengths.png": "Steps of the proofs",
    "tactics.png": "The commonest tactics",
    "state_sizes.png": "Characters of the state before a step",
}
_drawing = threading.Lock()


@dataclass(frozen=True)
class ShownStep:
    """A step of a proof on a page; the lines of its states are marked where the step has changed something."""

    tactic: str
    before: list[tuple[str, bool]]
    after: list[tuple[str, bool]]
    premises: list[str]


@router.get("/")
def home(site: AtSite) -> Response:
    """Show what there is: repositories and runs."""
    with site.database() as database:
        summaries = database.summaries() if database else []
    return site.page("home.html", summaries=summaries, runs=list_runs(site.runs_dir), runs_dir=site.runs_dir)


@router.get("/repositories")
def repositories(site: AtSite) -> Response:
    """List the traced repositories."""
    with site.database() as database:
        summaries = database.summaries() if database else []
    return site.page("repositories.html", summaries=summaries)


@router.get("/repository")
def repository(site: AtSite, url: str, commit: str) -> Response:
    """Show a repository with its files."""
    with site.database() as opened:
        database, known = _known(opened, url, commit)
        summaries = [each for each in database.summaries() if each.url == url]
        lines = database.file_lines(known)
    (summary,) = (each for each in summaries if each.commit == commit)
    others = [each.commit for each in summaries if each.commit != commit]
    return site.page("repository.html", repository=known, summary=summary, files=lines, others=others)


@router.get("/file")
def file(site: AtSite, url: str, commit: str, path: str, page: int = 1) -> Response:
    """Show a file with its theorems, those that were left out, and Lean's errors."""
    page = max(1, page)
    with site.database() as opened:
        database, known = _known(opened, url, commit)
        traced = database.load_file(known, path)
        query = TheoremQuery(file_path=path)
        lines, total = database.search_theorems(query, known, most=PAGE, skip=PAGE * (page - 1))
    values = {"file": traced, "lines": lines, "total": total, "page": page, "size": PAGE}
    return site.page("file.html", repository=known, path=path, lost=LOST, **values)


@router.get("/theorems")
def theorems(
    site: AtSite,
    *,
    text: str = "",
    mode: SearchMode = "words",
    status: TheoremStatus | str = "",
    url: str = "",
    commit: str = "",
    page: int = 1,
) -> Response:
    """Search theorems by words, name or premise."""
    page, chosen = max(1, page), status if status in ("proved", "open", "found") else None
    query = TheoremQuery(text[:1000], mode, chosen)
    known = None
    with site.database() as opened:
        if url:
            _, known = _known(opened, url, commit)
        lines, total = opened.search_theorems(query, known, most=PAGE, skip=PAGE * (page - 1)) if opened else ([], 0)
    values = {"text": text, "mode": mode, "status": chosen or "", "repository": known}
    return site.page("theorems.html", lines=lines, total=total, page=page, size=PAGE, **values)


@router.get("/theorem")
def theorem(site: AtSite, name: str, url: str = "", commit: str = "", path: str = "") -> Response:
    """Show a theorem with its proof step by step; of several of its name the one in that file, or a list."""
    with site.database() as opened:
        stored = opened.theorems_named(name) if opened else []
        if url:
            stored = [
                each
                for each in stored
                if (each.repository.url, each.repository.commit) == (url, commit) and path in ("", each.file_path)
            ]
        if opened is None or not stored:
            raise refusal(HTTPStatus.NOT_FOUND, f"No theorem {name[:200]!r} is stored.")
        if len(stored) > 1:
            return RedirectResponse(address("/theorems", text=name, mode="name"), HTTPStatus.SEE_OTHER)
        return site.page("theorem.html", **_shown(opened, stored[0]))


@router.get("/compare")
def compare(site: AtSite, url: str, before: str, after: str) -> Response:
    """Show the theorems that differ between two commits."""
    with site.database() as opened:
        database, old = _known(opened, url, before)
        _, new = _known(opened, url, after)
        changes = database.changes(old, new)
    counts = Counter(change.change for change in changes)
    values = {"repository": new, "before": before, "after": after, "changes": changes, "counts": counts}
    return site.page("compare.html", difference=difference, **values)


@router.get("/difficulty")
def difficulty(site: AtSite, measure: str = "steps") -> Response:
    """Show how hard the theorems of each repository are."""
    with site.database() as database:
        ranked = database.repositories_by_difficulty(measure) if database else []
    missing = "" if _can_draw() else f"The plots need matplotlib, which is not installed: {install('train')}."
    pictures = [] if missing else list(PICTURES.items())
    values = {"measures": list(MEASURES), "measure": measure, "missing": missing, "pictures": pictures}
    return site.page("difficulty.html", ranked=ranked, **values)


@router.get("/difficulty/{name}")
def picture(site: AtSite, name: str, measure: str = "steps") -> Response:
    """Return one of the plots that `lean-agent db plots` writes."""
    if name not in PICTURES:
        raise refusal(HTTPStatus.NOT_FOUND, "There is no such plot.")
    with _drawing:  # matplotlib draws four at a time, and one of them waits for the others
        return FileResponse(_plots(site, measure) / name, media_type="image/png")


def difference(change: TheoremChange) -> Iterator[tuple[str, str]]:
    """Yield the lines of a theorem at two commits, each with ``+``, ``-`` or a space."""
    for line in difflib.ndiff(change.before.splitlines(), change.after.splitlines()):
        if not line.startswith("?"):
            yield line[0], line[2:]


def _shown(database: DynamicDatabase, stored: StoredTheorem) -> dict[str, Any]:
    """Return what the page of a theorem shows."""
    theorem = stored.theorem
    proofs = [
        proof
        for proof in database.proofs([stored.repository], full_name=theorem.full_name, accepted_only=False)
        if proof.file_path == stored.file_path
    ]
    accepted = any(proof.verdict.accepted for proof in proofs)
    premises = sorted({premise.full_name for premise in theorem.premises})
    names = {premise.full_name for tactic in theorem.tactics for premise in tactic.premises} | set(premises)
    text = f"{theorem.statement} := {theorem.proof}"
    return {
        "theorem": theorem,
        "repository": stored.repository,
        "path": stored.file_path,
        "status": ("found" if accepted else "open") if theorem.has_sorry else "proved",
        "steps": [_step(tactic) for tactic in theorem.tactics],
        "premises": premises,
        "linked": database.names_among(names),
        "proofs": proofs,
        "playground": f"/playground#code={quote(text)}",
    }


def _step(tactic: TracedTactic) -> ShownStep:
    before = [(line, False) for line in tactic.state_before.splitlines()]
    after = marked_lines(tactic.state_before, tactic.state_after)
    return ShownStep(tactic.tactic, before, after, sorted({premise.full_name for premise in tactic.premises}))


def _known(database: DynamicDatabase | None, url: str, commit: str) -> tuple[DynamicDatabase, Repository]:
    """Return the database and a repository of it.

    Raises:
        HTTPException: there is none at that address and commit.
    """
    for known in database.repositories(benchmarks=True) if database else ():
        if database is not None and (known.url, known.commit) == (url, commit):
            return database, known
    raise refusal(HTTPStatus.NOT_FOUND, f"No repository {url[:200]!r} is stored at the commit {commit[:60]!r}.")


def _can_draw() -> bool:
    try:
        import lean_agent.evaluation.plots  # noqa: F401
    except ImportError:
        return False
    return True


def _plots(site: Site, measure: str) -> Path:
    """Return a folder with the plots of the database as it is; they are drawn once for each change of it."""
    from lean_agent.evaluation.plots import write_data_plots  # matplotlib, which the extra `train` brings

    MEASURES.find(measure)  # refuses what is none, before it becomes the name of a folder
    path = site.desk.settings.database_path
    with site.database() as database:
        if database is None:
            raise refusal(HTTPStatus.NOT_FOUND, "There is no database to draw from.")
        changed = max(each.stat().st_mtime for each in path.parent.glob(f"{path.name}*"))
        folder = site.scratch / f"{measure}-{changed}"
        if not (folder / "difficulty.png").is_file():
            ranked = database.repositories_by_difficulty(measure)
            write_data_plots(database.proof_statistics(), ranked, measure, folder)
    return folder
