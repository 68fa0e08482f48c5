"""Child processes: one that talks in lines, heard and ended with all that it started, and one that runs to its end.

Knows nothing of Lean. To be used on one event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

_LAST_WORDS_S = 1.0  # for the error channel, once the other is closed
LINE_LIMIT = 2**30
_PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    """Have the child killed when the thread that started us ends, even by SIGKILL (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


class Channel(asyncio.SubprocessProtocol):
    """The pipes of a process. It is asyncio that calls the methods without a docstring.

    Args:
        on_line: is given each line with its file descriptor: 1, or 2 for the error channel. What a process said last
            without ending the line is a line of the error channel only: elsewhere it died in the middle of it.
        on_end: is called once, when it will say nothing more.
        line_limit: bytes; a process whose line is longer is killed.

    Attributes:
        ended: whether that has been.
    """

    def __init__(
        self, on_line: Callable[[int, bytes], None], on_end: Callable[[], None], *, line_limit: int = LINE_LIMIT
    ) -> None:
        self._line_limit = line_limit
        self._on_line = on_line
        self._on_end = on_end
        # of a line that has not ended, for each pipe that is open; and how many bytes they are
        self._pieces: dict[int, list[bytes]] = {1: [], 2: []}
        self._held = {1: 0, 2: 0}
        self._exited = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None
        self.ended = False

    async def open(self, argv: Sequence[str], environment: Mapping[str, str], *, cwd: Path | None = None) -> None:
        """Start the process, in a session of its own. One that nobody waits for any more is ended.

        Raises:
            OSError: there is no such program.
        """
        spawning = asyncio.ensure_future(
            asyncio.get_running_loop().subprocess_exec(
                lambda: self, *argv, cwd=cwd, env=environment, start_new_session=True, preexec_fn=die_with_parent
            )
        )
        try:
            # Cancelled half-way, asyncio waits for ever for the end of a process whose pipes were never connected.
            await asyncio.shield(spawning)
        except asyncio.CancelledError:
            await asyncio.wait({spawning})
            if not spawning.cancelled() and spawning.exception() is None:
                await self.kill()
            raise

    @property
    def transport(self) -> asyncio.SubprocessTransport:
        """Once it has been opened."""
        assert self._transport is not None, "not opened"
        return self._transport

    @property
    def returncode(self) -> int | None:
        """``None`` as long as the process lives; negative when a signal has ended it."""
        return self.transport.get_returncode()

    def write(self, line: bytes) -> None:
        """Hand a line over, however long the process takes to read it.

        Raises:
            OSError, RuntimeError: the pipe is closed.
        """
        self._input.write(line + b"\n")

    @property
    def _input(self) -> asyncio.WriteTransport:
        return cast(asyncio.WriteTransport, self.transport.get_pipe_transport(0))

    async def exited(self) -> int:
        """Wait for the end of the process. Its return code."""
        await self._exited.wait()
        assert self.returncode is not None
        return self.returncode

    async def end(self, within_s: float) -> None:
        """Close its input, at which what reads lines ends by itself; kill what has not ended by then. Idempotent."""
        self._input.close()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.exited(), within_s)
        await self.kill()

    async def kill(self) -> None:
        """End the process and everything it started. Idempotent."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.transport.get_pid(), signal.SIGKILL)
        await self.exited()
        self.transport.close()
        self._end()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # not asserted: uvloop's own, with which Ray's actors run where it is installed, derives from nothing
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        pieces = self._pieces[fd]
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*pieces, lines[0]))
            pieces.clear()
            self._held[fd] = 0
        pieces.append(rest)
        self._held[fd] += len(rest)
        if self._held[fd] > self._line_limit:
            self.transport.kill()
        for line in lines:
            self._on_line(fd, line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        rest = b"".join(self._pieces.pop(fd, ()))
        if fd == 2 and rest:
            self._on_line(fd, rest)
        if not self._pieces:
            self._end()
        elif fd == 1:
            asyncio.get_running_loop().call_later(_LAST_WORDS_S, self._end)

    def process_exited(self) -> None:
        self._exited.set()

    def _end(self) -> None:
        if not self.ended:
            self.ended = True
            self._on_end()


Report = Callable[[str], None]
"""Is told what is being done, every half second."""

_POLL_S = 0.5


def run_watched(
    argv: Sequence[str],
    tell: Callable[[int], None] = lambda pid: None,
    *,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    timeout_s: float | None = None,
) -> subprocess.CompletedProcess[str]:
    """Return what a program has printed and its exit code.

    Args:
        tell: is called with the process id while it runs.
        timeout_s: seconds after which it is killed.

    Raises:
        subprocess.TimeoutExpired: it was killed.
    """
    began = time.monotonic()
    with subprocess.Popen(
        argv,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=die_with_parent,  # noqa: PLW1509  # of this thread, which waits; it makes one call of the system
    ) as process:
        try:
            while True:
                try:
                    printed, errors = process.communicate(timeout=_POLL_S)
                    return subprocess.CompletedProcess(argv, process.returncode, printed, errors)
                except subprocess.TimeoutExpired:
                    if timeout_s is not None and time.monotonic() - began > timeout_s:
                        raise
                    tell(process.pid)
        except BaseException:
            process.kill()
            raise
