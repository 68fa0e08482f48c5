"""A taskset by a name that verifiers can import: `eval lean-proofs --env.taskset.theorems FILE.jsonl`.

verifiers takes names of top-level modules alone, so this one offers what the package has.
"""

from lean_agent.environments.verifiers import ProofTaskset

__all__ = ["ProofTaskset"]
