"""Names of a text."""

from __future__ import annotations

import pytest

from ragate.core.text.names import has_capitals, names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was built by Ada Lovelace in London.", ["ada", "lovelace", "london"]),
        ("Additionally, it works.", []),
        ("Berlin is large. I like Berlin.", ["berlin"]),
        ("New York is large.", ["new", "york"]),
        ("NATO met. The UN did not.", ["nato", "un"]),
        ("Note: The plan of Contoso.", ["contoso"]),
        ("- Item of Acme\n- **Bold** of Acme", ["acme"]),
        ("I think O'Brien and the U.S. did.", ["brien", "us"]),
        ("McDonald sells.", ["mcdonald"]),
        ("Das gilt für München und Sie.", ["münchen"]),
        ("Он живёт в Москве.", ["москве"]),
        ("no capitals at all", []),
    ],
)
def test_capitalised_terms_are_names_where_not_their_place_alone_capitalises_them(
    text: str, expected: list[str]
) -> None:
    assert names(text) == expected


def test_scripts_without_case_have_no_capitals() -> None:
    assert not has_capitals("東京は日本の首都です。")
    assert has_capitals("Tokyo")
