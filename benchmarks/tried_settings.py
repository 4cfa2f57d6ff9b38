"""Settings of the built-in RAG tried on Cranfield, and the picture of the page "Trying variants".

    python -m benchmarks.tried_settings [--run]

With `--run` it asks `ragate try` itself, 225 questions in the embedded Postgres, and writes what
its JSON says into `results/tried_settings.txt`; the picture is drawn from there. Of each variant it
shows the change of nDCG and, to its left, how far the fall may reach that is not ruled out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from benchmarks.cranfield import DATA, read_samples
from ragate.renderers import _numbers as numbers

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "tried_settings.txt"
PICTURE = ROOT / "docs" / "images" / "try.svg"
MEASURES = "ragate/contrib/tryout ragate/systems/pgvector"
METRIC = "ndcg@10"
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["pgvector"]
[policy.metrics."ndcg@10"]
level = "error"
max_drop = 0.04

[system]
use = "pgvector"
corpus = "corpus"
top_k = 20
[system.bm25]
stemmer = "english"

[variants."chunks of 64 tokens"]
chunk_size = 64
chunk_overlap = 8
[variants."chunks of 1,024"]
chunk_size = 1024
[variants."no stemmer"]
bm25.stemmer = "none"
[variants."k1 = 2"]
bm25.k1 = 2.0
[variants."ten passages"]
top_k = 10
"""
LEFT, WIDE, RIGHT, ROW, TOP, LOW = 170, 380, 190, 34, 46, 34
COLOURS = {"worse": "worse", "safe": "safe", "first": "first"}


def run_try() -> dict[str, Any]:
    """Return what `ragate try` says, as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)  # as root, the server runs as another account
        (root / "ragate.toml").write_text(CONFIG)
        (root / "corpus").mkdir()
        shutil.copy(DATA / "corpus.jsonl", root / "corpus")
        rows = [sample.model_dump_json(exclude_defaults=True) for sample in read_samples(DATA)]
        (root / "golden.jsonl").write_text("\n".join(rows) + "\n")
        command = [sys.executable, "-m", "ragate", "try", "--format", "json", "--output", "t.json"]
        subprocess.run(command, cwd=root, check=True, env={**os.environ, "CI": ""})
        told: dict[str, Any] = json.loads((root / "t.json").read_text())
        return told


def write_results(told: dict[str, Any]) -> None:
    """Write the JSON below the line that says what it holds for."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
    head = f"commit {commit}; measures: {MEASURES}"
    text = json.dumps(told, indent=1, sort_keys=True)
    RESULTS.write_text(f"{head}\n\npython -m benchmarks.tried_settings --run\n{text}\n")


def read_results() -> dict[str, Any]:
    """Return the JSON that was written."""
    told: dict[str, Any] = json.loads(RESULTS.read_text().split("\n", 3)[3])
    return told


def picture(told: dict[str, Any]) -> str:
    """Return the SVG."""
    rows = [(each, _held(each)) for each in told["variants"]]
    held = [one for _, one in rows if one is not None]
    allowed = float(held[0]["allowed"])
    least = -max(allowed, *(one["provable"] for one in held)) - 0.01
    most = max(0.02, *(-one["drop"] for one in held)) + 0.01

    def across(change: float) -> float:
        return float(round(LEFT + WIDE * (change - least) / (most - least), 1))

    high, limit = TOP + len(rows) * ROW, across(-allowed)
    reach = f"change of {METRIC} in points; the line reaches as far as a fall is not ruled out"
    parts = [
        f'<line class="axis" x1="{across(0)}" x2="{across(0)}" y1="{TOP - 8}" y2="{high}"/>',
        f'<line class="limit" x1="{limit}" x2="{limit}" y1="{TOP - 8}" y2="{high}"/>',
        _text(across(0), TOP - 14, "as the first", anchor="middle"),
        _text(limit, TOP - 14, f"limit: {100 * allowed:g} points less", anchor="middle"),
        _text(LEFT, high + 22, reach),
    ]
    for place, (row, one) in enumerate(rows):
        y = TOP + place * ROW + ROW // 2
        kind = COLOURS.get(row["verdict"], "open")
        name = row["name"]
        parts.append(_text(LEFT - 12, y + 4, name, anchor="end"))
        x = across(0 if one is None else -one["drop"])
        if one is not None:
            parts.append(
                f'<line class="{kind} reach" x1="{across(-one["provable"])}" x2="{x}" y1="{y}" '
                f'y2="{y}"/>'
            )
        parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="6"/>')
        moved = "" if one is None else f" ({numbers.change('fraction', -one['drop'])})"
        parts.append(_text(LEFT + WIDE + 14, y + 4, f"{row['verdict']}{moved}"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {LEFT + WIDE + RIGHT} {high + LOW}"><style>'
        ":root { color-scheme: light dark; } text { font: 12px system-ui, sans-serif; "
        "fill: light-dark(#1f2328, #f0f6fc); } .back { fill: light-dark(#fff, #0d1117); } "
        ".axis { stroke: light-dark(#59636e, #9198a1); } "
        ".limit { stroke: light-dark(#59636e, #9198a1); stroke-dasharray: 4 4; } "
        ".reach { stroke-width: 3; } "
        ".first { fill: light-dark(#59636e, #9198a1); } "
        ".safe { fill: light-dark(#1a7f37, #3fb950); stroke: light-dark(#1a7f37, #3fb950); } "
        ".worse { fill: light-dark(#cf222e, #f85149); stroke: light-dark(#cf222e, #f85149); } "
        ".open { fill: light-dark(#9a6700, #d29922); stroke: light-dark(#9a6700, #d29922); }"
        f'</style><rect class="back" width="100%" height="100%"/>{"".join(parts)}</svg>\n'
    )


def _text(x: float, y: float, words: str, *, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def _held(row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the figures of the metric, None of the first."""
    return next((one for one in row["held"] if one["metric"] == METRIC), None)


def main() -> None:
    """Ask where it is wanted, and draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", action="store_true", help="ask anew, and write the results")
    if parser.parse_args().run:
        write_results(run_try())
    PICTURE.write_text(picture(read_results()), encoding="utf-8")


if __name__ == "__main__":
    main()
