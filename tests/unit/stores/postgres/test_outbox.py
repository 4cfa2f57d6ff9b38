"""The mark that says how far the store has a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.stores.postgres.outbox import MARK, Outbox, read_mark


def test_a_mark_of_another_store_does_not_count(tmp_path: Path) -> None:
    Outbox(tmp_path, "one").mark()

    assert read_mark(tmp_path, "one") is not None
    assert read_mark(tmp_path, "two") is None


def test_what_an_earlier_command_sent_goes_on_as_its_session(tmp_path: Path) -> None:
    before = Outbox(tmp_path, "one")
    before.mark()

    assert Outbox.of_folder(tmp_path, "one").session == before.session


@pytest.mark.parametrize("field", ["sent", "unsure"])
@pytest.mark.parametrize("value", [None, 7, [[1]], {"outputs.jsonl": 3}, {"outputs.jsonl": [1, 9]}])
def test_a_mark_that_does_not_fit_begins_another_session(
    field: str, value: object, tmp_path: Path
) -> None:
    before = Outbox(tmp_path, "one")
    before.mark()
    mark = json.loads((tmp_path / MARK).read_text())
    (tmp_path / MARK).write_text(json.dumps(mark | {field: value}))

    after = Outbox.of_folder(tmp_path, "one")

    assert after.session != before.session
    assert not after.ended


def test_a_process_that_was_killed_leaves_a_mark_without_what_arrived(tmp_path: Path) -> None:
    before = Outbox(tmp_path, "one")
    before.mark(whole=False)

    mark = read_mark(tmp_path, "one")

    assert mark is not None
    assert (mark["session"], mark["sent"]) == (str(before.session), None)
    assert Outbox.of_folder(tmp_path, "one").session != before.session
