"""Mistakes of a stranger in a gate that works: a line says what and where, an arrow what to do.

The project is as small as can be: a function, two questions, one metric. Mistakes in projects that
look like those of others are in `adoption/test_mistakes.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.servers.rag_server import Request, Sent, rag_server

pytestmark = pytest.mark.e2e
RECORD = ("baseline", "update")
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python", "http", "command", "replay"]
http_hosts = ["127.0.0.1"]
replay_paths = ["outputs/*.jsonl"]
runs = 1

[policy.metrics."recall@5"]
level = "error"

[system]
use = "python"
target = "rag:ask"
"""
PYTHON = 'use = "python"\ntarget = "rag:ask"\n'
JUDGE = """
[policy.providers.openai]
base_url = "http://127.0.0.1:9/v1"
key_env = "JUDGE_KEY"
[policy.judge]
use = "rubric"
provider = "openai"
model = "judge-1"
[policy.metrics.faithfulness]
level = "error"
"""
RAG = """\
def ask(query):
    return {"answer": query, "chunks": [{"doc_id": "a.md", "text": "A"}]}
"""
ROWS = [
    {"id": "q1", "query": "What is A?", "relevant": ["a.md"]},
    {"id": "q2", "query": "What is A again?", "relevant": ["a.md"]},
]
GOLDEN = "".join(json.dumps(row) + "\n" for row in ROWS)
SECRET = "sk-proj-0123456789abcdef"
URL = 'use = "http"\nurl = "http://SERVER/ask"\n'


def http(**keys: str) -> str:
    return URL + "".join(f"{key} = {value}\n" for key, value in keys.items())


@dataclass(frozen=True)
class Mistake:
    """What a stranger gets wrong, and what must be said about it.

    Attributes:
        says: Stands in one line: the place, with the thing and its value.
        remedy: Stands in the same line or behind the arrow below it.
        toml: What stands in ragate.toml, and what was made of it.
        system: The keys of ``[system]``, in place of the function's.
        more: Added to the policy.
        files: Other files, None for one that is missing.
    """

    says: str
    remedy: str
    exit_code: int = 2
    command: tuple[str, ...] = RECORD
    toml: tuple[str, str] = ("", "")
    system: str = PYTHON
    more: str = ""
    files: Mapping[str, str | bytes | None] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


def golden(right: str, wrong: str) -> dict[str, str]:
    assert right in GOLDEN
    return {"golden.jsonl": GOLDEN.replace(right, wrong, 1)}


def code(text: str) -> dict[str, str]:
    return {"rag.py": text}


IN_THE_CONFIGURATION = {
    "a metric with @ and without quotes": Mistake(
        "ragate.toml:9:23: not TOML",
        '[policy.metrics."recall@5"]',
        toml=('"recall@5"', "recall@5"),
    ),
    "a text without quotes": Mistake(
        "ragate.toml:14:7: not TOML: Invalid value in 'use = python'",
        'a text stands in quotes: "python"',
        toml=('use = "python"', "use = python"),
    ),
    "the capital of another language": Mistake(
        "not TOML: Invalid value in 'accept_own = True'",
        "TOML writes true",
        toml=("runs = 1", "accept_own = True"),
    ),
    "a misspelt key that is needed": Mistake(
        "[policy]: unknown key 'basline'",
        "did you mean 'baseline'?",
        toml=("baseline =", "basline ="),
    ),
    "the table of metrics in the singular": Mistake(
        "[policy]: unknown table 'metric'",
        "did you mean 'metrics'?",
        toml=("policy.metrics", "policy.metric"),
    ),
    "a floor in per cent": Mistake(
        '[policy.metrics."recall@5"]: minimum = 85.0: values go from 0 to 1',
        "write 0.85 for 85 %",
        toml=('level = "error"', 'level = "error"\nminimum = 85'),
    ),
    "a number in quotes": Mistake(
        "minimum = '0.8'",
        "must be a number, without quotes",
        toml=('level = "error"', 'minimum = "0.8"'),
    ),
    "a ceiling where higher is better": Mistake(
        "maximum = 0.8: higher is better in ",
        "write minimum",
        toml=('level = "error"', "maximum = 0.8"),
    ),
    "a level of another tool": Mistake(
        "level = 'fail'",
        "should be 'error', 'warn' or 'off'",
        toml=('level = "error"', 'level = "fail"'),
    ),
    "a judged metric without a judge": Mistake(
        "[policy.metrics.faithfulness]: needs a judge",
        "add [policy.judge]",
        toml=('"recall@5"', "faithfulness"),
    ),
    "a golden set outside of the project": Mistake(
        "[policy] dataset = '../golden.jsonl' leads to",
        "stay inside it",
        toml=('"golden.jsonl"', '"../golden.jsonl"'),
    ),
    "an address without its scheme": Mistake(
        "base_url = 'api.example/v1'",
        "write http(s)://host",
        more=JUDGE.replace("http://127.0.0.1:9/v1", "api.example/v1"),
    ),
    "the key itself in place of its variable": Mistake(
        "[policy.providers.openai]: key_env",
        "the name of a variable belongs here, never the key itself",
        more=JUDGE.replace("JUDGE_KEY", SECRET),
    ),
    "metrics as a list": Mistake(
        "policy.metrics = ['recall@5']: must be a table",
        '[policy.metrics."recall@5"]',
        toml=('[policy.metrics."recall@5"]\nlevel = "error"\n', 'metrics = ["recall@5"]\n'),
    ),
    "a drop in per cent": Mistake(
        "max_drop = 2: no drop is that large",
        "write 0.02 for 2 %",
        toml=('level = "error"', "max_drop = 2"),
    ),
    "quotes for print": Mistake(
        "ragate.toml:14:7: not TOML",
        "TOML wants straight ones",
        toml=('use = "python"', "use = \u201cpython\u201d"),
    ),
    "a key twice": Mistake(
        "not TOML: Cannot overwrite a value in 'runs = 2'",
        "it stands there twice",
        toml=("runs = 1", "runs = 1\nruns = 2"),
    ),
    "a framework in place of a kind of system": Mistake(
        "[system] use: system 'fastapi' is unknown",
        'write use = "http"',
        toml=('use = "python"', 'use = "fastapi"'),
    ),
    "a path of another system": Mistake(
        "ragate.toml:2:16: not TOML",
        "write / or use single quotes",
        toml=('"golden.jsonl"', '"C:\\data\\golden.jsonl"'),
    ),
    "a folder in place of the baseline": Mistake(
        "baselines is a folder, and the baseline is one file",
        'baseline = "baselines/main.json"',
        toml=('"baselines/gate.json"', '"baselines"'),
        files={"baselines/x": ""},
    ),
    "an empty file": Mistake(
        "ragate.toml: the table [policy] is missing", "`ragate init`", files={"ragate.toml": ""}
    ),
    "a file as PowerShell writes it": Mistake(
        "ragate.toml: line 1: byte 0xff is not UTF-8",
        "it is UTF-16 now",
        files={"ragate.toml": CONFIG.encode("utf-16")},
    ),
}
IN_THE_GOLDEN_SET = {
    "no golden set": Mistake(
        "golden.jsonl: there is no golden set", "set [policy] dataset", files={"golden.jsonl": None}
    ),
    "a folder in place of the golden set": Mistake(
        "baselines is a folder, and none of BEIR",
        "name the file with the questions",
        toml=('"golden.jsonl"', '"baselines"'),
        files={"baselines/x": ""},
    ),
    "rows as Python prints them": Mistake(
        "golden.jsonl:1: not JSON",
        "JSON has double quotes only",
        files={"golden.jsonl": f"{ROWS[0]}\n"},
    ),
    "an empty golden set": Mistake(
        "golden.jsonl: no samples", "docs/golden-set.md", files={"golden.jsonl": ""}
    ),
    "a comma too much": Mistake(
        "golden.jsonl:1: not JSON", "remove the comma before }", files=golden('"]}', '"],}')
    ),
    "an id twice": Mistake(
        "golden.jsonl:2: id 'q1' stands already at", "another id", files=golden("q2", "q1")
    ),
    "an array in a file of lines": Mistake(
        "golden.jsonl:1: not JSON",
        "a file that ends in .json",
        files={"golden.jsonl": json.dumps(ROWS, indent=1)},
    ),
    "an encoding of old": Mistake(
        "golden.jsonl:2: byte 0xfc is not UTF-8",
        "save the file as UTF-8",
        files={"golden.jsonl": GOLDEN.replace("again", "für").encode("latin-1")},
    ),
    "a spreadsheet": Mistake(
        "golden.xlsx: no reader for '.xlsx'",
        "a spreadsheet as .csv",
        toml=("golden.jsonl", "golden.xlsx"),
        files={"golden.xlsx": "PK"},
    ),
    "nothing that the metric needs": Mistake(
        "golden.jsonl: no sample has what recall@5 needs",
        "give samples `relevant` documents",
        files={"golden.jsonl": GOLDEN.replace('"relevant"', '"references"')},
    ),
}
IN_THE_CODE = {
    "a target without its colon": Mistake(
        "target = 'pipe.chain': not a dotted path: no colon",
        'write "pipe:chain"',
        toml=("rag:ask", "pipe.chain"),
    ),
    "a target by its file": Mistake(
        "target = 'src/rag.py:ask': not a dotted path: a file's path",
        'write "src.rag:ask"',
        toml=("rag:ask", "src/rag.py:ask"),
    ),
    "a target that is called": Mistake(
        "target = 'rag:ask()': not a dotted path: a call is no name",
        'write "rag:ask"',
        toml=("rag:ask", "rag:ask()"),
    ),
    "code that is no Python": Mistake(
        "importing rag raised SyntaxError: expected ':' (rag.py:1)",
        "mend it there",
        files=code("def ask(query)\n    return 1\n"),
    ),
    "a function that yields": Mistake(
        "1 × rag:ask returned generator <generator object ask>",
        "join the pieces that it yields",
        exit_code=3,
        files=code("def ask(query):\n    yield query\n"),
    ),
    "passages in one text": Mistake(
        "1 × rag:ask returned contexts as a str",
        "it must be a list of texts or objects",
        exit_code=3,
        files=code("def ask(query):\n    return {'answer': query, 'contexts': 'A'}\n"),
    ),
    "code that ends the program": Mistake(
        "1 × RuntimeError: SystemExit: 0 (rag.py:3, in ask)",
        "mend what fails",
        exit_code=3,
        files=code("import sys\ndef ask(query):\n    sys.exit(0)\n"),
    ),
    "a function of two arguments": Mistake(
        "ask(query, index) must take one argument, the question",
        "write a small function around it",
        files=code(RAG.replace("(query)", "(query, index)")),
    ),
    "a library that is not there": Mistake(
        "rag needs the module 'langchainx', which is not installed",
        "install it in the environment of ragate",
        files=code(f"import langchainx\n{RAG}"),
    ),
    "a variable that the code wants": Mistake(
        "importing rag raised KeyError: 'MY_RAG_KEY' (rag.py:2, in <module>)",
        "set the variable that it reads",
        files=code(f"import os\nKEY = os.environ['MY_RAG_KEY']\n{RAG}"),
    ),
    "an exception at every question": Mistake(
        "1 × ZeroDivisionError: division by zero (rag.py:2, in ask)",
        "mend what fails",
        exit_code=3,
        files=code("def ask(query):\n    return 1 / 0\n"),
    ),
    "a function that returns nothing": Mistake(
        "1 × rag:ask returned NoneType None",
        "expected a text, a dict",
        exit_code=3,
        files=code("def ask(query):\n    query.upper()\n"),
    ),
}
IN_THE_SYSTEM = {
    "an address that is none": Mistake(
        "[system] url: not an address",
        "write http(s)://host",
        system='use = "http"\nurl = "127.0.0.1:8000/ask"\n',
    ),
    "a name that no template knows": Mistake(
        "[system] body: unknown name 'question'",
        "a template knows",
        system=http(body="""'{"q": {{ question | tojson }}}'"""),
    ),
    "a pointer without its slash": Mistake(
        "[system.pointers]: answer = 'answer'",
        'begins with "/"',
        system=f'{URL}[system.pointers]\nanswer = "answer"\n',
    ),
    "a secret in a header of the file": Mistake(
        "[system]: headers: Authorization holds a secret",
        "headers_env",
        system=http(headers=f'{{Authorization = "Bearer {SECRET}"}}'),
    ),
    "a field that the service does not know": Mistake(
        "1 × the service answered 422: " + '{"detail": [{"loc": ["body", "text"]',
        "mend what fails",
        exit_code=3,
        system=URL,
    ),
    "a page in place of an answer": Mistake(
        "1 × the service answered with what is no JSON: <html>",
        "mend what fails",
        exit_code=3,
        system=URL.replace("/ask", "/page"),
    ),
    "a service that does not stay up": Mistake(
        "ended with exit code 1; it last wrote: no port",
        "run the command yourself",
        exit_code=3,
        system=http(
            start=f"""["{sys.executable}", "-c", "exit('no port')"]""",
            health='"http://127.0.0.1:9/"',
        ),
    ),
    "a command as a shell reads it": Mistake(
        "[system]: command = 'python rag.py': must be a list",
        "in brackets",
        system='use = "command"\ncommand = "python rag.py"\n',
    ),
    "a command in one item": Mistake(
        "[system] command: 'python rag.py' cannot be started",
        "each argument is an item of its own",
        exit_code=3,
        system='use = "command"\ncommand = ["python rag.py"]\n',
    ),
    "recordings in another folder": Mistake(
        "'output/*.jsonl' matches no file below",
        "did you mean 'outputs'?",
        system='use = "replay"\npaths = ["output/*.jsonl"]\n',
        files={"outputs/a.jsonl": "{}"},
    ),
}
IN_THE_ENVIRONMENT = {
    "no key for the judge": Mistake(
        "the environment variable JUDGE_KEY is not set; faithfulness cannot be recorded",
        "set JUDGE_KEY",
        exit_code=3,
        more=JUDGE,
    ),
    "a key with its line end": Mistake(
        "provider 'openai': the value of JUDGE_KEY fits no header",
        "without the line end",
        exit_code=3,
        more=JUDGE,
        env={"JUDGE_KEY": f"{SECRET}\n"},
    ),
    "a judge that is not there": Mistake(
        "the judge at 127.0.0.1:9 cannot be reached",
        "check base_url",
        exit_code=3,
        more=JUDGE,
        env={"JUDGE_KEY": SECRET, "RAGATE_TIMEOUT_S": "5"},  # so long it is waited for
    ),
    "a .env as PowerShell writes it": Mistake(
        ".env: line 1: byte 0xff is not UTF-8",
        "save the file as UTF-8",
        files={".env": "K=1".encode("utf-16")},
    ),
    "a time in words": Mistake(
        "RAGATE_TIMEOUT_S = 'soon': must be a number",
        "leave it out",
        env={"RAGATE_TIMEOUT_S": "soon"},
    ),
    "a state folder that is a file": Mistake(
        "RAGATE_STATE_DIR = 'golden.jsonl': a file stands there",
        "name a folder",
        env={"RAGATE_STATE_DIR": "golden.jsonl"},
    ),
    "a folder in place of the configuration": Mistake(
        "baselines is a folder",
        "name the file in it: baselines/ragate.toml",
        files={"baselines/x": ""},
        env={"RAGATE_CONFIG": "baselines"},
    ),
    "a folder without a gate": Mistake(
        "there is no ragate.toml in", "`ragate init`", files={"ragate.toml": None}
    ),
}
ON_THE_COMMAND_LINE = {
    "a check before the first baseline": Mistake(
        "MEASURED  gate: no baseline yet", "ragate baseline update", 3, ("check",)
    ),
    "a baseline with marks of a merge": Mistake(
        "baselines/gate.json: not JSON",
        "update` on the merged tree",
        command=("check",),
        files={"baselines/gate.json": "<<<<<<< HEAD\n{}"},
    ),
    "a verdict on outputs that are not there": Mistake(
        "outputs.jsonl: there are no outputs to decide on", "`ragate collect`", command=("decide",)
    ),
    "outputs where the summary goes": Mistake(
        "--output out.jsonl: it takes the summary, not the outputs",
        "--save-outputs out.jsonl",
        command=("collect", "--output", "out.jsonl"),
    ),
    "a command that there is not": Mistake(
        "no command 'chek'", "did you mean 'check'?", command=("chek",)
    ),
    "a sample that there is not": Mistake(
        "no sample has the id 'q9'", "it has q1, q2", command=("check", "--ids", "q9")
    ),
}
WORKFLOW = """\
on: pull_request
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: {action}
"""
MISTAKES = {
    **IN_THE_CONFIGURATION,
    **IN_THE_GOLDEN_SET,
    **IN_THE_CODE,
    **IN_THE_SYSTEM,
    **IN_THE_ENVIRONMENT,
    **ON_THE_COMMAND_LINE,
}


@pytest.fixture
def server() -> Iterator[str]:
    """A service that knows another field than ours, and pages for people."""

    def reply(request: Request) -> Sent:
        if request.path == "/page":
            return Sent(body=b"<html><title>Sign in</title></html>")
        problem = {"loc": ["body", "text"], "msg": "Field required", "input": "x" * 600}
        return Sent(status=422, body=json.dumps({"detail": [problem]}).encode())

    with rag_server(reply) as running:
        yield running.host


def write(root: Path, mistake: Mistake, host: str) -> None:
    right, wrong = mistake.toml
    config = CONFIG.replace(PYTHON, mistake.system)
    assert right in config
    config = (config.replace(right, wrong) if right else config).replace("SERVER", host)
    files = {
        "ragate.toml": config.replace("[system]", f"{mistake.more}\n[system]", 1),
        "rag.py": RAG,
        "golden.jsonl": GOLDEN,
        **mistake.files,
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        if content is not None:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_ends_in_one_line_with_its_remedy(name: str, tmp_path: Path, server: str) -> None:
    mistake = MISTAKES[name]
    write(tmp_path, mistake, server)

    done = ragate(tmp_path, *mistake.command, env={"CI": "", "JUDGE_KEY": "", **mistake.env})

    lines = (done.stdout + done.stderr).splitlines()
    assert done.returncode == mistake.exit_code, lines
    places = [number for number, line in enumerate(lines) if mistake.says in line]
    assert places, lines
    said = [lines[place] for place in places]
    # A report says it at its head, and at its end what to type.
    said += [line for line in lines[places[0] + 1 :] if "->" in line]
    assert any(mistake.remedy in line for line in said), lines
    assert "Traceback" not in done.stderr
    assert "bug in ragate" not in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_every_run_names_a_file_of_secrets_that_git_does_not_ignore(
    tmp_path: Path, server: str
) -> None:
    write(tmp_path, Mistake("", "", files={".env": "JUDGE_KEY=x\n"}), server)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)

    done = ragate(tmp_path, "check", env={"CI": ""})

    assert ".env is not ignored by git" in done.stderr
    assert "add .env to .gitignore" in done.stderr


def test_the_gate_without_a_mistake_works(tmp_path: Path, server: str) -> None:
    write(tmp_path, Mistake("", ""), server)

    assert ragate(tmp_path, *RECORD).returncode == 0
    assert ragate(tmp_path, "check").returncode == 0


def test_at_least_sixty_mistakes_are_planted() -> None:
    assert len(MISTAKES) >= 60
