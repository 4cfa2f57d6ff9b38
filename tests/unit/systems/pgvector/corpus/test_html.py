from __future__ import annotations

import pytest

from ragate.systems.pgvector.corpus.html import to_markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<p>b", "a\n\nb"),
        ("<h2 id=x>Head</h2>text", "## Head\n\ntext"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("a &lt;b&gt; &amp; c&nbsp;d", "a <b> & c\xa0d"),
        ("<script>x<p>y</script>z", "z"),
        ("<nav>menu <nav>inner</nav> more</nav>body", "body"),
        ("<head><title>T</title><body>text", "text"),
        ("<script>never closed", ""),
        ("", ""),
    ],
)
def test_a_page_becomes_text_with_its_headings(html: str, text: str) -> None:
    assert to_markdown(html)[1] == text


def test_the_title_is_told_apart_from_the_text() -> None:
    page = "<html><head><title> The\n title </title></head><body>x <svg><title>no</title></svg>"

    assert to_markdown(page) == ("The title", "x")
