"""Answers in the forms that language models give them: emphasis, quotes, links, lists, tables."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from ragate.core.text.sentences import split_sentences

Dressing = Callable[[str, random.Random], str]
_ITEM = re.compile(r"^(?:[-*•]|\d{1,3}[.)]) ")
_CODE = re.compile(r"(`[^`]*`)")
_WORD = re.compile(r"(?<![\w\[`*_|#$-])[A-Za-z]{4,}(?![\w\]|-])")

# A name between what stands before and behind it.
NAMES: dict[str, Callable[[str, str, str], str]] = {
    "prose": lambda before, name, after: f"{before}{name}{after}",
    "bold": lambda before, name, after: f"{before}**{name}**{after}",
    "italic": lambda before, name, after: f"{before}*{name}*{after}",
    "italic, _": lambda before, name, after: f"{before}_{name}_{after}",
    "bold italic": lambda before, name, after: f"{before}***{name}***{after}",
    "quotes": lambda before, name, after: f'{before}"{name}"{after}',
    "curly quotes": lambda before, name, after: f"{before}“{name}”{after}",
    "code": lambda before, name, after: f"{before}`{name}`{after}",
    "link": lambda before, name, after: f"{before}[{name}](https://example.org/a_b){after}",
    "a colon": lambda before, name, after: f"{before.rstrip()}: {name}{after}",
    "a bold colon": lambda before, name, after: f"{before}\n\n**By**: {name}{after}",
    "a cell": lambda before, name, after: (
        f"{before}it{after}\n\n| By | Times |\n|---|---:|\n| {name} | twice |"
    ),
    "the last cell": lambda before, name, after: (
        f"{before}it{after}\n\n| Times | By |\n|---|:--|\n| twice | **{name}** |"
    ),
    "an item": lambda before, name, after: f"{before}it{after}\n- it is by {name}",
}


def _on_words(mark: Callable[[str], str]) -> Dressing:
    """Return a dressing of every sixth word or so outside of code, where marks mark nothing."""

    def dressed(text: str, rng: random.Random) -> str:
        def chosen(match: re.Match[str]) -> str:
            return mark(match[0]) if rng.random() < 1 / 6 else match[0]

        parts = _CODE.split(text)
        return "".join(part if n % 2 else _WORD.sub(chosen, part) for n, part in enumerate(parts))

    return dressed


def _sentences(text: str) -> list[str]:
    """Return the sentences without the marks of a list that they stand in already."""
    return [_ITEM.sub("", sentence) for sentence in split_sentences(text)]


def _items(form: str) -> Dressing:
    """Return a dressing of sentences as items: n the number, s the sentence, a and b its parts."""

    def item(number: int, sentence: str) -> str:
        first, _, rest = sentence.partition(" ")
        return form.format(n=number, s=sentence, a=first, b=rest)

    return lambda text, _rng: "\n".join(
        item(number, sentence) for number, sentence in enumerate(_sentences(text), start=1)
    )


def _table(text: str, _rng: random.Random) -> str:
    rows = (sentence.replace("|", "\\|") for sentence in _sentences(text))
    numbered = (f"| {n} | {s} |" for n, s in enumerate(rows, start=1))
    return "\n".join(("| # | Statement |", "|---|---|", *numbered))


def _quotation(text: str, _rng: random.Random) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


_OPENINGS = (
    "Great question!", "Sure, I'd be happy to help with that.", "Thank you for your question!",
    "Of course! Here is the answer to your question:\n\n", "Hello! Thanks for reaching out.",
)  # fmt: skip
_CLOSINGS = (
    "I hope this helps!", "Let me know if you have any other questions.", "Have a great day!",
    "Please feel free to reach out if you need any further assistance.",
)  # fmt: skip


def _polite(text: str, rng: random.Random) -> str:
    return f"{rng.choice(_OPENINGS)} {text}\n\n{rng.choice(_CLOSINGS)}"


WHOLE: dict[str, Dressing] = {
    "bold": _on_words("**{}**".format),
    "italic": _on_words("*{}*".format),
    "quotes": _on_words('"{}"'.format),
    "code": _on_words("`{}`".format),
    "links": _on_words("[{}](https://example.org/plan?id=7)".format),
    "list": _items("- {s}"),
    "bold list": _items("* **{a}:** {b}"),
    "numbered list": _items("{n}. {s}"),
    "table": _table,
    "block quote": _quotation,
    "heading": lambda text, _rng: f"## Key Points\n\n{text}",
    "courtesy": _polite,
    "fence": lambda text, _rng: f"```markdown\n{text}\n```",
}
"""How a whole answer is dressed, which says what it said."""
