"""One shard as it is collected: which samples it asks, and the file that it leaves."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.models import Sample
from ragate.outputs.outputs_file import OutputsHeader, header_line, read_header
from ragate.outputs.outputs_header import ShardClaim
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.pipeline.shards.split import shard_of
from ragate.support.atomic_files import write_lines
from ragate.support.spill import Spill


@dataclass(frozen=True)
class Shard:
    """One of the parts that a plan has.

    Attributes:
        number: From 1.
        cluster: ``[policy] cluster``.
        attempt: As in `ShardClaim`.
    """

    plan: ShardPlan
    number: int
    cluster: str = ""
    attempt: int = 1

    @property
    def name(self) -> str:
        return f"{self.number}/{self.plan.shards}"

    def own(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples that this shard asks, in their order.

        One that the plan does not hold, as a change's own may be, is split as if it did.
        """
        return Spill(Sample, (one for one in samples if self._place(one) == self.number))

    def _place(self, sample: Sample) -> int:
        planned = self.plan.samples.get(sample.id)
        return planned[1] if planned else shard_of(sample, self.plan.shards, self.cluster)

    def write(self, source: Path, target: Path, *, full: int, again: int, passes: int) -> None:
        """Copy the outputs of this shard's run to `target`, under a head that says what they are.

        The file appears when it is whole.

        Args:
            full, again, passes: As in `ShardClaim`.

        Raises:
            StorageError: it cannot be written; a file that was there is unchanged.
        """
        lines, content = count_and_hash(source)
        claim = ShardClaim(
            plan=self.plan.digest,
            number=self.number,
            of=self.plan.shards,
            attempt=self.attempt,
            full=full,
            again=again,
            passes=passes,
            lines=lines,
            content=content,
        )
        written = read_header(source)
        if written is None:
            raise AssertionError(f"{source}: a run's outputs without a head")
        header = written.amended(shard=claim)
        write_lines(target, _with_head(header, source))


def count_and_hash(path: Path) -> tuple[int, str]:
    """Return the number of lines after the first one, and the SHA-256 of their bytes."""
    count, seen = 0, hashlib.sha256()
    with path.open("rb") as file:
        file.readline()
        for line in file:
            count += 1
            seen.update(line)
    return count, seen.hexdigest()


def _with_head(header: OutputsHeader, source: Path) -> Iterator[str]:
    yield header_line(header).removesuffix("\n")
    with source.open(encoding="utf-8", newline="\n") as file:
        next(file, None)
        for line in file:
            yield line.removesuffix("\n")
