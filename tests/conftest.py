"""What the whole suite shares: tests whose machine is not there are skipped, and say so."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from lean_agent.database import DynamicDatabase
from lean_agent.lean.embedded.install import lean_root
from lean_agent.lean.pool import LeanPool

# Machines are shared, and no test is of time.
hypothesis.settings.register_profile("untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("untimed")

# Models of tests are small: a second thread gains nothing, and costs much where Lean and other tests share the cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

USERS_LEAN = lean_root()  # before any test has a cache of its own


@pytest.fixture(scope="session")
def lean() -> Iterator[LeanPool]:
    """One embedded Lean for all tests that ask for it: it takes seconds to start."""
    with LeanPool(1) as pool:
        yield pool


@pytest.fixture
def database(tmp_path: Path) -> Iterator[DynamicDatabase]:
    """An empty database in a file."""
    with DynamicDatabase(tmp_path / "database.sqlite") as database:
        yield database


@pytest.fixture(scope="session")
def cache_with_lean() -> Callable[[Path], Path]:
    """Makes a folder into a cache for ``LEAN_AGENT_CACHE`` in which nothing lies but the user's own Lean."""

    def made(folder: Path) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lean").symlink_to(USERS_LEAN, target_is_directory=True)
        return folder

    return made


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache_with_lean: Callable[[Path], Path]) -> Path:
    """The user's cache, for this test alone; Lean stays where it is."""
    folder = cache_with_lean(tmp_path / "cache")
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(folder))
    return folder


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """This process and those that it starts hear SIGINT, whatever the shell says (`nohup`, a background job)."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def teach() -> Callable[..., tuple[Any, Any]]:
    """Loads a tiny model and has it learn conversations by heart; returns it, in training mode, with its tokenizer."""

    def taught(folder: Path, turns: list[list[dict[str, Any]]], tools: list[Any] | None = None) -> tuple[Any, Any]:
        import torch

        from lean_agent.policy.loading import load_causal_lm

        network, tokenizer = load_causal_lm(folder, device="cpu")
        batch: Any = tokenizer.apply_chat_template(
            turns, tools=tools, return_dict=True, return_tensors="pt", padding=True
        )
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
        network.train()
        for _ in range(80):
            optimizer.zero_grad()
            network(**batch, labels=labels).loss.backward()
            optimizer.step()
        return network, tokenizer

    return taught


@pytest.fixture(scope="session")
def launched() -> Callable[..., None]:
    """Runs a program in several processes that train together on the CPU: ``launched(text, folder, *arguments)``."""

    def run(program: str, folder: Path, *arguments: object, processes: int = 2) -> None:
        path = folder / "program.py"
        path.write_text(program, encoding="utf-8")
        launch = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", str(processes)]
        done = subprocess.run(
            [sys.executable, *(launch if processes > 1 else []), str(path), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "1"},
        )
        assert done.returncode == 0, done.stderr[-3000:]

    return run


def _missing_machine(marker: str) -> str | None:
    """Why tests with this marker cannot run here, or ``None`` when they can."""
    if marker == "vllm" and not os.environ.get("LEAN_AGENT_VLLM_PYTHON"):
        return "LEAN_AGENT_VLLM_PYTHON is not set; `make test-vllm` sets it"
    if marker in ("openenv", "ray", "verifiers") and not importlib.util.find_spec(marker):
        return f"the extra {marker} is not installed; `make test-{marker}` runs it"
    if marker == "gpu":
        import torch

        if not torch.cuda.is_available():
            return "no CUDA device"
    return None


def pytest_collection_finish() -> None:
    """Keep what was imported out of the garbage collector, which every training runs in full."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    weights: dict[Path, int] = {}
    for item in items:
        marks = [mark for mark in ("lean", "slow") if item.get_closest_marker(mark)]
        weights[item.path] = max(weights.get(item.path, 0), len(marks))
    items.sort(key=lambda item: -weights[item.path])  # long files first, or two processes end at different times
    for marker in ("vllm", "gpu", "ray", "openenv", "verifiers"):
        marked = [item for item in items if item.get_closest_marker(marker)]
        if marked and (reason := _missing_machine(marker)):
            for item in marked:
                item.add_marker(pytest.mark.skip(reason=reason))
