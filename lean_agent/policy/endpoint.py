"""Language models behind an OpenAI-compatible endpoint, as policies.

Owns the connection: retries, timeouts, rate limits, how many requests are under way. Knows no Lean and no training;
prompts come from :mod:`lean_agent.prompts`, so that a model is asked the same as when it is in this process.

:class:`InferenceClient` speaks to any endpoint; :class:`VLLMClient` to a vLLM server, which also tells the tokens that
it sampled and takes new weights while it runs.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast
from uuid import uuid4

import httpx
import openai
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from openai.types.chat.chat_completion import Choice
from pyrate_limiter import Duration, Limiter, Rate

from lean_agent.errors import ConfigError, PolicyError
from lean_agent.forks import Owner
from lean_agent.policy.base import ADAPTER_CONFIG, Completion, ModelPolicy, Sampling
from lean_agent.prompts import TEMPLATE_SETTINGS, Message

UPDATE_TIMEOUT_S = 300.0


class InferenceClient(ModelPolicy):
    """A policy over ``/v1/chat/completions``.

    Failed requests (no connection, 408, 409, 429, 5xx) are tried again with exponential back-off and jitter, and a
    ``Retry-After`` of the server is heeded. An endpoint that tells no log-probabilities is taken at its word: an answer
    counts as often as it was given.

    Args:
        base_url: up to and with ``/v1``.
        model: as the endpoint names it; by default the first that it lists.
        api_key: by default ``OPENAI_API_KEY`` of the environment, where it is set.
        sampling: how answers are drawn; ``beam`` is not to be had.
        timeout_s: wall-clock seconds of one request, connecting included.
        max_retries: how often a failed request is tried again.
        concurrency: requests under way at a time.
        requests_per_minute: the endpoint's rate limit; ``None`` for none.

    Attributes:
        tokens_generated: tokens that were paid for since the start.

    Raises:
        ConfigError: a setting that cannot work.
    """

    samples = True
    _extra: dict[str, Any] = {}  # noqa: RUF012  # what a kind of server takes beyond OpenAI's parameters

    def __init__(
        self,
        base_url: str = "http://localhost:8000/v1",
        model: str | None = None,
        *,
        api_key: str | None = None,
        sampling: Sampling | None = None,
        timeout_s: float = 120.0,
        max_retries: int = 5,
        concurrency: int = 32,
        requests_per_minute: int | None = None,
    ) -> None:
        self.sampling = sampling or Sampling()
        if self.sampling.method != "sample":
            raise ConfigError("An endpoint draws samples; for a beam search load the model in this process.")
        if (
            concurrency < 1
            or timeout_s <= 0
            or max_retries < 0
            or (requests_per_minute is not None and requests_per_minute < 1)
        ):
            raise ConfigError(
                "concurrency and requests_per_minute must be at least 1, timeout_s above 0 and max_retries at least 0."
            )
        self.base_url = base_url.rstrip("/")
        self.tokens_generated = 0
        self._model = model
        self._calls = 0
        # The library insists on a key, also where the server wants none.
        self._client = openai.OpenAI(
            base_url=self.base_url,
            api_key=api_key or os.environ.get("OPENAI_API_KEY") or "none",
            timeout=timeout_s,
            max_retries=max_retries,
        )
        self._owner = Owner("inference client", PolicyError)
        self._workers = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="inference")
        self._limiter = Limiter(Rate(requests_per_minute, Duration.MINUTE)) if requests_per_minute else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def model(self) -> str:
        """The model that is asked.

        Raises:
            PolicyError: none was named, and the endpoint lists none.
        """
        if self._model is None:
            listed = self._ask(lambda: [model.id for model in self._client.models.list().data])
            if not listed:
                raise PolicyError(f"{self.base_url} serves no model; start the server with one.")
            self._model = listed[0]
        return self._model

    @property
    def identity(self) -> str:
        """See :attr:`lean_agent.policy.base.Identified.identity`; which weights bear the name, the endpoint knows."""
        return repr((self.base_url, self.model, self.sampling))

    def _answer(
        self, conversations: Sequence[list[Message]], k: int, max_tokens: int, seed: int | None
    ) -> list[list[Completion]]:
        """Send a request for each conversation, many at a time."""
        if k < 1 or not conversations:
            return [[] for _ in conversations]
        self._owner.check()
        model = self.model
        first = self.sampling.seed + self._calls if seed is None else seed
        self._calls += len(conversations)
        shares = Counter(self.sampling.temperatures(k))
        requests = []
        for i, messages in enumerate(conversations):
            request = partial(self._request, model=model, messages=messages, max_tokens=max_tokens)
            requests.append(
                [
                    self._workers.submit(self._complete, partial(request, temperature=temperature), count, first + i)
                    for temperature, count in shares.items()
                ]
            )
        try:
            answers = [[answer for part in parts for answer in part.result()] for parts in requests]
        finally:
            for part in chain.from_iterable(requests):
                part.cancel()
        self.tokens_generated += sum(answer.tokens for group in answers for answer in group)
        return answers

    def close(self) -> None:
        """End the connections. Idempotent; in a forked child nothing happens: they are the parent's."""
        if not self._owner.is_here:
            return
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._client.close()

    def _complete(self, request: Callable[[int, int], ChatCompletion], k: int, seed: int) -> list[Completion]:
        """``k`` answers to one prompt; servers that give one answer a request are asked as often as it takes."""
        choices: list[Choice] = []
        tokens = 0
        while len(choices) < k:
            answer = self._ask(partial(request, k - len(choices), seed + len(choices)))
            if not answer.choices:
                raise PolicyError(f"{self.base_url} answered without an answer (model {self._model}).")
            choices += answer.choices[: k - len(choices)]
            tokens += answer.usage.completion_tokens if answer.usage else 0
        times = Counter(choice.message.content for choice in choices)
        return [_completion(choice, times[choice.message.content] / k, tokens // k) for choice in choices]

    def _request(
        self, k: int, seed: int, *, model: str, messages: list[Message], max_tokens: int, temperature: float
    ) -> ChatCompletion:
        if self._limiter is not None:
            self._limiter.try_acquire("request")
        return self._client.chat.completions.create(
            model=model,
            messages=cast("list[ChatCompletionMessageParam]", messages),
            n=k,
            temperature=temperature,
            top_p=self.sampling.top_p,
            max_tokens=max_tokens,
            logprobs=True,
            seed=seed % 2**31,
            extra_body=self._extra,
        )

    def _ask(self, request: Any) -> Any:
        """Do a request; what goes wrong for good is told in the words of this package.

        Raises:
            PolicyError: the endpoint could not be reached, or refused.
        """
        try:
            return request()
        except openai.APITimeoutError as error:
            raise PolicyError(
                f"{self.base_url} did not answer in time. Raise timeout_s, or lower concurrency if it is overloaded."
            ) from error
        except openai.APIConnectionError as error:
            raise PolicyError(
                f"Nothing answers at {self.base_url} ({error.__cause__ or error}). Start the server, or name another "
                "address (for vLLM: python -m vllm.entrypoints.openai.api_server --model MODEL --port 8000)."
            ) from error
        except openai.APIStatusError as error:
            raise PolicyError(
                f"{self.base_url} refused a request for model {self._model!r}: HTTP {error.status_code}, "
                f"{_words(error)}"
            ) from error
        except openai.APIError as error:
            raise PolicyError(f"{self.base_url} gave an answer that cannot be read: {error}") from error


class VLLMClient(InferenceClient):
    """A policy over a vLLM server: answers with the tokens that were sampled, and weights that follow a training.

    For adapters, start the server with ``--enable-lora`` and ``VLLM_ALLOW_RUNTIME_LORA_UPDATING=True``; for whole
    models with ``VLLM_SERVER_DEV_MODE=1``. Either way the server must see the folder under the same path. Both open the
    server to whoever reaches its port (vLLM asks for its key below ``/v1`` alone, and takes whole models beside it):
    keep it on a loopback or private address.
    """

    _extra = {"return_token_ids": True, "chat_template_kwargs": TEMPLATE_SETTINGS}  # noqa: RUF012

    def __init__(self, base_url: str = "http://localhost:8000/v1", model: str | None = None, **options: Any) -> None:
        super().__init__(base_url, model, **options)
        self._root = self.base_url.removesuffix("/v1")
        self._versions = 0
        self._run = uuid4().hex[:8]  # a server may still hold adapters of another client

    def health(self) -> bool:
        """Check whether the server is up and ready."""
        try:
            return httpx.get(f"{self._root}/health", timeout=5.0).is_success
        except httpx.HTTPError:
            return False

    def update(self, folder: Path) -> None:
        """Answer from now on with the model, or the LoRA adapter, saved in ``folder``.

        An adapter takes a name of its own each time, since the server keeps what it has computed by name.

        Raises:
            PolicyError: the server cannot be reached, or was not started for this.
        """
        if (folder / ADAPTER_CONFIG).is_file():
            self._load_adapter(folder)
        else:
            self._check_output_layer(folder)
            self._post("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": str(folder)}})
            self._post("/reset_prefix_cache", None)

    def follow(self, model: str) -> None:
        """Answer from now on with the model of that name: another process has given it to the server."""
        self._model = model

    def _check_output_layer(self, folder: Path) -> None:
        """On a CPU vLLM (seen with 0.32) packs the output layer once, when it starts. Where the model ties it to the
        embedding, new weights reach the embedding alone: answers would come from neither model."""
        from transformers import AutoConfig

        if getattr(AutoConfig.from_pretrained(folder), "tie_word_embeddings", False) and self._device() == "cpu":
            raise PolicyError(
                f"The vLLM server at {self._root} runs on a CPU, where it cannot renew an output layer that is tied to "
                f"the embedding (tie_word_embeddings in {folder / 'config.json'}). Train a LoRA adapter (lora_rank), "
                "or a model that is not tied."
            )

    def _device(self) -> str | None:
        """Return where the server computes (``cpu``, ``cuda``, …), if it tells."""
        try:
            answer = httpx.get(
                f"{self._root}/server_info",
                params={"config_format": "json"},
                headers=self._client.auth_headers,
                timeout=30.0,
            )
            return str(answer.json()["vllm_config"]["device_config"]["device"])
        except (httpx.HTTPError, ValueError, LookupError, TypeError):
            return None

    def _load_adapter(self, folder: Path) -> None:
        before = self.model
        self._versions += 1
        name = f"lean-agent-adapter-{self._run}-{self._versions}"
        self._post("/v1/load_lora_adapter", {"lora_name": name, "lora_path": str(folder)})
        self._model = name
        if self._versions > 1:
            self._post("/v1/unload_lora_adapter", {"lora_name": before})

    def _post(self, path: str, body: dict[str, Any] | None) -> None:
        try:
            answer = httpx.post(
                f"{self._root}{path}", json=body, headers=self._client.auth_headers, timeout=UPDATE_TIMEOUT_S
            )
        except httpx.HTTPError as error:
            raise PolicyError(f"The vLLM server at {self._root} could not take new weights: {error}.") from error
        if answer.status_code == httpx.codes.NOT_FOUND:
            raise PolicyError(
                f"The vLLM server at {self._root} has no {path}. Start it with VLLM_SERVER_DEV_MODE=1 for whole "
                "models, or with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True for adapters."
            )
        if not answer.is_success:
            raise PolicyError(
                f"The vLLM server at {self._root} refused new weights: HTTP {answer.status_code}, {answer.text[:300]}"
            )


def _completion(choice: Choice, share: float, tokens: int) -> Completion:
    """Read an answer of the endpoint; ``share`` and ``tokens`` stand in where it tells no log-probabilities."""
    logprobs = [token.logprob for token in choice.logprobs.content or []] if choice.logprobs else []
    ids = getattr(choice, "token_ids", None)
    return Completion(
        text=choice.message.content or "",
        logprob=min(0.0, sum(logprobs)) if logprobs else math.log(share),
        tokens=len(logprobs) or tokens,
        finished=choice.finish_reason == "stop",
        token_ids=tuple(ids) if ids is not None else None,
        token_logprobs=tuple(logprobs) if ids is not None and len(ids) == len(logprobs) else None,
    )


def _words(error: openai.APIStatusError) -> str:
    """Return the server's message, on one line."""
    return " ".join(str(error.message).split())[:300]
