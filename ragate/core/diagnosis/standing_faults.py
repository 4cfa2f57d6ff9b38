"""What is wrong with single samples as they stand, whether or not it was so before."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ragate.core.diagnosis.advice import Advice
from ragate.core.statistics.interval import difference_interval
from ragate.core.text.wording import listed
from ragate.models import Diagnosis, Direction, MetricInfo, MetricRow, MetricVerdict, Record

Readings = Mapping[str, float]  # by family, from 0 (worst) to 1 (best)
_LATE = 0.34  # reciprocal rank of the third place and below
_NAMED = 3
_AS_BEFORE = "no more samples than in the baseline are proven to have it: not of this change"
_FAILS = "fails"
LOST = frozenset({MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE})
_FALL = 0.05
_GRADE_STEPS = 4.0  # from 1 to 5


class _Fault(NamedTuple):
    """One row of the table; the first that holds is the sample's.

    Attributes:
        holds: From the readings of a sample. What was not measured is neither low nor right.
        symptom, likely_cause, action: In words; what stands in braces is the `Advice`'s.
    """

    holds: Callable[[Readings], bool]
    symptom: str
    likely_cause: str
    action: str


def _low(readings: Readings, family: str) -> bool:
    return family in readings and readings[family] < FAMILIES[family].limit


def _right(readings: Readings, family: str) -> bool:
    return family in readings and not _low(readings, family)


def _made_up(readings: Readings) -> bool:
    return _low(readings, "faithful") or _low(readings, "numbers")


# Symptom, likely cause and action.
BESIDE_THE_QUESTION = (
    "true to the contexts, beside the question",
    "retrieval brings passages about something else, and the answer follows them",
    "improve how queries match documents: metadata filters, fewer chunks, a reranker",
)
FAULTS = (
    _Fault(
        lambda sample: _FAILS in sample,
        "the system fails",
        "an exception, a timeout or an empty answer",
        "read the error; nothing else about the sample means anything yet",
    ),
    _Fault(
        lambda sample: sample.get("hits") == 0,
        "no expected document is retrieved",
        "retrieval misses it, or it is not in the corpus",
        "{advice.find_documents}; look at chunk size and titles",
    ),
    _Fault(
        lambda sample: _made_up(sample) and _low(sample, "relevant"),
        "neither true to the contexts nor to the point",
        "the contexts do not hold the answer",
        "read the contexts first, then the answer",
    ),
    _Fault(
        _made_up,
        "the answer says what the contexts do not",
        "{advice.made_up}",
        "{advice.stay_with_contexts}",
    ),
    _Fault(
        lambda sample: _right(sample, "faithful") and _low(sample, "relevant"),
        *BESIDE_THE_QUESTION,
    ),
    _Fault(
        lambda sample: _low(sample, "correct"),
        "the answer is right in part or wrong, with nothing else to see",
        "facts are cut at the edges of chunks, the answer is too short, or the reference is old",
        "check that the documents hold the whole answer; {advice.whole_answers}",
    ),
    _Fault(
        lambda sample: sample.get("ranks", 1.0) < _LATE,
        "the expected documents come third or later",
        "they are found and ranked below others",
        "add a reranker, tune the embedder or the term weights",
    ),
)


def standing_faults(
    candidate: Iterable[Record],
    baseline: Iterable[Record],
    infos: Mapping[str, MetricInfo],
    advice: Advice,
) -> tuple[Diagnosis, ...]:
    """Return a row for each fault that samples have, most of them first.

    Args:
        candidate, baseline: Records of all passes that decide.
        infos: The candidate's metrics.
    """
    now = _faults(candidate, infos)
    before = _faults(baseline, infos) if any(found is not None for found in now.values()) else {}
    counted = Counter(found for found in now.values() if found is not None)
    return tuple(
        _standing(number, now, before, advice)
        for number, _ in sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    )


def _standing(
    number: int, now: Mapping[str, int | None], before: Mapping[str, int | None], advice: Advice
) -> Diagnosis:
    """Return the row of one fault: who has it, and whether more have it than in the baseline."""
    fault = FAULTS[number]
    samples = [name for name, found in now.items() if found == number]
    already = sum(before.get(name) == number for name in samples)
    as_before = f", {already:,} of them in the baseline as well" if already else ""
    counts = f"{len(samples):,} of {len(now):,} samples as they stand{as_before}"

    moves = [
        (before[name] == number) - (found == number)
        for name, found in now.items()
        if name in before
    ]
    is_old = moves and difference_interval(np.array(moves, float))[1] >= 0
    return Diagnosis(
        symptom=f"{counts}: {fault.symptom}: {listed(samples, most=_NAMED)}",
        likely_cause=_AS_BEFORE if is_old else fault.likely_cause.format(advice=advice),
        action=fault.action.format(advice=advice),
    )


def fault_of(records: Sequence[Record], infos: Mapping[str, MetricInfo], advice: Advice) -> str:
    """Return what is wrong with one sample and what to do, "" where nothing is."""
    found = next(iter(_faults(records, infos).values()), None)
    if found is None:
        return ""
    _, symptom, likely_cause, action = FAULTS[found]
    return f"{symptom}: {likely_cause}. {action}".format(advice=advice)


def _faults(records: Iterable[Record], infos: Mapping[str, MetricInfo]) -> dict[str, int | None]:
    """Return the number of the fault of each sample, by the means over its passes."""
    measured: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    chosen = _chosen(infos)
    for record in records:
        of_sample = measured[record.sample_id]
        if record.output.error is not None and record.output.error.kind == "system":
            of_sample[_FAILS].append(0.0)
        for family, info in chosen.items():
            score = record.scores.get(info.name)
            if score is not None and score.value is not None:
                of_sample[family].append(info.goodness(score.value))
    return {
        name: _fault({family: sum(found) / len(found) for family, found in values.items()})
        for name, values in measured.items()
    }


def _fault(readings: Readings) -> int | None:
    return next((number for number, fault in enumerate(FAULTS) if fault.holds(readings)), None)


def _chosen(infos: Mapping[str, MetricInfo]) -> dict[str, MetricInfo]:
    """Return the metric of each family that is read: the first that was measured."""
    by_base = {name.partition("@")[0]: info for name, info in reversed(list(infos.items()))}
    return {
        family: info
        for family, (metrics, _) in FAMILIES.items()
        if (info := next((by_base[name] for name in metrics if name in by_base), None))
    }


class MetricFamily(NamedTuple):
    """Metrics that say the same of a run: the first that was measured is read.

    Attributes:
        limit: A mean below it is low, on a scale from 0 (worst) to 1 (best).
    """

    metrics: tuple[str, ...]
    limit: float


FAMILIES = {
    "hits": MetricFamily(("hit_rate", "recall"), 0.5),
    "ranks": MetricFamily(("mrr", "ndcg", "map"), 0.5),
    "faithful": MetricFamily(("faithfulness", "faithfulness_binary", "lexical_support"), 0.7),
    "numbers": MetricFamily(("unsupported_numbers",), 0.7),
    "relevant": MetricFamily(("relevancy", "answer_relevancy"), 0.7),
    "correct": MetricFamily(("correctness", "correctness_binary"), 0.6),
    # Words of the reference: their level says little, for a right answer may use its own words.
    "overlap": MetricFamily(("idf_f1", "token_f1", "rouge_l"), 0.0),
}


class Reading(NamedTuple):
    """One metric's mean on a scale where 0 is worst and 1 best, and whether it is low or fell."""

    row: MetricRow
    mean: float
    fell: bool
    low: bool

    @property
    def words(self) -> str:
        row = self.row
        words = f"{row.metric} is {row.candidate:.3f}"
        return f"{words}, {row.change:+.3f}" if self.fell and row.change is not None else words


def metric_readings(rows: Mapping[str, MetricRow]) -> dict[str, Reading]:
    """Return the reading of each family that was measured.

    Under "grounding" stands what is low of the two: faithfulness, or numbers that no context holds.
    """
    readings = {name: _read(rows, family) for name, family in FAMILIES.items()}
    faithful, numbers = readings["faithful"], readings["numbers"]
    made_up = numbers and numbers.low and not (faithful and faithful.low)
    readings["grounding"] = numbers if made_up else faithful
    return {name: reading for name, reading in readings.items() if reading}


def _read(rows: Mapping[str, MetricRow], family: MetricFamily) -> Reading | None:
    for name in family.metrics:
        row = rows.get(name)
        if row is not None and row.candidate is not None:
            mean, fell = _family_scaled(row, row.candidate), _fell(row)
            return Reading(row, mean, fell, low=fell or mean < family.limit)
    return None


def _family_scaled(row: MetricRow, value: float) -> float:
    scaled = (value - 1) / _GRADE_STEPS if row.unit == "grade" else value
    return 1 - scaled if row.direction is Direction.LOWER else scaled


def _fell(row: MetricRow) -> bool:
    if row.verdict in LOST:
        return True
    if row.baseline is None or row.candidate is None or not row.exact:
        return False
    return _family_scaled(row, row.baseline) - _family_scaled(row, row.candidate) >= _FALL
