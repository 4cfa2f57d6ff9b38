"""The baseline file: byte-stable out, strict in."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.baseline import (
    Recorded,
    Store,
    contexts_path,
    dump_baseline,
    load_baseline,
    load_contexts,
    parse_baseline,
    save_baseline,
)
from ragate.core.hashing import text_hashes
from ragate.errors import BaselineError, NoBaselineError, StorageError
from ragate.models import Acceptance, MetricInfo, Run, not_applicable
from ragate.support.atomic_files import write_atomic
from tests.factories import output_factory, record_factory, run_factory, sample_factory

RECORDED = Recorded(commit="a" * 40, date="2026-01-02")


def run_of(*answers: str, **manifest: object) -> Run:
    """A run of two samples; each answer is one pass."""
    records = [
        record_factory(
            sample_factory(sample_id),
            output_factory(answer=answer),
            run=run,
            scores={"ndcg@10": 1 / 3, "token_f1": not_applicable("token_f1", "no references")},
        )
        for sample_id in ("q2", "q1")
        for run, answer in enumerate(answers)
    ]
    infos = {name: MetricInfo(name=name, fingerprint="f") for name in ("ndcg@10", "token_f1")}
    return run_factory(records, metrics=infos, runs=len(answers), **manifest)


def dumped(run: Run, store: Store = "answers") -> bytes:
    return dump_baseline(run, store=store, recorded=RECORDED)


def test_a_baseline_read_back_and_written_again_has_the_same_bytes():
    data = dumped(run_of("a", "b", "a"))

    assert dumped(parse_baseline(data, where="x")) == data


def test_records_come_back_with_their_hashes_scores_and_passes():
    run = run_of("a", "b", "a")

    back = parse_baseline(dumped(run), where="x")

    def facts(one: Run) -> set[tuple[object, ...]]:
        return {
            (r.sample_id, r.run, r.content_hash, r.output_hash, r.retrieval_hash, r.output.answer)
            for r in one.records
        }

    assert facts(back) == facts(run)
    assert {record.scores["ndcg@10"].value for record in back.records} == {0.333333}
    assert back.records[0].scores["token_f1"].reason == "no references"


def test_the_texts_of_chunks_and_the_settings_of_the_system_come_back():
    run = run_of("a")
    system = run.manifest.system.model_copy(update={"settings": {"chunk_size": "512"}})
    manifest = run.manifest.model_copy(update={"system": system})

    back = parse_baseline(dumped(run.model_copy(update={"manifest": manifest})), where="x")

    assert back.manifest.system.settings == {"chunk_size": "512"}
    assert back.records[0].text_hashes == text_hashes(run.records[0].output)
    assert len(back.records[0].text_hashes) == 8 * len(run.records[0].output.chunks)


def test_a_baseline_of_the_first_version_still_reads_with_texts_that_are_not_known():
    text = dumped(run_of("a", "b")).decode()
    old = re.sub(r',"texts":"[0-9a-f]*"', "", text)
    old = old.replace('"schema_version":2', '"schema_version":1')

    back = parse_baseline(old.encode(), where="x")

    assert {record.text_hashes for record in back.records} == {""}
    assert back.manifest.system.settings == {}
    assert len(back.records) == 4


def test_accepted_drops_are_kept_and_told_only_where_there_are_any():
    taken = Acceptance(metric="mrr", by="mona", reason="on purpose", commit="c" * 40)
    data = dumped(run_of("a", accepted=(taken,)))

    assert parse_baseline(data, where="x").manifest.accepted == (taken,)
    assert dumped(parse_baseline(data, where="x")) == data
    assert b"accepted" not in dumped(run_of("a"))


def test_every_sample_stands_on_one_line_in_order_of_its_id():
    lines = dumped(run_of("a")).decode().splitlines()

    starts = [line[:5] for line in lines if line.startswith('"q')]
    assert starts == ['"q1":', '"q2":']


def test_equal_outputs_of_several_passes_are_stored_once():
    sample = json.loads(dumped(run_of("a", "b", "a")))["samples"]["q1"]

    assert len(sample["outputs"]) == 2
    assert sample["runs"] == [0, 1, 0]


def test_latency_is_not_in_the_file():
    slow = run_of("a")
    record = slow.records[0]
    output = record.output.model_copy(update={"latency_s": 9.75})
    changed = slow.model_copy(
        update={"records": (record.model_copy(update={"output": output}), *slow.records[1:])}
    )

    assert dumped(changed) == dumped(slow)


def test_hashes_alone_leave_no_answer_in_the_file():
    assert b"secret answer" in dumped(run_of("secret answer"))
    assert b"secret answer" not in dumped(run_of("secret answer"), "hashes")


def test_full_contexts_are_kept_beside_the_file_and_read_back(tmp_path: Path):
    path, run = tmp_path / "docs.json", run_of("a")

    save_baseline(path, dumped(run, "full"), run, "full")

    record = run.records[0]
    stored = load_contexts(path)[record.retrieval_hash]
    assert [chunk.text for chunk in stored] == [chunk.text for chunk in record.output.chunks]


@pytest.mark.parametrize(
    "data",
    [
        b"not gzip",
        gzip.compress(b'{"hash":"a","chunks":[]}', mtime=0)[:-9],
        gzip.compress(b"text", mtime=0)[:10] + b"\xff" * 20,
        gzip.compress(b"[1]", mtime=0),
        gzip.compress(b'{"hash":"a"}', mtime=0),
        gzip.compress(b'{"hash":"a","chunks":[{"doc_id":1}]}', mtime=0),
    ],
)
def test_contexts_that_are_damaged_are_refused(tmp_path: Path, data: bytes):
    path = tmp_path / "docs.json"
    contexts_path(path).write_bytes(data)

    with pytest.raises(BaselineError, match=r"docs\.contexts"):
        load_contexts(path)


def test_contexts_that_unpack_to_too_much_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("ragate.baseline.bounded.MAX_BYTES", 1000)
    path = tmp_path / "docs.json"
    contexts_path(path).write_bytes(gzip.compress(b" " * 1001))

    with pytest.raises(BaselineError, match="unpacks to more"):
        load_contexts(path)


def test_contexts_are_removed_when_they_are_no_longer_stored(tmp_path: Path):
    path, run = tmp_path / "docs.json", run_of("a")
    save_baseline(path, dumped(run, "full"), run, "full")

    save_baseline(path, dumped(run), run, "answers")

    assert not contexts_path(path).exists()


def test_a_missing_baseline_names_the_command_that_makes_it(tmp_path: Path):
    with pytest.raises(NoBaselineError, match="ragate baseline update"):
        load_baseline(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"schema_version":2', '"schema_version":3', "schema version 3"),
        ('"schema_version":2', '"schema_version":true', "schema version True"),
        ('"schema_version":2', '"schema_version":2,"schema_version":2', "twice"),
        ('"texts":"', '"texts":"0', "texts"),
        ('"texts":"', '"texts":"00000000', "8 digits for each of"),
        ('"texts":"', '"texts":"0000000G', "texts"),
        ("0.333333", "NaN", "NaN"),
        ("0.333333", '"later: maybe"', "later"),
        ('"runs":[0,1]', '"runs":[0,7]', "no output 7"),
        ('"runs":[0,1]', '"runs":[0]', "1 passes, not 2"),
        ('"ndcg@10":0.333333', '"other@3":0.333333', "other@3"),
        ('"runs":2', '"runs":0', "runs"),
        ('"identical":0', '"identical":2', "identical: 2 of 2 runs"),
        ('"judge":null', '"jugde":null', "jugde"),
    ],
)
def test_a_baseline_that_does_not_fit_is_refused_with_the_place(old: str, new: str, said: str):
    text = dumped(run_of("a", "b")).decode()
    assert old in text

    with pytest.raises(BaselineError, match=said) as caught:
        parse_baseline(text.replace(old, new, 1).encode(), where="docs.json")

    assert "docs.json" in str(caught.value)


@given(cut=st.floats(0, 0.999))
def test_a_truncated_baseline_is_always_refused(cut: float):
    data = dumped(run_of("a", "b"))

    with pytest.raises(BaselineError):
        parse_baseline(data[: int(len(data.rstrip()) * cut)], where="docs.json")


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_baseline_or_a_clear_error(data: bytes):
    with pytest.raises(BaselineError, match=r"docs\.json"):
        parse_baseline(data, where="docs.json")


def either(text: bytes, made: Callable[[bytes], Run]) -> Run | None:
    try:
        return made(text)
    except BaselineError:
        return None


def at_once(text: bytes) -> Run:
    """Read it as any JSON file, by the path that does not know how ragate lays it out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragate.baseline.lines._START", b"never in a file")
        return parse_baseline(text, where="x")


def damages(line: bytes, other: bytes) -> list[bytes]:
    """Return what may stand in place of a line."""
    return [
        *(b"", line * 2, b" " + line, other, b'"q3":1,"q4":2,\n', b'"samples":{\n'),
        *(b"\n", b",\n", b"},\n", b"}\n", b"\xff", line.replace(b'"', b"", 1)),
        *(line.replace(b"\n", end) for end in (b"\r\n", b",\n", b"")),
        line.replace(b",\n", b"\n"),
    ]


@given(data=st.data())
@settings(max_examples=400)
def test_read_by_line_or_at_once_a_baseline_is_the_same(data: st.DataObject):
    lines = dumped(run_of("a", "b")).splitlines(keepends=True)
    for _ in range(data.draw(st.integers(0, 3))):
        place, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        lines[place] = data.draw(st.sampled_from(damages(lines[place], lines[other])))
    changed = b"".join(lines)

    assert either(changed, lambda one: parse_baseline(one, where="x")) == either(changed, at_once)


def test_a_baseline_that_somebody_laid_out_anew_is_read_too():
    text = dumped(run_of("a", "b"))
    pretty = json.dumps(json.loads(text), indent=2).encode()

    assert parse_baseline(pretty, where="x") == parse_baseline(text, where="x")


def test_a_sample_that_stands_twice_is_refused_by_its_name():
    text = dumped(run_of("a"))
    line = next(one for one in text.splitlines() if one.startswith(b'"q1"'))

    with pytest.raises(BaselineError, match="'q1' stands twice"):
        parse_baseline(text.replace(line, line + b"\n" + line), where="x")


def test_a_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "docs.json"
    path.write_bytes(b"old")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StorageError, match="No space left"):
        write_atomic(path, b"new")

    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["docs.json"]
