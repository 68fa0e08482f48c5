"""Open theorems that were proved, as lemmas for the proofs of others.

Exercises of a textbook build on each other, and so do the lemmas of a development. To Lean a theorem that is left open
is there all the same, so a search may use it, but a proof that does rests on its ``sorry``. Such a proof is judged in
copies of the files in which the lemmas have their proofs in place: nothing is taken on trust. Owns these copies, and
which open theorems may help with which.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Self

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.records import LemmaRow
from lean_agent.files import write_atomically
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import LeanProject, TheoremSite, TracedTheorem, Verdict
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, place_of_stored
from lean_agent.prover.proofs.proof_text import with_proof
from lean_agent.tracing import Repository


@dataclass(frozen=True, slots=True)
class Lemma:
    """A theorem of the same project, left open there, with a proof that was accepted.

    Attributes:
        proof: without ``:=``; where it uses other lemmas, these are lemmas of whatever uses it.
    """

    file_path: str
    theorem: TracedTheorem
    proof: str

    @classmethod
    def of(cls, theorem: StoredTheorem, proof: str) -> Self:
        """Make one of a theorem as it is stored."""
        return cls(theorem.file_path, theorem.theorem, proof)

    @property
    def row(self) -> LemmaRow:
        """Return file, full name and proof, as they are kept."""
        return (self.file_path, self.theorem.full_name, self.proof)


def one_of_each(lemmas: Iterable[Lemma]) -> list[Lemma]:
    """Return the first lemma of each theorem, in their order."""
    first: dict[tuple[str, str], Lemma] = {}
    for lemma in lemmas:
        first.setdefault((lemma.file_path, lemma.theorem.full_name), lemma)
    return [*first.values()]


@contextmanager
def in_place(
    server: LeanServer, project: LeanProject, file_path: str, lemmas: Sequence[Lemma]
) -> Iterator[LeanProject]:
    """Make a copy of what a file of a project needs to be judged, in which lemmas have their proofs in place.

    Other files that have some of the lemmas are compiled anew, each after those that ``lemmas`` has before it; whatever
    else was compiled is as it was. The copy is gone afterwards.

    Raises:
        TraceError: a lemma does not stand where it was traced.
        LeanError: a file with its lemmas cannot be compiled.
        OSError: the copies cannot be written.
    """
    by_file: defaultdict[str, list[Lemma]] = defaultdict(list)
    for lemma in lemmas:
        by_file[lemma.file_path].append(lemma)
    contents = {path: with_all((project.root / path).read_bytes(), of_file) for path, of_file in by_file.items()}
    contents.setdefault(file_path, (project.root / file_path).read_bytes())
    with tempfile.TemporaryDirectory(prefix="lean-agent-") as folder:
        copy = replace(project, root=Path(folder) / "root")
        for path, content in contents.items():
            write_atomically(copy.root / path, content)
        others = [path for path in by_file if path != file_path]
        if others:
            copy = replace(copy, build=Path(folder) / "build")
            shutil.copytree(project.build, copy.build)
            for path in others:
                server.trace_file(copy, path)
        yield copy


def with_all(source: bytes, lemmas: Iterable[Lemma]) -> bytes:
    """Return the text of a file with the proofs of these lemmas of it in place.

    Raises:
        TraceError: a lemma does not stand where it was traced.
    """
    for lemma in sorted(lemmas, key=lambda lemma: -lemma.theorem.start):  # so that no offset before it moves
        source = with_proof(source, lemma.theorem, lemma.proof)
    return source


def verify_with(
    server: LeanServer,
    site: TheoremSite,
    proof: str,
    lemmas: Sequence[Lemma],
    *,
    allowed_axioms: Sequence[str] = (),
    timeout_s: float | None = None,
) -> Verdict:
    """Judge a proof where lemmas have their proofs in place, which have been judged.

    Raises:
        TraceError, LeanError, OSError: as for :func:`in_place`.
    """
    with in_place(server, site.project, site.file_path, lemmas) as project:
        there = replace(site, project=project)
        if not _is_same_statement(server, site, there):
            return Verdict("statement", "where its lemmas have their proofs the statement is another")
        return server.verify(there, proof, whole_file=True, allowed_axioms=allowed_axioms, timeout_s=timeout_s)


def _is_same_statement(server: LeanServer, site: TheoremSite, there: TheoremSite) -> bool:
    """Return whether a theorem says the same in both places: the judge compares a proof with the file that it is given,
    and a lemma's proof stands above the theorem there."""
    here, copy = (server.goal_start(place) for place in (site, there))
    try:
        return [goal.key for goal in here.goals] == [goal.key for goal in copy.goals]
    finally:
        server.release([here, copy])


def verify_all(server: LeanServer, site: TheoremSite, proof: str, lemmas: Sequence[Lemma]) -> Verdict:
    """Judge a proof and, before it, the lemmas that it uses: nothing is believed of them but their texts.

    Raises:
        TraceError, LeanError, OSError: as for :func:`in_place`.
    """
    for number, lemma in enumerate(lemmas):
        of_lemma = TheoremSite(site.project, lemma.file_path, lemma.theorem.full_name)
        verdict = verify_with(server, of_lemma, lemma.proof, lemmas[:number])
        if not verdict.accepted:
            return replace(verdict, reason=f"its lemma {of_lemma.full_name} is not proved: {verdict.reason}")
    return verify_with(server, site, proof, lemmas)


class ProvedLemmas:
    """The open theorems that are proved so far, each with the lemmas that its own proof uses.

    Args:
        corpus: knows which files import which; without it, a theorem's lemmas are those above it in its own file.
    """

    def __init__(self, corpus: PremiseCorpus | None = None) -> None:
        self._corpus = corpus
        self._proved: dict[Place, tuple[Lemma, ...]] = {}  # each behind those that it uses

    def add(self, theorem: StoredTheorem, proof: str, uses: Sequence[Lemma] = ()) -> None:
        """Take in a theorem with an accepted proof, and the lemmas which that uses."""
        self._proved[place_of_stored(theorem)] = (*uses, Lemma.of(theorem, proof))

    def for_proof(self, theorem: StoredTheorem, names: Collection[str]) -> tuple[Lemma, ...]:
        """Return the lemmas to judge a proof of a theorem with, where it rests on open theorems of these full names: as
        many of them as are proved, with those which they use themselves, each of them before what uses it."""
        usable = self._usable(place_of_stored(theorem))
        return self._with_theirs(place for place in usable if self._proved[place][-1].theorem.full_name in names)

    def order(self, theorem: StoredTheorem) -> tuple[int, str, tuple[int, int]]:
        """Return what sorts theorems of a repository as Lean comes to them."""
        place = place_of_stored(theorem)
        return (self._number(place), place.file_path, place.start)

    def _usable(self, here: Place) -> list[Place]:
        """Return where the proved theorems stand that a place can use, in the order in which Lean comes to them."""
        imported = self._corpus.imported_at(here) if self._corpus else frozenset()
        usable = []
        for place in self._proved:
            if (place.url, place.commit) != (here.url, here.commit):
                continue
            number = self._number(place)
            if place.start < here.start if place.file_path == here.file_path else number in imported:
                usable.append((number, place.start, place))
        return [place for *_, place in sorted(usable, key=lambda entry: entry[:2])]

    def _number(self, place: Place) -> int:
        number = self._corpus.number_of(place) if self._corpus else None
        return -1 if number is None else number

    def _with_theirs(self, places: Iterable[Place]) -> tuple[Lemma, ...]:
        """Return the theorems of these places, each behind what it uses, with one proof each."""
        return tuple(one_of_each(chain.from_iterable(self._proved[place] for place in places)))


def accepted_proofs(
    database: DynamicDatabase, repositories: Collection[Repository]
) -> Iterator[tuple[StoredTheorem, str, list[Lemma]]]:
    """Yield the open theorems of repositories that have an accepted proof, with the last one, and what that uses."""
    proofs = {(proof.repository, proof.file_path, proof.full_name): proof for proof in database.proofs(repositories)}
    if not proofs:
        return
    theorems = {
        (repository, theorem.file_path, theorem.full_name): theorem
        for repository in repositories
        for theorem in database.theorems(repository, sorry=True)
    }
    for place, proof in proofs.items():
        uses = {(proof.repository, file_path, name): text for file_path, name, text in proof.lemmas}
        if {place, *uses} <= theorems.keys():
            yield theorems[place], proof.script, [Lemma.of(theorems[used], text) for used, text in uses.items()]


class RestingOnOpen:
    """The theorems that have proofs but rest on the ``sorry`` of others, each with those: once all of these are proved,
    it can be used like any other.

    Args:
        theorems: of some repositories; those that rest on no ``sorry`` are passed over.
    """

    def __init__(self, theorems: Iterable[StoredTheorem]) -> None:
        self._resting: dict[tuple[Repository, str], StoredTheorem] = {}
        self._waits_for: dict[tuple[Repository, str], set[str]] = {}
        is_open: set[tuple[Repository, str]] = set()
        for stored in theorems:
            key = (stored.repository, stored.full_name)
            if stored.theorem.has_sorry:
                is_open.add(key)
            elif "sorryAx" in stored.theorem.axioms:
                self._resting[key] = stored
        for key in self._resting:
            self._waits_for[key] = self._open_below(key, is_open)

    def _open_below(self, key: tuple[Repository, str], is_open: Collection[tuple[Repository, str]]) -> set[str]:
        repository, below = key[0], set()
        seen, waiting = {key[1]}, [key[1]]
        while waiting:
            for premise in self._resting[repository, waiting.pop()].theorem.premises:
                name = premise.full_name
                if (repository, name) in is_open:
                    below.add(name)
                elif name not in seen and (repository, name) in self._resting:
                    seen.add(name)
                    waiting.append(name)
        return below

    def open_below(self, repository: Repository, full_name: str) -> Collection[str]:
        """Return the open theorems that a theorem rests on and that are not proved yet."""
        return self._waits_for.get((repository, full_name), ())

    def proved(self, theorem: StoredTheorem) -> list[StoredTheorem]:
        """Take in that an open theorem is proved; returns those that rest on no other one any more."""
        freed = []
        for key, waits_for in self._waits_for.items():
            if key[0] == theorem.repository and theorem.full_name in waits_for:
                waits_for.remove(theorem.full_name)
                if not waits_for:
                    freed.append(self._resting[key])
        return freed


def likely_lemmas(
    theorems: Sequence[StoredTheorem], shown: PromptHelp | None, resting: RestingOnOpen
) -> list[frozenset[int]]:
    """Return for each theorem which others of the list are among its premises, or what these rest on, by their indices:
    it can wait for them.

    None are where no premises are shown. What is before a theorem never waits for it.
    """
    if shown is None or shown.retriever is None:
        return [frozenset()] * len(theorems)
    corpus = shown.corpus
    numbers = {
        (corpus.number_of(place_of_stored(theorem)), theorem.full_name): number
        for number, theorem in enumerate(theorems)
    }
    named = {(theorem.repository, theorem.full_name): number for number, theorem in enumerate(theorems)}
    statements = [theorem.theorem.statement for theorem in theorems]
    with corpus.all_admitted():
        premises = shown.retriever.retrieve(statements, list(map(place_of_stored, theorems)), shown.settings.premises)
    waits = []
    for theorem, of_theorem in zip(theorems, premises, strict=True):
        direct = {(document.file, document.full_name) for document in of_theorem} & numbers.keys()
        below = {
            (theorem.repository, name)
            for document in of_theorem
            for name in resting.open_below(theorem.repository, document.full_name)
        } & named.keys()
        waits.append(frozenset([*(numbers[name] for name in direct), *(named[key] for key in below)]))
    return waits
