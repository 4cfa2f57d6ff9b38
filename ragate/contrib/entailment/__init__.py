"""Entailment: does a context entail each sentence of the answer, by a local model?"""

from ragate.extension import Extension

EXTENSION = Extension(
    "entailment",
    extra="onnx",
    plugins={"metrics": {"entailment": "ragate.contrib.entailment.metric:entailment"}},
)
