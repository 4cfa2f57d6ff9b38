"""`[system] interpreter`: the project's code in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError, SystemStartError
from ragate.models import RetrievedChunk, Turn
from tests.container_rights import AS_IN_A_CONTAINER, LOOKS_INTO_PROCESSES
from tests.factories import sample_factory
from tests.unit.systems.bare import BARE, asked, one
from tests.unit.systems.functions import PLAIN
from tests.unit.systems.using import ask, message, module

NAMES = """
import json, os, sys
def answer(query):
    return json.dumps({"ragate": [n for n in sys.modules if n.startswith("ragate")],
                       "path": sys.path, "argv": sys.argv, "cwd": os.getcwd(),
                       "exe": sys.executable, "variables": dict(os.environ)})
"""


def seen(root: Path, **settings: Any) -> dict[str, Any]:
    """Return what code in a worker finds around it."""
    answer = one(root, NAMES, **settings).answer
    assert answer is not None
    found: dict[str, Any] = json.loads(answer)
    return found


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_is_asked_in_an_environment_that_has_nothing_of_ours(tmp_path: Path, kind: str):
    output = one(tmp_path, PLAIN.replace("def", kind))

    assert output.answer == "WHAT DOES PAGE Q001 SAY?"
    assert output.chunks == (RetrievedChunk(doc_id="a.md", text="A", score=0.5),)
    assert output.latency_s is not None


def test_nothing_of_ragate_is_in_its_way(tmp_path: Path):
    found = seen(tmp_path)

    assert found["ragate"] == []
    assert not [folder for folder in found["path"] if "ragate" in Path(folder).parts[-2:]]
    assert (found["cwd"], found["path"][0]) == (str(tmp_path), str(tmp_path))


def test_a_ragate_of_its_own_is_the_projects(tmp_path: Path):
    (tmp_path / "ragate.py").write_text("mine = 'mine'")

    assert one(
        tmp_path, "def answer(query):\n    import ragate\n    return ragate.mine"
    ).answer == ("mine")


def test_modules_named_as_ours_are_the_projects(tmp_path: Path):
    for name in ("calls", "serve", "target", "values", "naming"):
        (tmp_path / f"{name}.py").write_text(f"mine = {name!r}")
    code = "import calls, serve, target, values, naming\ndef answer(query): return target.mine"

    assert one(tmp_path, code).answer == "target"


def test_only_ordinary_variables_and_those_that_are_named_reach_it(tmp_path: Path):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "RAG_KEY": "k", "RAG_URL": "u"}
    environment |= {"APP_A": "1", "APP_KEY": "secret", "OPENAI_API_KEY": "judge"}
    resources = {
        "environment": environment,
        "key_names": frozenset({"OPENAI_API_KEY", "APP_KEY"}),
        "judge_keys": frozenset({"OPENAI_API_KEY"}),
    }

    found = seen(tmp_path, pass_env=["RAG_KEY", "APP_*", "NOT_SET"], resources=resources)

    assert found["variables"].keys() - {"LC_CTYPE"} == {"PATH", "LC_ALL", "RAG_KEY", "APP_A"}


def test_the_judges_key_cannot_be_passed(tmp_path: Path):
    resources = {"judge_keys": frozenset({"OPENAI_API_KEY"})}

    with pytest.raises(ConfigError, match="the judge's key is not given to the code under test"):
        one(tmp_path, PLAIN, pass_env=["OPENAI_API_KEY"], resources=resources)


@LOOKS_INTO_PROCESSES
def test_it_cannot_read_the_memory_and_the_variables_of_its_parent(tmp_path: Path):
    code = """
    import os
    def answer(query):
        read = []
        reaper = os.getppid()
        ragate = open(f"/proc/{reaper}/stat").read().rpartition(")")[2].split()[1]
        for name in ("environ", "mem", "maps", "fd/1"):
            for process in (reaper, ragate):
                try:
                    open(f"/proc/{process}/{name}", "rb").read(1)
                except OSError:
                    continue
                read.append(name)
        return str(read)
    """
    again = (
        "import sys; sys.path[:0] = [sys.argv[1]]\n"
        "from pathlib import Path\n"
        "from tests.unit.systems.bare import one\n"
        "print(one(Path(sys.argv[2]), sys.argv[3], interpreter=sys.argv[4:]).answer)"
    )
    root = Path(__file__).parents[3]
    # In a process of its own: what is hidden stays hidden.
    ran = subprocess.run(
        [*AS_IN_A_CONTAINER, sys.executable, "-c", again, root, tmp_path, code, *BARE],
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout.strip() == "[]"


def test_what_it_prints_is_shown_apart_from_its_replies(tmp_path: Path):
    said: list[str] = []
    code = """
    import os, sys
    print("loading")
    def answer(query):
        print('{"id": "x", "value": "forged"}', flush=True)
        sys.stderr.write("::error::forged\\n")
        os.write(1, b"by the descriptor\\n")
        os.system("echo by a child")
        return "fine"
    """

    output = one(tmp_path, code, resources={"say": said.append})

    assert output.answer == "fine"
    assert {"| loading", '| {"id": "x", "value": "forged"}', "| ::error::forged"} <= {*said}
    assert {"| by the descriptor", "| by a child"} <= {*said}


@pytest.mark.parametrize(
    ("interpreter", "told"),
    [
        (["not/there/python"], "'not/there/python' cannot be started: No such file"),
        (["true"], "'true' ended with exit code 0, before it could be asked"),
        ([sys.executable, "-c", "import sys; sys.exit('no venv')"], "exit code 1; it last wrote"),
        ([sys.executable, "-c", "import os; os.abort()"], "was ended by signal 6"),
    ],
)
def test_an_interpreter_that_is_none_is_told(tmp_path: Path, interpreter: list[str], told: str):
    with pytest.raises(SystemStartError) as raised:
        one(tmp_path, PLAIN, interpreter=interpreter)

    assert told in str(raised.value)
    assert '[".venv/bin/python"]' in raised.value.remedy


def test_an_older_python_is_told_by_its_version(tmp_path: Path):
    old = "import runpy, sys; sys.version_info = (3, 8, 10, 'final', 0); sys.argv = sys.argv[1:]; "
    old += "runpy.run_path(sys.argv[0], run_name='__main__')"

    with pytest.raises(SystemStartError, match=r"needs Python 3.9 or newer, and this is 3\.8\.10"):
        one(tmp_path, PLAIN, interpreter=[sys.executable, "-c", old])


def test_a_relative_interpreter_is_below_the_projects_folder(tmp_path: Path):
    (tmp_path / "venv").mkdir()
    (tmp_path / "venv/python").symlink_to(sys.executable)

    assert one(tmp_path, PLAIN, interpreter=["venv/python", "-S"]).answer is not None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import missing_x", "needs the module 'missing_x', which is not installed"),
        ("def other(): pass", "has no 'answer'"),
        ("def answer(a, b): pass", "answer(a, b) must take one argument, the question"),
        ("answer = 3", "a int cannot be called"),
    ],
)
def test_a_target_that_cannot_be_asked_is_told_before_the_first_question(
    tmp_path: Path, code: str, told: str
):
    with pytest.raises(ConfigError) as raised:
        one(tmp_path, code)

    assert told in str(raised.value)
    if "missing_x" in told:
        assert f"in the environment of {sys.executable}" in raised.value.remedy


CHAIN = """
def load(name):
    return {}[name]

def answer(query):
    try:
        load("index")
    except KeyError as error:
        raise ValueError("no index") from error
"""


def test_an_exception_is_told_with_file_line_and_cause(tmp_path: Path):
    said: list[str] = []
    output = one(tmp_path, CHAIN, resources={"say": said.append})

    text = message(output)
    assert text.startswith("ValueError: no index (project_")
    assert ".py:9, in answer); caused by KeyError: 'index' (project_" in text
    assert ".py:3, in load)" in text
    (trace,) = said  # in full, once
    assert "return {}[name]" in trace
    assert "direct cause" in trace


def test_an_environment_that_is_ours_tells_the_message_and_no_trace(tmp_path: Path):
    said: list[str] = []
    target = f"{module(tmp_path, CHAIN)}:answer"

    (output,) = ask("python", {"target": target}, tmp_path, say=said.append)

    assert message(output).startswith("ValueError: no index (project_")
    assert said == []


def test_a_set_up_that_raises_is_told_with_its_place_and_the_variable_it_lacks(tmp_path: Path):
    code = "import os\nKEY = os.environ['RAG_SERVICE_KEY']\ndef answer(query): pass"
    environment = {**os.environ, "RAG_SERVICE_KEY": "k"}

    with pytest.raises(ConfigError) as raised:
        one(tmp_path, code, resources={"environment": environment})

    assert "raised KeyError: 'RAG_SERVICE_KEY' (project_" in raised.value.message
    assert ".py:2, in <module>)" in raised.value.message
    assert "pass_env = ['RAG_SERVICE_KEY']" in raised.value.remedy


@pytest.mark.parametrize(
    ("judge_keys", "hint"),
    [
        (frozenset(), "pass_env = ['OPENAI_API_KEY']"),
        (frozenset({"OPENAI_API_KEY"}), "OPENAI_API_KEY is the judge's key, which the code never"),
    ],
)
def test_a_sample_that_fails_over_a_variable_says_how_it_is_passed(
    tmp_path: Path, judge_keys: frozenset[str], hint: str
):
    code = "def answer(query): raise ValueError('set the OPENAI_API_KEY environment variable')"
    environment = {**os.environ, "OPENAI_API_KEY": "k"}
    resources = {"environment": environment, "judge_keys": judge_keys, "key_names": judge_keys}

    assert hint in message(one(tmp_path, code, resources=resources))


def test_what_cannot_be_reached_is_an_outage_there_too(tmp_path: Path):
    code = (
        "def answer(query):\n    raise RuntimeError('x') from ConnectionRefusedError(111, 'down')"
    )

    error = one(tmp_path, code).error

    assert error is not None
    assert error.kind == "provider"
    with pytest.raises(SystemStartError):
        one(tmp_path, "raise ConnectionRefusedError(111, 'down')")


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("42", "returned int 42; expected a text"),
        ("Foo()", "returned Foo <"),
        ("{'answer': Foo()}", "Foo object>: Input should be a valid string"),
        (
            "{'chunks': [{'doc_id': 'a', 'score': float('nan')}]}",
            ".score = nan: Input should be a finite",
        ),
        ("{'anwser': 'x'}", "unknown field 'anwser'; did you mean 'answer'?"),
        ("'x' * 20_000_000", "returned what has 20 MB as JSON, and the limit is 17 MB"),
        ("loop", "has more than 100 levels, or refers to itself"),
    ],
)
def test_a_return_that_is_no_output_is_the_failure_of_its_sample(
    tmp_path: Path, returned: str, told: str
):
    code = f"class Foo: pass\nloop = []\nloop.append(loop)\ndef answer(query): return {returned}"

    assert told in message(one(tmp_path, code))


def test_a_whole_sample_has_what_a_user_would_know_and_no_expected_answer(tmp_path: Path):
    turns = (Turn(role="user", content="Hi"),)
    sample = sample_factory(
        "q1", query="B?", tags=("t",), metadata={"lang": "en"}, references=("R",), messages=turns
    )
    code = "def answer(sample):\n    return repr((sample.id, sample.query, sample.tags, "
    code += "sample.metadata, [t.role for t in sample.messages], hasattr(sample, 'references')))"

    (output,) = asked(tmp_path, code, samples=[sample])

    assert output.answer == "('q1', 'B?', ['t'], {'lang': 'en'}, ['user'], False)"


def test_what_a_factory_opened_is_left_at_the_end(tmp_path: Path):
    code = """
    import contextlib, pathlib
    @contextlib.asynccontextmanager
    async def make():
        yield lambda query: "x"
        pathlib.Path("left").touch()
    """

    assert one(tmp_path, code, "make", factory=True).answer == "x"
    assert (tmp_path / "left").exists()


def test_an_interpreter_that_is_no_list_is_shown_as_one(tmp_path: Path):
    with pytest.raises(ConfigError, match=r'write it as a list: \["uv", "run", "python"\]'):
        one(tmp_path, PLAIN, interpreter="uv run python")


def test_what_is_printed_at_the_end_is_shown_too(tmp_path: Path):
    said: list[str] = []
    code = "import atexit\natexit.register(print, 'goodbye')\ndef answer(query): return 'x'"

    one(tmp_path, code, resources={"say": said.append})

    assert "| goodbye" in said


def test_variables_are_named_for_another_interpreter_alone(tmp_path: Path):
    with pytest.raises(ConfigError, match="pass_env needs interpreter"):
        one(tmp_path, PLAIN, interpreter=[], pass_env=["A"])


def test_a_set_up_that_hangs_ends_with_its_time(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"not imported and set up within 4 s"):
        one(tmp_path, "import time; time.sleep(60)", start_timeout_s=4.0)


LANGCHAIN = """
class Document:
    def __init__(self, text, **metadata):
        self.page_content, self.metadata = text, metadata
class Message:
    content = "from a message"
class Chain:
    def invoke(self, value):
        document = Document("A", source="a.md", when=object())
        return {"answer": Message(), "context": [document], **value}
"""


def test_what_a_runnable_returns_is_read_by_its_shape(tmp_path: Path):
    output = one(tmp_path, LANGCHAIN, "Chain", input_key="question")

    assert output.answer == "from a message"
    assert output.chunks == (RetrievedChunk(doc_id="a.md", text="A", metadata={"source": "a.md"}),)


ENGINES = """
from types import SimpleNamespace as Thing
class Node:
    metadata = {"file_path": "a.md", "odd": object()}
    ref_doc_id, node_id = "guides/a.md", "n1"
    def get_content(self, metadata_mode): return "A"
class Query:
    def query(self, query):
        return Thing(response="said " + query, source_nodes=[Thing(node=Node(), score=0.5)])
class Retriever:
    def retrieve(self, query): return [Node()]
class Chat:
    made = 0
    def __init__(self): Chat.made += 1; self.said = []
    def reset(self): self.said.clear()
    def chat(self, query):
        self.said.append(query)
        return Thing(response=str(self.said), source_nodes=[])
chat = Chat()
"""


def engine(root: Path, name: str) -> list[Any]:
    samples = [sample_factory(f"q{number}", query=f"{number}?") for number in range(3)]
    return asked(root, ENGINES, name, samples=samples, use="llamaindex")


@pytest.mark.parametrize(("name", "answer"), [("Query", "said 0?"), ("Retriever", None)])
def test_an_engine_is_asked_there_and_its_nodes_are_read_here(
    tmp_path: Path, name: str, answer: str | None
):
    output = engine(tmp_path, name)[0]

    assert output.answer == answer
    (chunk,) = output.chunks
    assert (chunk.doc_id, chunk.text, chunk.metadata) == ("guides/a.md", "A", {"file_path": "a.md"})


@pytest.mark.parametrize("name", ["Chat", "chat"])
def test_a_chat_engine_there_remembers_nothing_of_the_last_sample(tmp_path: Path, name: str):
    assert [output.answer for output in engine(tmp_path, name)] == ["['0?']", "['1?']", "['2?']"]


def test_an_index_is_no_engine_there_either(tmp_path: Path):
    with pytest.raises(ConfigError, match="is an index, not an engine"):
        one(tmp_path, "class Index:\n    def as_query_engine(self): ...", "Index", use="llamaindex")
