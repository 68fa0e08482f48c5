"""Prompts with scored completions, from a JSONL file to batches ``[B, K, T]``.

One line is ``{"prompt": "…", "completions": [{"text": "…", "score": 3.2}, …]}``, or a pair of a better and a worse
completion, ``{"prompt": "…", "chosen": "…", "rejected": "…"}``, which score 1 and 0. Such objects may also go over
several lines, or stand in an array.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch.utils.data import Dataset
from transformers import PreTrainedTokenizerBase

from lean_agent.errors import TrainingError, words_of
from lean_agent.prompts import TEMPLATE_SETTINGS, prompt_messages
from lean_agent.trainer.data.renaming import renamed

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScoredGroup:
    """A prompt and what it was answered with.

    Attributes:
        prompt: as it stands in the file.
        texts, scores: of each completion, at least two.
    """

    prompt: str
    texts: tuple[str, ...]
    scores: tuple[float, ...]


def in_other_names(group: ScoredGroup, random: Random) -> ScoredGroup:
    """Return the group with other names for what is local to its goal and completions."""
    goal, texts = renamed(group.prompt, group.texts, random)
    return replace(group, prompt=goal, texts=texts)


def read_groups(path: str | Path) -> tuple[ScoredGroup, ...]:
    """Read the groups of a file.

    Completions with an empty text or no score (``null``) are left out, and so are groups of which fewer than two are
    left.

    Raises:
        TrainingError: no such file, a line that does not read (it is named) or has something else than a text for a
            prompt or completion, or no group to learn from.
    """
    groups = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise TrainingError(f"The scored completions could not be read from {path}: {words_of(error)}.") from error
    for number, row in _rows(text, path):
        try:
            scored = [(_text(entry["text"], "a completion"), entry["score"]) for entry in _completions(row)]
            kept = [(text, float(score)) for text, score in scored if text and score is not None]
            prompt = _text(row["prompt"], "the prompt")
            group = ScoredGroup(prompt, tuple(text for text, _ in kept), tuple(score for _, score in kept))
        except (ValueError, KeyError, TypeError) as error:
            raise _unreadable(number, path, error) from error
        if not all(math.isfinite(score) for score in group.scores):
            raise TrainingError(f"Line {number} of {path} has a score that is no finite number.")
        if len(group.texts) > 1:
            groups.append(group)
    if not groups:
        raise TrainingError(f"{path} has no prompt with two scored completions, so there is nothing to compare.")
    return tuple(groups)


def _completions(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the scored completions of a row; those of a pair score 1 and 0."""
    if "chosen" in row:
        return [{"text": row["chosen"], "score": 1.0}, {"text": row["rejected"], "score": 0.0}]
    completions: list[dict[str, Any]] = row["completions"]
    return completions


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is {json.dumps(value, ensure_ascii=False)} and no text")
    return value


def _rows(text: str, path: str | Path) -> Iterator[tuple[int, Any]]:
    """Yield the objects of a file, of its arrays too, each with the line on which it, or its array, begins."""
    decoder, at, number = json.JSONDecoder(), 0, 1
    while rest := text[at:].lstrip():
        begin = len(text) - len(rest)
        number += text.count("\n", at, begin)
        try:
            value, at = decoder.raw_decode(text, begin)
        except ValueError as error:
            raise _unreadable(number, path, error) from error
        yield from ((number, row) for row in (value if isinstance(value, list) else [value]))
        number += text.count("\n", begin, at)


def _unreadable(number: int, path: str | Path, error: Exception) -> TrainingError:
    return TrainingError(
        f"Line {number} of {path} does not read ({type(error).__name__}: {error}). A line is "
        '{"prompt": "…", "completions": [{"text": "…", "score": 1.0}, …]} or '
        '{"prompt": "…", "chosen": "…", "rejected": "…"}.'
    )


class ScoredDataset(Dataset[dict[str, Any]]):
    """Groups as token ids.

    Prompts of a model with a chat template are taken for goals and written as in training and search
    (:func:`lean_agent.prompts.prompt_messages`); without one they stand as they are. A completion ends with the end
    token. What is longer than ``max_length`` tokens loses the beginning of its prompt; a completion that does not fit
    by itself loses its end.

    Args:
        groups: see :func:`read_groups`.
        max_length: tokens of prompt and completion together.

    Attributes:
        reference: of each group, of each completion, the log-probabilities of its tokens under a reference model;
            empty where there is none.
    """

    def __init__(self, groups: Sequence[ScoredGroup], tokenizer: PreTrainedTokenizerBase, max_length: int) -> None:
        self._groups = groups
        self._tokenizer = tokenizer
        self._max_length = max_length
        self.reference: list[list[list[float]]] = []

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return ``input_ids``, ``prompt_length``, ``scores``, and ``reference`` if there is one, of completions."""
        group = self._groups[index]
        prompt = self._prompt(group.prompt)
        rows, starts = [], []
        for text in group.texts:
            answer = [*self._ids(text), int(self._tokenizer.eos_token_id)][: self._max_length - 1]
            kept = prompt[-(self._max_length - len(answer)) :]
            rows.append(kept + answer)
            starts.append(len(kept))
        item = {"input_ids": rows, "prompt_length": starts, "scores": list(group.scores)}
        return {**item, "reference": self.reference[index]} if self.reference else item

    def _prompt(self, text: str) -> list[int]:
        if self._tokenizer.chat_template is not None:
            settings = {"add_generation_prompt": True, "tokenize": False, **TEMPLATE_SETTINGS}
            text = str(self._tokenizer.apply_chat_template(prompt_messages(text), **settings))
        return self._ids(text)

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids


def collate(rows: Sequence[dict[str, Any]], pad_id: int) -> dict[str, torch.Tensor]:
    """Make a batch of groups, padded to its largest group ``K`` and longest row ``T``.

    Returns:
        ``input_ids``, ``attention_mask`` (1 for a token) and ``completion_mask`` (1 for a token of a completion), each
        ``[B, K, T]``; ``scores`` ``[B, K]``, NaN where a group has fewer completions; and, where rows have one,
        ``reference`` ``[B, K, T − 1]``: the log-probability of the token that comes next, 0 outside of completions.
    """
    count = max(len(row["scores"]) for row in rows)
    length = max(len(ids) for row in rows for ids in row["input_ids"])
    shape = (len(rows), count, length)
    batch = {name: torch.zeros(shape, dtype=torch.long) for name in ("attention_mask", "completion_mask")}
    batch |= {"input_ids": torch.full(shape, pad_id), "scores": torch.full(shape[:2], math.nan)}
    for b, row in enumerate(rows):
        batch["scores"][b, : len(row["scores"])] = torch.tensor(row["scores"])
        for k, (ids, start) in enumerate(zip(row["input_ids"], row["prompt_length"], strict=True)):
            batch["input_ids"][b, k, : len(ids)] = torch.tensor(ids)
            batch["attention_mask"][b, k, : len(ids)] = 1
            batch["completion_mask"][b, k, start : len(ids)] = 1
    if "reference" in rows[0]:
        batch["reference"] = torch.zeros(len(rows), count, length - 1)
        for b, row in enumerate(rows):
            for k, (values, start) in enumerate(zip(row["reference"], row["prompt_length"], strict=True)):
                first = max(start - 1, 0)
                batch["reference"][b, k, first : first + len(values)] = torch.tensor(values)
    return batch
