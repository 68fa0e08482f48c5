"""A pocket-size propositional logic: the world that the mock server's goals live in.

Owns the grammar (``∀ (p q : Prop), …``, ``→ ∧ ∨ ↔ ¬``, anything else an atom) and what a dozen tactics do to a goal,
printed as Lean prints them. Knows nothing of servers, states or theorems, and is no judge of real mathematics: names
are not resolved, so a misspelt atom is simply another atom.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from lean_agent.lean.types import Goal, Variable

Connective = Literal["∧", "∨", "→", "↔"]
PRECEDENCE: dict[str, int] = {"↔": 20, "→": 25, "∨": 30, "∧": 35}
NOT_PRECEDENCE = 40
TOKEN = re.compile(r"[∀→∧∨↔¬(),]|[^∀→∧∨↔¬(),]+")
BINDER = re.compile(r"^([^:]+):(.+)$", re.DOTALL)


class RuleError(Exception):
    """A tactic that does not apply; the message is worded as Lean would."""


@dataclass(frozen=True, slots=True)
class Atom:
    """Text that the logic does not look into."""

    text: str


@dataclass(frozen=True, slots=True)
class Binary:
    """``left op right``; all four connectives group to the right, except ``↔``, which never chains."""

    op: Connective
    left: Formula
    right: Formula


@dataclass(frozen=True, slots=True)
class Not:
    """``¬body``."""

    body: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    """``∀ (name : sort), body``, one name at a time."""

    name: str
    sort: str
    body: Formula


Formula = Atom | Binary | Not | Forall


class _Parser:
    """Recursive descent with precedence climbing over the tokens of one formula."""

    def __init__(self, text: str) -> None:
        self.tokens = [token for raw in TOKEN.findall(text) if (token := " ".join(raw.split()))]
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise ValueError(f"expected {expected or 'a proposition'}, found {token or 'the end'}")
        self.at += 1
        return token

    def formula(self, least: int = 0) -> Formula:
        left = self.operand()
        while PRECEDENCE.get(self.peek(), -1) >= least:
            op = self.take()
            below = PRECEDENCE[op] + (1 if op == "↔" else 0)
            left = Binary(op, left, self.formula(below))  # type: ignore[arg-type]  # a key of PRECEDENCE
        return left

    def operand(self) -> Formula:
        token = self.take()
        if token == "¬":
            return Not(self.formula(NOT_PRECEDENCE))
        if token == "∀":
            return self.forall()
        if token == "(":
            inner = self.formula()
            self.take(")")
            return inner
        if token in PRECEDENCE or token in "),":
            raise ValueError(f"expected a proposition, found {token}")
        return Atom(token + self.arguments())

    def arguments(self) -> str:
        """Read the rest of an atom that goes on with parentheses, such as ``f (x) = 2``."""
        text, depth = "", 0
        while self.peek() == "(" or (depth and self.peek()):
            token = self.take()
            depth += {"(": 1, ")": -1}.get(token, 0)
            text += f" {token}" if token == "(" else token
            if not depth and self.peek() and self.peek()[0] not in "∀→∧∨↔¬(),":
                text += f" {self.take()}"
        if depth:
            raise ValueError("expected ), found the end")
        return text

    def forall(self) -> Formula:
        names: list[tuple[str, str]] = []
        while (token := self.take()) != ",":
            match = BINDER.match(self.take() if token == "(" else token)
            if match is None:
                raise ValueError(f"expected names and their type after ∀, found {token}")
            names += [(name, match[2].strip()) for name in match[1].split()]
            if token == "(":
                self.take(")")
        body = self.formula()
        for name, sort in reversed(names):
            body = Forall(name, sort, body)
        return body


def parse(text: str) -> Formula:
    """Read a proposition.

    Raises:
        ValueError: brackets that do not match, or a connective without its operand.
    """
    parser = _Parser(text)
    formula = parser.formula()
    if parser.peek():
        raise ValueError(f"expected the end, found {parser.peek()}")
    return formula


def show(formula: Formula, least: int = 0) -> str:
    """Print as Lean does, with the fewest parentheses, but that a ``∀`` inside a formula always has its own."""
    match formula:
        case Atom(text):
            return text
        case Not(body):
            return f"¬{show(body, NOT_PRECEDENCE)}"
        case Forall(name, sort, body):
            text, precedence = f"∀ ({name} : {sort}), {show(body)}", 0
        case Binary(op, left, right):
            precedence = PRECEDENCE[op]
            rest = show(right, precedence + (1 if op == "↔" else 0))
            text = f"{show(left, precedence + 1)} {op} {rest}"
    return f"({text})" if precedence < least else text


def rename(formula: Formula, old: str, new: str) -> Formula:
    """Replace a name, word by word inside atoms."""
    match formula:
        case Atom(text):
            return Atom(re.sub(rf"(?<![\w']){re.escape(old)}(?![\w'])", new, text))
        case Not(body):
            return Not(rename(body, old, new))
        case Forall(name, sort, body):
            return formula if name == old else Forall(name, sort, rename(body, old, new))
        case Binary(op, left, right):
            return Binary(op, rename(left, old, new), rename(right, old, new))


def make_goal(target: str, variables: tuple[Variable, ...] = (), name: str | None = None) -> Goal:
    """Return a goal with its text as Lean prints it; neighbours of one type share a line."""
    lines: list[tuple[list[str], str]] = []
    for variable in variables:
        if lines and lines[-1][1] == variable.type:
            lines[-1][0].append(variable.name)
        else:
            lines.append(([variable.name], variable.type))
    shown = [f"case {name}"] if name else []
    shown += [f"{' '.join(names)} : {type_}" for names, type_ in lines]
    return Goal(id="", target=target, variables=variables, name=name, text="\n".join([*shown, f"⊢ {target}"]))


def read_goal(text: str) -> Goal:
    """Read the goal that prints as ``text``; text without ``⊢`` is a target alone."""
    if "⊢" not in text:
        return make_goal(text.strip())
    context, target = text.split("⊢", 1)
    name: str | None = None
    variables: list[Variable] = []
    for line in context.strip().splitlines():
        if line.startswith("case "):
            name = line.removeprefix("case ").strip()
        elif match := BINDER.match(line):
            type_ = match[2].strip()
            variables += [
                Variable(hypothesis, type_, is_inaccessible=hypothesis.endswith("✝")) for hypothesis in match[1].split()
            ]
    return make_goal(target.strip(), tuple(variables), name)


def run_tactic(goal: Goal, tactic: str) -> list[Goal]:
    """Return the goals that take the place of ``goal``.

    Raises:
        RuleError: the tactic is none of ours, or does not apply here.
    """
    head, *arguments = tactic.split()
    rule = RULES.get(head)
    if rule is None:
        raise RuleError(f"unknown tactic '{head}'")
    return rule(goal, arguments)


def _with(goal: Goal, target: Formula, tag: str | None = None) -> Goal:
    """Return the same context with another target; a tag is appended to the goal's own."""
    name = ".".join(part for part in (goal.name, tag) if part) or None
    return make_goal(show(target), goal.variables, name)


def understands(goal: Goal) -> bool:
    """Check whether target and hypotheses are all of this logic's grammar."""
    try:
        for text in (goal.target, *(variable.type for variable in goal.variables)):
            parse(text)
    except ValueError:
        return False
    return True


def _read(text: str) -> Formula:
    """Read a proposition; what does not read as such is an atom."""
    try:
        return parse(text)
    except ValueError:
        return Atom(text)


def _target(goal: Goal) -> Formula:
    return _read(goal.target)


def _term(goal: Goal, term: str) -> Formula:
    """Return the proposition that ``h``, ``h.1``, ``h.left`` … proves."""
    name, *projections = term.split(".")
    variable = next((v for v in reversed(goal.variables) if v.name == name and not v.is_inaccessible), None)
    if variable is None:
        raise RuleError(f"Unknown identifier `{name}`")
    formula = _read(variable.type)
    for projection in projections:
        match formula:
            case Binary("∧", left, right) if projection in ("1", "left", "2", "right"):
                formula = left if projection in ("1", "left") else right
            case Binary("↔", left, right) if projection in ("1", "mp", "2", "mpr"):
                forward = projection in ("1", "mp")
                formula = Binary("→", left, right) if forward else Binary("→", right, left)
            case _:
                raise RuleError(f"Invalid projection `.{projection}` of {show(formula)}")
    return formula


def _intro(goal: Goal, names: list[str]) -> list[Goal]:
    for name in names or ["a✝"]:
        match _target(goal):
            case Forall(bound, sort, body):
                variable, target = Variable(name, sort, is_inaccessible=name.endswith("✝")), rename(body, bound, name)
            case Binary("→", left, right):
                variable, target = Variable(name, show(left), is_inaccessible=name.endswith("✝")), right
            case Not(body):
                variable, target = Variable(name, show(body), is_inaccessible=name.endswith("✝")), Atom("False")
            case _:
                raise RuleError("Tactic `introN` failed: there are no additional binders to introduce")
        goal = make_goal(show(target), (*goal.variables, variable), goal.name)
    return [goal]


def _constructor(goal: Goal, _: list[str]) -> list[Goal]:
    match _target(goal):
        case Binary("∧", left, right):
            return [_with(goal, left, "left"), _with(goal, right, "right")]
        case Binary("↔", left, right):
            return [_with(goal, Binary("→", left, right), "mp"), _with(goal, Binary("→", right, left), "mpr")]
        case Atom("True"):
            return []
    raise RuleError("Tactic `constructor` failed: no applicable constructors found")


def _side(goal: Goal, left_side: bool) -> list[Goal]:
    match _target(goal):
        case Binary("∨", left, right):
            return [_with(goal, left if left_side else right)]
    raise RuleError(f"Tactic `{'left' if left_side else 'right'}` failed: target is not a disjunction")


def _assumption(goal: Goal, _: list[str]) -> list[Goal]:
    if all(variable.type != goal.target for variable in goal.variables):
        raise RuleError("Tactic `assumption` failed")
    return []


def _trivial(goal: Goal, arguments: list[str]) -> list[Goal]:
    return [] if goal.target == "True" else _assumption(goal, arguments)


def _exact(goal: Goal, arguments: list[str]) -> list[Goal]:
    proves = _term(goal, " ".join(arguments))
    if show(proves) != goal.target:
        raise RuleError(f"Type mismatch: {' '.join(arguments)} has type {show(proves)} but is expected {goal.target}")
    return []


def _apply(goal: Goal, arguments: list[str]) -> list[Goal]:
    formula, needed = _term(goal, " ".join(arguments)), list[Formula]()
    while show(formula) != goal.target:
        match formula:
            case Binary("→", left, right):
                needed.append(left)
                formula = right
            case Not(body):
                needed.append(body)
                formula = Atom("False")
            case _:
                raise RuleError(f"Tactic `apply` failed: could not unify the conclusion of `{' '.join(arguments)}`")
    return [_with(goal, premise) for premise in needed]


def _cases(goal: Goal, arguments: list[str]) -> list[Goal]:
    if len(arguments) != 1:
        raise RuleError("Tactic `cases` of the mock takes the name of one hypothesis")
    name, formula = arguments[0], _term(goal, arguments[0])
    rest = tuple(v for v in goal.variables if v.name != name)
    hidden = Variable("h✝", "", is_inaccessible=True)
    match formula:
        case Binary("∧", left, right):
            both = (replace(hidden, name="left✝", type=show(left)), replace(hidden, name="right✝", type=show(right)))
            return [make_goal(goal.target, (*rest, *both), goal.name)]
        case Binary("∨", left, right):
            return [
                _with(make_goal(goal.target, (*rest, replace(hidden, type=show(side))), goal.name), _target(goal), tag)
                for side, tag in ((left, "inl"), (right, "inr"))
            ]
        case Atom("False"):
            return []
    raise RuleError(f"Tactic `cases` failed: {show(formula)} has no constructors here")


RULES: dict[str, Callable[[Goal, list[str]], list[Goal]]] = {
    "skip": lambda goal, _: [goal],
    "intro": _intro,
    "constructor": _constructor,
    "left": lambda goal, _: _side(goal, True),
    "right": lambda goal, _: _side(goal, False),
    "assumption": _assumption,
    "trivial": _trivial,
    "exact": _exact,
    "apply": _apply,
    "cases": _cases,
}
