"""Searches on disk: one JSON Lines file each.

The first line says whose search it was and how it ended; then comes a line for each node of each graph, with its goals
and with the tactics that worked and those that failed. What is saved can be read again without Lean, shown
(:mod:`lean_agent.prover.saved.pages`) and learnt from (:mod:`lean_agent.prover.saved.training_rows`).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import networkx as nx

from lean_agent.errors import ConfigError
from lean_agent.files import json_lines, write_atomically
from lean_agent.lean import html
from lean_agent.prover.searches.base import Search
from lean_agent.prover.tree.graph import Edge, Failure, Node, ProofGraph
from lean_agent.prover.tree.steps import render
from lean_agent.settings import checked

logger = logging.getLogger(__name__)

_KIND = "lean_agent search"
FORMAT = f"{_KIND} 1"


@dataclass(frozen=True, slots=True)
class SavedEdge:
    """A tactic that worked; see :class:`~lean_agent.prover.tree.graph.Edge`. ``proves``: the proof goes this way."""

    tactic: str
    logprob: float
    targets: tuple[int, ...]
    proposed_by: str = "policy"
    proves: bool = False


@dataclass(frozen=True, slots=True)
class SavedNode:
    """A state; see :class:`~lean_agent.prover.tree.graph.Node`.

    Attributes:
        graph: index of the graph that it belongs to: a portfolio has several.
        id: index in its graph.
        goals: as Lean prints them, the main goal first.
        on_proof: the proof of the root passes here.
    """

    graph: int
    id: int
    goals: tuple[str, ...]
    status: str
    solved: bool
    logprob: float
    depth: int
    parent: int | None = None
    value: float | None = None
    on_proof: bool = False
    edges: tuple[SavedEdge, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedSearch(html.InNotebooks):
    """A search, as a rule one that has ended.

    Attributes:
        status, expansions, lean_calls, failures, tokens, seconds: as in
            :class:`~lean_agent.prover.config.SearchResult`; or ``running``.
        script: the proof that was found, as tactics.
        nodes: of all its graphs, each graph's in the order of their ids.
    """

    theorem: str
    file_path: str
    prover: str
    search: str
    status: str
    script: tuple[str, ...] = ()
    expansions: int = 0
    lean_calls: int = 0
    failures: int = 0
    tokens: int = 0
    seconds: float = 0.0
    nodes: tuple[SavedNode, ...] = ()

    def graph(self) -> nx.MultiDiGraph[Any]:
        """Return all states and tactics as a networkx graph, for its algorithms and file formats.

        Nodes are named ``graph:id`` and edges carry their tactic; the edges of one tactic share the attribute ``step``.
        """
        graph: nx.MultiDiGraph[Any] = nx.MultiDiGraph(theorem=self.theorem, status=self.status)
        for node in self.nodes:
            graph.add_node(
                f"{node.graph}:{node.id}",
                text="\n\n".join(node.goals),
                status=node.status,
                solved=node.solved,
                logprob=node.logprob,
                on_proof=node.on_proof,
            )
        for node in self.nodes:
            for step, edge in enumerate(node.edges):
                for target in edge.targets or (f"solved by {step}",):
                    name = f"{node.graph}:{target}" if isinstance(target, int) else f"{node.graph}:{node.id} {target}"
                    graph.add_edge(
                        f"{node.graph}:{node.id}",
                        name,
                        tactic=edge.tactic,
                        logprob=edge.logprob,
                        proves=edge.proves,
                        step=step,
                    )
        return graph

    def _repr_html_(self) -> str:
        """Return each of its graphs as lists that open and close: states, with the tactics that worked between them."""
        labels: dict[tuple[int, ...], str] = {}
        children: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
        for node in self.nodes:
            failures = f" {html.faint(f'{len(node.failures)} tactics failed')}" if node.failures else ""
            state = html.verdict(True, "solved") if node.solved else html.faint(node.status)
            labels[node.graph, node.id] = html.code("\n\n".join(node.goals)) + " " + state + failures
            children[node.graph, node.id] = [(node.graph, node.id, step) for step, _ in enumerate(node.edges)]
            for step, edge in enumerate(node.edges):
                labels[node.graph, node.id, step] = (
                    f"<b>{html.code(edge.tactic)}</b> {html.faint(f'{edge.logprob:.2f}')}"
                )
                children[node.graph, node.id, step] = [(node.graph, target) for target in edge.targets]
        roots = sorted({(node.graph, 0) for node in self.nodes if node.id == 0})
        head = f"{self.search}: {self.status}, {self.lean_calls:,} Lean calls, {len(self.nodes):,} states"
        trees = [html.tree(root, labels, children) for root in roots]
        return html.stacked(html.code(self.theorem), html.faint(head), html.code("\n".join(self.script)), *trees)


def record_search(
    search: Search, *, theorem: str, file_path: str = "", prover: str = "", is_over: bool = True
) -> SavedSearch:
    """Return what there is to save of a search.

    Args:
        is_over: whether it has ended; one that has not is only looked at, between two of its rounds.
    """
    nodes = tuple(node for number, graph in enumerate(search.graphs) for node in _nodes(number, graph))
    cost, result = search.cost, search.result() if is_over else None  # to ask for a result has a search choose on
    return SavedSearch(
        theorem=theorem,
        file_path=file_path,
        prover=prover,
        search=search.name,
        status=result.status if result else "running",
        script=render(result.steps) if result else (),
        expansions=cost.expansions,
        lean_calls=cost.lean_calls,
        failures=result.failures if result else sum(len(node.failures) for node in nodes),
        tokens=cost.tokens,
        seconds=round(cost.seconds, 3),
        nodes=nodes,
    )


def save_search(path: Path, search: Search, *, theorem: str, file_path: str = "", prover: str = "") -> Path:
    """Write a search that has ended to ``path``, whole or not at all."""
    return write_search(path, record_search(search, theorem=theorem, file_path=file_path, prover=prover))


def write_search(path: Path, search: SavedSearch) -> Path:
    """Write a search to ``path``, whole or not at all."""
    saved = asdict(search)
    nodes = saved.pop("nodes")
    lines = [{"format": FORMAT, **saved, "nodes": len(nodes)}, *nodes]
    return write_atomically(path, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode())


@checked
def load_search(path: str | Path) -> SavedSearch:
    """Read a search back.

    Raises:
        ConfigError: there is no such file, it is no saved search, or it was cut short.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        head, *lines = [json.loads(line) for line in json_lines(text)]
        if head.pop("format") != FORMAT or head.pop("nodes") != len(lines):
            raise ValueError("its first line does not fit the rest")
        nodes = tuple(_node(line) for line in lines)
        return SavedSearch(**{**head, "script": tuple(head["script"]), "nodes": nodes})
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_search(path, error) from error


def _unreadable(path: str | Path, error: OSError) -> ConfigError:
    return ConfigError(f"{path} cannot be read ({error.strerror}).")


def _no_search(path: str | Path, error: Exception) -> ConfigError:
    return ConfigError(
        f"{path} is not a saved search of this version ({error}). `lean-agent prove … --save-trees` writes them."
    )


def search_as_json(path: Path) -> str:
    """Return a saved search as one JSON object, with the keys of :class:`SavedSearch`, without reading its states.

    Raises:
        ConfigError: there is no such file, it is no saved search, or it was cut short.
    """
    try:
        head, *lines = json_lines(path.read_text(encoding="utf-8"))
        values = json.loads(head)
        if values.pop("format") != FORMAT or values.pop("nodes") != len(lines):
            raise ValueError("its first line does not fit the rest")
        json.loads(lines[-1] if lines else "{}")  # what is cut short is so at its end
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _no_search(path, error) from error
    return f'{json.dumps(values, ensure_ascii=False)[:-1]}, "nodes": [{",".join(lines)}]}}'


def find_searches(places: Sequence[Path]) -> list[Path]:
    """Return the files of saved searches: those named, and those in the folders named, sorted.

    Other files of JSON Lines in these folders are passed over; a warning says how many.

    Raises:
        ConfigError: there is none.
    """
    searches: list[Path] = []
    others = 0
    for place in places:
        files = sorted(place.rglob("*.jsonl")) if place.is_dir() else [place]
        kept = [file for file in files if file == place or _says_so(file)]
        searches += kept
        others += len(files) - len(kept)
    if not searches:
        raise ConfigError(
            f"There is no saved search in {', '.join(map(str, places))}; `lean-agent prove … --save-trees`."
        )
    if others:
        logger.warning("Passed over %d other .jsonl file%s, with no saved search.", others, "s" * (others != 1))
    return searches


def _says_so(file: Path) -> bool:
    """Return whether a file's first line says that a search is saved there, whatever the version and the rest."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        try:
            return str(json.loads(lines.readline())["format"]).startswith(_KIND)
        except (ValueError, KeyError, TypeError):
            return False


def _nodes(number: int, graph: ProofGraph) -> Iterator[SavedNode]:
    proof = list(graph.proof_edges(graph.root)) if graph.root.is_solved else []
    edges = {id(edge) for edge in proof}
    nodes = {0, *(target for edge in proof for target in edge.targets)} if proof else set()
    for node in graph.nodes:
        yield _saved_node(number, node, edges, on_proof=node.id in nodes)


def _saved_node(number: int, node: Node, proof: set[int], *, on_proof: bool) -> SavedNode:
    def saved(edge: Edge) -> SavedEdge:
        proves = id(edge) in proof
        return SavedEdge(edge.tactic, round(edge.logprob, 4), edge.targets, edge.proposed_by, proves)

    return SavedNode(
        graph=number,
        id=node.id,
        goals=tuple(goal.text for goal in node.state.goals),
        status=node.status,
        solved=node.is_solved,
        logprob=round(node.logprob, 4),
        depth=node.depth,
        parent=node.parent.source if node.parent else None,
        value=node.value,
        on_proof=on_proof,
        edges=tuple(map(saved, node.edges)),
        failures=tuple(node.failures),
    )


def _node(line: dict[str, Any]) -> SavedNode:
    edges = tuple(SavedEdge(**{**edge, "targets": tuple(edge["targets"])}) for edge in line["edges"])
    failures = tuple(Failure(**failure) for failure in line["failures"])
    return SavedNode(**{**line, "goals": tuple(line["goals"]), "edges": edges, "failures": failures})
