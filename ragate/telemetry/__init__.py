"""Telemetry: what a run did and measured, sent as OTLP; off unless asked for.

What a run says through `ragate.support.spans` comes in; spans, events and metrics go out. Read
`switch.py`, which decides whether anything is loaded, `exporting.py` and `names.py`.
"""
