"""Premises that may help with a goal: ranked by BM25 or by an encoder, among those that a theorem can use.

Owns the corpus of premises, what of it is accessible where, and rankings. A theorem can use what its file imports,
directly or not, and what stands before it in its own file: never itself, never what comes later. Prompts are made in
:mod:`lean_agent.prompts`; nothing is asked of Lean.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lean_agent.database.exports.entries import entry_key
from lean_agent.errors import ConfigError, ModelNotFound, words_of
from lean_agent.progress import ProgressBar
from lean_agent.prompts import with_premises

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\Wa-zA-Z]+")
_PROOF = re.compile(r"\s:=\s.*\Z", re.DOTALL)
LONGEST_PREMISE = 400
"""Characters of a premise that are indexed and shown: a statement, not a page."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a theorem starts, as LeanDojo Benchmark 4 has it. ``start``: line and column, from 1."""

    url: str
    commit: str
    file_path: str
    start: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Document:
    """A premise of the corpus, and where it ends in its file."""

    full_name: str
    text: str
    file: int
    end: tuple[int, int]


class PremiseCorpus:
    """The premises of a data set, and which of them a place can use.

    Args:
        lines: the lines of ``corpus.jsonl`` as LeanDojo Benchmark 4 has them. Those without address and commit are
            everybody's to import: Lean's own library.
    """

    def __init__(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self._files: dict[tuple[str, str, str], int] = {}
        self._imports: list[tuple[tuple[str, str], Sequence[str]]] = []
        documents: list[Document] = []
        for line in lines:
            number = len(self._imports)
            owner = entry_key({"url": "", "commit": "", **line})
            self._files[*owner, line["path"]] = number
            self._imports.append((owner, line["imports"]))
            for premise in line["premises"]:
                line_number, column = premise["end"]
                documents.append(Document(premise["full_name"], _shown(premise["code"]), number, (line_number, column)))
        self.documents: tuple[Document, ...] = tuple(documents)
        self._closures: dict[int, frozenset[int]] = {}

    @classmethod
    def read(cls, data_path: str | Path) -> PremiseCorpus:
        """Read the corpus of an exported data set.

        Raises:
            ConfigError: there is none at ``data_path``, or it does not read as one.
        """
        path = Path(data_path) / "corpus.jsonl"
        try:
            with path.open(encoding="utf-8") as file:
                return cls(map(json.loads, file))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path} does not read as a corpus ({words_of(error)}); write one with `lean-agent export leandojo`."
            ) from error

    def accessible(self, place: Place) -> NDArray[np.bool_]:
        """Return whether a theorem at ``place`` can use each document, ``[documents]``; nothing in an unknown file.

        What another file has declared ``private`` has no name there.
        """
        here = self._files.get((place.url, place.commit, place.file_path), self._files.get(("", "", place.file_path)))
        if here is None:
            return np.zeros(len(self.documents), dtype=np.bool_)
        imported = np.isin(self._file_of, list(self._closure(here) - {here}))
        return np.asarray((imported & ~self._is_private) | ((self._file_of == here) & self._ends_before(place.start)))

    @cached_property
    def by_name(self) -> Mapping[str, list[int]]:
        """The numbers of the documents of each full name."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, document in enumerate(self.documents):
            numbers[document.full_name].append(number)
        return numbers

    @cached_property
    def _file_of(self) -> NDArray[np.int64]:
        return np.array([document.file for document in self.documents], dtype=np.int64)

    @cached_property
    def _is_private(self) -> NDArray[np.bool_]:
        return np.array([document.full_name.startswith("_private.") for document in self.documents], dtype=np.bool_)

    @cached_property
    def _end_of(self) -> NDArray[np.int64]:
        return np.array([document.end for document in self.documents], dtype=np.int64).reshape(-1, 2)

    def _ends_before(self, start: tuple[int, int]) -> NDArray[np.bool_]:
        lines, columns = self._end_of[:, 0], self._end_of[:, 1]
        return np.asarray((lines < start[0]) | ((lines == start[0]) & (columns <= start[1])))

    def _closure(self, file: int) -> frozenset[int]:
        """Return the files that ``file`` imports, directly or not, and itself."""
        if file not in self._closures:
            reached, waiting = {file}, [file]
            while waiting:
                owner, imports = self._imports[waiting.pop()]
                for path in imports:
                    other = self._files.get((*owner, path), self._files.get(("", "", path)))
                    if other is not None and other not in reached:
                        reached.add(other)
                        waiting.append(other)
            self._closures[file] = frozenset(reached)
        return self._closures[file]


class Ranker(Protocol):
    """What says how much a premise has to do with a goal."""

    def scores(self, goals: Sequence[str]) -> NDArray[np.float32]:
        """Score each document of the corpus for each goal, greater is better; ``[goals, documents]``."""
        ...


class BM25Ranker:
    """Words in common, rare ones first (BM25 as in Lucene). Names count by their parts: ``Nat.add_comm`` is ``nat``,
    ``add`` and ``comm``."""

    def __init__(self, corpus: PremiseCorpus) -> None:
        import bm25s

        self._size = len(corpus.documents)
        self._index: Any = bm25s.BM25()
        if self._size:
            self._index.index(
                [_words(f"{d.full_name} {d.text}") or ["∅"] for d in corpus.documents], show_progress=False
            )

    def scores(self, goals: Sequence[str]) -> NDArray[np.float32]:
        """Score documents by the words in common; 0 for one without any."""
        if not self._size:
            return np.zeros((len(goals), 0), dtype=np.float32)
        known = self._index.vocab_dict
        queries = [[word for word in _words(goal) if word in known] for goal in goals]
        empty = np.zeros(self._size, dtype=np.float32)
        return np.stack([self._index.get_scores(words) if words else empty for words in queries])


class DenseRanker:
    """Cosine similarity of embeddings: the mean of an encoder's last hidden states, as ReProver has it (arXiv
    2306.15626).

    Args:
        model: a folder in the format of HuggingFace, or a name on the hub: an encoder, or the encoder of a T5.
        batch_size: texts that are encoded at a time.

    Raises:
        ModelNotFound: no model there.
    """

    def __init__(
        self, corpus: PremiseCorpus, model: str | Path, *, batch_size: int = 32, progress: bool = True
    ) -> None:
        import torch
        from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding, AutoTokenizer

        try:
            config = AutoConfig.from_pretrained(str(model))
            kind: Any = AutoModelForTextEncoding if config.is_encoder_decoder else AutoModel
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(model))
            self._model: Any = kind.from_pretrained(str(model))
        except (OSError, ValueError) as error:
            raise ModelNotFound(f"There is no encoder at {model} ({str(error).splitlines()[0]}).") from error
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._model.train(False).to("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_size = batch_size
        texts = [f"{document.full_name} {document.text}" for document in corpus.documents]
        with ProgressBar("Encoding premises", total=len(texts), enabled=progress and len(texts) > 1000) as bar:
            self._premises = self._encode(texts, bar)

    def scores(self, goals: Sequence[str]) -> NDArray[np.float32]:
        """Score documents by cosine similarity, in [-1, 1]."""
        return np.asarray(self._encode(goals) @ self._premises.T, dtype=np.float32)

    def _encode(self, texts: Sequence[str], bar: ProgressBar | None = None) -> NDArray[np.float32]:
        """Compute embeddings of length 1, ``[texts, D]``; the mask is 1 for a token of the text."""
        import torch

        embeddings = [np.zeros((0, self._model.config.hidden_size), dtype=np.float32)]
        for at in range(0, len(texts), self._batch_size):
            batch = list(texts[at : at + self._batch_size])
            tokens = self._tokenizer(batch, padding=True, truncation=True, max_length=1024, return_tensors="pt")
            tokens = {name: tokens[name].to(self._model.device) for name in ("input_ids", "attention_mask")}
            with torch.inference_mode():
                states = self._model(**tokens).last_hidden_state.float()
            mask = tokens["attention_mask"].unsqueeze(-1)
            mean = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1)
            embeddings.append(torch.nn.functional.normalize(mean, dim=1).cpu().numpy())
            if bar is not None:
                bar.advance(len(batch))
        return np.concatenate(embeddings)


class PremiseRetriever:
    """The best premises for a goal at a place.

    Args:
        ranker: by default BM25.
    """

    def __init__(self, corpus: PremiseCorpus, ranker: Ranker | None = None) -> None:
        self.corpus = corpus
        self._ranker = ranker or BM25Ranker(corpus)

    def retrieve(self, goals: Sequence[str], places: Sequence[Place], k: int) -> list[list[Document]]:
        """Return up to ``k`` different premises for each goal, the best first, all of them accessible at its place."""
        scores = self._ranker.scores(goals)
        return [
            [self.corpus.documents[number] for number in self._best(row, place, k)]
            for row, place in zip(scores, places, strict=True)
        ]

    def _best(self, scores: NDArray[np.float32], place: Place, k: int) -> list[int]:
        usable = np.flatnonzero(self.corpus.accessible(place) & (scores != 0))
        # The order of the corpus decides between equals, so that the same goal gets the same premises everywhere.
        return [int(number) for number in usable[np.argsort(-scores[usable], kind="stable")][:k]]


@dataclass(frozen=True, slots=True)
class PremisePrompts:
    """Goals as they are put to a model that is shown the ``k`` best premises; trainers and provers share it."""

    retriever: PremiseRetriever
    k: int

    def goal(self, goal: str, place: Place) -> str:
        """Return the goal with its premises, for :func:`lean_agent.prompts.prompt_messages`."""
        (premises,) = self.retriever.retrieve([goal], [place], self.k)
        return with_premises(goal, [f"{document.full_name}: {document.text}" for document in premises])


@dataclass(frozen=True, slots=True)
class Recall:
    """How much of what proofs use is found.

    Attributes:
        states: tactics that use at least one premise of the corpus that is accessible where they stand.
        premises: how many such uses there are, each premise once for a tactic.
        outside: premises that are in no file of the corpus, such as those of a library that was not traced; they count
            in nothing else.
        at: for each ``k`` the mean, over ``states``, of the share of their premises among the first ``k``.
        mean_reciprocal_rank: over ``states``; of the first premise that is found, 0 where none is among the first 100.
    """

    states: int
    premises: int
    outside: int
    at: Mapping[int, float]
    mean_reciprocal_rank: float


RANKED = 100


def measure_recall(
    retriever: PremiseRetriever, theorems: Iterable[Mapping[str, Any]], ks: Sequence[int] = (1, 10), *, batch: int = 64
) -> Recall:
    """Recall@k as ReProver measures it: asked with the state before each tactic, for the premises that it names.

    Args:
        theorems: entries of a split of LeanDojo Benchmark 4, such as ``novel_premises/test.json``.
    """
    corpus, outside = retriever.corpus, 0
    cases: list[tuple[str, Place, set[str]]] = []
    for theorem in theorems:
        place = Place(*entry_key(theorem), theorem["file_path"], tuple(theorem["start"]))
        usable = corpus.accessible(place)
        for tactic in theorem["traced_tactics"]:
            used = (*tactic["annotated_tactic"][1], *tactic.get("outside_premises", ()))
            names = {premise["full_name"] for premise in used}
            outside += sum(name not in corpus.by_name for name in names)
            wanted = {name for name in names if any(usable[number] for number in corpus.by_name.get(name, ()))}
            if wanted:
                cases.append((tactic["state_before"], place, wanted))
    shares: dict[int, list[float]] = {k: [] for k in ks}
    ranks: list[float] = []
    for at in range(0, len(cases), batch):
        goals, places, wanted_here = zip(*cases[at : at + batch], strict=True)
        for premises, wanted in zip(retriever.retrieve(goals, places, max(RANKED, *ks)), wanted_here, strict=True):
            names_found = [document.full_name for document in premises]
            for k in ks:
                shares[k].append(len(wanted & set(names_found[:k])) / len(wanted))
            first = next((rank for rank, name in enumerate(names_found[:RANKED], start=1) if name in wanted), None)
            ranks.append(1 / first if first else 0.0)
    means = {k: float(np.mean(values)) if values else 0.0 for k, values in shares.items()}
    n_premises = sum(len(wanted) for _, _, wanted in cases)
    return Recall(len(cases), n_premises, outside, means, float(np.mean(ranks)) if ranks else 0.0)


def _shown(code: str) -> str:
    """Return a declaration without its proof, on one line."""
    return " ".join(_PROOF.sub("", code).split())[:LONGEST_PREMISE]


def _words(text: str) -> list[str]:
    """Split text into parts of names, numbers and symbols: ``Nat.addComm`` is ``nat``, ``.``, ``add``, ``comm``."""
    return [part.lower() for word in _WORD.findall(text) for part in _PART.findall(word) or [word]]
