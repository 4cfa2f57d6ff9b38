"""Comments as a reader sees them on GitHub: those of our own gate, in a browser.

``python -m tests.browser.comments FOLDER`` draws them, at both widths, light and dark.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options

from tests.browser.opened import open_page
from tests.e2e.command import ragate

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
DESKTOP, PHONE = 1012, 390
PARSER = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
# What GitHub's own style says of a comment, as far as it decides about lines and widths.
STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; padding: 16px; font: 14px/1.5 "DejaVu Sans", sans-serif; font-stretch: condensed;
  overflow-wrap: break-word; background: light-dark(#fff, #0d1117);
  color: light-dark(#1f2328, #f0f6fc); }
h3 { font-size: 1.25em; line-height: 1.25; margin: 0 0 16px; }
p, table, details { margin: 0 0 16px; }
a { color: light-dark(#0969da, #4493f8); }
sub { font-size: 75%; }
table { display: block; width: max-content; max-width: 100%; overflow: auto;
  border-collapse: collapse; }
td, th { padding: 6px 13px; border: 1px solid light-dark(#d1d9e0, #3d444d); }
code { font: 85% "DejaVu Sans Mono", monospace; padding: .2em .4em; white-space: break-spaces;
  background: light-dark(#818b981f, #656c7633); border-radius: 6px; }
"""
# The lines of text, those beside each other counted once.
_LINES = """
() => {
  const boxes = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    boxes.push(...[...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1));
  }
  boxes.sort((a, b) => a.bottom - b.bottom);
  let [lines, low] = [0, -1];
  for (const box of boxes) {
    if ((box.top + box.bottom) / 2 > low) { lines += 1; low = box.bottom; }
  }
  return lines;
}
"""
_WIDE = """
() => [...document.querySelectorAll('table')]
  .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth)
  .map((node) => node.textContent.trim().slice(0, 80))
"""


def own_gate(folder: Path) -> dict[str, str]:
    """Return our own gate's comments: three times broken, and with nothing changed."""
    record_own_gate(folder)
    comments = {"green": check(folder, "markdown")}
    for key, value in (("top_k", 1), ("chunk_size", 32)):
        change(folder, key, value)
        comments[f"{key} {value}"] = check(folder, "markdown")
    shutil.copy(ROOT / "ragate.toml", folder)
    (folder / "docs/cost.md").unlink()
    return {**comments, "a page removed": check(folder, "markdown")}


def record_own_gate(folder: Path) -> None:
    """Make `folder` our own gate, with the baseline of today."""
    for name in ("docs", "evals"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "ragate.toml", folder)
    done = ragate(folder, "baseline", "update")
    assert done.returncode == 0, done.stdout + done.stderr


def change(folder: Path, key: str, value: int) -> None:
    """Change one setting of our own gate."""
    text = (ROOT / "ragate.toml").read_text()
    (folder / "ragate.toml").write_text(re.sub(rf"(?m)^{key} .*$", f"{key} = {value}", text))


def check(folder: Path, form: str) -> str:
    """Return what `ragate check` prints in a format."""
    done = ragate(folder, "check", "--format", form)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


@contextmanager
def shown(
    browser: Browser, folder: Path, comment: str, width: int, *, dark: bool = False
) -> Iterator[Page]:
    """Open one comment as GitHub shows it."""
    path = folder / "comment.html"
    body = github_flavored_markdown_to_html(comment, options=PARSER)
    path.write_text(f"<!doctype html><meta charset=utf-8><style>{STYLE}</style>{body}")
    page = open_page(browser, path, width=width, scheme="dark" if dark else "light").page
    yield page
    page.context.close()


def lines(page: Page) -> int:
    """Return how many lines of text stand there."""
    return int(page.evaluate(_LINES))


def too_wide(page: Page) -> list[str]:
    """Return the tables that one has to scroll sideways."""
    return list(page.evaluate(_WIDE))


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser outside the tests."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        named = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))))
        yield playwright.chromium.launch(executable_path=named, args=["--no-sandbox"])


def _draw(folder: Path) -> None:
    work = folder / "gate"
    work.mkdir(parents=True)
    comments = own_gate(work)
    with opened() as browser:
        for name, comment in comments.items():
            for width in (DESKTOP, PHONE):
                for dark in (False, True):
                    with shown(browser, folder, comment, width, dark=dark) as page:
                        scheme = "dark" if dark else "light"
                        to = folder / f"{name.replace(' ', '_')}_{width}_{scheme}.png"
                        page.screenshot(path=to, full_page=True)
                        print(to, lines(page), "lines", too_wide(page) or "")


if __name__ == "__main__":
    _draw(Path(sys.argv[1]))
