"""A commit has one status, whichever branches it is proposed to: which branch's rules set it.

The default branch's count as the strictest. GitHub's list of a commit's own pull requests is empty
for commits of forks, so all open pull requests are looked through for the head.
Source: https://docs.github.com/rest/commits/commits#list-pull-requests-associated-with-a-commit
"""

from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.event.event import Event
from ragate.github.rest.repository import Repository


def other_branches(event: Event, repository: Repository, sha: str, branch: str) -> tuple[str, ...]:
    """Return the branches that open pull requests propose `sha` to, without `branch`.

    They are not asked for where `branch` is the default one: its rules decide in any case.

    Raises:
        GitHubApiError: the API is out.
    """
    if branch == event.default_branch:
        return ()
    refs = {
        str(pull["base"]["ref"])
        for pull in repository.open_pulls()
        if str(pull["head"]["sha"]) == sha
    }
    return tuple(sorted(refs - {branch}))


def refuse_two_branches(sha: str, branch: str, other_branches: tuple[str, ...]) -> None:
    """Raise where other branches than the default one would share a status.

    Raises:
        BaseUnreadableError: nobody can say which of their rules are the stricter ones.
    """
    if other_branches:
        raise BaseUnreadableError(
            f"{sha[:7]} is proposed to {branch!r} and to {other_branches[0]!r}: their rules may "
            "differ, and a commit has one status",
            remedy="close one of the pull requests, or push another commit to it, and run again",
        )
