"""JSON arrays that are read an element at a time."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from lean_agent.files import json_array, json_array_text

ELEMENTS = [{"a": "x],\n[", "b": [1, 2]}, 3, "], ", [], None]


@pytest.mark.parametrize("elements", [ELEMENTS, [7], []])
@pytest.mark.parametrize("indent", [None, 1, "own"])
def test_every_array_reads_back(tmp_path: Path, elements: list[object], indent: int | str | None) -> None:
    path = tmp_path / "array.json"
    text = json_array_text(elements) if indent == "own" else json.dumps(elements, indent=indent)
    path.write_text(text, encoding="utf-8")
    assert json.loads(text) == elements
    assert list(json_array(path)) == elements


@pytest.mark.parametrize("text", ["3", "{}", "[1", "", "[\n1,\n2\n", "[\n1,\n2,\nx\n]\n"])
def test_what_is_no_array_or_cut_short_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "array.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError):
        list(json_array(path))


def test_of_a_file_with_a_line_for_each_element_no_more_is_read_than_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "array.json"
    path.write_text("[\n1,\n2,\nnothing that reads\n", encoding="utf-8")
    assert list(islice(json_array(path), 2)) == [1, 2]
