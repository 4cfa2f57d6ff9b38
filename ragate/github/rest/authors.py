"""Whose change a pull request is, where the policy lets nobody accept their own drops."""

from ragate.config import Policy
from ragate.github.rest.git_database import Json
from ragate.github.rest.repository import Repository

NOBODY: frozenset[str] = frozenset()


def without_own(policy: Policy, repository: Repository, number: int) -> frozenset[str]:
    """Return whose accepts do not count on a pull request: its authors, where they may not.

    Who opened it is an author, and so is who wrote a commit of it that is no merge: a pull request
    of a bot or of a colleague may hold one's own commits.
    """
    if policy.accept_own:
        return NOBODY
    people = [login_in(repository.pull(number))]
    for commit in repository.pull_commits(number):
        if len(commit.get("parents") or []) < 2:
            people += [login_in(commit, "author"), login_in(commit, "committer")]
    return frozenset(filter(None, people))


def login_in(content: Json, role: str = "user") -> str:
    """Return the login of somebody that a comment, a pull request or a commit names, or ""."""
    person = content.get(role)
    return str(person.get("login", "")) if isinstance(person, dict) else ""
