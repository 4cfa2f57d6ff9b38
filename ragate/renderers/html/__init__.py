"""The page: one file to look at, which works offline and without JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from ragate.core.diagnosis.word_origin import mark_sentence, weighty_words
from ragate.core.text.word_diff import WordChange, word_changes, work_of_diff
from ragate.guards.escape import one_line, short_sha
from ragate.models import (
    Direction,
    EarlierOutcome,
    Report,
    RetrievedChunk,
    RunDetails,
    SampleEvidence,
    SampleRow,
    SampleScores,
    SampleSide,
    ScoreChange,
    SideEvidence,
)
from ragate.renderers import _numbers as numbers
from ragate.renderers._numbers import NOTHING
from ragate.renderers._samples import equal_scores, happened, pass_words, score, worse_count
from ragate.renderers._templates import content_policy, resource, template
from ragate.renderers._view import MOST_SAMPLES, MetricLine, View
from ragate.renderers.html.charts import charts_of, heat_table

# The page as one file: its policy, its style, its script and its data.


MOST_OPEN = 100  # samples that a page without JavaScript lists
MOST_WITH_TEXTS = 700_000  # bytes of samples with the texts of their contexts
MOST_OF_SAMPLES = 900_000  # bytes of samples altogether; the list holds the rest by their scores
_LEAST_OF_SAMPLES = 300_000
_LABEL = 70  # bytes of the hashes that a label of a sample holds
_PAGE = 1_120_000  # bytes of samples, list and charts, where the list leaves so much


def render(report: Report) -> str:
    """Return the page: one HTML file that asks for nothing else.

    Nothing in it comes from the report unescaped: text is escaped by the template, data stands in
    a block that no browser executes, and the policy in its head allows our style and script alone.
    """
    view = View(report)
    report = view.report
    style, script = resource("html/page.css"), resource("html/review.js") + resource("html/page.js")
    charts = list(charts_of(report))
    data = DataBlock(report)
    beside = data.size + sum(len(each.svg.encode()) for each in charts)
    samples = _samples(report, room=max(_LEAST_OF_SAMPLES, min(MOST_OF_SAMPLES, _PAGE - beside)))
    return template(
        "html/page.html.j2"
    ).render(
        view=view,
        headline="".join(view.happened[1:]).lstrip(" :,"),  # the gate stands above it
        first=_first_worse(view),
        tiles=_tiles(view),
        metrics=list(map(MetricLine, view.rows)),
        slices=[MetricLine(row) for row in view.all_rows if row in report.decision.slices],
        policy=content_policy(style, script),
        style=style,
        script=script,
        charts=charts,
        heat=heat_table(report),
        opened=samples[:MOST_OPEN],
        folded=samples[MOST_OPEN:],
        data=data.text(len(samples)),
        total=len(report.samples),
        note=report.details.note if report.details is not None else "",
    )


def _first_worse(view: View) -> list[tuple[int, SampleRow]]:
    """Return the samples that are read first and got worse, each with its place in the report."""
    first = view.samples[:MOST_SAMPLES]
    return [row for row in enumerate(view.report.samples) if row[1].got_worse and row[1] in first]


def _tiles(view: View) -> list[tuple[str, str]]:
    """Return the figures that are read first, each with its name."""
    facts, samples = view.report.facts, view.report.samples
    counts = {
        "questions": facts.samples,
        "worse": worse_count(view.report),
        "better": len(view.groups.get("better", [])),
        "other words, equal scores": equal_scores(samples),
        **({"affected": facts.affected} if facts.affected is not None else {}),
        **numbers.lacking(facts),
        "model calls": facts.model_calls,
    }
    tiles = [(name, f"{count:,}") for name, count in counts.items()]
    tiles += [("cost", f"${facts.cost_usd:,.2f}")] if facts.cost_usd is not None else []
    time = facts.duration_s
    return tiles + ([("time", numbers.duration(time))] if time is not None else [])


def read_files() -> None:
    """Read what a page is filled from."""
    for name in ("html/page.html.j2", "html/sample.html.j2", "html/charts.svg.j2"):
        template(name)
    for name in ("html/page.css", "html/page.js", "html/review.js"):
        resource(name)


def _samples(report: Report, *, room: int) -> list[Any]:
    """Return the changed samples as HTML, as many as fit in `room` bytes, the first in full."""
    fill = template("html/sample.html.j2").render
    evidence = report.details.evidence if report.details is not None else {}
    rendered: list[Any] = []
    size = 0
    for row in report.samples:
        known = evidence.get(row.sample_id) if size < MOST_WITH_TEXTS else None
        texts = sample_texts(row, known)
        html = fill(sample=texts)
        size += len(html.encode()) + _LABEL
        if size > room:
            break
        rendered.append({"texts": texts, "html": Markup(html)})  # noqa: S704  the template escaped it
    return rendered


# The samples as data for the page's script: what its list shows, searches and filters.


_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_QUERY, _NAME, _MOST_TAGS = 160, 120, 20


class DataBlock:
    """The JSON that stands in a block no browser executes; each sample is written once.

    Angle brackets and ampersands are JSON escapes, so that no text in it can end the block.
    """

    def __init__(self, report: Report) -> None:
        details = report.details or RunDetails()
        scored = {each.sample_id: each for each in details.samples}
        rows = [(row, scored.pop(row.sample_id, None)) for row in report.samples]
        self._changed = [_text(_cells(row, scores, row))[1:-1] for row, scores in rows]
        self._hashes = [
            f",{_text(scores.hashes)}"
            if scores is not None and scores.hashes and _can_be_judged(report, row)
            else ""
            for row, scores in rows
        ]
        self._others = [_text([-1, *_cells(scores, scores)]) for scores in scored.values()]
        is_lower = {
            each.metric: each.direction is Direction.LOWER for each in report.decision.metrics
        }
        rest = {
            "gate": one_line(report.gate, _NAME),
            "commit": report.head if _COMMIT.fullmatch(report.head) else "",
            "lower": [at for at, name in enumerate(details.metrics) if is_lower.get(name)],
        }
        self._metrics = _text([one_line(name, _NAME) for name in details.metrics])
        self._rest = _text(rest)[1:]

    @property
    def size(self) -> int:
        """Bytes of the block where the page holds no sample in full."""
        return len(self.text(0).encode())

    def text(self, shown: int) -> Markup:
        """Return the block.

        Args:
            shown: How many of the report's samples the page holds in full.
        """
        both = enumerate(zip(self._changed, self._hashes, strict=True))
        rows = ",".join(
            [
                *(
                    f"[{at},{row}{mark}]" if at < shown else f"[-1,{row}]"
                    for at, (row, mark) in both
                ),
                *self._others,
            ]
        )
        text = f'{{"metrics":{self._metrics},"rows":[{rows}],{self._rest}'
        return Markup(text)  # noqa: S704  every part of it was escaped


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _text(value: Any) -> str:
    return _ENCODE(value).translate(_ESCAPES)


def _cells(
    sample: SampleRow | SampleScores, scores: SampleScores | None, row: SampleRow | None = None
) -> list[Any]:
    """Return what the list holds of a sample: of a changed one its row too."""
    return [
        one_line(sample.sample_id, _NAME),
        one_line(sample.query, _QUERY),
        [one_line(tag, _NAME) for tag in sample.tags[:_MOST_TAGS]],
        row.change if row else "",
        row.cause.kind.words if row and row.cause else "",
        int(row is not None and row.must_pass),
        _pairs(scores.before, scores.after) if scores else [],
    ]


def _can_be_judged(report: Report, row: SampleRow) -> bool:
    """Whether the page shows two answers that differ, and says exactly of what."""
    sides = [side.answer if side is not None else None for side in (row.baseline, row.candidate)]
    names = (row.sample_id, report.gate)
    is_exact = all(one_line(text, _NAME) == text for text in names)
    return is_exact and None not in sides and sides[0] != sides[1]


def _pairs(before: Sequence[float | None], after: Sequence[float | None]) -> list[Any]:
    """Return each metric's score: a number where both sides are equal, else the pair."""
    pairs = [
        [None if value is None else round(value, 4) for value in both]
        for both in zip(before, after, strict=True)
    ]
    return [pair[0] if pair[0] == pair[1] else pair for pair in pairs]


# One changed sample as the page shows it: cut to a sensible length, both sides beside.


_QUESTION, _ANSWER, _PASSAGE, _DOC_NAME = 1500, 4000, 1500, 200
_MOST_WORK = 4_000_000  # a tenth of a second
MOST_PASSAGES = 20
MOST_TURNS = 10
_EARLIER_SCORES = 4
_SPENT = {  # by what it is called: the field, and its unit
    "time": ("latency_s", "seconds"),
    "model calls": ("calls", "count"),
    "tokens in": ("prompt_tokens", "count"),
    "tokens out": ("completion_tokens", "count"),
    "cost": ("cost_usd", "dollars"),
}


@dataclass(frozen=True)
class RetrievedPassage:
    """One retrieved passage of either side.

    Attributes:
        before, now: Its rank on each side; "" where it was not retrieved.
        pieces: Its text in pieces, the sentence marked that shares most with the answers.
    """

    doc_id: str
    before: str
    now: str
    expected: bool
    pieces: list[tuple[bool, str]]


def sample_texts(row: SampleRow, evidence: SampleEvidence | None) -> dict[str, Any]:
    """Return everything of one sample that the page prints; the template escapes it.

    Args:
        evidence: What both sides retrieved, with texts; None shows the ids of the row.
    """
    known = evidence or SampleEvidence()
    before, now = _answer(row.baseline), _answer(row.candidate)
    passages, more = _passages(row, known)
    return {
        "row": row,
        "question": cut(row.query, _QUESTION),
        "turns": [(turn.role, cut(turn.content, _QUESTION)) for turn in row.messages[-MOST_TURNS:]],
        "what": cut("".join(happened(row)), 500),
        "references": [cut(text, _ANSWER) for text in row.references],
        "before": before,
        "now": now,
        "failure": cut(row.candidate.error or "", 500) if row.candidate else "",
        "diff": _diff(before, now) if before and now else [],
        "scores": [_score(change, row) for change in row.scores],
        "passages": passages,
        "more_passages": more,
        "spent": list(_spent(known.before, known.after)),
        "earlier": [_earlier(each, row) for each in known.earlier],
    }


def cut(text: str, most: int) -> str:
    """Return at most `most` characters, with an ellipsis where some are left out."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _answer(side: SampleSide | None) -> str | None:
    return None if side is None or side.answer is None else cut(side.answer, _ANSWER)


def _score(change: ScoreChange, row: SampleRow) -> dict[str, str]:
    moved = ""
    if change.before is not None and change.after is not None and change.before != change.after:
        moved = "rose" if change.after > change.before else "fell"
    return {
        "metric": cut(change.metric, _DOC_NAME),
        "before": score(change.before) if row.baseline is not None else NOTHING,
        "now": score(change.after),
        "moved": moved,
        "marks": pass_words(change.passed, change.passes).strip(" ()"),
        "reason": cut(change.reason, 600),
    }


def _diff(before: str, now: str) -> list[WordChange]:
    """Return the word diff; none where it would take long: both answers stand beside it."""
    return word_changes(before, now) if work_of_diff(before, now) <= _MOST_WORK else []


def _passages(row: SampleRow, evidence: SampleEvidence) -> tuple[list[RetrievedPassage], int]:
    """Return what was retrieved now, in rank order, then what went, each with both ranks.

    The second value counts those that are left out.

    Passages are told apart by their texts where both sides have them, else by their documents.
    """
    sides = evidence.before.chunks, evidence.after.chunks
    by_text = None not in sides
    before = _ranked(sides[0], row.baseline, by_text=by_text)
    now = _ranked(sides[1], row.candidate, by_text=by_text)
    words = weighty_words(_words_to_mark(row))
    keys = list({**now, **before})
    shown = [
        RetrievedPassage(
            doc_id=cut(key[0], _DOC_NAME),
            before=str(before[key][0]) if key in before else "",
            now=str(now[key][0]) if key in now else "",
            expected=key[0] in row.expected,
            pieces=mark_sentence(cut((now.get(key) or before[key])[1], _PASSAGE), words),
        )
        for key in keys[:MOST_PASSAGES]
    ]
    return shown, len(keys) - len(shown)


def _words_to_mark(row: SampleRow) -> str:
    """Return the texts whose words a passage may support: both answers and the references."""
    sides = (row.baseline, row.candidate)
    answers = [cut(side.answer, _ANSWER) for side in sides if side is not None and side.answer]
    return " ".join([*answers, *(cut(text, _ANSWER) for text in row.references)])


def _ranked(
    chunks: Sequence[RetrievedChunk] | None, side: SampleSide | None, *, by_text: bool
) -> dict[tuple[str, str], tuple[int, str]]:
    """Return rank and text of each passage by its document and, if wanted, its text."""
    if chunks is None:
        texts = [(doc_id, "") for doc_id in (side.docs if side is not None else ())]
    else:
        texts = [(chunk.doc_id, chunk.text) for chunk in chunks]
    ranks: dict[tuple[str, str], tuple[int, str]] = {}
    for rank, (doc_id, text) in enumerate(texts, 1):
        ranks.setdefault((doc_id, text if by_text else ""), (rank, text))
    return ranks


def _spent(before: SideEvidence, now: SideEvidence) -> Iterator[tuple[str, str, str]]:
    """Yield what one answer took on each side, by name; what neither side knows is left out."""
    sides = (before, now)
    for name, (key, unit) in _SPENT.items():
        values = [getattr(each if key == "latency_s" else each.usage, key, None) for each in sides]
        if values != [None, None]:
            shown = [_figure(unit, value) for value in values]
            yield name, shown[0], shown[1]


def _earlier(earlier: EarlierOutcome, row: SampleRow) -> tuple[str, str]:
    """Return when a run was, and what the metrics that moved now measured there."""
    scores = earlier.outcome.scores
    names = [each.metric for each in row.scores if each.metric in scores][:_EARLIER_SCORES]
    shown = ", ".join(f"{cut(name, _DOC_NAME)} {score(scores[name])}" for name in names)
    when = f"{earlier.created[:16].replace('T', ' ')} {short_sha(earlier.commit)}"
    return when.strip(), f"{shown}{pass_words(None, earlier.outcome.passes)}"


def _figure(unit: str, value: float | None) -> str:
    if unit == "dollars":
        return NOTHING if value is None else f"${value:.4f}"
    return numbers.value(unit, value)
