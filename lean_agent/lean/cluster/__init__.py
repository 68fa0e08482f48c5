"""Where Lean runs: in processes of this machine, on every node of a Ray cluster, or behind the address of a service."""

from __future__ import annotations

import os
from typing import Literal, get_args

from lean_agent.errors import ConfigError
from lean_agent.lean.remote import is_address
from lean_agent.lean.server import LoopServer

Executor = Literal["local", "ray"]


def lean_server(executor: str = "local", *, workers: int = 2, lean: str | None = None) -> LoopServer:
    """Return a Lean server that spreads its work over ``workers`` processes, here or on every member of a Ray cluster;
    or that of a service, which has its own.

    Args:
        executor: ``local``, or ``ray``: the cluster that ``RAY_ADDRESS`` names, or else one of this machine alone.
        lean: which Lean, as in :class:`~lean_agent.lean.pool.LeanPool`, where ``native`` is each project's own
            toolchain (:class:`~lean_agent.lean.pool.by_toolchain.ToolchainPools`); or the address of a service
            (:class:`~lean_agent.lean.remote.client.LeanClient`); a cluster's members go by their environment.

    Raises:
        ConfigError: there is no such executor, Ray is not installed, or no cluster answers.
    """
    if lean is not None and is_address(lean):
        from lean_agent.lean.remote.client import LeanClient  # brings httpx and pydantic

        return LeanClient(lean)
    if executor == "local":
        from lean_agent.lean.pool import LeanPool
        from lean_agent.lean.pool.by_toolchain import ToolchainPools
        from lean_agent.lean.process.runtime import LEAN_VARIABLE

        if (lean or os.environ.get(LEAN_VARIABLE)) == "native":
            return ToolchainPools(workers)
        return LeanPool(workers=workers, lean=lean)
    if executor == "ray":
        if lean is not None:
            raise ConfigError("On a Ray cluster LEAN_AGENT_LEAN, set on its members, says which Lean they run.")
        from lean_agent.lean.cluster.ray_pool import RayPool  # brings ray

        return RayPool(workers=workers)
    raise ConfigError(f"executor is {' or '.join(get_args(Executor))}, not {executor!r}.")
