"""The comment on a wide screen and on a phone, as GitHub shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.renderers import markdown
from tests.browser.comments import DESKTOP, PHONE, lines, own_gate, shown, too_wide
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_comment_size import seen

pytestmark = pytest.mark.browser
OWN = ("green", "top_k 1", "chunk_size 32", "a page removed")


@pytest.fixture(scope="module")
def comments(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return own_gate(tmp_path_factory.mktemp("gate"))


@pytest.mark.parametrize("case", OWN)
def test_a_comment_of_our_own_gate_fits_screens_of_both_widths(
    browser, comments: dict[str, str], tmp_path: Path, case: str
) -> None:
    with shown(browser, tmp_path, comments[case], DESKTOP) as page:
        assert lines(page) <= 22
        page.set_viewport_size({"width": PHONE, "height": 900})
        assert too_wide(page) == []
    assert len(seen(comments[case]).encode()) <= 3_000


def test_no_table_above_the_fold_is_wider_than_a_phone(browser, tmp_path: Path) -> None:
    comments = [markdown.render(make()) for make in CASES.values()]
    with shown(browser, tmp_path, "\n\n".join(comments), PHONE) as page:
        assert page.locator("h3").count() == len(comments)
        assert too_wide(page) == []
