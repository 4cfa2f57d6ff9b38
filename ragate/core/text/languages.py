"""Which language a text is in, by its function words, and which words carry grammar or negate."""

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

# Words that carry grammar rather than content; negations are left out, since they carry content.
_FUNCTION_WORDS = {
    "en": """
        a an the this that these those some any each every all both either such i you he she it
        we they me him her us them my your his its our their mine yours who whom whose which
        what when where why how and or but if because since so than then as while until unless
        although though of in on at by for with about against between into through during before
        after above below to from up down out off over under again further once there here only
        own same too very can could will would shall should may might must am is are was were be
        been being do does did doing done have has had having get gets got also however
        therefore thus hence just more most other another many much few several please via per
        etc upon within across along like well make makes made using used use let s t re ve ll d
        m
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber wenn weil dass ob
        als wie auch nur noch schon ich du er sie es wir ihr mich dich ihn uns euch ihm ihnen
        mein dein sein unser euer ihre ihrer ihren ihrem ist sind war waren bin bist seid wird
        werden wurde wurden worden hat haben hatte hatten habe kann können konnte muss müssen
        soll sollen darf dürfen mag von vom zu zum zur im in ins an am auf aus bei beim mit
        nach seit für durch gegen um über unter vor zwischen bis dann da hier dort so sehr
        mehr diese dieser dieses diesen diesem man sich lässt binnen innerhalb
    """,
    "fr": """
        le la les un une des du de et ou mais si car que qui quoi dont où je tu il elle nous
        vous ils elles me te se lui leur leurs mon ton son notre votre ses mes ce cet cette ces
        est sont était étaient être été a ont avait avoir eu fait peut peuvent doit doivent
        dans sur sous par pour avec chez entre vers depuis pendant aussi très plus comme y en
        au aux à l d j qu c m t
    """,
    "es": """
        el la los las un una unos unas y o u pero si porque que quien cual donde cuando como yo
        tú él ella nosotros ellos ellas me te se le les lo su sus mi tu es son era eran ser
        sido está están fue fueron ha han había tiene tienen puede pueden debe deben de del
        en a al con por para desde hasta entre sobre también muy más este esta estos estas ese
        esa cada
    """,
    "it": """
        il lo la i gli le un uno una e o ma se perché che chi cui dove quando come io tu lui
        lei noi voi loro mi ti si ci vi è sono era erano essere stato ha hanno aveva può
        possono deve devono di del della dei delle dello in nel nella nei con su sul sulla per
        da dal dalla tra fra a al alla ai anche molto più questo questa questi queste ogni
    """,
    "pt": """
        o a os as um uma uns umas e ou mas se porque que quem qual onde quando como eu tu ele
        ela nós eles elas me te lhe seu sua seus suas meu minha é são era eram ser sido está
        estão foi foram há tem têm pode podem deve devem de do da dos das em na nos nas ao aos
        à às com por pelo pela para desde até entre sobre também muito mais este esta isso
        cada
    """,
    "nl": """
        de het een en of maar als omdat dat die dit deze wie wat waar wanneer hoe ik jij je hij
        zij ze wij we jullie u mij hem haar ons hen mijn jouw zijn is was waren ben bent wordt
        worden werd werden heeft hebben had kan kunnen kon moet moeten mag zal zullen van in op
        aan bij met naar voor door om over onder tussen tot uit te ook nog zeer meer er dan
    """,
    "pl": """
        i oraz lub albo ale jeśli że który która które kto co gdzie kiedy jak ja ty on ona
        ono my wy oni się go jej ich jest są był była było były być ma mają może mogą w we
        na z ze do od po za przez przy dla o u to ten ta te tego też także bardzo
    """,
    "ru": """
        и или но а если что кто который которая которые
        где когда как я ты он она оно мы вы они его её их
        ему ей это этот эта эти тот та те был была было
        были быть есть будет может могут в во на с со к ко
        из от по за у о об для до при через под над также
        же бы очень более
    """,
    "ar": """
        و في من الى على عن مع هذا هذه ذلك تلك التي الذي الذين هو هي هم انا نحن انت كان كانت يكون
        ان او ثم قد كل بعد قبل خلال بين عند حتى كما ايضا هناك يمكن
    """,
    "hi": """
        और या लेकिन यदि कि जो कौन क्या कहाँ कब कैसे मैं तुम आप वह यह ये वे हम का की के को से में
        पर ने है हैं था थी थे हो होता होती होते कर करें करना गया गई गए तक लिए साथ भी ही एक इस उस
        इसे उसे कुछ सकते सकता सकती जाता जाती जाते
    """,
    "tr": """
        ve bir bu şu o da de için ile olarak olan olur çok daha en gibi kadar sonra önce ama veya
        ki mi mı mu mü ise hem her ya eğer çünkü tüm bazı siz biz ben sen onlar
    """,
    "vi": """
        và của là các những cho với trong được có này đó một để từ khi như đã sẽ đang bị bởi vì nếu
        thì mà hay hoặc tại trên dưới ra vào lại cũng rất nhiều hơn về theo sau trước giữa đến ở do
        nên bạn tôi chúng
    """,
}  # fmt: skip
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


_SETS = {code: frozenset(text.split()) for code, text in _FUNCTION_WORDS.items()}
FUNCTION_WORDS = frozenset[str]().union(*_SETS.values())
_WRITTEN_IN = {
    word: tuple(code for code, known in _SETS.items() if word in known) for word in FUNCTION_WORDS
}
_NAMES = """
english:en german:de french:fr spanish:es italian:it portuguese:pt dutch:nl russian:ru arabic:ar
hindi:hi turkish:tr
"""
_CODES = dict(name.split(":") for name in _NAMES.split())
_WORD = re.compile(r"[^\W\d_]++")
_MOST_READ = 2_000
# The decimal sign is a comma, and a point groups thousands.
_DECIMAL_COMMA = frozenset({"de", "es", "it", "pt", "nl"})
_NEGATING = {code: frozenset(text.split()) for code, text in _NEGATIONS.items()}
_ANY = frozenset[str]().union(*_NEGATING.values())
# Of scripts whose words are pairs of characters: what such a pair begins with.
_CHARACTERS = "不没沒無无未非"
_PIECES = ("ない", "ませ", "なか", "않", "없", "아니", "못", "ไม่", "ไร้")


def language(text: str) -> str:
    """Return the code of the language whose function words a text has most of.

    "" where it has none, or as many of two. The first 2,000 characters are read.
    """
    return _language(text[:_MOST_READ])


@lru_cache(maxsize=1_024)
def _language(text: str) -> str:
    listed = filter(None, map(_WRITTEN_IN.get, _WORD.findall(text.casefold())))
    leading = Counter(chain.from_iterable(listed)).most_common(2)
    is_tied = len({count for _, count in leading}) < len(leading)
    return "" if is_tied or not leading else leading[0][0]


def grammar_of(name: str) -> frozenset[str]:
    """Return the function words of a language, by its English name; of all where it has no list."""
    return _SETS.get(_CODES.get(name, ""), FUNCTION_WORDS)


def writes_decimal_comma(text: str) -> bool:
    """Tell whether a text is in a language that writes 1.000,5 for a thousand and a half."""
    return language(text) in _DECIMAL_COMMA


def function_words_of(text: str) -> frozenset[str]:
    """Return the function words of a text's language, all of them where it is not known."""
    return _SETS.get(language(text), FUNCTION_WORDS)


def negations_of(text: str) -> frozenset[str]:
    """Return the negations of a text's language, of all languages where it is not known.

    A word that negates in one language is a month in another: Italian and German *mai*.
    """
    return _NEGATING.get(language(text), _ANY)


@lru_cache(maxsize=65_536)
def is_negation(word: str, listed: frozenset[str] = _ANY) -> bool:
    """Tell whether a word of `ragate.core.text.segmentation.words` negates.

    Args:
        listed: Those of its language.
    """
    if word in listed or word[0] in _CHARACTERS or word.startswith(_PIECES):
        return True
    if listed is _NEGATING["tr"]:
        return _is_negated_verb(word)
    return listed is _ANY and bool(_SURELY_TURKISH.search(word))


def stands_behind(word: str) -> bool:
    """Tell whether a negation stands behind what it negates, as in Turkish."""
    return word in _NEGATING["tr"] or _is_negated_verb(word)


def _is_negated_verb(word: str) -> bool:
    return bool(_TURKISH_VERB.search(word)) and not word.startswith(_NO_VERBS)
