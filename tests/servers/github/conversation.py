"""Comments, statuses, people, pull requests and workflow runs."""

from __future__ import annotations

from tests.servers.github.answers import Routes, invalid, not_found, page, refused, whole
from tests.servers.github.state import Account, GitHub, Json, Reply, Seen, account

LONGEST_COMMENT = 65_536
LONGEST_DESCRIPTION = 140
_STATES = ("error", "failure", "pending", "success")
_STATUS_OF = {"A": "added", "D": "removed", "M": "modified"}
ROUTES = Routes()


@ROUTES("GET", "/user")
def user(github: GitHub, seen: Seen, _: tuple[str, ...], who: Account) -> Reply:
    if not who.asks_who:
        return refused(403, "Resource not accessible by integration")
    return Reply(200, whole(github, "public-user", account(who.login, who.kind)))


# Comments.


def comment_of(github: GitHub, comment_id: str) -> Json | None:
    found = (one for each in github.comments.values() for one in each)
    return next((one for one in found if str(one["id"]) == comment_id), None)


@ROUTES("GET", "/issues/{}/comments")
def comments(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.comments[int(at[0])]
    return page(github, seen, [whole(github, "issue-comment", one) for one in found])


@ROUTES("POST", "/issues/{}/comments", writes="pulls")
def create_comment(github: GitHub, seen: Seen, at: tuple[str, ...], who: Account) -> Reply:
    body = seen.json().get("body", "")
    if not body or len(body) > LONGEST_COMMENT:
        return invalid("Body is too long (maximum is 65536 characters)")
    made = github.add_comment(int(at[0]), body, who.login, who.kind)
    return Reply(201, whole(github, "issue-comment", made), {"location": made["url"]})


@ROUTES("PATCH", "/issues/comments/{}", writes="pulls")
def update_comment(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = comment_of(github, at[0])
    if found is None:
        return not_found()
    body = seen.json()["body"]
    if not body or len(body) > LONGEST_COMMENT:
        return invalid("Body is too long (maximum is 65536 characters)")
    found["body"] = body
    found["updated_at"] = "2026-11-20T11:00:00Z"
    return Reply(200, whole(github, "issue-comment", found))


@ROUTES("DELETE", "/issues/comments/{}", writes="pulls")
def delete_comment(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = comment_of(github, at[0])
    if found is None:
        return not_found()
    for each in github.comments.values():
        each[:] = [one for one in each if one is not found]
    return Reply(204)


# The state of a commit, and people.


@ROUTES("POST", "/statuses/{}", writes="statuses")
def set_status(github: GitHub, seen: Seen, at: tuple[str, ...], who: Account) -> Reply:
    body = seen.json()
    if body["state"] not in _STATES or len(body.get("description") or "") > LONGEST_DESCRIPTION:
        return invalid("description is too long (maximum is 140 characters)", "description")
    given = {key: body.get(key) for key in ("state", "description", "target_url")}
    made = {"id": github.new_id(), "context": body.get("context", "default"), **given}
    made["creator"] = account(who.login, who.kind)
    made["created_at"] = github.now()
    github.statuses[at[0]].append(made)
    return Reply(201, whole(github, "status", made))


@ROUTES("GET", "/commits/{}/statuses")
def statuses(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = reversed(github.statuses[at[0]])
    return page(github, seen, [whole(github, "status", one) for one in found])


@ROUTES("GET", "/collaborators/{}/permission")
def permission(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    if at[0] not in github.permissions:
        return not_found()
    given = github.permissions[at[0]]
    person = account(at[0]) | {"role_name": given}
    found = {"permission": given, "role_name": given, "user": person}
    return Reply(200, whole(github, "repository-collaborator-permission", found))


# Pull requests.


@ROUTES("GET", "/pulls/{}")
def pull(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.pulls.get(int(at[0]))
    return Reply(200, whole(github, "pull-request", found)) if found else not_found()


@ROUTES("GET", "/pulls")
def pulls(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    head, state = seen.query.get("head", ""), seen.query.get("state", "open")
    found = [
        whole(github, "pull-request-simple", one)
        for one in github.pulls.values()
        if state in ("all", one["state"]) and head in ("", one["head"]["label"])
    ]
    return page(github, seen, found)


@ROUTES("GET", "/pulls/{}/commits")
def commits_of_pull(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.pulls.get(int(at[0]))
    if found is None:
        return not_found()
    span = f"{found['base']['sha']}..{found['head']['sha']}"
    shas = github.git.run("rev-list", "--reverse", span).decode().split()[:250]  # as GitHub does
    listed = [
        whole(
            github,
            "commit",
            {
                "sha": sha,
                "author": account(github.authors.get(sha, found["user"]["login"])),
                "committer": account("web-flow"),
                "parents": [
                    {"sha": one, "url": f"{github.url}/{one}", "html_url": f"{github.url}/{one}"}
                    for one in github.git.parents(sha)
                ],
            },
        )
        for sha in shas
    ]
    return page(github, seen, listed)


@ROUTES("GET", "/commits/{}/pulls")
def pulls_of_commit(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    def brought(one: Json) -> bool:
        # A fork's commit is in another repository: GitHub lists none of its pull requests here.
        own = (one["head"]["repo"] or {}).get("id") == one["base"]["repo"]["id"]
        return at[0] == one.get("merge_commit_sha") or (own and at[0] == one["head"]["sha"])

    found = [
        whole(github, "pull-request-simple", one) for one in github.pulls.values() if brought(one)
    ]
    return page(github, seen, found)


@ROUTES("POST", "/pulls", writes="pulls")
def create_pull(github: GitHub, seen: Seen, _at: tuple[str, ...], who: Account) -> Reply:
    body = seen.json()
    head, base = (github.git.resolve(f"refs/heads/{body[side]}") for side in ("head", "base"))
    if not head or not base or head == base:
        return invalid("No commits between the two", "head")
    number = max(github.pulls, default=0) + 1
    made = github.add_pull(number, head=head, base=base, head_ref=body["head"], author=who.login)
    made |= {"title": body["title"], "body": body.get("body")}
    return Reply(201, whole(github, "pull-request", made))


@ROUTES("GET", "/compare/{}...{}")
def compare(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    base, head = (github.git.resolve(ref) for ref in at)
    if not base or not head or not github.git.are_related(base, head):
        return not_found()
    files = [
        whole(
            github,
            "diff-entry",
            {
                "filename": path,
                "status": _STATUS_OF.get(letter, "changed"),
                "patch": github.git.patch(base, head, path),
            },
        )
        for letter, path in github.git.changed(base, head)
    ]
    ours = {"files": files, "status": _relation(github, base, head)}
    return Reply(200, whole(github, "commit-comparison", ours))


def _relation(github: GitHub, base: str, head: str) -> str:
    if base == head:
        return "identical"
    if github.git.is_ancestor(base, head):
        return "ahead"
    return "behind" if github.git.is_ancestor(head, base) else "diverged"


# Workflow runs.


@ROUTES("GET", "/actions/runs/{}")
def run(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.runs.get(int(at[0]))
    return Reply(200, whole(github, "workflow-run", found)) if found else not_found()


@ROUTES("GET", "/actions/runs")
def runs(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    sha = seen.query.get("head_sha", "")
    found = [
        whole(github, "workflow-run", one)
        for one in sorted(github.runs.values(), key=lambda one: -int(one["id"]))
        if sha in ("", one["head_sha"])
    ]
    return page(
        github, seen, found, lambda shown: {"total_count": len(found), "workflow_runs": shown}
    )


@ROUTES("GET", "/actions/runs/{}/artifacts")
def artifacts(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    if int(at[0]) not in github.runs:
        return not_found()
    found = [
        whole(github, "artifact", one)
        for one in github.artifacts.values()
        if str(one["workflow_run"]["id"]) == at[0]
    ]
    return page(github, seen, found, lambda shown: {"total_count": len(found), "artifacts": shown})


@ROUTES("GET", "/actions/artifacts/{}/zip")
def artifact(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.artifacts.get(int(at[0]))
    if found is None:
        return not_found()
    if found["expired"]:
        return refused(410, "Artifact has expired")
    target = f"{github.storage_url}/files/{at[0]}"
    return Reply(302, headers={"location": target, "content-type": "text/html"}, raw=b"")


@ROUTES("POST", "/actions/runs/{}/rerun", writes="actions")
def rerun(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    found = github.runs.get(int(at[0]))
    if found is None:
        return not_found()
    found["run_attempt"] += 1
    return Reply(201, {})
