"""The service as an ASGI application, from its parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import Depends, FastAPI
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.routing import Route

from lean_agent.lean.server import LeanServer
from lean_agent.service.desk import Desk, check_token
from lean_agent.service.failures import install_handlers
from lean_agent.service.gate import Gate, Metrics
from lean_agent.service.routes import goals, kimina, lean, proofs
from lean_agent.service.settings import ServiceSettings
from lean_agent.service.ui.pages import Site
from lean_agent.service.ui.site_app import add_pages
from lean_agent.wording import installed_version

if TYPE_CHECKING:
    from lean_agent.service.mcp.server import HttpDoor

_LOCAL_NAMES = ["localhost", "127.0.0.1", "[::1]"]


@dataclass(frozen=True)
class Service:
    """A service that is ready to be run.

    Attributes:
        app: the whole application, for any ASGI server.
        routes: the same without what stands before it.
        site: its pages.
    """

    app: Gate
    routes: FastAPI
    desk: Desk
    site: Site


def make_service(server: LeanServer, settings: ServiceSettings | None = None) -> Service:
    """Return the service over a Lean server, which stays the caller's: it is closed by whoever has made it."""
    settings = settings or ServiceSettings()
    desk = Desk(server, settings)
    metrics = Metrics()
    metrics.watch("under_way", "Requests that Lean works on or that wait for it.", lambda: desk.under_way)
    metrics.watch("states", "Proof states that are known by their keys.", lambda: len(desk.states))
    metrics.watch("searches", "Proof searches that run or wait.", lambda: desk.jobs.under_way)
    metrics.watch("workers", "Lean processes.", lambda: server.workers)

    door = _door(desk)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with door.running() if door else nullcontext():
            yield
        await asyncio.to_thread(desk.close)
        site.close()

    app = FastAPI(
        title="lean_agent",
        description="Lean 4: check, verify, goals and tactics, search. docs/serve.md has a page on it.",
        version=installed_version(),
        lifespan=lifespan,
    )
    app.state.desk = desk
    install_handlers(app)
    if not settings.token:
        # A page in a browser whose host name was turned to this machine is no program of this machine.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=[*_LOCAL_NAMES, settings.host])
    app.include_router(lean.router)
    app.include_router(goals.router)
    app.include_router(proofs.router)
    app.include_router(kimina.router)
    if door is not None:
        app.router.routes.append(Route("/mcp", door))

    @app.get("/health", tags=["service"])
    async def health() -> dict[str, str]:
        """Say that the service answers."""
        return {"status": "ok"}

    @app.get("/metrics", tags=["service"], dependencies=[Depends(check_token)])
    def prometheus() -> Response:  # in a thread, since a server may have to ask for its figures
        """Return the counts for Prometheus."""
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    site = add_pages(app, desk)
    return Service(Gate(app, settings, metrics), app, desk, site)


def _door(desk: Desk) -> HttpDoor | None:
    """Return the way to the tools for agents, where their library is installed."""
    try:
        from lean_agent.service.mcp.server import HttpDoor, LeanMCP
    except ImportError:
        return None
    return HttpDoor(LeanMCP(desk), desk.settings)
