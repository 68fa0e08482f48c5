"""The line protocol of ``pantograph-repl`` on a pair of streams, over embedded Lean.

A line is ``command {payload}`` or ``{"cmd": …, "payload": …}``; each gets one line back, errors as ``{error, desc}``.
An empty line ends it. The first line out is ``ready.``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from lean_agent.errors import LeanError, LeanTimeout
from lean_agent.lean.pantograph.session import Session, error
from lean_agent.lean.pool import LeanPool

Json = dict[str, Any]


def parse_line(line: str) -> tuple[str, Json]:
    """Return the command and the payload of a line.

    Raises:
        ValueError: it is neither form of a command.
    """
    if line.startswith("{"):
        whole = _parsed(line)
        cmd, payload = whole.get("cmd"), whole.get("payload")
    else:
        cmd, _, rest = line.partition(" ")
        payload = _parsed(rest) if rest.strip() else {}
    if not isinstance(cmd, str) or not isinstance(payload, dict):
        raise ValueError("a command is a name with a JSON object, or an object with cmd and payload")
    return cmd, payload


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def answer_line(session: Session, line: str) -> Json:
    """Answer one line. Whatever goes wrong is an answer."""
    try:
        cmd, payload = parse_line(line)
    except ValueError as e:
        return error("command", f"Unable to parse: {e}")
    try:
        return session.run(cmd, payload)
    except LeanTimeout as e:
        return error("internal", f"interrupt: {e}")
    except LeanError as e:
        return error("main", str(e))


def serve(modules: Sequence[str], core_options: Sequence[str], lines: Iterable[str], out: TextIO) -> None:
    """Answer lines until there is none, or an empty one.

    Raises:
        LeanError: Lean does not come up, or a module is not there.
    """
    with LeanPool(1) as pool:
        session = Session(pool, modules, core_options)
        first = session.run("stat", {})
        if "error" in first:
            raise LeanError(first["desc"])
        print("ready.", file=out, flush=True)
        for line in lines:
            if not line.strip():
                return
            answer = answer_line(session, line.strip())
            indent = 2 if session.options["printJsonPretty"] else None
            print(json.dumps(answer, ensure_ascii=False, indent=indent), file=out, flush=True)
