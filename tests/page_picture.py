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
WIDTH, HEIGHT = 1240, 1125
FIGURES = 2
_PART = re.compile(
    r"<header>.*?</header>|<section aria-labelledby=\"(?:metrics|charts)\">.*?</section>", re.DOTALL
)
_FIGURE = re.compile(r"<figure>.*?</figure>", re.DOTALL)
# The answers of that report are about this.
_WORSE = re.compile(
    r'<details id="s\d+" class="sample worse">\n'
    r'<summary>([^\n]*?)<span class="asked">Is VAT [^<]*</span></summary>'
    r'\n<div class="body">(.*?)<h4>Retrieved',
    re.DOTALL,
)
_STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def picture() -> str:
    """Return the SVG: head, metrics, pictures and one question of the page in its own style.

    The question stands beside the pictures, in place of the further ones: a picture has no room for
    the list below them.
    """
    page = render(red())
    style = _STYLE.search(page)
    assert style is not None
    parts = "".join(match.group() for match in _PART.finditer(page))
    figures = _FIGURE.findall(parts)
    question = _WORSE.search(page)
    assert question is not None
    pane = f'<div id="detail"><h3>{question[1]}</h3>{question[2]}</div>'
    parts = parts.replace("".join(figures[FIGURES:]), pane)
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
