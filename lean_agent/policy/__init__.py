"""Goal texts in, scored tactics out, in batches.

A policy knows nothing of Lean, of search or of training; a search knows nothing of models. The model behind it can be
a HuggingFace causal language model (:mod:`lean_agent.policy.hf`, also for the tiny model that
:mod:`lean_agent.policy.tiny` makes), one behind an endpoint (:mod:`lean_agent.policy.endpoint`), a fixed list of
tactics (:mod:`lean_agent.policy.closers.scripted`) or a table for unit tests (:mod:`lean_agent.policy.mock`).
Importing this package does not import torch.
"""

from lean_agent.policy.base import (
    Completion,
    Policy,
    ProofRequest,
    Sampling,
    SamplingPolicy,
    Suggestion,
    UpdatablePolicy,
    WritesProofs,
    rank_suggestions,
    suggestions,
)
from lean_agent.policy.closers.schemes import CLOSING_SCHEMES, CLOSING_TACTICS
from lean_agent.policy.closers.scripted import LearningClosers, ScriptedPolicy
from lean_agent.policy.mock import MockInferenceClient, MockPolicy

__all__ = [
    "CLOSING_SCHEMES",
    "CLOSING_TACTICS",
    "Completion",
    "LearningClosers",
    "MockInferenceClient",
    "MockPolicy",
    "Policy",
    "ProofRequest",
    "Sampling",
    "SamplingPolicy",
    "ScriptedPolicy",
    "Suggestion",
    "UpdatablePolicy",
    "WritesProofs",
    "rank_suggestions",
    "suggestions",
]
