"""``lean-agent verify --comparator CONFIG.json``: a solution against its challenge, as for the Lean FRO's tool.

Reads that program's configuration file; the judging is done by :meth:`lean_agent.lean.pool.LeanPool.compare`.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lean_agent.cli.commands.verify import SCHEMA, as_dict, indented, print_verdict, trace_imports
from lean_agent.errors import ConfigError
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import Comparison, TargetComparison
from lean_agent.progress import terminal
from lean_agent.tracing import lean_project, local_repository
from lean_agent.tracing.project.repository import project_folder
from lean_agent.tracing.tracer import project_graph
from lean_agent.wording import visible


class ComparatorConfig(BaseModel):
    """Configuration file of the comparator."""

    model_config = ConfigDict(extra="forbid")

    challenge_module: str
    solution_module: str
    theorem_names: list[str] = Field(min_length=1)
    permitted_axioms: list[str]
    definition_names: list[str] = []
    external_kernels: Any = None
    enable_nanoda: bool = False
    json_output_path: str | None = None

    @property
    def left_out(self) -> list[str]:
        """Return what the file asks for and is not done, a sentence each."""
        sentences = []
        if self.external_kernels or self.enable_nanoda:
            sentences.append("no other kernel was asked: this judge has Lean's own alone, in a second process")
        if self.json_output_path:
            sentences.append("json_output_path was left alone; --json prints the verdicts")
        return sentences


def read_config(path: Path) -> ComparatorConfig:
    """Read a configuration file, or say why it is none."""
    try:
        return ComparatorConfig.model_validate_json(path.read_bytes())
    except OSError as e:
        raise ConfigError(f"{path} does not read: {e.strerror}; name the comparator's JSON file.") from None
    except ValidationError as e:
        first = e.errors()[0]
        field = ".".join(map(str, first["loc"])) or "the file"
        raise ConfigError(f"{path}: {field}: {first['msg']}; docs/verify.md has the fields.") from None


def compare_modules(
    path: Path,
    *,
    workers: int = 1,
    lean: str | None = None,
    pool: LeanPool | None = None,
    as_json: bool = False,
    timeout_s: float | None = None,
) -> bool:
    """Print a verdict for each name of a configuration file; returns whether the solution was accepted.

    Modules are those of the project that the file belongs to; ``timeout_s`` are seconds for each of the two files, by
    default the pool's own limit.
    """
    config = read_config(path)
    with nullcontext(pool) if pool else LeanPool(workers=workers, lean=lean) as judge:
        solution, compared = _compare(path, config, judge, timeout_s)
    if as_json:
        print(json.dumps(_as_dict(config, compared, solution), ensure_ascii=False, indent=2))
    else:
        _print(config, compared, solution)
    return compared.accepted


def _compare(path: Path, config: ComparatorConfig, pool: LeanPool, timeout_s: float | None) -> tuple[Path, Comparison]:
    """Return the solution's file, and what is said of it."""
    repository = local_repository(project_folder(path.resolve()))
    project = lean_project(repository)
    graph = project_graph(repository, project, pool)
    files = {source.module: source.path for source in graph.files}
    for module in (config.challenge_module, config.solution_module):
        if module not in files:
            raise ConfigError(f"{path}: the project in {project.root} has no module {module} that could be judged.")
        if (problem := trace_imports(repository, project, files[module], pool)) is not None:
            raise ConfigError(f"{files[module]}:{problem.start.line}: {problem.text}")
    compared = pool.compare(
        project,
        files[config.challenge_module],
        files[config.solution_module],
        theorems=config.theorem_names,
        definitions=config.definition_names,
        permitted_axioms=config.permitted_axioms,
        timeout_s=timeout_s,
    )
    return project.root / files[config.solution_module], compared


def _print(config: ComparatorConfig, compared: Comparison, solution: Path) -> None:
    console = terminal(highlight=False, soft_wrap=True)
    print_verdict(solution, compared.solution)
    for target in compared.targets:
        words = "refused: " + indented(target.difference) if target.difference else "the same, and accepted"
        if not target.difference and not compared.solution.accepted:
            words = "the same; its file is not accepted"
        console.print(f"{target.kind} {visible(target.name)}: {words}", markup=False)
    for sentence in config.left_out:
        console.print(f"note: {sentence}", markup=False)
    console.print("the solution is accepted" if compared.accepted else "the solution is not accepted")


def _as_dict(config: ComparatorConfig, compared: Comparison, solution: Path) -> dict[str, Any]:
    def outcome(target: TargetComparison) -> dict[str, Any]:
        return {"name": target.name, "kind": target.kind, "same": not target.difference, "reason": target.difference}

    return {
        "schema": SCHEMA,
        "accepted": compared.accepted,
        "targets": [outcome(target) for target in compared.targets],
        "solution": as_dict(solution, compared.solution),
        "left_out": config.left_out,
    }
