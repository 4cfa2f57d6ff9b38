"""What of a run lies in Postgres: plan, blocks and outputs, and what a worker may do with them.

Whoever submits reads and writes the tables. A worker, which may run anybody's code, calls the
functions alone: `begin_block` gives it a token for one block, and with the token it can append
outputs of that block's samples, and nothing else. So its role needs EXECUTE on these functions and
no right on a table; tokens are kept as hashes. Which role may serve a plan, its row says ("": any
that may call the functions).

The errors of the functions have a code each, which `leases` tells apart:
``RG001`` no such plan or block, ``RG002`` its run is over, ``RG003`` the block is another's,
``RG004`` an output that is not the block's, ``RG005`` the block is not done.
"""

from ragate.database.budget_sql import GUARDED
from ragate.database.migrations import Migrations

SCHEMA = "ragate_work"
ENGINE_SCHEMA = "ragate_queue"  # the tables of Procrastinate, which are its own
# A block that so many workers gave back, or were lost with, is not given out again.
MOST_FAILED, MOST_LOST = 5, 6
MOST_LINE = 16 * 2**20  # characters of one output
MOST_BYTES = 8 * 2**30  # of all outputs of a plan, written or refused: a worker fills no disk

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
    failed integer NOT NULL DEFAULT 0,
    lost bytea[] NOT NULL DEFAULT '{}',
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

_HASHED = """
CREATE FUNCTION ragate_work.hashed(_token uuid) RETURNS bytea
    LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
    AS $$ SELECT sha256(convert_to(_token::text, 'UTF8')) $$;
"""

# A worker that was given up may still be there: its token is over as soon as another begins.
_BEGIN = """
CREATE FUNCTION ragate_work.begin_block(_plan text, _block integer)
    RETURNS TABLE (token uuid, head text, pass integer, rebuilds integer, samples text[])
    GUARDED AS $$
DECLARE
    _found ragate_work.blocks;
    _head text;
    _over boolean;
    _role text;
BEGIN
    SELECT * INTO _found FROM ragate_work.blocks b
        WHERE b.plan = _plan AND b.block = _block FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such plan or block' USING ERRCODE = 'RG001';
    END IF;
    SELECT p.head, p.ended IS NOT NULL, p.role INTO _head, _over, _role
        FROM ragate_work.plans p WHERE p.plan = _plan;
    IF _role NOT IN ('', session_user) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role may not serve that plan';
    END IF;
    IF _over THEN
        RAISE EXCEPTION 'the run is over' USING ERRCODE = 'RG002';
    END IF;
    IF _found.ended IS NOT NULL THEN
        RETURN;
    END IF;
    IF _found.token_hash IS NOT NULL THEN
        _found.lost := _found.lost || _found.token_hash;
    END IF;
    IF cardinality(_found.lost) >= {most_lost} THEN
        UPDATE ragate_work.blocks b SET token_hash = NULL, ended = now(), error = coalesce(
            b.error, format('%s workers began it, and none ended it', cardinality(_found.lost)))
            WHERE b.plan = _plan AND b.block = _block;
        RETURN;
    END IF;
    token := gen_random_uuid();
    UPDATE ragate_work.blocks b SET lost = _found.lost, token_hash = ragate_work.hashed(token)
        WHERE b.plan = _plan AND b.block = _block;
    PERFORM ragate_trust.admit(_plan, token::text);
    head := _head;
    pass := _found.pass;
    rebuilds := _found.rebuilds;
    samples := ARRAY(
        SELECT s FROM unnest(_found.samples) WITH ORDINALITY AS wanted (s, place)
        WHERE NOT EXISTS (SELECT FROM ragate_work.outputs o
            WHERE o.plan = _plan AND o.pass = _found.pass AND o.sample = s)
        ORDER BY place);
    RETURN NEXT;
END;
$$;
"""

# Numbers of rows are given under the plan's row lock, so that whoever reads on from the last one
# misses none that was committed later. What was in flight when a run was interrupted is kept.
_APPEND = """
CREATE FUNCTION ragate_work.append(_token uuid, _samples text[], _lines text[])
    RETURNS integer
    GUARDED AS $$
DECLARE
    _held ragate_work.blocks;
    _last bigint;
    _bytes bigint;
    _count integer;
BEGIN
    SELECT * INTO _held FROM ragate_work.blocks b
        WHERE b.token_hash = ragate_work.hashed(_token) FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF NOT _samples <@ _held.samples OR cardinality(_samples) <> cardinality(_lines)
        OR cardinality(_samples) > cardinality(_held.samples)
        OR EXISTS (SELECT FROM unnest(_lines) l WHERE l IS NULL OR length(l) > {most_line})
    THEN
        RAISE EXCEPTION 'an output that is not the block''s' USING ERRCODE = 'RG004';
    END IF;
    UPDATE ragate_work.plans p SET written = p.written + cardinality(_samples),
            bytes = p.bytes + (SELECT coalesce(sum(octet_length(l)), 0) FROM unnest(_lines) l)
        WHERE p.plan = _held.plan
        RETURNING p.written, p.bytes INTO _last, _bytes;
    IF _bytes > {most_bytes} THEN
        RAISE EXCEPTION 'more outputs than a plan may have' USING ERRCODE = 'RG004';
    END IF;
    INSERT INTO ragate_work.outputs (plan, pass, sample, block, number, line)
        SELECT _held.plan, _held.pass, given.sample, _held.block,
            _last - cardinality(_samples) + given.place, given.line
        FROM unnest(_samples, _lines) WITH ORDINALITY AS given (sample, line, place)
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS _count = ROW_COUNT;
    RETURN _count;
END;
$$;
"""

_END = """
CREATE FUNCTION ragate_work.end_block(_token uuid) RETURNS void
    GUARDED AS $$
DECLARE
    _held ragate_work.blocks;
BEGIN
    SELECT * INTO _held FROM ragate_work.blocks b
        WHERE b.token_hash = ragate_work.hashed(_token) FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF EXISTS (SELECT FROM unnest(_held.samples) AS s WHERE NOT EXISTS (
        SELECT FROM ragate_work.outputs o
        WHERE o.plan = _held.plan AND o.pass = _held.pass AND o.sample = s))
    THEN
        RAISE EXCEPTION 'the block is not done' USING ERRCODE = 'RG005';
    END IF;
    UPDATE ragate_work.blocks b SET ended = now(), token_hash = NULL, error = NULL
        WHERE b.plan = _held.plan AND b.block = _held.block;
END;
$$;
CREATE FUNCTION ragate_work.give_back(_token uuid, _error text, _final boolean) RETURNS void
    GUARDED AS $$
BEGIN
    UPDATE ragate_work.blocks b SET error = left(coalesce(_error, 'no reason'), 4000),
        failed = b.failed + 1, token_hash = NULL,
        ended = CASE WHEN _final OR b.failed + 1 >= {most_failed} THEN now() END
        WHERE b.token_hash = ragate_work.hashed(_token);
    IF NOT FOUND AND _error IS NULL THEN  -- whoever had it before lives, and was not lost with it
        UPDATE ragate_work.blocks b SET lost = array_remove(b.lost, ragate_work.hashed(_token))
            WHERE ragate_work.hashed(_token) = ANY (b.lost);
    ELSIF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
END;
$$;
CREATE FUNCTION ragate_work.greet(_token uuid, _greeting text) RETURNS text
    GUARDED AS $$
DECLARE
    _plan text;
    _first text;
BEGIN
    SELECT b.plan INTO _plan FROM ragate_work.blocks b
        WHERE b.token_hash = ragate_work.hashed(_token);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF length(_greeting) > 67108864 OR _greeting IS NULL THEN
        RAISE EXCEPTION 'a greeting that is too long' USING ERRCODE = 'RG004';
    END IF;
    UPDATE ragate_work.plans p SET greeting = coalesce(p.greeting, _greeting)
        WHERE p.plan = _plan RETURNING p.greeting INTO _first;
    RETURN _first;
END;
$$;
"""

_FUNCTIONS = (
    (_HASHED + _BEGIN + _APPEND + _END)
    .replace("{most_failed}", str(MOST_FAILED))
    .replace("{most_lost}", str(MOST_LOST))
    .replace("{most_line}", str(MOST_LINE))
    .replace("{most_bytes}", str(MOST_BYTES))
    .replace("GUARDED", GUARDED)
)
_CLOSED = f"REVOKE ALL ON ALL FUNCTIONS IN SCHEMA {SCHEMA} FROM PUBLIC;"

WORK = Migrations(SCHEMA, (_TABLES + _FUNCTIONS + _CLOSED,))
