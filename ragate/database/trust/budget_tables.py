"""Budgets of plans, who may take from them, what is reserved, and the pace of providers."""

BUDGET_TABLES = """
CREATE TABLE ragate_trust.budgets (
    plan text PRIMARY KEY,
    pool text NOT NULL,
    max_calls bigint NOT NULL CHECK (max_calls >= 0),
    max_cost_usd numeric NOT NULL CHECK (max_cost_usd >= 0 AND max_cost_usd <> 'NaN'),
    calls bigint NOT NULL DEFAULT 0,
    cost_usd numeric NOT NULL DEFAULT 0,
    lost_usd numeric NOT NULL DEFAULT 0,
    alone_calls bigint NOT NULL DEFAULT 0,
    alone_usd numeric NOT NULL DEFAULT 0,
    opened timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE ragate_trust.sessions (
    token_hash bytea PRIMARY KEY,
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    tally text CHECK (length(tally) <= 2000)
);
CREATE INDEX ON ragate_trust.sessions (plan);
CREATE TABLE ragate_trust.dearest (
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    model text NOT NULL CHECK (length(model) <= 300),
    cost_usd numeric NOT NULL,
    PRIMARY KEY (plan, model)
);
CREATE TABLE ragate_trust.reservations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    plan text NOT NULL REFERENCES ragate_trust.budgets ON DELETE CASCADE,
    token_hash bytea NOT NULL,
    model text NOT NULL CHECK (length(model) <= 300),
    expected_usd numeric NOT NULL,
    lease timestamptz NOT NULL,
    lost boolean NOT NULL DEFAULT false
);
CREATE INDEX ON ragate_trust.reservations (plan, lost);
CREATE TABLE ragate_trust.paces (
    pool text NOT NULL,
    provider text NOT NULL,
    per_minute double precision NOT NULL CHECK (per_minute > 0 AND per_minute < 1e9),
    next_free timestamptz NOT NULL DEFAULT '-infinity',
    PRIMARY KEY (pool, provider)
);
"""
