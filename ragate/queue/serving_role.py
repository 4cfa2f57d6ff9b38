"""Which role of the database may serve a plan: its workers alone get its blocks."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.database.roles_sql import WORKER_SETTINGS
from ragate.errors import UsageError
from ragate.queue.engine import Queue
from ragate.support.escape import one_line

VARIABLE = "RAGATE_QUEUE_ROLE"
# Roles are of a whole server: in a database without `ragate db roles` they may do nothing.
MEMBERS = """
SELECT m.rolname FROM pg_auth_members a
JOIN pg_roles m ON m.oid = a.member JOIN pg_roles g ON g.oid = a.roleid
WHERE g.rolname = 'ragate_workers' AND m.rolcanlogin
    AND NOT EXISTS (  -- who made the roles is in all of them
        SELECT FROM pg_roles o
        WHERE o.rolname = 'ragate_owner' AND pg_has_role(m.oid, o.oid, 'MEMBER'))
    AND has_schema_privilege(g.oid, 'ragate_work', 'USAGE') ORDER BY 1
"""
# A role may change its own: every later session of its other workers begins with them.
_SETTINGS = """
SELECT r.rolname, unnest(s.setconfig) FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
WHERE r.rolname = ANY (%s) ORDER BY 1, 2
"""


async def serving_role(queue: Queue, named: str) -> str:
    """Return the role whose workers are to serve a plan; "" where the database has no such roles.

    What a role of workers has set for itself is said.

    Args:
        named: What the variable says.

    Raises:
        UsageError: no such role is there, or there are several and none is named.
    """
    roles = [str(name) for (name,) in await queue.rows(MEMBERS)]
    made = {f"{key}={value}" for key, value in WORKER_SETTINGS.items()}
    for role, setting in await queue.rows(_SETTINGS, roles):
        if setting not in made:
            queue.say(
                f"warning: the role {role} of workers begins its sessions with "
                f"{one_line(setting, 100)}, which `ragate db roles` did not set: see who has its "
                f"password, then `ALTER ROLE {role} RESET ALL` and `ragate db roles --apply`"
            )
    return chosen_role(roles, named)


def chosen_role(roles: Sequence[str], named: str) -> str:
    """Return the one of `roles` that is to serve; the rest is as in `serving_role`."""
    if named and named not in roles:
        raise UsageError(
            f"{VARIABLE} = {named!r}: no role of workers in this database",
            remedy=f"name one of {', '.join(roles)}" if roles else "`ragate db roles --apply`",
        )
    if not named and len(roles) > 1:
        raise UsageError(
            f"{VARIABLE} is not set, and workers of several roles are here: {', '.join(roles)}",
            remedy="set it to the role whose workers may run the code of this checkout",
        )
    return named or "".join(roles)


async def own_role(queue: Queue) -> str:
    """Return the role that this process logged in with."""
    ((name,),) = await queue.rows("SELECT session_user::text")
    return str(name)
