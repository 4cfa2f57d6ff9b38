"""The messages: fixed rules, the data, and behind it the instructions of the prompt file."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.core.hashing import digest
from ragate.core.judging.criteria import CRITERIA
from ragate.errors import ConfigError
from ragate.files.foreign_files import read_text
from ragate.files.prompt_file import PromptFile, load_prompt_file
from ragate.judges._asking import Messages
from ragate.judges.rubric._judged_sample import JudgedSample, render_data
from ragate.judges.rubric._own_criteria import OwnCriteria, instructions, schema_of
from ragate.judges.rubric._schema import (
    BESIDE_REFERENCES,
    keys_for,
    reference_instructions,
    schema_for,
)
from ragate.judges.rubric._settings import Format

VERSION = 2  # raised whenever a message or a formula changes
_KNOWN = "a prompt knows keys, mark, contexts, sentences, cited and references"


@dataclass(frozen=True)
class Prompt:
    """The fixed rules and the instructions, compiled."""

    system: str
    file: PromptFile

    @property
    def fingerprint(self) -> str:
        """Hash of version and texts."""
        return digest([VERSION, self.system, self.file.text])

    def messages(
        self,
        judged: JudgedSample,
        keys: Sequence[str],
        form: Format,
        own: OwnCriteria | None = None,
    ) -> Messages:
        """Return what is sent: only the instructions depend on what is asked."""
        data, mark = render_data(judged, numbered="reference_claims" in keys)
        blocks = [data, self._instructions(judged, keys, mark)]
        if beside := reference_instructions(keys, judged):
            blocks.append(beside)
        if own:
            blocks.append(instructions(own))
        if form != "schema":
            blocks.append(schema_in_words(keys, own))
        return (("system", self.system), ("user", "\n\n".join(blocks)))

    def _instructions(self, judged: JudgedSample, keys: Sequence[str], mark: str) -> str:
        cited = [
            {"sentence": number, "contexts": [n for n in numbers if n]}
            for number, numbers in judged.cited.items()
        ]
        return self.file.render(
            keys=[key for key in keys if key not in BESIDE_REFERENCES],
            mark=mark,
            contexts=len(judged.contexts),
            sentences=len(judged.sentences),
            cited=cited,
            references=len(judged.references),
        )


def schema_in_words(keys: Sequence[str], own: OwnCriteria | None = None) -> str:
    """Return the schema as a part of a message."""
    schema = json.dumps(schema_for(keys, schema_of(own or {})), separators=(",", ":"))
    return f"JSON schema of the object:\n{schema}"


def load_prompt(root: Path, configured: str) -> Prompt:
    """Return the prompt, tried once with every key and once with few.

    Raises:
        ConfigError: the file is absent, outside the project, or no template that can be rendered.
    """
    module = Path(__file__)
    file = load_prompt_file(
        root,
        configured,
        module.with_name("instructions.md"),
        key="[policy.judge] prompt",
        remedy=_KNOWN,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    system = read_text(module.with_name("system.md"), error=ConfigError).strip()
    prompt = Prompt(system, file)
    for judged, criteria in ((_EXAMPLE, tuple(CRITERIA)), (_BARE, ("relevancy",))):
        prompt.messages(judged, keys_for(criteria), "schema")
    return prompt


_EXAMPLE = JudgedSample("q", ("c",), ("r",), ("a [1]",), True, frozenset({1}), {1: (1,)})
_BARE = JudgedSample("q", (), (), ("a",), True, frozenset({1}), {})
