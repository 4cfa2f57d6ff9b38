"""What a sample expects of an answer besides references: keywords, and what it may rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.core.hashing import content_hash
from ragate.dataset._rows import Entries
from ragate.dataset.edit import row_of
from ragate.models import Sample, SourcePolicy
from tests.unit.dataset.row_factories import error_of, read, rows

Q = {"id": "q", "query": "x"}


@pytest.mark.parametrize(
    ("written", "keywords"),
    [
        ("383; billion", (("383",), ("billion",))),
        (383, (("383",),)),
        (["a b", ["c", " d "]], (("a b",), ("c", "d"))),
        ([], ()),
    ],
)
def test_keywords_are_texts_or_lists_of_spellings(
    tmp_path: Path, written: Any, keywords: tuple[tuple[str, ...], ...]
) -> None:
    [sample] = read(tmp_path, "a.jsonl", rows({**Q, "keywords": written}))

    assert sample.answer_keywords == keywords


@pytest.mark.parametrize(
    ("written", "policy"),
    [
        ("quote_only", SourcePolicy(form="quote_only")),
        ("summarize", SourcePolicy(form="summarise")),
        ({"allowed": "a*"}, SourcePolicy(allowed=("a*",))),
        (
            {"form": "summarise", "forbidden": ["b", 7, "b"]},
            SourcePolicy(form="summarise", forbidden=("b", "7")),
        ),
    ],
)
def test_a_source_policy_is_a_form_or_an_object(
    tmp_path: Path, written: Any, policy: SourcePolicy
) -> None:
    [sample] = read(tmp_path, "a.jsonl", rows({**Q, "source_policy": written}))

    assert sample.source_policy == policy


def test_cells_of_a_table_are_read_too(tmp_path: Path) -> None:
    table = (
        "id,query,answer_keywords,source_policy\n"
        'q,x,383; billion,quote_only\nr,y,"[[""a"",""b""]]","{""forbidden"": [""s""]}"\n'
    )
    first, second = read(tmp_path, "a.csv", table)

    assert first.answer_keywords == (("383",), ("billion",))
    assert first.source_policy == SourcePolicy(form="quote_only")
    assert second.answer_keywords == (("a", "b"),)
    assert second.source_policy == SourcePolicy(forbidden=("s",))


@pytest.mark.parametrize(
    ("field", "written", "message"),
    [
        ("answer_keywords", ["a", "a"], "a keyword stands twice"),
        ("answer_keywords", ["..."], "'...' has no word to look for"),
        ("answer_keywords", [[]], "a keyword without a spelling"),
        ("answer_keywords", [" "], "is blank"),
        ("answer_keywords", {"a": 1}, "must be text"),
        ("arrange", "reversed", "arrange is gone: take the sample out"),
        ("source_policy", "quote", "must be quote_only or summarise"),
        ("source_policy", ["quote_only"], "must be quote_only or summarise"),
        ("source_policy", {"allow": ["a"]}, "unknown key 'allow'; did you mean 'allowed'?"),
        ("source_policy", {}, "has a form, allowed or forbidden documents"),
        ("source_policy", {"allowed": [], "forbidden": []}, "has a form, allowed or forbidden"),
        ("source_policy", {"allowed": ["a"], "forbidden": ["a"]}, "'a' is allowed and forbidden"),
        ("source_policy", {"allowed": [""]}, "is blank"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(
    tmp_path: Path, field: str, written: Any, message: str
) -> None:
    error = error_of(tmp_path, "a.jsonl", rows({**Q, field: written}))

    assert error.startswith("a.jsonl:1: ")
    assert field in error
    assert message in error


@pytest.mark.parametrize(
    "fields",
    [
        {"answer_keywords": ["a", ["b", "c"]]},
        {"source_policy": "quote_only"},
        {"source_policy": {"form": "summarise", "allowed": ["a"], "forbidden": ["b*"]}},
    ],
)
def test_a_row_is_written_as_it_was_read(tmp_path: Path, fields: dict[str, Any]) -> None:
    entry = Entries(tmp_path).read("a:1", {**Q, **fields})

    assert json.loads(json.dumps(row_of(entry))) == {**Q, **fields}


def test_what_is_expected_is_part_of_what_a_sample_is() -> None:
    plain = Sample(id="q", query="x")
    hashes = {
        content_hash(plain.amended(**fields))
        for fields in (
            {},
            {"answer_keywords": (("a",),)},
            {"answer_keywords": (("a",), ("b",))},
            {"answer_keywords": (("a", "b"),)},
            {"source_policy": SourcePolicy(form="quote_only")},
            {"source_policy": SourcePolicy(forbidden=("a",))},
            {"source_policy": SourcePolicy(allowed=("a",))},
        )
    }

    assert len(hashes) == 7
    assert content_hash(plain) == "149ba9bb4f809c5a"  # as baselines hold it
