"""On which line of a ragate.toml something stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import parse_config
from ragate.config.toml_lines import mistake_line, with_place
from ragate.errors import ConfigError

TEXT = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["pgvector"]

[policy.metrics."hit_rate@5"]
level = "error"  # gates
max_drop = 0.5

[system]
use = "pgvector"
top_k = 10

[system.answer]
use = "extractive"
"""


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("[policy.metrics.hit_rate@5] max_drop = 3: at most 1", 8),
        ("[policy.metrics.hit_rate@5]: unknown key 'levle'; did you mean 'level'?", 7),
        ("[policy.metrics.hit_rate@5]: no such metric", 6),
        ("[system] use: unknown", 11),
        ("[policy.judge] is missing", None),
        ("cannot be read", None),
    ],
)
def test_a_mistake_is_on_the_line_of_its_key_or_table(message: str, line: int | None) -> None:
    assert mistake_line(TEXT, message) == line


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("write `tries = 3` below [policy]", "write `tries = 3` below [policy] (ragate.toml:1)"),
        ("raise `top_k` or look", "raise `top_k` (ragate.toml:12) or look"),
        (
            "raise `sentences` of [system.answer]",
            "raise `sentences` of [system.answer] (ragate.toml:14)",
        ),
        ("raise `level`: `ragate power`", "raise `level`: `ragate power`"),
    ],
)
def test_what_a_remedy_says_to_change_has_its_place(said: str, shown: str) -> None:
    assert with_place(TEXT, "ragate.toml", said) == shown


def test_a_wrong_value_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^ragate.toml:7: .policy.metrics"):
        parse_config(TEXT.replace('"error"', '"eror"'), where="ragate.toml", root=tmp_path)


def test_a_configuration_knows_where_its_settings_stand(tmp_path: Path) -> None:
    config = parse_config(TEXT, where="ragate.toml", root=tmp_path)

    assert config.located("raise `top_k`") == "raise `top_k` (ragate.toml:12)"


def test_a_name_with_a_dot_is_one_key() -> None:
    text = '[policy]\n[policy.metrics."criterion.x"]\nlevel = "bad"\n'

    assert mistake_line(text, "[policy.metrics.\"criterion.x\"]: level = 'bad'") == 3


def test_a_message_of_many_brackets_is_read_in_one_go() -> None:
    assert mistake_line(TEXT, "[policyx" * 100_000) is None
