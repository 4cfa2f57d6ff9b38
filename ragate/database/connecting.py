"""A connection to a server that a variable names, as libpq's own variables complete it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ragate.database.postgres import readable
from ragate.database.schema import reached
from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

PASSWORD = "PGPASSWORD"  # noqa: S105 - the name of a variable
# A server's machine that is gone sends no word: without these a query waits for hours.
ALIVE: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "tcp_user_timeout": 30_000,
}


@lru_cache
def frozen(url: str, variable: str) -> str:
    """Return the connection string with what libpq's variables add to it now.

    The embedded server takes these variables out of the process while it is used.

    Args:
        variable: Where the URL comes from, for messages.

    Raises:
        DatabaseError: it is no connection string; its text is not repeated.
    """
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    given = conninfo_to_dict(readable(url, variable))
    found = _of_variables(os.environ.get("PGSERVICE"))
    if service := given.get("service"):
        read = _of_variables(str(service))
        if read != {**_of_variables(None), "service": service}:
            found = read
            del given["service"]
        # Else its file does not name it, which libpq says itself.
    found.pop("service", None)  # its file was read for the others, and may not be found again
    defaults = {"application_name": "ragate", **ALIVE}
    return make_conninfo("", **{**defaults, **found, **given})


def _of_variables(service: str | None) -> dict[str, str]:
    """Return what libpq's variables and a service say now, by keyword of a connection string."""
    from psycopg import pq

    before = os.environ.pop("PGSERVICE", None)
    try:
        if service is not None:
            os.environ["PGSERVICE"] = service
        return {
            option.keyword.decode(): option.val.decode()
            for option in pq.Conninfo.get_defaults()
            if option.envvar and option.val
        }
    finally:
        os.environ.pop("PGSERVICE", None)
        if before is not None:
            os.environ["PGSERVICE"] = before


def takes_password_from(environment: Mapping[str, str], variable: str) -> bool:
    """Return whether the server that a variable names is reached with `PASSWORD` of these."""
    from psycopg.conninfo import conninfo_to_dict

    url, password = environment.get(variable, "").strip(), environment.get(PASSWORD, "")
    if not url or not password:
        return False
    try:
        found = conninfo_to_dict(frozen(url, variable)).get("password")
    except DatabaseError:
        return False
    return found == password and not conninfo_to_dict(url).get("password")


def connected(url: str, variable: str) -> AbstractContextManager[psycopg.Connection[Any]]:
    """Return a connection in autocommit mode; raises as `reached`, and `frozen` beforehand."""
    return reached(frozen(url, variable), variable)
