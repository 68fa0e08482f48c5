"""The loop: search -> proofs and failures -> training -> better search, in rounds.

A round searches theorems of practice, keeps the trees, makes data of them, trains, and keeps the new checkpoint only
where theorems that are set aside say so. Owns which theorems are practised, what of their searches is learnt, and the
order of a round. How a search, a training and a verdict come about is other rooms'.

Held-out theorems are never searched, nor learnt from: neither their proofs nor what is nearly the same.
"""

from lean_agent.improvement.config import ImproveConfig
from lean_agent.improvement.report import ImproveReport, RoundReport

__all__ = ["ImproveConfig", "ImproveReport", "RoundReport"]
