"""All of one sample beside its baseline: what `ragate report RUN --explain ID` prints."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragate.core.text.word_diff import word_diff
from ragate.guards.escape import one_line, plain
from ragate.models import Record, RetrievedChunk, Sample, SampleRow, Score, ScoreState
from ragate.renderers import _numbers as numbers
from ragate.renderers._lines import INDENT, indented, wrapped
from ragate.renderers._numbers import NOTHING

Records = Sequence[Record]
Chunks = Sequence[RetrievedChunk]
_BAR = f"{INDENT}| "


@dataclass(frozen=True)
class JudgeQuestion:
    """One question to a judge.

    Attributes:
        of: The criteria that it is about.
        messages: Role and text of each.
        reply: What was answered; None where only the scores of it were kept.
        note: Why there is no question to show, "" where there is one.
    """

    of: str
    messages: tuple[tuple[str, str], ...] = ()
    reply: str | None = None
    note: str = ""


def explain(
    sample: Sample,
    baseline: Records,
    candidate: Records,
    *,
    row: SampleRow | None = None,
    ci: bool = True,
    slices: Sequence[str] = (),
    marks: Mapping[str, str] = {},
    questions: Sequence[JudgeQuestion] = (),
) -> str:
    """Return everything that is known of `sample` as text 80 columns wide.

    Args:
        baseline: The sample's records, one a run; empty where the baseline does not hold it.
        candidate: The same of the run that is explained; empty where it was not run.
        row: The sample's row of the report, for the cause; None where nothing changed.
        ci: The text goes to a workflow's log; see `ragate.guards.escape.plain`.
        slices: Those of the policy that it is in. marks: By metric, whether it passes, in words.
        questions: What the judge was asked about the newest answer.
    """
    before = baseline[0].output.chunks if baseline else ()
    after = candidate[0].output.chunks if candidate else ()
    blocks = [
        _head(sample, row, slices),
        _rankings(sample, before, after),
        _texts(before, after),
        _answers(baseline, candidate),
        _scores(baseline, candidate, marks),
        *(_judged(each, number, len(questions)) for number, each in enumerate(questions, start=1)),
        _cause(row),
    ]
    return "\n\n".join("\n".join(_clean(block, ci)) for block in blocks if block) + "\n"


def _clean(lines: Iterable[str], ci: bool) -> list[str]:
    """Pass everything through the filter once; lines are wrapped before, so none starts anew."""
    return [plain(line, ci=ci).replace("\n", " ").rstrip() for line in lines]


def _head(sample: Sample, row: SampleRow | None, slices: Sequence[str]) -> list[str]:
    properties = [*sample.tags]
    if sample.must_pass:
        properties.append("must-pass")
    if not sample.answerable:
        properties.append("unanswerable")
    if slices:
        properties.append(f"slices {', '.join(slices)}")
    change = f"  [{row.change}]" if row is not None else ""
    lines = [f"{one_line(sample.id)}{change}  {one_line(', '.join(properties))}"]

    for turn in sample.messages:
        lines += [f"Earlier: {turn.role}", *indented(turn.content)]
    lines += ["Question", *indented(sample.query)]
    lines.append("Expected documents")
    for doc, grade in sample.relevant.items():
        lines.append(f"{INDENT}{one_line(doc)} (grade {grade})")
    if not sample.relevant:
        lines.append(f"{INDENT}none: unjudged")
    for reference in sample.references:
        lines += ["Reference", *indented(reference)]
    return lines


def _rankings(sample: Sample, before: Chunks, after: Chunks) -> list[str]:
    old, new = _ranking(before), _ranking(after)
    lines = [f"Retrieved ({NOTHING} not retrieved, * expected)", f"{INDENT}before  now  document"]
    for doc in [*new, *(doc for doc in old if doc not in new)]:
        ranks = f"{old.get(doc, NOTHING):>6}  {new.get(doc, NOTHING):>3}"
        mark = "*" if doc in sample.expected else ""
        lines.append(f"{INDENT}{ranks}  {one_line(doc)}{mark}  {_moved(doc, old, new)}")
    missing = sorted(sample.expected - set(old) - set(new))
    lines += [f"{INDENT}{NOTHING:>6}  {NOTHING:>3}  {one_line(doc)}*  never" for doc in missing]
    return lines


def _ranking(chunks: Chunks) -> dict[str, int]:
    """Return the rank of each document, its best chunk deciding."""
    distinct = dict.fromkeys(chunk.doc_id for chunk in chunks)
    return {doc: rank for rank, doc in enumerate(distinct, start=1)}


def _moved(doc: str, old: dict[str, int], new: dict[str, int]) -> str:
    if not old or not new:
        return ""
    if doc not in old:
        return "new"
    if doc not in new:
        return "gone"
    step = old[doc] - new[doc]
    return "" if step == 0 else f"{'up' if step > 0 else 'down'} {abs(step)}"


def _texts(before: Chunks, after: Chunks) -> list[str]:
    """Return the chunks of this run, then those that only the baseline had, if it holds texts."""
    lines = _chunks(after, "Chunk")
    return lines + _chunks(before, "Chunk before", besides=_ranking(after))


def _chunks(chunks: Chunks, title: str, *, besides: Collection[str] = ()) -> list[str]:
    lines: list[str] = []
    for rank, chunk in enumerate(chunks, start=1):
        if chunk.text and chunk.doc_id not in besides:
            score = "" if chunk.score is None else f"  score {chunk.score:.3f}"
            lines += [f"{title} {rank}  {one_line(chunk.doc_id)}{score}", *indented(chunk.text)]
    return lines


def _answers(baseline: Records, candidate: Records) -> list[str]:
    old, new = _distinct(baseline), _distinct(candidate)
    lines = _all_answers("Answer before", old) + _all_answers("Answer now", new)
    if len(old) == len(new) == 1 and old == new:
        lines = _all_answers("Answer, the same before and now", new)
    outputs = {record.output_hash for record in baseline}  # their texts may not be kept
    if len(outputs) > 1:
        lines.append(f"Did not repeat in the baseline: {len(outputs)} different outputs")
    changed = word_diff(old[0], new[0]) if old and new else ""
    if changed:
        lines += ["Difference, [-before-] {+now+}", *indented(changed)]
    return lines


def _distinct(records: Records) -> list[str]:
    answers = (_answer(record) for record in records)
    return list(dict.fromkeys(answer for answer in answers if answer is not None))


def _answer(record: Record) -> str | None:
    if record.output.error is not None:
        return f"failed ({record.output.error.kind}): {record.output.error.message}"
    return record.output.answer


def _all_answers(title: str, answers: list[str]) -> list[str]:
    lines: list[str] = []
    for number, answer in enumerate(answers, start=1):
        which = f" ({number} of {len(answers)} different ones)" if len(answers) > 1 else ""
        lines += [f"{title}{which}", *indented(answer or "(empty)")]
    return lines


def _scores(old_runs: Records, new_runs: Records, marks: Mapping[str, str]) -> list[str]:
    names = dict.fromkeys(name for record in (*old_runs, *new_runs) for name in record.scores)
    if not names:
        return []
    width = max(len("metric"), *(len(one_line(name, 40)) for name in names))
    lines = ["Scores, one figure a run", f"{INDENT}{'metric':<{width}}  before → now"]
    for name in names:
        figures = f"{_figures(name, old_runs)} → {_figures(name, new_runs)}"
        start = f"{INDENT}{one_line(name, 40):<{width}}  "
        lines += wrapped(f"{figures}{marks.get(name, '')}", first=start, rest=" " * len(start))
        lines += _reasons(name, "before", old_runs) + _reasons(name, "now", new_runs)
    return lines


def _figures(metric: str, runs: Records) -> str:
    return " ".join(_value(record.scores.get(metric)) for record in runs) or NOTHING


def _value(score: Score | None) -> str:
    if score is None:
        return NOTHING
    if score.state is not ScoreState.VALUE:
        return score.state.words
    return numbers.value("", score.value)


def _reasons(metric: str, side: str, runs: Records) -> list[str]:
    """Return why the scores of a side are what they are, with the details of its first."""
    scores = [record.scores[metric] for record in runs if metric in record.scores]
    if not scores:
        return []
    start = f"{INDENT * 2}{side}: "
    reasons = dict.fromkeys(score.reason for score in scores)
    lines = [f"{start}{one_line(reason, 80)}" for reason in reasons if reason]
    for key, value in (scores[0].details or {}).items():
        lines.append(f"{start}{one_line(key, 40)} = {one_line(str(value), 200)}")
    return lines


def _judged(question: JudgeQuestion, number: int, of: int) -> list[str]:
    """Return a question and its answer; behind a bar stands what others wrote, or read."""
    title = f"Judge, question {number} of {of}: {one_line(question.of, 60)}"
    if question.note:
        return [title, *indented(f"not shown: {question.note}")]
    lines = [title]
    for role, text in question.messages:
        lines += [f"{INDENT}{one_line(role)}", *indented(text, _BAR)]
    if question.reply is None:
        return [*lines, f"{INDENT}answered: only its scores are kept, see above"]
    return [*lines, f"{INDENT}answered", *indented(question.reply, _BAR)]


def _cause(row: SampleRow | None) -> list[str]:
    if row is None or row.cause is None:
        return []
    cause = row.cause
    lines = [f"Cause: {cause.kind.words}", *indented(cause.evidence)]
    documents = {
        "lost": cause.lost,
        "pushed out by": cause.displaced_by,
        "with other text": cause.edited,
    }
    for title, docs in documents.items():
        if docs:
            lines.append(f"{INDENT}{title}: {', '.join(map(one_line, docs))}")
    return lines
