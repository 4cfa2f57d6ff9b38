"""Shards that were collected, checked against their plan and read as the outputs of one run."""

import datetime
from collections.abc import Mapping, Sequence
from pathlib import Path

from ragate.errors import DatasetError, UsageError
from ragate.models import RunManifest, Sample
from ragate.outputs.recorded_output import RecordedOutput
from ragate.pipeline.shards.shard_file import (
    collect_again,
    read_part,
    refuse_unfit,
    refuse_version,
)
from ragate.pipeline.shards.shard_plan import ShardPlan

_NOT_OURS = "the file is not what `ragate collect --plan` wrote: collect it again"


class ShardMerge:
    """The shards of one plan: whole, each once, and none of another plan.

    The plan is a claim of whoever collected: it says which shard an output may be in. What is to be
    measured the golden set of the policy says.

    Args:
        commit: What is judged, "" where only the plan says it.

    Raises:
        UsageError, DatasetError: names the file, and what is wrong with it.
    """

    def __init__(self, plan: ShardPlan, paths: Sequence[Path], *, commit: str = "") -> None:
        self.plan = plan
        refuse_version(plan.ragate_version, "the plan was made")
        if commit and plan.commit != commit:
            raise UsageError(
                f"the plan is of commit {plan.commit or 'none'}, and {commit} is judged",
                remedy="make the plan, and collect, at the commit that is judged",
            )
        parts = {path: read_part(path, plan) for path in paths}
        refuse_unfit(parts)
        self._parts = dict(sorted(parts.items(), key=lambda item: item[1].claim.number))
        self._again = max((part.claim.again for part in parts.values()), default=0)
        self._seen: set[str] = set()
        present = {part.claim.number for part in parts.values()}
        counts = plan.counts()
        self.missing = {
            number: count
            for number, count in enumerate(counts, start=1)
            if count and number not in present
        }

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files in the order of their shards."""
        return tuple(self._parts)

    def place(self, path: Path, where: str, line: RecordedOutput) -> int:
        """Return the pass that an output is of in the whole run.

        Raises:
            DatasetError: the plan has its sample in another shard.
        """
        claim = self._parts[path].claim
        planned = self.plan.samples.get(line.id)
        run = line.run
        if not line.id or run is None:
            raise DatasetError(f"{where}: no id or no run in it", remedy=_NOT_OURS)
        if planned is not None and planned[1] != claim.number:
            raise DatasetError(
                f"{where}: sample {line.id!r} is of shard {planned[1]}/{claim.of}, and this is "
                f"shard {claim.number}/{claim.of}",
                remedy=_NOT_OURS,
            )
        if run == 0:
            self._seen.add(line.id)
        # What follows the passes of all comes after what any shard asked again.
        return run if run < claim.full + claim.again else run + self._again - claim.again

    def lack(self, sample: Sample) -> str:
        """Return why there is no output of a sample."""
        planned = self.plan.samples.get(sample.id)
        if planned is None:
            return "the plan does not hold it"
        return f"shard {planned[1]}/{self.plan.shards} is missing"

    def refuse_half(self) -> None:
        """Raise for a shard that lacks outputs of its samples, once all are read.

        Raises:
            DatasetError: names the file and the first sample.
        """
        by_number = {part.claim.number: path for path, part in self._parts.items()}
        for key, (_, number) in self.plan.samples.items():
            if number in by_number and key not in self._seen:
                shards = self.plan.shards
                raise DatasetError(
                    f"{by_number[number]}: half a shard: no output of {key!r}, which is of shard "
                    f"{number}/{shards}",
                    remedy=collect_again(number, shards),
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
            f"shard {number}/{self.plan.shards} is missing: "
            f"{count} {'sample is' if count == 1 else 'samples are'} not measured"
            for number, count in self.missing.items()
        )

    def missing_remedies(self) -> tuple[str, ...]:
        """Return how to get what is missing, one line a shard."""
        return tuple(collect_again(number, self.plan.shards) for number in self.missing)


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
