from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from lean_agent.progress import ProgressBar, TimeLeft, WorkLeft


def test_it_shows_units_and_counts() -> None:
    out = io.StringIO()
    with ProgressBar("Tracing", total=3, console=Console(file=out, width=120)) as bar:
        bar.advance(theorems=7, in_error=0)
        bar.advance(2, theorems=12, in_error=1)
    assert "Tracing" in out.getvalue()
    assert "3/3" in out.getvalue()  # 1 + 2 units
    assert "theorems 12, in error 1" in out.getvalue()


def test_disabled_it_is_silent() -> None:
    out = io.StringIO()
    with ProgressBar("Tracing", total=1, enabled=False, console=Console(file=out)) as bar:
        bar.advance(theorems=1)
    assert out.getvalue() == ""


def test_finish_moves_to_the_end() -> None:
    out = io.StringIO()
    with ProgressBar("Cloning", total=100, console=Console(file=out, width=120)) as bar:
        bar.advance(40)
        bar.finish()
    assert "100/100" in out.getvalue()


@pytest.mark.parametrize("work", [None, 3.0])
@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_is_done_takes_no_more_time(work: float | None, is_terminal: bool) -> None:
    now = 1000.0
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=is_terminal)
    with ProgressBar("Tracing", total=2, work=work, console=console, clock=lambda: now) as bar:
        for _ in range(2):
            now += 61
            bar.advance(size=1.0)  # a third of the size is never seen
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", out.getvalue())
    if is_terminal:
        assert plain.rstrip().splitlines()[-1].endswith("2/2  0:02:02 0:00:00")
    else:
        assert "Tracing: 2/2, 122 s\n" in plain


def test_without_a_terminal_it_writes_a_line_now_and_then() -> None:
    now = 1000.0
    out = io.StringIO()
    with ProgressBar("Tracing", total=100, console=Console(file=out, width=120), clock=lambda: now) as bar:
        bar.advance(theorems=7)
        assert out.getvalue() == ""
        now += 31  # half a minute is over
        bar.advance(4, theorems=12, errors=0)
        bar.advance(theorems=13)
        (line,) = out.getvalue().splitlines()
    assert line.startswith("Tracing: 5/100, theorems 12, errors 0, ")


def test_on_a_terminal_there_is_the_bar_alone() -> None:
    now = 1000.0
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=True)
    with ProgressBar("Tracing", total=2, console=console, clock=lambda: now) as bar:
        now += 31  # a line would be due
        bar.advance(theorems=7)
    assert "Tracing: 1/2" not in out.getvalue()


@pytest.mark.parametrize("unit_s", [0.01, 1.0, 60.0, 7200.0])
def test_time_left_is_right_however_long_a_unit_takes(unit_s: float) -> None:
    left = TimeLeft(start=5.0)
    assert left.seconds(5.0, 10) is None
    for done in range(1, 10):
        now = 5.0 + done * unit_s
        left.advance(now, done)
        assert left.seconds(now, 10 - done) == pytest.approx((10 - done) * unit_s)


def test_time_left_goes_down_while_a_unit_is_under_way_and_not_further() -> None:
    left = TimeLeft(start=0.0)
    left.advance(60.0, 1)
    # 9 units of 60 s = 540 s; one that takes longer than its 60 s leaves the 8 others
    assert [left.seconds(60.0 + late, 9) for late in (0, 20, 60, 300)] == pytest.approx([540, 520, 480, 480])
    assert left.seconds(300.0, 0) == 0


def test_what_was_done_before_does_not_count_for_the_rate() -> None:
    left = TimeLeft(start=0.0)
    for done in range(1, 101):
        left.advance(done / 100, done)  # 100 units that an earlier run had done, in a second
    for done in range(101, 106):
        now = 1.0 + (done - 100) * 20
        left.advance(now, done)
        assert left.seconds(now, 110 - done) == pytest.approx((110 - done) * 20)


def test_the_rate_is_that_of_the_latter_half() -> None:
    left = TimeLeft(start=0.0)
    for done in range(1, 11):
        left.advance(done * 100.0, done)  # ten units of 100 s
    for done in range(11, 31):
        left.advance(1000.0 + (done - 10) * 10, done)  # twenty of 10 s: now it is 1200 s
    # since 600 s, when 6 were done: 24 units in 600 s, 25 s each
    assert left.seconds(1200.0, 4) == pytest.approx(100)


def test_a_line_tells_the_time_left_of_long_units() -> None:
    now = 1000.0
    out = io.StringIO()
    with ProgressBar("Training", total=10, console=Console(file=out, width=120), clock=lambda: now) as bar:
        for step in range(3):
            now += 60
            bar.advance()
            bar.advance(0, loss=step)  # no unit, and no rate of its own
        lines = out.getvalue().splitlines()
    assert lines[0] == "Training: 1/10, 60 s, about 540 s left"
    assert lines[2].startswith("Training: 3/10, ") and lines[2].endswith(", 180 s, about 420 s left")


def test_a_terminal_shows_the_time_left_of_long_units() -> None:
    now = 1000.0
    out = io.StringIO()
    console = Console(file=out, width=120, force_terminal=True)
    with ProgressBar("Training", total=10, console=console, clock=lambda: now) as bar:
        assert "-:--:--" in out.getvalue()
        now += 60
        bar.advance()
    assert "0:01:00 0:09:00" in re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue())


def test_a_training_that_goes_on_says_nothing_of_the_steps_before() -> None:
    now = 1000.0
    out = io.StringIO()
    bar = ProgressBar("Training", total=510, done=500, console=Console(file=out, width=120), clock=lambda: now)
    with bar:
        now += 40
        bar.advance()
        (line,) = out.getvalue().splitlines()
    assert line == "Training: 501/510, 40 s, about 360 s left"


def test_work_left_goes_by_sizes() -> None:
    left = WorkLeft(start=0.0, total=1100.0)
    left.drop(100)  # what was done before
    assert left.seconds(0.0) is None
    left.done(50)
    assert left.seconds(30.0) is None  # a twentieth, in half a minute, says little
    left.done(100)
    # a tenth in 30 s: nine tenths in 270 s; then a second for a second
    assert left.seconds(30.0) == pytest.approx(270)
    assert left.seconds(31.0) == pytest.approx(269 + (900 * 31 / 100 - 269) / 20)


def test_work_left_is_told_after_a_minute_and_does_not_jump() -> None:
    left = WorkLeft(start=0.0, total=1000.0)
    left.done(10)
    assert left.seconds(60.0) == pytest.approx(990 * 6)
    left.done(600)  # a large file is done at once
    soon = left.seconds(61.0)
    assert soon is not None and soon > 5000  # not 41 s at once
    later = [left.seconds(now) for now in range(62, 160)]
    assert later[-1] == pytest.approx(400 * 159 / 600, rel=0.1)


def test_files_of_different_sizes_move_the_bar_by_their_sizes() -> None:
    """Ten files, nine of one kilobyte and one of ninety-one that comes last; a second for each kilobyte."""
    now = 1000.0
    out = io.StringIO()
    console = Console(file=out, width=120)
    with ProgressBar("Tracing", total=10, work=100.0, console=console, clock=lambda: now) as bar:
        for _ in range(9):
            now += 1
            bar.advance(size=1)
        for second in range(1, 91):
            now += 1
            bar.under_way(second)
        now += 1
        bar.advance(size=91)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("Tracing: 9/10, 30 s, about ")
    left = [float(line.split("about ")[1].split()[0]) for line in lines[:3]]
    assert left == pytest.approx([70, 40, 10], abs=3)  # after 30, 60 and 90 seconds of 100
    assert "10/10" in lines[-1]
