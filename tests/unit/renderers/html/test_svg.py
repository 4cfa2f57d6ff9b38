"""A drawn chart as a part of the page."""

from __future__ import annotations

import pytest

from ragate.renderers.html.svg import as_part

START = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'width="9" height="9" viewBox="0 0 9 9">'
)


def part(inner: str) -> str:
    return as_part(f"{START}{inner}</svg>", label="<Change>")


@pytest.mark.parametrize(
    "inner",
    [
        "<script>alert(1)</script>",
        '<image href="https://example.org/x.png"/>',
        "<foreignObject><p>x</p></foreignObject>",
        "<style>* { display: none }</style>",
        '<use href="#other"/>',
    ],
)
def test_an_element_that_is_no_shape_goes(inner: str) -> None:
    assert part(inner) == part("")


@pytest.mark.parametrize(
    "attribute",
    [
        'id="data"',
        'class="row"',
        'style="fill: red"',
        'onclick="alert(1)"',
        'fill="url(https://example.org)"',
        'stroke="expression(1)"',
    ],
)
def test_an_attribute_that_draws_nothing_goes(attribute: str) -> None:
    assert part(f'<rect width="1" {attribute}/>') == part('<rect width="1"/>')


@pytest.mark.parametrize(
    "address", ["https://example.org", "javascript:alert(1)", "#q=1", "#s1x", "//example.org"]
)
def test_a_link_leads_to_a_question_of_this_page_or_nowhere(address: str) -> None:
    assert "href" not in part(f'<a xlink:href="{address}"><path d="M0,0"/></a>')
    assert 'href="#s12"' in part('<a xlink:href="#s12"><path d="M0,0"/></a>')


def test_the_name_of_a_point_is_its_title_and_no_mark_up() -> None:
    shown = part('<a xlink:href="#s1"><path d="M0,0" aria-label="q1 &lt;b>: 1 → 0"/></a>')

    assert "<title>q1 &lt;b&gt;: 1 → 0</title>" in shown


def test_a_picture_says_what_it_shows_and_has_no_size_of_its_own() -> None:
    shown = part("")

    assert 'role="img" aria-label="&lt;Change&gt;"' in shown
    assert " width=" not in shown
    assert 'viewBox="0 0 9 9"' in shown
