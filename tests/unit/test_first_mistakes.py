"""Slips of a first hour: one line each, with place and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.baseline.read import load_baseline
from ragate.config import parse_config
from ragate.errors import BaselineError, ConfigError, DatasetError, RagateError, StorageError
from ragate.files.atomic_files import write_atomic
from ragate.files.strict_json import loads

POLICY = '[policy]\ndataset = "a.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'


@pytest.mark.parametrize(
    ("text", "place", "remedy"),
    [
        (
            '[policy.metrics.recall@5]\nlevel = "error"\n',
            ":5:23",
            '[policy.metrics."recall@5"]',
        ),
        ("runs: 1\n", ":5:5", "TOML has an equals sign: runs = …"),
        ("[policy.metrics.mrr]\nminimum = nan\n", "policy.metrics.mrr.minimum", "such as 0.8"),
    ],
)
def test_a_slip_in_the_configuration(text: str, place: str, remedy: str, tmp_path: Path):
    with pytest.raises(ConfigError) as caught:
        parse_config(POLICY + text, where="ragate.toml", root=tmp_path)

    assert place in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ('{"query": "a"},', "remove the comma at the end of the line"),
        ('{"query": "a",}', "remove the comma before }"),
        ("[", "a file that ends in .json"),
        ("query\texpected", "save it with commas, in a file that ends in .csv"),
    ],
)
def test_a_slip_in_a_golden_set(line: str, remedy: str):
    with pytest.raises(DatasetError) as caught:
        loads(line, where="golden.jsonl:1", error=DatasetError)

    assert remedy in caught.value.remedy


def test_a_merge_conflict_in_a_baseline_says_to_take_one_side_and_record(tmp_path: Path):
    path = tmp_path / "main.json"
    path.write_text('{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> b\n}\n')

    with pytest.raises(BaselineError) as caught:
        load_baseline(path)

    assert "ragate baseline update` on the merged tree" in caught.value.remedy


def test_a_file_where_a_folder_must_be_is_named(tmp_path: Path):
    (tmp_path / "baselines").write_text("")

    with pytest.raises(StorageError) as caught:
        write_atomic(tmp_path / "baselines/main.json", b"{}")

    assert f"{tmp_path / 'baselines'} is a file" in caught.value.remedy
    assert isinstance(caught.value, RagateError)
