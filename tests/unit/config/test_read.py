from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.config import Config, find_config, load_config
from ragate.errors import ConfigError
from tests.unit.config.config_factories import WHOLE, changed, error_of, parse


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("dataset", "datset", ["[policy]", "'datset'", "'dataset'"]),
        ("[policy.metrics.token_f1]", "[policy.metric.token_f1]", ["'metric'", "'metrics'"]),
        ("base_url", "base_ur", ["[policy.providers.local]", "'base_ur'", "'base_url'"]),
        ("minimum", "minimun", ['[policy.metrics."recall@10"]', "'minimun'", "'minimum'"]),
        ("[system]", "[sytem]", ["'sytem'", "'system'"]),
        ("owner", "onwer", ["waivers.0", "'onwer'", "'owner'"]),
    ],
)
def test_an_unknown_key_names_its_table_and_the_nearest(
    old: str, new: str, names: list[str]
) -> None:
    message = error_of(changed(old, new))

    assert all(name in message for name in names), message


def test_nothing_of_the_environment_gets_into_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATE", "secret")

    assert "secret" not in error_of(changed("[policy]", '[policy]\ngate = "${GATE}"'))
    assert parse(changed("outputs/*.jsonl", "$GATE/*.jsonl")).system.settings == {
        "paths": ["$GATE/*.jsonl"]
    }


def test_broken_toml_is_named_with_its_line() -> None:
    message = error_of("[policy]\ndataset = \n")

    assert message.startswith("ragate.toml:2:")


def test_a_key_that_stands_twice_is_refused() -> None:
    assert error_of("[policy]\na = 1\na = 2\n").startswith("ragate.toml:3:")


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    assert "ragate.toml" in error_of("a = " + "[" * 50_000)


@pytest.mark.parametrize("table", ["policy", "system"])
def test_a_missing_table_is_named_with_the_command_that_writes_one(table: str) -> None:
    start = WHOLE.index(f"[{table}]")
    text = WHOLE[:start] if table == "system" else WHOLE[WHOLE.index("[system]") :]

    message = error_of(text)

    assert f"[{table}]" in message
    assert "ragate init" in message


def test_a_link_that_leads_outside_is_refused(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "evals").symlink_to("/proc/self")

    with pytest.raises(ConfigError, match="outside"):
        parse(changed("evals/golden.jsonl", "evals/environ"), root=root)


def test_a_file_is_read_with_its_folder_as_the_root(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    path.write_text("\ufeff" + WHOLE, encoding="utf-8")

    config = load_config(path)

    assert config.path == path
    assert config.dataset == tmp_path.resolve() / "evals/golden.jsonl"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"x" * (1024 * 1024 + 1)])
def test_a_file_that_is_no_text_or_too_large_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ragate.toml"
    path.write_bytes(content)

    with pytest.raises(ConfigError, match=r"ragate\.toml"):
        load_config(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_is_refused_and_never_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    os.mkfifo(path)

    with pytest.raises(ConfigError, match="not a regular file"):
        load_config(path)


def test_the_file_is_found_above_but_not_outside_the_repository(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    deep = repository / "a" / "b"
    deep.mkdir(parents=True)
    (repository / ".git").mkdir()
    (tmp_path / "ragate.toml").touch()

    with pytest.raises(ConfigError, match="ragate init"):
        find_config(deep)

    (repository / "ragate.toml").touch()
    assert find_config(deep) == repository / "ragate.toml"


def test_without_a_repository_only_the_folder_itself_is_searched(tmp_path: Path) -> None:
    (tmp_path / "ragate.toml").touch()
    (tmp_path / "a").mkdir()

    assert find_config(tmp_path) == tmp_path / "ragate.toml"
    with pytest.raises(ConfigError):
        find_config(tmp_path / "a")


def test_a_given_file_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").touch()

    assert find_config(tmp_path, named=Path("gate.toml")) == tmp_path / "gate.toml"
    with pytest.raises(ConfigError, match=r"other\.toml"):
        find_config(tmp_path, named=Path("other.toml"))


def is_config_or_error(text: str) -> None:
    try:
        config = parse(text)
    except ConfigError as error:
        assert error.message.startswith("ragate.toml")  # noqa: PT017
    else:
        assert isinstance(config, Config)


@given(st.text())
def test_any_text_is_a_config_or_a_config_error(text: str) -> None:
    is_config_or_error(text)


VALUES = st.one_of(
    st.sampled_from(
        ["true", "nan", "inf", "-1", "0", "1", "0.5", "1e400", "9" * 5000, "2026-12-31", "[]", "{}"]
    ),
    st.sampled_from(['""', '"x"', '"replay"', '"\\u0000"', '["replay"]', "[[]]", '{ a = "b" }']),
    st.sampled_from(['"../x"', '"/etc/passwd"', '"ndcg@10"', '"error"', "1979-05-27T07:32:00Z"]),
)


LINES = [number for number, line in enumerate(WHOLE.split("\n")) if " = " in line]


@given(st.dictionaries(st.sampled_from(LINES), VALUES, min_size=1, max_size=4))
def test_any_value_at_any_key_is_a_config_or_a_config_error(values: dict[int, str]) -> None:
    lines = WHOLE.split("\n")
    for number, value in values.items():
        lines[number] = f"{lines[number].partition(' = ')[0]} = {value}"
    is_config_or_error("\n".join(lines))


def test_the_file_that_these_tests_change_is_right_to_begin_with() -> None:
    assert tomllib.loads(WHOLE)


def test_an_error_repeats_nothing_of_a_file_that_a_link_leads_to(tmp_path: Path):
    (tmp_path / "secret").write_text("token = hunter2hunter2\n")
    (tmp_path / "ragate.toml").symlink_to(tmp_path / "secret")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "ragate.toml").write_text("token = hunter2hunter2\n")
    (tmp_path / "app").symlink_to(tmp_path / "elsewhere")

    for path in (tmp_path / "ragate.toml", tmp_path / "app" / "ragate.toml"):
        with pytest.raises(ConfigError) as raised:
            load_config(path)

        assert "1:9: not TOML" in raised.value.message
        assert "hunter2" not in raised.value.message + raised.value.remedy


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            '[policy.metrics."recall@10"]',
            "[policy.metrics.recall@10]",
            'a name with @ stands in quotes: [policy.metrics."recall@10"]',
        ),
        ('use = "replay"', "use = replay", 'a text stands in quotes: "replay"'),
        ("minimum = 0.5", "accept_own = True", "TOML writes true, in lower case"),
        ('owner = "billing"', "<<<<<<< HEAD", "a merge left its marks here"),
        ('use = "replay"', 'use = "replay', "a quote is missing on this line"),
        (
            'paths = ["outputs/*.jsonl"]',
            'paths = ["outputs\\*.jsonl"]',
            "a backslash in double quotes begins an escape",
        ),
    ],
)
def test_a_common_slip_is_named_with_what_to_write(right: str, wrong: str, says: str):
    error = error_of(changed(right, wrong))

    assert says in error
    assert wrong in error.replace("\\\\", "\\")


def test_the_line_and_the_column_stand_behind_the_files_name():
    text = changed('use = "replay"', "use = replay")
    line = text.splitlines().index("use = replay") + 1

    assert error_of(text).startswith(f"ragate.toml:{line}:7: not TOML")


def test_a_file_that_ends_in_the_middle_says_so():
    text = changed('paths = ["outputs/*.jsonl"]', 'paths = ["outputs/*.jsonl"')

    assert "at the end of the file" in error_of(text)
