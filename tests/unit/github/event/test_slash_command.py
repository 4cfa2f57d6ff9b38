"""What is a command, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import UsageError
from ragate.extension import CommentCommand
from ragate.github.event import slash_command
from ragate.github.event.slash_command import Command, parse_command


@pytest.fixture(autouse=True)
def brought(monkeypatch: pytest.MonkeyPatch) -> None:
    """What extensions would bring, whichever are there."""
    named = CommentCommand("a:b", named=True)
    commands = {"fine": named, "worse": named, "run": CommentCommand("a:b")}
    monkeypatch.setattr(slash_command, "brought", lambda: commands)


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/ragate help", Command("help")),
        ("/ragate rerun bad0bad", Command("rerun", "bad0bad")),
        ("/ragate run bad0bad\r\nthanks!", Command("run", "bad0bad")),
        ("/ragate update-baseline bad0bad gate=a", Command("update-baseline", "bad0bad", gate="a")),
        (
            '/ragate accept bad0bad faithfulness ndcg@10 "new policy, see #12"',
            Command("accept", "bad0bad", ("faithfulness", "ndcg@10"), "new policy, see #12"),
        ),
        (
            "/ragate   accept  bad0bad\tmrr gate=a.b  “the  phone's quotes”  ",
            Command("accept", "bad0bad", ("mrr",), "the phone's quotes", "a.b"),
        ),
        (
            '/ragate fine bad0bad q3 `q 4` q3 gate=docs "as good"',
            Command("fine", "bad0bad", (), "as good", "docs", ("q3", "q", "4")),
        ),
        (
            '/ragate worse bad0bad handbook/leave#2 "no days told"',
            Command("worse", "bad0bad", (), "no days told", ids=("handbook/leave#2",)),
        ),
    ],
)  # fmt: skip
def test_a_command_is_the_first_line(body, command):
    if "\t" in body:  # a tab does not print: it is no command, and says so
        with pytest.raises(UsageError, match="does not print"):
            parse_command(body)
        body = body.replace("\t", " ")
    assert parse_command(body) == command


@pytest.mark.parametrize(
    "body",
    [
        "",
        "LGTM",
        "> /ragate accept bad0bad mrr",
        " /ragate help",
        "\n/ragate help",
        "please write\n/ragate help",
        "`/ragate help`",
        "/ragatehelp",
        "/Ragate help",
        "- /ragate help",
        "I would /ragate help",
    ],
)
def test_quoted_second_line_and_embedded_commands_are_none(body):
    assert parse_command(body) is None


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("/ragate", "a command is missing"),
        ("/ragate acept bad0bad mrr", "no command 'acept'"),
        ("/ragate accept bad0bad mrr", "reason"),
        ('/ragate accept bad0bad mrr "no"', "3 to 300"),
        ('/ragate accept bad0bad mrr "reason"', "stands for yours: write why in its place"),
        (f'/ragate accept bad0bad mrr "{"x" * 301}"', "3 to 300"),
        ('/ragate accept bad0bad "a reason"', "1 to 20 metrics"),
        ('/ragate accept mrr "a reason"', "needs the commit"),
        ('/ragate accept BAD0BAD mrr "a reason"', "needs the commit"),
        ('/ragate accept bad0ba mrr "a reason"', "needs the commit"),
        ('/ragate accept bad0bad <b>mrr</b> "a reason"', "no name of a metric"),
        ('/ragate fine bad0bad "as good"', "fine names 1 to 20 samples"),
        ("/ragate fine bad0bad q3", 'fine ends with a "reason"'),
        ('/ragate worse q3 "no days"', "worse needs the commit"),
        ("/ragate rerun", "needs the commit"),
        ("/ragate rerun bad0bad now", "takes nothing more: 'now'"),
        ("/ragate help me", "takes nothing more"),
        ("/ragate rerun bad0bad gate=a gate=b", "two gates"),
        ("/ragate help\u202e", "does not print"),
        ("/ragate " + "x" * 1000, "too long"),
    ],
)
def test_a_wrong_command_says_what_is_wrong_and_how_it_is_written(body, said):
    with pytest.raises(UsageError, match=said) as caught:
        parse_command(body)
    assert "/ragate accept SHA METRIC" in str(caught.value)


@given(st.text(max_size=200))
def test_no_text_makes_it_stumble(text):
    for body in (text, f"/ragate {text}", f"/ragate accept {text}", f'/ragate accept {text}"'):
        try:
            command = parse_command(body)
        except UsageError:
            continue
        if command is not None:
            assert body.startswith("/ragate ")
            assert all(metric.isascii() for metric in command.metrics)
