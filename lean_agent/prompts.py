"""The only place where a goal becomes a prompt and a completion becomes a tactic.

Trainers, rewards and provers all come through here, so that a model is asked in a search exactly what it was asked in
training. Knows no model: chat messages out, plain text in. Chat templates are the tokenizer's business.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Message = dict[str, str]
"""One turn of a conversation: ``{"role": …, "content": …}``."""

SYSTEM_INSTRUCTION = (
    "You are an expert in Lean 4. You are given one goal: its hypotheses, then the target after ⊢. "
    "Answer with the next tactic and nothing else."
)

PROOF_INSTRUCTION = (
    "You are an expert in Lean 4. You are given one goal: its hypotheses, then the target after ⊢. "
    "Answer with the tactics that prove it, one on each line, and nothing else."
)

TOOLS_INSTRUCTION = (
    "You are an expert in Lean 4. Prove the theorem with the tools: run tactics one after another, or submit a whole "
    "proof. You are given its goal: the hypotheses, then the target after ⊢."
)

MAX_ERROR_CHARS = 1500
"""Of what Lean said to a proof that failed, so much is shown."""

NAMES_HEADING = "Names in the goal:"
PREMISES_HEADING = "Known facts that may help:"
TACTICS_HEADING = "Tactics that worked at similar goals:"

MAX_GOAL_CHARS = 6000
"""Longer goals lose their beginning: the target and the hypotheses nearest to it stand at the end."""

TEMPLATE_SETTINGS: dict[str, Any] = {"enable_thinking": False}
"""What a chat template is given wherever it writes a prompt or an answer; those that know no such setting pass it over.
A tactic is answered at once: without this, the templates of models that can think write an empty thought into the
answers that are trained on, and none into the prompts."""


@dataclass(frozen=True, slots=True)
class HelpSettings:
    """How much a model is shown beside each goal.

    Attributes:
        premises: so many premises.
        retriever: which: ``bm25``, ``learnt``, or the folder of a retriever that was trained.
        neighbours: so many tactics that worked at similar goals.
        names: whether definitions behind notation and instances are named, and recursive functions with their
            variables.
        facts: whether premises are those alone that a tactic can use as a fact or unfold; a model may also want to
            know of data types and constructors.
        filled: the model sees none of it: it writes ``{lemmas}`` where a tactic takes definitions and premises, and
            these are filled in.
        library: so many theorems of Lean's own library at most, which Lean chooses for each theorem.
        laws: so many laws of the operations on numbers that a theorem is about.
        own: so many theorems of the project that may conclude a theorem's target or follow from what it knows, whatever
            they are called, for tactics of their own.
        consequences: so many things that follow from a goal's hypotheses.
    """

    premises: int = 0
    retriever: str = "bm25"
    neighbours: int = 0
    names: bool = False
    facts: bool = False
    filled: bool = False
    library: int = 0
    laws: int = 0
    own: int = 0
    consequences: int = 0

    def __bool__(self) -> bool:
        return bool(self.premises or self.neighbours or self.names)


@dataclass(frozen=True, slots=True)
class GoalNames:
    """What a goal names, whether or not its text says so (:class:`lean_agent.lean.types.Goal`).

    Attributes:
        definitions: of the project, and its inductive predicates.
        calls: recursive functions with the variables that they are applied to.
        not_for_grind: definitions, and premises above the goal, with which ``grind`` fails.
        equations: premises above the goal that ``grind`` takes as equations, from left to right, too.
        forward: those that it takes from their hypotheses to what they conclude.
        laws: those of Lean's own library that hold of the operations on numbers in it.
        own: theorems of the project that may conclude the target, whatever they are called, and with ``→`` those that
            follow from what the goal knows.
        about: theorems of the project about functions that the bodies of its definitions use.
        alike: equations of the project about nothing else than the goal, as ``grind`` takes them (``_=_ mul_assoc``).
        chaining: what derivations of the target's relation are put together by: a theorem that it is transitive, then
            those by which a part of a term is replaced.
        predicates: those of the definitions that stand for a proposition.
        recursion: the variables that recursive functions take apart.
        unfoldings: definitions that are not recursive, of the goal and of the bodies of these.
        rules: of its inductive predicates, and of the steps.
        steps: other predicates of which these speak, as the rules of ``Reachable`` do of ``Step``.
        of_steps: other definitions that the rules of all these are made of.
        behind: definitions that the consequences below can be unfolded by.
        enumerations: types of a few values, each with these (``Light red green``).
        whole: variables and hypotheses that cannot be taken apart.
        derivations: those that are printed by a notation, each with its predicate, and the target (``⊢ BigStep``).
        functions: those of the definitions that make values.
        varied: variables that are functions, and that recursive functions hand on changed.
        arguments: names for the arguments of functions that the target equates.
        structures: variables of structures with something recursive inside, each with its fields.
        consequences: what follows from the hypotheses, each a proof and what it says (``le_trans h₁ h₂ : a ≤ c``).
        inversions: derivations that can be taken apart, as tactics call them, and whatever these leave.
        inverted: those, and such as leave others of the same kind, that stand in the goal.
        facts: proofs of what ``grind`` needs beside the hypotheses (``Nat.mul_le_mul_left n h``).
        witnesses: tactics that name the number that the target says to exist, as solved from its equation.
        descents: what an induction may descend by, as it stands behind ``induction``.
    """

    definitions: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    not_for_grind: tuple[str, ...] = ()
    equations: tuple[str, ...] = ()
    forward: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    chaining: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    recursion: tuple[str, ...] = ()
    unfoldings: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    of_steps: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    enumerations: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    derivations: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    structures: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    inversions: tuple[str, ...] = ()
    inverted: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    witnesses: tuple[str, ...] = ()
    descents: tuple[str, ...] = ()


_BETWEEN = " ¦ "
"""Between things that may hold a comma or a semicolon; Lean has no such sign."""
_OF_TEXTS = ("consequences", "inversions", "inverted", "facts", "witnesses", "descents")
"""Such things, in the order of their lines, the last ones."""
_BLANK_LINES = re.compile(r"\n\s*\n")
_THOUGHT_END = "</think>"
_FENCE = re.compile(r"^[ \t]*```[^\n`]*$", re.MULTILINE)
_QUOTED = re.compile(r"\A\s*(?:`{3}|`)([^`]+)(?:`{3}|`)\s*\Z")
_BY = re.compile(r"\A\s*(?::=\s*)?by(?=\s|\Z)[ \t]*\n?")


def main_goal(state: str) -> str:
    """Return the main goal of a proof state as Lean prints it, with an empty line between goals."""
    return state.strip().partition("\n\n")[0]


def with_help(
    goal: str, premises: Sequence[str] = (), tactics: Sequence[str] = (), names: GoalNames | None = None
) -> str:
    """Return ``goal`` below what a model is shown beside it: names in it, a line of definitions and one of calls;
    premises, one a line, and tactics that worked at similar goals, with their own lines; of these the best one nearest
    to the goal.

    Where a prompt is too long, its beginning is cut off: the premises that are least likely to help.
    """
    lines = [" ".join(premise.split()) for premise in reversed(premises)]
    steps = [_BLANK_LINES.sub("\n", tactic.strip()) for tactic in reversed(tactics)]
    named = []
    if names:
        named = [
            f"Definitions: {', '.join(names.definitions)}",
            f"Calls: {'; '.join(names.calls)}",
            f"Not for grind: {', '.join(names.not_for_grind)}",
            f"Equations for grind: {', '.join(names.equations)}",
            f"Forward for grind: {', '.join(names.forward)}",
            f"Laws: {', '.join(names.laws)}",
            f"Own: {', '.join(names.own)}",
            f"About: {', '.join(names.about)}",
            f"Alike: {', '.join(names.alike)}",
            f"Chaining: {', '.join(names.chaining)}",
            f"Predicates: {', '.join(names.predicates)}",
            f"Recursive on: {', '.join(names.recursion)}",
            f"Unfold: {', '.join(names.unfoldings)}",
            f"Rules: {', '.join(names.rules)}",
            f"Steps: {', '.join(names.steps)}",
            f"Of steps: {', '.join(names.of_steps)}",
            f"Behind what follows: {', '.join(names.behind)}",
            f"Of a few values: {', '.join(names.enumerations)}",
            f"Whole: {', '.join(names.whole)}",
            f"Derivations: {', '.join(names.derivations)}",
            f"Functions: {', '.join(names.functions)}",
            f"Varied: {', '.join(names.varied)}",
            f"Arguments: {', '.join(names.arguments)}",
            f"Structures: {', '.join(names.structures)}",
            f"Follows: {_BETWEEN.join(names.consequences)}",
            f"Inversions: {_BETWEEN.join(names.inversions)}",
            f"Inverted: {_BETWEEN.join(names.inverted)}",
            f"Facts: {_BETWEEN.join(names.facts)}",
            f"Witnesses: {_BETWEEN.join(names.witnesses)}",
            f"Descents: {_BETWEEN.join(names.descents)}",
        ]
    parts = [(NAMES_HEADING, named), (PREMISES_HEADING, lines), (TACTICS_HEADING, steps)]
    above = ["\n".join([heading, *texts]) + "\n\n" for heading, texts in parts if texts]
    return f"{''.join(above)}{goal.strip()}" if above else goal


def without_help(goal: str) -> str:
    """Return the goal alone of what :func:`with_help` has made."""
    while goal.startswith((NAMES_HEADING, PREMISES_HEADING, TACTICS_HEADING)):
        goal = goal.partition("\n\n")[2]
    return goal


def shown_premises(goal: str) -> list[str]:
    """Return the premises that :func:`with_help` has put above the goal, the best one first."""
    if goal.startswith(NAMES_HEADING):
        goal = goal.partition("\n\n")[2]
    lines = goal.partition("\n\n")[0].split("\n") if goal.startswith(PREMISES_HEADING) else []
    return lines[:0:-1]


def shown_names(goal: str) -> GoalNames | None:
    """Return the names that :func:`with_help` has put above the goal; ``None`` where it was given none."""
    if not goal.startswith(NAMES_HEADING):
        return None
    _, *lines = goal.partition("\n\n")[0].split("\n")
    definitions, calls, *others = (line.partition(": ")[2] for line in lines)
    between = len(others) - len(_OF_TEXTS)
    texts = {
        name: tuple(line.split(_BETWEEN) if line else ())
        for name, line in zip(_OF_TEXTS, others[between:], strict=True)
    }
    return GoalNames(
        tuple(definitions.split(", ") if definitions else ()),
        tuple(calls.split("; ") if calls else ()),
        *(tuple(names.split(", ") if names else ()) for names in others[:between]),
        **texts,
    )


def prompt_messages(goal: str) -> list[Message]:
    """Return the conversation that asks for a tactic: the system's instruction, then ``goal`` as the user's turn."""
    return _asked(SYSTEM_INSTRUCTION, goal)


def _asked(instruction: str, goal: str) -> list[Message]:
    return [
        {"role": "system", "content": instruction},
        {"role": "user", "content": goal.strip()[-MAX_GOAL_CHARS:]},
    ]


def proof_messages(goal: str, attempt: str | None = None, error: str | None = None) -> list[Message]:
    """Return the conversation that asks for a whole proof of ``goal``, or for the repair of a failed attempt.

    Args:
        attempt: the script that failed, with Lean's ``error``.
    """
    asked = _asked(PROOF_INSTRUCTION, goal)
    if attempt is None:
        return asked
    message = (error or "").strip()[:MAX_ERROR_CHARS]
    return [
        *asked,
        {"role": "assistant", "content": attempt},
        {"role": "user", "content": f"Lean does not accept this proof:\n{message}\nAnswer with a corrected proof."},
    ]


def tool_messages() -> list[Message]:
    """Return the conversation that asks for a proof with tools; the goal is put at its end when an attempt begins."""
    return _asked(TOOLS_INSTRUCTION, "")


def completion_messages(tactic: str) -> list[Message]:
    """Return the answer that a model is trained to give: ``tactic`` as the assistant's turn."""
    return [{"role": "assistant", "content": tactic}]


def tactic_from_completion(text: str) -> str:
    """Return the tactic in a model's answer; empty when there is none.

    Thoughts before the answer are removed. Of an answer with fenced code only the last block counts. Quoting
    backticks, a leading ``by`` and white space around the tactic are removed. A tactic of many lines stays whole,
    its lines keeping their indentation relative to the first.
    """
    answer = text.rpartition(_THOUGHT_END)[2]
    code = _QUOTED.sub(r"\1", _last_fenced_block(answer))
    tactic = _BY.sub("", code, count=1)
    lines = [line.rstrip() for line in textwrap.dedent(tactic).splitlines()]
    return "\n".join(lines).strip()


def _last_fenced_block(text: str) -> str:
    """Return the text between the last pair of fences, or after a last fence that is not closed; else all of it."""
    pieces = _FENCE.split(text)
    # text, block, text, block, …: blocks have odd indices.
    return pieces[-1 - len(pieces) % 2] if len(pieces) > 1 else text
