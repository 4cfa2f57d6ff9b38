"""The file of one shard: what it says of itself, and why it is refused."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatasetError, UsageError
from ragate.models import RunManifest
from ragate.outputs.outputs_file import read_header
from ragate.outputs.outputs_header import ShardClaim
from ragate.pipeline.shards.shard import count_and_hash
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.version import __version__

RERUN = "run the failed jobs of the collecting workflow again: what they collect completes this run"


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
