"""How much of the wall time the policy and Lean were at work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Worker = Literal["policy", "lean"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds. ``busy`` is the time in which the policy or Lean, or both, were at work."""

    wall: float
    policy: float
    lean: float
    busy: float

    def __str__(self) -> str:
        if not self.wall:
            return "no time passed"
        shares = (f"{100 * part / self.wall:.0f} %" for part in (self.busy, self.policy, self.lean))
        return "policy or Lean at work {} of {:.1f} s (policy {}, Lean {})".format(next(shares), self.wall, *shares)


class WorkTimer:
    """Spans of time in which something was at work, in any order; spans may overlap."""

    def __init__(self) -> None:
        self._spans: list[tuple[Worker, float, float]] = []
        self._wall: list[tuple[float, float]] = []

    def add(self, worker: Worker, began: float, ended: float) -> None:
        """Add a span in which ``worker`` was at work, between two readings of one clock."""
        self._spans.append((worker, began, ended))

    def ran(self, began: float, ended: float) -> None:
        """Add a span of the whole."""
        self._wall.append((began, ended))

    def usage(self) -> Usage:
        """Return the sums so far."""
        of = {
            worker: [(began, ended) for at_work, began, ended in self._spans if at_work == worker]
            for worker in ("policy", "lean")
        }
        return Usage(
            wall=covered(self._wall),
            policy=covered(of["policy"]),
            lean=covered(of["lean"]),
            busy=covered([*of["policy"], *of["lean"]]),
        )


def covered(spans: list[tuple[float, float]]) -> float:
    """Return the length of the union of ``spans``."""
    total, reached = 0.0, float("-inf")
    for began, ended in sorted(spans):
        total += max(0.0, ended - max(began, reached))
        reached = max(reached, ended)
    return total
