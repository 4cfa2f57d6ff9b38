"""The pictures of the README and the manual."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs/images"
# What each shows: of our own gate with `top_k = 1`, of this repository's main branch, of two
# files of deepeval, or of variants tried on Cranfield.
SHOWN = {
    "comment": ["lost their document; recall@10", "top_k 10 -> 1", "regressed"],
    "console": ["$ ragate check", "FAILED", "Because of top_k 10 -> 1"],
    "gate": [
        "$ ragate gate main/test_run.json test_run.json",
        "FAILED",
        "Faithfulness",
        "regressed",
    ],
    "page": ["Failed", "Because of", "Ranks of expected documents", "Answer before", "Answer now"],
    "threshold": ["red although nothing got worse"],
    "try": ["limit: 4 points less", "worse (−4.5)", "safe (−0.01)", "not proven safe (−2.2)"],
    "history": ["How the main branch moved", "What moved them", "baselines/docs.json"],
}


def test_every_picture_is_one_of_these() -> None:
    assert {path.stem for path in IMAGES.iterdir()} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_is_of_a_real_run_small_and_nothing_that_runs(name: str) -> None:
    path = IMAGES / f"{name}.svg"
    root = ElementTree.parse(path).getroot()
    text = " ".join("".join(root.itertext()).split())

    assert path.stat().st_size < 150_000
    for words in SHOWN[name]:
        assert words in text
    assert not {node.tag.partition("}")[2] for node in root.iter()} & {"script", "iframe", "img"}


@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_is_light_and_dark_in_one_file(name: str) -> None:
    text = (IMAGES / f"{name}.svg").read_text("utf-8")

    assert "color-scheme: light dark" in text
    assert "light-dark(" in text or "prefers-color-scheme: dark" in text


def test_every_picture_is_shown_in_the_manual() -> None:
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))

    assert [name for name in SHOWN if f"(images/{name}.svg)" not in pages] == []


def test_the_readme_shows_the_comment_and_the_page() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")

    assert readme.index("(docs/images/comment.svg)") < readme.index("(docs/images/page.svg)")


def test_a_comment_is_drawn_as_it_stands_above_its_fold() -> None:
    from tests.page_picture import comment_html

    drawn = comment_html("<p>A<br>b</p>\n\n<details>hidden</details>\n<!-- marker -->")

    assert "<p>A<br>b</p>" in drawn
    assert "hidden" not in drawn
    assert "marker" not in drawn
