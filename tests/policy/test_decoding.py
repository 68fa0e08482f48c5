"""Sampling of trees of answers: the same distribution whatever reads them, nothing read twice, weights followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch
from former_policy import FormerPolicy
from peft import LoraConfig, get_peft_model
from scipy.stats import chi2_contingency
from transformers import GPT2Config, GPT2LMHeadModel
from typing_extensions import override

from lean_agent.policy.base import Sampling
from lean_agent.policy.decoding import Reader, reader_of, sample
from lean_agent.policy.decoding.graphs import GraphReader, is_recordable
from lean_agent.policy.decoding.matrices import HalfLinear, Matrix, OneDNNLinear, set_layers
from lean_agent.policy.decoding.prefixes import BLOCK, Prefixes
from lean_agent.policy.decoding.qwen3 import Qwen3Reader
from lean_agent.policy.decoding.readers import ModelReader
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import completion_messages, prompt_messages
from lean_agent.trainer.run.loading import quiet_libraries

WORDS = 260
TACTICS = ["simp", "intro h", "cases h", "exact hp"]
DRAWS = 2_500


def random_model(folder: Path, hidden_size: int) -> Any:
    """Make a model whose weights are far from a start, so that no term of it is near nothing."""
    made = make_tiny_model(["p q : Prop"], folder, vocab_size=WORDS, hidden_size=hidden_size, layers=2)
    model, _ = load_causal_lm(made, device="cpu")  # where the reader under test is for
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator).to(parameter.device))
    return model.eval()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return random_model(tmp_path_factory.mktemp("small"), 64)


def prompts_of(seed: int) -> list[list[int]]:
    """Prompts of several lengths, of which some begin alike."""
    generator = torch.Generator().manual_seed(seed)

    def some(count: int) -> list[int]:
        return torch.randint(0, WORDS, (count,), generator=generator).tolist()

    beginning = some(5 * BLOCK)
    return [beginning + some(3), beginning[: 2 * BLOCK + 1] + some(7), some(50), beginning, some(1)]


def largest_difference(first: Reader, second: Reader, prompts: Sequence[Sequence[int]], levels: int = 12) -> float:
    """Read the same random trees with two readers; returns the largest difference of their logits."""
    generator = torch.Generator().manual_seed(1)
    differences = [first.start(prompts) - second.start(prompts)]
    nodes = len(prompts)
    for level in range(levels):
        count = 40 if level < levels // 2 else 3  # many branches, and in the end few prompts that have any
        at = differences[0].device
        parents = torch.randint(0, nodes, (count,), generator=generator).sort().values.to(at)
        tokens = torch.randint(0, WORDS, (count,), generator=generator).to(at)
        differences.append(first.step(parents, tokens) - second.step(parents, tokens))
        nodes = count
    return max(float(difference.abs().max()) for difference in differences)


@pytest.mark.parametrize("hidden_size", [64, 192, 256], ids=["one head", "three heads", "two heads a key"])
def test_logits_are_those_of_the_model(tmp_path: Path, hidden_size: int) -> None:
    model = random_model(tmp_path, hidden_size)
    fast = reader_of(model)
    assert isinstance(fast, Qwen3Reader)
    for seed in (0, 0, 1):  # the second time all beginnings are known
        assert largest_difference(ModelReader(model), fast, prompts_of(seed)) < 1e-4


def test_what_is_recorded_reads_as_the_model_does(tmp_path: Path) -> None:
    """Rows and places in steps, growing and shrinking; on a CPU nothing is recorded."""
    model = random_model(tmp_path, 256)
    reader = GraphReader(model)
    for seed in (0, 0, 1):
        assert largest_difference(ModelReader(model), reader, prompts_of(seed), levels=80) < 1e-4


def test_what_is_too_large_to_be_recorded_is_read_as_it_is(tmp_path: Path) -> None:
    model = random_model(tmp_path, 64)
    reader = GraphReader(model, most_bytes=1000)
    assert largest_difference(ModelReader(model), reader, prompts_of(0)) < 1e-4
    assert reader._is_plain


def test_what_is_recorded_is_in_bfloat16_on_a_gpu(tmp_path: Path) -> None:
    model = random_model(tmp_path, 64)
    assert not is_recordable(model)

    class Qwen3ForCausalLM(SimpleNamespace):
        pass

    gpu = torch.device("cuda")
    assert is_recordable(cast("Any", Qwen3ForCausalLM(config=model.config, device=gpu, dtype=torch.bfloat16)))
    cast_ones: Any = Qwen3ForCausalLM(config=model.config, device=gpu, dtype=torch.float32)
    assert not is_recordable(cast_ones), "keys and values of two types"


@pytest.mark.gpu
def test_what_is_recorded_on_a_gpu_reads_as_the_model_does(tmp_path: Path) -> None:
    model = random_model(tmp_path, 256).cuda().to(torch.bfloat16)
    reader = reader_of(model)
    assert isinstance(reader, GraphReader)
    for seed in (0, 0, 1):  # the second time all is recorded
        difference = largest_difference(ModelReader(model), reader, prompts_of(seed), levels=80)
        assert difference < 0.5, "logits of the random model go to 30, in bfloat16 to a quarter"
    with torch.no_grad():
        model.model.layers[0].mlp.down_proj.weight.mul_(1.5)
    assert largest_difference(ModelReader(model), reader, prompts_of(0), levels=80) < 0.5


def test_one_tree_grows_beyond_the_room_that_it_was_given(small: Any) -> None:
    # 6 levels of 40 nodes below a single prompt: 240, where there are places for 192.
    assert largest_difference(ModelReader(small), Qwen3Reader(small), [[5, 6, 7]]) < 1e-4


@pytest.mark.parametrize("counted", [True, False])
def test_changed_weights_are_followed(tmp_path: Path, counted: bool) -> None:
    """Also where the change is written past the counter that torch keeps."""
    model = random_model(tmp_path, 64)
    reader, prompts = Qwen3Reader(model), prompts_of(0)
    before = reader.start(prompts)
    with torch.no_grad():
        weight = model.model.layers[0].mlp.down_proj.weight
        (weight if counted else weight.data).mul_(1.5)
    assert float((reader.start(prompts) - before).abs().max()) > 0.01
    assert largest_difference(ModelReader(model), reader, prompts) < 1e-4


def with_adapter(model: Any, **settings: Any) -> Any:
    config = LoraConfig(r=4, target_modules=["q_proj", "v_proj", "down_proj"], **settings)
    with quiet_libraries():
        adapted = get_peft_model(model, config)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if "lora_B" in name:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator).to(parameter.device))
    return adapted.eval()


def test_adapters_are_read_with_the_weights(tmp_path: Path) -> None:
    model = random_model(tmp_path, 64)
    prompts = prompts_of(0)
    plain = Qwen3Reader(model).start(prompts)
    adapted = with_adapter(model)
    reader = reader_of(adapted)
    assert isinstance(reader, Qwen3Reader)
    assert float((reader.start(prompts) - plain).abs().max()) > 0.01
    assert largest_difference(ModelReader(adapted), reader, prompts) < 1e-4
    with adapted.disable_adapter():
        assert float((reader.start(prompts) - plain).abs().max()) < 1e-4
    assert largest_difference(ModelReader(adapted), reader, prompts) < 1e-4


def test_other_models_are_read_by_transformers(tmp_path: Path) -> None:
    other = GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, n_positions=128, n_embd=32, n_layer=1, n_head=2)).eval()
    unusual = with_adapter(random_model(tmp_path, 64), use_dora=True)
    for model in (other, unusual, random_model(tmp_path / "half", 64).to(torch.bfloat16)):
        reader = reader_of(model)
        assert isinstance(reader, ModelReader)
        assert reader.start([[1, 2], [3]]).shape == (2, WORDS)


class Counting(Reader):
    """Gives the same distribution after everything, and counts what it is given to read."""

    def __init__(self, probabilities: Sequence[float]) -> None:
        self._logits = torch.tensor(probabilities).log()
        self.prompts = 0
        self.nodes: list[int] = []

    @override
    def start(self, prompts: Sequence[Sequence[int]]) -> torch.Tensor:
        self.prompts += len(prompts)
        return self._logits.expand(len(prompts), -1)

    @override
    def step(self, parents: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        assert torch.equal(parents, parents.sort().values)
        self.nodes.append(len(tokens))
        return self._logits.expand(len(tokens), -1)


def drawn_from(reader: Reader, k: int, prompts: Sequence[Sequence[int]] = ((9,),), **settings: Any) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    options = {"max_new_tokens": 4, "end_ids": [0], "pad_id": 3, **settings}
    return sample(reader, prompts, k, generator=generator, **options).tokens


def test_what_is_the_same_is_read_once() -> None:
    reader = Counting([0.0, 1.0, 0.0])
    tokens = drawn_from(reader, 8, [[9], [7], [9]])
    assert tokens.tolist() == [[1, 1, 1, 1]] * 24
    # Two different prompts, one way on from each; nothing comes after the last token.
    assert (reader.prompts, reader.nodes) == (2, [2, 2, 2])


def test_answers_that_have_ended_are_not_read_on() -> None:
    reader = Counting([0.5, 0.5, 0.0])
    tokens = drawn_from(reader, 500)
    assert all(node == 1 for node in reader.nodes)
    # Half end at each token: 1/2, 1/4, 1/8 of the answers, and the rest has no end; 4 standard deviations: 45.
    lengths = Counter((tokens == 1).sum(dim=1).tolist())
    assert [lengths[length] for length in range(4)] == pytest.approx([250, 125, 62, 31], abs=45)


def test_what_has_no_probability_is_never_drawn() -> None:
    reader = Counting([0.0, 0.05, 0.0, 0.9, 0.0, 0.05])
    first = Counter(drawn_from(reader, 10_000, max_new_tokens=1)[:, 0].tolist())
    assert set(first) == {1, 3, 5}
    # 4 standard deviations of 10,000 draws of 0.05: 87
    assert first[1] == pytest.approx(500, abs=87)
    assert set(drawn_from(reader, 1_000, max_new_tokens=1, top_p=0.8)[:, 0].tolist()) == {3}


def test_temperatures_go_by_turns() -> None:
    tokens = drawn_from(Counting([0.2, 0.8]), 10_000, max_new_tokens=1, temperatures=(1.0, 0.5))[:, 0]
    # At 0.5 probabilities are squared: 0.04 and 0.64, so 1/17; 4 standard deviations of 5,000 are 0.023 and 0.013.
    assert (tokens[::2] == 0).float().mean().item() == pytest.approx(0.2, abs=0.023)
    assert (tokens[1::2] == 0).float().mean().item() == pytest.approx(1 / 17, abs=0.014)


def test_log_probabilities_of_tokens_are_those_that_they_were_drawn_by() -> None:
    reader = Counting([0.2, 0.8])
    answers = sample(
        reader, [[9]], 6, max_new_tokens=3, end_ids=[0], pad_id=3, temperatures=(1.0, 0.5), token_logprobs=True
    )
    assert answers.token_logprobs is not None
    # At 0.5 probabilities are squared: 0.04 and 0.64, so 1/17 and 16/17; padding has none.
    of_token = torch.tensor([[0.2, 0.8, 1, 1], [1 / 17, 16 / 17, 1, 1]]).log()
    wanted = of_token.repeat(3, 1).gather(1, answers.tokens)
    assert torch.allclose(answers.token_logprobs, wanted, atol=1e-6)
    assert torch.allclose(answers.token_logprobs[::2].sum(dim=1), answers.logprobs[::2], atol=1e-6)


@pytest.fixture(scope="module")
def taught(tiny_folder: Path, teach: Callable[..., tuple[Any, Any]]) -> tuple[Any, Any]:
    turns = [[*prompt_messages("⊢ p"), *completion_messages(tactic)] for tactic in TACTICS]
    network, tokenizer = teach(tiny_folder, turns)
    return network.eval(), tokenizer


def counts(policy: HFPolicy) -> Counter[str]:
    """Draw answers to a goal that stands among others."""
    answers = policy.complete(["p q : Prop\n⊢ p", "⊢ p", "⊢ q"], DRAWS)[1]
    return Counter(answer.text if answer.finished else "no end" for answer in answers)


def agreement(first: Counter[str], second: Counter[str]) -> float:
    """Return the p-value of Pearson's test that two counts are of one distribution; rare answers are taken together."""
    common = [answer for answer in first | second if first[answer] + second[answer] >= 20]
    table = [[of[answer] for answer in common] for of in (first, second)]
    for row, of in zip(table, (first, second), strict=True):
        row.append(of.total() - sum(row) + 1)
    return float(chi2_contingency(table).pvalue)


def test_answers_are_distributed_as_before(taught: tuple[Any, Any]) -> None:
    """As the former decoding draws them, each answer a row by itself, with transformers' model; and by that model."""
    sampling = Sampling(max_new_tokens=12, seed=3)
    former = counts(FormerPolicy(*taught, sampling=sampling, max_rows=3 * DRAWS))
    assert len(former) > 4, "there is something to tell apart"
    now = counts(HFPolicy(*taught, sampling=sampling, max_rows=3 * DRAWS))
    assert agreement(former, now) > 0.01
    by_transformers = HFPolicy(*taught, sampling=sampling, max_rows=3 * DRAWS)
    by_transformers._reader = ModelReader(taught[0])
    assert agreement(former, counts(by_transformers)) > 0.01
    warmer = Sampling(max_new_tokens=12, seed=3, temperature=1.15)
    other = counts(HFPolicy(*taught, sampling=warmer, max_rows=3 * DRAWS))
    assert agreement(former, other) < 1e-4, "the test sees a temperature that is a little higher"


def test_log_probabilities_are_those_of_before(taught: tuple[Any, Any]) -> None:
    """An answer that both draw has the same log-probability."""
    sampling = Sampling(max_new_tokens=12, seed=3)
    former, now = (
        {answer.token_ids: answer.logprob for answer in policy.complete(["⊢ p"], 300)[0]}
        for policy in (FormerPolicy(*taught, sampling=sampling), HFPolicy(*taught, sampling=sampling))
    )
    shared = former.keys() & now.keys()
    assert len(shared) >= 4
    assert [now[answer] for answer in shared] == pytest.approx([former[answer] for answer in shared], abs=1e-4)


def kept(prefixes: Prefixes, prompt: Sequence[int]) -> list[float]:
    """Return what is known of a prompt: the test's tensors have one number each."""
    return prefixes.read(prefixes.find(prompt)).flatten().tolist()


def put(prefixes: Prefixes, prompt: Sequence[int], *numbers: float) -> None:
    known = prefixes.find(prompt)
    prefixes.add(prompt, known, torch.tensor(numbers)[len(known.places) :, None])


def test_beginnings_of_prompts_are_found_again() -> None:
    prefixes = Prefixes((1,), max_mb=1)
    first, second, third = ([n] * BLOCK for n in (1, 2, 3))
    put(prefixes, first + second + [0], 1.0, 12.0)
    assert kept(prefixes, first + second + third) == [1.0, 12.0]
    assert kept(prefixes, first + third + second) == [1.0]
    # A block is known together with all that is before it; and the last token is always read.
    assert kept(prefixes, [*second, 0]) == []
    assert kept(prefixes, first + second) == [1.0]
    prefixes.clear()
    assert kept(prefixes, first + second + third) == []


def test_what_was_used_last_stays() -> None:
    prefixes = Prefixes((1,), max_mb=3 * 4 / 2**20)  # three numbers
    blocks = {n: [n] * BLOCK for n in range(6)}
    put(prefixes, blocks[1] + blocks[2] + [0], 1.0, 12.0)
    put(prefixes, blocks[3] + [0], 3.0)
    assert kept(prefixes, blocks[1] + [0]) == [1.0]
    put(prefixes, blocks[4] + [0], 4.0)  # forgets what comes after 1, 2
    assert kept(prefixes, blocks[1] + blocks[2] + [0]) == [1.0]
    put(prefixes, blocks[5] + [0], 5.0)  # forgets 3
    put(prefixes, blocks[2] + [0], 2.0)  # forgets 4
    put(prefixes, blocks[3] + [0], 3.5)  # forgets 1
    assert len(prefixes) == 3
    assert [kept(prefixes, blocks[n] + blocks[2] + [0]) for n in range(1, 6)] == [[], [2.0], [3.5], [], [5.0]]
    put(prefixes, blocks[1] + [0], 1.5)
    assert kept(prefixes, blocks[1] + blocks[2] + [0]) == [1.5], "nothing below what was forgotten comes back"


def test_products_are_those_of_torch() -> None:
    generator = torch.Generator().manual_seed(0)
    rows, other = torch.randn(5, 48, generator=generator), torch.randn(5, 32, generator=generator)
    weight = torch.randn(32, 48, generator=generator)
    matrix, product = Matrix(weight), rows @ weight.T
    torch.testing.assert_close(matrix.times(rows), product)
    torch.testing.assert_close(matrix.times_plus(rows, other), product + other)
    torch.testing.assert_close(matrix.times_by(rows, other), product * other)
    torch.testing.assert_close(matrix.times_swish(rows), torch.nn.functional.silu(product))


@pytest.mark.parametrize(("kind", "most"), [(OneDNNLinear, 1e-5), (HalfLinear, 0.05)])
def test_layers_of_other_products_learn_the_same(tmp_path: Path, kind: type[torch.nn.Linear], most: float) -> None:
    model = random_model(tmp_path, 64)
    ids = torch.tensor(prompts_of(0)[2])[None]

    def gradients() -> list[torch.Tensor]:
        model.zero_grad()
        model(ids, labels=ids).loss.backward()
        return [parameter.grad.clone() for parameter in model.parameters()]

    before = gradients()
    set_layers(model, kind)
    assert type(model.model.layers[0].mlp.up_proj) is kind
    for now, then in zip(gradients(), before, strict=True):
        assert torch.dist(now, then) <= most * then.norm()
    assert isinstance(reader_of(model), Qwen3Reader)
    set_layers(model, torch.nn.Linear)
    torch.testing.assert_close(gradients(), before, rtol=0, atol=0)


@pytest.mark.parametrize("kind", [OneDNNLinear, HalfLinear])
def test_a_frozen_or_biased_layer_is_as_before(kind: type[torch.nn.Linear]) -> None:
    layer, rows = torch.nn.Linear(8, 4), torch.randn(3, 8, requires_grad=True)
    before = layer(rows)
    set_layers(layer, kind)
    torch.testing.assert_close(layer(rows), before)
    frozen = torch.nn.Linear(8, 4, bias=False).requires_grad_(False)
    set_layers(frozen, kind)
    frozen(rows).sum().backward()
    assert frozen.weight.grad is None
    torch.testing.assert_close(rows.grad, frozen.weight.sum(dim=0).expand(3, 8), rtol=0.01, atol=0.01)
