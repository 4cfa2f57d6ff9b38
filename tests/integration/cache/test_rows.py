"""What a row of the cache holds."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from ragate.cache import Cache
from ragate.models import not_applicable, unscored
from tests.integration.cache.cache_rows import KEY, fill

pytestmark = pytest.mark.integration


def test_an_unscored_verdict_is_never_kept(path: Path) -> None:
    with Cache(path) as cache:
        cache.put_judgements(
            {KEY: {"a": unscored("a", "provider out"), "b": not_applicable("b", "no reference")}}
        )

        assert cache.judgements([KEY]) == {KEY: {"b": not_applicable("b", "no reference")}}


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("verdicts", "score", '{"value": NaN}'),
        ("verdicts", "score", '{"value": 1e999}'),
        ("verdicts", "score", '{"value": "0.5"'),
        ("verdicts", "score", "[" * 100_000),
        ("verdicts", "score", b"\xff\xfe"),
        ("draws", "reply", '{"text": ""}'),
        ("draws", "reply", '{"text": "a", "cost_usd": -1}'),
        ("draws", "reply", b"\xff"),
        ("embeddings", "vector", b"\x00\x00\x80\x7f"),
        ("embeddings", "vector", b"123"),
        ("embeddings", "vector", "text"),
        ("embeddings", "vector", b""),
    ],
)
def test_a_row_that_does_not_fit_is_no_row(
    path: Path, table: str, column: str, value: object
) -> None:
    with Cache(path) as cache:
        fill(cache)
        known = sqlite3.connect(path)
        known.execute(f"UPDATE {table} SET {column} = ?", (value,))
        known.commit()
        known.close()

        found = {
            "verdicts": cache.judgements([KEY]),
            "draws": cache.draw("", KEY, 0),
            "embeddings": cache.embeddings([KEY]),
        }
        assert not found[table]


def test_a_key_that_is_no_digest_is_a_mistake_of_the_caller(path: Path) -> None:
    with pytest.raises(ValueError, match="no digest"):
        Cache(path).put_embeddings({"../secret": [1.0]})
