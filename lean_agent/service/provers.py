"""What searches for the proof of a theorem that a client has named: the mixture that agents prove with.

Knows where such a theorem stands, and what is known beside it. The user's database is only read: what a client has sent
or what its search has found is no other client's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from lean_agent.database import DynamicDatabase, StoredTheorem
from lean_agent.database.schema import IN_MEMORY
from lean_agent.errors import TraceError
from lean_agent.lean.server import LeanServer
from lean_agent.policy.base import Policy
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.policy.closers.scripted import ScriptedPolicy
from lean_agent.policy.model_files import recorded_help
from lean_agent.policy.neighbours import SharedNeighbours
from lean_agent.prover.config import SearchConfig
from lean_agent.prover.mixed import PolicyChoice, ProofSources
from lean_agent.prover.provers import Prover, ScriptedProver
from lean_agent.prover.statements import theorems_of_text
from lean_agent.service.settings import ServiceSettings
from lean_agent.tracing import trace_repository

WHOLE_PROOF = "whole_proof"
_Version = tuple[tuple[int, int], ...]


class ServiceProvers:
    """Makes the prover of each search.

    Args:
        server: runs the tactics.
        settings: which model is asked, and which database is read.

    Attributes:
        files: Lean files that clients have named, with what these import, as they were traced. It stays in memory.
    """

    def __init__(self, server: LeanServer, settings: ServiceSettings) -> None:
        self.files = DynamicDatabase(IN_MEMORY)
        self._server = server
        self._settings = settings
        self._reading = Lock()
        self._shared = SharedNeighbours()
        self._read: _Version = ()  # the version of the database that was read
        self._proposing: dict[PolicyChoice, tuple[_Version, Policy]] = {}

    def choice(self, asked: PolicyChoice | None, search: str) -> PolicyChoice:
        """Return who proposes tactics: by default the mixture, which writes no whole proofs."""
        return asked or ("own" if search == WHOLE_PROOF else "mixture")

    @contextmanager
    def ready(
        self, theorem: StoredTheorem | str, policy: PolicyChoice, config: SearchConfig, **options: Any
    ) -> Iterator[tuple[Prover, StoredTheorem]]:
        """Yield what searches for a theorem, and the theorem.

        Args:
            theorem: one in a file; or the full name of one that a traced repository leaves open, that which was made
                known last where there are several; or Lean text that leaves one open.
            options: of the prover.

        Raises:
            TraceError: a text in which Lean finds an error, or which leaves nothing open, or several theorems.
            ModelNotFound: there is no such model.
        """
        path = self._settings.database_path
        with DynamicDatabase(path if path.is_file() else IN_MEMORY) as database, DynamicDatabase(IN_MEMORY) as texts:
            known = None if policy == "own" else self._shared
            if isinstance(theorem, StoredTheorem):
                trace_repository(
                    theorem.repository, self._server, database=self.files, only=[theorem.file_path], progress=False
                )
                stored, sources = theorem, ProofSources(database, self.files, known)
            elif traced := [named for named in database.theorems_named(theorem.strip()) if named.theorem.has_sorry]:
                stored, sources = traced[-1], ProofSources(database, known=known)
            else:
                stored, sources = self._of_text(theorem, texts), ProofSources(database, texts, known)
            if known is not None:
                with self._reading:
                    self._read_again(sources)
            yield self._prover(policy, stored, sources, config, options), stored

    def proposing(self, policy: PolicyChoice) -> Policy:
        """Return who proposes tactics at goals of no theorem in particular; to be called in a thread.

        Args:
            policy: ``own``: the model, or closing tactics where there is none; else what the database knows, read again
                when it has changed.

        Raises:
            ModelNotFound: there is no such model.
        """
        own = self._model if self._settings.model is not None and policy != "neighbours" else None
        if policy == "own":
            return own or self._closers
        path = self._settings.database_path
        with self._reading:
            if policy not in self._proposing or self._proposing[policy][0] != _version(path):
                with DynamicDatabase(path if path.is_file() else IN_MEMORY) as database:
                    sources = ProofSources(database, known=self._shared)
                    self._read_again(sources)
                    self._proposing[policy] = (self._read, sources.mixture(policy, own, ()))
            return self._proposing[policy][1]

    def close(self) -> None:
        """Forget the files. Idempotent."""
        self.files.close()

    def _read_again(self, sources: ProofSources) -> None:
        """Read what the database has of proofs, if it has changed since."""
        version = _version(self._settings.database_path)  # what is written meanwhile is read the next time
        if self._read != version:
            sources.read_into(self._shared)
            self._read = version

    def _of_text(self, text: str, texts: DynamicDatabase) -> StoredTheorem:
        theorems = theorems_of_text(text, self._server, texts)
        if len(theorems) > 1:
            names = ", ".join(stored.full_name for stored in theorems)
            raise TraceError(f"The text leaves {len(theorems)} theorems open ({names}): give one.")
        return theorems[0]

    def _prover(
        self,
        policy: PolicyChoice,
        theorem: StoredTheorem,
        sources: ProofSources,
        config: SearchConfig,
        options: dict[str, Any],
    ) -> Prover:
        model = self._settings.model
        if policy == "own" and model is None:
            return ScriptedProver(self._server, config=config, **options)
        own = shown = None
        if model is not None and policy != "neighbours":
            own, shown = self._model, sources.shown(recorded_help(model), [theorem])
        if policy == "own" and own is not None:
            config = replace(config, closers=CLOSING_TACTICS)
            return Prover(Path(str(model)).name, own, self._server, config=config, shown=shown, **options)
        return sources.prover(
            "neighbours" if policy == "neighbours" else "mixture",
            [theorem],
            self._server,
            own,
            config=config,
            shown=shown,
            **options,
        )

    @cached_property
    def _closers(self) -> Policy:
        """Return closing tactics, which learn nothing here."""
        return ScriptedPolicy()

    @cached_property
    def _model(self) -> Policy:
        """Return the model, loaded once, when it is first needed."""
        from lean_agent.policy.hf import HFPolicy  # brings torch

        return HFPolicy(str(self._settings.model))


def _version(path: Path) -> _Version:
    """Return what changes when a database does: time and size of its file, and of SQLite's log beside it."""
    version = [(-1, -1)]
    for file in (path, path.with_name(f"{path.name}-wal")):
        try:
            version.append((file.stat().st_mtime_ns, file.stat().st_size))
        except OSError:
            continue
    return tuple(each for each in version if each[1])  # a log that is empty comes and goes with those who read
