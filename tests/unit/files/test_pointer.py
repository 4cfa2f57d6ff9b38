"""JSON pointers, and * for every item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.files.pointer import PointerError, many, one, parse

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


@pytest.mark.parametrize("pointer", ["/hits/0/src", "/hits/0/_id/*"])
def test_where_a_list_is_wanted_anything_else_is_an_error(pointer: str):
    with pytest.raises(PointerError, match="list"):
        many(HITS, pointer)


def test_several_stars_give_one_flat_list():
    steps = {"steps": [{"docs": [{"id": "a"}, {"id": "b"}]}, {"docs": []}, {"docs": [{"id": "c"}]}]}

    assert many(steps, "/steps/*/docs/*/id") == ["a", "b", "c"]


# Documents as JSON has them, with keys that need escaping and keys that look like an index.
KEYS = st.text(alphabet="ab/~01*é ", max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def written(path: tuple[str, ...]) -> str:
    """Write a pointer the way the standard says, as a second implementation."""
    return "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)


def places(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    yield path, value
    pairs: Iterable[tuple[str, object]] = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = ((str(number), item) for number, item in enumerate(value))
    for key, item in pairs:
        yield from places(item, (*path, key))


@given(VALUES)
def test_every_place_of_a_document_is_found_by_its_pointer(document: object):
    for path, value in places(document):
        pointer = written(path)

        assert parse(pointer) == path
        if "*" not in path:
            assert one(document, pointer) is value


@given(VALUES, st.text(alphabet="/~01a*-", max_size=8))
def test_any_text_is_a_pointer_or_refused_as_one(document: object, text: str):
    for follow in (one, many):
        with suppress(ValueError, PointerError):
            follow(document, text)


@given(st.lists(st.fixed_dictionaries({"id": st.integers()}, optional={"score": st.floats(0, 1)})))
def test_an_optional_value_keeps_its_place_in_the_list(items: list[dict[str, float]]):
    scores = many({"docs": items}, "/docs/*/score", optional=True)

    assert scores == [item.get("score") for item in items]


KEYED = {"docs": {"a.md": {"text": "A"}, "b.md": {"text": "B"}}, "of": [{"x": 1}, {"y": 2}]}


@pytest.mark.parametrize(
    ("pointer", "values"),
    [
        ("/docs/*/text", ["A", "B"]),
        ("/docs/keys", ["a.md", "b.md"]),
        ("/of/*/keys", ["x", "y"]),
        ("/of/*/*", [1, 2]),
    ],
)
def test_an_object_is_walked_by_its_values_and_its_names(pointer: str, values: list[object]):
    assert many(KEYED, pointer) == values


def test_a_field_that_is_called_keys_is_that_field():
    assert many({"keys": ["k"]}, "/keys") == ["k"]
