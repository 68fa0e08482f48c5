"""The page of a search, opened and clicked in a headless Chromium."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lean_agent.prover.saved.pages import as_html
from lean_agent.prover.saved.trees import SavedEdge, SavedNode, SavedSearch
from lean_agent.prover.tree.graph import Failure

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (Debian: apt install chromium)")

SEARCH = SavedSearch(
    "T.both",
    "T.lean",
    "mock",
    "best_first",
    "proved",
    ("constructor", "· exact hp", "· exact hq"),
    nodes=(
        SavedNode(
            0,
            0,
            ("hp : p\nhq : q\n⊢ p ∧ q",),
            "expanded",
            solved=True,
            logprob=0.0,
            depth=0,
            on_proof=True,
            edges=(
                SavedEdge("constructor", -0.5, (1, 2), proves=True),
                SavedEdge("skip", -2.0, (0,)),
                SavedEdge("exfalso", -3.0, (3,)),
            ),
            failures=(Failure("omega", -1.0, "error", "omega could not </script> prove"),),
        ),
        SavedNode(
            0,
            1,
            ("⊢ p",),
            "expanded",
            True,
            -0.5,
            1,
            0,
            on_proof=True,
            edges=(SavedEdge("exact hp", -0.1, (), proves=True),),
        ),
        SavedNode(
            0,
            2,
            ("⊢ q",),
            "expanded",
            True,
            -0.5,
            1,
            0,
            on_proof=True,
            edges=(SavedEdge("exact hq", -0.1, (), proves=True),),
        ),
        SavedNode(0, 3, ("⊢ False",), "dead", False, -3.0, 1, 0),
    ),
)


class Browser:
    """One page in a Chromium, driven over a pipe with Chrome's DevTools protocol."""

    def __init__(self, profile: Path) -> None:
        to_chrome, ours = os.pipe()
        theirs, from_chrome = os.pipe()[::-1]
        self._out, self._in = os.fdopen(ours, "wb"), os.fdopen(from_chrome, "rb")
        flags = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--remote-debugging-pipe",
        ]
        command = f'exec "$0" "$@" 3<&{to_chrome} 4>&{theirs}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, str(CHROMIUM), *flags, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_chrome, theirs),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_chrome)
        os.close(theirs)
        self._id = 0
        self._rest = b""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.requested: list[str] = []
        self.send("Network.enable")
        self.send("Page.enable")

    _session: str | None = None

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        self._id += 1
        message = {"id": self._id, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while True:
            answer = self._next()
            if answer.get("method") == "Network.requestWillBeSent":
                self.requested.append(answer["params"]["request"]["url"])
            if answer.get("id") == self._id:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            data = os.read(self._in.fileno(), 65536)
            assert data, "Chromium has ended"
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        parsed: dict[str, Any] = json.loads(message)
        return parsed

    def open(self, path: Path) -> None:
        self.send("Page.navigate", url=path.as_uri())
        while self.eval("document.readyState") != "complete":
            pass

    def eval(self, script: str) -> Any:
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def click(self, selector: str) -> None:
        self.eval(f"document.querySelector({json.dumps(selector)}).click()")

    def visible(self) -> str:
        text: str = self.eval("document.body.innerText")
        return text

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._out.close()
        self._in.close()


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    browser = Browser(tmp_path / "profile")
    yield browser
    browser.close()


def test_the_page_opens_and_closes_states(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(as_html(SEARCH), encoding="utf-8")
    browser.open(page)
    shown = browser.visible()
    assert "T.both: proved" in shown and "by\n  constructor\n  · exact hp" in shown
    assert "exact hq" in shown and "60.7 %" in shown  # the proof's way is open: exp(-0.5)
    assert browser.eval("document.querySelectorAll('.edge.proves').length") == 3
    assert "omega could not" not in shown
    browser.click("#failures")
    assert "omega could not </script> prove" in browser.visible()
    browser.click("#tree > .node > .state")
    assert "exfalso" not in browser.visible()
    browser.click("#tree > .node > .state")
    assert "exfalso" in browser.visible()
    browser.click("#close")
    assert "exfalso" not in browser.visible()
    browser.click("#open")
    assert "⊢ False" in browser.visible()
    browser.click(".known")  # `skip` leads back to the root
    assert browser.eval("document.querySelector('.flash').dataset.key") == "0:0"
    assert browser.requested == [page.as_uri()]
