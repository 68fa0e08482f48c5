"""Proof searches as jobs: submitted, watched, cancelled, kept for a while after their end.

A search runs in a thread of its own, since policies and provers are plain code. What it tells of itself is handed to
the service's event loop, where everything else about a job happens.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from http import HTTPStatus
from typing import Any, Literal

from lean_agent.database import StoredTheorem
from lean_agent.errors import LeanAgentError
from lean_agent.lean.remote.wire import error_form, verdict_form
from lean_agent.lean.server import LeanServer
from lean_agent.prover.config import Cost, SearchConfig
from lean_agent.prover.mixed import PolicyChoice
from lean_agent.prover.proofs.result import ProofResult, ProofStatus
from lean_agent.prover.saved.live import LOOKED_FOR_S, Pace, Running
from lean_agent.prover.saved.trees import SavedSearch
from lean_agent.prover.tree.drafts import FilledDraft
from lean_agent.service.failures import RETRY_AFTER_S, refusal
from lean_agent.service.provers import ServiceProvers
from lean_agent.service.settings import ServiceSettings

Json = dict[str, Any]
JobStatus = ProofStatus | Literal["waiting", "running", "cancelled"]

TREE_EVERY_S = 0.5
"""The tree of a search that somebody looks at is taken down no more often."""
_KEPT = 64  # jobs that have ended and can still be asked for; the oldest go first


class _Cancelled(Exception):
    """Nobody wants the search's result any more."""


@dataclass(eq=False)
class Job:
    """A search, as its client sees it.

    Attributes:
        theorem: the text that it was given.
        policy: who proposes tactics.
        cost: what it has cost so far.
        result: how it ended, once it has.
        tree: the whole search, once it has ended; before, as it was when somebody looked at it last.
        tree_text: the same as JSON while it runs, made in the time that may go into showing it; empty in the end.
        changed: set at the next change.
    """

    id: str
    theorem: str
    policy: PolicyChoice = "mixture"
    status: JobStatus = "waiting"
    cost: Cost = field(default_factory=Cost)
    result: Json | None = None
    tree: SavedSearch | None = None
    tree_text: str = ""
    began: float = field(default_factory=time.time)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    is_unwanted: bool = False
    _looked_at: float = -math.inf

    def look(self) -> SavedSearch | None:
        """Return its tree as far as it is known, and have it kept up for a while."""
        self._looked_at = time.monotonic()
        return self.tree

    @property
    def is_looked_at(self) -> bool:
        """Whether somebody wants to see its tree as it grows."""
        return time.monotonic() - self._looked_at < LOOKED_FOR_S

    @property
    def has_ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.status not in ("waiting", "running")

    def form(self) -> Json:
        """Return the job as JSON; ``result`` stands in it once it has ended."""
        form: Json = {"id": self.id, "theorem": self.theorem, "policy": self.policy, "status": self.status}
        form |= {"began": round(self.began, 3), "cost": asdict(self.cost)}
        return form if self.result is None else {**form, "result": self.result}


class _TreeOfJob:
    """Hands a job the tree of its search: in the end, and before that while somebody looks (a
    :class:`~lean_agent.prover.saved.live.Watcher`). The text comes before the tree, since other threads read the tree
    and then the text."""

    def __init__(self, job: Job, tell: Callable[[Json], object]) -> None:
        self._job = job
        self._tell = tell
        self._pace = Pace(TREE_EVERY_S)

    def turn(self, searches: Iterable[Running]) -> None:
        if self._job.is_looked_at and self._pace.is_due:
            with self._pace.working():
                for running in searches:
                    tree = replace(running.record(), theorem=self._job.theorem)
                    self._tell({"tree_text": json.dumps(asdict(tree), ensure_ascii=False), "tree": tree})

    def ended(self, running: Running) -> None:
        self._tell({"tree_text": "", "tree": replace(running.record(is_over=True), theorem=self._job.theorem)})


class ProofJobs:
    """The searches of a service.

    Args:
        server: runs the tactics.
        settings: how many may run and wait, which model is asked, and which database is read.

    Attributes:
        provers: what searches.
    """

    def __init__(self, server: LeanServer, settings: ServiceSettings) -> None:
        self._most = settings.searches + settings.waiting_searches
        self.provers = ServiceProvers(server, settings)
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        # a model answers one search at a time
        self._threads = ThreadPoolExecutor(1 if settings.model else settings.searches, thread_name_prefix="search")

    @property
    def under_way(self) -> int:
        """Searches that run or wait."""
        return sum(not job.has_ended for job in self._jobs.values())

    def submit(
        self,
        theorem: StoredTheorem | str,
        config: SearchConfig,
        *,
        policy: PolicyChoice | None = None,
        minimal: bool = False,
    ) -> Job:
        """Take in a search; it begins when a thread is free. To be called on the service's loop.

        Args:
            theorem: one in its file, the name of an open one that was traced, or Lean text that leaves one open.
            policy: who proposes tactics; by default the mixture, and for whole proofs the model or closing tactics.

        Raises:
            HTTPException: too many are under way.
        """
        if self.under_way >= self._most:
            words = f"{self._most} searches run or wait, as many as may be; come again later."
            raise refusal(HTTPStatus.TOO_MANY_REQUESTS, words, Retry_After=str(RETRY_AFTER_S))
        asked = theorem if isinstance(theorem, str) else theorem.full_name
        job = Job(uuid.uuid4().hex, asked, self.provers.choice(policy, config.search))
        self._jobs[job.id] = job
        self._forget_old()
        loop = asyncio.get_running_loop()

        def tell(values: Json) -> None:
            loop.call_soon_threadsafe(self._change, job, values)

        self._threads.submit(self._search, job, theorem, config, minimal, tell)
        return job

    @property
    def newest(self) -> list[Job]:
        """Those that are under way, and those that have ended lately, the newest first."""
        return list(self._jobs.values())[::-1]

    def find(self, identifier: str) -> Job:
        """Return a job.

        Raises:
            HTTPException: there is none, or none any more.
        """
        if identifier not in self._jobs:
            raise refusal(HTTPStatus.NOT_FOUND, "There is no such search, or it ended long ago.")
        return self._jobs[identifier]

    def cancel(self, job: Job) -> None:
        """Have a search end at its next round; one that waits ends now. Idempotent."""
        job.is_unwanted = True
        if job.status == "waiting":
            self._change(job, {"status": "cancelled"})

    async def events(self, job: Job) -> AsyncIterator[Json]:
        """Yield the job as it is now, then at each change until it has ended."""
        while True:
            changed, has_ended = job.changed, job.has_ended
            yield job.form()
            if has_ended:  # by then; a job may end while what is yielded is on its way
                return
            await changed.wait()

    def close(self) -> None:
        """Cancel what is under way, and wait for its end."""
        for job in self._jobs.values():
            job.is_unwanted = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.provers.close()

    def _change(self, job: Job, values: Json) -> None:
        for name, value in values.items():
            setattr(job, name, value)
        job.changed.set()
        job.changed = asyncio.Event()

    def _forget_old(self) -> None:
        ended = [identifier for identifier, job in self._jobs.items() if job.has_ended]
        for identifier in ended[: max(0, len(ended) - _KEPT)]:
            del self._jobs[identifier]

    def _search(
        self,
        job: Job,
        theorem: StoredTheorem | str,
        config: SearchConfig,
        minimal: bool,
        tell: Callable[[Json], object],
    ) -> None:
        """Run a search, in a thread of its own."""

        def on_round(cost: Cost) -> None:
            if job.is_unwanted:
                raise _Cancelled
            tell({"cost": cost})

        if job.is_unwanted:
            return
        tell({"status": "running"})
        try:
            how: Json = {"minimal": minimal, "on_round": on_round}
            with self.provers.ready(theorem, job.policy, config, **how) as (prover, stored):
                result = prover.watched(_TreeOfJob(job, tell)).prove(stored)
            tell({"status": result.status, "result": _result_form(result)})
        except _Cancelled:
            tell({"status": "cancelled"})
        except LeanAgentError as error:
            tell({"status": "error", "result": {"error": error_form(error)}})
        except Exception as error:
            words = f"The search ended in a defect: {type(error).__name__}: {error}"
            tell({"status": "error", "result": {"error": {"type": "Internal Server Error", "message": words}}})
            raise


def _filled_form(draft: FilledDraft | None) -> Json | None:
    """Return how far a proof that was begun has been brought."""
    return {"tactics": draft.tactics, "filled": draft.filled, "holes": draft.holes} if draft else None


def _result_form(result: ProofResult) -> Json:
    """Return how a search ended."""
    return {
        "proved": result.proved,
        "full_name": result.theorem.full_name,
        "statement": result.theorem.theorem.type,
        "proof": result.proof,
        "script": list(result.search.script),
        "verdict": verdict_form(result.verdict) if result.verdict else None,
        "prover": result.prover,
        "states": result.search.states,
        "failures": result.search.failures,
        "lean_calls": result.lean_calls,
        "seconds": round(result.seconds, 3),
        "message": result.message,
        "filled_draft": _filled_form(result.search.filled_draft),
    }
