"""Which traces are sent is what the SDK's samplers say."""

from __future__ import annotations

import random

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.sampling import Decision

from ragate.telemetry.sampling import sampler

TRACES = [random.Random(each).getrandbits(128) for each in range(200)]


@pytest.mark.parametrize("share", ["0.25", "0", "1", "1.5", "-1", "", "much", "nan"])
@pytest.mark.parametrize(
    "word",
    [
        *("", "always_on", "always_off", "traceidratio", "parentbased_always_on"),
        *("parentbased_always_off", "parentbased_traceidratio", "ALWAYS_OFF", "jaeger_remote"),
    ],
)
def test_a_trace_is_sent_where_the_sdk_sends_it(monkeypatch, word, share):
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", word)
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", share)
    sdk = TracerProvider(shutdown_on_exit=False).sampler

    ours = sampler()

    for trace in TRACES:
        theirs = sdk.should_sample(None, trace, "run").decision is not Decision.DROP
        assert ours(trace) is theirs
