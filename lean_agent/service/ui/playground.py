"""The playground: a text, what Lean says of it, the goals at a place, tactics that work there, the judge's word."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import exp
from typing import Annotated

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import Field

from lean_agent.errors import ConfigError, LeanError, LeanTimeout, TacticFailure
from lean_agent.lean.remote.wire import file_verdict_form
from lean_agent.lean.types import GoalState, LeanProject, TracedFile
from lean_agent.policy.base import Suggestion
from lean_agent.prover.mixed import PolicyChoice
from lean_agent.service.routes.lean import Asked
from lean_agent.service.texts import FILE, goals_at
from lean_agent.service.ui.goals import shown_goals
from lean_agent.service.ui.pages import AtSite, Site, pages_router
from lean_agent.service.ui.symbols import SYMBOLS

router = pages_router()

EXAMPLE = """theorem swap (p q : Prop) (h : p ∧ q) : q ∧ p := by
  constructor
  · exact h.2
  · exact h.1
"""
LOOK_TIMEOUT_S = 60.0
TRY_TIMEOUTS_S = (1.0, 3.0)
"""What takes longer than the first is tried once more, with the second, when all others have been."""
MOST_TRIED = 16
"""Tactics that are tried at a place when suggestions are asked for."""
TRIED_TOGETHER = (1, 1, 2, 4, 8)
"""So many are tried before an answer goes out; the first ones singly, for somebody waits for the first."""
SECONDS = (10, 30, 60, 300)
"""Budgets of a search that the page offers."""


class Place(Asked):
    """A text and a place in it.

    Attributes:
        line: from 1.
        column: from 0, in code points.
    """

    text: str
    line: Annotated[int, Field(ge=1)] = 1
    column: Annotated[int, Field(ge=0)] = 0


class Prepare(Asked):
    """Who is going to be asked for tactics."""

    policy: PolicyChoice = "own"


class Suggest(Place):
    """A place where tactics are wanted."""

    policy: PolicyChoice = "own"


@dataclass(frozen=True)
class Tried:
    """A tactic that works at a place, with the goals that it leaves."""

    tactic: str
    goals: Sequence[str]
    percent: float


@router.get("/playground")
def playground(site: AtSite) -> Response:
    """Show the page; what was typed comes with the part of its address that no server sees."""
    settings = site.desk.settings
    seconds = [each for each in SECONDS if each <= settings.max_timeout_s]
    model = settings.model is not None
    return site.page("playground.html", example=EXAMPLE, seconds=seconds, has_model=model, symbols=SYMBOLS)


@router.get("/playground/symbols")
async def symbols() -> Response:
    """Return the names that stand for symbols."""
    return JSONResponse(dict(SYMBOLS))


@router.post("/playground/look")
async def look(asked: Place, site: AtSite, request: Request) -> Response:
    """Show the goals at a place, what the line has changed marked, and what Lean says of the whole text."""
    site.desk.check_texts(asked.text)

    async def looked() -> tuple[TracedFile, list[GoalState | None]]:
        project, traced = await site.desk.texts.traced(asked.text, LOOK_TIMEOUT_S)
        places = [_offset(asked.text, asked.line, _first_column(asked)), _offset(asked.text, asked.line, asked.column)]
        return traced, await goals_at(site.desk.server, project, FILE, places, LOOK_TIMEOUT_S)

    traced, (before, here) = await site.desk.work(request, looked())
    goals = shown_goals(before, here) if here is not None else None
    return site.page("playground_look.html", goals=goals, messages=traced.messages, line=asked.line)


@router.post("/playground/suggest")
async def suggest(asked: Suggest, site: AtSite, request: Request) -> Response:
    """Show tactics that work at a place, those first that leave nothing: again whenever more of them are known, each
    time as a line with a JSON string."""
    site.desk.check_texts(asked.text)
    state, suggestions = await site.desk.work(request, _proposed(site, asked))

    async def lines() -> AsyncIterator[str]:
        with site.desk.room():
            async for tried, left in _tried(site, state, suggestions):
                values = {"tried": tried, "left": left, "goals": len(state.goals), "line": asked.line}
                yield json.dumps(site.text("playground_suggest.html", **values)) + "\n"
                if await request.is_disconnected():
                    return

    return StreamingResponse(lines(), media_type="application/x-ndjson")


@router.post("/playground/prepare")
async def prepare(asked: Prepare, site: AtSite) -> Response:
    """Have ready whoever suggests: a model is loaded, a database is read."""
    await asyncio.to_thread(site.desk.jobs.provers.proposing, asked.policy)
    return Response(status_code=HTTPStatus.NO_CONTENT)


@router.post("/playground/verdict")
async def verdict(asked: Place, site: AtSite, request: Request) -> Response:
    """Have the whole text judged."""
    site.desk.check_texts(asked.text)
    project = site.desk.project_of_text(None)
    work = site.desk.server.verify_text_async(asked.text, project=project, timeout_s=site.desk.seconds(None))
    return site.page("playground_verdict.html", verdict=file_verdict_form(await site.desk.work(request, work)))


@router.get("/playground/search/{identifier}")
async def search(identifier: str, site: AtSite) -> Response:
    """Show how a search has ended, or how far it has come."""
    return site.page("playground_search.html", job=site.desk.jobs.find(identifier))


async def _proposed(site: Site, asked: Suggest) -> tuple[GoalState, Sequence[Suggestion]]:
    """Return the state at a place, and tactics that may work there.

    Raises:
        ConfigError: there is no goal.
        LeanError: Lean failed.
    """
    project, _ = await site.desk.texts.traced(asked.text, LOOK_TIMEOUT_S)
    state = await _open_state(site, project, asked)
    policy = await asyncio.to_thread(site.desk.jobs.provers.proposing, asked.policy)
    (suggestions,) = await asyncio.to_thread(policy.suggest, [state.goals[0].text], MOST_TRIED)
    return state, suggestions


async def _tried(
    site: Site, state: GoalState, suggestions: Sequence[Suggestion]
) -> AsyncIterator[tuple[list[Tried], int]]:
    """Yield what has worked so far, those first that leave nothing, and how many tactics are still to be tried; again
    and again, until all have been. Single tactics go first, then those that try many in turn."""
    worked: list[Tried] = []
    waiting = sorted(suggestions, key=lambda suggestion: "<;>" in suggestion.tactic)  # else as likely as they are
    sizes = iter(TRIED_TOGETHER)
    for limit in TRY_TIMEOUTS_S:
        late: list[Suggestion] = []
        while waiting:
            size = next(sizes, TRIED_TOGETHER[-1])
            together, waiting = waiting[:size], waiting[size:]
            pairs = [(state, suggestion.tactic) for suggestion in together]
            results = await site.desk.server.goal_tactics_async(pairs, timeout_s=limit)
            for suggestion, result in zip(together, results, strict=True):
                if isinstance(result, GoalState) and result.text != state.text:
                    worked.append(_as_tried(suggestion, result))
                late += [suggestion] if _is_late(result) else []
            worked.sort(key=lambda tried: (len(tried.goals), -tried.percent))
            yield worked, len(waiting) + len(late) * (limit < TRY_TIMEOUTS_S[-1])
        waiting = late
    if not suggestions:
        yield [], 0


def _is_late(result: GoalState | LeanError) -> bool:
    return isinstance(result, LeanTimeout) or (isinstance(result, TacticFailure) and result.kind == "timeout")


def _as_tried(suggestion: Suggestion, state: GoalState) -> Tried:
    return Tried(suggestion.tactic, [goal.text for goal in state.goals], 100 * exp(suggestion.logprob))


async def _open_state(site: Site, project: LeanProject, asked: Place) -> GoalState:
    """Return the state at a place, or where its line begins: after a finished tactic nothing may be left.

    Raises:
        ConfigError: there is no open goal at either.
    """
    columns = dict.fromkeys((asked.column, _first_column(asked)))
    places = [_offset(asked.text, asked.line, column) for column in columns]
    for state in await goals_at(site.desk.server, project, FILE, places, LOOK_TIMEOUT_S):
        if state is not None and state.goals:
            return state
    raise ConfigError("There is no open goal here: put the cursor into a proof, where something is left to be proved.")


def _first_column(asked: Place) -> int:
    """Return the column at which the text of a place's line begins."""
    lines = asked.text.split("\n")
    line = lines[asked.line - 1] if asked.line <= len(lines) else ""
    return min(len(line) - len(line.lstrip()), asked.column)


def _offset(text: str, line: int, column: int) -> int:
    """Return the byte that a place stands for; one past the end of its line, or of the text, is that end."""
    lines = text.split("\n")
    before = "".join(f"{each}\n" for each in lines[: line - 1])
    rest = lines[line - 1][:column] if line <= len(lines) else ""
    return min(len((before + rest).encode()), len(text.encode()))
