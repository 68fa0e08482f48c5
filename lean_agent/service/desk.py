"""What every address needs: the Lean server, who may come in, what a request may cost, and who still waits.

``Desk.work`` is the one way from a request to Lean. It counts what is under way, refuses what is too much, and cancels
the work of a client that is gone; Lean then stops what nobody waits for.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, Origin, site_of
from lean_agent.service.failures import RETRY_AFTER_S, ClientGone, refusal
from lean_agent.service.jobs import ProofJobs
from lean_agent.service.settings import ServiceSettings
from lean_agent.service.states import StateTable
from lean_agent.service.texts import LooseTexts
from lean_agent.tracing.project.lakefile import Lakefile

T = TypeVar("T")

_bearer = HTTPBearer(auto_error=False, description="The token that the service was started with.")


class Desk:
    """What the handlers of a service share.

    Attributes:
        under_way: requests that Lean works on or that wait for it.
    """

    def __init__(self, server: LeanServer, settings: ServiceSettings) -> None:
        self.server = server
        self.settings = settings
        self.states = StateTable(server, settings.max_states)
        self.texts = LooseTexts(server)
        self.jobs = ProofJobs(server, settings)
        self.under_way = 0
        self._project = _project_in(settings.project.resolve()) if settings.project else None

    async def work(self, request: Request, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of the work that a request asks for.

        Raises:
            HTTPException: too many requests are under way; nothing was begun.
            ClientGone: the client is gone, and the work has ended.
        """
        try:
            with self.room():
                return await _while_waited_for(request, work)
        finally:
            work.close()

    @contextmanager
    def room(self) -> Iterator[None]:
        """Count a request as long as the block lasts.

        Raises:
            HTTPException: too many are under way.
        """
        if self.under_way >= self.settings.max_requests:
            words = f"{self.under_way} requests are under way, as many as may be; come again in {RETRY_AFTER_S} s."
            raise refusal(HTTPStatus.TOO_MANY_REQUESTS, words, Retry_After=str(RETRY_AFTER_S))
        self.under_way += 1
        try:
            yield
        finally:
            self.under_way -= 1

    def seconds(self, asked: float | None) -> float | None:
        """Return the time limit of a piece of work: what the client asks for, or else the server's own, and no more
        than there may be."""
        return None if asked is None else min(asked, self.settings.max_timeout_s)

    def longest(self, asked: float | None) -> float:
        """Return the time limit of work for which Lean has none of its own."""
        return min(asked or self.settings.max_timeout_s, self.settings.max_timeout_s)

    def check_texts(self, *texts: str) -> None:
        """Refuse texts that are too long, or none: half of a surrogate pair stands for no character."""
        longest = max(map(len, texts), default=0)
        if longest > self.settings.max_code:
            words = f"A text of {longest:,} characters is too long: {self.settings.max_code:,} are allowed."
            raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words)
        try:
            for text in texts:
                text.encode()
        except UnicodeEncodeError as error:
            words = f"A text has half of a surrogate pair at character {error.start}, so it is none."
            raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, words) from None

    def check_origins(self, origins: Iterable[Origin]) -> None:
        """Refuse propositions that are too long, and projects that are not for clients."""
        for origin in origins:
            site = site_of(origin)
            if site is not None:
                self.check_project(site.project, site.file_path)
            elif isinstance(origin, str):
                self.check_texts(origin)

    def project_of_text(self, named: LeanProject | None) -> LeanProject | None:
        """Return the project whose modules a text may import: the one that its client names, or the service's."""
        self.check_project(named)
        return named or self._project

    def check_project(self, project: LeanProject | None, file_path: str = "A.lean") -> None:
        """Refuse a project outside the folders that clients may name, and what is no Lean file of it."""
        if project is None:
            return
        readable, writable = self.settings.readable(), self.settings.writable()
        for folder in (project.root, *(project.root / source for source in project.sources)):
            _check_below(folder, readable)
        for build in (project.build, *project.libraries):
            _check_below(build, writable)
        path = Path(file_path)
        if path.is_absolute() or ".." in path.parts or path.suffix != ".lean" or "\0" in file_path:
            raise refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"{file_path!r} is no Lean file below the project's root.")
        _check_below(project.root / path, readable)

    def close(self) -> None:
        """End the searches, and remove what the service has on disk."""
        self.jobs.close()
        self.texts.close()


def _project_in(folder: Path) -> LeanProject:
    """Return the project of a folder, whose compiled modules are where its own commands put them."""
    lakefile = Lakefile.of(folder)
    return LeanProject(folder, sources=lakefile.sources, options=lakefile.options)


def _check_below(path: Path, folders: Iterable[Path]) -> None:
    try:
        place = path.resolve() if path.is_absolute() and "\0" not in str(path) else None
    except (OSError, RuntimeError):  # a link that leads to itself
        place = None
    if place is None or not any(place.is_relative_to(folder) for folder in folders):
        words = f"{str(path)!r} lies in no folder that this service was given; --root names more."
        raise refusal(HTTPStatus.FORBIDDEN, words)


async def _while_waited_for(request: Request, work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        await _ended(task)
        raise ClientGone
    finally:
        leaving.cancel()
        if not task.done():  # the service ends
            await _ended(task)


async def _left(request: Request) -> None:
    """Wait until the client is gone. The body has been read: what comes now is the end of the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _ended(task: asyncio.Future[Any]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def may_enter(settings: ServiceSettings, token: str | None) -> bool:
    """Decide whether a request that bears a token, or none, is let in."""
    wanted = settings.token
    return not wanted or (token is not None and hmac.compare_digest(token.encode(), wanted.encode()))


SESSION_COOKIE = "lean_agent_session"


def session_of(token: str) -> str:
    """Return what a browser bears in the place of a token, once somebody has typed that in."""
    return hmac.new(token.encode(), b"a browser's session", "sha256").hexdigest()


def has_session(settings: ServiceSettings, cookie: str | None) -> bool:
    """Decide whether a browser that bears a cookie, or none, is let in."""
    wanted = settings.token
    return not wanted or (cookie is not None and hmac.compare_digest(cookie.encode(), session_of(wanted).encode()))


async def check_token(
    desk: Annotated[Desk, Depends(_desk)],
    request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> None:
    """Refuse a request without the token, and without a browser's session in its place."""
    bearer = credentials.credentials if credentials else None
    if not may_enter(desk.settings, bearer) and not has_session(desk.settings, request.cookies.get(SESSION_COOKIE)):
        words = "This service wants its token, as `Authorization: Bearer …`."
        raise refusal(HTTPStatus.UNAUTHORIZED, words, WWW_Authenticate="Bearer")


AtDesk = Annotated[Desk, Depends(_desk)]
