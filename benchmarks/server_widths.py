"""How many calls a server gets at once is found: how long that takes beside the best fixed number.

    python -m benchmarks.server_widths --output FILE

The servers of tests/unit/clients/http/test_width.py, in virtual time: 200 calls, at most 16 at
once, each with 27 seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import measured_at, print_lines
from ragate.clients.http.limiter import Limiter
from tests.unit.clients.http.test_width import CALLS, LIMIT_S, MOST, SERVERS, Fixed, seconds

MEASURED = "ragate/clients/http/limiter.py"


def lines() -> Iterator[str]:
    yield measured_at(MEASURED)
    yield ""
    yield f"{CALLS} calls in virtual time, at most {MOST} at once, {LIMIT_S:g} s for each,"
    yield "by benchmarks/server_widths.py; late: a call was not answered in its time"
    yield ""
    columns = "best fixed", "seconds", "16 fixed", "found", "over best"
    yield f"{'server':<36}{''.join(f'{name:>11}' for name in columns)}"
    for name, make in SERVERS.items():
        walls = {width: seconds(make, partial(Fixed, width)) for width in range(1, MOST + 1)}
        best = min(walls, key=walls.__getitem__)
        found = seconds(make, partial(Limiter, MOST, LIMIT_S))
        cells = best, _told(walls[best]), _told(walls[MOST]), _told(found)
        told = "".join(f"{cell:>11}" for cell in cells)
        yield f"{name:<36}{told}{found / walls[best]:>11.3f}"


def _told(wall: float) -> str:
    return f"{wall:.1f}" if wall < float("inf") else "late"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path)
    print_lines(lines(), parser.parse_args().output)


if __name__ == "__main__":
    main()
