"""Telemetry: what a run did and measured, sent as OTLP; off unless asked for."""

from ragate.extension import Around, Extension

EXTENSION = Extension(
    "otel",
    extra="otel",
    around=(Around("ragate.contrib.otel.switch:around", "RAGATE_TELEMETRY"),),
    variables={
        "RAGATE_TELEMETRY": "`1` sends spans to your [collector](telemetry.md); not from `.env`",
        "RAGATE_TELEMETRY_TEXTS": "`1` sends answers and reasons as well; not from `.env`",
    },
)
