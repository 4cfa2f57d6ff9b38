"""LlamaIndex's evaluators as the judge: `use = "llamaindex"` in [policy.judge]."""

from ragate.extension import Extension

EXTENSION = Extension(
    "llamaindex_judge",
    plugins={"judges": {"llamaindex": "ragate.contrib.llamaindex_judge.plugin"}},
)
