"""What of a run lies in Postgres: its plan, its blocks and their outputs.

Whoever submits reads and writes the tables. A worker, which may run anybody's code, calls the
functions alone: `begin_block` gives it a token for one block, and with the token it can append
outputs of that block's samples, and nothing else. So its role needs EXECUTE on these functions and
no right on a table.

The errors of the functions have a code each, which `leases` tells apart:
``RG001`` no such plan or block, ``RG002`` its run is over, ``RG003`` the block is another's,
``RG004`` an output that is not the block's, ``RG005`` the block is not done.
"""

from ragate.database.migrations import Migrations

SCHEMA = "ragate_work"
ENGINE_SCHEMA = "ragate_queue"  # the tables of Procrastinate, which are its own
# A block that so many workers began and none ended is not given out again: it may end them.
MOST_BEGUN = 6

_TABLES = """
CREATE TABLE ragate_work.plans (
    plan text PRIMARY KEY,
    queue text NOT NULL,
    head text NOT NULL,
    greeting text,
    written bigint NOT NULL DEFAULT 0,
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
    token uuid UNIQUE,
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

# A worker that was given up may still be there: its token is over as soon as another begins.
_BEGIN = """
CREATE FUNCTION ragate_work.begin_block(_plan text, _block integer)
    RETURNS TABLE (token uuid, head text, pass integer, rebuilds integer, samples text[])
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    _found ragate_work.blocks;
    _head text;
    _over boolean;
BEGIN
    SELECT * INTO _found FROM ragate_work.blocks b
        WHERE b.plan = _plan AND b.block = _block FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no such plan or block' USING ERRCODE = 'RG001';
    END IF;
    SELECT p.head, p.ended IS NOT NULL INTO _head, _over
        FROM ragate_work.plans p WHERE p.plan = _plan;
    IF _over THEN
        RAISE EXCEPTION 'the run is over' USING ERRCODE = 'RG002';
    END IF;
    IF _found.ended IS NOT NULL THEN
        RETURN;
    END IF;
    IF _found.begun >= {most_begun} THEN
        UPDATE ragate_work.blocks b SET token = NULL, ended = now(), error = coalesce(
            b.error, format('%s workers began it, and none ended it', b.begun))
            WHERE b.plan = _plan AND b.block = _block;
        RETURN;
    END IF;
    UPDATE ragate_work.blocks b SET begun = b.begun + 1, token = gen_random_uuid()
        WHERE b.plan = _plan AND b.block = _block RETURNING b.token INTO token;
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
""".replace("{most_begun}", str(MOST_BEGUN))

# Numbers of rows are given under the plan's row lock, so that whoever reads on from the last one
# misses none that was committed later.
_APPEND = """
CREATE FUNCTION ragate_work.append(_token uuid, _samples text[], _lines text[])
    RETURNS integer
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    _held ragate_work.blocks;
    _last bigint;
    _over boolean;
    _count integer;
BEGIN
    SELECT * INTO _held FROM ragate_work.blocks b WHERE b.token = _token FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF NOT _samples <@ _held.samples OR cardinality(_samples) <> cardinality(_lines)
        OR EXISTS (SELECT FROM unnest(_lines) l WHERE l IS NULL OR length(l) > 16777216)
    THEN
        RAISE EXCEPTION 'an output that is not the block''s' USING ERRCODE = 'RG004';
    END IF;
    UPDATE ragate_work.plans p SET written = p.written + cardinality(_samples)
        WHERE p.plan = _held.plan
        RETURNING p.written, p.ended IS NOT NULL INTO _last, _over;
    IF _over THEN
        RAISE EXCEPTION 'the run is over' USING ERRCODE = 'RG002';
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
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    _held ragate_work.blocks;
BEGIN
    SELECT * INTO _held FROM ragate_work.blocks b WHERE b.token = _token FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF EXISTS (SELECT FROM unnest(_held.samples) AS s WHERE NOT EXISTS (
        SELECT FROM ragate_work.outputs o
        WHERE o.plan = _held.plan AND o.pass = _held.pass AND o.sample = s))
    THEN
        RAISE EXCEPTION 'the block is not done' USING ERRCODE = 'RG005';
    END IF;
    UPDATE ragate_work.blocks b SET ended = now(), token = NULL, error = NULL
        WHERE b.plan = _held.plan AND b.block = _held.block;
END;
$$;
CREATE FUNCTION ragate_work.give_back(_token uuid, _error text, _final boolean) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE ragate_work.blocks b SET error = left(_error, 4000), token = NULL,
        ended = CASE WHEN _final THEN now() END
        WHERE b.token = _token;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
END;
$$;
CREATE FUNCTION ragate_work.greet(_token uuid, _greeting text) RETURNS text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    _plan text;
    _first text;
BEGIN
    SELECT b.plan INTO _plan FROM ragate_work.blocks b WHERE b.token = _token;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the block is another''s' USING ERRCODE = 'RG003';
    END IF;
    IF length(_greeting) > 67108864 THEN
        RAISE EXCEPTION 'a greeting that is too long' USING ERRCODE = 'RG004';
    END IF;
    UPDATE ragate_work.plans p SET greeting = coalesce(p.greeting, _greeting)
        WHERE p.plan = _plan RETURNING p.greeting INTO _first;
    RETURN _first;
END;
$$;
"""

WORK = Migrations(SCHEMA, (_TABLES + _BEGIN + _APPEND + _END,))
# What a worker's role may call, and all that it may of this schema.
WORKER_FUNCTIONS = (
    "begin_block(text, integer)",
    "append(uuid, text[], text[])",
    "end_block(uuid)",
    "give_back(uuid, text, boolean)",
    "greet(uuid, text)",
)
