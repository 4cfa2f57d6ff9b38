"""From the name of a target to the object."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from ragate.errors import ConfigError, SystemStartError
from tests.factories import sample_factory
from tests.unit.systems.functions import PLAIN, one
from tests.unit.systems.using import ask, message, module


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


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("app.rag", "not a dotted path: no colon says where the module ends"),
        ("app.rag", '-> write "app:rag" where rag is what is asked'),
        ("app", '-> write "app:function"'),
        ("app/rag.py", '-> write "app.rag:function"'),
        ("./app.py:answer", '-> write "app:answer"'),
        ("app:make()", '-> write "app:make"; factory = true calls it once'),
        ("app:", "not a dotted path: a name is missing"),
        ("my-app:rag", "'my-app' is no name in Python"),
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
    one(tmp_path, PLAIN, live=False)

    assert str(tmp_path) not in sys.path


def test_an_exception_of_the_project_is_told_with_its_file_and_line(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = module(tmp_path, "def inner(): return {}['index']\ndef answer(query): return inner()")

    told = message(ask("python", {"target": f"{own}:answer"}, tmp_path)[0])

    assert told == f"KeyError: 'index' ({own}.py:1, in inner)"


def test_an_exception_of_a_library_is_told_with_the_line_that_called_it(
    tmp_path: Path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    own = module(tmp_path, "import json\ndef answer(query): return json.loads(query)")

    told = message(ask("python", {"target": f"{own}:answer"}, tmp_path)[0])

    assert told.endswith(f"({own}.py:2, in answer)")


def test_two_projects_with_modules_of_one_name_are_each_asked_their_own(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    name = module(first, "def answer(query): return 'first'")
    second.mkdir()
    (second / f"{name}.py").write_text("def answer(query): return 'second'")
    settings = {"target": f"{name}:answer"}

    found = [ask("python", settings, root)[0].answer for root in (first, second)]

    assert found == ["first", "second"]


def test_a_module_named_as_one_of_python_s_own_is_not_mistaken_for_it(tmp_path: Path):
    (tmp_path / "socket.py").write_text("def answer(query): return 'x'")

    with pytest.raises(
        ConfigError, match=r"was imported from .*socket.py, and the project"
    ) as told:
        ask("python", {"target": "socket:answer"}, tmp_path)

    assert "rename the project's" in told.value.remedy


def test_a_module_that_is_no_file_of_the_project_is_taken_from_where_it_is(tmp_path: Path):
    (output,) = ask("python", {"target": "os.path:basename"}, tmp_path)

    assert output.error is None


COMMAND_LINE = """
import argparse, sys
SEEN = list(sys.argv[1:])
parser = argparse.ArgumentParser()
parser.add_argument("--folder", default="pages")
FOLDER = parser.parse_args().folder
def answer(query): return f"{FOLDER} {SEEN}"
"""


def test_a_module_that_reads_the_command_line_does_not_see_that_of_ragate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sys.argv", ["ragate", "check", "--folder", "ours"])

    output = ask("python", {"target": f"{module(tmp_path, COMMAND_LINE)}:answer"}, tmp_path)[0]

    assert output.answer == "pages []"


def test_a_module_that_needs_arguments_says_where_they_belong(tmp_path: Path):
    code = COMMAND_LINE.replace('default="pages"', "required=True")

    with pytest.raises(ConfigError) as caught:
        ask("python", {"target": f"{module(tmp_path, code)}:answer"}, tmp_path)

    assert "goes below `if __name__ == ...`" in caught.value.remedy


def test_asked_live_the_code_is_in_this_process(tmp_path: Path):
    code = "import os\ndef answer(query): return str(os.getpid())"
    keys = {"target": f"{module(tmp_path, code)}:answer"}

    (live,) = ask("python", keys, tmp_path, live=True)
    (apart,) = ask("python", keys, tmp_path)

    assert live.answer == str(os.getpid()) != apart.answer


def test_a_sample_that_hangs_is_given_up_live_too(tmp_path: Path):
    code = """
    import asyncio
    async def answer(query):
        await asyncio.sleep(60 if "q1" in query else 0)
        return query
    """
    samples = [sample_factory("q1"), sample_factory("q2")]

    target = {"target": f"{module(tmp_path, code)}:answer"}
    outputs = ask("python", target, tmp_path, samples=samples, timeout_s=1, live=True)

    assert "no output within 1 s" in message(outputs[0])
    assert outputs[1].error is None


def test_an_interpreter_cannot_be_asked_live(tmp_path: Path):
    keys = {"target": f"{module(tmp_path, PLAIN)}:answer", "interpreter": ["python"]}

    with pytest.raises(ConfigError, match="asked live") as told:
        ask("python", keys, tmp_path, live=True)

    assert "take interpreter and record out" in told.value.remedy


def test_without_unix_sockets_there_are_no_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(asyncio, "start_unix_server")

    with pytest.raises(SystemStartError, match="needs Unix sockets") as told:
        ask("python", {"target": f"{module(tmp_path, PLAIN)}:answer"}, tmp_path)

    assert "WSL" in told.value.remedy
