"""Samples with the turns before their question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.core.hashing import content_hash
from ragate.dataset import read_entries
from ragate.dataset.edit import row_of
from ragate.models import Sample, Turn
from tests.unit.dataset.row_factories import error_of, read, rows

USER = {"role": "user", "content": "Can I send shoes back?"}
ASSISTANT = {"role": "assistant", "content": "Yes, within 30 days."}
ASKED = {"role": "user", "content": "And after 40?"}


def test_a_sample_holds_the_turns_before_its_question(tmp_path: Path):
    row = {"id": "q1", "messages": [USER, ASSISTANT], "query": "And after 40?"}

    sample = read(tmp_path, "golden.jsonl", rows(row))[0]

    assert sample.turns == [USER, ASSISTANT]
    assert sample.query == "And after 40?"


def test_without_a_query_the_last_message_of_the_user_is_the_question(tmp_path: Path):
    given = read(tmp_path, "a.jsonl", rows({"id": "q1", "messages": [USER, ASSISTANT, ASKED]}))
    apart = {"id": "q1", "messages": [USER, ASSISTANT], "query": "And after 40?"}

    assert given[0] == read(tmp_path, "b.jsonl", rows(apart))[0]


def test_a_cell_of_a_table_holds_the_turns_as_json(tmp_path: Path):
    cell = '"[{""role"": ""user"", ""content"": ""Hi""}]"'

    sample = read(tmp_path, "golden.csv", f"id,query,messages\nq1,And now?,{cell}\n")[0]

    assert sample.turns == [{"role": "user", "content": "Hi"}]


def test_content_in_parts_is_one_text(tmp_path: Path):
    parts = [{"type": "text", "text": "Can I "}, {"type": "text", "text": "pay later?"}]
    row = {"messages": [{"role": "user", "content": parts}], "query": "Really?"}

    assert read(tmp_path, "golden.jsonl", rows(row))[0].messages[0].content == "Can I pay later?"


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ("Hi", "golden.jsonl:1: messages = 'Hi': must be a list of"),
        ([{"role": "bot", "content": "Hi"}], "message 1: the role is one of user, assistant, sys"),
        ([USER, {"role": "assistant"}], "message 2: content: must be text"),
        ([{"role": "user", "content": " "}], "message 1: content: is blank"),
        ([{"role": "user", "contents": "x"}], "unknown key 'contents'; did you mean 'content'"),
        ([{"role": "user", "content": [{"image_url": "x"}]}], "message 1: content: must be text"),
        ([USER] * 201, "has 201 messages, and the limit is 200"),
        ([USER, ASKED], "the question stands twice"),
    ],
)
def test_turns_that_are_none_are_refused_by_place(tmp_path: Path, messages: Any, told: str):
    row = {"id": "q1", "query": "And after 40?", "messages": messages}

    assert told in error_of(tmp_path, "golden.jsonl", rows(row))


def test_turns_that_end_with_the_assistant_need_a_question(tmp_path: Path):
    told = error_of(tmp_path, "golden.jsonl", rows({"id": "q1", "messages": [USER, ASSISTANT]}))

    assert "the last of 'messages' is the assistant's" in told


def test_equal_questions_after_other_turns_get_ids_of_their_own(tmp_path: Path):
    samples = read(
        tmp_path,
        "golden.jsonl",
        rows({"messages": [USER], "query": "Why?"}, {"messages": [ASSISTANT], "query": "Why?"}),
    )

    assert len({sample.id for sample in samples}) == 2


def test_turns_are_part_of_what_is_scored(tmp_path: Path):
    alone = Sample(id="q1", query="Why?")
    after = alone.amended(messages=(Turn.model_validate(USER),))
    later = after.amended(messages=(*after.messages, Turn.model_validate(ASSISTANT)))

    assert len({content_hash(sample) for sample in (alone, after, later)}) == 3


def test_the_hash_of_a_sample_without_turns_is_that_of_older_baselines():
    sample = Sample(id="q1", query="Why?", relevant={"a.md": 1}, references=("So.",))

    assert content_hash(sample) == "268084e029ceb54b"


def test_turns_are_written_as_they_were_read(tmp_path: Path):
    path = tmp_path / "golden.jsonl"
    path.write_text(rows({"id": "q1", "messages": [USER, ASSISTANT], "query": "And after 40?"}))

    assert row_of(read_entries(path)[0])["messages"] == [USER, ASSISTANT]
