"""From the line's report to what is published and left behind."""

from dataclasses import dataclass
from pathlib import Path

from ragate.core.publishable import publishable
from ragate.errors import RagateError
from ragate.github.commits.change import Change
from ragate.github.gate.acceptances import outputs_digest
from ragate.github.gate.earlier_attempts import EarlierAttempts, Outputs, earlier_red
from ragate.github.gate.final_report import (
    Circumstances,
    accept_comment,
    final_report,
    recording_remedy,
)
from ragate.github.gate.left_result import LeftResult, page_name, write_result
from ragate.github.gate.output_provenance import OTHER, Provenance
from ragate.github.gate.restore import weigh_again
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.gate.two_verdicts import Gate
from ragate.github.publish.step_outputs import ReportPaths, relative
from ragate.models import Report, Run, Verdict
from ragate.pipeline.run_details import with_details
from ragate.renderers import markdown
from ragate.runtime.operations import Operations
from ragate.stores.local import LocalStore


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
    report, run = draft.report, _run_of(draft.report, operations)
    problems = _problems(report, draft.provenance)
    earlier = EarlierAttempts()
    if run is not None:
        report, is_accepted = weigh_again(
            context, gate.config, change, report, run, other_system=bool(problems)
        )
        problems = () if is_accepted else problems
        if report.decision.verdict is Verdict.PASSED and not problems:
            earlier = earlier_red(context, gate.config.gate, change.base, draft.outputs)
    circumstances = _circumstances(context, change, gate, draft, problems, earlier)
    report = final_report(report, circumstances)
    page = _page(context, gate, draft, report, run, operations) if run is not None else ""
    _leave(context, change, gate, report, run, circumstances.problems, operations, page)
    folder = context.result_folder
    paths = ReportPaths(
        json=relative(folder / "report.json", context.workspace),
        markdown=relative(folder / "report.md", context.workspace),
        html=relative(folder / page_name(report.gate), context.workspace) if page else "",
    )
    return ModeOutcome(report=report, exit_code=report.decision.exit_code, paths=paths)


def _circumstances(
    context: StepContext,
    change: Change,
    gate: Gate,
    draft: ReportDraft,
    problems: tuple[str, ...],
    earlier: EarlierAttempts,
) -> Circumstances:
    base, is_answered = change.base, bool(problems) and change.number is not None
    return Circumstances(
        head=base.head,
        base="" if base.trusted else base.sha,
        pull=change.number,
        url=context.event.run_url,
        problems=(*problems, *earlier.reasons),
        remedies=earlier.remedies if earlier.reasons else draft.provenance.remedies or (OTHER,),
        warnings=(*change.warnings, *draft.warnings, *earlier.warnings),
        recording=recording_remedy(draft.report.baseline_path, context.event.default_branch),
        accepting=accept_comment(base.head) if is_answered else "",
        bootstrap=f"{gate.config.path.name} is new" if gate.bootstrap else "",
    )


def _problems(report: Report, provenance: Provenance) -> tuple[str, ...]:
    if provenance.refused:
        return provenance.refused
    recorded = report.baseline_system
    if not provenance.other_system and recorded is not None and recorded.use != report.system.use:
        return (f"the outputs come from {report.system.use!r}, the baseline from {recorded.use!r}",)
    return provenance.other_system


def _run_of(report: Report, operations: Operations) -> Run | None:
    if not report.run_id:
        return None
    store = LocalStore(operations.state)
    try:
        return store.load(store.folder(report.run_id))
    except RagateError:
        return None


def _page(
    context: StepContext,
    gate: Gate,
    draft: ReportDraft,
    report: Report,
    run: Run,
    operations: Operations,
) -> str:
    """Return the report as HTML, with the texts that the policy lets out."""
    from ragate.renderers.html.page import render

    store = LocalStore(operations.state)
    folder = store.folder(report.run_id)
    detailed = with_details(report, gate.config, store, folder, outputs=draft.files, run=run)
    return context.log.redact(render(publishable(detailed)))


def _leave(
    context: StepContext,
    change: Change,
    gate: Gate,
    report: Report,
    run: Run | None,
    problems: tuple[str, ...],
    operations: Operations,
    page: str,
) -> None:
    base = change.base
    result = LeftResult(
        gate=gate.config.gate,
        event=context.event.name,
        pull=change.number,
        attempt=context.event.run_attempt,
        head=base.head,
        base=base.sha,
        merged=base.merged,
        verdict=report.decision.verdict.value,
        exit_code=report.decision.exit_code,
        run_id=report.run_id,
        evidence=run.manifest.evidence if run is not None else "",
        outputs=outputs_digest(run) if run is not None else "",
        problems=problems,
        bootstrap=gate.bootstrap,
    )
    source = LocalStore(operations.state).folder(report.run_id) if run is not None else None
    try:
        write_result(
            context.result_folder,
            result,
            run=source,
            report=report,
            markdown=context.log.redact(markdown.render(report)),
            publish=report.publish,
            page=page,
        )
    except (RagateError, OSError) as error:
        context.log.warning(f"the result could not be kept for later commands: {error}")
