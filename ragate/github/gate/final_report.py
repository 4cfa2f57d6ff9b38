"""The report that is published: the line's, with what the action alone knows put in once."""

from dataclasses import dataclass

from ragate.core.publishable import publishable
from ragate.github.gate.acceptances import SYSTEM
from ragate.github.gate.two_verdicts import Gate
from ragate.models import Decision, Report, SystemInfo, Verdict
from ragate.pipeline.decide.bootstrap import bootstrapped
from ragate.version import __version__


@dataclass(frozen=True)
class Circumstances:
    """What the action knows beside the line's report.

    Attributes:
        head, base, pull, url: What is judged, and the page of the run; see `Report`.
        problems: Reasons against any comparison: a pass becomes no decision.
        remedies: What to do about these.
        warnings: They stand before the line's own.
        recording: Says who records a baseline that is missing, "" where nobody does.
        accepting: The comment by which a maintainer accepts the problems, "" where none can.
        bootstrap: What the base lacks of a gate, "" where it has one.
    """

    head: str
    base: str
    pull: int | None
    url: str = ""
    problems: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    recording: str = ""
    accepting: str = ""
    bootstrap: str = ""


def final_report(report: Report, circumstances: Circumstances) -> Report:
    """Return the report as it is published and kept, without the texts that must not leave."""
    report = publishable(report)
    report = report.amended(
        decision=_amended(report, circumstances),
        head=circumstances.head,
        base=circumstances.base,
        pull=circumstances.pull,
        report_url=report.report_url or circumstances.url,
    )
    if circumstances.bootstrap:
        report = bootstrapped(report, differs=(circumstances.bootstrap,))
    decision = report.decision
    if not circumstances.accepting or decision.exit_code == 0 or not report.run_id:
        return report
    remedies = (*decision.remedies, circumstances.accepting)
    return report.amended(decision=decision.amended(remedies=remedies))


def _amended(report: Report, circumstances: Circumstances) -> Decision:
    """Return the decision with reasons, remedies and warnings, before a bootstrap takes it back."""
    decision, problems = report.decision, circumstances.problems
    if problems and decision.reasons != problems:
        passed = decision.verdict is Verdict.PASSED
        decision = decision.amended(
            verdict=Verdict.NO_DECISION if passed else decision.verdict,
            reasons=(*problems, *decision.reasons),
            remedies=_united(circumstances.remedies, decision.remedies),
        )
    decision = decision.amended(warnings=(*circumstances.warnings, *decision.warnings))
    is_missing = report.baseline_system is None and report.run_id and decision.exit_code != 0
    if circumstances.recording and is_missing:
        remedies = _united((circumstances.recording,), decision.remedies)
        decision = decision.amended(remedies=remedies)
    return decision


def _united(remedies: tuple[str, ...], general: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*remedies, *general)))


def recording_remedy(baseline_path: str, default_branch: str) -> str:
    """Say who records a baseline that is missing."""
    return (
        f"the workflow of mode baseline records {baseline_path} on "
        f"{default_branch or 'the default branch'}; or commit it with this change"
    )


def accept_comment(head: str) -> str:
    """Return the comment by which a maintainer accepts that another system answered."""
    return f'/ragate accept {head[:7]} {SYSTEM} "reason"'


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
        publish=config.policy.publish,
    )
