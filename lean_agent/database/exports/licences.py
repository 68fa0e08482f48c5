"""Which licence a repository is under, by the text that it ships."""

from __future__ import annotations

import re
from pathlib import Path

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
