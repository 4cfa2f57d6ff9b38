"""The picture of the page "Why not just a threshold?", from `results/rivals.txt`.

    python -m benchmarks.rivals_picture

Of each rule two bars, over 200 questions and twelve metrics: how often it is red where answers are
reworded without harm, and where a third of the metrics fall by 5 points.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "rivals.txt"
PICTURE = ROOT / "docs" / "images" / "threshold.svg"
RULES = (
    ("tolerance 2 points", "the mean fell by 2 points"),
    ("tolerance 5 points", "the mean fell by 5 points"),
    ("McNemar 1 x 1", "exact McNemar, one run"),
    ("t 1 x 1", "paired t, one run"),
    ("t 3 x 3", "paired t, three runs"),
    ("ragate", "ragate, 1 to 3 runs"),
)
HARMLESS, WORSE = "30 % reworded, nothing", "a third"
LEFT, WIDE, ROW, TOP = 190, 440, 40, 46


def shares() -> dict[tuple[str, str], float]:
    """Return the share of red by what falls and rule."""
    found, falls = dict[tuple[str, str], float](), ""
    for line in RESULTS.read_text(encoding="utf-8").splitlines():
        if cell := re.match(r"simulated, n (\d+), metrics (\d+), (.+) falls, ", line):
            falls = cell[3] if cell.group(1, 2) == ("200", "12") else ""
        elif (row := re.match(r"  (.{20}) red ([\d.]+) ", line)) and falls:
            found[falls, row[1].strip()] = float(row[2])
    return found


def picture() -> str:
    """Return the SVG."""
    red, rows = shares(), []
    for place, (rule, name) in enumerate(RULES):
        y = TOP + place * ROW
        rows.append(f'<text x="{LEFT - 10}" y="{y + 18}" text-anchor="end">{name}</text>')
        for kind, falls, down in (("no", HARMLESS, 0), ("yes", WORSE, 14)):
            share = red[falls, rule]
            width = round(WIDE * share)
            rows.append(
                f'<rect class="{kind}" x="{LEFT}" y="{y + down}" width="{width}" height="12"/>'
                f'<text x="{LEFT + width + 5}" y="{y + down + 10}">{share:.0%}</text>'
            )
    high = TOP + len(RULES) * ROW
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + 50} {high}"><style>'
        ":root { color-scheme: light dark; } text { font: 12px system-ui, sans-serif; "
        "fill: light-dark(#1f2328, #f0f6fc); } .back { fill: light-dark(#fff, #0d1117); } "
        ".no { fill: light-dark(#cf222e, #f85149); } .yes { fill: light-dark(#1a7f37, #3fb950); }"
        '</style><rect class="back" width="100%" height="100%"/>'
        f'<rect class="no" x="{LEFT}" y="8" width="12" height="12"/><text x="{LEFT + 18}" y="18">'
        "red although nothing got worse (30 % of the answers reworded)</text>"
        f'<rect class="yes" x="{LEFT}" y="26" width="12" height="12"/><text x="{LEFT + 18}" y="36">'
        f"red where 4 of 12 metrics lost 5 points</text>{''.join(rows)}</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
