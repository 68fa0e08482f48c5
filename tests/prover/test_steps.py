"""The proofs of several goals become one, in an order that Lean's core can run."""

from __future__ import annotations

import pytest

from lean_agent.prover.tree.steps import Groups, Step, count_steps, join, render, separable


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        (((0,), (1,), (2,)), ((0,), (1,), (2,))),
        (((0, 2), (1,)), ((0, 2), (1,))),  # a single goal in between is in nobody's way
        (((0, 1), (2, 3)), ((0, 1), (2, 3))),
        (((0, 2), (1, 3)), ((0, 1, 2, 3),)),  # interlaced: together after all
        (((0, 3), (1, 2)), ((0, 1, 2, 3),)),  # one inside the other
        (((0, 2), (1, 4), (3, 5), (6, 7)), ((0, 1, 2, 3, 4, 5), (6, 7))),
    ],
)
def test_groups_that_no_rotation_can_part_are_united(groups: Groups, expected: Groups) -> None:
    assert separable(groups) == expected


@pytest.mark.parametrize(
    ("groups", "steps"),
    [
        (((0,), (1,)), [("a0",), ("a1",)]),
        (((0,), (1, 2), (3,)), [("a0",), "rotate_left 2", ("a3",), "a1", "a2"]),
        # goals 0 1 2, then 1 2 0: the single one is done, 2 0 are left, the wrong way round
        (((0, 2), (1,)), ["rotate_left", ("a1",), "rotate_left", "a0", "a2"]),
        (((0, 1), (2, 3)), ["a0", "a1", "a2", "a3"]),
    ],
)
def test_single_goals_come_first_and_the_rest_in_its_order(groups: Groups, steps: list[Step]) -> None:
    proofs = [[f"a{index}" for index in group] for group in groups]
    assert join(groups, proofs) == steps


def test_blocks_are_laid_out_by_their_depth() -> None:
    steps: tuple[Step, ...] = (
        "constructor",
        ("cases h with\n| inl a => ?_\n| inr b => ?_", ("exact a",), ("exact b",)),
    )
    assert count_steps(steps) == 4
    assert "\n".join(render(steps)) == (
        "constructor\n· cases h with\n  | inl a => ?_\n  | inr b => ?_\n  · exact a\n  · exact b"
    )
