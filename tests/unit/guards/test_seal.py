"""What is loaded after foreign code was started is what lay there before."""

from __future__ import annotations

import importlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate.guards import seal as seals
from ragate.guards.seal import NothingNewer, Seal


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that Python searches, with a module and a package that nothing has imported."""
    folder = tmp_path / "searched"
    package = folder / "sealed_package"
    package.mkdir(parents=True)
    for file in (folder / "sealed_module.py", package / "__init__.py", package / "part.py"):
        file.write_text("VALUE = 1\n")
    monkeypatch.syspath_prepend(str(folder))
    time.sleep(0.03)  # the kernel's clock of files goes by such steps
    yield folder
    for name in [name for name in sys.modules if name.startswith("sealed_")]:
        del sys.modules[name]


@pytest.fixture
def sealed(searched: Path, monkeypatch: pytest.MonkeyPatch) -> Seal:
    seal = Seal.of_now()
    time.sleep(0.03)
    monkeypatch.setattr(sys, "meta_path", [NothingNewer(seal), *sys.meta_path])
    importlib.invalidate_caches()
    assert searched.exists()
    return seal


@pytest.mark.usefixtures("sealed")
def test_what_lay_there_is_imported_late():
    assert importlib.import_module("sealed_module").VALUE == 1
    assert importlib.import_module("sealed_package.part").VALUE == 1


@pytest.mark.usefixtures("sealed")
def test_what_python_compiled_meanwhile_is_not_run(searched: Path):
    compiled = Path(importlib.util.cache_from_source(str(searched / "sealed_module.py")))
    (searched / "sealed_module.py").with_suffix(".txt").write_text("")
    compiled.parent.mkdir()
    compiled.write_bytes(b"no code at all")

    assert importlib.import_module("sealed_module").VALUE == 1


def changed(folder: Path) -> None:
    facts = (folder / "sealed_module.py").stat()
    (folder / "sealed_module.py").write_text("VALUE = 2\n")
    os.utime(folder / "sealed_module.py", ns=(facts.st_atime_ns, facts.st_mtime_ns))


def swapped(folder: Path) -> None:
    (folder.parent / "old_module.py").rename(folder / "sealed_module.py")


def linked(folder: Path) -> None:
    (folder / "sealed_module.py").unlink()
    (folder / "sealed_module.py").symlink_to(folder.parent / "old_module.py")


def moved(folder: Path) -> None:
    (folder / "sealed_package").rename(folder.parent / "gone")
    (folder.parent / "old_package").rename(folder / "sealed_package")


def moved_whole(folder: Path) -> None:
    folder.rename(folder.parent / "gone")
    (folder.parent / "old").rename(folder)


@pytest.mark.parametrize(
    ("name", "attack"),
    [
        ("sealed_module", changed),
        ("sealed_module", swapped),
        ("sealed_module", linked),
        ("sealed_package.part", moved),
        ("sealed_module", moved_whole),
        ("sealed_package.part", moved_whole),
    ],
)
def test_what_was_written_or_moved_there_meanwhile_is_not_run(
    searched: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
    name: str,
    attack: object,
):
    old = tmp_path / "old"  # as a checkout brings it: older than the seal
    for package in (tmp_path / "old_package", old / "sealed_package"):
        package.mkdir(parents=True)
        for name_of_part in ("__init__.py", "part.py"):
            (package / name_of_part).write_text("raise SystemExit\n")
    for file in (tmp_path / "old_module.py", old / "sealed_module.py"):
        file.write_text("raise SystemExit\n")
    time.sleep(0.03)
    request.getfixturevalue("sealed")
    assert callable(attack)
    attack(searched)
    importlib.invalidate_caches()

    with pytest.raises(ImportError, match="was written while code under test ran"):
        importlib.import_module(name)


def test_a_new_name_that_is_no_modules_changes_nothing(searched: Path, sealed: Seal):
    (searched / "results").mkdir()
    (searched / "cache.py").write_text("")
    assert sealed.changes() == ""

    (searched / "json.py").write_text("")
    assert (
        sealed.changes() == f"{searched / 'json.py'} was added, which takes the place of a module"
    )


WAITS = """
import time
from ragate import process
from ragate.guards.seal import before_foreign_code
process._is_command = True
before_foreign_code()
print("sealed", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
def test_a_process_that_waits_ends_with_3_where_its_limits_are_lowered():
    with subprocess.Popen([sys.executable, "-c", WAITS], stdout=subprocess.PIPE) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == b"sealed\n"
        resource.prlimit(waiting.pid, resource.RLIMIT_NOFILE, (64, 64))
        assert waiting.wait(30) == 3


def test_a_change_at_the_end_is_no_decision_whatever_the_code_was(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(seals._process, "seal", Seal.of_now())
    monkeypatch.setattr(seals._process, "spoilt", "")
    assert seals._no_code_but_3(0) == 0
    seals.spoil("a file was changed")
    assert [seals._no_code_but_3(code) for code in (0, 1, 2, 3, 130)] == [3, 3, 3, 3, 130]
