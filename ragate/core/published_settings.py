"""The settings of a report's systems as they may leave the machine, and sentences that quote them.

A number, a switch or a model stands with its value; of any other setting the name alone.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ragate.core.plain_settings import UNSET, is_plain, plain_settings, setting_change, shortened
from ragate.core.published_sentences import WITHHELD
from ragate.models import ChangedPart, Report, SystemInfo

# A key of a configuration's diff: `top_k = 1 (was 10)`, `removed: top_k = 1`.
_LINE = re.compile(r"(?P<gone>removed: )?(?P<key>[^=]*?)\s*=\s*(?P<value>.*)", re.DOTALL)
_WAS = re.compile(r"(?P<now>\S*) \((?:new|was (?P<was>\S*))\)")


class PublishedSettings:
    """Cleans what a report says of the settings of its two systems."""

    def __init__(self, report: Report) -> None:
        self._report = report
        new = report.system.settings
        old = {} if report.baseline_system is None else report.baseline_system.settings
        self._withheld: dict[str, str] = {}
        for key in {**new, **old}:
            sides = old.get(key, UNSET), new.get(key, UNSET)
            if not all(side == UNSET or is_plain(key, side) for side in sides):
                self._withheld[setting_change(key, *sides)] = f"{shortened(key)} {WITHHELD}"

    def fields(self) -> dict[str, Any]:
        """Return the report's fields that speak of nothing else."""
        report = self._report
        lines = report.lines
        return {
            "system": _published(report.system),
            "baseline_system": report.baseline_system and _published(report.baseline_system),
            "settings": plain_settings(report.settings),
            "origin": report.origin.amended(parts=self._parts(report.origin.parts)),
            "lines": lines and replace(lines, changed=self._parts(lines.changed)),
        }

    def clean(self, sentence: str) -> str:
        """Return a sentence that names each text that differs without its values."""
        for words, kept in self._withheld.items():
            sentence = sentence.replace(words, kept)
        return sentence

    def _parts(self, parts: Iterable[ChangedPart]) -> tuple[ChangedPart, ...]:
        """Return what differs; a line of the configuration is held to the same."""
        return tuple(part.amended(words=published_line(self.clean(part.words))) for part in parts)


def _published(system: SystemInfo) -> SystemInfo:
    return system.amended(settings=plain_settings(system.settings))


def published_line(words: str) -> str:
    """Return how a line of the configuration differs; a text without its values."""
    line = _LINE.fullmatch(words)
    if line is None:
        return words
    key = line["key"].strip("\"' ")
    values = _WAS.fullmatch(line["value"])
    sides = [values["now"], values["was"]] if values else [line["value"]]
    if all(side is None or is_plain(key, side) for side in sides):
        return words
    return f"{line['gone'] or ''}{shortened(key)} {WITHHELD}"
