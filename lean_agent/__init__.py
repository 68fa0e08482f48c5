"""Trace Lean 4 repositories, train language models on them with rewards from Lean, and prove their open theorems.

The names below can be imported from here; each room is loaded with the first name that needs it.
"""

TYPE_CHECKING = False  # as `typing` has it; nothing is imported here, where no program can hear of Ctrl-C yet
if TYPE_CHECKING:
    from typing import Any

    from lean_agent.agent.external_agent import ExternalAgent
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.algorithms import DAPO, DGPO, GRPO, GSPO, DrGRPO, PassAtK, RLAlgorithm, create_algorithm
    from lean_agent.lean.interface import LeanInterface, LeanProofState, MockLeanInterface, TacticResult
    from lean_agent.policy.endpoint import InferenceClient, VLLMClient
    from lean_agent.policy.mock import MockInferenceClient
    from lean_agent.rewards import BaseRewardScorer, create_composite_scorer, get_scorer
    from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator
    from lean_agent.trainer.grpo_trainer import GRPOTrainer
    from lean_agent.trainer.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.lean_grpo_trainer import LeanGRPOTrainer
    from lean_agent.trainer.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.sft_trainer import SFTTrainer
    from lean_agent.trajectory import ProofStep, ProofTrajectory, TrajectoryGroup

_HOMES = {
    "agent.external_agent": ["ExternalAgent"],
    "agent.hf_agent": ["HFAgent"],
    "algorithms": ["DAPO", "DGPO", "GRPO", "GSPO", "DrGRPO", "PassAtK", "RLAlgorithm", "create_algorithm"],
    "lean.interface": ["LeanInterface", "LeanProofState", "MockLeanInterface", "TacticResult"],
    "policy.endpoint": ["InferenceClient", "VLLMClient"],
    "policy.mock": ["MockInferenceClient"],
    "rewards": ["BaseRewardScorer", "create_composite_scorer", "get_scorer"],
    "rollout": ["BatchRolloutManager", "ProofRolloutGenerator"],
    "trainer.grpo_trainer": ["GRPOTrainer"],
    "trainer.lean_grpo_config": ["LeanGRPOConfig"],
    "trainer.lean_grpo_trainer": ["LeanGRPOTrainer"],
    "trainer.pipeline": ["LeanGRPOPipeline"],
    "trainer.sft_trainer": ["SFTTrainer"],
    "trajectory": ["ProofStep", "ProofTrajectory", "TrajectoryGroup"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "DAPO",
    "DGPO",
    "GRPO",
    "GSPO",
    "BaseRewardScorer",
    "BatchRolloutManager",
    "DrGRPO",
    "ExternalAgent",
    "GRPOTrainer",
    "HFAgent",
    "InferenceClient",
    "LeanGRPOConfig",
    "LeanGRPOPipeline",
    "LeanGRPOTrainer",
    "LeanInterface",
    "LeanProofState",
    "MockInferenceClient",
    "MockLeanInterface",
    "PassAtK",
    "ProofRolloutGenerator",
    "ProofStep",
    "ProofTrajectory",
    "RLAlgorithm",
    "SFTTrainer",
    "TacticResult",
    "TrajectoryGroup",
    "VLLMClient",
    "create_algorithm",
    "create_composite_scorer",
    "get_scorer",
]


def __getattr__(name: str) -> "Any":
    """A name on its first use."""
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
