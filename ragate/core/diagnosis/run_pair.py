"""Baseline and candidate of a whole run, and what holds for all samples.

What the texts of a whole run tell of a system that does not say what changed in it is among that.
Recorded outputs name no corpus and no settings. But where a few pages came back with other texts
and all else came back as it was, pages were edited; and where most pages did, in another number of
passages each, all of them are cut otherwise.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from ragate.core.diagnosis.context_texts import texts_of
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.core.diagnosis.system_changes import (
    NOT_COMPARED,
    Stage,
    SystemChanges,
    SystemDifference,
    system_changes,
)
from ragate.core.lookup import SampleTries, passes_of
from ragate.models import MetricInfo, Needs, Record, Rule, Run, Sample

RecordsBySample = Mapping[str, Sequence[Record]]
_QUESTIONS = 1000  # more tell little, and take time
_LEAST_PAGES = 20
_LEAST_UNTOUCHED = 5
_MOST = 0.5  # share of the pages with other texts, from which on it is no edit of some
# Share of them that come in another number of passages: measured .14 to .31 where all are cut
# otherwise, and 0 where a fifth or all of them are edited.
_RECOUNTED = 0.05
# Share of what questions without such a page retrieve that is the same: measured .93 beside edits,
# .5 where passages are searched for in another way.
_KEPT = 0.85
_SAME_ANSWERS = 0.9

_Passages = frozenset[tuple[str, str]]


class _Question(NamedTuple):
    """One question's passages on both sides, and whether its answer is the same."""

    before: _Passages
    after: _Passages
    same_answer: bool


class SeenChange(NamedTuple):
    """What differs by the looks of it, and whether all else is seen to be the same."""

    difference: SystemDifference
    alone: bool


def page_changes(before: RecordsBySample, after: RecordsBySample) -> SeenChange | None:
    """Return what the pages' texts show to have changed: documents, or what chooses the contexts.

    None where it may be either, or nothing, or where the texts are not known.
    """
    questions = list(islice(_questions(before, after), _QUESTIONS))
    old = _texts_by_page(each.before for each in questions)
    new = _texts_by_page(each.after for each in questions)
    common = old.keys() & new.keys()
    rewritten = {page for page in common if old[page].isdisjoint(new[page])}
    if len(common) < _LEAST_PAGES:
        return None
    share, recounted = len(rewritten) / len(common), _recounted(questions, rewritten)
    some = f"{len(rewritten):,} of {len(common):,} pages"
    if share >= _MOST:
        words = f"{some} are cut otherwise (chunking)"
        seen = SeenChange(SystemDifference(Stage.CONTEXTS, words), alone=True)
        return seen if recounted >= _RECOUNTED else None
    rest = [each for each in questions if not {p for p, _ in each.before | each.after} & rewritten]
    if len(rest) < _LEAST_UNTOUCHED:
        return None
    kept = sum(len(each.before & each.after) for each in rest)
    if kept < _KEPT * sum(len(each.before | each.after) for each in rest):
        return SeenChange(SystemDifference(Stage.CONTEXTS, "many other passages"), alone=False)
    same = [each.same_answer for each in rest if each.before == each.after]
    if rewritten and recounted <= _RECOUNTED and sum(same) >= _SAME_ANSWERS * len(same) > 0:
        words = f"{some} have other text, all else is the same"
        return SeenChange(SystemDifference(Stage.CORPUS, words), alone=True)
    return None


def _questions(before: RecordsBySample, after: RecordsBySample) -> Iterator[_Question]:
    for sample_id, records in after.items():
        old, new = before.get(sample_id, ())[:1], records[:1]
        if not old:
            continue
        passages = texts_of(old[0]), texts_of(new[0])
        if passages[0] and passages[1]:
            same = old[0].output.answer == new[0].output.answer
            yield _Question(frozenset(passages[0]), frozenset(passages[1]), same)


def _texts_by_page(sides: Iterator[_Passages]) -> dict[str, set[str]]:
    texts: defaultdict[str, set[str]] = defaultdict(set)
    for passages in sides:
        for page, text in passages:
            texts[page].add(text)
    return texts


def _recounted(questions: Sequence[_Question], pages: set[str]) -> float:
    """Return how often one of the pages came back in another number of passages."""
    same = other = 0
    for each in questions:
        before, after = (Counter(page for page, _ in side) for side in (each.before, each.after))
        for page in before.keys() & after.keys() & pages:
            same += before[page] == after[page]
            other += before[page] != after[page]
    return other / max(1, same + other)


@dataclass(frozen=True)
class RunPair:
    """The records of both sides, and everything that is asked for each sample.

    Attributes:
        rules: By metric, without those that are off.
        missing: Each sample's expected documents that are not in the corpus.
        incomparable, changes: See `SampleDiff`.
    """

    baseline: RecordsBySample
    candidate: RecordsBySample
    metrics: Mapping[str, MetricInfo]
    rules: Mapping[str, Rule]
    missing: Mapping[str, tuple[str, ...]]
    incomparable: frozenset[str] = frozenset()
    changes: SystemChanges = NOT_COMPARED

    def diff(self, sample: Sample) -> SampleDiff:
        """Return one sample's two sides; an edited or added sample has no records before."""
        before, after = self.baseline.get(sample.id, ()), self.candidate[sample.id]
        same_sample = bool(before) and before[0].content_hash == after[0].content_hash
        changes = self.changes
        if same_sample and not (changes.comparable or changes.differences):
            old = {record.retrieval_hash for record in before}
            if not {record.retrieval_hash for record in after} <= old:
                changes = self.seen
        return SampleDiff(
            sample=sample,
            before=before if same_sample else (),
            after=after,
            metrics=self.metrics,
            missing=tuple(self.missing.get(sample.id, ())),
            incomparable=self.incomparable,
            changes=changes,
            edited=bool(before),
        )

    @cached_property
    def seen(self) -> SystemChanges:
        """What the texts of all pages tell of systems that do not say what changed in them."""
        seen = page_changes(self.baseline, self.candidate)
        if seen is None:
            return self.changes
        return replace(self.changes, differences=(seen.difference,), comparable=seen.alone)


def pair_runs(
    baseline: Run | None,
    candidate: Run,
    *,
    rules: Sequence[Rule],
    missing: Mapping[str, tuple[str, ...]],
    by_sample: tuple[RecordsBySample, RecordsBySample] | None = None,
) -> RunPair:
    """Return what holds for the whole run.

    Args:
        by_sample: The records of baseline and candidate, where the caller has looked them up.
    """
    before, after = by_sample or (_by_sample(baseline), _by_sample(candidate))
    runs = RunPair(
        baseline=before,
        candidate=after,
        metrics={**(baseline.manifest.metrics if baseline else {}), **candidate.manifest.metrics},
        rules={rule.metric: rule for rule in rules if rule.level != "off"},
        missing=missing,
    )
    if baseline is None:
        return runs
    return replace(
        runs,
        incomparable=_incomparable(baseline, candidate),
        changes=system_changes(baseline.manifest, candidate.manifest),
    )


def _by_sample(run: Run | None) -> RecordsBySample:
    return SampleTries(passes_of(run.records if run else ()))


def _incomparable(baseline: Run, candidate: Run) -> frozenset[str]:
    judges_differ = baseline.manifest.judge != candidate.manifest.judge
    old_metrics = baseline.manifest.metrics
    return frozenset(
        name
        for name, new in candidate.manifest.metrics.items()
        if (old := old_metrics.get(name)) is not None
        and (
            (old.version, old.fingerprint) != (new.version, new.fingerprint)
            or (judges_differ and new.needs is Needs.JUDGE)
        )
    )
