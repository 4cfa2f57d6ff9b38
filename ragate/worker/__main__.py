"""The worker's start: ``python .../ragate/worker/__main__.py SOCKET`` in any environment.

Whatever Python the project names reads this file, so that nothing in it is newer than Python 2: an
old one is to be told, not to stumble. The modules beside it are imported by their names in ragate,
and these names are given back at once: a project may have a ragate of its own installed.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

import importlib
import os
import sys
import types

OLDEST = (3, 9)


def main():
    """Serve until the other end is gone."""
    if sys.version_info[:2] < OLDEST:
        version = ".".join(str(part) for part in sys.version_info[:3])
        told = "the worker needs Python 3.9 or newer, and this is " + version
        sys.stderr.write(told + " (" + sys.executable + ")\n")
        sys.exit(9)
    folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    if sys.path and os.path.abspath(sys.path[0]) == folder:  # noqa: PTH100
        del sys.path[0]  # a module of the project may have the name of one of ours
    serving(folder)(sys.argv[1])


def serving(folder):
    """Return the function that serves, of the modules in `folder`."""
    before = _ours()
    for name, path in (("ragate", []), ("ragate.worker", [folder])):
        package = types.ModuleType(name)
        package.__path__ = path
        sys.modules[name] = package
    serve = importlib.import_module("ragate.worker.serve").serve
    for name in _ours():
        del sys.modules[name]
    sys.modules.update(before)
    return serve


def _ours():
    names = [name for name in sys.modules if name == "ragate" or name.startswith("ragate.")]
    return {name: sys.modules[name] for name in names}


if __name__ == "__main__":
    main()
