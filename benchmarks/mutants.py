"""Break the decision rule one operator at a time, and see whether a test notices.

    python benchmarks/mutants.py [ragate/core/rules/exact.py ...] [--most 60] [--must power ...]
        [--again FILE] [--output FILE] [--tests FOLDER ...] [--sample N]
    python benchmarks/mutants.py --rooms github judges contrib/llamaindex_judge --sample 60

Every comparison, arithmetic and logical operator, number and `not` is changed once, in a copy of
the project; with `--most`, a fixed sample of each file's mutants; with `--sample`, one over all
files together; with `--rooms`, of other packages than the core's; with `--again`, only those that a
report of an earlier run names. A mutant meets only the tests that run its line, the fastest first,
each in a fork of a process that has the libraries loaded.

benchmarks/results/mutants.txt holds the survivors that change nothing, with the reason. A survivor
that is not in it ends the command with 1; with `--must`, only one of the files named there, which
are never sampled.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import itertools
import json
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TESTS = "tests/unit/core"
KNOWN = ROOT / "benchmarks/results/mutants.txt"
# Simulations, and comparisons with slower code: too slow to run a thousand times, and what they
# see is behind tolerances.
SLOW = ("test_agreement.py", "test_calibration.py", "test_real_data.py")
DECIDING = [
    "comparison/affected_samples",
    "rules/metric_case",
    "statistics/score_columns",
    "diagnosis/run_pair",
    "comparison/compare",
    "decision/decide",
    "rules/exact",
    "rules/metric_family",
    "rules/floors",
    "statistics/interval",
    "comparison/sample_matching",
    "rules/must_pass",
    "rules/decide_noisy",
    "comparison/run_passes",
    "statistics/permutation",
    "statistics/power",
    "statistics/quantiles",
    "rules/not_comparable",
    "rules/waivers",
]
SEED = 3
_SECONDS = itertools.count(1)
SWAPS: dict[type[ast.AST], type[Any]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One change: where, in which function, what, and the whole file with it."""

    path: str
    line: int
    function: str
    said: str
    source: str
    nth: int = 1
    cached: bool = False

    @property
    def name(self) -> str:
        """Names the change without its line, which moves; equal changes of a function by number."""
        number = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.path} {self.function}: {self.said}{number}"


def mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of one file."""
    tree = ast.parse(source)
    ignored = _inert(tree)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    met: Counter[tuple[str, str]] = Counter()
    made: list[tuple[int, Mutant]] = []
    for place, node in sorted(enumerate(ast.walk(tree)), key=_position):
        if id(node) in ignored:
            continue
        for change in _changes(node):
            mutated = copy.deepcopy(tree)
            twin = next(found for at, found in enumerate(ast.walk(mutated)) if at == place)
            said = _apply(twin, change)
            line = getattr(node, "lineno", 0)
            holders = [f for f in functions if f.lineno <= line <= (f.end_lineno or 0)]
            name = holders[-1].name if holders else "module"
            met[name, said] += 1
            nth, whole = met[name, said], ast.unparse(mutated)
            cached = any("cache" in ast.unparse(each) for f in holders for each in f.decorator_list)
            made.append((place, Mutant(path, line, name, said, whole, nth, cached)))
    yield from (mutant for _, mutant in sorted(made, key=lambda each: each[0]))


def _position(placed: tuple[int, ast.AST]) -> tuple[int, int]:
    return getattr(placed[1], "lineno", 0), getattr(placed[1], "col_offset", 0)


def _inert(tree: ast.AST) -> set[int]:
    """Return what has no effect when it changes: annotations and decorators."""
    roots: list[ast.AST | None] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            roots.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            roots += [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            roots += node.decorator_list
        elif isinstance(node, ast.Call) and _is_cast(node):
            roots.append(node.args[0])
    return {id(inner) for root in roots if root is not None for inner in ast.walk(root)}


def _is_cast(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "cast"


def _changes(node: ast.AST) -> list[int]:
    if isinstance(node, ast.Compare):
        return [at for at, op in enumerate(node.ops) if type(op) in SWAPS]
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        return [0] if type(node.op) in SWAPS else []
    if isinstance(node, ast.UnaryOp):
        return [0] if isinstance(node.op, ast.Not | ast.USub | ast.Invert) else []
    if isinstance(node, ast.Constant):
        return [0] if isinstance(node.value, bool | int | float) else []
    return []


def _apply(node: ast.AST, at: int) -> str:
    before = ast.unparse(node)
    if isinstance(node, ast.Compare):
        node.ops[at] = SWAPS[type(node.ops[at])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp | ast.AugAssign):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp):
        node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
        if isinstance(node.op, ast.Not | ast.Invert):
            node.operand = ast.UnaryOp(op=node.op, operand=node.operand)
    elif isinstance(node, ast.Constant):
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1  # type: ignore[operator]
    return f"{before}  ->  {ast.unparse(node)}"


class Durations:
    """A pytest plugin that notes how long each test took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.seconds[report.nodeid] += report.duration


@dataclass(frozen=True)
class Suite:
    """The tests, which lines each of them runs, and how long each takes."""

    root: Path
    seconds: dict[str, float]
    by_line: dict[str, dict[int, set[str]]]

    def of(self, mutant: Mutant) -> list[str]:
        """Return the tests that run the mutant's line, the fastest first.

        What runs once, at import, concerns every test: also one that calls nothing of the file. A
        cached function runs in the first test that asks, and concerns every test of its file.
        """
        lines = self.by_line.get(mutant.path, {})
        found = set().union(*lines.values()) if mutant.cached else lines.get(mutant.line)
        if mutant.function == "module" or not found:
            found = set(self.seconds)
        return sorted(found, key=lambda test: (self.seconds.get(test, 0.0), test))

    def survives(self, mutant: Mutant) -> bool:
        """Whether every test that could notice passes."""
        tests = self.of(mutant)
        target = self.root / mutant.path
        source = target.read_text(encoding="utf-8")
        _write(target, mutant.source)
        most = 10 + 2 * sum(self.seconds.get(test, 0.0) for test in tests)
        try:
            return in_fork(lambda: _pytest([*tests, "-x"]), seconds=int(most)) == 0
        finally:
            _write(target, source)


def _write(target: Path, source: str) -> None:
    """Write a module with a date of its own.

    Processes that tests start leave bytecode beside it. Python takes that for the bytecode of any
    source of the same size and second, and a mutant that was never run would have survived.
    """
    target.write_text(source, encoding="utf-8")
    second = next(_SECONDS)
    os.utime(target, (second, second))


def _pytest(arguments: Sequence[str], plugins: Sequence[object] = ()) -> int:
    import pytest

    quiet = ["-q", "-p", "no:cacheprovider", "--assert=plain", "--hypothesis-seed=0"]
    return int(pytest.main([*quiet, *arguments], plugins=plugins))


def in_fork(work: Callable[[], int], *, seconds: int) -> int:
    """Return what `work` returns in a fork of this process, which may use `seconds` of a core.

    A mutant that never ends is killed, which is not 0, and so is one that only waits.
    """

    def silent() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, 1)
        os.dup2(sink, 2)
        os._exit(work())

    process = multiprocessing.get_context("fork").Process(target=silent)
    process.start()
    process.join(3 * seconds + 30)
    if process.is_alive():
        process.kill()
        process.join()
    return process.exitcode or 0


def measure(root: Path, folders: Sequence[str]) -> Suite:
    """Run all tests once, unbroken, and note what each of them runs."""
    import coverage

    noted = root / "durations.json"

    def work() -> int:
        durations = Durations()
        found = sorted(file for each in folders for file in (root / each).rglob("test_*.py"))
        tests = [str(file.relative_to(root)) for file in found if file.name not in SLOW]
        options = ["--cov=ragate", "--cov-context=test", "--cov-report="]
        code = _pytest([*tests, *options], [durations])
        noted.write_text(json.dumps(durations.seconds), encoding="utf-8")
        return code

    if in_fork(work, seconds=3600) != 0:
        raise SystemExit("the tests fail before anything is broken")
    data = coverage.CoverageData(basename=str(root / ".coverage"))
    data.read()
    by_line: dict[str, dict[int, set[str]]] = {}
    for file in data.measured_files():
        lines = by_line.setdefault(str(Path(file).resolve().relative_to(root)), {})
        for line, contexts in data.contexts_by_lineno(file).items():
            tests = {context.rsplit("|", 1)[0] for context in contexts if "|" in context}
            if tests:
                lines[line] = tests
    return Suite(root, json.loads(noted.read_text(encoding="utf-8")), by_line)


def known(path: Path) -> dict[str, str]:
    """Return the survivors that were explained, with the reason."""
    found, name = {}, ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        if line.startswith("ragate/") and "  ->  " in line:
            name = line
        elif name and line.startswith("    "):
            found[name] = line.strip()
            name = ""
    return found


def preload() -> None:
    """Load what every fork needs, so that a mutant costs its tests alone."""
    import hypothesis  # noqa: F401
    import numpy as np  # noqa: F401
    import scipy.stats  # noqa: F401

    import ragate.models  # noqa: F401


def main() -> None:
    """Print the survivors of every file, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description="Mutation test of the decision rule.")
    parser.add_argument("files", nargs="*", default=[f"ragate/core/{one}.py" for one in DECIDING])
    parser.add_argument("--most", type=int, default=0, help="mutants a file; 0 is all")
    parser.add_argument("--must", nargs="*", help="modules whose survivors fail; all by default")
    parser.add_argument("--again", type=Path, help="a report whose mutants alone are tried")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--tests", nargs="*", default=[TESTS], help="folders of tests")
    parser.add_argument("--sample", type=int, default=0, help="mutants of all files together")
    parser.add_argument("--rooms", nargs="*", help="packages of ragate, with their tests")
    options = parser.parse_args()
    if options.rooms:
        options.files, options.tests = of_rooms(options.rooms)
    output = options.output.resolve() if options.output else None  # before the folder changes
    if unknown := set(options.must or ()) - {Path(path).stem for path in options.files}:
        parser.error(f"not among the files: {', '.join(sorted(unknown))}")
    explained = known(KNOWN)
    again = known(options.again) if options.again else None
    report: list[str] = []
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        # All but what was made: tests read the manual, workflows and the like too.
        made = (".git", ".venv", ".ragate", ".mypy_cache", "__pycache__", ".hypothesis")
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns(*made))
        os.chdir(root)
        sys.path.insert(0, str(root))
        sys.dont_write_bytecode = True
        preload()
        suite = measure(root, options.tests)
        chosen = sampled(suite, options.files, options.sample) if options.sample else again
        for path in options.files:
            must = options.must is None or Path(path).stem in options.must
            most = 0 if must and options.must else options.most
            found = _of_file(suite, path, most, explained, chosen)
            failed = failed or (must and UNEXPLAINED in map(str.strip, found))
            report += found
    if output:
        output.write_text("\n".join(report) + "\n", encoding="utf-8")
    if failed:
        raise SystemExit(1)


def of_rooms(rooms: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the modules of packages of ragate, and the folders of their tests."""
    found = (file for room in rooms for file in sorted((ROOT / "ragate" / room).rglob("*.py")))
    tests = [f"tests/{folder}{room}" for room in rooms for folder in ("unit/", "")]
    there = [folder for folder in tests if (ROOT / folder).is_dir()]
    return [str(file.relative_to(ROOT)) for file in found], there


def sampled(suite: Suite, files: Sequence[str], number: int) -> dict[str, str]:
    """Return the names of `number` mutants, drawn from all files' lines that some test runs.

    Each draws its lot by its name, so that a change of one line draws no other sample of the rest.
    What these tests never run is not asked of them: servers and commands are tested from outside.
    """
    every = [
        mutant.name
        for path in files
        for mutant in mutants(path, (suite.root / path).read_text(encoding="utf-8"))
        if mutant.function != "module" and mutant.line in suite.by_line.get(path, {})
    ]
    print(f"{len(every)} mutants of {len(files)} files stand where a test runs", flush=True)
    return dict.fromkeys(sorted(every, key=_lot)[:number], "")


def _lot(name: str) -> bytes:
    return hashlib.sha256(f"{SEED} {name}".encode()).digest()


UNEXPLAINED = "not explained: write a test that notices, or say why it changes nothing"


def _of_file(
    suite: Suite,
    path: str,
    most: int,
    explained: dict[str, str],
    again: dict[str, str] | None,
) -> list[str]:
    if again is not None and not any(name.startswith(f"{path} ") for name in again):
        return []
    started = time.monotonic()
    every = list(mutants(path, (suite.root / path).read_text(encoding="utf-8")))
    tried = every if again is None else [mutant for mutant in every if mutant.name in again]
    if 0 < most < len(every):
        tried = random.Random(f"{SEED} {path}").sample(tried, min(most, len(tried)))
    survivors = []
    for mutant in sorted(tried, key=lambda each: each.line):
        if suite.survives(mutant):
            reason = explained.get(mutant.name, UNEXPLAINED)
            survivors += [mutant.name, f"    {reason}"]
            if reason == UNEXPLAINED:
                print(f"{path}:{mutant.line}: {mutant.said}", flush=True)
    noticed = len(tried) - len(survivors) // 2
    head = f"{path}: {len(tried)} of {len(every)} mutants tried, {noticed} noticed"
    print(f"{head} ({time.monotonic() - started:.0f} s)", flush=True)
    return [head, *survivors]


if __name__ == "__main__":
    main()
