"""What a recording lets the gate see, and how often it would be red by luck: said when it is made.

What repeated is written into the policy. The figures are those of the baseline alone: what a change
rewords, nobody knows before it is there.
"""

import datetime
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ragate.config import Config
from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.sample_matching import cluster_numbers
from ragate.core.decision.false_alarms import about, other_alarms, run_residuals
from ragate.core.decision.repeating_notes import (
    SIGNS_ALONE,
    not_repeating,
    repeating_parts,
    repeats_hint,
    repeats_line,
)
from ragate.core.rules.floors import floors_of
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.must_pass import decide_must_pass
from ragate.core.rules.slice_cases import read_slice_cases
from ragate.core.rules.visible_drop import sight_sentence
from ragate.core.statistics.design_effect import level_with, shared_noise
from ragate.core.statistics.score_columns import Ints
from ragate.core.text.wording import count, listed
from ragate.errors import ConfigError
from ragate.models import Run, Sample
from ragate.pipeline.power_tables import MetricPower, compared_with_itself, plans
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import decode, read_bytes

FEWEST_CLUSTERS = 2
MOST_NAMED = 5
_HEAD = re.compile(r"^[ \t]*\[[ \t]*policy[ \t]*\][^\r\n]*", re.MULTILINE)
_OLD = re.compile(r"^[ \t]*repeats[ \t]*=[ \t]*\[[^\[\]]*\]", re.MULTILINE)


def recording_lines(
    config: Config, samples: Sequence[Sample], run: Run, *, today: datetime.date
) -> list[str]:
    """Return one sentence each on what shows, on false alarms, on clusters and on other days."""
    policy = config.policy
    comparison, cases = compared_with_itself(config, samples, run, today=today)
    noisy = [
        case
        for case in cases
        if case.gates and case.column and not (case.column.exact or case.info.is_expense)
    ]
    must_pass = decide_must_pass(cases, comparison, policy, policy.waivers, today)
    parts = read_slice_cases(policy.slices, cases, comparison, policy)
    floors = floors_of([*cases, *(each.case for each in parts)], comparison, policy)
    passes = (1, policy.confirm)
    others = other_alarms(must_pass, floors, comparison, policy, passes=passes)
    tests = f"at most 1 harmless change in {round(1 / policy.alpha):,} by metrics" if noisy else ""
    alarms = "; ".join(filter(None, [tests, others]))
    lines = [*_sight(plans(config, comparison, cases)), *repeats_hint(cases, comparison)]
    if alarms:
        lines.append(f"red by luck: {alarms}")
    if must_pass.unsteady:
        unsteady = [f"{key} ({ok} of {runs})" for key, (ok, runs) in must_pass.unsteady.items()]
        named = listed(unsteady, most=MOST_NAMED)
        lines.append(f"must pass, but did not in every run: {named}")
    if noisy:
        lines += [] if policy.cluster else _clusters(noisy, comparison, policy.alpha)
        measured = f"not measurable with {count(max(comparison.baseline.repeats, 1), 'run')}"
        lines.append(f"a shift from day to day: {measured} of one recording (a control shows it)")
    return lines


def _sight(metrics: Sequence[MetricPower]) -> list[str]:
    """Say which drops show under the claim of a changed system, and which metrics repeat."""
    noisy = [plan for plan in metrics if not plan.exact]
    drops = {plan.metric: (plan.sights[0].drop, plan.sights[0].reworded) for plan in noisy}
    exact = [plan.metric for plan in metrics if plan.exact and not plan.doubt]
    sentences = [sight_sentence(drops, measured=all(p.noise.measured for p in noisy), exact=exact)]
    for doubt in dict.fromkeys(plan.doubt for plan in metrics if plan.doubt):
        names = listed([plan.metric for plan in metrics if plan.doubt == doubt])
        sentences.append(f"that {names} repeats is provisional: {doubt}; {SIGNS_ALONE}")
    return [sentence for sentence in sentences if sentence]


def _clusters(cases: Sequence[MetricCase], comparison: Comparison, alpha: float) -> list[str]:
    """Name the fields and tags whose questions share their noise, and what the gate's level is."""
    residuals = run_residuals(cases)
    shared = {} if residuals is None else shared_noise(residuals, _candidate_keys(comparison))
    if not shared:
        return []
    key = max(shared, key=shared.__getitem__)
    level = about(level_with(shared[key], alpha))
    advice = f'write `cluster = "{key}"` below [policy]'
    return [f"questions of one {key} share their noise, so that {level} is red by them: {advice}"]


def _candidate_keys(comparison: Comparison) -> Mapping[str, Ints]:
    """Return the clusters of every field and tag prefix that puts some questions together."""
    names: set[str] = set()
    for sample in comparison.samples.values():
        names.update(sample.metadata, (t.partition(":")[0] for t in sample.tags if ":" in t))
    keys = {}
    for name in sorted(names):
        clusters = cluster_numbers(comparison.samples, comparison.ids, name)
        if clusters is not None and FEWEST_CLUSTERS <= len(np.unique(clusters)) < len(clusters):
            keys[name] = clusters
    return keys


def declare_repeats(
    config: Config, samples: Sequence[Sample], run: Run, *, today: datetime.date
) -> str:
    """Write ``[policy] repeats`` where evidence bears it out; return what was done, and why not.

    Raises:
        ConfigError: the file has no place for the line; it is as it was.
    """
    comparison, cases = compared_with_itself(config, samples, run, today=today)
    parts = repeating_parts(cases, comparison)
    if not parts or comparison.repetition.unseen:
        return f"{config.path.name}: not changed: {not_repeating(comparison)}"
    line = repeats_line(parts)
    content = read_bytes(config.path, error=ConfigError)
    text = decode(content, where=str(config.path), error=ConfigError)
    new = with_repeats(text, parts)
    if new is None:
        raise ConfigError(
            f"{config.path}: no place for `{line}`", remedy=f"write `{line}` below [policy]"
        )
    mark = content.removesuffix(text.encode())  # a byte order mark stays
    write_atomic(config.path, mark + new.encode())
    return f"{config.path.name}: `{line}` is written; commit it"


def with_repeats(text: str, parts: Sequence[str]) -> str | None:
    """Return the text with the line instead of an older one, or at the head of its table.

    Nothing else is another. None where there is no such place: ``[policy]`` is no table of its own,
    or an older declaration is written in a way that one line cannot replace.
    """
    wanted = _tables(text)
    if wanted is None or not isinstance(policy := wanted.get("policy"), dict):
        return None
    policy["repeats"] = list(parts)
    written = _written(text, repeats_line(parts))
    return next((each for each in written if _tables(each) == wanted), None)


def _written(text: str, line: str) -> Iterator[str]:
    """Yield the text with the line at every place that looks like one for it, older ones first."""
    for old in _OLD.finditer(text):
        yield text[: old.start()] + line + text[old.end() :]
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    for head in _HEAD.finditer(text):
        yield text[: head.end()] + end_of_line + line + text[head.end() :]


def _tables(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
