"""Negations in many languages."""

import re

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
    "tr": "değil değildir değiller yok yoktur yoktu hiç hiçbir asla",
    "vi": "không chưa chẳng chả đừng chớ cấm",
}
# Turkish negates inside of the verb: gelmez, gelmedi, gelmiyor, gelmeyen, gelmemiş, gelmediği.
_TURKISH_VERB = re.compile(
    r"\w{2}m(?:[ıiuü]yor|[ae](?:z(?:lar|ler|d[ıi]r|sa|se)?$|d[ıi](?:k|m|n|lar|ler|ğ\w*)?$"
    r"|m(?:[ıi]ş|a[kl]|e[kl])|y(?:an|en|aca|ece|[ıi]n)))"
)
# In a sentence too short to tell its language: other languages have "Gomez" and "dismaying".
_SURELY_TURKISH = re.compile(r"\w{4}m[ae]z(?:lar|ler|d[ıi]r|sa|se)?$")
_NO_VERBS = ("namaz", "komedi", "memeli")
_SETS = {code: frozenset(text.split()) for code, text in _NEGATIONS.items()}
_ANY = frozenset[str]().union(*_SETS.values())
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
    if word in listed or word[0] in _CHARACTERS or word.startswith(_PIECES):
        return True
    if listed is _SETS["tr"]:
        return _is_negated_verb(word)
    return listed is _ANY and bool(_SURELY_TURKISH.search(word))


def stands_behind(word: str) -> bool:
    """Tell whether a negation stands behind what it negates, as in Turkish."""
    return word in _SETS["tr"] or _is_negated_verb(word)


def _is_negated_verb(word: str) -> bool:
    return bool(_TURKISH_VERB.search(word)) and not word.startswith(_NO_VERBS)
