"""``lean-agent retrieval …``: premises for goals, and how good they are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lean_agent.cli.options import DatabasePath, RetrieverName, Workers
from lean_agent.wording import counted

app = typer.Typer(
    no_args_is_help=True,
    help="Premises for goals: where they come from, how many of them are found.",
    epilog="Example: lean-agent retrieval recall data",
)


@app.command()
def library(database: DatabasePath = None, workers: Workers = 2) -> None:
    """Store the theorems and definitions of Lean's own library, Init and Std, in the database.

    From then on they are premises like those of repositories: in exports, in `recall`, and for `--premises` of train
    and prove. Lean is asked for them, which takes a minute or two; doing it again replaces what was stored.

    Example: lean-agent retrieval library
    """
    from lean_agent.cli.commands.database import open_database
    from lean_agent.database.library import read_library
    from lean_agent.lean.pool import LeanPool

    with open_database(database) as opened, LeanPool(workers=workers) as lean:
        opened.store_library(lean.version, read_library(lean))
        kept = opened.library()
    assert kept is not None
    premises, modules = counted(kept.premises, "premise"), counted(kept.modules, "module")
    print(f"Lean {kept.lean_version}: {premises} in {modules} of its library")


@app.command()
def recall(
    data: Annotated[Path, typer.Argument(metavar="FOLDER", help="What `lean-agent export leandojo` wrote.")],
    split: Annotated[str, typer.Option(help="The split whose theorems are measured.")] = "novel_premises/test",
    at: Annotated[list[int] | None, typer.Option("--k", min=1, help="May be repeated. By default 1 and 10.")] = None,
    encoder: Annotated[
        str | None, typer.Option(help="A HuggingFace encoder by itself, a folder or a name, in place of --retriever.")
    ] = None,
    retriever: RetrieverName = "bm25",
) -> None:
    """Measure recall@k: the share of a tactic's premises that are among the first k for the state before it.

    The premises that the theorem can use are ranked: what its file imports and what stands before it. Those of Lean's
    own library are among them if `retrieval library` was run before the export. Uses of premises outside the corpus are
    counted apart. A retriever that looks at what proofs have used knows those of the split's training theorems.

    Example: lean-agent retrieval recall data --k 1 --k 10

    What a training has written: lean-agent retrieval recall data --retriever outputs
    """
    from lean_agent.policy.retrieval import (
        DenseRanker,
        PremiseCorpus,
        PremiseRetriever,
        check_retriever,
        load_ranker,
        measure_recall,
        premises_of_entries,
    )

    theorems = _split(data, split)
    check_retriever(retriever)
    corpus = PremiseCorpus.read(data)
    train = f"{split.partition('/')[0]}/train"
    parts = [train] if train != split and (data / f"{train}.json").is_file() else []
    proofs = (proof for part in parts for proof in premises_of_entries(_split(data, part)))
    ranker = DenseRanker(corpus, encoder) if encoder else load_ranker(retriever, corpus, proofs)
    measured = measure_recall(PremiseRetriever(corpus, ranker), theorems, tuple(at or (1, 10)))
    name = encoder or ("BM25" if retriever == "bm25" else retriever)
    size = f"{counted(len(theorems), 'theorem')}, {counted(len(corpus.documents), 'premise')}"
    print(f"{name} on {split}: {size} in the corpus")
    for k, share in measured.at.items():
        print(f"Recall@{k}: {share:.1%}")
    print(f"MRR: {measured.mean_reciprocal_rank:.3f}")
    over = f"{counted(measured.states, 'tactic')} with {counted(measured.premises, 'premise')} of the corpus"
    print(f"over {over}; {measured.outside:,} uses are of premises outside it")


def _split(data: Path, name: str) -> list[dict[str, Any]]:
    """Read the theorems of a part of a split.

    Raises:
        ConfigError: it is not there, or does not read as one.
    """
    import json

    from lean_agent.errors import ConfigError, words_of

    path = data / f"{name}.json"
    try:
        theorems: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{path} does not read as a split ({words_of(error)}); `lean-agent export leandojo` writes one."
        ) from error
    return theorems
