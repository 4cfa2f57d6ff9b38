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
    "; a judge that times out wants a longer timeout_s or a lower concurrency, and its finished "
    "verdicts are kept"
)


class RunFigures:
    """What was measured of a run, and what differs from the baseline's.

    Attributes:
        rows: By metric name without its cut-off; the first of each name counts.
        readings: By name of the family, those that were measured; see `metric_readings`.
        advice: What to say of whatever writes the answers.
        judges: Metrics are scored here, and not by somebody who wrote their scores into a file.
    """

    def __init__(
        self,
        rows: Sequence[MetricRow],
        samples: Sequence[SampleRow],
        changes: SystemChanges,
        *,
        judges: bool,
    ) -> None:
        self.changes, self.judges = changes, judges
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
        says: Symptom, likely cause and action, in words.
        shows: Families whose readings stand behind the symptom, where they were measured.
        beside_all_low: True where it is said although no single stage explains the run.
    """

    holds: Callable[[RunFigures], bool]
    says: Callable[[RunFigures], Diagnosis]
    shows: tuple[str, ...] = ()
    beside_all_low: bool = False


def _flipped(run: RunFigures) -> Diagnosis:
    assert run.flips is not None  # where the rule holds
    return run.flips


# Most telling first.
SYMPTOM_RULES = (
    SymptomRule(
        holds=lambda run: run.lost and bool(run.changes.words),
        says=lambda run: Diagnosis(
            symptom=f"the system is not the baseline's: {run.changes.words}",
            likely_cause=f"what changed in the system: {run.changes.words}",
            action="look at this first: take it back, check again, and see what is left",
        ),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: bool(run.unscored),
        says=lambda run: Diagnosis(
            symptom=f"{UNMEASURED_SYMPTOM}: {run.unscored_words}",
            likely_cause=run.unscored_reason,
            action=f"mend that first{_OF_A_JUDGE if run.judges else ''}",
        ),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: run.all_low,
        says=lambda _: Diagnosis(
            symptom="everything measured is low",
            likely_cause="the corpus or its index is bad: no stage alone explains this",
            action="look at what was ingested: the number of documents, their cleaned text, and "
            "whether the vectors match the embedder that asks",
        ),
        shows=("hits", "faithful", "relevant", "correct"),
        beside_all_low=True,
    ),
    SymptomRule(
        holds=lambda run: run.value("error_rate") > _MANY_ERRORS,
        says=lambda run: Diagnosis(
            symptom=f"the system fails: error_rate is {run.rows['error_rate'].candidate:.3f}",
            likely_cause="exceptions, timeouts or empty answers of the system under test",
            action="read the errors of the failed samples; a failed sample scores worst on every "
            "quality metric, so mend this first",
        ),
    ),
    SymptomRule(
        holds=lambda run: run.low("hits"),
        says=lambda run: Diagnosis(
            symptom="expected documents are missed",
            likely_cause="retrieval does not find the relevant documents",
            action=f"{run.advice.find_documents}; look at chunk size and at how their text was "
            "cleaned",
        ),
        shows=("hits",),
    ),
    SymptomRule(
        holds=lambda run: run.high("hits") and run.low("ranks"),
        says=lambda _: Diagnosis(
            symptom="the right documents come late",
            likely_cause="they are found and ranked below others",
            action="add a reranker, tune the embedder or the term weights, or index titles and "
            "headings with the text",
        ),
        shows=("hits", "ranks"),
    ),
    # Faithfulness and relevancy, apart and together: they catch different failures.
    SymptomRule(
        holds=lambda run: run.high("grounding") and run.low("relevant"),
        says=lambda _: BESIDE_THE_QUESTION,
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        holds=lambda run: run.low("grounding") and run.right("relevant"),
        says=lambda run: Diagnosis(
            symptom="answers say what the contexts do not",
            likely_cause=f"{run.advice.made_up}{run.advice.to_right_question}",
            action=run.advice.stay_with_contexts,
        ),
        shows=("grounding", "relevant"),
    ),
    SymptomRule(
        holds=lambda run: run.low("grounding") and not run.right("relevant"),
        says=lambda run: Diagnosis(
            symptom="answers say what the contexts do not",
            likely_cause=run.advice.made_up,
            action=run.advice.stay_with_contexts,
        ),
        shows=("grounding",),
    ),
    SymptomRule(
        holds=lambda run: run.low("relevant") and not run.high("grounding"),
        says=lambda run: Diagnosis(
            symptom="answers miss the question",
            likely_cause="the contexts are too general, or the answer drifts off",
            action="read the contexts of the worst samples; filter by metadata"
            f"{run.advice.name_question}",
        ),
        shows=("relevant",),
    ),
    SymptomRule(
        holds=lambda run: run.low("correct"),
        says=lambda run: Diagnosis(
            symptom="answers are right in part",
            likely_cause="the facts are spread over chunks or cut at their edges, or the answer "
            "is too short",
            action="raise chunk overlap or size; check that the documents hold the whole answer; "
            f"{run.advice.whole_answers}",
        ),
        shows=("correct",),
    ),
    # Without a judge: answers lost words of the references, and no other stage explains it.
    SymptomRule(
        holds=lambda run: (
            run.low("overlap")
            and run.readings.keys().isdisjoint({"correct", "relevant"})
            and not (run.low("hits") or run.low("grounding"))
        ),
        says=lambda run: Diagnosis(
            symptom="answers leave the references",
            likely_cause="they leave parts out, or follow a passage about something else",
            action=f"read the evidence of the worst samples: {run.advice.cut_short} for "
            "metadata filters, fewer chunks or a reranker",
        ),
        shows=("overlap", "grounding", "hits"),
    ),
    SymptomRule(
        holds=lambda run: run.change("false_refusal") >= _RISE,
        says=lambda run: Diagnosis(
            symptom="refusals rise: false_refusal is "
            f"{run.rows['false_refusal'].candidate:.3f}, {run.rows['false_refusal'].change:+.3f}",
            likely_cause=f"{run.advice.readily}, or the evidence no longer arrives",
            action=f"compare with the hit rate: if that held, {run.advice.refuse_less}; "
            "if it fell, mend retrieval",
        ),
    ),
    SymptomRule(
        holds=lambda run: run.change("refusal_recall") <= -_RISE,
        says=lambda run: Diagnosis(
            symptom="unanswerable questions get answers: refusal_recall is "
            f"{run.rows['refusal_recall'].candidate:.3f}, {run.rows['refusal_recall'].change:+.3f}",
            likely_cause=run.advice.unsure,
            action=run.advice.refuse_more,
        ),
    ),
    SymptomRule(
        holds=lambda run: bool(run.fallen_citations),
        says=lambda run: Diagnosis(
            symptom=f"citations fall: {run.fallen_citations}",
            likely_cause=run.advice.numbering,
            action=run.advice.compare_numbering,
        ),
    ),
    SymptomRule(
        holds=lambda run: run.flips is not None,
        says=_flipped,
        beside_all_low=True,
    ),
)


def symptoms(
    rows: Sequence[MetricRow],
    *,
    samples: Sequence[SampleRow] = (),
    changes: SystemChanges = NOT_COMPARED,
    judges: bool = True,
) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, most telling first.

    A rule speaks only where its metrics were measured. A mean counts as low below the limit of its
    family, or where the metric fell against the baseline.

    Args:
        rows: The metrics of the decision.
        samples: Changed samples with their causes, for a rule on where most flips came from.
        changes: What differs between the two systems: named first where a metric was lost.
        judges: As of `RunFigures`.
    """
    run = RunFigures(rows, samples, changes, judges=judges)
    return tuple(
        _diagnosis(rule, run)
        for rule in SYMPTOM_RULES
        if (rule.beside_all_low or not run.all_low) and rule.holds(run)
    )


def _diagnosis(rule: SymptomRule, run: RunFigures) -> Diagnosis:
    said = rule.says(run)
    shown = "; ".join(run.readings[name].words for name in rule.shows if name in run.readings)
    return said.amended(symptom=f"{said.symptom}: {shown}") if shown else said
