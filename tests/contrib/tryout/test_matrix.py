"""Which variants `--set` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.contrib.tryout.matrix import read_variants, split_values
from ragate.errors import ConfigError, UsageError
from tests.projects import ReplayProject


@pytest.fixture
def path(tmp_path: Path) -> Path:
    ReplayProject(tmp_path, samples=2)
    return tmp_path / "ragate.toml"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a,b", ["a", "b"]),
        ("5, 10", ["5", "10"]),
        ("'a,b',c", ["'a,b'", "c"]),
        ('"a,b"', ['"a,b"']),
        ("it's,b", ["it's", "b"]),
        ('["a", "b,c"],["d"]', ['["a", "b,c"]', '["d"]']),
        ("{use = 'x', k = 1},none", ["{use = 'x', k = 1}", "none"]),
        ("ranked[1],b", ["ranked[1]", "b"]),
    ],
)
def test_values_stand_between_commas_unless_quotes_or_brackets_hold_them(
    text: str, values: list[str]
) -> None:
    assert split_values(text) == values


@pytest.mark.parametrize("text", ["a,,b", "a,", ",a", '"a,b', "[1,2"])
def test_a_list_that_is_not_whole_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"empty value|left open"):
        split_values(text)


def test_every_combination_is_a_variant_and_the_first_values_make_the_first(path: Path) -> None:
    given = ['paths=["outputs/run0.jsonl"],["outputs/run1.jsonl"]', "preset=deepeval,ragas"]

    variants = read_variants(path, given, most=4)

    assert [each.name for each in variants] == [
        'paths=["outputs/run0.jsonl"] preset=deepeval',
        'paths=["outputs/run0.jsonl"] preset=ragas',
        'paths=["outputs/run1.jsonl"] preset=deepeval',
        'paths=["outputs/run1.jsonl"] preset=ragas',
    ]
    assert variants[1].config.system.settings["preset"] == "ragas"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["preset=ragas"], "one variant has nothing to be compared with"),
        (["preset=deepeval,ragas,langfuse"], "3 variants, and 2 are the most"),
        (["preset=ragas,'ragas'"], "two variants are the same system"),
        (["judge.model=a,b"], "variants differ in the system alone"),
        (["policy.alpha=0.1,0.2"], "rules stand in ragate.toml alone"),
        (["preset"], "it must be a key and its values"),
    ],
)
def test_what_makes_no_trial_is_refused(path: Path, given: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        read_variants(path, given, most=2)


def test_a_value_that_looks_secret_stands_in_no_name(path: Path) -> None:
    given = ["pointers.answer=/sk-0123456789abc,/sk-9876543210abc"]

    variants = read_variants(path, given, most=2)

    assert [each.name for each in variants] == ["pointers.answer=*** #1", "pointers.answer=*** #2"]


def test_a_key_that_is_none_names_the_nearest(path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'preset'"):
        read_variants(path, ["preseet=ragas,deepeval"], most=2)
