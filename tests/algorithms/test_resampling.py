"""Groups without spread are sampled again (DAPO's dynamic sampling), as often as the setting says and no more."""

from __future__ import annotations

from collections.abc import Sequence

from lean_agent.algorithms import create_algorithm

FLAT, USEFUL = [0.0, 0.0], [0.0, 1.0]


def has_spread(group: Sequence[float]) -> bool:
    return max(group) > min(group)


def resampled(
    groups: Sequence[list[float]], draws: Sequence[Sequence[list[float]]], times: int
) -> tuple[list[list[float]], list[tuple[int, int]]]:
    """Return the groups afterwards, and what was drawn: (number of the attempt, groups wanted)."""
    asked: list[tuple[int, int]] = []

    def draw(attempt: int, wanted: int) -> Sequence[list[float]]:
        asked.append((attempt, wanted))
        return draws[attempt - 1]

    return create_algorithm("grpo", dynamic_sampling=times).resample(groups, has_spread, draw), asked


def test_flat_groups_are_replaced_and_others_stay() -> None:
    first, other = [0.0, 0.5], [0.5, 1.0]
    groups, asked = resampled([first, FLAT, FLAT], [[USEFUL, FLAT], [other]], times=4)
    assert groups == [first, USEFUL, other]  # the second draw fills the last place, and no third one is needed
    assert asked == [(1, 2), (2, 1)]


def test_a_flat_group_stays_after_the_last_draw() -> None:
    groups, asked = resampled([FLAT, USEFUL], [[FLAT], [FLAT]], times=2)
    assert (groups, asked) == ([FLAT, USEFUL], [(1, 1), (2, 1)])


def test_without_the_setting_nothing_is_drawn() -> None:
    assert resampled([FLAT], [], times=0) == ([FLAT], [])


def test_processes_that_train_together_draw_together() -> None:
    """A process whose groups all have spread draws as many as the one that lacks the most."""
    asked: list[int] = []

    def draw(_: int, wanted: int) -> Sequence[list[float]]:
        asked.append(wanted)
        return [[0.0, 0.25]] * wanted

    algorithm = create_algorithm("grpo", dynamic_sampling=1)
    assert algorithm.resample([USEFUL], has_spread, draw, lambda own: max(own, 3)) == [USEFUL]
    assert asked == [3]
