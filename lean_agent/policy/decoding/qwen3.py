"""A small Qwen3 model on a CPU, read without the layers of modules around its arithmetic.

With two million parameters most of a token's time in transformers is not arithmetic: each answer is a row of its own,
a cache is copied to grow by a token and copied again for rows that leave, prompts are padded, and every block calls
some forty modules and functions. Here a level of the trees of all prompts is read at a time: the three projections of
attention are one matrix, the weights of norms are folded into the matrices behind them, tokens stand in one row without
padding but in attention, and keys and values of a prompt and of all answers to it lie in one place, where a mask says
which of them a node sees. The logits are those of transformers' model up to rounding (a test compares).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import PreTrainedModel, Qwen3ForCausalLM
from typing_extensions import override

from lean_agent.policy.decoding.matrices import PLAIN_LAYERS, Matrix
from lean_agent.policy.decoding.prefixes import BLOCK, Known, Prefixes
from lean_agent.policy.decoding.readers import Reader, base_of

LARGEST = 200_000_000
"""Parameters: the weights are held once more, which would be much of a larger model, and gain little there."""
_ROOM = 192
"""Places for keys and values that are added at a time."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """Weights of a block.

    Attributes:
        qkv: ``[(heads + 2 * kv_heads) * head_dim, hidden]``.
        scales: of queries and keys after their norm, ``[heads + kv_heads, head_dim]``.
    """

    qkv: Matrix
    scales: torch.Tensor
    out: Matrix
    gate: Matrix
    up: Matrix
    down: Matrix


@dataclass(frozen=True, slots=True)
class _Level:
    """Tokens of all prompts that are read together, in one row, prompt by prompt; each attribute is of each token.

    Attributes:
        prompt_of: the number of its prompt.
        turn: which of its prompt's tokens it is here.
        place: where its keys and values go.
        position: its place in the text.
        sees: 0 for each place that it attends to and -inf for each other, ``[tokens, places]``.
    """

    tokens: torch.Tensor
    prompt_of: torch.Tensor
    turn: torch.Tensor
    place: torch.Tensor
    position: torch.Tensor
    sees: torch.Tensor


def is_small_qwen3(model: PreTrainedModel) -> bool:
    """Check whether :class:`Qwen3Reader` reads a model: Qwen3, float32, on a CPU, up to :data:`LARGEST` parameters,
    without anything unusual but LoRA adapters."""
    base = base_of(model)
    if type(base) is not Qwen3ForCausalLM or base.device.type != "cpu" or base.num_parameters() > LARGEST:
        return False
    config: Any = base.config
    return (
        not getattr(getattr(model, "active_peft_config", None), "is_prompt_learning", False)
        and all(parameter.dtype == torch.float32 for parameter in base.parameters())
        and not config.attention_bias
        and config.hidden_act == "silu"
        and config.rope_parameters["rope_type"] == "default"
        and set(config.layer_types) == {"full_attention"}
        and type(base.model.embed_tokens) is nn.Embedding
        and all(map(_is_plain, _projections(base)))
    )


class Qwen3Reader(Reader):
    """Reads with the weights of a model that :func:`is_small_qwen3`, and follows their changes.

    Adapters are added to the weights.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        base = base_of(model)
        config = base.config
        self._base = base
        self._heads, self._kv_heads = config.num_attention_heads, config.num_key_value_heads
        self._head_dim = config.head_dim
        # A norm divides by the root of a mean plus epsilon: but for a factor, by the root of a sum plus this squared.
        self._least = {
            size: torch.tensor((size * config.rms_norm_eps) ** 0.5) for size in (config.hidden_size, self._head_dim)
        }
        self._prefixes = Prefixes((config.num_hidden_layers, 2, BLOCK, self._kv_heads, self._head_dim))
        self._state: Any = None  # of the weights as they were read last
        self._layers: list[_Layer] = []
        self._words = torch.empty(0)
        self._head = Matrix(torch.empty(1, 1))
        self._memory = torch.zeros(0)  # for `_kept`, used again and again
        self._kept = torch.empty(0)  # keys and values, [layers, 2, prompts, places, kv_heads, head_dim]
        self._used = torch.empty(0)  # places of each prompt
        # Of each node:
        self._sees = self._prompt_of = self._position = torch.empty(0)

    @override
    @torch.inference_mode()
    def start(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        self._follow()
        known = [self._prefixes.find(prompt) for prompt in prompts]
        lengths = torch.tensor([len(prompt) for prompt in prompts])
        width = int(lengths.max())
        self._kept = self._room(len(prompts), width + _ROOM)
        for kept, beginning in zip(self._kept.unbind(2), known, strict=True):
            if beginning.places:
                blocks = self._prefixes.read(beginning).permute(1, 2, 0, 3, 4, 5)
                kept[:, :, : beginning.tokens] = blocks.flatten(2, 3)
        self._used, self._position, self._prompt_of = lengths, lengths - 1, torch.arange(len(prompts))
        self._sees = _seeing(lengths - 1, width + _ROOM)

        counts = lengths - torch.tensor([beginning.tokens for beginning in known])
        prompt_of = self._prompt_of.repeat_interleave(counts)
        turn = _turns(prompt_of, counts)
        place = turn + (lengths - counts)[prompt_of]
        ids = [token for prompt, beginning in zip(prompts, known, strict=True) for token in prompt[beginning.tokens :]]
        level = _Level(torch.tensor(ids), prompt_of, turn, place, place, _seeing(place, width))
        hidden = self._read(level)
        for prompt, beginning, kept in zip(prompts, known, self._kept.unbind(2), strict=True):
            self._remember(prompt, beginning, kept)
        return self._logits(hidden[counts.cumsum(0) - 1])

    @override
    @torch.inference_mode()
    def step(self, parents: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        prompt_of = self._prompt_of[parents]
        counts = prompt_of.bincount(minlength=len(self._used))
        live = counts.nonzero()[:, 0]
        if 2 * len(live) <= len(counts):  # prompts whose answers have all ended leave
            self._make_room(live, self._kept.shape[3])
            prompt_of, counts, self._used = torch.searchsorted(live, prompt_of), counts[live], self._used[live]
        turn = _turns(prompt_of, counts)
        place = self._used[prompt_of] + turn
        self._used = self._used + counts
        width = int(self._used.max())
        if width > self._kept.shape[3]:
            self._make_room(torch.arange(len(counts)), width + _ROOM)
        self._sees = self._sees[parents]
        self._sees[torch.arange(len(place)), place] = 0.0
        self._prompt_of, self._position = prompt_of, self._position[parents] + 1
        return self._logits(self._read(_Level(tokens, prompt_of, turn, place, self._position, self._sees[:, :width])))

    def _make_room(self, prompts: torch.Tensor, width: int) -> None:
        """Go on with these prompts alone, each with ``width`` places, what is in them kept."""
        before = self._kept[:, :, prompts, : int(self._used.max())]
        self._kept = self._room(len(prompts), width)
        self._kept[:, :, :, : before.shape[3]] = before
        self._sees = functional.pad(self._sees, (0, width - self._sees.shape[1]), value=-torch.inf)

    def _room(self, prompts: int, width: int) -> torch.Tensor:
        """Return places for keys and values, with numbers in them: what a node does not see has the weight 0, but 0
        times what happens to lie in memory may be no number."""
        layers, _, _, kv_heads, head_dim = self._prefixes.shape
        shape = torch.Size((layers, 2, prompts, width, kv_heads, head_dim))
        if len(self._memory) < shape.numel():
            self._memory = torch.zeros(shape.numel())
        return self._memory[: shape.numel()].view(shape)

    def _remember(self, prompt: Sequence[int], known: Known, kept: torch.Tensor) -> None:
        """Keep what was computed of the whole blocks of a prompt, ``[layers, 2, places, kv_heads, head_dim]``."""
        blocks = len(prompt) // BLOCK - len(known.places)
        if blocks:
            computed = kept[:, :, known.tokens : known.tokens + blocks * BLOCK]
            in_blocks = computed.reshape(*computed.shape[:2], blocks, BLOCK, *computed.shape[3:])
            self._prefixes.add(prompt, known, in_blocks.permute(2, 0, 1, 3, 4, 5))

    def _read(self, level: _Level) -> torch.Tensor:
        """Return the hidden states behind the last block, ``[tokens, hidden]``, and keep keys and values."""
        heads, kv_heads, size, width = self._heads, self._kv_heads, self._head_dim, level.sees.shape[1]
        prompts, most = len(self._used), int(level.turn.max()) + 1
        query_at = level.prompt_of * most + level.turn
        key_at = level.prompt_of * self._kept.shape[3] + level.place
        mask = torch.zeros(prompts * most, width).index_copy_(0, query_at, level.sees).view(prompts, 1, most, width)
        mask = mask if heads == kv_heads else mask.repeat_interleave(heads // kv_heads, dim=2)
        angles = level.position[:, None, None] * self._base.model.rotary_emb.inv_freq
        rotations = torch.polar(torch.ones_like(angles), angles)
        queries = torch.zeros(prompts * most, heads, size)
        hidden = self._words[level.tokens]
        for layer, kept in zip(self._layers, self._kept, strict=True):
            joint = layer.qkv.times(self._normed(hidden)).view(-1, heads + 2 * kv_heads, size)
            scaled = self._normed(joint[:, : heads + kv_heads]) * layer.scales
            pairs = torch.view_as_complex(scaled.view(*scaled.shape[:2], size // 2, 2))
            rotated = torch.view_as_real(pairs * rotations).flatten(2)
            keys, values = kept.flatten(1, 2)
            keys.index_copy_(0, key_at, rotated[:, heads:])
            values.index_copy_(0, key_at, joint[:, heads + kv_heads :])
            queries.index_copy_(0, query_at, rotated[:, :heads])
            seen_keys, seen_values = kept[:, :, :width]
            attended = _attend(queries.view(prompts, most, heads, size), seen_keys, seen_values, mask)
            hidden = layer.out.times_plus(attended[query_at], hidden)
            normed = self._normed(hidden)
            hidden = layer.down.times_plus(layer.up.times_by(normed, layer.gate.times_swish(normed)), hidden)
        return hidden

    def _normed(self, rows: torch.Tensor) -> torch.Tensor:
        """Return vectors at a length of 1, or a little below for the norm's epsilon."""
        lengths: torch.Tensor = torch.linalg.vector_norm(rows, dim=-1, keepdim=True)
        return rows / lengths.hypot_(self._least[rows.shape[-1]])

    def _logits(self, hidden: torch.Tensor) -> torch.Tensor:
        return self._head.times(self._normed(hidden))

    def _follow(self) -> None:
        """Lay out the weights anew where they are not those of the last time."""
        state, norms = _state(self._base)
        if self._state is not None and state == self._state[0] and torch.equal(norms, self._state[1]):
            return
        self._state = state, norms
        self._prefixes.clear()
        model = self._base.model
        self._layers = [_layer(block, self._heads, self._kv_heads, self._head_dim) for block in model.layers]
        self._words = model.embed_tokens.weight.detach()
        self._head = Matrix(_weight(self._base.lm_head) * _of_norm(model.norm))


def _layer(block: Any, heads: int, kv_heads: int, size: int) -> _Layer:
    """Lay out the weights of a block."""
    attention, mlp = block.self_attn, block.mlp
    # Two numbers that a rotation mixes stand beside each other, so that it is one product of complex numbers.
    order = torch.arange(size).view(2, -1).t().flatten()

    def ordered(projection: Any) -> torch.Tensor:
        return _weight(projection).view(-1, size, attention.q_proj.in_features)[:, order].flatten(0, 1)

    qkv = torch.cat([ordered(attention.q_proj), ordered(attention.k_proj), _weight(attention.v_proj)])
    # The scale of attention goes into the queries.
    scales = [
        (_of_norm(attention.q_norm) * size**-0.5).expand(heads, -1),
        _of_norm(attention.k_norm).expand(kv_heads, -1),
    ]
    inner = _of_norm(block.post_attention_layernorm)
    return _Layer(
        qkv=Matrix(qkv * _of_norm(block.input_layernorm)),
        scales=torch.cat(scales)[:, order],
        out=Matrix(_weight(attention.o_proj)),
        gate=Matrix(_weight(mlp.gate_proj) * inner),
        up=Matrix(_weight(mlp.up_proj) * inner),
        down=Matrix(_weight(mlp.down_proj)),
    )


def _attend(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Return what queries ``[prompts, most, heads, head_dim]`` gather, ``[prompts * most, heads * head_dim]``."""
    prompts, most, heads, size = queries.shape
    kv_heads = keys.shape[2]
    # Queries that share a key stand beside those of the prompt's other tokens.
    grouped = queries.view(prompts, most, kv_heads, heads // kv_heads, size).transpose(1, 2)
    gathered = functional.scaled_dot_product_attention(
        grouped.flatten(2, 3), keys.transpose(1, 2), values.transpose(1, 2), attn_mask=mask, scale=1.0
    )
    return gathered.reshape(grouped.shape).transpose(1, 2).reshape(prompts * most, heads * size)


def _turns(prompt_of: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Return the number of each token among those of its prompt, where they stand prompt by prompt."""
    return torch.arange(len(prompt_of)) - (counts.cumsum(0) - counts)[prompt_of]


def _seeing(last: torch.Tensor, width: int) -> torch.Tensor:
    """Return 0 for each of ``width`` places up to the last one that is seen, and -inf behind it, a row for each."""
    return torch.zeros(len(last), width).masked_fill_(torch.arange(width) > last[:, None], -torch.inf)


def _projections(base: Any) -> Iterator[Any]:
    """Yield all modules with a matrix that is multiplied with."""
    yield base.lm_head
    for block in base.model.layers:
        attention, mlp = block.self_attn, block.mlp
        yield from (attention.q_proj, attention.k_proj, attention.v_proj, attention.o_proj)
        yield from (mlp.gate_proj, mlp.up_proj, mlp.down_proj)


def _is_lora(module: Any) -> bool:
    """Check whether a projection is peft's, which this room does not import: a plain sum of weights and adapters."""
    kind = type(module)
    return (kind.__module__, kind.__name__) == ("peft.tuners.lora.layer", "Linear") and not (
        module.lora_variant or any(module.lora_bias.values())
    )


def _is_plain(module: Any) -> bool:
    plain = module.get_base_layer() if _is_lora(module) else module
    return type(plain) in PLAIN_LAYERS and plain.bias is None


def _weight(module: Any) -> torch.Tensor:
    """Return the matrix of a projection, active adapters included."""
    plain = module.get_base_layer() if _is_lora(module) else module
    weight: torch.Tensor = plain.weight.detach()
    if plain is module or module.merged or module.disable_adapters:
        return weight
    active = [adapter for adapter in module.active_adapters if adapter in module.lora_A]
    for adapter in active:
        weight = weight + module.get_delta_weight(adapter).detach()
    return weight


def _of_norm(norm: Any) -> torch.Tensor:
    """Return what vectors of length 1 are multiplied with after a norm."""
    weight: torch.Tensor = norm.weight.detach()
    return weight * math.sqrt(len(weight))


def _state(base: Any) -> tuple[Any, torch.Tensor]:
    """Return what changes whenever the weights do: where they lie, how often each was written to, and their norms,
    since not all writing is counted."""
    parameters = list(base.parameters())
    adapters = [
        (module.merged, module.disable_adapters, tuple(module.active_adapters))
        for module in _projections(base)
        if _is_lora(module)
    ]
    written = [(parameter.data_ptr(), parameter._version) for parameter in parameters]
    return (written, adapters), torch.stack(torch._foreach_norm([parameter.detach() for parameter in parameters]))
