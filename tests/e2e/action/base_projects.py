"""Pull requests and the base that they are judged by."""

from __future__ import annotations

from pathlib import Path

Files = dict[str, bytes]


def python_files(gated: Files) -> Files:
    """Let the policy take a system in Python."""
    return {"ragate.toml": gated["ragate.toml"].replace(b'["replay"]', b'["replay", "python"]')}


def python_head(files: Files, marker: Path) -> Files:
    head, _, _ = files["ragate.toml"].decode().rpartition("[system]")
    code = (
        "import os\n"
        f"open({str(marker)!r}, 'a').write(repr(sorted(os.environ)))\n"
        "def answer(query):\n    return {'answer': 'x', 'chunks': []}\n"
    )
    system = '[system]\nuse = "python"\ntarget = "rag:answer"\n'
    return {"ragate.toml": (head + system).encode(), "rag.py": code.encode()}
