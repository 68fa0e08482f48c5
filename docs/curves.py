"""Learning curves of a run of ``lean-agent demo --grpo``, as the one picture of docs/learning_curves.md.

    python docs/curves.py [RUN] [--out docs/learning_curves.png]

By default of the newest run in ``runs``. What stands in the picture is printed as text, too.
"""

from __future__ import annotations

import argparse
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from lean_agent.evaluation.plots import count_in_whole_numbers, image
from lean_agent.evaluation.results import ATTEMPTS
from lean_agent.files import json_lines, write_atomically

Curve = Sequence[tuple[float, float]]
SFT, GRPO, ROUNDS = "checkpoints/sft/metrics.jsonl", "checkpoints/grpo/metrics.jsonl", "practice/rounds/*/round.json"
FEW = 5
"""Curves of fewer points have them marked."""
COLOURS = 256


def curves_of(path: Path, names: Mapping[str, str]) -> dict[str, Curve]:
    """Return metrics by step, each under what it is to be called; none where there is no file."""
    curves: dict[str, list[tuple[float, float]]] = {}
    for line in json_lines(path.read_text(encoding="utf-8")) if path.is_file() else ():
        row = json.loads(line)
        for metric, name in names.items():
            if isinstance(row.get(metric), int | float):
                curves.setdefault(name, []).append((row["step"], row[metric]))
    return dict(curves)


def rounds_of(run: Path) -> dict[str, Curve]:
    """Return how many theorems each round of practice has proved, and how many of these for the first time."""
    rounds = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(run.glob(ROUNDS))]
    practised = [each for each in rounds if each["number"]]
    tried = max((each["practised"] for each in practised), default=0)
    return {
        f"proved of {tried}": [(each["number"], each["proved"]) for each in practised],
        "for the first time": [(each["number"], each["new"]) for each in practised],
    }


def within_calls(run: Path) -> dict[str, Curve]:
    """Return how many held-out theorems each policy has proved within so many Lean calls for each."""
    costs: dict[str, list[float]] = {}
    most = 0.0
    for line in json_lines((run / ATTEMPTS).read_text(encoding="utf-8")):
        attempt: dict[str, Any] = json.loads(line)
        of_prover = costs.setdefault(attempt["prover"], [])
        most = max(most, attempt["lean_calls"])
        of_prover += [attempt["lean_calls"]] if attempt["status"] == "proved" else []
    return {
        f"{prover} ({len(calls)})": [
            (0, 0),
            *((cost, at + 1) for at, cost in enumerate(sorted(calls))),
            (most, len(calls)),
        ]
        for prover, calls in costs.items()
    }


def drawn(run: Path) -> tuple[Figure, dict[str, dict[str, Curve]]]:
    """Return the picture of a run, and what stands in it: title of a drawing, name of a curve, its points."""
    shown = {
        "SFT: loss": curves_of(run / SFT, {"loss": "training", "eval_loss": "held out"}),
        "GRPO: reward of tactics, verified by Lean": curves_of(run / GRPO, {"reward": "mean of an update"}),
        "Practice: theorems proved in a round": rounds_of(run),
        "Held-out theorems proved within so many Lean calls": within_calls(run),
    }
    labels = ("update", "update", "round", "Lean calls for a theorem")
    figure = Figure(figsize=(8.0, 5.8), layout="constrained")
    grid: Sequence[Axes] = figure.subplots(2, 2).flat
    for axes, (title, curves), label in zip(grid, shown.items(), labels, strict=True):
        draw: Callable[..., object] = axes.plot
        if label.startswith("Lean"):
            draw = lambda *points, step=axes.step, **how: step(*points, where="post", **how)  # noqa: E731
        for name, points in curves.items():
            if points:
                xs, ys = zip(*points, strict=True)
                draw(xs, ys, label=name, marker="o" if len(points) < FEW else None, markersize=4)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(label, fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.3)
        if label == "round":
            count_in_whole_numbers(axes.xaxis)
        if label != "update":
            axes.set_ylim(bottom=0)
        if axes.lines:
            axes.legend(fontsize=8)
    return figure, shown


def small_png(picture: bytes) -> bytes:
    """Return a picture in the few colours that it needs, at a third of its size."""
    small = io.BytesIO()
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS, kmeans=3).save(small, "png", optimize=True)
    return small.getvalue()


def main() -> None:
    """Draw the curves, and print their ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="?", type=Path, default=Path("runs/latest"))
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("learning_curves.png"))
    asked = parser.parse_args()
    figure, shown = drawn(asked.run)
    write_atomically(asked.out, small_png(image(figure, "png")))
    for title, curves in shown.items():
        for name, points in curves.items():
            if points:
                print(
                    f"{title}; {name}: {points[0][1]:.3g} at {points[0][0]:g}, {points[-1][1]:.3g} at {points[-1][0]:g}"
                )
    print(f"{asked.out}: {asked.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
