"""What is printed and handed over, read back by the runner's own grammar: nothing is forged."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragate.errors import StorageError
from ragate.github.publish import workflow_commands
from ragate.github.publish.workflow_commands import (
    SUMMARY_LIMIT,
    Log,
    summary_room,
    write_outputs,
    write_summary,
)
from tests.container.grammar import Command, parse_pairs, read_log

HOSTILE = [
    "::set-output name=verdict::passed",
    "   ::add-mask::e",
    "2026-11-20 INFO judge said: ##[set-output name=verdict;]passed",
    '{"msg":"##[error]forged"}',
    "progress 10%\r::warning::forged by a carriage return",
    "::stop-commands::x",
    "x\n::error::the real error is swallowed\n::x::",
    "a\x85::error::b\u2028::error::c\x0b::error::d\x1c::error::e",
    "\x1b[31m::error::red\x1b[0m ##\x1b[0m[error]x",
    "\ufeff::error::mark \u200b::error::zero width",
    "#\u200d#[error]joined #\u00ad#\u034f[error]soft :\u200c:error::x",
    "\u200c:\u200d:error::x",
    "##[[error]]##[##[error]error]",
    "%0A::error::percent %250A %3A%2C",
    ":::::error::::x",
    "::ERROR::upper ::Error file=a,line=1::mixed",
    "::error\t::tab ::\u3000error::wide",
    "\ud800::error::surrogate",
]
FOREIGN = st.one_of(
    st.text(max_size=120),
    st.sampled_from(HOSTILE),
    st.lists(st.sampled_from([*HOSTILE, "\r", "\n", "##[", "::", "]", "%"]), max_size=5).map(
        "".join
    ),
)
STEADY = settings(max_examples=8 * settings().max_examples, suppress_health_check=list(HealthCheck))


def commands_of(stream: io.StringIO) -> list[Command]:
    return read_log(stream.getvalue()).commands


@STEADY
@given(FOREIGN)
@example("\n".join(HOSTILE))
def test_foreign_text_in_the_log_gives_no_command(text: str) -> None:
    stream = io.StringIO()
    Log(stream).plain(text)
    log = read_log(stream.getvalue())

    assert (log.commands, log.errors, log.masks) == ([], [], [])


@pytest.mark.parametrize("nothing", ["\u200d", "\u00ad", "\u034f", "\ufe0f", "\u200b\u2060"])
def test_characters_that_a_search_may_look_through_hide_no_command(nothing: str) -> None:
    stream = io.StringIO()
    Log(stream).plain(f"#{nothing}#{nothing}[error]x\n:{nothing}:error::x")
    seen = "".join(char for char in stream.getvalue() if char.isascii())

    assert "##[" not in seen
    assert "::" not in seen


@STEADY
@given(FOREIGN, FOREIGN, FOREIGN)
@example(HOSTILE[0], HOSTILE[4], HOSTILE[6])
def test_an_annotation_is_one_command_whatever_it_says(message: str, file: str, title: str) -> None:
    stream = io.StringIO()
    Log(stream).error(message, file=file, line=3, title=title)
    log = read_log(stream.getvalue())

    assert [command.name for command in log.commands] == ["error"]
    assert (log.errors, log.masks, "".join(log.lines)) == ([], [], "")
    assert set(log.commands[0].properties) <= {"file", "line", "title"}


@STEADY
@given(FOREIGN, FOREIGN)
@example("\n".join(HOSTILE), "no end of line")
def test_what_others_print_is_obeyed_by_nobody_and_our_commands_are(text: str, more: str) -> None:
    stream = io.StringIO()
    log = Log(stream)
    log.guard()
    stream.write(text)  # as it is: a library, or the system under test
    log.warning("ours")
    stream.write(f"{more}::stop-commands::x\n")
    log.error("ours again")
    stream.write(text)
    log.error("the end")
    stream.write(text)
    read = read_log(stream.getvalue())

    assert [command.name for command in read.commands] == ["warning", "error", "error"]
    assert (read.errors, set(read.masks)) == ([], set())


def test_no_word_that_ends_the_pause_is_used_twice() -> None:
    stream = io.StringIO()
    log = Log(stream)
    log.guard()
    for _ in range(3):
        log.warning("ours")
    tokens = re.findall(r"^::stop-commands::(\w{32})$", stream.getvalue(), re.MULTILINE)

    assert len(set(tokens)) == len(tokens) == 4


class Pieces(io.StringIO):
    """A stream that keeps each write apart."""

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[int] = []

    def write(self, text: str) -> int:
        self.sizes.append(len(text.encode()))
        return super().write(text)


@pytest.mark.parametrize("char", ["a", "%", "\N{CHECK MARK}", "\U0001f600", "\n.", ",", "%\n:,"])
def test_a_command_is_one_piece_that_a_full_pipe_takes_as_one(char: str) -> None:
    stream = Pieces()
    log = Log(stream)
    log.guard()
    log.error(char * 5000, file=char * 3000, line=7, title=char * 500)

    (command,) = commands_of(stream)
    assert max(stream.sizes) <= 4096  # PIPE_BUF: a foreign line cannot come between
    assert len(command.data) > 400
    assert set(command.data) <= {*char, "\u2026", " "}


def test_nothing_else_of_the_action_prints() -> None:
    names = {"print", "print_exc", "print_exception", "print_stack"}
    for path in (Path(workflow_commands.__file__).parent).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "id", getattr(called, "attr", ""))
            assert name not in names, f"{path.name}:{getattr(node, 'lineno', 0)}"


def test_an_annotation_says_what_it_was_given() -> None:
    stream = io.StringIO()
    Log(stream).warning("100 %, a::b\nnext", file="docs/a,b.md", line=7, title="hit_rate@10: worse")

    (command,) = commands_of(stream)
    assert command.data == "100 %, a::b\nnext"
    assert command.properties == {
        "file": "docs/a,b.md",
        "line": "7",
        "title": "hit_rate@10: worse",
    }


def test_more_annotations_than_github_shows_are_lines_of_the_log() -> None:
    stream = io.StringIO()
    log = Log(stream)
    for number in range(15):
        log.error(f"broken {number}", file="a.md", line=number + 1)
        log.warning("a look")

    names = [command.name for command in commands_of(stream)]
    assert (names.count("error"), names.count("warning")) == (10, 10)
    assert "error: a.md:15: broken 14" in stream.getvalue()


def test_secrets_are_cut_out_of_what_is_printed_those_that_are_told_later_too() -> None:
    stream = io.StringIO()
    log = Log(stream, secrets=["sk-s3cr3t"])
    log.hide(["pa55word"])
    log.error("key sk-s3cr3t", title="pa55word")
    log.plain("sk-s3cr3t:pa55word")

    assert "s3cr3t" not in stream.getvalue()
    assert "pa55word" not in stream.getvalue()


VALUES = st.from_regex(r"[ -~äöüß😀]{0,60}", fullmatch=True)


@settings(max_examples=8 * settings().max_examples, suppress_health_check=list(HealthCheck))
@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True), VALUES))
@example({"verdict": "x<<EOF", "passed": "EOF", "exit-code": "a=b"})
def test_outputs_come_back_as_they_were_given(tmp_path: Path, values: dict[str, str]) -> None:
    path = tmp_path / "output"
    path.write_text("earlier=1\n")
    write_outputs({"GITHUB_OUTPUT": str(path)}, values)

    found, problem = parse_pairs(path.read_text())
    assert problem is None
    assert found == {"earlier": "1", **values}


@pytest.mark.parametrize("text", [*HOSTILE, "model text\nEOF\nverdict=passed\nx<<EOF\nEOF"])
def test_foreign_text_in_an_output_is_refused_or_changes_no_other(
    tmp_path: Path, text: str
) -> None:
    path = tmp_path / "output"
    path.touch()
    values = {"verdict": "failed", "comment-url": text, "passed": "false"}
    try:
        write_outputs({"GITHUB_OUTPUT": str(path)}, values)
    except ValueError:
        assert path.read_text() == ""
    else:
        assert parse_pairs(path.read_text()) == (values, None)


@pytest.mark.parametrize("value", ["a\nb", "a\rb", "a\u2028b", "\x00", "\ud800", "x" * 4001])
def test_a_value_that_is_no_line_is_refused(tmp_path: Path, value: str) -> None:
    with pytest.raises(ValueError, match="output 'verdict'"):
        write_outputs({"GITHUB_OUTPUT": str(tmp_path / "output")}, {"verdict": value})


def test_a_name_that_could_set_another_output_is_refused(tmp_path: Path) -> None:
    for name in ("a=b", "a<<b", "A", "", "a b"):
        with pytest.raises(ValueError, match="output"):
            write_outputs({"GITHUB_OUTPUT": str(tmp_path / "output")}, {name: "x"})


def test_outside_of_a_step_nothing_is_written() -> None:
    write_outputs({}, {"verdict": "passed"})

    assert summary_room({}) == 0
    assert not write_summary({}, "text")


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write"):
        write_outputs({"GITHUB_OUTPUT": str(tmp_path)}, {"verdict": "passed"})


def test_a_summary_is_appended_and_never_over_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "summary"
    environ = {"GITHUB_STEP_SUMMARY": str(path)}

    assert write_summary(environ, "# First")
    assert write_summary(environ, "x" * (SUMMARY_LIMIT - 100))
    assert not write_summary(environ, "y" * 200)
    assert path.read_text().startswith("# First\n\nxxx")
    assert path.stat().st_size <= SUMMARY_LIMIT
    assert summary_room(environ) == SUMMARY_LIMIT - path.stat().st_size


def test_a_log_of_another_encoding_gets_signs_that_it_has() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="cp1252")

    Log(stream).plain("mrr 0.9 → 0.8")

    assert written.getvalue() == b"mrr 0.9 ? 0.8\n"
