"""A configuration of an earlier version is brought to this one, and nothing else of it changes."""

from __future__ import annotations

import tomllib

import pytest

from ragate import removed
from ragate.config.upgrade import upgraded
from ragate.errors import ConfigError
from tests.unit.config.config_factories import parse

KEPT = """# Ours.
[policy]
dataset = "golden.jsonl"   # the questions
baseline = "main.json"
systems = ["http", "python"]

# Old questions.
# [policy.metrics.rbo]
[policy.metrics.token_f1]
level = "warn"   # shown

[policy.metrics.latency_p95]
level = "warn"                       # slower by a fifth
max_increase = 0.2

# How it is asked.
[system]
use = "python"
target = "rag:ask"
"""
OLD = (
    KEPT.replace(
        "\n# Old questions.",
        """
[policy.execution]
use = "python"        # gone
target = "tools:call"

# Old questions.""",
    )
    .replace(
        "[policy.metrics.token_f1]",
        """[policy.metrics."overlap@5"]
level = "warn"
[policy.metrics.variant_loss]   # gone
of = "token_f1"
[policy.metrics.token_f1]""",
    )
    .replace(
        'level = "warn"                       # slower',
        'level = "error"                       # slower',
    )
)
TAKEN = ('[policy.metrics."overlap@5"]', "[policy.metrics.variant_loss]", 'use = "python"        #')


def test_what_is_gone_is_taken_out_and_every_other_line_stays() -> None:
    new = upgraded(OLD)

    stays = KEPT.replace(
        "\n# Old questions.", '\n[policy.execution]\ntarget = "tools:call"\n\n# Old questions.'
    )
    assert new.text.replace("  # slower", " # slower") == stays.replace("  # slower", " # slower")
    assert new.left == ()
    parse(new.text)
    assert upgraded(new.text).text == new.text
    for line in TAKEN:
        assert line not in new.text


def test_a_value_over_several_lines_goes_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(removed.KEYS, "policy.old", "nothing")
    value = 'old = [\n  "a",  # one\n  "b]",\n]\n'

    assert upgraded(KEPT.replace("baseline =", f"{value}baseline =")).text == KEPT


def test_a_line_within_a_text_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(removed.KEYS, "system.old", "nothing")
    text = f"{KEPT}note = '''\nold = 1\n[policy.metrics.rbo]\n'''\n"

    assert upgraded(text).text == text


def test_what_a_person_writes_anew_is_named_and_stays() -> None:
    text = KEPT + '\n[policy.execution]\nurl = "https://api.example"\n'
    old = text.replace("url =", 'use = "http"\nurl =')

    new = upgraded(old)

    assert new.text == text
    (said,) = new.left
    line = text.splitlines().index('url = "https://api.example"') + 1
    assert said == f"line {line}: url is gone: {removed.KEYS['policy.execution.url']}"
    assert "url" not in upgraded(text, everything=True).text


def test_what_a_metric_may_lose_keeps_its_figure_under_one_key() -> None:
    rule = "\n[policy.metrics.rouge_l]\nmin_drop = 0.03\nmargin = 0.01\n"
    both = "\n[policy.metrics.idf_f1]\nmin_drop = 0.03\nmax_drop = 0.05\n"
    old = KEPT.replace("[policy]\n", '[policy]\nclaim = "auto"\nconfirm = 2\nmin_drop = 0.1\n')

    new = upgraded(old + rule + both)

    assert "rouge_l]\nmax_drop = 0.03\n" in new.text
    assert "idf_f1]\nmax_drop = 0.05\n" in new.text
    assert not any(key in new.text for key in ("claim", "confirm", "margin"))
    (said,) = new.left  # of the whole policy: which metric it is for, a person has to say
    assert "min_drop is gone: write max_drop in the tables of single metrics" in said


def test_what_no_version_knew_is_a_slip_and_stays() -> None:
    text = KEPT.replace("[policy]\n", "[policy]\nmine = 1\nyours = [\n  2,\n]\n")

    assert upgraded(text).text == text
    assert upgraded(text, everything=True).text == text


def test_a_key_of_a_system_of_the_project_is_not_ours_to_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(removed.KEYS, "system.old", "nothing")
    own = KEPT.replace('use = "python"', 'use = "my.rag"').replace("target =", "old = 1\ntarget =")

    assert upgraded(own).text == own


def test_a_key_of_a_judge_of_the_project_is_not_ours_to_take() -> None:
    text = f'{KEPT}[policy.judge]\nuse = "rubric"\nmax_answer_chars = 300\n'
    own = text.replace('"rubric"', '"my.judge"')

    assert "max_answer_chars" not in upgraded(text).text
    assert upgraded(own).text == own


EARLIER = """[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["http", "python"]
{policy}
[policy.metrics.token_f1]
pass_at = 0.5
{metric}
[policy.metrics.token_f1.pass_rate]
minimum = 0.5
{pass_rate}
[[policy.slices]]
name = "a"
tags = ["a"]
metrics = ["token_f1"]
{slice}
[policy.providers.p]
base_url = "https://api.example/v1"
[policy.judge]
use = "rubric"
provider = "p"
model = "m"
{judge}
[system]
use = "http"
url = "https://api.example"
"""


@pytest.mark.parametrize(
    ("table", "line"),
    [
        ("policy", 'claim = "auto"'),
        ("policy", "care = 0.05"),
        ("policy", "confirm = 2"),
        ("policy", "tries = 3"),
        ("policy", "fails = 2"),
        ("policy", 'repeats = ["answer"]'),
        ("policy", "max_failed = 0.1"),
        ("metric", "min_drop = 0.02"),
        ("metric", "margin = 0.02"),
        ("pass_rate", "min_drop = 0.02"),
        ("pass_rate", "margin = 0.02"),
        ("slice", "min_drop = 0.02"),
        ("judge", "max_answer_chars = 1000"),
        ("judge", "max_context_chars = 1000"),
    ],
)
def test_how_to_decide_was_said_by_keys_that_are_refused_and_taken_out(
    table: str, line: str
) -> None:
    empty = dict.fromkeys(("policy", "metric", "pass_rate", "slice", "judge"), "")
    parse(EARLIER.format(**empty))
    text = EARLIER.format(**empty | {table: line})

    with pytest.raises(ConfigError, match=f"{line.partition(' ')[0]} is gone: "):
        parse(text)
    new = upgraded(text)

    assert new.left == ()
    assert line not in new.text
    parse(new.text)


@pytest.mark.parametrize("text", ["", "[policy", "x = 1\nx = 2", "[policy]\nmetrics = 3\n"])
def test_what_is_no_configuration_is_left_as_it_is(text: str) -> None:
    assert upgraded(text).text == text


@pytest.mark.parametrize("key", removed.KEYS)
def test_every_key_that_is_gone_is_taken_out_or_named(key: str) -> None:
    *tables, name = key.replace("slices*", "slices").replace("*", "token_f1").split(".")
    text = f'[{".".join(tables)}]\n{name} = 1\n[system]\nuse = "http"\n'
    assert tomllib.loads(text)

    new = upgraded(text)

    assert (name not in tomllib.loads(new.text).get(tables[0], {})) or new.left
    assert bool(new.left) == (key in removed.BY_HAND)
