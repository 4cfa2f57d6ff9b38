"""Rows whose commands need more than files: databases, tools, telemetry, code of one's own."""

from __future__ import annotations

from tests.integration.seeds import services  # noqa: F401 - notes its projects
from tests.integration.seeds.row import rows_of

GUIDE = [
    *rows_of(
        "guide",
        "documents",
        "ragate ingest && ragate check",
        ("a RAG on pgvector, ingested", "PASSED"),
    ),
    *rows_of(
        "guide",
        "foreign_questions",
        "ragate dataset import testQueries.json --output golden.jsonl",
        ("a file of test queries", '"relevant": \\["abc-123"\\], "references"'),
    ),
]
RECORD = [
    *rows_of(
        "record",
        "archive",
        "ragate dataset fetch beir/nfcorpus --file nfcorpus.zip",
        ("a data set by its name, held to a hash", "beir/nfcorpus: corpus.jsonl.*noted now"),
    ),
    *rows_of(
        "record",
        "claude",
        "ragate check --format json --output report.json",
        (
            "Anthropic's own API",
            lambda ran: (
                "claude-haiku-4-5" in ran.report["judge"]
                and ran.value("rag-001", "faithfulness") == 1.0
            ),
        ),
        code=3,
    ),
    *rows_of(
        "record",
        "tools",
        "ragate check --format json --output report.json",
        (
            "an MCP client with sampling",
            lambda ran: ran.question("q0")["answer"] == "the model said A draft of an answer.",
        ),
        code=3,
    ),
]
TELEMETRY = [
    *rows_of(
        "packs",
        "rag_pack",
        "RAGATE_TELEMETRY=1 OTEL_EXPORTER_OTLP_PROTOCOL=grpc "
        "OTEL_EXPORTER_OTLP_ENDPOINT=$GRPC_COLLECTOR ragate check",
        ("OTLP by gRPC", "received by gRPC: .*ragate.run .*ragate.verdicts"),
    ),
    *rows_of(
        "packs",
        "own_stage",
        "PYTHONPATH=. RAGATE_TELEMETRY=1 OTEL_EXPORTER_OTLP_ENDPOINT=$COLLECTOR ragate check",
        ("counters and histograms of one's own", "received: .*my_stage.looked .*my_stage.words"),
    ),
]
PACKS = [
    *rows_of(
        "packs",
        "foreign_questions",
        "ragate dataset import cases.json --output golden.jsonl",
        ("test cases of input, expected and metadata", '"relevant": \\["10k"\\], "references"'),
    ),
    *rows_of(
        "packs",
        "documents",
        "ragate check --format json --output report.json",
        (
            "hybrid retrieval, .7 vectors and .3 words",
            lambda ran: ran.report["settings"]["hybrid.weight"] == "0.7",
        ),
        (
            "small-to-big: the section around a chunk",
            lambda ran: ran.report["settings"]["parents.use"] == '"section"',
        ),
        (
            "contextual chunks: title and headings before the text",
            lambda ran: ran.report["settings"]["prefix"] == '"headings"',
        ),
        (
            "an entity filter",
            lambda ran: all(
                each["doc_id"].startswith("company-0/")
                for each in ran.question("apples")["retrieved"]
            ),
        ),
    ),
    *rows_of(
        "packs",
        "answering",
        "ragate try --set target=rag:answer,rag:small",
        ("a matrix of models and settings", "No variant is better than the others"),
    ),
    *rows_of(
        "packs",
        "documents",
        "ragate index dump index.gz && ragate index restore index.gz",
        ("an index carried to another machine", "8 documents and 8 chunks restored"),
    ),
    *rows_of(
        "packs",
        "documents",
        "ragate index dump --tables texts texts.gz && ragate index restore texts.gz",
        (
            "a group of its tables: texts, whose vectors are made there",
            "8 chunks and 0 vectors written .*8 documents and 8 chunks restored",
        ),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "RAGATE_RUNS_URL=$POSTGRES ragate db migrate && RAGATE_RUNS_URL=$POSTGRES ragate check && "
        "RAGATE_RUNS_URL=$POSTGRES ragate runs list",
        ("runs of all machines in Postgres", "passed"),
    ),
    *rows_of(
        "packs",
        "own_stage",
        "PYTHONPATH=. ragate check --format json --output report.json && "
        "PYTHONPATH=. ragate report latest --explain q0 && ragate runs export --rows samples",
        (
            "a stage's own figures and artifacts",
            lambda ran: ran.question("q0")["scores"]["stages:length"]["details"]["words"] == 3,
        ),
        ("these in an export, and where one question is explained", "words = 3 .*first = Nothing"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "RAGATE_TELEMETRY=1 OTEL_EXPORTER_OTLP_ENDPOINT=$COLLECTOR ragate check",
        ("traces by OTLP", "received: .*ragate.decide .*ragate.run .*ragate.sample "),
        (
            "a span for each stage, with whether it passed and its score",
            "received: .*ragate.scorecard.*ragate.stage citation.*ragate.stage faithfulness",
        ),
        ("each evaluation as an event", "received: .*gen_ai.evaluation.result"),
        ("metrics: stages that pass and fail", "received: .*ragate.stages"),
        ("metrics: verdicts, samples, cost", "received: .*ragate.cost.*ragate.verdicts"),
        (
            "metrics: length and pace of queues",
            "received: .*ragate.sample.pace ragate.sample.queue",
        ),
    ),
]
