"""One question to the system, where a person says so: what ragate sees of the answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragate.cli.finding import Finding, Status, of_error, ok, problem, skipped, warning
from ragate.cli.streams import run_aside
from ragate.errors import RagateError
from ragate.support.escape import one_line

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models import Sample, SystemOutput
    from ragate.pipeline.doc_ids.id_advice import IdAdvice
    from ragate.runtime.operations import Operations

CHECK = "one question"
_SHOWN = 300


def one_question(
    config: Config | None, operations: Operations, samples: Sequence[Sample], *, wanted: bool
) -> list[Finding]:
    """Ask the first question and say what came back; without `wanted` say how to."""
    if config is None or not samples:
        unread = "ragate.toml" if config is None else "the golden set"
        return [skipped(CHECK, f"{unread} cannot be read")]
    if not wanted:
        how = f"`ragate doctor --ask` asks the first one; it runs {what_runs(config)}"
        return [Finding(CHECK, Status.SKIPPED, f"not asked: {how}")]
    sample = samples[0]
    try:
        output = answer_to(config, operations, sample)
    except RagateError as error:
        return [of_error(CHECK, error)]
    lines = "\n".join(["this is what ragate sees:", *seen(sample, output)])
    if output.error is not None:
        remedy = "mend the system first: no metric means anything before it answers"
        return [problem(CHECK, lines, remedy, exit_code=3)]
    advice = fitting(config, sample, output)
    spelt = [] if advice is None else [warning(CHECK, advice.message, advice.remedy)]
    return [ok(CHECK, lines), *spelt]


def answer_to(config: Config, operations: Operations, sample: Sample) -> SystemOutput:
    """Ask the system, and return what it says.

    Raises:
        RagateError: it cannot be started or asked at all.
    """
    from ragate.pipeline.ask_question import ask_question

    return run_aside(ask_question(config, operations, sample))


def what_runs(config: Config) -> str:
    """Return what asking means, as a command or an import."""
    settings = config.system.settings
    if start := settings.get("start"):
        return one_line(f"{shlex.join(map(str, start))}, then a request to {settings.get('url')}")
    if url := settings.get("url") or settings.get("url_env"):
        return one_line(f"a request to {url}")
    if target := settings.get("target"):
        own = settings.get("interpreter")
        with_whom = shlex.join(map(str, own)) if own else "this Python"
        return one_line(f"an import of {target} by {with_whom}, and one call of it")
    return one_line(f"the system {config.system.use}")


def seen(sample: Sample, output: SystemOutput) -> Iterator[str]:
    """Yield what ragate sees of an output."""
    yield f"question   {one_line(sample.query, _SHOWN)}"
    if output.error is not None:
        yield f"error      {one_line(output.error.message, _SHOWN)}"
        return
    answer = output.answer
    yield f"answer     {'none' if answer is None else one_line(answer, _SHOWN) or 'empty'}"
    retrieved = list(dict.fromkeys(chunk.doc_id for chunk in output.chunks))
    yield f"documents  {one_line(', '.join(retrieved), _SHOWN) or 'none'}"
    if sample.expected:
        yield f"expected   {one_line(', '.join(sorted(sample.expected)), _SHOWN)}"


def fitting(config: Config, sample: Sample, output: SystemOutput) -> IdAdvice | None:
    """Return what does not fit between expected and retrieved ids; None where all does."""
    from ragate.core.doc_ids.mismatch import find_mismatch
    from ragate.pipeline.doc_ids.id_advice import advice_on

    if output.error is not None:
        return None
    mismatch = find_mismatch([(sample.expected, [chunk.doc_id for chunk in output.chunks])])
    return None if mismatch is None else advice_on(config, mismatch)
