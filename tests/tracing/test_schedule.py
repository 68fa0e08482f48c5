"""The order of work over an import graph, with work that only waits."""

from __future__ import annotations

import asyncio

import pytest

from lean_agent.tracing.project.import_graph import Import, SourceFile, ranks, run_in_import_order


def graph(imports: dict[str, str]) -> list[SourceFile]:
    return [SourceFile(f"{m}.lean", m, tuple(Import(i, 1) for i in below)) for m, below in imports.items()]


FILES = graph({"A": "", "B": "", "C": "A", "D": "B", "E": "CD"})
COSTS = {"A": 1, "B": 2, "C": 9, "D": 1, "E": 3}


def events(width: int, files: list[SourceFile] = FILES, seconds: dict[str, float] | None = None) -> list[str]:
    """What starts (capital) and ends (small) in which order, when each file takes its seconds."""
    seen: list[str] = []

    async def work(file: SourceFile) -> None:
        seen.append(file.module)
        await asyncio.sleep((seconds or {}).get(file.module, 0.0))
        seen.append(file.module.lower())

    costs = {file.module: COSTS.get(file.module, 1) for file in files}
    asyncio.run(run_in_import_order(files, work, width=width, costs=costs))
    return seen


def test_ranks() -> None:
    # E 3; D 1 + 3; C 9 + 3; B 2 + 4; A 1 + 12
    assert ranks(FILES, COSTS) == {"A": 13, "B": 6, "C": 12, "D": 4, "E": 3}


def test_one_at_a_time_the_longest_way_first() -> None:
    assert "".join(events(1)) == "AaCcBbDdEe"


def test_a_file_starts_as_soon_as_its_imports_are_done() -> None:
    # B is slow; C needs only A and is done before B is: there are no levels
    order = events(2, seconds={"B": 0.2})
    assert order.index("c") < order.index("b")
    assert order.index("d") < order.index("E")


def test_never_more_than_the_width_at_once() -> None:
    wide = graph({name: "" for name in "ABCDEFGH"})
    running = most = 0
    for event in events(3, wide, dict.fromkeys("ABCDEFGH", 0.01)):
        running += 1 if event.isupper() else -1
        most = max(most, running)
    assert most == 3


def test_an_import_named_twice_is_one() -> None:
    assert events(2, graph({"A": "", "B": "AA"})) == ["A", "a", "B", "b"]


def test_nothing_to_do() -> None:
    assert events(2, []) == []


def test_an_error_comes_out_as_it_is() -> None:
    async def work(file: SourceFile) -> None:
        raise ValueError(file.module)

    with pytest.raises(ValueError, match="A"):
        asyncio.run(run_in_import_order(FILES, work, width=1, costs=COSTS))
