"""Options that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.operations import in_ci
from ragate.cli.streams import file_or_stdout
from ragate.errors import UsageError
from ragate.runtime.run_labels import read_labels
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models import Report
    from ragate.pipeline.run.run_profile import RunRequest, Selection
    from ragate.run.plan import RunResult
    from ragate.run.sources import SystemSource
    from ragate.runtime.operations import Operations

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("console", "markdown", "json", "junit", "sarif", "html")
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
DAY = click.DateTime(["%Y-%m-%d"])


def comma_words(
    _ctx: click.Context, _param: click.Parameter, value: Sequence[str]
) -> tuple[str, ...]:
    """Return the words of an option that may hold several with commas, each once."""
    words = (word.strip() for text in value for word in text.split(","))
    return tuple(dict.fromkeys(word for word in words if word))


ids_option = click.option(
    "--ids", multiple=True, callback=comma_words, help="Only these samples; several with commas."
)


config_option = click.option(
    "--config",
    type=FILE,
    help="The ragate.toml to use; else RAGATE_CONFIG, else the nearest one upwards.",
)


control_option = click.option(
    "--control",
    type=EXISTING_FILE,
    help="Outputs of the base version, collected today: tells drift from the change.",
)


eval_date_option = click.option(
    "--eval-date",
    type=DAY,
    callback=lambda _context, _option, day: day.date() if day else None,
    help="The date that {today} in a question stands for; default: today, in UTC.",
)


file_option = click.option(
    "--output",
    type=FILE,
    callback=lambda _context, _option, path: file_or_stdout(path),
    help="The file; without it, standard output.",
)


json_option = click.option("--json", "as_json", is_flag=True, help="As JSON.")


workers_option = click.option(
    "--workers", is_flag=True, help="Let `ragate worker` processes ask the questions."
)


verbose_option = click.option(
    "--verbose", is_flag=True, help="List every sample and note, not only what fits 40 lines."
)


@dataclass(frozen=True)
class RunOptions:
    """The options of check, collect and decide; `plan` has none for its output.

    Attributes:
        request: What part of the golden set is run, and how.
    """

    config: Path | None
    request: RunRequest
    formats: tuple[str, ...] = ()
    outputs: tuple[Path, ...] = ()
    save_outputs: Path | None = None

    def selection(self, config: Config, *, runs: int = 1) -> Selection:
        """Return what part of the golden set is run, and how.

        Raises:
            UsageError: the policy has no such profile, or no such metric to skip.
        """
        from ragate.pipeline.run.run_profile import selection_of

        return selection_of(config, self.request, runs=runs)

    def show(
        self,
        result: RunResult,
        config: Config,
        state: Path,
        destinations: Sequence[tuple[str, Path | None]],
        *,
        verbose: bool,
        outputs: Sequence[Path] = (),
    ) -> int:
        """Write outputs and report of a run that was judged; return the code of its verdict.

        Args:
            state, outputs: As of `detailed`.

        Raises:
            StorageError: a file cannot be written; one that was there is unchanged.
        """
        from ragate.cli.shown_report import detailed, with_checkout_rules

        if self.save_outputs is not None:
            from ragate.pipeline.run.collected_outputs import save_collected

            save_collected(self.save_outputs, result.session.collected, result.setup.samples)
        report = with_checkout_rules(result.report, config, ci=in_ci())
        report = detailed(report, config, state, destinations, outputs=outputs)
        return show(report, destinations, verbose=verbose)

    def targets(self) -> list[tuple[str, Path | None]]:
        """Return the formats with their files; see `targets`."""
        return targets(self.formats, self.outputs)


_OUTPUT = [
    click.option(
        "--format",
        "formats",
        multiple=True,
        type=click.Choice(FORMATS),
        help="How it is written (console); may be repeated, each with its own --output.",
    ),
    click.option(
        "--output",
        "outputs",
        multiple=True,
        type=FILE,
        help="File of the n-th --format; without one, and with -, it goes to standard output.",
    ),
]
_SAVE = click.option(
    "--save-outputs",
    type=FILE,
    help="Write the outputs to FILE, for `decide` or the replay system.",
)
# What part of the golden set is run, and how.
_SELECTION = [
    config_option,
    click.option(
        "--tags",
        multiple=True,
        callback=comma_words,
        help="Only samples with one of these tags; several with commas.",
    ),
    ids_option,
    click.option(
        "--where",
        multiple=True,
        metavar="FIELD=VALUE",
        help="Only samples whose metadata meet this condition; repeated: all of them.",
    ),
    click.option(
        "--limit", type=click.IntRange(min=1), help="Only the first N samples of what is left."
    ),
    click.option(
        "--top-k",
        type=click.IntRange(min=1),
        help="Retrieve N chunks in place of the configured number.",
    ),
    click.option(
        "--retrieval-only",
        is_flag=True,
        help="No answers, and none of the metrics that read them.",
    ),
    click.option(
        "--skip",
        multiple=True,
        callback=comma_words,
        help="Leave these metrics of the policy out; several with commas.",
    ),
    click.option(
        "--skip-correctness",
        is_flag=True,
        help="Leave out correctness and correctness_binary, if there.",
    ),
    click.option(
        "--profile",
        default="",
        help="Take the options of a profile: retrieval, full, or one of the policy.",
    ),
    eval_date_option,
]


def run_options(function: Callable[..., int], *, output: bool = True) -> Callable[..., int]:
    """Add the options of check, collect and decide, as one `options`; `output`: all of them."""

    @wraps(function)
    def command(**given: Any) -> int:
        from ragate.pipeline.run.run_profile import RunRequest

        request, others = (
            {name: given.pop(name) for name in each.__match_args__ if name in given}
            for each in (RunRequest, RunOptions)
        )
        options = RunOptions(request=RunRequest(**request), **others)
        return function(options=options, **given)

    return with_options(command, [*_SELECTION, *_OUTPUT, _SAVE] if output else _SELECTION)


def output_options(function: F) -> F:
    """Add --format and --output."""
    return with_options(function, _OUTPUT)


def with_options(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """Add options to a command, in the order in which its help lists them."""
    for option in reversed(options):
        function = option(function)
    return function


def targets(formats: Sequence[str], outputs: Sequence[Path]) -> list[tuple[str, Path | None]]:
    """Pair every format with its file; None stands for standard output, and so does ``-``.

    Raises:
        UsageError: more files than formats, or one file for two of them.
    """
    names = list(formats) or ["console"]
    if len(outputs) > len(names):
        raise UsageError(
            f"{len(outputs)} --output for {len(names)} --format",
            remedy="give every --output its own --format",
        )
    if len(set(outputs)) < len(outputs):
        raise UsageError("two --output name the same file", remedy="give every --format its own")
    paired = zip_longest(names, map(file_or_stdout, outputs))
    return [(name, path) for name, path in paired if name is not None]


def show(
    report: Report, destinations: Sequence[tuple[str, Path | None]], *, verbose: bool = False
) -> int:
    """Write the report in every wanted format; return the exit code of its verdict.

    Args:
        verbose: The console lists everything.
    """
    from ragate.cli.shown_report import shown_here, summary

    report = shown_here(report)
    for name, path in destinations:
        put_out(_render(report, name, path, verbose=verbose), path)
    if all(path is not None for _, path in destinations):
        click.echo(summary(report), err=True)
    return report.decision.exit_code


def put_out(text: str, path: Path | None) -> None:
    """Write a text with one line end to a file, or to standard output where none is named.

    Raises:
        StorageError: it cannot be written; a file that was there is unchanged.
    """
    from ragate.support.atomic_files import write_output

    text = text.rstrip("\n")
    if path is None:
        click.echo(text)
    else:
        write_output(path, f"{text}\n".encode())


def _render(report: Report, name: str, path: Path | None, *, verbose: bool) -> str:
    from ragate import plugins

    module = plugins.load("renderers", name)
    if name != "console":
        text: str = module.render(report)
        return text
    terminal = path is None and sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    shown: str = module.render(report, colour=terminal, ci=in_ci(), verbose=verbose)
    return shown


def label_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add --meta and --description; the command gets them as `labels`."""

    @wraps(function)
    def command(*, meta: tuple[str, ...], description: str, **given: Any) -> int:
        labels = read_labels(meta, description, names=("--meta", "--description"))
        return function(labels=labels, **given)

    command = click.option(
        "--description", default="", metavar="TEXT", help="Note this with the run."
    )(command)
    return click.option(
        "--meta",
        multiple=True,
        metavar="KEY=VALUE",
        help="Note this with the run, for `ragate runs`; may be repeated.",
    )(command)


def queue_url(operations: Operations, asked: str) -> str:
    """Return the connection string of the queue; its library is there.

    Args:
        asked: What needs it.

    Raises:
        UsageError: the variable is not set.
        NotInstalledError: the extra is not installed.
    """
    from ragate.queue.schema import VARIABLE, require_engine

    url = operations.environment.get(VARIABLE, "")
    if not url:
        raise UsageError(
            f"{asked}: {VARIABLE} is not set",
            remedy="set it to a Postgres that this machine and the workers reach: "
            f"{MANUAL}/workers.md",
        )
    require_engine()
    return url


def source(operations: Operations, *, workers: bool, resumed: bool = False) -> SystemSource:
    """Return who is asked: the system under test here, or workers that have it.

    Args:
        resumed: The run goes on, which workers asked before perhaps.

    Raises:
        RagateError: as `queue_url`, or the queue cannot be used.
    """
    from ragate.run.sources import SystemSource

    if resumed and not workers:
        from ragate.pipeline.workers.submit import opens_without_workers

        # What they spent is known there alone.
        find_queue = partial(queue_url, operations, "--resume of a run of workers")
        return SystemSource(opens_without_workers(find_queue))
    if not workers:
        return SystemSource()
    from ragate.pipeline.workers.submit import opens_on_workers
    from ragate.queue.schema import make_schemas

    url = queue_url(operations, "--workers")
    make_schemas(url)
    return SystemSource(opens_on_workers(url))
