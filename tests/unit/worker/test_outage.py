"""A connection that failed is an outage; everything else is the code's own mistake."""

from __future__ import annotations

import errno
import socket

import httpx
import psycopg
import pytest

from ragate.worker.outage import is_outage


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
        caused(httpx.ConnectError("all attempts failed"), REFUSED),
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
