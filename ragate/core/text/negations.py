"""Negations in many languages."""

from ragate.core.text.languages import language

_NEGATIONS = {
    "en": """not no never none nor neither nothing nobody nowhere without unable lacks excludes
        excluded prohibited forbidden""",
    "de": "nicht kein keine keinen keinem keiner keines nie niemals ohne weder nichts",
    "fr": "pas jamais aucun aucune sans rien ni non",
    "es": "no nunca jamás ningún ninguna ninguno sin tampoco ni nada",
    "it": "non mai nessun nessuno nessuna senza né no",
    "pt": "não nem nenhum nenhuma sem nunca jamais",
    "nl": "niet geen nooit zonder niets",
    "pl": "nie bez żaden żadna nigdy",
    "ru": "не нет без ни никогда нельзя",
    "ar": "لا لم لن ليس ليست غير بدون دون",
    "hi": "नहीं बिना",
}
_TURKISH = "değil yok"
_SETS = {code: frozenset(text.split()) for code, text in _NEGATIONS.items()}
_ANY = frozenset(_TURKISH.split()).union(*_SETS.values())
# Of scripts whose words are pairs of characters: what such a pair begins with.
_CHARACTERS = "不没沒無无未非"
_PIECES = ("ない", "ませ", "なか", "않", "없", "아니", "못", "ไม่", "ไร้")


def negations_of(text: str) -> frozenset[str]:
    """Return the negations of a text's language, of all languages where it is not known.

    A word that negates in one language is a month in another: Italian and German *mai*.
    """
    return _SETS.get(language(text), _ANY)


def is_negation(word: str, listed: frozenset[str] = _ANY) -> bool:
    """Tell whether a word of `ragate.core.text.segmentation.words` negates.

    Args:
        listed: Those of its language.
    """
    return word in listed or word[0] in _CHARACTERS or word.startswith(_PIECES)
