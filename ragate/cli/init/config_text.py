"""The text of a first ragate.toml: every key with a word on what it does."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.models import Sample

DATASET = "evals/golden.jsonl"
BASELINE = "baselines/main.json"
KEY_VARIABLE = "OPENAI_API_KEY"


@dataclass(frozen=True)
class Choice:
    """What is to be gated.

    Attributes:
        system: ``pgvector`` or ``replay``.
        source: The folder of documents, or the pattern of the recordings.
        answers: Who writes the answers of the built-in system: ``extractive`` or ``chat``.
        dataset: Path of the golden set.
    """

    system: str
    source: str
    answers: str = "extractive"
    dataset: str = DATASET


@dataclass(frozen=True)
class RecordedParts:
    """What recorded outputs hold, and so which metrics can read them."""

    answers: bool = True
    texts: bool = True
    ids: bool = True


def config_text(
    choice: Choice, samples: Sequence[Sample], recorded: RecordedParts | None = None
) -> str:
    """Return a whole ragate.toml for `choice`, with the metrics that the samples allow."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    recorded = recorded or RecordedParts()
    environment = Environment(  # noqa: S701 - TOML, whose texts `quoted` escapes
        loader=PackageLoader(__package__, ""),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("ragate.toml.j2").render(
        choice=choice,
        recorded=recorded,
        expects=recorded.ids and any(sample.expected for sample in samples),
        references=any(sample.references for sample in samples),
        unanswerable=any(not sample.answerable for sample in samples),
        baseline=BASELINE,
        key_variable=KEY_VARIABLE,
        quoted=quoted,
    )


def quoted(text: str) -> str:
    """Return `text` as a string of TOML and of YAML: of JSON, with DEL escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
