"""The inputs: defaults, what is refused and how it says so."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import UsageError
from ragate.github.event.inputs import CommentPolicy, FailOn, Inputs, Mode, read_inputs

NAMES = (
    "mode", "config", "database-url", "github-token", "comment", "gate", "outputs-path",
    "allow-code", "fail-on", "working-directory", "tags", "runs",
)  # fmt: skip


def test_an_empty_input_has_its_default() -> None:
    assert read_inputs({f"INPUT_{name.upper()}": " " for name in NAMES}) == Inputs()


def test_a_hyphen_in_a_name_stays_a_hyphen() -> None:
    inputs = read_inputs({"INPUT_FAIL-ON": "never", "INPUT_FAIL_ON": "warn"})

    assert inputs.fail_on == "never"


def test_every_input_is_read() -> None:
    inputs = read_inputs(
        {
            "INPUT_MODE": "Decide",
            "INPUT_CONFIG": "gates/docs.toml",
            "INPUT_DATABASE-URL": "postgresql://u:p@postgres:5432/db",
            "INPUT_GITHUB-TOKEN": "ghs_secret",
            "INPUT_COMMENT": "on-failure",
            "INPUT_GATE": "docs-3.11",
            "INPUT_OUTPUTS-PATH": "out/outputs.jsonl",
            "INPUT_ALLOW-CODE": "true",
            "INPUT_WORKING-DIRECTORY": "./services/rag/",
            "INPUT_TAGS": "smoke, billing\nsmoke",
            "INPUT_RUNS": "3",
        }
    )

    assert (inputs.mode, inputs.config, inputs.comment) == (
        "decide",
        "gates/docs.toml",
        "on-failure",
    )
    assert inputs.database_url.get_secret_value() == "postgresql://u:p@postgres:5432/db"
    assert (inputs.gate, inputs.allow_code, inputs.runs) == ("docs-3.11", True, 3)
    assert (inputs.working_directory, inputs.tags) == ("services/rag", ("smoke", "billing"))


def test_secrets_are_not_shown() -> None:
    inputs = read_inputs(
        {"INPUT_GITHUB-TOKEN": "ghs_secret", "INPUT_DATABASE-URL": "postgresql://u:s3cr3t@h/d"}
    )

    assert "ghs_secret" not in repr(inputs)
    assert "s3cr3t" not in repr(inputs)


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("mode", "chek", "check, collect, decide, command, baseline"),
        ("comment", "sometimes", "always, on-change, on-failure, off"),
        ("fail-on", "no", "error, warn, never"),
        ("allow-code", "yes", "true, false"),
        ("gate", "a/b", "letters, digits"),
        ("gate", "x" * 61, "letters, digits"),
        ("runs", "0", "from 1 to 50"),
        ("runs", "51", "from 1 to 50"),
        ("runs", "3.0", "from 1 to 50"),
        ("runs", "٣", "from 1 to 50"),
        ("config", "../ragate.toml", "below the workspace"),
        ("config", "a\nb", "below the workspace"),
        ("working-directory", "/somewhere/else", "below the workspace"),
        ("outputs-path", "a/../../b", "below the workspace"),
    ],
)
def test_a_wrong_value_names_the_input_the_value_and_what_is_allowed(
    name: str, value: str, allowed: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read_inputs({f"INPUT_{name.upper()}": value})

    assert f"input {name} = {value!r}" in caught.value.message
    assert allowed in caught.value.message
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("value", ["ghs_secret\nx", "ghs secret", "ghs_sécret", "g" * 5000])
def test_a_token_that_is_none_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_inputs({"INPUT_GITHUB-TOKEN": value})

    assert value[:5] not in str(caught.value)


@pytest.mark.parametrize(
    "value",
    [
        "postgresql://[::1",
        "postgresql://u:s3cret@[::1/db",
        "postgresql://u:s3cret@h/db?colour=red",
        "postgresql://u:s3cr@et@h/db",
        "postgresql://u:s3cret@h/\udcff",
        "s3cret",
    ],
)
def test_a_database_url_that_is_none_is_refused_and_not_shown(value: str) -> None:
    with pytest.raises(UsageError, match="input database-url is not a Postgres URL") as caught:
        read_inputs({"INPUT_DATABASE-URL": value})

    assert caught.value.exit_code == 2
    assert caught.value.remedy
    assert "s3cr" not in str(caught.value)


@pytest.mark.parametrize(
    ("value", "hidden"),
    [
        ("postgresql://u:s3cret@[::1]:5432,[::2]/db", ":s3cret@"),
        ("postgresql://u:s3:cr%40et@h/db", ":s3:cr%40et@"),
        ("host=h dbname=x password=s3cret", ""),
        ("postgresql://u@h/db", ""),
    ],
)
def test_a_password_is_hidden_with_its_marks(value: str, hidden: str) -> None:
    assert read_inputs({"INPUT_DATABASE-URL": value}).secrets[3:] == [hidden, ""]


@given(st.sampled_from(NAMES), st.text(max_size=80))
def test_any_value_is_taken_as_it_is_meant_or_refused(name: str, value: str) -> None:
    try:
        inputs = read_inputs({f"INPUT_{name.upper()}": value})
    except UsageError:
        return

    assert inputs.mode in get_args(Mode)
    assert inputs.comment in get_args(CommentPolicy)
    assert inputs.fail_on in get_args(FailOn)
    for path in (inputs.config, inputs.outputs_path, inputs.working_directory):
        assert not path.startswith("/")
        assert ".." not in path.split("/")


def test_what_is_noted_has_a_pair_on_each_line() -> None:
    inputs = read_inputs(
        {
            "INPUT_META": "ticket=RAG-17\n\n  who=ann, or bob",
            "INPUT_DESCRIPTION": " smaller chunks ",
        }
    )

    assert dict(inputs.labels.meta) == {"ticket": "RAG-17", "who": "ann, or bob"}
    assert inputs.labels.description == "smaller chunks"


def test_a_line_that_is_no_pair_is_refused_by_its_input() -> None:
    with pytest.raises(UsageError, match="input meta: 'ticket': not KEY=VALUE"):
        read_inputs({"INPUT_META": "ticket"})
