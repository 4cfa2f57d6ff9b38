"""Which variants `--set` makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import load_config
from ragate.contrib.tryout.matrix import (
    AS_IT_STANDS,
    AskedAlike,
    Variant,
    read_variants,
    split_values,
)
from ragate.errors import ConfigError, UsageError
from tests.projects import ReplayProject, write_docs_project

ALIKE = AskedAlike()


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


def set_to(path: Path, given: list[str], *, most: int = 2) -> list[Variant]:
    return read_variants(load_config(path), given, [], most=most)


def test_every_combination_is_a_variant_and_the_first_values_make_the_first(path: Path) -> None:
    given = ['paths=["outputs/run0.jsonl"],["outputs/run1.jsonl"]', "preset=deepeval,ragas"]

    variants = set_to(path, given, most=4)

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
        (["policy.alpha=0.1,0.2"], "variants differ in the system alone"),
        (["metrics.alpha=0.1,0.2"], "rules stand in ragate.toml alone"),
        (["preset=ragas", "preset=deepeval"], "--set preset stands twice"),
        (["preset"], "it must be a key and its values"),
    ],
)
def test_what_makes_no_trial_is_refused(path: Path, given: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        set_to(path, given)


def test_a_value_that_looks_secret_stands_in_no_name(path: Path) -> None:
    given = ["pointers.answer=/sk-0123456789abc,/sk-9876543210abc"]

    variants = set_to(path, given)

    assert [each.name for each in variants] == ["pointers.answer=*** #1", "pointers.answer=*** #2"]


def test_a_key_that_is_none_names_the_nearest(path: Path) -> None:
    with pytest.raises(ConfigError, match="did you mean 'preset'"):
        set_to(path, ["preseet=ragas,deepeval"])


# Tables of ragate.toml.


def tables(
    path: Path, text: str, *names: str, most: int = 12, asked: AskedAlike = ALIKE
) -> list[Variant]:
    path.write_text(path.read_text() + text)
    return read_variants(load_config(path), [], names, most=most, asked=asked)


def test_each_table_is_a_variant_beside_the_system_as_it_stands(path: Path) -> None:
    text = '[variants.ragas]\npreset = "ragas"\n[variants.other]\npaths = ["outputs/run1.jsonl"]\n'

    variants = tables(path, text)

    assert [each.name for each in variants] == [AS_IT_STANDS, "ragas", "other"]
    assert variants[1].given == ('preset="ragas"',)
    assert variants[2].config.system.settings["paths"] == ["outputs/run1.jsonl"]
    assert variants[2].config.system.settings.keys() == variants[0].config.system.settings.keys()


def test_tables_are_chosen_by_name_and_asked_in_that_order(path: Path) -> None:
    text = '[variants.a]\npreset = "ragas"\n[variants.b]\npreset = "deepeval"\n'

    assert [each.name for each in tables(path, text, "b", "a")] == [AS_IT_STANDS, "b", "a"]
    with pytest.raises(UsageError, match=r"no table \[variants.bb\]; did you mean 'b'"):
        tables(path, "", "bb")


DOCS = """
[variants.chat.answer]
model = "large"
[variants.chat.hybrid]
rrf_k = 10
[variants.extract]
answer = { use = "extractive" }
"""


def test_a_table_below_changes_its_keys_and_one_with_use_takes_the_place_of_all(
    tmp_path: Path,
) -> None:
    write_docs_project(tmp_path)
    path = tmp_path / "ragate.toml"
    provider = '[policy.providers.local]\nbase_url = "http://127.0.0.1:1/v1"\n'
    answer = '[system.answer]\nuse = "chat"\nprovider = "local"\nmodel = "small"\n'
    path.write_text(path.read_text() + provider + answer)

    _, chat, extract = (each.config.system.settings for each in tables(path, DOCS))

    assert chat["answer"] == {"use": "chat", "provider": "local", "model": "large"}
    assert chat["hybrid"] == {"rrf_k": 10}
    assert extract["answer"] == {"use": "extractive"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[variants.a]\n", r"two variants are the same system: '\[system\]' and 'a'"),
        ('[variants.a]\nuse = "replay"\n', "two variants are the same system"),
        ('[variants.a]\npreseet = "ragas"\n', r"^\[variants.a\]: \[system\]: .*'preseet'"),
        ("[variants.a.policy]\nalpha = 0.1\n", r"\[variants.a\] policy: variants differ"),
        ('[variants.a.judge]\nmodel = "m"\n', r"\[variants.a\] judge: variants differ"),
        ('[variants.a.system]\npreset = "ragas"\n', "stand right in the table"),
        ('[variants.a]\n"x y" = 1\n', r"\[variants.a\]: 'x y'"),
        ('[variants.a.headers]\nbase_url = "x"\n', r"\[variants.a\]: headers.base_url"),
        ("[variants]\na = 5\n", r"\[variants\]: a = 5: must be a table"),
        ("", r"no table \[variants.NAME\]"),
    ],
)
def test_tables_that_make_no_trial_are_refused(path: Path, text: str, told: str) -> None:
    with pytest.raises((UsageError, ConfigError), match=told) as caught:
        tables(path, text)
    assert caught.value.remedy


def test_more_tables_than_the_most_are_refused(path: Path) -> None:
    text = '[variants.a]\npreset = "ragas"\n[variants.b]\npreset = "deepeval"\n'

    with pytest.raises(UsageError, match="3 variants, and 2 are the most"):
        tables(path, text, most=2)


def test_set_and_tables_make_no_trial_together(path: Path) -> None:
    with pytest.raises(UsageError, match="one of the two"):
        read_variants(load_config(path), ["preset=ragas,deepeval"], ["a"], most=2)


def test_what_all_are_asked_alike_is_no_difference(tmp_path: Path) -> None:
    write_docs_project(tmp_path)
    path = tmp_path / "ragate.toml"

    ten, short = "[variants.ten]\ntop_k = 10\n", "[variants.short.answer]\nsentences = 1\n"

    assert len(tables(path, ten + short)) == 3
    for name, asked in (("ten", AskedAlike(top_k=3)), ("short", AskedAlike(retrieval_only=True))):
        with pytest.raises(UsageError, match="asked the same by --top-k or --retrieval-only"):
            tables(path, "", name, asked=asked)


def test_a_key_with_its_default_is_no_difference(tmp_path: Path) -> None:
    write_docs_project(tmp_path)

    with pytest.raises(UsageError, match="the same system"):
        tables(tmp_path / "ragate.toml", '[variants.plain]\nindex = "exact"\n')
