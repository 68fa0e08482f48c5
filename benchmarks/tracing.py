"""Seconds to trace the files of repos/ against seconds for Lean to elaborate the same files without tracing.

    python benchmarks/tracing.py [REPOSITORY …] [--runs 3]

Both in one process and one run, file by file in turn, so that a noisy machine disturbs both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import tempfile
import time
from pathlib import Path

from lean_agent.lean.embedded.install import install
from lean_agent.lean.embedded.process import LeanProcess
from lean_agent.tracing import lean_project, local_repository, read_import_graph

REPOS = Path(__file__).parent.parent / "repos"


async def measure(process: LeanProcess, repository: Path, build: Path, run: int) -> tuple[float, float, int]:
    """(seconds to elaborate, seconds to trace, theorems) of a repository's files, in import order."""
    project = lean_project(local_repository(repository))
    plain = traced = 0.0
    theorems = 0
    place = {"path": ["/build-bench"], "mounts": [["/build-bench", str(build)]]}
    for file in (source.path for source in read_import_graph(project.root).files):
        text = (project.root / file).read_text(encoding="utf-8")
        module = file.removesuffix(".lean").replace("/", ".")
        fields = {"module": module, "text": text, **place}
        compiled = Path(file).with_suffix(".olean")
        # the imports of the file are read once and kept: neither measurement pays for them
        await process.request("open", timeout_s=900, file=f"warm-{run}-{file}", **fields)
        await process.request("forget", timeout_s=60, file=f"warm-{run}-{file}")
        began = time.perf_counter()
        await process.request("open", timeout_s=900, file=f"plain-{run}-{file}", **fields)
        plain += time.perf_counter() - began
        await process.request("forget", timeout_s=60, file=f"plain-{run}-{file}")
        began = time.perf_counter()
        answer = await process.request(
            "trace", timeout_s=900, file=f"trace-{run}-{file}", olean=f"/out/{compiled}", **fields
        )
        (build / compiled).parent.mkdir(parents=True, exist_ok=True)
        (build / compiled).write_bytes(base64.b64decode(answer["compiled"]))
        traced += time.perf_counter() - began
        theorems += len(answer["theorems"])
    return plain, traced, theorems


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("repositories", nargs="*", type=Path, default=sorted(p for p in REPOS.iterdir() if p.is_dir()))
    parser.add_argument("--runs", type=int, default=1)
    args = parser.parse_args()
    where = await asyncio.to_thread(install)
    totals = [0.0, 0.0]
    for repository in args.repositories:
        for run in range(args.runs):
            with tempfile.TemporaryDirectory() as build:
                process = await LeanProcess.start(where)
                try:
                    plain, traced, theorems = await measure(process, repository, Path(build), run)
                finally:
                    await process.kill()
            totals = [totals[0] + plain, totals[1] + traced]
            print(
                f"{repository.name}: {theorems} theorems, elaborated in {plain:.2f} s, traced in {traced:.2f} s: "
                f"{traced / plain:.2f} times"
            )
    plain, traced = totals
    print(f"all: elaborated in {plain:.2f} s, traced in {traced:.2f} s: {traced / plain:.2f} times (mark 1.4)")


if __name__ == "__main__":
    asyncio.run(main())
