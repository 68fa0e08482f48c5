"""A service as a process, or in a thread of one: its port, its protocol's patience, its end.

SIGTERM and Ctrl-C refuse new connections, let what is under way come to its end within ``stop_timeout_s``, and cancel
the rest.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from lean_agent.errors import ConfigError, words_of
from lean_agent.lean.server import LeanServer
from lean_agent.service.app import make_service
from lean_agent.service.gate import access_log
from lean_agent.service.settings import ServiceSettings

KEEP_ALIVE_S = 75
"""Idle connections are closed after this: later than clients do it by themselves, or a request could meet the end."""


def serve(
    server: LeanServer,
    settings: ServiceSettings | None = None,
    *,
    ready: Callable[[str], object] = print,
    starts_lean: bool = True,
) -> None:
    """Serve a Lean server until SIGTERM or Ctrl-C. The server stays open.

    Args:
        starts_lean: whether Lean is started first, and not when it is first needed.
        ready: told the service's address, once Lean and the port are there.

    Raises:
        LeanError: Lean does not start.
        ConfigError: the address cannot be had.
    """
    settings = settings or ServiceSettings()
    with bound(settings) as listening:
        if starts_lean:
            server.check("")  # Lean that does not start is found before anybody asks
        http = _http_server(server, settings)
        _log_accesses()
        # uvicorn raises the signal once more after its end: of SIGTERM nothing else is to come
        signal.signal(signal.SIGTERM, lambda *_: None)
        ready(address_of(listening))
        http.run([listening])


@contextmanager
def serving(server: LeanServer, settings: ServiceSettings | None = None) -> Iterator[str]:
    """Serve a Lean server in a thread of this process as long as the block lasts; yields the address.

    Raises:
        ConfigError: the address cannot be had.
    """
    settings = settings or ServiceSettings(port=0)
    with bound(settings) as listening:
        http = _http_server(server, settings)
        thread = threading.Thread(target=http.run, args=([listening],), name="Lean service", daemon=True)
        thread.start()
        try:
            yield address_of(listening)
        finally:
            http.should_exit = True
            thread.join()


def bound(settings: ServiceSettings) -> socket.socket:
    """Return a socket that listens at the service's address.

    Raises:
        ConfigError: it is another program's, or no address of this machine.
    """
    place = f"{settings.host} port {settings.port}"
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise ConfigError(f"Another program listens at {place}; choose another with --port.") from error
        raise ConfigError(f"Nothing can listen at {place}: {words_of(error)}.") from error
    # asyncio's own loop leaves it to us for sockets like this one: answers of two parts would wait 40 ms for the client
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def address_of(listening: socket.socket) -> str:
    """Return the address that a socket is reached at, as ``http://HOST:PORT``."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def patient_protocol(patience_s: float) -> type[HttpToolsProtocol]:
    """Return uvicorn's protocol with an end to its patience: a connection is closed whose client takes longer than
    ``patience_s`` seconds for the head of a request, or takes nothing of an answer for so long."""

    class Patient(HttpToolsProtocol):
        def connection_made(self, transport: Any) -> None:
            self._taking: asyncio.TimerHandle | None = None
            super().connection_made(transport)
            self._head = self.loop.call_later(patience_s, transport.close)

        def on_message_begin(self) -> None:
            self._head.cancel()
            self._head = self.loop.call_later(patience_s, self.transport.close)
            super().on_message_begin()

        def on_headers_complete(self) -> None:
            self._head.cancel()
            super().on_headers_complete()

        def pause_writing(self) -> None:
            self._taking = self.loop.call_later(patience_s, self.transport.abort)
            super().pause_writing()

        def resume_writing(self) -> None:
            self._stop_taking()
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head.cancel()
            self._stop_taking()
            super().connection_lost(exc)

        def _stop_taking(self) -> None:
            if self._taking is not None:
                self._taking.cancel()

    return Patient


def _http_server(server: LeanServer, settings: ServiceSettings) -> uvicorn.Server:
    service = make_service(server, settings)
    config = uvicorn.Config(
        service.app,
        http=patient_protocol(settings.body_timeout_s),
        ws="none",
        access_log=False,  # the gate has one
        log_level="warning",
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=max(1, round(settings.stop_timeout_s)),
    )
    http = uvicorn.Server(config)
    service.site.is_stopping = lambda: http.should_exit
    return http


def _log_accesses() -> None:
    """Write the access log to the error channel, unless the program has a place of its own for it."""
    if not access_log.handlers:
        access_log.addHandler(logging.StreamHandler(sys.stderr))
        access_log.propagate = False
    access_log.setLevel(logging.INFO)
