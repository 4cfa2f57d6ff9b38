"""What the seeds describe: seed, capability, and the command that does it here.

A row says in which project the command is run, with which code it ends and what must be seen: a
pattern in what it prints and writes, or a function of what came of it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.integration.seeds import service_rows
from tests.integration.seeds.ran import Ran
from tests.integration.seeds.row import rows_of

SEEDS = {
    "guide": "A guide to judging a LlamaIndex RAG",
    "walkthrough": "A walkthrough of its three evaluators",
    "embeddings": "Guidelines for metrics on embeddings",
    "record": "A decision record on a BEIR set in pytest",
    "packs": "A framework of packs and stages",
}
WORDS = {
    "pack": "preset of a [scorecard](scorecards.md)",
    "stage": "stage: a metric with weight and mark",
    "gate, hard stop": "`required = true`; a *gate* is the whole check here",
    "batch": "run",
    "scorecard of a case": "PASS or FAIL and the overall score of a question",
    "test case, fixture": "sample of the [golden set](golden-set.md)",
    "client, label": "`--meta KEY=VALUE`",
    "context relevance by a judge": "`judged_context_relevance`",
    "context relevance by embeddings": "`embedded_context_relevance`",
    "faithfulness, YES or NO": "`faithfulness_binary`; `faithfulness` is a share of claims",
    "context recall": "`recall@k` on documents",
    "correctness, TRUE or FALSE": "`correctness_binary`",
    "ground truth, reference answer": "`references`",
    "expected proposal ids, relevant docs": "`relevant`",
    "evaluation matrix": "`ragate try`",
    "temporal mode": "`dates` of a tool's argument",
    "get_tracer, get_meter": "`own_span`, `own_counter`, `own_histogram` "
    "([Telemetry](telemetry.md#spans-and-instruments-of-your-own))",
    "Grafana boards, compose stack": "[examples/telemetry](../examples/telemetry)",
    "export, upload and restore of tables": "`ragate index dump -` and `restore -` with any "
    "program that carries bytes ([how](system-pgvector.md#carry-the-vectors-to-another-machine))",
}
REFUSED = {
    "thresholds, models, provider and top-k by environment, in CI": "in `ragate.toml`: on a "
    "pull request the base's count, and a variable that anybody sets would change what a green "
    "check means",
    "one question at a time by default": "eight, and `calls_per_minute` of a provider: the "
    "same calls, sooner",
    "a second call of the retriever": "one call gives passages and answer, so that what is judged "
    "is what the answer was written from",
    "a call for each passage after a YES": "none: no later passage can take a YES back",
    "“yes” anywhere in a reply": "only the form that was asked for: “The answer is not YES” "
    "scored 1 there",
    "the TRUE or FALSE prompt as it stands": "`correctness_binary` asks for a reply of one form, "
    "JSON: in a sentence nobody knows which TRUE is the one that counts",
    "a stage that nobody measured passes": "it is unscored, and what gates on it is no decision: "
    "a judge that is away would turn everything green",
    "improving a bad answer (`improve_answer`)": "a gate judges answers and makes none: what it "
    "had changed it could not measure",
    "Redis, Azure tables": "Postgres, which a RAG often has already: Procrastinate's queue in it "
    "hands out work, the run store in it keeps runs; or a folder, without any server",
    "telemetry unless switched off": "off unless switched on: questions are somebody's data",
    "telemetry started by the application": "ragate is the application; `RAGATE_TELEMETRY=1` "
    "starts it",
    "options over environment over defaults, for models and thresholds too": "`--set` "
    "over `ragate.toml`, and no variable: what a run was judged by stands in the file",
}
JSON = "ragate check --format json --output report.json"


def checked(stage: str) -> Callable[[Ran], bool]:
    return lambda ran: {each["scores"][stage] for each in ran.report["questions"]} == {0.0, 1.0}


def scored(sample_id: str, metric: str, value: float) -> Callable[[Ran], bool]:
    return lambda ran: ran.value(sample_id, metric) == value


GUIDE = [
    *rows_of(
        "guide",
        "forum",
        JSON,
        (
            "FaithfulnessEvaluator with its own prompts, 1 or 0",
            scored("query-001", "faithfulness_binary", 1.0),
        ),
        ("RelevancyEvaluator on question and answer", scored("query-001", "relevancy", 1.0)),
        ("CorrectnessEvaluator, 1 to 5", scored("query-013", "correctness", 5.0)),
        (
            "correctness only where a reference is",
            lambda ran: (
                ran.question("query-001")["scores"]["correctness"]["state"] == "not_applicable"
            ),
        ),
        ("hit rate on documents", scored("query-001", "hit_rate@15", 1.0)),
        ("mean reciprocal rank", scored("query-001", "mrr@15", 1.0)),
        (
            "document ids counted once over chunks",
            lambda ran: len(ran.question("query-001")["retrieved"]) == 3,
        ),
        (
            "the duration of every question",
            lambda ran: ran.question("query-001")["latency_s"] == 1.5,
        ),
        ("every question in a JSON report", lambda ran: len(ran.report["questions"]) == 15),
        ("a judge apart from the RAG's model", '"judge": ".*gpt-5-mini"'),
        ("the estimated cost in the report", '"cost_usd"'),
        (
            "whether each score passes",
            lambda ran: ran.question("query-013")["passing"]["correctness"] is True,
        ),
    ),
    *rows_of(
        "guide",
        "broken_forum",
        "ragate check --verbose",
        ("PASS or FAIL for each question, failures first", r"FAIL .*query-001.*PASS query-010"),
        ("a question that failed is reported, and the run goes on", "the server did not answer"),
        ("time, model and averages on the console", r"UTC.*correctness.*gpt-5-mini"),
        ("exit codes by threshold", "FAILED"),
        ("what a symptom comes from, and what to do", "cause generation: same 3 chunks"),
        ("what was retrieved, and the answer", r"retrieved 1 proposal-1\*.*answer Zebras"),
        code=1,
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --tags status,process",
        ("questions of some tags", "6 questions"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --ids query-001",
        ("one question", "1 question"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --retrieval-only",
        ("--retrieval-only, and the gate stays on", "of 2 of 5 stages"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --skip correctness",
        ("--skip-correctness, and the other evaluators gate", "not measured: correctness"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --top-k 10",
        ("--top-k, named in the report", "only the first 10 passages counted"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate check --estimate",
        ("the cost of a run, before it", r"judgements: +\d+ to \d+ calls"),
    ),
    *rows_of(
        "guide",
        "unlabelled_forum",
        "ragate check --retrieval-only",
        (
            "what came back where nothing is expected yet",
            "query-001: retrieved proposal-1, proposal-2, proposal-3; nothing is expected",
        ),
        code=3,
    ),
    *rows_of(
        "guide",
        "forum_with_keys",
        "ragate check",
        (".env.development, then .env.local over it", "1 model call|PASSED"),
    ),
    *rows_of(
        "guide",
        "forum",
        "ragate runs list",
        ("earlier runs", "recorded"),
    ),
    *rows_of(
        "guide",
        "broken_forum",
        "ragate check && ragate compare baselines/main.json latest",
        ("two runs compared", r"pass_rate 100.0 % 46.7 %"),
        code=1,
    ),
    *rows_of(
        "guide",
        "forum",
        f"{JSON} && ragate check --format json --output after.json && "
        "ragate gate report.json after.json",
        ("two saved JSON reports compared", r"no answer of 15 .*relevancy 100.0 % 100.0 %"),
    ),
    *rows_of(
        "guide",
        "unlabelled_forum",
        "ragate check && ragate dataset suggest",
        ("expected ids proposed", "proposal-1"),
    ),
]

WALKTHROUGH = [
    *rows_of(
        "walkthrough",
        "walkthrough",
        JSON,
        ("faithfulness 1.0", scored("faithful", "faithfulness_binary", 1.0)),
        ("faithfulness 0.0", scored("unfaithful", "faithfulness_binary", 0.0)),
        ("relevancy 1.0", scored("faithful", "relevancy", 1.0)),
        ("relevancy 0.0", scored("irrelevant", "relevancy", 0.0)),
        ("correctness 4.5", scored("grade-4.5", "correctness", 4.5)),
        ("correctness 5.0", scored("grade-5", "correctness", 5.0)),
        ("correctness 3.0", scored("grade-3", "correctness", 3.0)),
        ("correctness 1.0", scored("grade-1", "correctness", 1.0)),
        (
            "citations with stage and url",
            lambda ran: (
                ran.question("cited")["citations"][0]["metadata"]
                == {"stage": "tally", "url": "https://forum.test/stip"}
            ),
        ),
        ("scenario A, made up: not faithful", scored("a", "faithfulness_binary", 0.0)),
        ("scenario B, another subject: faithful", scored("b", "faithfulness_binary", 1.0)),
        ("scenario B, another subject: not relevant", scored("b", "relevancy", 0.0)),
        ("scenario C, lost document: no hit", scored("c", "hit_rate@15", 0.0)),
        ("scenario D, too terse: 2.5", scored("d", "correctness", 2.5)),
        code=3,
    ),
    *rows_of(
        "walkthrough",
        "walkthrough",
        "ragate check && ragate report latest --explain grade-4.5",
        ("what the judge was asked and answered, step by step", "By the words they share"),
    ),
]

EMBEDDINGS = [
    *rows_of(
        "embeddings",
        "sample_eval",
        "ragate score data/sample_eval.json --model all-MiniLM-L6-v2 --json --output scores.json",
        ("context relevance", lambda ran: ran.report["averages"]["context_relevance"] > 0.2),
        ("context sufficiency", lambda ran: ran.report["averages"]["context_sufficiency"] > 0),
        ("answer relevance", lambda ran: ran.report["averages"]["answer_relevance"] > 0.3),
        ("answer correctness", lambda ran: ran.report["averages"]["answer_correctness"] > 0.3),
        ("answer hallucination", lambda ran: ran.report["averages"]["answer_hallucination"] > 0.5),
        ("a model of sentence-transformers by its name", '"averages"'),
        (
            "one JSON list with answers and contexts",
            lambda ran: len(ran.report["questions"]) == 3,
        ),
    ),
    *rows_of(
        "embeddings",
        "sample_eval",
        "ragate score data/sample_eval.json --model all-MiniLM-L6-v2",
        ("run_evaluation in one line, with a table of averages", r"average 0\.\d+"),
    ),
    *rows_of(
        "embeddings",
        "scored_chunks",
        "ragate score answers.jsonl --preset checks --json --output checks.json",
        ("check: the answer is not empty", checked("not_empty")),
        ("check: contexts support it", checked("has_contexts")),
        ("check: it cites", checked("has_citations")),
        ("check: no fallback phrase", checked("no_fallback")),
        ("check: retrieval scores above a mark", checked("min_retrieval_score")),
        ("check: a list where a list was asked for", checked("list_structure")),
    ),
    *rows_of(
        "embeddings",
        "sample_eval",
        "ragate plugin new metric polite && ragate plugin check evals/polite.py",
        ("a metric of your own, with its test", "polite"),
    ),
]

RECORD = [
    *rows_of(
        "record",
        "nfcorpus",
        "ragate check --ids PLAIN-2630,PLAIN-2660,PLAIN-2510,PLAIN-2430,PLAIN-2690",
        ("BEIR corpus, queries and qrels", r"beir/nfcorpus"),
        ("five chosen queries", "5 questions"),
        ("context recall", r"recall@10 100.0 %"),
        ("TRUE or FALSE by a model", r"correctness_binary"),
        ("0.8 demanded of every query", r"pass_rate .* floor 100.0 % met"),
        ("only documents of grade 2 count", "PASSED"),
        ("a model of Ollama judges", "llama3.1:8b"),
    ),
    *rows_of(
        "record",
        "several_hops",
        "ragate check",
        ("questions that need several documents", r"all_found@5 50.0 %"),
        code=3,
    ),
    *rows_of(
        "record",
        "nfcorpus",
        "pytest ragate.toml -q",
        ("retrieval and generation, apart, in pytest", "passed"),
    ),
]

PACKS = [
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --verbose --meta label=baseline-v1 --description first",
        ("retrieval stage", r"stage: retrieval: 100.0 %"),
        ("context relevance stage", r"stage: context_relevance: 100.0 %"),
        ("faithfulness stage", r"stage: faithfulness: 100.0 %"),
        ("answer relevance stage", r"stage: answer_relevance: 100.0 %"),
        ("citation stage", r"stage: citation: 100.0 %"),
        ("source policy gate", r"stage: source_policy: 100.0 %"),
        ("policy compliance gate", r"stage: policy_compliance: 100.0 %"),
        ("rejection calibration stage", r"stage: rejection_calibration: 100.0 %"),
        ("default weights", r"faithfulness at 0.4, weight 0.25"),
        ("marks by provider", r"judged_context_relevance at 0.25"),
        ("GPT-5 without a temperature, by itself", "PASSED"),
        ("pass rates by tag and complexity", r"tag: rag: .*complexity_level"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --meta label=baseline-v1 --meta client=internal && ragate runs list",
        ("label, client, client version", "label=baseline-v1"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --tags rag,revenue --limit 5",
        ("several tags, any of them", "tags rag, revenue"),
        ("a limit", "the first 5"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --where complexity_level>=3 --where complexity_level<=4",
        ("complexity from and to", r"complexity_level>=3"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --where source_type=sme --where review_status=approved",
        ("source type and review status", "review_status=approved"),
    ),
    *rows_of(
        "packs",
        "answers_alone",
        "ragate score answers.jsonl --preset rag --config judge.toml",
        ("a pack by name on the command line", "context_relevance"),
    ),
    *rows_of(
        "packs",
        "rag_pack",
        "ragate check --set judge.model=gpt-4.1-nano",
        ("another judge's model for one run", "judge.model=gpt-4.1-nano"),
        code=3,
    ),
    *rows_of(
        "packs",
        "answering",
        "ragate check --set target=rag:small --limit 3",
        ("another agent, mode or model for one run", "target=rag:small"),
    ),
    *rows_of(
        "packs",
        "retrying",
        "ragate check",
        ("max_retries of the judge", "PASSED"),
    ),
    *rows_of(
        "packs",
        "tuned_pack",
        "ragate check --verbose",
        ("a stage switched off", lambda ran: "stage: citation" not in ran.text),
        ("weights and marks of your own", r"faithfulness at 0.5, weight 0.3"),
        ("stages in parallel", "PASSED"),
    ),
    *rows_of(
        "packs",
        "failing_pack",
        JSON,
        (
            "overall_passed of a question",
            lambda ran: ran.question("rag-000")["verdict"] == "FAIL",
        ),
        (
            "overall_score of a question",
            lambda ran: ran.report["outcomes"][0]["scores"]["overall_score"] < 0.5,
        ),
        ("results of stages", lambda ran: "recall@5" in ran.question("rag-000")["scores"]),
        code=1,
    ),
    *rows_of(
        "packs",
        "failing_pack",
        "ragate check && ragate report latest --failed",
        ("batch results --failed", r"rag-004"),
        code=1,
    ),
    *rows_of(
        "packs",
        "failing_pack",
        "ragate check && ragate report latest --format json --output results.json",
        ("batch results --export", lambda ran: len(ran.report["questions"]) == 24),
        code=1,
    ),
    *rows_of(
        "packs",
        "failing_pack",
        "ragate check && ragate runs list",
        ("batch list and status", "failed"),
    ),
    *rows_of(
        "packs",
        "retrieval_pack",
        "ragate check --verbose",
        ("rag-retrieval pack: retrieval and contexts alone", r"recall@5 at 0.5, weight 0.4"),
    ),
    *rows_of(
        "packs",
        "nl2api",
        "ragate check --eval-date 2026-02-01 --verbose",
        ("syntax gate", r"stage: syntax: 100.0 %"),
        ("calls compared in any order, by type", r"stage: logic: 100.0 %"),
        ("a reference date", r"tool_logic 100.0 %"),
        code=3,
    ),
    *rows_of(
        "packs",
        "nl2api",
        "ragate check --eval-date 2026-02-01 --temporal-mode data",
        ("dates compared by mode", "temporal_mode=data"),
        code=3,
    ),
    *rows_of(
        "packs",
        "nl2api",
        "ragate check --label quick-test",
        ("the framework's words, told in ours", "--meta label=NAME"),
        code=2,
    ),
]

ROWS = [
    *(*GUIDE, *service_rows.GUIDE),
    *(*WALKTHROUGH, *EMBEDDINGS),
    *(*RECORD, *service_rows.RECORD),
    *(*PACKS, *service_rows.PACKS, *service_rows.TELEMETRY),
]
