"""Answers that a person can judge: the baseline's beside a run's, and what was said of them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragate.config import Config
from ragate.contrib.labels.judge_agreement import ReviewAgreement, review_agreement
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict
from ragate.core.comparison.run_passes import newest_run
from ragate.core.comparison.sample_matching import as_named_today
from ragate.core.hashing import content_hash
from ragate.errors import UsageError
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.models import Direction, Record, Run, Sample, SystemOutput
from ragate.runs.compare_stored import samples_of_run
from ragate.settings import nearest, shown
from ragate.stores.local import LocalStore

Key = tuple[str, str, str]  # sample, hash of its content, hash of the output


@dataclass(frozen=True)
class AnswerPair:
    """One sample with the baseline's answer and the run's, which differ.

    Attributes:
        swapped: The run's answer is shown first: only where the person is not to know.
    """

    gate: str
    commit: str
    sample: Sample
    before: Record
    after: Record
    blind: bool = False
    swapped: bool = False

    @property
    def shown(self) -> tuple[str, str]:
        """Both answers in the order in which they are shown."""
        texts = (answer_text(self.before.output), answer_text(self.after.output))
        return (texts[1], texts[0]) if self.swapped else texts

    def subject(self, who: str) -> tuple[str, ...]:
        """Return what a label of this person on this pair would be about."""
        return self.label(ReviewVerdict.SAME, who=who).subject

    def label(self, verdict: ReviewVerdict, *, who: str, reason: str = "") -> ReviewLabel:
        """Return a person's word on this pair."""
        return ReviewLabel(
            gate=self.gate,
            id=self.sample.id,
            commit=self.commit,
            verdict=verdict,
            reason=reason,
            who=who,
            blind=self.blind,
            sample=self.after.content_hash,
            before=self.before.output_hash,
            after=self.after.output_hash,
        )


def answer_text(output: SystemOutput) -> str:
    """Return the answer as a person reads it, or why there is none."""
    if output.error is not None:
        return f"failed ({output.error.kind}): {output.error.message}"
    return output.answer or "(empty)"


def answers_to_review(
    config: Config,
    store: LocalStore,
    folder: Path,
    *,
    ids: Sequence[str],
    blind: bool,
    seed: int | None,
) -> list[AnswerPair]:
    """Return the pairs whose answers differ, of samples that both sides know in equal words.

    Of several passes each side's first stands for it, of the run the newest run's.

    Args:
        ids: Only these samples; empty: all.
        blind: Draw for each pair which answer is shown first.
        seed: Shuffles the pairs, and gives the draw; None keeps their order.

    Raises:
        UsageError: there is no baseline or none with answers, or the run has no such sample;
            names the nearest.
    """
    run = store.load(folder)
    baseline = load_baseline_or_none(config)
    if baseline is None:
        raise UsageError(
            f"{config.baseline}: no baseline, so there is no answer to compare with",
            remedy="record one with `ragate baseline update`",
        )
    if not any(_told(record.output) for record in baseline.records):
        raise UsageError(
            f"{config.baseline}: the baseline holds no answers",
            remedy='set [policy] store = "answers" and record it anew',
        )
    samples = {sample.id: sample for sample in samples_of_run(config, run)}
    for sample_id in ids:
        if sample_id not in samples:
            raise UsageError(
                f"no sample {sample_id!r} in this run{nearest(sample_id, list(samples))}"
            )
    wanted = set(ids) or set(samples)
    drawn = random.Random(0 if seed is None else seed)  # noqa: S311
    pairs = [pair for pair in _pairs(samples, baseline, run) if pair.sample.id in wanted]
    if seed is not None:
        drawn.shuffle(pairs)
    return [_drawn(pair, drawn) for pair in pairs] if blind else pairs


def _drawn(pair: AnswerPair, drawn: random.Random) -> AnswerPair:
    return replace(pair, blind=True, swapped=drawn.random() < 0.5)


def _pairs(samples: dict[str, Sample], baseline: Run, run: Run) -> Iterator[AnswerPair]:
    old, new = _first_of_both(baseline, run)
    for sample_id, after in new.items():
        before = old.get(sample_id)
        if before is None or before.content_hash != after.content_hash:
            continue
        if content_hash(samples[sample_id]) != after.content_hash:
            continue  # edited since the run: the words on the screen are not what was answered
        if not (_told(before.output) and _told(after.output)):
            continue  # a side was recorded without answers
        if answer_text(before.output) != answer_text(after.output):
            manifest = run.manifest
            sample = samples[sample_id]
            yield AnswerPair(manifest.gate, manifest.commit, sample, before, after)


def _told(output: SystemOutput) -> bool:
    """Return False where no answer was asked for."""
    return output.answer is not None or output.error is not None


def _first_of_both(baseline: Run, run: Run) -> list[dict[str, Record]]:
    """Return by sample the record of its first pass, which stands for it, of both runs."""
    firsts: list[dict[str, Record]] = [{}, {}]
    today = as_named_today(baseline, run)
    for first, each in zip(firsts, (today, newest_run(run)), strict=True):
        for record in each.records:
            first.setdefault(record.sample_id, record)
    return firsts


# Labels of samples that somebody names by their ids, without looking at any text.


def labels_of_ids(
    config: Config,
    run: Run,
    ids: Sequence[str],
    verdict: ReviewVerdict,
    *,
    who: str,
    reason: str,
    commit: str,
) -> list[ReviewLabel]:
    """Return one person's word on each of some samples.

    Args:
        config: Names the baseline.
        commit: The one whose outputs the run holds.

    Raises:
        UsageError: there is no baseline, the run has no such sample, or its output is the
            baseline's; names it. Nothing is labelled then.
    """
    baseline = load_baseline_or_none(config)
    if baseline is None:
        raise UsageError("there is no baseline, so no answer that this one is better or worse than")
    old, new = _first_of_both(baseline, run)
    pairs = [_pair(sample_id, old, new) for sample_id in ids]
    return [
        ReviewLabel(
            gate=run.manifest.gate,
            id=after.sample_id,
            commit=commit,
            verdict=verdict,
            reason=reason,
            who=who,
            sample=after.content_hash,
            before=before.output_hash,
            after=after.output_hash,
        )
        for before, after in pairs
    ]


def _pair(sample_id: str, old: dict[str, Record], new: dict[str, Record]) -> tuple[Record, Record]:
    after = new.get(sample_id)
    if after is None:
        near = nearest(sample_id, list(new))
        raise UsageError(f"no sample {shown(sample_id)} in this run{near}")
    before = old.get(sample_id)
    if before is None or before.content_hash != after.content_hash:
        raise UsageError(f"the baseline has no answer of {shown(sample_id)} as it is asked now")
    if before.output_hash == after.output_hash:
        raise UsageError(f"the output of {shown(sample_id)} is the baseline's: nothing changed")
    return before, after


# What people said of changed answers, beside the scores that both answers got.


@dataclass(frozen=True)
class ReviewedScores:
    """How each metric agrees with people.

    Attributes:
        labels: Labels whose two outputs the baseline and the run hold: only these were compared.
        elsewhere: Labels of other outputs, other samples or another gate.
        stale: Labels that call a reference stale: they say nothing of the answers.
    """

    agreements: dict[str, ReviewAgreement]
    labels: int
    elsewhere: int
    stale: int


def reviewed_scores(baseline: Run, run: Run, labels: Sequence[ReviewLabel]) -> ReviewedScores:
    """Compare labels with stored scores; asks nobody."""
    said = [label for label in labels if label.verdict is not ReviewVerdict.STALE_REFERENCE]
    before, after = map(_by_output, (as_named_today(baseline, run), run))
    pairs: list[tuple[ReviewVerdict, Record, Record]] = []
    for label in said:
        old = before.get((label.id, label.sample, label.before))
        new = after.get((label.id, label.sample, label.after))
        if old is not None and new is not None and label.gate == run.manifest.gate:
            pairs.append((label.verdict, old, new))
    verdicts = [verdict for verdict, _, _ in pairs]
    agreements = {
        name: review_agreement(
            verdicts, [_gain(name, info.direction, old, new) for _, old, new in pairs]
        )
        for name, info in run.manifest.metrics.items()
        if not info.aggregate
    }
    return ReviewedScores(agreements, len(pairs), len(said) - len(pairs), len(labels) - len(said))


def _by_output(run: Run) -> dict[Key, Record]:
    return {(each.sample_id, each.content_hash, each.output_hash): each for each in run.records}


def _gain(metric: str, direction: Direction, before: Record, after: Record) -> float | None:
    old, new = (each.scores.get(metric) for each in (before, after))
    if old is None or new is None or old.value is None or new.value is None:
        return None
    rise = new.value - old.value
    return rise if direction is Direction.HIGHER else -rise
