"""The step's outputs: what a workflow can branch on."""

from dataclasses import dataclass
from pathlib import Path

from ragate.models import MetricVerdict, Report

NAMES = (
    "verdict",
    "passed",
    "exit-code",
    "report-json",
    "report-markdown",
    "report-html",
    "comment-url",
    "samples",
    "affected",
    "regressions",
    "model-calls",
    "cost-usd",
)


@dataclass(frozen=True)
class ReportPaths:
    """Where the run left its reports, relative to the workspace; "" where it left none."""

    json: str = ""
    markdown: str = ""
    html: str = ""


_NO_PATHS = ReportPaths()


def relative(path: Path, workspace: Path) -> str:
    """Return a path as the outputs tell it: below the workspace, else ""."""
    try:
        return path.resolve().relative_to(workspace.resolve()).as_posix()
    except ValueError:
        return ""


def outputs_of(
    report: Report, *, exit_code: int, paths: ReportPaths = _NO_PATHS, comment_url: str = ""
) -> dict[str, str]:
    """Return the outputs of a run that came to a report.

    Args:
        exit_code: What the step ends with; ``passed`` goes by the verdict, whatever fail-on says.
    """
    decision, facts = report.decision, report.facts
    lost = [
        row
        for row in decision.rows
        if row.verdict is MetricVerdict.REGRESSED and row.level == "error"
    ]
    return _outputs(
        verdict=decision.verdict.value,
        passed=decision.exit_code == 0,
        exit_code=exit_code,
        paths=paths,
    ) | {
        "comment-url": comment_url,
        "samples": str(facts.samples),
        "affected": "" if facts.affected is None else str(facts.affected),
        "regressions": str(len(lost)),
        "model-calls": str(facts.model_calls),
        "cost-usd": "" if facts.cost_usd is None else f"{facts.cost_usd:.4f}",
    }


def outputs_without_report(
    verdict: str, *, exit_code: int, paths: ReportPaths = _NO_PATHS, comment_url: str = ""
) -> dict[str, str]:
    """Return the outputs of a run that only collected (``collected``) or failed (``error``)."""
    outputs = _outputs(verdict, passed=False, exit_code=exit_code, paths=paths)
    return outputs | {"comment-url": comment_url}


def _outputs(verdict: str, *, passed: bool, exit_code: int, paths: ReportPaths) -> dict[str, str]:
    return dict.fromkeys(NAMES, "") | {
        "verdict": verdict,
        "passed": "true" if passed else "false",
        "exit-code": str(exit_code),
        "report-json": paths.json,
        "report-markdown": paths.markdown,
        "report-html": paths.html,
    }
