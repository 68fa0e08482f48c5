"""What searches ask, put to a policy: all questions of one kind in one call."""

from __future__ import annotations

from collections.abc import Sequence

from lean_agent.errors import ConfigError
from lean_agent.policy.base import Policy, ProofRequest, Suggestion, WritesProofs
from lean_agent.prover.searches.base import Question


def answer(policy: Policy, questions: Sequence[Question], k: int) -> list[tuple[list[Suggestion], int]]:
    """Up to ``k`` suggestions for each question, and what they cost in tokens.

    A policy that counts what it generates has candidates in its count that were repeated or cut off; the total is
    shared evenly among the questions.

    Raises:
        ConfigError: whole proofs are wanted of a policy that writes none.
        PolicyError: the model could not answer.
    """
    before = getattr(policy, "tokens_generated", None)
    found: dict[int, list[Suggestion]] = {}
    tactics = [index for index, question in enumerate(questions) if not question.whole_proof]
    if tactics:
        found |= zip(tactics, policy.suggest([questions[index].goal for index in tactics], k), strict=True)
    scripts = [index for index, question in enumerate(questions) if question.whole_proof]
    if scripts:
        if not isinstance(policy, WritesProofs):
            raise ConfigError(
                f"{type(policy).__name__} proposes tactics only; a whole-proof search needs `write_proofs`."
            )
        requests = [ProofRequest(one.goal, one.attempt, one.error) for one in (questions[index] for index in scripts)]
        found |= zip(scripts, policy.write_proofs(requests, k), strict=True)
    answers = [found[index] for index in range(len(questions))]
    if before is None:
        return [(one, sum(suggestion.tokens for suggestion in one)) for one in answers]
    each, rest = divmod(policy.tokens_generated - before, len(questions))  # type: ignore[attr-defined]  # see above
    return [(one, each + (index < rest)) for index, one in enumerate(answers)]
