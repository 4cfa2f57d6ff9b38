"""One budget of calls, money and pace for all workers of a plan, kept by the server.

A worker holds a token of its plan and may only take: reserve a call, say what it cost, give it back
where it was not billed. Caps and paces are rows that its role cannot reach.

What counts against the caps: every call that was settled, every one under way with one and a half
of the dearest of its model so far, and every one whose lease ran out with the dearest. Where only
the calls under way stand against another, it waits for them: nothing but the price of one call is
left unspent. The first call of a model goes alone, since nobody knows what it costs.
"""

from ragate.database.migrations import Migrations
from ragate.database.trust.budget_tables import BUDGET_TABLES

# Every function that a worker may call has its names bound to the schema, looks nowhere else for
# them (pg_temp last: a temporary table stands in for nothing), and gives up on a lock.
GUARDED = """LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s'"""

_SESSION = """
CREATE FUNCTION ragate_trust.admit(p_plan text, p_token text) RETURNS void GUARDED AS $$
BEGIN
    INSERT INTO ragate_trust.sessions (token_hash, plan)
    SELECT sha256(convert_to(p_token, 'UTF8')), plan
    FROM ragate_trust.budgets WHERE plan = p_plan
    ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION ragate_trust.tell(p_token text, p_tally text) RETURNS void GUARDED AS $$
BEGIN
    UPDATE ragate_trust.sessions SET tally = p_tally
    WHERE token_hash = sha256(convert_to(p_token, 'UTF8'));
END $$;

CREATE FUNCTION ragate_trust.budget_of(p_token text) RETURNS ragate_trust.budgets GUARDED AS $$
DECLARE own ragate_trust.budgets;
BEGIN
    SELECT b.* INTO own FROM ragate_trust.sessions s JOIN ragate_trust.budgets b USING (plan)
    WHERE s.token_hash = sha256(convert_to(p_token, 'UTF8')) FOR UPDATE OF b;
    IF NOT FOUND THEN
        RAISE insufficient_privilege USING MESSAGE = 'this token has no budget';
    END IF;
    WITH gone AS (
        UPDATE ragate_trust.reservations SET lost = true
        WHERE plan = own.plan AND NOT lost AND lease < clock_timestamp()
        RETURNING expected_usd
    )
    UPDATE ragate_trust.budgets b SET lost_usd = b.lost_usd + g.usd
    FROM (SELECT coalesce(sum(expected_usd), 0) AS usd FROM gone) g
    WHERE b.plan = own.plan RETURNING b.* INTO own;
    RETURN own;
END $$;
"""

_RESERVE = """
CREATE FUNCTION ragate_trust.slot(p_pool text, p_provider text) RETURNS double precision GUARDED
AS $$
DECLARE own ragate_trust.paces; free timestamptz;
BEGIN
    SELECT * INTO own FROM ragate_trust.paces
    WHERE pool = p_pool AND provider = p_provider FOR UPDATE;
    IF NOT FOUND THEN RETURN 0; END IF;
    free := greatest(own.next_free, clock_timestamp());
    IF free > clock_timestamp() + interval '5 s' THEN
        RETURN NULL;  -- nobody books far ahead
    END IF;
    UPDATE ragate_trust.paces SET next_free = free + interval '1 s' * (60 / (per_minute * 0.99))
    WHERE pool = p_pool AND provider = p_provider;
    RETURN extract(epoch FROM free - clock_timestamp());
END $$;

CREATE FUNCTION ragate_trust.reserve(
    p_token text, p_provider text, p_model text, p_lease_s double precision,
    OUT reservation bigint, OUT wait_s double precision, OUT reached text, OUT used numeric
) GUARDED AS $$
DECLARE
    own ragate_trust.budgets := ragate_trust.budget_of(p_token);
    known numeric; under_way bigint; same_model bigint; held_usd numeric; left_usd numeric;
BEGIN
    SELECT cost_usd INTO known FROM ragate_trust.dearest WHERE plan = own.plan AND model = p_model;
    SELECT count(*), count(*) FILTER (WHERE model = p_model), coalesce(sum(expected_usd), 0) * 1.5
    INTO under_way, same_model, held_usd
    FROM ragate_trust.reservations WHERE plan = own.plan AND NOT lost;
    left_usd := own.max_cost_usd - own.cost_usd - own.lost_usd + 1e-9;
    IF left_usd <= 1e-9 OR (under_way = 0 AND known > left_usd) THEN
        reached := 'max_cost_usd';
        used := own.cost_usd + own.lost_usd;
    ELSIF own.calls >= own.max_calls AND under_way = 0 THEN
        reached := 'max_calls';
        used := own.calls;
    ELSIF own.calls >= own.max_calls
        OR (under_way > 0 AND known > 0 AND held_usd + known * 1.5 > left_usd)
        OR (same_model > 0 AND known IS NULL AND own.max_cost_usd < 'Infinity') THEN
        wait_s := 0.2;
    END IF;
    IF reached IS NOT NULL OR wait_s IS NOT NULL THEN RETURN; END IF;
    wait_s := ragate_trust.slot(own.pool, p_provider);
    IF wait_s IS NULL THEN
        wait_s := 2.5;
        RETURN;
    END IF;
    UPDATE ragate_trust.budgets SET calls = calls + 1 WHERE plan = own.plan;
    INSERT INTO ragate_trust.reservations (plan, token_hash, model, expected_usd, lease)
    VALUES (
        own.plan, sha256(convert_to(p_token, 'UTF8')), p_model, coalesce(known, 0),
        clock_timestamp() + interval '1 s' * (wait_s + least(greatest(p_lease_s, 1), 3600))
    ) RETURNING id INTO reservation;
END $$;
"""

_SETTLE = """
CREATE FUNCTION ragate_trust.settle(p_token text, p_reservation bigint, p_cost_usd double precision)
RETURNS void GUARDED AS $$
DECLARE
    own ragate_trust.budgets := ragate_trust.budget_of(p_token);
    cost numeric := coalesce(p_cost_usd, 0);
    done ragate_trust.reservations;
BEGIN
    IF NOT cost BETWEEN 0 AND 1000000 THEN
        RAISE check_violation USING MESSAGE = 'a cost is from 0 to 1,000,000 US dollars';
    END IF;
    DELETE FROM ragate_trust.reservations
    WHERE id = p_reservation AND token_hash = sha256(convert_to(p_token, 'UTF8'))
    RETURNING * INTO done;
    IF NOT FOUND THEN RETURN; END IF;  -- said twice, or another's
    UPDATE ragate_trust.budgets SET cost_usd = cost_usd + cost,
        lost_usd = lost_usd - CASE WHEN done.lost THEN done.expected_usd ELSE 0 END
    WHERE plan = own.plan;
    INSERT INTO ragate_trust.dearest VALUES (own.plan, done.model, cost)
    ON CONFLICT (plan, model) DO UPDATE SET
        cost_usd = greatest(ragate_trust.dearest.cost_usd, excluded.cost_usd);
END $$;

CREATE FUNCTION ragate_trust.lose(p_token text, p_reservation bigint)
RETURNS void GUARDED AS $$
DECLARE
    own ragate_trust.budgets := ragate_trust.budget_of(p_token);
    usd numeric;
BEGIN
    UPDATE ragate_trust.reservations SET lost = true
    WHERE id = p_reservation AND NOT lost AND token_hash = sha256(convert_to(p_token, 'UTF8'))
    RETURNING expected_usd INTO usd;
    UPDATE ragate_trust.budgets SET lost_usd = lost_usd + coalesce(usd, 0) WHERE plan = own.plan;
END $$;

CREATE FUNCTION ragate_trust.give_back(p_token text, p_reservation bigint)
RETURNS void GUARDED AS $$
DECLARE
    own ragate_trust.budgets := ragate_trust.budget_of(p_token);
    done ragate_trust.reservations;
BEGIN
    DELETE FROM ragate_trust.reservations
    WHERE id = p_reservation AND token_hash = sha256(convert_to(p_token, 'UTF8'))
    RETURNING * INTO done;
    IF NOT FOUND THEN RETURN; END IF;
    UPDATE ragate_trust.budgets SET calls = calls - 1,
        lost_usd = lost_usd - CASE WHEN done.lost THEN done.expected_usd ELSE 0 END
    WHERE plan = own.plan;
END $$;
"""

_FUNCTIONS = (_SESSION + _RESERVE + _SETTLE).replace("GUARDED", GUARDED)
_CLOSED = "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ragate_trust FROM PUBLIC;"

MIGRATIONS = Migrations("ragate_trust", (BUDGET_TABLES + _FUNCTIONS + _CLOSED,))
