"""The report, amended by what the action knows beside it: reasons, remedies and warnings."""

from __future__ import annotations

from ragate import __version__
from ragate.github.event.event import Event
from ragate.github.gate.acceptances import SYSTEM
from ragate.github.gate.two_verdicts import Gate
from ragate.models import Decision, Report, SystemInfo, Verdict


def blank_report(gate: Gate, reasons: tuple[str, ...], remedies: tuple[str, ...]) -> Report:
    """Return the report of a change that is not measured at all: no decision."""
    config = gate.config
    decision = Decision(verdict=Verdict.NO_DECISION, reasons=reasons, remedies=remedies)
    return Report(
        gate=config.gate,
        ragate_version=__version__,
        dataset=config.policy.dataset,
        baseline_path=config.policy.baseline,
        system=SystemInfo(use=config.system.use),
        decision=decision,
    )


def undecided(report: Report, problems: tuple[str, ...], remedies: tuple[str, ...]) -> Report:
    """Return the report with reasons against any comparison: a pass becomes no decision."""
    decision = report.decision
    if not problems or decision.reasons == problems:
        return report
    passed = decision.verdict is Verdict.PASSED
    update = {
        "verdict": Verdict.NO_DECISION if passed else decision.verdict,
        "reasons": (*problems, *decision.reasons),
        "remedies": tuple(dict.fromkeys((*remedies, *decision.remedies))),
    }
    return report.model_copy(update={"decision": decision.model_copy(update=update)})


def recordable(report: Report, event: Event) -> Report:
    """Return the report with who records the baseline that is missing."""
    decision = report.decision
    if report.baseline_system is not None or not report.run_id or decision.exit_code == 0:
        return report
    told = (
        f"the workflow of mode baseline records {report.baseline_path} on "
        f"{event.default_branch or 'the default branch'}; or commit it with this change"
    )
    remedies = tuple(dict.fromkeys((told, *decision.remedies)))
    return report.model_copy(
        update={"decision": decision.model_copy(update={"remedies": remedies})}
    )


def answerable(report: Report, head: str, problems: tuple[str, ...]) -> Report:
    """Return the report with the comment by which a maintainer accepts another system."""
    decision = report.decision
    if not problems or decision.exit_code == 0 or not report.run_id:
        return report
    update = {"remedies": (*decision.remedies, f'/ragate accept {head[:7]} {SYSTEM} "reason"')}
    return report.model_copy(update={"decision": decision.model_copy(update=update)})


def warned(report: Report, warnings: tuple[str, ...]) -> Report:
    """Return the report with more warnings, before those that are there."""
    if not warnings:
        return report
    update = {"warnings": (*warnings, *report.decision.warnings)}
    return report.model_copy(update={"decision": report.decision.model_copy(update=update)})
