"""An installation of embedded Lean, and the sandbox in which its Node process runs.

Lean elaborates files and runs tactics that someone else wrote, and these are programs. The inner wall is the file
system of the WebAssembly module (``confined_fs.cjs``). This is the outer one, should the inner one have a hole: Node's
permission model, under which the process writes no file, starts no process and reads nothing but its own parts and its
sandbox folder; and ``no_network.cjs``, which leaves no way to a network. What a job needs is let in by a link in that
folder, for as long as the job lasts: Node follows links out of what may be read, and a process that may write nothing
makes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lean_agent.lean.process.process import ServeCommand

_NO_NETWORK = Path(__file__).resolve().with_name("no_network.cjs")
_FLAGS = (
    "--require",
    str(_NO_NETWORK),  # the permission model has no switch for the network
    "--no-warnings",
    "--permission",
    "--allow-worker",  # Lean's threads
    "--disallow-code-generation-from-strings",  # no text becomes JavaScript
    "--wasm-lazy-validation",  # a function is checked when it is first called, and not 147,000 at each start
    "--wasm-tiering-budget=52000000",  # four times the default: optimizing took 8 s of CPU in each process, warm or not
    "--expose-gc",  # to the host script; Lean's programs see nothing of JavaScript
)


@dataclass(frozen=True, slots=True)
class Installation:
    """What a Lean process is started from."""

    node: Path
    host: Path
    lean: Path
    agent: Path

    @property
    def name(self) -> str:
        """For messages."""
        return "embedded Lean"

    def serve_command(self, sandbox: Path) -> ServeCommand:
        """Return how the server is started: confined, and with nothing of the user's environment."""
        # one heap of C for all of Node's threads, which would each keep what they do not need any more: 10 to 30 MB
        environment = {"MALLOC_ARENA_MAX": "1"}
        return ServeCommand(tuple(node_command(self, "serve", self.agent, sandbox)), environment)


def node_command(where: Installation, mode: str, *arguments: Path, writable: Sequence[Path] = ()) -> list[str]:
    """Return the command line of the host script. It may read its own parts and the folders among ``arguments``.

    Args:
        mode: ``serve``, ``build``, ``image`` or ``run``, see ``host.cjs``.
        arguments: what the host script gets; each may be read.
        writable: what may be written besides.
    """
    readable = (where.host.parent, _NO_NETWORK, where.lean, *arguments)
    return [
        str(where.node),
        *_FLAGS,
        *(f"--allow-fs-read={path}" for path in readable),
        *(f"--allow-fs-write={path}" for path in writable),
        str(where.host),
        mode,
        str(where.lean),
        *map(str, arguments),
    ]
