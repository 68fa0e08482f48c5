"""Results of a project with Lake packages, checked on a machine that has nothing but the folder and git."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from lean_agent.agent.scripted_agent import ScriptedAgent
from lean_agent.database import DynamicDatabase
from lean_agent.errors import ConfigError
from lean_agent.evaluation.results import REPOSITORIES, recheck
from lean_agent.lean.pool import LeanPool
from lean_agent.prover.provers import ScriptedProver

pytestmark = pytest.mark.lean


def committed(folder: Path, files: dict[str, str]) -> str:
    """The commit of a new git repository with these files."""
    git = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org"]
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"], ["rev-parse", "HEAD"]):
        done = subprocess.run([*git, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_packages_are_fetched_and_compiled_again(
    lean: LeanPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "numbers"
    rev = committed(
        package, {"lakefile.toml": 'name = "numbers"\n', "Numbers.lean": "theorem four : 2 + 2 = 4 := rfl\n"}
    )
    entry = {"url": str(package), "type": "git", "subDir": None, "rev": rev, "name": "numbers"}
    top = tmp_path / "top"
    committed(
        top,
        {
            "lakefile.toml": 'name = "top"\n',
            "lake-manifest.json": json.dumps({"version": "1.1.0", "packages": [entry], "name": "top"}),
            "Base.lean": "import Numbers\ndef two := 2\n",
            "Top.lean": "import Base\ntheorem t : two + 2 = 4 := by sorry\n",
        },
    )
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "mine"))
    database = DynamicDatabase(tmp_path / "database.sqlite")
    with ScriptedAgent(lean=lean, database=database, runs_dir=tmp_path / "runs", progress=False) as agent:
        agent.setup_local_repository(top, dependencies=True)
        prover = ScriptedProver(lean, tactics=["exact four"], **agent.kept("scripted"))
        assert [one.proved for one in agent.evaluate(provers=[prover]).attempts] == [True]
        results = agent.run.path
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "theirs"))
    assert [one.verdict.reason for one in recheck(results, lean, progress=False)] == [""]
    (row,) = json.loads((results / REPOSITORIES).read_text(encoding="utf-8"))
    assert (row["packages"], row["submodules"]) == (True, False)
    package.rename(tmp_path / "gone")
    monkeypatch.setenv("LEAN_AGENT_CACHE", str(tmp_path / "others"))
    with pytest.raises(ConfigError, match=r"packages of .* cannot be had"):
        list(recheck(results, lean, progress=False))
