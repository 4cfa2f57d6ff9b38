"""Telemetry: what a run did and measured, sent as OTLP; off unless asked for."""
