"""Nothing lies over another thing, nothing leaves its frame, and everybody can read it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.opened import OpenedPage
from tests.browser.reports import red
from tests.npm_packages import packages
from tests.unit.renderers.cases import CASES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
WIDTHS = (360, 800, 1440)
# Pairs of blocks that lie over one another, and blocks that stick out of the window to the right.
FAULTS = """
() => {
  const faults = [];
  const wide = document.documentElement.clientWidth;
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .filter((node) => node.offsetParent !== null || node instanceof SVGElement)
    .map((node) => [node, node.getBoundingClientRect()])
    .filter(([, box]) => box.width && box.height);
  const name = (node) => node.tagName + '.' + (node.getAttribute('class') || '')
    + ' ' + (node.textContent || '').trim().slice(0, 30);
  const groups = ['header > *', 'main > section', 'main > section > *', '.charts > figure',
    '.tiles > div', '.filters > label', '.panes > *', '#list [role=option]', '.row > div',
    '#detail > *', '#detail .sides > *', '#detail .passages > li', 'figure > *'];
  for (const selector of groups) {
    const found = boxes(selector);
    for (const [node, box] of found) {
      if (box.right > wide + 1 || box.left < -1) faults.push('out: ' + name(node));
    }
    for (let one = 0; one < found.length; one += 1) {
      for (let two = one + 1; two < found.length; two += 1) {
        const [a, b] = [found[one][1], found[two][1]];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        const nested = found[one][0].contains(found[two][0]);
        if (across > 1 && down > 1 && !nested) {
          faults.push('over: ' + name(found[one][0]) + ' | ' + name(found[two][0]));
        }
      }
    }
  }
  for (const [node, box] of boxes('figure text')) {
    const frame = node.closest('svg').getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1) faults.push('cut: ' + name(node));
  }
  if (document.documentElement.scrollWidth > wide) faults.push('the page scrolls sideways');
  return faults;
}
"""


@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("case", ["red", "regression", "cannot_tell", "slice_fell", "unchanged"])
def test_nothing_overlaps_and_nothing_overflows(opened, script, case):
    shown = opened(red() if case == "red" else CASES[case](), script=script)

    for width in WIDTHS:
        shown.page.set_viewport_size({"width": width, "height": 900})
        assert shown.page.evaluate(FAULTS) == [], width


def test_a_metric_keeps_its_name_on_one_line(opened):
    name = "number_unit_support_by_sentence"
    report = CASES["regression"]()
    rows = (report.decision.metrics[0].amended(metric=name), *report.decision.metrics[1:])
    decision = report.decision.amended(metrics=rows)
    shown = opened(report.amended(decision=decision), width=800)

    lines = "node => { const range = document.createRange(); range.selectNodeContents(node); "
    lines += "return new Set([...range.getClientRects()].map(box => box.top)).size; }"
    assert shown.page.locator("tbody th", has_text=name).first.evaluate(lines) == 1


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 360)])
def test_axe_finds_no_serious_fault(opened, scheme, width):
    shown = opened(red(), scheme=scheme, width=width)
    for fold in shown.page.locator("details.fold > summary").all():
        fold.click()

    assert serious_faults(shown) == []


def serious_faults(shown: OpenedPage) -> list[str]:
    """Return what axe-core holds for serious on a page."""
    return [each for each in violations(shown.page) if re.search(r"\((serious|critical)\)", each)]


def violations(page: Page) -> list[str]:
    """Return everything that axe-core finds on a page."""
    modules = packages(Path(__file__).with_name("package.json"), what="the judge of accessibility")
    page.evaluate((modules / "axe-core" / "axe.min.js").read_text())
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")

    return [
        f"{each['id']} ({each['impact']}): {each['help']}: {each['nodes'][0]['html'][:200]}"
        for each in found["violations"]
    ]
