"""The replay system: recorded outputs by id or question, run by run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, DatasetError
from ragate.models import SystemOutput, Turn
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.outputs_file import OutputsHeader, header_line
from ragate.systems.replay import Recordings, Replay, allowed_files, create, read_recordings
from tests.factories import run_factory, sample_factory
from tests.unit.systems.using import resources_of

ASKED = sample_factory("q001")


def recorded(path: Path, *lines: dict[str, object]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def answer(replay: Replay, sample_id: str = "q001", run: int = 0) -> SystemOutput:
    return asyncio.run(replay.answer(sample_factory(sample_id), run=run))


def answer_of(root: Path, **settings: Any) -> SystemOutput:
    """Return the answer of a system that is configured like this."""

    async def ask() -> SystemOutput:
        resources = resources_of(root, replay_paths=("outputs/*.jsonl",))
        async with create({"paths": ["outputs/*.jsonl"], **settings}, resources) as replay:
            return await replay.answer(sample_factory("q001"))

    return asyncio.run(ask())


def test_a_sample_is_found_by_its_id_or_by_its_question(tmp_path: Path):
    query = sample_factory("q002").query
    file = recorded(
        tmp_path / "o.jsonl",
        {"id": "q001", "answer": "by id"},
        {"question": query, "answer": "by q"},
    )

    replay = Replay(read_recordings([file]))

    assert answer(replay, "q001").answer == "by id"
    assert answer(replay, "q002").answer == "by q"


def test_several_lines_of_a_sample_are_its_runs_in_order(tmp_path: Path):
    file = recorded(
        tmp_path / "o.jsonl",
        {"id": "q001", "answer": "second", "run": 1},
        {"id": "q001", "answer": "first", "run": 0},
    )

    replay = Replay(read_recordings([file]))

    assert [answer(replay, run=run).answer for run in (0, 1)] == ["first", "second"]
    assert replay.max_runs == 2


def test_several_files_are_several_runs(tmp_path: Path):
    files = [recorded(tmp_path / f"{n}.jsonl", {"id": "q001", "answer": str(n)}) for n in range(3)]

    replay = Replay(read_recordings(files))

    assert [answer(replay, run=run).answer for run in range(3)] == ["0", "1", "2"]


def test_a_header_alone_holds_no_run(tmp_path: Path):
    file = tmp_path / "outputs.jsonl"
    file.write_text(header_line(OutputsHeader(manifest=run_factory(()).manifest)))

    assert read_recordings([file]).max_runs == 0


def test_a_sample_that_was_not_recorded_is_unmeasured_not_wrong(tmp_path: Path):
    replay = Replay(
        read_recordings([recorded(tmp_path / "o.jsonl", {"id": "other", "answer": "-"})])
    )

    error = answer(replay).error

    assert error is not None
    assert error.kind == "provider"


def test_an_output_recorded_for_an_older_wording_of_the_sample_is_unmeasured(tmp_path: Path):
    replay = Replay(
        read_recordings(
            [recorded(tmp_path / "o.jsonl", {"id": "q001", "hash": "old", "answer": "-"})]
        )
    )

    error = answer(replay).error

    assert error is not None
    assert "edited" in error.message


def test_two_outputs_for_one_run_of_a_sample_are_refused(tmp_path: Path):
    file = recorded(tmp_path / "o.jsonl", *[{"id": "q001", "run": 0, "answer": "-"}] * 2)

    with pytest.raises(DatasetError, match=r"o\.jsonl:2: a second output"):
        read_recordings([file])


def test_the_export_of_another_tool_is_read_by_its_preset(tmp_path: Path):
    recorded(
        tmp_path / "outputs" / "o.jsonl",
        {"user_input": sample_factory("q001").query, "response": "Yes."},
    )

    assert answer_of(tmp_path, preset="ragas").answer == "Yes."


def test_lines_in_the_users_own_fields_are_read_by_pointers(tmp_path: Path):
    recorded(tmp_path / "outputs" / "o.jsonl", {"n": "q001", "out": {"text": "Yes."}})

    pointers = {"id": "/n", "answer": "/out/text"}

    assert answer_of(tmp_path, pointers=pointers).answer == "Yes."


def test_lines_in_other_fields_are_refused_with_a_table_to_paste(tmp_path: Path):
    recorded(tmp_path / "outputs" / "o.jsonl", {"id": "q001", "result": {"text": "Yes."}})

    with pytest.raises(
        DatasetError, match=r"o\.jsonl:1: neither `answer` nor `contexts`"
    ) as raised:
        answer_of(tmp_path)

    assert '[system.pointers]\nid = "/id"\nanswer = "/result/text"' in raised.value.remedy


def test_a_mapping_that_is_none_is_told_by_its_table(tmp_path: Path):
    recorded(tmp_path / "outputs" / "o.jsonl", {"id": "q001", "answer": "Yes."})

    with pytest.raises(ConfigError, match=r"\[system.pointers\]: answer = 'x'"):
        answer_of(tmp_path, pointers={"answer": "x"})


def test_a_file_outside_the_policy_is_refused(tmp_path: Path):
    recorded(tmp_path / "mine" / "o.jsonl", {"id": "q001"})

    with pytest.raises(ConfigError, match="replay_paths"):
        allowed_files("mine/*.jsonl", root=tmp_path, allowed=("outputs/*.jsonl",))


def test_dots_do_not_lead_around_the_policy(tmp_path: Path):
    recorded(tmp_path / "mine.jsonl", {"id": "q001"})
    (tmp_path / "outputs").mkdir()

    with pytest.raises(ConfigError, match="not allowed"):
        allowed_files("outputs/../mine.jsonl", root=tmp_path, allowed=("outputs/*.jsonl",))


def test_a_link_does_not_lead_out_of_the_project(tmp_path: Path):
    project = tmp_path / "project"
    (project / "outputs").mkdir(parents=True)
    secret = recorded(tmp_path / "secret.jsonl", {"id": "q001"})
    (project / "outputs" / "o.jsonl").symlink_to(secret)

    with pytest.raises(ConfigError, match="not allowed"):
        allowed_files("outputs/*.jsonl", root=project, allowed=("outputs/*.jsonl",))


def test_a_pattern_without_a_file_says_what_to_do(tmp_path: Path):
    with pytest.raises(ConfigError, match="matches no file"):
        allowed_files("outputs/*.jsonl", root=tmp_path, allowed=("outputs/*.jsonl",))


@pytest.mark.parametrize("pattern", ["", "a**b/x", "\0"])
def test_a_pattern_that_is_none_is_a_clear_error(tmp_path: Path, pattern: str):
    with pytest.raises(ConfigError, match="paths"):
        allowed_files(pattern, root=tmp_path, allowed=("outputs/*.jsonl",))


def test_a_question_after_earlier_turns_is_found_by_its_id_alone(tmp_path: Path):
    turn = Turn(role="user", content="Is it late?")
    sample = sample_factory("q001", query="And why?", messages=(turn,))
    other = recorded(tmp_path / "a.jsonl", {"question": "And why?", "answer": "of another talk"})
    own = recorded(tmp_path / "b.jsonl", {"id": "q001", "question": "And why?", "answer": "own"})

    missing = asyncio.run(Replay(read_recordings([other])).answer(sample))
    found = asyncio.run(Replay(read_recordings([other, own])).answer(sample))

    assert missing.error is not None
    assert "under its id: it has earlier turns" in missing.error.message
    assert found.answer == "own"


# Recorded outputs under their ids, else under their questions.


def read(path: Path, *rows: dict[str, Any], **mapping: Any) -> Recordings:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_recordings([path], RecordMapping.model_validate(mapping))


def answers(recordings: Recordings) -> list[str | None]:
    return [kept.read().answer for kept in recordings.of(ASKED)]


def test_a_line_with_an_id_of_its_own_is_found_by_its_question(tmp_path: Path):
    row = {"id": "trace-7", "question": f"  {ASKED.query} ", "answer": "Yes."}

    assert answers(read(tmp_path / "o.jsonl", row)) == ["Yes."]


def test_the_samples_own_id_wins_over_its_question(tmp_path: Path):
    rows = [
        {"id": "other", "question": ASKED.query, "answer": "No."},
        {"id": ASKED.id, "answer": "Yes."},
    ]

    assert answers(read(tmp_path / "o.jsonl", *rows)) == ["Yes."]


def test_lines_of_several_ids_that_ask_the_same_are_its_runs(tmp_path: Path):
    rows = [{"id": name, "question": ASKED.query, "answer": name} for name in ("a", "b")]
    rows.insert(1, {"id": "a", "question": "Something else?", "answer": "of the same session"})

    assert answers(read(tmp_path / "o.jsonl", *rows)) == ["a", "b"]


def test_zero_is_an_id_and_a_number_names_a_document(tmp_path: Path):
    row = {"id": 0, "answer": "Yes.", "chunks": [{"doc_id": 12, "text": "t"}]}
    sample = ASKED.amended(id="0")

    system = read(tmp_path / "o.jsonl", row)
    (output,) = [found.read().output() for found in system.of(sample)]

    assert [chunk.doc_id for chunk in output.chunks] == ["12"]


def test_a_second_line_of_one_question_among_single_ones_is_refused(tmp_path: Path):
    rows = [{"question": text, "answer": "yes"} for text in ("a?", "b?", "b?")]

    with pytest.raises(DatasetError, match=r":3: answers the question of 2 again"):
        read(tmp_path / "o.jsonl", *rows)
