"""A HuggingFace model as a policy: true log-probabilities, whole answers, words for what is no model."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoConfig, BertConfig

from lean_agent.errors import ConfigError, ModelNotFound
from lean_agent.policy import Policy, Suggestion
from lean_agent.policy.base import Completion, Sampling
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import check_causal_lm
from lean_agent.policy.model_files import record_help
from lean_agent.prompts import GoalNames, completion_messages, prompt_messages, tactic_from_completion, with_help
from lean_agent.prover.mixed import FILLED_IN
from lean_agent.trainer.grpo_trainer import GRPOTrainer

GOALS = ["⊢ p", "p q : Prop\nhp : p\nhq : q\n⊢ p ∧ q"]
TACTICS = ["simp", "exact hp", "intro h", "cases h with\n| inl a => ?_\n| inr b => ?_"]
K = 16
LONG = 64
"""Longer than every tactic, in tokens of one byte each."""


@pytest.fixture(scope="module")
def model(tiny_folder: Path, teach: Callable[..., tuple[Any, Any]]) -> tuple[Any, Any]:
    """A model that has learnt to answer every goal with one of four tactics, and to end there."""
    turns = [[*prompt_messages(goal), *completion_messages(tactic)] for goal in GOALS for tactic in TACTICS]
    network, tokenizer = teach(tiny_folder, turns)
    network.eval()
    return network, tokenizer


def spy(monkeypatch: pytest.MonkeyPatch) -> list[torch.Tensor]:
    """Every batch of answers that a policy's model gives from now on."""
    seen: list[torch.Tensor] = []
    generate = HFPolicy._generate

    def watched(policy: HFPolicy, batch: Any, k: int, *limits: int) -> tuple[torch.Tensor, torch.Tensor]:
        tokens, logprobs = generate(policy, batch, k, *limits)
        seen.append(tokens)
        return tokens, logprobs

    monkeypatch.setattr(HFPolicy, "_generate", watched)
    return seen


def answers_in(rows: torch.Tensor, tokenizer: Any) -> list[list[int]]:
    """The tokens of every row, up to the end token and with it."""
    ends = [
        row.index(tokenizer.eos_token_id) + 1 if tokenizer.eos_token_id in row else len(row) for row in rows.tolist()
    ]
    return [row[:end] for row, end in zip(rows.tolist(), ends, strict=True)]


def teacher_forced(model: Any, tokenizer: Any, goal: str, answer: list[int]) -> float:
    """Log-probability of one answer after one prompt, without padding, in one pass over the whole."""
    prompt = tokenizer.apply_chat_template(prompt_messages(goal), add_generation_prompt=True, return_dict=True)
    prompt_ids = prompt["input_ids"]
    with torch.no_grad():
        logits = model(torch.tensor([prompt_ids + answer])).logits[0]
    logprobs = torch.log_softmax(logits, dim=-1)
    return sum(float(logprobs[len(prompt_ids) - 1 + i, token]) for i, token in enumerate(answer))


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(max_new_tokens=LONG),
        Sampling(max_new_tokens=LONG, temperature=0.7, top_p=0.95, seed=3),
        Sampling(max_new_tokens=LONG, method="beam"),
        Sampling(max_new_tokens=LONG, temperature=0.5, second_temperature=1.5),
    ],
    ids=["plain", "nucleus", "beam", "two temperatures"],
)
@pytest.mark.parametrize("k", [1, 16])
def test_log_probabilities_are_those_of_the_whole_answer(
    model: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch, sampling: Sampling, k: int
) -> None:
    network, tokenizer = model
    seen = spy(monkeypatch)
    suggested = HFPolicy(network, tokenizer, sampling=sampling).suggest(GOALS, k)
    (sequences,) = seen
    # The same tactic can be spelt in other tokens; the best spelling counts.
    expected: list[dict[str, float]] = [{} for _ in GOALS]
    for row, answer in enumerate(answers_in(sequences, tokenizer)):
        if answer[-1] == tokenizer.eos_token_id:
            tactic = tactic_from_completion(tokenizer.decode(answer, skip_special_tokens=True))
            logprob = teacher_forced(network, tokenizer, GOALS[row // k], answer)
            of_goal = expected[row // k]
            of_goal[tactic] = max(logprob, of_goal.get(tactic, logprob))
    for suggestions, of_goal in zip(suggested, expected, strict=True):
        assert {s.tactic: s.logprob for s in suggestions} == pytest.approx(of_goal, abs=1e-4)
        assert suggestions, "the model has learnt to end its answers"


def test_every_second_answer_is_drawn_at_the_second_temperature(model: tuple[Any, Any]) -> None:
    network, tokenizer = model
    sampling = Sampling(max_new_tokens=LONG, temperature=1e-4, second_temperature=50.0)
    (answers, likeliest) = (
        HFPolicy(network, tokenizer, sampling=replace(sampling, second_temperature=second)).complete(GOALS[:1], 16)[0]
        for second in (50.0, None)
    )
    assert len({answer.text for answer in likeliest}) == 1  # nearly no randomness
    assert {answer.text for answer in answers[::2]} == {likeliest[0].text}
    assert len({answer.text for answer in answers[1::2]}) > 4


def test_a_nucleus_of_everything_sorts_nothing(model: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[float] = []

    def warper(top_p: float) -> Any:
        made.append(top_p)
        return lambda _, logits: logits

    monkeypatch.setattr("lean_agent.policy.decoding.sampling.TopPLogitsWarper", warper)
    for top_p in (1.0, 0.9):
        HFPolicy(*model, sampling=Sampling(max_new_tokens=1, top_p=top_p)).suggest(GOALS[:1], 1)
    assert made == [0.9]


def test_sampling_follows_the_model(model: tuple[Any, Any]) -> None:
    """How often each answer comes out is its probability, whatever else is in the batch."""
    network, tokenizer = model
    policy = HFPolicy(network, tokenizer, sampling=Sampling(max_new_tokens=LONG, seed=5))
    draws = 1500
    tokens, logprobs = policy._generate([prompt_messages(goal) for goal in ("⊢ p", GOALS[1])], draws, LONG, 0)
    for goal in range(2):
        rows = slice(goal * draws, (goal + 1) * draws)
        counts = Counter(map(tuple, answers_in(tokens[rows], tokenizer)))
        expected = dict(
            zip(map(tuple, answers_in(tokens[rows], tokenizer)), logprobs[rows].exp().tolist(), strict=True)
        )
        for answer, count in counts.most_common(4):
            assert count / draws == pytest.approx(expected[answer], abs=4 * (0.25 / draws) ** 0.5)


def test_suggestions_are_ranked_and_counted(model: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    network, tokenizer = model
    seen = spy(monkeypatch)
    policy = HFPolicy(network, tokenizer, sampling=Sampling(max_new_tokens=LONG))
    suggested = policy.suggest(GOALS, K)
    assert len(seen) == 1, "one model call for the whole batch"
    assert seen[0].shape[0] == len(GOALS) * K
    for suggestions in suggested:
        assert 2 <= len(suggestions) < K, "sixteen draws among four tactics repeat themselves"
        assert [s.logprob for s in suggestions] == sorted((s.logprob for s in suggestions), reverse=True)
        assert len({s.tactic for s in suggestions}) == len(suggestions)
        # Tokens of one byte each, and the end token.
        assert all(s.tokens == len(s.tactic.encode()) + 1 for s in suggestions if s.tactic in TACTICS)
    # Repeated answers were generated too.
    assert policy.tokens_generated == sum(len(answer) for answer in answers_in(seen[0], tokenizer))


def test_schemes_are_filled_in_with_what_stands_above_a_goal(
    tiny_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "filled"
    shutil.copytree(tiny_folder, folder)
    record_help(FILLED_IN, folder)
    answers = ["induction n <;> grind [{lemmas}]", "simp_all [{lemmas}]", "omega"]
    goal = "n : Nat\n⊢ twice n = 2 * n"
    names = GoalNames(definitions=("Small.twice", "Small.other"), not_for_grind=("Small.other",))
    shown = with_help(goal, ["Small.twice_zero: theorem twice_zero : twice 0 = 0"], names=names)

    def suggested(policy: HFPolicy) -> list[str]:
        asked: list[str] = []

        def complete(goals: Sequence[str], k: int, *, seed: int | None = None) -> list[list[Completion]]:
            asked.extend(goals)
            return [[Completion(text, -float(n), 1, True) for n, text in enumerate(answers)] for _ in goals]

        monkeypatch.setattr(policy, "complete", complete)
        (suggestions,) = policy.suggest([shown], 3)
        assert asked == [goal if policy is filled else shown]
        return [suggestion.tactic for suggestion in suggestions]

    filled = HFPolicy(folder)
    assert suggested(filled) == [
        "induction n <;> grind [Small.twice, Small.twice_zero]",
        "simp_all [Small.twice, Small.other, Small.twice_zero]",
        "omega",
    ]
    assert suggested(HFPolicy(tiny_folder)) == answers  # a model that has not learnt them is taken at its word
    # A reward function would be given them as they are; the verified reward fills them in.
    with pytest.raises(ConfigError, match="Leave reward_func out"):
        GRPOTrainer(folder, lambda completions, **_: torch.zeros(len(completions)), output_dir=tmp_path / "grpo")


def test_large_batches_are_split_and_come_back_in_order(model: tuple[Any, Any]) -> None:
    goals = [GOALS[1], *GOALS]
    policy = HFPolicy(*model, sampling=Sampling(max_new_tokens=LONG, method="beam"), max_rows=4)
    together = HFPolicy(*model, sampling=Sampling(max_new_tokens=LONG, method="beam"))
    for ours, theirs in zip(policy.suggest(goals, 4), together.suggest(goals, 4), strict=True):
        assert [s.tactic for s in ours] == [s.tactic for s in theirs]


def test_an_answer_that_is_cut_off_is_no_tactic(model: tuple[Any, Any]) -> None:
    # The shortest tactic takes 4 tokens and its end.
    policy = HFPolicy(*model, sampling=Sampling(max_new_tokens=3))
    assert policy.suggest(GOALS, 4) == [[], []]
    assert policy.tokens_generated == 2 * 4 * 3


def test_nothing_asked_is_nothing_answered(model: tuple[Any, Any]) -> None:
    policy = HFPolicy(*model)
    assert isinstance(policy, Policy)
    assert policy.suggest([], 4) == []
    assert policy.suggest(["⊢ p"], 0) == [[]]
    assert policy.tokens_generated == 0


def test_the_seed_decides_and_the_global_random_state_stays(model: tuple[Any, Any]) -> None:
    def two_calls(seed: int) -> list[list[list[Suggestion]]]:
        policy = HFPolicy(*model, sampling=Sampling(max_new_tokens=LONG, seed=seed))
        return [policy.suggest(["⊢ p"], 8) for _ in range(2)]

    state = torch.random.get_rng_state()
    first, second = two_calls(seed=1)
    assert [first, second] == two_calls(seed=1)
    assert first != second, "asking again gives other candidates"
    assert two_calls(seed=7)[0] != first
    assert torch.equal(torch.random.get_rng_state(), state)


def test_a_model_is_told_from_others_by_its_weights_and_how_it_draws(tiny_folder: Path) -> None:
    def identity(change: float = 0.0, **sampling: Any) -> str:
        policy = HFPolicy(tiny_folder, sampling=Sampling(**sampling), device="cpu")
        with torch.no_grad():
            next(policy._model.parameters()).add_(change)
        return policy.identity

    assert identity() == identity()
    assert len({identity(), identity(0.001), identity(temperature=2.0)}) == 3


def test_a_model_in_training_stays_in_training(model: tuple[Any, Any]) -> None:
    network, tokenizer = model
    network.train()
    HFPolicy(network, tokenizer, sampling=Sampling(max_new_tokens=2)).suggest(["⊢ p"], 2)
    assert network.training
    network.eval()


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": 0.0},
        {"second_temperature": 0.0},
        {"top_p": 0.0},
        {"top_p": 1.5},
        {"max_new_tokens": 0},
        {"method": "greedy"},
    ],
)
def test_sampling_that_cannot_work_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Sampling(**settings)


def test_a_loaded_model_needs_its_tokenizer(model: tuple[Any, Any]) -> None:
    with pytest.raises(ConfigError, match="tokenizer"):
        HFPolicy(model[0])


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match=r"no model folder .*nowhere\. Give a folder"):
        HFPolicy(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["runs/sft/chekpoint", "run/sft/checkpoint", "./chekpoint", "chekpoint", "runs/stf"])
def test_a_mistyped_folder_is_told_beside_the_one_that_is_there(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(name: str) -> None:
        raise OSError("We couldn't connect to the hub.\nCheck your connection.")

    monkeypatch.setattr(AutoConfig, "from_pretrained", unreachable)
    monkeypatch.chdir(tmp_path)
    for folder in ("runs/sft/checkpoint", "checkpoint", "runs/sft"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        (Path(folder) / "config.json").write_text("{}")
    meant = name.replace("chek", "check").replace("stf", "sft").replace("run/", "runs/").removeprefix("./")
    with pytest.raises(ModelNotFound, match=rf"no (such|model) folder.* Did you mean the folder {meant}\? Give a"):
        check_causal_lm(name)
    with pytest.raises(ModelNotFound) as raised:
        check_causal_lm("elsewhere/something")
    assert "Did you mean" not in str(raised.value)


def test_a_folder_without_a_model_is_not_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("prem", "note", "models/prem"):
        Path(folder).mkdir(parents=True)
    for name in ("./nope", "./notes", "./models/perm", "./model/prem/"):
        with pytest.raises(ModelNotFound) as raised:
            check_causal_lm(name)
        assert "Did you mean" not in str(raised.value)
    Path("prem/adapter_config.json").write_text("{}")
    with pytest.raises(ModelNotFound, match=r"Did you mean the folder prem\?"):
        check_causal_lm("./perm")


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelNotFound, match="No causal language model could be loaded"):
        HFPolicy(tmp_path)


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    BertConfig(architectures=["BertForMaskedLM"]).save_pretrained(tmp_path)
    with pytest.raises(ModelNotFound, match="no causal language model but BertForMaskedLM"):
        HFPolicy(tmp_path)


def test_a_folder_without_weights_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((tiny_folder / "config.json").read_text())
    with pytest.raises(ModelNotFound, match="could be loaded"):
        HFPolicy(tmp_path)


def test_a_tokenizer_without_a_chat_template_is_refused(tiny_folder: Path, tmp_path: Path) -> None:
    for file in tiny_folder.iterdir():
        if file.name != "chat_template.jinja":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ModelNotFound, match="no chat template"):
        HFPolicy(tmp_path)


def test_an_adapter_without_a_base_is_refused(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA"}))
    with pytest.raises(ModelNotFound, match="which base model"):
        HFPolicy(tmp_path)
