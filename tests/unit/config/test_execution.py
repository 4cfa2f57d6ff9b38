"""``[policy.execution]``: what carries calls out, and nothing else."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from tests.unit.config.config_factories import WHOLE, parse


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("", "'target' is missing"),
        ('target = ""', "target"),
        ('target = "a:b"\ntimeout_s = 0', "timeout_s"),
        ('target = "a:b"\nhosts = []', "hosts"),
        ('use = "python"\ntarget = "a:b"', "use is gone: a function is called"),
        ('url = "https://x.example"', "url is gone: write target"),
    ],
)
def test_what_is_wrong_in_it_is_told(table: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        parse(f"{WHOLE}\n[policy.execution]\n{table}")
