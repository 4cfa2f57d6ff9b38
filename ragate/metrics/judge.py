"""By a judge: what a judge model is asked about an answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.criteria import ALL_CRITERIA, Criterion
from ragate.core.judging.own_criterion import OwnCriterion, identity, is_own
from ragate.core.text.words import markers
from ragate.errors import ConfigError
from ragate.metrics._identity import (
    NoSettings,
    base_name,
    fingerprint,
    metric_info,
    no_cut_off,
    own_settings,
    takes,
)
from ragate.metrics._sample_metric import SampleMetric, count_of_checked
from ragate.models import (
    Direction,
    Frozen,
    MetricInfo,
    Needs,
    Reads,
    Score,
    ScoreState,
    not_applicable,
    unscored,
)
from ragate.protocols import MetricRequest, Pair

VERSION = 1


@dataclass(frozen=True)
class JudgedMetric:
    """A metric that only names what is asked of the judge.

    Attributes:
        criterion: The judge's word for it; a metric of this package is named as its criterion.
        checked: Of a metric on a part of an answer: the count of the samples that held it.
    """

    info: MetricInfo
    criterion: str
    state: dict[str, float] = field(default_factory=dict)
    checked: SampleMetric | None = None

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        """Return one unscored score a pair: there is no value without a judge."""
        return [unscored(self.info.name, "a judge gives these scores")] * len(pairs)


def judged_metric(request: MetricRequest, *, version: int = VERSION) -> JudgedMetric:
    """Return the metric of the criterion that has its name."""
    asked = ALL_CRITERIA[base_name(request)]
    return _asking(request, asked, own_settings(request, NoSettings), version)


def _asking(
    request: MetricRequest, criterion: Criterion, settings: Frozen, version: int
) -> JudgedMetric:
    no_cut_off(request)
    info = MetricInfo(
        name=request.name,
        version=version,
        low=criterion.low,
        high=criterion.high,
        unit=criterion.unit,
        direction=Direction.LOWER if criterion.lower_is_better else Direction.HIGHER,
        reads=Reads.ANSWER,
        needs=Needs.JUDGE,
        fingerprint=fingerprint(request, version=version, settings=settings),
    )
    return JudgedMetric(info=info, criterion=criterion.name)


def faithfulness(request: MetricRequest) -> JudgedMetric:
    """Return faithfulness: the share of the answer's claims that a context supports.

    Formula: supported claims / all claims. The judge splits the answer into claims; every sentence
    must come back with a claim or as one that claims nothing, so that leaving a claim out raises no
    score. Contradicted and absent claims count alike. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: nothing retrieved, or an answer that claims nothing (a refusal of an answerable
    question included) 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: Es et al., RAGAS, EACL 2024, with claim ids.
    """
    return judged_metric(request)


def faithfulness_binary(request: MetricRequest) -> JudgedMetric:
    """Return faithfulness_binary: 1 where a context supports any claim of the answer, else 0.

    Formula: 1[supported claims > 0]. Lenient on purpose: it sees an answer made up as a whole, not
    one wrong detail; faithfulness sees both. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: as for faithfulness.
    Source: the semantics of LlamaIndex's FaithfulnessEvaluator.
    """
    return judged_metric(request)


def correctness(request: MetricRequest) -> JudgedMetric:
    """Return correctness: the judge's grade of the answer against the references.

    Formula: a grade in halves, against the reference that suits the answer best: 5 says all that
    the reference says, 4 is right with a slip, 3 lacks something that was asked for, 2 is mostly
    wrong, 1 is wrong or no answer. More detail is no fault, and contexts do not count. Range
    [1, 5], a grade, higher is better; 4 is the usual pass mark (`pass_at`). Version 1.
    Edge cases: no reference or unanswerable: not applicable.
    Source: the scale of LlamaIndex's CorrectnessEvaluator.
    """
    return judged_metric(request)


def correctness_binary(request: MetricRequest) -> JudgedMetric:
    """Return correctness_binary: 1 where the answer agrees with a reference on what was asked.

    Formula: the judge's true or false. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: no reference or unanswerable: not applicable.
    Source: this project.
    """
    return judged_metric(request)


def semantic_similarity(request: MetricRequest) -> JudgedMetric:
    """Return semantic_similarity: the cosine between the vectors of answer and reference.

    Formula: the largest cosine over the references, a negative one as 0. Range [0, 1], a fraction,
    higher is better; what counts as near depends on the embedding model. Version 1.
    Edge cases: no reference or unanswerable: not applicable; a vector of zeros: unscored.
    Source: LlamaIndex's SemanticSimilarityEvaluator.
    """
    return judged_metric(request)


def relevancy(request: MetricRequest) -> JudgedMetric:
    """Return relevancy: 1 where the answer addresses what was asked, else 0.

    Formula: the judge's yes or no. A wrong answer to the right question is relevant, a true one to
    another question is not, nor is a refusal. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: unanswerable: not applicable.
    Source: the semantics of LlamaIndex's RelevancyEvaluator.
    """
    return judged_metric(request)


def answer_relevancy(request: MetricRequest) -> JudgedMetric:
    """Return answer_relevancy: the judge's points for subject and focus of the answer.

    Formula: 0, 1 or 2 points / 2; contexts and references are not looked at. Range {0, 0.5, 1}, its
    mean a fraction, higher is better. Version 1.
    Edge cases: unanswerable: not applicable.
    Source: LlamaIndex's AnswerRelevancyEvaluator.
    """
    return judged_metric(request)


def context_relevancy(request: MetricRequest) -> JudgedMetric:
    """Return context_relevancy: the judge's points for the contexts as a whole.

    Formula: 0 to 4 points (2 for the subject, 2 for sufficiency; parts of points count) / 4. Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: LlamaIndex's ContextRelevancyEvaluator; `judged_context_relevance` counts contexts.
    """
    return judged_metric(request)


def judged_context_relevance(request: MetricRequest) -> JudgedMetric:
    """Return judged_context_relevance: the share of the contexts that help with the question.

    Formula: contexts that the judge calls relevant / all contexts. Range [0, 1], a fraction, higher
    is better. Version 1.
    Edge cases: nothing retrieved 0; chunks without texts: unscored; unanswerable: not applicable.
    Source: this project; `context_relevance` is another metric, by embeddings.
    """
    return judged_metric(request)


def judged_refusal(request: MetricRequest) -> JudgedMetric:
    """Return judged_refusal: 1 where an unanswerable question is refused, or another one answered.

    Formula: 1[the judge sees a refusal = the question is unanswerable]. Unlike refusal_recall and
    false_refusal it needs no list of phrases. Range {0, 1}, its mean a fraction, higher is better.
    Version 1.
    Edge cases: an empty answer is a failed one, 0.
    Source: this project.
    """
    return judged_metric(request)


def citation_precision(request: MetricRequest) -> JudgedMetric:
    """Return citation_precision: the share of citations that support their sentence.

    Formula: citations whose context supports at least a part of the sentence / all citations,
    those that resolve to no chunk included; a context cited twice by one sentence counts once.
    Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: none that resolves 0; no marker at all: 1, and counted in
    citation_precision.checked; unanswerable: not applicable.
    Source: after Gao et al., ALCE, EMNLP 2023.
    """
    checked = count_of_checked(request, lambda output: markers(output.answer or ""))
    return replace(judged_metric(request, version=2), checked=checked)


def citation_recall(request: MetricRequest) -> JudgedMetric:
    """Return citation_recall: the share of sentences that their citations support.

    Formula: sentences whose cited contexts, taken together, support them whole / sentences with a
    word or number. Never above citation_coverage. Range [0, 1], a fraction, higher is better.
    Version 2.
    Edge cases: no marker in the text that resolves 0, also where the system reports citations apart
    from it; chunks without texts: unscored; unanswerable: not applicable.
    Source: Gao et al., ALCE, EMNLP 2023.
    """
    return judged_metric(request, version=2)


def guideline(request: MetricRequest) -> JudgedMetric:
    """Return guideline: 1 where the judge says that the answer passes the guidelines, else 0.

    Formula: one yes or no for all guidelines together; they are a key of the judge. Range {0, 1},
    its mean a fraction, higher is better. Version 1.
    Edge cases: unanswerable: not applicable.
    Source: LlamaIndex's GuidelineEvaluator.
    """
    return judged_metric(request)


@dataclass(frozen=True)
class Pairwise:
    """Implements `ragate.protocols.JudgedAggregate`."""

    info: MetricInfo
    criterion: str = PAIRWISE

    def aggregate(self, _pairs: Sequence[Pair]) -> Score:
        """Return no value: there is none without a judge."""
        return unscored(self.info.name, "a judge gives these scores")

    def combine(self, scores: Sequence[Score]) -> Score:
        """Return the mean over the samples that it applies to; None where one is unscored."""
        name = self.info.name
        judged = [score for score in scores if score.state is not ScoreState.NOT_APPLICABLE]
        if not judged:
            return not_applicable(name, "there is no answer to compare with")
        missing = [score.reason for score in judged if score.value is None]
        if missing:
            return unscored(name, f"{len(missing)} of {len(judged)} without verdict: {missing[0]}")
        values = [score.value for score in judged if score.value is not None]
        return Score(metric=name, value=sum(values) / len(values))


def pairwise(request: MetricRequest) -> Pairwise:
    """Return pairwise: the mean of 1 (better than the baseline's answer), 0.5 (even) and 0 (worse).

    Formula: the judge is asked in both orders; two judgements that differ are a tie. Below 0.5
    the baseline's answers are liked more. Range [0, 1], a fraction, higher is better, over the
    whole run: it is held against its own limits only, since a baseline has no spread beside itself.
    Version 1.
    Edge cases: equal answers 0.5, an empty one loses, both without a call; unanswerable, or a
    sample that the baseline does not hold: left out; while a baseline is recorded 0.5; a baseline
    without answers: unscored.
    Source: LlamaIndex's PairwiseComparisonEvaluator.
    """
    no_cut_off(request)
    info = metric_info(request, version=1, reads=Reads.ANSWER)
    return Pairwise(info.amended(aggregate=True, needs=Needs.JUDGE))


def tool_semantics(request: MetricRequest) -> JudgedMetric:
    """Return tool_semantics: 1 where the judge says that the calls mean what the question asks.

    Formula: the judge's yes or no on question, right calls and the calls made. Range {0, 1}, its
    mean a fraction, higher is better. Version 1.
    Edge cases: no call is right: not applicable; calls that are the right ones by tool_logic: 1
    without a question; no call made: 0; calls not reported: unscored.
    Source: Patil et al., Gorilla, NeurIPS 2024, by a judge in place of people.
    """
    return judged_metric(request)


@takes(OwnCriterion)
def criterion(request: MetricRequest, own: OwnCriterion) -> JudgedMetric:
    """Return the metric: the grade that the judge gives, on the criterion's own scale.

    Range: the scale, higher is better; of guidelines the share that are kept. Version 1.
    Edge cases: unanswerable: not applicable, but to guidelines; grounded and nothing
    retrieved: the lowest grade.

    Raises:
        ConfigError: a key is missing or wrong, or the name is none.
    """
    if not is_own(request.name):
        raise ConfigError(
            f"{request.name}: a criterion is named criterion.<name>",
            remedy="small letters, digits and _, a letter first, 40 at most",
        )
    return _asking(request, own.criterion(identity(request.name, own)), own, VERSION)
