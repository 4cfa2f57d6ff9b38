"""The text of a first ragate.toml: every key with a word on what it does."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from ragate.models import Sample

DATASET = "evals/golden.jsonl"
BASELINE = "baselines/main.json"
KEY_VARIABLE = "OPENAI_API_KEY"
_COLUMN = 36

Line = str | tuple[str, str]  # a line of its own, or a key with its comment


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
    lines: list[Line] = [
        "# The regression gate of this repository's RAG, written by `ragate init`.",
        "# ragate's docs/configuration.md lists every key.",
        "",
        *_policy(choice),
        "",
        '# A metric of level "error" can fail the gate; "warn" only shows it, "off" leaves it out.',
        "# Add minimum = … to a metric for a floor under its mean, once you know where it stands.",
        *_metrics(samples, recorded or RecordedParts()),
        "",
        *(_replay(choice) if choice.system == "replay" else _pgvector(choice)),
    ]
    return "".join(f"{_line(line)}\n" for line in lines)


def _line(line: Line) -> str:
    if isinstance(line, str):
        return line
    return f"{line[0]:<{_COLUMN}}  # {line[1]}"


def quoted(text: str) -> str:
    """Return `text` as a string of TOML and of YAML: of JSON, with DEL escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _policy(choice: Choice) -> list[Line]:
    lines: list[Line] = [
        ("[policy]", "how a change is judged; let CODEOWNERS guard this file"),
        (f"dataset = {quoted(choice.dataset)}", "the questions"),
        (f"baseline = {quoted(BASELINE)}", "scores of main: `ragate baseline update` writes it"),
        (f"systems = [{quoted(choice.system)}]", "kinds of system that a change may use"),
        ("runs = 3", "passes over the questions that make a baseline"),
        ('store = "answers"', 'texts in the baseline: full, answers, or "hashes" for none'),
        ("max_minutes = 30", "a run that takes longer is stopped"),
    ]
    if choice.system == "replay":
        allowed = f"replay_paths = [{quoted(choice.source)}]"
        lines.append((allowed, "where recorded outputs may come from"))
        key = '# repeats = ["retrieval", "answer"]'
        lines.append((key, "if it gives equal outputs every time: every change counts then"))
    if choice.answers == "chat":
        lines += [
            ("max_calls = 5000", "model calls of one run; it stops before one more"),
            ("max_cost_usd = 20.0", "the same for the cost, where it is known"),
            "",
            ("[policy.providers.openai]", "any server that speaks the OpenAI protocol"),
            ('base_url = "https://api.openai.com/v1"', "the only place that the key is sent to"),
            (f'key_env = "{KEY_VARIABLE}"', "NAME of the variable that holds the key"),
        ]
    return lines


def _metrics(samples: Sequence[Sample], recorded: RecordedParts) -> list[Line]:
    lines: list[Line] = []
    if recorded.ids and any(sample.expected for sample in samples):
        lines += _metric("recall@10", "share of the expected documents in the first ten")
        lines += _metric("ndcg@10", "the same, and how far up they are")
        lines += _metric("hit_rate@5", "is an expected document in the first five?")
        lines.append(("pass_at = 1.0", 'mark to reach for questions with "must_pass": true'))
    if recorded.answers and any(sample.references for sample in samples):
        lines += _metric("idf_f1", "words that answer and reference share, rare ones first")
    if recorded.answers and recorded.texts:
        lines += _metric("lexical_support", "are the answer's words in the passages?")
        lines += _metric("citation_validity", "do citations lead to passages?", level="warn")
    if recorded.answers and any(not sample.answerable for sample in samples):
        lines += _metric("refusal_recall", "unanswerable questions refused", level="warn")
        lines += _metric("false_refusal", "answerable questions refused", level="warn")
    lines += _metric("error_rate", "share of questions on which the system fails")
    lines.append(("maximum = 0.0", "ceiling of the mean"))
    lines += _metric("latency_p95", "seconds that 95 % of the questions stay below", level="warn")
    return lines + _later(samples, recorded)


def _metric(name: str, what: str, *, level: str = "error") -> list[Line]:
    table = f'[policy.metrics."{name}"]' if "@" in name else f"[policy.metrics.{name}]"
    effect = "can fail the gate" if level == "error" else "shown only"
    return ["", (table, what), (f'level = "{level}"', effect)]


def _later(samples: Sequence[Sample], recorded: RecordedParts) -> list[Line]:
    lines: list[Line] = []
    if not (recorded.ids and any(sample.expected for sample in samples)):
        lines += ["", "# Once questions name their documents under `relevant`:"]
        lines += ['# [policy.metrics."recall@10"]', '# level = "error"']
    if recorded.answers and not any(sample.references for sample in samples):
        lines += ["", "# Once questions have a right answer under `references`:"]
        lines += ["# [policy.metrics.idf_f1]", '# level = "error"']
    return lines


def _replay(choice: Choice) -> list[Line]:
    return [
        ("[system]", "what is tested; a change may edit this"),
        ('use = "replay"', "outputs that your own pipeline recorded: docs/replay.md"),
        (f"paths = [{quoted(choice.source)}]", "the files; must match replay_paths"),
    ]


def _pgvector(choice: Choice) -> list[Line]:
    lines: list[Line] = [
        ("[system]", "what is tested; a change may edit this"),
        ('use = "pgvector"', "the built-in RAG on Postgres with pgvector"),
        (f"corpus = {quoted(choice.source)}", "folder of Markdown, HTML and text, or of BEIR"),
        ("chunk_size = 512", "largest passage, in tokens"),
        ("chunk_overlap = 64", "tokens that a passage repeats from the one before"),
        ('retrieval = "bm25"', "or dense, or hybrid, which need [system.embedder]"),
        ("top_k = 10", "passages that are retrieved"),
        "",
        ("[system.bm25]", "how words are matched"),
        ('stemmer = "english"', 'a Snowball language, or "none"'),
        ('stop_words = "english"', 'or "none" where the pages are not in English'),
        "",
        ("[system.answer]", "who writes the answer"),
    ]
    if choice.answers == "chat":
        return [
            *lines,
            ('use = "chat"', "a language model; extractive needs none"),
            ('provider = "openai"', "a table of [policy.providers]"),
            ('model = "gpt-5-mini"', "as the provider calls it"),
        ]
    return [*lines, ('use = "extractive"', "sentences of the passages, no model; or chat")]
