"""What a recording must not make the measure of main unseen: it is refused unless it is accepted.

A loss beside the baseline before is a proven fall, a net loss beyond what is allowed where all
repeats exactly, or a must-pass question that fails newly. A fault stands in the run alone: a broken
floor or ceiling, a metric at its worst value, too many failed samples.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np

from ragate.answers.system_session import failure_lines
from ragate.baseline.write import MACHINE_UNITS
from ragate.config import Config, Policy
from ragate.core.comparison.pass_columns import passing
from ragate.core.conditions import conditions_of
from ragate.core.decision.scorecard import staged
from ragate.core.rules.checked_metric import metric_of
from ragate.core.rules.slice_cases import LEAST
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.wording import listed, number
from ragate.errors import RagateError, UsageError
from ragate.gate.compare_and_decide import compare_and_decide
from ragate.gate.gate_setup import GateSetup
from ragate.gate.id_advice import IdAdvice
from ragate.models import (
    Acceptance,
    Decision,
    MetricInfo,
    MetricVerdict,
    Rule,
    Run,
    Sample,
    pass_name,
    rated_metric,
    slice_key,
)
from ragate.settings import nearest
from ragate.version import MANUAL

# What is accepted by these names is no metric of the policy.
FAILED = "error_rate"
REQUIRED = "must_pass"
Reasons = dict[str, str]
MOST_FAILED = 0.05  # of the outputs of a baseline
_KINDS = frozenset({"system", "provider"})


def refuse_unknown(config: Config, samples: Sequence[Sample], names: Collection[str]) -> None:
    """Raise where what is to be accepted is nothing that a recording can be refused for."""
    known = [rule.metric for rule in config.policy.rules]
    known += [each.name for each in gated_columns(config.policy, samples)]
    known = list(dict.fromkeys([*known, FAILED, REQUIRED]))
    for name in names:
        if metric_of(name) not in known:
            raise UsageError(
                f"--accept {name!r}: no such metric in the policy{nearest(name, known)}"
            )


def losses(decision: Decision) -> Reasons:
    """Return what was lost since the baseline before, by the name that it is accepted by."""
    found = {
        row.key: row.reason
        for row in decision.rows
        if row.gates and (row.verdict is MetricVerdict.REGRESSED or row.loses_beyond_limit)
    }
    missed = [f"{row.sample_id} ({row.metric})" for row in decision.must_pass if row.is_red]
    if missed:
        found[REQUIRED] = f"must-pass questions fail: {listed(missed)}"
    return found


def decided_against(
    config: Config, samples: Sequence[Sample], run: Run, old: Run | None
) -> Decision:
    """Decide on a recording as on a change, against the baseline before."""
    return compare_and_decide(GateSetup(config, samples, old), run).decision


def faults(config: Config, samples: Sequence[Sample], run: Run) -> Reasons:
    """Return what is wrong with a run by itself, by the name that it is accepted by."""
    found = dict(_worst(config, samples, run))
    found |= dict(_broken_floors(config, samples, run))
    if fails_too_often(run):
        total = len(run.records)
        failed = sum(record.output.error is not None for record in run.records)
        limit = f"{failed / total:.1%}; at most {MOST_FAILED:.0%} may"
        reasons = failure_lines(record.output for record in run.records)
        found[FAILED] = "\n    ".join([f"{failed} of {total} outputs failed ({limit}):", *reasons])
    return found


def fails_too_often(run: Run, *, kinds: Collection[str] = _KINDS) -> bool:
    """Return whether more outputs failed, in these ways, than may stand in a baseline."""
    errors = (record.output.error for record in run.records)
    failed = sum(error is not None and error.kind in kinds for error in errors)
    return not failed <= (MOST_FAILED + SLACK) * len(run.records)


def _worst(config: Config, samples: Sequence[Sample], run: Run) -> Iterator[tuple[str, str]]:
    columns = gated_columns(config.policy, samples)
    names = widest(columns, at_worst(columns, staged(run, config.policy.scorecard)))
    for name in names:
        yield name, _at_worst_words(name)


def _at_worst_words(name: str) -> str:
    return f"{name}: at its worst value, so that nothing could be seen to get worse"


def _broken_floors(
    config: Config, samples: Sequence[Sample], run: Run
) -> Iterator[tuple[str, str]]:
    """Yield what misses a floor; a baseline holds no times, which are of a machine."""
    for row in decided_against(config, samples, run, None).rows:
        unmet = row.floor is not None and not row.floor.met
        if unmet and row.gates and row.blocks and row.unit not in MACHINE_UNITS:
            assert row.floor is not None
            value = "not measured" if row.candidate is None else number(row.candidate)
            yield row.key, f"{row.key}: {value}, and its limit is {number(row.floor.limit)}"


@dataclass(frozen=True)
class Accepted:
    """What whoever records accepts, beside what the baseline before was accepted with.

    Attributes:
        given: Acceptances of this recording.
        lasting: Those of the baseline before whose fault it had, and the run has too.
        is_news: One was given for a fault that the baseline before was not accepted with.
    """

    given: tuple[Acceptance, ...]
    lasting: tuple[Acceptance, ...] = ()
    is_news: bool = False

    @property
    def written(self) -> tuple[Acceptance, ...]:
        """Return what the file names."""
        names = {acceptance.metric for acceptance in self.given}
        return (*self.given, *(each for each in self.lasting if each.metric not in names))


def refuse_faults(
    config: Config,
    samples: Sequence[Sample],
    run: Run,
    old: Run | None,
    *,
    given: Sequence[Acceptance],
    advice: IdAdvice | None,
) -> Accepted:
    """Return what is accepted of the run; raise for what is wrong with it and is not.

    What was at its worst value in the baseline before need not be accepted: it got no worse.

    Args:
        advice: On ids that do not fit, which is what a metric at its worst mostly comes from.
    """
    found = faults(config, samples, run)
    if old is None or not found:
        refuse(found, given, advice=advice)
        return Accepted(tuple(given))
    worst = at_worst(gated_columns(config.policy, samples), staged(old, config.policy.scorecard))
    known = {name for name in worst if found.get(name) == _at_worst_words(name)}
    lasting = tuple(each for each in old.manifest.accepted if each.metric in found)
    if lasting:
        before = faults(config, samples, old)
        lasting = tuple(each for each in lasting if each.metric in before)
    known |= {each.metric for each in lasting}
    new = {name: reason for name, reason in found.items() if name not in known}
    refuse(new, given, advice=advice)
    return Accepted(tuple(given), lasting, bool(new))


def refuse(
    found: Mapping[str, str], given: Sequence[Acceptance], *, advice: IdAdvice | None
) -> None:
    """Raise where something is left that nobody accepted.

    Args:
        found: Reasons by the name that it is accepted by.
    """
    taken = {acceptance.metric for acceptance in given}
    reasons = {name: reason for name, reason in found.items() if name not in taken}
    if not reasons:
        return
    message = "\n  ".join(["nothing is recorded:", *reasons.values()])
    options = " ".join(f"--accept {name}" for name in reasons)
    first = "`ragate collect` shows the outputs"
    if advice is not None:
        message, first = f"{message}\n  {advice.message}", advice.remedy
    raise RagateError(
        message,
        remedy=f"{first}; {MANUAL}/baseline.md has the ways out; if that is right, run "
        f"`ragate baseline update {options}` and commit the file; the baseline is unchanged",
    )


def accepted_by_hand(names: Collection[str], commit: str) -> tuple[Acceptance, ...]:
    """Return what whoever records accepts, as the file names it."""
    by, reason = "ragate baseline update", "--accept"
    return tuple(Acceptance(metric=name, by=by, reason=reason, commit=commit) for name in names)


# Everything that a policy gates, as columns of a run: metrics, shares that pass, and slices.


class GatedColumn(NamedTuple):
    """One metric, or the share of its samples that pass, on all samples or on a slice.

    Attributes:
        name: What a reader calls it. wider: The columns that hold all of this one's samples.
        mark: The pass mark where it is a share.
        members: Samples of the slice, None for all. least: How many make it gate.
    """

    name: str
    metric: str
    wider: frozenset[str]
    mark: float | None = None
    members: frozenset[str] | None = None
    least: int = 1

    def is_at_worst(self, info: MetricInfo, value: float) -> bool:
        """Return whether one sample's value could not be worse."""
        if self.mark is not None:
            return not passing(info, self.mark, np.asarray(value))
        return info.worst is not None and abs(value - info.worst) <= SLACK


def gated_columns(policy: Policy, samples: Sequence[Sample]) -> list[GatedColumn]:
    """Return what can fail the gate; a metric that gates by its share or a slice alone is held too.

    A column at its worst makes every narrower one so: the mean of a metric its share that passes,
    and both every slice.
    """
    marks = {rule.metric: rule.pass_at for rule in policy.rules}
    columns = [GatedColumn(name, name, frozenset()) for name in sorted(policy.gated)]
    columns += [
        GatedColumn(pass_name(rule.metric), rule.metric, frozenset({rule.metric}), rule.pass_at)
        for rule in policy.metrics
        if _holds_share(rule)
    ]
    for part in policy.slices:
        if part.level == "error":
            conditions = conditions_of(part)
            members = frozenset(sample.id for sample in samples if conditions.fit(sample))
            for name in part.metrics:
                metric = rated_metric(name) or name
                mark = marks.get(metric) if metric != name else None
                wider = frozenset({metric, name})
                key = slice_key(part.name, name)
                columns.append(GatedColumn(key, metric, wider, mark, members, LEAST))
    return columns


def _holds_share(rule: Rule) -> bool:
    return rule.gates and rule.pass_rate is not None and rule.pass_rate.level == "error"


def at_worst(columns: Sequence[GatedColumn], run: Run) -> set[str]:
    """Return the names of the columns of which no value of any run could be worse."""
    infos = run.manifest.metrics
    worst: dict[str, set[str]] = {column.name: set() for column in columns}
    for column, sample_id, value in _values(columns, run):
        if not worst:
            break
        if column.name in worst:
            if column.is_at_worst(infos[column.metric], value):
                worst[column.name].add(sample_id)
            else:
                del worst[column.name]
    least = {column.name: column.least for column in columns}
    return {name for name, sample_ids in worst.items() if len(sample_ids) >= least[name]}


def widest(columns: Sequence[GatedColumn], names: Collection[str]) -> list[str]:
    """Return these names without those that only follow from a wider one."""
    held = set(names)
    return [
        column.name
        for column in columns
        if column.name in held and not held & (column.wider - {column.name})
    ]


def _values(columns: Sequence[GatedColumn], run: Run) -> Iterator[tuple[GatedColumn, str, float]]:
    """Yield every value with its column and sample; of the whole run it has no sample."""
    known = [column for column in columns if column.metric in run.manifest.metrics]
    of_samples = ((record.sample_id, record.scores) for record in run.records)
    for sample_id, scores in chain(of_samples, (("", scores) for scores in run.aggregates)):
        for column in known:
            score = scores.get(column.metric)
            inside = column.members is None or sample_id in column.members
            if inside and score is not None and score.value is not None:
                yield column, sample_id, score.value
