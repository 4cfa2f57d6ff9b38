"""Whether the default branch has to record its baseline anew, and why."""

import asyncio
import tempfile
from pathlib import Path

from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.dataset import read_dataset
from ragate.errors import RagateError
from ragate.github.commits.base_commit import Base
from ragate.github.commits.commit_tree import tree_of
from ragate.github.commits.policy_files import policy_files
from ragate.github.commits.relevance import can_reach
from ragate.github.gate.step_context import StepContext
from ragate.github.gate.two_verdicts import measures_alike
from ragate.github.modes.push_range import Push, pushed
from ragate.models import Run
from ragate.pipeline.decide.unaffected_verdict import describe_system

_TIMED = ("latency", "first_token")  # a baseline holds no times: they are of a machine
UNTOLD = "what the push changed cannot be told: no earlier commit, a forced push, or no token"


def why_due(
    context: StepContext, config: Config, baseline: Run | None, root: Path, head: str
) -> str:
    """Return what the baseline does not hold any more, "" where it is up to date."""
    if baseline is None:
        return "there is none yet"
    if baseline.manifest.merged is not None:
        return "it was merged of two recordings"
    hashes = {sample.id: content_hash(sample) for sample in read_dataset(config.dataset)}
    if {record.sample_id: record.content_hash for record in baseline.records} != hashes:
        return "the golden set changed"
    gated = config.policy.gated
    units = {key: info.unit for key, info in baseline.manifest.metrics.items()}
    if new := sorted(name for name in gated - units.keys() if not name.startswith(_TIMED)):
        return f"it has no {new[0]}"
    nightly = context.event.name == "schedule"
    push = Push("", []) if nightly else pushed(context, root, head)
    if not nightly and not push.before:
        return UNTOLD
    if not nightly and _measures_otherwise(context, config, root, push):
        return "the policy measures otherwise"
    info = asyncio.run(describe_system(config, context.operations(commit=head)))
    if info is not None and info.fingerprint:
        same = info.fingerprint == baseline.manifest.system.fingerprint
        return "" if same else "the system changed"
    return "" if nightly else _by_files(context, config, root, head, push)


def _measures_otherwise(context: StepContext, config: Config, root: Path, push: Push) -> bool:
    """Whether the push changed what is measured, or how: the judge, metrics, what is stored."""
    with tempfile.TemporaryDirectory(prefix="ragate-before-") as folder:
        try:
            tree = tree_of(push.before, root, context.repository)
            before = policy_files(tree, context.location(root), Path(folder).resolve())
        except RagateError:
            return True
        return before is None or not measures_alike(before, config)


def _by_files(context: StepContext, config: Config, root: Path, head: str, push: Push) -> str:
    """Judge by the files of the push, where the system cannot tell what it is made of."""
    if push.changed is None:
        return (
            "what the push changed cannot be told (no earlier commit, a forced push, or no token)"
        )
    location = context.location(root)
    if location.path in push.changed:
        return f"{location.name} changed"
    patterns = config.policy.inputs
    base = Base(push.before, head, head, trusted=False)
    if patterns and not can_reach(
        push.changed, config, location, base=base, root=root, repository=context.repository
    ):
        return ""
    recorded = {location.at(config.policy.baseline)}
    if set(push.changed) <= recorded:
        return ""  # the commit with the baseline itself
    return "files of the system changed" if patterns else "[policy] inputs names no files"
