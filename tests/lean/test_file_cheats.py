"""Files that would fool whoever judges them as a whole. Every verdict here comes from real Lean.

``cheats/files/*.lean`` holds one cheat a file. Its header says what is tried and what has to be said: ``NAME: KIND`` is
a verdict on a declaration (one whose name ends so), ``told: WORDS`` an error or problem of the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import FileVerdict, LeanProject

pytestmark = pytest.mark.lean

FOLDER = Path(__file__).parent / "cheats" / "files"
HEADER = re.compile(r"/-\n(?P<tries>.+?)\n\n(?P<expected>.+?)-/\n", re.DOTALL)


@dataclass(frozen=True)
class FileCheat:
    """A cheat as its file tells it."""

    name: str
    tries: str
    verdicts: tuple[tuple[str, str], ...]
    reasons: tuple[str, ...]


def read(path: Path) -> FileCheat:
    header = HEADER.match(path.read_text("utf-8"))
    assert header is not None, path
    lines = [line for line in header["expected"].splitlines() if not line.startswith("asks: ")]
    reasons = tuple(line.removeprefix("told: ") for line in lines if line.startswith("told: "))
    pairs = (line.rpartition(": ") for line in lines if not line.startswith("told: "))
    return FileCheat(path.stem, header["tries"], tuple((name, kind) for name, _, kind in pairs), reasons)


CHEATS = [read(path) for path in sorted(FOLDER.glob("*.lean"))]


def missing(cheat: FileCheat, verdict: FileVerdict) -> list[str]:
    """Return what should have been said of a cheat, and was not."""
    texts = [message.text for message in verdict.against]
    judged = [(declaration.name, declaration.verdict.kind) for declaration in verdict.declarations]
    return [
        *(words for words in cheat.reasons if not any(words in text for text in texts)),
        *(
            f"{name}: {kind}"
            for name, kind in cheat.verdicts
            if not any(n.endswith(name) and k == kind for n, k in judged)
        ),
    ]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    return LeanProject(root=FOLDER, build=tmp_path_factory.mktemp("build"))


def test_there_are_many_of_them() -> None:
    assert len(CHEATS) >= 80
    assert all(cheat.reasons or cheat.verdicts for cheat in CHEATS)
    assert all(kind != "accepted" for cheat in CHEATS for _, kind in cheat.verdicts)


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_a_file_that_cheats_is_refused_for_what_it_does(lean: LeanPool, project: LeanProject, cheat: FileCheat) -> None:
    verdict = lean.verify_file(project, f"{cheat.name}.lean")
    assert not verdict.accepted
    assert missing(cheat, verdict) == [], (verdict.declarations, verdict.against)
    assert all(d.verdict.reason for d in verdict.declarations if not d.verdict.accepted)


MEANINGS = {
    "notation": ('local notation "False" => True\ntheorem target : False := trivial', "True", ()),
    "shadowed": (
        "namespace N\ninductive False | intro\ntheorem target : Nonempty False := ⟨.intro⟩",
        "Nonempty N.False",
        (),
    ),
    "variable": ("variable (h : False)\ninclude h\ntheorem target : 1 = 2 := h.elim", "False → 1 = 2", ()),
    "auto-bound": (
        "set_option autoImplicit true\ntheorem target (h : Flase) : Nonempty Flase := ⟨h⟩",
        "∀ {Flase : Sort u_1}",
        (),
    ),
    "numeral": (
        "instance two : OfNat Nat 2 := ⟨nat_lit 1⟩\ntheorem target : (1 : Nat) = 2 := rfl",
        "1 = 2",
        ("two",),
    ),
    "unexpander": (
        "def Lie := True\n@[app_unexpander Lie] def un : Lean.PrettyPrinter.Unexpander := fun _ => `(1 = 2)\n"
        "theorem target : Lie := trivial",
        "Lie",
        (),
    ),
    "unexpander of Lean's own": (
        "@[app_unexpander Nat.succ] def un : Lean.PrettyPrinter.Unexpander := fun _ => `(0)\n"
        "theorem target (n : Nat) : Nat.succ n = n + 1 := rfl",
        "n.succ = n + 1",
        (),
    ),
    "coercion": (
        "instance co : Coe Bool Nat := ⟨fun _ => 5⟩\ntheorem target : ((true : Bool) : Nat) = 5 := rfl",
        "5 = 5",
        (),
    ),
}


@pytest.fixture(scope="module")
def meanings(tmp_path_factory: pytest.TempPathFactory) -> LeanProject:
    """A project for all: of texts that are none's each would have a process of its own, after one with programs."""
    return LeanProject(root=tmp_path_factory.mktemp("meanings"), build=tmp_path_factory.mktemp("build"))


@pytest.mark.parametrize("what", MEANINGS)
def test_a_statement_is_printed_as_what_it_means(lean: LeanPool, meanings: LeanProject, what: str) -> None:
    """Whatever a file makes of the words of its statements: nothing of the file is in force when they are printed."""
    text, printed, instances = MEANINGS[what]
    (meanings.root / "Meaning.lean").write_text(f"import Lean\n{text}\n", encoding="utf-8")
    verdict = lean.verify_file(meanings, "Meaning.lean")
    (target,) = verdict.claims
    assert target.verdict.accepted, verdict
    assert printed in target.verdict.statement
    assert target.instances == instances


ODD = {
    "a NUL byte": "theorem a : True := trivial\n\0\ntheorem b : False := sorry\n",
    "a mark of byte order in the middle": "theorem a : True := trivial\n\ufefftheorem b : False := sorry\n",
    "a carriage return alone": "theorem a : True := trivial --\rtheorem b : False\n\rtheorem c : False := sorry\n",
    "a line separator": "theorem a : True := trivial -- \u2028\ntheorem b : False := sorry\n",
    "a form feed": "theorem a : True := trivial\n\ftheorem b : False := sorry\n",
    "a very long line": "theorem a : True := trivial " + " " * 200_000 + "theorem b : False := sorry\n",
    "a long comment": "theorem a : True := trivial /-" + "-" * 200_000 + "-/ theorem b : False := sorry\n",
    "prelude": "prelude\ninductive False : Prop\n  | intro\ntheorem b : False := False.intro\n",
    "an import that is not there": "import Nowhere\ntheorem a : True := trivial\n",
    "an import in the wrong words": "import «Init\ntheorem a : True := trivial\n",
    "a header alone": "import Init\n",
    "nothing": "",
    "a comment alone": "-- theorem a : True := trivial\n",
    "no theorem": "def a : Nat := 5\n",
    "an unclosed name": "theorem «a : True := trivial\ntheorem b : False := sorry\n",
    "an unclosed string": 'theorem a : "x = "x" := rfl\ntheorem b : False := sorry\n',
}


@pytest.mark.parametrize("what", ODD)
def test_what_lean_reads_otherwise_hides_nothing(lean: LeanPool, what: str) -> None:
    verdict = lean.verify_text(ODD[what])
    assert not verdict.accepted, verdict
    if "sorry" in ODD[what] and what not in ("a carriage return alone",):
        assert verdict.against or any(d.verdict.kind == "sorry" for d in verdict.declarations)
