"""What a first line may say, one event each: what did not run, what broke, what moved."""

from collections.abc import Sequence

from ragate.models import (
    CauseKind,
    Direction,
    MetricRow,
    MetricVerdict,
    Report,
    SampleRow,
    SliceRow,
    Story,
)
from ragate.renderers import _numbers as numbers
from ragate.renderers._numbers import counted
from ragate.renderers._samples import arrow, equal_scores, worse_count
from ragate.renderers._words import (
    Aside,
    Name,
    Words,
    fell,
    foreign,
    metric_words,
    nothing_to_check,
    ordered,
    said,
)

# Of the questions that got worse, the share that an event needs to head a report.
_NOTABLE = 1 / 3


def did_not_run(report: Report) -> list[Words]:
    """Return how many questions failed, and by which error."""
    failed = report.decision.failed or _failures(report)
    first_error = failed.partition(" (and ")[0]
    return [[foreign(first_error, 72)]] if failed else []


def _failures(report: Report) -> str:
    """Return how many questions failed, "" where they are few and block nothing.

    Nor is it told where no question failed that did not in the baseline.
    """
    errors = report.facts.errors
    blocks = any(row.blocks and row.metric == "error_rate" for row in report.decision.metrics)
    if not errors or not (blocks or errors >= _least(report)):
        return ""
    messages = (row.candidate.error for row in report.samples if row.candidate)
    message = next(filter(None, messages), "")
    told = f"{errors:,} of {counted(report.facts.samples, numbers.NOUN)} failed: {message}"
    return told if message else ""


def not_judged(rows: Sequence[MetricRow]) -> list[Words]:
    """Return which gated metrics have no score, and why."""
    missing = [row for row in rows if row.verdict is MetricVerdict.NOT_MEASURED]
    if not missing:
        return []
    why = next((reason for row in missing for reason in row.unscored_reasons), "")
    verb = " was not measured" if len(missing) == 1 else " were not measured"
    return [[*first_name(missing), verb, *said(": {}", foreign(why, 48))]]


def _least(report: Report) -> float:
    """Return how many questions an event needs to head a report."""
    return max(1.0, _NOTABLE * min(report.story.worse, report.story.told))


def what_broke(report: Report) -> list[Words]:
    """Return what happened to a good part of the questions that got worse, by meaning."""
    story = report.story
    lost = story.emptied if _none_came(story) else story.lost
    alike = story.alike if story.alike > max(story.refused, story.worse / 2) else 0
    worse = [row for row in report.samples if row.got_worse]
    lower = 0 if story.lost else sum(map(_stands_lower, worse))
    have_theirs = "has its document" if lower == 1 else "have their document"
    events: list[tuple[int, Words]] = [
        (story.empty, empty_words(report)),
        (story.refused, refused_words(report)),
        (lost, lost_words(report)),
        (alike, _alike(report)),
        (story.causes.get(CauseKind.DATA, 0), edited_words(report)),
        (story.other_text, other_text_words(report)),
        (lower, [f"{_questions(report, lower)} {have_theirs} further down"]),
    ]
    least = _least(report)
    return [words for count, words in events if count >= least]


def _none_came(story: Story) -> bool:
    """Whether as many questions got no document at all as lost an expected one."""
    return story.emptied >= max(1, story.lost)


def _stands_lower(row: SampleRow) -> bool:
    """Whether the first of its expected documents is further down than before."""
    if not row.ranks:
        return False
    before, after = row.ranks[0].before, row.ranks[0].after
    return bool(before and after and after > before)


def empty_words(report: Report) -> Words:
    """Return ``all 20 answers are now empty``."""
    count = report.story.empty
    return [f"{_share(report, count, 'answer')} {'is' if count == 1 else 'are'} now empty"]


def refused_words(report: Report) -> Words:
    """Return ``3 of 200 answers now say “I don't know”``."""
    refused = report.story.refused
    answers = _share(report, refused, "answer")
    return [f"{answers} now {'says' if refused == 1 else 'say'} “I don't know”"]


def _alike(report: Report) -> Words:
    """Return ``20 of 20 answers are now the same: “Please wait”``."""
    story = report.story
    sides = (row.candidate for row in report.samples if row.sample_id == story.alike_as)
    answer = next((side.answer for side in sides if side is not None), None)
    text = said(": “{}”", foreign(answer or "", 32))
    return [f"{_share(report, story.alike, 'answer')} are now the same", *text]


def lost_words(report: Report) -> Words:
    """Return ``5 questions lost their document``, or that none came at all.

    That the corpus did it is said where it did so for all of them.
    """
    story = report.story
    if _none_came(story):
        return [f"{_share(report, story.emptied, numbers.NOUN)} got no document"]
    causes = [row.cause for row in report.samples if row.got_worse and row.cause]
    kinds = {cause.kind for cause in causes if cause.lost}
    why = " as the corpus changed" if kinds == {CauseKind.DATA} else ""
    whose = "its document" if story.lost == 1 else "their document"
    return [f"{_questions(report, story.lost)} lost {whose}{why}"]


def came_words(report: Report) -> Words:
    """Return ``more documents came (5 → 10)``, [] where no other number came."""
    if report.story.came is None:
        return []
    before, now = report.story.came
    return [f"{'more' if now > before else 'fewer'} documents came ({arrow(before, now)})"]


def other_text_words(report: Report) -> Words:
    questions = _questions(report, report.story.other_text)
    return [f"{questions} got documents with other text than before"]


def edited_words(report: Report) -> Words:
    """Return how many changed since their documents are other ones, or have other ids."""
    questions = _questions(report, report.story.causes.get(CauseKind.DATA, 0))
    return [f"{questions} changed because a document was edited, renamed or removed"]


def _share(report: Report, count: int, noun: str) -> str:
    samples = report.facts.samples
    if count == samples:
        return f"all {counted(count, noun)}"
    return f"{_at_least(report)}{count:,} of {counted(samples, noun)}"


def _questions(report: Report, count: int) -> str:
    return f"{_at_least(report)}{counted(count, numbers.NOUN)}"


def _at_least(report: Report) -> str:
    return "at least " if report.story.told < report.story.worse else ""


def must_pass_fails(ids: Sequence[str]) -> Words:
    if len(ids) == 1:
        return ["must-pass ", Name(ids[0]), " fails"]
    return [f"{len(ids):,} must-pass {numbers.NOUN}s fail"]


def within_noise(report: Report) -> Words:
    counts = better_and_worse(report)
    if counts:
        return [f"{counts}, within noise"]
    other = equal_scores(report.samples)
    outputs = f"outputs of {counted(other, numbers.NOUN)} changed, " if other else ""
    return [f"{outputs}no score moved"]


def better_and_worse(report: Report) -> str:
    """Return ``11 questions better, 2 worse``, "" where none moved."""
    better = sum(row.change == "better" for row in report.samples)
    worse = worse_count(report)
    if not better:
        return f"{counted(worse, numbers.NOUN)} worse" if worse else ""
    words = f"{counted(better, numbers.NOUN)} better"
    return f"{words}, {worse:,} worse" if worse else words


def metrics_then_slices(report: Report) -> list[MetricRow]:
    return [*ordered(report.decision.metrics), *ordered(report.decision.slices)]


def first_reason(reasons: Sequence[str]) -> Words:
    """Return the first reason, cut to what a line holds: all stand below in full."""
    return [foreign(reasons[0], 56) if reasons else "nothing could be decided"]


def first_name(rows: Sequence[MetricRow]) -> Words:
    return [Name(rows[0].key), *more(rows)]


def moves(rows: Sequence[MetricRow]) -> Words:
    """Name the first change, with the samples behind it as an aside, and count the others.

    That answers hold less to check heads nothing beside a metric that moved.
    """
    of_metrics = [row for row in rows if fell(row) or not row.unchecked] or rows
    return [*first_move(of_metrics[0]), *more(of_metrics)]


def more(rows: Sequence[MetricRow]) -> Words:
    return [f" and {len(rows) - 1} more"] if len(rows) > 1 else []


def first_move(row: MetricRow) -> Words:
    """Return ``mrr −6.5 points (fell on 17 questions, rose on 4)``: that metric's own counts."""
    if row.unchecked and not fell(row):
        return [*metric_words(row), ": ", nothing_to_check(row)]
    moved, metric = numbers.points(row.unit, row.change), metric_words(row)
    words: Words = [*metric, f" {moved}"]
    if isinstance(row, SliceRow):
        words = said(f"{{}} {moved} in {{}}", Name(row.slice), metric)

    worse, better = ("fell", "rose") if row.direction is Direction.HIGHER else ("rose", "fell")
    counts = [(row.worse, worse), (row.better, better)]
    if row.verdict is MetricVerdict.IMPROVED:
        counts.reverse()
    clauses: list[str] = []
    for count, verb in counts:
        if count:
            questions = f"{count:,}" if clauses else counted(count, numbers.NOUN)
            clauses.append(f"{verb} on {questions}")
    return [*words, Aside(f" ({', '.join(clauses)})")] if clauses else words


def floor(row: MetricRow) -> Words:
    """Return ``faithfulness 84.5 %, the policy demands 85.0 %``."""
    metric = metric_words(row) if row.key == row.metric else [Name(row.key)]
    now = numbers.value(row.unit, row.candidate)
    verb = "demands" if row.direction is Direction.HIGHER else "allows"
    limit = numbers.value(row.unit, row.floor.limit if row.floor else None)
    return [*metric, f" {now}, the policy {verb} {limit}"]


def is_rise(row: MetricRow) -> bool:
    """Whether a row is of what an answer takes: held against a limit that noise may exceed."""
    is_held_to_limit = row.aggregate or (row.limit is not None and not row.exact)
    return is_held_to_limit and row.direction is Direction.LOWER
