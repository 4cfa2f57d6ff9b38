"""Annotations: on the lines that changed and can explain a flip, and on no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.config import parse_config
from ragate.errors import RagateError
from ragate.github.commits.commit_tree import ConfigLocation
from ragate.github.publish.changed_sources import Annotation, Sources, annotations_for, sources_of
from ragate.models import (
    Cause,
    CauseKind,
    MetricVerdict,
    Publish,
    Report,
    SampleRow,
    SliceRow,
    Verdict,
)
from tests.factories import decision_factory, report_factory, sample_row_factory
from tests.unit.github.commits.tree_factories import FilesTree

THEN = """\
[policy]
dataset = "golden.jsonl"

[system]
use = "pgvector"

[system.index]
corpus = "docs"
top_k = 10   # passages
tags = [
  "a",
]
method = "bm25"
"""
NOW = (
    THEN.replace("golden.jsonl", "other.jsonl")
    .replace("top_k = 10 ", "top_k = 5 ")
    .replace('  "a",', '  "b",')
    .replace('method = "bm25"', "chunk = 400")
)


def files_of(then: Mapping[str, str], now: Mapping[str, str], **more: Any) -> Sources:
    base, head = (
        FilesTree({path: text.encode() for path, text in files.items()}) for files in (then, now)
    )
    return Sources(base, head, (), "ragate.toml", **more)


def marks_of(report: Report, changed: Sequence[str], sources: Sources) -> Sequence[Annotation]:
    return annotations_for(report, replace(sources, changed=changed))


def row_of(sample_id: str, lost: Sequence[str] = (), by: Sequence[str] = ()) -> SampleRow:
    cause = Cause(kind=CauseKind.RETRIEVAL, evidence="x", lost=tuple(lost), displaced_by=tuple(by))
    return sample_row_factory(sample_id).amended(cause=cause)


def red(*rows: SampleRow, verdict: Verdict = Verdict.FAILED) -> Report:
    return report_factory(decision_factory(verdict), gate="docs", samples=rows)


def told(marks: Sequence[Annotation]) -> list[tuple[str, int, str]]:
    return [(mark.path, mark.line, mark.message) for mark in marks]


def test_the_systems_keys_that_changed_are_marked_and_the_policys_are_not() -> None:
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})
    marks = marks_of(red(row_of("q1"), row_of("q2")), ["ragate.toml"], sources)

    why = "2 questions got worse: q1, q2"
    assert told(marks) == [
        ("ragate.toml", 9, f"top_k = 5 (was 10); {why}"),
        ("ragate.toml", 10, f'tags = [ "b", ] (was [ "a", ]); {why}'),
        ("ragate.toml", 13, f"chunk = 400 (new); {why}"),
        ("ragate.toml", 5, f'removed: method = "bm25"; {why}'),
    ]
    assert {(mark.level, mark.title) for mark in marks} == {
        ("error", "docs: may explain the change")
    }


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_a_text_of_the_systems_keys_is_named_without_its_values(publish: Publish) -> None:
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})
    report = red(row_of("q1")).amended(publish=publish)

    shown = [mark.message.partition(";")[0] for mark in marks_of(report, ["ragate.toml"], sources)]

    assert shown[:2] == ["top_k = 5 (was 10)", "tags (not published)"]


def test_what_does_not_fail_the_gate_is_a_warning() -> None:
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})
    marks = marks_of(red(row_of("q1"), verdict=Verdict.PASSED), ["ragate.toml"], sources)

    assert {mark.level for mark in marks} == {"warning"}


def test_where_nothing_got_worse_nothing_is_marked() -> None:
    better = sample_row_factory("q1", change="better")
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})

    assert marks_of(red(better), ["ragate.toml"], sources) == ()
    assert marks_of(red(), ["ragate.toml"], sources) == ()


def test_a_prompt_is_marked_at_its_first_changed_line() -> None:
    sources = files_of(
        {"prompts/answer.md": "a\nb\nc\n"},
        {"prompts/answer.md": "a\nb\nx\n"},
        named=frozenset({"prompts/answer.md"}),
    )
    marks = marks_of(red(row_of("q1")), ["prompts/answer.md", "web/a.js"], sources)

    assert told(marks) == [
        ("prompts/answer.md", 3, "[system] reads this file; 1 question got worse: q1")
    ]


def test_documents_are_marked_that_displaced_another_or_left_the_results() -> None:
    sources = files_of(
        {"docs/cards.md": "# Cards\nold\n", "docs/invoice.md": "# Invoice\n"},
        {"docs/cards.md": "# Cards\nnew\n", "docs/invoice.md": ""},
        corpus="docs",
    )
    rows = [row_of(f"q{i}", lost=["invoice.md"], by=["cards.md", "same.md"]) for i in range(4)]
    marks = marks_of(
        red(*rows, row_of("q9", lost=["invoice.md"])),
        ["docs/cards.md", "docs/invoice.md", "other/same.md"],
        sources,
    )

    assert told(marks) == [
        ("docs/invoice.md", 1, "left the results in 5 questions: q0, q1, q2 and 2 more"),
        (
            "docs/cards.md",
            2,
            "took the place of an expected document in 4 questions: q0, q1, q2 and 1 more",
        ),
    ]


def test_three_questions_are_all_named() -> None:
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})
    rows = [row_of(f"q{number}") for number in range(3)]

    first = marks_of(red(*rows), ["ragate.toml"], sources)[0]

    assert first.message.endswith("; 3 questions got worse: q0, q1, q2")


def test_an_edited_document_that_came_back_is_marked() -> None:
    sources = files_of({"docs/a.md": "one\ntwo\n"}, {"docs/a.md": "one\n2\n"}, corpus="docs")
    cause = Cause(kind=CauseKind.DATA, evidence="x", edited=("a.md", "b.md"))
    row = sample_row_factory("q1").amended(cause=cause)

    marks = marks_of(red(row), ["docs/a.md"], sources)

    assert told(marks) == [("docs/a.md", 2, "came back with other text in 1 question: q1")]


def test_without_a_corpus_a_document_is_known_by_the_end_of_its_path_if_one_file_has_it() -> None:
    rows = [row_of("q1", by=["a.md", "b.md"])]
    marks = marks_of(red(*rows), ["x/a.md", "x/b.md", "y/b.md"], files_of({}, {}))

    assert [mark.path for mark in marks] == ["x/a.md"]


def test_no_more_are_made_than_github_shows() -> None:
    rows = [row_of(f"q{i}", by=[f"d{i}.md"]) for i in range(40)]
    marks = marks_of(
        red(*rows), [f"docs/d{i}.md" for i in range(40)], files_of({}, {}, corpus="docs")
    )

    assert len(marks) == 10


@pytest.mark.parametrize(
    "text", ["", "\ufeff[system]\n", "[system\nx =", "= 1\n[system]\n= 2", "\r\n"]
)
def test_a_configuration_that_is_none_gives_no_line_outside_of_it(text: str) -> None:
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": text})
    marks = marks_of(red(row_of("q1")), ["ragate.toml"], sources)

    assert all(mark.line == 1 for mark in marks)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_versions_give_lines_of_the_newer_one(then: str, now: str) -> None:
    files = ({"ragate.toml": f"[system]\n{one}"} for one in (then, now))
    marks = marks_of(red(row_of("q1")), ["ragate.toml"], files_of(*files))

    assert all(1 <= mark.line <= max(1, len(f"[system]\n{now}".splitlines())) for mark in marks)


def test_what_the_system_reads_is_known_by_its_settings_and_what_cannot_be_read_is_empty() -> None:
    text = """\
[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["pgvector"]
metrics = { mrr = {} }
[system]
use = "pgvector"
corpus = "./docs/"
[system.answer]
prompt = "prompts/answer.md"
"""

    class Unreadable(FilesTree):
        def read(self, path: str) -> bytes:
            raise RagateError("a link")

    unreadable = Unreadable({})
    config = parse_config(text, where="ragate.toml", root=Path("/"), path=Path("/ragate.toml"))
    changed = ["rag/prompts/answer.md", "prompts/answer.md", "rag/docs/a.md"]
    sources = sources_of(unreadable, unreadable, changed, config, ConfigLocation("rag"))

    assert sources.config == "rag/ragate.toml"
    assert sources.corpus == "rag/docs"
    assert sources.named == {"rag/prompts/answer.md"}
    assert sources.texts("rag/ragate.toml") == ("", "")


def test_a_slice_that_fell_is_named_on_the_line() -> None:
    billing = SliceRow(
        slice="billing", metric="mrr", level="error", verdict=MetricVerdict.REGRESSED, blocks=True
    )
    held = billing.amended(slice="api", verdict=MetricVerdict.HELD, blocks=False)
    decision = decision_factory(Verdict.FAILED, slices=(billing, held))
    report = report_factory(decision, gate="docs", samples=(row_of("q1"),))
    sources = files_of({"ragate.toml": THEN}, {"ragate.toml": NOW})

    (first, *_) = marks_of(report, ["ragate.toml"], sources)

    assert first.message.endswith("1 question got worse (slices that fell: billing:mrr): q1")
