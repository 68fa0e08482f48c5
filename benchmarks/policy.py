"""How fast a small model answers in a search, against the code before, from the same checkpoint in the same run.

python benchmarks/policy.py                              # trains a tiny model first: some minutes more
python benchmarks/policy.py --model PATH                 # with a checkpoint that is there
python benchmarks/policy.py --only sampling profile      # some of: sampling, profile, search
python benchmarks/policy.py --repositories logic --theorems 16

``sampling`` searches once and has both policies answer what was asked there, call by call in turn; ``search`` has each
policy search for itself; ``profile`` says where the time of both goes. Answers are drawn from the same distribution
(`tests/policy/test_decoding.py`). torch's threads must not spin where Lean works beside them: `make bench` sees to it,
by hand set OMP_WAIT_POLICY=PASSIVE, as the command `lean-agent` does.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from former_policy import FormerPolicy
from marks import Mark, show
from rich.console import Console
from rich.table import Table
from search import repositories, trained
from torch.profiler import ProfilerActivity, profile
from typing_extensions import override

from lean_agent.agent.demo import DemoConfig
from lean_agent.agent.hf_agent import HFAgent
from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.evaluation.benchmarks import spread
from lean_agent.policy.base import Completion, Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.prover.provers import Prover

PARTS = ("sampling", "profile", "search")
BEFORE, NOW = "before", "now"
POLICIES: Mapping[str, type[HFPolicy]] = {BEFORE: FormerPolicy, NOW: HFPolicy}
KINDS = {
    "products with weights": ("aten::mm", "aten::addmm", "mkldnn::"),
    "attention": ("aten::_scaled_dot_product", "aten::bmm"),
    "caches, rows that leave, padding": ("aten::cat", "aten::index", "aten::copy_", "aten::zeros", "aten::fill_"),
    "drawing": ("aten::multinomial", "aten::exponential_", "aten::_softmax", "aten::_log_softmax", "aten::cumsum"),
}
"""Operators of each kind, by how their names begin; the time of the others, and of Python, is the rest."""

Call = tuple[Sequence[str], int]


class Bench:
    """A checkpoint and open theorems, to be searched as the demo searches."""

    def __init__(self, agent: HFAgent, model: Path, theorems: Sequence[StoredTheorem]) -> None:
        self.agent = agent
        self.model = model
        self.theorems = theorems
        self._calls: list[Call] = []

    def policy(self, name: str) -> HFPolicy:
        """Load a policy, as the demo's."""
        sampling = Sampling(max_new_tokens=DemoConfig().max_tactic_tokens)
        return POLICIES[name](self.model, sampling=sampling, device="cpu")

    def sampling(self) -> None:
        """Measure tokens a second of both policies over the calls of a search, in turn, so that a machine whose speed
        changes changes it for both."""
        policies = {name: self.policy(name) for name in POLICIES}
        seconds = dict.fromkeys(policies, 0.0)
        for policy in policies.values():
            policy.suggest(*self.calls[0])  # what only the first call pays for
            policy.tokens_generated = 0
        for number, call in enumerate(self.calls[1:]):
            for name in list(policies)[:: 1 if number % 2 else -1]:
                seconds[name] += timed(policies[name].suggest, *call)
        rates = {name: policy.tokens_generated / seconds[name] for name, policy in policies.items()}
        for name, rate in rates.items():
            tokens = policies[name].tokens_generated
            print(
                f"{name}: {tokens:,} tokens in {len(self.calls) - 1} calls, {seconds[name]:.1f} s, {rate:,.0f} a second"
            )
        show(Mark("tokens a second in a search, against before", rates[NOW] / rates[BEFORE], 3.0, "times", "at least"))

    def profile(self) -> None:
        """Print where the time of each policy goes, over calls in the middle of a search."""
        middle = len(self.calls) // 2
        calls = self.calls[max(0, middle - 5) : middle + 5]
        table = Table("share of the time", *POLICIES)
        shares = {name: self._shares(self.policy(name), calls) for name in POLICIES}
        for kind in shares[NOW]:
            table.add_row(kind, *(f"{of_policy[kind]:.0%}" for of_policy in shares.values()))
        Console(width=100).print(table)

    def search(self) -> None:
        """Measure the seconds of a search with each policy, judging included."""
        seconds: dict[str, float] = {}
        for name in (NOW, BEFORE):  # the second finds Lean's files open, and what was proved is not remembered
            policy = self.policy(name)
            prover = Prover(name, policy, self.agent.lean, config=DemoConfig().search)
            began = time.perf_counter()
            results = list(prover.prove_all(self.theorems))
            seconds[name] = time.perf_counter() - began
            proved, tokens = sum(result.proved for result in results), policy.tokens_generated
            print(
                f"{name}: {proved} of {len(results)} proved, {seconds[name]:.1f} s, {tokens:,} tokens, {prover.usage}"
            )
        ratio = seconds[BEFORE] / seconds[NOW]
        show(Mark("speed of a search of the demo, against before", ratio, 2.0, "times", "at least"))

    @property
    def calls(self) -> Sequence[Call]:
        """What is asked in a search, which also opens Lean's files."""
        if not self._calls:
            calls = self._calls

            class Recording(HFPolicy):
                @override
                def complete(self, goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
                    calls.append((list(goals), k))
                    return super().complete(goals, k, seed=seed)

            sampling = Sampling(max_new_tokens=DemoConfig().max_tactic_tokens)
            policy = Recording(self.model, sampling=sampling, device="cpu")
            list(Prover("recorded", policy, self.agent.lean, config=DemoConfig().search).prove_all(self.theorems))
        return self._calls

    def _shares(self, policy: HFPolicy, calls: Sequence[Call]) -> dict[str, float]:
        policy.suggest(*calls[0])
        with profile(activities=[ProfilerActivity.CPU]) as profiled:
            whole = timed(lambda: [policy.suggest(*call) for call in calls])
        spent: defaultdict[str, float] = defaultdict(float)
        for event in profiled.key_averages():
            kind = next((kind for kind, names in KINDS.items() if event.key.startswith(names)), "other operators")
            spent[kind] += event.self_cpu_time_total / 1e6
        shares = {kind: spent[kind] / whole for kind in (*KINDS, "other operators")}
        return shares | {"Python, tokenizer, and the profiler": 1 - sum(shares.values())}


def timed(work: Callable[..., Any], *arguments: Any) -> float:
    """Return the seconds that a call takes."""
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a checkpoint; by default a tiny model is trained")
    parser.add_argument("--repositories", nargs="+", default=list(DemoConfig().repositories), help="of repos/, by name")
    parser.add_argument("--theorems", type=int, default=DemoConfig().theorems, help="open theorems, evenly spread")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        database = DynamicDatabase(folder / "database.sqlite")
        with HFAgent(database=database, workers=DemoConfig().workers, runs_dir=folder / "runs") as agent:
            for path in repositories(given.repositories):
                agent.setup_local_repository(path)
            model = given.model or trained(agent, folder)
            bench = Bench(agent, model, spread(agent.open_theorems(), given.theorems))
            for part in given.only:
                getattr(bench, part)()


if __name__ == "__main__":
    main()
