"""Say what is not there, or is broken, in one sentence, before a library that takes seconds is loaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from huggingface_hub import constants

from lean_agent.errors import ModelNotFound
from lean_agent.policy.model_files import check_config, check_model_files
from lean_agent.policy.tiny import make_tiny_model

HEAVY = ("torch", "transformers", "trl", "datasets", "matplotlib")
PROGRAM = f"""
import json, sys
from typer.testing import CliRunner
from lean_agent.cli import grpo, main
for line in json.load(sys.stdin):
    name, *arguments = line.split()
    done = CliRunner().invoke((grpo if name == "lean-grpo" else main).app, arguments, prog_name=name)
    print(json.dumps([done.exit_code, done.stderr, [module for module in {HEAVY} if module in sys.modules]]))
"""
COMMANDS = [
    ("lean-agent trace nowhere", "there is no folder"),
    ("lean-agent trace --repos none.yaml", "none.yaml could not be read"),
    ("lean-agent trace check nowhere", "there is no folder"),
    ("lean-agent train nowhere --model ./tiny", "there is no folder"),
    ("lean-agent train here --model ./none", "There is no model folder ./none"),
    ("lean-agent train here --model ./tiny --config none.yaml", "There is no configuration none.yaml"),
    ("lean-agent train here --model ./empty", "the folder has no config.json"),
    ("lean-agent prove nowhere", "there is no folder"),
    ("lean-agent prove here --model ./none", "There is no model folder ./none"),
    ("lean-agent prove here --model ./cut", "cut off"),
    ("lean-agent evaluate jsonl none.jsonl", "there is nothing at none.jsonl"),
    ("lean-agent evaluate sorries here --model ./none", "There is no model folder ./none"),
    ("lean-agent evaluate none", "There is no benchmark 'none'"),
    ("lean-agent verify none.lean", "There is no file none.lean"),
    ("lean-agent offline-grpo none.yaml", "There is no configuration none.yaml"),
    ("lean-agent offline-grpo offline.yaml", "none.jsonl is not there"),
    ("lean-agent dpo offline.yaml", "none.jsonl is not there"),
    ("lean-agent demo --repos nowhere", "--repos"),
    ("lean-agent search show none", "none cannot be read"),
    ("lean-agent db import none.jsonl", "none.jsonl"),
    ("lean-agent db merge none.sqlite", "There is no database"),
    ("lean-agent export scored none", "none cannot be read"),
    ("lean-agent retrieval recall none", "No such file"),
    ("lean-grpo train none.jsonl", "could not be read from none.jsonl"),
    ("lean-grpo train bad.jsonl", "bad.jsonl, line 1 is no JSON"),
    ("lean-grpo train good.jsonl --eval none.jsonl", "could not be read from none.jsonl"),
    ("lean-grpo train good.jsonl --config none.yaml", "There is no configuration none.yaml"),
    ("lean-grpo train good.jsonl --model ./none", "There is no model folder ./none"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A working directory with good and broken things."""
    folder = tmp_path_factory.mktemp("inputs")
    make_tiny_model(["⊢ p"], folder / "tiny", vocab_size=300, hidden_size=64, layers=1)
    shutil.copytree(folder / "tiny", folder / "cut")
    weights = folder / "cut" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    for name in ("empty", "here"):
        (folder / name).mkdir()
    (folder / "here" / "A.lean").write_text("theorem t : True := by\n  sorry\n")
    (folder / "offline.yaml").write_text("model_path: ./tiny\ndataset_path: none.jsonl\n")
    (folder / "bad.jsonl").write_text("nonsense\n")
    (folder / "good.jsonl").write_text('{"name": "t", "statement": "theorem t : True"}\n')
    return folder


@pytest.fixture(scope="module")
def answers(folder: Path) -> dict[str, tuple[int, str, list[str]]]:
    """Run the commands, one after the other in one process: the exit code, the errors, the heavy libraries by then."""
    environment = {**os.environ, "LEAN_AGENT_CACHE": str(folder / "cache"), "PYTHONPATH": os.pathsep.join(sys.path)}
    lines = [line for line, _ in COMMANDS]
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=folder, env=environment, input=json.dumps(lines), capture_output=True, text=True, check=True
    )
    return dict(zip(lines, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize(("line", "words"), COMMANDS, ids=[line for line, _ in COMMANDS])
def test_an_argument_is_looked_at_before_libraries_are_loaded(
    line: str, words: str, answers: dict[str, tuple[int, str, list[str]]]
) -> None:
    code, errors, loaded = answers[line]
    assert code == 1, errors
    assert len(errors.strip().splitlines()) == 1 and words in errors, errors
    assert loaded == []


def test_a_model_that_is_whole_is_taken(folder: Path) -> None:
    check_model_files(folder / "tiny")


def test_a_broken_model_is_named(folder: Path, tmp_path: Path) -> None:
    def broken(words: str) -> None:
        with pytest.raises(ModelNotFound, match=words) as caught:
            check_model_files(tmp_path)
        assert "\n" not in str(caught.value)

    broken(r"the folder has no config\.json")
    (tmp_path / "config.json").write_text("{")
    broken(r"config\.json does not read")
    (tmp_path / "config.json").write_text("[]")
    broken("holds no settings of a model")
    shutil.copy(folder / "tiny" / "config.json", tmp_path)
    broken(r"holds no weights \(model\.safetensors or pytorch_model\.bin\)")
    weights = tmp_path / "model.safetensors"
    for content in (b"", b"\0" * 4, b"\xff" * 64, (folder / "tiny" / "model.safetensors").read_bytes()[:-1]):
        weights.write_bytes(content)
        broken("are broken or cut off")
    weights.unlink()
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    broken("miss the part model-00001-of-00002.safetensors")
    shutil.copy(folder / "tiny" / "model.safetensors", tmp_path / "model-00001-of-00002.safetensors")
    check_model_files(tmp_path)


def test_an_adapter_is_looked_at_with_its_base(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(folder / "tiny")}))
    with pytest.raises(ModelNotFound, match=r"holds no weights \(adapter_model\.safetensors"):
        check_model_files(tmp_path)
    shutil.copy(folder / "tiny" / "model.safetensors", tmp_path / "adapter_model.safetensors")
    check_model_files(tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({"base_model_name_or_path": str(tmp_path / "gone")}))
    with pytest.raises(ModelNotFound, match=r"There is no model folder .*gone"):
        check_model_files(tmp_path)


@pytest.fixture
def online(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The hub may be asked, whatever was heard of it before."""
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    return monkeypatch


@pytest.mark.usefixtures("online")
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (404, "has no model of that name"),
        (401, "has no model of that name, or shows it to members alone"),
        (httpx.ConnectError("Name or service not known"), r"cannot be reached \(Name or service not known\)"),
        (httpx.ConnectTimeout("timed out"), "cannot be reached"),
    ],
)
def test_the_hub_is_asked_once(
    answer: int | Exception,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    asked: list[str] = []

    def hub(request: httpx.Request) -> httpx.Response:
        asked.append(f"{request.method} {request.url}")
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer)

    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelNotFound, match=f"no such folder as 'nope', and as a name on the hub: .*{words}"):
        check_config("nope", transport=httpx.MockTransport(hub))
    assert asked == [f"HEAD {constants.ENDPOINT}/nope/resolve/main/config.json"]
    assert caplog.text == ""


def test_a_model_in_the_cache_needs_no_hub(tmp_path: Path, online: pytest.MonkeyPatch) -> None:
    def hub(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("Name or service not known")

    transport = httpx.MockTransport(hub)
    snapshot = tmp_path / "models--some--model" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text("{}")
    (tmp_path / "models--some--model" / "refs").mkdir()
    (tmp_path / "models--some--model" / "refs" / "main").write_text("abc")
    online.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    check_config("some/model", transport=transport)
    assert constants.HF_HUB_OFFLINE is True, "what comes after asks no more"
    with pytest.raises(ModelNotFound, match="is not asked"):
        check_config("other/model", transport=transport)


@pytest.mark.usefixtures("online")
def test_a_name_that_the_hub_cannot_have_is_not_asked_for() -> None:
    with pytest.raises(ModelNotFound, match="no name that a model on the hub can have"):
        check_model_files("not a name!")
