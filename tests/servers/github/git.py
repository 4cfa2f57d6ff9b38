"""The git half of the GitHub stub: a bare repository, read and written by git itself."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
import threading
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_WHO = "octocat <octocat@example.org> 1795168800 +0000"
_TREE = "40000"  # the mode of a folder
_ROW = re.compile(rb"(\d+) ([^\0]+)\0(.{20})", re.DOTALL)


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
            self.run("init", "--quiet", "--bare", "--initial-branch=main", "--template=", ".")

    def run(self, *arguments: str) -> bytes:
        """Return what git prints; `CalledProcessError` where it refuses."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
            timeout=30,
            env=self._environ(),
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
        return self._write("blob", content)

    def _write(self, kind: str, content: bytes) -> str:
        """Write a loose object as git does, without a process for each."""
        whole = b"%s %d\0%s" % (kind.encode(), len(content), content)
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
        entries = {name: (mode, sha) for mode, name, sha in self._entries(base)}
        folders = defaultdict[str, dict[str, str | None]](dict)
        for path, sha in blobs.items():
            name, below, rest = path.partition("/")
            if below:
                folders[name][rest] = sha
            elif sha:
                mode, sha = f"100644 {sha}".split()[-2:]
                entries[name] = mode, sha
            else:
                entries.pop(name, None)
        for name, inside in folders.items():
            tree = self.tree_with(entries.pop(name, ("", ""))[1], inside)
            if self.read(tree):
                entries[name] = _TREE, tree
        rows = sorted((name + "/" * (mode == _TREE), name) for name, (mode, _) in entries.items())
        return self._write("tree", b"".join(_row(name, *entries[name]) for _, name in rows))

    def commit(self, tree: str, parents: Sequence[str], message: str = "a change") -> str:
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {_WHO}", f"committer {_WHO}", "", message, ""]
        return self._write("commit", "\n".join(lines).encode())

    def parents(self, sha: str) -> list[str]:
        head, _, _ = self.object(sha)[2].decode().partition("\n\n")
        return [line[7:] for line in head.splitlines() if line.startswith("parent ")]

    def tree_of(self, sha: str) -> str:
        return self.resolve(f"{sha}^{{tree}}")

    def _entries(self, tree: str) -> list[tuple[str, str, str]]:
        """Return mode, name and sha of what is in a tree or a commit ("" for none)."""
        rows = _ROW.findall(self.read(f"{tree}^{{tree}}"))
        return [(mode.decode(), name.decode(), sha.hex()) for mode, name, sha in rows]

    def listed(self, tree: str, *, recursive: bool = False, folder: str = "") -> list[Entry]:
        entries = []
        for mode, name, sha in self._entries(tree):
            _, kind, content = self.object(sha)
            size = len(content) if kind == "blob" else 0
            entries.append(Entry(folder + name, mode.zfill(6), kind or "commit", sha, size))
            if recursive and kind == "tree":
                entries += self.listed(sha, recursive=True, folder=f"{folder}{name}/")
        return entries

    def entry(self, ref: str, path: str) -> Entry | None:
        folder = path[: path.rfind("/") + 1]
        found = self.listed(self.object(f"{ref}:{folder}")[0], folder=folder)
        return next((each for each in found if each.path == path), None)

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


def _row(name: str, mode: str, sha: str) -> bytes:
    return f"{mode} {name}\0".encode() + bytes.fromhex(sha)
