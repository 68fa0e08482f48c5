"""``/v1/goals/…``: proofs started, tactics run in batches, goals as data, states released.

A state is named by its key, or sent whole as ``{"origin": …, "script": […]}``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response
from pydantic import Field
from pydantic_core import to_json

from lean_agent.errors import LeanError
from lean_agent.lean.remote.wire import error_form, result_form
from lean_agent.lean.types import Consequence, GoalLemma, GoalState, Subgoals, TheoremSite
from lean_agent.service.desk import AtDesk, Desk, check_token
from lean_agent.service.routes.lean import Asked, TimeLimit

router = APIRouter(prefix="/v1/goals", dependencies=[Depends(check_token)], tags=["goals"])

Json = dict[str, Any]


class Starts(Asked):
    """Proofs to be started: of theorems in their files, of propositions, of some goals of a state."""

    origins: list[TheoremSite | Subgoals | str]
    timeout_s: TimeLimit = None


class WholeState(Asked):
    """A state as that which it was made of."""

    origin: TheoremSite | Subgoals | str
    script: tuple[str, ...] = ()


StateName = str | WholeState


class Step(Asked):
    """A tactic to be run in a state."""

    state: StateName
    tactic: str


class Steps(Asked):
    """Tactics to be run in one batch."""

    steps: list[Step]
    timeout_s: TimeLimit = None


class States(Asked):
    """States, by key or whole."""

    states: list[StateName]


class Lemmas(States):
    """The same, with how many theorems of the library and of the project are wanted for each."""

    most: int = Field(default=6, ge=0, le=100)
    laws: int = Field(default=0, ge=0, le=100)
    own: int = Field(default=0, ge=0, le=100)


class Consequences(States):
    """The same, with how many are wanted for each."""

    most: int = Field(default=8, ge=0, le=100)


class Keys(Asked):
    """States that are needed no more."""

    states: list[str]


@router.post("/start")
async def start(asked: Starts, desk: AtDesk, request: Request) -> Response:
    """Start proofs: for each origin `{"state": …}` or `{"error": …}`, in their order."""
    desk.check_origins(asked.origins)

    async def started() -> list[Json]:
        results = await desk.server.goal_starts_async(asked.origins, timeout_s=desk.seconds(asked.timeout_s))
        await desk.states.keep(results)
        return [result_form(result) for result in results]

    return await _answer(desk, request, started())


@router.post("/tactics")
async def tactics(asked: Steps, desk: AtDesk, request: Request) -> Response:
    """Run tactics in one batch: for each step `{"state": …}` or `{"error": …}`, in their order. A tactic that fails is
    an error like any other: the states before it stay as they were."""
    desk.check_texts(*(step.tactic for step in asked.steps))
    _check_states(desk, [step.state for step in asked.steps])

    async def ran() -> list[Json]:
        states = await _states(desk, [step.state for step in asked.steps])
        pairs = [
            (state, step.tactic)
            for state, step in zip(states, asked.steps, strict=True)
            if isinstance(state, GoalState)
        ]
        answers = await desk.server.goal_tactics_async(pairs, timeout_s=desk.seconds(asked.timeout_s))
        await desk.states.keep([answer for answer in answers if isinstance(answer, GoalState)])
        rest = iter(answers)
        return [result_form(next(rest) if isinstance(state, GoalState) else state) for state in states]

    return await _answer(desk, request, ran())


@router.post("/splits")
async def splits(asked: States, desk: AtDesk, request: Request) -> Response:
    """Return for each state its groups of goals as states to be proved apart: `{"states": […]}` or `{"error": …}`."""
    _check_states(desk, asked.states)

    async def split() -> list[Json]:
        states = await _states(desk, asked.states)
        answers = await desk.server.goal_splits_async([state for state in states if isinstance(state, GoalState)])
        for parts in answers:
            if isinstance(parts, list):
                await desk.states.keep(parts)
        rest = iter(answers)
        return [_split_form(next(rest) if isinstance(state, GoalState) else state) for state in states]

    return await _answer(desk, request, split())


@router.post("/lemmas")
async def lemmas(asked: Lemmas, desk: AtDesk, request: Request) -> Response:
    """Return for each state theorems that may help at its first goal: `{"lemmas": […]}` or `{"error": …}`."""
    _check_states(desk, asked.states)

    async def chosen() -> list[Json]:
        states = await _states(desk, asked.states)
        known = [state for state in states if isinstance(state, GoalState)]
        answers = await desk.server.goal_lemmas_async(known, most=asked.most, laws=asked.laws, own=asked.own)
        rest = iter(answers)
        return [_listed("lemmas", next(rest) if isinstance(state, GoalState) else state) for state in states]

    return await _answer(desk, request, chosen())


@router.post("/consequences")
async def consequences(asked: Consequences, desk: AtDesk, request: Request) -> Response:
    """Return for each state what follows from the hypotheses of its first goal: `{"consequences": […]}` or
    `{"error": …}`."""
    _check_states(desk, asked.states)

    async def found() -> list[Json]:
        states = await _states(desk, asked.states)
        known = [state for state in states if isinstance(state, GoalState)]
        rest = iter(await desk.server.goal_consequences_async(known, most=asked.most))
        return [_listed("consequences", next(rest) if isinstance(state, GoalState) else state) for state in states]

    return await _answer(desk, request, found())


@router.post("/release")
async def release(asked: Keys, desk: AtDesk) -> Json:
    """Forget states; keys that are not known are passed over."""
    return {"released": await desk.states.release(asked.states)}


async def _answer(desk: Desk, request: Request, work: Coroutine[Any, Any, list[Json]]) -> Response:
    return Response(to_json({"results": await desk.work(request, work)}), media_type="application/json")


def _split_form(parts: list[GoalState] | LeanError) -> Json:
    if isinstance(parts, LeanError):
        return {"error": error_form(parts)}
    return {"states": [result_form(part)["state"] for part in parts]}


def _listed(what: str, answer: Sequence[GoalLemma | Consequence] | LeanError) -> Json:
    if isinstance(answer, LeanError):
        return {"error": error_form(answer)}
    return {what: [asdict(each) for each in answer]}


def _check_states(desk: Desk, states: Sequence[StateName]) -> None:
    whole = [state for state in states if isinstance(state, WholeState)]
    desk.check_origins(state.origin for state in whole)
    desk.check_texts(*(tactic for state in whole for tactic in state.script))


async def _states(desk: Desk, names: Sequence[StateName]) -> list[GoalState | LeanError]:
    """Return the states that are named, or why there are none."""
    return list(await asyncio.gather(*(_state(desk, name) for name in names)))


async def _state(desk: Desk, name: StateName) -> GoalState | LeanError:
    try:
        if isinstance(name, str):
            return desk.states.known(name)
        return await desk.states.rebuilt(name.origin, name.script)
    except LeanError as error:
        return error
