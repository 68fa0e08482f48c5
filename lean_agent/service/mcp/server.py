"""The server: tools and resources put together, failures as sentences, the two ways to it.

Over stdio it is a process of one agent; over HTTP it stands in the service, at ``/mcp``, behind the same token, and all
agents share one pool.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.message import SessionMessage
from mcp.types import PARSE_ERROR, ErrorData, JSONRPCError, ToolAnnotations
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from lean_agent.errors import LeanAgentError
from lean_agent.lean.server import LeanServer
from lean_agent.service.desk import Desk, may_enter
from lean_agent.service.failures import sentence_response
from lean_agent.service.mcp.files import AgentFiles
from lean_agent.service.mcp.resources import add_resources
from lean_agent.service.mcp.search import LibrarySearch
from lean_agent.service.mcp.tools import LeanTools
from lean_agent.service.settings import ServiceSettings
from lean_agent.wording import installed_version

logger = logging.getLogger(__name__)

LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")

INSTRUCTIONS = """\
Lean 4, without Mathlib unless the server runs a native Lean. Lines and columns count from 1.
While you write a proof: lean_goal shows where you stand, lean_multi_attempt tries tactics without touching the file, \
lean_suggest asks Lean's own searches, lean_search and lean_declaration look up the library, lean_prove searches for a \
whole proof. At the end lean_verify is the judge: what compiles is not yet a proof, and only `accepted` counts."""


class LeanMCP(MCPServer[None]):
    """A server of the protocol whose failures are one sentence each.

    Args:
        desk: the Lean server, and what a request may cost.
    """

    def __init__(self, desk: Desk) -> None:
        with _logging_as_it_is():
            super().__init__("lean_agent", instructions=INSTRUCTIONS, version=installed_version())
        self._desk = desk
        settings = desk.settings
        database = settings.database_path
        tools = LeanTools(desk, AgentFiles(desk.server, settings.roots), LibrarySearch(desk, database))
        for tool in tools.all():
            self.add_tool(tool, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
        add_resources(self, database)

    @override
    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None) -> Any:
        try:
            with self._desk.room():
                return await super().call_tool(name, arguments, context)
        except HTTPException as error:
            raise ToolError(error.detail) from None
        except ToolError as error:
            raise ToolError(_sentence(name, error)) from None


def _sentence(name: str, error: ToolError) -> str:
    """Return what an agent is told of a failure."""
    cause = error.__cause__
    if isinstance(cause, LeanAgentError):
        return str(cause)
    if isinstance(cause, HTTPException):
        return cause.detail
    if isinstance(cause, ValidationError):
        fault = cause.errors(include_input=False, include_url=False)[0]
        return f"{'.'.join(map(str, fault['loc'])) or name}: {fault['msg']}."
    if cause is None:
        return str(error)
    logger.error("A defect in %s", name, exc_info=cause)
    return "Something went wrong in the server; its log says what."


@contextmanager
def _logging_as_it_is() -> Iterator[None]:
    """Keep the program's logging: the library would write all of it to the error channel."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


class HttpDoor:
    """The way to a server over HTTP, as an ASGI application: streamable HTTP, behind the service's token."""

    def __init__(self, server: LeanMCP, settings: ServiceSettings) -> None:
        self._settings = settings
        self._sessions = StreamableHTTPSessionManager(
            server._lowlevel_server, max_request_body_size=settings.max_body_mb * 1_000_000
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve as long as the block lasts; once."""
        async with self._sessions.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        bearer = headers.get(b"authorization", "")
        if not may_enter(self._settings, bearer.removeprefix("Bearer ") if bearer.startswith("Bearer ") else None):
            words = "This service wants its token, as `Authorization: Bearer …`."
            kind = HTTPStatus.UNAUTHORIZED.phrase
            response = sentence_response(HTTPStatus.UNAUTHORIZED, kind, words, {"WWW-Authenticate": "Bearer"})
            await response(scope, receive, send)
        elif not self._is_of_this_machine(headers.get(b"origin")):
            words = "Pages of other sites may not use this service."
            await sentence_response(HTTPStatus.FORBIDDEN, HTTPStatus.FORBIDDEN.phrase, words)(scope, receive, send)
        elif scope["method"] == "GET":
            # nothing is sent that no request waits for, and a stream without an end would keep the service from its own
            words = "There is no stream of its own here; answers and progress come with the requests."
            kind = HTTPStatus.METHOD_NOT_ALLOWED.phrase
            await sentence_response(HTTPStatus.METHOD_NOT_ALLOWED, kind, words)(scope, receive, send)
        else:
            await self._sessions.handle_request(scope, receive, send)

    def _is_of_this_machine(self, origin: str | None) -> bool:
        """Check where a browser's page comes from. Who has the token may come from anywhere."""
        return not origin or bool(self._settings.token) or urlsplit(origin).hostname in LOCAL_HOSTS


def run_stdio(server: LeanServer, settings: ServiceSettings | None = None) -> None:
    """Serve one agent over the standard streams until it closes them. The Lean server stays open."""
    desk = Desk(server, settings or ServiceSettings())
    try:
        anyio.run(_serve_stdio, LeanMCP(desk))
    finally:
        desk.close()


async def _serve_stdio(server: LeanMCP) -> None:
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
        entry, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def relay() -> None:
            """Pass on what arrives, and answer what is no message: the library says nothing to it."""
            async with entry:
                async for item in incoming:
                    if isinstance(item, Exception):
                        error = ErrorData(code=PARSE_ERROR, message="The line is no JSON-RPC message.")
                        await outgoing.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=error)))
                    else:
                        await entry.send(item)

        group.start_soon(relay)
        lowlevel = server._lowlevel_server
        await lowlevel.run(messages, outgoing, lowlevel.create_initialization_options())
        group.cancel_scope.cancel()
