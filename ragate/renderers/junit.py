"""A JUnit file: what GitLab, Jenkins and others show as test results.

One test case a gated metric and one a must-pass question: *failure* where it blocks, *error* where
nothing could be decided, *skipped* where it only warns. A last case is the verdict itself, so that
a run without any decided metric has a case that is not passed.
"""

from typing import Literal, NamedTuple

from ragate.models import MetricRow, MustPassRow, Report, Verdict
from ragate.renderers._templates import template
from ragate.renderers._view import MetricLine, View
from ragate.renderers._words import ordered, wants_a_look

Result = Literal["passed", "failure", "error", "skipped"]
_RESULTS: dict[Verdict, Result] = {Verdict.FAILED: "failure", Verdict.NO_DECISION: "error"}
_TEMPLATE = "templates/junit.xml.j2"


class _TestCase(NamedTuple):
    name: str
    result: Result
    message: str
    details: tuple[str, ...] = ()


def render(report: Report) -> str:
    """Return the report as JUnit XML, the same bytes for the same report."""
    view = View(report)
    decision = view.report.decision
    cases = [*map(_metric, [*ordered(decision.metrics), *ordered(decision.slices)])]
    cases += [*map(_must_pass, decision.must_pass), _verdict(view)]
    return template(_TEMPLATE).render(
        gate=report.gate,
        rules=view.rules,
        seconds=f"{report.facts.duration_s or 0.0:.3f}",
        results=[case.result for case in cases],
        cases=cases,
    )


def read_files() -> None:
    """Read what a report is filled from."""
    template(_TEMPLATE)


def _metric(row: MetricRow) -> _TestCase:
    line = MetricLine(row)
    figures = (
        f"baseline {line.before}, candidate {line.now}, change {line.change}, "
        f"allowed {line.allowed}, n {row.n}{', ' if line.passes else ''}{line.passes}"
    )
    details = (row.reason, figures) if row.reason else (figures,)
    return _TestCase(row.key, _result(row), line.verdict, details)


def _result(row: MetricRow) -> Result:
    if row.blocks:
        return "failure"
    if row.gates and row.verdict.uncompared:
        return "error"
    return "skipped" if wants_a_look(row) else "passed"


def _must_pass(row: MustPassRow) -> _TestCase:
    failures = f"fails {row.metric} in {row.failed} of {row.tries} tries, pass mark {row.pass_at:g}"
    result: Result = "skipped" if row.missed else "error"
    if row.met or row.is_red:
        result = "passed" if row.met else "failure"
    return _TestCase(f"must pass: {row.sample_id}", result, failures)


def _verdict(view: View) -> _TestCase:
    decision = view.report.decision
    return _TestCase(
        "verdict",
        _RESULTS.get(decision.verdict, "passed"),
        "".join(view.headline),
        (*decision.reasons, *(f"-> {command}" for command in decision.remedies)),
    )
