"""The tools: what an agent asks for, asked of the Lean server, and answered in the forms of :mod:`.forms`.

Their docstrings are what agents read of them. A failure is an exception; the server makes a sentence of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from pydantic import Field

from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, LeanError, LeanTimeout, TacticFailure, TraceError
from lean_agent.lean.server import TacticResult
from lean_agent.lean.types import GoalState, Origin, TheoremSite
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.prover.mixed import PolicyChoice
from lean_agent.registry import SEARCHES
from lean_agent.service.desk import Desk
from lean_agent.service.jobs import Job
from lean_agent.service.mcp.files import AgentFile, AgentFiles
from lean_agent.service.mcp.forms import (
    Attempt,
    CheckResult,
    DeclarationResult,
    GoalOutput,
    GoalsAtPlace,
    GoalStatus,
    Hypothesis,
    MultiAttemptResult,
    ProveResult,
    SearchResult,
    StructuredGoal,
    Suggestion,
    SuggestionsOf,
    SuggestResult,
    VerifyResult,
    diagnostics_of,
    judged_of,
    line_of,
    verdict_of,
)
from lean_agent.service.mcp.search import LibrarySearch, Mode
from lean_agent.service.mcp.suggestions import suggested
from lean_agent.service.texts import goals_at
from lean_agent.tracing.tracer import trace_repository_async

_MOST_SUGGESTIONS = 10

FilePath = Annotated[str, Field(description="A Lean file: absolute, or relative to a folder of the server.")]
Line = Annotated[int, Field(ge=1, description="Line, from 1.")]
Column = Annotated[int | None, Field(ge=1, description="Column, from 1. Omit for the whole line.")]
Timeout = Annotated[float | None, Field(gt=0, allow_inf_nan=False, description="Wall-clock seconds.")]


class LeanTools:
    """All tools of a server.

    Args:
        desk: the Lean server, and what a request may cost.
        files: those that agents may name.
        library: looks for declarations.
    """

    def __init__(self, desk: Desk, files: AgentFiles, library: LibrarySearch) -> None:
        self._desk = desk
        self._server = desk.server
        self._files = files
        self._library = library

    def all(self) -> list[Callable[..., Coroutine[Any, Any, Any]]]:
        """Return the tools, each under its own name."""
        return [
            self.lean_check,
            self.lean_goal,
            self.lean_multi_attempt,
            self.lean_suggest,
            self.lean_verify,
            self.lean_declaration,
            self.lean_search,
            self.lean_prove,
        ]

    async def lean_check(
        self,
        *,
        code: Annotated[str | None, Field(description="A whole Lean text, its imports first.")] = None,
        file_path: Annotated[str | None, Field(description="Or a Lean file.")] = None,
        timeout_s: Timeout = None,
    ) -> CheckResult:
        """Compile Lean code, or a file, and return what Lean says, with places. Whether a proof counts is lean_verify's
        to say."""
        text, project = code, self._desk.project_of_text(None)
        if (code is None) == (file_path is None):
            raise ConfigError("Give code or a file_path, and not both.")
        if file_path is not None:
            file = await self._files.ready(file_path)
            text, project = file.source.decode(), file.project
        assert text is not None
        self._desk.check_texts(text)
        try:
            messages = await self._server.check_async(text, project=project, timeout_s=self._desk.seconds(timeout_s))
        except LeanTimeout:
            return CheckResult(success=False, timed_out=True)
        diagnostics = diagnostics_of(messages)
        return CheckResult(success=not any(d.severity == "error" for d in diagnostics), diagnostics=diagnostics)

    async def lean_goal(
        self,
        *,
        file_path: FilePath,
        line: Line,
        column: Column = None,
        format: Annotated[Literal["text", "structured"], Field(description="Of the goals.")] = "text",
        timeout_s: Timeout = None,
    ) -> GoalsAtPlace:
        """Show the proof goals at a place of a file. Look often.

        Without a column: goals_before where the line begins and goals_after where it ends, which shows what its tactic
        does. Errors elsewhere in the proof do not matter. The status `complete` means that nothing is left there.
        """
        file = await self._files.ready(file_path)
        text = file.line(line)
        columns = [column] if column is not None else [_first_column(text), len(text) + 1]
        states = await self._at_places(file, [file.offset(line, at) for at in columns], timeout_s)
        shown = [[_goal(state, i, format) for i in range(len(state.goals))] if state else [] for state in states]
        status: GoalStatus = "no_goal_at_position"
        if states[-1] is not None:
            status = "goals" if states[-1].goals else "complete"
        elif states[0] is not None:
            status = "goals" if states[0].goals else "complete"
        if column is not None:
            return GoalsAtPlace(line_context=text, goals=shown[0], status=status)
        return GoalsAtPlace(line_context=text, goals_before=shown[0], goals_after=shown[1], status=status)

    async def lean_multi_attempt(
        self,
        *,
        file_path: FilePath,
        line: Line,
        snippets: Annotated[list[str], Field(min_length=1, max_length=100, description="Tactics, each tried alone.")],
        column: Column = None,
        timeout_s: Timeout = None,
    ) -> MultiAttemptResult:
        """Try several tactics at a place, without changing the file; each with the goals that are left, or its error.

        Without a column they take the place of what stands on the line.
        """
        self._desk.check_texts(*snippets)
        file = await self._files.ready(file_path)
        text = file.line(line)
        state = await self._state_at(file, file.offset(line, column or _first_column(text)), timeout_s)
        results = await self._tried(state, snippets, timeout_s)
        items = [_attempt(snippet, result) for snippet, result in zip(snippets, results, strict=True)]
        return MultiAttemptResult(line_context=text, goals=[goal.text for goal in state.goals], items=items)

    async def lean_suggest(
        self,
        *,
        file_path: Annotated[str | None, Field(description="A Lean file, with line and column.")] = None,
        line: Annotated[int | None, Field(ge=1, description="Line, from 1.")] = None,
        column: Column = None,
        statement: Annotated[str | None, Field(description="Or a proposition, such as `∀ n : Nat, n ≤ n`.")] = None,
        tactics: Annotated[
            list[Literal["exact?", "apply?", "rw?", "simp?"]], Field(min_length=1, description="Whom to ask.")
        ] = ["exact?", "apply?", "rw?", "simp?"],  # noqa: B006 (it is only read)
        timeout_s: Timeout = 60.0,
    ) -> SuggestResult:
        """Ask Lean's own searches for the next tactic.

        Each suggestion was run: `goals` are what it leaves, and one that `closes` proves all of them.
        """
        if (statement is None) == (file_path is None) or (file_path is None) != (line is None):
            raise ConfigError("Give a file_path and a line, or a statement.")
        origin: Origin
        if statement is not None:
            self._desk.check_texts(statement)
            origin = statement
        else:
            assert file_path is not None and line is not None
            file = await self._files.ready(file_path)
            offset = file.offset(line, column or _first_column(file.line(line)))
            origin = TheoremSite(file.project, file.path, "", offset)
        state = await self._server.goal_start_async(origin, timeout_s=self._desk.seconds(timeout_s))
        answers = await self._tried(state, tactics, timeout_s)
        items = [
            await self._suggestions(state, tactic, answer, timeout_s)
            for tactic, answer in zip(tactics, answers, strict=True)
        ]
        return SuggestResult(goals=[goal.text for goal in state.goals], items=items)

    async def lean_verify(
        self,
        *,
        theorem: Annotated[
            str | None, Field(description="A statement, with or without `theorem NAME`; or a text with one `sorry`.")
        ] = None,
        proof: Annotated[str | None, Field(description="`by …` or a term, without `:=`.")] = None,
        file_path: Annotated[str | None, Field(description="Or a file, to be judged as it stands.")] = None,
        theorem_name: Annotated[
            str | None,
            Field(description="One theorem of the file, by its full name; with a proof: in place of its own."),
        ] = None,
        timeout_s: Timeout = None,
    ) -> VerifyResult:
        """Judge a proof. Only `accepted` counts as proved.

        It is elaborated afresh: no `sorry`, the statement as it was, no axiom but Lean's three, nothing that cheats.

        Give theorem and proof; or a file_path, with theorem_name for one theorem of it.
        """
        if (theorem is None) == (file_path is None) or (theorem is not None and proof is None):
            raise ConfigError("Give theorem and proof, or a file_path.")
        self._desk.check_texts(theorem or "", proof or "")
        limit = self._desk.seconds(timeout_s)
        if theorem is not None and proof is not None:
            site, stated = await self._desk.texts.open_theorem(theorem, self._desk.longest(timeout_s))
            return verdict_of(await self._server.verify_async(site, proof, timeout_s=limit), stated.type)
        assert file_path is not None
        file = await self._files.ready(file_path)
        if proof is not None:
            if theorem_name is None:
                raise ConfigError("A proof for a file needs the theorem_name that it is for.")
            site = TheoremSite(file.project, file.path, theorem_name)
            return verdict_of(await self._server.verify_async(site, proof, timeout_s=limit))
        return await self._file_judged(file, theorem_name, limit)

    async def lean_declaration(
        self,
        symbol: Annotated[str, Field(min_length=1, description="A full name, such as `Nat.add_comm`.")],
        file_path: Annotated[str | None, Field(description="Look among what this file declares and imports.")] = None,
    ) -> DeclarationResult:
        """Look up a declaration: its type, docstring, axioms, and where it is. Without a file: of `Init` and `Std`."""
        self._desk.check_texts(symbol)
        file = await self._files.ready(file_path) if file_path is not None else None
        project, path = (file.project, file.path) if file else (None, None)
        (info,) = await self._server.declarations_async([symbol], project=project, file_path=path)
        if info is None:
            raise ConfigError(f"There is no declaration {symbol[:200]!r}; lean_search finds names.")
        return DeclarationResult(
            name=info.full_name,
            kind=info.kind,
            signature=info.signature,
            module=info.module,
            docstring=info.docstring,
            axioms=list(info.axioms),
            line=line_of(info.start),
        )

    async def lean_search(
        self,
        *,
        ctx: Context,
        query: Annotated[str, Field(min_length=1, description="What to look for.")],
        mode: Annotated[
            Mode | None,
            Field(
                description="`type`: a pattern such as `_ * (_ + _)` or `⊢ ?a + ?b = ?b + ?a`. `name`: a part of "
                "a name. `words`: any words, or a goal. By default whichever the query looks like."
            ),
        ] = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 10,
        file_path: Annotated[
            str | None, Field(description="For patterns: also what this file declares and imports.")
        ] = None,
    ) -> SearchResult:
        """Find theorems and definitions: of Lean's library, and by name or words of the traced repositories too.

        The first search by name or words after an installation reads the library, which takes a minute or two.
        """
        self._desk.check_texts(query)
        file = await self._files.ready(file_path) if file_path is not None else None

        async def report(done: int, total: int) -> None:
            await ctx.report_progress(done, total, "reading Lean's library")

        return await self._library.search(query, mode, limit, file, report)

    async def lean_prove(
        self,
        *,
        ctx: Context,
        theorem: Annotated[
            str | None,
            Field(
                description="A statement, with or without `theorem NAME`; a text with one `sorry`; or the full name of "
                "an open theorem of a traced repository."
            ),
        ] = None,
        file_path: Annotated[str | None, Field(description="Or a file, with theorem_name.")] = None,
        theorem_name: Annotated[str | None, Field(description="An open theorem of the file, by its full name.")] = None,
        seconds: Annotated[float, Field(gt=0, le=900, allow_inf_nan=False, description="Budget.")] = 60.0,
        lean_calls: Annotated[int, Field(ge=1, le=100_000, description="Budget: tactics that Lean runs.")] = 1000,
        search: Annotated[str, Field(description="The search.")] = "best_step",
        policy: Annotated[
            PolicyChoice | None,
            Field(
                description="Who proposes tactics. `mixture`, the default: traced proofs of similar goals, closing "
                "tactics with premises, and the server's model if it has one. `neighbours`: the first alone. `own`: "
                "the model, or closing tactics where there is none."
            ),
        ] = None,
    ) -> ProveResult:
        """Search for a proof, with what similar goals were proved by, closing tactics, and what the theorem may use.

        A proof that comes back was accepted by the judge. Reports progress; cancel it at any time.
        """
        if (theorem is None) == (file_path is None) or (file_path is None) != (theorem_name is None):
            raise ConfigError("Give a theorem, or a file_path and a theorem_name.")
        if search not in SEARCHES.own:
            raise ConfigError(f"There is no search {search[:100]!r}; there are {', '.join(SEARCHES.own)}.")
        self._desk.check_texts(theorem or "")
        wanted = theorem if theorem is not None else await self._theorem_of(file_path, theorem_name)
        budget = SearchBudget(lean_calls=lean_calls, seconds=min(seconds, self._desk.settings.max_timeout_s))
        job = self._desk.jobs.submit(wanted, SearchConfig(search, budget=budget), policy=policy, minimal=True)
        reported = 0
        try:
            async for form in self._desk.jobs.events(job):
                calls = form["cost"]["lean_calls"]
                if calls > reported:
                    reported = calls
                    await ctx.report_progress(calls, max(calls, lean_calls), f"{calls} tactics tried")
        finally:
            self._desk.jobs.cancel(job)
        return _proved(job)

    # -- what several of them need

    async def _at_places(
        self, file: AgentFile, offsets: Sequence[int], timeout_s: float | None
    ) -> list[GoalState | None]:
        """Return the goals at places of a file; ``None`` where there are none."""
        return await goals_at(self._server, file.project, file.path, offsets, self._desk.seconds(timeout_s))

    async def _state_at(self, file: AgentFile, offset: int, timeout_s: float | None) -> GoalState:
        (state,) = await self._at_places(file, [offset], timeout_s)
        if state is None or not state.goals:
            raise ConfigError("There is no open goal at this place; lean_goal shows where there are some.")
        return state

    async def _tried(self, state: GoalState, tactics: Sequence[str], timeout_s: float | None) -> list[TacticResult]:
        pairs = [(state, tactic) for tactic in tactics]
        return await self._server.goal_tactics_async(pairs, timeout_s=self._desk.seconds(timeout_s))

    async def _suggestions(
        self, state: GoalState, asked: str, answer: TacticResult, timeout_s: float | None
    ) -> SuggestionsOf:
        """Return what a tactic has suggested, each suggestion run."""
        if isinstance(answer, LeanError) and not isinstance(answer, TacticFailure):
            raise answer
        messages = answer.messages if isinstance(answer, GoalState) else (str(answer),)
        tactics = suggested(messages)[:_MOST_SUGGESTIONS]
        if not tactics:
            words = str(answer) if isinstance(answer, TacticFailure) else "It suggests nothing."
            return SuggestionsOf(asked=asked, error=words)
        results = await self._tried(state, tactics, timeout_s)
        suggestions = [
            Suggestion(tactic=tactic, goals=[goal.text for goal in result.goals], closes=result.is_solved)
            for tactic, result in zip(tactics, results, strict=True)
            if isinstance(result, GoalState)  # what does not run is no help
        ]
        return SuggestionsOf(asked=asked, suggestions=suggestions)

    async def _file_judged(self, file: AgentFile, theorem_name: str | None, limit: float | None) -> VerifyResult:
        verdict = await self._server.verify_file_async(file.project, file.path, timeout_s=limit)
        declarations = [judged_of(declaration) for declaration in verdict.declarations]
        claims = [judged_of(claim) for claim in verdict.claims]
        diagnostics = diagnostics_of((*verdict.messages, *verdict.problems))
        if theorem_name is None:
            refused = [declaration for declaration in declarations if not declaration.accepted]
            kind = verdict.kind or ("accepted" if verdict.accepted else refused[0].verdict if refused else "error")
            reasons = [*(message.text for message in verdict.against), *(each.reason for each in refused)]
            nothing = "it has no theorem or example" if not verdict.claims else ""
            reason = next(iter(reasons), nothing)
            return VerifyResult(
                accepted=verdict.accepted, verdict=kind, reason=reason, diagnostics=diagnostics, declarations=claims
            )
        judged = next((each for each in declarations if each.name == theorem_name), None)
        if judged is None:
            raise ConfigError(f"{file.path} declares no {theorem_name[:200]!r}.")
        return VerifyResult(
            accepted=judged.accepted,
            verdict=judged.verdict,
            reason=judged.reason,
            axioms=judged.axioms,
            statement=judged.statement,
            diagnostics=diagnostics,
        )

    async def _theorem_of(self, file_path: str | None, name: str | None) -> StoredTheorem:
        assert file_path is not None and name is not None
        file = await self._files.ready(file_path)
        # in a task of its own: see AgentFiles
        work = trace_repository_async(
            file.repository, self._server, database=self._desk.jobs.provers.files, only=[file.path], progress=False
        )
        run = await asyncio.create_task(work)
        if run.skipped:
            raise TraceError(f"{run.skipped[0].path}, line {run.skipped[0].line}: {run.skipped[0].reason}.")
        (traced,) = [each for each in run.files if each.path == file.path]
        theorem = next((theorem for theorem in traced.theorems if theorem.full_name == name), None)
        if theorem is None:
            error = next(iter(traced.errors), None)
            why = f"; line {error.start.line}: {error.text}" if error else ""
            raise TraceError(f"{file.path} has no theorem {name[:200]!r} that Lean has accepted{why}.")
        return StoredTheorem(file.repository, file.path, theorem)


def _first_column(text: str) -> int:
    """Return the column, from 1, at which the text of a line begins."""
    return len(text) - len(text.lstrip()) + 1


def _goal(state: GoalState, index: int, format: Literal["text", "structured"]) -> GoalOutput:
    goal = state.goals[index]
    if format == "text":
        return goal.text
    context = [Hypothesis(name=each.name, type=each.type, value=each.value) for each in goal.variables]
    return StructuredGoal(context=context, goal=goal.target, pretty=goal.text)


def _attempt(snippet: str, result: TacticResult) -> Attempt:
    if isinstance(result, GoalState):
        status: Literal["solved", "open"] = "solved" if result.is_solved else "open"
        goals = [goal.text for goal in result.goals]
        return Attempt(snippet=snippet, goals=goals, status=status, messages=list(result.messages))
    late = isinstance(result, TacticFailure) and result.kind == "timeout"
    return Attempt(snippet=snippet, status="failed", error=str(result), timed_out=late)


def _proved(job: Job) -> ProveResult:
    result = job.result or {}
    if "error" in result:
        return ProveResult(status="error", policy=job.policy, message=result["error"]["message"])
    verdict = result.get("verdict") or {}
    return ProveResult(
        status=job.status,
        policy=job.policy,
        proof=result.get("proof"),
        verdict=verdict.get("verdict"),
        axioms=verdict.get("axioms", []),
        lean_calls=result.get("lean_calls", job.cost.lean_calls),
        seconds=result.get("seconds", 0.0),
        message=result.get("message") or "",
    )
