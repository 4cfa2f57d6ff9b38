"""The texts that init writes: `ragate.toml` and the workflows, each a template beside this file."""

import json
import re
from collections.abc import Mapping
from typing import Any

from ragate.cli.quoting import glob_text, literal, quoted, shell_word, yaml_text
from ragate.guards.escape import one_line


def written(name: str, gaps: Mapping[str, Any]) -> str:
    """Return the text of a template.

    A gap stands between ``<<`` and ``>>``: braces are GitHub's own.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - TOML and YAML, whose texts these functions escape
        loader=PackageLoader(__package__, ""),
        undefined=StrictUndefined,
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.globals |= {
        "quoted": quoted,
        "toml": toml,
        "yaml": yaml_text,
        "glob": glob_text,
        "literal": literal,
        "shell": in_bash,
        "step": _step,
        "one_line": one_line,
    }
    return environment.get_template(f"{name}.j2").render(gaps)


def toml(value: Any) -> str:
    """Return a text, number, flag, list or table as a value of TOML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_bare(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if not isinstance(value, str):
        return json.dumps(value)
    # A template reads better as it is sent.
    plain = '"' in value and "'" not in value and "\\" not in value and value.isprintable()
    return f"'{value}'" if plain else quoted(value)


def _bare(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else quoted(key)


def in_bash(text: str) -> str:
    """Return `text` as one word of a line of bash within a workflow."""
    return literal(shell_word(text))


def _step(line: str) -> str:
    """Return a line of bash as a step runs it: YAML and GitHub leave it as it is."""
    line = literal(line)
    # A colon or a number sign beside a space, or what YAML gives a meaning at the beginning.
    plain = not re.search(r":( |$)| #|^[^a-z]|\s$", line)
    return line if plain else quoted(line)
