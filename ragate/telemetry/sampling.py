"""Whether a trace is sent, as ``OTEL_TRACES_SAMPLER`` asks; all are, unless it is set."""

import os
from collections.abc import Callable

Sampler = Callable[[int], bool]
_IDS = 1 << 64  # of the lower half of a trace's id, which decides in every language


def sampler() -> Sampler:
    """Return what tells by a trace's id whether it is sent.

    A run's trace has no parent, so that ``parentbased_X`` is ``X``. A word or a share that nobody
    knows stands for all, as in OpenTelemetry's SDK for Python.
    """
    word = os.environ.get("OTEL_TRACES_SAMPLER", "").lower().removeprefix("parentbased_")
    if word == "always_off":
        return lambda _trace: False
    if word == "traceidratio":
        bound = round(_share(os.environ.get("OTEL_TRACES_SAMPLER_ARG", "")) * _IDS)
        return lambda trace: trace % _IDS < bound
    return lambda _trace: True


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        return 1.0
    return share if 0.0 <= share <= 1.0 else 1.0
