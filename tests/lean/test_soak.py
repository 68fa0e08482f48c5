"""The short form of ``benchmarks/soak.py``: hundreds of tactics, good, failing, endless, deadly and loud."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from lean_agent.lean.pool import LeanPool, PoolLimits

pytestmark = [pytest.mark.lean, pytest.mark.long]


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "soak.py"
    spec = importlib.util.spec_from_file_location("soak", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = module  # its dataclasses look their own module up
    spec.loader.exec_module(module)
    return module


def test_every_tactic_gets_its_one_answer(benchmark: ModuleType, tmp_path: Path) -> None:
    weights = {"diverges": 3_000, "never_ends": 2_000, "crash_now": 3_000}
    kinds = [benchmark.Kind(kind.tactic, kind.ends, weights.get(kind.tactic, kind.weight)) for kind in benchmark.KINDS]
    with LeanPool(2, limits=PoolLimits(tactic_timeout_s=1.0)) as pool:
        account = benchmark.soak(pool, benchmark.write_project(tmp_path)[:2], 400, kinds=kinds, seed=3)
    assert account.wrong == []
    assert account.late < 40
    assert account.asked == 400
    assert account.largest_mb >= max(account.early_mb, account.late_mb) > 0
    assert account.ended["crash_now"] > 0
    assert account.ended["never_ends"] + account.ended["diverges"] > 0
    assert account.started > 2  # the guilty ones had to be replaced
