"""Negations in many languages."""

_NEGATION_LIST = """
    not no never none nor neither nothing nobody nowhere without unable lacks excludes excluded
    prohibited forbidden
    nicht kein keine keinen keinem keiner keines nie niemals ohne weder nichts
    pas jamais aucun aucune sans rien
    nunca jamás ningún ninguna ninguno sin tampoco
    non mai nessun nessuno nessuna senza
    não nem nenhum nenhuma sem
    niet geen nooit zonder
    nie bez żaden nigdy
    değil yok
    не нет без ни никогда нельзя
    لا لم لن ليس ليست غير بدون دون
    नहीं बिना
"""
_NEGATIONS = frozenset(_NEGATION_LIST.split())
# Of scripts whose words are pairs of characters: what such a pair begins with.
_CHARACTERS = "不没沒無无未非"
_PIECES = ("ない", "ませ", "なか", "않", "없", "아니", "못", "ไม่", "ไร้")


def is_negation(word: str) -> bool:
    """Tell whether a word of `ragate.core.text.segmentation.words` negates, in any language."""
    return word in _NEGATIONS or word[0] in _CHARACTERS or word.startswith(_PIECES)
