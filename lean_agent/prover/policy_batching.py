"""Put the questions of searches to a policy: all questions of one kind in one call."""

from __future__ import annotations

from collections.abc import Sequence

from lean_agent.errors import ConfigError
from lean_agent.policy.base import CountsTokens, Policy, ProofRequest, Suggestion, WritesProofs
from lean_agent.prover.searches.base import Question


def answer(policy: Policy, questions: Sequence[Question], k: int) -> list[tuple[list[Suggestion], int]]:
    """Return up to ``k`` suggestions for each question, more where it is wider, and what they cost in tokens.

    The total of a policy that counts what it generates is shared evenly among the questions.

    Raises:
        ConfigError: whole proofs are wanted of a policy that writes none.
        PolicyError: the model could not answer.
    """
    before = policy.tokens_generated if isinstance(policy, CountsTokens) else 0
    answer_of: dict[int, list[Suggestion]] = {}
    for width in dict.fromkeys(question.width for question in questions):
        alike = [
            index for index, question in enumerate(questions) if not question.whole_proof and question.width == width
        ]
        if alike:
            answer_of |= zip(alike, policy.suggest([questions[index].goal for index in alike], k * width), strict=True)
    scripts = [index for index, question in enumerate(questions) if question.whole_proof]
    if scripts:
        if not isinstance(policy, WritesProofs):
            raise ConfigError(
                f"{type(policy).__name__} proposes tactics only; a whole-proof search needs `write_proofs`."
            )
        asked = [questions[index] for index in scripts]
        requests = [ProofRequest(question.goal, question.attempt, question.error) for question in asked]
        answer_of |= zip(scripts, policy.write_proofs(requests, k), strict=True)
    answers = [answer_of[index] for index in range(len(questions))]
    if not isinstance(policy, CountsTokens):
        return [(suggestions, sum(suggestion.tokens for suggestion in suggestions)) for suggestions in answers]
    each, rest = divmod(policy.tokens_generated - before, len(questions))
    return [(suggestions, each + (index < rest)) for index, suggestions in enumerate(answers)]
