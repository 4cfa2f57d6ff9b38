"""What other evaluation tools call something, and what it is called here.

Asked where a command line is wrong; the page "From the seeds" prints it.
"""

from collections.abc import Sequence
from typing import Any

from ragate.extension import extensions

COMMANDS = {
    "batch": "`ragate check` runs, `ragate runs list` lists, `ragate report RUN` shows results, "
    "`ragate compare A B` compares, `ragate history` shows trends",
    "eval": "`ragate check`, or `ragate score FILE` without a gate",
    "evaluate": "`ragate check`, or `ragate score FILE` without a gate",
}
OPTIONS = {
    "--agent": "`--set use=NAME`, or a key of `[system]`",
    "--client": "`--meta client=NAME`",
    "--client-version": "`--meta client_version=NAME`",
    "--concurrency": "the variable `RAGATE_CONCURRENCY`",
    "--dataset": "`ragate score FILE`, or `dataset` in `[policy]`",
    "--export": "`ragate report RUN --format json --output FILE`",
    "--label": "`--meta label=NAME`",
    "--max-complexity": "`--where complexity<=N`",
    "--min-complexity": "`--where complexity>=N`",
    "--mode": "`--retrieval-only` for a resolver, `--set use=NAME` for another system",
    "--model": "`--set answer.model=NAME`, or `ragate score FILE --model NAME`",
    "--pack": '`preset = "NAME"` in `[policy.scorecard]`, or `ragate score FILE --preset NAME`',
    "--parallel-stages": "`parallel = true` in `[policy.scorecard]`",
    "--preset": '`preset = "NAME"` in `[policy.scorecard]`, or `ragate score FILE --preset NAME`',
    "--review-status": "`--where review_status=NAME`",
    "--semantics": "a judged stage; `--skip METRIC` leaves one out",
    "--semantics-model": "`--set judge.model=NAME`",
    "--semantics-threshold": "`pass_at` of the stage",
    "--sequential-stages": "how stages run unless `parallel = true`",
    "--source-type": "`--where source_type=NAME`",
    "--tag": "`--tags NAME`",
}


def options() -> dict[str, str]:
    """Return what options of other tools are called here, extensions' own among it."""
    return OPTIONS | {theirs: ours for each in extensions() for theirs, ours in each.words.items()}


def word_for(error: Any, arguments: Sequence[str]) -> str:
    """Return what a command line's wrong option is called here, "" where nobody calls it so."""
    if ours := options().get(getattr(error, "option_name", "")):
        return f"{error.option_name} is called otherwise here: {ours}"
    if "extra argument" not in str(error):
        return ""
    taken = (option for each in extensions() for option in each.options if option.if_valued)
    given = (option for option in taken if option.flag in arguments)
    return next((f"{option.flag} takes no value: {option.if_valued}" for option in given), "")
