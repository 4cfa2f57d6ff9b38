"""Source files that are read as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.detect.programs.script_files import manifest, script_files
from tests.unit.cli.init.init_factories import write


def test_comments_go_and_lines_keep_their_numbers(tmp_path: Path):
    write(tmp_path, {"a.js": "/* one\ntwo */\n// three\nfour();\n"})

    (file,) = script_files(tmp_path)

    assert file.text.splitlines()[3] == "four();"
    assert file.text.strip() == "four();"


def test_packages_tests_links_and_our_own_adapter_are_passed_over(tmp_path: Path):
    names = ("node_modules/x/a.js", "dist/a.js", "a.test.js", "ragate-adapter.mjs", ".x/a.js")
    write(tmp_path, {**dict.fromkeys(names, ""), "real.js": ""})
    (tmp_path / "linked.js").symlink_to(tmp_path / "real.js")

    assert [str(file.path) for file in script_files(tmp_path)] == ["real.js"]


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_a_manifest_that_cannot_be_read_is_none(tmp_path: Path, text: str):
    (tmp_path / "package.json").write_text(text)

    assert manifest(tmp_path) is None
