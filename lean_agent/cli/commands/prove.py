"""``lean-agent prove``: search proofs of open theorems; ``lean-agent search …``: look at saved searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

from lean_agent.cli.options import (
    AgentOptions,
    Commit,
    ConfigFile,
    OptionGroup,
    PremisesAsTrained,
    RetrieverAsTrained,
    SavedSearches,
    agent_settings,
    check_models,
    check_one_commit,
    check_repositories,
    check_retriever_of,
    described,
    grouped,
    named,
)
from lean_agent.policy.closers.schemes import CLOSING_TACTICS
from lean_agent.prover.config import SearchBudget, SearchConfig, SearchSettings, settings_class, total_budget
from lean_agent.registry import PRIORITIES, SEARCHES
from lean_agent.settings import setting_fields

if TYPE_CHECKING:
    from lean_agent.agent.base import BaseAgent


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How to search."""

    search_by: Annotated[
        str, named(SEARCHES, "--search", help="The search (portfolio divides the budget among several):")
    ] = "best_step"
    priority: Annotated[str, named(PRIORITIES, "--priority", help="What best_first and beam rank states by:")] = (
        "logprob"
    )
    closers: Annotated[
        bool,
        typer.Option("--closers", help="Try common closing tactics at every new state before the model is asked."),
    ] = False
    project_axioms: Annotated[
        bool,
        typer.Option(
            "--project-axioms", help="Accept proofs that rest on axioms which the project states above the theorem."
        ),
    ] = False
    assume_open: Annotated[
        bool,
        typer.Option(
            "--assume-open",
            help="Search theorems whose statements rest on open ones, too; what is proved given those is told apart.",
        ),
    ] = False

    def config(self, budget: SearchBudget, total: SearchBudget | None, settings: Mapping[str, Any]) -> SearchConfig:
        """Return the configuration with these limits and those settings of the search that were given."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in settings.items()
            if value not in (None, [])
        }
        return SearchConfig(
            search=self.search_by,
            priority=self.priority,
            budget=budget,
            total=total,
            closers=CLOSING_TACTICS if self.closers else (),
            project_axioms=self.project_axioms,
            assume_open=self.assume_open,
            **given,
        )


def _settings_of_searches() -> type[Any]:
    """Make a class of the settings of the package's searches, none of them set by default."""
    owners: dict[str, list[str]] = {}
    for search in SEARCHES.own:
        for setting in setting_fields(settings_class(search)):
            owners.setdefault(setting.name, []).append(search)
    for with_own_option in ("priority", *(setting.name for setting in setting_fields(SearchSettings))):
        del owners[with_own_option]
    settings_fields: list[tuple[str, Any, Any]] = []
    lines = []
    for name, searches in owners.items():
        settings = settings_class(searches[0])
        default = getattr(settings(), name)
        shown = " ".join(default) if isinstance(default, tuple) else default
        settings_fields.append((name, get_type_hints(settings, include_extras=True)[name] | None, field(default=None)))
        words = described(settings, name).rstrip(".")
        lines.append(f"    {name}: for {', '.join(searches)}: {words[0].lower()}{words[1:]}; by default {shown}.")
    made = make_dataclass("SettingsOfSearches", settings_fields, frozen=True)
    made.__doc__ = "\n".join(["Settings of single searches.", "", "Attributes:", *lines, ""])
    return made


SettingsOfSearches = _settings_of_searches()


@dataclass(frozen=True, kw_only=True)
class ProofOptions:
    """What :meth:`lean_agent.agent.base.BaseAgent.prove` takes by the same names."""

    policy: Annotated[
        Literal["own", "neighbours", "mixture"] | None,
        typer.Option(
            help="own: the model, or closing tactics; neighbours: tactics of similar goals in traced proofs; mixture: "
            "all of these. By default mixture, and own for whole proofs and models behind an endpoint."
        ),
    ] = None
    limit: Annotated[int | None, typer.Option(min=1, help="At most this many theorems, the first ones.")] = None
    whole_proof: Annotated[bool, typer.Option("--whole-proof", help="The model writes whole scripts.")] = False
    minimal: Annotated[bool, typer.Option("--minimal", help="Shorten accepted proofs, beyond the budget.")] = False
    save_trees: Annotated[bool, typer.Option("--save-trees", help="Save the search trees, for `search show`.")] = False
    write_back: Annotated[
        Literal["patch", "branch"] | None,
        typer.Option(help="patch: put proofs into files that are as committed; branch: on a new git branch."),
    ] = None
    premises: PremisesAsTrained = None
    retriever: RetrieverAsTrained = None
    value: Annotated[
        Path | None,
        typer.Option(file_okay=False, help="A value model of `train --kind progress`, which the search goes by, too."),
    ] = None
    output_dir: Annotated[Path | None, typer.Option(help="Folder for the proofs; by default the run folder.")] = None
    whole_list: Annotated[bool, typer.Option("--all", help="List every theorem, not only the proved ones.")] = False


@grouped
def prove(
    repositories: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH|URL|FILE.lean|TEXT…",
            help="Folders, or addresses that git can clone; Lean files; statements, such as 'theorem two : 1 + 1 = 2'.",
            show_default=False,
        ),
    ],
    *,
    config_file: ConfigFile = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="A model folder or a name on the hub; without one, tactics of similar goals and common ones are tried."
        ),
    ] = None,
    endpoint_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Address of an OpenAI-compatible endpoint, up to /v1; --model is the model's name there.",
        ),
    ] = None,
    theorem: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Only theorems of this name, or whose name ends so, with * and ? as wildcards; may be repeated.",
        ),
    ] = None,
    budget: SearchBudget,
    total: Annotated[SearchBudget | None, OptionGroup(prefix="total_", build=total_budget)],
    search: SearchOptions,
    settings: Annotated[SettingsOfSearches, OptionGroup("Settings of single searches", build=dict)],  # type: ignore[valid-type]
    proofs: ProofOptions,
    commit: Commit = None,
    options: AgentOptions,
) -> None:
    """Prove the theorems that repositories leave as sorry; every proof is verified and written out.

    Example: lean-agent prove repos/logic --model outputs

    A Lean file: lean-agent prove My.lean

    A statement: lean-agent prove 'theorem two : 1 + 1 = 2'
    """
    places, loose = _sorted_out(repositories)
    check_repositories(places)
    check_models([model] if model and endpoint_url is None else [])
    check_models([str(proofs.value)] if proofs.value else [])
    check_one_commit(commit, places)
    check_retriever_of(proofs.premises, proofs.retriever)
    from lean_agent.agent.base import choose_theorems

    config = search.config(budget, total, settings)
    if proofs.output_dir is not None:
        proofs.output_dir.mkdir(parents=True, exist_ok=True)  # a place where no proofs can be kept is found now
    with _agent(model, endpoint_url, options) as agent:
        for place in places:
            agent.setup_repository(place, commit)
        open_theorems = [stored for text in loose for stored in agent.theorems_of(text)]
        if places:
            open_theorems += agent.open_theorems()
        wanted = {**asdict(proofs), "write_back": proofs.write_back or False}
        chosen = choose_theorems(open_theorems, theorem or ())[: wanted.pop("limit")]
        agent.prove(theorems=chosen, config=config, **wanted)
        print(f"Run folder: {agent.run.path}")


def _agent(model: str | None, endpoint_url: str | None, options: AgentOptions) -> BaseAgent:
    """Return the agent that proves with this model."""
    settings = agent_settings(options)
    if endpoint_url is not None:
        from lean_agent.agent.external_agent import ExternalAgent

        return ExternalAgent(endpoint_url, model=model, **settings)
    if model:
        from lean_agent.agent.hf_agent import HFAgent
        from lean_agent.policy.loading import check_causal_lm

        check_causal_lm(model)  # before anything is traced
        return HFAgent(model=model, **settings)
    from lean_agent.agent.scripted_agent import ScriptedAgent

    return ScriptedAgent(**settings)


def _sorted_out(given: list[str]) -> tuple[list[str], list[str]]:
    """Tell repositories from Lean files and statements."""
    from lean_agent.tracing.project.repository import is_text

    loose = [place for place in given if Path(place).suffix == ".lean" or (is_text(place) and not Path(place).exists())]
    return [place for place in given if place not in loose], loose


app = typer.Typer(
    no_args_is_help=True,
    help="Look at searches that `prove --save-trees` has saved.",
    epilog="Example: lean-agent search list runs/latest/trees",
)


@app.command("list")
def list_searches(trees: SavedSearches) -> None:
    """List searches with how each ended and what it cost.

    Example: lean-agent search list runs/latest/trees
    """
    from lean_agent.prover.saved.pages import summary
    from lean_agent.prover.saved.trees import find_searches, load_search

    for path in find_searches(trees):
        print(summary(load_search(path)))


@app.command()
def show(
    tree: Annotated[Path, typer.Argument(metavar="FILE", help="A saved search.", show_default=False)],
    html: Annotated[
        Path | None, typer.Option(dir_okay=False, help="Write one page for a browser instead of text.")
    ] = None,
    failures: Annotated[bool, typer.Option("--failures", help="List the tactics that failed, too.")] = False,
) -> None:
    """Show the tree of a search: as text, or as a self-contained HTML page.

    Example: lean-agent search show runs/latest/trees/logic-5e1f0a3b/Logic/Logic.swap.jsonl --html swap.html
    """
    from lean_agent.files import write_atomically
    from lean_agent.prover.saved.pages import as_html, as_text
    from lean_agent.prover.saved.trees import load_search

    search = load_search(tree)
    if html is None:
        print(as_text(search, failures=failures), end="")
    else:
        write_atomically(html, as_html(search).encode())
        print(f"The page: {html}")
