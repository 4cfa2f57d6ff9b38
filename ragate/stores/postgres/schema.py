"""The schema ``ragate_runs``: tables that a writer can only add to, each row under its own role.

A row's writer is the role that is connected, and no writer may say another: so a run is known by
its id and by who wrote it, and nobody can add to, or end, the run of somebody else.
"""

import re

from ragate.database.migrations import Migrations

SCHEMA = "ragate_runs"
_RUN_ID = re.compile(r"[0-9A-Za-z-]{1,100}")

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

MIGRATIONS = Migrations(SCHEMA, (_TABLES,))
"""Version 1: the four tables."""


def is_run_id(text: str) -> bool:
    """Return whether a run can have this id: it names a folder as well."""
    return _RUN_ID.fullmatch(text) is not None
