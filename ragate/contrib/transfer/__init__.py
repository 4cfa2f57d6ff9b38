"""The built-in RAG's index carried to another machine.

`index_file.py` is the format of the file, `transfer.py` goes from the tables to it and back,
`streams.py` lets it be standard input or output, and `command.py` is `ragate index`.
"""

from ragate.extension import Extension

EXTENSION = Extension(
    "transfer",
    commands={
        "index": (
            "ragate.contrib.transfer.command:command",
            "Dump or restore the built-in RAG's index.",
        ),
    },
)
