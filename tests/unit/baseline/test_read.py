"""The baseline file: byte-stable out, strict in."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline import contexts_path, load_baseline, load_contexts, parse_baseline
from ragate.core.hashing import text_hashes
from ragate.errors import BaselineError, NoBaselineError
from ragate.models import Acceptance, Run
from tests.unit.baseline.baseline_factories import dumped, run_of


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
    system = run.manifest.system.amended(settings={"chunk_size": "512"})
    manifest = run.manifest.amended(system=system)

    back = parse_baseline(dumped(run.amended(manifest=manifest)), where="x")

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
    monkeypatch.setattr("ragate.baseline.read.WHOLE_BYTES", 1000)
    path = tmp_path / "docs.json"
    contexts_path(path).write_bytes(gzip.compress(b" " * 1001))

    with pytest.raises(BaselineError, match="unpacks to more"):
        load_contexts(path)


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
