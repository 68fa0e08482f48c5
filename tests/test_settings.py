"""Refuse what is no setting, or of the wrong type, at once and in one sentence."""

# What is wrong here, a type checker sees too.
# mypy: disable-error-code="call-arg, arg-type, misc"

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypedDict, Unpack, get_type_hints

import numpy as np
import pytest

from lean_agent import (
    DynamicDatabase,
    GRPOTrainer,
    HFAgent,
    LeanGRPOConfig,
    LeanGRPOTrainer,
    ScriptedAgent,
    SFTTrainer,
    create_algorithm,
    create_composite_scorer,
    evaluate,
    get_scorer,
    load_search,
    trace_repository,
)
from lean_agent.agent.base import BaseAgent
from lean_agent.algorithms import DAPO
from lean_agent.errors import ConfigError, ConfigTypeError, LeanAgentError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.policy.base import Sampling
from lean_agent.prover.config import SearchBudget, SearchConfig
from lean_agent.rewards import ProvedScorer
from lean_agent.rewards.base import CompositeScorer
from lean_agent.settings import Bound, Count, Seconds, checked, checked_class, fits, read_yaml
from lean_agent.tracing import Repository, trace_repository_async
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer


class Speaks(Protocol):
    def speak(self) -> str: ...


@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (int, [3, np.int64(3)], ["3", 3.0, True, None]),
        (float, [3, 3.5, np.float32(1), math.inf], ["3.5", True, None]),
        (bool, [True], [1, "true"]),
        (str, ["a"], [3, None, Path("a")]),
        (Path, ["a", Path("a")], [3, None]),
        (str | Path, ["a", Path("a")], [object()]),
        (int | None, [3, None], ["3"]),
        (Literal["4bit", "8bit"] | None, ["4bit", None], ["4", 4]),
        (tuple[str, ...], [("a",), ["a"], ()], ["a", (3,)]),
        (Sequence[int], [[1], (2,)], [["1"], 3]),
        (Sequence[int], [range(3)], [b"1", None]),
        (Iterable[str], [["a"], {"a"}, iter("a")], ["a", [3], 3]),
        (Collection[str], [["a"], {"a": 1}], ["a", {3}]),
        (tuple[str, int], [("a", 3)], [("a",), ("a", "b"), "ab"]),
        (Mapping[str, Any], [{"a": 1}], ["a", [1]]),
        (Mapping[str, float], [{"a": 1}, {}], [{"a": "1"}, {1: 1.0}]),
        (Callable[..., int], [len, lambda: 3], ["outputs", 3]),
        (Speaks, [object()], ["model", 3, Path("a"), int, None]),
        (Any, [3, None, "a"], []),
        (Seconds | None, [3, 0.5, -1.0, None], ["3", True]),
    ],
)
def test_what_fits_an_annotation(hint: Any, good: list[Any], bad: list[Any]) -> None:
    assert [value for value in good if not fits(value, hint)] == []
    assert [value for value in bad if fits(value, hint)] == []


@checked_class
@dataclass(frozen=True)
class Size:
    width: int = 1
    scale: float = 1.0


class Extra(TypedDict, total=False):
    colour: str


class Base:
    @checked
    def __init__(self, *, workers: int = 1) -> None:
        self.workers = workers


class Derived(Base):
    @checked
    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(**options)


class Typed:
    @checked
    def __init__(self, **extra: Unpack[Extra]) -> None:
        self.extra = extra


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Size(widht=3), r"Size has no setting 'widht'\. Did you mean 'width'\? There are scale, width\."),
        (lambda: Size("3"), "Size: width must be a whole number, not '3'"),
        (lambda: Size(scale=math.nan), "scale must be a finite number, not nan"),
        (lambda: Size(1, 2.0, 3), "Size: too many positional arguments"),
        (Derived, "Derived: missing a required argument: 'name'"),
        (lambda: Derived("a", wrkers=2), "Derived has no setting 'wrkers'. Did you mean 'workers'"),
        (lambda: Derived("a", workers="2"), "Derived: workers must be a whole number"),
        (lambda: Typed(color="red"), "Typed has no setting 'color'. Did you mean 'colour'"),
        (lambda: Typed(colour=3), "colour must be a text, not 3"),
    ],
)
def test_a_call_that_cannot_work_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ConfigTypeError, match=words):
        call()


@checked
def bounded(pairs: Sequence[tuple[str, Annotated[int, Bound("a number below 4", lambda n: n < 4)]]]) -> None: ...


WRONG_PAIR: Any = [("a", 1), ("b", "2")]
SHORT_PAIR: Any = [("a", 1), ("b",)]


@checked
def limited(timeout_s: Seconds | None = None, workers: Count = 1) -> None: ...


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: limited(-1), ConfigError, "timeout_s must be a number of seconds above 0 or None, not -1"),
        (lambda: limited(math.nan), ConfigError, "timeout_s must be a number of seconds above 0 or None, not nan"),
        (lambda: limited("3"), ConfigTypeError, "timeout_s must be a number of seconds above 0 or None, not '3'"),
        (lambda: limited(workers=0), ConfigError, "workers must be a whole number from 1 on, not 0"),
        (lambda: bounded(WRONG_PAIR), ConfigTypeError, r"pairs\[1\]\[1\] must be a number below 4, not '2'"),
        (lambda: bounded(SHORT_PAIR), ConfigTypeError, r"pairs\[1\] must be "),
    ],
)
def test_values_out_of_bounds_and_parts_that_do_not_fit(call: Callable[[], object], error: type, words: str) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert type(caught.value) is error


def test_a_call_that_can_work_is_not() -> None:
    limited(0.5, workers=2)
    assert Size(np.int64(3), 2) == Size(width=3, scale=2)
    assert Derived("a", workers=2).workers == 2
    assert Typed(colour="red").extra == {"colour": "red"}


UNKNOWN = [
    (lambda: LeanGRPOConfig(algoritm="dapo"), "algorithm"),
    (lambda: LeanGRPOConfig.load(None, algoritm="dapo"), "algorithm"),
    (lambda: GRPOTrainer("m", num_generatons=4), "num_generations"),
    (lambda: GRPOTrainer("m", quantisation="4bit"), "quantization"),
    (lambda: SFTTrainer("m", batchsize=4), "batch_size"),
    (lambda: OfflineGRPOConfig(model_path="m", dataset_path="d", batchsize=4), "batch_size"),
    (lambda: OfflineGRPOConfig.load(None, model_path="m", dataset_path="d", batchsize=4), "batch_size"),
    (lambda: OfflineGRPOTrainer(OfflineGRPOConfig(model_path="m", dataset_path="d"), progres=False), "progress"),
    (lambda: SearchConfig(serch="mcts"), "search"),
    (lambda: SearchBudget(lean_call=3), "lean_calls"),
    (lambda: Sampling(temprature=1.0), "temperature"),
    (lambda: HFAgent(modle="m"), "model"),
    (lambda: HFAgent(worker=3), "workers"),
    (lambda: create_algorithm("dapo", populaton_size=3), "population_size"),
    (lambda: DAPO(populaton_size=3), "population_size"),
    (lambda: get_scorer("efficiency", half_step=3), "half_steps"),
]


@pytest.mark.parametrize(("call", "meant"), UNKNOWN, ids=[str(index) for index in range(len(UNKNOWN))])
def test_a_misspelt_keyword_is_refused_with_the_nearest(call: Callable[[], object], meant: str) -> None:
    with pytest.raises(ConfigError, match=f"Did you mean '{meant}'") as caught:
        call()
    assert {LeanAgentError, ValueError, TypeError} <= set(type(caught.value).__mro__)
    assert "\n" not in str(caught.value)


def scorer() -> Any:
    return ProvedScorer


WRONG = [
    (lambda: GRPOTrainer("m", "outputs"), "reward_func must be a function or None, not 'outputs'"),
    (lambda: GRPOTrainer("m", Path("outputs")), "reward_func must be a function or None"),
    (lambda: GRPOTrainer("m", None, 3), "output_dir must be a text or a path or None, not 3"),
    (lambda: GRPOTrainer(None), "model_name must be a text or a path or a GRPOSettings, not None"),
    (lambda: GRPOTrainer("m", reward=scorer()), r"not a class: make one, ProvedScorer\(\)"),
    (lambda: GRPOTrainer("m", batch_size="8"), "batch_size must be a whole number from 1 on, not '8'"),
    (lambda: GRPOTrainer("m", lr="2e-5"), "lr must be a number above 0, not '2e-5'"),
    (lambda: GRPOTrainer("m", algorithm=DAPO), r"algorithm must be a text, .* Write 'lean_agent.algorithms.dapo:DAPO'"),
    (lambda: GRPOTrainer("m", lora_config=16), "lora_config must be a LoraConfig or None, not 16"),
    (lambda: SFTTrainer("m", lambda completions: 0), "output_dir must be a text or a path"),
    (lambda: SFTTrainer("m", "outputs", 3), "too many positional arguments"),
    (lambda: OfflineGRPOTrainer(3), "config must be an OfflineGRPOConfig or a text or a path, not 3"),
    (lambda: OfflineGRPOConfig(model_path="m", dataset_path="d", batch_size=8.0), "batch_size must be a whole number"),
    (lambda: LeanGRPOTrainer(3, MockLeanServer()), "config must be a LeanGRPOConfig or a text or a path, not 3"),
    (lambda: LeanGRPOTrainer(LeanGRPOConfig(), "embedded"), "lean must be a LeanServer, not 'embedded'"),
    (lambda: LeanGRPOConfig(num_generations="8"), "num_generations must be at least 2 .*, not '8'"),
    (lambda: LeanGRPOConfig(algorithm=DAPO), "Write 'lean_agent.algorithms.dapo:DAPO'"),
    (lambda: HFAgent("model"), r"trainer must be a TrainsOnRepositories or None, not 'model'"),
    (lambda: HFAgent(model=3), "model must be a text or a path or None"),
    (lambda: HFAgent(workers="2"), "workers must be a whole number"),
    (lambda: SearchConfig(search=3), "search must be a text"),
    (lambda: SearchConfig(budget=64), "budget must be a SearchBudget, not 64"),
    (lambda: SearchConfig(portfolio="mcts"), "portfolio must be a list, each item a text, not 'mcts'"),
    (lambda: SearchBudget(seconds="60"), "seconds must be a number"),
    (lambda: create_algorithm("grpo", group_size="8"), "group_size must be a whole number, not '8'"),
    (lambda: create_algorithm(DAPO), "Write 'lean_agent.algorithms.dapo:DAPO'"),
    (lambda: get_scorer("efficiency", half_steps="8"), "half_steps must be a number"),
    (lambda: get_scorer(ProvedScorer), "Write 'lean_agent.rewards.verified:ProvedScorer'"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[str(index) for index in range(len(WRONG))])
def test_a_value_of_the_wrong_type_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words) as caught:
        call()
    assert isinstance(caught.value, ConfigTypeError)
    assert "\n" not in str(caught.value)


IMPOSSIBLE: list[tuple[Callable[[], object], str]] = [
    (lambda: GRPOTrainer("m", batch_size=0), "batch_size"),
    (lambda: GRPOTrainer("m", num_generations=1), "num_generations"),
    (lambda: GRPOTrainer("m", premises=-1), "premises must be a whole number from 0 on, not -1"),
    (lambda: GRPOTrainer("m", max_completions=0), "max_completions must be at least 1, or -1"),
    (lambda: GRPOTrainer("m", seed=-1), "seed"),
    (lambda: GRPOTrainer("m", checkpoint_every_s=-1), "checkpoint_every_s"),
    (lambda: GRPOTrainer("m", algorithm="dgpo", batch_size=6), "batch_size must be a multiple of num_generations"),
    (lambda: SFTTrainer("m", premises=-1), "premises"),
    (lambda: SFTTrainer("m", max_length=-5), "max_length"),
    (lambda: LeanGRPOConfig(num_generations=-8), "num_generations"),
    (lambda: LeanGRPOConfig(seed=-1), "seed"),
    (lambda: LeanGRPOConfig(lora_alpha=0), "lora_alpha"),
    (lambda: LeanGRPOConfig(tactic_timeout_s=0), "tactic_timeout_s"),
    (lambda: LeanGRPOConfig.load(None, temperature=-1), "temperature"),
    (lambda: OfflineGRPOConfig(model_path="m", dataset_path="d", batch_size=-1), "batch_size"),
    (lambda: SearchBudget(lean_calls=-1), "-1 calls"),
    (lambda: SearchConfig(beam_width=0), "beam_width"),
    (lambda: HFAgent(workers=-1), "at least one Lean process"),
    (lambda: create_algorithm("grpo", group_size=-1), "group_size"),
    (lambda: get_scorer("efficiency", half_steps=-1.0), "half_steps"),
]


@pytest.mark.parametrize(("call", "words"), IMPOSSIBLE, ids=[str(index) for index in range(len(IMPOSSIBLE))])
def test_a_value_that_cannot_work_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        call()
    assert isinstance(caught.value, ValueError)


REPOSITORY = Repository("u", "c", "r", Path())


def database(method: str, *args: object, **options: object) -> None:
    with DynamicDatabase(":memory:") as opened:
        getattr(opened, method)(*args, **options)


def agent(method: str, *args: object, **options: object) -> None:
    with ScriptedAgent(database=":memory:", progress=False) as opened:
        getattr(opened, method)(*args, **options)


DOORS: list[tuple[Callable[[], object], str]] = [
    (lambda: DynamicDatabase(5), r"^DynamicDatabase: path must be a text or a path, not 5\.$"),
    (lambda: database("theorems", "x"), r"repository must be a RepositoryKey \(with url and commit\), not 'x'\.$"),
    (lambda: database("theorems", None), "repository must be a RepositoryKey"),
    (lambda: database("delete_repository", "x"), "^DynamicDatabase.delete_repository: repository must be a Repos"),
    (lambda: database("update_repository", "x"), "repository must be a Repository, not 'x'"),
    (lambda: database("sorry_theorems", "x"), "repos must be a list, each item a RepositoryKey .* or None, not 'x'"),
    (lambda: database("sorry_theorems", sory=True), "DynamicDatabase.sorry_theorems has no setting 'sory'"),
    (lambda: database("export_merged_data", "x", "out"), "repos must be a list, each item a RepositoryKey .*, not 'x'"),
    (lambda: database("export_merged_data", ["x"], "out"), r"repos\[0\] must be a RepositoryKey .*, not 'x'"),
    (lambda: agent("setup_github_repository", 5), "^ScriptedAgent.setup_github_repository: url must be a text, not 5"),
    (lambda: agent("setup_local_repository", 5), "path must be a text or a path, not 5"),
    (lambda: agent("prove_theorem", 5), "^ScriptedAgent.prove_theorem: theorem must be a text, not 5"),
    (lambda: agent("prove", theorems="x"), "theorems must be a list, .* not 'x'"),
    (lambda: agent("prove", premisses=3), "ScriptedAgent.prove has no setting 'premisses'. Did you mean 'premises'"),
    (lambda: agent("evaluate", 5), "benchmark must be a text or a Benchmark or None, not 5"),
    (lambda: agent("curriculum", "easy_cuont"), r"one of easy_share, easy_count, not .* Did you mean 'easy_count'\?"),
    (lambda: trace_repository("x", None), "^trace_repository: repository must be a Repository, not 'x'"),
    (lambda: trace_repository(REPOSITORY, None), "^trace_repository: server must be a LeanServer, not None"),
    (lambda: asyncio.run(trace_repository_async(REPOSITORY, None)), "server must be a LeanServer, not None"),
    (lambda: create_composite_scorer({"verified": "x"}), "each of names must be a text, not {'verified': 'x'}"),
    (lambda: create_composite_scorer("a", weights={"a": "x"}), "weights must be names with values, each a number or"),  # type: ignore[dict-item]
    (lambda: CompositeScorer({"verified": "x"}), "parts must be names with values"),  # type: ignore[dict-item]
    (lambda: evaluate("x", [], SearchBudget()), "provers must be a list, each item a Prover, not 'x'"),
    (lambda: load_search(5), "load_search: path must be a text or a path, not 5"),
]


@pytest.mark.parametrize(("call", "words"), DOORS, ids=[str(index) for index in range(len(DOORS))])
def test_what_a_function_or_method_cannot_work_with_is_refused(
    call: Callable[[], object], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigTypeError, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_format_of_exports_that_there_is_none_of_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    formats = "one of leandojo, jsonl, parquet, huggingface, tactics_jsonl, .*"
    with pytest.raises(ConfigError, match=f"kind must be {formats}, not 'xx'"):
        database("export_merged_data", [], tmp_path / "out", "xx")
    with pytest.raises(ConfigError, match=r"not 'parkuet'\. Did you mean 'parquet'\?$"):
        database("export_merged_data", [], tmp_path / "out", "parkuet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("owner", [DynamicDatabase, BaseAgent])
def test_every_public_method_says_what_it_takes(owner: type) -> None:
    """Annotations that only type checkers import would say nothing while the program runs."""
    methods = {name: member for name, member in vars(owner).items() if inspect.isfunction(member) and name[0] != "_"}
    assert len(methods) > 10
    for name, method in methods.items():
        assert hasattr(method, "__wrapped__"), name
        assert get_type_hints(method).keys() >= inspect.signature(method).parameters.keys() - {"self"}, name


def test_a_file_of_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text("lr: 5e-5\nname: eel\nsteps: 3\n")
    assert read_yaml(path) == {"lr": 5e-5, "name": "eel", "steps": 3}
    path.write_text("")
    assert read_yaml(path) == {}
    for text, words in (("- a\n", "names with values"), ("a: [\n", "does not read as YAML"), ("3: a\n", "names with")):
        path.write_text(text)
        with pytest.raises(ConfigError, match=words):
            read_yaml(path)
    with pytest.raises(ConfigError, match=r"There is no configuration .*nothing\.yaml"):
        read_yaml(tmp_path / "nothing.yaml")
