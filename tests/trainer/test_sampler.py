"""Rows of like length share a batch, and the order can be had again."""

from __future__ import annotations

from lean_agent.trainer.sft_trainer import LengthGroupedSampler

LENGTHS = [5, 90, 6, 91, 7, 92, 8, 93, 9]


def batches(sampler: LengthGroupedSampler) -> list[list[int]]:
    rows = list(sampler)
    return [rows[i : i + 2] for i in range(0, len(rows), 2)]


def test_rows_of_like_length_share_a_batch() -> None:
    # Sorted by length the rows are 0 2 | 4 6 | 8 1 | 3 5 | 7: four batches of two in any order, the odd one last.
    found = batches(LengthGroupedSampler(LENGTHS, batch_size=2, seed=0))
    assert sorted(found[:-1]) == [[0, 2], [3, 5], [4, 6], [8, 1]]
    assert found[-1] == [7]
    assert len(LengthGroupedSampler(LENGTHS, batch_size=2, seed=0)) == 9


def test_seed_and_epoch_decide_the_order() -> None:
    def order(seed: int, epoch: int) -> list[int]:
        sampler = LengthGroupedSampler(list(range(40)), batch_size=4, seed=seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(1, 3) == order(1, 3)
    assert order(1, 3) != order(1, 4)
    assert order(1, 3) != order(2, 3)
    assert sorted(order(1, 3)) == list(range(40))


def test_pools_mix_rows_before_they_are_sorted() -> None:
    # 200 rows in batches of 2 are two pools of 100; neither holds just the short half.
    rows = list(LengthGroupedSampler(list(range(200)), batch_size=2, seed=0))
    pairs = [sorted(rows[i : i + 2]) for i in range(0, 200, 2)]
    gaps = [long - short for short, long in pairs]
    assert max(gaps) < 20
    assert sum(gap > 1 for gap in gaps) > 20, "one global sort would make every gap 1"
