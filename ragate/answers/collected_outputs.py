"""Outputs of a run: asked for pass by pass, in memory, and back from the files of `collect`."""

import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ragate.answers.output_spool import Outputs, Spool
from ragate.answers.sample_time import SampleTimeError, sample_time
from ragate.config import Config
from ragate.core.comparison.run_passes import is_measured
from ragate.core.hashing import content_hash
from ragate.core.lookup import NamedSamples
from ragate.errors import FATAL, DatasetError, ProviderError, StorageError, SystemStartError
from ragate.files.atomic_files import write_lines
from ragate.models import Record, RunManifest, Sample, SystemInfo, SystemOutput, failed_output
from ragate.outputs.mapping import RecordMapping, mapping_of
from ragate.outputs.outputs_file import OutputsHeader, header_line, output_line
from ragate.outputs.recorded_output import RecordedOutput
from ragate.outputs.recordings import read_with_header
from ragate.outputs.shards import shards_among
from ragate.protocols import System
from ragate.spans import Spanned, span, waiting
from ragate.stores.local import LocalStore
from ragate.task_groups import task_group
from ragate.worker.raised import is_outage

OnOutput = Callable[[Sample, SystemOutput, int], None]
Room = Callable[[], Awaitable[None]]
Finish = Callable[[Sample, SystemOutput], Awaitable[SystemOutput]]


@dataclass
class Collected:
    """What was collected: one mapping of outputs by sample id for each pass.

    A record of the scored run holds no texts; `whole` puts them back.
    """

    manifest: RunManifest
    passes: list[Outputs] = field(default_factory=list)

    def whole(self, record: Record) -> Record:
        """Return a record of these outputs with everything that was collected."""
        return record.amended(output=self.passes[record.run][record.sample_id])


def read_collected(
    paths: Sequence[Path],
    samples: Sequence[Sample],
    *,
    top_k: int | None = None,
    retrieval_only: bool = False,
    mapping: RecordMapping | None = None,
) -> Collected:
    """Return the outputs of `paths`, pass by pass, for the samples of the golden set.

    The passes of one file stand after those of the files before it, unless they are shards of one
    run.

    A sample without an output in the first pass is unscored there: it was wanted and not measured.
    Outputs of samples that the golden set does not have are left out.

    Args:
        mapping: How lines are read that ragate did not write; None for its own format.

    Raises:
        DatasetError: a file or a line cannot be read, or two files come from different systems.
        UsageError: they are shards that do not make one run.
    """
    named = NamedSamples(samples)
    passes: list[Outputs] = []
    stale: set[tuple[int, str]] = set()
    headers: list[OutputsHeader] = []
    shards = shards_among(paths)
    for path in paths if shards is None else shards.paths:
        header, lines = read_with_header(path, mapping or RecordMapping())
        if header is not None:
            headers.append(header)
        offset = len(passes) if shards is None else 0
        for where, line in lines:
            sample = named.find(line.id, line.question)
            if sample is not None:
                run = line.run if shards is None else shards.place(path, where, line)
                output = _output(line, sample, top_k=top_k, bare=retrieval_only)
                _put(passes, stale, offset, run, line, sample, output, where=where)
    manifest = _manifest(headers, paths if shards is None else shards.paths)
    if shards is not None:
        manifest = shards.manifest(samples)
    collected = Collected(manifest=manifest, passes=passes or [Spool()])
    for sample in samples:
        if sample.id not in collected.passes[0]:
            missing = failed_output("provider", "no output of it was collected")
            collected.passes[0][sample.id] = missing
    return collected


def line_mapping(config: Config) -> RecordMapping:
    """Return how the lines of a gate's outputs are read that ragate did not write."""
    settings = config.system.settings if config.system.use == "replay" else {}
    return mapping_of(settings)


def _put(
    passes: list[Outputs],
    stale: set[tuple[int, str]],
    offset: int,
    run: int | None,
    line: RecordedOutput,
    sample: Sample,
    output: SystemOutput,
    *,
    where: str,
) -> None:
    """Put an output into its pass.

    Args:
        run: The pass after `offset`; None for the first one that lacks the sample.
        stale: Places of outputs to another wording of the sample. They give way: a file may hold
            a sample as it is in two golden sets.
    """
    if run is None:
        run = 0
        while offset + run < len(passes) and sample.id in passes[offset + run]:
            run += 1
    while len(passes) <= offset + run:
        passes.append(Spool())
    slot = (offset + run, sample.id)
    old = _is_stale(line, sample)
    if sample.id in passes[slot[0]] and slot not in stale:
        if old:
            return
        raise DatasetError(f"{where}: a second output for sample {sample.id!r} in run {run}")
    stale.discard(slot)
    if old:
        stale.add(slot)
    passes[slot[0]][sample.id] = output


def _is_stale(line: RecordedOutput, sample: Sample) -> bool:
    return bool(line.hash) and line.hash != content_hash(sample)


def _output(line: RecordedOutput, sample: Sample, *, top_k: int | None, bare: bool) -> SystemOutput:
    if _is_stale(line, sample):
        return failed_output("provider", "the sample was edited after its output was collected")
    output = line.output()
    if top_k is not None:
        output = output.amended(chunks=output.chunks[:top_k])
    return output.amended(answer=None, citations=None) if bare else output


def _manifest(headers: list[OutputsHeader], paths: Sequence[Path]) -> RunManifest:
    if not headers:
        return RunManifest(system=SystemInfo(use="replay"))
    manifest = headers[0].manifest
    for header, path in zip(headers, paths, strict=False):
        if header.manifest.system != manifest.system:
            raise DatasetError(
                f"{path}: collected from another system than {paths[0]}",
                remedy="decide on outputs of one system at a time",
            )
    return _with_earlier(manifest, paths)


def _with_earlier(manifest: RunManifest, paths: Sequence[Path]) -> RunManifest:
    """Return the manifest with the earlier runs whose passes stand in the file of a stored run.

    The head of that file was written before they were taken over; its run's manifest knows.
    """
    if len(paths) == 1:
        stored, folder = manifest, paths[0].parent
        with suppress(StorageError):  # a file of somebody else, in whose folder none need be
            stored = LocalStore(folder).load_manifest(folder)
        if stored.run_id == manifest.run_id:
            return manifest.amended(earlier=stored.earlier, same_state=stored.same_state)
    return manifest.amended(earlier=())


def save_collected(path: Path, collected: Collected, samples: Sequence[Sample]) -> None:
    """Write what was collected as a file that `decide` and the replay system read.

    Raises:
        StorageError: it cannot be written; a file that was there is unchanged.
    """
    write_lines(path, (line.removesuffix("\n") for line in _lines(collected, samples)))


def _lines(collected: Collected, samples: Sequence[Sample]) -> Iterator[str]:
    yield header_line(OutputsHeader(manifest=collected.manifest, samples=len(samples)))
    for run, outputs in enumerate(collected.passes):
        for sample in samples:
            if sample.id in outputs:
                yield output_line(sample, outputs[sample.id], run=run)


# Running the system under test: one pass over the samples, each on its own.


def unheard(_sample: Sample, _output: SystemOutput, _run: int) -> None:
    return


async def no_wait() -> None:
    return


async def finished(_sample: Sample, output: SystemOutput) -> SystemOutput:
    return output


async def run_pass(
    system: System,
    samples: Sequence[Sample],
    *,
    run: int,
    concurrency: int,
    timeout_s: float,
    on_output: OnOutput = unheard,
    on_lost: OnOutput = unheard,
    room: Room = no_wait,
    finish: Finish = finished,
    again: bool = True,
) -> Outputs:
    """Return one output a sample; `on_output` sees each as it arrives, in order of arrival.

    A failure of one sample becomes its output and never ends the pass. Where a provider failed, so
    that there is nothing to score, the sample is asked once more at once, and a last time at the
    end of the pass, when what was short may be over; not where more than half of all are lost.

    Args:
        on_lost: Sees what the second asking gave where that failed too; it may end the pass.
        room: Waits until whoever sees the outputs can take more.
        finish: Adds to an output what is no part of the system's time.
        again: False asks every sample once.
    """
    asking = _Asking(system, run, timeout_s, on_output, on_lost, room, finish, len(samples))
    again = again and system.max_runs is None
    waiting("samples", len(samples))
    await _each(samples, asking.twice if again else asking.once, concurrency)
    lost = asking.lost
    most_are_there = len(lost) * 2 <= len(samples) + 1  # of one sample, one may be lost
    last = asking.once if most_are_there else asking.give_up
    await _each([sample for sample, _ in lost.values()], last, concurrency)
    return asking.outputs


async def _each(
    samples: Iterable[Sample], ask_one: Callable[[Sample], Awaitable[None]], concurrency: int
) -> None:
    left = iter(samples)

    async def work() -> None:
        for sample in left:
            await ask_one(sample)

    async with task_group() as group:
        for _ in range(concurrency):
            group.create_task(work())


@dataclass
class _Asking:
    """One pass under way.

    Attributes:
        lost: By sample id, what was asked twice in vain.
    """

    system: System
    run: int
    timeout_s: float
    on_output: OnOutput
    on_lost: OnOutput
    room: Room
    finish: Finish
    samples: int
    outputs: Outputs = field(default_factory=Spool)
    lost: dict[str, tuple[Sample, SystemOutput]] = field(default_factory=dict)

    async def once(self, sample: Sample) -> None:
        """Ask and keep the output; one that was lost before stays so as it failed then."""
        output = await self._put(sample)
        if sample.id in self.lost and not is_measured(output):
            output = self.lost[sample.id][1]
        await self._keep(sample, output)

    async def twice(self, sample: Sample) -> None:
        """Ask, and once more where there is nothing to score; what stays so is left for later."""
        output = await self._put(sample)
        if not is_measured(output):
            output = await self._put(sample)
        if is_measured(output):
            await self._keep(sample, output)
        else:
            self.on_lost(sample, output, self.run)
            self.lost[sample.id] = sample, output

    async def give_up(self, sample: Sample) -> None:
        await self._keep(sample, self.lost[sample.id][1])

    async def _put(self, sample: Sample) -> SystemOutput:
        return await ask(self.system, sample, run=self.run, timeout_s=self.timeout_s)

    async def _keep(self, sample: Sample, output: SystemOutput) -> None:
        output = await self.finish(sample, output)
        self.on_output(sample, output, self.run)
        self.outputs[sample.id] = output
        waiting("samples", self.samples - len(self.outputs))
        await self.room()


async def ask(system: System, sample: Sample, *, run: int, timeout_s: float) -> SystemOutput:
    """Return the system's output for one sample; a failure of any kind is an output too.

    Args:
        timeout_s: Seconds for the system itself, and as many for the model providers it waits for.
    """
    with span(Spanned.SAMPLE, sample=sample.id, run=run) as note:
        output = await _asked(system, sample, run=run, timeout_s=timeout_s)
        note(chunks=len(output.chunks), failed=output.error.kind if output.error else "")
    try:
        output.model_dump_json(exclude_defaults=True)
    except ValueError:  # half a surrogate pair, most often of a text that was cut
        return failed_output(
            "system", "its output holds text that is no Unicode, and cannot be stored"
        )
    return output


async def _asked(system: System, sample: Sample, *, run: int, timeout_s: float) -> SystemOutput:
    started = time.perf_counter()
    try:
        async with sample_time(timeout_s):
            output = await system.answer(sample, run=run)
    except SampleTimeError as error:
        return error.output
    except (ProviderError, SystemStartError) as error:  # what does not start is nobody's answer
        return failed_output("provider", error.message)
    except FATAL:
        raise
    except Exception as error:  # noqa: BLE001 - the system under test is foreign code
        kind = "provider" if is_outage(error) else "system"
        return failed_output(kind, f"{type(error).__name__}: {error}"[:2000])
    if output.latency_s is None and system.max_runs is None:
        output = output.amended(latency_s=time.perf_counter() - started)
    return output
