"""Data of Mathlib's size, without Lean: what storing, splitting, exporting and retrieving cost for each theorem.

python benchmarks/scale.py                       # a tenth of Mathlib and the whole: some 20 minutes
python benchmarks/scale.py --sizes 0.01 0.1      # a hundredth and a tenth
python benchmarks/scale.py --sizes 1 10 --stages store open splits export
python benchmarks/scale.py --sizes 0.1 --stages export --profile

1 is the shape of LeanDojo Benchmark 4: 5,000 files, 120,000 theorems, 260,000 tactics and 170,000 premises. Each stage
runs in a process of its own, whose memory is the largest that it had. Times are the processor's, since a busy machine
stretches the others; wall-clock seconds stand beside them. A cost for each theorem is flat when it grows by at most 1.3
times from the smallest size to the largest.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from marks import Mark, show
from shapes.traces import THEOREMS, goals, path_of, theorem_name, traced_file

from lean_agent.database import DynamicDatabase
from lean_agent.database.near_duplicates import NearDuplicates, normal_form
from lean_agent.tracing import Repository

FILES = 5_000
ROWS = 500_000
QUERIES = 200
TOP = 100
FLAT = 1.3
EXPORT_S, EXPORT_MB, BM25_MS, OPEN_S = 360.0, 2_000, 15.0, 0.2
LIBRARY = Repository("https://example.org/library", "0" * 40, "library", Path("library"))


@dataclass(frozen=True, slots=True)
class Figures:
    """What a stage has cost.

    Attributes:
        items: theorems that it went through; goals or rows of some stages.
        cpu_s, wall_s: processor's and wall-clock seconds.
        peak_mb: the largest resident size of its process.
        grown_mb: of it what was not there when the stage began, its libraries loaded.
    """

    items: int
    cpu_s: float
    wall_s: float
    peak_mb: float
    grown_mb: float


class Clock:
    """Counts processor's and wall-clock seconds of what runs within."""

    def __init__(self) -> None:
        self.cpu_s = self.wall_s = 0.0
        self._began = (0.0, 0.0)

    def __enter__(self) -> Clock:
        self._began = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu_s += time.process_time() - self._began[0]
        self.wall_s += time.perf_counter() - self._began[1]


class Stages:
    """What is measured, over a folder that the first stage fills.

    Args:
        folder: of this size.
        files: how many the library has.
        rows: of the data set of search rows.
    """

    def __init__(self, folder: Path, files: int, rows: int) -> None:
        self.folder = folder
        self.files = files
        self.rows = rows
        self.theorems = files * THEOREMS
        self.clock = Clock()

    @property
    def path(self) -> Path:
        """The database."""
        return self.folder / "database.sqlite"

    def store(self) -> int:
        """Store every file; what makes them is not counted."""
        with DynamicDatabase(self.path) as database:
            database.add_repository(LIBRARY)
            for number in range(self.files):
                file = traced_file(number)
                with self.clock:
                    database.store_file(LIBRARY, file, str(number))
        return self.theorems

    def open(self) -> int:
        """Open the database."""
        with self.clock:
            DynamicDatabase(self.path).close()
        return 1

    def splits(self) -> int:
        """Decide every statement's split, near-duplicates first."""
        with DynamicDatabase(self.path) as database, self.clock:
            database.placements()
        return self.theorems

    def more_splits(self) -> int:
        """Decide the splits of one more file."""
        with DynamicDatabase(self.path) as database:
            number = self.files
            while True:  # a file that is not there yet, whenever the stage runs
                file = traced_file(number)
                if not database._rows("SELECT 1 FROM files WHERE path = ?", (file.path,)):
                    break
                number += 1
            database.store_file(LIBRARY, file, str(number))
            with self.clock:
                database.placements()
        return self.theorems

    def near(self) -> int:
        """Look for near-duplicates among all statements."""
        index = NearDuplicates()
        for number in range(self.files):
            for theorem in traced_file(number).theorems:
                with self.clock:
                    index.add(theorem.full_name, normal_form(theorem.type))
        return self.theorems

    def export(self) -> int:
        """Write the layout of LeanDojo Benchmark 4."""
        with DynamicDatabase(self.path) as database, self.clock:
            database.export_merged_data([LIBRARY], self.folder / "data", progress=False)
        return self.theorems

    def dynamic(self) -> int:
        """Write LeanDojo-v2's dynamic_database.json."""
        with DynamicDatabase(self.path) as database, self.clock:
            database.export_dynamic_database([LIBRARY], self.folder / "dynamic_database.json")
        return self.theorems

    def parquet(self) -> int:
        """Write the columns of Parquet."""
        with DynamicDatabase(self.path) as database, self.clock:
            database.export_merged_data([LIBRARY], self.folder / "parquet", "parquet", progress=False)
        return self.theorems

    def difficulty(self) -> int:
        """Rank repositories."""
        with DynamicDatabase(self.path) as database, self.clock:
            database.repositories_by_difficulty("premises")
        return self.theorems

    def show(self) -> int:
        """Show the repository, and a theorem by its name, as ``lean-agent db show`` does."""
        from lean_agent.cli.main import app

        for name in (LIBRARY.name, theorem_name(self.files // 2, 3)):
            with self.clock, open(os.devnull, "w") as nowhere:
                from contextlib import redirect_stdout

                with redirect_stdout(nowhere):
                    app(["db", "show", name, "--database", str(self.path)], standalone_mode=False)
        return self.theorems

    def named(self) -> int:
        """Look a theorem up by its name."""
        with DynamicDatabase(self.path) as database, self.clock:
            assert len(database.theorems_named(theorem_name(self.files // 2, 3))) == 1
        return 1

    def merge(self) -> int:
        """Take all of it over into an empty database."""
        with DynamicDatabase(self.folder / "merged.sqlite") as database, self.clock:
            database.merge(self.path)
        return self.theorems

    def bm25(self) -> int:
        """Build the index."""
        from lean_agent.policy.retrieval import BM25Ranker, PremiseCorpus

        with self.clock:
            BM25Ranker(PremiseCorpus.read(self.folder / "data"))
        return self.theorems

    def bm25_query(self) -> int:
        """Ask for the best premises of goals all over the library."""
        from lean_agent.policy.retrieval import PremiseCorpus
        from lean_agent.policy.retrieval.retriever import PremiseRetriever

        retriever = PremiseRetriever(PremiseCorpus.read(self.folder / "data"))
        self._ask(retriever)
        return QUERIES

    def learnt_query(self) -> int:
        """Ask the ranker that ships, which knows the proofs of the training split."""
        from lean_agent.policy.retrieval import PremiseCorpus, PremiseRetriever, load_ranker, premises_of_entries

        corpus = PremiseCorpus.read(self.folder / "data")
        theorems = json.loads((self.folder / "data" / "random" / "train.json").read_text(encoding="utf-8"))
        self._ask(PremiseRetriever(corpus, load_ranker("learnt", corpus, premises_of_entries(theorems))))
        return QUERIES

    def dense(self) -> int:
        """Encode the corpus with a small encoder."""
        from lean_agent.policy.retrieval import DenseRanker, PremiseCorpus

        corpus, encoder = PremiseCorpus.read(self.folder / "data"), self._encoder()
        with self.clock:
            DenseRanker(corpus, encoder, progress=False)
        return self.theorems

    def dense_query(self) -> int:
        """Ask the encoder, whose embeddings are in the cache."""
        from lean_agent.policy.retrieval import DenseRanker, PremiseCorpus
        from lean_agent.policy.retrieval.retriever import PremiseRetriever

        corpus = PremiseCorpus.read(self.folder / "data")
        self._ask(PremiseRetriever(corpus, DenseRanker(corpus, self._encoder(), progress=False)))
        return QUERIES

    def rows_of_searches(self) -> int:
        """Make the data set that SFT trains on, of rows that searches found."""
        from lean_agent.trainer.data.dataset import SFTDataset

        place = self.folder / "searches"
        if not (place / "random" / "train.json").is_file():
            write_rows(place, self.rows)
        with self.clock:
            rows = SFTDataset(place).to_hf(place / "columns")
        assert len(rows) == self.rows, len(rows)
        return self.rows

    def _ask(self, retriever: object) -> None:
        from lean_agent.policy.retrieval import PremiseRetriever
        from lean_agent.policy.retrieval.corpus import Place

        assert isinstance(retriever, PremiseRetriever)
        asked = [
            (goal, Place(LIBRARY.url, LIBRARY.commit, path_of(file), (150, 1)))
            for goal, file in goals(QUERIES + 16, self.files)
        ]
        retriever.retrieve([goal for goal, _ in asked[:16]], [place for _, place in asked[:16]], TOP)
        with self.clock:
            for at in range(16, len(asked), 8):  # as a search asks, with the goals of a round
                part = asked[at : at + 8]
                ranked = retriever.retrieve([goal for goal, _ in part], [place for _, place in part], TOP)
                assert all(len(premises) == TOP for premises in ranked)

    def _encoder(self) -> Path:
        from lean_agent.policy.tiny import make_tiny_model

        folder = self.folder / "encoder"
        if not folder.is_dir():
            texts = [theorem.type for number in range(20) for theorem in traced_file(number).theorems]
            make_tiny_model(texts, folder, hidden_size=64, layers=1)
        return folder


STAGES: dict[str, Callable[[Stages], int]] = {
    "store": Stages.store,
    "open": Stages.open,
    "splits": Stages.splits,
    "more splits": Stages.more_splits,
    "near-duplicates": Stages.near,
    "export": Stages.export,
    "dynamic database": Stages.dynamic,
    "parquet": Stages.parquet,
    "difficulty": Stages.difficulty,
    "show": Stages.show,
    "named": Stages.named,
    "merge": Stages.merge,
    "bm25": Stages.bm25,
    "bm25 query": Stages.bm25_query,
    "learnt query": Stages.learnt_query,
    "dense": Stages.dense,
    "dense query": Stages.dense_query,
    "search rows": Stages.rows_of_searches,
}
FLAT_STAGES = ("store", "splits", "near-duplicates", "export", "dynamic database", "parquet", "difficulty", "merge")
EXPORTS = ("export", "dynamic database", "parquet")


def write_rows(folder: Path, rows: int) -> None:
    """Write steps that searches found, in the layout that SFT reads."""
    (folder / "random").mkdir(parents=True, exist_ok=True)
    with (folder / "random" / "train.json").open("w", encoding="utf-8") as file:
        for number, entry in enumerate(found_entries(rows)):
            file.write(("[\n" if number == 0 else ",\n") + json.dumps(entry, ensure_ascii=False))
        file.write("\n]\n")


def found_entries(rows: int) -> Iterator[dict[str, object]]:
    """Yield theorems with steps that searches found, until there are so many steps."""
    number = 0
    while rows:
        for theorem in traced_file(number % FILES).theorems:
            tactics = theorem.tactics[:rows]
            rows -= len(tactics)
            if tactics:
                yield {
                    "url": LIBRARY.url,
                    "commit": LIBRARY.commit,
                    "file_path": path_of(number),
                    "full_name": theorem.full_name,
                    "theorem_statement": theorem.statement,
                    "start": [1, 1],
                    "end": [2, 1],
                    "proof": "",
                    "traced_tactics": [
                        {
                            "tactic": tactic.tactic,
                            "annotated_tactic": [tactic.tactic, []],
                            "state_before": tactic.state_before,
                            "state_after": tactic.state_after,
                            "step": tactic.step,
                            "position": -1,
                            "end_position": -1,
                        }
                        for tactic in tactics
                    ],
                }
        number += 1


def resident_mb() -> float:
    """Return the largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run_stage(name: str, stages: Stages, profile: bool) -> Figures:
    """Run a stage in this process."""
    random.seed(0)
    before = resident_mb()
    profiler = cProfile.Profile()
    items = profiler.runcall(STAGES[name], stages) if profile else STAGES[name](stages)
    if profile:
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(18)
    peak = resident_mb()
    return Figures(items, stages.clock.cpu_s, stages.clock.wall_s, peak, peak - before)


def measured(name: str, folder: Path, files: int, rows: int, profile: bool) -> Figures:
    """Run a stage in a process of its own."""
    command = [sys.executable, __file__, "--stage", name, "--folder", str(folder), f"--files={files}", f"--rows={rows}"]
    environment = {**os.environ, "LEAN_AGENT_CACHE": str(folder / "cache")}
    done = subprocess.run(
        [*command, *(["--profile"] if profile else [])], stdout=subprocess.PIPE, check=True, env=environment, text=True
    )
    return Figures(**json.loads(done.stdout.splitlines()[-1]))


def marks_of(sizes: list[float], figures: dict[str, list[Figures]]) -> Iterator[Mark]:
    """Yield the marks: costs that stay flat, and what the largest size may cost."""
    growth = f"from {sizes[0]:g} to {sizes[-1]:g} of Mathlib"
    for name in FLAT_STAGES:
        if len(sizes) > 1 and name in figures:
            first, last = (of_size.cpu_s / of_size.items for of_size in (figures[name][0], figures[name][-1]))
            yield Mark(f"{name}: cost of a theorem {growth}", last / first, FLAT, "times")
    for name in EXPORTS:
        if name in figures:
            yield Mark(f"{name}: time", figures[name][-1].cpu_s, EXPORT_S, "s of the processor")
            yield Mark(f"{name}: memory", figures[name][-1].peak_mb, EXPORT_MB, "MB")
    if "open" in figures:
        yield Mark("opening the database", figures["open"][-1].wall_s, OPEN_S, "s")
    if "bm25 query" in figures:
        asked = figures["bm25 query"][-1]
        yield Mark(f"BM25's first {TOP} premises of a goal", 1000 * asked.cpu_s / asked.items, BM25_MS, "ms")


def main() -> None:
    """Measure the sizes, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=float, nargs="+", default=[0.1, 1.0], help="as multiples of Mathlib's")
    parser.add_argument("--stages", nargs="+", choices=[*STAGES], default=[*STAGES], metavar="STAGE")
    parser.add_argument("--rows", type=int, default=ROWS, help="of searches, at the largest size")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="what is made stays there, and is not made again")
    parser.add_argument("--profile", action="store_true", help="print where the time of each stage goes")
    parser.add_argument("--stage", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--files", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.stage:
        stages = Stages(options.folder, options.files, options.rows)
        print(json.dumps(asdict(run_stage(options.stage, stages, options.profile))))
        return
    figures: dict[str, list[Figures]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in options.sizes:
            folder = (options.keep or Path(scratch)) / f"{size:g}"
            folder.mkdir(parents=True, exist_ok=True)
            files, rows = max(1, round(FILES * size)), max(1, round(options.rows * size / max(options.sizes)))
            for name in options.stages:
                if name == "store" and (folder / "database.sqlite").is_file():
                    continue
                (folder / "merged.sqlite").unlink(missing_ok=True)
                of_size = measured(name, folder, files, rows, options.profile)
                figures.setdefault(name, []).append(of_size)
                each = 1e6 * of_size.cpu_s / of_size.items
                print(
                    f"{size:g} of Mathlib, {name}: {of_size.cpu_s:.2f} s of the processor ({of_size.wall_s:.1f} s), "
                    f"{each:,.0f} µs for each of {of_size.items:,}, {of_size.peak_mb:,.0f} MB at most, "
                    f"{of_size.grown_mb:,.0f} MB of them its own",
                    flush=True,
                )
            if options.keep is None and size != options.sizes[-1]:
                shutil.rmtree(folder)
    show(*marks_of(options.sizes, figures))


if __name__ == "__main__":
    main()
