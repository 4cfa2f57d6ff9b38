"""Keywords, sources and policies: what is asked of an answer besides being right."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import regex
from pydantic import AfterValidator, Field

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts, unanswerable
from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.segmentation import level, units, whole_words
from ragate.core.text.unicode_forms import normalised, visible
from ragate.core.text.wording import listed
from ragate.core.text.words import without_markers
from ragate.guards.escape import one_line
from ragate.metrics._claims import phrases_held, quotes, worded_sentences
from ragate.metrics._identity import takes
from ragate.metrics._sample_metric import Explained, SampleMetric, ValueOrReason, sample_metric
from ragate.models import Frozen, Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

Match = Literal["words", "part"]
_MOST_NAMED = 5


class KeywordSettings(Frozen):
    """Keys of answer_keywords.

    Attributes:
        match: ``words``: a keyword stands as whole words; ``part``: also inside of words, so that
            *383* stands in *383.3* and *refund* in *refunds*.
    """

    match: Match = "words"


@takes(KeywordSettings)
def answer_keywords(request: MetricRequest, settings: KeywordSettings) -> SampleMetric:
    """Return answer_keywords: the share of the sample's keywords that the answer mentions.

    Formula: keywords of which a spelling stands in the answer / all keywords; case, punctuation and
    citation markers do not count. Range [0, 1], a fraction, higher is better. Version 1.
    Edge cases: no keywords or unanswerable: not applicable.
    Source: this project.
    """
    written = _FORMS[settings.match]

    def mentioned(sample: Sample, output: SystemOutput) -> Explained:
        answer = written(without_markers(output.answer or ""))
        missing = [
            spellings[0]
            for spellings in sample.answer_keywords
            if not any(written(one) in answer for one in spellings)
        ]
        total = len(sample.answer_keywords)
        because = f"missing: {listed(missing, most=_MOST_NAMED)}" if missing else ""
        return Explained((total - len(missing)) / total, because)

    return sample_metric(request, mentioned, exclude=_without_keywords, settings=settings)


def _without_keywords(sample: Sample) -> str:
    return unanswerable(sample) or ("" if sample.answer_keywords else "no keywords")


def _as_letters(text: str) -> str:
    return " ".join(level(visible(text)).split())


_FORMS: dict[Match, Callable[[str], str]] = {"words": whole_words, "part": _as_letters}


def allowed_sources(request: MetricRequest) -> SampleMetric:
    """Return allowed_sources: 1 where no retrieved document is forbidden, nor outside the allowed.

    Formula: 1[every retrieved document fits a pattern of ``allowed``, where there is one, and none
    of ``forbidden``]; a star in a pattern stands for any characters. All that was retrieved counts,
    cited or not, also what a reranker then dropped: the answer's model may have read it. Range
    {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 1, since nothing came through; neither allowed nor forbidden
    documents: not applicable; an unanswerable question counts.
    Source: this project.
    """
    return sample_metric(request, _lets_through, exclude=_without_sources, reads=Reads.RETRIEVAL)


def _without_sources(sample: Sample) -> str:
    policy = sample.source_policy
    named = policy is not None and (policy.allowed or policy.forbidden)
    return "" if named else "no allowed or forbidden sources"


def _lets_through(sample: Sample, output: SystemOutput) -> Explained:
    policy = sample.source_policy
    assert policy is not None, "excluded otherwise"
    found = dict.fromkeys([*ranked_doc_ids(output.chunks), *(output.first_stage or ())])
    banned = [doc_id for doc_id in found if _fits_any(policy.forbidden, doc_id)]
    foreign = [
        doc_id for doc_id in found if policy.allowed and not _fits_any(policy.allowed, doc_id)
    ]
    reasons = [
        f"{what}: {listed(docs, most=_MOST_NAMED)}"
        for what, docs in (("forbidden", banned), ("not among the allowed", foreign))
        if docs
    ]
    return Explained(float(not reasons), "; ".join(reasons))


def _fits_any(patterns: Sequence[str], doc_id: str) -> bool:
    return any(_fits(pattern, doc_id) for pattern in patterns)


def _fits(pattern: str, doc_id: str) -> bool:
    """Tell whether an id fits; each part is looked for once, so that many stars cost nothing."""
    first, *rest = pattern.split("*")
    if not rest:
        return doc_id == pattern
    *inner, last = rest
    if not doc_id.startswith(first):
        return False
    at = len(first)
    for part in inner:
        at = doc_id.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(doc_id) - at >= len(last) and doc_id.endswith(last)


TIMEOUT_S = 1.0  # for one pattern on one answer; on a few kilobytes a sane one takes microseconds
NO_PATTERN = "policy_patterns has neither `forbidden` nor `required` patterns"


def _compiled(text: str) -> str:
    try:
        regex.compile(text, regex.IGNORECASE)
    except regex.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from error
    return text


Pattern = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(_compiled)]
Patterns = Mapping[str, Any]


class PatternSettings(Frozen):
    """Keys of policy_patterns.

    Attributes:
        forbidden: Regular expressions that no answer may hold, by the rule's name.
        required: Likewise, such as every answer to an answerable question has to hold.
    """

    forbidden: dict[str, Pattern] = {}
    required: dict[str, Pattern] = {}


@takes(PatternSettings)
def policy_patterns(request: MetricRequest, settings: PatternSettings) -> SampleMetric:
    """Return policy_patterns: the share of the policy's patterns that the answer keeps to.

    Formula: (forbidden patterns that are not found + required ones that are) / all patterns; case,
    width and invisible characters do not count. Range [0, 1], a fraction, higher is better.
    Version 1.
    Edge cases: an unanswerable question has no required patterns, and without forbidden ones it is
    not applicable; a pattern that takes longer than a second on an answer: unscored; no pattern at
    all: unscored, and an error where the policy names the metric.
    Source: this project.
    """
    forbidden, required = _made(settings.forbidden), _made(settings.required)

    def kept(sample: Sample, output: SystemOutput) -> ValueOrReason:
        wanted = required if sample.answerable else {}
        if not (forbidden or wanted):
            return NO_PATTERN
        answer = normalised("NFKC", visible(output.answer or ""))
        try:
            held = [name for name, one in forbidden.items() if _holds(one, answer)]
            missing = [name for name, one in wanted.items() if not _holds(one, answer)]
        except TimeoutError:
            return f"a pattern took longer than {TIMEOUT_S:g} s on this answer"
        total = len(forbidden) + len(wanted)
        broken = [f"holds {name}" for name in held] + [f"lacks {name}" for name in missing]
        return Explained((total - len(broken)) / total, listed(broken, most=_MOST_NAMED))

    def exclude(sample: Sample) -> str:
        only_required = bool(required) and not forbidden
        return "unanswerable question" if only_required and not sample.answerable else ""

    metric = sample_metric(request, kept, exclude=exclude, settings=settings)
    return metric if forbidden or required else replace(metric, unusable=NO_PATTERN)


def _made(patterns: Mapping[str, str]) -> Patterns:
    return {name: regex.compile(text, regex.IGNORECASE) for name, text in patterns.items()}


def _holds(pattern: Any, answer: str) -> bool:
    return pattern.search(answer, timeout=TIMEOUT_S) is not None


_SHOWN = 120


class SourceSettings(Frozen):
    """Keys of source_policy.

    Attributes:
        lead_in: Words that may stand around the quotations of a sentence under ``quote_only``.
        longest_copy: Words in a row that an answer may share with a context under ``summarise``.
    """

    lead_in: int = Field(default=8, ge=0, le=100)
    longest_copy: int = Field(default=15, ge=3, le=1000)


@takes(SourceSettings)
def source_policy(request: MetricRequest, settings: SourceSettings) -> SampleMetric:
    """Return source_policy: how much of the answer keeps to the form of the sample's policy.

    Formula: under ``quote_only`` sentences that stand in a context whole, or whose quotations do
    with at most ``lead_in`` words around them / all sentences; under ``summarise`` words that stand
    in no run of more than ``longest_copy`` words of a context / all words. Range [0, 1], a
    fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 0; an answer without words 0; chunks without texts: unscored; a
    policy without a form, none at all, or an unanswerable question: not applicable.
    Source: this project.
    """

    def kept(sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        contexts = [units(chunk.text) for chunk in output.chunks]
        policy = sample.source_policy
        if not contexts or policy is None:
            return Explained(0.0, "nothing was retrieved")
        if policy.form == "quote_only":
            return _quoted(output.answer or "", contexts, settings.lead_in)
        return _in_own_words(output.answer or "", contexts, settings.longest_copy)

    return sample_metric(request, kept, exclude=_without_form, settings=settings)


def _without_form(sample: Sample) -> str:
    formed = sample.source_policy is not None and sample.source_policy.form is not None
    return unanswerable(sample) or ("" if formed else "no form in a source policy")


def _quoted(answer: str, contexts: Sequence[list[str]], lead_in: int) -> Explained:
    sentences = [without_markers(sentence) for sentence in worded_sentences(answer)]
    phrases: list[list[str]] = []
    places: list[tuple[int, int]] = []
    for sentence in sentences:
        wanted = [units(sentence)]
        spans = quotes(sentence)
        if spans and len(wanted[0]) - sum(map(len, spans)) <= lead_in:
            wanted = spans
        places.append((len(phrases), len(phrases) + len(wanted)))
        phrases += wanted
    held = phrases_held(phrases, contexts)
    good = [all(held[start:end]) for start, end in places]
    if all(good):
        return Explained(float(bool(good)), "")
    own = sentences[good.index(False)]
    return Explained(sum(good) / len(good), f"no quotation: {one_line(own, _SHOWN)}")


def _in_own_words(answer: str, contexts: Sequence[list[str]], longest: int) -> Explained:
    said = units(without_markers(answer))
    run = longest + 1
    known = {
        tuple(words[at : at + run]) for words in contexts for at in range(len(words) - longest)
    }
    copied: set[int] = set()
    for start in range(len(said) - longest):
        if tuple(said[start : start + run]) in known:
            copied.update(range(start, start + run))
    if not copied:
        return Explained(float(bool(said)), "")
    first = min(copied)
    text = one_line(" ".join(said[first : first + run]), _SHOWN)
    return Explained(1 - len(copied) / len(said), f"copied: {text}")
