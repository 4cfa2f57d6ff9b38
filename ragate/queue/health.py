"""What is asked of a queue's server without changing it: can runs be submitted, or served?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ragate.database.connecting import connected
from ragate.queue.engine import STALLED_S
from ragate.queue.schema import VARIABLE, are_there, check_versions, rights_in
from ragate.queue.serving_role import MEMBERS

if TYPE_CHECKING:
    import psycopg

LEAST_POSTGRES = 14

_SERVER = """
SELECT split_part(current_setting('server_version'), ' ', 1),
    current_setting('server_version_num')::integer / 10000,
    session_user::text, has_database_privilege(current_database(), 'CREATE')
"""
_UP = (
    "SELECT count(*) FROM {}.procrastinate_workers "
    "WHERE last_heartbeat > now() - make_interval(secs => %s)"
)


@dataclass(frozen=True)
class QueueFacts:
    """A queue's server that was reached.

    Attributes:
        postgres, major: Its version, in full and the first number of it.
        role: Who is logged in.
        may_make: The role may make schemas.
        made: All schemas are there, in this ragate's version.
        may_submit, may_work: What the role may do in them.
        serving: Roles whose workers may serve a plan; none where `ragate db roles` made none.
        up: Workers with a heartbeat, of any checkout, as far as the role sees them.
    """

    postgres: str
    major: int
    role: str
    may_make: bool
    made: bool = False
    may_submit: bool = False
    may_work: bool = False
    serving: tuple[str, ...] = ()
    up: int = 0


def inspect_queue(url: str) -> QueueFacts:
    """Ask a queue's server what it has.

    Raises:
        DatabaseError: it cannot be reached, its schemas are of another version, or the role has no
            rights in them.
    """
    with connected(url, VARIABLE) as connection:
        row = connection.execute(_SERVER).fetchone()
        postgres, major, role, may_make = row or ("", 0, "", False)
        if major < LEAST_POSTGRES or not are_there(connection):
            return QueueFacts(postgres, major, role, may_make)
        check_versions(connection)
        return _with_rights(connection, QueueFacts(postgres, major, role, may_make, made=True))


def _with_rights(connection: psycopg.Connection[Any], facts: QueueFacts) -> QueueFacts:
    rights = rights_in(connection)
    submits, works = rights.may_submit, rights.may_work
    up = 0
    if submits or works:
        seen = _UP.format("ragate_queue" if submits else "ragate_worker")
        up = (connection.execute(seen.encode(), (STALLED_S,)).fetchone() or (0,))[0]
    serving = tuple(str(name) for (name,) in connection.execute(MEMBERS.encode()))
    return replace(facts, may_submit=submits, may_work=works, serving=serving, up=up)
