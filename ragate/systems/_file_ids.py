"""The path of a file as the id of its document: the same on every machine."""

from pathlib import Path, PurePosixPath

from ragate.systems._output import OutputError


def file_id(path: str, folder: str, root: Path, *, where: str) -> str:
    """Return `path` relative to `folder`, with ``/`` between its parts.

    An index may have been made on another machine, where the project lay elsewhere: then what
    follows the folder's name in the path counts, where that file is here if there are several.

    Args:
        path: As a loader tells it: absolute, or relative to where it ran.
        folder: Below `root`; "" means `root`, and a path outside it stays as it is.
        where: What holds the path, for the message.

    Raises:
        OutputError: the path does not lead through the folder.
    """
    file = PurePosixPath(path.removeprefix("file://").replace("\\", "/"))
    base = PurePosixPath((root / folder).as_posix())
    if file.is_relative_to(base):
        return str(file.relative_to(base))
    if not folder:
        return path
    inner = PurePosixPath(folder.replace("\\", "/")).parts
    names, length = file.parts, len(inner)
    starts = [at for at in range(len(names) - length) if names[at : at + length] == inner]
    ends = [PurePosixPath(*names[at + length :]) for at in starts]
    if not ends:
        raise OutputError(
            f"{where} is {path!r}, which is not below {folder!r} ([system] doc_id_relative_to)"
        )
    return str(next((end for end in ends if (root / folder / end).is_file()), ends[-1]))
