"""An exception with its place and all that it came from."""

from __future__ import annotations

import errno
import json
import socket
from pathlib import Path
from typing import Any

import httpx2
import psycopg
import pytest

from ragate.worker.raised import is_outage, summary, trace


def raised(code: str, path: Path) -> BaseException:
    names: dict[str, Any] = {}
    exec(compile(code, str(path), "exec"), names)
    try:
        names["run"]()
    except BaseException as error:  # noqa: BLE001
        return error
    raise AssertionError


def test_the_last_line_of_the_project_counts_and_not_one_of_a_library(tmp_path: Path):
    code = "import json\n\ndef run():\n    json.loads('{')"

    told = summary(raised(code, tmp_path / "app" / "rag.py"), str(tmp_path))

    assert told.endswith("(app/rag.py:4, in run)")


def test_an_environment_in_the_folder_is_no_part_of_the_project(tmp_path: Path):
    code = "def run(): raise ValueError('x')"
    path = tmp_path / ".venv/lib/python3.11/site-packages/lib.py"

    assert summary(raised(code, path), str(tmp_path)).endswith(f"({path}:1, in run)")


def test_causes_are_named_up_to_a_number_and_each_once(tmp_path: Path):
    code = "def run(n=30):\n    try: run(n - 1) if n else int('x')\n"
    code += "    except Exception as error: raise ValueError(n) from error"

    told = summary(raised(code, tmp_path / "rag.py"), str(tmp_path))

    assert told.count("; caused by ") == 9
    loop = ValueError("x")
    loop.__cause__ = loop
    assert summary(loop, str(tmp_path)) == "ValueError: x"


def test_what_a_group_of_tasks_holds_is_named(tmp_path: Path):
    code = "def run(): raise ExceptionGroup('unhandled', [ValueError('the page is missing')])"

    told = summary(raised(code, tmp_path / "rag.py"), str(tmp_path))

    assert told.endswith("caused by ValueError: the page is missing")


def test_a_context_that_was_left_out_is_left_out(tmp_path: Path):
    code = (
        "def run():\n    try: 1 / 0\n    except ZeroDivisionError: raise ValueError('x') from None"
    )

    assert "ZeroDivision" not in summary(raised(code, tmp_path / "rag.py"), str(tmp_path))


def test_an_exception_whose_text_raises_is_told_all_the_same(tmp_path: Path):
    code = "class E(Exception):\n    def __str__(self): raise RuntimeError\ndef run(): raise E"

    assert summary(raised(code, tmp_path / "r.py"), str(tmp_path)).startswith("E: (its text cannot")


def test_a_text_of_a_class_of_its_own_is_told_as_text(tmp_path: Path):
    code = "class S(str):\n    def __getitem__(self, _): raise RuntimeError\n"
    code += "class E(Exception):\n    def __str__(self): return S('gone')\ndef run(): raise E"

    assert summary(raised(code, tmp_path / "r.py"), str(tmp_path)).startswith("E: gone")


def test_a_long_trace_keeps_its_end():
    assert len(trace(ValueError("x" * 99_999), "/")) <= 20_001


def test_a_trace_has_the_frames_of_the_project_alone():
    root = str(Path(__file__).parent)
    try:
        json.loads("{")
    except ValueError as error:
        told = trace(error, root)

    assert "test_raised.py" in told
    assert "json/decoder.py" not in told
    assert "JSONDecodeError" in told
    assert "json/decoder.py" in trace(error_of_a_library(), "/nowhere")


def error_of_a_library() -> Exception:
    try:
        json.loads("{")
    except ValueError as error:
        return error
    raise AssertionError


# A connection that failed is an outage; everything else is the code's own mistake.


def named(module: str, name: str, **fields: object) -> Exception:
    """Return an error of a client that need not be installed."""
    kind = type(name, (Exception,), {"__module__": module, **fields})
    made = kind("no")
    assert isinstance(made, Exception)
    return made


def caused(error: Exception, cause: Exception, *, hidden: bool = False) -> Exception:
    try:
        try:
            raise cause
        except type(cause):
            if hidden:
                raise error from None
            raise error  # noqa: B904 - as code does that does not think of it
    except type(error) as raised:
        return raised


def with_source(error: Exception) -> Exception:
    wrapped = named("sqlalchemy.exc", "OperationalError")
    wrapped.orig = error  # type: ignore[attr-defined]
    return wrapped


REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")


@pytest.mark.parametrize(
    "error",
    [
        REFUSED,
        ConnectionResetError(),
        OSError(errno.EHOSTUNREACH, "No route to host"),
        TimeoutError(errno.ETIMEDOUT, "Connection timed out"),
        socket.gaierror(-2, "Name or service not known"),
        psycopg.OperationalError("connection failed"),
        psycopg.errors.AdminShutdown("terminating connection"),
        psycopg.errors.CannotConnectNow("the database system is starting up"),
        psycopg.errors.TooManyConnections("sorry, too many clients already"),
        named("psycopg2", "OperationalError", pgcode=None),
        named("psycopg2", "InterfaceError", __str__=lambda _: "connection already closed"),
        named("asyncpg.exceptions", "ConnectionDoesNotExistError", sqlstate="08003"),
        named("redis.exceptions", "ConnectionError"),
        with_source(psycopg.OperationalError("connection failed")),
        caused(RuntimeError("no answer"), REFUSED),
        caused(httpx2.ConnectError("all attempts failed"), REFUSED),
        ExceptionGroup("both", [ValueError(), REFUSED]),
    ],
    ids=repr,
)
def test_a_connection_that_failed_is_an_outage(error: Exception) -> None:
    assert is_outage(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        FileNotFoundError(errno.ENOENT, "no such file"),
        TimeoutError(),
        psycopg.errors.UndefinedTable("no such table"),
        psycopg.errors.QueryCanceled("statement timeout"),
        psycopg.ProgrammingError("no"),
        with_source(psycopg.errors.UndefinedColumn("no such column")),
        caused(ValueError("no"), REFUSED, hidden=True),
        named("psycopg2", "InterfaceError", __str__=lambda _: "cursor already closed"),
        named("mine", "OperationalError"),
    ],
    ids=repr,
)
def test_a_mistake_of_the_code_is_no_outage(error: Exception) -> None:
    assert not is_outage(error)


def test_a_chain_that_leads_back_to_itself_ends() -> None:
    one, other = ValueError(), ValueError()
    one.__cause__, other.__cause__ = other, one

    assert not is_outage(one)
