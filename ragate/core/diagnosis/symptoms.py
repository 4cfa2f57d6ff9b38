"""The symptom table: what a run's figures point to, and what to do about it."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from math import nan
from typing import NamedTuple

from ragate.core.diagnosis.advice import advice_by_cause, advice_for
from ragate.core.diagnosis.standing_faults import BESIDE_THE_QUESTION, LOST, metric_readings
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.publishable import UNMEASURED_SYMPTOM
from ragate.models import CauseKind, Diagnosis, MetricRow, SampleRow

_HIGH = 0.8
_ALL_LOW = 0.5
_RISE = 0.02
_MANY_UNSCORED = 0.05
_MANY_FLIPS = 5
_MOST_FLIPS = 0.5
# What a system does by itself from run to run, so that only a proven loss makes it a symptom.
_NOISY = frozenset({CauseKind.RETRIEVAL, CauseKind.GENERATION, CauseKind.JUDGE})
_OF_ANSWERS = ("faithful", "relevant", "correct")
_CITATIONS = ("citation_validity", "citation_support", "citation_coverage")
_MANY_ERRORS = 0.02
_OF_A_JUDGE = (
    ": a judge that times out wants a longer timeout_s or a lower concurrency, and its finished "
    "verdicts are kept"
)


class RunFigures:
    """What was measured of a run, and what differs from the baseline's.

    Attributes:
        rows: By metric name without its cut-off; the first of each name counts.
        readings: By name of the family, those that were measured; see `metric_readings`.
        advice: What to say of whatever writes the answers.
    """

    def __init__(
        self,
        rows: Sequence[MetricRow],
        samples: Sequence[SampleRow],
        changes: SystemChanges,
    ) -> None:
        self.changes = changes
        self.rows = {row.metric.partition("@")[0]: row for row in reversed(rows)}
        self.advice = advice_for(
            has_model=changes.has_model, keys=changes.keys, answered=_answered(samples)
        )
        self._all_rows, self._samples = rows, samples
        self.readings = metric_readings(self.rows)

    def low(self, family: str) -> bool:
        """Return True where the mean is below the family's limit, or fell."""
        return family in self.readings and self.readings[family].low

    def high(self, family: str) -> bool:
        """Return True where the mean did not fall and leaves little to wish for."""
        reading = self.readings.get(family)
        return reading is not None and not reading.fell and reading.mean >= _HIGH

    def right(self, family: str) -> bool:
        """Return True where the family was measured and is not low."""
        return family in self.readings and not self.readings[family].low

    def value(self, metric: str) -> float:
        """Return the mean, NaN where there is none."""
        row = self.rows.get(metric)
        return nan if row is None or row.candidate is None else row.candidate

    def change(self, metric: str) -> float:
        """Return the change of the mean, NaN where it is not known."""
        row = self.rows.get(metric)
        return nan if row is None or row.change is None else row.change

    @property
    def lost(self) -> bool:
        """Whether more got worse than luck explains: single answers change from run to run."""
        return any(
            row.verdict in LOST or (row.exact and row.worse > row.better) for row in self._all_rows
        )

    @property
    def all_low(self) -> bool:
        """Whether retrieval and at least two answer metrics are below half."""
        answers = [self.readings[name] for name in _OF_ANSWERS if name in self.readings]
        if "hits" not in self.readings or len(answers) < len(_OF_ANSWERS) - 1:
            return False
        return all(reading.mean < _ALL_LOW for reading in (self.readings["hits"], *answers))

    @property
    def fallen_citations(self) -> str:
        fallen = [name for name in _CITATIONS if self.change(name) <= -_RISE]
        return "; ".join(f"{self.rows[name].metric} {self.change(name):+.3f}" for name in fallen)

    @cached_property
    def unscored(self) -> list[MetricRow]:
        """The metrics of which too much was not measured."""
        return [
            row
            for row in self._all_rows
            if row.unscored_candidate
            and row.unscored_candidate / (row.n + row.unscored_candidate) > _MANY_UNSCORED
        ]

    @property
    def unscored_words(self) -> str:
        return "; ".join(
            f"{row.metric} unscored on {row.unscored_candidate} of {row.n + row.unscored_candidate}"
            for row in self.unscored
        )

    @property
    def unscored_reason(self) -> str:
        """The most frequent reason of the first metric that has one."""
        counts = (row.unscored_reasons for row in self.unscored)
        reasons = (max(each, key=each.__getitem__, default="") for each in counts)
        return next(filter(None, reasons), "the scorer gave no score")

    @property
    def of_a_judge(self) -> str:
        """What to do where one ran out of time."""
        return _OF_A_JUDGE if " within " in self.unscored_reason else ""

    @cached_property
    def flips(self) -> Diagnosis | None:
        """Where most of the worse samples were lost; None where no cause explains most of them."""
        worse = [
            row.cause.kind
            for row in self._samples
            if row.cause and row.change in ("worse", "mixed", "failed")
        ]
        if len(worse) < _MANY_FLIPS:
            return None
        kind, count = Counter(worse).most_common(1)[0]
        advice = advice_by_cause(self.advice).get(kind)
        if advice is None or count <= _MOST_FLIPS * len(worse):
            return None
        if kind in _NOISY and not self.lost:
            return None
        likely_cause, action = advice
        symptom = f"{count} of the {len(worse)} samples that got worse: {kind.value}"
        return Diagnosis(symptom=symptom, likely_cause=likely_cause, action=action)


def _answered(samples: Sequence[SampleRow]) -> bool:
    """Whether answers come back; so it is taken where no output is shown."""
    shown = [row.candidate for row in samples if row.candidate is not None]
    return not shown or any(side.answer is not None for side in shown)


class SymptomRule(NamedTuple):
    """One row of the table.

    Attributes:
        holds: Whether the symptom shows. Metrics that were not measured are neither low nor high.
        symptom, likely_cause, action: In words; what stands in braces is read off the run.
        shows: Families whose readings stand behind the symptom, where they were measured.
        beside_all_low: True where it is said although no single stage explains the run.
    """

    holds: Callable[[RunFigures], bool]
    symptom: str
    likely_cause: str
    action: str
    shows: tuple[str, ...] = ()
    beside_all_low: bool = False

    def said_of(self, run: RunFigures) -> Diagnosis:
        """Return the row as it is said of a run."""
        readings = (run.readings[name].words for name in self.shows if name in run.readings)
        symptom, shown = self.symptom.format(run=run), "; ".join(readings)
        return Diagnosis(
            symptom=f"{symptom}: {shown}" if shown else symptom,
            likely_cause=self.likely_cause.format(run=run),
            action=self.action.format(run=run),
        )


# Most telling first.
SYMPTOM_RULES = (
    SymptomRule(
        lambda run: run.lost and bool(run.changes.words),
        "the system is not the baseline's: {run.changes.words}",
        "what changed in the system: {run.changes.words}",
        "look at this first: take it back, check again, and see what is left",
        beside_all_low=True,
    ),
    SymptomRule(
        lambda run: bool(run.unscored),
        f"{UNMEASURED_SYMPTOM}: {{run.unscored_words}}",
        "{run.unscored_reason}",
        "mend that first{run.of_a_judge}",
        beside_all_low=True,
    ),
    SymptomRule(
        lambda run: run.all_low,
        "everything measured is low",
        "the corpus or its index is bad: no stage alone explains this",
        "look at what was ingested: the number of documents, their cleaned text, and "
        "whether the vectors match the embedder that asks",
        shows=("hits", "faithful", "relevant", "correct"),
        beside_all_low=True,
    ),
    SymptomRule(
        lambda run: run.value("error_rate") > _MANY_ERRORS,
        "the system fails: error_rate is {run.rows[error_rate].candidate:.3f}",
        "exceptions, timeouts or empty answers of the system under test",
        "read the errors of the failed samples; a failed sample scores worst on every "
        "quality metric, so mend this first",
    ),
    SymptomRule(
        lambda run: run.low("hits"),
        "expected documents are missed",
        "retrieval does not find the relevant documents",
        "{run.advice.find_documents}; look at chunk size and at how their text was cleaned",
        shows=("hits",),
    ),
    SymptomRule(
        lambda run: run.high("hits") and run.low("ranks"),
        "the right documents come late",
        "they are found and ranked below others",
        "add a reranker, tune the embedder or the term weights, or index titles and "
        "headings with the text",
        shows=("hits", "ranks"),
    ),
    # Faithfulness and relevancy, apart and together: they catch different failures.
    SymptomRule(
        lambda run: run.high("grounding") and run.low("relevant"),
        *BESIDE_THE_QUESTION,
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        lambda run: run.low("grounding") and run.right("relevant"),
        "answers say what the contexts do not",
        "{run.advice.made_up}{run.advice.to_right_question}",
        "{run.advice.stay_with_contexts}",
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        lambda run: run.low("grounding") and not run.right("relevant"),
        "answers say what the contexts do not",
        "{run.advice.made_up}",
        "{run.advice.stay_with_contexts}",
        shows=("grounding",),
    ),
    SymptomRule(
        lambda run: run.low("relevant") and not run.high("grounding"),
        "answers miss the question",
        "the contexts are too general, or the answer drifts off",
        "read the contexts of the worst samples; filter by metadata{run.advice.name_question}",
        shows=("relevant",),
    ),
    SymptomRule(
        lambda run: run.low("correct"),
        "answers are right in part",
        "the facts are spread over chunks or cut at their edges, or the answer is too short",
        "raise chunk overlap or size; check that the documents hold the whole answer; "
        "{run.advice.whole_answers}",
        shows=("correct",),
    ),
    # Without a judge: answers lost words of the references, and no other stage explains it.
    SymptomRule(
        lambda run: (
            run.low("overlap")
            and run.readings.keys().isdisjoint({"correct", "relevant"})
            and not (run.low("hits") or run.low("grounding"))
        ),
        "answers leave the references",
        "they leave parts out, or follow a passage about something else",
        "read the evidence of the worst samples: {run.advice.cut_short} for "
        "metadata filters, fewer chunks or a reranker",
        shows=("overlap", "grounding", "hits"),
    ),
    SymptomRule(
        lambda run: run.change("false_refusal") >= _RISE,
        "refusals rise: false_refusal is "
        "{run.rows[false_refusal].candidate:.3f}, {run.rows[false_refusal].change:+.3f}",
        "{run.advice.readily}, or the evidence no longer arrives",
        "compare with the hit rate: if that held, {run.advice.refuse_less}; "
        "if it fell, mend retrieval",
    ),
    SymptomRule(
        lambda run: run.change("refusal_recall") <= -_RISE,
        "unanswerable questions get answers: refusal_recall is "
        "{run.rows[refusal_recall].candidate:.3f}, {run.rows[refusal_recall].change:+.3f}",
        "{run.advice.unsure}",
        "{run.advice.refuse_more}",
    ),
    SymptomRule(
        lambda run: bool(run.fallen_citations),
        "citations fall: {run.fallen_citations}",
        "{run.advice.numbering}",
        "{run.advice.compare_numbering}",
    ),
    SymptomRule(
        lambda run: run.flips is not None,
        "{run.flips.symptom}",
        "{run.flips.likely_cause}",
        "{run.flips.action}",
        beside_all_low=True,
    ),
)


def symptoms(
    rows: Sequence[MetricRow],
    *,
    samples: Sequence[SampleRow] = (),
    changes: SystemChanges = NOT_COMPARED,
) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, most telling first.

    A rule speaks only where its metrics were measured. A mean counts as low below the limit of its
    family, or where the metric fell against the baseline.

    Args:
        rows: The metrics of the decision.
        samples: Changed samples with their causes, for a rule on where most flips came from.
        changes: What differs between the two systems: named first where a metric was lost.
    """
    run = RunFigures(rows, samples, changes)
    return tuple(
        rule.said_of(run)
        for rule in SYMPTOM_RULES
        if (rule.beside_all_low or not run.all_low) and rule.holds(run)
    )
