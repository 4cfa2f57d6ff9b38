"""Mode ``check``: run the change's system, and judge it by the base's policy."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ragate.config import Config, load_config
from ragate.dataset import read_dataset
from ragate.errors import ConfigError, DatasetError
from ragate.github.commits.base_commit import (
    Base,
    GitTree,
    Tree,
    base_of,
    refuse_side_door,
    tree_of,
)
from ragate.github.commits.changed_files import changed_files, copied_answers
from ragate.github.commits.policy_files import policy_files
from ragate.github.gate.edited_pull import KEPT, standing_verdict
from ragate.github.gate.finalise import Judgement, finished
from ragate.github.gate.moved_base import BaseBranch, SupersededError, newest_base
from ragate.github.gate.output_provenance import Origin, origin_of
from ragate.github.gate.report_edits import blank_report
from ragate.github.gate.restore import restore_passes, restore_replies
from ragate.github.gate.step_context import Context, ModeOutcome, refuse_code
from ragate.github.gate.two_verdicts import Gate, compose, trusted
from ragate.github.modes.unaffected_change import unaffected
from ragate.github.publish.annotations import explaining, sources_of
from ragate.github.publish.publish import Annotation, Target
from ragate.pipeline.line import check
from ragate.runtime.resources import Operations


def run_check(context: Context, announce: Callable[[Target], None]) -> ModeOutcome:
    """Return the verdict on what is checked out.

    Args:
        announce: Told what is judged before anything slow begins.
    """
    root = context.root()
    operations = context.operations()
    checked_out = base_of(context.event, root, own=operations.own_files)
    try:
        branch = newest_base(context, checked_out)
    except SupersededError as error:
        return _superseded(context, error)
    if (code := standing_verdict(context, branch.base)) is not None:
        context.log.plain("only the title or the text was edited: the verdict stands")
        return ModeOutcome(said=KEPT, exit_code=code)
    return _judged(context, branch, root, announce)


def _judged(
    context: Context, branch: BaseBranch, root: Path, announce: Callable[[Target], None]
) -> ModeOutcome:
    base = branch.base
    with tempfile.TemporaryDirectory(prefix="ragate-base-") as folder:
        tree = None if base.trusted else tree_of(base.sha, root, context.repository)
        gate = open_gate(context, branch, tree, root, Path(folder).resolve(), announce)
        context.hide(gate.config)
        operations = replace(context.operations(), commit=base.head)
        restore_passes(context, gate.config.gate, base.head, operations)
        restore_replies(context, gate.config.gate, base.head, operations)
        judged = _judge(context, gate, base, tree, root, operations)
        judged = replace(judged, warnings=(*branch.warnings, *judged.warnings))
        outcome = finished(context, gate, base, judged, operations)
        return replace(outcome, annotations=_annotations(context, gate, base, tree, root, outcome))


def _superseded(context: Context, reason: SupersededError) -> ModeOutcome:
    """Say why there is no verdict; the commit's status is another run's, so none is set."""
    context.log.error(str(reason), title="ragate: no verdict")
    return ModeOutcome(said="superseded", exit_code=reason.exit_code)


def open_gate(
    context: Context,
    branch: BaseBranch,
    tree: Tree | None,
    root: Path,
    folder: Path,
    announce: Callable[[Target], None],
) -> Gate:
    """Return the gate, and tell what is judged as soon as the gate's name is known."""
    place, base = context.place(root), branch.base
    policy: Config | None = None
    if tree is not None:
        policy = policy_files(tree, place, folder)
    number = context.event.pull.number if context.event.pull else None
    name = context.inputs.gate
    if policy is not None:
        context.target = Target(name or policy.gate, base.head, number)
        announce(context.target)
    elif tree is not None and context.repository is not None:
        path = place.at(place.name)
        refuse_side_door(context.event, context.repository, branch.ref, path, read=base.sha)
    head = head_config(context)
    gate = trusted(head, name=name) if tree is None else compose(policy, head, name=name)
    if context.target is None:
        context.target = Target(gate.config.gate, base.head, number)
        announce(context.target)
    return gate


def _annotations(
    context: Context, gate: Gate, base: Base, tree: Tree | None, root: Path, outcome: ModeOutcome
) -> tuple[Annotation, ...]:
    """Return remarks on the changed lines that may explain what got worse."""
    if tree is None or gate.base is None or outcome.report is None:
        return ()
    changed = changed_files(base, root, context.repository) or []
    now = GitTree(root, base.merged)
    sources = sources_of(tree.read, now.read, gate.config, context.place(root), changed)
    return explaining(outcome.report, changed, sources)


def head_config(context: Context) -> Config:
    """Return the configuration of what is checked out.

    Raises:
        ConfigError: it is absent or wrong.
    """
    path = context.config_path
    if not path.is_file():
        raise ConfigError(
            f"{path.name}: there is no such file in {context.inputs.working_directory!r}",
            remedy="`ragate init` writes one; the input config names another",
        )
    return load_config(path)


def _judge(
    context: Context,
    gate: Gate,
    base: Base,
    tree: Tree | None,
    root: Path,
    operations: Operations,
) -> Judgement:
    origin = Origin()
    if gate.base is not None and tree is not None:
        origin = origin_of(gate.base, gate.config, operations.environment)
    if origin.refused:
        return Judgement(blank_report(gate, origin.refused, origin.remedies), origin)
    refuse_code(gate.config, context.inputs)
    changed = changed_files(base, root, context.repository)
    if tree is not None and gate.proposal is None and not gate.bootstrap and not origin.other:
        found = unaffected(context, gate, base, changed, root, operations)
        if found is not None:
            return Judgement(found, origin)
    report = asyncio.run(
        check(
            gate.config,
            operations,
            context.selection(runs=context.inputs.runs or 1),
            control=context.control,
            proposal=gate.proposal,
            judge_last=context.event.run_attempt < 2,  # a re-run wants all that is missing
        )
    )
    warnings: tuple[str, ...] = ()
    if tree is not None and changed:
        warnings = _copied(context, gate, changed, tree, root)
    return Judgement(report, origin, warnings)


def _copied(
    context: Context, gate: Gate, changed: list[str], tree: Tree, root: Path
) -> tuple[str, ...]:
    try:
        samples = read_dataset(gate.config.dataset)
    except DatasetError:
        return ()
    return copied_answers(changed, gate.config, samples, tree, context.place(root))
