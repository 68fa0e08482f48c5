"""One's own algorithm, scorer, search, priority, measure and benchmark, from outside the package.

Each is brought by entry points, as pip leaves them on the path, and by its place, ``module:Name``; used on the command
line, and in YAML.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from lean_agent.cli import grpo
from lean_agent.cli.main import app
from lean_agent.errors import ConfigError, ConfigTypeError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import LeanProject, Position, TracedFile, TracedTheorem
from lean_agent.registry import ALGORITHMS, BENCHMARKS, MEASURES, PRIORITIES, SCORERS, SEARCHES, Registry

REGISTRIES = (ALGORITHMS, SCORERS, SEARCHES, PRIORITIES, MEASURES, BENCHMARKS)
OPTIONS = {
    "algorithm": ALGORITHMS,
    "reward": SCORERS,
    "search_by": SEARCHES,
    "priority": PRIORITIES,
    "measure": MEASURES,
    "benchmark": BENCHMARKS,
}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
MODULE = PAGE.read_text(encoding="utf-8").partition("one of each:\n\n```python\n")[2].partition("```")[0]
"""Example on the page itself."""
NAMES = {
    ALGORITHMS.group: ("doubled", "Doubled"),
    SCORERS.group: ("short", "Short"),
    SEARCHES.group: ("newest", "Newest"),
    PRIORITIES.group: ("briefest", "briefest"),
    MEASURES.group: ("lines", "lines"),
    BENCHMARKS.group: ("homework", "homework"),
}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with one of each on the path, and the metadata of its distribution."""
    name = f"ideas_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / "elsewhere"
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / f"{name}.py").write_text(MODULE)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (f"[{group}]\n{short} = {name}:{own}\n" for group, (short, own) in NAMES.items())
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(folder)
    yield name
    sys.modules.pop(name, None)


def options_of(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every option and argument of a command and of those below it."""
    for parameter in command.params:
        yield path, parameter
    for name, below in getattr(command, "commands", {}).items():
        yield from options_of(below, f"{path} {name}")


def test_help_names_all_that_a_registry_holds() -> None:
    apps = {"lean-agent": typer.main.get_command(app), "lean-grpo": typer.main.get_command(grpo.app)}
    seen = []
    for name, command in apps.items():
        for path, parameter in options_of(command, name):
            kind: Registry[Any] | None = OPTIONS.get(parameter.name or "")
            if kind is not None and getattr(parameter, "help", None):
                known = set(kind) - ({"value"} if kind is PRIORITIES else set())  # a value model: from Python alone
                assert {word for word in known if word in str(vars(parameter)["help"])} == known
                assert "module:Name" in vars(parameter)["help"]
                seen.append(f"{path} {parameter.name}")
    assert {
        "lean-agent train algorithm",
        "lean-agent train reward",
        "lean-agent prove search_by",
        "lean-agent prove priority",
        "lean-agent db difficulty measure",
        "lean-agent db plots measure",
        "lean-agent evaluate benchmark",
        "lean-grpo train algorithm",
        "lean-grpo train reward",
    } <= set(seen)


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: kind.kind)
def test_all_names_of_the_package_are_there(kind: Registry[Any]) -> None:
    assert len(kind) >= 3
    assert all(callable(value) and kind.summary(name) for name, value in kind.items())


@pytest.mark.parametrize("kind", REGISTRIES, ids=lambda kind: kind.kind)
def test_a_name_comes_from_an_entry_point_and_from_its_place(kind: Registry[Any], module: str) -> None:
    name, own = NAMES[kind.group]
    assert name in kind
    assert kind.find(name) is kind.find(f"{module}:{own}")
    assert kind.find(name.upper()) is kind[name]
    with pytest.raises(ConfigError, match=rf"There is no {kind.kind} '{name}y'. Did you mean '{name}'\?"):
        kind.find(f"{name}y")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere_at_all:Thing", "does not load: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("math:Thing", "does not load: AttributeError"),
        ("my/file.py:Thing", "write module:Name, as in my_ideas:Idea"),
        (":Thing", "write module:Name"),
    ],
)
def test_a_place_with_nothing_at_it_is_refused_in_words(name: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        SEARCHES.find(name)


def test_a_class_itself_is_refused_with_how_to_write_it() -> None:
    from lean_agent.algorithms import DAPO, create_algorithm

    with pytest.raises(ConfigTypeError, match=r"Write 'lean_agent\.algorithms\.dapo:DAPO'"):
        create_algorithm(DAPO)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ALGORITHMS.find(3)  # type: ignore[arg-type]


def test_a_module_in_the_working_directory_is_found_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beside_me.py").write_text("def order(node, config):\n    return 0.0\n")
    (tmp_path / "json.py").write_text("raise RuntimeError('not me')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place not in ("", ".")])
    assert PRIORITIES.find("beside_me:order").__name__ == "order"
    assert sys.path[-1] == "."
    sys.modules.pop("beside_me", None)


def test_a_name_is_given_while_the_program_runs() -> None:
    measures: Registry[Any] = Registry("measure", "none", {"steps": "lean_agent.database.difficulty:proof_steps"})

    def luck(facts: object) -> float:
        return 4.0

    measures.register("luck", luck)
    measures.register("luck", luck)  # as a cell of a notebook that is run again
    assert measures.find("luck") is luck
    with pytest.raises(ConfigError, match="taken"):
        measures.register("steps", luck)


SOURCE = "theorem first : ∀ p : Prop, p → p := by\n  intro p h\n  exact h\n\ntheorem second : True := by\n  sorry\n"


class Server(MockLeanServer):
    """Has traced the file above."""

    def __init__(self, workers: int, lean: str | None = None) -> None:
        super().__init__({"first": "∀ (p : Prop), p → p", "second": "True"})

    def trace_file(self, project: LeanProject, file_path: str) -> TracedFile:
        theorems = []
        for name in ("first", "second"):
            start = SOURCE.index(f"theorem {name}")
            end = SOURCE.find("\n\n", start) if name == "first" else len(SOURCE) - 1
            text, _, proof = SOURCE[start:end].partition(" := ")
            span = (len(SOURCE[:start].encode()), len(SOURCE[:end].encode()))
            hole, place = "sorry" in proof, Position(1, 0)
            theorems.append(
                TracedTheorem(name, text, proof, "tactic", hole, text, name, *span, start_pos=place, end_pos=place)
            )
        return TracedFile(file_path, "A", (), tuple(theorems), (), (), 0.1, 0.1)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a repository in it, and a mock server in the place of Lean."""
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "A.lean").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "small" / "lakefile.toml").write_text('name = "small"\n', encoding="utf-8")
    return tmp_path


def run(*arguments: object, program: typer.Typer = app) -> Result:
    result = CliRunner().invoke(program, [str(argument) for argument in arguments], obj=Server)
    assert (result.exit_code, result.exception) == (0, None), result.output
    return result


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def searches(folder: Path) -> set[str]:
    """Return the searches whose trees were saved."""
    trees = sorted(folder.glob("runs/*/trees/**/*.jsonl"))
    return {json.loads(tree.read_text(encoding="utf-8").splitlines()[0])["search"] for tree in trees}


def test_a_search_and_a_priority_of_ones_own(folder: Path, module: str) -> None:
    run("prove", "small", "--search", "newest", "--save-trees")
    assert searches(folder) == {"Newest"}
    config = written(folder, f"search: {module}:Newest\nsave_trees: true\nrepositories: [small]\n")
    assert "1 of 1" in " ".join(run("prove", "small", "--config", config).stdout.split())
    ranked = written(folder, f"search: best_first\npriority: {module}:briefest\n")
    run("prove", "small", "--config", ranked)
    run("prove", "small", "--search", "beam", "--priority", "briefest")


def test_a_measure_of_ones_own(folder: Path, module: str) -> None:
    run("trace", "small")
    for arguments in (
        ("--measure", "lines"),
        ("--measure", f"{module}:lines"),
        ("--config", written(folder, f"measure: {module}:lines\n")),
    ):
        listed = run("db", "difficulty", *arguments).stdout.split("small")[1]
        assert "100%" in listed


def test_a_benchmark_of_ones_own(folder: Path, module: str) -> None:
    assert "homework     The open theorems of a folder of exercises." in run("evaluate").stdout
    report = json.loads(run("evaluate", "homework", "small", "--expansions", "2", "--json").stdout)
    assert [row["attempted"] for row in report["rows"]] == [1]
    config = written(folder, f"benchmark: {module}:homework\nsource: small\nexpansions: 2\njson: true\n")
    assert json.loads(run("evaluate", "--config", config).stdout)["budget"]["expansions"] == 2


def test_an_algorithm_and_a_reward_of_ones_own(tmp_path: Path, module: str) -> None:
    theorems = tmp_path / "theorems.jsonl"
    theorems.write_text('{"name": "t", "statement": "theorem t (p : Prop) (hp : p) : p"}\n')
    small = ("--max-steps", "1", "-n", "2")
    run(
        *("train", theorems, "--mock", "-o", tmp_path / "a", *small),
        *("--algorithm", "doubled", "--reward", f"{module}:Short"),
        program=grpo.app,
    )
    config = written(tmp_path, f"algorithm: {module}:Doubled\nreward_type: short\nprogress: false\n")
    run("train", theorems, "--mock", "-o", tmp_path / "b", *small, "--config", config, program=grpo.app)
    kept = [json.loads((tmp_path / name / "progress.json").read_text())["settings"] for name in "ab"]
    assert [settings["algorithm"] for settings in kept] == ["doubled", f"{module}:Doubled"]
    assert {settings["scorer"] for settings in kept} == {"Short"}


def test_a_training_on_tactics_takes_them_by_file(folder: Path, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from lean_agent.policy.tiny import make_tiny_model
    from lean_agent.trainer.grpo_trainer import GRPOTrainer

    model = make_tiny_model(["⊢ True", "trivial"], folder / "model", vocab_size=300, hidden_size=64, layers=1)
    trained: list[GRPOTrainer] = []
    monkeypatch.setattr(GRPOTrainer, "train", lambda self, *_: trained.append(self))
    config = written(
        folder,
        f"algorithm: {module}:Doubled\nalgorithm_config: {{epsilon: 0.1, beta: 0.5}}\nreward: short\n"
        "num_generations: 4\nmax_steps: 5\nlora_rank: 2\ntemperature: 0.7\n",
    )
    options = ("--config", config, "--model", model, "-o", "out", "--batch-size", "4")
    run("train", "small", *options, "--max-steps", "3", "--algo-config", '{"epsilon": 0.3}')
    (trainer,) = trained
    assert type(trainer.algorithm).__name__ == "Doubled"
    assert (trainer.algorithm.config.epsilon, trainer.algorithm.config.beta) == (0.3, 0.5)
    assert (trainer.algorithm.config.group_size, trainer.settings.max_steps, trainer.settings.batch_size) == (4, 3, 4)
    assert trainer.settings.adapter is not None and trainer.settings.adapter.lora_alpha == 4
    assert type(trainer._scorer).__name__ == "Short"
    # Another algorithm than the file's leaves out the file's settings of it, as lean-grpo does.
    run("train", "small", *options[:-4], "-o", "other", "--batch-size", "4", "--algorithm", "dapo")
    assert trained[1].algorithm.config.beta == 0.0
