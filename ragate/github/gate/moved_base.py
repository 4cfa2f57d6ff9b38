"""Mode ``check``: whose rules decide where the base's branch has moved, or is another by now.

A workflow run keeps its event for good: run again, it judges the merge of that time, though the
pull request may have been pointed at another branch and that branch may have stricter rules.
"""

from dataclasses import replace
from pathlib import Path

from ragate.errors import RagateError
from ragate.github.commits.base_commit import Base
from ragate.github.commits.change import Change
from ragate.github.commits.merge_commit import branch_tip
from ragate.github.commits.shared_commit import other_branches, refuse_two_branches
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.repository import Repository


class SupersededError(RagateError):
    """Another run, of a newer event or of another pull request, sets this commit's status."""


def newest_base(context: StepContext, base: Base, root: Path) -> Change:
    """Return what is checked out, its base at the tip of the branch where that can be asked for.

    Raises:
        SupersededError: the checked-out merge is with another branch than the pull request's, or
            the commit is proposed to the default branch as well.
        BaseUnreadableError: it is proposed to two branches, and neither is the default one.
    """
    event, repository = context.event, context.repository
    number = event.pull.number if event.pull is not None else None
    if event.pull is None or base.trusted:
        group = event.merge_group
        branch = group.base_ref.removeprefix("refs/heads/") if group else event.default_branch
        return Change(base, branch, number, root=root)
    checked_out = Change(base, event.pull.base_ref, number, root=root)
    if repository is None:
        return checked_out
    try:
        change = _at_tip(repository, checked_out, event.pull.number)
        refs = other_branches(event, repository, base.head, change.branch)
    except GitHubApiError as error:
        context.log.warning(f"whether the base has moved could not be asked: {error.message}")
        return checked_out
    if event.default_branch in refs:
        raise SupersededError(
            f"{base.head[:7]} is also proposed to {event.default_branch!r}, whose rules decide",
            remedy="push another commit to be judged by the rules of this branch",
        )
    refuse_two_branches(base.head, change.branch, refs)
    return change


def _at_tip(repository: Repository, change: Change, number: int) -> Change:
    base = change.base
    branch = str(repository.pull(number)["base"]["ref"])
    tip = branch_tip(repository, branch)
    if not repository.is_ancestor(base.sha, tip):
        raise SupersededError(
            f"the checked-out merge is with {base.sha[:7]}, which is not of the branch {branch!r}",
            remedy="the pull request was pointed at another branch since, or that branch was "
            "rewritten: the newest run judges it, given `types: [opened, synchronize, reopened, "
            "edited]`; else push",
        )
    if tip == base.sha:
        return replace(change, branch=branch)
    warning = (
        f"{branch} has moved from {base.sha[:7]} to {tip[:7]} since this merge: the newer rules "
        "and baseline decide; update the branch to be measured together with what is new there"
    )
    return replace(change, base=replace(base, sha=tip), branch=branch, warnings=(warning,))
