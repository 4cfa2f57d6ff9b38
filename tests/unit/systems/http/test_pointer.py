"""JSON pointers, and * for every item."""

from __future__ import annotations

import pytest

from ragate.systems.http.pointer import PointerError, many, one, parse

# The document and the pointers of RFC 6901, section 5.
DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_standard(pointer: str, value: object):
    assert one(DOCUMENT, pointer) == value


@pytest.mark.parametrize("pointer", ["foo", "/a~2", "/a~", "$.foo"])
def test_what_is_no_pointer_is_refused(pointer: str):
    with pytest.raises(ValueError, match='begins with "/"'):
        parse(pointer)


@pytest.mark.parametrize(
    ("pointer", "told"),
    [
        ("/fooo", "an object has no 'fooo'; did you mean 'foo'?"),
        ("/foo/2", "a list has no '2'"),
        ("/foo/00", "a list has no '00'"),
        ("/foo/-", "a list has no '-'"),
        ("/foo/0/x", "a text has no 'x'"),
        ("/foo/*", "one value is wanted"),
    ],
)
def test_a_pointer_that_leads_nowhere_says_where_it_ends(pointer: str, told: str):
    with pytest.raises(PointerError) as raised:
        one(DOCUMENT, pointer)

    assert told in str(raised.value)


HITS = {"hits": [{"_id": "a", "src": {"text": "A"}, "s": 1.5}, {"_id": "b", "src": {"text": "B"}}]}


def test_a_star_stands_for_every_item_of_a_list():
    assert many(HITS, "/hits/*/src/text") == ["A", "B"]
    assert many(["x", "y"], "/*") == ["x", "y"]
    assert many({"ids": ["x", "y"]}, "/ids") == ["x", "y"]


def test_a_value_that_an_item_lacks_is_an_error_unless_it_is_optional():
    assert many(HITS, "/hits/*/s", optional=True) == [1.5, None]
    with pytest.raises(PointerError, match="/hits/\\*/s leads nowhere: an object has no 's'"):
        many(HITS, "/hits/*/s")


@pytest.mark.parametrize("pointer", ["/hits/0/src", "/hits/0/*", "/hits/0/_id/*"])
def test_where_a_list_is_wanted_anything_else_is_an_error(pointer: str):
    with pytest.raises(PointerError, match="list"):
        many(HITS, pointer)
