"""One shard as it is collected: which samples it asks, and the file that it leaves."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatasetError, UsageError
from ragate.models import RunManifest, Sample
from ragate.outputs.outputs_file import (
    MAX_BYTES,
    OutputsHeader,
    ShardClaim,
    header_line,
    read_header,
)
from ragate.pipeline.shards.shard_plan import ShardPlan, shard_of
from ragate.support.atomic_files import write_lines
from ragate.support.foreign_files import open_regular, text_lines
from ragate.support.spill import Spill
from ragate.version import __version__

RERUN = "run the failed jobs of the collecting workflow again: what they collect completes this run"


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
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        file.readline()
        for line in file:
            count += 1
            seen.update(line)
    return count, seen.hexdigest()


def _with_head(header: OutputsHeader, source: Path) -> Iterator[str]:
    yield header_line(header).removesuffix("\n")
    lines = text_lines(source, error=DatasetError, max_bytes=MAX_BYTES)
    next(lines, None)
    for line in lines:
        yield line.removesuffix("\n")


# The file of one shard: what it says of itself, and why it is refused.


@dataclass(frozen=True)
class ShardFile:
    """Where a shard comes from, and which one it is."""

    manifest: RunManifest
    claim: ShardClaim


@dataclass(frozen=True)
class Wanted:
    """What shards have to be parts of.

    Attributes:
        commit: What is judged.
        samples: By id: content hash and number of the shard.
        plan: Digest of the plan, "" where any will do that all shards have.
        file: Where the plan is, "" where none was brought along.
    """

    shards: int
    commit: str
    samples: Mapping[str, tuple[str, int]]
    plan: str = ""
    file: str = ""

    def collect_again(self, number: int) -> str:
        """Return how a shard is made anew."""
        if not self.file:
            return RERUN
        command = ["ragate", "collect", "--plan", self.file, "--shard", f"{number}/{self.shards}"]
        return f"collect it again: {shlex.join(command)}"


def wanted_by(plan: ShardPlan, file: Path) -> Wanted:
    """Return what the shards of a plan have to be.

    The plan is a claim of whoever collected: it says which shard an output may be in. What is to be
    measured the golden set of the policy says.

    Args:
        file: Where it is.

    Raises:
        UsageError: another version of ragate made it.
    """
    refuse_version(plan.ragate_version, "the plan was made")
    return Wanted(plan.shards, plan.commit, plan.samples, plan.digest, str(file))


def read_part(path: Path, wanted: Wanted) -> ShardFile:
    """Return what a shard's file says of itself.

    Raises:
        UsageError: it is no shard, or one of another plan, commit or version.
        DatasetError: it is not whole.
    """
    header = read_header(path)
    claim = header.shard if header is not None else None
    if header is None or claim is None:
        raise UsageError(
            f"{path}: no shard: it does not say which part of a plan it is",
            remedy="give --plan the files that `ragate collect --plan` wrote",
        )
    refuse_version(header.manifest.ragate_version, f"{path}: collected")
    of_another = bool(wanted.plan) and claim.plan != wanted.plan
    if of_another or claim.of != wanted.shards or claim.number > wanted.shards:
        raise UsageError(
            f"{path}: shard {claim.number}/{claim.of} of another plan",
            remedy="judge the shards of one plan: make it once, and collect every shard by it",
        )
    if header.manifest.commit != wanted.commit:
        raise UsageError(
            f"{path}: collected at commit {header.manifest.commit or 'none'}, and the plan is of "
            f"{wanted.commit or 'none'}",
            remedy=wanted.collect_again(claim.number),
        )
    _refuse_cut(path, claim, wanted)
    return ShardFile(header.manifest, claim)


def _refuse_cut(path: Path, claim: ShardClaim, wanted: Wanted) -> None:
    lines, content = count_and_hash(path)
    if (lines, content) == (claim.lines, claim.content):
        return
    what = (
        f"{lines} outputs, and its head says {claim.lines}"
        if lines != claim.lines
        else "its outputs are not those that its head was written for"
    )
    raise DatasetError(f"{path}: half a shard: {what}", remedy=wanted.collect_again(claim.number))


def refuse_version(version: str, what: str) -> None:
    """Raise where something was made by another ragate.

    Args:
        what: It, with its verb.

    Raises:
        UsageError: names both versions.
    """
    if version != __version__:
        raise UsageError(
            f"{what} by ragate {version or 'of no version'}, and this is {__version__}",
            remedy="plan, collect and decide with one version of ragate",
        )


def refuse_unfit(parts: Mapping[Path, ShardFile], wanted: Wanted) -> None:
    """Raise where two files are one shard, of two plans, or were asked unlike often.

    Raises:
        UsageError: names both files.
    """
    first: dict[tuple[int, int], Path] = {}
    for path, part in parts.items():
        claim = part.claim
        other = first.setdefault((claim.number, claim.attempt), path)
        if other != path:
            raise UsageError(
                f"{path}: shard {claim.number}/{claim.of} a second time, after {other}",
                remedy="give every shard once: another draw of the same questions is not added",
            )
        begun, to_fit = next((path, part.claim) for path, part in parts.items())
        if claim.plan != to_fit.plan:
            raise UsageError(
                f"{path}: shard {claim.number}/{claim.of} of another plan than {begun}",
                remedy="judge the shards of one plan: of one commit, policy and system",
            )
        if claim.full != to_fit.full:
            raise UsageError(
                f"{path}: asked {claim.full} times, and {begun} {to_fit.full} times",
                remedy=wanted.collect_again(claim.number),
            )
