"""Scores as they are stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.models import Failure, Publish, Score, SystemInfo, not_applicable, unscored
from ragate.stores.local import LocalStore
from ragate.stores.stored_record import copy_run, read_scores, scores_json
from tests.factories import (
    output_factory,
    record_factory,
    report_factory,
    run_factory,
    sample_factory,
)

ANSWER, PASSAGE, FAILURE, WORD = "canary-answer", "canary-passage", "canary-failure", "canary-word"


def test_a_value_keeps_what_is_said_of_it() -> None:
    scores = {
        "a": Score(metric="a", value=0.5),
        "b": Score(metric="b", value=0.0, reason="weather: city is missing"),
        "c": unscored("c", "provider: it broke"),
        "d": not_applicable("d", "no tools"),
    }
    written = json.loads(json.dumps(scores_json(scores)))

    assert written["a"] == 0.5
    assert read_scores(written) == scores


# A stored run as it is uploaded: what may not leave is in no file of it.


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    failed = output_factory([], None, error=Failure(kind="system", message=FAILURE))
    records = [
        record_factory(sample_factory("q1"), output_factory(["a.md"], ANSWER), scores={"mrr": 1.0}),
        record_factory(sample_factory("q2"), failed, scores={"mrr": None}),
    ]
    run = run_factory(records, states={"idf_f1": {WORD: 2.0}})
    folder = LocalStore(tmp_path).save(run, report_factory())
    (folder / "outputs.jsonl").write_text(f"{ANSWER} {PASSAGE}\n")
    (folder / "requests.jsonl.gz").write_text(PASSAGE)
    return folder


def words_in(stored: Path, target: Path, publish: Publish) -> set[str]:
    copy_run(stored, target, report_factory(publish=publish), publish=publish)
    text = "".join(path.read_text() for path in target.iterdir())
    return {word for word in (ANSWER, PASSAGE, FAILURE, WORD) if word in text}


def test_a_run_that_may_be_published_is_left_whole(stored: Path, tmp_path: Path) -> None:
    assert words_in(stored, tmp_path / "left", "full") == {ANSWER, PASSAGE, FAILURE, WORD}


def test_answers_leave_without_passages(stored: Path, tmp_path: Path) -> None:
    assert words_in(stored, tmp_path / "left", "answers") == {ANSWER, FAILURE, WORD}


def test_ids_leave_without_any_text(stored: Path, tmp_path: Path) -> None:
    assert words_in(stored, tmp_path / "left", "ids") == set()


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_of_the_systems_settings_no_text_leaves(tmp_path: Path, publish: Publish) -> None:
    settings = {"top_k": "10", "answer.refusal": f'"{WORD}"'}
    system = SystemInfo(use="pgvector", settings=settings)
    stored = LocalStore(tmp_path).save(run_factory([], system=system), report_factory())

    copy_run(stored, tmp_path / "left", None, publish=publish)

    manifest = json.loads((tmp_path / "left" / "manifest.json").read_text())
    assert manifest["system"]["settings"] == {"top_k": "10"}


def test_the_run_at_home_keeps_its_texts(stored: Path, tmp_path: Path) -> None:
    words_in(stored, tmp_path / "left", "ids")

    assert ANSWER in (stored / "scores.jsonl").read_text()
    assert WORD in (stored / "manifest.json").read_text()


def test_what_is_left_of_ids_can_be_decided_on_again(stored: Path, tmp_path: Path) -> None:
    copy_run(stored, tmp_path / "left", None, publish="ids")
    run = LocalStore(tmp_path).load(tmp_path / "left")

    assert [record.sample_id for record in run.records] == ["q1", "q2"]
    assert run.records[0].scores["mrr"].value == 1.0
    assert run.records[1].output.error is not None


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_no_reason_of_a_score_leaves_with_a_run(tmp_path: Path, publish: Publish) -> None:
    quoting = {"faithfulness": unscored("faithfulness", PASSAGE)}
    record = record_factory(sample_factory("q1"), output_factory(["a.md"], ANSWER))
    run = run_factory([record.amended(scores=quoting)])
    run = run.amended(aggregates=({"tokens": unscored("tokens", PASSAGE)},))
    source = LocalStore(tmp_path).save(run, report_factory())

    copy_run(source, tmp_path / "left", report_factory(), publish=publish)

    left = "".join(path.read_text() for path in (tmp_path / "left").iterdir())
    again = LocalStore(tmp_path).load(tmp_path / "left")
    assert PASSAGE not in left
    assert again.aggregates[0]["tokens"].value is None
    assert again.records[0].scores["faithfulness"].state == "unscored"
    assert PASSAGE in (source / "manifest.json").read_text()
