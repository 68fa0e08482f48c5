"""What stands in two forms in ``Compat.lean``: the one that 4.28 takes, and the one for a later Lean."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import lean_agent

COMPAT = Path(lean_agent.__file__).parent / "lean" / "LeanAgent" / "Compat.lean"

# as `ContextInfo.runMetaM` and its like are in later sources, beside what 4.28 has
LATER = """
def laterRun (act : Lean.Meta.MetaM α) : EIO Lean.Exception α := do
  let env ← (Lean.mkEmptyEnvironment : IO Lean.Environment).toEIO fun e => .error .missing s!"{e}"
  (act.run').run' { fileName := "", fileMap := default } { env }

"""
MAIN = """
def attempt (act : Lean.Meta.MetaM Nat) : IO Unit := do
  let context : Lean.Elab.ContextInfo := { env := ← Lean.mkEmptyEnvironment, fileMap := default, ngen := {} }
  for run in [LeanAgent.runThere context {}, LeanAgent.runForMessage { env := context.env }] do
    IO.println <| ← try pure s!"{← run act}" catch e => pure s!"failed: {e}"

def main : IO Unit := do
  attempt (return 7)
  attempt (throwError "no such thing")
"""


@pytest.mark.long
@pytest.mark.lean
@pytest.mark.parametrize("is_later", [pytest.param(False, marks=pytest.mark.long), True])
def test_an_action_in_a_context_gives_its_value_or_fails_with_a_text(
    toolchain: Path, tmp_path: Path, is_later: bool
) -> None:
    text = COMPAT.read_text("utf-8")
    forms = ("context.runMetaM lctx act", "context.runMetaM act")
    assert [text.count(form) for form in forms] == [2, 2]
    if is_later:
        for form in forms:
            text = text.replace(form, "laterRun act")
    start = text.index("namespace LeanAgent")
    program = tmp_path / "Program.lean"
    program.write_text(text[:start] + LATER + text[start:] + MAIN, "utf-8")
    argv = [str(toolchain / "bin" / "lean"), "--run", str(program)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines()[-4:] == ["7", "7", "failed: no such thing", "failed: no such thing"]
