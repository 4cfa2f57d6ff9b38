from __future__ import annotations

from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.metadata import conditions, fields_of
from ragate.systems.pgvector.settings import Settings
from tests.factories import sample_factory


def page(front: str, doc_id: str = "a.md") -> Document:
    return Document(doc_id, "markdown", f"---\n{front}\n---\n# Title\n", "hash")


def settings(**fields: Any) -> Settings:
    """Return settings with a filter, without which no metadata is read."""
    return Settings.model_validate({"corpus": "docs", "filters": {"lang": "en"}, **fields})


def test_front_matter_is_metadata_each_field_a_list_of_texts() -> None:
    front = "lang: en\nproducts: [p1, p2]\nyear: 2024\nnew: yes\nday: 2024-05-01\nrate: 2.0"

    assert fields_of(page(front), settings()) == {
        "lang": ["en"],
        "products": ["p1", "p2"],
        "year": ["2024"],
        "new": ["true"],
        "day": ["2024-05-01"],
        "rate": ["2"],
    }


def test_what_is_no_scalar_is_no_metadata() -> None:
    front = 'deep: {a: 1}\nlists: [[1], 2]\nnone: null\nnul: "a\\0b"\nhalf: "\\uD800"'

    assert fields_of(page(front), settings()) == {"lists": ["2"]}


def test_folders_have_names_and_front_matter_wins() -> None:
    own = settings(path_fields=["product", "lang"])

    assert fields_of(page("lang: de", "pump/en/a.md"), own) == {"product": ["pump"], "lang": ["de"]}
    assert fields_of(page("x: 1", "pump/a.md"), own) == {"product": ["pump"], "x": ["1"]}
    assert fields_of(page("x: 1", "a.md"), own) == {"x": ["1"]}


def test_metadata_of_a_beir_row_is_taken() -> None:
    row = Document("d1", "text", "text", "hash", {"lang": "en", "deep": {"a": 1}})

    assert fields_of(row, settings()) == {"lang": ["en"]}


def test_without_a_filter_no_front_matter_is_read() -> None:
    assert fields_of(page("a: [b"), Settings(corpus="docs")) == {}


@pytest.mark.parametrize("front", ["a: [b", "a: b: c", "[" * 2000, "a: !!python/object:os.x {}"])
def test_front_matter_that_is_no_yaml_is_named_where_filters_need_it(front: str) -> None:
    with pytest.raises(ConfigError, match=r"front matter of .a\.md. is no YAML"):
        fields_of(page(front), settings())


def test_front_matter_that_is_far_too_long_is_refused() -> None:
    with pytest.raises(ConfigError, match="longer than"):
        fields_of(page("a: " + "x" * 70_000), settings())


def test_aliases_do_not_grow() -> None:
    rows = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]

    assert fields_of(page("\n".join(rows)), settings()) == {"a0": ["x", "x"]}


def test_a_field_that_the_sample_lacks_filters_nothing() -> None:
    own = settings(filter_by=["product", "year"])

    found = conditions(own, sample_factory(metadata={"product": "p1", "year": None}))

    assert found.wanted == (("lang", ("en",)), ("product", ("p1",)))


def test_values_are_parameters_and_never_stand_in_the_sql() -> None:
    evil = "x'); DROP SCHEMA ragate; --"

    text, values = conditions(settings(filters={evil: [evil, 3]}), sample_factory()).clause()

    assert "DROP" not in text
    assert values == {"field_0": evil, "values_0": [evil, "3"]}
