"""The judge of a policy."""

from __future__ import annotations

import pytest

from tests.unit.config.config_factories import JUDGE, error_of, judged, parse


def test_a_judge_is_read_with_its_own_keys_apart() -> None:
    judge = parse(judged(f'{JUDGE}effort = "low"\nconcurrency = 4\ntimeout_s = 30\n')).policy.judge

    assert judge is not None
    assert (judge.use, judge.concurrency, judge.timeout_s) == ("rubric", 4, 30.0)
    assert judge.own == {"provider": "local", "model": "judge-1", "effort": "low"}


@pytest.mark.parametrize("metric", ["faithfulness", "correctness", "judged_refusal"])
def test_a_judged_metric_without_a_judge_says_what_to_add(metric: str) -> None:
    message = error_of(judged("", metric))

    assert f"[policy.metrics.{metric}]: needs a judge" in message
    assert "add [policy.judge]" in message


def test_a_judged_metric_that_is_off_needs_no_judge() -> None:
    assert parse(judged("", body='level = "off"')).policy.judge is None


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ('use = "rubric"', 'use = "rubrik"', "did you mean 'rubric'"),
        ('use = "rubric"', "", "'use' is missing"),
        ('provider = "local"', 'provider = "locale"', "did you mean 'local'"),
        ('provider = "local"', "", "'provider' is missing"),
        ('model = "judge-1"', "", "'model' is missing"),
        ('model = "judge-1"', 'model = "judge-1"\neffrt = "low"', "did you mean 'effort'"),
        ('model = "judge-1"', 'model = "judge-1"\ntemperature = "0"', "temperature = '0'"),
        ('model = "judge-1"', 'model = "judge-1"\nformat = "xml"', "format = 'xml'"),
        ('model = "judge-1"', 'model = "judge-1"\nconcurrency = 0', "concurrency = 0"),
    ],
)
def test_a_wrong_judge_is_named_with_its_key(old: str, new: str, shown: str) -> None:
    message = error_of(judged(JUDGE.replace(old, new)))

    assert shown in message
    assert "judge" in message


def test_a_judge_of_foreign_code_is_not_imported_by_reading_the_file() -> None:
    judge = parse(judged('[policy.judge]\nuse = "this:create"\nanything = 1\n')).policy.judge

    assert judge is not None
    assert judge.own == {"anything": 1}
    assert "this" not in __import__("sys").modules


def test_a_criterion_that_the_judge_does_not_know_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ragate.judges import rubric

    monkeypatch.setattr(rubric, "CRITERIA", frozenset({"relevancy"}))

    message = error_of(judged())

    assert "the judge 'rubric' does not know the criterion 'faithfulness'" in message
    assert "it knows relevancy" in message
