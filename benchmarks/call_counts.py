"""Function calls of five commands, against the counts that are committed: a guard of speed.

    python -m benchmarks.call_counts [--accept WHAT ...]

Calls do not depend on the machine, nor on what else it does. A count that is `MOST_OVER` above its
line in `benchmarks/call_counts.txt` ends this with 1. `--accept` measures anew and writes that
line; say behind its `#` what the rise bought. Libraries count as well: where a new release calls
more, that is a line too.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.judged_projects import PAGES, PLAIN, REPLAY, Project, run_python
from tests.servers.process import server_process

COUNTS = Path(__file__).with_name("call_counts.txt")
MOST_OVER = 0.15
WORTH_TELLING = 0.05  # below its line: time to write it anew
_COUNTED = """\
import sys, threading
number = 0
def count(frame, event, argument):
    global number
    if event == "call" or event == "c_call":
        number += 1
from ragate.cli.main import run
threading.setprofile(count)
sys.setprofile(count)
code = run(sys.argv[2:])
sys.setprofile(None)
threading.setprofile(None)
with open(sys.argv[1], "w") as file:
    file.write(f"{code} {number}")
"""


def counted(project: Project, *arguments: str) -> int:
    """Return the calls of one command.

    Raises:
        SystemExit: it did not end with 0.
    """
    told = project.root / "calls.txt"
    ran = run_python(
        ["-c", _COUNTED, str(told), *arguments],
        project.root,
        {"RAGATE_CONCURRENCY": str(project.concurrency)},
    )
    code, calls = map(int, told.read_text().split()) if told.exists() else (ran.code, 0)
    if code or not calls:
        raise SystemExit(f"ragate {' '.join(arguments)} ended with {code}\n{ran.said}")
    return calls


@contextmanager
def recorded(template: str, samples: int) -> Iterator[Project]:
    """Yield a project that has a baseline, with a server for its judge."""
    with server_process() as server, tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder), template, server.base_url, samples).write()
        project.write_pages() if template == PAGES else project.record("1")
        done = project.ragate("baseline", "update")
        if done.code:
            raise SystemExit(done.said)
        yield project


def judged() -> Iterator[tuple[str, int]]:
    with recorded(REPLAY, 300) as project:
        project.record("2")
        yield "judged-300", counted(project, "check")
        yield "judged-300-again", counted(project, "check")


def replayed() -> Iterator[tuple[str, int]]:
    with recorded(PLAIN, 5000) as project:
        project.record("2")
        yield "replayed-5000", counted(project, "check")


def idle() -> Iterator[tuple[str, int]]:
    with recorded(PAGES, 20) as project:
        yield "help", counted(project, "--help")
        yield "nothing-to-do", counted(project, "check")


PARTS: tuple[Callable[[], Iterator[tuple[str, int]]], ...] = (judged, replayed, idle)


def read(path: Path = COUNTS) -> dict[str, tuple[int, str]]:
    """Return the committed counts and what is said behind them, by name."""
    lines = (line for line in path.read_text().splitlines() if line and line[0] != "#")
    found = {}
    for line in lines:
        figures, _, why = line.partition("#")
        name, calls = figures.split()
        found[name] = (int(calls), why.strip())
    return found


def verdict(name: str, calls: int, committed: int) -> tuple[bool, str]:
    """Return whether a count is near its line, and the sentence that says so."""
    over = calls / committed - 1.0
    said = f"{name}: {calls:,} calls, committed {committed:,} ({over:+.1%})"
    if over > MOST_OVER:
        remedy = f"python -m benchmarks.call_counts --accept {name}"
        return False, (
            f"{said}: more than {MOST_OVER:.0%} above. Find what it calls for, or accept it with "
            f"`{remedy}` and say in {COUNTS.name} what the rise bought"
        )
    if over < -WORTH_TELLING:
        return True, f"{said}: lower; `--accept {name}` keeps it there"
    return True, said


def write(measured: dict[str, int], names: list[str]) -> None:
    """Write the counts of `names` anew; what was said behind them stays, to be changed by hand."""
    python, lines = read_python(), read()
    head = [line for line in COUNTS.read_text().splitlines() if line.startswith("#")]
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    head = [line.replace(f"Python {python}", f"Python {own}") for line in head]
    for name in names:
        lines[name] = (measured[name], lines.get(name, (0, "first count"))[1])
    rows = [f"{name:<18} {calls:>10}  # {why}" for name, (calls, why) in lines.items()]
    COUNTS.write_text("\n".join([*head, *rows]) + "\n")


def read_python(path: Path = COUNTS) -> str:
    """Return the Python that the counts are of."""
    return path.read_text().partition("Python ")[2].partition(":")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", nargs="+", metavar="WHAT", default=[], help="or: all")
    accept = parser.parse_args().accept
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if own != read_python() and not accept:
        print(f"counted on Python {read_python()}, this is {own}: not compared")
        return
    measured = {name: calls for part in PARTS for name, calls in part()}
    committed, good = read(), True
    for name, calls in measured.items():
        near, said = verdict(name, calls, committed.get(name, (calls, ""))[0])
        print(said, flush=True)
        good = good and (near or name in accept or accept == ["all"])
    if accept:
        write(measured, [*measured] if accept == ["all"] else accept)
    raise SystemExit(0 if good else 1)


if __name__ == "__main__":
    main()
