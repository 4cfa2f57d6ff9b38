"""entailment: does a context entail each sentence of the answer, by a local model?"""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from pydantic import Field

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers
from ragate.metrics._claims import ClaimSettings, claim_metric, worded_sentences
from ragate.metrics._cross_encoder import CrossEncoder, ModelError
from ragate.metrics._identity import own_settings, takes
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.models import Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest

NO_MODEL = 'entailment has no model: set model = "./folder" in [policy.metrics.entailment]'
PIECE = 1_200  # characters of a context that are read at once


class EntailmentSettings(Frozen):
    """Keys of entailment.

    Attributes:
        model: Folder of a cross-encoder in ONNX, from where the command starts: model.onnx,
            tokenizer.json, config.json; must be set.
    """

    model: str = Field(default="")


class _Identity(EntailmentSettings):
    """What else can change a score: the model's files."""

    files: str


@takes(EntailmentSettings)
def entailment(request: MetricRequest) -> SampleMetric:
    """Return entailment: the mean chance that some context entails a sentence of the answer.

    Formula: mean over sentences s of the answer of max over pieces p of the contexts of
    P(p entails s), by the model; a piece is up to 1,200 characters of whole sentences, and what has
    more tokens than the model reads at once is cut into parts that count as sentences and pieces.
    Range [0, 1], a fraction, higher is better. Version 2.
    Edge cases: the model fails on a text: unscored; nothing retrieved, or no words in the answer:
    0; no model is named: unscored, and an error where the policy names the metric; chunks without
    texts: unscored; unanswerable: not applicable. The model's files are part of the metric's
    identity.
    Source: Honovich et al., TRUE, NAACL 2022; Laban et al., SummaC, TACL 2022 (the maximum).
    """
    settings = own_settings(request, EntailmentSettings)
    if not settings.model:
        nameless = claim_metric(
            request, lambda _sample, _output: NO_MODEL, version=2, settings=settings
        )
        return replace(nameless, unusable=NO_MODEL)
    encoder = CrossEncoder(settings.model, f'[policy.metrics."{request.name}"] model')
    identity = _Identity(model=settings.model, files=encoder.fingerprint)
    return claim_metric(request, _formula(encoder), version=2, settings=identity)


def _formula(encoder: CrossEncoder) -> Callable[[Sample, SystemOutput], ValueOrReason]:
    @lru_cache(maxsize=1_024)  # passages come back in other samples, and in every pass
    def premises_of(text: str) -> tuple[str, ...]:
        return tuple(
            part for piece in pieces(text) for part in encoder.parts(piece, encoder.most_premise)
        )

    @lru_cache(maxsize=10_000)  # passes of a system that repeats ask for the same
    def best(sentence: str, premises: tuple[str, ...]) -> float:
        return max(encoder.entails([(premise, sentence) for premise in premises]))

    def entailed(_sample: Sample, output: SystemOutput) -> ValueOrReason:
        if lacks_texts(output):
            return NO_TEXTS
        try:
            premises = tuple(part for chunk in output.chunks for part in premises_of(chunk.text))
            claims = [
                part
                for sentence in worded_sentences(ClaimSettings().heard(output))
                for part in encoder.parts(without_markers(sentence), encoder.most_hypothesis)
            ]
            chances = [best(claim, premises) for claim in claims if premises]
        except ModelError as error:
            return f"the model of entailment failed: {error}"
        return sum(chances) / max(1, len(chances))

    return entailed


def pieces(text: str) -> list[str]:
    """Return a text in pieces of whole sentences; a longer sentence is one by itself."""
    joined: list[str] = []
    for sentence in split_sentences(text):
        if joined and len(joined[-1]) + len(sentence) < PIECE:
            joined[-1] += f" {sentence}"
        else:
            joined.append(sentence)
    return joined
