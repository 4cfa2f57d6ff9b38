"""The manual as a site: no dead link, every old address, and everybody can read it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote, unquote, urlsplit

import pytest

from tests.browser.test_layout import violations
from tests.npm_packages import without

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
REDIRECTS = (DOCS / "site/redirects.txt").read_text("utf-8").splitlines()
OLD = {name: line.partition(":")[0] for line in REDIRECTS for name in line.split(": ")[1].split()}
PAGES = {page.stem for page in DOCS.glob("*.md")}
VERSIONS = ["v1.1.0", "v1.0.0"]
KINDS = {
    "map": "index.html",
    "guide": "tutorial.html",
    "picture": "comment.html",
    "tables": "configuration.html",
    "search": "search.html?q=baseline",
    "moved": "quickstart.html",
}


class Links(HTMLParser):
    """The addresses and the fragments of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.fragments: set[str] = {""}
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.fragments.add(given.get("id") or "")
        target = given.get("src") if tag in ("img", "script") else given.get("href")
        if target:
            self.targets.add(target)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual, built once; a warning of Sphinx ends it."""
    folder = tmp_path_factory.mktemp("pages") / VERSIONS[0]
    make = ["make", "--no-print-directory", f"VENV={sys.prefix}", f"SITE={folder}"]
    ready = subprocess.run([*make, f"{sys.prefix}/.docs"], cwd=ROOT, capture_output=True, text=True)
    if ready.returncode:
        without(f"Sphinx cannot be installed: {ready.stderr[-300:]}")
    built = subprocess.run(
        [*make, "docs", f"REVISION={VERSIONS[0]}"], cwd=ROOT, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Links]:
    return {path.name: Links(path) for path in site.glob("*.html")}


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, beside another version of it."""
    shutil.copytree(site, site.with_name(VERSIONS[1]))
    (site.parent / "versions.json").write_text(json.dumps(VERSIONS))

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site.parent)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_every_page_of_the_manual_is_in_the_site_and_in_its_sidebar(site: Path, pages) -> None:
    assert {f"{name}.html" for name in PAGES} <= pages.keys()
    assert {f"{name}.html" for name in PAGES - {"index"}} <= pages["search.html"].targets


def test_no_link_inside_the_site_is_dead(site: Path, pages: dict[str, Links]) -> None:
    dead = []
    for name, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or (name in ("search.html", "genindex.html") and target == "#"):
                continue
            file, fragment = unquote(parts.path) or name, unquote(parts.fragment)
            there = (site / file).is_file()
            if not there or (file in pages and fragment not in pages[file].fragments):
                dead.append(f"{name}: {target}")

    assert dead == []


def test_what_is_not_in_the_site_is_linked_in_the_repository_of_that_release(pages) -> None:
    base = f"https://github.com/ragate/ragate/blob/{VERSIONS[0]}/"
    linked = {link for page in pages.values() for link in page.targets if link.startswith(base)}
    files = {urlsplit(link.removeprefix(base)).path for link in linked}

    assert any(file.startswith("docs/decisions/") for file in files)
    assert [file for file in files if not (ROOT / file).is_file()] == []


def test_every_address_elsewhere_is_a_whole_one(pages: dict[str, Links]) -> None:
    elsewhere = {link for page in pages.values() for link in page.targets if "//" in link}

    assert elsewhere
    for link in elsewhere:
        assert re.fullmatch(r"https://[\w.-]+\.[a-z]+(/[^\s<>\"]*)?", link), link


def test_every_old_address_leads_to_a_page(site: Path, pages: dict[str, Links]) -> None:
    assert len(OLD) > 80
    for old, new in OLD.items():
        assert new in PAGES, f"{old} -> {new}"
        if old not in PAGES:
            assert f"{new}.html" in pages[f"{old}.html"].targets
            assert f"url={new}.html" in (site / f"{old}.html").read_text("utf-8")


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_nothing(browser, address: str, kind: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    if kind == "moved":
        page.route("**/tutorial.html", lambda route: route.fulfill(status=204))
    page.goto(f"{address}/{VERSIONS[0]}/{KINDS[kind]}")
    if kind == "search":
        page.locator("#search-results li").first.wait_for()

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == [], scheme
    context.close()


@pytest.mark.browser
def test_the_search_finds_a_page_and_the_switch_another_version(browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/{VERSIONS[0]}/index.html")
    page.locator(".sidebar-search").fill("baseline")
    page.keyboard.press("Enter")
    found = page.locator("#search-results li > a").first
    found.wait_for()
    assert found.get_attribute("href") == "baseline.html"

    switch = page.get_by_label("Version")
    assert switch.locator("option").all_inner_texts() == VERSIONS
    assert switch.input_value() == VERSIONS[0]
    switch.select_option(VERSIONS[1])
    page.wait_for_url(f"{address}/{VERSIONS[1]}/")
    context.close()


ASKED = {
    "flaky": "proven",
    "different answer each time": "proven",
    "limit cost": "max_cost_usd",
    "multi-turn": "messages",
    "send alerts to Slack": "webhook",
    "429": "RAGATE_CONCURRENCY",
    "request timed out": "RAGATE_TIMEOUT_S",
    "Windows": "WSL",
    "merge anyway": "/ragate accept",
    "hallucination": "entity_support",
    "how do I roll back a bad baseline": "git revert",
    "my RAG returns JSON with other field names": "pointers",
    "run it on my laptop before pushing": "own machine",
    "can the judge be a model on Bedrock": "Bedrock",
    "is a password in logs": "never written",
    "we use poetry": "poetry",
    "questions in German": "German",
    "delete old runs": "ragate runs prune",
    "compare two runs": "ragate compare",
    "what does yellow mean": "nothing proven",
    "I renamed a document": "relink",
    "it must say that it does not know": "answerable",
    "start my server before the questions": "started by ragate",
}


@pytest.mark.browser
def test_the_words_of_users_find_pages_that_begin_with_the_answer(browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    for asked, answer in ASKED.items():
        page.goto(f"{address}/{VERSIONS[0]}/search.html?q={quote(asked)}")
        found = page.locator("#search-results li > a")
        found.first.wait_for()
        names = [found.nth(n).get_attribute("href") for n in range(min(3, found.count()))]
        texts = [(DOCS / f"{name.partition('.html')[0]}.md").read_text("utf-8") for name in names]
        beginnings = [" ".join(text.partition("\n")[2].split()[:40]) for text in texts]
        assert any(answer in beginning for beginning in beginnings), (asked, names)
    context.close()


@pytest.mark.browser
def test_a_code_block_is_copied_and_an_old_address_leads_on(browser, address: str) -> None:
    context = browser.new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/{VERSIONS[0]}/quickstart.html")
    page.wait_for_url("**/tutorial.html")
    block = page.locator("div.highlight").first
    block.hover()
    block.locator("button.copybtn").click()
    page.locator("button.copybtn.success").wait_for()

    assert page.evaluate("navigator.clipboard.readText()").strip() in block.inner_text()
    context.close()


@pytest.mark.browser
def test_a_picture_follows_the_scheme_that_the_reader_chose(browser, address: str) -> None:
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(f"{address}/{VERSIONS[0]}/comment.html")
    picture = page.locator("img[src$='comment.svg']").first
    light = picture.screenshot()
    page.evaluate("document.body.dataset.theme = 'dark'")

    assert picture.evaluate("node => getComputedStyle(node).colorScheme") == "dark"
    assert picture.screenshot() != light
    context.close()
