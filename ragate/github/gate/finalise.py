"""From the line's report to what is published and left behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragate.core.publishable import publishable
from ragate.errors import RagateError
from ragate.gate.bootstrap import bootstrapped
from ragate.github.commits.change import Change
from ragate.github.gate.acceptances import SYSTEM, outputs_digest
from ragate.github.gate.base_rules import Gate
from ragate.github.gate.earlier_attempts import EarlierAttempts, Outputs, earlier_red, outputs_of
from ragate.github.gate.left_result import LeftResult, page_name, write_result
from ragate.github.gate.output_provenance import OTHER, Provenance
from ragate.github.gate.restore import weigh_again
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.publish.workflow_commands import relative
from ragate.models import Decision, Report, Run, SystemInfo, Verdict
from ragate.renderers import markdown
from ragate.resources.operations import Operations
from ragate.runs.run_details import with_details
from ragate.stores.local import LocalStore
from ragate.version import __version__

OWN_FILE = "the file of scores is the baseline's own, of the same run: nothing measured the change"


@dataclass(frozen=True)
class ReportDraft:
    """A report as the line gave it, and what the line does not know.

    Attributes:
        outputs: What another job collected, None where this one measured.
        files: The outputs that it was judged from, where the run's folder holds none.
    """

    report: Report
    provenance: Provenance
    warnings: tuple[str, ...] = ()
    outputs: Outputs | None = None
    files: tuple[Path, ...] = ()


def finalise(
    context: StepContext, change: Change, gate: Gate, draft: ReportDraft, operations: Operations
) -> ModeOutcome:
    """Return the final report, and leave the run for later commands."""
    report, base, store = draft.report, change.base, LocalStore(operations.state)
    run = _run_of(report, store)
    provenance = draft.provenance
    if not base.trusted:
        provenance = with_own_file(provenance, report)
    problems = _problems(report, provenance)
    earlier = EarlierAttempts()
    if run is not None:
        report, problems = weigh_again(context, gate.config, change, report, run, problems)
        if report.decision.verdict is Verdict.PASSED and not problems:
            outputs = _held(run) if draft.outputs is None else draft.outputs
            earlier = earlier_red(context, gate.config.gate, base, outputs)
    may_be_accepted = bool(problems) and change.number is not None
    circumstances = Circumstances(
        head=base.head,
        base="" if base.trusted else base.sha,
        pull=change.number,
        url=context.event.run_url,
        problems=(*problems, *earlier.reasons),
        remedies=earlier.remedies if earlier.reasons else provenance.remedies or (OTHER,),
        warnings=(*change.warnings, *draft.warnings, *earlier.warnings),
        recording=recording_remedy(report.baseline_path, context.event.default_branch),
        accepting=accept_comment(base.head) if may_be_accepted else "",
        bootstrap=gate.bootstrap,
    )
    report = final_report(report, circumstances)
    page = _page(context, gate, draft, report, run, store) if run is not None else ""
    source = store.folder(report.run_id) if run is not None else None
    text = context.log.redact(markdown.render(report))
    try:
        result = _result(context, change, gate, report, run, circumstances.problems)
        write_result(context.result_folder, result, report, run=source, markdown=text, page=page)
    except (RagateError, OSError) as error:
        context.log.warning(f"the result could not be kept for later commands: {error}")
    return ModeOutcome(report, exit_code=report.decision.exit_code, paths=_paths(context, report))


def _held(run: Run) -> Outputs | None:
    """Return what recorded outputs hold: no line pools those with earlier runs'."""
    return outputs_of(run) if run.manifest.recorded else None


def _result(
    context: StepContext,
    change: Change,
    gate: Gate,
    report: Report,
    run: Run | None,
    problems: tuple[str, ...],
) -> LeftResult:
    return LeftResult(
        gate=gate.config.gate,
        event=context.event.name,
        pull=change.number,
        attempt=context.event.run_attempt,
        head=change.base.head,
        base=change.base.sha,
        merged=change.base.merged,
        verdict=report.decision.verdict.value,
        exit_code=report.decision.exit_code,
        run_id=report.run_id,
        evidence=run.manifest.evidence if run is not None else "",
        outputs=outputs_digest(run) if run is not None else "",
        problems=problems,
        bootstrap=gate.bootstrap,
    )


def _paths(context: StepContext, report: Report) -> dict[str, str]:
    """Return where the reports are, by the outputs that say so."""
    names = {
        "report-json": "report.json",
        "report-markdown": "report.md",
        "report-html": page_name(report.gate),
    }
    folder = context.result_folder
    return {
        output: relative(folder / name, context.workspace)
        for output, name in names.items()
        if (folder / name).is_file()
    }


def _problems(report: Report, provenance: Provenance) -> tuple[str, ...]:
    if provenance.refused:
        return provenance.refused
    recorded = report.baseline_system
    if not provenance.other_system and recorded is not None and recorded.use != report.system.use:
        return (f"the outputs come from {report.system.use!r}, the baseline from {recorded.use!r}",)
    return provenance.other_system


def with_own_file(provenance: Provenance, report: Report) -> Provenance:
    """Add that nothing measured a change whose scores are the baseline's own file."""
    recorded = report.baseline_system
    if recorded is None or not report.system.is_same_measurement(recorded):
        return provenance
    return Provenance(
        provenance.refused,
        (*provenance.other_system, OWN_FILE),
        (*provenance.remedies, "let the evaluator run in this job, on what is checked out"),
    )


def _run_of(report: Report, store: LocalStore) -> Run | None:
    try:
        return store.load(store.folder(report.run_id)) if report.run_id else None
    except RagateError:
        return None


def _page(
    context: StepContext,
    gate: Gate,
    draft: ReportDraft,
    report: Report,
    run: Run,
    store: LocalStore,
) -> str:
    """Return the report as HTML, with the texts that the policy lets out."""
    from ragate.renderers.html import render

    folder = store.folder(report.run_id)
    detailed = with_details(report, gate.config, store, folder, outputs=draft.files, run=run)
    return context.log.redact(render(publishable(detailed)))


# The report that is published: the line's, with what the action alone knows put in once.


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
        bootstrap: The base has no gate yet.
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
    bootstrap: bool = False


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
        report = bootstrapped(report)
    decision = report.decision
    if not circumstances.accepting or decision.exit_code == 0 or not report.run_id:
        return report
    remedies = (*decision.remedies, circumstances.accepting)
    return report.amended(decision=decision.amended(remedies=remedies))


def _amended(report: Report, circumstances: Circumstances) -> Decision:
    """Return the decision with reasons, remedies and warnings, before a bootstrap takes it back."""
    decision, problems = report.decision, circumstances.problems
    if problems and decision.reasons != problems:
        decision = decision.held_back(problems, circumstances.remedies)
    decision = decision.amended(warnings=(*circumstances.warnings, *decision.warnings))
    is_missing = report.baseline_system is None and report.run_id and decision.exit_code != 0
    if circumstances.recording and is_missing:
        remedies = dict.fromkeys((circumstances.recording, *decision.remedies))
        decision = decision.amended(remedies=tuple(remedies))
    return decision


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
