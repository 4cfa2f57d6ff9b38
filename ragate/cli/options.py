"""Options that several commands share."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ragate.cli.operations import in_ci, say
from ragate.cli.put_out import show, targets
from ragate.cli.streams import file_or_stdout
from ragate.errors import UsageError
from ragate.extension import Extension, Option, extensions, loaded

if TYPE_CHECKING:
    from ragate.answers.run_profile import RunRequest, Selection
    from ragate.config import Config
    from ragate.resources.operations import Operations
    from ragate.run.plan import RunResult
    from ragate.run.sources import SystemSource
    from ragate.stores.listed_run import RunFilter

F = TypeVar("F", bound=Callable[..., Any])
FORMATS = ("console", "markdown", "json", "junit", "html")
FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)
DAY = click.DateTime(["%Y-%m-%d"])

_COMMIT = re.compile(r"[0-9a-fA-F]{4,64}")
meta_option = click.option(
    "--meta", multiple=True, metavar="KEY=VALUE", help="Only runs noted so; may be repeated."
)


def run_filter(
    *,
    since: datetime.datetime | None = None,
    until: datetime.datetime | None = None,
    commit: str = "",
    status: Sequence[str] = (),
    meta: Sequence[str] = (),
    **named: str,
) -> RunFilter:
    """Return which stored runs the options mean.

    Raises:
        UsageError: a commit, a note or the days cannot be meant.
    """
    from ragate.resources.run_labels import read_meta
    from ragate.stores.listed_run import RunFilter, RunStatus

    if commit and not _COMMIT.fullmatch(commit):
        raise UsageError(
            f"--commit {commit!r}: no commit",
            remedy="give its hexadecimal digits, at least the first four",
        )
    if since and until and until < since:
        raise UsageError(f"--until {until:%Y-%m-%d} lies before --since {since:%Y-%m-%d}")
    return RunFilter(
        commit=commit,
        since=f"{since:%Y-%m-%d}" if since else "",
        until=f"{until:%Y-%m-%d}" if until else "",
        statuses=frozenset(map(RunStatus, status)),
        meta=read_meta(meta),
        **named,
    )


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


@dataclass(frozen=True)
class SourceOptions:
    """The options of extensions that say where outputs come from.

    Attributes:
        given: Each with what it was given on the command line, and whose it is.
    """

    given: Sequence[tuple[Extension, Option, Any]] = ()

    @property
    def flags(self) -> list[str]:
        """Return those that were given."""
        return [option.flag for _, option, value in self.given if value]

    def source(self, operations: Operations, *, resumed: bool = False) -> SystemSource:
        """Return who is asked: the system under test here, where no option says otherwise.

        Raises:
            UsageError: two of them would be asked.
        """
        from ragate.run.sources import SystemSource

        if len(self.flags) > 1:
            raise UsageError(
                f"{' and '.join(self.flags)}: outputs come from one place", remedy="leave one out"
            )
        for each, option, value in self.given:
            if value or resumed:
                opens = loaded(each, option.path)(operations, value)
                if opens is not None:
                    return SystemSource(opens)
        return SystemSource()


def source_options(words: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add what extensions bring to a command that runs; the command gets it as `asked`.

    Args:
        words: What calls the command.
    """
    brought = [
        (each, option)
        for each in extensions()
        for option in each.options
        if words in option.commands
    ]

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @wraps(function)
        def command(**given: Any) -> int:
            values = [
                (each, option, given.pop(_parameter(number)))
                for number, (each, option) in enumerate(brought)
            ]
            return function(asked=SourceOptions(values), **given)

        for number, (_, option) in reversed([*enumerate(brought)]):
            kind = {"metavar": option.takes} if option.takes else {"is_flag": True}
            add = click.option(option.flag, _parameter(number), help=option.says, **kind)
            command = add(command)
        return command

    return decorate


def _parameter(number: int) -> str:
    return f"extension_{number}"


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

    def with_dates(self, mode: str | None) -> RunOptions:
        """Return the options with what ``--temporal-mode`` says among what is set."""
        if mode is None:
            return self
        settings = (*self.request.settings, f"temporal_mode={mode}")
        return replace(self, request=replace(self.request, settings=settings))

    def selection(self, config: Config, *, runs: int = 1) -> Selection:
        """Return what part of the golden set is run, and how.

        Raises:
            UsageError: the policy has no such profile, or no such metric to skip.
        """
        from ragate.answers.run_profile import selection_of

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
        differs: Sequence[str] | None = None,
    ) -> int:
        """Write outputs and report of a run that was judged; return the code of its verdict.

        Args:
            state, outputs: As of `detailed`.
            differs: It was judged by a base's rules: what of the checkout's is not these.

        Raises:
            StorageError: a file cannot be written; one that was there is unchanged.
        """
        from ragate.cli.checkout_rules import with_checkout_rules
        from ragate.cli.shown_report import detailed, retrieved_unlabelled

        if self.save_outputs is not None:
            from ragate.answers.collected_outputs import save_collected

            save_collected(self.save_outputs, result.session.collected, result.setup.samples)
        if differs is None:
            report = with_checkout_rules(result.report, config, ci=in_ci())
        else:
            report = result.report.amended(rules_differ=tuple(differs))
        report = detailed(report, config, state, destinations, outputs=outputs, result=result)
        code = show(report, destinations, verbose=verbose)
        if report.retrieval_only:
            for line in retrieved_unlabelled(result):
                say(line)
        return code

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
        from ragate.answers.run_profile import RunRequest

        request, others = (
            {name: given.pop(name) for name in each.__match_args__ if name in given}
            for each in (RunRequest, RunOptions)
        )
        options = RunOptions(request=RunRequest(**request), **others)
        return function(options=options, **given)

    return with_options(command, [*_SELECTION, *_OUTPUT, _SAVE] if output else _SELECTION)


set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="KEY=VALUE",
    help="For this run another value of a key of [system], such as answer.model, or of "
    "judge.model; may be repeated. The verdict is partial.",
)


def output_options(function: F) -> F:
    """Add --format and --output."""
    return with_options(function, _OUTPUT)


def with_options(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """Add options to a command, in the order in which its help lists them."""
    for option in reversed(options):
        function = option(function)
    return function


def label_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add --meta and --description; the command gets them as `labels`."""

    @wraps(function)
    def command(*, meta: tuple[str, ...], description: str, **given: Any) -> int:
        from ragate.resources.run_labels import read_labels

        labels = read_labels(meta, description, names=("--meta", "--description"))
        return function(labels=labels, **given)

    return with_options(
        command,
        [
            click.option(
                "--meta",
                multiple=True,
                metavar="KEY=VALUE",
                help="Note this with the run, for `ragate runs`; may be repeated.",
            ),
            click.option(
                "--description", default="", metavar="TEXT", help="Note this with the run."
            ),
        ],
    )
