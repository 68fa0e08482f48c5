"""Load a model to be trained: all its weights, a LoRA adapter, an adapter on a quantised model (QLoRA), or by
Unsloth.

Owns what each needs of the machine, and says so before anything is loaded.
"""

from __future__ import annotations

import copy
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from accelerate.utils import parse_flag_from_env
from peft import LoraConfig, PeftModel, get_peft_model, prepare_model_for_kbit_training
from transformers import BitsAndBytesConfig, PreTrainedModel, PreTrainedTokenizerBase

from lean_agent.errors import ConfigError
from lean_agent.extras import install
from lean_agent.policy.closers.placeholders import LEMMAS
from lean_agent.policy.decoding.matrices import fastest_layer, set_layers
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.model_files import adapter_base, recorded_help
from lean_agent.trainer.settings import Quantization

Trainable = tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]


def check_loading(model_name: str, *, new_adapter: bool, quantization: Quantization | None, use_unsloth: bool) -> None:
    """Refuse what this machine cannot do, and a new adapter on an adapter; say what to do instead."""
    is_adapter = adapter_base(model_name) is not None
    if is_adapter and new_adapter:
        raise ConfigError(
            f"{model_name} is a LoRA adapter already. Leave lora_config (lora_rank) out to go on training it, or name "
            "the base model to train a new adapter."
        )
    if quantization and not (is_adapter or new_adapter):
        raise ConfigError("A quantised model's weights cannot be trained: give a lora_config beside quantization.")
    if quantization and not torch.cuda.is_available():
        raise ConfigError(
            f"quantization={quantization!r} needs a CUDA GPU, and torch sees none here. Leave it out: LoRA without it "
            "works on a CPU too."
        )
    if quantization and find_spec("bitsandbytes") is None:
        raise ConfigError(f"quantization needs bitsandbytes: {install('qlora')}.")
    if use_unsloth and find_spec("unsloth") is None:
        raise ConfigError(
            "use_unsloth needs Unsloth, which is not installed: pip install unsloth (on a machine with a CUDA GPU), or "
            "leave use_unsloth out."
        )


def check_writes_tactics(model_name: str) -> None:
    """Refuse a model that writes schemes, for a training on attempts, whose theorems come without premises."""
    if recorded_help(model_name).filled:
        raise ConfigError(
            f"{model_name} has learnt to write {LEMMAS} for what searches fill in with premises, and whole attempts "
            "are made without any. Train it by GRPO on tactics (GRPOTrainer, `lean-agent train --method grpo`), which "
            "fills them in, or by SFT; or practise with lessons='short', so that it writes names itself."
        )


def check_launch() -> None:
    """Refuse a launch in which no process holds the whole model: the first could not write it."""
    for library in ("FSDP", "DEEPSPEED"):
        if parse_flag_from_env(f"ACCELERATE_USE_{library}"):
            raise ConfigError(
                f"Every GPU holds the whole model here: launch without {library}. A lora_config, with quantization if "
                "need be, makes a large model fit."
            )


def load_for_training(
    source: str,
    *,
    lora_config: LoraConfig | None = None,
    quantization: Quantization | None = None,
    use_unsloth: bool = False,
    chat: bool = True,
    base: str | None = None,
) -> Trainable:
    """Load a model ready to be trained, and its tokenizer.

    Weights that are trained themselves, unless Unsloth loads them, are float32, also on a GPU: in bfloat16 an update of
    less than 1/512 of a weight is rounded away, and most updates are. What computes with them does so in bfloat16
    there. Those below an adapter are as :func:`~lean_agent.policy.loading.load_causal_lm` has them.

    Args:
        source: a folder, or a name on the HuggingFace hub. An adapter is loaded trainable; ``lora_config`` is then not
            looked at.
        lora_config: make a new adapter.
        quantization: hold the weights under an adapter in 8 bits, or in 4 (NF4, quantised twice: QLoRA, 2305.14314).
        use_unsloth: load by Unsloth, which has faster kernels.
        chat: it must have a chat template.
        base: of an adapter, what it stands on; by default what it names.

    Raises:
        ModelNotFound: as :func:`lean_agent.policy.loading.load_causal_lm`.
    """
    base_name = base or adapter_base(source)
    if use_unsloth:
        return _by_unsloth(source, lora_config if base_name is None else None, quantization)
    whole = base_name is None and lora_config is None
    model, tokenizer = load_causal_lm(
        base_name or source, dtype=torch.float32 if whole else None, quantization_config=_bits(quantization), chat=chat
    )
    set_layers(model, fastest_layer())
    if quantization:
        prepare: Any = prepare_model_for_kbit_training
        model = prepare(model, use_gradient_checkpointing=False)
    if base_name is not None:
        return PeftModel.from_pretrained(model, source, is_trainable=True), tokenizer
    if lora_config is None:
        return model, tokenizer
    adapted = get_peft_model(model, copy.deepcopy(lora_config))
    # The adapter must find its base from any working directory.
    if Path(source).is_dir():
        adapted.peft_config["default"].base_model_name_or_path = str(Path(source).absolute())
    return adapted, tokenizer


def save_model(model: PreTrainedModel | PeftModel, folder: Path) -> None:
    """Write the model, or its adapter, to ``folder``; an adapter that stands beside it as a reference stays out."""
    if isinstance(model, PeftModel):
        model.save_pretrained(str(folder), selected_adapters=["default"])
    else:
        model.save_pretrained(str(folder))


def _bits(quantization: Quantization | None) -> BitsAndBytesConfig | None:
    if quantization is None:
        return None
    nf4 = {"bnb_4bit_quant_type": "nf4", "bnb_4bit_use_double_quant": True, "bnb_4bit_compute_dtype": torch.bfloat16}
    settings = {"load_in_8bit": True} if quantization == "8bit" else {"load_in_4bit": True, **nf4}
    return BitsAndBytesConfig(**settings)  # type: ignore[no-untyped-call]


def _by_unsloth(source: str, lora_config: LoraConfig | None, quantization: Quantization | None) -> Trainable:
    """Unsloth loads an adapter with its base by the adapter's folder."""
    fast: Any = import_module("unsloth").FastLanguageModel
    bits = {f"load_in_{size}": quantization == size for size in ("4bit", "8bit")}
    model, tokenizer = fast.from_pretrained(model_name=source, **bits)
    if lora_config is not None:
        layers = lora_config.target_modules
        model = fast.get_peft_model(
            model,
            r=lora_config.r,
            lora_alpha=lora_config.lora_alpha,
            lora_dropout=lora_config.lora_dropout,
            target_modules=layers if isinstance(layers, str) else sorted(layers or ()),
        )
    return model, tokenizer


def _is_news(record: logging.LogRecord) -> bool:
    """Return false for the remark that an output layer is missing which shares its weights with the embedding."""
    return "missing keys in the checkpoint model loaded: ['lm_head.weight']" not in record.getMessage()


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Keep quiet what no user could do anything about: a property's old name, which trl and peft still read, and tied
    weights that stand in a checkpoint once."""
    log = logging.getLogger("transformers.trainer")
    log.addFilter(_is_news)
    try:
        with warnings.catch_warnings():
            old_name = "`is_gradient_checkpointing` is deprecated"
            warnings.filterwarnings("ignore", message=old_name, category=FutureWarning)
            yield
    finally:
        log.removeFilter(_is_news)
