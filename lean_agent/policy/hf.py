"""A HuggingFace causal language model as a policy.

Owns sampling and the log-probabilities of what was sampled. Knows no Lean and no training; prompts come from
:mod:`lean_agent.prompts`, models from :mod:`lean_agent.policy.loading`.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Self, cast

import torch
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase
from typing_extensions import override

from lean_agent.errors import ConfigError, PolicyError
from lean_agent.policy.base import Completion, ModelPolicy, Sampling, Suggestion
from lean_agent.policy.closers.schemes import filled
from lean_agent.policy.decoding import Reader, cut, end_ids, reader_of, sample
from lean_agent.policy.loading import identity_with_weights, load_causal_lm
from lean_agent.policy.model_files import recorded_help
from lean_agent.policy.threads import fitting_threads
from lean_agent.prompts import TEMPLATE_SETTINGS, Message, without_help


class HFPolicy(ModelPolicy):
    """A causal language model that proposes tactics.

    Args:
        model: a folder (LoRA adapters too), a name on the HuggingFace hub, or a model that is loaded already.
        tokenizer: only with a loaded model.
        sampling: how candidates are drawn.
        device: where a model given by name goes; by default the first GPU, or the CPU when there is none.
        max_rows: answers that are sampled in one batch; lower it for a large model in little memory.

    Attributes:
        tokens_generated: tokens generated since the start, those of dropped candidates included.

    Raises:
        ModelNotFound: no causal language model at that name or path.
    """

    def __init__(
        self,
        model: str | Path | PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | None = None,
        *,
        sampling: Sampling | None = None,
        device: str | torch.device | None = None,
        max_rows: int = 256,
    ) -> None:
        if isinstance(model, (str, Path)):
            self._model, self._tokenizer = load_causal_lm(model, device=device)
        elif tokenizer is None:
            raise ConfigError("A model that is loaded already needs its tokenizer beside it.")
        else:
            self._model, self._tokenizer = model, tokenizer
        self.sampling = sampling or Sampling()
        self.max_rows = max_rows
        self.tokens_generated = 0
        self._calls = 0
        self._reader: Reader | None = None  # what it has read serves the next calls, too
        self._is_filled = isinstance(model, (str, Path)) and recorded_help(model).filled
        self._turn = Lock()  # the model is in one mode at a time, whoever asks

    @property
    def samples(self) -> bool:
        """See :attr:`lean_agent.policy.base.Policy.samples`."""
        return self.sampling.method == "sample"

    @override
    def suggest(self, goals: Sequence[str], k: int) -> list[list[Suggestion]]:
        """Propose tactics, as :meth:`Policy.suggest`. A model that has learnt schemes sees goals alone; what is shown
        above them fills its schemes in."""
        if not self._is_filled:
            return super().suggest(goals, k)
        answers = super().suggest(list(map(without_help, goals)), k)
        return [filled(answer, goal) for answer, goal in zip(answers, goals, strict=True)]

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`. All weights are read for it."""
        return identity_with_weights(self._model, repr((self.sampling, self._tokenizer.chat_template)))

    def with_seed(self, seed: int) -> Self:
        """Return a copy that draws with another seed; the weights are shared."""
        other = copy.copy(self)
        other.sampling = replace(self.sampling, seed=seed)
        other.tokens_generated = other._calls = 0
        return other

    def _answer(
        self, conversations: Sequence[list[Message]], k: int, max_tokens: int, seed: int | None
    ) -> list[list[Completion]]:
        """Answer conversations of like length together."""
        answers: list[list[Completion]] = [[] for _ in conversations]
        if k < 1:
            return answers
        by_length = sorted(range(len(answers)), key=lambda index: sum(len(m["content"]) for m in conversations[index]))
        at_once = max(1, self.max_rows // k)
        for start in range(0, len(answers), at_once):
            indices = by_length[start : start + at_once]
            batch_seed = self.sampling.seed + self._calls if seed is None else seed + start
            self._calls += 1
            with self._turn, fitting_threads(self._model):
                batch = self._complete([conversations[index] for index in indices], k, max_tokens, batch_seed)
            for index, drawn in zip(indices, batch, strict=True):
                answers[index] = drawn
        return answers

    def _complete(
        self, batch: Sequence[Sequence[Message]], k: int, max_tokens: int, seed: int
    ) -> list[list[Completion]]:
        """Answer one batch."""
        rows, logprobs = self._generate(batch, k, max_tokens, seed)
        ids, has_end = cut(rows, self._end_ids())
        self.tokens_generated += sum(map(len, ids))
        texts = self._tokenizer.batch_decode(ids, skip_special_tokens=True)
        answers = [
            Completion(text, logprob, len(tokens), finished, tuple(tokens))
            for text, logprob, tokens, finished in zip(texts, logprobs.tolist(), ids, has_end, strict=True)
        ]
        return [answers[i * k : (i + 1) * k] for i in range(len(batch))]

    def _generate(
        self, batch: Sequence[Sequence[Message]], k: int, max_tokens: int, seed: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Answer tokens ``[rows, T]``, padded after their end, and log-probabilities ``[rows]``; ``k`` rows each."""
        prompts = self._encode(batch)
        was_training = self._model.training
        self._model.train(False)
        try:
            if self.sampling.method == "beam":
                return self._beams(prompts, k, max_tokens)
            return self._samples(prompts, k, max_tokens, seed)
        except torch.OutOfMemoryError as error:
            raise PolicyError(
                f"Out of GPU memory with {len(batch)} goals and {k} candidates each: lower max_rows."
            ) from error
        finally:
            self._model.train(was_training)

    def _samples(
        self, prompts: list[list[int]], k: int, max_tokens: int, seed: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        generator = torch.Generator(self._model.device).manual_seed(seed)
        self._reader = self._reader or reader_of(self._model)
        answers = sample(
            self._reader,
            prompts,
            k,
            max_new_tokens=max_tokens,
            end_ids=self._end_ids(),
            pad_id=cast(int, self._tokenizer.pad_token_id),
            temperatures=self.sampling.temperatures(k),
            top_p=self.sampling.top_p,
            generator=generator,
        )
        return answers.tokens, answers.logprobs

    def _beams(self, prompts: list[list[int]], k: int, max_tokens: int) -> tuple[torch.Tensor, torch.Tensor]:
        """One beam alone has no score of its own, so that there are two at least."""
        generate: Any = self._model.generate
        encoding: Any = self._tokenizer.pad({"input_ids": prompts}, padding_side="left", return_tensors="pt")
        inputs = {name: encoding[name].to(self._model.device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            output: Any = generate(**inputs, generation_config=self._beam_config(k, max_tokens))
        # With length_penalty 0 the score of a beam is the plain sum of its log-probabilities.
        return output.sequences[:, inputs["input_ids"].shape[1] :], output.sequences_scores

    def _encode(self, batch: Sequence[Sequence[Message]]) -> list[list[int]]:
        """Return the token ids of each prompt."""
        encoding: Any = self._tokenizer.apply_chat_template(
            [list(conversation) for conversation in batch],
            add_generation_prompt=True,
            tokenize=True,
            return_dict=True,
            **TEMPLATE_SETTINGS,
        )
        ids: list[list[int]] = encoding["input_ids"]
        return ids

    def _beam_config(self, k: int, max_tokens: int) -> GenerationConfig:
        """All settings that matter are named, since ``generate`` fills the others from the model's own folder."""
        return GenerationConfig(  # type: ignore[no-untyped-call]
            do_sample=False,
            num_beams=max(k, 2),
            num_return_sequences=k,
            max_new_tokens=max_tokens,
            length_penalty=0.0,
            early_stopping=False,
            repetition_penalty=1.0,
            pad_token_id=self._tokenizer.pad_token_id,
            eos_token_id=self._end_ids(),
            return_dict_in_generate=True,
            output_scores=True,
        )

    def _end_ids(self) -> list[int]:
        return end_ids(self._model, self._tokenizer)
