"""Answers against their contexts: names, numbers, negations, words, citations, quotations."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import chain

from pydantic import Field

from ragate.core.conversation import conversation
from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.claims import ClaimedSentence
from ragate.core.text.discourse import NAMES_OF_VALUES, SOURCE_WORDS
from ragate.core.text.markdown import is_labelled
from ragate.core.text.number_places import (
    NumberPlace,
    NumberSources,
    claimed_places,
    without_values,
)
from ragate.core.text.numerals import is_number_word, month_of
from ragate.core.text.segmentation import are_pairs, content_words, units, words
from ragate.core.text.statements import (
    DAYS,
    Statement,
    StatementSources,
    names,
    spells_out,
    statements,
)
from ragate.core.text.vocabulary import held_together, vocabulary
from ragate.core.text.words import markers, without_markers
from ragate.metrics._claims import (
    ClaimSettings,
    citations_of,
    metric_of_claims,
    phrases_held,
    quotes,
)
from ragate.metrics._identity import takes
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason, of_a_part, sample_metric
from ragate.models import Direction, Sample, SystemOutput
from ragate.protocols import MetricRequest

OF_PAIRS = 0.5  # of the threshold, for words that are pairs of characters
LEAST_HELD = 0.5  # share of a sentence's words that the passage it cites has to hold
_VALUE = re.compile(r"v?\d")  # a number, or a version
LEAST_LEAD = 0.8  # of what the best of the passages that it does not cite holds


def _texts(sample: Sample, output: SystemOutput) -> list[str]:
    """Return what may bear a claim out: the contexts and what was asked."""
    return [*(chunk.text for chunk in output.chunks), conversation(sample)]


@takes(ClaimSettings)
def entity_support(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return entity_support: the share of the answer's names that stand in contexts or question.

    Formula: |E(answer) and T(contexts and question)| / |E(answer)|, T the words, E the distinct
    words of capitalised terms, headings included; the first word of a sentence is one where it
    would be capitalised anywhere. Months and units beside a number are values, and no names. In an
    answer without capitals, and in scripts that have none, E is all words that carry content. Case
    does not count, nor an ending of one or two letters; a short form is known where words in a row
    begin with its letters (NZ), a day by its short name. Range [0, 1], a fraction, higher is
    better. Version 4.
    Edge cases: nothing retrieved: the question alone supports; no name: 1, and counted in
    entity_support.checked; a name from elsewhere in the contexts is supported; chunks without
    texts: unscored; unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 2 of 2 (moon, earth).
    Source: this project; after Nan et al., Entity-level factual consistency, EACL 2021 (precision
    against the source), without their tagger.
    """

    def support(entities: Sequence[str], sample: Sample, output: SystemOutput) -> float:
        texts = _texts(sample, output)
        known = vocabulary(texts)
        unknown = [
            one
            for one in entities
            if not any(map(known.__contains__, DAYS.get(one, (one,))))
            and not spells_out(" ".join(texts), one)
        ]
        if any(map(month_of, unknown)):
            sources = NumberSources(texts)
            unknown = [one for one in unknown if not sources.has_month(one)]
        return (len(entities) - len(unknown)) / len(entities)

    return metric_of_claims(
        request,
        lambda output: _entities(settings.claims(output)),
        support,
        called="names",
        version=4,
        settings=settings,
    )


def _entities(said: Sequence[ClaimedSentence]) -> list[str]:
    plain = [claim for claim in said if not claim.is_label]
    # A lead such as "According to it," makes the letter behind it small, and tells of no other.
    styles = (c.whole if c.text[:1].isalpha() else c.text for c in plain)
    if any(map(str.isupper, without_markers(" ".join(styles)))):
        found = [names(without_markers(c.whole), is_label=c.is_label) for c in said]
    else:
        of_labels = (names(c.text, is_label=True) for c in said if c.is_label)
        bare = (without_values(without_markers(c.text)) for c in plain)
        found = [*map(content_words, bare), *of_labels]
    return [one for one in dict.fromkeys(chain.from_iterable(found)) if not _VALUE.match(one)]


@takes(ClaimSettings)
def number_unit_support(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return number_unit_support: the share of numbers that the contexts hold, with unit and place.

    Formula: share of the numbers n (as in number_recall, no citations, no list items) that stand
    in contexts or question with the same unit where fit(n) >= 0.8 fit(m) or fit(n) >= fit(m) - 0.15
    for any other number m of the same kind there, or are one of theirs in another unit of the
    family, converted and rounded to the figures of n, two at least. If the answer says m as well,
    both together have to fit better the other way round. The fit of two places is the sum of 1/d
    1/e over the content words that stand d and e words from the number, at most six, half of it in
    another clause; a sign for a unit, such as % or $, is a word next to it. In a cell the head of
    its column and the first cell of its row are such words, and to a few words by themselves the
    heading, term or item above. Range [0, 1], a fraction,
    higher is better. Version 5.
    Edge cases: "at most 5" is not "at least 5" (by a list of bounds in seven languages); a number
    without a unit on one side fits any; what is counted instead of a unit may
    have another name, unless the sources count that as well; "per" differs where both sides say it;
    a computed number counts as unsupported; words beside more than 100 numbers are
    left out; no words around a number: it only has to stand there; no number: 1, and counted in
    number_unit_support.checked; chunks without texts: unscored; unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 1 of 1 (converted).
    Source: this project.
    """

    def support(claimed: Sequence[NumberPlace], sample: Sample, output: SystemOutput) -> float:
        sources = NumberSources(_texts(sample, output))
        return sum(sources.held(claimed)) / len(claimed)

    return metric_of_claims(
        request,
        partial(_numbers, settings),
        support,
        called="numbers",
        version=5,
        settings=settings,
    )


def _numbers(settings: ClaimSettings, output: SystemOutput) -> list[NumberPlace]:
    """Return the numbers that an answer claims, in order."""
    said = (without_markers(claim.figures) for claim in settings.claims(output))
    return [place for text in said for place in claimed_places(text)]


@takes(ClaimSettings)
def unsupported_numbers(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return unsupported_numbers: the share of numbers that neither contexts nor question hold.

    Formula: |N(answer) - N(contexts) - N(question)| / |N(answer)|, N the distinct numbers as in
    number_recall, without citations and list items; one in another unit is the same where it is
    converted and rounded. Range [0, 1], a fraction, lower is better. Version 7.
    Edge cases: a number that is computed rather than quoted counts as unsupported; an answer
    without numbers: 0, and counted in unsupported_numbers.checked; chunks without texts: unscored;
    unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 0 of 1.
    Source: this project.
    """

    def distinct(output: SystemOutput) -> list[NumberPlace]:
        claimed = {place.numeral.readings: place for place in _numbers(settings, output)}
        return list(claimed.values())

    def unsupported(claimed: Sequence[NumberPlace], sample: Sample, output: SystemOutput) -> float:
        sources = NumberSources(_texts(sample, output))
        return sum(not sources.state(place) for place in claimed) / len(claimed)

    return metric_of_claims(
        request,
        distinct,
        unsupported,
        called="numbers",
        version=7,
        settings=settings,
        direction=Direction.LOWER,
    )


@takes(ClaimSettings)
def polarity(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return polarity: the share of sentences that agree with a context on what is negated.

    Formula: of the sentences of which at least half of the content words stand in one sentence of
    a context, the share that agrees with the nearest one: each negation of either has one in the
    other among the words around it (one before, three behind); a negation of the context counts
    only where half of those words are said. Negations of 17 languages are known by list, and words
    that hold one, such as impossible. Range [0, 1], a fraction, higher is better. Version 5.
    Edge cases: no sentence is near enough to one of a context: 1, and counted in polarity.checked;
    opposites that are no negations (allowed, forbidden) are not seen, nor double negation; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """

    def paired(output: SystemOutput) -> list[tuple[Statement, Statement]]:
        sources = StatementSources(chunk.text for chunk in output.chunks)
        said = [one for sentence in settings.bare(output) for one in statements(sentence)]
        pairs = [(one, sources.nearest(one)) for one in said]
        return [(one, source) for one, source in pairs if source is not None]

    def agreement(
        pairs: Sequence[tuple[Statement, Statement]], _sample: Sample, _output: SystemOutput
    ) -> float:
        return sum(one.agrees_with(source) for one, source in pairs) / len(pairs)

    return metric_of_claims(
        request,
        paired,
        agreement,
        called="sentences near one of a context",
        version=5,
        settings=settings,
    )


@takes(ClaimSettings)
def word_precision(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return word_precision: the share of the answer's content words that its contexts hold.

    Formula: mean of |C(answer) and T(contexts)| / |C(answer)|, T the words, C the distinct words
    without those of grammar, of talk about sources, of values, which have metrics of their own, and
    of what they are called ("Price:"),
    and of the mean over its sentences s, weighted by |C(s)|, of the largest share of C(s) in two
    neighbouring sentences of one context. Sentences that assert nothing are left out: questions,
    offers, greetings, labels. An ending of one or two letters does not count. Range [0, 1], a
    fraction, higher is better. Version 3.
    Edge cases: nothing retrieved: 0; an answer without such a word: 1, since nothing of it could
    stand elsewhere; chunks without texts: unscored; unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 3 of 4 (away is not there),
    and of the sentences 3 of 3 and 0 of 1: .75.
    Source: K-precision of Adlakha et al., TACL 2024, over content words; the half that asks for
    neighbours is this project's.
    """

    def precision(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        said = [one for sentence in settings.bare(output) if (one := _claimed_words(sentence))]
        if not said:
            return 1.0
        texts = [chunk.text for chunk in output.chunks]
        apart = vocabulary(texts).share(frozenset[str]().union(*said))
        together = sum(held_together(one, texts) * len(one) for one in said)
        return (apart + together / sum(map(len, said))) / 2

    return sample_metric(request, precision, version=3, settings=settings)


def _claimed_words(sentence: str) -> frozenset[str]:
    """Return the words of a sentence that carry content, without numbers and talk of sources.

    What a value is called before a colon ("Price: ") says no more than the value.
    """
    left_out = SOURCE_WORDS | NAMES_OF_VALUES if is_labelled(sentence) else SOURCE_WORDS
    return frozenset(
        word
        for word in content_words(without_values(sentence))
        if not (word[0].isdigit() or is_number_word(word) or word in left_out)
    )


class LexicalSettings(ClaimSettings):
    """Keys of lexical_support.

    Attributes:
        threshold: Share of a sentence's words that the contexts must hold.
    """

    threshold: float = Field(default=0.8, gt=0, le=1)


@takes(LexicalSettings)
def lexical_support(request: MetricRequest, settings: LexicalSettings) -> SampleMetric:
    """Return lexical_support: the share of answer sentences whose words the contexts hold.

    Formula: share of sentences s with |T(s) and T(contexts)| / |T(s)| >= threshold, T the distinct
    words without values and talk about sources, s a sentence that asserts something; half of the
    threshold where most of them are pairs of characters, as in Chinese, Japanese
    and Korean: other words share fewer. A tripwire, not a proof: it sees an answer that left its
    sources, not a wrong claim made of their words. Range [0, 1], a fraction, higher is better.
    Version 7.
    Edge cases: nothing retrieved, or no words in the answer: 0; nothing but values, which have
    metrics of their own: 1; chunks without texts: unscored; unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 1 of 2.
    Source: this project; token precision as in Adlakha et al., TACL 2024 (K-precision).
    """

    def support(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        bare = settings.bare(output)
        said = [one for sentence in bare if (one := _said(sentence))]
        if not said:
            return float(any(map(claimed_places, bare)))
        known = vocabulary(chunk.text for chunk in output.chunks)
        supported = [
            known.share(one) >= settings.threshold * (OF_PAIRS if are_pairs(one) else 1) - 1e-9
            for one in said
        ]
        return sum(supported) / len(supported)

    return sample_metric(request, support, version=7, settings=settings)


def _said(sentence: str) -> set[str]:
    """Return the words of a sentence; of talk about sources only where it has no others."""
    every = set(words(without_values(sentence)))
    return every - SOURCE_WORDS or every


def citation_validity(request: MetricRequest) -> SampleMetric:
    """Return citation_validity: the share of citations that lead to a retrieved chunk.

    Formula: share of the citations n with 1 <= n <= number of chunks; those the system reports
    where it does, else those of the answer: `[n]`, `[^n]`, `【n】`, `[source n]`, the name of a
    chunk's document, (n) and links where they number its passages. Range [0, 1], a fraction, higher
    is better. Version 3.
    Edge cases: an answer without any citation: 1, and counted in citation_validity.checked;
    unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 1 of 2.
    Source: this project.
    """

    def validity(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        cited = citations_of(output)
        return sum(1 <= number <= len(output.chunks) for number in cited) / len(cited)

    metric = sample_metric(request, validity, version=3)
    return of_a_part(metric, request, citations_of, called="citations")


@takes(ClaimSettings)
def citation_support(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return citation_support: the share of citations whose passage says what their sentence says.

    Formula: of the citations [n] of a sentence, the share whose chunk holds h(n) >= 1/2 of its
    content words and numbers, and h(n) >= 0.8 h(m) for every chunk m that the sentence does not
    cite: what another passage would hold as well is chance. An ending of one or two letters does
    not count. Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: citations that the system reports apart from the text count where the text has none,
    and are of the whole answer; one that resolves to no chunk is not supported; an answer without
    citations: 1, and counted in citation_support.checked; chunks without texts: unscored;
    unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 1 of 2.
    Source: this project; after Gao et al., ALCE, EMNLP 2023, without their entailment model.
    """

    def cited(output: SystemOutput) -> list[tuple[frozenset[str], tuple[int, ...]]]:
        said = [(one, markers(one)) for one in settings.sentences(output)]
        if not any(numbers for _, numbers in said):
            whole = " ".join(settings.sentences(output))
            said = [(whole, list(output.citations or ()))]
        return [
            (frozenset(content_words(without_markers(text))), tuple(numbers))
            for text, numbers in said
            if numbers
        ]

    return metric_of_claims(
        request, cited, _borne_out, called="citations", version=2, settings=settings
    )


def _borne_out(
    cited: Sequence[tuple[frozenset[str], tuple[int, ...]]], _sample: Sample, output: SystemOutput
) -> float:
    passages = [vocabulary([chunk.text]) for chunk in output.chunks]
    supported: list[bool] = []
    for said, numbers in cited:
        held = {place: passage.share(said) for place, passage in enumerate(passages, start=1)}
        others = max((share for place, share in held.items() if place not in numbers), default=0.0)
        least = max(LEAST_HELD, LEAST_LEAD * others) - 1e-9
        supported += [(not said and n in held) or held.get(n, -1.0) >= least for n in numbers]
    return sum(supported) / len(supported)


@takes(ClaimSettings)
def citation_coverage(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return citation_coverage: the share of sentences with a citation of a retrieved chunk.

    Formula: share of the sentences that assert something which have a citation n, as in
    citation_validity, with 1 <= n <= number of chunks. A marker behind the full stop belongs to the
    sentence before it. Range [0, 1], a fraction, higher is better.
    Version 5.
    Edge cases: no marker at all 0, also where the system reports citations apart from the text;
    no words in the answer 0; unanswerable: not applicable.
    Example: the context is "The Moon orbits the Earth at 384,400 km.", the answer "The Moon orbits
    the Earth [1]. It is 238,855 miles away [2].": 1 of 2.
    Source: this project; after Gao et al., ALCE, EMNLP 2023, without their entailment model.
    """

    def coverage(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        sentences = [one for one in settings.sentences(output) if words(without_markers(one))]
        places = range(1, len(output.chunks) + 1)
        citing = sum(any(n in places for n in markers(s)) for s in sentences)
        return citing / max(1, len(sentences))

    return sample_metric(request, coverage, version=5, settings=settings)


@takes(ClaimSettings)
def quote_fidelity(request: MetricRequest, settings: ClaimSettings) -> SampleMetric:
    """Return quote_fidelity: the share of quoted spans that stand verbatim in a context.

    Formula: share of the spans of three words or more in quotation marks ("…", “…”, „…“ or «…», on
    one line) whose words stand, in this order and without a gap, in one retrieved chunk; case and
    punctuation do not count. Range [0, 1], a fraction, higher is better. Version 5.
    Edge cases: nothing retrieved 0; no such span: 1, and counted in quote_fidelity.checked; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """

    def fidelity(spans: Sequence[list[str]], _sample: Sample, output: SystemOutput) -> float:
        held = phrases_held(spans, (units(chunk.text) for chunk in output.chunks))
        return sum(held) / len(spans)

    return metric_of_claims(
        request,
        lambda output: quotes("\n".join(settings.bare(output))),
        fidelity,
        called="quotes",
        version=5,
        settings=settings,
    )
