"""How a service runs: its address, its token, and what a request may cost."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from lean_agent.errors import ConfigError
from lean_agent.files import cache_dir, default_database
from lean_agent.lean.remote import TOKEN_VARIABLE
from lean_agent.settings import Count, CountFrom0, Seconds, checked_class


@checked_class
@dataclass(frozen=True)
class ServiceSettings:
    """Settings of a service.

    Attributes:
        host: the address to listen at. Any but this machine's own needs a token.
        port: 0 takes a free one.
        token: what every request but ``/health`` has to bear (``Authorization: Bearer …``); None asks for none.
        roots: folders whose Lean projects clients may name. Texts and propositions need none; the cache folder's own
            projects are always among them.
        project: a Lean project whose modules and packages texts may import that name no project of their own.
        max_body_mb: megabytes of a request's body.
        max_code: characters of a text, statement or tactic.
        max_timeout_s: seconds that a client may ask for; a longer time counts as this.
        max_requests: requests that Lean works on or that wait for it; further ones are answered with 429.
        body_timeout_s: seconds until a request has arrived, and until a part of an answer is taken.
        stop_timeout_s: seconds that requests under way have left after SIGTERM; a search goes on as long as a request
            watches it.
        max_states: proof states that are known by their keys; the ones used longest ago go first. States can be sent
            whole, too.
        searches: proof searches that run at a time; with a model one.
        waiting_searches: proof searches that may wait for their turn; further ones are answered with 429.
        model: a checkpoint that searches ask for tactics beside their other sources.
        database: traced repositories, which agents are shown and whose proofs and premises searches use, and the
            library, which agents look through; by default the user's own.
        runs_dir: the folder of run folders that the pages of the service show.
    """

    host: str = "127.0.0.1"
    port: CountFrom0 = 8000
    token: str | None = None
    roots: tuple[Path, ...] = ()
    project: Path | None = None
    max_body_mb: Count = 16
    max_code: Count = 1_000_000
    max_timeout_s: Seconds = 900.0
    max_requests: Count = 512
    body_timeout_s: Seconds = 30.0
    stop_timeout_s: Seconds = 30.0
    max_states: Count = 50_000
    searches: Count = 2
    waiting_searches: CountFrom0 = 64
    model: str | None = None
    database: Path | None = None
    runs_dir: Path = Path("runs")

    def __post_init__(self) -> None:
        if not self.token and not self.is_loopback:
            raise ConfigError(
                f"Whoever reaches {self.host} could use this Lean: give a token, as --token or in {TOKEN_VARIABLE}."
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def database_path(self) -> Path:
        """Return the file of the database, which need not be there."""
        return self.database or default_database()

    def readable(self) -> tuple[Path, ...]:
        """Return the folders in which projects may lie."""
        return tuple(Path(folder).resolve() for folder in (cache_dir(), *self.roots))

    def writable(self) -> tuple[Path, ...]:
        """Return the folders in which compiled modules may be kept."""
        return tuple(Path(folder).resolve() for folder in (cache_dir() / "projects", *self.roots))
