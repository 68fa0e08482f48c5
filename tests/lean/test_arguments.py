"""Check what a Lean server refuses: every method, at once, in one sentence, by our errors that are Python's as well."""

from __future__ import annotations

import asyncio
import inspect
import pydoc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_agent.errors import LeanRequestError, LeanTypeError, LeanValueError, TacticFailure
from lean_agent.lean.cluster.ray_pool import RayPool
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool, PoolLimits
from lean_agent.lean.server import LeanServer
from lean_agent.lean.types import GoalState, LeanMessage, LeanProject, TheoremSite

PROJECT = LeanProject(Path("src"), Path("build"))
STATE = GoalState("True", (), ())
SITE = TheoremSite(PROJECT, "A.lean", "a")


@pytest.fixture(scope="module", params=["mock", "pool"])
def server(request: pytest.FixtureRequest) -> Iterator[Any]:
    """No Lean is started: what is refused is refused before."""
    server: Any
    with MockLeanServer() if request.param == "mock" else LeanPool(1) as server:
        yield server
        assert request.param == "mock" or server.pids() == []


WRONG_TYPES: list[Callable[[Any], object]] = [
    lambda lean: lean.goal_start(123),
    lambda lean: lean.goal_start(None),
    lambda lean: lean.goal_starts("True"),
    lambda lean: lean.goal_starts(["True", 3]),
    lambda lean: lean.goal_tactic(STATE, None),
    lambda lean: lean.goal_tactic("True", "simp"),
    lambda lean: lean.goal_tactics([STATE]),
    lambda lean: lean.goal_tactics([(STATE, b"simp")]),
    lambda lean: lean.goal_tactics(3),
    lambda lean: lean.goal_splits(STATE),
    lambda lean: lean.goal_lemmas(STATE),
    lambda lean: lean.goal_consequences(STATE),
    lambda lean: lean.release(None),
    lambda lean: lean.trace_file("src", "A.lean"),
    lambda lean: lean.trace_file(PROJECT, Path("A.lean")),
    lambda lean: lean.variants(PROJECT, "A.lean", "a"),
    lambda lean: lean.module_path(PROJECT, None),
    lambda lean: lean.check(None),
    lambda lean: lean.check("", project="src"),
    lambda lean: lean.verify("a", "rfl"),
    lambda lean: lean.verify(SITE, None),
    lambda lean: lean.verify(SITE, "rfl", allowed_axioms="propext"),
    lambda lean: lean.goal_start("True", timeout_s="3"),
    lambda lean: lean.check("", timeout_s=True),
    lambda lean: asyncio.run(lean.goal_start_async(123)),
    lambda lean: asyncio.run(lean.goal_tactic_async(STATE, None)),
    lambda lean: asyncio.run(lean.check_async(3)),
]


@pytest.mark.parametrize("call", WRONG_TYPES, ids=lambda call: inspect.getsource(call).strip()[13:-1])
def test_wrong_types(server: Any, call: Callable[[Any], object]) -> None:
    with pytest.raises(LeanTypeError, match=r"^\w+\.\w+: \S+ must be .*, not .*\.$") as caught:
        call(server)
    assert issubclass(LeanTypeError, TypeError) and issubclass(LeanTypeError, LeanRequestError)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("timeout_s", [-1, 0, 0.0, float("nan"), float("inf")])
@pytest.mark.parametrize(
    "call",
    [
        lambda lean, **options: lean.goal_start("True", **options),
        lambda lean, **options: lean.goal_starts([], **options),
        lambda lean, **options: lean.goal_tactic(STATE, "simp", **options),
        lambda lean, **options: lean.goal_tactics([], **options),
        lambda lean, **options: lean.check("", **options),
        lambda lean, **options: lean.verify(SITE, "rfl", **options),
    ],
)
def test_times_that_are_none(server: Any, call: Callable[..., object], timeout_s: float) -> None:
    with pytest.raises(LeanValueError, match=r"^\w+\.\w+: timeout_s must be a number of seconds above 0") as caught:
        call(server, timeout_s=timeout_s)
    assert issubclass(LeanValueError, ValueError) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: LeanPool(workers="2"), LeanTypeError),  # type: ignore[arg-type]
        (lambda: LeanPool(workers=True), LeanTypeError),
        (lambda: LeanPool(workers=1.5), LeanTypeError),  # type: ignore[arg-type]
        (lambda: LeanPool(workers=0), LeanValueError),
        (lambda: LeanPool(limits=10), LeanTypeError),  # type: ignore[arg-type]
        (lambda: RayPool(workers="2"), LeanTypeError),  # type: ignore[arg-type]
        (lambda: RayPool(members=0), LeanValueError),
        (lambda: PoolLimits(tactic_timeout_s=-1), LeanValueError),
        (lambda: PoolLimits(verify_timeout_s=float("nan")), LeanValueError),
        (lambda: PoolLimits(start_timeout_s="3"), LeanTypeError),  # type: ignore[arg-type]
        (lambda: PoolLimits(requests=0), LeanValueError),
    ],
)
def test_pools_and_limits_that_make_no_sense(make: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^\w+: \w+ must be .*, not "):
        make()


def test_a_closed_pool_says_so() -> None:
    pool = LeanPool(1)
    pool.close()
    for call in (
        lambda: pool.goal_start("True"),
        lambda: pool.check(""),
        lambda: pool.release([]),
        lambda: asyncio.run(pool.goal_start_async("True")),
    ):
        with pytest.raises(LeanRequestError, match="this Lean pool is closed"):
            call()


@pytest.mark.lean
def test_an_empty_tactic_is_called_empty(lean: LeanPool) -> None:
    for server in (lean, MockLeanServer()):
        state = server.goal_start("True")
        for tactic in ("", "  \n", "-- x", "-- x\n  -- y", "/- x -/", " /- x /- y -/ -/\n-- z\n"):
            with pytest.raises(TacticFailure, match="the tactic is empty") as caught:
                server.goal_tactic(state, tactic)
            assert caught.value.kind == "parse"
    assert lean.goal_tactic(lean.goal_start("True"), "/- x -/ trivial -- y").is_solved
    with pytest.raises(TacticFailure, match="unterminated comment"):
        lean.goal_tactic(lean.goal_start("True"), "/- x /- y -/")


@pytest.mark.lean
def test_a_state_of_another_pool_is_rebuilt_and_one_of_another_kind_is_refused(lean: LeanPool) -> None:
    with LeanPool(1) as other:
        state = other.goal_tactic(other.goal_start("∀ p : Prop, p → p"), "intro p h")
    assert lean.goal_tactic(state, "exact h").is_solved
    mock = MockLeanServer()
    with pytest.raises(LeanRequestError, match="comes from another kind of server"):
        lean.goal_tactic(mock.goal_start("True"), "trivial")


def test_help_says_units_and_errors() -> None:
    methods = [name for name in vars(LeanServer) if not name.startswith("_") and name != "close"]
    for name in methods:
        member = getattr(LeanPool, name)
        text = inspect.getdoc(member) or ""
        assert text and not text.startswith("See"), name
        if callable(member) and "timeout_s" in inspect.signature(member).parameters:
            assert "seconds" in text and "Raises:" in text, name
    page = pydoc.plain(pydoc.render_doc(LeanPool.goal_tactic))
    assert "wall-clock seconds" in page and "TacticFailure: the tactic failed" in page
    assert "timeout_s" in page.splitlines()[2]
    assert "async goal_tactic_async(self, state: 'GoalState'" in pydoc.plain(
        pydoc.render_doc(LeanPool.goal_tactic_async)
    )


def test_an_override_that_passes_its_options_on_is_held_to_the_contract() -> None:
    class Forwarding(MockLeanServer):
        def check(self, text: str, **options: Any) -> tuple[LeanMessage, ...]:
            return super().check(text, **options)

    server = Forwarding()
    assert server.check("", timeout_s=1.0) == ()
    with pytest.raises(LeanTypeError, match=r"Forwarding\.check has no setting 'timeout'.*timeout_s"):
        server.check("", timeout=1.0)
    with pytest.raises(LeanValueError, match=r"Forwarding\.check: timeout_s"):
        asyncio.run(server.check_async("", timeout_s=-1.0))
