"""What a plain ``check`` runs and imports: features that nobody configured should cost nothing.

    python -m benchmarks.plain_check [--checkout FOLDER] [--rooms]

Checks this repository's own manual, and a project of recorded outputs, each in a fresh process, and
prints how many functions of ragate ran, in how many files, how many of them belong to features that
are not configured, and how many modules of ragate are loaded at the end. ``--rooms`` names them.
``--checkout`` measures the ragate of another checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

from tests.projects import ReplayProject

ROOT = Path(__file__).parents[1]
# Of these a check without their key, option or variable needs nothing.
FEATURES = (
    "core/calls",
    "core/decision/scorecard",
    "executors",
    "github",
    "run/replies.py",
    "run/resume.py",
    "contrib",
    "run/shard.py",
)
_WALK = """
import json, os, sys, threading
ran = set()
def note(frame, event, argument):
    if event == "call":
        code = frame.f_code
        ran.add((code.co_filename, code.co_qualname if sys.version_info >= (3, 11)
                 else code.co_name, code.co_firstlineno))
from ragate.cli.main import run
threading.setprofile(note)
sys.setprofile(note)
code = run(["check", "--format", "json", "--output", os.devnull])
sys.setprofile(None)
threading.setprofile(None)
modules = sorted(name for name in sys.modules if name.split(".")[0] == "ragate")
print(json.dumps({"code": code, "ran": sorted(ran), "modules": modules}))
"""


def environment_of(project: Path, checkout: Path) -> dict[str, str]:
    """Return the variables that run the ragate of a checkout, with state outside of the project."""
    return {**os.environ, "PYTHONPATH": str(checkout), "RAGATE_STATE_DIR": f"{project}-state"}


def walked(project: Path, checkout: Path) -> tuple[set[tuple[str, str, int]], list[str]]:
    """Return the functions of ragate that a check of a project runs, and the modules it loads."""
    package = checkout / "ragate"
    environment = environment_of(project, checkout)
    ended = subprocess.run(
        [sys.executable, "-c", _WALK], cwd=project, env=environment, capture_output=True, text=True
    )
    if ended.returncode or (told := json.loads(ended.stdout.splitlines()[-1]))["code"] != 0:
        raise SystemExit(f"{project}: the check failed\n{ended.stdout[-500:]}\n{ended.stderr}")
    ran = {
        (str(Path(file).relative_to(package)), name, line)
        for file, name, line in told["ran"]
        if file.startswith(f"{package}/") and not name.endswith("<module>")
    }
    return ran, told["modules"]


def own_manual(folder: Path, checkout: Path) -> Path:
    """Return a copy of this repository's own gate."""
    project = folder / "manual"
    project.mkdir()
    for name in ("docs", "evals", "baselines"):
        shutil.copytree(checkout / name, project / name)
    shutil.copy(checkout / "ragate.toml", project)
    return project


def recorded_outputs(folder: Path, checkout: Path) -> Path:
    """Return a project of recorded outputs with its baseline."""
    project = folder / "replay"
    project.mkdir()
    ReplayProject(project)
    command = [sys.executable, "-m", "ragate", "baseline", "update"]
    environment = environment_of(project, checkout)
    subprocess.run(command, cwd=project, env=environment, capture_output=True, check=True)
    return project


def feature_of(file: str) -> str:
    """Return the feature that a file belongs to, "" where it is no feature's.

    What an extension says of itself is read to know whether it is on.
    """
    if fnmatch(file, "contrib/*/__init__.py"):
        return ""
    return next((name for name in FEATURES if file.startswith(name)), "")


def main() -> None:
    """Print the figures of both projects."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkout", type=Path, default=ROOT)
    parser.add_argument("--rooms", action="store_true")
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    with tempfile.TemporaryDirectory() as folder:
        for make in (own_manual, recorded_outputs):
            ran, modules = walked(make(Path(folder), checkout), checkout)
            idle = [(file, name) for file, name, _ in sorted(ran) if feature_of(file)]
            files = {file for file, *_ in ran}
            print(
                f"{make.__name__}: {len(ran)} functions in {len(files)} files, "
                f"{len(idle)} of them of features that are not configured; "
                f"{len(modules)} modules loaded"
            )
            if options.rooms:
                print("  ran:", dict(Counter(feature_of(file) for file, _ in idle)))
                print(*(f"    {file}: {name}" for file, name in idle), sep="\n")
                print("  loaded:", dict(Counter(".".join(m.split(".")[:3]) for m in modules)))


if __name__ == "__main__":
    main()
