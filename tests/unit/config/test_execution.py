"""``[policy.execution]``: what may be called, and nothing else."""

from __future__ import annotations

import pytest

from ragate.config.model import Execution, placeholders
from ragate.errors import ConfigError
from tests.unit.config.config_factories import WHOLE, parse

HTTP = 'use = "http"\nurl = "https://API.example/v1/"\ntools = {weather = "GET /weather/{city}"}\n'


def read(table: str) -> Execution:
    found = parse(f"{WHOLE}\n[policy.execution]\n{table}").policy.execution
    assert found is not None
    return found


def test_a_tool_has_one_method_and_one_path() -> None:
    execution = read(HTTP)

    assert execution.route("weather") == ("GET", "/weather/{city}")
    assert execution.route("delete_all") is None
    assert execution.host == "api.example"
    assert placeholders("/a/{b}/c/{d}") == ["b", "d"]


def test_without_the_table_nothing_is_carried_out() -> None:
    assert parse(WHOLE).policy.execution is None


def test_the_variables_of_its_headers_count_as_keys() -> None:
    config = parse(
        f'{WHOLE}\n[policy.execution]\n{HTTP}headers_env = {{Authorization = "TOOL_KEY"}}'
    )

    assert "TOOL_KEY" in config.policy.key_names


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('use = "http"', "needs url and tools"),
        ('use = "python"', "needs target"),
        ('use = "shell"', "use"),
        (f'{HTTP}target = "a:b"', "has no target"),
        ('use = "python"\ntarget = "a:b"\nurl = "https://x.example"', "has no url"),
        (HTTP.replace("GET ", "DELETE "), "write a method and a path"),
        (HTTP.replace("/weather/", "/../"), "write a method and a path"),
        (HTTP.replace("/weather/", "weather/"), "write a method and a path"),
        (HTTP.replace("{city}", "{city"), "write a method and a path"),
        (HTTP.replace("https://", "ftp://"), "write http"),
        (HTTP.replace("https://", "https://user:key@"), "write http"),
        (f"{HTTP}timeout_s = 0", "timeout_s"),
        (f"{HTTP}hosts = []", "hosts"),
    ],
)
def test_what_is_wrong_in_it_is_told(table: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        read(table)
