"""What the step ends with, against the table of the manual."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from ragate.errors import UsageError
from ragate.extension import Extension
from ragate.github.modes import steps
from ragate.github.modes.steps import exit_code_of
from ragate.models import MetricVerdict, Report, Verdict
from tests.factories import decision_factory, metric_row_factory, report_factory

if TYPE_CHECKING:
    from ragate.github.gate.step_context import StepContext

PAGE = Path(__file__).parents[4] / "docs" / "forks.md"
LOOKS = {MetricVerdict.CANNOT_TELL, MetricVerdict.WORSE_HERE}


def made(verdict: Verdict, metric: MetricVerdict) -> Report:
    row = metric_row_factory("faithfulness", 0.9, 0.9, metric)
    return report_factory(decision_factory(verdict, metrics=[row]))


def oracle(verdict: Verdict, fail_on: str, *, look: bool) -> int:
    if verdict is Verdict.NO_DECISION:
        return 3
    if verdict is Verdict.FAILED:
        return 0 if fail_on == "never" else 1
    if verdict is Verdict.PASSED and look and fail_on == "warn":
        return 1
    return 0


@pytest.mark.parametrize(
    ("verdict", "metric", "fail_on"),
    list(
        itertools.product(
            Verdict,
            [MetricVerdict.HELD, MetricVerdict.CANNOT_TELL, MetricVerdict.WORSE_HERE],
            ["error", "warn", "never"],
        )
    ),
)
def test_the_exit_code_is_that_of_a_small_oracle(verdict, metric, fail_on) -> None:
    expected = oracle(verdict, fail_on, look=metric in LOOKS)
    assert exit_code_of(made(verdict, metric), fail_on) == expected


def test_no_decision_is_never_zero_and_nothing_becomes_greener_by_warn() -> None:
    for verdict, metric in itertools.product(Verdict, MetricVerdict):
        report = made(verdict, metric)
        codes = [exit_code_of(report, fail_on) for fail_on in ("error", "warn", "never")]
        if verdict is Verdict.NO_DECISION:
            assert codes == [3, 3, 3]
        assert codes[1] >= codes[0]


def test_the_manual_has_the_same_table() -> None:
    rows = re.findall(r"^\| (\d), .+? \| (\d) \| (\d) \| (\d) \|$", PAGE.read_text(), re.MULTILINE)
    assert [tuple(map(int, row)) for row in rows] == [
        (0, 0, 0, 0),
        (0, 0, 1, 0),
        (1, 1, 1, 0),
        (2, 2, 2, 2),
        (3, 3, 3, 3),
    ]


# What extensions do when the verdict stands.

CALLS: list[tuple[Report | None, int]] = []


def heard(_: object, report: Report | None, exit_code: int) -> None:
    CALLS.append((report, exit_code))


def breaks(*_: object) -> None:
    raise OSError("secret")


def leaves(*_: object) -> None:
    raise SystemExit(0)


def following(
    monkeypatch: pytest.MonkeyPatch, *functions: str, strangers: bool = False
) -> list[str]:
    """Let an extension for each function follow a verdict; return the warnings."""
    CALLS.clear()
    brought = [Extension("mine", after_step=(f"{__name__}:{name}",)) for name in functions]
    monkeypatch.setattr(steps, "extensions", lambda: brought)
    warnings: list[str] = []
    log = SimpleNamespace(warning=warnings.append)
    context = SimpleNamespace(log=log, runs_strangers_code=strangers)
    steps._let_follow(cast("StepContext", context), None, 3)
    return warnings


def test_an_extension_hears_of_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    assert following(monkeypatch, "heard") == []
    assert CALLS == [(None, 3)]


def test_what_goes_wrong_after_the_verdict_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    not_done = "what mine lets follow the verdict was not done"

    assert following(monkeypatch, "breaks") == [f"{not_done}: OSError"]
    assert following(monkeypatch, "leaves") == [f"{not_done}: SystemExit"]
    (warning,) = following(monkeypatch, "missing")
    assert warning.startswith(f"{not_done}: mine names")


def test_what_follows_a_verdict_ends_at_no_extension_that_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert len(following(monkeypatch, "breaks", "missing", "heard")) == 2
    assert CALLS == [(None, 3)]


def test_extensions_that_cannot_be_used_are_a_warning_once_a_verdict_stands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse() -> None:
        raise UsageError("two bring the same")

    warnings: list[str] = []
    log = SimpleNamespace(warning=warnings.append)
    monkeypatch.setattr(steps, "extensions", refuse)
    context = SimpleNamespace(log=log, runs_strangers_code=False)

    steps._let_follow(cast("StepContext", context), None, 2)

    assert warnings == ["what follows the verdict was not done: two bring the same"]


def test_what_follows_a_verdict_is_expected_before_the_system_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected: list[str] = []
    brought = Extension("mine", after_step=("mine.night:follow",))
    monkeypatch.setattr(steps, "extensions", lambda: (brought,))
    monkeypatch.setattr(steps, "expect_modules", lambda *names: expected.extend(names))
    context = SimpleNamespace(
        log=SimpleNamespace(plain=print), environ={}, runs_strangers_code=False
    )

    with steps._extensions(cast("StepContext", context)):
        assert expected == ["mine.night"]


def test_where_strangers_code_ran_no_extension_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    assert following(monkeypatch, "heard", strangers=True) == []
    assert CALLS == []
