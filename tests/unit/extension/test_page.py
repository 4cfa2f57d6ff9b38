"""The package of docs/plugins.md works as it is printed: a command, a table, a hook."""

from __future__ import annotations

import re
from pathlib import Path

from tests.unit.extension.test_extension import ragate

PAGE = (Path(__file__).parents[3] / "docs/plugins.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## An extension\n")[2].partition("\n## ")[0]
CODE = dict(re.findall(r"```python\n# (tenant/\w+\.py)(.*?)```", SECTION, re.DOTALL))
POINT = re.findall(r"^\[project\.entry-points\.(.*?)```", SECTION, re.DOTALL | re.MULTILINE)
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["python"]
runs = 1

[policy.metrics.exact_match]
level = "error"

[system]
use = "python"
target = "bot:answer"

[tenant]
name = "acme"
"""
BOT = """
def answer(sample):
    return {"answer": sample.metadata.get("tenant", "nobody"), "chunks": []}
"""


def test_a_package_of_thirty_lines_brings_what_ours_bring(tmp_path: Path) -> None:
    lines = [line for code in CODE.values() for line in code.splitlines() if line.strip()]
    assert len(lines) <= 32
    (point,) = POINT
    installed, root = tmp_path / "installed", tmp_path / "project"
    facts = installed / "tenant-1.0.dist-info"
    facts.mkdir(parents=True)
    root.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: tenant\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{point}".replace('"', ""))
    for name, code in CODE.items():
        (installed / name).parent.mkdir(exist_ok=True)
        (installed / name).write_text(f"#{code}")
    (root / "ragate.toml").write_text(CONFIG)
    (root / "bot.py").write_text(BOT)
    row = '{"id": "q1", "query": "Whose?", "references": ["acme"]}\n'
    (root / "golden.jsonl").write_text(row)

    assert ragate(installed, "tenant", root=root).stdout == "acme\n"
    recorded = ragate(installed, "baseline", "update", root=root)
    checked = ragate(installed, "check", root=root)

    assert recorded.returncode == 0, recorded.stderr
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert '"acme"' in (root / "baseline.json").read_text()
