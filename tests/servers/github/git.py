"""The git half of the GitHub stub: a bare repository, read and written by git itself."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import threading
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_WHO = {
    "GIT_AUTHOR_NAME": "octocat",
    "GIT_AUTHOR_EMAIL": "octocat@example.org",
    "GIT_COMMITTER_NAME": "octocat",
    "GIT_COMMITTER_EMAIL": "octocat@example.org",
    "GIT_AUTHOR_DATE": "2026-11-20T10:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-20T10:00:00Z",
}
_TREE = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)


@dataclass(frozen=True)
class Entry:
    """One line of a tree."""

    path: str
    mode: str
    type: str
    sha: str
    size: int


class GitStore:
    """The objects and branches of a repository; `folder` may be pushed to and cloned from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._reader: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        if not (folder / "HEAD").exists():
            folder.mkdir(parents=True, exist_ok=True)
            self.run("init", "--quiet", "--bare", "--initial-branch=main", ".")

    def run(
        self, *arguments: str, content: bytes = b"", environ: Mapping[str, str] | None = None
    ) -> bytes:
        """Return what git prints; `CalledProcessError` where it refuses."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            input=content,
            capture_output=True,
            check=True,
            timeout=30,
            env={**self._environ(), **_WHO, **(environ or {})},
        )
        return done.stdout

    def _environ(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder)}

    def object(self, name: str) -> tuple[str, str, bytes]:
        """Return the sha, type and content of an object, empty where there is none.

        One process answers for all of them, until `close`.
        """
        with self._lock:
            reader = self._reader = self._reader or subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self._environ(),
            )
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdin.write(name.replace("\n", " ").encode() + b"\n")
            reader.stdin.flush()
            sha, _, facts = reader.stdout.readline().decode().partition(" ")
            kind, _, size = facts.strip().partition(" ")
            if not size.isdigit():
                return "", "", b""
            return sha, kind, reader.stdout.read(int(size) + 1)[:-1]

    def close(self) -> None:
        """End the process that reads objects."""
        with self._lock:
            if self._reader is not None:
                self._reader.communicate()
                self._reader = None

    def resolve(self, ref: str) -> str:
        """Return the full sha of a commit, tree, branch or tag, "" where there is none."""
        return self.object(f"{ref}^{{}}")[0]

    def blob(self, content: bytes) -> str:
        """Write a loose object as git does, without a process for each file."""
        whole = b"blob %d\0%s" % (len(content), content)
        sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        path = self.folder / "objects" / sha[:2] / sha[2:]
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(zlib.compress(whole, 1))
            Path(file.name).rename(path)
        return sha

    def tree_with(self, base: str, blobs: Mapping[str, str | None]) -> str:
        """Return the tree `base` ("" for none) with these paths replaced; None removes one.

        A sha alone is a file's; ``120000 <sha>`` is a link, ``160000 <sha>`` a submodule.
        """
        with tempfile.TemporaryDirectory() as folder:
            environ = {"GIT_INDEX_FILE": f"{folder}/index"}
            if base:
                self.run("read-tree", base, environ=environ)
            lines = [
                f"{sha if ' ' in sha else f'100644 {sha}'}\t{path}"
                if sha
                else f"0 {'0' * 40}\t{path}"
                for path, sha in blobs.items()
            ]
            listed = "\n".join([*lines, ""]).encode()
            self.run("update-index", "--index-info", content=listed, environ=environ)
            return self.run("write-tree", environ=environ).decode().strip()

    def commit(self, tree: str, parents: Sequence[str], message: str = "a change") -> str:
        told = [word for parent in parents for word in ("-p", parent)]
        return self.run("commit-tree", tree, *told, "-m", message).decode().strip()

    def parents(self, sha: str) -> list[str]:
        head, _, _ = self.object(sha)[2].decode().partition("\n\n")
        return [line[7:] for line in head.splitlines() if line.startswith("parent ")]

    def tree_of(self, sha: str) -> str:
        return self.resolve(f"{sha}^{{tree}}")

    def listed(self, tree: str, *, recursive: bool = False) -> list[Entry]:
        flags = ["-r", "-t"] if recursive else []
        lines = self.run("ls-tree", "-z", "--long", *flags, tree).decode().split("\0")
        return [_entry(line) for line in lines if line]

    def entry(self, ref: str, path: str) -> Entry | None:
        folder, _, name = path.rpartition("/")
        for mode, one, sha in _TREE.findall(self.object(f"{ref}:{folder}")[2]):
            if one.decode() == name:
                _, kind, content = self.object(sha.hex())
                size = len(content) if kind == "blob" else 0
                return Entry(path, mode.decode().zfill(6), kind or "commit", sha.hex(), size)
        return None

    def read(self, sha: str) -> bytes:
        return self.object(sha)[2]

    def move(self, branch: str, new: str, old: str = "") -> bool:
        """Move or make a branch; False where it is no longer at `old`."""
        return self.move_ref(f"refs/heads/{branch}", new, old)

    def move_ref(self, ref: str, new: str, old: str = "") -> bool:
        """Move or make any ref; False where it is no longer at `old`."""
        try:
            self.run("update-ref", ref, new, old or "0" * 40)
        except subprocess.CalledProcessError:
            return False
        return True

    def is_ancestor(self, old: str, new: str) -> bool:
        try:
            self.run("merge-base", "--is-ancestor", old, new)
        except subprocess.CalledProcessError:
            return False
        return True

    def are_related(self, one: str, other: str) -> bool:
        try:
            self.run("merge-base", one, other)
        except subprocess.CalledProcessError:
            return False
        return True

    def changed(self, base: str, head: str) -> list[tuple[str, str]]:
        """Return (status letter, path) of the files that differ since the merge base."""
        names = self.run("diff", "--name-status", "--no-renames", "-z", f"{base}...{head}")
        words = names.decode().split("\0")[:-1]
        return list(zip(words[::2], words[1::2], strict=True))

    def patch(self, base: str, head: str, path: str) -> str:
        text = self.run("diff", f"{base}...{head}", "--", path).decode()
        return text[text.index("@@") :].rstrip("\n") if "@@" in text else ""


def _entry(line: str) -> Entry:
    facts, _, path = line.partition("\t")
    mode, kind, sha, size = facts.split()
    return Entry(path, mode, kind, sha, 0 if size == "-" else int(size))
