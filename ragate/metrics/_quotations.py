"""Quotations, and many phrases looked for in long texts at once."""

import re
from collections.abc import Iterable, Sequence

from ragate.core.text.segmentation import units

MIN_WORDS = 3
_QUOTE = re.compile(r'"([^"\n]++)"|“([^“”\n]++)”|„([^„“”\n]++)[“”]|«([^«»\n]++)»')


def quotes(text: str) -> list[list[str]]:
    """Return the spans of three words or more in quotation marks, as words."""
    spans = ("".join(groups) for groups in _QUOTE.findall(text))
    return [quote for span in spans if len(quote := units(span)) >= MIN_WORDS]


def phrases_held(phrases: Sequence[Sequence[str]], texts: Iterable[Sequence[str]]) -> list[bool]:
    """Return for each phrase whether its words stand in one text, in order and without a gap.

    One pass over phrases and texts, however many there are; an empty phrase stands everywhere.

    Source:
        Aho and Corasick, Efficient string matching, CACM 1975.
    """
    following, ends = _tree(phrases)
    fallback, order = _fallbacks(following)
    seen = [False] * len(following)
    seen[0] = True
    for text in texts:
        node = 0
        for word in text:
            node = _step(following, fallback, node, word)
            seen[node] = True
    for node in reversed(order):  # where a phrase stands, so does each that it ends with
        seen[fallback[node]] |= seen[node]
    return [seen[end] for end in ends]


def _tree(phrases: Sequence[Sequence[str]]) -> tuple[list[dict[str, int]], list[int]]:
    """Return by node which word leads to which node, and the node where each phrase ends."""
    following: list[dict[str, int]] = [{}]
    ends = []
    for phrase in phrases:
        node = 0
        for word in phrase:
            node = following[node].setdefault(word, len(following))
            if node == len(following):
                following.append({})
        ends.append(node)
    return following, ends


def _fallbacks(following: Sequence[dict[str, int]]) -> tuple[list[int], list[int]]:
    """Return by node that of its longest proper ending, and all nodes but the first by depth."""
    fallback = [0] * len(following)
    order = list(following[0].values())
    for node in order:  # it grows
        for word, child in following[node].items():
            fallback[child] = _step(following, fallback, fallback[node], word)
            order.append(child)
    return fallback, order


def _step(
    following: Sequence[dict[str, int]], fallback: Sequence[int], node: int, word: str
) -> int:
    while node and word not in following[node]:
        node = fallback[node]
    return following[node].get(word, 0)
