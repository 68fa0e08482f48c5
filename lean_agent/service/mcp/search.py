"""Declarations by name, by what they state, or by words.

Patterns are Lean's business. Names and words are looked for in the premises that the user's database has: those of
traced repositories, and of Lean's own library, which is read into it when it is first needed.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Literal

from lean_agent.database import DynamicDatabase
from lean_agent.database.library import read_library_async
from lean_agent.errors import ConfigError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer
from lean_agent.policy.retrieval.corpus import Document, PremiseCorpus
from lean_agent.policy.retrieval.rankers import BM25Ranker
from lean_agent.service.desk import Desk
from lean_agent.service.mcp.files import AgentFile
from lean_agent.service.mcp.forms import Match, SearchResult, match_of
from lean_agent.tracing.project.import_graph import module_name

Mode = Literal["name", "type", "words"]
Report = Callable[[int, int], Coroutine[Any, Any, None]]
"""Called with how many modules of the library are read, and of how many."""

_NAME = re.compile(r"[^\W\d][\w'!?₀-₉]*(?:\.[\w'!?₀-₉]+)*")
_PATTERN = re.compile(r"\b_\b|\?\w|⊢|\|-|[=≤<≥>∣∧∨¬→↔∀∃+*^]")


class LibrarySearch:
    """Looks for declarations.

    Args:
        database: the premises for names and words; it is made where there is none.
    """

    def __init__(self, desk: Desk, database: Path) -> None:
        self._desk = desk
        self._database = database
        self._index: tuple[float, BM25Ranker, PremiseCorpus] | None = None
        self._reading = asyncio.Lock()

    async def search(
        self, query: str, mode: Mode | None, limit: int, file: AgentFile | None, report: Report
    ) -> SearchResult:
        """Return the best matches.

        Args:
            mode: by default whatever the query looks like.
            file: for patterns, what is declared and imported there is looked through, and else ``Init`` and ``Std``.

        Raises:
            ConfigError: the library cannot be read over this kind of server.
            LeanError: the pattern does not elaborate, or Lean was not done in time.
        """
        mode = mode or mode_of(query)
        if mode == "type":
            project, path = (file.project, file.path) if file else (None, None)
            matches = await self._desk.server.matches_async(query, most=limit, project=project, file_path=path)
            items = [match_of(info) for info in matches.declarations]
            return SearchResult(mode=mode, items=items, total=matches.total)
        ranker, corpus = await self._premises(report)
        total: int | None = None
        if mode == "name":
            documents, total = await asyncio.to_thread(_by_name, corpus, query, limit)
        else:
            documents = await asyncio.to_thread(_by_words, ranker, corpus, query, limit)
        items = [_match(corpus, document) for document in documents]
        return SearchResult(mode=mode, items=items, total=total)

    async def _premises(self, report: Report) -> tuple[BM25Ranker, PremiseCorpus]:
        async with self._reading:
            if not await asyncio.to_thread(self._has_library):
                await self._read_library(report)
            changed = self._database.stat().st_mtime
            if self._index is None or self._index[0] != changed:
                self._index = (changed, *await asyncio.to_thread(self._indexed))
            return self._index[1:]

    def _has_library(self) -> bool:
        if not self._database.is_file():
            return False
        with DynamicDatabase(self._database) as opened:
            kept = opened.library()
        return kept is not None and kept.lean_version == self._desk.server.version

    async def _read_library(self, report: Report) -> None:
        server: LeanServer = self._desk.server
        if not isinstance(server, LeanPool):
            raise ConfigError(
                "The library was not read yet: run `lean-agent retrieval library`, or search by mode `type`."
            )
        here = asyncio.get_running_loop()

        def tell(done: int, total: int) -> None:
            asyncio.run_coroutine_threadsafe(report(done, total), here)

        modules = await read_library_async(server, tell)

        def kept() -> None:
            with DynamicDatabase(self._database) as opened:
                opened.store_library(server.version, modules)

        await asyncio.to_thread(kept)

    def _indexed(self) -> tuple[BM25Ranker, PremiseCorpus]:
        with DynamicDatabase(self._database) as opened:
            corpus = PremiseCorpus(opened.corpus(opened.repositories()))
        return BM25Ranker(corpus), corpus


def mode_of(query: str) -> Mode:
    """Return what a query looks like: a name, a pattern with holes or relations, or words."""
    if _NAME.fullmatch(query.strip()):
        return "name"
    return "type" if _PATTERN.search(query) and ":" not in query else "words"


def _by_name(corpus: PremiseCorpus, query: str, limit: int) -> tuple[list[Document], int]:
    """Return the declarations whose names contain the query, those whose last part it is first."""
    wanted = query.strip().lower()
    hits = [document for document in corpus.documents if wanted in document.full_name.lower()]

    def rank(document: Document) -> tuple[bool, bool, int, str]:
        name = document.full_name.lower()
        return (name != wanted, not name.endswith(f".{wanted}"), len(name), name)

    return sorted(hits, key=rank)[:limit], len(hits)


def _by_words(ranker: BM25Ranker, corpus: PremiseCorpus, query: str, limit: int) -> list[Document]:
    (scores,) = ranker.scores([query])
    order = (-scores).argsort(kind="stable")[:limit]
    return [corpus.documents[number] for number in order if scores[number] > 0]


def _match(corpus: PremiseCorpus, document: Document) -> Match:
    return Match(
        name=document.full_name, kind=document.kind, type=document.text, module=module_name(corpus.paths[document.file])
    )
