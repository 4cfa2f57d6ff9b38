"""The baseline: whether `check` can compare with it, by the code that `check` asks."""

from collections.abc import Iterable, Mapping, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.comparison.compare import problem_of
from ragate.core.comparison.sample_matching import ENOUGH, match
from ragate.core.text.listed_names import listed
from ragate.models import MetricInfo, Run, RunManifest, Sample
from ragate.process import NO_DECISION

CHECK = "baseline"
_AGAIN = "record the baseline anew: `ragate baseline update`, and commit the file"


def origin(run: Run, *, path: str) -> Finding:
    """Say where the baseline comes from."""
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    commit = f", commit {manifest.commit[:7]}" if manifest.commit else ""
    return ok(
        CHECK,
        f"{path}: {plural(samples, 'sample')}, {plural(manifest.runs, 'run')} "
        f"({manifest.identical} identical to another), recorded {manifest.created}{commit}",
    )


def committed(path: str, *, tracked: bool | None, ignored: bool | None) -> Iterable[Finding]:
    """Say whether other machines get the baseline; None where there is no repository."""
    if tracked is not False:
        return
    if ignored:
        yield problem(
            CHECK,
            f"git ignores {path}, so no other machine ever sees it",
            "take the pattern out of .gitignore, and commit the file",
        )
    else:
        yield warning(
            CHECK,
            f"{path} is not committed: on any other machine there is no baseline",
            f"git add {path}, and commit it",
        )


def matched(run: Run, samples: Sequence[Sample]) -> Finding:
    """Say whether enough samples of the golden set are the ones that the baseline knows."""
    matching = match(run, _today(run, {}), samples, partial=False)
    data = matching.data
    counts = (
        f"{data.matched} of {data.selected} recorded samples are in the golden set as they were "
        f"({len(data.edited)} edited, {len(data.gone)} removed, "
        f"{len(data.new)} new)"
    )
    if matching.enough:
        return ok(CHECK, counts)
    return problem(
        CHECK, f"{counts}; below {ENOUGH:.0%} nothing is compared", _AGAIN, exit_code=NO_DECISION
    )


def comparable(
    run: Run, infos: Mapping[str, MetricInfo], gated: Sequence[str]
) -> Iterable[Finding]:
    """Say which metrics that can fail the gate the baseline does not hold as they are now.

    Args:
        infos: Today's metrics by name, those of level ``off`` left out.
        gated: Names of the metrics that can fail the gate.
    """
    today = _today(run, infos)
    # Seconds differ between machines, so that a baseline never holds them.
    names = [name for name in gated if name in infos and infos[name].unit != "seconds"]
    problems = [told for name in names if (told := problem_of(name, run, today)[0])]
    if problems:
        lost = f"{listed(problems)}: `check` ends without a decision"
        yield problem(CHECK, lost, _AGAIN, exit_code=NO_DECISION)
    else:
        yield ok(CHECK, f"{plural(len(names), 'metric')} comparable")


def _today(run: Run, infos: Mapping[str, MetricInfo]) -> Run:
    """Return a run without outputs that measures what is configured today."""
    before = run.manifest
    return Run(manifest=RunManifest(system=before.system, judge=before.judge, metrics=dict(infos)))
