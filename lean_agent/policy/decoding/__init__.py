"""Many sampled answers to few prompts, with their log-probabilities.

``generate`` of transformers reads each prompt once per answer and carries finished answers along until the last one
ends; tactics are short next to their prompts, of very different lengths, and answers to one goal are often the same.
Here each prompt is read once, an answer leaves the batch when it ends, and answers that have been the same so far are
computed once (:mod:`~lean_agent.policy.decoding.sampling`). What computes them is a
:class:`~lean_agent.policy.decoding.readers.Reader`: the model of transformers, or for small models on a CPU
:mod:`~lean_agent.policy.decoding.qwen3`, which remembers the beginnings of prompts
(:mod:`~lean_agent.policy.decoding.prefixes`). Figures in docs/log/2026-11.md.
"""

from lean_agent.policy.decoding.readers import Reader, arithmetic, takes_positions
from lean_agent.policy.decoding.sampling import Answers, cut, end_ids, reader_of, sample

__all__ = ["Answers", "Reader", "arithmetic", "cut", "end_ids", "reader_of", "sample", "takes_positions"]
