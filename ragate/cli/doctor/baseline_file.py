"""The baseline: whether it can be compared with, and what it puts into git history."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ragate import plugins
from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.config import Config
from ragate.core.comparison.sample_matching import ENOUGH
from ragate.core.hashing import content_hash
from ragate.core.text.listed_names import listed
from ragate.models import MetricInfo, Needs, Reads, Run, Sample

CHECK = "baseline"
MEGABYTE = 1_000_000
LARGE, HUGE = 5 * MEGABYTE, 50 * MEGABYTE
MANY_RUNS = 3
_AGAIN = "`ragate baseline update`, and commit the file"


def baseline_file(run: Run, *, path: str, size: int, today_system: str) -> list[Finding]:
    """Say where the baseline comes from, how large it is, and whether its noise is known."""
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    commit = f", commit {manifest.commit[:7]}" if manifest.commit else ""
    origin = (
        f"{path}: {plural(samples, 'sample')}, {plural(manifest.runs, 'run')} "
        f"({manifest.identical} identical to another), recorded {manifest.created}{commit}, "
        f"{size / MEGABYTE:.1f} MB"
    )
    findings = [ok(CHECK, origin), *_size(size)]
    if manifest.system.use != today_system:
        findings.append(
            warning(
                CHECK,
                f"recorded from the system {manifest.system.use!r}; [system] is {today_system!r}",
                f"record it from this one: {_AGAIN}",
            )
        )
    repeats = {Reads.RETRIEVAL, Reads.ANSWER} <= manifest.system.deterministic
    if manifest.runs < MANY_RUNS and not repeats:
        findings.append(
            warning(
                CHECK,
                f"{plural(manifest.runs, 'run')} of a system that may answer otherwise each time: "
                "its noise is hardly known",
                f"`ragate baseline update --runs {MANY_RUNS}`, and commit the file",
            )
        )
    return findings


def _size(size: int) -> Iterable[Finding]:
    if size > LARGE:
        limit = HUGE if size > HUGE else LARGE
        yield warning(
            CHECK,
            f"the file is larger than {limit // MEGABYTE} MB, and git keeps every version of it",
            'set [policy] store = "hashes", which leaves the answers out, or use fewer runs'
            + ("; many hosts refuse files above 100 MB" if size > HUGE else ""),
        )


def matched(run: Run, samples: Sequence[Sample]) -> list[Finding]:
    """Say how many samples of the golden set are the ones that the baseline knows."""
    recorded = {record.sample_id: record.content_hash for record in run.records}
    current = {sample.id: content_hash(sample) for sample in samples}
    same = sum(current.get(sample_id) == hashed for sample_id, hashed in recorded.items())
    edited = len(recorded.keys() & current.keys()) - same
    counts = (
        f"{same} of {len(recorded)} recorded samples are in the golden set as they were "
        f"({edited} edited, {len(recorded.keys() - current.keys())} removed, "
        f"{len(current.keys() - recorded.keys())} new)"
    )
    if not (same > 0 and same >= ENOUGH * len(recorded) - 1e-9):
        return [
            problem(
                CHECK,
                f"{counts}; below {ENOUGH:.0%} nothing is compared",
                f"record the baseline anew: {_AGAIN}",
                exit_code=3,
            )
        ]
    if not same == len(recorded) == len(current):
        return [warning(CHECK, counts, f"the rest is compared once it is recorded: {_AGAIN}")]
    return [ok(CHECK, counts)]


def comparable(run: Run, infos: Mapping[str, MetricInfo], gated: Sequence[str]) -> list[Finding]:
    """Say which metrics the baseline holds as they are computed now.

    Args:
        infos: Today's metrics by name, those of level ``off`` left out.
        gated: Names of the metrics that can fail the gate.
    """
    recorded = run.manifest.metrics
    # Seconds differ between machines, so that a baseline never holds them.
    comparables = {name: info for name, info in infos.items() if info.unit != "seconds"}
    absent = [name for name in comparables if name not in recorded]
    outdated = [
        name
        for name, info in comparables.items()
        if name in recorded and _formula(recorded[name]) != _formula(info)
    ]
    findings = [
        *_lost("does not hold", absent, gated),
        *_lost("holds another version of", outdated, gated),
    ]
    return findings or [ok(CHECK, f"{plural(len(comparables), 'metric')} comparable")]


def _formula(info: MetricInfo) -> tuple[int, str]:
    return info.version, info.fingerprint


def _lost(how: str, names: Sequence[str], gated: Sequence[str]) -> Iterable[Finding]:
    blocking = [name for name in names if name in gated]
    if blocking:
        yield problem(
            CHECK,
            f"the file {how} {listed(blocking)}, so that `check` ends without a decision",
            f"record the baseline anew: {_AGAIN}",
            exit_code=3,
        )
    if shown := [name for name in names if name not in gated]:
        yield warning(CHECK, f"the file {how} {listed(shown)}", f"to compare them: {_AGAIN}")


def enough(
    run: Run,
    infos: Mapping[str, MetricInfo],
    uses: Mapping[str, Sequence[Sample]],
    gated: Sequence[str],
    *,
    losses: int,
    repeats: Collection[Reads] = (),
) -> list[Finding]:
    """Say which gated metrics of what does not repeat exactly have too few samples to fail.

    Args:
        uses: The samples that a metric applies to, by name.
        losses: Fewest samples that must break before the test can reach its level.
        repeats: What the policy declares to repeat.
    """
    exact = run.manifest.system.deterministic.union(repeats)
    if {Reads.RETRIEVAL, Reads.ANSWER} <= run.manifest.system.deterministic:
        return []
    too_few = [
        name
        for name in gated
        if name in infos and name in uses
        if infos[name].needs is Needs.JUDGE or infos[name].reads not in exact
        if not infos[name].aggregate
        if 0 < len(uses[name]) < losses
    ]
    if not too_few:
        return []
    return [
        warning(
            CHECK,
            f"{losses} samples must break before the test of what does not repeat exactly can "
            f"fail, and fewer count for {listed(too_few)}",
            "write more questions; until then `check` ends without a decision when answers change",
        )
    ]


def fewest_losses(config: Config, run: Run) -> int:
    """Return how many samples must break before the gate can fail a change of the system."""
    from ragate.core.rules.metric_family import GENERALISE
    from ragate.core.statistics.fewest_losses import losses_to_fail
    from ragate.core.statistics.looks import Stages
    from ragate.pipeline.power_tables import claims

    policy = config.policy
    distinct_runs = max(1, run.manifest.runs - run.manifest.identical)
    # Of recorded outputs it is not asked here how many runs they hold: one look, if in doubt.
    further = 0 if plugins.traits(config.system.use).recorded else policy.confirm
    return losses_to_fail(
        Stages(policy.alpha, further),
        1,
        metrics=1,
        baseline_runs=distinct_runs,
        candidate_runs=1,
        flips=claims(config)[0] == GENERALISE,
    )
