"""Outputs as workers appended them, read in the order of their commits."""

from dataclasses import dataclass

from ragate.queue.engine import Queue

BYTES_AT_ONCE = 32 * 2**20  # a worker that is not trusted fills no memory
_NEXT = """
WITH next AS (
    SELECT * FROM ragate_work.outputs
    WHERE plan = %s AND pass = %s AND number > %s ORDER BY number LIMIT %s
)
SELECT number, sample, line FROM (
    SELECT *, sum(octet_length(line)) OVER up AS bytes, row_number() OVER up AS place
    FROM next WINDOW up AS (ORDER BY number)
) AS numbered
WHERE bytes <= %s OR place = 1 ORDER BY number
"""


@dataclass(frozen=True)
class Arrival:
    """One output, as a worker appended it.

    Attributes:
        number: Its place among the outputs of the plan, in the order of their commits.
    """

    number: int
    sample: str
    line: str


async def read_arrivals(
    queue: Queue, plan: str, run: int, *, after: int, most: int
) -> list[Arrival]:
    """Return the next outputs of one pass: `most`, or fewer where they are large."""
    found = await queue.rows(_NEXT, plan, run, after, most, BYTES_AT_ONCE)
    return [Arrival(*row) for row in found]
