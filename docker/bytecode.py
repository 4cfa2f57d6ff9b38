"""Write bytecode for the libraries that a run loads: a container starts fast and stays small.

    python docker/bytecode.py numpy openai._client llama_index.core.evaluation

Bytecode of everything that is installed would take a quarter of the image again. Packages that are
named are compiled whole; of what they bring along, and where a module is named, only what is
loaded. The files are "unchecked": nothing in an image changes, so no source is looked at when one
is loaded.
"""

from __future__ import annotations

import importlib
import py_compile
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

SITE = Path(sysconfig.get_path("purelib"))


def wanted(names: Iterable[str]) -> Iterator[Path]:
    """Yield the files to compile."""
    for name in names:
        package = SITE / importlib.import_module(name).__name__
        # A namespace is a family of packages, of which we use some.
        if (package / "__init__.py").is_file():
            yield from package.rglob("*.py")
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and file.endswith(".py") and Path(file).is_relative_to(SITE):
            yield Path(file)


def main(names: list[str]) -> None:
    files = sorted(set(wanted(names)))
    for path in files:
        py_compile.compile(
            str(path),
            quiet=2,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    sys.stdout.write(f"bytecode of {len(files)} files\n")


if __name__ == "__main__":
    main(sys.argv[1:])
