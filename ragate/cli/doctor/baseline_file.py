"""The baseline: whether it can be compared with, and what it puts into git history."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, some, warning
from ragate.core.comparison.sample_matching import ENOUGH
from ragate.core.hashing import content_hash
from ragate.models import MetricInfo, Needs, Reads, Run, Sample

CHECK = "baseline"
MEGABYTE = 1_000_000
LARGE, HUGE = 5 * MEGABYTE, 50 * MEGABYTE
MANY_RUNS = 3
_AGAIN = "`ragate baseline update`, and commit the file"

_EMAIL = re.compile(
    r"[\w.+-]{1,64}@(?!example\.(?:com|org|net)\b)(?:[A-Za-z0-9-]{1,63}\.){1,8}"
    r"(?!(?:example|test|invalid)\b)[A-Za-z]{2,24}\b"
)
# Dates and IP addresses are written in the same way, and are no phone numbers.
_PHONE = re.compile(
    r"(?<![\w.+-])(?!\d{4}-\d{2}-\d{2})(?!\d{1,3}(?:\.\d{1,3}){3}(?![.\d]))"
    r"(?:\+\d[\d ()./-]{7,22}\d|\(?\d{2,5}\)?(?:[ ./-]{1,2}\(?\d{2,5}\)?){2,5})(?![\w-])"
)
_PHONE_DIGITS = range(9, 16)


def baseline_file(run: Run, *, path: str, size: int, today_system: str) -> list[Finding]:
    """Say where the baseline comes from, how large it is, and whether its noise is known."""
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    commit = f", commit {manifest.commit[:7]}" if manifest.commit else ""
    said = (
        f"{path}: {plural(samples, 'sample')}, {plural(manifest.runs, 'run')} "
        f"({manifest.identical} identical to another), recorded {manifest.created}{commit}, "
        f"{size / MEGABYTE:.1f} MB"
    )
    found = [ok(CHECK, said), *_size(size)]
    if manifest.system.use != today_system:
        found.append(
            warning(
                CHECK,
                f"recorded from the system {manifest.system.use!r}; [system] is {today_system!r}",
                f"record it from this one: {_AGAIN}",
            )
        )
    repeats = {Reads.RETRIEVAL, Reads.ANSWER} <= manifest.system.deterministic
    if manifest.runs < MANY_RUNS and not repeats:
        found.append(
            warning(
                CHECK,
                f"{plural(manifest.runs, 'run')} of a system that may answer otherwise each time: "
                "its noise is hardly known",
                f"`ragate baseline update --runs {MANY_RUNS}`, and commit the file",
            )
        )
    return found


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
    then = {record.sample_id: record.content_hash for record in run.records}
    now = {sample.id: content_hash(sample) for sample in samples}
    same = sum(now.get(sample_id) == hashed for sample_id, hashed in then.items())
    edited = len(then.keys() & now.keys()) - same
    said = (
        f"{same} of {len(then)} recorded samples are in the golden set as they were "
        f"({edited} edited, {len(then.keys() - now.keys())} removed, "
        f"{len(now.keys() - then.keys())} new)"
    )
    if not (same > 0 and same >= ENOUGH * len(then) - 1e-9):
        return [
            problem(
                CHECK,
                f"{said}; below {ENOUGH:.0%} nothing is compared",
                f"record the baseline anew: {_AGAIN}",
                exit_code=3,
            )
        ]
    if not same == len(then) == len(now):
        return [warning(CHECK, said, f"the rest is compared once it is recorded: {_AGAIN}")]
    return [ok(CHECK, said)]


def comparable(run: Run, infos: Mapping[str, MetricInfo], gated: Sequence[str]) -> list[Finding]:
    """Say which metrics the baseline holds as they are computed now.

    Args:
        infos: Today's metrics by name, those of level ``off`` left out.
        gated: Names of the metrics that can fail the gate.
    """
    then = run.manifest.metrics
    # Seconds differ between machines, so that a baseline never holds them.
    wanted = {name: info for name, info in infos.items() if info.unit != "seconds"}
    absent = [name for name in wanted if name not in then]
    other = [
        name
        for name, info in wanted.items()
        if name in then and _formula(then[name]) != _formula(info)
    ]
    found = [
        *_lost("does not hold", absent, gated),
        *_lost("holds another version of", other, gated),
    ]
    return found or [ok(CHECK, f"{plural(len(wanted), 'metric')} comparable")]


def _formula(info: MetricInfo) -> tuple[int, str]:
    return info.version, info.fingerprint


def _lost(what: str, names: Sequence[str], gated: Sequence[str]) -> Iterable[Finding]:
    blocking = [name for name in names if name in gated]
    if blocking:
        yield problem(
            CHECK,
            f"the file {what} {some(blocking)}, so that `check` ends without a decision",
            f"record the baseline anew: {_AGAIN}",
            exit_code=3,
        )
    if shown := [name for name in names if name not in gated]:
        yield warning(CHECK, f"the file {what} {some(shown)}", f"to compare them: {_AGAIN}")


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
    few = [
        name
        for name in gated
        if name in infos and name in uses
        if infos[name].needs is Needs.JUDGE or infos[name].reads not in exact
        if not infos[name].aggregate
        if 0 < len(uses[name]) < losses
    ]
    if not few:
        return []
    return [
        warning(
            CHECK,
            f"{losses} samples must break before the test of what does not repeat exactly can "
            f"fail, and fewer count for {some(few)}",
            "write more questions; until then `check` ends without a decision when answers change",
        )
    ]


def personal_data(texts: Iterable[str], *, store: str) -> list[Finding]:
    """Count the texts of the baseline that look as if they held an address or a phone number.

    Nothing of them is shown: a log is no better place for it than the history of git.
    """
    check = "personal data"
    if store == "hashes":
        return [ok(check, 'store = "hashes": the baseline keeps no texts')]
    distinct = set(texts)
    emails = sum(_EMAIL.search(text) is not None for text in distinct)
    phones = sum(any(map(_is_phone, _PHONE.finditer(text))) for text in distinct)
    if not emails and not phones:
        return [ok(check, f"none seen in {plural(len(distinct), 'stored text')} of the baseline")]
    return [
        warning(
            check,
            f"of {plural(len(distinct), 'stored text')} in the baseline {emails} look as if they "
            f"held an e-mail address and {phones} a phone number; git keeps them for good",
            'look at them; where they are personal, set [policy] store = "hashes", record the '
            "baseline anew, and remove the old file from the history",
        )
    ]


def _is_phone(found: re.Match[str]) -> bool:
    return sum(char.isdigit() for char in found[0]) in _PHONE_DIGITS
