"""Replies to recorded model requests, handed from the job with keys to the job with the code.

They lie in the base repository, under a ref of their own for each gate and commit: only who may
write there can put them, no workflow starts from it, and they are there before the other job
begins.
"""

from ragate.github.rest.repository import Repository

NAME = "replies.jsonl.gz"


def ref_of(gate: str, sha: str) -> str:
    """Return the ref, without the leading ``refs/``."""
    return f"ragate/replies/{gate}/{sha}"


def put_replies(repository: Repository, gate: str, sha: str, content: bytes) -> None:
    """Keep the replies for one gate at one commit, in place of earlier ones."""
    blob = repository.create_blob(content)
    tree = repository.create_tree("", {NAME: blob})
    commit = repository.create_commit(f"Replies for {gate} at {sha}", tree, [])
    repository.set_ref(ref_of(gate, sha), commit)


def get_replies(repository: Repository, gate: str, sha: str) -> bytes | None:
    """Return the replies for one gate at one commit, None where there are none."""
    commit = repository.ref_sha(ref_of(gate, sha))
    return repository.contents(NAME, commit) if commit else None
