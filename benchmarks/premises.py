"""How many premises of held-out theorems are among the first: BM25, learnt features, an encoder, and sums of them.

Trains on one split of an export by `lean-agent export leandojo` (by default that of the newest demo run), measures on
its test theorems, and draws these anew for the intervals. Mark: recall@10 of the learnt ranker is at least 1.2 times
BM25's on novel_premises, where every theorem uses a premise that no training proof has used.

    python benchmarks/premises.py DATA [--split novel_premises] [--seeds 3] [--encoder]
    python benchmarks/premises.py DATA --only folds    # weights of half of the repositories, measured on the others
    python benchmarks/premises.py DATA --only ship     # weights of all of them, for the package
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from marks import Mark, show
from numpy.typing import NDArray

from lean_agent.policy.retrieval import BM25Ranker, DenseRanker, HybridRanker, LearntRanker, PremiseCorpus
from lean_agent.policy.retrieval.corpus import text_of
from lean_agent.policy.retrieval.learnt import SHIPPED, WEIGHTS
from lean_agent.policy.retrieval.near_proofs import NearProofs, premises_of_entries
from lean_agent.policy.retrieval.rankers import Ranker
from lean_agent.policy.retrieval.recall import PremiseUse, premise_uses, ranks, reciprocal_rank, share_found
from lean_agent.policy.retrieval.retriever import PremiseRetriever
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.tracing.project.repository import Repository
from lean_agent.trainer.retrieval_trainer import RetrievalTrainer

MARK = 1.2
RESAMPLES = 10_000
LEARNT = "learnt features"
Outcomes = NDArray[np.float64]
"""Of each use: recall@1, recall@10, reciprocal rank; ``[uses, 3]``."""


class Exported:
    """Stands for a database whose data are written already."""

    def export_merged_data(self, repos: Sequence[Any], path: Path) -> None:
        """Leave the data as they are."""


def main() -> None:
    """Print a row for each ranker of each split."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", type=Path, default=Path("runs/latest/data"))
    parser.add_argument(
        "--split", choices=("novel_premises", "random"), nargs="*", default=("novel_premises", "random")
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--encoder", action="store_true", help="train an encoder, too: minutes for each seed")
    parser.add_argument("--only", choices=("folds", "ship"))
    options = parser.parse_args()
    if not (options.data / "corpus.jsonl").is_file():
        print(f"{options.data} holds no export: run the demo, or give a folder of `lean-agent export leandojo`.")
        return
    corpus = PremiseCorpus.read(options.data)
    if options.only == "ship":
        return ship(options.data)
    if options.only == "folds":
        return measure_folds(corpus, options.data)
    print(f"{len(corpus.documents):,} premises; {options.seeds} seeds; intervals over theorems, 95 %")
    for split in options.split:
        measure(options.data, split, corpus, seeds=options.seeds, encoder=options.encoder)


def ship(data: Path) -> None:
    """Write weights that were learnt of all theorems to where the package reads them."""
    with tempfile.TemporaryDirectory() as folder:
        place = shutil.copy(fitted(data, all_theorems(data), Path(folder)) / WEIGHTS, SHIPPED)
    print(f"{place}: weights of the proofs of {data}")


def measure_folds(corpus: PremiseCorpus, data: Path) -> None:
    """Print how many of a whole proof's premises are found beside its first goal, and for how many proofs all of them,
    in repositories whose proofs have taught no weight; a theorem's own proof is never looked at."""
    theorems_of: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for theorem in all_theorems(data):
        theorems_of[theorem["url"]].append(theorem)
    names = sorted(theorems_of)
    middle = len(names) // 2
    folds = [[theorem for url in fold for theorem in theorems_of[url]] for fold in (names[:middle], names[middle:])]
    everything = NearProofs(corpus, premises_of_entries([*folds[0], *folds[1]]))
    ranked_by: dict[str, list[list[int]]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number, (learnt_of, measured) in enumerate(zip(folds, reversed(folds), strict=True)):
            weights = fitted(data, learnt_of, Path(folder) / str(number))
            rankers: dict[str, Ranker] = {
                "BM25": BM25Ranker(corpus),
                "learnt, no proof known": LearntRanker(corpus, weights),
                "learnt": LearntRanker(corpus, weights, everything),
            }
            uses = whole_proofs(corpus, measured)
            for name, ranker in rankers.items():
                ranked_by[name] += ranks(PremiseRetriever(corpus, ranker, facts=True), uses)
    for name, ranked in ranked_by.items():
        shares, whole = (
            [np.mean([share(each, k) for each in ranked]) for k in (8, 16)]
            for share in (share_found, lambda each, k: share_found(each, k) == 1)
        )
        print(
            f"{name}: of {len(ranked):,} proofs' premises {shares[0]:.1%} among the first 8, {shares[1]:.1%} among the "
            f"first 16; all of a proof's for {whole[0]:.1%} and {whole[1]:.1%}"
        )


def fitted(data: Path, theorems: Sequence[Mapping[str, Any]], folder: Path) -> Path:
    """Learn weights of these theorems' proofs; return their folder."""
    part = folder / "data" / "random"
    part.mkdir(parents=True)
    (part.parent / "corpus.jsonl").symlink_to((data / "corpus.jsonl").resolve())
    for name, of_part in (("train", theorems), ("val", ())):
        (part / f"{name}.json").write_text(json.dumps(list(of_part)), encoding="utf-8")
    return trained(folder / "weights", "", part.parent, "random")


def whole_proofs(corpus: PremiseCorpus, theorems: Sequence[Mapping[str, Any]]) -> list[PremiseUse]:
    """Return the first goal of each proof with all facts that can be used there and are used in it."""
    uses = []
    for proof in premises_of_entries(theorems):
        usable = corpus.accessible(proof.place) & corpus.is_fact
        names = frozenset(n for n in proof.names if any(usable[number] for number in corpus.by_name.get(n, ())))
        if names:
            uses.append(PremiseUse(proof.goal, proof.place, names, ""))
    return uses


def all_theorems(data: Path) -> list[Mapping[str, Any]]:
    """Return the theorems of all parts of a split."""
    return [theorem for part in ("train", "val", "test") for theorem in theorems(data, "random", part)]


def measure(data: Path, split: str, corpus: PremiseCorpus, *, seeds: int, encoder: bool) -> None:
    """Train and measure on one split."""
    uses, outside = premise_uses(corpus, theorems(data, split, "test"))
    print(f"\n{split}: {len(uses)} tactics, {outside} uses outside the corpus", flush=True)
    bm25 = BM25Ranker(corpus)
    basis = outcomes(corpus, bm25, uses)
    row(split, "BM25", [basis], basis, uses)
    by_name: dict[str, list[Outcomes]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(seeds):
            place = Path(folder) / str(seed)
            learnt = LearntRanker(corpus, trained(place / "features", "", data, split, seed=seed))
            rankers: dict[str, Ranker] = {LEARNT: learnt}
            if encoder:
                model = tiny_encoder(place / "tiny", corpus, data, split, seed)
                dense = DenseRanker(corpus, trained(place / "encoder", str(model), data, split, seed=seed, lr=1e-3))
                rankers["encoder"] = dense
                rankers["BM25 + encoder"] = HybridRanker(bm25, dense)
                rankers["learnt features + encoder"] = HybridRanker(learnt, dense)
            for name, ranker in rankers.items():
                by_name[name].append(outcomes(corpus, ranker, uses))
                print(f"  seed {seed}, {name}: recall@10 {by_name[name][-1][:, 1].mean():.1%}", flush=True)
    for name, of_seeds in by_name.items():
        row(split, name, of_seeds, basis, uses)


def trained(folder: Path, model: str, data: Path, split: str, **settings: Any) -> Path:
    """Train a retriever on a split, and return its folder."""
    trainer = RetrievalTrainer(model, folder, split=split, progress=False, **settings)
    trainer.train([Repository("file:///exported", "0" * 40, "exported", data)], Exported(), data)
    return Path(trainer.model_path)


def tiny_encoder(folder: Path, corpus: PremiseCorpus, data: Path, split: str, seed: int) -> Path:
    """Make an untrained model of 0.6 M parameters whose tokenizer knows the goals and the premises of repositories."""
    goals = [
        tactic["state_before"] for theorem in theorems(data, split, "train") for tactic in theorem["traced_tactics"]
    ]
    own = [text_of(document) for document in corpus.documents if any(document.end)]
    return make_tiny_model([*goals, *own], folder, hidden_size=128, layers=2, seed=seed)


def theorems(data: Path, split: str, part: str) -> list[Mapping[str, Any]]:
    """Read a part of a split."""
    entries: list[Mapping[str, Any]] = json.loads((data / split / f"{part}.json").read_text(encoding="utf-8"))
    return entries


def outcomes(corpus: PremiseCorpus, ranker: Ranker, uses: Sequence[PremiseUse]) -> Outcomes:
    """Return what a ranker finds for each use."""
    found_at = ranks(PremiseRetriever(corpus, ranker), uses)
    return np.array([(share_found(each, 1), share_found(each, 10), reciprocal_rank(each)) for each in found_at])


def row(split: str, name: str, of_seeds: Sequence[Outcomes], basis: Outcomes, uses: Sequence[PremiseUse]) -> None:
    """Print the means over seeds, and recall@10 as a multiple of BM25's with its interval."""
    mean = np.mean(of_seeds, axis=0)
    first, ten, mrr = mean.mean(axis=0)
    low, high = interval(mean[:, 1], basis[:, 1], [f"{use.place} {use.theorem}" for use in uses])
    ratio = ten / basis[:, 1].mean()
    compared = "" if name == "BM25" else f", {ratio:.2f} times BM25's [{low:.2f}, {high:.2f}]"
    print(f"{name}: recall@1 {first:.1%}, recall@10 {ten:.1%}, MRR {mrr:.3f}{compared}", flush=True)
    if name == LEARNT:
        show(Mark(f"recall@10 of learnt features against BM25's, {split}", ratio, MARK, "times", "at least"))


def interval(values: Outcomes, basis: Outcomes, groups: Sequence[str]) -> tuple[float, float]:
    """Return where the ratio of the sums lies in 95 of 100 draws of theorems with replacement (paired)."""
    names, number = np.unique(groups, return_inverse=True)
    sums = np.stack([np.bincount(number, weights=column) for column in (values, basis)])
    drawn = np.random.default_rng(0).integers(0, len(names), size=(RESAMPLES, len(names)))
    above, below = sums[:, drawn].sum(axis=2)
    low, high = np.percentile(above / np.maximum(below, 1e-9), [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    main()
