"""What a request that fails is answered with: a status code and one sentence, in one form.

``{"error": {"type": …, "message": …}}``, where ``type`` is the name of one of our errors (:mod:`lean_agent.errors`) or
that of HTTP's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from lean_agent.errors import (
    ConfigError,
    DatabaseError,
    LeanAgentError,
    LeanInstallError,
    LeanProcessDied,
    LeanRequestError,
    LeanStartupError,
    LeanTimeout,
    LeanTypeError,
    LeanValueError,
    TacticFailure,
    TraceError,
)
from lean_agent.lean.remote.wire import error_form

CLIENT_GONE = 499
"""The status in the log of a request whose client has not waited for the answer."""
RETRY_AFTER_S = 1
STOPPED = HTTPStatus.SERVICE_UNAVAILABLE.phrase
"""The type of the answer to a request that the end of the service has cut off."""

_STATUS: Sequence[tuple[type[LeanAgentError], HTTPStatus]] = (
    (LeanTypeError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (LeanValueError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (LeanRequestError, HTTPStatus.BAD_REQUEST),
    (TacticFailure, HTTPStatus.BAD_REQUEST),
    (TraceError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (ConfigError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (LeanTimeout, HTTPStatus.GATEWAY_TIMEOUT),
    (LeanProcessDied, HTTPStatus.BAD_GATEWAY),
    (LeanStartupError, HTTPStatus.SERVICE_UNAVAILABLE),
    (LeanInstallError, HTTPStatus.SERVICE_UNAVAILABLE),
    (DatabaseError, HTTPStatus.SERVICE_UNAVAILABLE),
)

_OF_THE_FRAMEWORK = {
    HTTPStatus.NOT_FOUND.phrase: "There is nothing at this address; /docs lists what there is.",
    HTTPStatus.METHOD_NOT_ALLOWED.phrase: "This address takes requests of another method; /docs lists them.",
    "There was an error parsing the body": "The body is no JSON that can be read: too deep, or not in UTF-8.",
}
"""What FastAPI says by itself, and what is said instead."""


class ClientGone(Exception):
    """Nobody waits for the answer any more."""


def refusal(status: HTTPStatus, sentence: str, **headers: str) -> HTTPException:
    """Return the error that ends a request with a status and a sentence; ``_`` in names of headers stands for ``-``."""
    return HTTPException(status, sentence, {name.replace("_", "-"): value for name, value in headers.items()})


def sentence_response(status: int, kind: str, sentence: str, headers: Any = None) -> Response:
    """Return an answer in the form of all failures."""
    return JSONResponse({"error": {"type": kind, "message": sentence}}, status, headers)


def install_handlers(app: FastAPI) -> None:
    """Have every error answered in one form."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _refused)
    app.add_exception_handler(LeanAgentError, _failed)
    app.add_exception_handler(ClientGone, _gone)
    app.add_exception_handler(Exception, _defect)


def outcome_of(error: Exception) -> tuple[int, str, str]:
    """Return the status, the type and the sentence that a failure is answered with.

    The first fault of a request is named. What was sent is not sent back: it may be large, or no text at all.
    """
    if isinstance(error, HTTPException):
        status = HTTPStatus(error.status_code)
        return status, status.phrase, _OF_THE_FRAMEWORK.get(error.detail, error.detail)
    if isinstance(error, RequestValidationError):
        fault = error.errors()[0]
        if fault["type"] == "json_invalid":
            return HTTPStatus.BAD_REQUEST, "Bad Request", f"The body is no JSON: {_ended(fault['msg'])}"
        place = ".".join(map(str, fault["loc"][1:])) or "the body"
        words = f"{place}: {_ended(fault['msg'].removeprefix('Value error, '))}"
        return HTTPStatus.UNPROCESSABLE_ENTITY, "Unprocessable Content", words
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    return status, type(error).__name__, str(error)


async def _refused(_: Request, error: Exception) -> Response:
    return sentence_response(*outcome_of(error), getattr(error, "headers", None))


async def _failed(_: Request, error: Exception) -> Response:
    return JSONResponse({"error": error_form(error)}, outcome_of(error)[0])


async def _gone(_: Request, error: Exception) -> Response:
    return Response(status_code=CLIENT_GONE)


async def _defect(_: Request, error: Exception) -> Response:
    words = "Something went wrong in the service; its log says what."
    return sentence_response(HTTPStatus.INTERNAL_SERVER_ERROR, "Internal Server Error", words)


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?")) else f"{sentence}."
