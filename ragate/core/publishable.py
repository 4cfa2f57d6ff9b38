"""What of a report may leave the machine, by ``[policy] publish``.

Kept fields are named, not those that go: what a report gains later stays at home until somebody
says otherwise here.

Words are cut where a sentence quotes them, not wherever they stand: else an answer that reads
"fell by" would blank a verdict.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ragate.core.lookup import LazyItems
from ragate.core.plain_settings import UNSET, is_plain, plain_settings, setting_change, shortened
from ragate.models import (
    AnsweredQuestion,
    Cause,
    ChangedPart,
    Decision,
    Diagnosis,
    MetricRow,
    MetricVerdict,
    PassGroup,
    Publish,
    Report,
    RunDetails,
    SampleRow,
    SampleSide,
    ScoreChange,
    SideEvidence,
    SystemInfo,
)

# A key of a configuration's diff: `top_k = 1 (was 10)`, `removed: top_k = 1`.
_LINE = re.compile(r"(?P<gone>removed: )?(?P<key>[^=]*?)\s*=\s*(?P<value>.*)", re.DOTALL)
_WAS = re.compile(r"(?P<now>\S*) \((?:new|was (?P<was>\S*))\)")
# Fields of a report that hold figures, ids, names, dates, addresses and the rules of the base.
_KEPT = """
    schema_version gate run_id created head base ragate_version dataset baseline_path
    baseline_recorded partial retrieval_only facts succeeded data judge outcomes unchanged left_out
    story links drill suggested_floors rules_differ checkout_rules pull publish report_url
"""
KEPT = tuple(_KEPT.split())
_ROW = ("sample_id", "tags", "slices", "must_pass", "change", "expected", "ranks")
_SCORE = ("metric", "before", "after", "passed", "passes")
_CAUSE = ("kind", "lost", "displaced_by", "edited")
NONE_MEASURED = "no affected sample could be measured"
JUDGE_STOPPED = "the judge stopped"
SCORES_MISSING = "scores are missing"
QUESTIONS_FAILED = "questions failed"
UNMEASURED_SYMPTOM = "much was not measured"
OVER_THE_RUN = "over the whole run: held against its limit only"  # a metric's own words may follow
WITHHELD = "(not published)"
_SHORTEST = 4  # a shorter text stands in too many words to be known again
_OF_OTHERS = re.compile(
    rf"({NONE_MEASURED}|{JUDGE_STOPPED}|{SCORES_MISSING}; [\d.]+% is allowed): .*", re.DOTALL
)
_OF_FAILURES = re.compile(rf"({QUESTIONS_FAILED}): .*", re.DOTALL)
_OF_A_METRIC = re.compile(rf"({OVER_THE_RUN}); .*", re.DOTALL)


class PublishedSettings:
    """Cleans what a report says of the settings of its two systems."""

    def __init__(self, report: Report) -> None:
        self._report = report
        new = report.system.settings
        old = {} if report.baseline_system is None else report.baseline_system.settings
        self._withheld: dict[str, str] = {}
        for key in {**new, **old}:
            before, after = old.get(key, UNSET), new.get(key, UNSET)
            if not all(value == UNSET or is_plain(key, value) for value in (before, after)):
                words = setting_change(key, before, after)
                self._withheld[words] = f"{shortened(key)} {WITHHELD}"

    def fields(self) -> dict[str, Any]:
        """Return the report's fields that speak of nothing else."""
        report = self._report
        return {
            "system": _published(report.system),
            "baseline_system": report.baseline_system and _published(report.baseline_system),
            "settings": plain_settings(report.settings),
            "filters": report.filters.amended(
                settings=tuple(map(_assignment, report.filters.settings))
            ),
            "origin": report.origin.amended(parts=self._parts(report.origin.parts)),
        }

    def clean(self, sentence: str) -> str:
        """Return a sentence that names each text that differs without its values."""
        for words, shown in self._withheld.items():
            sentence = sentence.replace(words, shown)
        return sentence

    def _parts(self, parts: Iterable[ChangedPart]) -> tuple[ChangedPart, ...]:
        """Return what differs; a line of the configuration is held to the same."""
        return tuple(part.amended(words=published_line(self.clean(part.words))) for part in parts)


def _assignment(words: str) -> str:
    """Return a ``key=value`` of ``--set``, a text without its value."""
    key, _, value = words.partition("=")
    # A name of a model may stand there without the quotes of JSON.
    shown = is_plain(key, value) or is_plain(key, json.dumps(value))
    return f"{key}={value if shown else WITHHELD}"


def _published(system: SystemInfo) -> SystemInfo:
    return system.amended(settings=plain_settings(system.settings))


def published_line(words: str) -> str:
    """Return how a line of the configuration differs; a text without its values."""
    line = _LINE.fullmatch(words)
    if line is None:
        return words
    key = line["key"].strip("\"' ")
    values = _WAS.fullmatch(line["value"])
    sides = [values["now"], values["was"]] if values else [line["value"]]
    if all(side is None or is_plain(key, side) for side in sides):
        return words
    return f"{line['gone'] or ''}{shortened(key)} {WITHHELD}"


def publishable(report: Report) -> Report:
    """Return the report without the texts that its policy keeps at home.

    ``answers`` takes out passages, and what quotes them: a judge's reasons, and why a score is
    missing. ``ids`` takes out questions, answers, references and messages of failures as well;
    ids of samples and documents, tags and figures stay. Of the system's settings both keep what is
    plain, and neither tells who passes by the values of metadata, which may be anything.
    """
    publish = report.publish
    if publish == "full":
        return report

    settings = PublishedSettings(report)
    questions = LazyItems(report.questions, partial(published_question, publish=publish))
    return Report(
        **settings.fields(),
        **_picked(report, [name for name in KEPT if name in report.model_fields_set]),
        decision=_decision(report.decision, set(_texts(report)), publish),
        samples=tuple(_row(row, publish, settings) for row in report.samples),
        questions=questions if report.questions else (),
        pass_groups=tuple(filter(_names_no_metadata, report.pass_groups)),
        diagnosis=tuple(_diagnosis(row, settings) for row in report.diagnosis),
        details=_details(report.details, publish),
    )


def _names_no_metadata(group: PassGroup) -> bool:
    # Only a stage has a weight; a metadata field may be called "stage" as well.
    return group.kind == "tag" or group.weight is not None


def _row(row: SampleRow, publish: Publish, settings: PublishedSettings) -> SampleRow:
    scores = tuple(ScoreChange(**_picked(score, _SCORE)) for score in row.scores)
    figures = _picked(row, _ROW) | {"scores": scores}
    if publish == "ids":
        return SampleRow(
            **figures,
            query=WITHHELD,
            cause=row.cause and Cause(evidence="", **_picked(row.cause, _CAUSE)),
            baseline=_side_of_ids(row.baseline),
            candidate=_side_of_ids(row.candidate),
        )
    return SampleRow(
        **figures,
        **_picked(row, ("query", "messages", "references")),
        cause=row.cause and row.cause.amended(evidence=settings.clean(row.cause.evidence)),
        baseline=_side(row.baseline),
        candidate=_side(row.candidate),
    )


def published_question(row: AnsweredQuestion, publish: Publish) -> AnsweredQuestion:
    """Return it without reasons and details, which may quote passages; of ``ids`` without texts."""
    if publish == "full":
        return row
    scores = {name: replace(score, reason="", details=None) for name, score in row.scores.items()}
    cited = tuple(replace(each, metadata={}) for each in row.citations)
    row = replace(row, scores=scores, citations=cited)
    if publish == "answers":
        return row
    return replace(row, query=WITHHELD, answer=None, error=WITHHELD if row.error else "")


def _details(details: RunDetails | None, publish: Publish) -> RunDetails | None:
    """Return what a page shows beside, without the passages and, of ``ids``, the questions."""
    if details is None:
        return None
    evidence = {
        sample_id: replace(sides, before=_usage(sides.before), after=_usage(sides.after))
        for sample_id, sides in details.evidence.items()
    }
    if publish == "answers":
        return replace(details, evidence=evidence)
    samples = tuple(replace(scores, query=WITHHELD) for scores in details.samples)
    return RunDetails(metrics=details.metrics, samples=samples, evidence=evidence)


def _usage(side: SideEvidence) -> SideEvidence:
    """Return what a side took, without what it retrieved."""
    return SideEvidence(usage=side.usage, latency_s=side.latency_s)


def _side(side: SampleSide | None) -> SampleSide | None:
    return side and SampleSide(**_picked(side, ("docs", "answer", "error", "refused")))


def _side_of_ids(side: SampleSide | None) -> SampleSide | None:
    if side is None:
        return None
    error = None if side.error is None else WITHHELD
    return SampleSide(docs=side.docs, error=error, refused=side.refused)


def _picked(model: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(model, name) for name in names}


def _texts(report: Report) -> Iterator[str]:
    """Yield what no sentence of a verdict may quote either."""
    for metric in report.decision.rows:
        yield from metric.unscored_reasons
    for row in report.samples:
        yield from (score.reason for score in row.scores)
        if report.publish == "ids":
            yield from (row.query, *row.references, *(turn.content for turn in row.messages))
            for side in filter(None, (row.baseline, row.candidate)):
                yield from filter(None, (side.answer, side.error))


def _decision(decision: Decision, texts: set[str], publish: Publish) -> Decision:
    if publish == "ids":
        reasons = tuple(map(_without_failure, decision.reasons))
        decision = decision.amended(reasons=reasons, failed=_without_failure(decision.failed))
    sentences = PublishedSentences(decision.rows, texts)
    return decision.amended(
        reasons=sentences.all_of(decision.reasons),
        warnings=sentences.all_of(decision.warnings),
        metrics=tuple(map(sentences.row, decision.metrics)),
        slices=tuple(map(sentences.row, decision.slices)),
    )


def _without_failure(sentence: str) -> str:
    """Return the sentence without the message of what failed."""
    return _OF_FAILURES.sub(rf"\1: {WITHHELD}", sentence)


def _diagnosis(row: Diagnosis, settings: PublishedSettings) -> Diagnosis:
    """Return the row; why much was not measured is said by whoever gave no score."""
    if row.symptom.startswith(UNMEASURED_SYMPTOM):
        return row.amended(likely_cause=WITHHELD)
    symptom, likely_cause = settings.clean(row.symptom), settings.clean(row.likely_cause)
    return row.amended(symptom=symptom, likely_cause=likely_cause)


class PublishedSentences:
    """Cleans the sentences that stand beside the rows of one verdict.

    Args:
        rows: Of all metrics. What is said of one that blocks, or was accepted, quotes nobody.
        texts: What may not stand there as a quotation either, beyond the phrases that are known.
    """

    def __init__(self, rows: Sequence[MetricRow], texts: Iterable[str]) -> None:
        self._of_verdict = tuple(row.reason for row in rows if row.reason and _decides(row))
        self._of_metrics = {row.reason: _unmeasured(row) for row in rows if _is_of_metric(row)}
        names = {name for row in rows for name in (row.metric, row.key)}
        longest = sorted(set(texts) - names, key=len, reverse=True)
        self._texts = [text for text in longest if len(text) >= _SHORTEST]

    def all_of(self, sentences: Collection[str]) -> tuple[str, ...]:
        return tuple(map(self.clean, sentences))

    def clean(self, sentence: str) -> str:
        """Return the sentence; one of our own stays word by word."""
        sentence = _OF_A_METRIC.sub(r"\1", sentence)
        sentence = _OF_OTHERS.sub(rf"\1: {WITHHELD}", sentence)
        if sentence.startswith("must-pass ") or sentence.endswith(self._of_verdict):
            return sentence
        if sentence in self._of_metrics:
            return self._of_metrics[sentence]

        for text in self._texts:
            if sentence.endswith(f": {text}"):
                sentence = sentence.removesuffix(text) + WITHHELD
            for quoted in (repr(text), f'"{text}"', f"'{text}'"):
                sentence = sentence.replace(quoted, WITHHELD)
        return sentence

    def row(self, row: MetricRow) -> Any:
        """Return the row with its figures, and without why samples have no score."""
        count = sum(row.unscored_reasons.values())
        reasons = {WITHHELD: count} if count else {}
        return row.amended(reason=self.clean(row.reason), unscored_reasons=reasons)


def _unmeasured(row: MetricRow) -> str:
    """Return what is said of a metric over the whole run in place of its own reason."""
    said = f"{row.metric} was not measured"
    return said if row.reason == said else f"{said}: {WITHHELD}"


def _decides(row: MetricRow) -> bool:
    return row.blocks or row.accepted


def _is_of_metric(row: MetricRow) -> bool:
    """Whether its reason was given by the metric itself."""
    return row.aggregate and row.verdict is MetricVerdict.NOT_MEASURED
