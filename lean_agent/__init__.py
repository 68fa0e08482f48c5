"""Trace Lean 4 repositories, train language models on them with rewards from Lean, and prove their open theorems.

The names below can be imported from here; each room is loaded with the first name that needs it.
"""

TYPE_CHECKING = False  # as `typing` has it; nothing is imported here, where no program can hear of Ctrl-C yet
if TYPE_CHECKING:
    from typing import Any

    from lean_agent.agent.external_agent import ExternalAgent
    from lean_agent.agent.hf_agent import HFAgent
    from lean_agent.agent.notebook import load_ipython_extension
    from lean_agent.agent.scripted_agent import ScriptedAgent
    from lean_agent.algorithms import DAPO, DGPO, GRPO, GSPO, DrGRPO, PassAtK, RLAlgorithm, create_algorithm
    from lean_agent.database import DynamicDatabase
    from lean_agent.evaluation.evaluate import evaluate
    from lean_agent.improvement import ImproveConfig, ImproveReport
    from lean_agent.lean.interface import LeanInterface, LeanProofState, MockLeanInterface, TacticResult
    from lean_agent.lean.mock import MockLeanServer
    from lean_agent.lean.pool import LeanPool, PoolLimits, verify
    from lean_agent.lean.remote.client import LeanClient
    from lean_agent.lean.types import LeanProject
    from lean_agent.policy.base import TacticExample
    from lean_agent.policy.closers.scripted import ScriptedPolicy
    from lean_agent.policy.endpoint import InferenceClient, VLLMClient
    from lean_agent.policy.hf import HFPolicy
    from lean_agent.policy.mixture import MixturePolicy
    from lean_agent.policy.mock import MockInferenceClient
    from lean_agent.policy.neighbours import NeighbourPolicy
    from lean_agent.policy.progress import ProgressModel
    from lean_agent.prover.config import SearchBudget, SearchConfig
    from lean_agent.prover.provers import HFProver, Prover, ScriptedProver
    from lean_agent.prover.saved.trees import load_search
    from lean_agent.prover.searches.tree_search import TreeSearch
    from lean_agent.rewards import BaseRewardScorer, create_composite_scorer, get_scorer
    from lean_agent.rollout import BatchRolloutManager, ProofRolloutGenerator
    from lean_agent.rollout.single_tactics import VerifiedTacticReward
    from lean_agent.tracing import trace_repository
    from lean_agent.trainer.attempts.lean_grpo_config import LeanGRPOConfig
    from lean_agent.trainer.attempts.lean_grpo_trainer import LeanGRPOTrainer
    from lean_agent.trainer.attempts.pipeline import LeanGRPOPipeline
    from lean_agent.trainer.data.dataset import GRPODataset, SFTDataset
    from lean_agent.trainer.dpo_trainer import DPOConfig, DPOTrainer
    from lean_agent.trainer.grpo_trainer import GRPOTrainer
    from lean_agent.trainer.offline_grpo_trainer import OfflineGRPOConfig, OfflineGRPOTrainer
    from lean_agent.trainer.progress_trainer import ProgressTrainer
    from lean_agent.trainer.sft_trainer import SFTTrainer
    from lean_agent.trajectory import ProofStep, ProofTrajectory, TrajectoryGroup

_HOMES = {
    "agent.external_agent": ["ExternalAgent"],
    "agent.hf_agent": ["HFAgent"],
    "agent.notebook": ["load_ipython_extension"],
    "agent.scripted_agent": ["ScriptedAgent"],
    "algorithms": ["DAPO", "DGPO", "DrGRPO", "GRPO", "GSPO", "PassAtK", "RLAlgorithm", "create_algorithm"],
    "database": ["DynamicDatabase"],
    "evaluation.evaluate": ["evaluate"],
    "improvement": ["ImproveConfig", "ImproveReport"],
    "lean.interface": ["LeanInterface", "LeanProofState", "MockLeanInterface", "TacticResult"],
    "lean.mock": ["MockLeanServer"],
    "lean.pool": ["LeanPool", "PoolLimits", "verify"],
    "lean.remote.client": ["LeanClient"],
    "lean.types": ["LeanProject"],
    "policy.endpoint": ["InferenceClient", "VLLMClient"],
    "policy.hf": ["HFPolicy"],
    "policy.base": ["TacticExample"],
    "policy.mixture": ["MixturePolicy"],
    "policy.mock": ["MockInferenceClient"],
    "policy.neighbours": ["NeighbourPolicy"],
    "policy.progress": ["ProgressModel"],
    "policy.closers.scripted": ["ScriptedPolicy"],
    "prover.config": ["SearchBudget", "SearchConfig"],
    "prover.provers": ["HFProver", "Prover", "ScriptedProver"],
    "prover.searches.tree_search": ["TreeSearch"],
    "prover.saved.trees": ["load_search"],
    "rewards": ["BaseRewardScorer", "create_composite_scorer", "get_scorer"],
    "rollout": ["BatchRolloutManager", "ProofRolloutGenerator"],
    "rollout.single_tactics": ["VerifiedTacticReward"],
    "tracing": ["trace_repository"],
    "trainer.attempts.lean_grpo_config": ["LeanGRPOConfig"],
    "trainer.attempts.lean_grpo_trainer": ["LeanGRPOTrainer"],
    "trainer.attempts.pipeline": ["LeanGRPOPipeline"],
    "trainer.data.dataset": ["GRPODataset", "SFTDataset"],
    "trainer.dpo_trainer": ["DPOConfig", "DPOTrainer"],
    "trainer.grpo_trainer": ["GRPOTrainer"],
    "trainer.offline_grpo_trainer": ["OfflineGRPOConfig", "OfflineGRPOTrainer"],
    "trainer.progress_trainer": ["ProgressTrainer"],
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
    "DPOConfig",
    "DPOTrainer",
    "DrGRPO",
    "DynamicDatabase",
    "ExternalAgent",
    "GRPODataset",
    "GRPOTrainer",
    "HFAgent",
    "HFPolicy",
    "HFProver",
    "ImproveConfig",
    "ImproveReport",
    "InferenceClient",
    "LeanClient",
    "LeanGRPOConfig",
    "LeanGRPOPipeline",
    "LeanGRPOTrainer",
    "LeanInterface",
    "LeanPool",
    "LeanProject",
    "LeanProofState",
    "MixturePolicy",
    "MockInferenceClient",
    "MockLeanInterface",
    "MockLeanServer",
    "NeighbourPolicy",
    "OfflineGRPOConfig",
    "OfflineGRPOTrainer",
    "PassAtK",
    "PoolLimits",
    "ProgressModel",
    "ProgressTrainer",
    "ProofRolloutGenerator",
    "ProofStep",
    "ProofTrajectory",
    "Prover",
    "RLAlgorithm",
    "SFTDataset",
    "SFTTrainer",
    "ScriptedAgent",
    "ScriptedPolicy",
    "ScriptedProver",
    "SearchBudget",
    "SearchConfig",
    "TacticExample",
    "TacticResult",
    "TrajectoryGroup",
    "TreeSearch",
    "VLLMClient",
    "VerifiedTacticReward",
    "create_algorithm",
    "create_composite_scorer",
    "evaluate",
    "get_scorer",
    "load_ipython_extension",
    "load_search",
    "trace_repository",
    "verify",
]


def __getattr__(name: str) -> "Any":
    """Import a name on its first use."""
    from importlib import import_module

    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    except ImportError as error:
        from lean_agent.errors import MissingExtra
        from lean_agent.extras import missing

        if sentence := missing(error):
            raise MissingExtra(f"{name}: {sentence}", name=error.name) from error
        raise
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
