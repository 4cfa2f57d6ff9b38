"""Commands that fail, with what their remedies say and what somebody does who reads them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A command that fails, what its remedy must say, and what somebody does who reads that.

    Attributes:
        pasted: The table of pointers that it prints is put into the configuration.
        before: A command that is run first; adds: what is put at the end of a file after it.
        mends: What somebody writes into a file who reads the remedy.
    """

    files: dict[str, str]
    arguments: str
    says: str
    then: str = ""
    pasted: bool = False
    before: str = ""
    adds: dict[str, str] | None = None
    mends: dict[str, str] | None = None


IMPORT = "dataset import"
OUT = "--output golden.jsonl"
TABLE = "question,doc_id,truth\nA?,1,x\nB?,2,y\nC?,3,z\n"
REPLAY = '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
REPLAY += 'replay_paths = ["o/*"]\n[policy.metrics.token_f1]\n[system]\nuse = "replay"\n'
REPLAY += 'paths = ["o/*"]\n'
GOLDEN = '{"id": "a", "query": "A?", "references": ["x"]}\n'
NUMBERED = "".join(
    f'{{"question": "{question}?", "answer": "x", "run": {run}}}\n'
    for question, run in (("A", 0), ("A", 1), ("B", 0))
)
SCORES = "".join(f"q{number},0.9{number},1\n" for number in range(10))
OF_SCORES = '[policy]\nbaseline = "b.json"\nsystems = ["scores"]\nscores_paths = ["s/*.csv"]\n'
OF_SCORES += '[policy.metrics.faithfulness]\n[system]\nuse = "scores"\npaths = ["s/a.csv"]\n'
ANSWERS = '{"id": "a", "answer": "x"}\n'
RESULT = '{"results": {"version": 3, "results": [{"vars": {"ask": "A?", "topic": "b"}, '
RESULT += '"response": {"output": "x"}, "success": true}]}}'
CASES = {
    "a column of one's own in a golden set": Case(
        {"g.csv": "question,reference,owner\nA?,x,ann\n"},
        "dataset validate g.csv",
        "`ragate dataset import table`",
        f"{IMPORT} table g.csv {OUT}",
    ),
    "labels that count the rows": Case(
        {"t.csv": TABLE},
        f"{IMPORT} t.csv {OUT}",
        "--column relevant= leaves the column out",
        f"{IMPORT} t.csv {OUT} --column relevant=",
    ),
    "labels that are meant": Case(
        {"t.csv": TABLE},
        f"{IMPORT} t.csv {OUT}",
        "--column relevant=doc_id takes them as they are",
        f"{IMPORT} t.csv {OUT} --column relevant=doc_id",
    ),
    "ids that count the rows": Case(
        {"t.csv": "id,question,truth\n0,A?,x\n1,B?,y\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column id= leaves the column out",
        f"{IMPORT} t.csv {OUT} --column id=",
    ),
    "questions without labels": Case(
        {"t.csv": "question,remark\nA?,fine\n"},
        f"{IMPORT} t.csv {OUT}",
        "--draft keeps the questions as drafts",
        f"{IMPORT} t.csv {OUT} --draft",
    ),
    "a right answer under a name of one's own": Case(
        {"t.csv": "question,Musterantwort\nA?,x\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column references=NAME",
        f"{IMPORT} t.csv {OUT} --column references=Musterantwort",
    ),
    "a question under a name of one's own": Case(
        {"t.csv": "Frage,truth\nA?,x\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column query=NAME",
        f"{IMPORT} t.csv {OUT} --column query=Frage",
    ),
    "an answer where documents are wanted": Case(
        {"t.csv": "question,source\nA?,It is kept for ten days.\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column references=source",
        f"{IMPORT} t.csv {OUT} --column references=source",
    ),
    "a wrong guess of the tool": Case(
        {"t.jsonl": '{"input": "A?", "actual_output": "x", "expected_output": "y"}\n'},
        f"{IMPORT} ragas t.jsonl {OUT}",
        "leave ragas out",
        f"{IMPORT} t.jsonl {OUT}",
    ),
    "a kind that is none": Case(
        {"t.csv": "question,truth\nA?,x\n"},
        f"{IMPORT} csv t.csv {OUT}",
        "leave it out",
        f"{IMPORT} t.csv {OUT}",
    ),
    "a variable of promptfoo with an unusual name": Case(
        {"t.yaml": "- vars: {topic: lamps, ask: A?, truth: x}\n"},
        f"{IMPORT} promptfoo t.yaml {OUT}",
        "--column query=NAME",
        f"{IMPORT} promptfoo t.yaml {OUT} --column query=ask",
    ),
    "an option that is gone": Case(
        {"t.yaml": "- vars: {topic: lamps, ask: A?, truth: x}\n"},
        f"{IMPORT} promptfoo t.yaml {OUT} --query-var ask",
        "--column query=NAME",
        f"{IMPORT} promptfoo t.yaml {OUT} --column query=ask",
    ),
    "a golden set that cannot be changed in place": Case(
        {"g.csv": "id,question,truth,draft\na,A?,x,yes\n"},
        "dataset accept --all --file g.csv",
        "`ragate dataset import golden g.csv --output golden.jsonl`",
        f"{IMPORT} golden g.csv {OUT}",
    ),
    "outputs in fields of one's own": Case(
        {
            "g.jsonl": GOLDEN,
            "ragate.toml": REPLAY,
            "o/a.jsonl": '{"ticket": {"question": "A?"}, "said": {"reply": "It is x."}}\n',
        },
        "collect",
        "[system.pointers]",
        "collect",
        pasted=True,
    ),
    "a question that was answered twice": Case(
        {
            "g.jsonl": GOLDEN + GOLDEN.replace("a", "b").replace("A", "B"),
            "ragate.toml": REPLAY,
            "o/a.jsonl": '{"question": "A?", "answer": "x"}\n' * 2
            + '{"question": "B?", "answer": "x"}\n',
        },
        "collect",
        "number its `run` from 0",
        "collect",
        mends={"o/a.jsonl": NUMBERED},
    ),
    "an answer that is a list": Case(
        {"t.jsonl": '{"question": "A?", "truth": "x", "answer": ["y"]}\n'},
        f"{IMPORT} t.jsonl {OUT}",
        "--column references=answer",
        f"{IMPORT} t.jsonl {OUT} --column references=answer",
    ),
    "passages that are no texts": Case(
        {"t.jsonl": '{"question": "A?", "truth": "x", "contexts": [{"a": 1}]}\n'},
        f"{IMPORT} t.jsonl {OUT}",
        "--column evidence= leaves it out",
        f"{IMPORT} t.jsonl {OUT} --column evidence=",
    ),
    "a file that is not there": Case(
        {"t.csv": "question,truth\nA?,x\n"},
        f"{IMPORT} u.csv {OUT}",
        "`ragate dataset import FILE --output golden.jsonl`",
        f"{IMPORT} t.csv {OUT}",
    ),
    "results of promptfoo with several variables": Case(
        {
            "g.jsonl": GOLDEN,
            "ragate.toml": f'{REPLAY}preset = "promptfoo"\n',
            "o/a.json": RESULT,
        },
        "collect",
        'question = "/vars/NAME"',
        "collect",
        mends={
            "ragate.toml": f'{REPLAY}[system.pointers]\nrecords = "/results/results"\n'
            'question = "/vars/ask"\nanswer = "/response/output"\n'
        },
    ),
    "pointers that do not fit": Case(
        {
            "g.jsonl": GOLDEN,
            "ragate.toml": f'{REPLAY}[system.pointers]\nanswer = "/said"\n',
            "o/a.jsonl": ANSWERS,
        },
        "collect",
        "correct [system.pointers]",
        "collect",
        mends={"ragate.toml": f'{REPLAY}[system.pointers]\nanswer = "/answer"\n'},
    ),
    "a golden set that is not there": Case(
        {"ragate.toml": REPLAY, "o/a.jsonl": ANSWERS},
        "collect",
        "set [policy] dataset",
        "collect",
        mends={"h.jsonl": GOLDEN, "ragate.toml": REPLAY.replace("g.jsonl", "h.jsonl")},
    ),
    "drafts alone": Case(
        {
            "g.jsonl": GOLDEN.replace("}", ', "draft": true}'),
            "ragate.toml": REPLAY,
            "o/a.jsonl": ANSWERS,
        },
        "collect",
        "`ragate dataset accept`",
        "dataset accept a",
    ),
    "filters that leave nothing": Case(
        {
            "g.jsonl": GOLDEN.replace("}", ', "tags": ["s"]}') + GOLDEN.replace('"a"', '"b"'),
            "ragate.toml": REPLAY,
            "o/a.jsonl": ANSWERS,
        },
        "collect --tags s --ids b",
        "--ids, --tags and --where must all fit",
        "collect --tags s --ids a",
    ),
    "a shard that is missing": Case(
        {"g.jsonl": GOLDEN, "ragate.toml": REPLAY, "o/a.jsonl": ANSWERS},
        "decide one.jsonl",
        "ragate collect --shard 2/2",
        "decide one.jsonl two.jsonl",
        before="collect --shard 1/2 --save-outputs one.jsonl",
    ),
    "half a shard": Case(
        {"g.jsonl": GOLDEN, "ragate.toml": REPLAY, "o/a.jsonl": ANSWERS},
        "decide one.jsonl",
        "ragate collect --shard 1/1",
        "collect --shard 1/1 --save-outputs one.jsonl",
        before="collect --shard 1/1 --save-outputs one.jsonl",
        adds={"one.jsonl": ANSWERS},
    ),
    "a shard beside a whole run": Case(
        {"g.jsonl": GOLDEN, "ragate.toml": REPLAY, "o/a.jsonl": ANSWERS},
        "decide one.jsonl o/a.jsonl",
        "give `decide` all shards of one run",
        "decide one.jsonl",
        before="collect --shard 1/2 --save-outputs one.jsonl",
    ),
    "a table that looks like somebody else's": Case(
        {
            "a.csv": "user_input,faithfulness\n" + SCORES.replace(",1\n", "\n"),
            "b.csv": "id,faithfulness,accuracy\n" + SCORES,
        },
        "gate a.csv b.csv",
        "--reader plain",
        "gate a.csv b.csv --reader plain",
    ),
    "a reader that is the wrong one": Case(
        dict.fromkeys(("a.csv", "b.csv"), "id,faithfulness,accuracy\n" + SCORES),
        "gate a.csv b.csv --reader junit",
        "leave --reader out",
        "gate a.csv b.csv",
    ),
    "many metrics": Case(
        {
            name: "id," + ",".join(f"f1_{n}" for n in range(21)) + "\nq" + ",1" * 21 + "\n"
            for name in ("a.csv", "b.csv")
        },
        "gate a.csv b.csv",
        "--metric NAME",
        "gate a.csv b.csv --metric f1_1 --higher-is-better f1_1",
    ),
    "a metric that nobody knows": Case(
        dict.fromkeys(("a.csv", "b.csv"), "id,faithfulness,tone\n" + SCORES),
        "gate a.csv b.csv",
        "--higher-is-better tone, or --lower-is-better tone",
        "gate a.csv b.csv --lower-is-better tone",
    ),
    "a metric that nobody knows, in a project": Case(
        {
            "ragate.toml": OF_SCORES.replace("faithfulness", "tone"),
            "s/a.csv": "id,faithfulness,tone\n" + SCORES,
        },
        "baseline update",
        'direction = "higher"',
        "baseline update",
        mends={"ragate.toml": OF_SCORES.replace("faithfulness]", 'tone]\ndirection = "lower"')},
    ),
    "scores that the policy does not name": Case(
        {
            "ragate.toml": OF_SCORES.replace("s/a.csv", "t/a.csv"),
            "t/a.csv": "id,faithfulness,accuracy\n" + SCORES,
        },
        "baseline update",
        "add 't/a.csv' to scores_paths",
        "baseline update",
        mends={"ragate.toml": OF_SCORES.replace("s/", "t/")},
    ),
    "a baseline in place of scores": Case(
        {
            "ragate.toml": OF_SCORES,
            "s/a.csv": "id,faithfulness,accuracy\n" + SCORES,
        },
        "gate b.json s/a.csv",
        "`ragate check` holds what is now against it",
        "check",
        before="baseline update",
    ),
    "answers without scores": Case(
        {name: ANSWERS + ANSWERS.replace("a", "b", 1) for name in ("a.jsonl", "b.jsonl")},
        "gate a.jsonl b.jsonl",
        "`ragate init`",
        "init --outputs a.jsonl",
    ),
    "several providers on one side": Case(
        {
            "a.json": RESULT.replace('"success"', '"score": 1, "success"'),
            "b.json": RESULT.replace(
                '"success"', '"score": 1, "provider": {"id": "x"}, "success"'
            ).replace(
                "[{",
                '[{"vars": {"ask": "A?", "topic": "b"}, "provider": {"id": "y"}, '
                '"response": {"output": "x"}, "score": 1, "success": true}, {',
            ),
        },
        "gate a.json b.json",
        "--tag",
        "gate a.json b.json --tag provider:y",
    ),
}
