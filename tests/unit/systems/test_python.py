"""The python system: any function of the project, sync or async."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ragate.errors import ConfigError, SystemStartError
from ragate.models import RetrievedChunk
from ragate.systems._foreign import _files
from tests.factories import sample_factory
from tests.unit.systems.using import ask, info, message, module

PLAIN = """
def answer(query):
    return {"answer": query.upper(), "chunks": [{"doc_id": "a.md", "text": "A", "score": 0.5}]}
"""


def one(root: Path, code: str, name: str = "answer", **settings: object):
    target = f"{module(root, code)}:{name}"
    return ask("python", {"target": target, **settings}, root)[0]


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_a_function_gets_the_question_and_its_dict_is_the_output(tmp_path: Path, kind: str):
    output = one(tmp_path, PLAIN.replace("def", kind))

    assert output.answer == "WHAT DOES PAGE Q001 SAY?"
    assert output.chunks == (RetrievedChunk(doc_id="a.md", text="A", score=0.5),)
    assert output.latency_s is not None


@pytest.mark.parametrize("parameter", ["sample", "s: 'Sample'", "s: Sample"])
def test_a_parameter_for_the_sample_gets_the_whole_sample(tmp_path: Path, parameter: str):
    code = f"from ragate.models import Sample\ndef answer({parameter}): return PICK.id"
    name = parameter.partition(":")[0]

    assert one(tmp_path, code.replace("PICK", name)).answer == "q001"


@pytest.mark.parametrize(
    "result",
    [
        "SystemOutput(answer='x')",
        "'x'",
        "Reply('x')",
        "Model(answer='x')",
        "{'answer': 'x', 'unrelated': 1}",
    ],
)
def test_every_kind_of_result_is_understood(tmp_path: Path, result: str):
    code = f"""
        from dataclasses import dataclass
        from pydantic import BaseModel
        from ragate.models import SystemOutput

        @dataclass
        class Reply:
            answer: str

        class Model(BaseModel):
            answer: str

        def answer(query):
            return {result}
    """

    assert one(tmp_path, code).answer == "x"


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ("42", "answer returned int 42; expected a text, a dict"),
        ("None", "returned NoneType None"),
        ("{'answers': 'x'}", "unknown field 'answers'; did you mean 'answer'?"),
        ("{'answer': 3}", "returned answer: Input should be a valid string (got 3)"),
        ("{'chunks': [{'doc_id': 'a', 'score': 'high'}]}", "chunks.0.score"),
    ],
)
def test_a_wrong_result_says_what_came_and_what_is_expected(tmp_path: Path, result: str, told: str):
    assert told in message(one(tmp_path, f"def answer(query): return {result}"))


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ValueError('no index')", "ValueError: no index"),
        ("raise StopIteration", "StopIteration"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise ValueError('\\x1b[31m' + 'a' * 9999)", "ValueError: aaa"),
    ],
)
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_an_exception_is_the_failure_of_its_sample_alone(
    tmp_path: Path, code: str, told: str, kind: str
):
    target = module(tmp_path, f"{kind} answer(query):\n    if '2' in query: {code}\n    return 'x'")
    samples = [sample_factory(f"q{number}") for number in (1, 2, 3)]

    outputs = ask("python", {"target": f"{target}:answer"}, tmp_path, samples=samples)

    assert [output.answer for output in outputs] == ["x", None, "x"]
    assert told in message(outputs[1])
    assert len(message(outputs[1])) <= 500


def test_sync_functions_run_side_by_side(tmp_path: Path):
    # Each call waits for the other seven: one after the other, all would end in an error.
    code = (
        "import threading\nall_at_once = threading.Barrier(8, timeout=60)\n"
        "def answer(query):\n    all_at_once.wait()\n    return 'x'"
    )
    samples = [sample_factory(f"q{number}") for number in range(8)]

    target = {"target": f"{module(tmp_path, code)}:answer"}
    outputs = ask("python", target, tmp_path, samples=samples, concurrency=8)

    assert [output.answer for output in outputs] == ["x"] * 8


def test_a_function_that_hangs_costs_its_own_sample_only(tmp_path: Path):
    code = "import time\ndef answer(q):\n    time.sleep(60 if 'q1' in q else 0)\n    return 'x'"
    target = f"{module(tmp_path, code)}:answer"
    samples = [sample_factory("q1"), sample_factory("q2")]

    outputs = ask(
        "python", {"target": target}, tmp_path, samples=samples, timeout_s=0.3, concurrency=1
    )

    assert "no output within 0.3 s" in message(outputs[0])
    assert outputs[1].answer == "x"


@pytest.mark.parametrize(
    "code",
    [
        "class Rag:\n    x = 'x'\n    def __call__(self, _): return self.x",
        "class Rag:\n    async def __call__(self, query): return 'x'",
        "class Rag:\n    def invoke(self, query): return 'x'",
        "class Rag:\n    async def ainvoke(self, query): return 'x'",
    ],
)
def test_a_class_is_made_once_and_then_asked(tmp_path: Path, code: str):
    assert one(tmp_path, code, "Rag").answer == "x"


@pytest.mark.parametrize(
    "code",
    [
        "def make():\n    return lambda query: 'x'",
        "async def make():\n    return lambda query: 'x'",
        "import contextlib as c\n@c.contextmanager\ndef make():\n    yield lambda q: 'x'",
        "import contextlib\n"  # noqa: ISC004
        "@contextlib.asynccontextmanager\nasync def make():\n    yield lambda q: 'x'",
    ],
)
def test_a_factory_sets_up_what_is_asked(tmp_path: Path, code: str):
    assert one(tmp_path, code, "make", factory=True).answer == "x"


def test_what_a_factory_opens_is_closed_at_the_end(tmp_path: Path):
    code = f"""
        from contextlib import contextmanager
        from pathlib import Path

        @contextmanager
        def make():
            yield lambda query: "x"
            Path({str(tmp_path)!r}, "closed").touch()
    """

    one(tmp_path, code, "make", factory=True)

    assert (tmp_path / "closed").exists()


LANGCHAIN = """
class Message:
    content = "x"

class Document:
    def __init__(self, text, **metadata):
        self.page_content, self.metadata = text, metadata

PAGES = [Document("A", source="a.md", page=3, loc={"line": 1}), Document("B", source="b.md")]

class Chat:
    def invoke(self, query): return Message()

class Chain:
    async def ainvoke(self, value):
        return {"input": value["input"], "context": PAGES, "answer": "x"}
    def invoke(self, value): raise AssertionError

class Retriever:
    def invoke(self, query): return PAGES
"""


def test_a_chain_of_langchain_gives_answer_and_documents(tmp_path: Path):
    output = one(tmp_path, LANGCHAIN, "Chain", input_key="input")

    assert output.answer == "x"
    assert [(chunk.doc_id, chunk.text) for chunk in output.chunks] == [("a.md", "A"), ("b.md", "B")]
    assert output.chunks[0].metadata == {"source": "a.md", "page": 3}


def test_a_message_is_an_answer_and_documents_alone_are_a_retrieval(tmp_path: Path):
    assert one(tmp_path, LANGCHAIN, "Chat").answer == "x"
    assert len(one(tmp_path, LANGCHAIN, "Retriever").chunks) == 2


def test_a_document_without_its_id_names_the_metadata_that_it_has(tmp_path: Path):
    told = message(one(tmp_path, LANGCHAIN, "Retriever", doc_id="path"))

    assert "no metadata 'path'; it has source, page, loc" in told


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("app.rag", "not a dotted path"),
        ("app:", "not a dotted path"),
        ("no_such_package.rag:answer", "there is no module 'no_such_package'"),
        ("OWN:anwser", "has no 'anwser'; did you mean 'answer'?"),
        ("OWN:answer.query", "answer has no 'query'"),
        ("OWN.deep:answer", "there is no module 'OWN.deep'"),
        ("OWN:VALUE", "a int cannot be called"),
        ("OWN:nothing", "nothing() must take one argument, the question"),
        ("OWN:two", "two(query, index) must take one argument, the question: missing a required"),
        ("OWN:keyword", "keyword(*, query) must take"),
        ("OWN:Wants", "Wants(path) must take no argument"),
        ("OWN:Broken", "setting it up raised ValueError: no index"),
        ("OWN:Silent", "a Silent cannot be called"),
    ],
)
def test_a_target_that_cannot_work_is_an_error_before_the_first_question(
    tmp_path: Path, target: str, told: str
):
    own = module(
        tmp_path,
        PLAIN
        + """
VALUE = 3
def nothing(): ...
def two(query, index): ...
def keyword(*, query): ...
class Wants:
    def __init__(self, path): ...
class Broken:
    def __init__(self): raise ValueError("no index")
class Silent: ...
""",
    )

    with pytest.raises(ConfigError) as raised:
        ask("python", {"target": target.replace("OWN", own)}, tmp_path)

    assert told.replace("OWN", own) in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import no_such_library", "needs the module 'no_such_library', which is not installed"),
        ("from os import no_such_name", "raised ImportError: cannot import name 'no_such_name'"),
        ("def answer(:", "raised SyntaxError"),
        ("1 / 0", "raised ZeroDivisionError: division by zero"),
        ("raise SystemExit(2)", "raised SystemExit: 2"),
    ],
)
def test_a_module_that_cannot_be_imported_says_why(tmp_path: Path, code: str, told: str):
    with pytest.raises(ConfigError) as raised:
        one(tmp_path, code)

    assert told in str(raised.value)


def test_the_project_is_on_the_path_for_the_import_only(tmp_path: Path):
    one(tmp_path, PLAIN)

    assert str(tmp_path) not in sys.path


def test_top_k_and_retrieval_only_are_kept_to(tmp_path: Path):
    code = "def answer(query): return {'answer': 'x', 'contexts': ['a', 'b'], 'citations': [1]}"
    target = f"{module(tmp_path, code)}:answer"

    output = ask("python", {"target": target}, tmp_path, top_k=1, retrieval_only=True)[0]

    assert (len(output.chunks), output.answer, output.citations) == (1, None, None)


def test_without_fingerprint_files_a_system_is_like_no_other(tmp_path: Path):
    target = f"{module(tmp_path, PLAIN)}:answer"

    assert info("python", {"target": target}, tmp_path).fingerprint == ""


def test_the_fingerprint_covers_files_and_settings_and_nothing_else(tmp_path: Path):
    target = f"{module(tmp_path, PLAIN)}:answer"
    (tmp_path / "prompts").mkdir()
    prompt = tmp_path / "prompts" / "answer.txt"
    prompt.write_text("one")
    settings = {"target": target, "fingerprint_files": ["prompts/*"]}

    def fingerprint(**more: object) -> str:
        return info("python", {**settings, **more}, tmp_path).fingerprint

    first = fingerprint()
    (tmp_path / "README.md").write_text("another file")
    assert fingerprint() == first
    assert fingerprint(doc_id="path") != first
    prompt.write_text("two")
    assert fingerprint() != first


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("../*.py", "leads out of the project"),
        ("/etc/*", "leads out of the project"),
        ("prompts/*", "matches no file"),
        ("link.txt", "outside"),
    ],
)
def test_fingerprint_files_stay_in_the_project(tmp_path: Path, pattern: str, told: str):
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    settings = {"target": f"{module(tmp_path, PLAIN)}:answer", "fingerprint_files": [pattern]}

    with pytest.raises(ConfigError, match=told):
        info("python", settings, tmp_path)


REFUSING = "import errno\nERROR = ConnectionRefusedError(errno.ECONNREFUSED, 'no database')\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("raise ERROR", "importing"),
        ("class answer:\n    def __init__(self):\n        raise ERROR", "setting it up raised"),
    ],
)
def test_what_cannot_be_reached_before_the_first_question_is_no_decision(
    tmp_path: Path, code: str, told: str
):
    with pytest.raises(SystemStartError) as raised:
        one(tmp_path, REFUSING + code)

    assert told in str(raised.value)
    assert "no database" in str(raised.value)
    assert raised.value.exit_code == 3


def test_a_connection_that_failed_leaves_its_sample_unmeasured(tmp_path: Path):
    output = one(tmp_path, f"{REFUSING}def answer(query):\n    raise RuntimeError('x') from ERROR")

    assert output.error is not None
    assert output.error.kind == "provider"
    assert output.error.message == "what the system reads from cannot be reached: RuntimeError: x"


def test_compiled_files_and_folders_are_no_part_of_the_fingerprint(tmp_path: Path):
    (tmp_path / "app" / "__pycache__").mkdir(parents=True)
    (tmp_path / "app" / "rag.py").write_text("x = 1")
    (tmp_path / "app" / "__pycache__" / "rag.pyc").write_bytes(b"x")

    assert set(_files(tmp_path, ("app/**/*",))) == {"app/rag.py"}
