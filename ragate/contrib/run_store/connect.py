"""Connections to the run store, and errors that name it without its password."""

from __future__ import annotations

import hashlib
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from ragate.contrib.run_store.migrations import Migrations, check_version
from ragate.database.connecting import frozen
from ragate.database.schema import CONNECT_S, describe
from ragate.errors import DatabaseError
from ragate.version import MANUAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg


SCHEMA = "ragate_runs"

_TABLES = """
CREATE TABLE ragate_runs.runs (
    run_id text COLLATE "C" NOT NULL CHECK (run_id ~ '^[0-9A-Za-z-]{1,100}$'),
    writer name NOT NULL DEFAULT session_user,
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, writer)
);
CREATE TABLE ragate_runs.sessions (
    session uuid NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    writer name NOT NULL DEFAULT session_user,
    begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (session, writer),
    FOREIGN KEY (run_id, writer) REFERENCES ragate_runs.runs ON DELETE CASCADE
);
CREATE INDEX sessions_run ON ragate_runs.sessions (run_id, writer);
CREATE TABLE ragate_runs.pieces (
    session uuid NOT NULL,
    writer name NOT NULL DEFAULT session_user,
    file text COLLATE "C" NOT NULL CHECK (file ~ '^[a-z.]{1,40}$'),
    part integer NOT NULL CHECK (part >= 0),
    body bytea NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (session, writer, file, part),
    FOREIGN KEY (session, writer) REFERENCES ragate_runs.sessions ON DELETE CASCADE
);
CREATE TABLE ragate_runs.ends (
    run_id text COLLATE "C" NOT NULL,
    writer name NOT NULL DEFAULT session_user,
    session uuid NOT NULL,
    listing bytea,
    sizes jsonb NOT NULL,
    ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (run_id, writer),
    FOREIGN KEY (run_id, writer) REFERENCES ragate_runs.runs ON DELETE CASCADE
);
COMMENT ON TABLE ragate_runs.runs IS 'A run of a gate, under the role that wrote it.';
COMMENT ON TABLE ragate_runs.sessions IS 'A process that wrote a run; the newest one counts.';
COMMENT ON TABLE ragate_runs.pieces IS 'The files of a run, in parts that follow one another.';
COMMENT ON TABLE ragate_runs.ends IS 'A run that ended: what a list shows, and bytes by file.';
"""

_ONE_ROW = """
ALTER TABLE ragate_runs.runs RENAME TO runs_1;
CREATE TABLE ragate_runs.runs (
    run_id text COLLATE "C" NOT NULL CHECK (run_id ~ '^[0-9A-Za-z-]{1,100}$'),
    writer name NOT NULL DEFAULT session_user,
    sent uuid NOT NULL,
    sent_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ended boolean NOT NULL,
    listing bytea,
    begun bytea,
    spent bytea,
    manifest bytea,
    scores bytea,
    outputs bytea,
    report bytea,
    requests bytea,
    CONSTRAINT runs_sent PRIMARY KEY (sent, writer)
);
ALTER TABLE ragate_runs.runs
    ALTER COLUMN scores SET STORAGE EXTERNAL,
    ALTER COLUMN outputs SET STORAGE EXTERNAL,
    ALTER COLUMN requests SET STORAGE EXTERNAL;
CREATE INDEX runs_id ON ragate_runs.runs (run_id, writer);
CREATE UNIQUE INDEX runs_end ON ragate_runs.runs (run_id, writer) WHERE ended;
WITH newest AS (
    SELECT DISTINCT ON (s.run_id, s.writer) s.*, e.session IS NOT NULL AS ended, e.listing
    FROM ragate_runs.sessions AS s LEFT JOIN ragate_runs.ends AS e USING (run_id, writer)
    WHERE e.session IS NULL OR e.session = s.session
    ORDER BY s.run_id, s.writer, s.begun_at DESC
), files AS (
    SELECT session, writer, file, max(sent_at) AS at,
        string_agg(body, ''::bytea ORDER BY part) AS body
    FROM ragate_runs.pieces GROUP BY session, writer, file
)
INSERT INTO ragate_runs.runs
SELECT n.run_id, n.writer, n.session, greatest(n.begun_at, max(f.at)), n.ended, n.listing,
    (array_agg(f.body) FILTER (WHERE f.file = 'begun.json'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'spent.log'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'manifest.json'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'scores.jsonl'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'outputs.jsonl'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'report.json'))[1],
    (array_agg(f.body) FILTER (WHERE f.file = 'requests.jsonl.gz'))[1]
FROM newest AS n LEFT JOIN files AS f ON f.session = n.session AND f.writer = n.writer
GROUP BY n.run_id, n.writer, n.session, n.begun_at, n.ended, n.listing;
DROP TABLE ragate_runs.pieces, ragate_runs.ends, ragate_runs.sessions, ragate_runs.runs_1;
COMMENT ON TABLE ragate_runs.runs IS
    'A run of a gate as it was when it began or ended. The row of its end counts, else the newest.';
"""

MIGRATIONS = Migrations(SCHEMA, (_TABLES, _ONE_ROW))
"""Version 1: four tables, of files in parts. Version 2: one, with a column for each file."""
VARIABLE = "RAGATE_RUNS_URL"
_LOCK_CLASS = 0x7261_6772  # our number space among the server's advisory locks
# A server that hears nothing of a machine asks, and lets go of the run that it holds.
_WATCHED = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3"
)


@contextmanager
def connected(url: str) -> Iterator[psycopg.Connection[Any]]:
    """Yield a connection to the store, each statement a transaction of its own.

    Raises:
        DatabaseError: it cannot be reached, the role may not, or the schema is not ours; what the
            server says inside is told so too.
    """
    import psycopg

    with closing(connect(url)) as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise told(error, url) from error


def connect(url: str) -> psycopg.Connection[Any]:
    """Return a connection to a store whose schema is ours; raises as `connected`."""
    import psycopg

    conninfo = frozen(url, VARIABLE)
    try:
        connection = psycopg.connect(conninfo, autocommit=True, connect_timeout=CONNECT_S)
    except psycopg.Error as error:
        raise told(error, url) from error
    try:
        connection.execute("SET lock_timeout = '10s'")
        connection.execute(_WATCHED)
        check_version(connection, MIGRATIONS)
    except psycopg.Error as error:
        connection.close()
        raise told(error, url) from error
    except BaseException:
        connection.close()
        raise
    return connection


def store_key(url: str) -> str:
    """Return what names the store, without user and password: of two URLs to one the same."""
    from psycopg.conninfo import conninfo_to_dict

    facts = conninfo_to_dict(frozen(url, VARIABLE))
    named = [str(facts.get(key, "")) for key in ("host", "hostaddr", "port", "dbname")]
    return hashlib.sha256("\0".join(named).encode()).hexdigest()[:16]


def told(error: psycopg.Error, url: str) -> DatabaseError:
    """Return a server's error as ours; no password is in it."""
    import psycopg

    found = describe(error, frozen(url, VARIABLE), variable=VARIABLE)
    remedies: dict[type, str] = {
        psycopg.errors.InsufficientPrivilege: f"{MANUAL}/workers.md says which rights a role needs "
        "for what",
        psycopg.errors.ReadOnlySqlTransaction: f"name a server in {VARIABLE} that takes writes: "
        "this one, or this role there, only reads",
        psycopg.errors.UndefinedTable: "somebody changed the schema by hand: restore it, or rename "
        "it (`ALTER SCHEMA ragate_runs RENAME TO ragate_runs_old`) and run `ragate db migrate`",
    }
    return DatabaseError(
        f"run store: {found.message}", remedy=remedies.get(type(error), found.remedy)
    )


def taken_alone(connection: psycopg.Connection[Any], run_id: str) -> bool:
    """Hold a run for this process, as long as the connection lives; False where another does."""
    query = "SELECT pg_try_advisory_lock(%s, hashtext(%s))"
    row = connection.execute(query, (_LOCK_CLASS, run_id)).fetchone()
    return row is not None and bool(row[0])


# The schema ``ragate_runs``: a table that a writer can only add to, each row under its own role.
#
# A row's writer is the role that is connected, and no writer may say another: so a run is known
# by its id and by who wrote it, and nobody can add to, or end, the run of somebody else.
