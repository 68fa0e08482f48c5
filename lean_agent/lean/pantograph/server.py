"""``Server``: PyPantograph's Python API (method names and meaning of v0.3.15), sync and async.

Owns the translation between methods and commands of the line protocol. Knows nothing of what answers them: embedded
Lean by default, or any program that speaks the protocol (``repl=…``).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lean_agent.errors import LeanError, LeanTimeout
from lean_agent.lean.embedded.install import LEAN_VERSION
from lean_agent.lean.facade import OwnLoop, plain
from lean_agent.lean.pantograph.transport import (
    EmbeddedTransport,
    LeanServerTransport,
    ReplTransport,
    Transport,
    find_pantograph,
)
from lean_agent.lean.pantograph.types import (
    CheckTrackResult,
    CompilationUnit,
    Expr,
    Goal,
    GoalState,
    Message,
    ParseError,
    SearchTarget,
    ServerError,
    Site,
    Subsumption,
    Tactic,
    TacticDraft,
    TacticExpr,
    TacticFailure,
    TacticHave,
    TacticLet,
    TacticMode,
    parse_expr,
)
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.server import LeanServer

Json = dict[str, Any]


PROTOCOL_VERSION = "0.3.15"


def get_version() -> str:
    """Return the protocol's version, and the embedded Lean behind it."""
    return f"{PROTOCOL_VERSION} (embedded Lean {LEAN_VERSION})"


class Server:
    """A Lean server as PyPantograph's users know it. Every method that asks Lean has an ``…_async`` twin.

    Methods raise :class:`ServerError` for a command that was refused and for a server that failed; Lean's process is
    replaced then, and on embedded Lean the states come back by themselves.

    Args:
        imports: modules to import. On embedded Lean: modules of ``Init``, ``Std``, ``Lean``, ``Lake``.
        project_path: the folder of a Lake project, for ``repl`` only.
        lean_path: ``LEAN_PATH``, for ``repl`` only; by default what `lake env` says in ``project_path``.
        options: the session's options (``options.set`` of the protocol), such as ``{"automaticMode": False}``.
        core_options: Lean's options, as ``name=value``.
        timeout: wall-clock seconds of one command.
        buffer_limit: taken and without effect: an answer may be of any length.
        pool: Lean processes to share; by default one of the server's own. Another Lean server will do for goals and
            tactics: the mock, in tests of code that needs a ``Server``.
        repl: what to use instead of embedded Lean: ``"native"`` for the ``pantograph-repl`` that is found (see
            :func:`~lean_agent.lean.pantograph.transport.find_pantograph`), its path, or the command line of any program
            that speaks the line protocol.

    Raises:
        LeanInstallError: ``repl`` is ``"native"`` or a path, and there is no such program.
    """

    def __init__(  # noqa: PLR0917  # the order of PyPantograph's parameters
        self,
        imports: Sequence[str] = ("Init",),
        project_path: str | Path | None = None,
        lean_path: str | None = None,
        options: Json | None = None,
        core_options: Sequence[str] = (),
        timeout: float = 60,
        buffer_limit: int | None = None,
        *,
        pool: LeanPool | LeanServer | None = None,
        repl: str | Path | Sequence[str] | None = None,
    ) -> None:
        if repl is None and (project_path is not None or lean_path is not None):
            raise ServerError(
                "project_path and lean_path are not supported by embedded Lean, which reads only modules that it "
                "compiled itself: trace the project and start from its theorems (LeanPool), or give "
                'repl="native" or the path of a pantograph-repl'
            )
        self.imports = list(imports)
        self.project_path = project_path
        self.lean_path = lean_path
        self.options: Json = dict(options or {})
        self.core_options = list(core_options)
        self.timeout = timeout
        self.buffer_limit = buffer_limit
        self.to_remove_goal_states: list[int] = []  # another list as soon as numbers of states come again
        self._configured = False
        self._transport: Transport
        if repl is not None:
            if isinstance(repl, str | Path):
                repl = [str(find_pantograph(None if repl == "native" else Path(repl)))]
            command = [*repl, *imports, *(f"--{option}" for option in core_options)]
            folder = Path(project_path) if project_path is not None else None
            self._transport = ReplTransport(command, cwd=folder, lean_path=lean_path, timeout_s=timeout)
        elif pool is None or isinstance(pool, LeanPool):
            self._transport = EmbeddedTransport(imports, core_options, timeout, pool)
        else:
            self._transport = LeanServerTransport(pool)
        self._generation = self._transport.generation

    @classmethod
    async def create(cls, *args: Any, start: bool = True, **kwargs: Any) -> Server:
        """Make a server from an event loop; ``start`` has Lean running on return."""
        server = cls(*args, **kwargs)
        if start:
            await server.run_async("stat", {})
        return server

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the Lean process, unless it is a pool's. Idempotent."""
        self._transport.close()

    @property
    def loop(self) -> OwnLoop:
        """Where plain methods wait for their coroutines."""
        return self._transport.loop

    def is_automatic(self) -> bool:
        """Check whether goals stay in scope by themselves (the option ``automaticMode``)."""
        return bool(self.options.get("automaticMode", True))

    async def restart_async(self) -> None:
        """Begin anew: no states, the environment of the imports."""
        await self._transport.restart()

    def _catch_up(self) -> None:
        """Part with the states of a process that is gone."""
        if self._generation != self._transport.generation:
            self._generation = self._transport.generation
            self._configured = False
            self.to_remove_goal_states = []

    def _number(self, state: GoalState) -> int:
        """Return a state's number, by which another one may go in the meantime."""
        self._catch_up()
        if state._sentinel is not self.to_remove_goal_states:
            raise ServerError(
                f"State {state.state_id} is gone with the process that held it, or was another server's: start again."
            )
        return state.state_id

    async def run_async(self, cmd: str, payload: Json) -> Json:
        """Run one raw command of the line protocol; its errors are answers.

        Raises:
            ServerError: Lean failed, or took over ``timeout`` seconds.
        """
        self._catch_up()
        try:
            if self.options and not self._configured:
                answer = await self._transport.run("options.set", self.options)
                if "error" in answer:
                    raise ServerError(answer)
                self._configured = True
            answer = await self._transport.run(cmd, payload)
        except LeanTimeout as e:
            raise ServerError(f"Server reached timeout limit: {e}") from e
        except ServerError:
            raise
        except LeanError as e:
            raise ServerError(str(e)) from e
        if cmd == "reset" and "error" not in answer:
            self.to_remove_goal_states = []
        return answer

    async def _told(self, cmd: str, payload: Json) -> Json:
        answer = await self.run_async(cmd, payload)
        if "error" in answer:
            raise ServerError(answer)
        return answer

    # -- goals

    async def gc_async(self) -> None:
        """Forget the states that are no longer referred to."""
        states, self.to_remove_goal_states[:] = list(self.to_remove_goal_states), []
        if states:
            await self._told("goal.delete", {"stateIds": states})

    async def goal_start_async(self, expr: Expr, levels: Sequence[str] = ()) -> GoalState:
        """Return a state with one goal, whose target is ``expr``; ``levels`` names the universes that it speaks of."""
        answer = await self._told("goal.start", {"expr": expr, **({"levels": list(levels)} if levels else {})})
        return await self._printed(answer["stateId"])

    async def _printed(self, state_id: int) -> GoalState:
        answer = await self._told("goal.print", {"stateId": state_id, "goals": True})
        return GoalState.parse_inner(
            state_id,
            answer["goals"],
            [],
            self.to_remove_goal_states,
            has_dormant=not answer["goals"] and _is_open(answer),
        )

    async def _state(self, answer: Json) -> GoalState:
        """Return the state of an answer. One without goals may have dormant ones, or holes, which only its root
        knows."""
        dormant = not answer["goals"] and _is_open(await self._told("goal.print", {"stateId": answer["nextStateId"]}))
        return GoalState.parse(answer, answer.get("messages") or [], self.to_remove_goal_states, has_dormant=dormant)

    async def goal_root_async(self, state: GoalState) -> Expr | None:
        """Return the term found so far, printed; ``None`` before the first step."""
        answer = await self._told("goal.print", {"stateId": self._number(state), "rootExpr": True})
        return parse_expr(answer["root"]) if answer.get("root") else None

    async def goal_tactic_async(self, state: GoalState, tactic: Tactic, site: Site | None = None) -> GoalState:
        """Run a tactic on a goal of a state. The state itself stays as it was.

        Raises:
            TacticFailure: it failed, does not parse, or leaves a ``sorry`` or something unsafe.
        """
        shown = tactic if isinstance(tactic, str) else repr(tactic)
        payload = {"stateId": self._number(state), **(site or Site()).serial(), **_fields(tactic)}
        answer = await self._told("goal.tactic", payload)
        if answer.get("parseError") is not None:
            raise TacticFailure(answer, shown, "parse")
        messages = answer.get("messages") or []
        if "goals" not in answer:
            raise TacticFailure([Message.parse(m) for m in messages], shown)
        for field, word in (("hasSorry", "sorry"), ("hasUnsafe", "unsafe")):
            if answer[field]:
                await self._told("goal.delete", {"stateIds": [answer["nextStateId"]]})
                raise TacticFailure(f"Tactic generated {word}", shown, "sorry" if word == "sorry" else "forbidden")
        return await self._state(answer)

    async def goal_continue_async(self, target: GoalState, branch: GoalState) -> GoalState:
        """After ``target`` has done with its goals, take up those of ``branch``, one of its ancestors."""
        answer = await self._told("goal.continue", {"target": self._number(target), "branch": self._number(branch)})
        return await self._state(answer)

    async def goal_resume_async(self, state: GoalState, goals: Sequence[Goal]) -> GoalState:
        """Bring goals back into scope."""
        payload = {"target": self._number(state), "goals": [goal.id for goal in goals]}
        answer = await self._told("goal.continue", payload)
        return await self._state(answer)

    async def goal_subsume_async(
        self, state: GoalState, goal: Goal, candidates: Sequence[Goal], src_state: GoalState | None = None
    ) -> tuple[Subsumption, GoalState | None, Goal | None]:
        """Check whether ``goal`` is solved by whatever solves one of ``candidates``.

        Returns:
            What was found; the state without the goal, where it is subsumed; the candidate that subsumes it.
        """
        payload: Json = {"stateId": self._number(state), "goal": goal.id, "candidates": [c.id for c in candidates]}
        if src_state is not None:
            payload["srcStateId"] = self._number(src_state)
        answer = await self._told("goal.subsume", payload)
        subsumptor = next((c for c in candidates if c.id == answer.get("subsumptor")), None)
        following = await self._printed(answer["stateId"]) if answer.get("stateId") is not None else None
        return Subsumption[answer["result"].upper()], following, subsumptor

    async def goal_save_async(self, goal_state: GoalState, path: str | os.PathLike[str]) -> None:
        """Save a state to a file. The environment is not saved with it."""
        await self._told("goal.save", {"id": self._number(goal_state), "path": os.path.abspath(path)})

    async def goal_load_async(self, path: str | os.PathLike[str]) -> GoalState:
        """Load a state that was saved in an environment like this server's."""
        return await self._printed((await self._told("goal.load", {"path": os.path.abspath(path)}))["id"])

    # -- expressions and the environment

    async def expr_type_async(self, expr: Expr) -> Expr:
        """Return the type of an expression, printed."""
        return parse_expr((await self._told("expr.echo", {"expr": expr}))["type"])

    async def env_add_async(self, name: str, levels: Sequence[str], t: Expr, v: Expr, is_theorem: bool = True) -> None:
        """Add a theorem or a definition, once the kernel has accepted it."""
        payload = {"name": name, "levels": list(levels), "type": t, "value": v, "isTheorem": is_theorem}
        await self._told("env.add", payload)

    async def env_catalog_async(self, module_prefix: str | None = None, invert_filter: bool = False) -> list[str]:
        """Return every constant's name, after a letter for its kind (a, d, t, o, q, i, c, r)."""
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
            payload: Json = {"filename": file.name, "invertFilter": invert_filter}
            if module_prefix is not None:
                payload["modulePrefix"] = module_prefix
            await self._told("env.catalog", payload)
            return [line.rstrip("\n") for line in file]

    async def env_inspect_async(self, name: str, print_value: bool = False, print_dependency: bool = False) -> Json:
        """Return type, module and kind of a constant, with its value and the constants that it uses where asked for."""
        payload = {"name": name, "value": print_value, "dependency": print_dependency, "source": True}
        return await self._told("env.inspect", payload)

    async def env_module_read_async(self, module: str) -> Json:
        """Return what a module imports, and the constants in it."""
        return await self._told("env.module_read", {"module": module})

    async def env_parse_async(self, src: str, category: str = "tactic") -> tuple[str, str]:
        """Split a text after the first piece of syntax of a category.

        Raises:
            ParseError: it does not begin with one.
        """
        answer = await self.run_async("env.parse", {"input": src, "category": category})
        if answer.get("error") == "parse":
            raise ParseError(answer["desc"])
        if "error" in answer:
            raise ServerError(answer)
        data = src.encode()
        return data[: answer["pos"]].decode(), data[answer["pos"] :].decode()

    async def env_save_async(self, path: str | os.PathLike[str]) -> None:
        """Save the environment to a file (refused by embedded Lean)."""
        await self._told("env.save", {"path": os.path.abspath(path)})

    async def env_load_async(self, path: str | os.PathLike[str]) -> None:
        """Load an environment from a file (refused by embedded Lean)."""
        await self._told("env.load", {"path": os.path.abspath(path)})

    # -- whole texts

    async def _processed(self, **payload: Any) -> Json:
        fixed = {"readHeader": False, "inheritEnv": False, "newConstants": False}
        return await self._told("frontend.process", {**fixed, **payload})

    async def load_header_async(self, header: str) -> None:
        """Take the environment and scope that a header leaves (``import``, ``open``, ``universe``, …)."""
        await self._processed(file=header, readHeader=True, inheritEnv=True)

    async def load_definitions_async(self, snippet: str) -> None:
        """Add what a text declares to the environment; states that are there already do not see it."""
        await self._processed(file=snippet, inheritEnv=True)

    async def check_compile_async(
        self, code: str, new_constants: bool = False, read_header: bool = False
    ) -> list[CompilationUnit]:
        """Elaborate a text; the units tell what Lean said of each command."""
        answer = await self._processed(file=code, newConstants=new_constants, readHeader=read_header)
        return [CompilationUnit.parse(unit) for unit in answer["units"]]

    async def tactic_invocations_async(self, file_name: str | Path, tree_info: bool = False) -> list[CompilationUnit]:
        """Return every tactic of a file, with the goals before and after it. ``tree_info`` asks for the ids of these
        goals and for which tactic each is part of, by its index in its unit."""
        more = {"invocationTreeInfo": True} if tree_info else {}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "invocations.json"
            answer = await self._processed(fileName=str(file_name), invocations=str(path), readHeader=True, **more)
            data = json.loads(path.read_text("utf-8"))
        return [
            CompilationUnit.parse(unit, written["invocations"])
            for unit, written in zip(answer["units"], data["units"], strict=True)
        ]

    async def load_sorry_async(
        self, src: str, binder_name: str | None = None, ignore_values: bool = False
    ) -> list[SearchTarget]:
        """Return for each declaration of a text with holes a state whose goals they are, in the order of the text. A
        hole that speaks of another one's value speaks of its goal there.

        A declaration with a hole and the theorems of the text that speak of it make one state together.

        Args:
            binder_name: what the declaration is called in the goals of such a family; by default as in the text.
            ignore_values: the goals are the statements as a whole: ``∀ (p : Prop), p → p``, or for a family
                ``{ f // f 1 = 1 ∧ f 2 = 2 }``.
        """
        payload: Json = {"file": src, "ignoreValues": ignore_values}
        if binder_name is not None:
            payload["binderName"] = binder_name
        answer = await self._told("frontend.distil", payload)
        return [SearchTarget.parse(target, self.to_remove_goal_states) for target in answer["targets"]]

    async def check_track_async(self, src: str, dst: str) -> CheckTrackResult:
        """Check whether ``dst`` is the text ``src`` with its holes filled, and nothing else changed."""
        answer = await self._told("frontend.track", {"src": src, "dst": dst})
        return CheckTrackResult(
            [Message.parse(m) for m in answer["srcMessages"]],
            [Message.parse(m) for m in answer["dstMessages"]],
            answer.get("failure"),
        )

    async def refactor_search_target_async(self, code: str, core_options: Sequence[str] = ()) -> str:
        """Return the text with one definition, ``f_composite : { f // … }``, in the place of each declaration with a
        hole and the theorems that speak of it.

        Args:
            core_options: Lean's options for printing it, as ``name=value``.

        Raises:
            ServerError: Lean does not read the printed statement back as what it is.
        """
        answer = await self._told("frontend.refactor", {"file": code, "coreOptions": list(core_options)})
        return str(answer["file"])

    # -- the plain forms

    restart = plain(restart_async)
    run = plain(run_async)
    gc = plain(gc_async)
    goal_start = plain(goal_start_async)
    goal_root = plain(goal_root_async)
    goal_tactic = plain(goal_tactic_async)
    goal_continue = plain(goal_continue_async)
    goal_resume = plain(goal_resume_async)
    goal_subsume = plain(goal_subsume_async)
    goal_save = plain(goal_save_async)
    goal_load = plain(goal_load_async)
    expr_type = plain(expr_type_async)
    env_add = plain(env_add_async)
    env_catalog = plain(env_catalog_async)
    env_inspect = plain(env_inspect_async)
    env_module_read = plain(env_module_read_async)
    env_parse = plain(env_parse_async)
    env_save = plain(env_save_async)
    env_load = plain(env_load_async)
    load_header = plain(load_header_async)
    load_definitions = plain(load_definitions_async)
    check_compile = plain(check_compile_async)
    tactic_invocations = plain(tactic_invocations_async)
    load_sorry = plain(load_sorry_async)
    check_track = plain(check_track_async)
    refactor_search_target = plain(refactor_search_target_async)


def _is_open(printed: Json) -> bool:
    """Check whether a root is no proof yet: something in it is not settled, or is a hole."""
    return bool(printed["rootHasMVar"] or printed["rootHasSorry"])


def _fields(tactic: Tactic) -> Json:
    match tactic:
        case str():
            return {"tactic": tactic}
        case TacticHave() | TacticLet():
            kind = "have" if isinstance(tactic, TacticHave) else "let"
            return {kind: tactic.branch, **({"binderName": tactic.binder_name} if tactic.binder_name else {})}
        case TacticExpr():
            return {"expr": tactic.expr}
        case TacticDraft():
            return {"draft": tactic.expr}
        case TacticMode():
            return {"mode": tactic.serial()}
