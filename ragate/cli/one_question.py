"""One question to the system, where a person says so: what ragate sees of the answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ragate.cli.finding import Finding, Status, ok, problem, skipped, warning
from ragate.cli.streams import run_aside
from ragate.guards.escape import one_line
from ragate.models import Sample
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.gate.id_advice import IdAdvice
    from ragate.models import SystemOutput
    from ragate.resources.operations import Operations

CHECK = "one question"
WITHOUT_DOCUMENTS = "What can you tell me?"  # of a project whose documents and questions nobody saw
_SHOWN = 300


def one_question(
    config: Config | None, operations: Operations, samples: Sequence[Sample], *, wanted: bool
) -> list[Finding]:
    """Ask the first question, or any, and say what came back; without `wanted` say how to."""
    if config is None or (not samples and config.system.use in {"replay", "scores"}):
        unread = "ragate.toml" if config is None else "the golden set"
        return [skipped(CHECK, f"{unread} cannot be read")]
    if not wanted:
        runs = what_runs(config.system.use, config.system.settings)
        how = f"`ragate doctor --ask` asks the first one; it runs {runs}"
        return [Finding(CHECK, Status.SKIPPED, f"not asked: {how}")]
    sample = next(iter(samples), Sample(id="ask", query=WITHOUT_DOCUMENTS))
    output, replies = run_aside(_asked_once(config, operations, sample))
    golden = {doc_id for each in samples for doc_id in each.expected}
    streamed = bool(config.system.settings.get("stream"))
    stands = where_parts_stand(replies, sample, golden, streamed=streamed)
    came = [f"reply      {shown_reply(reply)}" for reply in replies[-1:]]
    came += [f"{part:<10} stands at {pointer}" for part, pointer in stands.items()]
    lines = "\n".join(["this is what ragate sees:", *seen(sample, output), *came])
    if output.error is not None:
        remedy = "mend the system first: no metric means anything before it answers"
        read = config.system.settings.get("pointers", {}).get("answer", "/answer")
        pointer = stands.get("answer", read)
        if pointer != read:
            answer = f"answer = {json.dumps(pointer)}"
            remedy = f"say below [system.pointers] where the parts stand: {answer}"
        return [problem(CHECK, lines, remedy, exit_code=NO_DECISION)]
    advice = fitting(config, sample, output)
    spelt = [] if advice is None else [warning(CHECK, advice.message, advice.remedy)]
    return [ok(CHECK, lines), *spelt]


@asynccontextmanager
async def opened(
    config: Config, operations: Operations
) -> AsyncIterator[Callable[[Sample], Awaitable[tuple[SystemOutput, list[Any]]]]]:
    """Yield what asks the system of a configuration: its output, and the replies as they came.

    Raises:
        RagateError: it cannot be started or asked at all.
    """
    from ragate.answers.ready_system import open_for_questions
    from ragate.systems._foreign import noted_replies
    from ragate.systems._output import plain_json

    async with open_for_questions(config, operations) as put:

        async def ask(sample: Sample) -> tuple[SystemOutput, list[Any]]:
            with noted_replies() as replies:
                output = await put(sample)
            return output, [plain_json(reply) for reply in replies]

        yield ask


async def _asked_once(
    config: Config, operations: Operations, sample: Sample
) -> tuple[SystemOutput, list[Any]]:
    async with opened(config, operations) as ask:
        return await ask(sample)


def what_runs(system: str, settings: Mapping[str, Any]) -> str:
    """Return what asking means, as a command or an import."""
    if command := settings.get("command"):
        return one_line(shlex.join(map(str, command)))
    if start := settings.get("start"):
        return one_line(f"{shlex.join(map(str, start))}, then a request to {settings.get('url')}")
    if url := settings.get("url") or settings.get("url_env"):
        return one_line(f"a request to {url}")
    if target := settings.get("target"):
        own = settings.get("interpreter")
        with_whom = shlex.join(map(str, own)) if own else "this Python"
        return one_line(f"an import of {target} by {with_whom}, and one call of it")
    return f"the system {system}"


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


def where_parts_stand(
    replies: Sequence[Any], sample: Sample, golden: set[str], *, streamed: bool
) -> Mapping[str, str]:
    """Return by part of the last reply where ragate would look for it, {} without a reply."""
    from ragate.outputs.seen_reply import read_events, read_reply

    if not replies:
        return {}
    read = read_events if streamed else read_reply

    def known(ids: Sequence[str]) -> float:
        return sum(one in golden for one in ids) / max(1, len(ids))

    return read(replies[-1], question=sample.query, known=known).pointers


def shown_reply(reply: Any) -> str:
    """Return a reply on one line, cut where it is long."""
    return one_line(json.dumps(reply, ensure_ascii=False, default=str), 2 * _SHOWN)


def fitting(config: Config, sample: Sample, output: SystemOutput) -> IdAdvice | None:
    """Return what does not fit between expected and retrieved ids; None where all does."""
    from ragate.core.doc_ids import find_mismatch
    from ragate.gate.id_advice import advice_on

    if output.error is not None:
        return None
    mismatch = find_mismatch([(sample.expected, [chunk.doc_id for chunk in output.chunks])])
    return None if mismatch is None else advice_on(config.root, config.system, mismatch)
