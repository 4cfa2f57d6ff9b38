"""Files of outputs that are parts of one run: whether they fit, and where each output belongs."""

import datetime
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ragate.core.text.wording import count, listed
from ragate.errors import DatasetError, UsageError
from ragate.files.foreign_files import open_regular
from ragate.models import RunManifest, Sample
from ragate.outputs.outputs_file import (
    MAX_BYTES,
    OutputsHeader,
    ShardClaim,
    read_header,
)
from ragate.outputs.recorded_output import RecordedOutput

_ONE_STATE = (
    "collect every shard in one state: the same commit, unchanged, with the same options, and by "
    "the same ragate"
)
_NOT_OURS = "the file is not what `ragate collect --shard` wrote: collect it again"


@dataclass(frozen=True)
class ShardFiles:
    """The shards of one run: all of them, each once.

    Attributes:
        headers: What each file says of itself, in the order of the shards.
    """

    headers: Mapping[Path, OutputsHeader]
    _claims: dict[Path, ShardClaim] = field(default_factory=dict)
    _owners: dict[str, Path] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Return the files in the order of their shards."""
        return tuple(self.headers)

    def place(self, path: Path, where: str, line: RecordedOutput) -> int:
        """Return the pass that an output is of in the whole run.

        What follows the passes over all samples comes after what any shard asked again.

        Raises:
            DatasetError: another shard has its sample as well, or there was no such pass.
        """
        claim, run = self._claims[path], line.run
        if not line.id or run is None or run >= claim.passes:
            raise DatasetError(f"{where}: no id, or no run that there was", remedy=_NOT_OURS)
        owner = self._owners.setdefault(line.id, path)
        if owner != path:
            raise DatasetError(
                f"{where}: sample {line.id!r} is in {owner} as well: the shards overlap",
                remedy=_NOT_OURS,
            )
        return run if run < claim.full + claim.again else run + self._again - claim.again

    @cached_property
    def _again(self) -> int:
        return max(claim.again for claim in self._claims.values())

    def manifest(self, samples: Sequence[Sample]) -> RunManifest:
        """Return the manifest of the whole run, as one process would have written it."""
        manifests = [header.manifest for header in self.headers.values()]
        return manifests[0].amended(
            created=min((each.created for each in manifests), key=_time),
            missing_documents=_united([each.missing_documents for each in manifests], samples),
            earlier=(),
        )


def shards_among(paths: Sequence[Path]) -> ShardFiles | None:
    """Return files of outputs as the shards of one run; None where none of them is one.

    Raises:
        UsageError: names the file that does not fit the others, or the shard that is missing.
        DatasetError: one is not whole.
    """
    headers = {path: read_header(path) for path in paths}
    claims = {path: header.shard for path, header in headers.items() if header and header.shard}
    if not claims:
        return None
    first = next(iter(claims))
    for path in paths:
        if path not in claims:
            raise UsageError(
                f"{path}: no shard, and {first} is {_name(claims[first])} of a run",
                remedy="give `decide` all shards of one run, or runs that are whole, not both",
            )
        _refuse_other_run(path, claims[path], first, claims[first])
    order = sorted(claims, key=lambda path: claims[path].number)
    _refuse_twice_and_missing([(path, claims[path]) for path in order])
    for path in order:
        _refuse_cut(path, claims[path])
    found = {path: header for path in order if (header := headers[path])}
    return ShardFiles(found, {path: claims[path] for path in order})


def _refuse_other_run(path: Path, claim: ShardClaim, first: Path, begun: ShardClaim) -> None:
    """Raise where a shard is not of the first one's run.

    Raises:
        UsageError: names what differs, on both sides.
    """
    parts = {
        "number of shards": (str(claim.of), str(begun.of)),
        **{
            words: (claim.run.get(words, ""), begun.run.get(words, ""))
            for words in {**begun.run, **claim.run}
        },
        "number of passes": (str(claim.full), str(begun.full)),
    }
    for words, (here, there) in parts.items():
        if here != there:
            raise UsageError(
                f"{path}: {_name(claim)} of another run than {first}: another {words}, "
                f"{here or 'none'} and {there or 'none'}",
                remedy=_ONE_STATE,
            )


def _refuse_twice_and_missing(ordered: Sequence[tuple[Path, ShardClaim]]) -> None:
    """Raise where a shard comes twice, or not at all.

    Raises:
        UsageError: names both files, or the numbers that are missing.
    """
    seen: dict[int, Path] = {}
    for path, claim in ordered:
        if (other := seen.setdefault(claim.number, path)) != path:
            raise UsageError(
                f"{path}: {_name(claim)} a second time, after {other}",
                remedy="give every shard once: another draw of the same questions is not added",
            )
    of = ordered[0][1].of
    missing = [f"{number}/{of}" for number in range(1, of + 1) if number not in seen]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{count(len(missing), 'shard')} {verb} missing: {listed(missing, most=5)}",
            remedy=f"collect what is missing: ragate collect --shard {missing[0]}",
        )


def _refuse_cut(path: Path, claim: ShardClaim) -> None:
    lines, content = count_and_hash(path)
    if (lines, content) == (claim.lines, claim.content):
        return
    what = (
        f"{lines} outputs, and its head says {claim.lines}"
        if lines != claim.lines
        else "its outputs are not those that its head was written for"
    )
    raise DatasetError(
        f"{path}: half a shard: {what}",
        remedy=f"collect it again: ragate collect --shard {claim.number}/{claim.of}",
    )


def count_and_hash(path: Path) -> tuple[int, str]:
    """Return the number of lines after the first one, and the SHA-256 of their bytes."""
    lines, seen = 0, hashlib.sha256()
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        file.readline()
        for line in file:
            lines += 1
            seen.update(line)
    return lines, seen.hexdigest()


def _name(claim: ShardClaim) -> str:
    return f"shard {claim.number}/{claim.of}"


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
