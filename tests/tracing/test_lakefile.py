from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lean_agent.errors import NotALeanProject
from lean_agent.lean.pool import LeanPool
from lean_agent.lean.types import LeanOptions, OptionValues, TheoremSite
from lean_agent.tracing import lean_project, local_repository, trace_repository
from lean_agent.tracing.project.lakefile import Lakefile

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("lakefile", "folders"),
    [
        ('name = "p"', ["."]),
        ('srcDir = "src"', ["src", "."]),
        ('[[lean_lib]]\nname = "P"\nsrcDir = "src"', ["src", "."]),
        ('[[lean_lib]]\nname = "P"\nsrcDir = "src"\n[[lean_lib]]\nname = "T"', ["src", "."]),
        ('srcDir = "src"\n[[lean_exe]]\nname = "x"\nsrcDir = "exe"', ["src", "src/exe", "."]),
        ('srcDir = "nowhere"', ["."]),
        ('srcDir = ".."', ["."]),
    ],
)
@pytest.mark.parametrize("inside", ["", "a/b"])
def test_source_folders(tmp_path: Path, write_project: Write, lakefile: str, folders: list[str], inside: str) -> None:
    write_project(tmp_path / inside, {"lakefile.toml": lakefile, "src/P.lean": "", "src/exe/X.lean": ""})
    expected = folders if not inside else [inside if folder == "." else f"{inside}/{folder}" for folder in folders]
    assert Lakefile.of(tmp_path, inside).sources == tuple(dict.fromkeys(expected))


def test_source_folders_of_a_lakefile_in_lean(tmp_path: Path, write_project: Write) -> None:
    lakefile = """
package p where
  srcDir := "src"  -- srcDir := "no"
/- srcDir := "no" -/
lean_exe x where
  srcDir := "exe"
"""
    files = ["src/P.lean", "src/exe/X.lean", "no/N.lean"]
    write_project(tmp_path, {"lakefile.lean": lakefile, **dict.fromkeys(files, "")})
    assert Lakefile.of(tmp_path).sources == ("src", "src/exe", ".")


def test_a_broken_lakefile_is_named(tmp_path: Path, write_project: Callable[..., Path]) -> None:
    root = write_project(tmp_path, {"lakefile.toml": "name = "})
    with pytest.raises(NotALeanProject, match=r"lakefile\.toml is no valid TOML"):
        Lakefile.of(root)


STRICT = ("autoImplicit", "false")
DEEP = ("maxSynthPendingDepth", "3")


@pytest.mark.parametrize(
    ("lakefile", "shared"),
    [
        ('name = "p"', ()),
        ("[leanOptions]\nautoImplicit = false\nmaxSynthPendingDepth = 3", (STRICT, DEEP)),
        ('[leanOptions]\npp.unicode.fun = true\n"weak.x.y" = "z"', (("pp.unicode.fun", "true"), ("weak.x.y", "z"))),
        ('leanOptions = [{name = "autoImplicit", value = false}]', (STRICT,)),
        (
            'moreLeanArgs = ["--tstack=9", "-DautoImplicit=false"]\nweakLeanArgs = ["-D", "a=b=c"]',
            (STRICT, ("a", "b=c")),
        ),
        ("[moreServerOptions]\nautoImplicit = false", ()),
    ],
)
def test_options_of_a_package(tmp_path: Path, write_project: Write, lakefile: str, shared: OptionValues) -> None:
    write_project(tmp_path, {"lakefile.toml": lakefile})
    assert Lakefile.of(tmp_path).options == LeanOptions(shared)


def test_options_of_libraries_are_those_of_their_modules(tmp_path: Path, write_project: Write) -> None:
    lakefile = """
leanOptions.maxRecDepth = 600
[[lean_lib]]
name = "Main"
globs = ["Main.+"]
[[lean_lib]]
name = "Extra"
roots = ["More.Extra", "Less"]
leanOptions.autoImplicit = false
[[lean_exe]]
name = "tool"
root = "Tool"
moreLeanArgs = ["-DmaxRecDepth=700"]
"""
    write_project(tmp_path, {"lakefile.toml": lakefile})
    options = Lakefile.of(tmp_path).options
    shared = ("maxRecDepth", "600")
    assert options.of(("Main", "A")) == options.of(("More", "Other")) == options.of(("Lesser",)) == (shared,)
    assert options.of(("More", "Extra", "B")) == options.of(("Less",)) == (shared, STRICT)
    assert options.of(("Tool",)) == (shared, ("maxRecDepth", "700"))


@pytest.mark.parametrize(
    ("lakefile", "shared"),
    [
        (
            "package p\n leanOptions := #[\n⟨`autoImplicit, false⟩, -- ⟨`no, true⟩\n⟨`maxSynthPendingDepth, .ofNat 3⟩]",
            (STRICT, DEEP),
        ),
        (
            "abbrev ours : Array LeanOption := #[\n  ⟨`«weak».«x», true⟩\n]\nlean_lib P where\n  leanOptions := ours",
            (("weak.x", "true"),),
        ),
        ('package p where\n  moreLeanArgs := #["--tstack=9", "-DmaxRecDepth=600"]', (("maxRecDepth", "600"),)),
        ("package p where\n  moreServerOptions := #[⟨`autoImplicit, false⟩]", ()),
        ('def forEditors := #["-DautoImplicit=false"]\npackage p where\n  moreServerArgs := forEditors', ()),
    ],
)
def test_options_in_a_lakefile_in_lean(
    tmp_path: Path, write_project: Write, lakefile: str, shared: OptionValues
) -> None:
    write_project(tmp_path, {"lakefile.lean": lakefile, "lakefile.toml": "leanOptions.autoImplicit = true"})
    assert Lakefile.of(tmp_path).options == LeanOptions(shared)


@pytest.mark.parametrize("lakefile", ["lean_lib = 3", "leanOptions = 3", "moreLeanArgs = 3", 'lean_lib = ["P"]'])
def test_a_lakefile_that_is_none_is_refused(tmp_path: Path, write_project: Write, lakefile: str) -> None:
    write_project(tmp_path, {"lakefile.toml": lakefile})
    with pytest.raises(NotALeanProject, match="have to be lists of tables"):
        Lakefile.of(tmp_path)


OPTIONS = """
[leanOptions]
pp.unicode.fun = true
maxRecDepth = 20000
warningAsError = true
debug.skipKernelTC = true
linter.all = true
no.such.option = 3
weak.no.such.option.either = 3

[[lean_lib]]
name = "Strict"
leanOptions.autoImplicit = false

[[lean_lib]]
name = "Loose"
"""
NEEDS_DEPTH = "theorem deep : (List.range 700).length = 700 := by\n  decide\n\n"
SHOWS_A_FUNCTION = "theorem shown : (fun x : Nat => x) 1 = 1 := by\n  sorry\n\n"
PAST_THE_KERNEL = "theorem wrong : 1 = 2 := by\n  decide +kernel\n"
LEAVES_A_VARIABLE = "theorem implicit (h : a = b) : b = a := by\n  exact h.symm\n"


@pytest.mark.lean
@pytest.mark.usefixtures("own_cache")
def test_files_are_elaborated_with_the_options_of_their_lakefile(
    lean: LeanPool, tmp_path: Path, write_project: Write
) -> None:
    text = NEEDS_DEPTH + SHOWS_A_FUNCTION + LEAVES_A_VARIABLE
    names = {"Strict.lean": text, "Loose.lean": text, "Wrong.lean": PAST_THE_KERNEL}
    repository = local_repository(write_project(tmp_path / "p", {"lakefile.toml": OPTIONS, **names}))
    traced = trace_repository(repository, lean, progress=False)
    proofs = {(file.path, theorem.full_name): theorem for file in traced.files for theorem in file.theorems}
    assert {name for path, name in proofs if path == "Loose.lean"} == {"deep", "shown", "implicit"}
    assert ("Strict.lean", "implicit") not in proofs
    assert {file for file, _ in traced.errors} == {"Strict.lean", "Wrong.lean"}
    assert any("no.such.option" in message.text for file in traced.files for message in file.messages)
    assert not any("no.such.option.either" in message.text for file in traced.files for message in file.messages)

    project = lean_project(repository)
    assert "fun x ↦" in lean.goal_start(TheoremSite(project, "Loose.lean", "shown")).text
    assert lean.verify(TheoremSite(project, "Loose.lean", "deep"), "by\n  decide", whole_file=True).accepted
    assert lean.verify(TheoremSite(project, "Strict.lean", "shown"), "by rfl").accepted
    declarations = lean.verify_file(project, "Loose.lean").declarations
    verdicts = {declaration.name: declaration.verdict.accepted for declaration in declarations}
    assert verdicts == {"deep": True, "shown": False, "implicit": True}
    assert not lean.verify(TheoremSite(project, "Wrong.lean", "wrong"), "by\n  decide +kernel").accepted
    assert not any(each.verdict.accepted for each in lean.verify_file(project, "Wrong.lean").declarations)


@pytest.mark.lean
@pytest.mark.usefixtures("own_cache")
def test_the_options_of_a_file_that_is_open_can_change(lean: LeanPool, tmp_path: Path, write_project: Write) -> None:
    root = write_project(tmp_path / "p", {"lakefile.toml": "", "A.lean": NEEDS_DEPTH})
    site = TheoremSite(lean_project(local_repository(root)), "A.lean", "deep")
    assert not lean.verify(site, "by\n  decide").accepted
    write_project(root, {"lakefile.toml": "leanOptions.maxRecDepth = 20000"})
    site = TheoremSite(lean_project(local_repository(root)), "A.lean", "deep")
    assert lean.verify(site, "by\n  decide").accepted
