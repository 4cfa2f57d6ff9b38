"""The SQL of one budget of calls, money and pace for all workers of a plan.

A worker holds a token of its plan and draws shares of the plan's budget with it. What a share was
given counts as spent for everybody else, whatever its worker says or whether it is killed, so that
no course of events gives out more than the cap. Caps and paces are rows that its role cannot reach.

A share gets what its calls under way and the next one need, and a quarter of what may still lie
unused: all unused parts together are at most a tenth of the cap, or one call for each worker where
that is more. The first call of a model goes alone, since nobody knows what it costs.
"""

from ragate.database.migrations import Migrations

# Every function that a worker may call has its names bound to the schema, looks nowhere else for
# them (pg_temp last: a temporary table stands in for nothing), and gives up on a lock.
GUARDED = """LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s'"""

# A session's calls and usd are what its share was given, used_* what it says that it used of it.
_TABLES = """
CREATE TABLE ragate_trust.budgets (
    plan text PRIMARY KEY,
    max_calls bigint NOT NULL CHECK (max_calls >= 0),
    max_cost_usd numeric NOT NULL CHECK (max_cost_usd BETWEEN 0 AND 1e9),
    alone_calls bigint NOT NULL DEFAULT 0,
    alone_usd numeric NOT NULL DEFAULT 0,
    opened timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE ragate_trust.sessions (
    token_hash bytea PRIMARY KEY,
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    calls bigint NOT NULL DEFAULT 0,
    usd numeric NOT NULL DEFAULT 0,
    used_calls bigint NOT NULL DEFAULT 0 CHECK (used_calls BETWEEN 0 AND 1e15),
    used_usd numeric NOT NULL DEFAULT 0 CHECK (used_usd BETWEEN 0 AND 1e9),
    tally text CHECK (length(tally) <= 2000)
);
CREATE INDEX ON ragate_trust.sessions (plan);
CREATE INDEX sessions_shares ON ragate_trust.sessions (plan) WHERE calls > 0;
CREATE TABLE ragate_trust.dearest (
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    model text NOT NULL CHECK (length(model) <= 300),
    usd numeric CHECK (usd BETWEEN 0 AND 1e6),
    first_until timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (plan, model)
);
CREATE TABLE ragate_trust.paces (
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    provider text NOT NULL,
    per_minute double precision NOT NULL CHECK (per_minute > 0 AND per_minute < 1e9),
    next_free timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (plan, provider)
);
"""

_SESSIONS = """
CREATE FUNCTION ragate_trust.admit(p_plan text, p_token text) RETURNS void GUARDED AS $$
BEGIN
    INSERT INTO ragate_trust.sessions (token_hash, plan)
    SELECT sha256(convert_to(p_token, 'UTF8')), plan
    FROM ragate_trust.budgets WHERE plan = p_plan
    ON CONFLICT DO NOTHING;
END $$;

-- The token's session; its plan's budget is locked until the transaction ends.
CREATE FUNCTION ragate_trust.session_of(p_token text) RETURNS ragate_trust.sessions GUARDED AS $$
DECLARE
    mine ragate_trust.sessions;
    hash bytea := sha256(convert_to(p_token, 'UTF8'));
BEGIN
    PERFORM FROM ragate_trust.sessions s JOIN ragate_trust.budgets b USING (plan)
    WHERE s.token_hash = hash FOR UPDATE OF b;
    SELECT * INTO mine FROM ragate_trust.sessions WHERE token_hash = hash;
    IF NOT FOUND THEN
        RAISE insufficient_privilege USING MESSAGE = 'this token has no budget';
    END IF;
    RETURN mine;
END $$;

CREATE FUNCTION ragate_trust.tell(p_token text, p_tally text) RETURNS void GUARDED AS $$
BEGIN
    UPDATE ragate_trust.sessions SET tally = p_tally
    WHERE token_hash = sha256(convert_to(p_token, 'UTF8'));
END $$;
"""

# p_calls, p_usd: used so far, without the calls under way; p_open, p_held: those, and what they may
# cost; p_usd_each: the dearest call of the model that the worker knows of.
_DRAW = """
CREATE FUNCTION ragate_trust.draw(
    p_token text, p_model text, p_seconds double precision, p_calls bigint, p_usd double precision,
    p_open bigint, p_held double precision, p_usd_each double precision,
    OUT calls bigint, OUT usd double precision, OUT usd_each double precision, OUT reached text,
    OUT used numeric
) GUARDED AS $$
DECLARE
    mine ragate_trust.sessions := ragate_trust.session_of(p_token);
    own ragate_trust.budgets;
    known ragate_trust.dearest;
    given record;
    more_calls bigint; more_usd numeric; left_calls bigint; left_usd numeric;
BEGIN
    SELECT * INTO own FROM ragate_trust.budgets b WHERE b.plan = mine.plan;
    SELECT * INTO known FROM ragate_trust.dearest d WHERE d.plan = own.plan AND d.model = p_model;
    usd_each := greatest(known.usd, p_usd_each);
    IF usd_each IS NULL AND known.first_until > clock_timestamp() THEN
        reached := 'first';
        RETURN;
    END IF;
    UPDATE ragate_trust.sessions s SET used_calls = greatest(s.used_calls, p_calls),
        used_usd = greatest(s.used_usd, p_usd::numeric),
        calls = greatest(s.calls, p_calls), usd = greatest(s.usd, p_usd::numeric)
    WHERE s.token_hash = mine.token_hash RETURNING * INTO mine;
    SELECT coalesce(sum(s.calls), 0) AS calls, coalesce(sum(s.usd), 0) AS usd,
        coalesce(sum(s.calls - s.used_calls), 0) AS idle_calls,
        coalesce(sum(s.usd - s.used_usd), 0) AS idle_usd
    INTO given FROM ragate_trust.sessions s WHERE s.plan = own.plan AND s.calls > 0;
    left_calls := own.max_calls - own.alone_calls - given.calls;
    left_usd := own.max_cost_usd - own.alone_usd - given.usd;
    more_calls := p_open + 1 - (mine.calls - mine.used_calls);
    -- Beside calls under way one and a half of the dearest, for a last one the dearest itself.
    more_usd := p_held::numeric + coalesce(usd_each, 0) * CASE WHEN p_open > 0 THEN 1.5 ELSE 1 END
        - (mine.usd - mine.used_usd);
    IF left_calls < more_calls THEN
        reached := 'max_calls';
        used := own.alone_calls + given.calls;
    ELSIF left_usd + 1e-9 < more_usd OR left_usd + mine.usd - mine.used_usd < 1e-9 THEN
        reached := 'max_cost_usd';
        used := own.alone_usd + given.usd;
    ELSE
        UPDATE ragate_trust.sessions s SET
            calls = s.calls + CASE WHEN more_calls > 0 THEN least(left_calls, greatest(
                more_calls, floor((own.max_calls - 10 * given.idle_calls) / 40))) ELSE 0 END,
            usd = s.usd + CASE WHEN more_usd >= 0 THEN least(left_usd, greatest(
                more_usd, own.max_cost_usd / 40 - given.idle_usd / 4)) ELSE 0 END
        WHERE s.token_hash = mine.token_hash RETURNING * INTO mine;
        IF usd_each IS NULL THEN
            INSERT INTO ragate_trust.dearest VALUES (own.plan, p_model, NULL, clock_timestamp()
                + interval '1 s' * least(greatest(p_seconds, 1), 3600))
            ON CONFLICT (plan, model) DO UPDATE SET first_until = excluded.first_until;
        END IF;
    END IF;
    calls := mine.calls;
    usd := mine.usd;
END $$;

-- What a call of a model cost, NULL where it is not known: the next first one may go then.
CREATE FUNCTION ragate_trust.price(p_token text, p_model text, p_usd double precision)
RETURNS void GUARDED AS $$
DECLARE mine ragate_trust.sessions := ragate_trust.session_of(p_token);
BEGIN
    INSERT INTO ragate_trust.dearest VALUES (mine.plan, p_model, p_usd)
    ON CONFLICT (plan, model) DO UPDATE SET first_until = '-infinity',
        usd = greatest(ragate_trust.dearest.usd, excluded.usd);
END $$;

-- Seconds until the next call's turn, which is taken; NULL where it is far: nobody books so early.
CREATE FUNCTION ragate_trust.turn(p_token text, p_provider text) RETURNS double precision
GUARDED AS $$
DECLARE
    mine ragate_trust.sessions := ragate_trust.session_of(p_token);
    now_s timestamptz := clock_timestamp();
    free timestamptz;
BEGIN
    SELECT greatest(next_free, now_s) INTO free
    FROM ragate_trust.paces WHERE plan = mine.plan AND provider = p_provider;
    IF free > now_s + interval '5 s' THEN RETURN NULL; END IF;
    UPDATE ragate_trust.paces SET next_free = free + interval '1 s' * (60 / (per_minute * 0.99))
    WHERE plan = mine.plan AND provider = p_provider;
    RETURN coalesce(extract(epoch FROM free - now_s), 0);
END $$;
"""

_FUNCTIONS = (_SESSIONS + _DRAW).replace("GUARDED", GUARDED)
_CLOSED = "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ragate_trust FROM PUBLIC;"

MIGRATIONS = Migrations("ragate_trust", (_TABLES + _FUNCTIONS + _CLOSED,))
