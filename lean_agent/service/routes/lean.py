"""``/v1/check``, ``/v1/verify…``, ``/v1/trace``, ``/v1/variants``: whole texts and files, and proofs to be judged."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from lean_agent.lean.remote.wire import (
    CONJECTURES,
    DECLARATIONS,
    MATCHES,
    file_verdict_form,
    message_forms,
    project_form,
    traced_file_form,
    verdict_form,
)
from lean_agent.lean.types import LeanProject, TheoremSite
from lean_agent.service.desk import AtDesk, check_token

router = APIRouter(prefix="/v1", dependencies=[Depends(check_token)], tags=["Lean"])

Json = dict[str, Any]
TimeLimit = Annotated[float | None, Field(gt=0, allow_inf_nan=False, description="Wall-clock seconds.")]
Axioms = Annotated[tuple[str, ...], Field(description="Axioms beside Lean's three that a proof may rest on.")]


class Asked(BaseModel):
    """What is asked of the service: fields that it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class Check(Asked):
    """A text to be elaborated."""

    text: str
    project: LeanProject | None = None
    timeout_s: TimeLimit = None


class VerifyProof(Asked):
    """A proof to be judged: of a statement (or a text that leaves one theorem open), or of a theorem in its file."""

    statement: str | None = None
    site: TheoremSite | None = None
    proof: str = Field(description="`by …` or a term, without `:=`.")
    whole_file: bool = False
    allowed_axioms: Axioms = ()
    timeout_s: TimeLimit = None

    @model_validator(mode="after")
    def _check(self) -> VerifyProof:
        if (self.statement is None) == (self.site is None):
            raise ValueError("give a statement, or the site of a theorem, and not both")
        return self


class VerifyText(Asked):
    """A whole text to be judged."""

    text: str
    project: LeanProject | None = None
    allowed_axioms: Axioms = ()
    timeout_s: TimeLimit = None


class OfFile(Asked):
    """A file of a project."""

    project: LeanProject
    file_path: str


class VerifyFile(OfFile):
    """A whole file to be judged."""

    allowed_axioms: Axioms = ()
    timeout_s: TimeLimit = None


class Trace(Asked):
    """A text, or a file of a project, to be traced."""

    text: str | None = None
    project: LeanProject | None = None
    file_path: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Trace:
        if (self.text is None) == (self.project is None) or (self.project is None) != (self.file_path is None):
            raise ValueError("give a text, or a project and a file_path")
        return self


class Variants(OfFile):
    """Theorems of a file, to be varied."""

    theorems: list[str]


class AfterFile(Asked):
    """A question about a file and what it imports, or about the library."""

    project: LeanProject | None = None
    file_path: str | None = None
    timeout_s: TimeLimit = None

    @model_validator(mode="after")
    def _check(self) -> AfterFile:
        if (self.project is None) != (self.file_path is None):
            raise ValueError("give a project and a file_path, or neither")
        return self


class Declarations(AfterFile):
    """Declarations to be described, by their full names."""

    names: list[str]


class FindMatches(AfterFile):
    """A pattern that statements are to match."""

    pattern: str
    most: Annotated[int, Field(ge=1, le=1000)] = 10


@router.get("/server")
def server(desk: AtDesk) -> Json:  # in a thread, since a server may have to ask for its version
    """Say which Lean runs, and what it may be asked for."""
    limits = {name: getattr(desk.settings, name) for name in ("max_code", "max_body_mb", "max_timeout_s")}
    return {"version": desk.server.version, "workers": desk.server.workers, **limits}


@router.post("/check")
async def check(asked: Check, desk: AtDesk, request: Request) -> Json:
    """Elaborate a text and return what Lean says of it, with ranges."""
    desk.check_texts(asked.text)
    project, limit = desk.project_of_text(asked.project), desk.seconds(asked.timeout_s)
    messages = await desk.work(request, desk.server.check_async(asked.text, project=project, timeout_s=limit))
    return {"messages": message_forms(messages)}


@router.post("/verify")
async def verify(asked: VerifyProof, desk: AtDesk, request: Request) -> Json:
    """Judge a proof of a statement; `statement` of the answer is what was proved, as Lean prints it."""
    desk.check_texts(asked.proof, asked.statement or "")
    desk.check_origins([asked.site] if asked.site else [])

    async def judged() -> Json:
        site, printed = asked.site, ""
        if asked.statement is not None:
            site, theorem = await desk.texts.open_theorem(asked.statement, desk.longest(asked.timeout_s))
            printed = theorem.type
        assert site is not None
        verdict = await desk.server.verify_async(
            site,
            asked.proof,
            whole_file=asked.whole_file,
            allowed_axioms=asked.allowed_axioms,
            timeout_s=desk.seconds(asked.timeout_s),
        )
        form = verdict_form(verdict)
        return form | {"statement": verdict.statement or printed}

    return await desk.work(request, judged())


@router.post("/verify/text")
async def verify_text(asked: VerifyText, desk: AtDesk, request: Request) -> Json:
    """Judge a whole text: a verdict for each declaration, as `lean-agent verify --json` has it."""
    desk.check_texts(asked.text)
    work = desk.server.verify_text_async(
        asked.text,
        project=desk.project_of_text(asked.project),
        allowed_axioms=asked.allowed_axioms,
        timeout_s=desk.seconds(asked.timeout_s),
    )
    return file_verdict_form(await desk.work(request, work))


@router.post("/verify/file")
async def verify_file(asked: VerifyFile, desk: AtDesk, request: Request) -> Json:
    """Judge a whole file of a project, its imports traced before."""
    desk.check_project(asked.project, asked.file_path)
    work = desk.server.verify_file_async(
        asked.project,
        asked.file_path,
        allowed_axioms=asked.allowed_axioms,
        timeout_s=desk.seconds(asked.timeout_s),
    )
    return file_verdict_form(await desk.work(request, work))


@router.post("/trace")
async def trace(asked: Trace, desk: AtDesk, request: Request) -> Json:
    """Return the theorems of a text, or of a file whose imports were traced before, with tactics, states, premises."""
    if asked.text is not None:
        desk.check_texts(asked.text)
        _, traced = await desk.work(request, desk.texts.traced(asked.text, desk.settings.max_timeout_s))
        return traced_file_form(traced)
    assert asked.project is not None and asked.file_path is not None
    desk.check_project(asked.project, asked.file_path)
    return traced_file_form(await desk.work(request, desk.server.trace_file_async(asked.project, asked.file_path)))


@router.post("/variants")
async def variants(asked: Variants, desk: AtDesk, request: Request) -> Json:
    """Return conjectures made of theorems of a file."""
    desk.check_project(asked.project, asked.file_path)
    work = desk.server.variants_async(asked.project, asked.file_path, asked.theorems)
    return {"variants": CONJECTURES.dump_python(await desk.work(request, work), mode="json")}


@router.post("/declarations")
async def declarations(asked: Declarations, desk: AtDesk, request: Request) -> Json:
    """Return what Lean knows of declarations of a file, its imports, or the library; null for what is not there."""
    desk.check_texts(*asked.names)
    desk.check_project(asked.project, asked.file_path or "A.lean")
    work = desk.server.declarations_async(
        asked.names, project=asked.project, file_path=asked.file_path, timeout_s=desk.seconds(asked.timeout_s)
    )
    return {"declarations": DECLARATIONS.dump_python(await desk.work(request, work), mode="json")}


@router.post("/matches")
async def matches(asked: FindMatches, desk: AtDesk, request: Request) -> Json:
    """Return declarations whose statements match a pattern, the shortest first, and how many there are."""
    desk.check_texts(asked.pattern)
    desk.check_project(asked.project, asked.file_path or "A.lean")
    work = desk.server.matches_async(
        asked.pattern,
        most=asked.most,
        project=asked.project,
        file_path=asked.file_path,
        timeout_s=desk.seconds(asked.timeout_s),
    )
    form: Json = MATCHES.dump_python(await desk.work(request, work), mode="json")
    return form


@router.post("/project")
def project(asked: OfFile, desk: AtDesk) -> Json:
    """Say where a project's compiled modules are on the service's machine, and which files are being elaborated."""
    desk.check_project(asked.project, asked.file_path)
    return {
        "project": project_form(asked.project),
        "module_path": str(desk.server.module_path(asked.project, asked.file_path)),
        "package_folders": [str(folder) for folder in desk.server.package_folders(asked.project)],
        "under_way": desk.server.under_way(asked.project),
    }
