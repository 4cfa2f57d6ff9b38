"""One shard of a run as it is collected: which samples it asks, and the file that it leaves.

A sample's shard is a stable hash of its id, so that others that come or go move none. Nothing is
agreed on between the jobs: each says of which run it is a part, and `decide` holds that together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.answers.corpus_texts import corpus_texts
from ragate.answers.relative_dates import date_of, names_today
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.core.comparison.sample_matching import cluster_name
from ragate.core.hashing import content_hash, digest
from ragate.core.text.wording import listed
from ragate.errors import DatasetError
from ragate.files.atomic_files import write_lines
from ragate.files.foreign_files import text_lines
from ragate.gate.gate_setup import load_samples
from ragate.models import Sample
from ragate.outputs.outputs_file import (
    MAX_BYTES,
    OutputsHeader,
    ShardClaim,
    header_line,
    read_header,
)
from ragate.outputs.shards import count_and_hash
from ragate.repository.git import changed_files, head_commit
from ragate.resources.operations import Operations
from ragate.version import __version__

_SHOWN = 3  # changed files that are named


@dataclass(frozen=True)
class Shard:
    """Part `number` of `of`, from 1.

    Attributes:
        run: The run that it is a part of, as in `ShardClaim`.
        cluster: ``[policy] cluster``: samples of one cluster are in one shard.
    """

    number: int
    of: int
    run: Mapping[str, str]
    cluster: str = ""

    def own(self, samples: Sequence[Sample]) -> Sequence[Sample]:
        """Return the samples that this shard asks, in their order."""
        return [one for one in samples if shard_of(one, self.of, self.cluster) == self.number]

    def caps(self, config: Config) -> Config:
        """Return the configuration with this shard's part of the caps on calls, money and pace.

        The parts add up to the caps: the first shards take the calls that are left over.
        """
        policy = config.policy
        calls, rest = divmod(policy.max_calls, self.of)
        divided = policy.amended(
            max_calls=calls + (self.number <= rest),
            max_cost_usd=policy.max_cost_usd / self.of,
            providers={
                name: provider.amended(calls_per_minute=provider.calls_per_minute / self.of)
                for name, provider in policy.providers.items()
            },
        )
        return config.amended(policy=divided)

    def write(self, source: Path, target: Path, *, full: int, again: int, passes: int) -> None:
        """Copy the outputs of this shard to `target`, under a head that says what they are.

        The file appears when it is whole.

        Args:
            full, again, passes: As in `ShardClaim`.

        Raises:
            StorageError: it cannot be written; a file that was there is unchanged.
        """
        lines, content = count_and_hash(source)
        written = read_header(source)
        if written is None:
            raise AssertionError(f"{source}: a run's outputs without a head")
        claim = ShardClaim(
            number=self.number,
            of=self.of,
            run=dict(self.run),
            full=full,
            again=again,
            passes=passes,
            lines=lines,
            content=content,
        )
        write_lines(target, _with_head(written.amended(shard=claim), source))


def _with_head(header: OutputsHeader, source: Path) -> Iterator[str]:
    yield header_line(header).removesuffix("\n")
    lines = text_lines(source, error=DatasetError, max_bytes=MAX_BYTES)
    next(lines, None)
    for line in lines:
        yield line.removesuffix("\n")


def shard_of(sample: Sample, shards: int, cluster: str = "") -> int:
    """Return the number of a sample's shard, from 1 to `shards`."""
    name = cluster_name(sample, cluster) if cluster else ""
    key = ["cluster", name] if name else ["sample", sample.id]
    return int(digest(key), 16) % shards + 1


def shard_here(
    config: Config, operations: Operations, selection: Selection, number: int, of: int
) -> Shard:
    """Return a shard of what is checked out.

    Raises:
        RagateError: the golden set or the corpus cannot be read.
    """
    run = _run_of(config, operations, selection)
    return Shard(number, of, run, config.policy.cluster)


def _run_of(config: Config, operations: Operations, selection: Selection) -> dict[str, str]:
    """Return what makes a run, in the order in which one part explains the next."""
    samples = load_samples(config, selection.filters)
    texts = corpus_texts(config, None)
    date = selection.eval_date
    if not date and any(names_today(sample) for sample in samples):
        date = date_of("")
    options = [selection.filters.model_dump(mode="json"), selection.retrieval_only]
    return {
        "version of ragate": __version__,
        "commit": operations.commit or head_commit(config.root),
        "gate": config.gate,
        "[policy]": digest(config.policy.model_dump(mode="json")),
        "[system]": digest(config.system.model_dump(mode="json")),
        "corpus": "" if texts is None else digest(sorted(texts.items())),
        "choice of samples or depth": digest(options),
        "number of --runs": str(selection.runs),
        "--eval-date": date,
        "golden set": digest({sample.id: content_hash(sample) for sample in samples}),
        "work tree": _edited(config, operations),
    }


def _edited(config: Config, operations: Operations) -> str:
    """Return what git tracks and is not as committed, "" for nothing."""
    own = (operations.state, *operations.own_files)
    changed = changed_files(config.root, but=own, new=False) or {}
    if not changed:
        return ""
    return f"{listed(sorted(changed), most=_SHOWN)} as {digest(changed)}"
