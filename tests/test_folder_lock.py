"""One process at a time writes to a folder: a second one is told which, everywhere that a folder is written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lean_agent.errors import ConfigError
from lean_agent.folder_lock import HOLDER, LOCK, locked_folder

ROOT = Path(__file__).resolve().parents[1]
HOLD = """
import sys
from lean_agent.folder_lock import locked_folder
with locked_folder(sys.argv[1]):
    print("in", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is at work in a folder."""
    command = [sys.executable, "-c", HOLD, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None and process.stdout.readline() == b"in\n"
        yield process
        process.kill()


def test_a_second_process_is_told_which_is_the_first(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with held(folder) as first:
        with pytest.raises(ConfigError) as refused, locked_folder(folder, instead="do something else"):
            pass
        words = str(refused.value)
        assert words.startswith(f"Process {first.pid} (-c {folder}, since ")
        assert words.endswith(f") is at work in {folder}: wait until it ends, or do something else.")
        assert "\n" not in words
    with locked_folder(folder):  # the lock ends with the process that was killed, whatever lies there
        assert f'"process": {os.getpid()},' in (folder / HOLDER).read_text()
    assert not list(folder.iterdir())


def test_nothing_is_left_of_a_lock(tmp_path: Path) -> None:
    with locked_folder(tmp_path):
        (tmp_path / "file").touch()
        assert sorted(path.name for path in tmp_path.iterdir()) == [LOCK, HOLDER, "file"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    with locked_folder(tmp_path / "new"):
        pass
    assert not (tmp_path / "new").exists(), "nothing was written there"


def test_a_thread_may_ask_again_and_another_may_not(tmp_path: Path) -> None:
    refusals: list[str] = []

    def ask() -> None:
        try:
            with locked_folder(tmp_path):
                pass
        except ConfigError as error:
            refusals.append(str(error))

    (tmp_path / "link").symlink_to(tmp_path)
    with locked_folder(tmp_path), locked_folder(tmp_path / "link"):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert [f"Process {os.getpid()} " in refusal for refusal in refusals] == [True]
    ask()
    assert len(refusals) == 1


def test_a_holder_that_cannot_be_read_is_another_process(tmp_path: Path) -> None:
    with held(tmp_path):
        (tmp_path / HOLDER).write_text("{")
        with pytest.raises(ConfigError, match=r"^Another process is at work"), locked_folder(tmp_path):
            pass


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refusal = r"file/out cannot be written \(.*\): it lies below a file"
    with pytest.raises(ConfigError, match=refusal), locked_folder(tmp_path / "file" / "out"):
        pass


def sft(folder: Path, model: Path) -> None:
    from lean_agent.trainer.sft_trainer import SFTTrainer

    SFTTrainer(model, folder, progress=False).train([None], None, folder / "data")  # type: ignore[list-item, arg-type]


def grpo(folder: Path, model: Path) -> None:
    from lean_agent.trainer.grpo_trainer import GRPOTrainer

    trainer = GRPOTrainer(model, lambda completions, **_: None, folder, progress=False)  # type: ignore[arg-type]
    trainer.train([None], None, folder / "data")  # type: ignore[list-item, arg-type]


def attempts(folder: Path, model: Path) -> None:
    from lean_agent.lean.interface import MockLeanInterface
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline

    LeanGRPOPipeline(LeanGRPOConfig(base_model=str(model), output_dir=folder), MockLeanInterface()).run([])


def offline(folder: Path, model: Path) -> None:
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer

    scored = folder.parent / "scored.jsonl"
    scored.write_text('{"prompt": "a", "completions": [{"text": "b", "score": 0}, {"text": "c", "score": 1}]}\n')
    config = OfflineGRPOConfig(model_path=str(model), dataset_path=str(scored), output_dir=str(folder))
    OfflineGRPOTrainer(config, progress=False).train()


def prove(folder: Path, model: Path) -> None:
    from lean_agent.agent.run_folder import RunFolder
    from lean_agent.agent.scripted_agent import ScriptedAgent

    with ScriptedAgent(run=RunFolder(folder), database=":memory:", progress=False) as agent:
        agent.prove(theorems=[])


def plots(folder: Path, model: Path) -> None:
    from lean_agent.database import ProofStatistics
    from lean_agent.evaluation.plots import write_data_plots

    write_data_plots(ProofStatistics((), Counter(), ()), [], "steps", folder)


def prove_elsewhere(folder: Path, model: Path) -> None:
    from lean_agent.agent.scripted_agent import ScriptedAgent

    with ScriptedAgent(runs_dir=folder.parent / "runs", database=":memory:", progress=False) as agent:
        agent.prove(theorems=[], output_dir=folder)


def evaluate(folder: Path, model: Path) -> None:
    from lean_agent.agent.run_folder import RunFolder
    from lean_agent.agent.scripted_agent import ScriptedAgent

    with ScriptedAgent(run=RunFolder(folder), database=":memory:", progress=False) as agent:
        agent.evaluate(theorems=[], provers=[])


def export(folder: Path, model: Path) -> None:
    from lean_agent.database import DynamicDatabase

    with DynamicDatabase(":memory:") as database:
        database.export_merged_data([], folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from lean_agent.policy.tiny import make_tiny_model

    folder = tmp_path_factory.mktemp("model") / "tiny"
    return make_tiny_model(["⊢ True", "trivial"], folder, vocab_size=300, hidden_size=64, layers=1)


@pytest.mark.parametrize("work", [sft, grpo, attempts, offline, prove, prove_elsewhere, evaluate, export, plots])
def test_whatever_writes_to_a_folder_is_refused_while_another_does(
    work: Callable[[Path, Path], None], tmp_path: Path, model: Path
) -> None:
    folder = tmp_path / "out"
    with held(folder) as first, pytest.raises(ConfigError, match=rf"^Process {first.pid} .* is at work in {folder}"):
        work(folder, model)


TOGETHER = """
import os, sys
from pathlib import Path
from lean_agent.errors import ConfigError
from lean_agent.trainer.run.processes import Processes

processes = Processes()
with processes.alone_in(Path(sys.argv[1])):
    processes.wait()
try:
    with processes.alone_in(Path(sys.argv[2])):
        pass
except ConfigError as error:
    Path(sys.argv[1] + f"-{processes.rank}").write_text(str(error))
"""


@pytest.mark.slow
def test_the_processes_of_one_training_share_the_lock(tmp_path: Path, launched: Callable[..., None]) -> None:
    with held(tmp_path / "taken") as other:
        launched(TOGETHER, tmp_path, tmp_path / "out", tmp_path / "taken")
    refusals = [(tmp_path / f"out-{rank}").read_text() for rank in range(2)]
    assert refusals[0] == refusals[1] and refusals[0].startswith(f"Process {other.pid} ")
