"""Labels of a review as a comment gives them: lines to copy, which hold no text of the system's."""

import json
from collections.abc import Sequence

from ragate.models import ReviewLabel
from ragate.support.escape import code, name

# Nothing in a fenced block is Markdown, but a backtick could end it, and the rest could be markup
# to whoever shows the source.
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "`<>&@\x7f"}


def labels_reply(labels: Sequence[ReviewLabel], path: str, *, sha: str) -> list[str]:
    """Return what a reply says above the lines of the labels, as safe HTML.

    Args:
        path: Of the file of labels in the repository.
        sha: The commit whose outputs were judged.
    """
    first = labels[0]
    ids = ", ".join(code(label.id) for label in labels)
    said = f"<b>Labelled at {code(sha[:7])}:</b> {ids}: {name(first.verdict.value)}"
    merge = f"save them and run {code('ragate review --from FILE')}"
    return [
        f"{said}, says {name(first.who)}. No label changes a verdict.",
        f"Nothing is written. Add the lines to {code(path, 200)} by a pull request, or {merge}.",
    ]


def label_lines(labels: Sequence[ReviewLabel]) -> str:
    """Return the labels as a fenced block of JSON Lines; what is copied from it reads the same."""
    lines = [
        json.dumps(label.model_dump(mode="json"), sort_keys=True).translate(_ESCAPED)
        for label in labels
    ]
    return "\n".join(["```jsonl", *lines, "```"])
