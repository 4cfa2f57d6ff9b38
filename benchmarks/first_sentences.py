"""Plant changes in two projects and print the first sentence of each verdict, for a blind reader.

The reader sees the sentences alone, in an order that tells nothing, and says for each what broke
and what to do; the results file holds what was planted, what was read, and whether that is right.

    python -m benchmarks.first_sentences [--only NAME ...] > sentences.txt

One project answers questions of the manual, the other those of ClapNQ, both by a plain function:
words in common find the passages, the sentence with most of them is the answer.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

ROOT = Path(__file__).parents[1]
CLAPNQ = ROOT.parent / "shared" / "data" / "clapnq_dev"
QUESTIONS = 60
Texts = dict[str, str]
Golden = list[dict[str, object]]

RAG = """\
import json, math, re
from collections import Counter

DOCS = json.load(open("corpus.json"))
WORD = re.compile(r"[a-z0-9]+")
BAGS = {key: Counter(WORD.findall(text.lower())) for key, text in DOCS.items()}
DF = Counter(word for bag in BAGS.values() for word in bag)
K = 5

def weight(word):
    return math.log(1 + len(DOCS) / (1 + DF[word]))

def score(question, bag):
    size = 1 + 0.002 * sum(bag.values())
    return sum(weight(w) * bag[w] / (bag[w] + size) for w in set(WORD.findall(question.lower())))

def retrieve(question):
    ranked = sorted(BAGS, key=lambda key: (-score(question, BAGS[key]), key))
    return ranked[:K]

def write(question, docs):
    texts = re.split(r"(?<=[.!?])\\s+", " ".join(DOCS[key] for key in docs[:2]))
    asked = set(WORD.findall(question.lower()))
    common = lambda text: asked & set(WORD.findall(text.lower()))
    best = sorted(texts, key=lambda text: -sum(map(weight, common(text))))
    return " ".join(best[:2])

def answer(question):
    docs = retrieve(question)
    chunks = [{"doc_id": key, "text": DOCS[key]} for key in docs]
    return {"answer": write(question, docs), "chunks": chunks}
"""
GATED = (
    "ndcg@10",
    "idf_f1",
    "number_unit_support",
    "entity_support",
    "polarity",
    "complete_answer",
)
TABLES = "\n".join(f'[policy.metrics."{name}"]\nlevel = "error"' for name in GATED)
CONFIG = f"""\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["python"]
gate = "docs"
[policy.metrics."recall@10"]
level = "error"
pass_at = 1.0
{TABLES}
[policy.metrics.lexical_support]
level = "warn"
[policy.metrics.error_rate]
level = "error"
maximum = 0.0
[system]
use = "python"
target = "rag:answer"
"""


@dataclass(frozen=True)
class Plant:
    """One change: code that follows the module's own, and what happens to the other files."""

    planted: str
    code: str = ""
    corpus: Callable[[Texts], Texts] = lambda texts: texts
    golden: Callable[[Golden], Golden] = lambda rows: rows
    config: Callable[[str], str] = lambda text: text


def after(body: str) -> str:
    """Return code that changes what `answer` returns; `n` is a number of the question's own."""
    return (
        "\nbefore = answer\ndef answer(question):\n    out = before(question)\n"
        "    n = sum(map(ord, question))\n"
        + "".join(f"    {line}\n" for line in body.split("; "))
        + "    return out\n"
    )


def without(texts: Texts, share: int) -> Texts:
    return {key: text for place, (key, text) in enumerate(texts.items()) if place % share}


def other_numbers(texts: Texts) -> Texts:
    return {key: re.sub(r"\d+", lambda m: str(int(m[0]) + 3), text) for key, text in texts.items()}


PLANTS = {
    "nothing": Plant("nothing: a comment was added to the code", "\n# tidied\n"),
    "refuses": Plant(
        "every answer says that it does not know", after('out["answer"] = "I don\'t know."')
    ),
    "refuses_third": Plant(
        "a third of the answers say that they cannot tell",
        after(
            'out["answer"] = "I am sorry, I cannot answer that." if n % 3 == 0 else out["answer"]'
        ),
    ),
    "empty": Plant("every answer is empty", after('out["answer"] = ""')),
    "empty_fifth": Plant(
        "a fifth of the answers are empty",
        after('out["answer"] = "" if n % 5 == 0 else out["answer"]'),
    ),
    "boom": Plant(
        "every question raises",
        '\ndef retrieve(question):\n    raise RuntimeError("index is closed")\n',
    ),
    "boom_third": Plant(
        "a third of the questions raise a KeyError", after('{}["chunk"] if n % 3 == 0 else None')
    ),
    "boom_few": Plant(
        "one question in fifteen runs out of memory",
        after('exec("raise MemoryError()") if n % 15 == 0 else None'),
    ),
    "none": Plant("the function returns nothing", "\ndef answer(question):\n    pass\n"),
    "k1": Plant("one document is retrieved in place of five", "\nK = 1\n"),
    "k0": Plant("no document is retrieved", "\nK = 0\n"),
    "k10": Plant("ten documents are retrieved in place of five", "\nK = 10\n"),
    "removed": Plant(
        "every third document left the corpus", corpus=lambda texts: without(texts, 3)
    ),
    "renamed": Plant(
        "every document has another id",
        corpus=lambda texts: {f"v2/{k}": t for k, t in texts.items()},
    ),
    "numbers_edited": Plant("all numbers in the documents are others", corpus=other_numbers),
    "invents": Plant(
        "every answer ends in an invented figure",
        after('out["answer"] += " It takes 917 days and costs 4,350 euros."'),
    ),
    "negates": Plant(
        "what answers say is negated",
        after(
            'import re; verb = r"\\b(is|are|was|can|has)\\b"; '
            'out["answer"] = re.sub(verb, r"\\1 not", out["answer"])'
        ),
    ),
    "cut": Plant(
        "answers end in mid-sentence",
        after('out["answer"] = out["answer"][: len(out["answer"]) // 2]'),
    ),
    "same": Plant(
        "every answer is the same", after('out["answer"] = "Please see our help pages for this."')
    ),
    "reversed": Plant("the ranking is upside down", after('out["chunks"] = out["chunks"][::-1]')),
    "other_docs": Plant(
        "the retriever finds other documents",
        "\nof_words = score\ndef score(question, bag):\n"
        "    return of_words(question[::-1], bag) + bag['the']\n",
    ),
    "last_passage": Plant(
        "the answer is written from the last passage, not from the first",
        "\nwriter = write\ndef write(question, docs):\n    return writer(question, docs[-1:])\n",
    ),
    "reworded": Plant(
        "answers begin with a polite phrase",
        after('out["answer"] = "Sure, here it is: " + out["answer"]'),
    ),
    "no_numbers": Plant(
        "answers leave out every figure",
        after('import re; out["answer"] = re.sub(r"\\d[\\d.,]*", "some", out["answer"])'),
    ),
    "no_texts": Plant(
        "passages come without their texts",
        after('out["chunks"] = [{"doc_id": c["doc_id"]} for c in out["chunks"]]'),
    ),
    "floor": Plant(
        "the policy demands more than there is",
        config=lambda text: text.replace(
            '[policy.metrics."idf_f1"]\n', '[policy.metrics."idf_f1"]\nminimum = 0.95\n'
        ),
    ),
    "must_pass": Plant(
        "a question that must pass loses its document",
        after('out["chunks"] = [] if MUST in question else out["chunks"]'),
    ),
    "questions_added": Plant(
        "five questions were added",
        golden=lambda rows: [
            *rows,
            *(
                {**row, "id": f"new-{row['id']}", "query": f"Please tell: {row['query']}"}
                for row in rows[:5]
            ),
        ],
    ),
    "references": Plant(
        "the expected answers of ten questions were written anew",
        golden=lambda rows: [
            {**row, "references": ["Nobody knows."]} if place < 10 else row
            for place, row in enumerate(rows)
        ],
    ),
    "few_wrong": Plant(
        "one answer in twenty is about something else",
        after(
            'out["answer"] = "The capital of France is Paris." if n % 20 == 0 else out["answer"]'
        ),
    ),
}


def questions(name: str) -> tuple[Texts, Golden]:
    """Return the documents and the golden set of a project."""
    if name == "manual":
        pages = sorted((ROOT / "docs").glob("*.md"))
        texts = {page.name: page.read_text() for page in pages}
        rows = [
            json.loads(line) for line in (ROOT / "evals" / "golden.jsonl").read_text().splitlines()
        ]
        rows = [row for row in rows if row.get("relevant") and not row.get("messages")]
    else:
        lines = (CLAPNQ / "corpus.jsonl").read_text().splitlines()
        texts = {each["_id"]: each["text"] for each in map(json.loads, lines)}
        marks = (CLAPNQ / "qrels" / "test.tsv").read_text().splitlines()[1:]
        relevant = {mark.split("\t")[0]: mark.split("\t")[1] for mark in marks}
        told = map(json.loads, (CLAPNQ / "qa.jsonl").read_text().splitlines())
        rows = [
            {
                "id": each["id"],
                "query": each["question"],
                "relevant": {relevant[each["id"]]: 1},
                "references": each["references"][:1],
            }
            for each in told
            if each["id"] in relevant and each.get("references") and each["references"][0]
        ]
    chosen = random.Random(7).sample(rows, QUESTIONS)
    kept = ("id", "query", "relevant", "references")
    chosen = [{key: row[key] for key in kept if row.get(key)} for row in chosen]
    return texts, chosen


def write(folder: Path, texts: Texts, rows: Golden, plant: Plant) -> None:
    must = str(rows[0]["query"])
    rows = plant.golden(rows)
    lines = [
        json.dumps({**row, **({"must_pass": True} if row["query"] == must else {})}) for row in rows
    ]
    (folder / "golden.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "corpus.json").write_text(json.dumps(plant.corpus(texts)))
    (folder / "rag.py").write_text(f"{RAG}MUST = {must!r}\n{plant.code}")
    (folder / "ragate.toml").write_text(plant.config(CONFIG))


def ragate(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ragate", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def sentence(output: str) -> str:
    """Return the first sentence of a report as the comment has it."""
    found = re.search(r"<h3>(.*?)</h3>", output)
    return unescape(re.sub(r"<[^>]+>", "", found.group(1))) if found else output[:300]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=list(PLANTS))
    parser.add_argument("--sets", nargs="*", default=["manual", "clapnq"])
    chosen = parser.parse_args()
    for name in chosen.sets:
        texts, rows = questions(name)
        folder = Path(tempfile.mkdtemp())
        write(folder, texts, rows, PLANTS["nothing"])
        subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
        recorded = ragate(folder, "baseline", "update")
        assert recorded.returncode == 0, recorded.stderr + recorded.stdout
        for key in chosen.only:
            write(folder, texts, rows, PLANTS[key])
            told = ragate(folder, "check", "--format", "markdown")
            print(
                f"{name}/{key}\t{PLANTS[key].planted}\t{sentence(told.stdout or told.stderr)}",
                flush=True,
            )
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
