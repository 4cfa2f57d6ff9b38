"""The page as one file: its policy, its style, its script and its data."""

from __future__ import annotations

from typing import Any

from ragate.models import Report
from ragate.renderers._words import in_points
from ragate.renderers.html.charts import charts_of
from ragate.renderers.html.data_block import DataBlock
from ragate.renderers.html.heat_table import heat_table
from ragate.renderers.html.sample_texts import SampleTexts, sample_texts
from ragate.renderers.html.templates import content_policy, resource, template
from ragate.renderers.html.verdict_view import verdict_view

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
    from markupsafe import Markup

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
