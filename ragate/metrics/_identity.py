"""What a metric is called, what it may be configured with, and the hash of both."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, TypeVar

from pydantic import AfterValidator

from ragate.core.hashing import digest
from ragate.core.text.segmentation import units
from ragate.errors import ConfigError
from ragate.models import Direction, Frozen, MetricInfo, Reads
from ragate.protocols import MetricRequest
from ragate.settings import M, read_settings

T = TypeVar("T")


def _with_words(phrase: str) -> str:
    if not units(phrase):
        raise ValueError(f"the phrase {phrase!r} has no word to look for")
    return phrase


Phrase = Annotated[str, AfterValidator(_with_words)]
"""A phrase that texts are looked through for, in whole words."""


def phrases_of(text: str) -> tuple[str, ...]:
    """Return the phrases of a list that has a comma between two."""
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


def takes(
    settings: type[M],
) -> Callable[[Callable[[MetricRequest, M], T]], Callable[[MetricRequest], T]]:
    """Declare the keys of a metric's table, above the function that makes the metric of them."""

    def declared(create: Callable[[MetricRequest, M], T]) -> Callable[[MetricRequest], T]:
        @wraps(create)
        def created(request: MetricRequest) -> T:
            return create(request, own_settings(request, settings))

        created.__dict__["Settings"] = settings
        return created

    return declared


class NoSettings(Frozen):
    """Of a metric that has no keys of its own."""


def own_settings(request: MetricRequest, model: type[M]) -> M:
    """Return the metric's keys of its table.

    Raises:
        ConfigError: names an unknown key or a wrong value.
    """
    return read_settings(model, request.settings, where=f'[policy.metrics."{request.name}"]')


def base_name(request: MetricRequest) -> str:
    """Return the name without its cut-off."""
    return request.name.partition("@")[0]


def required_cut_off(request: MetricRequest) -> int:
    """Return the cut-off.

    Raises:
        ConfigError: the name has none, or one below 1.
    """
    k = optional_cut_off(request)
    if k is None:
        name = base_name(request)
        raise ConfigError(f"{name} needs a cut-off: {name}@10", remedy="write the cut-off")
    return k


def optional_cut_off(request: MetricRequest) -> int | None:
    """Return the cut-off, None where the name has none.

    Raises:
        ConfigError: it is below 1.
    """
    if request.k is not None and request.k < 1:
        raise ConfigError(
            f"{request.name}: a cut-off counts documents and is at least 1",
            remedy=f"write {base_name(request)}@10",
        )
    return request.k


def no_cut_off(request: MetricRequest) -> None:
    """Refuse a cut-off.

    Raises:
        ConfigError: the name has one.
    """
    if request.k is not None:
        name = base_name(request)
        raise ConfigError(f"{request.name}: {name} takes no cut-off", remedy=f"write {name}")


def fingerprint(request: MetricRequest, *, version: int, settings: Frozen) -> str:
    """Return the hash of all that can change a score: formula version, cut-off, settings.

    A key that came later counts once it is used: baselines of before stay comparable.
    """
    later: frozenset[str] = getattr(settings, "CAME_LATER", frozenset())
    chosen = {
        key: value
        for key, value in settings.model_dump(mode="json").items()
        if key not in later or getattr(settings, key) != type(settings).model_fields[key].default
    }
    return digest([base_name(request), version, request.k, chosen])


# By `python -m benchmarks.reworded_falls`: how far a mean falls where answers are worded otherwise.
FALLS_REWORDED = {
    "char_3gram_recall": 0.005,
    "contains": 0.043,
    "exact_match": 0.027,
    "idf_f1": 0.002,
    "lexical_support": 0.004,
    "number_recall": 0.028,
    "reference_recall": 0.001,
    "rouge_l": 0.04,
    "token_f1": 0.005,
    "word_precision": 0.004,
}


def metric_info(
    request: MetricRequest,
    *,
    version: int,
    reads: Reads,
    settings: Frozen | None = None,
    direction: Direction = Direction.HIGHER,
) -> MetricInfo:
    """Return the identity of a metric that is a fraction of a sample."""
    settings = own_settings(request, NoSettings) if settings is None else settings
    return MetricInfo(
        name=request.name,
        version=version,
        direction=direction,
        reads=reads,
        fingerprint=fingerprint(request, version=version, settings=settings),
        falls_reworded=FALLS_REWORDED.get(base_name(request), 0.0),
    )


def unbounded_info(
    request: MetricRequest, *, reads: Reads, unit: str, aggregate: bool
) -> MetricInfo:
    """Return the identity of what an answer, or the whole run, takes: lower is better."""
    no_cut_off(request)
    settings = own_settings(request, NoSettings)
    return MetricInfo(
        name=request.name,
        direction=Direction.LOWER,
        high=None,
        reads=reads,
        aggregate=aggregate,
        unit=unit,
        fingerprint=fingerprint(request, version=1, settings=settings),
    )
