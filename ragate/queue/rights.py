"""What the role that is logged in may do in the queue's schemas, which are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

_USAGE = """
SELECT session_user::text, coalesce(bool_and(has_schema_privilege(oid, 'USAGE')), false)
FROM pg_namespace
WHERE nspname IN ('ragate_queue', 'ragate_trust', 'ragate_work', 'ragate_worker')
"""
_RIGHTS = """
SELECT has_table_privilege('ragate_work.plans', 'INSERT')
        AND has_table_privilege('ragate_queue.procrastinate_jobs', 'INSERT'),
    has_function_privilege('ragate_work.begin_block(text, integer)', 'EXECUTE')
        AND has_function_privilege('ragate_worker.procrastinate_register_worker_v1()', 'EXECUTE')
"""


@dataclass(frozen=True)
class Rights:
    """What a role may do."""

    role: str
    may_submit: bool
    may_work: bool

    def refuse_submitting(self) -> None:
        """Raise a DatabaseError where the role may not submit runs."""
        if not self.may_submit:
            raise DatabaseError(
                f"the role {self.role!r} may not submit runs{', it serves them' * self.may_work}",
                remedy=_made("submitter"),
            )

    def refuse_working(self) -> None:
        """Raise a DatabaseError where the role may not serve runs."""
        if not self.may_work:
            raise DatabaseError(
                f"the role {self.role!r} may not serve runs{', it submits them' * self.may_submit}",
                remedy=_made("worker"),
            )


def rights_in(connection: psycopg.Connection[Any]) -> Rights:
    """Return what the role may do.

    Raises:
        DatabaseError: nothing.
    """
    role, may = connection.execute(_USAGE.encode()).fetchone() or ("", False)
    if not may:
        raise DatabaseError(
            f"the role {role!r} has no rights in the queue's schemas",
            remedy=f"`ragate db roles --worker {role} --apply`, or --submitter, as their owner",
        )
    submits, works = connection.execute(_RIGHTS.encode()).fetchone() or (False, False)
    return Rights(str(role), bool(submits), bool(works))


def _made(kind: str) -> str:
    return f"`ragate db roles --{kind} NAME --apply` makes a role that may: docs/database-roles.md"
