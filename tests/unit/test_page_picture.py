"""The pictures that the README shows: a comment, and the HTML page."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs/images/page.svg"


def test_the_readme_shows_a_picture_of_less_than_100_kilobytes() -> None:
    assert "(docs/images/page.svg)" in (ROOT / "README.md").read_text()
    assert PICTURE.stat().st_size < 100_000


def test_the_picture_is_an_image_and_nothing_that_runs() -> None:
    tags = {node.tag.partition("}")[2] for node in ElementTree.parse(PICTURE).iter()}

    assert {"foreignObject", "table", "circle"} <= tags
    assert not tags & {"script", "iframe", "image", "img", "link"}


def test_the_picture_is_of_the_page_as_it_is_drawn_today() -> None:
    from tests.page_picture import picture

    drawn = picture() == PICTURE.read_text(encoding="utf-8")
    assert drawn, "python -m tests.page_picture draws it anew"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_comment_is_of_a_red_run_of_our_own_gate_and_nothing_that_runs(scheme: str) -> None:
    root = ElementTree.parse(ROOT / f"docs/images/comment-{scheme}.svg").getroot()
    text = "".join(root.itertext())

    assert "❌ docs: worse" in text
    assert "top_k 10 -> 1" in text
    assert "light-dark" not in text
    assert ("#0d1117" in text) is (scheme == "dark")
    assert not {node.tag.partition("}")[2] for node in root.iter()} & {"script", "iframe", "img"}


def test_a_comment_is_drawn_as_it_stands_above_its_fold() -> None:
    from tests.page_picture import comment_picture

    drawn = comment_picture("<p>A<br>b</p>\n\n<details>hidden</details>\n", 90, dark=True)

    assert "<p>A<br/>b</p>" in drawn
    assert "hidden" not in drawn
