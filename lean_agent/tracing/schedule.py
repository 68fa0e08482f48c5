"""Which file is worked on next: any file whose imports are done, the one that most of the work waits for first.

Knows neither Lean nor databases: a file is a name, its imports and a cost.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence

from lean_agent.tracing.project.import_graph import SourceFile


def ranks(files: Sequence[SourceFile], costs: Mapping[str, int]) -> dict[str, int]:
    """Per module the cost of the longest way from it to a file that nothing imports, itself included.

    A file with a large rank holds up much work, so it goes first (highest level first: Hu, 1961).

    Args:
        files: imports before importers.
        costs: what each module costs, in any unit.
    """
    longest = dict.fromkeys((file.module for file in files), 0)
    for file in reversed(files):
        longest[file.module] += costs[file.module]
        for wanted in file.imports:
            longest[wanted.module] = max(longest[wanted.module], longest[file.module])
    return longest


async def run_in_import_order(
    files: Sequence[SourceFile],
    work: Callable[[SourceFile], Awaitable[None]],
    *,
    width: int,
    costs: Mapping[str, int],
) -> None:
    """Await ``work`` once for each file, at most ``width`` at a time, and for no file before its imports are done.

    A file starts as soon as its last import is done, whatever else is still running. An exception ends the run and
    comes out as it is.
    """
    rank = ranks(files, costs)
    left = {file.module: len({wanted.module for wanted in file.imports}) for file in files}
    importers: dict[str, list[SourceFile]] = {file.module: [] for file in files}
    for file in files:
        for module in {wanted.module for wanted in file.imports}:
            importers[module].append(file)
    place = {file.module: index for index, file in enumerate(files)}
    ready: asyncio.PriorityQueue[tuple[int, int]] = asyncio.PriorityQueue()  # (-rank, place in files)
    unfinished = len(files)

    def offer(file: SourceFile) -> None:
        ready.put_nowait((-rank[file.module], place[file.module]))

    async def consume() -> None:
        nonlocal unfinished
        while True:
            _, index = await ready.get()
            if index < 0:
                return
            await work(files[index])
            unfinished -= 1
            for importer in importers[files[index].module]:
                left[importer.module] -= 1
                if left[importer.module] == 0:
                    offer(importer)
            if unfinished == 0:
                for _ in range(width):
                    ready.put_nowait((0, -1))

    for file in files:
        if left[file.module] == 0:
            offer(file)
    if not files:
        return
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(consume())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
