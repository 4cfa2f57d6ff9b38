"""From configuration and golden set to a plan, and what differs between two plans."""

from collections.abc import Mapping
from types import MappingProxyType

from ragate.config import Config
from ragate.core.hashing import digest
from ragate.core.text.listed_names import listed
from ragate.errors import UsageError
from ragate.pipeline.decide.gate_setup import load_samples
from ragate.pipeline.run.corpus_texts import corpus_texts
from ragate.pipeline.run.relative_dates import date_of, names_today
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.shards.shard_plan import ShardPlan
from ragate.pipeline.shards.split import placed
from ragate.version import __version__

_SHOWN = 5
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
