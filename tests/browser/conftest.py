"""A browser of this machine, and pages in it that tell everything that goes wrong."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragate.models import Report
from ragate.renderers.html import render
from tests.browser.opened import OpenedPage, open_page
from tests.npm_packages import without

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    """Chromium, driven by Playwright; the test is skipped where there is none, but not in CI."""
    named = os.environ.get("RAGATE_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
    if named is None:
        without("no Chromium: install it, or name it in RAGATE_CHROMIUM")
    from playwright.sync_api import sync_playwright

    # A module's own: while Playwright runs, no test beside it could start an event loop.
    with sync_playwright() as playwright:
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        chromium = playwright.chromium.launch(executable_path=named, args=sandbox)
        yield chromium
        chromium.close()


Opener = Callable[..., OpenedPage]


@pytest.fixture
def opened(browser, tmp_path: Path) -> Iterator[Opener]:
    """Open the page of a report; see `open_page`. Every page is closed in the end."""
    pages: list[OpenedPage] = []

    def opener(report: Report, **options) -> OpenedPage:
        path = tmp_path / f"page{len(pages)}.html"
        path.write_text(render(report), encoding="utf-8")
        pages.append(open_page(browser, path, **options))
        return pages[-1]

    yield opener
    for each in pages:
        each.page.context.close()
