"""Procrastinate's functions as a worker may call them: for its own jobs, and nothing besides.

A worker's connection looks for names in `ragate_worker` first, so the engine's client, unchanged,
finds these in place of the engine's own. They bear its names and its signatures, check, and call
it. Whose a worker is, is told by the role that it logged in with.

Whether a job is done is told by its block: a job that is said to have succeeded without its outputs
stays where it is, until its worker is gone and another gets it.
"""

from ragate.database.migrations import Migrations

# More than a minute's worth of restarts of many machines; each is a row until it is stalled.
MOST_WORKERS = 1000
MOST_RETRIES = 20
LEAST_STALLED_S = 10

_OWN = """
CREATE TABLE ragate_worker.workers (
    worker_id bigint PRIMARY KEY
        REFERENCES ragate_queue.procrastinate_workers ON DELETE CASCADE,
    role text NOT NULL
);

CREATE FUNCTION ragate_worker.refuse_others(p_worker_id bigint) RETURNS void GUARDED AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM ragate_worker.workers w
        WHERE w.worker_id = p_worker_id AND w.role = session_user
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role has no such worker';
    END IF;
END $$;

CREATE FUNCTION ragate_worker.own_job(p_job_id bigint)
RETURNS ragate_queue.procrastinate_jobs GUARDED AS $$
DECLARE job ragate_queue.procrastinate_jobs;
BEGIN
    SELECT j.* INTO job FROM ragate_queue.procrastinate_jobs j
    LEFT JOIN ragate_worker.workers w USING (worker_id)
    WHERE j.id = p_job_id AND j.status = 'doing' AND coalesce(w.role, session_user) = session_user
        AND NOT EXISTS (
            SELECT FROM ragate_work.plans p
            WHERE p.plan = j.args ->> 'plan' AND p.role NOT IN ('', session_user))
    FOR UPDATE OF j;
    IF NOT FOUND THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role has no such job';
    END IF;
    RETURN job;
END $$;

CREATE FUNCTION ragate_worker.procrastinate_register_worker_v1()
RETURNS TABLE (worker_id bigint) GUARDED AS $$
BEGIN
    IF (SELECT count(*) FROM ragate_worker.workers w WHERE w.role = session_user) >= MOST_WORKERS
    THEN
        RAISE insufficient_resources USING MESSAGE = 'this role has too many workers';
    END IF;
    SELECT r.worker_id INTO worker_id FROM ragate_queue.procrastinate_register_worker_v1() r;
    INSERT INTO ragate_worker.workers VALUES (worker_id, session_user);
    RETURN NEXT;
END $$;

CREATE FUNCTION ragate_worker.procrastinate_unregister_worker_v1(worker_id bigint)
RETURNS void GUARDED AS $$
BEGIN
    PERFORM ragate_worker.refuse_others(worker_id);
    PERFORM ragate_queue.procrastinate_unregister_worker_v1(worker_id);
END $$;

CREATE FUNCTION ragate_worker.procrastinate_update_heartbeat_v1(worker_id bigint)
RETURNS void GUARDED AS $$
BEGIN
    PERFORM ragate_worker.refuse_others(worker_id);
    PERFORM ragate_queue.procrastinate_update_heartbeat_v1(worker_id);
END $$;

CREATE FUNCTION ragate_worker.procrastinate_prune_stalled_workers_v1(
    seconds_since_heartbeat double precision
) RETURNS TABLE (worker_id bigint) GUARDED AS $$
BEGIN
    RETURN QUERY DELETE FROM ragate_queue.procrastinate_workers p USING ragate_worker.workers w
        WHERE w.worker_id = p.id AND w.role = session_user AND p.last_heartbeat < now()
            - greatest(seconds_since_heartbeat, LEAST_STALLED_S) * interval '1 s'
        RETURNING p.id;
END $$;
"""

_JOBS = """
CREATE FUNCTION ragate_worker.procrastinate_fetch_job_v2(
    target_queue_names character varying[], p_worker_id bigint
) RETURNS ragate_queue.procrastinate_jobs GUARDED AS $$
BEGIN
    PERFORM ragate_worker.refuse_others(p_worker_id);
    IF target_queue_names IS NULL OR EXISTS (
        SELECT FROM ragate_work.plans p
        WHERE p.queue = ANY (target_queue_names) AND p.role NOT IN ('', session_user)
    ) THEN
        RAISE insufficient_privilege USING MESSAGE = 'this role may not serve that queue';
    END IF;
    RETURN ragate_queue.procrastinate_fetch_job_v2(target_queue_names, p_worker_id);
END $$;

CREATE FUNCTION ragate_worker.procrastinate_finish_job_v1(
    job_id bigint, end_status ragate_queue.procrastinate_job_status, delete_job boolean
) RETURNS void GUARDED AS $$
DECLARE job ragate_queue.procrastinate_jobs := ragate_worker.own_job(job_id);
BEGIN
    IF end_status = 'succeeded' AND EXISTS (
        SELECT FROM ragate_work.blocks b JOIN ragate_work.plans p USING (plan)
        WHERE b.plan = job.args ->> 'plan' AND b.block = (job.args ->> 'block')::integer
            AND b.ended IS NULL AND p.ended IS NULL
    ) THEN
        RETURN;
    END IF;
    PERFORM ragate_queue.procrastinate_finish_job_v1(
        job_id, end_status, delete_job AND end_status = 'succeeded');
END $$;

CREATE FUNCTION ragate_worker.procrastinate_retry_job_v2(
    job_id bigint, retry_at timestamp with time zone, new_priority integer,
    new_queue_name character varying, new_lock character varying
) RETURNS void GUARDED AS $$
DECLARE job ragate_queue.procrastinate_jobs := ragate_worker.own_job(job_id);
BEGIN
    IF job.attempts >= MOST_RETRIES THEN
        PERFORM ragate_queue.procrastinate_finish_job_v1(job_id, 'failed', false);
        RETURN;
    END IF;
    PERFORM ragate_queue.procrastinate_retry_job_v2(
        job_id, least(greatest(retry_at, now()), now() + interval '10 min'), NULL, NULL, NULL);
END $$;

-- Jobs under way: its role's, and those whose worker is gone, which any worker may give to another.
-- Each half finds its rows by an index: workers ask twice a second, and thousands may be waiting.
CREATE VIEW ragate_worker.procrastinate_jobs WITH (security_barrier) AS
    SELECT j.id, j.queue_name, j.task_name, j.args, j.status, j.attempts, j.abort_requested,
        j.priority, j.lock, j.queueing_lock, j.scheduled_at, j.worker_id
    FROM ragate_queue.procrastinate_jobs j JOIN ragate_worker.workers w USING (worker_id)
    WHERE w.role = session_user AND j.status = 'doing'
    UNION ALL
    SELECT j.id, j.queue_name, j.task_name, j.args, j.status, j.attempts, j.abort_requested,
        j.priority, j.lock, j.queueing_lock, j.scheduled_at, j.worker_id
    FROM ragate_queue.procrastinate_jobs j
    WHERE j.worker_id IS NULL AND j.status = 'doing' AND NOT EXISTS (
        SELECT FROM ragate_work.plans p
        WHERE p.plan = j.args ->> 'plan' AND p.role NOT IN ('', session_user));

CREATE VIEW ragate_worker.procrastinate_workers WITH (security_barrier) AS
    SELECT p.id, p.last_heartbeat
    FROM ragate_queue.procrastinate_workers p JOIN ragate_worker.workers w ON w.worker_id = p.id
    WHERE w.role = session_user;
"""

_FUNCTIONS = (
    (_OWN + _JOBS)
    .replace(
        "GUARDED",
        "LANGUAGE plpgsql SECURITY DEFINER "
        "SET search_path = pg_catalog, ragate_queue, pg_temp SET lock_timeout = '10s'",
    )
    .replace("MOST_WORKERS", str(MOST_WORKERS))
    .replace("MOST_RETRIES", str(MOST_RETRIES))
    .replace("LEAST_STALLED_S", str(LEAST_STALLED_S))
)
_CLOSED = "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ragate_worker FROM PUBLIC;"

MIGRATIONS = Migrations("ragate_worker", (_FUNCTIONS + _CLOSED,))
WORKER_FUNCTIONS = (
    "procrastinate_register_worker_v1",
    "procrastinate_unregister_worker_v1",
    "procrastinate_update_heartbeat_v1",
    "procrastinate_prune_stalled_workers_v1",
    "procrastinate_fetch_job_v2",
    "procrastinate_finish_job_v1",
    "procrastinate_retry_job_v2",
)
