"""A saved search as people look at it: text for a terminal, and one HTML page for a browser.

The page holds everything that it needs, and fetches nothing.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from importlib.resources import files

from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.wording import counted

_BODY_STYLE = (
    ":root { color-scheme: light dark; } h1 { font-size: 1.3rem; margin: 0 0 .2rem; overflow-wrap: anywhere; }"
    " body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; }"
)


def summary(search: SavedSearch) -> str:
    """Return one line: what was searched, how it ended, what it cost."""
    return (
        f"{search.theorem}: {search.status} ({search.prover or 'no prover'}, {search.search}; "
        f"{counted(len(search.nodes), 'state')}, {counted(search.expansions, 'expansion')}, "
        f"{counted(search.lean_calls, 'Lean call')}, "
        f"{search.failures} failed, {search.tokens} tokens, {search.seconds:.1f} s)"
    )


def as_text(search: SavedSearch, *, failures: bool = False) -> str:
    """Return the tree as text: each state under the tactic that led there first, ``*`` along the proof, ``✓`` where
    solved.

    Args:
        failures: whether tactics that failed are listed, with the first line of what Lean said.
    """
    lines = [summary(search), ""]
    by_id = {(node.graph, node.id): node for node in search.nodes}
    for number in sorted({node.graph for node in search.nodes}):
        shown: set[int] = set()
        open_nodes = [_node_lines(by_id[number, 0], 0, shown, failures=failures)]
        while open_nodes:  # no recursion: a tree may be deeper than Python allows calls
            for shown_next in open_nodes[-1]:
                if isinstance(shown_next, str):
                    lines.append(shown_next)
                else:
                    target, depth = shown_next
                    open_nodes.append(_node_lines(by_id[number, target], depth, shown, failures=failures))
                    break
            else:
                open_nodes.pop()
    if search.script:
        lines += ["", "Proof:", *("  " + line for tactic in search.script for line in tactic.splitlines())]
    return "\n".join(lines) + "\n"


def _node_lines(node: SavedNode, depth: int, shown: set[int], *, failures: bool) -> Iterator[str | tuple[int, int]]:
    """Yield the lines of a node and, where the lines of another belong between them, its id and depth."""
    indent = "  " * depth
    shown.add(node.id)
    for line in "\n\n".join(node.goals).splitlines():
        yield f"{indent}| {line}".rstrip()
    if node.value is not None:
        yield f"{indent}  (value {node.value:.2f})"
    for edge in node.edges:
        yield f"{indent}{'*' if edge.proves else '-'} {_one_line(edge.tactic)}  [{_percent(edge)}]{_where(edge)}"
        for target in edge.targets:
            if target in shown:
                yield f"{indent}    (state {target}, shown above)"
            else:
                yield target, depth + 2
    for failure in node.failures if failures else ():
        message = failure.message.strip().splitlines()[:1]
        yield f"{indent}x {_one_line(failure.tactic)}: {message[0] if message else failure.kind}"


def _where(edge: SavedEdge) -> str:
    return " ✓" if not edge.targets else f" -> {len(edge.targets)} goals apart" if len(edge.targets) > 1 else ""


def _percent(edge: SavedEdge) -> str:
    return f"{100 * math.exp(edge.logprob):.1f} %" if edge.proposed_by == "policy" else edge.proposed_by


def _one_line(tactic: str) -> str:
    return " ⏎ ".join(line.strip() for line in tactic.splitlines())


def as_html(search: SavedSearch) -> str:
    """Return one self-contained page: a map and an outline of the tree, tactics with their probabilities, failures, the
    proof's way marked, and the search as a film.

    Its script and styles are those of the service's pages (``tree.js``, ``tree.css``). Nothing else runs: the page's
    Content-Security-Policy names them by their hashes.
    """
    folder = files("lean_agent.prover.saved")
    template, style, script = (
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("page.html", "tree.css", "tree.js")
    )
    values = {
        "own_hash": _hash(_BODY_STYLE),
        "style_hash": _hash(style),
        "script_hash": _hash(script),
        "own": _BODY_STYLE,
        "style": style,
        "script": script,
        "title": html.escape(search.theorem),
        "summary": html.escape(summary(search)),
        # `</script>` in a tactic must not end the data
        "data": json.dumps(asdict(search), ensure_ascii=False).replace("<", "\\u003c"),
    }
    # in one pass: what a theorem's text holds is no place for another value
    return re.sub(r"\{\{(\w+)\}\}", lambda place: values[place[1]], template)


def _hash(text: str) -> str:
    """Return a text's name in a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
