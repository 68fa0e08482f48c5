"""What every request passes on its way in and out: limits of its body, the access log, the counts for Prometheus."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from http import HTTPStatus

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lean_agent.service.failures import STOPPED, refusal, sentence_response
from lean_agent.service.settings import ServiceSettings

access_log = logging.getLogger("lean_agent.service.access")
"""A JSON object a line for each request: ``time``, ``client``, ``method``, ``path``, ``status``, ``seconds``."""
logger = logging.getLogger(__name__)

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)


class Metrics:
    """What Prometheus may ask for."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "lean_agent_requests", "Requests answered.", ("route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "lean_agent_request_seconds", "Seconds to an answer.", ("route",), buckets=_BUCKETS, registry=self.registry
        )

    def watch(self, name: str, what: str, value: Callable[[], float]) -> None:
        """Have a value read whenever somebody asks."""
        Gauge(f"lean_agent_{name}", what, registry=self.registry).set_function(value)


class Gate:
    """An ASGI application before the service's own.

    Args:
        app: the service.
        settings: its limits.
        metrics: counts what passes.
        clock: seconds.
    """

    def __init__(
        self, app: ASGIApp, settings: ServiceSettings, metrics: Metrics, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = self._clock(), 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        body = _Body(receive, self._settings, self._clock)
        try:
            await self._app(scope, body.receive, noting)
        except asyncio.CancelledError:  # the service has waited for as long as it may
            words = "The service is being stopped."
            if status:
                raise
            await sentence_response(HTTPStatus.SERVICE_UNAVAILABLE, STOPPED, words)(scope, receive, noting)
        except Exception:  # answered with a 500 by now
            logger.exception("A defect in the answer to %s %s", scope["method"], scope["path"])
        finally:
            self._note(scope, status, self._clock() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")  # as it was declared: no ids, nothing that clients make up
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        if access_log.isEnabledFor(logging.INFO):
            client = (scope.get("client") or ("", 0))[0]
            line = {
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                "client": client,
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "seconds": round(seconds, 4),
            }
            access_log.info(json.dumps(line))


class _Body:
    """The body of a request, as long as it is neither too large nor too slow."""

    def __init__(self, receive: Receive, settings: ServiceSettings, clock: Callable[[], float]) -> None:
        self._receive = receive
        self._most = settings.max_body_mb * 1_000_000
        self._limit_s = settings.body_timeout_s
        self._clock = clock
        self._until = clock() + self._limit_s
        self._size = 0
        self._is_whole = False

    async def receive(self) -> Message:
        """Return the next part.

        Raises:
            HTTPException: the body is too large, or too slow.
        """
        if self._is_whole:
            return await self._receive()  # waits for the end of the connection
        try:
            async with asyncio.timeout(max(0.0, self._until - self._clock())):
                message = await self._receive()
        except TimeoutError:
            words = f"The request did not arrive within {self._limit_s:g} s."
            raise refusal(HTTPStatus.REQUEST_TIMEOUT, words, Connection="close") from None
        self._size += len(message.get("body", b""))
        if self._size > self._most:
            words = f"The body of a request may have {self._most:,} bytes and no more."
            raise refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, words, Connection="close")  # the rest is not read
        self._is_whole = not message.get("more_body", False)
        return message
