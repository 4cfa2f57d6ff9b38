"""``python -m tools.reference``."""

import sys

from tools.reference import ROOT, WRITER, stale, write

if sys.argv[1:] not in ([], ["--check"]):
    sys.exit(f"usage: {WRITER} [--check]")
if not sys.argv[1:]:
    write()
elif found := stale():
    names = ", ".join(str(path.relative_to(ROOT)) for path in found)
    sys.exit(f"{names}: not what the code says\n  -> {WRITER}")
