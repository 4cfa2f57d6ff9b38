"""docs/metrics-reference.md: every metric, from its docstring and from the metric that it makes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any

from ragate import plugins
from ragate.core.judging.criteria import ALL_CRITERIA
from ragate.errors import RagateError
from ragate.extension import extensions
from ragate.models import MetricInfo, Needs, RetrievedChunk, Sample, SystemOutput
from tools.reference import prose
from tools.reference.configuration import Key, keys, settings

# Names of keys without which a metric cannot be made, with a value that will do.
ENOUGH: list[dict[str, Any]] = [{}, {"threshold": 0.5}, {"model": "./folder"}]
# Asked of each metric, to hear what it lacks: nothing is expected, then passages have no text.
BARE = Sample(id="q", query="What is it?")
LABELLED = Sample(id="q", query="What is it?", relevant={"a": 1}, references=("5 kg in London.",))
ANSWER = 'It is "a thing of five" 5 kg in Paris, not here. [1]'
PASSAGE = "a passage of this page"
# What a metric says is missing, and what it therefore needs.
LACKS = {
    "no relevant documents": "`relevant`",
    "no reference answer": "`references`",
    "no expected_calls": "`expected_calls`",
    "no keywords": "`answer_keywords`",
    "no allowed or forbidden sources": "`source_policy`",
    "no form in a source policy": "`source_policy`",
    "no unanswerable question": "`answerable = false`",
    "answerable question": "`answerable = false`",
    "the question asks for no list": "a question for a list",
    "there is no baseline to compare rankings with": "a baseline",
    "the retrieved chunks carry no text": "passages",
    "the system reported no tokens": "usage",
    "the system reported no dollars": "usage",
}
# What these read they do not say where it is missing.
ALSO = {
    "entailment": ("passages", "a local model"),
    "polarity": ("passages",),
    "tool_syntax": ("`tools`",),
    "tool_execution": ("`[policy.execution]`",),
    "min_retrieval_score": ("the retrieval's scores",),
    "semantic_similarity": ("an embedder",),
    "pairwise": ("a baseline",),
    "first_token_p50": ("a stream",),
    "first_token_p95": ("a stream",),
}
ASKS = {Needs.JUDGE: "a judge", Needs.EMBEDDINGS: "an embedder", Needs.MODEL: "a model"}


@dataclass(frozen=True)
class Entry:
    """One metric as the page shows it.

    Attributes:
        said: What its docstring says under each of its labels, such as Formula.
    """

    name: str
    meaning: str
    span: str
    better: str
    needs: str
    said: dict[str, str]
    keys: tuple[Key, ...] = ()


@dataclass(frozen=True)
class Family:
    """The metrics of one module."""

    title: str
    metrics: tuple[Entry, ...]


def context() -> dict[str, Any]:
    """Return what the template gets: families in the order of `METRICS`, then of extensions."""
    from ragate.metrics import METRICS

    modules: dict[str, list[str]] = {}
    brought = [each.plugins.get("metrics", {}).items() for each in extensions()]
    for name, path in chain(METRICS.items(), *brought):
        modules.setdefault(path.partition(":")[0], []).append(name)
    families = [family(module, names) for module, names in modules.items()]
    owners: dict[Key, list[str]] = {}
    for metric in (metric for each in families for metric in each.metrics):
        for key in metric.keys:
            owners.setdefault(key, []).append(metric.name)
    return {"families": families, "keys": owners}


def family(module: str, names: list[str]) -> Family:
    """Return the section of a module."""
    title = (import_module(module).__doc__ or "").partition("\n")[0].rstrip(".")
    return Family(prose(title[0].upper() + title[1:]), tuple(entry(name) for name in names))


def entry(name: str) -> Entry:
    """Return what the page says of one metric."""
    metric, shown = made(name)
    info: MetricInfo = metric.info
    text = inspect.cleandoc(plugins.load("metrics", name).create.__doc__)
    first, _, rest = text.partition("\n\n")
    meaning = re.sub(rf"^Return ({name}(@k)?: )?", "", " ".join(first.split()))
    parts = re.split(r"^([A-Z][a-z]+(?: [a-z]+)?): ", rest, flags=re.MULTILINE)
    said = dict(zip(parts[1::2], parts[2::2], strict=True))
    span = f"{info.low:g} or more" if info.high is None else f"{info.low:g} to {info.high:g}"
    unit = "" if info.unit == "fraction" else f" {info.unit}"
    own = plugins.settings_model("metrics", name)
    return Entry(
        name=shown,
        meaning=prose(re.sub(r"^[a-z](?=[a-z-]* )", lambda first: first[0].upper(), meaning)),
        span=f"{span}{unit}",
        better=str(info.direction),
        needs=", ".join(dict.fromkeys([*needs(metric, info), *ALSO.get(name, ())])),
        said={label: prose(" ".join(words.split())) for label, words in said.items()},
        keys=tuple(keys(settings("metrics", name))) if own is not None else (),
    )


def made(name: str) -> tuple[Any, str]:
    """Return a metric, and its name as it is written: with ``@k`` where it needs a cut-off."""
    for shown, full in ((name, name), (f"{name}@k", f"{name}@10")):
        for own in ENOUGH:
            try:
                return plugins.metric(full, settings=own), shown
            except RagateError:
                continue
    raise ValueError(f"{name} cannot be made: say in ENOUGH what it needs")


def needs(metric: Any, info: MetricInfo) -> Iterator[str]:
    """Yield what a metric needs besides an answer, as far as it says so itself."""
    if info.needs in ASKS:
        yield ASKS[info.needs]
    criterion = ALL_CRITERIA.get(getattr(metric, "criterion", ""))
    if criterion is not None:
        yield from filter(None, [LACKS.get(criterion.exclude(BARE))])
        yield from ["passages"] * criterion.grounded + ["citations"] * criterion.cites
    elif info.needs is not Needs.JUDGE:
        without_text = SystemOutput(answer=ANSWER, chunks=(RetrievedChunk(doc_id="a"),))
        for sample, output in ((BARE, SystemOutput(answer=ANSWER)), (LABELLED, without_text)):
            yield from filter(None, [LACKS.get(reason(metric, sample, output))])
    if info.needs is Needs.EMBEDDINGS:
        with_text = SystemOutput(answer=ANSWER, chunks=(RetrievedChunk(doc_id="a", text=PASSAGE),))
        if PASSAGE in metric.texts(LABELLED, with_text):
            yield "passages"
    if info.aggregate:
        yield "the whole run"


def reason(metric: Any, sample: Sample, output: SystemOutput) -> str:
    """Return why an output gets no score, "" where it gets one."""
    score = (
        metric.score_samples([(sample, output)])[0]
        if hasattr(metric, "score_samples")
        else metric.aggregate([(sample, output)])
    )
    return score.reason if score.value is None else ""
