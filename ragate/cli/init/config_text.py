"""The text of a first ragate.toml: every key with a word on what it does."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ragate import plugins
from ragate.cli.init.templates import written
from ragate.models import Sample
from ragate.systems.pgvector.corpus import Document
from ragate.version import MANUAL

DATASET = "evals/golden.jsonl"
BASELINE = "baselines/main.json"
MOST_GATED = 8


@dataclass(frozen=True)
class RecordedParts:
    """What recorded outputs hold, and so which metrics can read them."""

    answers: bool = True
    texts: bool = True
    ids: bool = True
    cites: bool = False


@dataclass(frozen=True)
class Choice:
    """What is to be gated.

    Attributes:
        system: ``pgvector``, ``replay``, or what reaches a system of the project's own.
        source: The folder of documents, or the pattern of the recordings; "" where there is none.
        dataset: Path of the golden set. baseline: Path of the baseline.
        gate: The gate's name where it is not the baseline's.
        settings: Keys of ``[system]`` of a system of the project's own.
        policy: Keys that the policy needs for it.
        what: What it is, for people: ``answer() of ragate_rag.py``; "" for documents.
        variants: Keys of ``[system]`` that differ in how it is asked, the likeliest first.
        files: Files that it needs and that `init` writes: paths below the root, with their text.
        unfilled: What a person has to say before it can be asked, and where; "" for nothing.
        parts: What comes back from it; None where it was not asked.
        documents: What questions are made from, as its reply calls them where `judged`.
        judged: Questions may say which document they expect.
        runs: Passes over the questions that make a baseline.
        metrics: Of an evaluator's scores: the keys of each metric, by its name.
        seeds: Commands that bring what it needs, such as its index, for CI.
        fills: Files of the project that may fill its index, which no workflow runs.
        packages: What ``pip install`` is told for the RAG's own packages; "" where it is not known.
        lock: ``uv`` or ``poetry``, which installs them from its lock file in the folder `packages`.
        keys: Variables that the code reads and whose names speak of a secret.
        keyless: It answered without any of them.
        provider_keys: Variables with the keys of the policy's providers, such as its judge's.
    """

    system: str
    source: str
    dataset: str = DATASET
    baseline: str = BASELINE
    gate: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    what: str = ""
    variants: tuple[Mapping[str, Any], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    unfilled: str = ""
    parts: RecordedParts | None = None
    documents: tuple[Document, ...] = ()
    judged: bool = True
    seeds: tuple[str, ...] = ()
    fills: tuple[str, ...] = ()
    packages: str = ""
    lock: str = ""
    keys: tuple[str, ...] = ()
    keyless: bool = False
    provider_keys: tuple[str, ...] = ()
    runs: int = 3
    metrics: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def first(self) -> Mapping[str, Any]:
        """Its keys of ``[system]`` as they are tried first."""
        return {**self.settings, **(self.variants[0] if self.variants else {})}

    @property
    def unasked(self) -> bool:
        """Whether it is code or a service whose replies nobody has seen yet."""
        return bool(self.what) and self.parts is None

    @property
    def environment(self) -> str:
        """The folder of the RAG's own environment, "" where it shares ragate's."""
        program = next(
            iter(self.settings.get("interpreter") or self.settings.get("start") or ()), ""
        )
        folder, _, name = str(program).rpartition("/bin/")
        return folder if name == "python" and not folder.startswith("/") else ""

    @property
    def runs_code(self) -> bool:
        """Whether code of the change runs: then the gate takes a pair of workflows."""
        traits = plugins.traits(self.system)
        return traits.runs_code or bool(traits.keys_with_code(self.settings))

    @property
    def extra(self) -> str:
        """The extra of ragate that the system needs; "" for none. The action's image has none."""
        return "mcp" if self.system == "mcp" else ""

    @property
    def on_runner(self) -> bool:
        """Whether the system runs in a step on the runner: the container lacks what it needs."""
        return self.runs_code or bool(self.extra)


def config_text(
    choice: Choice, samples: Sequence[Sample], recorded: RecordedParts | None = None
) -> str:
    """Return a whole ragate.toml for `choice`, with the metrics that the samples allow."""
    held = recorded or choice.parts or RecordedParts()
    gaps = {
        "manual": MANUAL,
        "choice": choice,
        "recorded": held,
        "gated": ["error_rate", *islice(_measurable(samples, held), MOST_GATED)],
        "expects": held.ids and any(sample.expected for sample in samples),
        "cites": held.answers and held.texts and held.cites,
        "references": any(sample.references for sample in samples),
        "unanswerable": any(not sample.answerable for sample in samples),
    }
    return written("ragate.toml", gaps)


def _measurable(samples: Sequence[Sample], held: RecordedParts) -> Iterator[str]:
    """Yield what can be measured, but for what sees much the same.

    They come in the order in which they agree with people: the first can fail the gate.
    """
    if held.ids and any(sample.expected for sample in samples):
        yield from ("recall@10", "ndcg@10")
    if not held.answers:
        return
    if any(sample.references for sample in samples):
        yield "idf_f1"
    if held.texts:
        yield from ("word_precision", "number_unit_support", "entity_support")
    if any(not sample.answerable for sample in samples):
        yield "refusal_recall"
    yield "false_refusal"  # what else sees that every answer is a refusal may start too low to fall
    if held.texts and held.cites:
        yield "citation_support"
    yield "complete_answer"
