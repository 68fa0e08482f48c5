"""How often each closing scheme was a step of a proof, over searches whose trees were saved: what
:data:`lean_agent.policy.closers.schemes.CLOSING_SCHEMES` says of them.

lean-agent prove REPOSITORY --save-trees --runs-dir RUNS      # for some repositories; then
python benchmarks/worth.py RUNS                               # a table of schemes, the likeliest first

Of each scheme the first tactic that was tried at a state is told from the second, the third and later ones: the last
columns are the shares of each that were steps.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Column, Table

from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, scheme_of
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch, find_searches, load_search
from lean_agent.prover.searches.best_step import AT_ONCE
from lean_agent.prover.tree.alternatives import all_tried
from lean_agent.prover.tree.graph import Failure

LONGEST = 60
OTHER = "(none of these)"
TOGETHER = f"first | {' | '.join(AT_ONCE)}"
PLACE_NAMES = ("1st", "2nd", "3rd", "later")


@dataclass
class Worth:
    """What became of the tactics of a scheme that had one place among those of the scheme at their states."""

    tried: int = 0
    worked: int = 0
    steps: int = 0
    timeouts: int = 0


def measured(searches: Iterable[SavedSearch]) -> dict[tuple[str, int], Worth]:
    """Return it by scheme and place, from 0. A step is what leads from a state of the proof to such states alone: of
    two tactics that close one both are, though the proof has one (:attr:`SavedEdge.proves`)."""
    table: defaultdict[tuple[str, int], Worth] = defaultdict(Worth)
    for search in searches:
        on_proof = {(node.graph, node.id) for node in search.nodes if node.on_proof}
        for node in search.nodes:
            before: Counter[str] = Counter()
            for tried in _tried(node):
                scheme = _scheme(tried.tactic, node.goals[0])
                worth = table[scheme, min(before[scheme], len(PLACE_NAMES) - 1)]
                before[scheme] += 1
                worth.tried += 1
                if isinstance(tried, Failure):
                    worth.timeouts += tried.kind == "timeout"
                    continue
                worth.worked += 1
                is_step = (node.graph, node.id) in on_proof
                worth.steps += is_step and all((node.graph, target) in on_proof for target in tried.targets)
    return dict(table)


def _scheme(tactic: str, goal: str) -> str:
    if len(ways := all_tried(tactic)) > 1 and {*AT_ONCE}.issuperset(ways):
        return TOGETHER
    return scheme_of(tactic, goal, CLOSING_SCHEMES) or OTHER


def _tried(node: SavedNode) -> Sequence[SavedEdge | Failure]:
    """Return the tactics that a policy has proposed at a state, the likeliest first."""
    if not node.goals:
        return []
    tried: list[SavedEdge | Failure] = [*node.edges, *node.failures]
    return sorted((each for each in tried if each.proposed_by == "policy"), key=lambda each: -each.logprob)


def table_of(worths: dict[tuple[str, int], Worth]) -> Table:
    """Return a row for each scheme, the one of which the first tactics are steps most often first."""
    table = Table(Column("scheme", no_wrap=True), "tried", "worked", "steps", "stopped", *PLACE_NAMES)
    schemes = dict.fromkeys(scheme for scheme, _ in worths)

    def share(scheme: str, place: int) -> float:
        worth = worths.get((scheme, place))
        return worth.steps / worth.tried if worth else 0.0

    for scheme in sorted(schemes, key=lambda scheme: -share(scheme, 0)):
        rows = [worth for (of, _), worth in worths.items() if of == scheme]
        sums = [sum(getattr(worth, name) for worth in rows) for name in ("tried", "worked", "steps", "timeouts")]
        shares = [
            f"{share(scheme, place):.3f}" if (scheme, place) in worths else "" for place in range(len(PLACE_NAMES))
        ]
        table.add_row(scheme if len(scheme) <= LONGEST else f"{scheme[: LONGEST - 1]}…", *map(str, sums), *shares)
    return table


def _searches(places: Sequence[Path]) -> Iterator[SavedSearch]:
    return map(load_search, find_searches(places))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="folders with saved trees, or trees")
    Console(width=LONGEST + 68, emoji=False).print(
        table_of(measured(_searches(parser.parse_args().runs))), markup=False
    )


if __name__ == "__main__":
    main()
