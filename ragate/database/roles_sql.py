"""The SQL of the roles: whose the schemas are, who submits, and what alone a worker may do."""

import re
from collections.abc import Sequence

from ragate.database import engine_sql
from ragate.errors import UsageError

OURS = ("ragate_owner", "ragate_submitters", "ragate_workers")
# No two functions of a schema bear the same name.
_WORKERS_MAY_CALL = (
    *(
        f"ragate_work.{name}"
        for name in ("begin_block", "append", "end_block", "give_back", "greet")
    ),
    *(f"ragate_trust.{name}" for name in ("draw", "price", "turn", "tell")),
    *(f"ragate_worker.{name}" for name in engine_sql.WORKER_FUNCTIONS),
)
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")

_GROUPS = """\
-- By `ragate db roles`: run it as a superuser (or the database's owner, who may create roles), in a
-- database of the queue's own, after each `ragate db migrate`.
DO $$
DECLARE name text; kind text; thing record;
BEGIN
    FOREACH name IN ARRAY ARRAY['ragate_owner', 'ragate_submitters', 'ragate_workers'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
    END LOOP;
    -- Whoever made a role is a member since 16, but may not hand anything over to it.
    kind := CASE WHEN current_setting('server_version_num')::int < 160000
        THEN 'MEMBER' ELSE 'SET' END;
    IF NOT pg_has_role(current_user, 'ragate_owner', kind) THEN
        EXECUTE format('GRANT ragate_owner TO %I', current_user);
    END IF;
    -- Everything belongs to a role that nobody logs in with: functions run with its rights.
    FOREACH name IN ARRAY ARRAY['ragate_queue', 'ragate_trust', 'ragate_work', 'ragate_worker'] LOOP
        IF to_regnamespace(name) IS NULL THEN
            RAISE 'there is no schema % here: run `ragate db migrate` first', name;
        END IF;
        EXECUTE format('ALTER SCHEMA %I OWNER TO ragate_owner', name);
        EXECUTE format('REVOKE ALL ON SCHEMA %I FROM PUBLIC, ragate_workers', name);
        FOR thing IN
            SELECT oid::regclass AS it FROM pg_class
            WHERE relnamespace = name::regnamespace AND relkind IN ('r', 'p', 'v')
        LOOP
            EXECUTE format('ALTER TABLE %s OWNER TO ragate_owner', thing.it);
        END LOOP;
        FOR thing IN
            SELECT oid::regprocedure AS it FROM pg_proc WHERE pronamespace = name::regnamespace
        LOOP
            EXECUTE format('ALTER ROUTINE %s OWNER TO ragate_owner', thing.it);
        END LOOP;
        FOR thing IN
            SELECT t.oid::regtype AS it FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
            WHERE t.typnamespace = name::regnamespace
                AND (t.typtype = 'e' OR t.typtype = 'c' AND c.relkind = 'c')
        LOOP
            EXECUTE format('ALTER TYPE %s OWNER TO ragate_owner', thing.it);
        END LOOP;
        FOREACH kind IN ARRAY ARRAY['TABLES', 'SEQUENCES', 'ROUTINES'] LOOP
            EXECUTE format(
                'REVOKE ALL ON ALL %s IN SCHEMA %I FROM PUBLIC, ragate_workers', kind, name);
        END LOOP;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO ragate_workers, ragate_submitters', name);
    END LOOP;
    EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE ragate_owner REVOKE EXECUTE ON ROUTINES FROM PUBLIC;

-- Who submits plans reads and writes all of it but the versions of the schemas.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ragate_queue, ragate_trust, ragate_work
    TO ragate_submitters;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA ragate_queue, ragate_trust, ragate_work TO ragate_submitters;
GRANT EXECUTE ON ALL ROUTINES IN SCHEMA ragate_queue, ragate_trust, ragate_work
    TO ragate_submitters;
REVOKE INSERT, UPDATE, DELETE ON ragate_trust.migrations, ragate_work.migrations
    FROM ragate_submitters;
GRANT SELECT ON ragate_worker.migrations TO ragate_submitters;
"""

_WORKERS = """
-- What a worker may do, and all of it. It has no right on any table.
GRANT SELECT ON ragate_trust.migrations, ragate_work.migrations, ragate_worker.migrations,
    ragate_worker.procrastinate_jobs, ragate_worker.procrastinate_workers TO ragate_workers;
GRANT EXECUTE ON FUNCTION
    {functions}
    TO ragate_workers;

-- What Postgres gives to everybody, and a superuser alone can take: where a managed server refuses,
-- a worker can still fill the disk, the log and the table of locks, which all databases share.
DO $$
DECLARE thing record;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE WARNING 'a superuser alone can forbid workers advisory locks, messages in the '
            'write-ahead log, large objects and long temporary files';
        RETURN;
    END IF;
    FOR thing IN
        SELECT oid::regprocedure AS it FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND (proname ~ '^pg_(try_)?advisory_'
            OR proname IN ('pg_logical_emit_message', 'lo_creat', 'lo_create', 'lo_from_bytea',
                'lo_put', 'lowrite', 'lo_truncate', 'lo_truncate64'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', thing.it);
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION %s TO ragate_owner, ragate_submitters', thing.it);
    END LOOP;
END $$;
"""

_LOGIN = """
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{name}') THEN
        -- Without a password nobody gets in: ALTER ROLE {name} PASSWORD '...'
        CREATE ROLE {name} LOGIN;
    END IF;
    IF EXISTS (
        SELECT FROM pg_roles r WHERE r.rolname = '{name}' AND (r.rolsuper OR r.rolcreaterole
            OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls OR EXISTS (
                SELECT FROM pg_auth_members m
                WHERE m.member = r.oid AND m.roleid <> '{group}'::regrole))
    ) THEN
        RAISE 'the role {name} may do more than {group}: take that away, or name another role';
    END IF;
    GRANT {group} TO {name};
END $$;
"""
# Queries of a role are shown to all that log in with it, those of its other workers among them.
WORKER_SETTINGS = {"track_activities": "off", "temp_file_limit": "256MB"}
_LIMITS = """\
DO $$
BEGIN
    IF (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        {settings}
    END IF;
END $$;
""".replace(
    "{settings}",
    "\n        ".join(
        f"ALTER ROLE {{name}} SET {key} = '{value}';" for key, value in WORKER_SETTINGS.items()
    ),
)


def roles_sql(workers: Sequence[str], submitters: Sequence[str]) -> str:
    """Return the statements that make the roles, and may be run again.

    Args:
        workers: Roles to log in with, each for workers that trust one another.
        submitters: Those of who submits plans, and reads what came of them.

    Raises:
        UsageError: a name is none that needs no quotes, is used twice, or is one of ours.
    """
    _refuse_names([*workers, *submitters])
    text = _GROUPS + _WORKERS.replace("{functions}", ",\n    ".join(_WORKERS_MAY_CALL))
    for group, names in (("ragate_workers", workers), ("ragate_submitters", submitters)):
        login = _LOGIN + _LIMITS if group == "ragate_workers" else _LOGIN
        text += "".join(login.replace("{group}", group).replace("{name}", name) for name in names)
    return text


def _refuse_names(names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} is no name for a role here",
                remedy="use lower-case letters, digits and _, and begin with a letter",
            )
        if name in {*names[:number], *OURS} or name.startswith("pg_"):
            raise UsageError(
                f"{name!r} is used already", remedy="give every worker and submitter its own name"
            )
