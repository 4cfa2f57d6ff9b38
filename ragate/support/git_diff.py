"""What of the work tree differs from a commit that somebody names."""

from pathlib import Path

from ragate.support.git import answer


def commit_of(top: Path, name: str) -> str:
    """Return the full sha of a commit, branch or tag, "" where there is none of that name."""
    wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return (answer(top, *wanted) or "") if name and "\0" not in name else ""


def merge_base(top: Path, commit: str) -> str:
    """Return the last commit that HEAD shares with `commit`, "" where there is none here."""
    return answer(top, "merge-base", "HEAD", commit) or ""


def changed_paths(top: Path, commit: str, path: str) -> list[str] | None:
    """Return the files below `path` that are not as at a commit; None where git cannot tell.

    New files count, unless they are ignored. Paths are from the repository's top.
    """
    literal = f":(top,literal){path}"
    diff = answer(
        top, "diff", "--no-ext-diff", "--no-renames", "--name-only", "-z", commit, "--", literal
    )
    others = answer(top, "ls-files", "-z", "--others", "--exclude-standard", "--", literal)
    if diff is None or others is None:
        return None
    return sorted({name for name in f"{diff}\0{others}".split("\0") if name})
