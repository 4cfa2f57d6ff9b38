from __future__ import annotations

import pytest

from ragate.config import preset_file
from ragate.config.scorecard import merged_tables


def test_stages_are_merged_key_by_key_and_the_rest_is_replaced() -> None:
    preset = {"parallel": True, "stages": {"a": {"weight": 1.0, "pass_at": 0.5}}}
    written = {"parallel": False, "stages": {"a": {"weight": 2.0}, "b": {}}}

    assert merged_tables(preset, written) == {
        "parallel": False,
        "stages": {"a": {"weight": 2.0, "pass_at": 0.5}, "b": {}},
    }


@pytest.mark.parametrize(
    ("preset", "file"),
    [
        ('"rag"', ""),
        ('"./card.toml"', "./card.toml"),
        ('"card.toml"', "card.toml"),
        ("3", ""),
        ('["a/b"]', ""),
    ],
)
def test_a_preset_with_a_path_is_a_file(preset: str, file: str) -> None:
    assert preset_file(f"[policy.scorecard]\npreset = {preset}\n") == file


@pytest.mark.parametrize("text", ["[policy", "policy = 3", "[policy]\nscorecard = []", ""])
def test_what_cannot_be_read_names_no_file(text: str) -> None:
    assert preset_file(text) == ""
