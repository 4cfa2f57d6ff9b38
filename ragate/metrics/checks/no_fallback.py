"""no_fallback: is the answer one, and not the text that stands in for one?"""

from pydantic import Field

from ragate.metrics._identity import own_settings
from ragate.metrics.checks._check import Check, check_metric
from ragate.metrics.refusal._refusal import Phrase, whole_words
from ragate.models import Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest

DEFAULT_PHRASES = (
    *(f"unable to {verb}" for verb in ("generate", "produce", "process your", "complete your")),
    *("could not generate", "can not generate", "failed to generate", "no answer was generated"),
    *("an error occurred", "an error has occurred", "something went wrong", "internal error"),
    *("please try again", "try again later", "service is unavailable", "temporarily unavailable"),
    *("rate limit exceeded", "as an ai language model", "no response was generated"),
    *("konnte nicht erzeugt werden", "ein fehler ist aufgetreten", "bitte versuchen sie es erneut"),
    *("une erreur est survenue", "veuillez réessayer", "se ha producido un error"),
    *("inténtelo de nuevo", "si è verificato un errore", "ocorreu um erro"),
)


class Settings(Frozen):
    """Keys of no_fallback.

    Attributes:
        phrases: What stands in for an answer; replaces the built-in list.
        more_phrases: What does so besides.
    """

    phrases: tuple[Phrase, ...] = Field(default=DEFAULT_PHRASES, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()


def create(request: MetricRequest) -> Check:
    """Return no_fallback: 0 where the answer holds a phrase that stands in for one, else 1.

    Formula: 1[no phrase of the list stands in the answer as a run of whole words]; case,
    punctuation and accents that Unicode composes do not count. Range [0, 1], a fraction, higher is
    better. Version 1.
    Edge cases: a refusal ("I don't know") is none of them, false_refusal sees it; unanswerable: not
    applicable.
    Source: this project.
    """
    settings = own_settings(request, Settings)
    phrases = {whole_words(each): each for each in (*settings.phrases, *settings.more_phrases)}

    def held(_sample: Sample, output: SystemOutput) -> str:
        answer = whole_words(output.answer or "")
        found = next((written for worded, written in phrases.items() if worded in answer), "")
        return f'the answer holds "{found}"' if found else ""

    return check_metric(request, held, settings=settings)
