"""The one way in which a causal language model is found, checked, loaded and saved.

Policies and trainers come through here, so that a wrong name is refused in the same words everywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
from transformers.utils import logging as transformers_logging

from lean_agent.errors import ModelNotFound
from lean_agent.policy.model_files import ADVICE, adapter_base, check_config, check_model_files, meant


def check_causal_lm(model_name: str | Path) -> None:
    """Make sure, without loading any weight, that ``model_name`` names a causal language model.

    Args:
        model_name: a folder, a folder with a LoRA adapter, or a name on the HuggingFace hub.

    Raises:
        ModelNotFound: there is none at that name or path.
    """
    name = adapter_base(model_name) or str(model_name)
    check_config(name)
    try:
        config = AutoConfig.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise _not_found(name, error) from error
    known = MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    wanted = set(known.values())
    architectures = config.architectures or [known.get(config.model_type, f"of type {config.model_type}")]
    if not wanted.intersection(architectures) and "AutoModelForCausalLM" not in getattr(config, "auto_map", {}):
        raise ModelNotFound(
            f"{name} is no causal language model but {', '.join(architectures)}. Give a model that generates text from "
            "left to right (its config.json names an architecture that ends in ForCausalLM)."
        )
    check_model_files(model_name)


def load_causal_lm(
    model_name: str | Path,
    *,
    device: str | torch.device | None = None,
    dtype: torch.dtype | None = None,
    chat: bool = True,
    quantization_config: Any = None,
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a causal language model and its tokenizer.

    A folder with a LoRA adapter loads the base model with the adapter in place.

    Args:
        model_name: a folder, or a name on the HuggingFace hub.
        device: where to put it; by default the first GPU, or the CPU when there is none.
        dtype: of the weights; by default bfloat16 on a GPU and float32 on a CPU.
        chat: it must have a chat template.
        quantization_config: transformers' own, which then also puts the model where it goes.

    Raises:
        ModelNotFound: no causal language model there, or one without weights, tokenizer or chat template.
    """
    check_causal_lm(model_name)
    target = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    if target.type == "cuda":
        without_plans()
    default = torch.float32 if target.type == "cpu" else torch.bfloat16
    try:
        with no_file_bars():
            model: PreTrainedModel = AutoModelForCausalLM.from_pretrained(
                str(model_name),
                dtype=dtype or default,
                **({"quantization_config": quantization_config} if quantization_config else {}),
            )
        tokenizer = AutoTokenizer.from_pretrained(str(model_name))
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise _not_found(str(model_name), error) from error
    if chat and tokenizer.chat_template is None:
        raise ModelNotFound(
            f"The tokenizer of {model_name} has no chat template, so no prompt can be written for it. Use the chat or "
            "instruct variant of the model, or set tokenizer.chat_template and save the tokenizer beside the model."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if quantization_config is None:
        torch.nn.Module.to(model, target)
    return model, tokenizer


def without_plans() -> None:
    """Keep torch from cuDNN's attention, in this process: it makes a plan for every length that it has not seen, which
    takes 60 ms on an H200, and here lengths change with each batch and each token that is sampled."""
    torch.backends.cuda.enable_cudnn_sdp(False)


def _not_found(model_name: str, error: Exception) -> ModelNotFound:
    """Return the library's complaint, its first line only, with what the user can do."""
    reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    here = Path(model_name).is_dir()
    where = "" if here else "there is no such folder, and as a name on the hub: "
    return ModelNotFound(
        f"No causal language model could be loaded from {model_name!r}: {where}{reason.rstrip('.')}. "
        f"{'' if here else meant(model_name)}{ADVICE}"
    )


def install_files(source: Path, target: Path) -> None:
    """Move every file of ``source`` into ``target``, each in one step, config.json last; ``source`` is left empty.

    What else lies in ``target`` stays. A folder with a config.json has all the files that belong to it.
    """
    target.mkdir(parents=True, exist_ok=True)
    for file in sorted(source.iterdir(), key=lambda path: path.name == "config.json"):
        os.replace(file, target / file.name)


@contextmanager
def no_file_bars() -> Iterator[None]:
    """Keep the library's bars for single weight files off the terminal."""
    was_enabled = transformers_logging.is_progress_bar_enabled()
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        if was_enabled:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]


def tokenizer_identity(tokenizer: PreTrainedTokenizerBase) -> str:
    """Return sixteen hexadecimal digits that change whenever a token does."""
    return hashlib.sha256(json.dumps(tokenizer.get_vocab(), sort_keys=True).encode()).hexdigest()[:16]


def identity_with_weights(model: PreTrainedModel, beside: str) -> str:
    """Return a digest of what else is known of a model and of all its weights, which are read for it."""
    digest = hashlib.sha256(beside.encode())
    for name, weights in model.state_dict().items():
        digest.update(f"{name} {weights.dtype} {tuple(weights.shape)}".encode())
        digest.update(weights.detach().cpu().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
