from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file
from typer.testing import CliRunner

from lean_agent.cli.main import app
from lean_agent.database import StoredTheorem
from lean_agent.errors import ConfigError, ModelNotFound
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.types import Position, Premise, TracedTactic, TracedTheorem
from lean_agent.policy.prompt_help import PromptHelp
from lean_agent.policy.retrieval import (
    BM25Ranker,
    DenseRanker,
    HybridRanker,
    LearntRanker,
    NearProofs,
    Place,
    PremiseCorpus,
    PremiseRetriever,
    check_retriever,
    load_ranker,
    measure_recall,
    premises_of_entries,
)
from lean_agent.policy.retrieval.corpus import CLOSURES
from lean_agent.policy.retrieval.features import FEATURES, PremiseFeatures
from lean_agent.policy.retrieval.near_proofs import ProofPremises, premises_of_stored
from lean_agent.policy.tiny import make_tiny_model
from lean_agent.prompts import MAX_GOAL_CHARS, PREMISES_HEADING, GoalNames, HelpSettings, prompt_messages, with_help
from lean_agent.prover.provers import RetrievalProver
from lean_agent.tracing.project.repository import Repository

WHOSE = {"url": "u", "commit": "c"}


def line(path: str, imports: list[str], names: list[str]) -> dict[str, Any]:
    """A file whose declarations end in lines 10, 20, 30 …"""
    premises = [
        {"full_name": name, "code": f"theorem {name} : about {name} := by\n  simp", "start": [10 * n - 1, 1],
         "end": [10 * n, 7], "kind": "theorem"}
        for n, name in enumerate(names, start=1)
    ]  # fmt: skip
    return {"path": path, "imports": imports, "premises": premises, **WHOSE}


LINES = [
    line("Base.lean", ["Init.lean"], ["apple"]),
    line("Middle.lean", ["Base.lean"], ["banana"]),
    line("Top.lean", ["Middle.lean"], ["cherry", "date", "elder"]),
    line("Aside.lean", ["Base.lean"], ["fig"]),
    {**line("Top.lean", [], ["ghost"]), "commit": "another"},
]


def at(path: str, row: int, column: int = 1) -> Place:
    return Place("u", "c", path, (row, column))


def names(corpus: PremiseCorpus, place: Place) -> list[str]:
    usable = corpus.accessible(place)
    return [document.full_name for document, can in zip(corpus.documents, usable, strict=True) if can]


@pytest.mark.parametrize(
    ("place", "accessible"),
    [
        (at("Base.lean", 1), []),
        (at("Aside.lean", 1), ["apple"]),
        (at("Middle.lean", 99), ["apple", "banana"]),
        # Through an import of an import; of its own file what ends before it: "date" ends in line 20, column 7.
        (at("Top.lean", 19), ["apple", "banana", "cherry"]),
        (at("Top.lean", 20, 6), ["apple", "banana", "cherry"]),
        (at("Top.lean", 20, 7), ["apple", "banana", "cherry", "date"]),
        (at("None.lean", 99), []),
    ],
)
def test_a_theorem_can_use_its_imports_and_what_stands_before_it(place: Place, accessible: list[str]) -> None:
    assert names(PremiseCorpus(LINES), place) == accessible


def test_private_declarations_can_be_used_in_their_own_file_alone() -> None:
    hidden = "_private.Base.0.pear"
    corpus = PremiseCorpus([line("Base.lean", [], ["apple", hidden]), line("Top.lean", ["Base.lean"], ["cherry"])])
    assert names(corpus, at("Base.lean", 99)) == ["apple", hidden]
    assert names(corpus, at("Top.lean", 99)) == ["apple", "cherry"]


def test_what_is_made_for_printing_is_no_premise() -> None:
    made = ["instReprTree", "N.instReprTree.repr", "instHashableTree", "instAddTree", "represents"]
    assert names(PremiseCorpus([line("A.lean", [], made)]), at("A.lean", 99)) == ["instAddTree", "represents"]


@pytest.mark.parametrize(
    ("code", "is_premise"),
    [
        ('notation:12 "WHILE" b "DO" c "END" => While b c', False),
        ('/-- It steps. -/\nscoped infixl:50 " ⟶ " => Step', False),
        ('@[simp] local notation "x" => y', False),
        ('syntax (name := loop) "loop" term : term', False),
        ("theorem notation_is_sound : p", True),
        ("/-- notation -/ def prefixOf (l : List α) : List α := l", True),
    ],
)
def test_what_a_notation_makes_is_no_premise(code: str, is_premise: bool) -> None:
    entry = line("A.lean", [], ["made"])
    entry["premises"][0]["code"] = code
    assert names(PremiseCorpus([entry]), at("A.lean", 99)) == (["made"] if is_premise else [])


def test_files_that_import_each_other_in_a_circle_are_no_trap() -> None:
    corpus = PremiseCorpus([line("A.lean", ["B.lean"], ["a"]), line("B.lean", ["A.lean"], ["b"])])
    assert names(corpus, at("A.lean", 1)) == ["b"]


def test_lines_of_leandojo_itself_do_not_say_whose_they_are() -> None:
    corpus = PremiseCorpus([{k: v for k, v in one.items() if k not in WHOSE} for one in LINES[:3]])
    assert names(corpus, at("Top.lean", 1)) == ["apple", "banana"]


def test_bm25_finds_common_words_and_rare_ones_first() -> None:
    corpus = PremiseCorpus([line("A.lean", [], ["Nat.add_comm", "Nat.add_zero", "List.mapAppend"])])
    scores = BM25Ranker(corpus).scores(["⊢ a + b = b + a (comm)", "⊢ map f append", "⊢ ∅", ""])
    assert scores.shape == (4, 3)
    assert int(np.argmax(scores[0])) == 0
    assert int(np.argmax(scores[1])) == 2  # a name in camel case is taken apart
    assert not scores[2:].any()


def test_bm25_of_a_large_corpus_is_that_of_a_small_one() -> None:
    corpus = PremiseCorpus([line("A.lean", [], [f"{word}.{other}" for word in "abcd" for other in "abcd"])])
    goals = ["⊢ a b b (c a) about nothing known", "", "⊢ d"]
    small, large = (BM25Ranker(corpus, large=size).scores(goals) for size in (10**6, 1))
    assert np.allclose(large, small, rtol=1e-5)
    assert large.dtype == small.dtype and large.shape == (3, 16)
    assert len(set(small[0].tolist())) > 3


def test_what_is_retrieved_is_accessible_and_in_a_settled_order() -> None:
    retriever = PremiseRetriever(PremiseCorpus(LINES))
    goals = ["about elder and date and apple"] * 2
    found = retriever.retrieve(goals, [at("Top.lean", 29), at("Aside.lean", 1)], 10)
    assert [document.full_name for document in found[0]][:2] == ["apple", "date"]  # equal scores: as in the corpus
    assert {document.full_name for document in found[0]} == {"apple", "date", "banana", "cherry"}  # "about" is in all
    assert [document.full_name for document in found[1]] == ["apple"]
    assert found[1][0].text == "theorem apple : about apple"  # without the proof


def test_the_first_of_many_are_those_of_all_sorted() -> None:
    corpus = PremiseCorpus([line("A.lean", [], [f"p{number}.{'ab'[number % 2]}" for number in range(200)])])
    everything, few = (PremiseRetriever(corpus).retrieve(["a b b"], [at("A.lean", 10**6)], k)[0] for k in (10**6, 30))
    assert len(everything) == 200
    assert few == everything[:30]


def test_what_files_import_is_computed_again_when_it_was_forgotten() -> None:
    count = CLOSURES + 3
    corpus = PremiseCorpus([line(f"F{n}.lean", [f"F{n - 1}.lean"] if n else [], [f"p{n}"]) for n in range(count)])
    for _ in range(2):
        assert [int(corpus.accessible(at(f"F{n}.lean", 1)).sum()) for n in range(count)] == [*range(count)]
    assert corpus.imported_at(at("F2.lean", 1)) == {0, 1}


def test_words_are_ranked_without_jax(tmp_path: Path) -> None:
    """Where JAX is installed beside us, it is not started: it would take most of a GPU's memory."""
    (tmp_path / "jax").mkdir()
    (tmp_path / "jax" / "__init__.py").write_text("raise SystemExit('JAX was started')\n")
    code = (
        "import sys\n"
        "from lean_agent.policy.retrieval.corpus import PremiseCorpus\n"
        "from lean_agent.policy.retrieval.rankers import BM25Ranker\n"
        "BM25Ranker(PremiseCorpus([]))\n"
        "print('bm25s' in sys.modules, 'jax' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    assert (done.stdout, done.stderr) == ("True False\n", "")


def test_an_empty_corpus_gives_nothing() -> None:
    assert PremiseRetriever(PremiseCorpus([])).retrieve(["⊢ p"], [at("A.lean", 1)], 3) == [[]]


def tactic(state: str, used: list[str]) -> dict[str, Any]:
    return {"state_before": state, "annotated_tactic": ["", [{"full_name": name} for name in used]]}


def theorem(tactics: list[dict[str, Any]], path: str = "Top.lean", row: int = 25) -> dict[str, Any]:
    return {**WHOSE, "file_path": path, "full_name": "t", "start": [row, 1], "traced_tactics": tactics}


def test_recall_counts_what_could_be_found() -> None:
    retriever = PremiseRetriever(PremiseCorpus(LINES))
    theorems = [
        theorem(
            [
                tactic("apple", ["apple", "banana"]),  # first: apple, of two: 1/2; rank 1
                tactic("apple cherry", ["date"]),  # no word of date: not found
                tactic("date", ["date", "date", "Nat.add_comm"]),  # found; the library's is outside
                tactic("elder", ["elder"]),  # comes later, so it cannot be a premise here: no case
                tactic("p", []),
            ]
        )
    ]
    found = measure_recall(retriever, theorems, (1, 2))
    assert (found.states, found.premises, found.outside) == (3, 4, 1)
    assert found.at[1] == pytest.approx((1 / 2 + 0 + 1) / 3)
    assert found.mean_reciprocal_rank == pytest.approx((1 + 0 + 1) / 3)
    nothing = measure_recall(retriever, [], (1,))
    assert (nothing.states, nothing.at[1]) == (0, 0.0)


def test_a_dense_encoder_finds_the_text_itself(tmp_path: Path) -> None:
    corpus = PremiseCorpus([line("A.lean", [], ["Nat.add_comm", "List.rev_rev", "Or.swap"])])
    texts = [f"{document.full_name} {document.text}" for document in corpus.documents]
    make_tiny_model(texts, tmp_path / "model", vocab_size=300, hidden_size=64, layers=1)
    ranker = DenseRanker(corpus, tmp_path / "model", batch_size=2)
    scores = ranker.scores(texts)
    assert scores.shape == (3, 3)
    assert np.allclose(np.diag(scores), 1.0, atol=1e-4)  # a text is nearest to itself, whatever it is padded with
    assert (scores.argmax(axis=1) == np.arange(3)).all()
    with pytest.raises(ModelNotFound, match="no encoder at"):
        DenseRanker(corpus, tmp_path / "none")


def test_the_embeddings_of_a_corpus_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "cache"))
    corpus = PremiseCorpus([line("A.lean", [], ["Nat.add_comm", "Or.swap"])])
    make_tiny_model(["Nat.add_comm"], tmp_path / "model", vocab_size=300, hidden_size=64, layers=1)
    first = DenseRanker(corpus, tmp_path / "model").scores(["add"])
    (kept,) = (tmp_path / "cache" / "embeddings").iterdir()
    assert np.load(kept).dtype == np.float16 and np.load(kept).shape == (2, 64)
    np.save(kept, np.zeros((2, 64), dtype=np.float16))
    assert first.any() and not DenseRanker(corpus, tmp_path / "model").scores(["add"]).any()  # read, not computed
    DenseRanker(PremiseCorpus(LINES), tmp_path / "model")
    assert len(list((tmp_path / "cache" / "embeddings").iterdir())) == 2  # by corpus


class Fixed:
    """Scores that are known."""

    def __init__(self, *scores: float) -> None:
        self.identity = str(scores)
        self._scores = np.array([scores], dtype=np.float32)

    def scores(self, goals: Any, places: Any) -> Any:
        return np.repeat(self._scores, len(goals), axis=0)


def test_a_hybrid_adds_scores_in_units_of_their_spread() -> None:
    # Means 2 and 200, standard deviations 1 and 100: (-1, 1) + (1, -1) = 0, however much larger the second's numbers.
    assert HybridRanker(Fixed(1, 3), Fixed(300, 100)).scores(["g"], []).tolist() == [[0, 0]]
    assert HybridRanker(Fixed(1, 3), Fixed(5, 5)).scores(["g"], []).tolist() == [[-1, 1]]  # one that cannot tell


def features_of(corpus: PremiseCorpus, goal: str, place: Place) -> dict[str, list[float]]:
    values = PremiseFeatures(corpus).of(goal, place)
    assert values.shape == (len(corpus.documents), len(FEATURES)) and np.isfinite(values).all()
    return {name: [round(float(value), 3) for value in column] for name, column in zip(FEATURES, values.T, strict=True)}


def test_features_say_how_a_premise_stands_to_a_goal() -> None:
    facts = [
        ("Tree.size", "def size : Tree → Nat", "definition"),
        ("Tree.size_flip", "theorem size_flip (t : Tree) : t.flip.size = t.size", "theorem"),
        ("Tree.flip", "def flip : Tree → Tree", "definition"),
    ]
    premises = [
        {"full_name": name, "code": code, "start": [row, 1], "end": [row, 9], "kind": kind}
        for row, (name, code, kind) in enumerate(facts, start=1)
    ]
    corpus = PremiseCorpus([{"path": "A.lean", "imports": [], "premises": premises, **WHOSE}])
    seen = features_of(corpus, "t : Tree\n⊢ t.flip.flip.size = t.size", at("A.lean", 3))
    assert seen["the last part of the name stands in the target"] == [1, 0, 1]
    assert seen["the one before the last part of the name stands in the target"] == [0, 0, 0]
    assert seen["the one before the last part of the name stands in the main goal"] == [1, 1, 1]  # t : Tree
    assert seen["same relation"] == [0, 1, 0]  # an equation, as the goal is
    assert seen["a part of the name, of the target (part of the premise's)"] == [1, 1, 1]  # size, size and flip, flip
    assert seen["a word of the conclusion, of the target (part of the premise's)"][1] == 1  # t . flip . size = t . size
    assert seen["is a definition"] == [1, 0, 1]
    assert seen["nearness in the file"] == [0.5, 1, 0]  # line 3: size_flip is the last before, size the one before it
    assert seen["shares the namespace"] == [1, 1, 1]  # that of size_flip


def ranker_folder(folder: Path, **weights: float) -> Path:
    """A network of one hidden unit, with some weights by the feature's name and 0 elsewhere."""
    hidden = np.zeros((1, len(FEATURES)), dtype=np.float32)
    for name, weight in weights.items():
        hidden[0, FEATURES.index(name.replace("_", " "))] = weight
    rest = {"hidden.bias": np.ones(1, dtype=np.float32), "score.weight": np.full((1, 1), 2, dtype=np.float32)}
    whole = np.zeros(len(FEATURES), dtype=np.float32)
    folder.mkdir()
    save_file({"mean": whole, "scale": whole + 1, "hidden.weight": hidden, **rest}, folder / "ranker.safetensors")
    return folder


def test_a_learnt_ranker_weighs_features(tmp_path: Path) -> None:
    corpus = PremiseCorpus(LINES[:3])
    folder = ranker_folder(tmp_path / "ranker", same_file=3)
    scores = LearntRanker(corpus, folder).scores(["⊢ p", "⊢ q"], [at("Top.lean", 25), at("Base.lean", 1)])
    # 2 * max(0, 1 + 3 * same file), for apple, banana, cherry, date; 0 for elder, which comes later, and before apple
    assert scores.tolist() == [[2, 2, 8, 8, 0], [0, 0, 0, 0, 0]]
    assert isinstance(load_ranker(folder, corpus), LearntRanker)
    assert isinstance(load_ranker("bm25", corpus), BM25Ranker)


def test_of_many_premises_those_that_share_words_are_ranked(tmp_path: Path) -> None:
    ranker = LearntRanker(PremiseCorpus(LINES), ranker_folder(tmp_path / "ranker"), most=2)
    scores = ranker.scores(["⊢ date ∧ banana"], [at("Top.lean", 40)])[0]
    assert np.flatnonzero(scores).tolist() == [1, 3]


def test_of_many_premises_those_that_proofs_of_similar_goals_used_are_ranked_too(tmp_path: Path) -> None:
    corpus, goal = PremiseCorpus(LINES), "⊢ date ∧ banana"
    known = NearProofs(
        corpus,
        [
            ProofPremises(at("Top.lean", 50), goal, {"apple", "fig"}),  # fig cannot be used here
            ProofPremises(at("Top.lean", 60), "⊢ 2 + 2 = 4", {"cherry"}),  # a goal of another kind
        ],
    )
    ranker = LearntRanker(corpus, ranker_folder(tmp_path / "ranker"), known, most=2)
    assert np.flatnonzero(ranker.scores([goal], [at("Top.lean", 40)])[0]).tolist() == [0, 1, 3]
    own = ranker.scores([goal], [at("Top.lean", 50)])[0]
    assert np.flatnonzero(own).tolist() == [1, 3], "a theorem's own proof is not looked at"


def test_common_words_are_counted_once_for_a_goal(tmp_path: Path) -> None:
    asked: list[str] = []

    class Counting(BM25Ranker):
        def scores(self, goals: Sequence[str], places: Sequence[Place] = ()) -> NDArray[np.float32]:
            asked.extend(goals)
            return super().scores(goals, places)

    corpus = PremiseCorpus(LINES)
    features = PremiseFeatures(corpus, bm25=Counting(corpus))
    numbers, values = features.likely("⊢ date", at("Top.lean", 40), 2)
    assert (len(numbers), values.shape) == (2, (2, len(FEATURES)))
    assert asked == ["⊢ date"]
    assert (values == features.of("⊢ date", at("Top.lean", 40), numbers)).all()


def test_what_proofs_of_similar_goals_used_is_seen_but_for_a_theorems_own() -> None:
    corpus = PremiseCorpus(LINES)
    first, second = at("Top.lean", 40), at("Top.lean", 50)
    known = NearProofs(
        corpus,
        [
            ProofPremises(first, "n : Nat\n⊢ size (flip n) = size n", {"apple", "cherry", "unknown"}),
            ProofPremises(second, "⊢ p ∨ q", {"apple"}),
        ],
    )
    assert len(known) == 2
    asked = "m : Nat\n⊢ size (flip m) = size m"
    counts, together, nearest = known.at(asked, at("Top.lean", 60))
    assert counts.tolist() == [2, 0, 1, 0, 0, 0, 0]
    assert nearest[2] > 0.9 and together[2] == nearest[2] and together[1] == 0
    counts, together, nearest = known.at(asked, first)
    assert counts.tolist() == [1, 0, 0, 0, 0, 0, 0] and nearest[2] == 0
    values = PremiseFeatures(corpus, known).of(asked, at("Top.lean", 60))[:, FEATURES.index("some proof uses it")]
    assert values.tolist() == [1, 0, 1, 0, 0, 0, 0]


def test_proofs_are_read_of_splits_and_of_the_database_alike() -> None:
    entry = theorem([tactic("⊢ p", ["apple", "banana"]), tactic("⊢ q", ["cherry"])])
    (of_entry,) = premises_of_entries([entry, theorem([tactic("⊢ p", [])])])
    used = tuple(Premise(name, "M", 0, 1) for name in ("apple", "banana", "cherry"))
    traced = TracedTactic("simp", "simp", 0, 1, "⊢ p", "no goals", 1, 0, used)
    start = Position(entry["start"][0], entry["start"][1] - 1)
    stated = TracedTheorem("t", "theorem t", "by simp", "tactic", False, "p", "1", 0, 1, start, start, (traced,))
    stored = StoredTheorem(Repository("u", "c", "u", Path("u")), entry["file_path"], stated)
    assert list(premises_of_stored([stored])) == [of_entry]
    assert of_entry.goal == "⊢ p" and set(of_entry.names) == {"apple", "banana", "cherry"}


def test_the_ranker_that_ships_prefers_what_similar_proofs_used() -> None:
    corpus = PremiseCorpus(LINES)
    here, goal = at("Top.lean", 60), "⊢ about the whole"
    used = [ProofPremises(at("Top.lean", row), goal, {"banana"}) for row in (40, 50)]
    known, unknown = (load_ranker("learnt", corpus, proofs).scores([goal], [here])[0] for proofs in (used, []))
    assert int(known[:5].argmax()) == 1 != int(unknown[:5].argmax())


def test_what_is_no_retriever_is_refused_in_one_sentence(tmp_path: Path) -> None:
    empty, broken, old = (tmp_path / name for name in ("empty", "broken", "old"))
    for folder in (empty, broken, old):
        folder.mkdir()
    (broken / "ranker.safetensors").write_bytes(b"nothing")
    save_file({"hidden.weight": np.zeros((1, 7), dtype=np.float32)}, old / "ranker.safetensors")
    policy = make_tiny_model(["text"], tmp_path / "policy", vocab_size=300, hidden_size=64, layers=1)
    with pytest.raises(ModelNotFound, match=r"holds neither ranker.safetensors nor the config.json of an encoder"):
        check_retriever(empty)
    with pytest.raises(ModelNotFound, match="does not read as the weights of a retriever"):
        check_retriever(broken)
    with pytest.raises(ModelNotFound, match=f"weighs 7 features, and this version has {len(FEATURES)}"):
        check_retriever(old)
    with pytest.raises(ModelNotFound, match=r"no encoder but a model that writes text \(Qwen3ForCausalLM\)"):
        check_retriever(policy)
    with pytest.raises(ModelNotFound):
        check_retriever(tmp_path / "nowhere")


def test_an_encoder_of_another_tokenizer_is_refused(tmp_path: Path) -> None:
    model = make_tiny_model(["text"], tmp_path / "model", vocab_size=300, hidden_size=64, layers=1)
    (model / "retriever.json").write_text(json.dumps({"kind": "encoder", "tokenizer": "of another"}))
    with pytest.raises(ModelNotFound, match="trained with another tokenizer"):
        load_ranker(model, PremiseCorpus(LINES))


def test_a_corpus_without_the_file_of_a_theorem_is_refused() -> None:
    corpus = PremiseCorpus(LINES)
    corpus.check([at("Top.lean", 1)])
    with pytest.raises(
        ConfigError, match=r"lacks the theorem's file None\.lean of u at commit c: trace that repository"
    ):
        corpus.check([at("Top.lean", 1), at("None.lean", 1)])


def test_premises_stand_above_the_goal_the_best_nearest() -> None:
    assert with_help("⊢ p", []) == "⊢ p"
    shown = with_help("h : q\n⊢ p", ["best : a\n  b", "second : c"])
    assert shown == f"{PREMISES_HEADING}\nsecond : c\nbest : a b\n\nh : q\n⊢ p"
    long = prompt_messages(with_help("⊢ p", ["x" * 50] * 1000))[1]["content"]
    assert len(long) == MAX_GOAL_CHARS and long.endswith("x\n\n⊢ p")


def test_a_goal_is_presented_with_its_premises() -> None:
    prompts = PromptHelp.of(HelpSettings(premises=1), PremiseCorpus(LINES))
    assert prompts.goal("⊢ banana", at("Top.lean", 1)) == (
        f"{PREMISES_HEADING}\nbanana: theorem banana : about banana\n\n⊢ banana"
    )
    assert prompts.goal("⊢ banana", at("Base.lean", 1)) == "⊢ banana"


def test_what_a_goal_names_anyway_takes_no_premises_place() -> None:
    corpus = PremiseCorpus(LINES)
    shown, unnamed = (PromptHelp.of(HelpSettings(premises=1, names=names), corpus) for names in (True, False))
    goal, place = "⊢ banana banana ∧ cherry", at("Top.lean", 15)
    for names, help_of, premise in (
        (("banana",), shown, "cherry"),
        ((), shown, "banana"),
        (("banana",), unnamed, "banana"),
    ):
        assert f"{premise}: theorem" in help_of.goal(goal, place, GoalNames(names))


def test_the_recall_command(tmp_path: Path) -> None:
    (tmp_path / "novel_premises").mkdir()
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in LINES), encoding="utf-8")
    entries = [theorem([tactic("apple", ["apple", "banana"])])]
    (tmp_path / "novel_premises" / "test.json").write_text(json.dumps(entries), encoding="utf-8")
    done = CliRunner().invoke(app, ["retrieval", "recall", str(tmp_path), "--k", "1", "--k", "5"])
    assert done.exit_code == 0
    assert "Recall@1: 50.0%" in done.stdout and "Recall@5:" in done.stdout and "MRR: 1.000" in done.stdout
    missing = CliRunner().invoke(app, ["retrieval", "recall", str(tmp_path), "--split", "random/test"])
    assert missing.exit_code == 1 and "lean-agent export leandojo" in missing.stderr


def test_what_is_no_corpus_is_named(tmp_path: Path) -> None:
    for text in (None, "{", '{"path": "A.lean"}\n'):
        if text is not None:
            (tmp_path / "corpus.jsonl").write_text(text)
        with pytest.raises(ConfigError, match="does not read as a corpus"):
            PremiseCorpus.read(tmp_path)


def test_a_prover_shows_its_model_what_a_theorem_can_use(tiny_folder: Path) -> None:
    nowhere = Position(2, 0)
    traced = TracedTheorem("t", "theorem t", "by sorry", "tactic", True, "p", "1", 0, 1, nowhere, nowhere)
    theorem = StoredTheorem(Repository("u", "c", "name", tiny_folder), "Middle.lean", traced)
    prover = RetrievalProver(tiny_folder, MockLeanServer(), corpus=PremiseCorpus(LINES), k=4)
    worded = prover.worded(theorem, "⊢ apple = cherry")
    assert "apple" in worded.removesuffix("⊢ apple = cherry") and "cherry" not in worded.removesuffix("= cherry")
    assert worded.endswith("⊢ apple = cherry")


def test_a_prover_refuses_theorems_outside_its_corpus_before_it_searches(tiny_folder: Path) -> None:
    nowhere = Position(2, 0)
    traced = TracedTheorem("t", "theorem t", "by sorry", "tactic", True, "p", "1", 0, 1, nowhere, nowhere)
    theorem = StoredTheorem(Repository("u", "c", "name", tiny_folder), "Elsewhere.lean", traced)
    prover = RetrievalProver(tiny_folder, MockLeanServer(), corpus=PremiseCorpus(LINES), k=4)
    with pytest.raises(ConfigError, match=r"lacks the theorem's file Elsewhere.lean"):
        prover.prove(theorem)


def test_what_is_kept_back_is_admitted_by_name_and_file() -> None:
    """A theorem of the same name in another file stays where it is."""
    lines = [
        line("A.lean", [], ["open", "known"]),
        line("B.lean", [], ["open"]),
        line("C.lean", ["A.lean", "B.lean"], []),
    ]
    corpus = PremiseCorpus(lines, without={"open"})
    here, first = at("C.lean", 99), at("A.lean", 99)
    assert names(corpus, here) == ["known"]
    with corpus.all_admitted():
        assert names(corpus, here) == ["open", "known", "open"]
    assert names(corpus, here) == ["known"]
    corpus.admit("open", first)
    assert names(corpus, here) == ["open", "known"]
