"""What of a run lies in Postgres: its plan, its blocks and their outputs.

Whoever submits reads and writes the tables. A worker, which may run anybody's code, calls the
functions alone: `begin_block` gives it a token for one block, and with the token it can append
outputs of that block's samples, and nothing else. So its role needs EXECUTE on these functions and
no right on a table; tokens are kept as hashes. Which role may serve a plan, its row says ("": any
that may call the functions).
"""

from ragate.database.migrations import Migrations
from ragate.queue.block_functions import BLOCK_FUNCTIONS

SCHEMA = "ragate_work"
ENGINE_SCHEMA = "ragate_queue"  # the tables of Procrastinate, which are its own

_TABLES = """
CREATE TABLE ragate_work.plans (
    plan text PRIMARY KEY,
    queue text NOT NULL,
    role text NOT NULL DEFAULT '',
    head text NOT NULL,
    greeting text,
    written bigint NOT NULL DEFAULT 0,
    bytes bigint NOT NULL DEFAULT 0,
    created timestamptz NOT NULL DEFAULT now(),
    ended timestamptz
);
CREATE TABLE ragate_work.blocks (
    plan text NOT NULL REFERENCES ragate_work.plans ON DELETE CASCADE,
    block integer NOT NULL,
    pass integer NOT NULL,
    rebuilds integer NOT NULL,
    samples text[] NOT NULL,
    begun integer NOT NULL DEFAULT 0,
    token_hash bytea UNIQUE,
    ended timestamptz,
    error text,
    PRIMARY KEY (plan, block)
);
CREATE TABLE ragate_work.outputs (
    plan text NOT NULL,
    pass integer NOT NULL,
    sample text NOT NULL,
    block integer NOT NULL,
    number bigint NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (plan, pass, sample),
    FOREIGN KEY (plan, block) REFERENCES ragate_work.blocks ON DELETE CASCADE
);
CREATE UNIQUE INDEX outputs_number ON ragate_work.outputs (plan, number);
"""

_CLOSED = f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {SCHEMA} FROM PUBLIC;"

WORK = Migrations(SCHEMA, (_TABLES + BLOCK_FUNCTIONS + _CLOSED,))
