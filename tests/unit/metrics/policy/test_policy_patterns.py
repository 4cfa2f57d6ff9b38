"""policy_patterns by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ragate import plugins
from ragate.errors import ConfigError
from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import answered, asked, make, score, value

PATTERNS = {"forbidden": {"phone": r"\+\d{6,}"}, "required": {"notice": "not legal advice"}}


@pytest.mark.parametrize(
    ("answer", "expected", "reason"),
    [
        ("Sue them. This is NOT legal advice.", 1.0, ""),
        ("Sue them.", 0.5, "lacks notice"),
        ("Call \uff0b49\u200b123456.", 0.0, "holds phone, lacks notice"),
    ],
)
def test_patterns_are_named_where_an_answer_breaks_them(
    answer: str, expected: float, reason: str
) -> None:
    result = score("policy_patterns", asked(), answered(answer), settings=PATTERNS)

    assert (result.value, result.reason) == (expected, reason)


def test_nothing_is_required_of_a_refusal() -> None:
    unanswerable = asked(answerable=False)
    only_required = {"required": PATTERNS["required"]}

    assert value("policy_patterns", unanswerable, answered("No."), settings=PATTERNS) == 1.0
    result = score("policy_patterns", unanswerable, answered("No."), settings=only_required)
    assert result.state is ScoreState.NOT_APPLICABLE


def test_a_pattern_without_end_leaves_the_answer_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    module = plugins.load("metrics", "policy_patterns")
    monkeypatch.setattr(module, "TIMEOUT_S", 0.05)
    settings = {"forbidden": {"slow": r"^(a|a|aa)+$"}}

    result = score("policy_patterns", asked(), answered("a" * 60 + "b"), settings=settings)

    assert result.state is ScoreState.UNSCORED
    assert "took longer" in result.reason


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"forbidden": {"x": "(a"}}, r"'\(a' is no regular expression"),
        ({"forbidden": {"x": ""}}, r"forbidden\]: x"),
        ({"forbidden": ["a"]}, "forbidden"),
    ],
)
def test_what_is_no_pattern_is_an_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make("policy_patterns", settings=settings)


def test_without_a_pattern_the_metric_cannot_be_named() -> None:
    assert "neither" in make("policy_patterns").unusable
