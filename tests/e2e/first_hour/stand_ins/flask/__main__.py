"""``python -m flask --app FILE:NAME run --host H --port P``, as Flask finds an application."""

import argparse
import importlib
import sys
from pathlib import Path
from wsgiref.simple_server import make_server

parser = argparse.ArgumentParser()
parser.add_argument("--app")
parser.add_argument("command")
parser.add_argument("--host", default="127.0.0.1")
parser.add_argument("--port", type=int, default=5000)
asked = parser.parse_args()
place, _, name = asked.app.partition(":")
path = Path(place).resolve().with_suffix("")
sys.path.insert(0, str(path.parent))
found = getattr(importlib.import_module(path.name), name)
application = found() if not hasattr(found, "views") else found
print(f" * Running on http://{asked.host}:{asked.port}", file=sys.stderr)
make_server(asked.host, asked.port, application).serve_forever()
