"""What this process may show of a report, and what is shown beside it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.cli.operations import in_ci
from ragate.errors import RagateError
from ragate.guards.escape import one_line, plain
from ragate.models import Report, Sample

if TYPE_CHECKING:
    from ragate.answers.output_spool import Outputs
    from ragate.config import Config
    from ragate.run.plan import RunResult


_MOST_UNLABELLED = 40


def detailed(
    report: Report,
    config: Config,
    state: Path,
    destinations: Sequence[tuple[str, Path | None]],
    *,
    folder: Path | None = None,
    outputs: Sequence[Path] = (),
    result: RunResult | None = None,
) -> Report:
    """Return the report with what a page or JSON shows beside it, where one is wanted.

    Args:
        state: The state folder, which holds the run.
        folder: The run's own, where it is not the one of its id.
        outputs: Files that it was judged from, where its folder holds none.
        result: Of the run, where it was made just now: nothing is read again.
    """
    names = {name for name, _ in destinations}
    if names.isdisjoint({"html", "json"}):
        return report
    from ragate.runs.run_details import AnsweredQuestions, ReadRun, read_run, with_details
    from ragate.stores.local import LocalStore

    store = LocalStore(state)
    folder = folder or store.folder(report.run_id)
    read: ReadRun | None = None
    if result is not None:
        read = ReadRun(result.run, result.setup.samples, result.setup.baseline)
    else:
        with suppress(RagateError):  # a page says why, JSON is without its questions
            read = read_run(config, store, folder)
    if "json" in names and read is not None:
        passes = _passes_of(result, folder, read.samples)
        report = report.amended(questions=AnsweredQuestions(config, read, report, passes))
    if "html" not in names:
        return report
    return with_details(report, config, store, folder, outputs=outputs, read=read)


def _passes_of(
    result: RunResult | None, folder: Path, samples: Sequence[Sample]
) -> Sequence[Outputs]:
    """Return the outputs with their texts, where this process or the run's folder has them."""
    if result is not None:
        return result.session.collected.passes
    from ragate.answers.collected_outputs import read_collected
    from ragate.stores import OUTPUTS

    path = folder / OUTPUTS
    return read_collected([path], samples).passes if path.is_file() else ()


def retrieved_unlabelled(result: RunResult) -> list[str]:
    """Return what came back for questions of which nobody has said yet what is expected."""
    from ragate.core.diagnosis.sample_diff import docs_of

    unlabelled = {each.id for each in result.setup.samples if not each.expected}
    first = [each for each in result.run.records if each.sample_id in unlabelled and not each.run]
    lines = [
        f"{each.sample_id}: retrieved {', '.join(docs_of(each)) or 'nothing'}; nothing is expected"
        for each in first[:_MOST_UNLABELLED]
    ]
    more = len(first) - len(lines)
    return [*lines, f"and {more} more: --format json lists all"] if more > 0 else lines


def shown_here(report: Report) -> Report:
    """Return the report as it may be shown: others read what a job of CI prints and writes."""
    if not in_ci():
        return report
    from ragate.core.publishable import publishable

    return publishable(report)


def summary(report: Report) -> str:
    """Return the verdict in one line, for when the reports go to files."""
    reasons = "; ".join(report.decision.reasons[:3])
    told = filter(None, (report.gate, report.decision.verdict.words, reasons))
    return plain(one_line(": ".join(told)))
