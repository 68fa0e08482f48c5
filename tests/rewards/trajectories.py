"""Trajectories for tests: by hand, and at random."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from lean_agent.lean.types import Goal, Variable
from lean_agent.policy.base import Completion
from lean_agent.trajectory import ProofStep, ProofTrajectory


def goal(target: str, **hypotheses: str) -> Goal:
    """A goal as Lean prints it."""
    variables = tuple(Variable(name, text) for name, text in hypotheses.items())
    text = "\n".join([*(f"{v.name} : {v.type}" for v in variables), f"⊢ {target}"])
    return Goal(id=text, target=target, variables=variables, text=text)


def attempt(*states: Sequence[Goal], tactics: Sequence[str] = (), proved: bool = False) -> ProofTrajectory:
    """Steps that led through these states, each of them accepted."""
    names = [*tactics, *(f"t{i}" for i in range(len(tactics), len(states)))]
    steps = [
        ProofStep(tactic, tuple(before), tuple(after))
        for tactic, before, after in zip(names, states[:-1], states[1:], strict=False)
    ]
    return ProofTrajectory("t", "True", tuple(states[0]), tuple(steps), "proved" if proved else "open")


TARGETS = ["p ∧ q → q ∧ p", "n + 0 = n", "2 ∣ n * 2", "x ∈ xs ++ ys", "a ≤ max a b", "f x = y", "False"]
TACTICS = ["intro h", "simp", "exact h", "omega", "induction n with\n| zero => ?_\n| succ n ih => ?_", "", "sorry"]

goals = st.builds(
    lambda target, kept: goal(target, **{f"h{i}": text for i, text in enumerate(kept)}),
    st.sampled_from(TARGETS),
    st.lists(st.sampled_from(TARGETS), max_size=3),
)
completions = st.none() | st.builds(
    lambda text, tokens, finished: Completion(text, -1.0, tokens, finished),
    st.sampled_from(["```lean\nsimp\n```", *TACTICS]),
    st.integers(1, 4000),
    st.booleans(),
)


@st.composite
def trajectories(draw: st.DrawFn, outcome: str) -> ProofTrajectory:
    """Any attempt that ends like this; a proved one has neither cheated nor left a goal open."""
    state = tuple(draw(st.lists(goals, min_size=1, max_size=3)))
    start, steps = state, []
    for _ in range(draw(st.integers(0, 6))):
        kinds = [None, "error", "parse", "timeout"] + (["sorry", "forbidden"] if outcome != "proved" else [])
        failure = draw(st.sampled_from(kinds))
        after = tuple(draw(st.lists(goals, max_size=4))) if failure is None else None
        step = ProofStep(
            draw(st.sampled_from(TACTICS)),
            state,
            after,
            failure,  # type: ignore[arg-type]  # one of them
            completion=draw(completions),
            seconds=draw(st.floats(0, 1e6)),
        )
        steps.append(step)
        state = state if after is None else after
        if not state:
            break
    if outcome == "proved":
        steps.append(ProofStep("done", state, (), completion=draw(completions)))
    difficulty = draw(st.none() | st.floats(0, 1))
    name = draw(st.sampled_from(["a", "b"]))
    return ProofTrajectory(name, "True", start, tuple(steps), outcome, difficulty=difficulty)  # type: ignore[arg-type]
