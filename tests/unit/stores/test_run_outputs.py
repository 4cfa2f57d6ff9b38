"""Outputs are on disk as they come."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import StorageError
from ragate.models import RunManifest, SystemInfo
from ragate.outputs.outputs_file import OutputsHeader, read_outputs
from ragate.stores.run_outputs import OutputsWriter
from tests.factories import output_factory, sample_factory


def test_outputs_are_on_disk_before_the_writer_is_closed(tmp_path: Path):
    header = OutputsHeader(manifest=RunManifest(system=SystemInfo(use="replay")))
    with OutputsWriter(tmp_path / "o.jsonl", header) as writer:
        writer.append(sample_factory(), output_factory(), run=0)

        _, lines = read_outputs(tmp_path / "o.jsonl")
        assert next(lines)[1].output() == output_factory()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_outputs_on_a_full_disk_are_one_clear_error():
    header = OutputsHeader(manifest=RunManifest(system=SystemInfo(use="replay")))

    with (
        pytest.raises(StorageError, match="cannot write: No space left"),
        OutputsWriter(Path("/dev/full"), header) as writer,
    ):
        writer.append(sample_factory(), output_factory(), run=0)
