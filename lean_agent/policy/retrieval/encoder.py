"""Premises ranked by an encoder: the mean of its last hidden states, compared by cosine (ReProver, arXiv 2306.15626).

Owns how texts become embeddings, for ranking and for training alike, and the embeddings of a corpus, which are computed
once for a model and kept in the user's cache folder, from where they are read block by block.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lean_agent.errors import ModelNotFound
from lean_agent.files import cache_dir
from lean_agent.policy.retrieval.corpus import Place, PremiseCorpus, text_of
from lean_agent.progress import ProgressBar

LONGEST_TEXT = 1024
"""Tokens of a goal or premise that are read."""
BLOCK = 16_384
"""Premises whose embeddings are in memory at a time while goals are compared with all."""
CARD = "retriever.json"
"""In the folder of a retriever that was trained here: what it is, and how much it finds."""


def load_encoder(model: str | Path) -> tuple[Any, Any]:
    """Load an encoder, or the encoder of a T5, and its tokenizer.

    Raises:
        ModelNotFound: no model there, or one that was trained with another tokenizer.
    """
    from transformers import AutoConfig, AutoModel, AutoModelForTextEncoding, AutoTokenizer

    from lean_agent.policy.loading import no_file_bars, tokenizer_identity

    try:
        with no_file_bars():
            config = AutoConfig.from_pretrained(str(model))
            kind: Any = AutoModelForTextEncoding if config.is_encoder_decoder else AutoModel
            tokenizer: Any = AutoTokenizer.from_pretrained(str(model))
            encoder: Any = kind.from_pretrained(str(model))
    except (OSError, ValueError) as error:
        raise ModelNotFound(f"There is no encoder at {model} ({str(error).splitlines()[0]}).") from error
    card = Path(model) / CARD
    meant = json.loads(card.read_text(encoding="utf-8")).get("tokenizer") if card.is_file() else None
    if (meant and meant != tokenizer_identity(tokenizer)) or len(tokenizer) > encoder.config.vocab_size:
        raise ModelNotFound(
            f"The retriever in {model} was trained with another tokenizer than the one beside it: put its own back, or "
            "train it again."
        )
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return encoder, tokenizer


def mean_states(encoder: Any, tokens: Any) -> Any:
    """Compute embeddings of length 1, ``[texts, D]``: the mean over the tokens whose mask is 1."""
    import torch

    inputs = {name: tokens[name] for name in ("input_ids", "attention_mask")}
    states = encoder(**inputs).last_hidden_state.float()
    mask = tokens["attention_mask"].unsqueeze(-1)
    return torch.nn.functional.normalize((states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1), dim=1)


class DenseRanker:
    """Cosine similarity of embeddings.

    Args:
        model: a folder in the format of HuggingFace, or a name on the hub: an encoder, or the encoder of a T5.
        batch_size: texts that are encoded at a time.

    Raises:
        ModelNotFound: no model there, or one that was trained with another tokenizer.
    """

    def __init__(
        self, corpus: PremiseCorpus, model: str | Path, *, batch_size: int = 32, progress: bool = True
    ) -> None:
        import torch

        from lean_agent.policy.loading import identity_with_weights, tokenizer_identity

        self._model, self._tokenizer = load_encoder(model)
        self._model.train(False).to("cuda" if torch.cuda.is_available() else "cpu")
        self._batch_size = batch_size
        self.identity = f"encoder {identity_with_weights(self._model, tokenizer_identity(self._tokenizer))[:16]}"
        self._premises = self._kept([text_of(document) for document in corpus.documents], progress)

    def scores(self, goals: Sequence[str], places: Sequence[Place] = ()) -> NDArray[np.float32]:
        """Score documents by cosine similarity, in [-1, 1]. Places make no difference."""
        queries = self._encode(goals)
        blocks = (self._premises[at : at + BLOCK] for at in range(0, len(self._premises), BLOCK))
        parts = [queries @ block.astype(np.float32).T for block in blocks]
        return np.concatenate(parts or [np.zeros((len(goals), 0), dtype=np.float32)], axis=1)

    def _kept(self, texts: Sequence[str], progress: bool) -> NDArray[np.float16]:
        """Return the embeddings of a corpus, from the cache folder where they are there, ``[documents, D]``."""
        key = hashlib.sha256("\0".join([self.identity, *texts]).encode()).hexdigest()[:32]
        path = cache_dir() / "embeddings" / f"{key}.npy"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                self._encode_to(beside, texts, progress)
                beside.replace(path)
            finally:
                beside.unlink(missing_ok=True)
        embeddings: NDArray[np.float16] = np.load(path, mmap_mode="r")
        return embeddings

    def _encode_to(self, path: Path, texts: Sequence[str], progress: bool) -> None:
        """Write embeddings to a file, ``[texts, D]``; texts of like length are encoded together."""
        shape = (len(texts), self._model.config.hidden_size)
        embeddings = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=shape)
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        with ProgressBar("Encoding premises", total=len(texts), enabled=progress and len(texts) > 1000) as bar:
            for at in range(0, len(order), self._batch_size):
                numbers = order[at : at + self._batch_size]
                embeddings[numbers] = self._encode([texts[number] for number in numbers])
                bar.advance(len(numbers))
        embeddings.flush()

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import torch

        embeddings = [np.zeros((0, self._model.config.hidden_size), dtype=np.float32)]
        for at in range(0, len(texts), self._batch_size):
            batch = list(texts[at : at + self._batch_size])
            tokens = self._tokenizer(batch, padding=True, truncation=True, max_length=LONGEST_TEXT, return_tensors="pt")
            with torch.inference_mode():
                embeddings.append(mean_states(self._model, tokens.to(self._model.device)).cpu().numpy())
        return np.concatenate(embeddings)
