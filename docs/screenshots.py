"""The pictures of docs/ui.md: the playground with goals at the cursor, and the tree of a search while it runs.

    python docs/screenshots.py

Needs Chromium and embedded Lean: the pages are those of ``lean-agent ui``, and what they show is done by Lean.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from curves import small_png
from playwright.sync_api import sync_playwright

from lean_agent.files import write_atomically

HERE = Path(__file__).parent
SIZE = {"width": 1280, "height": 720}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
OPEN = "theorem turned (xs ys : List Nat) : (xs ++ ys).reverse = xs.reverse ++ ys.reverse := by\n  sorry\n"
"""It is wrong, so the search goes on."""
STATES = 12
PATIENCE_MS = 300_000


def playground(page: Any, address: str) -> None:
    """Show the goals after the first tactic of the example."""
    page.goto(f"{address}/playground")
    page.wait_for_selector("#look .panel", timeout=PATIENCE_MS)
    page.focus("#text")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.wait_for_selector("h2:has-text('2 goals at line 2')", timeout=PATIENCE_MS)


def search(page: Any, address: str) -> None:
    """Show a search that does not end soon, once it knows some states."""
    page.goto(f"{address}/playground")
    page.fill("#text", OPEN)
    page.select_option("#policy", "mixture")
    page.click("#prove")
    page.click("#said a", timeout=PATIENCE_MS)
    page.wait_for_selector("#tree .node", timeout=PATIENCE_MS)
    while page.evaluate("lean_agent_tree.nodes") < STATES and page.inner_text("#words").startswith("running"):
        page.wait_for_timeout(500)
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
    page.evaluate("scrollTo(0, 0)")


def main() -> None:
    """Take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        options = ["--port", "0", "--database", f"{folder}/none.sqlite", "--runs-dir", f"{folder}/runs"]
        command = [sys.executable, "-m", "lean_agent", "ui", *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as service:
            try:
                assert service.stdout is not None
                address = service.stdout.readline().split()[-1]
                browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                page = browser.new_page(viewport=SIZE)
                for show, name in ((playground, "ui.png"), (search, "ui_search.png")):
                    show(page, address)
                    picture = write_atomically(HERE / name, small_png(page.screenshot()))
                    print(f"{picture}: {picture.stat().st_size / 1000:.0f} kB")
                browser.close()
            finally:
                service.terminate()


if __name__ == "__main__":
    main()
