"""Blocks of workers without a heartbeat, given to others in Procrastinate's own way.

Whoever submits looks for them, and so does every worker: the one may be gone while the others live.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragate.queue.engine import STALLED_S, Queue, is_outage

if TYPE_CHECKING:
    from procrastinate.jobs import Job


async def retry_stalled(queue: Queue, queue_name: str) -> None:
    """Give blocks of one of Procrastinate's queues to others, and say so.

    Raises:
        DatabaseError: the database is gone, and did not come back.
    """
    from procrastinate.exceptions import ConnectorException

    manager = queue.app.job_manager

    async def call() -> list[Job]:
        found = await manager.get_stalled_jobs(queue=queue_name, seconds_since_heartbeat=STALLED_S)
        return list(found)

    count = 0
    for job in await queue.patient(call):
        try:
            await manager.retry_job(job)
            count += 1
        except ConnectorException as error:
            if is_outage(error):
                break  # the next look finds it again
            # Somebody else was faster.
    if count:
        queue.say(f"given to others, of workers that are gone: {count} block{'s' * (count != 1)}")
