"""Measure the package's structure: sizes of functions and modules, circles of imports, names, parameters, patches.

python benchmarks/structure.py [FOLDER] [--tests FOLDER]      # any package, so that others can be set beside it

Lines of a function are those from its first line to its last, decorators and docstring aside. Marks stand beside the
figures that have one; tests/test_structure.py holds the package to them.
"""

from __future__ import annotations

import argparse
import ast
import statistics
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx
from marks import Mark, show

ROOT = Path(__file__).resolve().parent.parent
VAGUE = frozenset({"one", "some", "found", "said", "told", "mine"})
NOT_IMPERATIVE = ("What", "The", "See", "A", "An", "How", "Who", "Where", "Whether", "As")
SELF = frozenset({"self", "cls"})
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module of a package: its dotted name, its lines, its syntax tree."""

    name: str
    lines: int
    tree: ast.Module


@cache
def modules_of(package: Path) -> list[Module]:
    """Read every module of a package folder, once."""
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


def vague_names(modules: list[Module]) -> list[str]:
    """Return the places where a variable or a parameter has a name that says nothing of it: ``module:line: name``."""
    places = []
    for module in modules:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE:
                places.append(f"{module.name}:{node.lineno}: {node.id}")
            elif isinstance(node, ast.arg) and node.arg in VAGUE:
                places.append(f"{module.name}:{node.lineno}: {node.arg}")
    return places


def is_property(function: Function) -> bool:
    """Check whether a function is read like a value: its docstring may be a noun phrase."""
    names = {ast.unparse(decorator).split("(")[0].split(".")[-1] for decorator in function.decorator_list}
    return bool(names & {"property", "cached_property"})


def noun_phrases(modules: list[Module]) -> list[str]:
    """Return the functions, private ones too, whose docstring opens with no verb: ``module:line: name``."""
    return [
        f"{module.name}:{function.lineno}: {function.name}"
        for module in modules
        for function in functions_of([module])
        if not is_property(function) and (ast.get_docstring(function) or "").split(" ", 1)[0] in NOT_IMPERATIVE
    ]


def documented(functions: list[Function]) -> float:
    """Return the share of public functions with a docstring; what only overrides needs none."""
    public = [function for function in functions if not function.name.startswith("_")]
    return sum(ast.get_docstring(function) is not None for function in public) / max(len(public), 1)


def patches(tests: Path) -> int:
    """Count the calls of a ``MonkeyPatch``'s ``setattr``, by whatever name, below a folder of tests."""
    return sum(path.read_text(encoding="utf-8").count(".setattr(") for path in tests.rglob("*.py"))


def side_by_side(package: Path) -> dict[Path, int]:
    """Count the modules of each folder, ``__init__`` and ``__main__`` aside."""
    return dict(Counter(path.parent for path in package.rglob("*.py") if not path.name.startswith("__")))


def main() -> None:
    """Print the figures and the marks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", type=Path, default=ROOT / "lean_agent")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    options = parser.parse_args()
    modules = modules_of(options.package)
    functions = list(functions_of(modules))
    lengths = sorted(map(length, functions))
    lines = [module.lines for module in modules]
    rows = [
        ("lines of a module, median, most", f"{statistics.median(lines):.0f}, {max(lines)}"),
        ("lines of a function, 90 %", str(lengths[int(0.9 * len(lengths))])),
        ("parameters of a function, most", str(max(map(parameters, functions)))),
        ("public functions with a docstring", f"{documented(functions):.0%}"),
    ]
    print("| figure | value |\n| --- | --- |")
    for name, value in rows:
        print(f"| {name} | {value} |")
    show(
        Mark("lines of the package", sum(lines), 35_000),
        Mark("modules for 1,000 lines", 1000 * len(modules) / sum(lines), 6),
        Mark("modules side by side, most", max(side_by_side(options.package).values()), 12),
        Mark("lines of a function, median", statistics.median(lengths), 6),
        Mark("lines of a function, most", lengths[-1], 60),
        Mark("functions with more than 12 parameters", sum(parameters(f) > 12 for f in functions), 0),
        Mark("circles of imports", len(circles(modules)), 0),
        Mark("docstrings of functions that open with no verb", len(noun_phrases(modules)), 0),
        Mark("variables called one, some, found, said, told, mine", len(vague_names(modules)), 0),
        Mark("`setattr` of a MonkeyPatch in tests", patches(options.tests), 50),
    )


if __name__ == "__main__":
    main()
