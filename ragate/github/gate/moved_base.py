"""Mode ``check``: whose rules decide where the base's branch has moved, or is another by now.

A workflow run keeps its event for good: run again, it judges the merge of that time, though the
pull request may have been pointed at another branch and that branch may have stricter rules.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragate.errors import RagateError
from ragate.github.commits.base_commit import Base
from ragate.github.commits.merge_commit import branch_tip
from ragate.github.commits.shared_commit import other_branches, refuse_two_branches
from ragate.github.gate.step_context import Context
from ragate.github.rest.api import ApiError
from ragate.github.rest.repository import Repository


class SupersededError(RagateError):
    """Another run, of a newer event or of another pull request, sets this commit's status."""


@dataclass(frozen=True)
class BaseBranch:
    """The branch that a change would land on.

    Attributes:
        base: What is judged against: the branch's newest commit, where it could be asked for.
        ref: The branch's name.
        warnings: What the reader should know of the two.
    """

    base: Base
    ref: str
    warnings: tuple[str, ...] = ()


def newest_base(context: Context, base: Base) -> BaseBranch:
    """Return the base at the tip of its branch; as checked out, where there is nobody to ask.

    Raises:
        SupersededError: the checked-out merge is with another branch than the pull request's, or
            the commit is proposed to the default branch as well.
        BaseUnreadableError: it is proposed to two branches, and neither is the default one.
    """
    event, repository = context.event, context.repository
    if event.pull is None or base.trusted:
        group = event.merge_group
        ref = group.base_ref.removeprefix("refs/heads/") if group else event.default_branch
        return BaseBranch(base, ref)
    if repository is None:
        return BaseBranch(base, event.pull.base_ref)
    try:
        branch = _asked(repository, event.pull.number, base)
        others = other_branches(event, repository, base.head, branch.ref)
    except ApiError as error:
        context.log.warning(f"whether the base has moved could not be asked: {error.message}")
        return BaseBranch(base, event.pull.base_ref)
    if event.default_branch in others:
        raise SupersededError(
            f"{base.head[:7]} is also proposed to {event.default_branch!r}, whose rules decide",
            remedy="push another commit to be judged by the rules of this branch",
        )
    refuse_two_branches(base.head, branch.ref, others)
    return branch


def _asked(repository: Repository, number: int, base: Base) -> BaseBranch:
    ref = str(repository.pull(number)["base"]["ref"])
    tip = branch_tip(repository, ref)
    if not repository.is_ancestor(base.sha, tip):
        raise SupersededError(
            f"the checked-out merge is with {base.sha[:7]}, which is not of the branch {ref!r}",
            remedy="the pull request was pointed at another branch since, or that branch was "
            "rewritten: the newest run judges it, given `types: [opened, synchronize, reopened, "
            "edited]`; else push",
        )
    if tip == base.sha:
        return BaseBranch(base, ref)
    told = (
        f"{ref} has moved from {base.sha[:7]} to {tip[:7]} since this merge: the newer rules and "
        "baseline decide; update the branch to be measured together with what is new there"
    )
    return BaseBranch(replace(base, sha=tip), ref, (told,))
