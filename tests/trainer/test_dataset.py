"""Traced theorems as rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from lean_agent.database.exports.entries import TacticRow
from lean_agent.errors import ConfigError, ModelNotFound, TrainingError
from lean_agent.policy.hf import HFPolicy
from lean_agent.policy.loading import load_causal_lm
from lean_agent.prompts import PREMISES_HEADING, SYSTEM_INSTRUCTION, TACTICS_HEADING, HelpSettings, prompt_messages
from lean_agent.trainer.attempts.trajectory_update import prompt_ids
from lean_agent.trainer.data.dataset import HELD_OUT_FILE, GRPODataset, SFTDataset, visit_files
from lean_agent.trainer.data.scored_dataset import ScoredDataset, ScoredGroup


def traced(step: str, state: str = "⊢ p", position: int = 7) -> dict[str, Any]:
    return {"tactic": "whole " + step, "state_before": state, "state_after": "", "step": step, "position": position}


def write(path: Path, *tactics: dict[str, Any]) -> Path:
    theorem = {
        "url": "file:///r",
        "commit": "abc",
        "file_path": "A/B.lean",
        "full_name": "A.t",
        "theorem_statement": "theorem t : p",
        "traced_tactics": list(tactics),
    }
    (path / "random").mkdir()
    (path / "random" / "train.json").write_text(json.dumps([theorem]), encoding="utf-8")
    return path


def test_a_row_keeps_where_its_state_came_from(tmp_path: Path) -> None:
    state = "case inl\nh : p\n⊢ p\n\ncase inr\nh : q\n⊢ q"
    (row,) = GRPODataset(write(tmp_path, traced("exact h", state, 42))).to_hf()
    assert row == {
        "problem": state,
        "prompt": [
            {"role": "system", "content": SYSTEM_INSTRUCTION},
            {"role": "user", "content": "case inl\nh : p\n⊢ p"},
        ],
        "tactic": "exact h",
        "url": "file:///r",
        "commit": "abc",
        "file_path": "A/B.lean",
        "full_name": "A.t",
        "position": 42,
    }


def test_supervised_rows_are_prompt_and_answer(tmp_path: Path) -> None:
    tactic = "induction n with\n| zero => ?_\n| succ n ih => ?_"
    (row,) = SFTDataset(write(tmp_path, traced(tactic))).to_hf()
    assert set(row) == {"prompt", "completion", "chat_template_kwargs"}
    assert row["prompt"][1] == {"role": "user", "content": "⊢ p"}
    assert row["completion"] == [{"role": "assistant", "content": tactic}]


def test_holes_and_structure_are_skipped(tmp_path: Path) -> None:
    steps = ["", "sorry", "exact sorry", "exact (sorry)", "admit", "  ", "exact sorry_free", "simp"]
    data = GRPODataset(write(tmp_path, *map(traced, steps)))
    assert [row.tactic for row in data.rows] == ["exact sorry_free", "simp"]
    assert len(data) == 2


def test_the_fingerprint_follows_the_rows(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in "abc"]
    for folder in folders:
        folder.mkdir()
    first, second, third = (
        GRPODataset(write(folder, traced("simp", position=position))).fingerprint()
        for folder, position in zip(folders, [1, 1, 2], strict=True)
    )
    assert first == second != third


def test_batches_are_of_several_files_and_a_file_is_visited_few_times() -> None:
    def row(file: str, position: int) -> TacticRow:
        return TacticRow("⊢ p", "simp", "u", "c", file, "t", position)

    rows = [row(file, position) for position in range(32) for file in "ABCDEFGHIJKL"]
    ordered = visit_files(rows, seed=0)
    assert sorted(ordered, key=rows.index) == rows
    # 32 rows of a file are two visits of 16; of 24 visits 8 are mixed at a time: thrice 128 rows.
    files = [row.file_path for row in ordered]
    for start in range(0, len(files), 128):
        at_once = Counter(files[start : start + 128])
        assert len(at_once) <= 8 and set(at_once.values()) <= {16, 32}
    batches = [len(set(files[start : start + 8])) for start in range(0, len(files), 8)]
    assert min(batches) > 1 and sum(batches) / len(batches) > 4
    assert ordered == visit_files(rows, seed=0) != visit_files(rows, seed=1)


def test_no_data_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match=r"no training data at .*export_merged_data"):
        SFTDataset(tmp_path)


@pytest.mark.parametrize("text", ["[{", '[{"url": "u"}]', "3"])
def test_data_that_does_not_read_is_said_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "random").mkdir()
    (tmp_path / "random" / "train.json").write_text(text)
    with pytest.raises(TrainingError, match="does not read as traced theorems"):
        SFTDataset(tmp_path)


def test_nothing_to_learn_from_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="no tactic to learn from: 1 theorems"):
        SFTDataset(write(tmp_path, traced("sorry")))


def test_premises_stand_above_the_goal_when_they_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, traced("exact apple", "h : pear\n⊢ apple\n\n⊢ second"))
    (theorem,) = json.loads((path / "random" / "train.json").read_text(encoding="utf-8"))
    (path / "random" / "train.json").write_text(json.dumps([{**theorem, "start": [20, 1]}]), encoding="utf-8")
    premises = [
        {
            "full_name": name,
            "code": f"theorem {name} : apple := x",
            "start": [row, 1],
            "end": [row, 9],
            "kind": "theorem",
        }
        for name, row in (("early", 10), ("late", 30))
    ]
    corpus = {"path": "A/B.lean", "imports": [], "premises": premises, "url": "file:///r", "commit": "abc"}
    (path / "corpus.jsonl").write_text(json.dumps(corpus), encoding="utf-8")
    goal = "h : pear\n⊢ apple"
    for kind in (SFTDataset, GRPODataset):
        (plain,) = kind(path).to_hf()
        (shown,) = kind(path, shown=HelpSettings(premises=4)).to_hf()
        assert plain["prompt"][1]["content"] == goal
        assert shown["prompt"][1]["content"] == f"{PREMISES_HEADING}\nearly: theorem early : apple\n\n{goal}"
        with pytest.raises(ModelNotFound, match="is no retriever"):
            kind(path, shown=HelpSettings(4, str(tmp_path)))
    (path / "corpus.jsonl").write_text(json.dumps({**corpus, "path": "A/C.lean"}), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"lacks the theorem's file A/B\.lean"):
        SFTDataset(path, shown=HelpSettings(4))


def test_tactics_of_similar_goals_stand_above_a_goal_but_none_of_its_own_theorem(tmp_path: Path) -> None:
    goal = "p q : Prop\nh : p ∧ q\n⊢ q"
    path = write(tmp_path, traced("exact h.2", goal), traced("exact own h", goal))
    (theorem,) = json.loads((path / "random" / "train.json").read_text(encoding="utf-8"))
    first = {**theorem, "start": [1, 1]}
    second = {**theorem, "full_name": "A.u", "start": [9, 1], "theorem_statement": "theorem u : p → ¬ p → q"}
    second["traced_tactics"] = [traced("exact hpq.2", "p q : Prop\nhpq : p ∧ q\n⊢ q")]
    (path / "random" / "train.json").write_text(json.dumps([first, second]), encoding="utf-8")
    (path / "random" / "val.json").write_text(json.dumps([second]), encoding="utf-8")
    corpus = {"path": "A/B.lean", "imports": [], "premises": [], "url": "file:///r", "commit": "abc"}
    (path / "corpus.jsonl").write_text(json.dumps(corpus), encoding="utf-8")
    shown = HelpSettings(neighbours=1)
    for kind in (SFTDataset, GRPODataset):
        prompts = [row["prompt"][1]["content"] for row in kind(path, shown=shown).to_hf()]
        assert prompts[:2] == [goal, goal]  # nothing stands before the first theorem
        assert prompts[2] == f"{TACTICS_HEADING}\nexact hpq.2\n\np q : Prop\nhpq : p ∧ q\n⊢ q"
    (held_out,) = SFTDataset(path, file=HELD_OUT_FILE, shown=shown).to_hf()
    assert held_out["prompt"][1]["content"] == prompts[2]


THINKING = (
    "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}<think></think>{% endif %}{{ m.content }}"
    "{% endfor %}{% if add_generation_prompt %}<assistant>"
    "{% if enable_thinking is defined and not enable_thinking %}<think></think>{% endif %}{% endif %}"
)
"""As the templates of models that can think: an answer holds an empty thought, a prompt does so where asked for."""


def test_a_model_that_can_think_is_asked_what_it_was_trained_on(tiny_folder: Path, tmp_path: Path) -> None:
    model, tokenizer = load_causal_lm(tiny_folder)
    tokenizer.chat_template = THINKING
    goal, tactic = "p : Prop\n⊢ p → p", "intro hp"
    (row,) = SFTDataset(write(tmp_path, traced(tactic))).to_hf()
    text = str(
        tokenizer.apply_chat_template(
            [*row["prompt"], *row["completion"]], tokenize=False, **row["chat_template_kwargs"]
        )
    )
    asked = f"<system>{SYSTEM_INSTRUCTION}<user>{row['prompt'][1]['content']}<assistant><think></think>"
    assert text == asked + tactic
    # Search, whole attempts, and scored completions ask the same.
    prompt = asked.replace(row["prompt"][1]["content"], goal)
    wanted = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    policy = HFPolicy(model, tokenizer)
    assert policy._encode([prompt_messages(goal)]) == [wanted]
    assert list(prompt_ids(tokenizer, goal)) == wanted
    scored = ScoredDataset([ScoredGroup(goal, ("a", "b"), (0.0, 1.0))], tokenizer, 10_000)[0]
    assert scored["input_ids"][0][: scored["prompt_length"][0]] == wanted
