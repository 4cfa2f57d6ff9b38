from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from ragate.guards.redact import MASK, Redactor

KEY = 'sk-canary/+"é\\0123456789&x='


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        base64.b64encode(KEY.encode()).decode(),
        base64.urlsafe_b64encode(KEY.encode()).decode(),
        quote(KEY, safe=""),
        quote(KEY),
        quote(KEY, safe="").lower(),
        json.dumps({"message": f"wrong key {KEY}"}),
        json.dumps({"message": KEY}, ensure_ascii=False),
        json.dumps(json.dumps(KEY)),
        repr(KEY),
        KEY.encode().hex(),
    ],
)
def test_a_key_is_cut_out_in_every_form(text: str) -> None:
    shown = Redactor([KEY])(f"before {text} after")

    assert MASK in shown
    assert text not in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@pytest.mark.parametrize("before", ["", "a", "ab", "user:", "Bearer ", "x" * 31])
def test_a_key_inside_a_longer_base64_text_is_cut_out(before: str) -> None:
    text = base64.b64encode(f"{before}sk-0123456789abcdef tail".encode()).decode()

    shown = Redactor(["sk-0123456789abcdef"])(text)

    assert MASK in shown
    assert b"0123456789abc" not in base64.b64decode(shown.replace(MASK, "") + "==", validate=False)


def test_text_without_a_key_stays_as_it_is() -> None:
    text = "nothing to hide: 100 % of *** all"

    assert Redactor([KEY, ""])(text) == text


def test_a_redactor_does_not_show_what_it_hides() -> None:
    assert "canary" not in repr(Redactor([KEY]))


@pytest.mark.parametrize("length", range(4, 20))
@pytest.mark.parametrize("before", range(3))
def test_the_middle_of_any_key_in_base64_is_cut_out_where_it_is_long_enough(
    length: int, before: int
) -> None:
    key = "kY7-Zq2wXb9sLm4tRv1n"[:length]
    text = base64.b64encode(b"x" * before + key.encode() + b"y" * 6).decode()
    # The characters that depend on the key alone.
    first, last = -(-before * 4 // 3), (before + length) * 4 // 3
    middle = text[first:last]

    assert (middle not in Redactor([key])(text)) == (len(middle) >= 8)
