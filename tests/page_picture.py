"""The picture of the HTML page in the README: its upper half as an SVG, of a made-up report.

python -m tests.page_picture
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from ragate.renderers.html.page import render
from tests.browser.reports import red

PICTURE = Path(__file__).parents[1] / "docs/images/page.svg"
WIDTH, HEIGHT = 1240, 1020
MOST_FIGURES = 3
_PART = re.compile(
    r"<header>.*?</header>|<section aria-labelledby=\"(?:metrics|charts)\">.*?</section>", re.DOTALL
)
_FIGURE = re.compile(r"<figure>.*?</figure>", re.DOTALL)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def picture() -> str:
    """Return the SVG: head, metrics and pictures of the page in its own style, without a script."""
    page = render(red())
    style = _STYLE.search(page)
    assert style is not None
    parts = "".join(match.group() for match in _PART.finditer(page))
    figures = _FIGURE.findall(parts)
    parts = parts.replace("".join(figures[MOST_FIGURES:]), "")
    parts = parts.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    # What the page gives its body.
    frame = (
        f".page {{ background: var(--page); color: var(--ink); height: {HEIGHT}px; "
        "padding: 0 24px; "
        'font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }'
    )
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"<style>{style.group(1)}{frame}</style>"
        f'<foreignObject width="{WIDTH}" height="{HEIGHT}">'
        f'<div xmlns="http://www.w3.org/1999/xhtml" class="page red">{parts}</div>'
        "</foreignObject></svg>\n"
    )
    ElementTree.fromstring(text)
    return text


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture(), encoding="utf-8")
