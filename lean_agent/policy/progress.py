"""A model of how many steps a goal is from being proved, which searches rank states and tactics by.

It is a causal language model's trunk with a head over numbers of steps, saved as an ordinary folder of a sequence
classifier, with its own tokenizer. It reads the prompts that policies read (:mod:`lean_agent.prompts`), with or without
a tactic as the answer. Owns prompts, distributions over steps and their expectation, and what a folder has to say of
itself; knows no training and no search. After LeanProgress (arXiv 2502.17925) and the proof sizes of Polu et al.
(arXiv 2202.01344).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from lean_agent.errors import ConfigError, ModelNotFound, PolicyError
from lean_agent.policy.loading import identity_with_weights, no_file_bars, tokenizer_identity
from lean_agent.prompts import TEMPLATE_SETTINGS, prompt_messages

MOST_STEPS = 16
"""The last number of steps that is told from others: so many or more, or no proof at all."""
SETTING = "lean_agent_progress"
"""In the model's config.json: what it was trained with."""
_PROBE = "p : Prop\nh : p\n⊢ p"
_KEPT = 200_000  # answers


def expected_steps(logits: torch.Tensor) -> torch.Tensor:
    """Return the mean number of steps ``[B]`` under logits ``[B, MOST_STEPS]`` of 1, 2, … steps."""
    steps = torch.arange(1, MOST_STEPS + 1, dtype=torch.float32, device=logits.device)
    return torch.softmax(logits.float(), dim=-1) @ steps


def steps_loss(logits: torch.Tensor, steps: torch.Tensor, censored: torch.Tensor) -> torch.Tensor:
    """Return the mean negative log-likelihood of numbers of steps.

    A row that is known has ``-log p(steps)``; a censored one ``-log p(more than steps)``, the survival likelihood.

    Args:
        logits: ``[B, MOST_STEPS]``.
        steps: ``[B]``, above 0, or from 0 on where censored; above ``MOST_STEPS`` the last number counts.
        censored: ``[B]``, true where so many steps are known not to be enough.
    """
    logprobs = torch.log_softmax(logits.float(), dim=-1)
    numbers = torch.arange(1, MOST_STEPS + 1, device=logits.device)
    at_least = (steps + censored.long()).clamp(1, MOST_STEPS).unsqueeze(1)
    possible = torch.where(censored.bool().unsqueeze(1), numbers >= at_least, numbers == at_least)
    return -torch.logsumexp(logprobs.masked_fill(~possible, -torch.inf), dim=-1).mean()


def step_text(tokenizer: PreTrainedTokenizerBase, goal: str, tactic: str = "") -> str:
    """Return what the model reads: the prompt for a goal as a policy has it, and the tactic, with its end, if any."""
    prompt = tokenizer.apply_chat_template(
        prompt_messages(goal), tokenize=False, add_generation_prompt=True, **TEMPLATE_SETTINGS
    )
    return f"{prompt}{tactic}{tokenizer.eos_token if tactic else ''}"


def trained_with(tokenizer: PreTrainedTokenizerBase) -> dict[str, Any]:
    """Return what a model's folder has to say of the tokenizer and the prompt that it was trained with."""
    prompt = hashlib.sha256(step_text(tokenizer, _PROBE, "exact h").encode()).hexdigest()[:16]
    return {"tokenizer": tokenizer_identity(tokenizer), "prompt": prompt, "steps": MOST_STEPS}


def load_progress_model(folder: str | Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load a model that ``ProgressTrainer`` has saved, and its tokenizer; on the first GPU, or the CPU without one.

    Raises:
        ConfigError: it was trained with another tokenizer than the one beside it, or on another prompt.
        ModelNotFound: no such model there.
    """
    try:
        with no_file_bars():
            config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
            model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(str(folder))
            tokenizer = AutoTokenizer.from_pretrained(str(folder))
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise ModelNotFound(
            f"{folder} holds no value model ({str(error).strip().splitlines()[0]}): give the folder that "
            "`lean-agent train --kind progress` has written."
        ) from error
    if SETTING not in config:
        raise ModelNotFound(
            f"{folder} holds a model, but no value model: `lean-agent train --kind progress --model {folder}` makes "
            "one of it, in another folder."
        )
    recorded, here = config[SETTING], trained_with(tokenizer)
    for what, name in (("with another tokenizer than the one beside it", "tokenizer"), ("on another prompt", "prompt")):
        if recorded.get(name) != here[name]:
            raise ConfigError(f"The value model in {folder} was trained {what}: train it anew with this version.")
    torch.nn.Module.to(model, "cuda" if torch.cuda.is_available() else "cpu")
    return model, tokenizer


class ProgressModel:
    """Says how far states are from being proved.

    Args:
        model: the folder that ``ProgressTrainer`` has written, or a model that is loaded already.
        tokenizer: only with a loaded model.
        max_rows: texts that are read in one batch.

    Raises:
        ConfigError: it was trained with another tokenizer or on another prompt, or it does not answer with numbers.
        ModelNotFound: no value model there.
    """

    def __init__(
        self,
        model: str | Path | PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase | None = None,
        *,
        max_rows: int = 64,
    ) -> None:
        if isinstance(model, (str, Path)):
            self._model, self._tokenizer = load_progress_model(model)
        elif tokenizer is None:
            raise ConfigError("A model that is loaded already needs its tokenizer beside it.")
        else:
            self._model, self._tokenizer = model, tokenizer
        self._model.train(False)
        self._max_rows = max_rows
        self._known: dict[tuple[str, str], float] = {}
        try:
            self.values([_PROBE])
        except PolicyError as error:
            raise ConfigError(f"{error} Take another value model, or leave it out.") from error

    @property
    def identity(self) -> str:
        """A digest of the weights, the tokenizer and the prompt; all weights are read for it."""
        return identity_with_weights(self._model, json.dumps(trained_with(self._tokenizer)))

    def values(self, goals: Sequence[str]) -> list[float]:
        """Return minus the expected number of steps that each state is from being proved, summed over its goals.

        Args:
            goals: states as Lean prints them, with an empty line between goals.

        Raises:
            PolicyError: the model answers with something that is no number.
        """
        parts = [[goal for goal in state.split("\n\n") if goal.strip()] for state in goals]
        steps = iter(self._steps([(goal, "") for of_state in parts for goal in of_state]))
        return [-math.fsum(next(steps) for _ in of_state) for of_state in parts]

    def step_values(self, steps: Sequence[tuple[str, str]]) -> list[float]:
        """Return minus the expected number of steps that each goal is from being proved when a tactic comes first.

        Args:
            steps: (main goal as Lean prints it, tactic); the tactic counts as a step.

        Raises:
            PolicyError: as :meth:`values`.
        """
        return [-number for number in self._steps(steps)]

    def _steps(self, asked: Sequence[tuple[str, str]]) -> list[float]:
        """Return the expected steps of each (goal, tactic), those of like length in one batch."""
        if len(self._known) > _KEPT:
            self._known.clear()
        new = sorted({*asked} - self._known.keys(), key=lambda step: len(step[0]) + len(step[1]))
        for start in range(0, len(new), self._max_rows):
            batch = new[start : start + self._max_rows]
            texts = [step_text(self._tokenizer, goal, tactic) for goal, tactic in batch]
            encoding: Any = self._tokenizer(texts, add_special_tokens=False, padding=True, return_tensors="pt")
            inputs = {name: encoding[name].to(self._model.device) for name in ("input_ids", "attention_mask")}
            with torch.inference_mode():
                numbers = expected_steps(self._model(**inputs).logits).tolist()
            if not all(map(math.isfinite, numbers)):
                raise PolicyError("The value model answers with something that is no number (NaN).")
            self._known |= zip(batch, numbers, strict=True)
        return [self._known[step] for step in asked]
