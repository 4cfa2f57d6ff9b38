"""Templates that escape, their files, and a page's policy for its style and its script."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ragate.guards.escape import code, name, one_line, plain
from ragate.renderers._words import ForeignText, Strong

if TYPE_CHECKING:
    from jinja2 import Environment, Template


def content_policy(style: str, script: str = "") -> str:
    """Return the content security policy: nothing but this style and this script."""
    script_source = _hash(script) if script else "'none'"
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {script_source}",
            "img-src data:",
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def resource(name: str) -> str:
    """Return the text of a file, named by its folder: ``html/page.css``.

    One of a package elsewhere is named with it: ``package:page.css``.
    """
    package, _, path = name.rpartition(":")
    return (files(package or "ragate.renderers") / path).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment as Jinja
    from jinja2 import FunctionLoader, StrictUndefined

    environment = Jinja(
        loader=FunctionLoader(resource),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["foreign"] = lambda word: isinstance(word, ForeignText)
    environment.tests["strong"] = lambda word: isinstance(word, Strong)
    environment.filters["one_line"] = one_line
    environment.filters["name"] = lambda text: Markup(name(text))  # noqa: S704  both escape
    environment.filters["code"] = lambda text, most=120: Markup(code(text, most))  # noqa: S704
    return environment


def _shown(value: Any) -> Any:
    """Take what hides or reorders text out of every text; a figure is a place in a drawing."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    is_text = isinstance(value, str) and not isinstance(value, Markup)
    return plain(value, ci=False) if is_text else value


def template(name: str) -> Template:
    """Return a template, named as `resource` has it: ``html/page.html.j2``."""
    return _environment().get_template(name)
