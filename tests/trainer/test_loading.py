"""What a machine cannot do is said before anything is loaded."""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext, suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from peft import LoraConfig

from lean_agent.errors import ConfigError
from lean_agent.policy.decoding import arithmetic
from lean_agent.policy.loading import load_causal_lm
from lean_agent.trainer.base import computes_again
from lean_agent.trainer.grpo_trainer import GRPOTrainer
from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
from lean_agent.trainer.run.loading import check_loading, load_for_training, quiet_libraries
from lean_agent.trainer.sft_trainer import SFTTrainer

LORA = LoraConfig(r=4, target_modules=["q_proj", "v_proj"])


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)


@pytest.mark.parametrize("trainer", [SFTTrainer, GRPOTrainer])
@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"quantization": "4bit"}, "give a lora_config"),
        ({"quantization": "4bit", "lora_config": LORA}, "needs a CUDA GPU"),
        ({"quantization": "2bit", "lora_config": LORA}, "4bit, 8bit or None"),
        ({"use_unsloth": True}, "Unsloth, which is not installed"),
        ({"report_to": "mlflow"}, "report_to must be one of none, tensorboard, wandb"),
    ],
)
@pytest.mark.usefixtures("no_gpu")
def test_what_is_not_to_be_had_here(
    tiny_folder: Path, tmp_path: Path, trainer: Any, settings: Any, complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        trainer(tiny_folder, output_dir=tmp_path / "out", **settings)


@pytest.mark.parametrize("library", ["FSDP", "DEEPSPEED"])
def test_a_launch_that_splits_the_model(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str
) -> None:
    monkeypatch.setenv(f"ACCELERATE_USE_{library}", "true")
    with pytest.raises(ConfigError, match=f"launch without {library}"):
        SFTTrainer(tiny_folder, tmp_path / "out")
    with pytest.raises(ConfigError, match=f"launch without {library}"):
        OfflineGRPOTrainer(OfflineGRPOConfig(model_path=str(tiny_folder), dataset_path="none"))


def test_a_tracker_that_is_not_installed(tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)  # Python's own way to say that a package is not there
    with pytest.raises(ConfigError, match=r"pip install 'lean4-agent\[wandb\]'"):
        SFTTrainer(tiny_folder, tmp_path / "out", report_to="wandb")


def test_unsloth_loads_where_it_is_installed(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in with Unsloth's two functions: what they are asked for."""
    asked: dict[str, Any] = {}

    class FastLanguageModel:
        @staticmethod
        def from_pretrained(**options: Any) -> Any:
            asked.update(options)
            return load_causal_lm(options["model_name"])

        @staticmethod
        def get_peft_model(model: Any, **options: Any) -> Any:
            asked.update(options)
            return model

    module = ModuleType("unsloth")
    module.FastLanguageModel = FastLanguageModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "unsloth", module)
    load_for_training(str(tiny_folder), lora_config=LORA, use_unsloth=True, quantization="4bit")
    assert asked["model_name"] == str(tiny_folder)
    assert (asked["load_in_4bit"], asked["load_in_8bit"], asked["r"]) == (True, False, 4)
    assert asked["target_modules"] == ["q_proj", "v_proj"]
    load_for_training(str(tiny_folder), lora_config=LoraConfig(target_modules="all-linear"), use_unsloth=True)
    assert asked["target_modules"] == "all-linear"


@pytest.mark.parametrize("bits", ["4bit", "8bit"])
def test_quantised_weights_where_there_is_a_gpu(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch, bits: Any) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setitem(sys.modules, "bitsandbytes", None)
    with pytest.raises(ConfigError, match=r"pip install 'lean4-agent\[qlora\]'"):
        check_loading(str(tiny_folder), new_adapter=True, quantization=bits, use_unsloth=False)
    bitsandbytes = ModuleType("bitsandbytes")
    bitsandbytes.__spec__ = ModuleSpec("bitsandbytes", None)
    monkeypatch.setitem(sys.modules, "bitsandbytes", bitsandbytes)
    check_loading(str(tiny_folder), new_adapter=True, quantization=bits, use_unsloth=False)


@pytest.mark.parametrize("bits", ["4bit", "8bit"])
def test_an_adapter_on_quantised_weights(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bits: Any
) -> None:
    """A stand-in for what transformers does with bitsandbytes, which needs a GPU: what it is asked for. The weights are
    in bfloat16, as the parts that are not quantised are there."""
    asked: list[Any] = []

    def loaded(*args: Any, quantization_config: Any = None, **options: Any) -> Any:
        asked.append(quantization_config)
        return load_causal_lm(*args, **{**options, "dtype": torch.bfloat16})

    monkeypatch.setattr("lean_agent.trainer.run.loading.load_causal_lm", loaded)
    with quiet_libraries():
        model, _ = load_for_training(str(tiny_folder), lora_config=LORA, quantization=bits)
        model.save_pretrained(str(tmp_path / "adapter"))
        # An adapter that was saved goes on, on weights that are quantised again.
        again, _ = load_for_training(str(tmp_path / "adapter"), quantization=bits)
    for config in asked:
        assert (config.load_in_4bit, config.load_in_8bit) == (bits == "4bit", bits == "8bit")
        if bits == "4bit":  # QLoRA, 2305.14314: NF4, quantised twice, computed with in bfloat16
            assert (config.bnb_4bit_quant_type, config.bnb_4bit_use_double_quant) == ("nf4", True)
            assert config.bnb_4bit_compute_dtype == torch.bfloat16
    assert len(asked) == 2
    for adapted in (model, again):
        parameters = dict(torch.nn.Module.named_parameters(adapted))
        trained = [name for name, parameter in parameters.items() if parameter.requires_grad]
        # Two blocks, two projections, A and B; nothing of what is quantised.
        assert len(trained) == 2 * 2 * 2 and all("lora_" in name for name in trained)
        # peft's preparation: norms and what else is not quantised are float32.
        assert {parameter.dtype for parameter in parameters.values()} == {torch.float32}


def test_weights_that_are_trained_are_float32(tiny_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a GPU bfloat16 is the default; there is none here, so the question is what is asked for."""
    asked: list[torch.dtype | None] = []

    def loaded(*args: Any, dtype: torch.dtype | None = None, **options: Any) -> Any:
        asked.append(dtype)
        return load_causal_lm(*args, dtype=dtype, **options)

    monkeypatch.setattr("lean_agent.trainer.run.loading.load_causal_lm", loaded)
    with quiet_libraries():
        load_for_training(str(tiny_folder))
        load_for_training(str(tiny_folder), lora_config=LORA)
    assert asked == [torch.float32, None]
    assert load_causal_lm(tiny_folder, dtype=torch.bfloat16)[0].dtype == torch.bfloat16


@pytest.mark.parametrize(
    ("device", "dtype", "mixed"),
    [("cuda", torch.float32, True), ("cuda", torch.bfloat16, False), ("cpu", torch.float32, False)],
)
def test_float32_weights_on_a_gpu_compute_in_bfloat16(
    monkeypatch: pytest.MonkeyPatch, device: str, dtype: torch.dtype, mixed: bool
) -> None:
    asked: list[Any] = []

    def recorded(*settings: Any) -> Any:
        asked.append(settings)
        return nullcontext()

    monkeypatch.setattr("torch.autocast", recorded)
    model: Any = SimpleNamespace(device=torch.device(device), dtype=dtype)
    with arithmetic(model):
        pass
    assert asked == ([("cuda", torch.bfloat16)] if mixed else [])


def test_cudnn_makes_no_plans_where_a_model_goes_to_a_gpu(tiny_folder: Path) -> None:
    """It makes one for each length, and each takes longer than the step that it is for."""
    before = torch.backends.cuda.cudnn_sdp_enabled()
    torch.backends.cuda.enable_cudnn_sdp(True)
    try:
        load_causal_lm(tiny_folder, device="cpu")
        assert torch.backends.cuda.cudnn_sdp_enabled(), "a CPU has no part in it"
        with suppress(AssertionError, RuntimeError):  # where there is no GPU
            load_causal_lm(tiny_folder, device="cuda")
        assert not torch.backends.cuda.cudnn_sdp_enabled()
    finally:
        torch.backends.cuda.enable_cudnn_sdp(before)


@pytest.mark.parametrize(
    ("wanted", "parameters", "on_gpu", "again"),
    [
        (None, 100_000_000, True, False),
        (None, 100_000_001, True, True),
        (None, 100_000_001, False, False),
        (True, 1, False, True),
        (False, 100_000_001, True, False),
    ],
)
def test_activations_of_small_models_are_kept(wanted: bool | None, parameters: int, on_gpu: bool, again: bool) -> None:
    model = torch.nn.Embedding(parameters, 1, device="meta")
    assert computes_again(wanted, model, on_gpu=on_gpu) is again


def test_gradient_checkpointing_on_request(tiny_folder: Path, tmp_path: Path, database: Any, logic: Any) -> None:
    trainer = SFTTrainer(
        tiny_folder, tmp_path / "out", batch_size=4, max_steps=2, gradient_checkpointing=True, progress=False
    )
    trainer.train([logic], database, tmp_path / "data")
    assert trainer.model is not None
    assert trainer.model.is_activation_checkpointing


def test_tied_weights_are_no_news(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("transformers.trainer")
    handler = caplog.handler
    log.addHandler(handler)
    try:
        with quiet_libraries():
            log.warning("There were missing keys in the checkpoint model loaded: ['lm_head.weight'].")
            log.warning("There were missing keys in the checkpoint model loaded: ['model.norm.weight'].")
        log.warning("There were missing keys in the checkpoint model loaded: ['lm_head.weight'].")
    finally:
        log.removeHandler(handler)
    messages = {record.getMessage().partition(": ")[2] for record in caplog.records}
    assert messages == {"['model.norm.weight'].", "['lm_head.weight']."}
    inside = [record for record in caplog.records if "lm_head" in record.getMessage()]
    assert inside[0].created >= max(record.created for record in caplog.records if "norm" in record.getMessage())
