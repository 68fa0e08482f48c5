"""A language model small enough to train on a laptop's CPU in minutes, with a tokenizer of its own.

:func:`make_tiny_model` writes an ordinary HuggingFace folder (a Qwen3 architecture with random weights), so that
trainers, policies and provers take it like any other model name. Nothing is downloaded. It knows no training.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from lean_agent.errors import ConfigError
from lean_agent.policy.loading import install_files, no_file_bars

logger = logging.getLogger(__name__)

PAD, GOAL, TACTIC, END = "<|pad|>", "<|goal|>", "<|tactic|>", "<|end|>"
IM_START, IM_END = "<|im_start|>", "<|im_end|>"

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message['role'] == 'user' -%}" + GOAL + "{{ message['content'] }}"
    "{%- elif message['role'] == 'assistant' -%}"
    + TACTIC
    + "{%- generation -%}{{ message['content'] }}"
    + END
    + "{%- endgeneration -%}"
    "{%- endif -%}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}" + TACTIC + "{%- endif -%}"
)
"""``<|goal|>…<|tactic|>…<|end|>``: the system's turn says nothing that this model could use, so it costs no tokens."""

_HEAD_DIM = 64


def make_tiny_model(
    texts: Iterable[str],
    output_dir: str | Path,
    *,
    vocab_size: int = 1024,
    hidden_size: int = 256,
    layers: int = 4,
    max_positions: int = 4096,
    seed: int = 0,
    chatml: str | None = None,
) -> Path:
    """Make an untrained model of a few million parameters (3.4 M by default) and its tokenizer in ``output_dir``.

    Args:
        texts: goals and tactics of the domain; the byte-level BPE vocabulary is learnt from them. Any other text can
            still be written, in more tokens.
        output_dir: the folder to make; what it held of a model before is overwritten.
        vocab_size: most tokens of the vocabulary, at least 260: 256 bytes and 4 special tokens.
        hidden_size: width, a multiple of 64.
        layers: number of transformer blocks.
        max_positions: longest sequence in tokens.
        seed: of the random weights.
        chatml: a chat template of the ChatML family (Qwen's, for instance, which knows tools) instead of the short one
            of this module; ``<|im_start|>`` and ``<|im_end|>`` are its special tokens.

    Returns:
        ``output_dir``.

    Raises:
        ConfigError: a size that cannot work, or no text.
    """
    if hidden_size % _HEAD_DIM or hidden_size < _HEAD_DIM or layers < 1 or vocab_size < 260:
        raise ConfigError(
            f"A tiny model needs hidden_size a multiple of {_HEAD_DIM}, layers >= 1 and vocab_size >= 260; it was "
            f"given hidden_size={hidden_size}, layers={layers}, vocab_size={vocab_size}."
        )
    folder = Path(output_dir)
    tokenizer = _train_tokenizer(texts, vocab_size, chatml)
    model = _random_model(tokenizer, hidden_size=hidden_size, layers=layers, max_positions=max_positions, seed=seed)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary, no_file_bars():
        tokenizer.save_pretrained(temporary)
        model.save_pretrained(temporary)
        install_files(Path(temporary), folder)
    logger.info("Made a model of %.1f M parameters in %s", model.num_parameters() / 1e6, folder)
    return folder


def _train_tokenizer(texts: Iterable[str], vocab_size: int, chatml: str | None) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE tokenizer with a chat template and its special tokens."""
    turns, end = ([IM_START], IM_END) if chatml else ([GOAL, TACTIC], END)
    corpus = [text for text in texts if text.strip()]
    if not corpus:
        raise ConfigError("A tiny model's tokenizer is learnt from texts, and there is none: trace a repository first.")
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[PAD, *turns, end],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    bpe.train_from_iterator(corpus, trainer)
    tokenizer = PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=bpe, pad_token=PAD, eos_token=end, additional_special_tokens=turns
    )
    tokenizer.chat_template = chatml or CHAT_TEMPLATE
    return tokenizer


def _random_model(
    tokenizer: PreTrainedTokenizerFast, *, hidden_size: int, layers: int, max_positions: int, seed: int
) -> Qwen3ForCausalLM:
    """Make a Qwen3 model with random weights that fits ``tokenizer``; the global random state stays as it was."""
    heads = hidden_size // _HEAD_DIM
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden_size,
        intermediate_size=3 * hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=max(1, heads // 2) if heads % 2 == 0 else heads,
        head_dim=_HEAD_DIM,
        max_position_embeddings=max_positions,
        tie_word_embeddings=True,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Qwen3ForCausalLM(config)
