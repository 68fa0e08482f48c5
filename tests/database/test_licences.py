from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.database.exports.card import find_licence, identify

MIT = "MIT License\n\nCopyright (c) 2026 X\n\nPermission is hereby granted, free of\ncharge, without restriction"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (MIT, "MIT"),
        ("                         Apache License\n                   Version 2.0, January 2004", "Apache-2.0"),
        # The GPL speaks of the other GNU licences further down.
        ("GNU GENERAL PUBLIC LICENSE\nVersion 3\n" + "x " * 300 + "GNU Affero General Public License", "GPL-3.0"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\nVersion 2.1, February 1999", "LGPL-2.1"),
        ("Redistribution and use in source and binary forms … Neither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source and binary forms", "BSD-2-Clause"),
        ("# SPDX-License-Identifier: EUPL-1.2\n", "EUPL-1.2"),
        ("All rights reserved.", "unknown"),
    ],
)  # fmt: skip
def test_licences_are_known_by_their_text(text: str, name: str) -> None:
    assert identify(text) == name


def test_the_licence_of_the_work_tree_holds_for_a_folder_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "tree" / "repos" / "one"
    folder.mkdir(parents=True)
    (tmp_path / "LICENSE").write_text(MIT)  # outside the work tree: somebody else's
    assert find_licence(folder) is None
    (tmp_path / "tree" / ".git").mkdir()
    assert find_licence(folder) is None
    (tmp_path / "tree" / "LICENSE.md").write_text(MIT)
    assert find_licence(folder) == "MIT"
    (folder / "COPYING").write_bytes(b"\xff none of the common ones")
    assert find_licence(folder) == "unknown"
    assert find_licence(tmp_path / "not there") is None
