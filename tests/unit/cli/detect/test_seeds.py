"""What fills a database or an index before the first question."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.seeds import find_seeds
from tests.unit.cli.init.init_factories import write


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("Makefile", "all:\n\nseed: install\n\tpython seed.py\nindex := 3\n", "make seed"),
        ("package.json", '{"scripts": {"start": "x", "ingest": "tsx i.ts"}}', "npm run ingest"),
        ("compose.yaml", "services:\n  seed:\n    build: .\n", "docker compose run --rm seed"),
    ],
)
def test_the_step_is_found(tmp_path: Path, name: str, text: str, command: str):
    write(tmp_path, {name: text})

    assert find_seeds(tmp_path, tmp_path) == (command,)


def test_the_makefile_of_a_repository_serves_a_project_below_it(tmp_path: Path):
    write(tmp_path, {"Makefile": "seed:\n\ttrue\n", "apps/help/app.py": ""})

    assert find_seeds(tmp_path / "apps/help", tmp_path) == ("make -C ../.. seed",)


def test_what_is_no_file_of_that_kind_gives_none(tmp_path: Path):
    write(tmp_path, {"package.json": "[", "Makefile": "run:\n\ttrue\n"})

    assert find_seeds(tmp_path, tmp_path) == ()
