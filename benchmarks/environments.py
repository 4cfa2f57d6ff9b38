"""Which environments ragate can be installed into: each resolved, made and tried.

    python -m benchmarks.environments > benchmarks/results/environments.txt

Needs uv. An interpreter that is not on this machine is resolved for, with wheels alone, and not
tried.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHOWN = ("openai", "httpx2", "llama-index-core", "pydantic", "numpy")
# Imports every module that needs no extra, and uses LlamaIndex's parsers and prompts once.
TRY = """
import importlib, pkgutil
import ragate
for module in pkgutil.walk_packages(ragate.__path__, "ragate."):
    if module.name.endswith("__main__"):
        continue
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0].startswith("ragate"):
            raise
from ragate.clients.http import aiohttp_transport
from ragate.contrib.llamaindex_judge.prompts import load_prompts
from ragate.systems.pgvector.chunking import cut
from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.settings import Settings
load_prompts("").fingerprint
"""


@dataclass(frozen=True)
class Case:
    """What somebody has installed, and what they want of ragate."""

    python: str
    pins: tuple[str, ...] = ()
    extra: str = ""
    options: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        extra = f"ragate[{self.extra}]" if self.extra else "ragate"
        return " ".join([extra, *self.pins, *self.options])


CASES = (
    Case("3.11"),
    Case("3.11", ("openai>=3",)),
    Case("3.11", ("openai<3",)),
    Case("3.11", ("openai<2",)),
    Case("3.11", ("openai==2.0.0",)),
    Case("3.11", ("openai>=3", "llama-index-core<0.14")),
    Case("3.11", ("openai<3", "llama-index-core<0.14")),
    Case("3.11", extra="llama-index"),
    Case("3.11", ("llama-index>=0.13,<0.14",)),
    Case("3.11", ("openai>=3",), extra="llama-index"),
    Case("3.11", ("llama-index-core>=0.15",)),
    Case("3.11", ("llama-index-core<0.13",)),
    Case("3.11", ("pydantic<2.10",)),
    Case("3.11", ("numpy<2",)),
    Case("3.11", options=("--resolution", "lowest-direct")),
    *(Case(python, ("openai>=3",)) for python in ("3.12", "3.13", "3.14")),
    *(Case(python, ("openai<3",)) for python in ("3.12", "3.13", "3.14")),
    *(Case(python, ("numpy<2",)) for python in ("3.12", "3.13", "3.14")),
)


def _uv(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["uv", *arguments], input=given, capture_output=True, text=True, check=False
    )


def _resolved(case: Case, python: str | None) -> str | None:
    extra = f"[{case.extra}]" if case.extra else ""
    wanted = "\n".join([f"ragate{extra} @ {ROOT.as_uri()}", *case.pins])
    where = ["--python", python] if python else ["--python-version", case.python]
    found = _uv(
        *("pip", "compile", "--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:"),
        *("--no-binary", "ragate", *where, *case.options, "-"),
        given=wanted,
    )
    return found.stdout if found.returncode == 0 else None


def _tried(locked: str, python: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        within = str(Path(folder) / "venv")
        run = str(Path(within) / "bin" / "python")
        _uv("venv", "--quiet", "--python", python, within)
        made = _uv("pip", "install", "--quiet", "--python", run, "-r", "-", given=locked)
        if made.returncode:
            return f"cannot be installed: {_last(made.stderr)}"
        tried = subprocess.run([run, "-c", TRY], capture_output=True, text=True, check=False)
        return "works" if tried.returncode == 0 else f"fails: {_last(tried.stderr)}"


def _last(text: str) -> str:
    return text.strip().rpartition("\n")[2][:160]


def _row(case: Case) -> str:
    python = _uv("python", "find", "--no-python-downloads", case.python).stdout.strip() or None
    locked = _resolved(case, python)
    if locked is None:
        return f"{case.python}  {case.told}: cannot be resolved; [system] interpreter is the way"
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)", locked, re.MULTILINE))
    shown = ", ".join(f"{name} {versions.get(name, '-')}" for name in SHOWN)
    verdict = _tried(locked, python) if python else "resolved, not tried: no such Python here"
    return f"{case.python}  {case.told}: {verdict} ({shown})"


def main() -> int:
    rows = []
    for case in CASES:
        rows.append(_row(case))
        print(rows[-1], flush=True)
    return int(any("fails:" in row or "cannot be installed" in row for row in rows))


if __name__ == "__main__":
    sys.exit(main())
