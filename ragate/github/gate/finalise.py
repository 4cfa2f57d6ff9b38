"""From the line's report to what is published and left behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import RagateError
from ragate.github.commits.base_commit import Base
from ragate.github.gate.acceptances import outputs_digest
from ragate.github.gate.attempt_evidence import REMEDIES, Outputs, earlier_red
from ragate.github.gate.left_result import Result, write_result
from ragate.github.gate.output_provenance import OTHER, Origin
from ragate.github.gate.report_edits import answerable, recordable, undecided, warned
from ragate.github.gate.restore import weighed
from ragate.github.gate.step_context import Context, ModeOutcome
from ragate.github.gate.two_verdicts import Gate
from ragate.github.publish.publish import linked, relative
from ragate.github.publish.step_outputs import Paths
from ragate.models import Report, Run, Verdict
from ragate.pipeline.decide.bootstrap import bootstrapped
from ragate.renderers import markdown
from ragate.runtime.resources import Operations
from ragate.stores.local import LocalStore

NO_PROBLEM = Origin()


@dataclass(frozen=True)
class Judgement:
    """A report as the line gave it, and what the line does not know.

    Attributes:
        outputs: What another job collected, None where this one measured.
    """

    report: Report
    origin: Origin = NO_PROBLEM
    warnings: tuple[str, ...] = ()
    outputs: Outputs | None = None


def finished(
    context: Context, gate: Gate, base: Base, judged: Judgement, operations: Operations
) -> ModeOutcome:
    """Return the final report, and leave the run for later commands."""
    report, run = judged.report, _run_of(judged.report, operations)
    problems = _problems(report, judged.origin)
    if run is not None:
        report, taken = weighed(
            context, gate.config, base.sha, base.head, report, run, other_system=bool(problems)
        )
        problems = () if taken else problems
    report = undecided(report, problems, judged.origin.remedies or (OTHER,))
    lost: tuple[str, ...] = ()
    if run is not None and report.decision.verdict is Verdict.PASSED:
        report, lost = _against_earlier(context, gate, base, judged, report)
    report = recordable(warned(report, judged.warnings), context.event)
    if gate.bootstrap:
        report = bootstrapped(report, differs=(f"{gate.config.path.name} is new",))
    number = context.target.number if context.target else None
    if context.target is not None and context.target.number is not None:
        report = answerable(report, base.head, problems)
    known = {"head": base.head, "base": "" if base.trusted else base.sha, "pull": number}
    report = linked(report.model_copy(update=known), context.event)
    folder = context.result_folder
    _leave(context, gate, base, report, run, (*problems, *lost), operations, folder)
    paths = Paths(
        json=relative(folder / "report.json", context.workspace),
        markdown=relative(folder / "report.md", context.workspace),
    )
    return ModeOutcome(report=report, exit_code=report.decision.exit_code, paths=paths)


def _against_earlier(
    context: Context, gate: Gate, base: Base, judged: Judgement, report: Report
) -> tuple[Report, tuple[str, ...]]:
    """Return the report of a pass beside what earlier runs of the commit came to, and why not."""
    earlier = earlier_red(context, gate.config.gate, base, judged.outputs)
    report = warned(report, earlier.warnings)
    return undecided(report, earlier.reasons, REMEDIES), earlier.reasons


def _problems(report: Report, origin: Origin) -> tuple[str, ...]:
    if origin.refused:
        return origin.refused
    then = report.baseline_system
    if not origin.other and then is not None and then.use != report.system.use:
        told = f"the outputs come from {report.system.use!r}, the baseline from {then.use!r}"
        return (told,)
    return origin.other


def _run_of(report: Report, operations: Operations) -> Run | None:
    if not report.run_id:
        return None
    store = LocalStore(operations.state)
    try:
        return store.load(store.folder(report.run_id))
    except RagateError:
        return None


def _leave(
    context: Context,
    gate: Gate,
    base: Base,
    report: Report,
    run: Run | None,
    problems: tuple[str, ...],
    operations: Operations,
    folder: Path,
) -> None:
    result = Result(
        gate=gate.config.gate,
        event=context.event.name,
        pull=context.target.number if context.target else None,
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
    text = context.log.redact(markdown.render(report))
    try:
        write_result(folder, result, run=source, report=report, markdown=text)
    except (RagateError, OSError) as error:
        context.log.warning(f"the result could not be kept for later commands: {error}")
