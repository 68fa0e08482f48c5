"""The premises of a data set, and which of them a theorem can use.

A theorem can use what its file imports, directly or not, and what stands before it in its own file: never itself, never
what comes later. Knows nothing of rankings.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from lean_agent.database import StoredTheorem
from lean_agent.database.exports.entries import entry_key, has_hole
from lean_agent.errors import ConfigError, words_of
from lean_agent.lean.types import user_name
from lean_agent.policy.retrieval.fields import field_texts

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\Wa-zA-Z]+")
_DOTTED = re.compile(r"[^\W\d][\w.'!?]*")
_PROOF = re.compile(r"\s:=\s.*\Z", re.DOTALL)
_WITHOUT_BODY = re.compile(r"(?:@\[[^\]]*\]\s*|\w+ )*?(?:axiom|opaque)\b(?s:.*)\b(?:Type|Prop|Sort)(?: \w+)?\s*$")
_PREDICATE = re.compile(r"^(?:/--.*?-/)?(?:(?!\bwhere\b)[^|])*?\bProp(?: where\b| *$| *\|)")
_CLASS = re.compile(r"^(?:/--.*?-/ )?(?:@\[[^\]]*\] )?(?:[a-z]+ )*?class\b")
_IN_SQUARES = re.compile(r"\[(?:[\w'!?]+ : )?([^\W\d][\w.'!?]*)")
_DERIVED = re.compile(r"(?:^|\.)inst(?:Repr|ToString|ToFormat|Hashable|DecidableEq|Inhabited|BEq|Ord)\w*(?:\.\w+)?$")
"""What ``deriving`` makes for printing, hashing, comparing and deciding: where a goal speaks of it, Lean says so."""
_SYNTAX = re.compile(
    r"^(?:/--.*?-/\s+)?(?:@\[[^\]]*\]\s+)?(?:(?:local|scoped|private)\s+)*"
    r"(?:declare_syntax_cat|elab|infix[lr]?|macro|notation\d?|postfix|prefix|syntax)\b",
    re.DOTALL,
)
"""What a notation makes is for Lean's parser."""
CLOSURES = 1024
"""Files whose imports are remembered: a byte for each file of the corpus, each."""
LONGEST_PREMISE = 400
"""Characters of a premise that are indexed and shown: a statement, not a page."""


WayForGrind = Literal["equation", "fact", "refused"]
"""How ``grind`` takes a premise: by ``= name`` and by its name, by this alone, or not at all."""
WAYS_FOR_GRIND: tuple[WayForGrind, ...] = get_args(WayForGrind)


ROOT = "_root_."
"""What stands before a name that means something else in a text as well."""


@dataclass(frozen=True, slots=True)
class ForGrind:
    """How ``grind`` takes a premise.

    Attributes:
        forward: from its hypotheses to what it concludes, too (``→ name``).
        ambiguous: its name means something of an open namespace as well (``mod_mod`` after ``open Nat``); with
            ``_root_.`` it does not.
    """

    way: WayForGrind = "fact"
    forward: bool = False
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where a theorem starts, as LeanDojo Benchmark 4 has it. ``start``: line and column, from 1."""

    url: str
    commit: str
    file_path: str
    start: tuple[int, int]


def place_of_stored(theorem: StoredTheorem) -> Place:
    """Return where a theorem of the database stands."""
    start, repository = theorem.theorem.start_pos, theorem.repository
    return Place(repository.url, repository.commit, theorem.file_path, (start.line, start.column + 1))


def place_of(theorem: Mapping[str, Any]) -> Place:
    """Return where an entry of LeanDojo Benchmark 4 stands."""
    return Place(*entry_key(theorem), theorem["file_path"], tuple(theorem["start"]))


def premise_names(tactic: Mapping[str, Any]) -> set[str]:
    """Return the full names of the premises that a tactic of LeanDojo Benchmark 4 uses; none where it does not say."""
    _, used = tactic.get("annotated_tactic") or ("", ())
    return {premise["full_name"] for premise in (*used, *tactic.get("outside_premises", ()))}


@dataclass(frozen=True, slots=True)
class Document:
    """A premise of the corpus, and where it ends in its file.

    Attributes:
        kind: theorem, definition, constructor or inductive; what else LeanDojo says counts as none of these.
        is_field: whether it is a field of a structure or a class.
    """

    full_name: str
    text: str
    file: int
    end: tuple[int, int]
    kind: str = ""
    is_field: bool = False

    @property
    def name(self) -> str:
        """What a text that may use it calls it."""
        return user_name(self.full_name)

    @property
    def is_of_library(self) -> bool:
        """Whether it is of Lean's own library, and has no place in a file."""
        return not any(self.end)

    @property
    def type_name(self) -> str:
        """Of a constructor, what a text calls its type; empty for all else."""
        return self.name.rpartition(".")[0] if self.kind == "constructor" else ""


def text_of(document: Document) -> str:
    """Return a premise as it is indexed: its name and its statement."""
    return f"{document.full_name} {document.text}"


class PremiseCorpus:
    """The premises of a data set, and which of them a place can use.

    Args:
        lines: the lines of ``corpus.jsonl`` as LeanDojo Benchmark 4 has them. Those without address and commit are
            everybody's to import: Lean's own library.
        without: full names of premises that nothing may use until they are admitted, such as theorems that are open.
            What is derived for printing, hashing and deciding nothing uses either.
        with_open: whether what has a ``sorry`` in its code may be used.

    Attributes:
        documents: the premises.
        paths: of the files, by number.
    """

    def __init__(
        self, lines: Iterable[Mapping[str, Any]], *, without: Collection[str] = (), with_open: bool = True
    ) -> None:
        self._files: dict[tuple[str, str, str], int] = {}
        self._imports: list[tuple[tuple[str, str], Sequence[str]]] = []
        documents: list[Document] = []
        paths: list[str] = []
        kept_back: list[bool] = []
        for line in lines:
            number = len(self._imports)
            owner = entry_key({"url": "", "commit": "", **line})
            self._files[*owner, line["path"]] = number
            self._imports.append((owner, line["imports"]))
            paths.append(line["path"])
            fields = field_texts(line["premises"])
            for place, premise in enumerate(line["premises"]):
                line_number, column = premise["end"]
                is_open = not with_open and has_hole(premise["code"])
                is_derived = _DERIVED.search(premise["full_name"]) is not None
                is_syntax = _SYNTAX.match(premise["code"]) is not None
                kept_back.append(is_open or is_derived or is_syntax or premise["full_name"] in without)
                documents.append(
                    Document(
                        premise["full_name"],
                        _shown(fields.get(place, premise["code"])),
                        number,
                        (line_number, column),
                        premise.get("kind", ""),
                        place in fields,
                    )
                )
        self.documents: tuple[Document, ...] = tuple(documents)
        self.paths: tuple[str, ...] = tuple(paths)
        self._is_kept_back = np.array(kept_back, dtype=np.bool_)
        self._for_grind: dict[int, ForGrind] = {}
        self._closures: OrderedDict[int, NDArray[np.bool_]] = OrderedDict()

    @classmethod
    def read(cls, data_path: str | Path, *, with_open: bool = True) -> PremiseCorpus:
        """Read the corpus of an exported data set.

        Args:
            with_open: as for the class.

        Raises:
            ConfigError: there is none at ``data_path``, or it does not read as one.
        """
        path = Path(data_path) / "corpus.jsonl"
        try:
            with path.open(encoding="utf-8") as file:
                return cls(map(json.loads, file), with_open=with_open)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path} does not read as a corpus ({words_of(error)}); write one with `lean-agent export leandojo`."
            ) from error

    def accessible(self, place: Place) -> NDArray[np.bool_]:
        """Return whether a theorem at ``place`` can use each document, ``[documents]``; nothing in an unknown file.

        What another file has declared ``private`` has no name there.
        """
        here = self.number_of(place)
        if here is None:
            return np.zeros(len(self.documents), dtype=np.bool_)
        usable = self._closure(here)[self.file_of] & ~self._is_private
        of_file = np.flatnonzero(self.file_of == here)
        usable[of_file] = self._ends_before(of_file, place.start)
        return np.asarray(usable & ~self._is_kept_back)

    def admit(self, full_name: str, place: Place) -> None:
        """Let a theorem of the file of ``place`` be used from now on: it was proved."""
        here = self.number_of(place)
        numbers = [number for number in self.by_name.get(full_name, ()) if self.documents[number].file == here]
        self._is_kept_back[numbers] = False

    @contextmanager
    def all_admitted(self) -> Iterator[None]:
        """Let every premise be used meanwhile."""
        kept_back, self._is_kept_back = self._is_kept_back, np.zeros_like(self._is_kept_back)
        try:
            yield
        finally:
            self._is_kept_back = kept_back

    @cached_property
    def is_fact(self) -> NDArray[np.bool_]:
        """Which documents a tactic can use as a fact or unfold, ``[documents]``: all but data types, constructors of
        these, fields that are data, and types and predicates without a body (``axiom Set : Type``). ``grind
        [Tree.node]`` fails whatever stands beside it; ``grind [Even.step]`` does not."""
        predicates = {
            (document.name, document.file): _PREDICATE.match(document.text) is not None
            for document in self.documents
            if document.kind == "inductive"
        }

        def may_be_used(document: Document) -> bool:
            if document.kind not in ("inductive", "constructor"):
                is_data = document.is_field and document.kind == "definition"
                return not (is_data or _WITHOUT_BODY.match(document.text))
            return predicates.get((document.type_name or document.name, document.file), True)

        return np.array([may_be_used(document) for document in self.documents], dtype=np.bool_)

    def named(self, names: Iterable[str], place: Place) -> list[int]:
        """Return the numbers of the documents that a theorem at ``place`` can use by these names, as a text has
        them."""
        accessible = self.accessible(place)
        full_names = (name.removeprefix(ROOT) for name in names)
        return [number for name in full_names for number in self._by_user_name.get(name, ()) if accessible[number]]

    def names_in(self, number: int) -> frozenset[str]:
        """Return the last parts of the names that the text of a document names."""
        return frozenset(map(_last, _DOTTED.findall(self.documents[number].text)))

    def definitions_in(self, numbers: Iterable[int], place: Place) -> list[int]:
        """Return the numbers of the definitions and predicates that a theorem at ``place`` can use and that documents
        name, each once, in the order in which they do; by any end of their names, since scopes are not known."""
        accessible = self.accessible(place)
        written = ((number, word) for number in numbers for word in _DOTTED.findall(self.documents[number].text))
        candidates = (
            (number, word, other) for number, word in written for other in self._by_last_part.get(_last(word), ())
        )
        named = (
            other
            for number, word, other in candidates
            if accessible[other] and other != number and f".{self.documents[other].name}".endswith(f".{word}")
        )
        return list(dict.fromkeys(named))

    def classes_of(self, number: int) -> frozenset[str]:
        """Return the classes, by what a text calls them, of which a document needs an instance, as far as its text and
        its name tell: it is a field of one or defined with it, or has one in square brackets."""
        document = self.documents[number]
        owner = document.name.rpartition(".")[0]
        is_part = document.is_field or document.kind in ("constructor", "definition")
        named = (
            name
            for word in _IN_SQUARES.findall(document.text)
            for name in self._classes.get(_last(word), ())
            if f".{name}".endswith(f".{word}")
        )
        return frozenset([*([owner] if is_part and owner in self._classes.get(_last(owner), ()) else []), *named])

    def set_for_grind(self, numbers: Sequence[int], kinds: Sequence[ForGrind]) -> None:
        """Keep of documents how ``grind`` takes them, as Lean says."""
        self._for_grind.update(zip(numbers, kinds, strict=True))

    def name_of(self, number: int) -> str:
        """Return what a text calls a document, so that it means nothing else."""
        kind, name = self.for_grind(number), self.documents[number].name
        return f"{ROOT}{name}" if kind and kind.ambiguous else name

    def for_grind(self, number: int) -> ForGrind | None:
        """Return how ``grind`` takes a document; ``None`` where nobody has asked."""
        return self._for_grind.get(number)

    def imported_at(self, place: Place) -> frozenset[int]:
        """Return the numbers of the files that the file of ``place`` imports, directly or not."""
        here = self.number_of(place)
        return frozenset() if here is None else frozenset(np.flatnonzero(self._closure(here)).tolist()) - {here}

    def check(self, places: Iterable[Place]) -> None:
        """Make sure that the corpus has the files of these places.

        Raises:
            ConfigError: it lacks one, so that nothing would be known of what can be used there.
        """
        for place in places:
            if self.number_of(place) is None:
                raise ConfigError(
                    f"The corpus of premises lacks the theorem's file {place.file_path} of {place.url} at commit "
                    f"{place.commit[:12]}: trace that repository and export the corpus with it."
                )

    def number_of(self, place: Place) -> int | None:
        """Return the number of the file of ``place``; ``None`` where the corpus lacks it."""
        return self._files.get((place.url, place.commit, place.file_path), self._files.get(("", "", place.file_path)))

    @cached_property
    def by_name(self) -> Mapping[str, list[int]]:
        """The numbers of the documents of each full name."""
        return _numbers(document.full_name for document in self.documents)

    @cached_property
    def file_of(self) -> NDArray[np.int64]:
        """The number of the file of each document, ``[documents]``."""
        return np.array([document.file for document in self.documents], dtype=np.int64)

    @cached_property
    def _by_user_name(self) -> Mapping[str, list[int]]:
        return _numbers(document.name for document in self.documents)

    @cached_property
    def _by_last_part(self) -> Mapping[str, list[int]]:
        numbers: defaultdict[str, list[int]] = defaultdict(list)
        for number, document in enumerate(self.documents):
            if self.is_fact[number] and document.kind in ("definition", "inductive"):
                numbers[_last(document.name)].append(number)
        return numbers

    @cached_property
    def _classes(self) -> Mapping[str, list[str]]:
        """What texts call the classes, by the last parts of their names."""
        names: defaultdict[str, list[str]] = defaultdict(list)
        for document in self.documents:
            if document.kind == "inductive" and _CLASS.match(document.text):
                names[_last(document.name)].append(document.name)
        return names

    @cached_property
    def _is_private(self) -> NDArray[np.bool_]:
        return np.array([document.full_name.startswith("_private.") for document in self.documents], dtype=np.bool_)

    @cached_property
    def _end_of(self) -> NDArray[np.int64]:
        return np.array([document.end for document in self.documents], dtype=np.int64).reshape(-1, 2)

    def ends_before(self, start: tuple[int, int]) -> NDArray[np.bool_]:
        """Return which documents end before a line and column of their own file."""
        return self._ends_before(slice(None), start)

    def _ends_before(self, documents: NDArray[np.int64] | slice, start: tuple[int, int]) -> NDArray[np.bool_]:
        lines, columns = self._end_of[documents].T
        return np.asarray((lines < start[0]) | ((lines == start[0]) & (columns <= start[1])))

    def _closure(self, file: int) -> NDArray[np.bool_]:
        """Return whether ``file`` imports each file, directly or not, or is it, ``[files]``."""
        closure = self._closures.pop(file, None)
        if closure is None:
            reached, waiting = {file}, [file]
            while waiting:
                others = [other for other in self._imported[waiting.pop()] if other not in reached]
                reached.update(others)
                waiting += others
            closure = np.zeros(len(self._imports), dtype=np.bool_)
            closure[list(reached)] = True
            if len(self._closures) >= CLOSURES:
                self._closures.popitem(last=False)
        self._closures[file] = closure
        return closure

    @cached_property
    def _imported(self) -> list[list[int]]:
        """For each file the numbers of those that it names in its imports, each once."""
        imported = []
        for owner, imports in self._imports:
            others = (self._files.get((*owner, path), self._files.get(("", "", path))) for path in imports)
            imported.append(list(dict.fromkeys(other for other in others if other is not None)))
        return imported


def _shown(code: str) -> str:
    """Return a declaration without its proof, on one line."""
    return " ".join(_PROOF.sub("", code).split())[:LONGEST_PREMISE]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def words(text: str) -> list[str]:
    """Split text into parts of names, numbers and symbols: ``Nat.addComm`` is ``nat``, ``.``, ``add``, ``comm``."""
    return [part for word in _WORD.findall(text) for part in _parts(word)]


@lru_cache(maxsize=100_000)
def _parts(word: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in _PART.findall(word) or [word])


def _numbers(names: Iterable[str]) -> Mapping[str, list[int]]:
    """Return the places of each name."""
    numbers: defaultdict[str, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        numbers[name].append(number)
    return numbers
