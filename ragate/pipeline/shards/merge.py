"""Shards that were collected, checked against their plan and read as the outputs of one run."""

import datetime
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ragate.clients.budget import Tally
from ragate.config import Config
from ragate.core.text.wording import listed
from ragate.errors import DatasetError
from ragate.models import RunManifest, Sample
from ragate.outputs.outputs_file import ShardClaim
from ragate.outputs.recorded_output import RecordedOutput
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.shards.shard import RERUN, ShardFile, Wanted, read_part, refuse_unfit
from ragate.pipeline.shards.shard_plan import divided_caps
from ragate.run.hooks import Remarks
from ragate.run.one_run import run_gate
from ragate.run.plan import RunPlan, Stop
from ragate.run.sources import FilesSource
from ragate.runtime.operations import Operations
from ragate.support.spill import Spill

_SHOWN = 3  # samples that are named
_ANEW = "make a plan of this golden set with `ragate plan`, and collect every shard by it"
_NOT_OURS = "the file is not what `ragate collect --plan` wrote: collect it again"


class _Round:
    """Files that make one run over all samples, each shard once."""

    def __init__(self, parts: Mapping[Path, ShardFile]) -> None:
        claims = [part.claim for part in parts.values()]
        self._again = max(claim.again for claim in claims)
        self.passes = self._again + max(claim.passes - claim.again for claim in claims)

    def number_of(self, run: int, claim: ShardClaim) -> int:
        """Return the pass of the whole run that a shard's pass is of.

        What follows the passes of all comes after what any shard asked again.
        """
        return run if run < claim.full + claim.again else run + self._again - claim.again


def _rounds(parts: Mapping[Path, ShardFile]) -> Iterator[tuple[Path, tuple[_Round, int]]]:
    """Yield each file with its round, and the number of passes in the rounds before.

    The first file of every shard is one round, the second of those that have one the next.
    """
    rest, before = dict(parts), 0
    while rest:
        first: dict[int, Path] = {}
        for path, part in rest.items():
            first.setdefault(part.claim.number, path)
        among = _Round({path: rest.pop(path) for path in first.values()})
        yield from ((path, (among, before)) for path in first.values())
        before += among.passes


class ShardMerge:
    """The shards of one plan: whole, each once, and none of another plan.

    A shard that a later attempt collected again adds its passes to the earlier ones, as a whole run
    that is repeated does.

    Args:
        paths: The shards' files; at least one.
        wanted: What they have to be parts of.

    Raises:
        UsageError, DatasetError: names the file, and what is wrong with it.
    """

    def __init__(self, paths: Sequence[Path], wanted: Wanted) -> None:
        self.wanted = wanted
        parts = {path: read_part(path, wanted) for path in paths}
        refuse_unfit(parts, wanted)
        order = sorted(
            parts, key=lambda path: (parts[path].claim.number, parts[path].claim.attempt)
        )
        self._parts = {path: parts[path] for path in order}
        self._rounds = dict(_rounds(self._parts))
        self._seen: dict[Path, set[str]] = {path: set() for path in paths}
        present = {part.claim.number for part in parts.values()}
        counts = Counter(number for _, number in wanted.samples.values())
        self.missing = {
            number: counts[number] for number in sorted(counts) if number not in present
        }

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files in the order of their shards."""
        return tuple(self._parts)

    @property
    def numbers(self) -> tuple[int, ...]:
        """Return which shards there are."""
        return tuple(dict.fromkeys(part.claim.number for part in self._parts.values()))

    def place(self, path: Path, where: str, line: RecordedOutput) -> int:
        """Return the pass that an output is of in the whole run.

        Raises:
            DatasetError: the plan has its sample in another shard.
        """
        claim, run = self._parts[path].claim, line.run
        planned = self.wanted.samples.get(line.id)
        if not line.id or run is None or run >= claim.passes:
            raise DatasetError(f"{where}: no id, or no run that there was", remedy=_NOT_OURS)
        if planned is not None and planned[1] != claim.number:
            raise DatasetError(
                f"{where}: sample {line.id!r} is of shard {planned[1]}/{claim.of}, and this is "
                f"shard {claim.number}/{claim.of}",
                remedy=_NOT_OURS,
            )
        if run == 0 and planned is not None:
            self._seen[path].add(line.id)
        among, offset = self._rounds[path]
        return offset + among.number_of(run, claim)

    def lack(self, sample: Sample) -> str:
        """Return why there is no output of a sample."""
        planned = self.wanted.samples.get(sample.id)
        if planned is None:
            return "the plan does not hold it"
        return f"shard {planned[1]}/{self.wanted.shards} is missing"

    def refuse_half(self) -> None:
        """Raise for a shard that lacks outputs of its samples, once all are read.

        Raises:
            DatasetError: names the file and the first sample.
        """
        shards, files = self.wanted.shards, defaultdict[int, list[Path]](list)
        for path, part in self._parts.items():
            files[part.claim.number].append(path)
        for key, (_, number) in self.wanted.samples.items():
            for path in files.get(number, ()):
                if key not in self._seen[path]:
                    raise DatasetError(
                        f"{path}: half a shard: no output of {key!r}, which is of shard "
                        f"{number}/{shards}",
                        remedy=self.wanted.collect_again(number),
                    )

    def manifest(self, samples: Sequence[Sample]) -> RunManifest:
        """Return the manifest of the whole run, as one process would have written it.

        Raises:
            DatasetError: the shards were asked of two days.
        """
        manifests = [part.manifest for part in self._parts.values()]
        dates = {manifest.eval_date for manifest in manifests} - {""}
        if len(dates) > 1:
            raise DatasetError(
                f"the shards were collected as of {' and '.join(sorted(dates))}",
                remedy="make the plan with --eval-date, so that every shard has the same day",
            )
        return manifests[0].amended(
            created=min((each.created for each in manifests), key=_time),
            missing_documents=_united([each.missing_documents for each in manifests], samples),
            stale_evidence=_united([each.stale_evidence for each in manifests], samples),
            eval_date=max(dates, default=""),
            earlier=(),
        )

    def missing_reasons(self) -> tuple[str, ...]:
        """Return what is missing, one sentence a shard."""
        return tuple(
            f"shard {number}/{self.wanted.shards} is missing: "
            f"{count} {'sample is' if count == 1 else 'samples are'} not measured"
            for number, count in self.missing.items()
        )

    def missing_remedies(self) -> tuple[str, ...]:
        """Return how to get what is missing, one line a shard."""
        if self.missing and not self.wanted.file:
            return (RERUN,)
        return tuple(map(self.wanted.collect_again, self.missing))


def _time(created: str) -> datetime.datetime:
    try:
        return datetime.datetime.fromisoformat(created)
    except ValueError:
        return datetime.datetime.max.replace(tzinfo=datetime.UTC)


def _united(
    parts: Sequence[Mapping[str, tuple[str, ...]]], samples: Sequence[Sample]
) -> dict[str, tuple[str, ...]]:
    """Return what the shards say of their samples as one, in the order of the golden set."""
    found = {key: value for part in parts for key, value in part.items()}
    if not found:
        return {}
    return {sample.id: found[sample.id] for sample in samples if sample.id in found}


# A verdict on shards that lack a part: nothing that was not measured passes.


class HeldBack:
    """Says what the shards lack, so that a pass becomes no decision.

    ``max_unscored`` is for samples that fail one by one. A shard that is missing, or a plan without
    a sample, says nothing of these samples, maybe because of what they would have shown.
    """

    def __init__(self, plan: RunPlan, setup: GateSetup) -> None:
        self._samples = setup.samples
        self._shards = cast("ShardMerge", plan.source.parts)

    def decided(self, _decided: Decided) -> Remarks:
        shards = self._shards
        unplanned = [
            sample.id for sample in self._samples if sample.id not in shards.wanted.samples
        ]
        reasons, remedies = shards.missing_reasons(), shards.missing_remedies()
        if unplanned:
            many = "sample" if len(unplanned) == 1 else "samples"
            named = listed(unplanned, most=_SHOWN)
            reasons = (*reasons, f"the plan leaves out {len(unplanned)} {many}: {named}")
            remedies = (*remedies, _ANEW)
        return Remarks(held_back=tuple(reasons), remedies=tuple(remedies))


# Judging one shard ahead of the verdict: what the judge says is in the cache then.


@dataclass(frozen=True)
class JudgedShard:
    """What the judge did for one shard.

    Attributes:
        fresh, reused: Distinct judgements that were asked for, and that were there already.
        lack: Why what it said does not count, or why it said no more; "" where all is well.
    """

    samples: int
    fresh: int
    reused: int
    tally: Tally
    lack: str = ""


async def judge_shard(
    config: Config, operations: Operations, selection: Selection, shard: ShardMerge, number: int
) -> JudgedShard:
    """Measure the outputs of one shard for the sake of what models say of them.

    Nothing is compared or decided. The judge has the shard's part of the caps, and passes its
    canaries in every shard anew.

    Raises:
        RagateError: golden set, baseline or shard cannot be read.
    """
    placed = shard.wanted.samples

    def own(samples: Sequence[Sample]) -> Sequence[Sample]:
        mine = (one for one in samples if placed.get(one.id, ("", 0))[1] == number)
        return Spill(Sample, mine)

    result = await run_gate(
        RunPlan(
            divided_caps(config, shard.wanted.shards, number),
            operations,
            FilesSource(shard.paths, parts=shard),
            selection,
            command="judge",
            stop=Stop.SCORED,
            own=own,
        )
    )
    count, tally = len(result.setup.samples), result.session.ready.opened.tally
    judging = result.scorer.judging if result.scorer is not None else None
    if judging is None:
        return JudgedShard(count, 0, 0, tally)
    voided = "the judge got known answers wrong" if judging.voided else ""
    return JudgedShard(count, judging.fresh, judging.reused, tally, judging.out or voided)
