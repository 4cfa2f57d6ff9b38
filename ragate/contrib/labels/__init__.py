"""What people say of answers: reviews of changed answers, and metrics held against labels."""

from ragate.extension import CommentCommand, Extension, GoldenCheck

EXTENSION = Extension(
    "labels",
    commands={
        "review": (
            "ragate.contrib.labels.review:command",
            "Say of each changed answer: better, worse, same, or stale.",
        ),
        "calibrate": (
            "ragate.contrib.labels.calibrate:command",
            "Compare the judge with labels of people.",
        ),
    },
    comment_commands={
        "fine": CommentCommand("ragate.contrib.labels.comment:label_comment", named=True),
        "worse": CommentCommand("ragate.contrib.labels.comment:label_comment", named=True),
    },
    golden_checks=(
        GoldenCheck(
            "ragate.contrib.labels.stale_references:find",
            "--reviews",
            "Labels of `ragate review`; default: review-labels.jsonl beside the golden set, if "
            "there.",
        ),
    ),
)
