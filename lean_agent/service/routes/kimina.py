"""The addresses of Kimina Lean Server, as its client (``kimina-client`` 0.2) asks them and reads their answers.

The answer is a judge's: a text that only compiles, since it declares an axiom or takes Lean over, has a message of the
severity ``error``. ``reuse`` has nothing to decide: imports are always kept, and a snippet never sees what another has
declared.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field, model_validator

from lean_agent.errors import LeanAgentError, LeanTimeout
from lean_agent.lean.types import FileVerdict, GoalState, TheoremSite, TracedFile
from lean_agent.service.desk import AtDesk, Desk, check_token
from lean_agent.service.repl_forms import (
    Level,
    info_trees,
    is_bare_hole,
    message_forms,
    open_declarations,
    sorry_forms,
    without_nulls,
)
from lean_agent.service.texts import FILE

router = APIRouter(dependencies=[Depends(check_token)], tags=["Kimina"])

Json = dict[str, Any]
WholeSeconds = Annotated[int, Field(ge=0, description="Wall-clock seconds for each snippet.")]


class Snippet(BaseModel):
    """A text with the name that its answer bears."""

    id: str
    code: str


class CheckRequest(BaseModel):
    """Snippets to be checked."""

    snippets: list[Snippet] = Field(min_length=1)
    timeout: WholeSeconds = 30
    debug: bool = False
    reuse: bool = True
    infotree: Level | None = None

    @model_validator(mode="after")
    def _check(self) -> CheckRequest:
        if len({snippet.id for snippet in self.snippets}) < len(self.snippets):
            raise ValueError("the ids of snippets have to differ")
        return self


class Code(BaseModel):
    """A text with the name that its answer bears, in the older form."""

    custom_id: str | int
    proof: str | None = None
    code: str | None = None

    @property
    def text(self) -> str:
        """The text, whatever it is called."""
        return (self.proof if self.proof is not None else self.code) or ""

    @model_validator(mode="after")
    def _check(self) -> Code:
        if self.proof is None and self.code is None:
            raise ValueError("give a proof or a code")
        return self


class VerifyRequest(BaseModel):
    """Texts to be checked, in the older form."""

    codes: list[Code] = Field(min_length=1)
    timeout: WholeSeconds = 300
    infotree_type: Level | None = None
    disable_cache: bool = False

    @model_validator(mode="after")
    def _check(self) -> VerifyRequest:
        if len({code.custom_id for code in self.codes}) < len(self.codes):
            raise ValueError("the custom_ids of codes have to differ")
        return self


@router.post("/api/check")
async def check(asked: CheckRequest, desk: AtDesk, request: Request) -> Json:
    """Check snippets: for each exactly one of `error` and `response`."""
    desk.check_texts(*(snippet.code for snippet in asked.snippets))
    codes = [snippet.code for snippet in asked.snippets]
    answers = await desk.work(request, _all_checked(desk, codes, asked.timeout, asked.infotree))
    results = []
    for snippet, (seconds, answer) in zip(asked.snippets, answers, strict=True):
        results.append({"id": snippet.id, "time": seconds, **answer})
    return {"results": results}


@router.post("/verify")
@router.post("/one_pass_verify_batch")
async def verify(asked: VerifyRequest, desk: AtDesk, request: Request) -> Json:
    """Check texts, as the server before Kimina's did."""
    desk.check_texts(*(code.text for code in asked.codes))
    codes = [code.text for code in asked.codes]
    answers = await desk.work(request, _all_checked(desk, codes, asked.timeout, asked.infotree_type))
    results = []
    for code, (seconds, answer) in zip(asked.codes, answers, strict=True):
        response = {**answer["response"], "time": seconds} if "response" in answer else None
        results.append({"custom_id": str(code.custom_id), "error": answer.get("error"), "response": response})
    return {"results": results}


async def _all_checked(
    desk: Desk, codes: Sequence[str], timeout_s: int, level: Level | None
) -> list[tuple[float, Json]]:
    return list(await asyncio.gather(*(_checked(desk, code, timeout_s, level) for code in codes)))


async def _checked(desk: Desk, code: str, timeout_s: int, level: Level | None) -> tuple[float, Json]:
    """Return the seconds that a check took, and its ``response`` or ``error``."""
    began = time.monotonic()
    try:
        answer = await _answer(desk, code, timeout_s, level)
    except LeanTimeout:
        answer = _late(timeout_s)
    except LeanAgentError as error:
        answer = {"error": str(error)}
    return round(time.monotonic() - began, 4), answer


async def _answer(desk: Desk, code: str, timeout_s: int, level: Level | None) -> Json:
    if timeout_s == 0:
        return _late(timeout_s)
    verdict = await desk.server.verify_text_async(
        code, project=desk.project_of_text(None), timeout_s=desk.seconds(timeout_s)
    )
    if verdict.kind is not None:
        return _late(timeout_s) if verdict.kind == "timeout" else {"error": "; ".join(m.text for m in verdict.problems)}
    response: Json = {"messages": message_forms(verdict) or None}
    if level is not None or open_declarations(verdict):
        response |= await _seen(desk, code, verdict, level, desk.longest(timeout_s))
    return {"response": without_nulls(response)}


def _late(timeout_s: int) -> Json:
    return {"error": f"The check timed out: Lean was not done within {timeout_s} seconds."}


async def _seen(desk: Desk, code: str, verdict: FileVerdict, level: Level | None, timeout_s: float) -> Json:
    """Return what the verdict does not hold: goals of holes, info trees."""
    traced: TracedFile | None = None
    goals: dict[str, str] = {}
    try:
        project, traced = await desk.texts.traced(code, timeout_s)
        bare = [TheoremSite(project, FILE, each.full_name) for each in traced.theorems if is_bare_hole(each)]
        states = await desk.server.goal_starts_async(bare)
        goals = {
            site.full_name: state.text for site, state in zip(bare, states, strict=True) if isinstance(state, GoalState)
        }
        await desk.server.release_async([state for state in states if isinstance(state, GoalState)])
    except LeanAgentError:
        if level is not None:
            raise
    return {
        "sorries": sorry_forms(code, verdict, traced, goals) or None,
        "infotree": info_trees(code, traced, level) if traced and level else None,
    }
