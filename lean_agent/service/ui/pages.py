"""How a page comes about: templates, security headers, sessions, and failures as pages with one sentence.

No page has a script or a style inside, and none may load anything from elsewhere: the Content-Security-Policy says so,
so that nothing in a theorem's name or message can become a program.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import cached_property
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import APIRouter, Depends, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from lean_agent.database import DynamicDatabase
from lean_agent.errors import LeanAgentError
from lean_agent.service.desk import SESSION_COOKIE, Desk, has_session, may_enter, session_of
from lean_agent.service.failures import outcome_of, refusal
from lean_agent.wording import counted, installed_version, visible, visible_lines

FRAGMENT = "X-Fragment"
"""The header of a request for a part of a page, which the scripts send."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # `no-referrer` would make forms say that they come from nowhere
    "Cache-Control": "no-store",
}
MAX_FORM_BYTES = 100_000
_FOLDER = Path(str(files("lean_agent.service.ui")))
_TREE_FOLDER = Path(str(files("lean_agent.prover.saved")))
STATIC = {
    "style.css": (_FOLDER / "static" / "style.css", "text/css"),
    "pages.js": (_FOLDER / "static" / "pages.js", "text/javascript"),
    "playground.js": (_FOLDER / "static" / "playground.js", "text/javascript"),
    "tree.css": (_TREE_FOLDER / "tree.css", "text/css"),
    "tree.js": (_TREE_FOLDER / "tree.js", "text/javascript"),
}
_LOCAL_PATH = re.compile(r"/(?![/\\])[^\\]*")


class Site:
    """What all pages share: the desk behind them, their templates, and a folder for what is drawn.

    Attributes:
        is_stopping: whether the service is about to end, so that streams of events end too.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.is_stopping: Callable[[], bool] = lambda: False
        self._scratch = tempfile.TemporaryDirectory(prefix="lean-agent-pages-")

    @property
    def scratch(self) -> Path:
        """A folder that ends with the service."""
        return Path(self._scratch.name)

    def close(self) -> None:
        """Remove the folder. Idempotent."""
        self._scratch.cleanup()

    @property
    def runs_dir(self) -> Path:
        """The folder of run folders, which need not be there."""
        return self.desk.settings.runs_dir.absolute()

    @contextmanager
    def database(self) -> Iterator[DynamicDatabase | None]:
        """Open the database as long as the block lasts; ``None`` where there is none yet."""
        path = self.desk.settings.database_path
        if not path.is_file():
            yield None
            return
        with DynamicDatabase(path) as opened:
            yield opened

    @cached_property
    def templates(self) -> Environment:
        """The templates, in which every value is escaped."""
        environment = Environment(
            loader=FileSystemLoader(_FOLDER / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals |= {"url": address, "counted": counted, "version": installed_version()}
        environment.filters |= {
            "thousands": "{:,}".format,
            "duration": duration,
            "visible": visible,
            "plain": visible_lines,
        }
        return environment

    def page(self, template: str, code: int = HTTPStatus.OK, /, **values: Any) -> HTMLResponse:
        """Return a page, or a part of one.

        Args:
            code: the status of the answer.
        """
        return HTMLResponse(self.text(template, **values), code)

    def text(self, template: str, /, **values: Any) -> str:
        """Return what a template and values make."""
        return self.templates.get_template(template).render(has_token=bool(self.desk.settings.token), **values)


async def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


AtSite = Annotated[Site, Depends(_site)]


class PageRoute(APIRoute):
    """An address of a page: whoever has no session is sent to log in, and a failure is a page with a sentence."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def handler(request: Request) -> Response:
            site: Site = request.app.state.site
            try:
                response = _to_login(request, site)
                if response is None:
                    _check_origin(request)
                    response = await answer(request)
            except (HTTPException, RequestValidationError, LeanAgentError) as error:
                response = failure_page(site, request, error)
            for name, value in HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return handler


def pages_router() -> APIRouter:
    """Return a router for pages."""
    return APIRouter(route_class=PageRoute, include_in_schema=False)


router = pages_router()


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """Return a script or a style."""
    if name not in STATIC:
        raise refusal(HTTPStatus.NOT_FOUND, "There is no such file.")
    path, media_type = STATIC[name]
    return FileResponse(path, media_type=f"{media_type}; charset=utf-8", headers={"Cache-Control": "no-cache"})


@router.get("/login")
async def login(site: AtSite, next: str = "/") -> Response:
    """Ask for the token."""
    return site.page("login.html", next=local_path(next), wrong=False)


@router.post("/login")
async def logged_in(request: Request, site: AtSite) -> Response:
    """Take the token, and give a session for it."""
    form = await form_of(request)
    token, settings = form.get("token", ""), site.desk.settings
    if not may_enter(settings, token):
        return site.page("login.html", HTTPStatus.UNAUTHORIZED, next=local_path(form.get("next", "/")), wrong=True)
    response = RedirectResponse(local_path(form.get("next", "/")), HTTPStatus.SEE_OTHER)
    is_secure = request.headers.get("X-Forwarded-Proto") == "https" or request.url.scheme == "https"
    response.set_cookie(
        SESSION_COOKIE, session_of(settings.token or ""), httponly=True, samesite="strict", secure=is_secure
    )
    return response


@router.post("/logout")
async def logout() -> Response:
    """End the session."""
    response = RedirectResponse("/login", HTTPStatus.SEE_OTHER)
    response.delete_cookie(SESSION_COOKIE)
    return response


def failure_page(site: Site, request: Request, error: Exception) -> Response:
    """Return the page, or the part of one, that says why there is no other."""
    status, _, words = outcome_of(error)
    template = "failure_part.html" if FRAGMENT in request.headers else "failure.html"
    response = site.page(template, status, words=words, status=int(status))
    response.headers.update(getattr(error, "headers", None) or {})
    return response


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form that was sent, each once.

    Raises:
        HTTPException: it is too long, or no text.
    """
    body = await request.body()
    if len(body) > MAX_FORM_BYTES:
        raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A form may have {MAX_FORM_BYTES:,} bytes and no more.")
    try:
        return {name: values[0] for name, values in parse_qs(body.decode(), keep_blank_values=True).items()}
    except ValueError as error:
        raise refusal(HTTPStatus.BAD_REQUEST, "What was sent is no form.") from error


def address(path: str, /, **parameters: Any) -> str:
    """Return the address of a page with parameters; those without a value are left out, lists are repeated."""
    given = {name: value for name, value in parameters.items() if value not in (None, "", [], ())}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def local_path(text: str) -> str:
    """Return an address of this site, or its first page for one of another."""
    return text if _LOCAL_PATH.fullmatch(text) else "/"


def duration(seconds: float | None) -> str:
    """Return seconds as people say them: ``0.4 s``, ``35 s``, ``4 min``, ``2 h 05``."""
    if seconds is None:
        return ""
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d}"


def _to_login(request: Request, site: Site) -> Response | None:
    """Return what sends somebody without a session to log in; ``None`` for everybody else.

    Raises:
        HTTPException: there is no page to come back to.
    """
    path = request.url.path
    is_free = path in ("/login", "/logout") or path.startswith("/static/")
    if is_free or has_session(site.desk.settings, request.cookies.get(SESSION_COOKIE)):
        return None
    if request.method != "GET" or FRAGMENT in request.headers:
        raise refusal(HTTPStatus.UNAUTHORIZED, "Log in again: this browser has no session with the service.")
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(address("/login", next=f"{path}{query}"), HTTPStatus.SEE_OTHER)


def _check_origin(request: Request) -> None:
    """Refuse what a page of another site sends: without a token, a browser of this machine would carry it out.

    Raises:
        HTTPException: it comes from there.
    """
    if request.method in ("GET", "HEAD"):
        return
    origin = request.headers.get("Origin")
    from_elsewhere = origin is not None and urlsplit(origin).netloc != request.headers.get("Host")
    if from_elsewhere or request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise refusal(HTTPStatus.FORBIDDEN, "This was sent by a page of another site.")
