"""``/ragate fine`` and ``/ragate worse``: labels of a review as a comment gives them."""

import json
from collections.abc import Sequence

from ragate.contrib.labels.answers_to_review import labels_of_ids
from ragate.contrib.labels.labels import labels_beside
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict
from ragate.errors import UsageError
from ragate.github.modes.obey import CommentRequest, RefusedError
from ragate.guards.escape import code, name

LABELS = {"fine": ReviewVerdict.SAME, "worse": ReviewVerdict.WORSE}
# Nothing in a fenced block is Markdown, but a backtick could end it, and the rest could be markup
# to whoever shows the source.
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "`<>&@\x7f"}


def label_comment(request: CommentRequest) -> None:
    """Reply with what a maintainer says of some samples as labels; nothing else is written.

    The labels hold hashes, ids and the maintainer's own words: no text that the policy withholds.

    Raises:
        RefusedError: a sample cannot be labelled, or the head has moved.
    """
    stored, said = request.stored(), request.command
    verdict, who = LABELS[said.verb], request.comment.author
    try:
        labels = labels_of_ids(
            stored.config,
            stored.run,
            said.ids,
            verdict,
            who=who,
            reason=said.reason,
            commit=stored.head,
        )
    except UsageError as error:
        raise RefusedError(error.message, remedy=error.remedy) from error
    if not request.same_head():
        raise RefusedError("The head has moved meanwhile: nothing is labelled.")
    beside = labels_beside(stored.config.dataset).relative_to(stored.config.root)
    path = request.context.location(None).at(beside.as_posix())
    lines = labels_reply(labels, path, sha=stored.head)
    request.reply(lines, below=label_lines(labels))


# Lines to copy, which hold no text of the system's.


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
