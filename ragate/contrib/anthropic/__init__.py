"""Anthropic's messages API: `protocol = "anthropic"` in a table of [policy.providers]."""

from ragate.extension import Extension

EXTENSION = Extension(
    "anthropic", protocols={"anthropic": "ragate.contrib.anthropic.messages:SPEECH"}
)
