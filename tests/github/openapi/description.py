"""GitHub's description of its API, cut to the calls that the action makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]

RAW_TYPE = "application/vnd.github.raw"
_HERE = "/repos/{owner}/{repo}"
CALLS: dict[str, tuple[str, ...]] = {
    "/user": ("get",),
    f"{_HERE}/issues/{{issue_number}}/comments": ("get", "post"),
    f"{_HERE}/issues/comments/{{comment_id}}": ("patch", "delete"),
    f"{_HERE}/issues/comments/{{comment_id}}/reactions": ("post",),
    f"{_HERE}/statuses/{{sha}}": ("post",),
    f"{_HERE}/commits/{{ref}}/statuses": ("get",),
    f"{_HERE}/commits/{{commit_sha}}/pulls": ("get",),
    f"{_HERE}/collaborators/{{username}}/permission": ("get",),
    f"{_HERE}/pulls": ("get", "post"),
    f"{_HERE}/pulls/{{pull_number}}": ("get",),
    f"{_HERE}/pulls/{{pull_number}}/commits": ("get",),
    f"{_HERE}/compare/{{basehead}}": ("get",),
    f"{_HERE}/contents/{{path}}": ("get", "put"),
    f"{_HERE}/git/commits": ("post",),
    f"{_HERE}/git/commits/{{commit_sha}}": ("get",),
    f"{_HERE}/git/trees": ("post",),
    f"{_HERE}/git/trees/{{tree_sha}}": ("get",),
    f"{_HERE}/git/blobs": ("post",),
    f"{_HERE}/git/refs": ("post",),
    f"{_HERE}/git/refs/{{ref}}": ("patch",),
    f"{_HERE}/git/ref/{{ref}}": ("get",),
    f"{_HERE}/actions/runs": ("get",),
    f"{_HERE}/actions/runs/{{run_id}}": ("get",),
    f"{_HERE}/actions/runs/{{run_id}}/artifacts": ("get",),
    f"{_HERE}/actions/runs/{{run_id}}/rerun": ("post",),
    f"{_HERE}/actions/artifacts/{{artifact_id}}/{{archive_format}}": ("get",),
}


def cut(description: Json) -> Json:
    """Return the description of `CALLS` alone, with all that they refer to."""
    paths = {
        path: {method: description["paths"][path][method] for method in methods}
        for path, methods in CALLS.items()
    }
    _add_raw_files(paths)
    needed: dict[str, Any] = {}
    todo: list[Any] = [paths]
    while todo:
        for name in _references(todo.pop()):
            if name not in needed:
                needed[name] = _at(description, name)
                todo.append(needed[name])
    components: Json = {}
    for name, value in needed.items():
        kind, key = name.removeprefix("#/components/").split("/", 1)
        components.setdefault(kind, {})[key] = value
    kept = {key: description[key] for key in ("openapi", "info")}
    return {**kept, "paths": paths, "components": components}


def _add_raw_files(paths: Json) -> None:
    """Allow a file's bytes as an answer: GitHub's pages name that type, its description does not.

    Without ``+json``, by which the proxy would read the bytes as JSON.
    """
    path = f"{_HERE}/contents/{{path}}"
    answer = paths[path]["get"]["responses"]["200"]
    content = answer["content"] | {RAW_TYPE: {"schema": {"type": "string"}}}
    responses = paths[path]["get"]["responses"] | {"200": {**answer, "content": content}}
    paths[path] = paths[path] | {"get": paths[path]["get"] | {"responses": responses}}


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for inner in value.values():
            yield from _references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _references(inner)


def _at(description: Json, name: str) -> Any:
    found: Any = description
    for part in name.removeprefix("#/").split("/"):
        found = found[part]
    return found


def examples(description: Json) -> dict[str, Json]:
    """Return one whole object of each kind that the stub answers with."""
    given = {name: one.get("value") for name, one in description["components"]["examples"].items()}
    return {
        "issue-comment": given["issue-comment"],
        "reaction": given["reaction"],
        "status": given["status"],
        "repository-collaborator-permission": given[
            "repository-collaborator-permission-response-if-user-has-admin-permissions"
        ],
        "pull-request": given["pull-request"],
        "pull-request-simple": given["pull-request-simple-items"][0],
        "commit-comparison": given["commit-comparison"],
        "diff-entry": given["commit-comparison"]["files"][0],
        "content-file": given["content-file-response-if-content-is-a-file"],
        "file-commit": given["file-commit-example-for-creating-a-file"],
        "git-commit": given["git-commit"],
        "git-ref": given["git-ref"],
        "workflow-run": given["workflow-run"],
        "artifact": given["artifact-paginated"]["artifacts"][0],
        "public-user": given["private-user-response-with-public-and-private-profile-information"],
    }
