"""A page in the browser, with everything that it does beside being shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation',
  (event) => window.violations.push(event.violatedDirective + ' ' + event.blockedURI));
"""


@dataclass
class OpenedPage:
    """One page.

    Attributes:
        problems: Console messages, errors, dialogs and requests that leave the file.
    """

    page: Page
    problems: list[str] = field(default_factory=list)

    def faults(self) -> list[str]:
        """Return every problem, and every violation of the page's policy."""
        return [*self.problems, *self.page.evaluate("window.violations || []")]

    def count(self) -> int:
        return int(self.page.evaluate("document.querySelectorAll('*').length"))

    def visible(self, text: str) -> bool:
        return self.page.get_by_text(text, exact=False).first.is_visible()


def open_page(
    browser: Browser,
    path: Path,
    *,
    width: int = 1440,
    scheme: Literal["light", "dark"] = "light",
    script: bool = True,
    fragment: str = "",
) -> OpenedPage:
    """Return the file at `path` in a window of its own.

    Args:
        script: Whether JavaScript runs.
        fragment: What stands behind the address, with its ``#``.
    """
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=script
    )
    page = context.new_page()
    opened = OpenedPage(page)
    address = path.as_uri()

    def refuse(dialog: Any) -> None:
        opened.problems.append(f"dialog {dialog.message}")
        dialog.dismiss()

    page.on("console", lambda message: opened.problems.append(f"console {message.text}"))
    page.on("pageerror", lambda error: opened.problems.append(f"error {error}"))
    page.on("dialog", refuse)
    page.on(
        "request",
        lambda request: (
            None
            if request.url.partition("#")[0] == address
            else opened.problems.append(f"request {request.url[:200]}")
        ),
    )
    page.add_init_script(_WATCH)
    page.goto(address + fragment)
    return opened
