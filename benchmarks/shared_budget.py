"""What many processes are billed of one budget.

    python -m benchmarks.shared_budget [--kills 3]

Each of eight processes has 16 calls under way, which take about a second and cost a quarter to the
whole of two tenths of a cent, until the cap is reached. A killed one's calls count as billed: they
were sent.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
import time
from pathlib import Path

import psycopg

from ragate.database import PostgresDatabase
from ragate.database.budget_sql import MIGRATIONS
from ragate.database.migrations import migrate
from tests.servers.spender import Spender

CAP_USD = 2.0
PROCESSES = 8
SPENDER = Spender(
    max_calls=1_000_000, max_cost_usd=CAP_USD, at_once=16, cost=(0.0005, 0.002), seconds=(0.5, 1.5)
)


def spend(url: str, folder: Path, kills: int) -> list[float]:
    """Return what each call cost that any process sent."""
    processes = []
    for number in range(PROCESSES):
        with (folder / f"calls{number}").open("w") as calls:
            processes.append(SPENDER.start(url, number, calls))
    for process in processes[:kills]:
        time.sleep(3)
        process.send_signal(signal.SIGKILL)
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
            budget = "INSERT INTO ragate_trust.budgets VALUES ('plan', 1000000, %s)"
            connection.execute(budget.encode(), (CAP_USD,))
            for number in range(PROCESSES):
                admit = "SELECT ragate_trust.admit('plan', %s)"
                connection.execute(admit, (f"token {number}",))
        started = time.monotonic()
        costs = spend(url, folder, kills)
    billed, seconds = sum(costs), time.monotonic() - started
    print(f"{len(costs)} calls, {kills} kills: ${billed:.4f} of ${CAP_USD:g} billed", end=" ")
    print(f"({billed / CAP_USD:.2%}), in {seconds:.0f} s")


if __name__ == "__main__":
    main()
