"""``lean-agent search …``: look at saved searches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from lean_agent.cli.options import named, number
from lean_agent.registry import PRIORITIES, SEARCHES

app = typer.Typer(
    no_args_is_help=True,
    help="Look at searches that `prove --save-trees` has saved.",
    epilog="Example: lean-agent search list runs/latest/trees",
)

SearchName = Annotated[
    str, named(SEARCHES, "--search", help="How the search goes on (portfolio divides the budget among several):")
]
PriorityName = Annotated[
    str, named(PRIORITIES, "--priority", help="What best_first and beam rank states by:", without=("value",))
]
Closers = Annotated[
    bool, typer.Option("--closers", help="Try common closing tactics at every new state before the model is asked.")
]
# What a search may cost: for each theorem, and for all theorems together, of the same things.
Expansions = Annotated[int, typer.Option(min=1, help="States expanded for each theorem.")]
LeanCalls = Annotated[
    int, typer.Option(min=1, help="Lean calls for each theorem: its start, every tactic, the verification.")
]
Seconds = Annotated[float, number(above=0, help="Seconds for each theorem; the first limit reached ends its search.")]
Tokens = Annotated[
    int | None, typer.Option(min=1, help="Tokens that the model writes for each theorem; by default no limit.")
]
TotalExpansions = Annotated[
    int | None, typer.Option(min=1, help="States expanded for all theorems together; by default no limit.")
]
TotalLeanCalls = Annotated[
    int | None,
    typer.Option(
        min=1, help="Lean calls for all theorems together: starts, tactics, verifications; by default no limit."
    ),
]
TotalSeconds = Annotated[float | None, number(above=0, help="Seconds for all theorems together; by default no limit.")]
TotalTokens = Annotated[
    int | None, typer.Option(min=1, help="Tokens that the model writes for all theorems together; by default no limit.")
]
WriteBack = Annotated[
    Literal["patch", "branch"] | None,
    typer.Option(help="patch: put proofs into files that are as committed; branch: on a new git branch."),
]

Trees = Annotated[
    list[Path], typer.Argument(metavar="FILE|FOLDER…", help="Saved searches, or folders of them.", show_default=False)
]


@app.command("list")
def list_searches(trees: Trees) -> None:
    """A line for each search: how it ended, and what it cost.

    Example: lean-agent search list runs/latest/trees
    """
    from lean_agent.prover.saved.pages import summary
    from lean_agent.prover.saved.trees import find_searches, load_search

    for path in find_searches(trees):
        print(summary(load_search(path)))


@app.command()
def show(
    tree: Annotated[Path, typer.Argument(metavar="FILE", help="A saved search.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write one page for a browser instead of text.")
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List the tactics that failed, too.")] = False,
) -> None:
    """The tree of a search: as text, or as one self-contained HTML page.

    Example: lean-agent search show runs/latest/trees/logic-5e1f0a3b/Logic/Logic.swap.jsonl --html swap.html
    """
    from lean_agent.files import write_atomically
    from lean_agent.prover.saved.pages import as_html, as_text
    from lean_agent.prover.saved.trees import load_search

    search = load_search(tree)
    if html is None:
        print(as_text(search, failures=failures), end="")
    else:
        write_atomically(html, as_html(search).encode())
        print(f"The page: {html}")
