"""A model on a GPU, read a token at a time without Python between its kernels.

transformers starts some hundred kernels for a token, one by one: with half a billion parameters these take 3 ms of the
GPU, and starting them several times as long. Here what is started for a number of rows and a width of the cache is
recorded once (a CUDA graph), and started as a whole from then on. Rows and widths go up in steps, so that few are
recorded; keys and values of all of them lie in one memory, one after the other. Prompts are read as
:class:`~lean_agent.policy.decoding.readers.ModelReader` reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transformers import PreTrainedModel, StaticCache
from typing_extensions import override

from lean_agent.policy.decoding.readers import ModelReader, Reader, base_of

KINDS = frozenset({"LlamaForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM"})
"""Models whose blocks all attend to everything before, as these lines assume."""
MOST_BYTES = 8 * 2**30
"""Of keys and values: where there would be more, a model is read as it is."""
_FEWEST_ROWS, _WIDTH = 8, 64


def is_recordable(model: PreTrainedModel) -> bool:
    """Check whether :class:`GraphReader` reads a model: of one of :data:`KINDS`, on a GPU, without adapters, which are
    switched on and off, without windows, and with weights that are computed with as they are. Of float32 weights,
    which are cast, values come out in bfloat16 and keys in float32."""
    base = base_of(model)
    config: Any = base.config
    return (
        model.device.type == "cuda"
        and model.dtype != torch.float32
        and base is model
        and type(base).__name__ in KINDS
        and set(getattr(config, "layer_types", None) or ["full_attention"]) == {"full_attention"}
        and not getattr(base, "is_quantized", False)
    )


class _Slots:
    """What a token is read with for a number of rows and a width of the cache; each tensor keeps its place.

    Attributes:
        tokens: the token of each row, ``[rows, 1]``.
        position: its place in the text, ``[rows, 1]``.
        sees: which places of the cache a row attends to, ``[rows, 1, 1, width]``.
        cache: keys and values, of which ``[rows, kv_heads, width, head_dim]`` each.
    """

    def __init__(self, model: Any, rows: int, width: int, memory: torch.Tensor) -> None:
        device = model.device
        self.rows, self.width = rows, width
        self.tokens = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self.position = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self.sees = torch.zeros(rows, 1, 1, width, dtype=torch.bool, device=device)
        self.cache: Any = StaticCache(config=model.config, max_cache_len=width)
        heads, size = _kv_shape(model)
        layers: list[Any] = list(self.cache.layers)
        for number, layer in enumerate(layers):
            empty = torch.empty(0, heads, 0, size, dtype=memory.dtype, device=device)
            layer.lazy_initialization(empty, empty)
            shape = (2, rows, heads, width, size)
            layer.keys, layer.values = memory[number, : 2 * rows * heads * width * size].view(shape).unbind(0)
        self._model = model
        self._graph: Any = None
        self._logits = torch.empty(0)

    def use(self, used: int) -> None:
        """Go on at the place ``used`` of the cache."""
        for layer in self.cache.layers:
            layer.cumulative_length.fill_(used)

    def read(self, used: int, pool: Any) -> torch.Tensor:
        """Read the tokens, whose keys and values go to the place ``used``; return logits ``[rows, words]``, float32."""
        self.use(used)
        if self.tokens.device.type != "cuda":
            return self._forward()
        if self._graph is None:
            self._record(used, pool)
        self._graph.replay()
        return self._logits.clone()

    def _record(self, used: int, pool: Any) -> None:
        """Record what the forward pass starts, after two passes that make what is only made once."""
        aside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(2):
                self.use(used)
                self._forward()
            self.use(used)
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool, capture_error_mode="thread_local"):
            self._logits = self._forward()
        self._graph = graph

    def _forward(self) -> torch.Tensor:
        output = self._model(
            input_ids=self.tokens,
            attention_mask=self.sees,
            position_ids=self.position,
            past_key_values=self.cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: torch.Tensor = output.logits[:, -1].float()
        return logits


class GraphReader(Reader):
    """Reads with a model that :func:`is_recordable`, and follows changes of its weights."""

    def __init__(self, model: PreTrainedModel, *, most_bytes: int = MOST_BYTES) -> None:
        self._model: Any = model
        self._most_bytes = most_bytes
        self._prompts = ModelReader(model)
        self._slots: dict[tuple[int, int], _Slots] = {}
        self._now: _Slots | None = None
        self._is_plain = False  # the prompts are many or long, and are read on as they are
        self._used = 0  # places of the cache
        self._memory = torch.empty(0)
        self._weights: list[int] = []
        self._pool: Any = None

    @override
    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        places = [weights.data_ptr() for weights in self._model.parameters()]
        if places != self._weights:
            self._weights = places
            self._forget()
        self._now, self._is_plain = None, False
        return self._prompts.start(prompts)

    @override
    @torch.no_grad()
    def step(self, parents: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        slots = None if self._is_plain else self._placed(parents)
        if slots is None:
            self._is_plain = True
            return self._prompts.step(parents, tokens)
        count = len(tokens)
        slots.tokens[:count, 0] = tokens
        slots.position[:count] += 1
        slots.sees[:, :, :, self._used] = True
        logits = slots.read(self._used, self._pool)
        self._used += 1
        return logits[:count]

    def _placed(self, parents: torch.Tensor) -> _Slots | None:
        """Bring what is known of the parents to the rows of their children; return what these are read with, or nothing
        where it would be too much."""
        now, count = self._now, len(parents)
        if now is not None and self._used < now.width and now.rows // 8 < count <= now.rows:
            self._take(now, now, parents)
            return now
        used = self._used if now is not None else self._prompts.mask.shape[1]
        rows, width = max(_FEWEST_ROWS, 1 << (count - 1).bit_length()), -(-(used + 1) // _WIDTH) * _WIDTH
        wider = width + (_WIDTH if width - used < _WIDTH // 2 else 0)
        made = self._made(rows, wider, parents, used)
        if made is not None:
            self._now, self._used = made, used
        return made

    def _made(self, rows: int, width: int, parents: torch.Tensor, used: int) -> _Slots | None:
        heads, size = _kv_shape(self._model)
        numbers, layers = 2 * rows * heads * width * size, self._model.config.num_hidden_layers
        before, self._used = self._now, used
        dtype = self._prompts.cache.layers[0].keys.dtype
        if self._memory.numel() == 0 or numbers > self._memory.shape[1] or dtype != self._memory.dtype:
            if numbers * layers * dtype.itemsize > self._most_bytes and before is None:
                return None
            self._forget()
            self._memory = torch.zeros(layers, numbers, dtype=dtype, device=self._model.device)
        if (rows, width) not in self._slots:
            self._slots[rows, width] = _Slots(self._model, rows, width, self._memory)
        made = self._slots[rows, width]
        self._take(before, made, parents)
        return made

    def _take(self, source: _Slots | None, target: _Slots, parents: torch.Tensor) -> None:
        """Copy keys, values, masks and positions of some rows, into other slots or within them."""
        count, used = len(parents), self._used
        cache = self._prompts.cache if source is None else source.cache
        taken = [(layer.keys[parents, :, :used], layer.values[parents, :, :used]) for layer in cache.layers]
        if source is None:
            sees, position = self._prompts.mask[parents].bool(), self._prompts.position[parents, -1:]
        else:
            sees, position = source.sees[parents, 0, 0, :used], source.position[parents]
        for layer, (keys, values) in zip(target.cache.layers, taken, strict=True):
            layer.keys[:count, :, :used] = keys
            layer.values[:count, :, :used] = values
        target.sees[:count] = False
        target.sees[:count, 0, 0, :used] = sees
        target.position[:count] = position

    def _forget(self) -> None:
        """Let go of all that was recorded, and of its memory; what is being read stays with its own."""
        self._slots = {}
        self._pool = torch.cuda.graph_pool_handle() if self._model.device.type == "cuda" else None


def _kv_shape(model: Any) -> tuple[int, int]:
    """Return how many heads have keys and values, and the size of each."""
    config = model.config
    size = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    return config.num_key_value_heads, size
