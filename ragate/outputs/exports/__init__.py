"""Files of other tools: questions with answers and passages, read by a table of names per tool."""

from ragate.outputs.exports.presets import PRESETS, preset_of
from ragate.outputs.exports.reader import read_export
from ragate.outputs.exports.texts import Exchange, Passage

__all__ = ["PRESETS", "Exchange", "Passage", "preset_of", "read_export"]
