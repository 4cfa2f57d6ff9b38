"""The contract in a process of its own: code that ends its process is found out by what is missing.

What a child comes to is a file that it writes at its end. Its exit code says nothing: a plugin with
``os._exit(0)`` would look like success.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import asdict
from pathlib import Path

from ragate.errors import PluginError
from ragate.pipeline.contract.check_file import check_file
from ragate.pipeline.contract.finding import Demand


def check_apart(path: Path, settings: str = "", *, question: str = "") -> list[Demand]:
    """Return what `check_file` does; what the code prints goes where ours does.

    Args:
        settings: The plugin's own keys as TOML, which can be read.

    Raises:
        PluginError: as `check_file`, or the code ended the process.
    """
    with tempfile.TemporaryDirectory(prefix="ragate-check-") as folder:
        result = Path(folder) / "result.json"
        task = {"path": str(path.absolute()), "settings": settings, "question": question}
        told = json.dumps({**task, "result": str(result), "search": sys.path})
        # -P: the current folder is searched only where it is here as well.
        ran = subprocess.run(  # noqa: S603 - the same program
            [sys.executable, "-P", "-m", "ragate.pipeline.contract", told], check=False
        )
        try:
            found = json.loads(result.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError) as error:
            raise PluginError(
                f"{path}: its code ended the process before the check was through "
                f"(exit code {ran.returncode})",
                remedy="raise an exception in place of os._exit; what it printed says more",
            ) from error
    if "error" in found:
        raise PluginError(found["error"], remedy=found["remedy"])
    return [Demand(**demand) for demand in found["demands"]]


def run_task(told: str) -> None:
    """Check the file of a task and write what came of it: the child's part."""
    task = json.loads(told)
    sys.path[:] = task["search"]
    settings = tomllib.loads(task["settings"])
    try:
        demands = check_file(Path(task["path"]), settings, question=task["question"])
        found: dict[str, object] = {"demands": [asdict(demand) for demand in demands]}
    except PluginError as error:
        found = {"error": error.message, "remedy": error.remedy}
    Path(task["result"]).write_text(json.dumps(found), encoding="utf-8")
