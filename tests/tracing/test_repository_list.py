from __future__ import annotations

from pathlib import Path

import pytest

from lean_agent.errors import ConfigError
from lean_agent.tracing import RepositoryEntry, read_repository_list


def written(folder: Path, text: str) -> Path:
    path = folder / "list.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_entries(tmp_path: Path) -> None:
    text = """\
- url: https://example.org/a/b.git
  commit: v4.28.0
  licence: Apache-2.0
- url: git@example.org:a/c
- url: ../d
  commit: 'deadbeef'
"""
    assert read_repository_list(written(tmp_path, text)) == (
        RepositoryEntry("https://example.org/a/b.git", "v4.28.0", "Apache-2.0"),
        RepositoryEntry("git@example.org:a/c"),
        RepositoryEntry(f"{tmp_path}/../d", "deadbeef"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- url: u\n  license: MIT\n", "entry 1: 'license' is no key of a repository; did you mean licence?"),
        ("- url: https://e.org/u\n- uri: v\n", "entry 2: 'uri' is no key of a repository; did you mean url?"),
        ("- url: u\n  depth: 1\n", "known are url, commit, licence"),
        ("- url: u\n  commit: 1234567\n", "write it in quotes: commit: '1234567'"),
        ("- commit: abc\n", "entry 1 has no url"),
        ("- u\n", "entry 1 has to be a repository"),
        ("url: u\n", "has to be a list"),
        ("", "has to be a list"),
        ("- [\n", "is no YAML"),
        ("- url: https://e.org/u\n- url: https://e.org/u\n", "entry 2: https://e.org/u is listed twice"),
    ],
)
def test_what_is_no_list_is_refused_in_words(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        read_repository_list(written(tmp_path, text))
    assert words in str(refused.value)


def test_a_list_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="could not be read"):
        read_repository_list(tmp_path / "none.yaml")
