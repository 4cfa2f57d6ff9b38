"""A plan: what is asked, of which system, under which rules, and in which shard."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from pydantic import Field, ValidationError

from ragate.config import Config
from ragate.core.comparison.sample_matching import cluster_name
from ragate.core.hashing import content_hash, digest
from ragate.core.text.wording import listed
from ragate.errors import UsageError
from ragate.models import Filters, Frozen, Sample
from ragate.pipeline.decide.gate_setup import load_samples
from ragate.pipeline.run.corpus_texts import corpus_texts
from ragate.pipeline.run.relative_dates import date_of, names_today
from ragate.pipeline.run.run_profile import Selection
from ragate.runtime.operations import Operations
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_bytes
from ragate.support.git import changed_files, head_commit
from ragate.support.settings import first_fault
from ragate.support.strict_json import loads
from ragate.version import __version__

_SHOWN = 5
MOST_SHARDS = 1000
PLAN_VERSION = 1
_ANEW = "make a plan anew with `ragate plan`, and collect every shard by it"
# In the order in which one explains the next.
_PARTS = {
    "ragate_version": "version of ragate",
    "commit": "commit",
    "gate": "gate",
    "policy": "[policy]",
    "system": "[system]",
    "corpus": "corpus",
    "runs": "number of runs",
    "filters": "filters",
    "top_k": "--top-k",
    "retrieval_only": "--retrieval-only",
    "eval_date": "--eval-date",
    "samples": "golden set",
    "changed": "work tree",
}


class ShardPlan(Frozen):
    """What every shard of one run has in common.

    Attributes:
        commit: What is checked out, "" outside of git.
        changed: Hash of each file that git tracks and that is not as in `commit`, by its path.
        policy, system: Hashes of ``[policy]`` and ``[system]``.
        corpus: Hash of the documents, "" where the system does not tell them.
        runs: Passes over the samples.
        filters, top_k, retrieval_only: What part of the golden set is run, and how.
        eval_date: What ``{today}`` stands for in every shard, "" where no question names it.
        samples: By id, in the order of the golden set: content hash and number of the shard.
    """

    ragate_plan: int = PLAN_VERSION
    ragate_version: str
    gate: str
    commit: str
    changed: dict[str, str] = {}
    policy: str
    system: str
    corpus: str
    shards: int = Field(ge=1, le=MOST_SHARDS)
    runs: int = Field(ge=1, le=50)
    filters: Filters = Filters()
    top_k: int | None = Field(default=None, ge=1)
    retrieval_only: bool = False
    eval_date: str = Field(default="", pattern=r"^(\d{4}-\d{2}-\d{2})?$")
    samples: dict[str, tuple[str, int]]

    @cached_property
    def digest(self) -> str:
        """Return what names this plan: two that differ in anything have two."""
        return digest(self.model_dump(mode="json"))

    @property
    def selection(self) -> Selection:
        """Return what part of the golden set is run, and how."""
        return Selection(
            self.filters, self.top_k, self.retrieval_only, self.runs, eval_date=self.eval_date
        )

    def counts(self) -> list[int]:
        """Return the number of samples of each shard."""
        numbers = [0] * self.shards
        for _, number in self.samples.values():
            numbers[number - 1] += 1
        return numbers


def write_plan(path: Path, plan: ShardPlan) -> None:
    """Write a plan, one sample a line.

    Raises:
        StorageError: it cannot be written.
    """
    fields = plan.model_dump(mode="json")
    samples = ",\n".join(
        f"  {_dump(key)}: {_dump(value)}" for key, value in fields.pop("samples").items()
    )
    head = ",\n".join(f" {_dump(key)}: {_dump(value)}" for key, value in fields.items())
    write_atomic(path, f'{{\n{head},\n "samples": {{\n{samples}\n }}\n}}\n'.encode())


def read_plan(path: Path) -> ShardPlan:
    """Return the plan of a file, which may be anybody's.

    Raises:
        UsageError: it is no plan of this ragate; names what is wrong.
    """
    value = loads(read_bytes(path, error=UsageError), where=str(path), error=UsageError)
    if not isinstance(value, dict) or "ragate_plan" not in value:
        raise UsageError(f"{path}: no plan: it has no `ragate_plan`", remedy=_ANEW)
    if value["ragate_plan"] != PLAN_VERSION:
        raise UsageError(
            f"{path}: a plan of format {value['ragate_plan']!r}; this ragate reads {PLAN_VERSION}",
            remedy=_ANEW,
        )
    try:
        plan = ShardPlan.model_validate(value)
    except ValidationError as error:
        field, reason, _ = first_fault(error)
        raise UsageError(f"{path}: {field}: {reason}", remedy=_ANEW) from error
    for key, (_, number) in plan.samples.items():
        if not 1 <= number <= plan.shards:
            raise UsageError(
                f"{path}: sample {key!r} is in shard {number} of {plan.shards}", remedy=_ANEW
            )
    return plan


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# From configuration and golden set to a plan, and what differs between two plans.


def plan_here(
    config: Config,
    operations: Operations,
    selection: Selection,
    shards: int = 1,
    *,
    but: Sequence[Path] = (),
) -> ShardPlan:
    """Return the plan of what is checked out, with what was edited and not committed.

    Args:
        but: Files that do not count as edited.
    """
    commit = operations.commit or head_commit(config.root)
    own = (operations.state, *operations.own_files, *but)
    changed = changed_files(config.root, but=own, new=False) or {}
    return freeze_plan(config, selection, shards=shards, commit=commit, changed=changed)


def freeze_plan(
    config: Config,
    selection: Selection,
    *,
    shards: int,
    commit: str,
    changed: Mapping[str, str] = MappingProxyType({}),
) -> ShardPlan:
    """Return the plan of what is checked out.

    Args:
        changed: As in `ShardPlan`.

    Raises:
        RagateError: the golden set or the corpus cannot be read.
    """
    samples = load_samples(config, selection.filters)
    texts = corpus_texts(config, None)
    eval_date = selection.eval_date
    if not eval_date and any(names_today(sample) for sample in samples):
        eval_date = date_of("")  # every shard asks of the same day
    return ShardPlan(
        ragate_version=__version__,
        gate=config.gate,
        commit=commit,
        changed=dict(sorted(changed.items())),
        policy=policy_hash(config),
        system=digest(config.system.model_dump(mode="json")),
        corpus="" if texts is None else digest(sorted(texts.items())),
        shards=shards,
        runs=selection.runs,
        filters=selection.filters,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
        eval_date=eval_date,
        samples=placed(samples, shards, config.policy.cluster),
    )


def policy_hash(config: Config) -> str:
    """Return what names a policy: two that differ in a key have two."""
    return digest(config.policy.model_dump(mode="json"))


def refuse_other_plan(plan: ShardPlan, own: ShardPlan, *, name: str) -> None:
    """Raise where a plan is not the one of what is checked out.

    Args:
        name: Of the plan's file.

    Raises:
        UsageError: names the first part that differs, on both sides.
    """
    if plan.digest == own.digest:
        return
    for field, words in _PARTS.items():
        if getattr(plan, field) != getattr(own, field):
            raise UsageError(
                f"{name}: made for another {words}: {_how(field, plan, own)}",
                remedy="collect where the plan was made: the same commit, unchanged, and the same "
                "ragate; or make a plan anew with `ragate plan`",
            )


def _how(field: str, plan: ShardPlan, own: ShardPlan) -> str:
    """Return what differs, where a part does."""
    if field == "samples":
        return _samples(plan, own)
    if field == "changed":
        theirs, ours = plan.changed, own.changed
        paths = {path for path in {*theirs, *ours} if theirs.get(path) != ours.get(path)}
        return f"not as it was: {listed(sorted(paths), most=_SHOWN)}"
    return f"{_said(getattr(plan, field))}, here {_said(getattr(own, field))}"


def _said(value: object) -> str:
    return str(value) or "none"


def _samples(plan: ShardPlan, own: ShardPlan) -> str:
    theirs, ours = plan.samples, own.samples
    parts = {
        "lacks": [key for key in ours if key not in theirs],
        "has besides": [key for key in theirs if key not in ours],
        "has otherwise": [key for key in ours if key in theirs and theirs[key] != ours[key]],
    }
    said = [f"it {verb} {listed(keys, most=_SHOWN)}" for verb, keys in parts.items() if keys]
    return "; ".join(said)


# Which shard a sample is in: by a stable hash, so that others that come or go move none.


def shard_of(sample: Sample, shards: int, cluster: str = "") -> int:
    """Return the number of a sample's shard, from 1 to `shards`.

    Args:
        cluster: ``[policy] cluster``: samples of one cluster are in one shard.
    """
    name = cluster_name(sample, cluster) if cluster else ""
    key = ["cluster", name] if name else ["sample", sample.id]
    return int(digest(key), 16) % shards + 1


def placed(samples: Sequence[Sample], shards: int, cluster: str) -> dict[str, tuple[str, int]]:
    """Return content hash and shard of every sample, by id."""
    return {
        sample.id: (content_hash(sample), shard_of(sample, shards, cluster)) for sample in samples
    }


def divided_caps(config: Config, shards: int, number: int) -> Config:
    """Return the configuration with one shard's part of the caps on calls, money and pace.

    The parts add up to the caps: the first shards take the calls that are left over.
    """
    policy = config.policy
    calls, rest = divmod(policy.max_calls, shards)
    divided = policy.amended(
        max_calls=calls + (number <= rest),
        max_cost_usd=policy.max_cost_usd / shards,
        providers={
            name: provider.amended(calls_per_minute=provider.calls_per_minute / shards)
            for name, provider in policy.providers.items()
        },
    )
    return config.amended(policy=divided)
