"""Options of commands: numbers that make sense, values of files, lists of names, quiet."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner, Result

from lean_agent.cli import grpo
from lean_agent.cli.commands.train import GRPOOptions, ProgressOptions, SFTOptions, SharedOptions
from lean_agent.cli.main import app
from lean_agent.cli.options import ConfigFile, OptionGroup, completed_by, grouped, number
from lean_agent.cli.program import Commands, Quiet
from lean_agent.progress import QUIET_VARIABLE, ProgressBar, inform
from lean_agent.registry import SEARCHES
from lean_agent.settings import Count

APPS = {"lean-agent": app, "lean-grpo": grpo.app}
PROGRAMS = {name: typer.main.get_command(app) for name, app in APPS.items()}
ZERO_MEANS_SOMETHING = {
    "found_share",
    "importance_cap",
    "repairs",
    "length_exponent",
    "exploration",
    "value_weight",
    "premises",
    "variants",
    "disproof_calls",
    "neighbours_in_prompt",
    "augment",
    "negatives",
    "seed",
    "warmup",
    "lora_rank",
    "evaluations",
    "development",
    "hold_out",
    "replay",
    "checkpoint_every_s",
    "port",
    "waiting_searches",
}


def commands() -> Iterator[tuple[str, list[str], Any]]:
    """Every command that is no group: the app, its words, itself."""

    def below(command: Any, words: list[str]) -> Iterator[tuple[list[str], Any]]:
        for name, inner in getattr(command, "commands", {}).items():
            if getattr(inner, "commands", None):
                yield from below(inner, [*words, name])
            else:
                yield [*words, *name.split()], inner

    for name, program in PROGRAMS.items():
        for words, command in below(program, []):
            yield name, words, command


def numeric() -> list[Any]:
    """Every option that takes a number."""
    return [
        pytest.param(name, words, parameter, id=f"{name} {' '.join(words)} {parameter.name}")
        for name, words, command in commands()
        for parameter in command.params
        if parameter.metavar == "NUMBER" or parameter.bare_type() in ("int", "float", "list[int]", "list[float]")
    ]


@pytest.mark.parametrize(("name", "words", "parameter"), numeric())
def test_a_number_that_makes_no_sense_is_refused(
    name: str, words: list[str], parameter: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = ["-7", "nan", "inf", "many", *(["0"] if parameter.name not in ZERO_MEANS_SOMETHING else [])]
    for value in bad:
        with pytest.raises(
            SystemExit
        ) as ended:  # typer's runner makes the program anew at each call, ten times as slow
            PROGRAMS[name].main([*words, parameter.opts[0], value], prog_name=name)
        said = capsys.readouterr().err
        assert ended.value.code == 2, (value, said)
        assert f"Invalid value for '{parameter.opts[0]}'" in " ".join(said.split()), (value, said)


def test_there_are_such_options() -> None:
    assert len(numeric()) > 40


@pytest.mark.parametrize(
    "words",
    [pytest.param((name, words, command), id=f"{name} {' '.join(words)}") for name, words, command in commands()],
)
def test_the_help_of_every_command_has_an_example(words: tuple[str, list[str], Any]) -> None:
    name, path, command = words
    assert f"Example: {name} {' '.join(path)}" in (command.help or "")
    for option in command.params:
        help_text = vars(option).get("help") or ""
        assert not help_text or help_text[0].isupper() or help_text.split(":")[0].islower(), (option.name, help_text)
        assert not help_text or help_text.rstrip().endswith((".", ":")) or option.name == "help", (
            option.name,
            help_text,
        )


def test_whatever_runs_a_chosen_lean_can_do_without_walls() -> None:
    offers = {
        " ".join([name, *words]): {opt for p in command.params for opt in p.opts} for name, words, command in commands()
    }
    with_lean = {command for command, options in offers.items() if "--lean" in options}
    assert {"lean-agent verify", "lean-agent repl", "lean-agent trace check", "lean-agent prove"} <= with_lean
    assert {command for command in with_lean if "--trust-repository" not in offers[command]} == set()


def fresh() -> typer.Typer:
    """A program with one command whose options may come from a file."""
    program = typer.Typer(cls=Commands)

    @program.callback()
    def main() -> None:
        """Nothing."""

    @program.command()
    @grouped
    def show(
        *,
        config: ConfigFile = None,
        model: str = typer.Option(...),
        size: int = typer.Option(3, min=1),
        shared: SharedOptions,
        grpo: GRPOOptions,
    ) -> None:
        print(json.dumps([model, size, shared.lr, shared.max_steps, grpo.algo_config, grpo.known_proofs]))

    return program


def show(*arguments: str) -> Result:
    return CliRunner().invoke(fresh(), ["show", *arguments])


def test_a_file_comes_before_defaults_and_the_command_line_before_it(tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    path.write_text(
        "base_model: small\nsize: 5\nlearning_rate: 5e-5\nmax-steps: 7\nalgo_config: {beta: 0.1}\nknown_proofs: false\n"
    )
    assert json.loads(show("--model", "m").stdout) == ["m", 3, 2e-5, None, None, True]
    assert json.loads(show("--config", str(path)).stdout) == ["small", 5, 5e-5, 7, '{"beta": 0.1}', False]
    result = show("--model", "m", "--max-steps", "2", "--config", str(path), "--known-proofs")
    assert json.loads(result.stdout) == ["m", 5, 5e-5, 2, '{"beta": 0.1}', True]


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("max_step: 3\n", 1, "There is no setting 'max_step' in"),
        ("max_step: 3\n", 1, "Did you mean 'max_steps'?"),
        ("max_steps: many\n", 2, "Invalid value for '--max-steps'"),
        ("lr: -1\n", 2, "Invalid value for '--lr'"),
        ("- lr\n", 1, "must hold names with values"),
        ("config: other.yaml\n", 1, "There is no setting 'config'"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, text: str, code: int, words: str) -> None:
    path = tmp_path / "train.yaml"
    path.write_text(text)
    result = show("--model", "m", "--config", str(path))
    assert result.exit_code == code
    assert words in " ".join(result.output.replace("│", " ").split())


def test_the_training_command_has_the_settings_of_its_trainers() -> None:
    from lean_agent.trainer.settings import GRPOSettings, ProgressSettings, RepositorySettings, SFTSettings

    shared = {field.name: field.default for field in fields(SharedOptions)}
    own: dict[type[RepositorySettings], dict[str, Any]] = {
        GRPOSettings: {field.name: field.default for field in fields(GRPOOptions)},
        SFTSettings: {field.name: field.default for field in fields(SFTOptions)},
    }
    written_otherwise = {"algo_config", "preset", "algorithm", "reward", "max_steps", "max_completions", "batch_size"}
    from_python_alone = {"model_name", "output_dir", "lora_config", "algorithm_config", "algorithm_preset", "progress"}
    for settings, options in own.items():
        known = {settings.name_of(field.name): field.default for field in fields(settings)}
        offered = {**shared, **options}
        assert known.keys() - offered.keys() == from_python_alone & known.keys()
        assert offered.keys() - known.keys() - written_otherwise == set()
        for name in offered.keys() - written_otherwise:
            assert offered[name] == known[name], name
    offered = {**shared, **{field.name: None for field in fields(ProgressOptions)}, "evaluations": 4, "augment": 0}
    known = {field.name: field.default for field in fields(ProgressSettings)}
    known["epochs_per_repo"] = known.pop("epochs")
    assert known.keys() - offered.keys() == from_python_alone & known.keys()


@dataclass(frozen=True)
class Cutting:
    """How to cut.

    Attributes:
        depth: how deep, in ``mm``;
            by default a little.
        width: how wide.
    """

    depth: Count = 2
    width: float | None = None
    times: Count | None = None


def test_a_settings_class_of_another_room_is_options_by_itself() -> None:
    seen: list[tuple[Any, Any]] = []
    program = typer.Typer()

    @program.command()
    @grouped
    def cut(
        cutting: Cutting, total: Annotated[Cutting | None, OptionGroup("Together", "total_", build=lambda **all: all)]
    ) -> None:
        seen.append((cutting, total))

    words = " ".join(CliRunner().invoke(program, ["--help"]).output.replace("│", " ").split())
    assert "--depth NUMBER How deep, in mm; by default a little. [default: 2]" in words
    assert words.index("How wide") < words.index("Together") < words.index("--total-depth")
    assert CliRunner().invoke(program, ["--depth", "3", "--times", "4", "--total-width", "1.5"]).exit_code == 0
    assert seen == [(Cutting(3, None, 4), {"depth": None, "width": 1.5, "times": None})]
    for option in ("--depth", "--times", "--total-depth"):
        refused = CliRunner().invoke(program, [option, "0"])
        assert refused.exit_code == 2 and "0 is not a whole number from 1 on." in refused.output


def test_quiet_hides_warnings_of_the_package_and_not_its_errors() -> None:
    text = (
        "import logging, sys; sys.argv = ['lean-grpo', *sys.argv[1:], 'rewards']\n"
        "from lean_agent.cli.grpo import app\n"
        "@app.command('rewards')\n"
        "def rewards():\n"
        "    logging.getLogger('lean_agent.trainer').warning('idle'); logging.getLogger('lean_agent').error('broken')\n"
        "app()\n"
    )
    loud, quiet = (
        subprocess.run([sys.executable, "-c", text, *flags], capture_output=True, text=True, check=True).stderr
        for flags in ((), ("--quiet",))
    )
    assert (loud, quiet) == ("idle\nbroken\n", "broken\n")


@completed_by(Cutting, without=["times"], names={"width": "breadth"})
@dataclass(frozen=True, kw_only=True)
class CuttingOptions:
    """How to cut."""

    depth: Annotated[int, typer.Option(help="How deep.")] = 1


def test_a_new_setting_of_a_trainer_is_an_option_by_itself() -> None:
    program = typer.Typer()
    seen: list[Any] = []

    @program.command()
    @grouped
    def cut(options: CuttingOptions) -> None:
        seen.append(asdict(options))

    words = " ".join(CliRunner().invoke(program, ["--help"]).output.replace("│", " ").split())
    assert "How deep. [default: 1]" in words and "--breadth <float> How wide." in words and "--times" not in words
    assert CliRunner().invoke(program, ["--breadth", "2.5"]).exit_code == 0
    assert seen == [{"depth": 1, "breadth": 2.5}]


def test_settings_of_a_search_are_options_of_proving() -> None:
    from lean_agent.prover.config import settings_class
    from lean_agent.settings import setting_fields

    (prove,) = (command for name, words, command in commands() if (name, words) == ("lean-agent", ["prove"]))
    offered = {parameter.name for parameter in prove.params}
    for search in SEARCHES.own:
        assert {field.name for field in setting_fields(settings_class(search))} <= offered, search
    refused = CliRunner().invoke(app, ["prove", "theorem a : True", "--exploration", "2"])
    assert refused.exit_code == 1 and "best_step has no use for exploration, which is of mcts" in refused.output


def test_a_number_knows_its_limits() -> None:
    option = number(least=0, below=1, help="A share.")
    assert option.parser("0") == 0.0 and option.parser(0.5) == 0.5
    for value in ("1", "-0.1", "nan"):
        with pytest.raises(typer.BadParameter, match="at least 0 and below 1"):
            option.parser(value)


def test_names_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    def completed(program: typer.Typer, name: str, line: str) -> list[str]:
        variable = f"_{name.upper().replace('-', '_')}_COMPLETE"
        environment = {variable: "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(shlex.split(line)) - 1)}
        result = CliRunner().invoke(program, [], prog_name=name, env=environment)
        return result.output.split()

    assert completed(app, "lean-agent", "lean-agent prove --search be") == ["best_step", "best_first", "beam"]
    assert completed(app, "lean-agent", "lean-agent evaluate min") == ["minif2f"]
    assert completed(app, "lean-agent", "lean-agent db difficulty --measure l") == ["length"]
    assert completed(grpo.app, "lean-grpo", "lean-grpo train x.jsonl --algorithm d") == ["dgpo", "drgrpo", "dapo"]
    assert completed(grpo.app, "lean-grpo", "lean-grpo train x.jsonl --reward pro") == ["proved"]
    assert len(SEARCHES) > 3


@pytest.mark.parametrize("name", APPS)
def test_completion_can_be_installed(name: str) -> None:
    help_text = CliRunner().invoke(APPS[name], ["--help"]).output
    assert "--install-completion" in help_text and "--show-completion" in help_text


@pytest.mark.parametrize("arguments", [["--quiet", "say"], ["say", "--quiet"]])
def test_quiet_shows_results_and_errors_alone(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(QUIET_VARIABLE, "")
    program = typer.Typer(cls=Commands)

    @program.callback()
    def main(quiet: Quiet = False) -> None:
        """Nothing."""

    @program.command()
    def say() -> None:
        inform("on its way")
        with ProgressBar("Working", total=1) as bar:
            bar.advance()
        print("result")

    result = CliRunner().invoke(program, arguments)
    assert (result.stdout, result.stderr) == ("result\n", "")
    assert os.environ[QUIET_VARIABLE] == "1"
    monkeypatch.setenv(QUIET_VARIABLE, "")
    result = CliRunner().invoke(program, ["say"])
    assert result.stdout == "on its way\nresult\n" and "Working" in result.stderr


def test_what_stands_after_two_dashes_is_another_program_s() -> None:
    seen: list[str] = []
    program = typer.Typer(cls=Commands)

    @program.callback()
    def main() -> None:
        """Nothing."""

    @program.command()
    def run(arguments: list[str]) -> None:
        seen.extend(arguments)

    assert CliRunner().invoke(program, ["run", "--", "--quiet"]).exit_code == 0
    assert seen == ["--quiet"]
