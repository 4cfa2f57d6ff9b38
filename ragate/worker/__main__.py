"""The worker's start: ``python …/ragate/worker/__main__.py SOCKET`` in any environment.

It is read by whatever interpreter the project names, so that nothing here needs a newer Python
than what it says. The modules beside it are imported by their names in ragate, and these names are
given back at once: a project may have a ragate of its own installed.
"""

from __future__ import annotations

import importlib
import sys
import types
from collections.abc import Callable
from pathlib import Path

OLDEST = (3, 9)


def main() -> None:
    """Serve until the other end is gone."""
    if sys.version_info[:2] < OLDEST:
        version = ".".join(str(part) for part in sys.version_info[:3])
        sys.stderr.write(
            f"the worker needs Python 3.9 or newer, and this is {version} ({sys.executable})\n"
        )
        sys.exit(9)
    folder = Path(__file__).absolute().parent
    if sys.path and Path(sys.path[0]).absolute() == folder:
        del sys.path[0]  # a module of the project may have the name of one of ours
    serving(str(folder))(sys.argv[1])


def serving(folder: str) -> Callable[[str], None]:
    """Return the function that serves, of the modules in `folder`."""
    before = _ours()
    for name, path in (("ragate", []), ("ragate.worker", [folder])):
        package = types.ModuleType(name)
        package.__path__ = path
        sys.modules[name] = package
    serve: Callable[[str], None] = importlib.import_module("ragate.worker.serve").serve
    for name in _ours():
        del sys.modules[name]
    sys.modules.update(before)
    return serve


def _ours() -> dict[str, types.ModuleType]:
    return {
        name: module
        for name, module in sys.modules.items()
        if name == "ragate" or name.startswith("ragate.")
    }


if __name__ == "__main__":
    main()
