"""What many processes are billed of one budget.

    python -m benchmarks.shared_budget [--kills 3]

Each of eight processes has 16 calls under way, which take about a second and cost a quarter to the
whole of two tenths of a cent, until the cap is reached. A killed one's calls count as billed: they
were sent.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg

from ragate.database import PostgresDatabase
from ragate.database.migrations import migrate
from ragate.database.trust.budget_sql import MIGRATIONS

CAP_USD = 2.0
PROCESSES = 8
LEASE = "UPDATE ragate_trust.reservations SET lease = least(lease, now() + interval '4 s')"
SPENDER = """
import asyncio, random, sys
from functools import partial
import psycopg
from ragate.clients.budget import Budget, Capped
from ragate.clients.budget_line import BudgetLine
from ragate.errors import BudgetError
from ragate.protocols import ChatReply, ChatRequest

url, seed, cap = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
chance = random.Random(seed)

async def model(request, *, draw=0):
    cost = chance.uniform(0.0005, 0.002)
    print(cost, flush=True)
    await asyncio.sleep(chance.uniform(0.5, 1.5))
    return ChatReply("so", 1, 1, cost)

async def spend(client):
    while True:
        try:
            await client(ChatRequest("m", (("user", "q"),)))
        except BudgetError:
            return

async def main():
    caps = {"max_calls": 1_000_000, "max_cost_usd": cap}
    line = BudgetLine(partial(psycopg.connect, url, autocommit=True), "token", caps)
    client = Capped(model, Budget(**caps, share=line))
    await asyncio.gather(*(spend(client) for _ in range(16)))
    line.close()

asyncio.run(main())
"""


def spend(url: str, folder: Path, kills: int) -> list[float]:
    """Return what each call cost that any process sent."""
    processes = []
    for number in range(PROCESSES):
        with (folder / f"calls{number}").open("w") as calls:
            command = [sys.executable, "-c", SPENDER, url, str(number), str(CAP_USD)]
            processes.append(subprocess.Popen(command, stdout=calls))
    for process in processes[:kills]:
        time.sleep(3)
        process.send_signal(signal.SIGKILL)
    if kills:  # leases of a minute and a half, cut short
        with psycopg.connect(url) as connection:
            connection.execute(LEASE.encode())
    for process in processes:
        process.wait()
    texts = [(folder / f"calls{number}").read_text() for number in range(PROCESSES)]
    return [float(line) for text in texts for line in text.split()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=0)
    kills = parser.parse_args().kills
    folder = Path(tempfile.mkdtemp(prefix="ragate-budget-"))
    folder.chmod(0o755)
    with PostgresDatabase(folder) as server:
        url = server.conninfo()
        with psycopg.connect(url, autocommit=True) as connection:
            migrate(connection, MIGRATIONS)
            budget = "INSERT INTO ragate_trust.budgets VALUES ('plan', 'pool', 1000000, %s)"
            connection.execute(budget.encode(), (CAP_USD,))
            connection.execute("SELECT ragate_trust.admit('plan', 'token')")
        started = time.monotonic()
        costs = spend(url, folder, kills)
    billed, seconds = sum(costs), time.monotonic() - started
    print(f"{len(costs)} calls, {kills} kills: ${billed:.4f} of ${CAP_USD:g} billed", end=" ")
    print(f"({billed / CAP_USD:.2%}), in {seconds:.0f} s")


if __name__ == "__main__":
    main()
