"""The projects of the seeds' authors: questions, answers, configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ragate.cli.main import run

Rows = Iterable[Mapping[str, Any]]
Build = Callable[[str], None]
PROJECTS: dict[str, Build] = {}

HEAD = """\
[policy]
dataset      = "golden.jsonl"
baseline     = "baselines/main.json"
systems      = ["replay"]
replay_paths = ["outputs/*.jsonl"]
{policy}
[system]
use   = "replay"
paths = ["outputs/*.jsonl"]
"""
JUDGE = """
[policy.providers.openai]
base_url = "{url}"

[policy.judge]
use      = "{use}"
provider = "openai"
model    = "{model}"
{keys}
"""


def project(build: Build) -> Build:
    """Note a function that writes a project into the current folder, given the models' address."""
    PROJECTS[build.__name__] = build
    return build


def write_rows(path: str, rows: Rows) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def configure(policy: str) -> None:
    Path("ragate.toml").write_text(HEAD.format(policy=policy), encoding="utf-8")


def judged(url: str, *, use: str, model: str, keys: str = "") -> str:
    return JUDGE.format(url=url, use=use, model=model, keys=keys)


def record_baseline() -> None:
    """Record what the outputs hold as the baseline."""
    code = run(["baseline", "update"])
    assert code == 0, f"no baseline: exit {code}"


# A governance forum: 15 questions, three of them with a reference.

TITLES = ("Amber", "Birch", "Cedar", "Daisy", "Ember", "Fjord", "Grove", "Heron", "Iris", "Jade",
          "Kelp", "Larch", "Maple", "Nettle", "Olive")  # fmt: skip


def proposal(number: int) -> dict[str, Any]:
    title = TITLES[number - 1]
    question = {
        "id": f"query-{number:03}",
        "query": f"What is the status of the {title} proposal?",
        "relevant": {f"proposal-{number}": 1},
        "tags": ["status" if number <= 3 else "process" if number > 12 else "factual"],
    }
    return question | ({"references": [told(number)]} if number > 12 else {})


def told(number: int) -> str:
    return f"The {TITLES[number - 1]} proposal has been executed by the council."


def passage(number: int) -> dict[str, Any]:
    number = (number - 1) % len(TITLES) + 1
    return {
        "id": f"chunk-{number}",
        "doc_id": f"proposal-{number}",
        "text": f"{told(number)} Its status was published on the forum.",
        "score": 0.8,
        "metadata": {"stage": "tally", "url": f"https://forum.test/{number}"},
    }


def forum_answer(number: int) -> dict[str, Any]:
    return {
        "id": f"query-{number:03}",
        "answer": told(number),
        "chunks": [passage(number), passage(number + 1), passage(number + 2)],
        "latency_s": 1.5,
    }


def _forum(url: str, *, preset: str = "llamaindex", mode: str = "refine") -> None:
    judge = judged(url, use="llamaindex", model="gpt-5-mini", keys=f'mode = "{mode}"')
    configure(f'{judge}\n[policy.scorecard]\npreset = "{preset}"')
    write_rows("golden.jsonl", map(proposal, range(1, 16)))
    write_rows("outputs/run0.jsonl", map(forum_answer, range(1, 16)))
    record_baseline()


@project
def forum(url: str) -> None:
    """Nothing has changed."""
    _forum(url)


@project
def forum_with_keys(url: str) -> None:
    """The judge has a key, which stands in a file of this machine."""
    _forum(url)
    path = Path("ragate.toml")
    keyed = f'base_url = "{url}"\nkey_env = "SEEDS_KEY"'
    path.write_text(path.read_text().replace(f'base_url = "{url}"', keyed))
    Path(".env.development").write_text("SEEDS_KEY=of-all\n")
    Path(".env.local").write_text("SEEDS_KEY=mine\n")
    rows = [forum_answer(number) for number in range(1, 16)]
    rows[0]["answer"] += " Its status was published."
    write_rows("outputs/run0.jsonl", rows)


@project
def broken_forum(url: str) -> None:
    """Five answers are made up, two documents are lost, and one question could not be asked."""
    _forum(url)
    rows = [forum_answer(number) for number in range(1, 16)]
    for row in rows[:5]:
        row["answer"] = "Zebras fly over purple mountains."
    for row in rows[5:7]:
        row["chunks"] = row["chunks"][1:]
    rows[14] = {"id": "query-015", "error": "the server did not answer"}
    write_rows("outputs/run0.jsonl", rows)


@project
def unlabelled_forum(url: str) -> None:
    """Nobody has said yet which documents are right."""
    _forum(url)
    questions = [proposal(number) for number in range(1, 16)]
    for question in questions:
        del question["relevant"]
    write_rows("golden.jsonl", questions)


# One question, followed from its three passages to its scores; and four ways to go wrong.

STIP = "What is the status of the STIP proposal and who proposed it?"
REFERENCE = "The Foundation proposed it and it has been executed."
CHUNKS = (
    "The STIP proposal was proposed by the Foundation. Its status is executed.",
    "The STIP proposal passed the Snapshot temperature check.",
    "Delegates raised concerns about the short timeline of the program.",
)
CASES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    # id: question, answer, reference, passages
    "faithful": (STIP, "The STIP proposal was proposed by the Foundation.", "", CHUNKS),
    "unfaithful": (STIP, "The STIP proposal allocated sixty billion zebras yesterday.", "", CHUNKS),
    "irrelevant": (STIP, "Delegates raised concerns about the short timeline.", "", CHUNKS),
    "grade-4.5": (
        STIP,
        "It has been executed. The Foundation proposed it, which is worded otherwise.",
        REFERENCE,
        CHUNKS,
    ),
    "grade-5": (STIP, REFERENCE, REFERENCE, CHUNKS),
    "cited": (STIP, f"{REFERENCE} [1]", REFERENCE, CHUNKS),
    "grade-3": (STIP, "It has been executed.", REFERENCE, CHUNKS),
    "grade-1": (STIP, "I have no information about that.", REFERENCE, CHUNKS),
    "a": (
        "What is the voting deadline for Treasury Management?",
        "The Treasury deadline is March 30 with sixty percent supermajority needed by everyone.",
        "",
        ("Treasury Management. Voting End: 2024-03-15",),
    ),
    "b": (
        "Who proposed the Security Council Elections?",
        "The Treasury Management proposal was created on January 10.",
        "",
        (
            "Security Council Elections.",
            "The Treasury Management proposal was created on January 10.",
        ),
    ),
    "c": (
        "What concerns were raised about the Orbit proposal?",
        "Treasury concerns were raised.",
        "",
        ("Treasury concerns were raised.", "Gaming."),
    ),
    "d": (
        "How does the Snapshot voting process work?",
        "Snapshot is used for voting on proposals.",
        "An off-chain temperature check without gas fees before an on-chain vote.",
        ("Snapshot is used for voting on proposals.",),
    ),
}  # fmt: skip


@project
def walkthrough(url: str) -> None:
    judge = judged(url, use="llamaindex", model="gpt-5-mini", keys='mode = "refine"')
    configure(f'{judge}\n[policy.scorecard]\npreset = "llamaindex"')
    questions, outputs = [], []
    for key, (query, answer, reference, passages) in CASES.items():
        lost = key == "c"
        references = {"references": [reference]} if reference else {}
        expected = {"orbit-123" if lost else f"{key}-0": 1}
        questions.append({"id": key, "query": query, "relevant": expected, **references})
        told = {"stage": "tally", "url": "https://forum.test/stip"}
        chunks = [
            {"doc_id": f"{key}-{n}", "text": text, "metadata": told}
            for n, text in enumerate(passages)
        ]
        outputs.append({"id": key, "answer": answer, "chunks": chunks})
    write_rows("golden.jsonl", questions)
    write_rows("outputs/run0.jsonl", outputs)


# One file that holds questions, references, answers and contexts.


@project
def sample_eval(_url: str) -> None:
    rows = [
        {
            "question": "What is the capital of Norway?",
            "reference_answer": "Oslo is the capital of Norway.",
            "answer": "The capital of Norway is Oslo. [1]",
            "contexts": ["Oslo is the capital of Norway.", "Norway has fjords."],
        },
        {
            "question": "Who wrote Peer Gynt?",
            "reference_answer": "Henrik Ibsen wrote it.",
            "answer": "Purple zebras fly over green hills.",
            "contexts": ["Peer Gynt is a play by Henrik Ibsen."],
        },
        {
            "question": "List the two largest cities of Norway.",
            "reference_answer": "Oslo and Bergen.",
            "answer": "",
            "contexts": ["Oslo and Bergen are the largest cities of Norway."],
        },
    ]
    Path("data").mkdir()
    Path("data/sample_eval.json").write_text(json.dumps(rows), encoding="utf-8")


@project
def scored_chunks(_url: str) -> None:
    """A good answer, a bad one and one from nothing, with the scores of their chunks."""
    asked = "List two cities of Norway."
    chunks = [{"doc_id": "a", "text": "Oslo and Bergen are cities of Norway.", "score": 0.9}]
    good: dict[str, Any] = {"id": "good", "answer": "- Oslo [1]\n- Bergen [1]", "chunks": chunks}
    far = [{"doc_id": "b", "text": "Fjords.", "score": 0.01}]
    bad: dict[str, Any] = {"id": "bad", "answer": "", "chunks": far}
    nothing: dict[str, Any] = {"id": "nothing", "answer": "Oslo and Bergen.", "chunks": []}
    rows = [
        {"query": asked, **good},
        {"query": asked + " Please.", **bad},
        {"query": asked + " Now.", **nothing},
    ]
    write_rows("answers.jsonl", rows)


# A BEIR folder, and a RAG that answers by a model.


@project
def nfcorpus(url: str) -> None:
    judge = judged(url, use="rubric", model="llama3.1:8b")
    configure(
        f'{judge}\n[policy.scorecard]\npreset = "beir"\n[policy.scorecard.pass_rate]\nminimum = 1.0'
    )
    text = Path("ragate.toml").read_text().replace("golden.jsonl", "beir/nfcorpus")
    Path("ragate.toml").write_text(
        text + "\n[policy.scorecard.stages.context_recall]\nsettings = { relevant_from = 2 }\n"
    )
    numbers = (2630, 2660, 2510, 2430, 2690)
    docs = [{"_id": f"MED-{n}", "title": f"Study {n}", "text": medical(n)} for n in numbers]
    write_rows("beir/nfcorpus/corpus.jsonl", docs)
    asked = [{"_id": f"PLAIN-{n}", "text": f"What does study {n} say?"} for n in numbers]
    write_rows("beir/nfcorpus/queries.jsonl", asked)
    lines = ["query-id\tcorpus-id\tscore"]
    lines += [f"PLAIN-{n}\tMED-{n}\t2" for n in numbers]
    lines += [f"PLAIN-{n}\tMED-{other}\t1" for n in numbers for other in numbers if other > n]
    Path("beir/nfcorpus/qrels").mkdir()
    Path("beir/nfcorpus/qrels/test.tsv").write_text("\n".join(lines) + "\n")
    answers = [
        {
            "id": f"PLAIN-{n}",
            "answer": medical(n),
            "chunks": [{"doc_id": f"MED-{n}", "text": medical(n)}],
        }
        for n in numbers
    ]
    write_rows("outputs/run0.jsonl", answers)
    record_baseline()


@project
def several_hops(_url: str) -> None:
    """Each question takes two documents; every second one gets both."""
    configure('\n[policy.metrics."all_found@5"]')
    both = ["a", "b"]
    asked = [{"id": f"q{n}", "query": f"Which of both, {n}?", "relevant": both} for n in range(6)]
    write_rows("golden.jsonl", asked)
    got = [{"doc_id": doc, "text": doc} for doc in both]
    rows = [{"id": f"q{n}", "answer": "Both.", "chunks": got[: 1 + n % 2]} for n in range(6)]
    write_rows("outputs/run0.jsonl", rows)


def medical(number: int) -> str:
    return f"Study {number} says that {number} patients were well."


# Packs of stages over questions on filings, and over calls of an API.

SAMPLES = 24


def filing(number: int) -> dict[str, Any]:
    return {
        "id": f"rag-{number:03}",
        "query": f"What was the revenue of company {number}?",
        "relevant": {f"10k-{number}": 1},
        "references": [revenue(number)],
        "keywords": ["revenue", f"{number}"],
        "answerable": True,
        "source_policy": "summarize",
        "tags": ["rag", "sec_filing" if number % 2 else "revenue"],
        "metadata": {
            "complexity_level": 1 + number % 5,
            "source_type": "sme" if number % 3 else "customer",
            "review_status": "approved" if number % 4 else "pending",
        },
    }


def revenue(number: int) -> str:
    return f"The revenue of company {number} was {number} billion dollars."


def filing_answer(number: int) -> dict[str, Any]:
    return {
        "id": f"rag-{number:03}",
        "answer": f"{revenue(number)} [1]",
        "chunks": [
            {"id": f"c{number}", "doc_id": f"10k-{number}", "text": revenue(number), "score": 0.85},
            {"id": "c0", "doc_id": "other", "text": "Something else.", "score": 0.3},
        ],
        "latency_s": 0.5,
    }


def _packs(url: str, card: str) -> None:
    judge = judged(url, use="rubric", model="gpt-5-nano")
    configure(f"{judge}\n[policy.scorecard]\n{card}")
    write_rows("golden.jsonl", map(filing, range(SAMPLES)))
    write_rows("outputs/run0.jsonl", map(filing_answer, range(SAMPLES)))
    record_baseline()


@project
def rag_pack(url: str) -> None:
    _packs(url, 'preset = "rag"')


@project
def answers_alone(url: str) -> None:
    """Answers in a file, and no gate: a judge is all that is configured."""
    Path("judge.toml").write_text(judged(url, use="rubric", model="gpt-5-nano"))
    rows = [
        {
            "question": filing(number)["query"],
            "reference_answer": revenue(number),
            "answer": f"{revenue(number)} [1]",
            "contexts": [revenue(number), "Something else."],
        }
        for number in range(6)
    ]
    write_rows("answers.jsonl", rows)


@project
def tuned_pack(url: str) -> None:
    """Weights, marks and switches of one's own."""
    card = """preset = "rag"
without = ["citation"]
parallel = true

[policy.scorecard.stages.faithfulness]
weight  = 0.30
pass_at = 0.5
"""
    _packs(url, card)


@project
def failing_pack(url: str) -> None:
    """A quarter of the answers are made up, and retrieved the wrong page."""
    _packs(url, 'preset = "rag"')
    rows = [filing_answer(number) for number in range(SAMPLES)]
    for row in rows[::4]:
        row.update(answer="Zebras fly over purple mountains. [1]", chunks=row["chunks"][1:])
    write_rows("outputs/run0.jsonl", rows)


@project
def retrying(url: str) -> None:
    _packs(url, 'preset = "rag"')
    path = Path("ragate.toml")
    path.write_text(path.read_text().replace('"gpt-5-nano"', '"gpt-5-nano"\nmax_retries = 3'))


RAG = """
def answer(question):
    number = question.split()[-1].rstrip("?")
    text = f"The revenue of company {number} was {number} billion dollars."
    chunks = [{"doc_id": f"10k-{number}", "text": text}]
    return {"answer": text, "chunks": chunks}


small = answer
"""


@project
def answering(_url: str) -> None:
    """A RAG that is a function, and a smaller one beside it."""
    configure('\n[policy.metrics."recall@5"]')
    path = Path("ragate.toml")
    policy = path.read_text().partition("[system]")[0].replace('"replay"', '"python"')
    path.write_text(policy + '[system]\nuse = "python"\ntarget = "rag:answer"\n')
    Path("rag.py").write_text(RAG)
    write_rows("golden.jsonl", map(filing, range(6)))
    record_baseline()


@project
def retrieval_pack(url: str) -> None:
    _packs(url, 'preset = "retrieval"')


WEATHER = {
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "until": {"type": "string"}},
        "required": ["city"],
    },
}


@project
def nl2api(_url: str) -> None:
    calls = [{"name": "weather", "arguments": {"city": "Oslo", "until": "{today}"}}]
    questions = [
        {
            "id": f"call-{number:02}",
            "query": f"How warm was it in Oslo, for the {number}. time?",
            "tools": [WEATHER],
            "expected_calls": calls,
            "tags": ["lookups" if number % 2 else "temporal"],
        }
        for number in range(SAMPLES)
    ]
    configure('\n[policy.scorecard]\npreset = "tool-calls"')
    write_rows("golden.jsonl", questions)
    made = [{"name": "weather", "arguments": {"until": "2026-02-01", "city": "Oslo"}}]
    rows = [{"id": question["id"], "answer": "", "tool_calls": made} for question in questions]
    write_rows("outputs/run0.jsonl", rows)
