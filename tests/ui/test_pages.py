"""Every page by HTTP, over a database and run folders made by hand: what stands there, and what bad input gets."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from lean_agent.errors import ConfigError
from lean_agent.lean.mock import MockLeanServer
from lean_agent.prover.saved.trees import load_search
from lean_agent.service.run import bound, serving
from lean_agent.service.settings import ServiceSettings
from tests.ui.samples import CUT, EVIL, RUN, TRAINING, TREE, URL, Place

AFTER = {"url": URL, "commit": "b" * 40}
PAGES = (
    "/",
    "/repositories",
    "/playground",
    "/runs",
    "/searches",
    f"/searches?run={RUN}",
    f"/search?run={RUN}&path={TREE}",
    f"/run?run={RUN}",
    f"/run?run={TRAINING}",
    f"/run?run={CUT}",
    f"/runs/attempts?run={RUN}",
    f"/runs/compare?run={RUN}&run={TRAINING}",
    f"/repository?{urlencode(AFTER)}",
    f"/file?{urlencode({**AFTER, 'path': 'A.lean'})}",
    f"/theorem?{urlencode({'name': 'A.second'})}",
    "/theorems",
    "/difficulty",
    f"/compare?{urlencode({'url': URL, 'before': 'a' * 40, 'after': 'b' * 40})}",
)


def text_of(answer: httpx.Response) -> str:
    """Return what a reader of a page sees, in one line."""
    assert answer.status_code == 200, answer.text
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_nothing_from_inside_or_elsewhere(path: str, http: httpx.Client) -> None:
    answer = http.get(path)
    assert answer.status_code == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self';" in policy and "unsafe" not in policy and "default-src 'none'" in policy
    assert set(re.findall(r'(?:src|href|action)="([a-z]+:|//)', answer.text)) <= {"data:"}  # the empty icon
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", answer.text)
    assert "<!doctype html>" in answer.text and '<html lang="en">' in answer.text


def test_links_lead_somewhere(http: httpx.Client) -> None:
    waiting, seen = ["/"], set[str]()
    while waiting:
        path = waiting.pop()
        answer = http.get(path)
        assert answer.status_code == 200, (path, answer.text)
        seen.add(path)
        if "text/html" in answer.headers["Content-Type"]:
            links = {
                link.replace("&amp;", "&").partition("#")[0] for link in re.findall(r'href="(/[^"]*)"', answer.text)
            }
            waiting += sorted(links - seen - set(waiting) - {""})
    assert {urlsplit(path).path for path in seen} >= {urlsplit(path).path for path in PAGES} - {
        "/runs/compare",
        "/compare",
    }


def test_theorems_are_searched_by_words_name_and_premise(http: httpx.Client) -> None:
    def names(**query: str) -> list[str]:
        return re.findall(r">(A\.(?!lean)\w+)</a>", http.get("/theorems", params=query).text)

    everything = names(**AFTER)
    assert everything == ["A.first", "A.second", "A.open", "A.still"]  # and the one whose name is no plain name
    assert names(text="first") == ["A.first", "A.first"]  # of both commits
    assert names(text="SECOND a_b") == ["A.second"] and names(text="a%b") == [] and names(text="100%") == ["A.second"]
    assert names(text="A.sec", mode="name") == ["A.second"] and names(text="f 100%", mode="name") == []
    assert names(text="first", mode="premise") == ["A.second"] == names(text="A.first", mode="premise")
    assert names(text="irst", mode="premise") == []
    assert names(status="found") == ["A.open"] and names(status="open", **AFTER) == ["A.still"]


def test_a_theorem_step_by_step(http: httpx.Client) -> None:
    page = http.get("/theorem", params={"name": "A.second"})
    assert "intro h" in text_of(page) and "⊢ p → q" in text_of(page)
    assert "<ins>h : p</ins>\n<ins>⊢ q</ins>" in page.text  # what the first step has changed
    premise = re.search(r'href="(/theorem\?name=A.first)"><code>A.first</code>', page.text)
    assert premise is not None
    assert "2 theorems" in text_of(http.get(premise[1]))  # at both commits: a list
    still = text_of(http.get("/theorem", params={"name": "A.still", **AFTER}))
    assert "error from a test" in still and "it &lt;i&gt;fails&lt;/i&gt;" in still


def test_a_file_says_what_was_left_out_and_why(http: httpx.Client) -> None:
    page = text_of(http.get("/file", params={**AFTER, "path": "A.lean"}))
    assert "A.broken , line 9: left out for errors inside unknown identifier &lt;b&gt;x&lt;/b&gt;" in page


def test_two_commits(http: httpx.Client) -> None:
    page = text_of(http.get("/compare", params={"url": URL, "before": "a" * 40, "after": "b" * 40}))
    # first is proved otherwise; gone went; second, still and the one with HTML in its name came
    counts = sorted(re.findall(r"(\d) (proof|removed|added|statement|moved)", page))
    assert counts == [("1", "proof"), ("1", "removed"), ("3", "added")]
    assert "- by tac" in page and "+ by other" in page


def test_plots_are_those_of_the_command(http: httpx.Client) -> None:
    answer = http.get("/difficulty/difficulty.png")
    assert answer.headers["Content-Type"] == "image/png" and answer.content.startswith(b"\x89PNG")
    assert http.get("/difficulty/passwd").status_code == 404
    assert "../" not in http.get("/difficulty/difficulty.png", params={"measure": "../.."}).headers.get("Location", "")
    assert http.get("/difficulty/difficulty.png", params={"measure": "../.."}).status_code == 422


def test_html_in_names_and_messages_stays_text(http: httpx.Client) -> None:
    for page in (
        http.get("/theorems", params=AFTER),
        http.get("/theorem", params={"name": EVIL}),
        http.get("/runs/attempts", params={"run": RUN}),
        http.get("/theorem", params={"name": "<b>x</b>"}),
        http.get("/run", params={"run": "<script>alert(1)</script>"}),
        http.get("/theorems", params={"text": '"><script>alert(1)</script>'}),
    ):
        assert "<script>" not in page.text and "<b>" not in page.text, page.text
    shown = http.get("/theorem", params={"name": EVIL}).text
    assert (
        "\u202e" not in shown.partition("<h1>")[2].partition("<p>")[0] and "\\u{202e}" in shown
    )  # it would turn the line around


# -- runs


def test_attempts_by_how_they_ended_and_by_who_alone_has_proved(http: httpx.Client) -> None:
    def shown(**query: str) -> list[tuple[str, ...]]:
        text = http.get("/runs/attempts", params={"run": RUN, **query}).text
        return re.findall(r"<tr><td><a [^>]*>([^<]*)</a>.*?<td>(\w+)", text, re.S)

    assert len(shown()) == 4  # the fifth line was cut short
    assert shown(outcome="out of time") == [("A.still", "first")]
    assert shown(only="second") == [("A.still", "second")] and shown(only="first") == []
    assert shown(label="first", outcome="proved") == [("A.open", "first")]
    timeouts = text_of(http.get("/runs/attempts", params={"run": TRAINING, "outcome": "open: timeout"}))
    assert "1 attempt." in timeouts and "training, step 1" in timeouts


def test_curves_of_a_training(http: httpx.Client) -> None:
    page = http.get("/run", params={"run": TRAINING}).text
    assert 'aria-label="Loss by step; last: loss 0.75"' in page  # 3 / 4
    assert page.count("<polyline") == 3  # loss, reward, seconds; step 5 was cut short
    assert "training: 4 steps" in page.lower()


def test_runs_beside_each_other(http: httpx.Client) -> None:
    page = text_of(http.get("/runs/compare", params={"run": [RUN, TRAINING]}))
    assert "prover both" in page  # a setting that only one has
    assert "first (" in page and "1/2" in page and "2/2" in page  # proved
    assert http.get("/runs/compare", params={"run": RUN}).status_code == 422


def test_a_report_runs_no_script(http: httpx.Client) -> None:
    answer = http.get("/run/report", params={"run": RUN})
    assert "A report" in answer.text
    assert answer.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


def test_a_run_that_was_cut_short_is_shown_as_far_as_it_goes(http: httpx.Client) -> None:
    page = text_of(http.get("/run", params={"run": CUT}))
    assert "stopped" in page and "attempts.jsonl" in page  # what cannot be read is named
    assert "T.both" in http.get("/searches", params={"run": CUT}).text  # its first line is whole
    assert http.get("/search/data", params={"run": CUT, "path": "trees/half.jsonl"}).status_code == 422


@pytest.mark.parametrize("name", ["..", "", "a/b", "../site", "\0", "x" * 5000])
def test_no_other_folder_is_a_run(name: str, http: httpx.Client) -> None:
    answer = http.get("/run", params={"run": name})
    assert answer.status_code == 404 and "There is no run" in answer.text


@pytest.mark.parametrize("path", ["../training/metrics.jsonl", "/etc/passwd", "config.yaml", "\0", "trees"])
def test_no_other_file_is_a_search(path: str, http: httpx.Client) -> None:
    assert http.get("/search/data", params={"run": RUN, "path": path}).status_code == 404


def test_a_search_as_data(http: httpx.Client, place: Place) -> None:
    tree = http.get("/search/data", params={"run": RUN, "path": TREE}).json()
    assert tree == json.loads(json.dumps(asdict(load_search(place.runs / RUN / TREE))))
    assert [node["goals"] for node in tree["nodes"]] == [["⊢ p ∧ q"], ["⊢ p"], ["⊢ q"]]


def test_a_search_that_ran_when_its_page_was_opened(http: httpx.Client, place: Place) -> None:
    """Its run has ended since: the saved tree is shown in its place, or it is said that nothing has kept it."""
    saved = http.get("/search/data", params={"run": RUN, "path": TREE.replace("trees/", "running/", 1)})
    assert saved.json()["theorem"] == "T.both" and "X-Live" not in saved.headers
    again = {"run": RUN, "path": TREE, "known": saved.headers["X-Mark"]}
    assert http.get("/search/data", params=again).status_code == 204  # nothing is new
    lost = http.get("/search", params={"run": RUN, "path": "running/prover/other.jsonl"})
    assert lost.status_code == 404 and "its tree was not kept" in lost.text
    for path in ("running/../config.jsonl", "../x.jsonl", "running/\0.jsonl", "running/.looked", "running", ""):
        assert http.get("/search/data", params={"run": RUN, "path": path}).status_code == 404, path
    assert http.get("/search", params={"job": "none"}).status_code == 404
    assert not (place.runs / RUN / "running").exists()  # whoever looks at what has ended leaves nothing behind


def test_a_tree_of_200_mb_is_refused_in_a_sentence(http: httpx.Client, place: Place) -> None:
    large = place.runs / RUN / "trees" / "large.jsonl"
    large.write_text((place.runs / RUN / TREE).read_text(encoding="utf-8"), encoding="utf-8")
    with large.open("r+b") as file:
        file.truncate(200_000_000)  # a hole, which takes no room on disk
    answer = http.get("/search", params={"run": RUN, "path": "trees/large.jsonl"})
    large.unlink()
    assert answer.status_code == 413 and "has 200 MB, and 64 are shown" in answer.text


# -- who comes in


def test_a_token_is_asked_for_once(place: Place) -> None:
    settings = ServiceSettings(port=0, token="secret", database=place.database, runs_dir=place.runs)
    with serving(MockLeanServer(), settings) as address, httpx.Client(base_url=address, timeout=60) as client:
        sent = client.get("/theorems", params={"text": "x"})
        assert sent.status_code == 303 and parse_qs(urlsplit(sent.headers["Location"]).query)["next"] == [
            "/theorems?text=x"
        ]
        part = client.get("/run", params={"run": RUN}, headers={"X-Fragment": "1"})
        assert part.status_code == 401 and "Log in again" in part.text and "<html" not in part.text
        assert client.post("/run/stop", data={"run": RUN}).status_code == 401
        assert client.get("/run/events", params={"run": RUN}).status_code == 303
        wrong = client.post("/login", data={"token": "secreT", "next": "/"})
        assert wrong.status_code == 401 and "not the token" in wrong.text
        right = client.post("/login", data={"token": "secret", "next": "//elsewhere.example/"})
        assert (right.status_code, right.headers["Location"]) == (303, "/")  # never to another site
        cookie = right.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "secret" not in cookie
        assert client.get("/runs").status_code == 200 and client.get("/v1/server").status_code == 200
        client.post("/logout")
        client.cookies.clear()
        assert client.get("/runs").status_code == 303 and client.get("/v1/server").status_code == 401
        assert client.get("/v1/server", headers={"Authorization": "Bearer secret"}).status_code == 200
        client.cookies.set("lean_agent_session", "secret")
        assert client.get("/runs").status_code == 303  # the token itself is no session


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}]
)
def test_a_page_of_another_site_can_do_nothing(headers: dict[str, str], http: httpx.Client) -> None:
    answer = http.post("/run/stop", data={"run": RUN}, headers=headers)
    assert answer.status_code == 403 and "another site" in answer.text


def test_a_port_in_use_is_a_sentence(address: str) -> None:
    port = urlsplit(address).port
    assert port is not None
    with pytest.raises(ConfigError, match=r"Another program listens at 127\.0\.0\.1 port"):
        bound(ServiceSettings(port=port))


# -- a database that is missing, locked, or none


def pages_over(database: Path, path: str = "/repositories") -> httpx.Response:
    settings = ServiceSettings(port=0, database=database, runs_dir=database.parent / "none")
    with serving(MockLeanServer(), settings) as address:
        return httpx.get(f"{address}{path}", timeout=90)


def test_without_a_database_a_page_says_how_to_make_one(tmp_path: Path) -> None:
    for path in ("/", "/repositories", "/theorems", "/difficulty", "/runs", "/searches"):
        assert pages_over(tmp_path / "none.sqlite", path).status_code == 200
    assert "lean-agent trace PATH" in pages_over(tmp_path / "none.sqlite").text
    assert not (tmp_path / "none.sqlite").exists()


def test_a_file_that_is_no_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "other.sqlite").write_text("no database at all", encoding="utf-8")
    answer = pages_over(tmp_path / "other.sqlite")
    assert answer.status_code == 503 and "is no SQLite database" in answer.text


def test_a_database_that_is_being_written_is_read_as_it_was(place: Place, http: httpx.Client) -> None:
    with closing(sqlite3.connect(place.database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM theorems")
        assert "A.second" in http.get("/theorems", params=AFTER).text
        other.execute("ROLLBACK")
