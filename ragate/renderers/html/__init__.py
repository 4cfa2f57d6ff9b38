"""The page: one file to look at, which works offline and without JavaScript."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from ragate.models import Direction, Report, SampleRow, SampleScores
from ragate.renderers._words import in_points
from ragate.renderers.html.charts import charts_of, heat_table
from ragate.renderers.html.sample_texts import SampleTexts, sample_texts
from ragate.renderers.html.templates import content_policy, resource, template
from ragate.renderers.html.verdict_view import verdict_view
from ragate.support.escape import one_line

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
    report = in_points(report)
    style, script = resource("page.css"), resource("review.js") + resource("page.js")
    charts = charts_of(report)
    data = DataBlock(report)
    beside = data.size + sum(len(each.svg.encode()) for each in charts)
    samples = _samples(report, room=max(_LEAST_OF_SAMPLES, min(MOST_OF_SAMPLES, _PAGE - beside)))
    return template("page.html.j2").render(
        **verdict_view(report),
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


def _samples(report: Report, *, room: int) -> list[Any]:
    """Return the changed samples as HTML, as many as fit in `room` bytes, the first in full."""
    fill = template("sample.html.j2").render
    evidence = report.details.evidence if report.details is not None else {}
    rendered: list[Any] = []
    size = 0
    for row in report.samples:
        known = evidence.get(row.sample_id) if size < MOST_WITH_TEXTS else None
        texts: SampleTexts = sample_texts(row, known)
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
        details = report.details
        scored = {each.sample_id: each for each in details.samples} if details is not None else {}
        metrics = list(details.metrics) if details is not None else []
        worse_when_higher = {
            row.metric for row in report.decision.metrics if row.direction is Direction.LOWER
        }
        lower = [at for at, name in enumerate(metrics) if name in worse_when_higher]
        self._metrics = _text([one_line(name, _NAME) for name in metrics])
        self._changed: list[str] = []
        self._hashes: list[str] = []
        for row in report.samples:
            scores = scored.pop(row.sample_id, None)
            pairs = _pairs(scores.before, scores.after) if scores is not None else []
            is_judged = scores is not None and scores.hashes and _can_be_judged(report, row)
            hashes = list(scores.hashes) if scores is not None and is_judged else None
            self._changed.append(_text(_changed(row, pairs))[1:-1])
            self._hashes.append(f",{_text(hashes)}" if hashes else "")
        self._others = [_text(_unchanged(scores)) for scores in scored.values()]
        commit = report.head if _COMMIT.fullmatch(report.head) else ""
        rest = {"gate": one_line(report.gate, _NAME), "commit": commit, "lower": lower}
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
        full = [
            f"[{number},{row}{hashes}]"
            for number, (row, hashes) in enumerate(
                zip(self._changed[:shown], self._hashes, strict=False)
            )
        ]
        listed = [f"[-1,{row}]" for row in self._changed[shown:]]
        rows = ",".join([*full, *listed, *self._others])
        text = f'{{"metrics":{self._metrics},"rows":[{rows}],{self._rest}'
        return Markup(text)  # noqa: S704  every part of it was escaped


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _text(value: Any) -> str:
    return _ENCODE(value).translate(_ESCAPES)


def _unchanged(scores: SampleScores) -> list[Any]:
    names = [one_line(tag, _NAME) for tag in scores.tags[:_MOST_TAGS]]
    sample_id, query = one_line(scores.sample_id, _NAME), one_line(scores.query, _QUERY)
    pairs = _pairs(scores.before, scores.after)
    return [-1, sample_id, query, names, "", "", 0, pairs]


def _changed(row: SampleRow, pairs: list[Any]) -> list[Any]:
    return [
        one_line(row.sample_id, _NAME),
        one_line(row.query, _QUERY),
        [one_line(tag, _NAME) for tag in row.tags[:_MOST_TAGS]],
        row.change,
        row.cause.kind.value.replace("_", " ") if row.cause is not None else "",
        int(row.must_pass),
        pairs,
    ]


def _can_be_judged(report: Report, row: SampleRow) -> bool:
    """Whether the page shows two answers that differ, and says exactly of what."""
    sides = [side.answer if side is not None else None for side in (row.baseline, row.candidate)]
    names = (row.sample_id, report.gate)
    is_exact = all(one_line(text, _NAME) == text for text in names)
    return is_exact and None not in sides and sides[0] != sides[1]


def _pairs(before: Sequence[float | None], after: Sequence[float | None]) -> list[Any]:
    """Return each metric's score: a number where both sides are equal, else the pair."""
    return list(_each_pair(before, after))


def _each_pair(before: Sequence[float | None], after: Sequence[float | None]) -> Iterator[Any]:
    for old, new in zip(before, after, strict=True):
        rounded = [None if value is None else round(value, 4) for value in (old, new)]
        yield rounded[0] if rounded[0] == rounded[1] else rounded
