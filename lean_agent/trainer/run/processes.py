"""The processes that train one model together: each holds the whole model, on a device of its own.

``accelerate launch`` and torchrun start them, and all go through the same steps in the same order. What there is to do
is shared out, and what came of it put together again. Files, logs and the words on a terminal are the first one's. A
training that was started by itself is its only process.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TypeVar, cast

import torch
from accelerate import PartialState
from accelerate.utils import broadcast_object_list, gather_object

from lean_agent.errors import ConfigError
from lean_agent.folder_lock import locked_folder

T = TypeVar("T")


class Processes:
    """One process among those that train together; its device is torch's current one from now on.

    Except for :meth:`mine`, a method returns when all have called it.

    Attributes:
        count: how many there are.
        rank: which one this is, from 0.
    """

    def __init__(self) -> None:
        self._state = PartialState(cpu=not torch.cuda.is_available())
        self.count: int = self._state.num_processes
        self.rank: int = self._state.process_index
        if self.count > 1:
            atexit.register(_leave_group)

    @property
    def is_first(self) -> bool:
        """Whether this is the one that writes."""
        return self.rank == 0

    def first_alone(self) -> AbstractContextManager[None]:
        """Let the first do this before the others do."""
        return cast("AbstractContextManager[None]", self._state.main_process_first())

    @contextmanager
    def alone_in(self, folder: Path) -> Iterator[None]:
        """Keep other trainings out of a folder: the first takes its lock, for all of them.

        Raises:
            ConfigError: in every one of them, when another process is at work there.
        """
        with ExitStack() as stack:
            refusal = ""
            if self.is_first:
                try:
                    stack.enter_context(locked_folder(folder, instead="give another output_dir", keeps_command=True))
                except ConfigError as error:
                    refusal = str(error)
            if refusal := self.broadcast(refusal):
                raise ConfigError(refusal)
            yield

    def wait(self) -> None:
        """Wait until all are here."""
        self._state.wait_for_everyone()

    def mine(self, items: Sequence[T]) -> list[T]:
        """Return this process's share of items."""
        return list(items[self.rank :: self.count])

    def gather(self, share: Sequence[T]) -> list[T]:
        """Return the results of all processes, in the order of what was shared out."""
        if self.count == 1:
            return list(share)
        shares: list[list[T]] = gather_object([list(share)])
        turns = zip_longest(*([(item,) for item in share] for share in shares))
        return [wrapped[0] for turn in turns for wrapped in turn if wrapped is not None]

    def broadcast(self, value: T) -> T:
        """Return the first process's value."""
        return cast(T, broadcast_object_list([value])[0]) if self.count > 1 else value

    def add(self, tensors: Sequence[torch.Tensor]) -> None:
        """All-reduce tensors in place, by their sum."""
        if self.count > 1:
            for tensor in tensors:
                torch.distributed.all_reduce(tensor)


def _leave_group() -> None:
    """End what connects the processes: a thread of it that lives on when Python ends can abort the process."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
