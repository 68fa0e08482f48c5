"""Measure the package's structure: sizes of functions and modules, circles of imports, names, parameters, patches.

python benchmarks/structure.py [FOLDER] [--tests FOLDER]      # any package, so that others can be set beside it

Lines of a function are those from its first line to its last, decorators and docstring aside. Marks stand beside the
figures that have one.
"""

from __future__ import annotations

import argparse
import ast
import re
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parent.parent
VAGUE = frozenset({"one", "some", "found", "said", "told", "mine"})
SELF = frozenset({"self", "cls"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module of a package: its dotted name, its lines, its syntax tree."""

    name: str
    lines: int
    tree: ast.Module


def modules_of(package: Path) -> list[Module]:
    """Read every module of a package folder."""
    modules = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules.append(Module(name, text.count("\n"), ast.parse(text)))
    return modules


def functions_of(modules: list[Module]) -> Iterator[Function]:
    """Yield every function and method."""
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, Function):
                yield node


def length(function: Function) -> int:
    """Count the lines of a function without its docstring."""
    has_docstring = ast.get_docstring(function) is not None and len(function.body) > 1
    first = function.body[1] if has_docstring else function.body[0]
    header = function.body[0].lineno - function.lineno
    return header + (function.end_lineno or function.lineno) - first.lineno + 1


def parameters(function: Function) -> int:
    """Count the parameters of a function, ``self`` and ``cls`` aside."""
    given = function.args
    everything = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return sum(argument.arg not in SELF for argument in everything)


def circles(modules: list[Module]) -> list[list[str]]:
    """Return the groups of modules that import each other, wherever the statements stand; packages' fronts aside."""
    names = {module.name for module in modules}
    fronts = {name for name in names if any(other.startswith(f"{name}.") for other in names)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    for module in modules:
        if module.name in fronts:
            continue
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names} & names or {node.module} & names
                graph.add_edges_from((module.name, target) for target in inside if target != module.name)
    return [sorted(group) for group in nx.strongly_connected_components(graph) if len(group) > 1]


def vague_names(modules: list[Module]) -> int:
    """Count the places where a variable is bound to a name that says nothing of it."""
    return sum(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE
        for module in modules
        for node in ast.walk(module.tree)
    )


def docstrings(functions: list[Function]) -> tuple[float, float]:
    """Return the share of public functions with a docstring, and of these the share that open with What, The or See."""
    public = [function for function in functions if not function.name.startswith("_")]
    texts = [text for function in public if (text := ast.get_docstring(function))]
    return len(texts) / max(len(public), 1), sum(bool(re.match(r"(What|The|See)\b", text)) for text in texts) / max(
        len(texts), 1
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "lean_agent")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    options = parser.parse_args()
    modules = modules_of(options.package)
    functions = list(functions_of(modules))
    lengths = sorted(map(length, functions))
    lines = [module.lines for module in modules]
    documented, opening = docstrings(functions)
    side_by_side: dict[Path, int] = {}
    for path in options.package.rglob("*.py"):
        if not path.name.startswith("__"):
            side_by_side[path.parent] = side_by_side.get(path.parent, 0) + 1
    patches = sum(path.read_text("utf-8").count("monkeypatch.setattr") for path in options.tests.rglob("*.py"))
    rows = [
        ("lines", f"{sum(lines):,}", ""),
        ("modules for 1,000 lines", f"{1000 * len(modules) / sum(lines):.1f}", "6"),
        ("lines of a module, median, most", f"{statistics.median(lines):.0f}, {max(lines)}", ""),
        ("modules side by side, most", str(max(side_by_side.values())), "12"),
        (
            "lines of a function, median, 90 %, most",
            f"{statistics.median(lengths):.0f}, {lengths[int(0.9 * len(lengths))]}, {lengths[-1]}",
            "6, -, 60",
        ),
        ("parameters of a function, most", str(max(map(parameters, functions))), "12"),
        ("functions with more than 12 parameters", str(sum(parameters(f) > 12 for f in functions)), "0"),
        ("circles of imports", str(len(circles(modules))), "0"),
        ("public functions with a docstring", f"{documented:.0%}", ""),
        ("docstrings that open with What, The or See", f"{opening:.0%}", ""),
        ("variables called one, some, found, said, told, mine", str(vague_names(modules)), "0"),
        ("monkeypatch.setattr in tests", str(patches), "50"),
    ]
    print("| figure | value | mark |\n| --- | --- | --- |")
    for name, value, mark in rows:
        print(f"| {name} | {value} | {mark} |")


if __name__ == "__main__":
    main()
