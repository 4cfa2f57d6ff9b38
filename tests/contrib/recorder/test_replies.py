from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline.schema import requests_path
from ragate.contrib.recorder.replies import (
    Replies,
    check_replies,
    dump_replies,
    load_replies,
    save_replies,
)
from ragate.errors import BaselineError
from ragate.github.modes.main_branch import take_over
from tests.unit.baseline.baseline_factories import dumped, run_of

KEYS = st.text("0123456789abcdef", min_size=16, max_size=16)
TEXTS = st.text(max_size=5).map(
    lambda text: json.dumps({"a": text}, ensure_ascii=False, separators=(",", ":"))
)


def replies(**draws: dict[int, str]) -> Replies:
    found = Replies()
    for key, by_run in draws.items():
        for run, text in by_run.items():
            found.add(key, run, "m", text)
    return found


@given(st.dictionaries(KEYS, st.dictionaries(st.integers(0, 5), TEXTS, min_size=1), max_size=4))
def test_what_is_written_is_read_and_equal_replies_give_equal_bytes(tmp_path_factory, draws):
    path = tmp_path_factory.mktemp("replies") / "gate.requests.jsonl.gz"
    made = replies(**draws)
    save_replies(path, made)

    assert load_replies(path) == made
    assert dump_replies(load_replies(path)) == path.read_bytes()
    turned = replies(**dict(reversed(list(draws.items()))))
    assert dump_replies(turned) == path.read_bytes()


def test_a_pass_has_its_own_reply_and_else_another_ones():
    made = replies(a={0: "{}", 1: '{"x":1}', 2: '{"x":2}'}, b={1: "[]"}, c={0: "0", 2: "2"})

    assert made.by_pass() == {
        "a": ("{}", '{"x":1}', '{"x":2}'),
        "b": ("[]", "[]", "[]"),
        "c": ("0", "2", "2"),
    }


def test_one_run_can_be_replaced():
    made = replies(a={0: "0", 1: "1"}, b={0: "0"})

    assert made.without(0).draws == {"a": {1: "1"}}


def test_without_a_file_nothing_is_known(tmp_path):
    assert load_replies(tmp_path / "none.gz") == Replies()


def test_the_file_is_beside_the_baseline():
    assert requests_path(Path("baselines/main.json")) == Path("baselines/main.requests.jsonl.gz")


HEAD = {"ragate_requests": 1, "runs": 2}
ROW = {"key": "0" * 16, "model": "m", "replies": [{}], "runs": {"0": 0}}


def test_a_sound_file_is_read(tmp_path):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b"\n".join(json.dumps(one).encode() for one in (HEAD, ROW))))

    assert load_replies(path).draws == {"0" * 16: {0: "{}"}}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{}],
        [[]],
        [{**HEAD, "ragate_requests": 2}],
        [{**HEAD, "ragate_requests": True}],
        [{**HEAD, "runs": 0}],
        [{**HEAD, "runs": 10**9}],
        [HEAD, 5],
        [HEAD, {**ROW, "more": 1}],
        [HEAD, {**ROW, "key": "../../x"}],
        [HEAD, {**ROW, "key": 5}],
        [HEAD, ROW, ROW],
        [HEAD, {**ROW, "model": None}],
        [HEAD, {**ROW, "replies": []}],
        [HEAD, {**ROW, "replies": ["text"]}],
        [HEAD, {**ROW, "runs": {}}],
        [HEAD, {**ROW, "runs": {"0": 1}}],
        [HEAD, {**ROW, "runs": {"0": True}}],
        [HEAD, {**ROW, "runs": {"-1": 0}}],
        [HEAD, {**ROW, "runs": {"2": 0}}],
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, lines: list[Any]):
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))

    with pytest.raises(BaselineError):
        load_replies(path)


@pytest.mark.parametrize(
    "content",
    [
        b"no gzip",
        gzip.compress(b"{}", mtime=0)[:-4],
        gzip.compress(json.dumps(HEAD).encode() + b'\n{"key": NaN}', mtime=0),
        gzip.compress(b"[" * 10_000, mtime=0),
        gzip.compress(b"\xff\xfe", mtime=0),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, content):
    path = tmp_path / "x.gz"
    path.write_bytes(content)

    with pytest.raises(BaselineError):
        load_replies(path)


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("ragate.baseline.read.WHOLE_BYTES", 1000)
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(b" " * 2000, mtime=0))

    with pytest.raises(BaselineError, match="more than 1000 bytes"):
        load_replies(path)


def test_it_is_read_like_everything_that_somebody_else_wrote(tmp_path: Path):
    path = tmp_path / "baselines" / "gate.json"
    path.parent.mkdir()
    check_replies(path)  # none are there

    replies_file = requests_path(path)
    for place, reason in {tmp_path / "secret": "outside", Path("/dev/zero"): "outside"}.items():
        (tmp_path / "secret").write_text("canary")
        replies_file.symlink_to(place)
        with pytest.raises(BaselineError, match=reason):
            check_replies(path)
        replies_file.unlink()

    with replies_file.open("wb") as file:
        file.truncate(3 * 1024**3)
    with pytest.raises(BaselineError, match="the limit is"):
        check_replies(path)
    replies_file.unlink()
    os.mkfifo(replies_file)
    with pytest.raises(BaselineError, match="not a regular file"):
        check_replies(path)


def test_a_recording_whose_replies_cannot_be_read_is_not_put_in_place(tmp_path: Path):
    handed, baseline = tmp_path / "handed", tmp_path / "baselines" / "main.json"
    handed.mkdir()
    (handed / "main.json").write_bytes(dumped(run_of("a")))
    requests_path(handed / "main.json").write_bytes(b"no gzip")
    context: Any = SimpleNamespace(
        project=tmp_path, inputs=SimpleNamespace(outputs_path=handed.name)
    )
    config: Any = SimpleNamespace(baseline=baseline)

    with pytest.raises(BaselineError, match="cannot be unpacked"):
        take_over(context, config)

    assert not baseline.exists()
    save_replies(requests_path(handed / "main.json"), replies(**{"0" * 16: {0: "{}"}}))
    assert take_over(context, config)
    assert baseline.is_file()
