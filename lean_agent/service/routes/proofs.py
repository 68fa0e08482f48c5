"""``/v1/prove``: a proof search as a job, its progress as server-sent events, its result, its tree."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent

from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import PolicyChoice
from lean_agent.prover.saved.pages import as_html
from lean_agent.registry import SEARCHES
from lean_agent.service.desk import AtDesk, check_token
from lean_agent.service.failures import refusal
from lean_agent.service.jobs import Job
from lean_agent.service.routes.lean import Asked

router = APIRouter(prefix="/v1/prove", dependencies=[Depends(check_token)], tags=["search"])

Json = dict[str, Any]


class Prove(Asked):
    """A theorem to be proved: a statement, with or without `theorem NAME`, a text that leaves one theorem open, or the
    full name of one that a traced repository leaves open."""

    theorem: str
    search: str = "best_step"
    budget: SearchBudget = SearchBudget()
    minimal: bool = False
    seed: int = 0
    policy: PolicyChoice | None = None


async def _job(identifier: str, desk: AtDesk) -> Job:
    return desk.jobs.find(identifier)


OfJob = Annotated[Job, Depends(_job)]


@router.post("", status_code=HTTPStatus.ACCEPTED)
async def submit(asked: Prove, desk: AtDesk) -> Json:
    """Submit a search; `id` of the answer is what the other addresses know it by."""
    desk.check_texts(asked.theorem)
    if asked.search not in SEARCHES.own:  # a place of the caller's own would be imported here
        words = f"There is no search {asked.search!r}; there are {', '.join(SEARCHES.own)}."
        raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, words)
    if asked.budget.seconds > desk.settings.max_timeout_s:
        words = f"A search may take {desk.settings.max_timeout_s:g} s and no more."
        raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, words)
    config = SearchConfig(asked.search, budget=asked.budget, seed=asked.seed)
    return desk.jobs.submit(asked.theorem, config, policy=asked.policy, minimal=asked.minimal).form()


@router.get("/{identifier}")
async def look(job: OfJob) -> Json:
    """Return a search as it is now; `result` stands in it once it has ended."""
    return job.form()


@router.get("/{identifier}/events", response_class=EventSourceResponse)
async def events(job: OfJob, desk: AtDesk) -> AsyncIterator[ServerSentEvent]:
    """Send the search at each change; the last event is `end`."""
    async for form in desk.jobs.events(job):
        yield ServerSentEvent(data=form, event="end" if job.has_ended else "progress")


@router.delete("/{identifier}")
async def cancel(job: OfJob, desk: AtDesk) -> Json:
    """Cancel a search: it ends at its next round."""
    desk.jobs.cancel(job)
    return job.form()


@router.get("/{identifier}/tree")
async def tree(job: OfJob, format: Literal["json", "html"] = "json") -> Response:
    """Return all states and tactics of a search: as data, or as a page for a browser. Of one that has not ended, those
    of the last seconds, if it was asked for lately."""
    shown = job.look()
    if shown is None:
        raise refusal(HTTPStatus.NOT_FOUND, "This search has no tree, or none yet.")
    return HTMLResponse(as_html(shown)) if format == "html" else JSONResponse(asdict(shown))
