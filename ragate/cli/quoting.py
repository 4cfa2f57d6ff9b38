"""Names of folders and programs in a workflow: for YAML, for GitHub's expressions, for a shell."""

import json
import re
import shlex

from ragate.errors import UsageError

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
# What YAML 1.1 reads as something else than a text.
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def quoted(text: str) -> str:
    """Return `text` as a string of TOML and of YAML: in double quotes, what is unseen escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character.isprintable() and character not in '"\\':
        return character
    # JSON writes what is above U+FFFF in two halves, which both languages refuse.
    return json.dumps(character)[1:-1] if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def yaml_text(text: str) -> str:
    """Return `text` as a value of a workflow, quoted where it could be read as something else."""
    plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    return text if plain else quoted(literal(text))


def literal(text: str) -> str:
    """Return `text` so that GitHub gives it back: to it ``${{`` begins an expression."""
    return text.replace("${{", "${{ '${{' }}")


def shell_word(text: str) -> str:
    """Return `text` as one word of bash that stands on one line.

    Raises:
        UsageError: it holds what is not seen, such as the end of a line.
    """
    if not text.isprintable():
        raise UsageError(
            f"{text!r}: no command can name it, since it holds what is not seen",
            remedy="rename it",
        )
    return shlex.quote(text)


def glob_text(path: str) -> str:
    """Return a pattern that matches `path`: what patterns or YAML read otherwise becomes ``?``."""
    return "".join(
        character if character.isprintable() and character not in "*?[]\\!#~$" else "?"
        for character in path
    )
