"""The card of a data set: its README.md, with the header that the HuggingFace hub reads.

Everything in it comes from the metadata of the export; nothing is measured here. Which licence a repository is under is
read off the text that it ships.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from lean_agent.database.exports.formats import METHODS, configurations, contents
from lean_agent.database.splits import SPLITS
from lean_agent.wording import HIDDEN_BODIES, counted

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"
_SHOWN = 10
METADATA = "metadata.json"
_LOADING = {
    "leandojo": 'import json\nrows = json.load(open("random/train.json"))',
    "huggingface": 'from datasets import load_from_disk\nrows = load_from_disk("random")["train"]',
}
_LOADING_BY_CARD = 'from datasets import load_dataset\nrows = load_dataset("path/to/this/folder", "random")["train"]'
_FIELDS = """\
A theorem has `url`, `commit`, `file_path`, `full_name`, `theorem_statement`, `start` and `end` (line and column, from
1), `proof` (its text without `:=`: `by …`, a term, or equations; empty where it is not known) and `traced_tactics`,
of which a proof that is a term or equations may have none. A tactic has `tactic` (its text), `annotated_tactic` (the
text, `<a>…</a>` around premises), `premises` (those premises with the place of their definition; in LeanDojo's own
layout they are the second element of `annotated_tactic`), `state_before` and `state_after` as Lean prints them,
`step` (the tactic as one step of a search: branches are left open as `?_`; empty for what is no step of its own) and
`position` (its byte offset in the file).
The corpus has for each file what it imports and every declaration that can be a premise."""


_TACTIC_FIELDS = """\
A row is one step of a proof: `state` (all goals as Lean prints them), `tactic` (the step, which may have several
lines), `prompt` and `completion` (the turns that lean_agent's SFT trains on, which its provers ask with; `role` and
`content`, in CSV as JSON), `url`, `commit`, `file_path`, `full_name` (the theorem), `position` (the step's byte
offset in the file; negative where it is not known) and `split`. A theorem without tactics has no row, nor has a
bullet or a `case`."""


def dataset_card(metadata: Mapping[str, Any]) -> str:
    """Return the text of README.md for an export with this metadata."""
    header = yaml.safe_dump(_header(metadata), sort_keys=False, allow_unicode=True)
    parts = [f"---\n{header}---", *_body(metadata)]
    return "\n\n".join(parts) + "\n"


def card_format(card: str) -> str | None:
    """Return the format that a card of ours names; ``None`` for any other text."""
    match = re.search(r"Written by lean_agent .*; layout: .*, as (\w+)\.$", card, re.MULTILINE)
    return match[1] if match else None


def _header(metadata: Mapping[str, Any]) -> dict[str, Any]:
    configs = configurations(metadata)
    return {
        "pretty_name": _title(metadata),
        "license": _licence(metadata["repositories"]),
        "language": ["en"],
        "tags": ["lean4", "theorem-proving", "formal-mathematics"],
        "task_categories": ["text-generation"],
        "size_categories": [next((words for limit, words in _SIZES if _n_rows(metadata) < limit), _LARGEST)],
        # The viewer of the hub cannot read what has no configuration here.
        **({"configs": configs} if configs else {"viewer": False}),
    }


def _licence(repositories: Sequence[Mapping[str, Any]]) -> str:
    """Return the hub's identifier where all sources agree on a known licence, else ``other``."""
    licences = {entry["licence"] for entry in repositories}
    agreed = licences.pop() if len(licences) == 1 else None
    return "other" if agreed in (None, UNKNOWN) else str(agreed).lower()


def _title(metadata: Mapping[str, Any]) -> str:
    names = [entry["name"] for entry in metadata["repositories"]]
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f"Traced Lean 4 proofs of {shown}" if names else "Traced Lean 4 proofs"


def _sources(repositories: Sequence[Mapping[str, Any]]) -> str:
    columns = ("repository", "commit", "licence", "toolchain asked for", "traced by Lean")
    return _table(
        (*columns, "files", "theorems", "proved", "open", "tactics"),
        [
            (
                f"[{entry['name']}]({entry['url']})" if "://" in entry["url"] else entry["name"],
                f"`{entry['commit'][:12]}`",
                entry["licence"] or "none found",
                entry["lean_toolchain"] or "",
                "; ".join(entry["lean_versions"]) or "not written down",
                *(f"{entry[name]:,}" for name in ("files", "theorems", "proved", "sorries", "tactics")),
            )
            for entry in repositories
        ],
    )


def _body(metadata: Mapping[str, Any]) -> list[str]:
    leaks = metadata["leaks"]
    loading = _LOADING.get(metadata["format"].removeprefix("tactics_"), _LOADING_BY_CARD)
    return [
        f"# {_title(metadata)}",
        f"{_contents(metadata)}. Written by lean_agent "
        f"{metadata['lean_agent_version']} on {metadata['creation_time']}; layout: "
        f"{metadata['layout']}, as {metadata['format']}.",
        f"```python\n{loading}\n```",
        "## Fields",
        _FIELDS if contents(metadata["format"]) == "theorems" else _TACTIC_FIELDS,
        "## What is left out",
        "\n".join(f"- {sentence}" for sentence in left_out(metadata)),
        "## Splits",
        _table(
            (f"{contents(metadata['format'])}, split by", *SPLITS, "in none"),
            [
                (
                    name,
                    *(f"{metadata['splits'][name][split]:,}" for split in SPLITS),
                    f"{metadata['splits'][name]['left_out']:,}",
                )
                for name in METHODS
            ],
        ),
        "\n".join(f"- `{name}`: {metadata['splits'][name]['method']}." for name in METHODS),
        "A split is decided once for each statement and does not change as repositories are added. Equal statements "
        "share a split. A statement that is nearly the same as an earlier one goes where that one is; one that is near "
        "to statements of two splits, or whose premises belong to another split, is in none.",
        f"Near-duplicates ({leaks['similarity']}, bound variables numbered): {leaks['near_duplicates']:,} of "
        f"{counted(leaks['statements'], 'statement')}; "
        f"{leaks['moved_to_the_side_of_the_first']:,} were moved to the side of "
        f"the first, {leaks['left_out_near_to_two_sides']:,} left out.",
        *(["## Proofs found by practice", _found(metadata)] if metadata["found"]["proofs"] else []),
        "## Sources and their licences",
        _sources(metadata["repositories"]),
        "Statements and proofs are the work of the authors of these repositories and stand under their licences, as "
        "far as the licence files say; look for yourself before you publish.",
    ]


def _found(metadata: Mapping[str, Any]) -> str:
    """Say what lies in ``found/``."""
    counts, what = metadata["found"], contents(metadata["format"])
    sizes = ", ".join(f"{split} {counts[split]:,}" for split in SPLITS)
    proofs = counted(counts["proofs"], "proof")
    return (
        f"{proofs} that lean_agent found itself, in rounds of search and training, and that its judge has accepted: "
        f"the shortest of each theorem so far. They lie in `found/` alone ({what}: {sizes}), in the split that "
        "`random` has for their statement; `found_by` is the run that found them, `round` the round. They are the "
        "work of no author of these repositories."
    )


def _n_rows(metadata: Mapping[str, Any]) -> int:
    """Count the theorems, or steps, in the splits by ``random``."""
    return sum(metadata["splits"]["random"][split] for split in SPLITS)


def _contents(metadata: Mapping[str, Any]) -> str:
    if contents(metadata["format"]) == "tactics":
        proofs = f"the proofs of {counted(metadata['proved'], 'theorem')}"
        return f"{counted(_n_rows(metadata), 'step')} of {proofs}, each with the state before it"
    return (
        f"{counted(metadata['proved'], 'theorem')} with proofs, {counted(metadata['tactics'], 'tactic')} of these with "
        f"the states before and after, and a corpus of {counted(metadata['premises'], 'declaration')} in "
        f"{counted(metadata['files'], 'file')}"
        f"{_library(metadata)}"
    )


def left_out(metadata: Mapping[str, Any]) -> list[str]:
    """Say in words what the repositories have and no split has."""
    axioms = metadata["axioms"]
    shown = ", ".join(f"`{name}` ({count:,})" for name, count in list(axioms.items())[:_SHOWN])
    more = f" and {len(axioms) - _SHOWN:,} more" if len(axioms) > _SHOWN else ""
    failed = sum(len(entry["failed"]) for entry in metadata["repositories"])
    hidden = sum(entry["hidden_bodies"] for entry in metadata["repositories"])
    return [
        f"{counted(metadata['sorries'], 'theorem')} whose proof has a `sorry`.",
        f"{counted(metadata['on_axioms'], 'theorem')} resting on other axioms than Lean's three"
        + (f": {shown}{more}." if axioms else "."),
        f"{counted(failed, 'theorem')} in which Lean finds an error"
        + (
            f"; `failed` of their repository in {METADATA} names them, `lean-agent db show` of the repository says "
            "what Lean said."
            if failed
            else "."
        ),
        *([f"{counted(metadata['examples'], 'example')}."] if metadata["examples"] else []),
        *([f"{counted(hidden, 'error')} of them: {HIDDEN_BODIES}."] if hidden else []),
    ]


def _library(metadata: Mapping[str, Any]) -> str:
    premises = metadata["library_premises"]
    return f", and {premises:,} of Lean's own library, which is Apache-2.0" if premises else ""


def _table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


UNKNOWN = "unknown"
FILES = ("LICENSE", "LICENCE", "COPYING", "UNLICENSE")
LONGEST_TEXT = 100_000
LONGEST_TITLE = 400

_TAG = re.compile(r"SPDX-License-Identifier:\s*([\w.+-]+)")
_TITLES = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("AGPL-3.0", ("gnu affero general public license", "version 3")),
    ("LGPL-3.0", ("gnu lesser general public license", "version 3")),
    ("LGPL-2.1", ("gnu lesser general public license", "version 2.1")),
    ("GPL-3.0", ("gnu general public license", "version 3")),
    ("GPL-2.0", ("gnu general public license", "version 2")),
    ("MPL-2.0", ("mozilla public license", "2.0")),
    ("CC0-1.0", ("cc0 1.0",)),
    ("CC-BY-SA-4.0", ("attribution-sharealike 4.0",)),
    ("CC-BY-4.0", ("attribution 4.0",)),
)
_BODIES = (
    ("Unlicense", ("this is free and unencumbered software",)),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software",)),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name of")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("MIT", ("permission is hereby granted, free of charge", "without restriction")),
)


def find_licence(folder: Path) -> str | None:
    """Return the SPDX identifier of the licence that ``folder``, or the git work tree around it, ships.

    ``unknown`` for a licence file that is none of the common ones; ``None`` where there is no such file. It says what a
    file says; who publishes a data set still has to look.
    """
    around = [folder, *folder.parents]
    tops = [place for place in around if (place / ".git").exists()]
    for place in around[: around.index(tops[0]) + 1] if tops else [folder]:
        if place.is_dir() and (licences := sorted(path for path in place.iterdir() if _is_licence(path))):
            with licences[0].open(encoding="utf-8", errors="replace") as file:
                return identify(file.read(LONGEST_TEXT))
    return None


def identify(text: str) -> str:
    """Return the SPDX identifier of a licence's text, or ``unknown``."""
    if tag := _TAG.search(text):
        return tag[1]
    words = " ".join(text.lower().split())
    title = words[:LONGEST_TITLE]
    by_title = (name for name, marks in _TITLES if all(mark in title for mark in marks))
    by_body = (name for name, marks in _BODIES if all(mark in words for mark in marks))
    return next(by_title, None) or next(by_body, UNKNOWN)


def _is_licence(path: Path) -> bool:
    return path.is_file() and path.name.upper().split(".")[0] in FILES
