"""``ragate score``: the scores of a file that holds answers, without a gate."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import say, with_dotenv
from ragate.cli.options import EXISTING_FILE, FILE
from ragate.cli.put_out import put_out
from ragate.cli.streams import file_or_stdout, run_aside
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.run.score_answers import ScoredAnswers

_WORDS = 40  # characters of a question


@click.command("score")
@click.argument("file", type=EXISTING_FILE)
@click.option(
    "--model",
    default="",
    metavar="NAME",
    help="The embedding model: one of sentence-transformers, or hashing, which needs none.",
)
@click.option(
    "--preset",
    default="embedding",
    show_default=True,
    metavar="NAME",
    help="The stages that are scored: a preset of a scorecard, or a file of your own.",
)
@click.option(
    "--config",
    type=EXISTING_FILE,
    help="A ragate.toml whose providers, judge and embedder are used; nothing else of it is.",
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--output", type=FILE, help="The file; without it, standard output.")
def command(
    *, file: Path, model: str, preset: str, config: Path | None, as_json: bool, output: Path | None
) -> int:
    """Score the answers in FILE: each question by each stage, and the averages. Nothing is gated.

    FILE has a question, an answer, contexts and a reference in each row, in any form that
    [recorded outputs](replay.md) have. No ragate.toml is needed.
    \f

    ```bash
    ragate score data/sample_eval.json --model all-MiniLM-L6-v2
    ragate score answers.jsonl --preset checks
    ragate score answers.jsonl --preset beir --config ragate.toml
    ```

    Stages are those of a [scorecard](scorecards.md), under their own names. Averages are over the
    questions that have a score. Ends with 0 whatever they are, and with 3 where a score is missing:
    `ragate check` gives verdicts.
    """
    from ragate.run.score_answers import score_answers

    environment = with_dotenv((config or file).parent, os.environ)
    job = score_answers(file, preset=preset, model=model, config=config, environment=environment)
    scored = run_aside(job)
    put_out(scored.as_json() if as_json else _table(scored), file_or_stdout(output))
    for reason in dict.fromkeys(scored.lacks.values()):
        stages = [stage for stage, why in scored.lacks.items() if why == reason]
        say(f"{', '.join(stages)}: not scored: {reason}")
    return NO_DECISION if scored.lacks else 0


def _table(scored: ScoredAnswers) -> str:
    rows = [[_short(each.query), *map(_figure, each.scores)] for each in scored.questions]
    head = ["question", *scored.stages]
    means = ["average", *map(_figure, scored.averages)]
    lines = [head, *rows, means]
    wide = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(
            text.ljust(width) if place == 0 else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, wide, strict=True))
        ).rstrip()
        for line in lines
    )


def _short(query: str) -> str:
    from ragate.guards.escape import one_line, plain

    return plain(one_line(query, _WORDS))


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
