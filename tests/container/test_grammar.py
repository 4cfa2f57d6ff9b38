"""The runner's grammar, as the harness reads it."""

from __future__ import annotations

import pytest

from tests.container.grammar import Command, parse_command, parse_pairs, read_log


@pytest.mark.parametrize(
    "line",
    [
        "::error::broken",
        "  \t::error::broken",
        "::ERROR::broken",
        "##[error]broken",
        "2026-01-01 INFO the judge said: ##[error]broken",
        '{"text":"##[error]broken',
        "::unknown:: ##[error]broken",
    ],
)
def test_a_line_is_a_command_where_the_runner_takes_it_for_one(line: str):
    assert parse_command(line) == Command("error", {}, "broken")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "error::broken",
        "text ::error::broken",
        "::error broken",
        ": :error::broken",
        "::errors::broken",
        "## [error]broken",
        "##[error broken",
        "##[errors]broken",
        "##[unknown] ##[error]only the first one counts",
    ],
)
def test_a_line_is_printed_where_the_runner_sees_no_command(line: str):
    assert parse_command(line) is None


def test_properties_are_separated_by_commas_after_colons_and_by_semicolons_after_a_bracket():
    wanted = {"file": "a.toml", "line": "3"}

    assert parse_command("::error file=a.toml,line=3::x") == Command("error", wanted, "x")
    assert parse_command("##[error file=a.toml;line=3]x") == Command("error", wanted, "x")


def test_an_empty_property_is_dropped():
    assert parse_command("::error file=,line=3,title::x") == Command("error", {"line": "3"}, "x")


def test_escapes_are_undone_percent_last():
    found = parse_command("::error title=a%3Ab%2Cc::one%0Atwo%250A")

    assert found == Command("error", {"title": "a:b,c"}, "one\ntwo%0A")


def test_data_keep_what_is_an_escape_in_properties_only():
    assert parse_command("::error::a%3Ab") == Command("error", {}, "a%3Ab")


def test_a_bare_carriage_return_starts_a_line():
    log = read_log("progress 10%\r::warning::forged\nend")

    assert log.commands == [Command("warning", {}, "forged")]
    assert log.lines == ["progress 10%", "end"]


def test_nothing_between_stop_commands_and_its_token_is_a_command():
    log = read_log("::stop-commands::t0k\n::error::quoted\n##[error]quoted\n::t0k::\n::error::real")

    assert log.commands == [Command("error", {}, "real")]
    assert log.lines == ["::error::quoted", "##[error]quoted"]


def test_a_stop_token_that_names_a_command_is_an_error():
    assert read_log("::stop-commands::error\n").errors


@pytest.mark.parametrize("line", ["::set-env name=PATH::/evil", "::add-path::/evil"])
def test_what_the_runner_has_disabled_fails_the_step(line: str):
    log = read_log(line)

    assert log.errors
    assert log.commands == []


def test_masked_values_are_hidden_the_longest_first():
    log = read_log("::add-mask::secret\nthe secret and the secrets\nfine", masks=["secrets"])

    assert log.text() == "the *** and the ***\nfine"


def test_a_pair_is_a_line_or_a_block():
    text = "a=1\n\nb<<END\ntwo\nlines\nEND\nc=x=y<<z\nd<<END\nEND\n"

    assert parse_pairs(text) == (
        {"a": "1", "b": "two\nlines", "c": "x=y<<z", "d": ""},
        None,
    )


def test_a_block_may_hold_what_looks_like_a_pair():
    assert parse_pairs("a<<E\nverdict=passed\nE\n") == ({"a": "verdict=passed"}, None)


@pytest.mark.parametrize("bad", ["no pair", "=1", "<<E\nE", "b<<", "b<<E\nnever ends"])
def test_a_bad_line_is_an_error_and_the_pairs_before_it_stand(bad: str):
    found, wrong = parse_pairs(f"a=1\n{bad}\n")

    assert found == {"a": "1"}
    assert wrong
