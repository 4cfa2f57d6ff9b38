"""Files, trees, commits and branches."""

from __future__ import annotations

import base64

from tests.servers.github.answers import Routes, not_found, refused, whole
from tests.servers.github.state import Account, GitHub, Json, Reply, Seen

LARGEST_INLINE = 1024 * 1024
LARGEST_RAW = 100 * 1024 * 1024
ROUTES = Routes()


@ROUTES("GET", "/contents/{rest}")
def contents(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    ref, path = seen.query.get("ref", github.default_branch), at[0].strip("/")
    sha = github.git.resolve(ref)
    entry = github.git.entry(sha, path) if sha and path else None
    if not sha or (path and entry is None):
        return not_found()
    if entry is None or entry.type == "tree":
        listed = github.git.listed(entry.sha if entry else sha)
        start = f"{path}/" if path else ""
        return Reply(
            200,
            [_file(github, f"{start}{one.path}", one.sha, one.size, one.type) for one in listed],
        )
    content = github.git.read(entry.sha)
    if len(content) > LARGEST_RAW:
        return refused(403, "This API returns blobs up to 100 MB in size.")
    if ".raw" in seen.headers.get("accept", ""):
        return Reply(200, raw=content, headers={"content-type": github.raw_type})
    inline = len(content) <= LARGEST_INLINE
    text = base64.encodebytes(content).decode() if inline else ""
    ours = {"content": text, "encoding": "base64" if inline else "none"}
    return Reply(200, _file(github, path, entry.sha, entry.size, "blob") | ours)


def _file(github: GitHub, path: str, sha: str, size: int, kind: str) -> Json:
    shown = {"blob": "file", "tree": "dir", "commit": "submodule"}[kind]
    ours = {"path": path, "name": path.rpartition("/")[2], "sha": sha, "size": size, "type": shown}
    return whole(github, "content-file", ours)


@ROUTES("GET", "/git/commits/{}")
def git_commit(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    sha = github.git.resolve(at[0])
    return Reply(200, _commit(github, sha)) if sha else not_found()


def _commit(github: GitHub, sha: str) -> Json:
    link = f"{github.url}/repos/{github.name}/git"
    parents = [
        {"sha": one, "url": f"{link}/commits/{one}", "html_url": f"https://github.com/{one}"}
        for one in github.git.parents(sha)
    ]
    tree = github.git.tree_of(sha)
    ours = {"sha": sha, "tree": {"sha": tree, "url": f"{link}/trees/{tree}"}, "parents": parents}
    return whole(github, "git-commit", ours)


@ROUTES("GET", "/git/trees/{}")
def git_tree(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    sha = github.git.tree_of(at[0])
    if not sha:
        return not_found()
    return Reply(200, _tree(github, sha, recursive="recursive" in seen.query))


def _tree(github: GitHub, sha: str, *, recursive: bool = False) -> Json:
    link = f"{github.url}/repos/{github.name}/git"
    entries = [
        {"path": one.path, "mode": one.mode, "type": one.type, "sha": one.sha}
        | {"url": f"{link}/{one.type}s/{one.sha}"}
        | ({"size": one.size} if one.type == "blob" else {})
        for one in github.git.listed(sha, recursive=recursive)
    ]
    return {"sha": sha, "url": f"{link}/trees/{sha}", "tree": entries, "truncated": False}


@ROUTES("POST", "/git/blobs", writes="contents")
def create_blob(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    body = seen.json()
    given = body["content"]
    content = base64.b64decode(given) if body.get("encoding") == "base64" else given.encode()
    sha = github.git.blob(content)
    return Reply(201, {"sha": sha, "url": f"{github.url}/repos/{github.name}/git/blobs/{sha}"})


@ROUTES("POST", "/git/trees", writes="contents")
def create_tree(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    body = seen.json()
    base = github.git.tree_of(body["base_tree"]) if body.get("base_tree") else ""
    sha = github.git.tree_with(base, {one["path"]: one["sha"] for one in body["tree"]})
    return Reply(201, _tree(github, sha))


@ROUTES("POST", "/git/commits", writes="contents")
def create_commit(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    body = seen.json()
    sha = github.git.commit(body["tree"], body.get("parents", []), body["message"])
    return Reply(201, _commit(github, sha))


@ROUTES("GET", "/git/ref/{rest}")
def git_ref(github: GitHub, _seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    sha = github.git.resolve(f"refs/{at[0]}")
    return Reply(200, _ref(github, at[0], sha)) if sha else not_found()


def _ref(github: GitHub, name: str, sha: str) -> Json:
    link = f"{github.url}/repos/{github.name}/git"
    target = {"sha": sha, "type": "commit", "url": f"{link}/commits/{sha}"}
    ours = {"ref": f"refs/{name}", "url": f"{link}/refs/{name}", "object": target}
    return whole(github, "git-ref", ours)


@ROUTES("POST", "/git/refs", writes="contents")
def create_ref(github: GitHub, seen: Seen, _at: tuple[str, ...], _: Account) -> Reply:
    body = seen.json()
    name = body["ref"].removeprefix("refs/")
    if not body["ref"].startswith("refs/") or name.count("/") < 1:
        return refused(422, "Reference name must start with refs and have two slashes")
    if not github.git.move_ref(body["ref"], body["sha"]):
        return refused(422, "Reference already exists")
    return Reply(201, _ref(github, name, body["sha"]))


@ROUTES("PATCH", "/git/refs/{rest}", writes="contents")
def update_ref(github: GitHub, seen: Seen, at: tuple[str, ...], _: Account) -> Reply:
    body, ref = seen.json(), f"refs/{at[0]}"
    old = github.git.resolve(ref)
    if not old:
        return refused(422, "Reference does not exist")
    if not body.get("force") and not github.git.is_ancestor(old, body["sha"]):
        return refused(422, "Update is not a fast forward")
    github.git.move_ref(ref, body["sha"], old)
    return Reply(200, _ref(github, at[0], body["sha"]))
