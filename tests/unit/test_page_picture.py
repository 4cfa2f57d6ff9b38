"""The picture of the HTML page that the README shows."""

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

    assert {"foreignObject", "table", "path"} <= tags
    assert not tags & {"script", "iframe", "image", "img", "link"}


def test_the_picture_is_of_the_page_as_it_is_drawn_today() -> None:
    pytest.importorskip("vl_convert")
    from tests.page_picture import picture

    # Charts may differ by a digit between releases of what draws them: the words may not.
    words = ["".join(ElementTree.fromstring(text).itertext()).split() for text in (
        picture(), PICTURE.read_text(encoding="utf-8"),
    )]  # fmt: skip
    assert words[0] == words[1], "python -m tests.page_picture draws it anew"
