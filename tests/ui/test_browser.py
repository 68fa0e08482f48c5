"""The pages in a real Chromium: they work by keyboard and pointer, in light and dark, at the width of a phone, and axe
finds nothing serious. Screenshots are kept in ``screenshots`` below pytest's own folder (``--basetemp`` names it)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from lean_agent.files import write_atomically
from lean_agent.lean.mock import MockLeanServer
from lean_agent.lean.pool import LeanPool
from lean_agent.prover.saved.live import LiveTrees
from lean_agent.service.run import serving
from lean_agent.service.settings import ServiceSettings
from tests.ui.samples import CHROMIUM, EVIL, RUN, TRAINING, TREE, Place, make_runs, tree_lines

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (the extra dev)")
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here (Debian: apt install chromium)"),
    pytest.mark.slow,
]

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
PAGES = {
    "overview": "/",
    "repository": "/theorems?text=A",
    "theorem": "/theorem?name=A.second",
    "playground": "/playground",
    "runs": "/runs",
    "run": f"/run?run={TRAINING}",
    "attempts": f"/runs/attempts?run={RUN}",
    "comparison": f"/runs/compare?run={RUN}&run={TRAINING}",
    "searches": "/searches",
    "searches of a run": f"/searches?run={RUN}",
    "search": f"/search?run={RUN}&path={TREE}",
    "failure": "/run?run=none",
    "login": "/login",
}


def until(page: Any, expression: str) -> None:
    """Wait until an expression holds; Playwright's own way evaluates text, which the pages forbid."""
    end = time.monotonic() + 60
    while not page.evaluate(expression):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A browser."""
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens a page of the service; no page asks another host, or has a script refused or broken."""
    contexts, complaints = [], list[str]()

    def open_page(path: str, size: dict[str, int] = DESKTOP, scheme: str = "light", at: str = address) -> Any:
        context = browser.new_context(viewport=size, color_scheme=scheme, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda asked: None if asked.url.startswith((at, "data:")) else complaints.append(asked.url))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if "Security Policy" in said.text else None)
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.goto(at + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots are kept."""
    folder = tmp_path_factory.getbasetemp() / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of axe-core, which npm fetches."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("no npm here to fetch axe-core")
    folder = tmp_path_factory.mktemp("axe")
    fetched = subprocess.run([npm, "pack", "axe-core@4"], cwd=folder, capture_output=True, text=True, check=False)
    if fetched.returncode:
        pytest.skip(f"npm cannot fetch axe-core: {fetched.stderr.strip().splitlines()[-1:]}")
    (package,) = folder.glob("*.tgz")
    with tarfile.open(package) as archive:
        member = archive.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.mark.parametrize(
    "forms",
    [
        pytest.param(((DESKTOP, "light"), (PHONE, "dark")), id="each size and scheme"),
        pytest.param(((DESKTOP, "dark"), (PHONE, "light")), id="the other way round", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_in_its_forms(
    name: str, forms: Sequence[tuple[dict[str, int], str]], opened: Callable[..., Any], shots: Path, axe: str
) -> None:
    for size, scheme in forms:
        page = opened(PAGES[name], size, scheme)
        page.wait_for_selector({"search": "#tree .node", "run": ".chart svg"}.get(name, "h1"))
        page.screenshot(path=shots / f"{name}-{size['width']}-{scheme}.png", full_page=True)
        too_wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert too_wide == 0, f"{size} {scheme}"
        page.evaluate(axe)
        violations = page.evaluate("axe.run().then(result => result.violations)")
        serious = [each for each in violations if each["impact"] in ("serious", "critical")]
        assert serious == [], json.dumps(serious, indent=1)[:3000]


def test_by_keyboard_alone(opened: Callable[..., Any]) -> None:
    page = opened("/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"  # the focus is seen
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("second")
    page.keyboard.press("Enter")
    page.wait_for_url("**/theorems?text=second**")
    page.get_by_role("link", name="A.second").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/theorem?**")
    assert page.get_by_role("heading", level=1).inner_text().startswith("A.second")


def test_html_in_a_name_is_no_program(opened: Callable[..., Any]) -> None:
    page = opened("/theorems?text=evil")
    page.get_by_role("link", name="evil").first.click()
    assert EVIL in page.inner_text("h1")


def test_a_search_is_looked_through(opened: Callable[..., Any]) -> None:
    page = opened(PAGES["search"])
    page.wait_for_selector("#tree .node")
    assert "Tactics that failed: 1 error" in page.inner_text("#counts")
    page.get_by_role("button", name="Next").click()
    assert "State 0 expanded; log-probability 0.00" in page.inner_text(".detail")
    assert "<img src=x onerror=alert(1)>" in page.inner_text(".detail")
    page.click(".detail .known >> nth=1")
    assert "State 2" in page.inner_text(".detail") and "value 0.250" in page.inner_text(".detail")
    before = page.evaluate("lean_agent_tree.map.view.sx")
    page.get_by_role("button", name="Zoom in").click()
    assert page.evaluate("lean_agent_tree.map.view.sx") == before * 1.5
    page.mouse.move(*[page.locator("canvas").bounding_box()[side] + 30 for side in ("x", "y")])
    page.mouse.wheel(0, -100)
    until(page, f"lean_agent_tree.map.view.sx > {before * 1.6}")
    page.fill(".tree-view input[type=range]", "1")
    until(page, "document.getElementById('film').textContent === 'state 1 of 3'")
    page.get_by_role("button", name="Play").click()
    until(page, "document.getElementById('film').textContent === 'state 3 of 3'")
    page.get_by_role("button", name="Show it in the outline").click()
    assert page.evaluate("document.activeElement.closest('.node').dataset.key") == "0:2"


def test_a_search_that_cannot_be_read_is_a_sentence(opened: Callable[..., Any]) -> None:
    page = opened("/search?run=cut-short&path=trees/half.jsonl")
    page.wait_for_selector(".failure")
    assert "is not a saved search" in page.inner_text(".failure")


def test_symbols_links_and_a_trap_for_no_keyboard(opened: Callable[..., Any]) -> None:
    page = opened("/playground")
    page.wait_for_load_state("networkidle")
    page.fill("#text", "")
    page.focus("#text")
    page.keyboard.type("theorem a : \\forall n, n \\le n \\and \\<x\\> \\zzz ")
    assert page.input_value("#text") == "theorem a : ∀ n, n ≤ n ∧ ⟨x⟩ \\zzz "
    page.keyboard.press("Tab")
    assert page.input_value("#text").endswith("\\zzz   ")  # Tab indents …
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "judge"  # … and after Escape it leaves
    page.get_by_role("button", name="Copy a link").click()
    until(page, "location.hash.startsWith('#code=theorem')")
    again = opened(f"/playground#{page.url.partition('#')[2]}")
    assert again.input_value("#text") == page.input_value("#text")


@pytest.mark.lean
def test_a_proof_in_the_playground(opened: Callable[..., Any], lean: LeanPool, place: Place) -> None:
    """The goal at the cursor, a suggestion that is chosen, and the judge's word on what came of it."""
    lean.check("", timeout_s=600)
    settings = ServiceSettings(port=0, database=place.database, runs_dir=place.runs)
    with serving(lean, settings) as address:
        page = opened("/playground", at=address)
        page.set_default_timeout(300_000)
        page.fill("#text", "theorem less (a b : Nat) (h : a < b) : a + 1 ≤ b := by\n  sorry")
        page.focus("#text")
        page.keyboard.press("Home")
        page.wait_for_selector("#look .target:has-text('a + 1 ≤ b')")
        page.click("#suggest")
        page.click("#answer button[data-insert=omega]")  # others may still be on their way
        page.wait_for_selector("#look h2:has-text('Nothing is left at line 2')")
        assert page.input_value("#text").endswith(":= by\n  omega")
        until(page, "!document.getElementById('judge').disabled")
        page.click("#judge")
        page.wait_for_selector("#answer h2:has-text('Accepted')")


def test_a_page_follows_its_run_and_takes_a_broken_stream_up_again(browser: Any, tmp_path: Path, place: Place) -> None:
    """A tab that slept has lost its stream, and the service may have been started again meanwhile."""
    runs = make_runs(tmp_path / "runs")

    def settings(port: int) -> ServiceSettings:
        return ServiceSettings(port=port, database=place.database, runs_dir=runs, stop_timeout_s=1.0)

    def add_step(step: int) -> None:
        with (runs / TRAINING / "metrics.jsonl").open("a", encoding="utf-8") as file:
            line = {"repository": "r", "commit": "c", "step": step, "time": 100 + step, "loss": 3 / step}
            file.write(("\n" if step == 6 else "") + json.dumps(line) + "\n")

    context = browser.new_context()
    page = context.new_page()
    with serving(MockLeanServer(), settings(0)) as address:
        page.goto(f"{address}/run?run={TRAINING}")
        until(page, "document.querySelector('[data-connection]').textContent.includes('up to date')")
        page.click("summary:has-text('Settings')")
        add_step(6)
        page.wait_for_selector('[aria-label="Loss by step; last: loss 0.5"]')
        assert page.locator("details[open]").count() == 1  # what was open stays open
    until(page, "document.querySelector('[data-connection]').textContent.includes('again')")
    add_step(7)
    port = int(re.findall(r":(\d+)", address)[0])
    with serving(MockLeanServer(), settings(port)):
        page.wait_for_selector('[aria-label="Loss by step; last: loss 0.429"]', timeout=60_000)
    context.close()


@contextmanager
def held(run: Path) -> Iterator[None]:
    """Have a process at work in a run folder, as far as others see."""
    code = "import sys, time; from lean_agent.folder_lock import locked_folder as l\n"
    code += "with l(sys.argv[1]): print(flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", code, str(run)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()


def write_running(run: Path, states: int, *, status: str = "running") -> None:
    """Write a search under way into a run folder, as the process at work there does."""
    head, root, first, second = map(json.loads, tree_lines())
    nodes = [root | {"edges": []}, first, second][:states]
    nodes[0] |= {"edges": root["edges"] if states == 3 else [], "failures": root["failures"] * (states - 1)}
    lines = [head | {"status": status, "nodes": states, "seconds": float(states)}, *nodes]
    place = run / "running" / "repo" / "T.both.jsonl"
    write_atomically(place, "".join(json.dumps(line) + "\n" for line in lines).encode())
    listed: dict[str, Any] = {
        "path": "repo/T.both.jsonl",
        "theorem": "T.both",
        "prover": "prover",
        "search": "best_step",
    }
    listed |= {"status": "running", "states": states, "lean_calls": 3, "seconds": 0.5}
    write_atomically(run / "running" / "searches.json", json.dumps([listed]).encode())


def test_a_search_is_seen_as_it_grows(opened: Callable[..., Any], tmp_path: Path, place: Place) -> None:
    """What was chosen, zoomed and opened stays as it is while states are added."""
    runs = make_runs(tmp_path / "runs")
    with (
        held(runs / RUN),
        LiveTrees(runs / RUN / "running"),
        serving(MockLeanServer(), ServiceSettings(port=0, database=place.database, runs_dir=runs)) as address,
    ):
        page = opened(f"/searches?run={RUN}", at=address)
        until(page, "document.querySelector('[data-connection]').textContent.includes('up to date')")
        assert (runs / RUN / "running" / ".looked").is_file()  # so the process knows that somebody looks
        write_running(runs / RUN, 1)
        page.locator("[data-live]").get_by_role("link", name="T.both").click()
        until(page, "document.getElementById('words').textContent.startsWith('running; prover, best_step; 1 state,')")
        assert (runs / RUN / "running" / "repo" / "T.both.jsonl.looked").is_file()
        page.get_by_role("button", name="Next").click()
        page.get_by_role("button", name="Zoom in").click()
        assert "0 failed" not in page.inner_text(".detail") and "Tactics that worked" not in page.inner_text(".detail")
        view = page.evaluate("({...lean_agent_tree.map.view})")
        write_running(runs / RUN, 3)
        until(page, "lean_agent_tree.nodes === 3")
        assert page.evaluate("({...lean_agent_tree.map.view})") == view
        assert "constructor" in page.inner_text(".detail") and "2 failed: error" in page.inner_text(".detail")
        assert page.inner_text("#counts").startswith("States: 2 open, 1 expanded. Tactics that failed: 2 error")
        assert page.inner_text("#film") == "state 3 of 3"
        assert page.locator("#tree .node").count() == 3
        write_running(runs / RUN, 3, status="budget")
        until(page, "document.getElementById('words').textContent.startsWith('budget; ')")


@contextmanager
def asleep() -> Iterator[None]:
    """Have the browser's processes stand still, as on a machine that sleeps."""
    processes = [each for each in psutil.Process().children(recursive=True) if each.name().startswith("chrom")]
    assert processes
    try:
        for process in processes:
            process.suspend()
        yield
    finally:
        for process in processes:
            process.resume()


def test_a_tab_that_slept_for_an_hour(browser: Any, tmp_path: Path, place: Place) -> None:
    """The browser stands still, meanwhile runs go on and connections break; then the tabs' clocks are an hour on."""
    runs = make_runs(tmp_path / "runs")
    write_running(runs / RUN, 1)
    context = browser.new_context()

    def settings(port: int) -> ServiceSettings:
        return ServiceSettings(port=port, database=place.database, runs_dir=runs, stop_timeout_s=1.0)

    with held(runs / RUN), held(runs / TRAINING), ExitStack() as before, ExitStack() as after:
        address = before.enter_context(serving(MockLeanServer(), settings(0)))
        paths = (f"/search?run={RUN}&path=running/repo/T.both.jsonl", f"/run?run={TRAINING}", "/playground")
        pages = [context.new_page() for _ in paths]
        for page, path in zip(pages, paths, strict=True):
            page.clock.install()
            page.goto(address + path)
        search, run, playground = pages
        until(search, "window.lean_agent_tree?.nodes === 1")
        until(run, "document.querySelector('[data-connection]').textContent.includes('up to date')")
        with asleep():
            before.close()
            write_running(runs / RUN, 3)
            with (runs / TRAINING / "metrics.jsonl").open("a", encoding="utf-8") as file:
                file.write('\n{"repository": "r", "commit": "c", "step": 6, "time": 106, "loss": 0.5}\n')
            after.enter_context(serving(MockLeanServer(), settings(int(address.rpartition(":")[2]))))
        for page in pages:
            page.clock.fast_forward("01:00:00")
        until(search, "lean_agent_tree.nodes === 3")
        run.wait_for_selector('[aria-label="Loss by step; last: loss 0.5"]')
        playground.click("#judge")
        playground.wait_for_selector("#answer > *")
    context.close()


@pytest.mark.usefixtures("hears_ctrl_c")
def test_forms_are_sent(opened: Callable[..., Any], tmp_path: Path, place: Place) -> None:
    """A browser says where a form comes from, and pages of other sites are refused by that."""
    runs = make_runs(tmp_path / "runs")
    settings = ServiceSettings(port=0, token="secret", database=place.database, runs_dir=runs)
    code = (
        "import sys, time; from lean_agent.folder_lock import locked_folder as l\nwith l(sys.argv[1]): time.sleep(600)"
    )
    with (
        serving(MockLeanServer(), settings) as address,
        subprocess.Popen([sys.executable, "-c", code, str(runs / TRAINING)], stderr=subprocess.DEVNULL) as process,
    ):
        page = opened(f"/run?run={TRAINING}", at=address)
        page.fill("input[name=token]", "secret")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector("h1:has-text('training')")
        page.get_by_role("button", name="Stop").click()
        page.wait_for_selector(".badge.stopped")
        assert process.wait(60) != 0
        page.get_by_role("button", name="Log out").click()
        page.wait_for_selector("input[name=token]")
