"""The page of a history opens in a browser, and does nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.contrib.history.history_page import as_page
from ragate.contrib.history.show_history import badge
from tests.browser.opened import open_page
from tests.browser.test_layout import FAULTS, serious_faults
from tests.contrib.history.view_factories import HOSTILE, history_factory

pytestmark = pytest.mark.browser


def written(tmp_path: Path, text: str, name: str = "page.html") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [360, 800, 1440])
def test_nothing_overlaps_and_nothing_overflows(browser, tmp_path: Path, width: int):
    path = written(tmp_path, as_page(history_factory(), ()))

    shown = open_page(browser, path, width=width)

    assert shown.page.evaluate(FAULTS) == []
    assert shown.faults() == []
    shown.page.context.close()


def test_hostile_words_never_execute(browser, tmp_path: Path):
    history = history_factory(subject=HOSTILE, gate=HOSTILE)

    for path in (
        written(tmp_path, as_page(history, ())),
        written(tmp_path, badge(HOSTILE, history.verdict), "badge.svg"),
    ):
        shown = open_page(browser, path)
        assert shown.faults() == []
        shown.page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(browser, tmp_path: Path, scheme):
    path = written(tmp_path, as_page(history_factory(), ()))

    shown = open_page(browser, path, scheme=scheme)

    assert serious_faults(shown) == []
    shown.page.context.close()
