"""A Lean server at another address: the client of ``lean-agent serve``.

    with LeanClient("http://127.0.0.1:8000") as server:
        state = server.goal_start("∀ (p : Prop), p → p")

It *is* a :class:`~lean_agent.lean.server.LeanServer`: whatever takes a pool takes it. Projects lie on a file system
that both machines share, below a folder that the service was given as a root.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
from typing_extensions import override

from lean_agent.errors import LeanError, LeanRequestError, LeanUnreachable, LeanValueError, UnknownState
from lean_agent.lean.remote import TOKEN_VARIABLE, is_address
from lean_agent.lean.remote.wire import (
    CONJECTURES,
    CONSEQUENCES,
    DECLARATIONS,
    ERRORS,
    LEMMAS,
    MATCHES,
    Json,
    error_of,
    file_verdict_of,
    messages_of,
    project_form,
    result_of,
    traced_file_of,
    verdict_of,
)
from lean_agent.lean.server import LoopServer, TacticResult
from lean_agent.lean.types import (
    Conjecture,
    Consequence,
    DeclarationInfo,
    FileVerdict,
    GoalLemma,
    GoalState,
    LeanMessage,
    LeanProject,
    Matches,
    Origin,
    Subgoals,
    TheoremSite,
    TracedFile,
    Verdict,
)
from lean_agent.settings import Seconds

_FIRST_WAIT_S = 0.1  # doubled each time that a service does not answer
_ALIVE = [  # a connection whose other end has gone without a word is closed within a minute or so
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    *(
        (socket.IPPROTO_TCP, getattr(socket, name), value)
        for name, value in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))
        if hasattr(socket, name)
    ),
]


class LeanClient(LoopServer):
    """A Lean server that runs elsewhere.

    A request that cannot be sent, or whose connection breaks, is sent again until ``patience_s`` has passed, and one
    that the service has no room for as often as it takes; the same request has the same answer.

    Args:
        address: of the service, such as ``http://127.0.0.1:8000``.
        token: that it was started with, if any; by default that of ``LEAN_AGENT_TOKEN``.
        patience_s: wall-clock seconds to wait for a service that does not answer.
        connections: requests under way at a time.

    Raises:
        LeanValueError: the address is none.
    """

    def __init__(
        self, address: str, token: str | None = None, *, patience_s: Seconds = 10.0, connections: int = 256
    ) -> None:
        parts = urlsplit(address)
        if not (is_address(address) and parts.hostname):
            raise LeanValueError(f"{address!r} is no address of a service; write http://HOST:PORT.")
        self.address = address.rstrip("/")
        super().__init__("Lean client")
        self._patience_s = patience_s
        token = token or os.environ.get(TOKEN_VARIABLE)
        self._http = httpx.AsyncClient(
            base_url=self.address,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(None, connect=patience_s),  # the service has limits of its own
            transport=httpx.AsyncHTTPTransport(
                limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
                socket_options=_ALIVE,
            ),
        )
        self._about: Json = {}

    # -- requests

    async def _ask(self, path: str, body: Json | None = None) -> Json:
        """Return the service's answer.

        Raises:
            LeanUnreachable: there was none, or none for this client.
            LeanError: the one that the answer is.
        """
        until, wait_s = _now() + self._patience_s, _FIRST_WAIT_S
        while True:
            try:
                method = "GET" if body is None else "POST"
                answer = await self._http.request(method, path, json=body)
                if _is_stopping(answer):
                    raise httpx.RemoteProtocolError("it is being stopped")
            except httpx.TransportError as error:
                if _now() + wait_s > until:
                    words = f"The Lean service at {self.address} does not answer: {str(error) or type(error).__name__}."
                    raise LeanUnreachable(words) from error
                await asyncio.sleep(wait_s)
                wait_s *= 2
                continue
            if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
                await asyncio.sleep(float(answer.headers.get("Retry-After", _FIRST_WAIT_S)))
                continue
            return _read(answer, self.address)

    async def _results(self, path: str, body: Json, timeout_s: float | None = None) -> list[Json]:
        limit = {} if timeout_s is None else {"timeout_s": timeout_s}
        results: list[Json] = (await self._ask(path, body | limit))["results"]
        return results

    @property
    @override
    def workers(self) -> int:
        return int(self._facts()["workers"])

    @property
    @override
    def version(self) -> str:
        return str(self._facts()["version"])

    def _facts(self) -> Json:
        """Return what the service says of itself, asked once."""
        if not self._about:
            self._about = self.loop.run(self._ask("/v1/server"))
        return self._about

    # -- goals

    @override
    async def goal_starts_async(
        self, origins: Sequence[Origin], *, timeout_s: Seconds | None = None
    ) -> list[GoalState | LeanError]:
        if not origins:
            return []
        body = {"origins": [_origin_form(origin) for origin in origins]}
        return [result_of(result) for result in await self._results("/v1/goals/start", body, timeout_s)]

    @override
    async def goal_tactics_async(
        self, pairs: Sequence[tuple[GoalState, str]], *, timeout_s: Seconds | None = None
    ) -> list[TacticResult]:
        async def ask(indices: Sequence[int], whole: bool) -> list[Json]:
            steps = [{"state": _name(pairs[i][0], whole), "tactic": pairs[i][1]} for i in indices]
            return await self._results("/v1/goals/tactics", {"steps": steps}, timeout_s)

        return [result_of(result) for result in await self._known(len(pairs), ask)]

    @override
    async def goal_splits_async(self, states: Sequence[GoalState]) -> list[list[GoalState] | LeanError]:
        async def ask(indices: Sequence[int], whole: bool) -> list[Json]:
            return await self._results("/v1/goals/splits", {"states": [_name(states[i], whole) for i in indices]})

        return [
            error_of(result["error"]) if "error" in result else [_state_of(part) for part in result["states"]]
            for result in await self._known(len(states), ask)
        ]

    @override
    async def goal_lemmas_async(
        self, states: Sequence[GoalState], *, most: int = 6, laws: int = 0, own: int = 0
    ) -> list[tuple[GoalLemma, ...] | LeanError]:
        async def ask(indices: Sequence[int], whole: bool) -> list[Json]:
            named = [_name(states[i], whole) for i in indices]
            return await self._results("/v1/goals/lemmas", {"states": named, "most": most, "laws": laws, "own": own})

        return [
            error_of(result["error"]) if "error" in result else LEMMAS.validate_python(result["lemmas"])
            for result in await self._known(len(states), ask)
        ]

    @override
    async def goal_consequences_async(
        self, states: Sequence[GoalState], *, most: int = 8
    ) -> list[tuple[Consequence, ...] | LeanError]:
        async def ask(indices: Sequence[int], whole: bool) -> list[Json]:
            named = [_name(states[i], whole) for i in indices]
            return await self._results("/v1/goals/consequences", {"states": named, "most": most})

        return [
            error_of(result["error"]) if "error" in result else CONSEQUENCES.validate_python(result["consequences"])
            for result in await self._known(len(states), ask)
        ]

    async def _known(self, count: int, ask: Any) -> list[Json]:
        """Return the service's results for so many items, asked by the keys of their states, and once more with the
        whole states where it knows the keys no more."""
        if not count:
            return []
        results: list[Json] = await ask(range(count), False)
        unknown = [i for i, result in enumerate(results) if _is_unknown(result)]
        if unknown:
            for i, result in zip(unknown, await ask(unknown, True), strict=True):
                results[i] = result
        return results

    @override
    async def release_async(self, states: Sequence[GoalState]) -> None:
        if states:
            await self._ask("/v1/goals/release", {"states": [state.key for state in states]})

    # -- files and texts

    @override
    async def trace_file_async(self, project: LeanProject, file_path: str) -> TracedFile:
        return traced_file_of(await self._ask("/v1/trace", _file_form(project, file_path)))

    @override
    async def variants_async(
        self, project: LeanProject, file_path: str, theorems: Sequence[str]
    ) -> tuple[Conjecture, ...]:
        body = {**_file_form(project, file_path), "theorems": list(theorems)}
        return CONJECTURES.validate_python((await self._ask("/v1/variants", body))["variants"])

    @override
    async def check_async(
        self, text: str, *, project: LeanProject | None = None, timeout_s: Seconds | None = None
    ) -> tuple[LeanMessage, ...]:
        body = {"text": text, "project": _project_form(project), "timeout_s": timeout_s}
        return messages_of((await self._ask("/v1/check", body))["messages"])

    @override
    async def verify_async(self, site: TheoremSite, proof: str, **options: Any) -> Verdict:
        body = {"site": _origin_form(site), "proof": proof, **_plain(options)}
        return verdict_of(await self._ask("/v1/verify", body))

    @override
    async def verify_file_async(self, project: LeanProject, file_path: str, **options: Any) -> FileVerdict:
        body = {**_file_form(project, file_path), **_plain(options)}
        return file_verdict_of(await self._ask("/v1/verify/file", body))

    @override
    async def verify_text_async(self, text: str, *, project: LeanProject | None = None, **options: Any) -> FileVerdict:
        body = {"text": text, "project": _project_form(project), **_plain(options)}
        return file_verdict_of(await self._ask("/v1/verify/text", body))

    @override
    async def declarations_async(self, names: Sequence[str], **options: Any) -> list[DeclarationInfo | None]:
        body = {"names": list(names), **_plain(options)}
        return DECLARATIONS.validate_python((await self._ask("/v1/declarations", body))["declarations"])

    @override
    async def matches_async(self, pattern: str, **options: Any) -> Matches:
        return MATCHES.validate_python(await self._ask("/v1/matches", {"pattern": pattern, **_plain(options)}))

    @override
    def module_path(self, project: LeanProject, file_path: str) -> Path:
        return Path(self.loop.run(self._ask("/v1/project", _file_form(project, file_path)))["module_path"])

    @override
    def package_folders(self, project: LeanProject) -> tuple[Path, ...]:
        answer = self.loop.run(self._ask("/v1/project", _file_form(project)))
        return tuple(map(Path, answer["package_folders"]))

    @override
    def under_way(self, project: LeanProject) -> dict[str, int]:
        return dict(self.loop.run(self._ask("/v1/project", _file_form(project)))["under_way"])

    @override
    async def _shut_down(self) -> None:
        await asyncio.gather(*self.loop.cancel_work(), return_exceptions=True)
        await self._http.aclose()


def _now() -> float:
    return asyncio.get_running_loop().time()


def _read(answer: httpx.Response, address: str) -> Json:
    """Return what an answer says.

    Raises:
        LeanUnreachable: it is no answer of a service, or not to this client.
        LeanError: the one that it is.
    """
    try:
        body = answer.json()
        if answer.is_success:
            return dict(body)
        error: Json = body["error"]
        message = str(error["message"])
    except (ValueError, TypeError, KeyError):
        words = f"What answers at {address} is no Lean service: status {answer.status_code}."
        raise LeanUnreachable(words) from None
    if answer.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
        raise LeanUnreachable(message)
    failure = error_of(error)
    raise failure if type(failure) is not LeanError else LeanRequestError(message)


def _is_stopping(answer: httpx.Response) -> bool:
    """Check whether a service was stopped before it had an answer; one whose Lean does not start names its error."""
    if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
        return False
    try:
        return answer.json()["error"]["type"] not in ERRORS
    except (ValueError, TypeError, KeyError):
        return True


def _is_unknown(result: Json) -> bool:
    error = result.get("error")
    return error is not None and error["type"] == UnknownState.__name__


def _state_of(form: Json) -> GoalState:
    state = result_of({"state": form})
    assert isinstance(state, GoalState)
    return state


def _name(state: GoalState, whole: bool) -> Any:
    return {"origin": _origin_form(state.origin), "script": list(state.script)} if whole else state.key


def _origin_form(origin: Origin) -> Any:
    if isinstance(origin, str):
        return origin
    if isinstance(origin, Subgoals):
        return {
            "origin": _origin_form(origin.origin),
            "script": list(origin.script),
            "goals": list(origin.goals),
        }
    return {
        "project": project_form(origin.project),
        "file_path": origin.file_path,
        "full_name": origin.full_name,
        "position": origin.position,
        "may_use_open": origin.may_use_open,
        "may_use_axioms": origin.may_use_axioms,
        "run": origin.run,
    }


def _project_form(project: LeanProject | None) -> Json | None:
    return None if project is None else project_form(project)


def _file_form(project: LeanProject, file_path: str = "A.lean") -> Json:
    return {"project": project_form(project), "file_path": file_path}


def _plain(options: Json) -> Json:
    plain = {name: list(value) if name == "allowed_axioms" else value for name, value in options.items()}
    return plain | ({"project": _project_form(options["project"])} if "project" in options else {})
