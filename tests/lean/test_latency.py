"""What it would cost to have a file in another process."""

from __future__ import annotations

import pytest

from lean_agent.lean.pool.affinity import LatencyEstimates


@pytest.fixture
def clock() -> list[float]:
    """A clock that stands still until a test moves it."""
    return [100.0]


def opened(costs: LatencyEstimates, clock: list[float], file: str, seconds: float) -> None:
    with costs.opening(file):
        clock[0] += seconds


def test_a_file_takes_as_long_as_it_took_less_what_opening_has_sped_up_by(clock: list[float]) -> None:
    costs = LatencyEstimates(lambda: clock[0])
    opened(costs, clock, "a", 2.0)
    opened(costs, clock, "b", 4.0)
    assert costs.open_s("a") == pytest.approx(3.0)  # the mean of both, as it was when it was all there was
    assert costs.open_s("b") == pytest.approx(4.0)
    for number in range(80):
        opened(costs, clock, str(number), 0.5)
    assert costs.open_s("b") == pytest.approx(4.0 / 3.0 * 0.5, rel=0.01)
    assert costs.open_s("unknown") == pytest.approx(0.5, rel=0.01)


def test_what_takes_long_somewhere_now_takes_as_long_again(clock: list[float]) -> None:
    costs = LatencyEstimates(lambda: clock[0])
    opened(costs, clock, "a", 0.5)
    with costs.opening("slow"):
        clock[0] += 3.0
        assert costs.open_s("slow") == 6.0
        assert costs.open_s("other") == 0.5
    assert costs.open_s("slow") == pytest.approx(3.0)
