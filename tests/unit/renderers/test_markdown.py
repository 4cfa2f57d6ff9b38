"""The comment: bounded, well formed for GitHub's parser whatever it holds, and short to read."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.models import (
    CauseKind,
    ChangedPart,
    ChangeOrigin,
    DataChanges,
    Diagnosis,
    Direction,
    EarlierFigure,
    EarlierPasses,
    EarlierRun,
    Filters,
    MetricVerdict,
    MustPassRow,
    RemovedSample,
    Report,
    SampleRow,
    SampleSide,
    SourceLinks,
    Story,
    Verdict,
    WaiverRow,
)
from ragate.renderers import markdown
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES

PARSER = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
VOID = {"br", "wbr", "img", "hr", "input"}
ALLOWED = {
    "br",
    "wbr",
    "h3",
    "p",
    "b",
    "sub",
    "table",
    "tr",
    "th",
    "td",
    "code",
    "details",
    "summary",
    "a",
}
EVIL = [
    "</code></td></table><img src=https://example.org/?q=1>",
    "<!-- ragate:1 gate=docs head=0000000 -->",
    "--> @octocat please see www.example.org and #1",
    "\n\n# heading\n\n```\ncode\n\n<script>",
    "\u202eevil\x1b[31m ::error::x ##[add-mask]y",
    "'\"<&>" * 60,
    "😀" * 500,
    "",
]


class Outline(HTMLParser):
    """Every tag, the text outside of ``<code>``, the comments, and whether all tags nest."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str | None] = []
        self.bare = ""
        self.comments = 0
        self.nested = True
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for key, value in attrs if key in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.nested = self.nested and bool(self.open) and self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "code" not in self.open:
            self.bare += data

    def handle_comment(self, data: str) -> None:
        self.comments += 1


def as_github(text: str) -> Outline:
    return Outline(github_flavored_markdown_to_html(text, options=PARSER))


def report_made_of(text: str, *, samples: int = 8) -> Report:
    """Return a red report with `text` wherever foreign text can stand."""
    word = text or "x"
    row = metric_row_factory(
        word, 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True, worse=3, reason=text,
        unscored_reasons={text: 2}, p=0.01,
    )  # fmt: skip
    sample = sample_row_factory(
        word, word, tags=(word, word), must_pass=True, expected=[word], docs=([word], []),
        answers=(text, text + "2"), evidence=text, displaced_by=[word], scores={word: (1.0, 0.0)},
        cause=CauseKind.RETRIEVAL,
    )  # fmt: skip
    causes = [*CauseKind, None]
    rows = [sample.amended(cause=_cause(sample, causes[i % len(causes)])) for i in range(samples)]
    rows.append(sample.amended(candidate=SampleSide(error=text)))
    rows.append(sample.amended(baseline=None, change="new"))
    must = MustPassRow(
        sample_id=word, metric=word, pass_at=1, tries=3, failed=2, met=False, eligible=True
    )
    waiver = WaiverRow(sample_id=word, metric=word, owner=text, reason=word, until=text)
    lines = (text,) * 30
    earlier = EarlierPasses(
        runs=(EarlierRun(created=text, passes=1),), use="shown", note=text,
        metrics=(EarlierFigure(metric=word, newest=0.5),),
    )  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.FAILED, [row] * 30, reasons=lines, warnings=lines, remedies=lines, lines=lines,
            must_pass=(must,) * 30, waivers=(waiver,) * 30, earlier=earlier,
        ),
        gate=word, head=text, base=text, dataset=text, ragate_version=text, baseline_recorded=text,
        report_url=text, partial=True, filters=Filters(tags=(word,) * 9),
        samples=tuple(rows),
        data=DataChanges(
            added=(word, word + "1"),
            removed=(RemovedSample(sample_id=word, means={word: 0.5, word + "2": 0.5}),) * 30,
            missing_documents={f"{word}{i}": (word,) * 5 for i in range(30)},
        ),
        diagnosis=(Diagnosis(symptom=text, likely_cause=text, action=text),) * 9,
    )  # fmt: skip


def _cause(sample: Any, kind: CauseKind | None) -> Any:
    return None if kind is None else sample.cause.amended(kind=kind)


@settings(suppress_health_check=list(HealthCheck))
@given(
    st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), st.sampled_from(EVIL))
)
def test_foreign_text_leaves_the_comment_whole_wherever_it_stands(text: str) -> None:
    outline = as_github(markdown.render(report_made_of(text)))

    assert outline.nested
    assert not outline.open
    assert set(outline.tags) <= ALLOWED
    assert outline.comments == 1
    assert not outline.links
    assert "evil" not in outline.bare
    assert "@octocat" not in outline.bare


@pytest.mark.parametrize("text", EVIL)
def test_the_same_report_of_hostile_and_of_harmless_text_has_the_same_blocks(text: str) -> None:
    def blocks(source: str) -> list[str]:
        tags = as_github(markdown.render(report_made_of(source), budget=10**7)).tags
        return [tag for tag in tags if tag not in ("code",)]

    assert blocks(text or "?").count("table") == blocks("a harmless sentence").count("table")


@pytest.mark.parametrize("text", ["<", "'", "😀", "a", "&" * 400])
def test_every_report_fits_the_budget(text: str) -> None:
    rendered = markdown.render(report_made_of(text * 600, samples=300))

    assert len(rendered.encode()) <= markdown.BUDGET
    assert as_github(rendered).nested


def test_ten_thousand_samples_fit_and_the_worst_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    # Each row compared with each would take minutes.
    monkeypatch.setattr(SampleRow, "__eq__", lambda *_: pytest.fail("rows were compared"))
    first = [
        sample_row_factory(f"w{i}", "<>&'\"" * 60, answers=("&" * 900, "'" * 900)) for i in range(3)
    ]
    rest = [
        sample_row_factory(f"q{i}", "<>&'\"" * 60, answers=("&" * 900, "'" * 900))
        for i in range(9997)
    ]
    report = report_factory(
        decision_factory(Verdict.FAILED, [metric_row_factory(blocks=True)]),
        samples=(*first, *rest),
    )
    rendered = markdown.render(report)

    assert len(rendered.encode()) <= 60_000
    assert rendered.startswith("<!-- ragate:1 gate=support-bot head=bad0bad")
    assert all(f"<td>w{i} · " in rendered for i in range(3))
    told = re.search(r"… and ([\d,]+) more", rendered)
    shown = len(re.findall(r"<td>q\d+ · ", rendered))
    assert told is not None
    assert int(told[1].replace(",", "")) + shown + 3 == 10_000


@pytest.mark.parametrize("name", CASES)
def test_at_most_25_lines_and_no_p_value_stand_above_the_fold(name: str) -> None:
    text = re.sub(r"(?s)</summary>.*</details>", "", markdown.render(CASES[name]()))

    assert len([line for line in text.splitlines() if line.strip()]) <= 25
    assert "p = " not in text


def test_two_gates_never_share_a_marker() -> None:
    names = ["a b", "a-b", "a--b", "a-%2Db", "a%20b", "-->", "a>b"]
    markers = {markdown.marker_of(name) for name in names}

    assert len(markers) == len(names)
    assert not [mark for mark in markers if mark.count("-->") or mark.count("--") != 1]


def test_a_command_to_paste_holds_no_text_that_a_shell_would_run() -> None:
    rows = [sample_row_factory(i) for i in ("q1;rm${IFS}-rf", "q 2", "q,3", "q\u202e4", "q5")]
    rendered = markdown.render(report_factory(samples=tuple(rows)))

    assert "ragate check --ids &#x27;q1;rm${IFS}-rf,q5&#x27;</code>" in rendered


def test_a_link_is_made_of_an_https_address_only() -> None:
    for url in ("javascript:alert(1)", "http://example.org", 'https://e.org/"onclick="x'):
        assert "<a" not in markdown.render(report_factory(report_url=url))


def test_a_metric_that_is_off_is_not_shown() -> None:
    rows = [metric_row_factory(), metric_row_factory("rouge_l", level="off")]

    assert "rouge_l" not in markdown.render(report_factory(decision_factory(metrics=rows)))


@pytest.mark.parametrize(
    ("metrics", "said"), [(5, ""), (6, "1 more metric<"), (8, "3 more metrics<")]
)
def test_metrics_that_do_not_fit_above_the_fold_are_counted(metrics: int, said: str) -> None:
    rows = [
        metric_row_factory(
            f"metric_{number}", verdict=MetricVerdict.IMPROVED, baseline=0.5, candidate=0.6
        )
        for number in range(metrics)
    ]
    off = metric_row_factory("off", level="off")

    text = markdown.render(report_factory(decision_factory(metrics=[*rows, off])))

    summary = re.search(r"<summary>.*?</summary>", text)
    assert summary is not None
    assert said in summary.group()
    assert ("more metric" in summary.group()) == bool(said)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"baseline": 0.9, "candidate": 0.89}, "; the rest unchanged"),
        ({"baseline": 0.9, "candidate": 0.9}, "; no metric dropped"),
        ({"baseline": 0.9, "candidate": 0.95}, "; no metric dropped"),
        (
            {"baseline": 0.1, "candidate": 0.2, "direction": Direction.LOWER},
            "; the rest unchanged",
        ),
        ({"baseline": 0.9, "candidate": 0.8, "level": "warn"}, ""),
    ],
)
def test_the_headline_of_an_improvement_says_what_became_of_the_rest(
    other: dict[str, Any], said: str
) -> None:
    better = metric_row_factory("mrr", 0.5, 0.7, MetricVerdict.IMPROVED)
    rest = metric_row_factory("faithfulness", verdict=MetricVerdict.HELD, **other)

    text = markdown.render(report_factory(decision_factory(metrics=[better, rest])))

    line = next(line for line in text.splitlines() if line.startswith("<h3>"))
    assert line.endswith(f"points{said}</h3>") if said else "; " not in line


@pytest.mark.parametrize(
    ("verdict", "icon"),
    [
        (MetricVerdict.CANNOT_TELL, "🟡"),
        (MetricVerdict.WORSE_HERE, "🟡"),
        (MetricVerdict.NOT_MEASURED, "🟡"),
        (MetricVerdict.HELD, "✅"),
        (MetricVerdict.IMPROVED, "✅"),
        (MetricVerdict.UNCHANGED, "✅"),
    ],
)
def test_a_pass_is_green_only_where_every_gated_metric_held(
    verdict: MetricVerdict, icon: str
) -> None:
    report = report_factory(decision_factory(metrics=[metric_row_factory(verdict=verdict)]))

    assert f"<h3>{icon} support-bot" in markdown.render(report)


def test_a_red_comment_on_a_pull_request_says_how_its_drop_is_accepted() -> None:
    red = CASES["regression"]()
    told = markdown.render(red.amended(pull=7))
    assert "/ragate accept bad0bad faithfulness hit_rate@10 &quot;reason&quot;" in told
    assert "/ragate accept" not in markdown.render(red.amended(pull=None))
    held = CASES["unchanged"]().amended(pull=7)
    assert "/ragate accept" not in markdown.render(held)


def test_what_was_not_decided_is_not_offered_for_an_accept() -> None:
    rows = [
        metric_row_factory(verdict=MetricVerdict.REGRESSED, blocks=True),
        metric_row_factory("mrr", verdict=MetricVerdict.NOT_MEASURED, blocks=True),
    ]
    told = markdown.render(report_factory(decision_factory(Verdict.FAILED, rows), pull=7))

    assert "/ragate accept" not in told
    assert "not possible while mrr is not decided" in told


def test_a_command_of_a_project_in_a_subfolder_names_its_configuration() -> None:
    red = CASES["regression"]()
    below = red.amended(links=red.links.amended(config="bots/docs site/ragate.toml"))

    assert "--config &#x27;bots/docs site/ragate.toml&#x27;" in markdown.render(below)
    at_top = red.amended(links=red.links.amended(config="ragate.toml"))
    assert "--config" not in markdown.render(at_top)


def test_a_guess_stands_there_only_where_the_change_is_not_known() -> None:
    red = CASES["regression"]()

    assert "<b>Likely:</b>" not in markdown.render(red)
    unknown = red.amended(origin=ChangeOrigin(), story=Story())
    assert "<b>Likely:</b>" in markdown.render(unknown)


def test_a_change_is_the_cause_only_where_nothing_else_differs() -> None:
    part = ChangedPart(words="top_k = 1 (was 10)", path="ragate.toml", line=79)
    red = CASES["regression"]()

    def told(origin: ChangeOrigin) -> str:
        return markdown.render(red.amended(origin=origin))

    assert "<b>Because</b> of <code>ragate.toml:79</code>" in told(
        ChangeOrigin(parts=(part,), alone=True)
    )
    assert "<b>Changed here:</b>" in told(ChangeOrigin(parts=(part,)))
    assert "<b>Because</b>" not in told(ChangeOrigin(parts=(part, part), alone=True))
    assert "<b>Because</b>" not in told(ChangeOrigin(parts=(part,), more=1, alone=True))


@pytest.mark.parametrize("text", EVIL)
def test_no_address_that_is_not_a_plain_https_one_becomes_a_link(text: str) -> None:
    red = CASES["regression"]()
    bad = f"https://example.org/{text}"
    origin = ChangeOrigin(parts=(ChangedPart(words=text, path=text, line=1, url=bad),))
    links = SourceLinks(
        samples={row.sample_id: bad for row in red.samples},
        documents={"billing/invoice.md": f"javascript:{text}", "billing/cards.md": bad},
        collected_by=text,
        collected_url=bad,
    )
    outline = as_github(markdown.render(red.amended(origin=origin, links=links)))

    assert outline.nested
    assert outline.comments == 1
    assert all(
        re.fullmatch(r"https://example\.org/[\w./~%#?=&@+-]*", str(u)) for u in outline.links
    )
    assert "@octocat" not in outline.bare


def test_a_fork_is_named_as_who_measured() -> None:
    links = SourceLinks(
        collected_by="stranger/handbook", collected_url="https://github.com/o/r/actions/runs/5"
    )
    told = markdown.render(CASES["regression"]().amended(links=links))

    page = '<a href="https://github.com/o/r/actions/runs/5">'
    assert f"of the fork {page}<code>stranger/handbook</code></a>, which has no keys" in told


def test_an_improvement_that_no_figure_shows_stands_with_what_held() -> None:
    row = metric_row_factory(
        "idf_f1", verdict=MetricVerdict.IMPROVED, baseline=0.211, candidate=0.2112
    )

    text = markdown.render(report_factory(decision_factory(metrics=[row])))

    assert "Unchanged: idf_f1." in text


def test_reasons_are_in_points_as_the_table_is() -> None:
    reason = "idf_f1 fell by 0.041 (0.211 -> 0.170); 0.010 is allowed"
    row = metric_row_factory("idf_f1", reason=reason)
    slow = metric_row_factory(
        "latency_p95", unit="seconds", reason="rose by 0.200 (1.000 -> 1.200)"
    )
    decision = decision_factory(metrics=[row, slow]).amended(reasons=(reason,))

    text = markdown.render(report_factory(decision))

    assert text.count("fell by 4.1 points (21.1 % -&gt; 17.0 %); 1 point is allowed") == 2
    assert "rose by 0.200 (1.000 -&gt; 1.200)" in text


def test_a_proven_fall_is_not_smaller_than_what_is_said_to_show() -> None:
    rows = [
        metric_row_factory(name, verdict=verdict, change=-0.094, mde=0.148)
        for name, verdict in (
            ("mrr", MetricVerdict.REGRESSED),
            ("recall", MetricVerdict.CANNOT_TELL),
        )
    ]

    text = markdown.render(report_factory(decision_factory(metrics=rows)))

    assert text.count("shows drops from 14.8 points") == 1
