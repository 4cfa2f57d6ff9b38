"""From the line's report to what is published and left behind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragate import __version__
from ragate.errors import RagateError
from ragate.github.accept import SYSTEM, outputs_digest
from ragate.github.attempts import REMEDIES, Outputs, earlier_red
from ragate.github.base import Base
from ragate.github.context import Context, Outcome
from ragate.github.earlier import weighed
from ragate.github.event import Event
from ragate.github.gate import Gate
from ragate.github.origin import OTHER, Origin
from ragate.github.outputs import Paths
from ragate.github.publish import linked, relative
from ragate.github.result import Result, write_result
from ragate.models import Decision, Report, Run, SystemInfo, Verdict
from ragate.pipeline.bootstrap import bootstrapped
from ragate.pipeline.resources import Operations
from ragate.renderers import markdown
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


def blank_report(gate: Gate, reasons: tuple[str, ...], remedies: tuple[str, ...]) -> Report:
    """Return the report of a change that is not measured at all: no decision."""
    config = gate.config
    decision = Decision(
        verdict=Verdict.NO_DECISION, exit_code=3, reasons=reasons, remedies=remedies
    )
    return Report(
        gate=config.gate,
        ragate_version=__version__,
        dataset=config.policy.dataset,
        baseline_path=config.policy.baseline,
        system=SystemInfo(use=config.system.use),
        decision=decision,
    )


def finished(
    context: Context, gate: Gate, base: Base, judged: Judgement, operations: Operations
) -> Outcome:
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
    return Outcome(report=report, exit_code=report.decision.exit_code, paths=paths)


def _against_earlier(
    context: Context, gate: Gate, base: Base, judged: Judgement, report: Report
) -> tuple[Report, tuple[str, ...]]:
    """Return the report of a pass beside what earlier runs of the commit came to, and why not."""
    earlier = earlier_red(context, gate.config.gate, base, judged.outputs)
    report = warned(report, earlier.warnings)
    return undecided(report, earlier.reasons, REMEDIES), earlier.reasons


def undecided(report: Report, problems: tuple[str, ...], remedies: tuple[str, ...]) -> Report:
    """Return the report with reasons against any comparison: a pass becomes no decision."""
    decision = report.decision
    if not problems or decision.reasons == problems:
        return report
    passed = decision.verdict is Verdict.PASSED
    update = {
        "verdict": Verdict.NO_DECISION if passed else decision.verdict,
        "exit_code": 3 if passed else decision.exit_code,
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
