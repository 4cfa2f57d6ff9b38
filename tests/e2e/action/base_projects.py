"""Pull requests and the base that they are judged by."""

from __future__ import annotations

from pathlib import Path

Files = dict[str, bytes]


def python_files(gated: Files, *, allowed: bool) -> Files:
    kinds = '["replay", "python"]' if allowed else '["replay"]'
    text = gated["ragate.toml"].decode().replace('["replay"]', kinds)
    return {"ragate.toml": text.encode()}


def python_head(files: Files, marker: Path) -> Files:
    head, _, _ = files["ragate.toml"].decode().rpartition("[system]")
    code = (
        "import os\n"
        f"open({str(marker)!r}, 'a').write(repr(sorted(os.environ)))\n"
        "def answer(query):\n    return {'answer': 'x', 'chunks': []}\n"
    )
    system = '[system]\nuse = "python"\ntarget = "rag:answer"\n'
    return {"ragate.toml": (head + system).encode(), "rag.py": code.encode()}
