"""A real vLLM server on loopback, on the CPU (``make test-vllm``): sampling, new weights, training, proving."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from lean_agent.errors import PolicyError
from lean_agent.lean.pool import LeanPool
from lean_agent.policy.base import Sampling
from lean_agent.policy.endpoint import VLLMClient
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import completion_messages, prompt_messages
from lean_agent.rollout import ProofRolloutGenerator, Theorem, TheoremFiles
from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.attempts.trajectory_update import prompt_ids

pytestmark = [pytest.mark.vllm, pytest.mark.lean, pytest.mark.timeout(1200)]

STEPS = [
    ("p : Prop\nhp : p\n⊢ p", "exact hp"),
    ("p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q", "exact ⟨hp, hq⟩"),
    ("p q : Prop\nhp : p\n⊢ p ∨ q", "exact Or.inl hp"),
]
GOALS = [goal for goal, _ in STEPS]
THEOREMS = [
    Theorem("t_id", "theorem t_id (p : Prop) (hp : p) : p"),
    Theorem("t_and", "theorem t_and (p q : Prop) (hp : p) (hq : q) : p ∧ q"),
    Theorem("t_or", "theorem t_or (p q : Prop) (hp : p) : p ∨ q"),
]


KEY = "key of the server"


@dataclass(frozen=True)
class Server:
    url: str
    model: Path
    log: Path

    def client(self, **settings: Any) -> VLLMClient:
        """Return a client that draws short answers, with the server's key."""
        return VLLMClient(self.url, "tiny", api_key=KEY, sampling=Sampling(max_new_tokens=24), **settings)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model that knows these three goals well, but not for certain."""
    folder = tmp_path_factory.mktemp("model") / "tiny"
    make_tiny_model([text for step in STEPS for text in step], folder, vocab_size=400, hidden_size=64, layers=2)
    network, tokenizer = load_causal_lm(folder)
    optimizer = torch.optim.AdamW(network.parameters(), lr=3e-3)
    for _ in range(30):
        for goal, tactic in STEPS:
            turns = [*prompt_messages(goal), *completion_messages(tactic)]
            ids: Any = tokenizer.apply_chat_template(turns, tokenize=True)
            tokens = torch.tensor([ids["input_ids"]])
            network(input_ids=tokens, labels=tokens).loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    # vLLM on a CPU renews no tied output layer (see below).
    network.config.tie_word_embeddings = False
    network.lm_head.weight = torch.nn.Parameter(network.lm_head.weight.detach().clone())
    network.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def server(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("vllm") / "log"
    environment = {
        **os.environ,
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_CPU_OMP_THREADS_BIND": "nobind",
        "HF_HUB_OFFLINE": "1",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True",
        "VLLM_SERVER_DEV_MODE": "1",
    }
    environment.pop("PYTHONPATH", None)
    command = [
        *(os.environ["LEAN_AGENT_VLLM_PYTHON"], "-m", "vllm.entrypoints.openai.api_server"),
        *("--model", str(model), "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", str(port)),
        *("--dtype", "float32", "--enforce-eager", "--max-model-len", "1024", "--enable-lora", "--max-lora-rank", "16"),
        *("--api-key", KEY),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        client = VLLMClient(f"http://127.0.0.1:{port}/v1", api_key=KEY)
        deadline = time.monotonic() + 600
        while not client.health():
            if process.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"vLLM did not come up:\n{log.read_text(errors='replace')[-3000:]}")
            time.sleep(1)
        client.close()
        yield Server(f"http://127.0.0.1:{port}/v1", model, log)
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def settings(server: Server, folder: Path, **changes: object) -> LeanGRPOConfig:
    values: dict[str, object] = {
        "base_model": str(server.model),
        "output_dir": folder,
        "num_generations": 8,
        "theorems_per_step": 3,
        "max_proof_steps": 3,
        "max_tactic_tokens": 24,
        "learning_rate": 1e-3,
        "max_steps": 3,
        "progress": False,
        **changes,
    }
    return LeanGRPOConfig(**values)


def test_tokens_and_probabilities_are_those_of_the_model(server: Server) -> None:
    with server.client() as client:
        answers = client.complete(GOALS, 4, seed=1)
        assert client.complete(GOALS, 4, seed=1) == answers
    network, tokenizer = load_causal_lm(server.model)
    for goal, found in zip(GOALS, answers, strict=True):
        prompt = torch.tensor([prompt_ids(tokenizer, goal)])
        for answer in found:
            assert answer.token_ids is not None and answer.tokens == len(answer.token_ids)
            ids = torch.tensor([answer.token_ids])
            with torch.no_grad():
                logits = network(torch.cat([prompt, ids], dim=1)).logits[0, prompt.shape[1] - 1 : -1]
            expected = logits.log_softmax(dim=-1).gather(1, ids[0][:, None]).sum().item()
            assert answer.logprob == pytest.approx(expected, abs=1e-2)
    assert any(answer.finished for found in answers for answer in found)


def test_a_theorem_is_proved_through_it(server: Server, lean: LeanPool, tmp_path: Path) -> None:
    tasks = TheoremFiles(tmp_path).tasks(THEOREMS)
    with server.client() as client:
        generator = ProofRolloutGenerator(lean, client)
        groups = asyncio.run(generator.generate_groups(tasks, 8, seed=0))
        assert all(t.verdict is not None and t.verdict.accepted for g in groups for t in g if t.is_proved)
        assert sum(group.pass_rate > 0 for group in groups) >= 2
        # and as a policy of a search: ranked, no tactic twice
        assert all(found and found[0].logprob >= found[-1].logprob for found in client.suggest(GOALS, 8))


def test_a_tied_output_layer_cannot_be_renewed(server: Server, tmp_path: Path) -> None:
    shutil.copytree(server.model, tmp_path, dirs_exist_ok=True)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**config, "tie_word_embeddings": True}))
    with server.client() as client, pytest.raises(PolicyError, match="tied to the embedding"):
        client.update(tmp_path)


TWO = """
import sys
from pathlib import Path
import torch
sys.path.insert(0, sys.argv[1])
from test_vllm import GOALS, THEOREMS, Server, settings
from lean_agent.lean.pool import LeanPool
from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
from lean_agent.trainer.attempts.trajectory_update import prompt_ids

server = Server(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]) / "log")
with LeanPool(1) as lean, server.client() as client:
    trainer = LeanGRPOTrainer(settings(server, Path(sys.argv[4]), lora_rank=8, max_steps=2), lean, client)
    trainer.setup()
    trainer.train(THEOREMS)
    assert client.model != "tiny"
    (answer, *_) = client.complete(GOALS[:1], 1, seed=3)[0]
    ids = torch.tensor([answer.token_ids])
    prompt = torch.tensor([prompt_ids(trainer.tokenizer, GOALS[0])])
    with torch.no_grad():
        logits = trainer.model(torch.cat([prompt, ids], dim=1)).logits[0, prompt.shape[1] - 1 : -1]
    trained = logits.log_softmax(dim=-1).gather(1, ids[0][:, None]).sum().item()
    assert abs(answer.logprob - trained) < 1e-2, (answer.logprob, trained)
    lines = trainer.metrics_file.read_text() if trainer.processes.is_first else "grad_norm"
    assert "grad_norm" in lines
    (Path(sys.argv[4]) / f"done-{trainer.processes.rank}").touch()
"""


def test_two_processes_sample_through_it_and_both_follow(
    server: Server, tmp_path: Path, launched: Callable[..., None]
) -> None:
    launched(TWO, tmp_path, Path(__file__).parent, server.url, server.model, tmp_path)
    assert {path.name for path in tmp_path.glob("done-*")} == {"done-0", "done-1"}


@pytest.mark.parametrize("rank", [8, 0], ids=["adapter", "whole model"])
def test_training_samples_through_it_and_it_follows(server: Server, lean: LeanPool, tmp_path: Path, rank: int) -> None:
    with server.client() as client:
        trainer = LeanGRPOTrainer(settings(server, tmp_path, lora_rank=rank), lean, client)
        trainer.setup()
        trainer.train(THEOREMS)
        assert "grad_norm" in trainer.metrics_file.read_text(), "nothing was learnt: every group was flat"
        (answer, *_) = client.complete(GOALS[:1], 1, seed=3)[0]
        assert answer.token_ids is not None
        prompt = torch.tensor([prompt_ids(trainer.tokenizer, GOALS[0])])
        ids = torch.tensor([answer.token_ids])
        with torch.no_grad():
            logits = trainer.model(torch.cat([prompt, ids], dim=1)).logits[0, prompt.shape[1] - 1 : -1]
        trained = logits.log_softmax(dim=-1).gather(1, ids[0][:, None]).sum().item()
        # the server has the weights after the last update
        assert answer.logprob == pytest.approx(trained, abs=1e-2)
        if rank == 0:
            client.update(server.model)  # as it was, for whoever comes next


def test_the_drift_from_the_server_is_measured_and_corrected(server: Server, lean: LeanPool, tmp_path: Path) -> None:
    """The server gets new weights after every fourth update: by the third it samples from the first's."""
    with server.client() as client:
        config = settings(server, tmp_path, lora_rank=8, sync_every=4, max_steps=4, learning_rate=2e-2)
        trainer = LeanGRPOTrainer(config, lean, client)
        trainer.setup()
        trainer.train(THEOREMS)
    lines = [json.loads(line) for line in trainer.metrics_file.read_text().splitlines()]
    drift = [line for line in lines if "sampler_gap" in line]
    assert drift, "nothing was learnt: every group was flat"
    assert drift[0]["sampler_gap"] == pytest.approx(0.0, abs=1e-2) and drift[0]["weights_capped"] == 0.0
    assert drift[0]["sampler_kl"] == pytest.approx(0.0, abs=1e-2)
    assert max(line["sampler_gap"] for line in drift[1:]) > 5 * max(drift[0]["sampler_gap"], 1e-3)


def test_an_adapter_is_not_loaded_without_the_key(server: Server, tmp_path: Path) -> None:
    """vLLM asks for its key below /v1 alone; whole weights go to its development routes, which ask for none."""
    (tmp_path / "adapter_config.json").write_text("{}")
    with VLLMClient(server.url, "tiny", api_key="another") as client, pytest.raises(PolicyError, match="HTTP 401"):
        client.update(tmp_path)
