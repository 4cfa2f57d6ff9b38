"""The place: the state folder, and what git does with it and with the baseline."""

from ragate.cli.finding import Finding, ok, plural, problem, warning

GIGABYTE = 1_000_000_000


def state_folder(
    name: str, *, writable: bool, ignored: bool | None, runs: int, size: int
) -> list[Finding]:
    """Say whether the state folder can be used and stays out of git.

    Args:
        ignored: Whether git ignores it; None where there is no repository, or it lies outside.
        runs, size: Number of stored runs, and their bytes.
    """
    check = "state folder"
    if not writable:
        return [
            problem(
                check,
                f"{name} cannot be written",
                "make it writable for this user, or set RAGATE_STATE_DIR to a folder that is",
                exit_code=3,
            )
        ]
    findings = [ok(check, f"{name}: writable, {plural(runs, 'stored run')}, {size / 1e6:.1f} MB")]
    if ignored is False:
        findings.append(
            warning(
                check,
                f"git does not ignore {name}, which holds full texts and a database",
                f"add the line {name}/ to .gitignore",
            )
        )
    if size > GIGABYTE:
        findings.append(
            warning(
                check,
                f"the stored runs take {size / GIGABYTE:.1f} GB",
                f"delete the folders in {name}/runs that you no longer need",
            )
        )
    return findings


def committed(path: str, *, tracked: bool | None, ignored: bool | None) -> list[Finding]:
    """Say whether git has the baseline; None where there is no repository."""
    if tracked is not False:
        return []
    if ignored:
        return [
            problem(
                "baseline",
                f"git ignores {path}, so no other machine ever sees it",
                "take the pattern out of .gitignore, and commit the file",
            )
        ]
    return [
        warning(
            "baseline",
            f"{path} is not committed: on any other machine there is no baseline",
            f"git add {path}, and commit it",
        )
    ]
