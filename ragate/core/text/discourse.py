"""Sentences that assert nothing, told by their form: words of talk, person, mood and sign.

A question asks, an offer offers, a greeting greets, a label names what follows, and "According to
the source" names where it comes from. No sentence is listed; the words of talk about an answer are.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from ragate.core.text.languages import FUNCTION_WORDS, is_negation, language
from ragate.core.text.segmentation import units, whole_words, words
from ragate.core.text.words import without_markers

# Of an answer, its sources and its parts: they count in no share of words.
_OF_SOURCES = """
    according accordingly answer answers article articles background based below bottom
    brief briefly chapter citation citations cited conclusion conclusions context contexts
    cookbook details document documentation documents document's example examples excerpt
    excerpts file files finding findings following follows footnote given guide here
    important importantly information instance keep key line listed manual material
    materials mention mentioned mentions mind note noted notes overview page pages paragraph
    passage passages per point points provided provides question questions quick recap
    reference references related result results retrieved search section sections see shown
    snippet snippets source sources state stated states statement statements summary
    summarize takeaway takeaways text texts title tl dr tldr topic topics website worth
    antwort antworten dokument dokumente dokumenten quelle quellen laut gemäss zufolge
    kontext zusammenfassung überblick hinweis informationen bereitgestellten folgende
    basierend textstelle unterlagen réponse selon après texte contexte résumé remarque fournis
    fournies
    respuesta según documento documentos fuente fuentes texto contexto resumen nota
    proporcionados proporcionada información base basado risposta secondo documenti fonte
    fonti testo contesto riassunto forniti resposta acordo fornecidos resumo antwoord
    volgens bron bronnen documenten tekst samenvatting verstrekte odpowiedź podstawie według
    źródła źródło dokumentów dostarczonych ответ согласно источник источнику документ
    документу документов основе предоставленных контексте اجابه مستندات مقدمه بناء उत्तर
    जवाब दस्तावेज़ cevap cevabı belgelere belge kaynağa göre verilen
"""
# Of talk between two: greetings, thanks, hopes, offers, what is asked of a reader.
_OF_TALK = """
    absolutely additional additionally anything anytime apologies apologise apologize
    appreciate area ask asked asking assist assistance aspect aspects assistant available
    best break briefly certainly chat cheers clarification clarify clear clearly come
    compare confirm contact contacting course curious customer day dear deeper delighted
    detail detailed dig dive dr draft elaborate else enjoy enquiry excellent expand explain
    explaining explanation explore far fast feel find folks found free friend further glad
    gladly go going good great greetings guide happily happy hear hello help helped helpful
    helping helps hesitate hey hi hope hopefully hopes inquiry inside interested interesting
    kind kindly know learn let lets like list look looking love luck make meantime message
    morning need needed needs nice offer okay ok outline particular perfect please pleased
    pleasure plenty prefer prepare pretty questions reach reaching ready regards request
    requested rest rundown safe say search send sense share short show shortly simple simply
    sincerely something specific step suggest summarise super sure surely take talk team
    tell thank thanks thing things thoughtful today touch try unclear understand up useful
    version walk want warm welcome well wish wishes wonder wonderful word write yours care
    clears full lovely pull really trust wishing beachten viel gute guter frage fragen gerne gern
    natürlich selbstverständlich guten tag vielen dank danke anfrage helfe helfen weiter
    hoffe hilft hilfreich melden melde weiteren wissen lassen lass sonst viele grüsse
    schönen noch wenn einfach bescheid sagen brauchen brauchst möchten möchtest zögern bitte
    freue mehr bonne bon question bien sûr certainement bonjour merci serais ravi heureux
    aider aide voici espère cela utile hésitez hésite contacter demander puis autre autres
    chose journée cordialement souhaitez voulez besoin avez faites savoir buena pregunta
    preguntas supuesto claro hola gracias gusto ayudo ayudar ayude aquí espero esto sea útil
    dude preguntar contactarme necesita necesitas algo pueda ayudarle ayudarte tenga buen
    día saludos quiere quieres desea otra más hay encantado ottima bella domanda domande
    certo certamente ciao buongiorno grazie felice aiutarti aiutare ecco spero sia esserti
    fammi sapere hai altre altro esitare chiedere bisogno buona giornata vuoi volentieri boa
    pergunta perguntas certeza olá obrigado obrigada fico feliz ajudar ajude aqui ajudado ter
    tiver hesite perguntar avise precisar alguma coisa tenha bom dia quiser prazer goede
    vraag vragen natuurlijk zeker hallo bedankt graag hoop helpt laat weten heeft fijne dag
    verder wilt dobre pytanie pytania oczywiście jasne dzień dobry dziękuję chętnie pomogę
    pomóc oto twoje mam nadzieję pomoże daj znać masz więcej pytań miłego dnia хороший
    вопрос вопросы конечно здравствуйте спасибо рад рада помочь вот ваш надеюсь поможет ещё
    дайте знать хорошего дня سؤال جيد تاكيد مرحبا شكرا علي سؤالك يسعدني مساعدتك اليك امل
    يساعدك اخبرني اذا لديك اي اسئله اخري अच्छा सवाल ज़रूर नमस्ते आपके धन्यवाद रहा मुझे
    उम्मीद इससे मदद मिलेगी अगर हों तो बताएं güzel soru tabii ki elbette merhaba sorunuz
    teşekkürler yardımcı olmaktan mutluluk duyarım işte sorunuzun umarım olur başka
    sorularınız varsa lütfen bildirin iyi günler
"""
# Of what an assistant is not, and what its answer does not take the place of: talk only where
# somebody is spoken to or something is denied.
_OF_LIMITS = """
    access accuracy accurate advice adviser advisor ai assistant attorney change changed check
    consult current cutoff data diagnosis disclaimer doctor experience expert financial general
    give guarantee guaranteed guidance information informational intended knowledge language
    last latest lawyer legal live medical model official only personal physician professional
    professionals purpose purposes qualified real replace specialist substitute tax training
    treat treatment update updated updates vary verify anwalt arzt beratung ersetzt geben
    fachmann ki rechtlich rechtliche rechtsberatung sprachmodell stand avocat conseil conseils
    juridique médecin abogado asesoramiento consejo médico
"""
# What a value is called in the head of a table or a list: it names a kind, and nobody.
_OF_VALUES = """
    address amount attribute average benefit capacity category characteristic column condition
    contact cost criterion date deadline default definition description duration element entry
    feature fee field figure frequency group height hours interest item kind length level limit
    location maximum method metric minimum name number option order owner parameter part period
    phase phone place plan price property purpose quantity rate reason requirement role row rule
    size spec stage start status step temperature term time total type unit usage use value
    weight width year adresse anzahl art beginn betrag dauer datum eigenschaft ende frist gebühr
    gewicht größe kosten länge merkmal ort preis telefon typ wert zeit caractéristique durée
    fecha frais lieu montant nom nombre poids precio prix taille valeur valor
"""
# Of scripts without blanks: a sentence is talk if all its characters stand in these, and half of
# its pairs of neighbours.
_UNSPACED = """
好问题 当然 您好 你好 感谢您的提问 很高兴为您解答 以下是您的问题的答案 根据提供的文档
希望这对您有帮助 如果您还有其他问题请随时告诉我 祝您愉快 當然 希望對您有幫助 感謝您的提問
良い質問ですね もちろんです こんにちは ご質問ありがとうございます お答えします
提供された文書によると お役に立てれば幸いです 他にご質問があればお気軽にお尋ねください 좋은
질문입니다 물론입니다 안녕하세요 질문해 주셔서 감사합니다 답변드리겠습니다 제공된 문서에
따르면 도움이 되었기를 바랍니다 추가 질문이 있으시면 언제든지 말씀해 주세요 คำถามที่ดี แน่นอน
สวัสดีครับ สวัสดีค่ะ ขอบคุณสำหรับคำถาม จากเอกสารที่ให้มา หวังว่าจะเป็นประโยชน์
หากมีคำถามเพิ่มเติมโปรดแจ้งให้ทราบ
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Who speaks; not "we", as whom an answer's organisation makes its claims.
_SPEAKER = _set("""
    i me my i'm ich mir mich je me moi yo io mi eu ik mij ja я мне мной ben bana मैं मुझे
    انا puedo podría posso potrei
""")
_READER = _set("""
    you your sie ihnen ihr ihre dir dich du vous votre vos te usted su le tu ti você te
    seu u uw jij je ci ty pan pani wam вам вас вы ваш siz size sizin आप आपके आपको لك
""")
_ABLE = _set("""
    can could would will may might shall d ll happy glad pleased delighted gladly kann
    könnte würde gern gerne peux pourrais puedo podría posso potrei kan zou mogę могу
""")
_WILL = re.compile(r"\bi['’](?:ll|d)\b", re.IGNORECASE)
_THINKS = _set("""
    think believe expect find see doubt
""")
_THIS = _set("""
    this these please dies diese bitte ceci esto
""")
_ARTICLES = _set("""
    the a an der die das le la les el los il lo de het
""")
_THAT = _set("""
    that dass daß que qu che dat że что
""")
_IF = _set("""
    if should wenn falls si se als jeśli если eğer
""")
# Denied they are still an invitation: "do not hesitate".
_INVITED = _set("""
    hesitate worry zögern hésitez hésite dude dudes dudar esitare esiti hesite hesitar
    aarzel стесняйтесь
""")
_NEAR = 3  # words from what denies to what is thought
_LEAST_TALK = 0.6  # share of the content words, where a reader is spoken to
_LEAST_ASKED = 0.75  # the same where only the first word is one of talk
_LEAST_PAIRS = 0.5  # of the pairs of characters
_LABEL = 12  # words: a longer one before a colon says something
_ASKS = re.compile(r"[?？؟][^\w\"'”’»]*$")
_TELLS = re.compile(r"\W*(?:did|do) you know that\b", re.IGNORECASE)
_COLON = re.compile(r"[:：]\W*$")
_LEAD = re.compile(r"([^,:.!?\n]{2,60}[,:.!])\s+(?=\S)")
_OF_SOURCE = re.compile(
    r"(?i:according to|based on|laut|selon|d['’]après|según|secondo|segundo|volgens|według)\b"
    r"[^\dA-Z]*,"
)
_CLAUSE = re.compile(r"[,;:] |\b(?:but|and)\b")
_EXCLAIMS = re.compile(r"!\W*$")
_NAME = re.compile(r"(?<=\s)[A-Z]")
_LONGEST_WISH = 6  # words
_LETTER = re.compile(r"[^\W_]")
_FIGURE = re.compile(r"\d")
_MAY_NAME = re.compile(r"\.\w|//")
_NAMED = re.compile(
    r"(?:https?://|www\.)\S+|(?<![\w./%-])[\w./%-]{1,200}\.(?:pdf|md|html?|docx?|txt|csv|xlsx?|pptx?|json)\b(?:#\S+)?"
    r"(?:,?\s*(?:p|pp|page|pages|s|seite|section|§)\.?\s*\d+(?:\s?[-–]\s?\d+)?)?",
    re.IGNORECASE,
)

SOURCE_WORDS = frozenset(_OF_SOURCES.split())
NAMES_OF_VALUES = frozenset(_OF_VALUES.split())
TALK = SOURCE_WORDS | frozenset(_OF_TALK.split())
_TALK_OF_LIMITS = TALK | frozenset(_OF_LIMITS.split())
_PHRASES = [units(phrase) for phrase in _UNSPACED.split()]
_CHARACTERS = frozenset(char for phrase in _PHRASES for char in phrase)
_PAIRS = frozenset(pair for phrase in _PHRASES for pair in pairwise(phrase))


def is_label(sentence: str) -> bool:
    """Tell whether a sentence only names what follows: it ends in a colon and holds no figure."""
    if not _COLON.search(sentence) or _FIGURE.search(sentence):
        return False
    return sum(map(bool, map(_LETTER.search, sentence.split()))) <= _LABEL


def without_lead(sentence: str, more: Sequence[str] = ()) -> tuple[str, str]:
    """Return a sentence without what it opens with and only talks: "Sure, it is so.".

    And the same with a lead that ends in a comma, behind which a capital tells a name.
    """
    whole = sentence
    while (lead := _LEAD.match(sentence)) and (
        not asserts(lead[1], more) or _OF_SOURCE.fullmatch(lead[1])
    ):
        sentence = sentence[lead.end() :]
        if lead[1][-1] != ",":
            whole = sentence
    return sentence, whole


def names_sources(sentence: str) -> bool:
    """Tell whether a sentence holds nothing but addresses and files, such as a list of sources."""
    if not _MAY_NAME.search(sentence):
        return False
    left, count = _NAMED.subn(" ", sentence)
    return bool(count) and SOURCE_WORDS.issuperset(words(left))


def asserts(sentence: str, more: Sequence[str] = ()) -> bool:
    """Tell whether a sentence says something that can be wrong.

    Args:
        more: Phrases of talk besides the words that are built in.
    """
    bare = without_markers(sentence)
    if _ASKS.search(bare):
        return bool(_TELLS.match(bare))
    if more:
        bare, known = _without(bare, more)
        if known and not words(bare):
            return False
    if _FIGURE.search(bare):
        return not names_sources(bare)
    if not bare.isascii() and (chars := units(bare)) and _CHARACTERS.issuperset(chars):
        pairs = list(pairwise(chars))
        return sum(pair in _PAIRS for pair in pairs) < _LEAST_PAIRS * len(pairs)
    said = words(bare)
    if _EXCLAIMS.search(bare) and _wishes(said, bare):
        return False
    if _denies_itself(said):
        clauses = (words(clause) for clause in _CLAUSE.split(bare))
        return any(_says(one, of_limits=True) for one in clauses if not _denies_itself(one))
    return _says(said, able=bool(_WILL.search(bare))) and not names_sources(bare)


def _wishes(said: Sequence[str], bare: str) -> bool:
    """Tell "Enjoy your visit!": a few words, the first of talk, and no name among them."""
    if not said or len(said) > _LONGEST_WISH or said[0] not in TALK:
        return False
    return not _NAME.search(bare) or language(bare) == "de"  # whose nouns have capitals


def _denies_itself(said: Sequence[str]) -> bool:
    """Tell "I am not a lawyer" and "As an AI, I cannot look it up" from "I do not think that"."""
    if _SPEAKER.isdisjoint(said):
        return False
    first = next(n for n, word in enumerate(said) if word in _SPEAKER)
    if _is_of_others(said[:first]):
        return False
    denied = next((n for n in range(first, len(said)) if is_negation(said[n])), None)
    if denied is None or _is_of_others(said[first:denied]):
        return False
    return _THINKS.isdisjoint(said[denied : denied + _NEAR])


def _without(text: str, phrases: Sequence[str]) -> tuple[str, bool]:
    said = whole = whole_words(text)
    for phrase in phrases:
        said = said.replace(whole_words(phrase), " ")
    return (text, False) if said == whole else (said, True)


def _says(said: Sequence[str], *, able: bool = False, of_limits: bool = False) -> bool:
    """Tell whether words say something, by whom they speak of and how many are words of talk.

    Args:
        able: Their speaker says what they will do.
        of_limits: They stand beside a clause in which their speaker denies something.
    """
    if not said:
        return False
    invited = not _INVITED.isdisjoint(said)
    content = [w for w in said if w not in FUNCTION_WORDS and w not in _SPEAKER and w != "not"]
    people = set(said)
    me, you = people & _SPEAKER, people & _READER
    if of_limits and not content:
        return False
    of_limits = of_limits or bool(me) or said[0] in _THIS
    known = _TALK_OF_LIMITS if of_limits or you else TALK
    talk = sum(word in known or word in _INVITED for word in content)
    if any(map(is_negation, said)) and not invited and not (of_limits and talk == len(content)):
        return True
    if not talk and not (me and you and said[0] in _IF):
        return True
    if talk == len(content):
        spoken = me or you or said[0] not in _ARTICLES
        return not spoken and not SOURCE_WORDS.issuperset(content)
    first = next((n for n, word in enumerate(said) if word in _SPEAKER or word in _READER), None)
    offers = bool(me and (you or able or people & _ABLE)) and not _is_of_others(said[:first])
    if offers and not _THAT & people:
        return False
    if me or you:
        return talk < _LEAST_TALK * len(content)
    return said[0] not in TALK or talk < _LEAST_ASKED * len(content)


def _is_of_others(said: Sequence[str]) -> bool:
    """Tell words that are about somebody else, whom a sentence only mentions its speaker beside."""
    return any(word not in FUNCTION_WORDS and word not in _TALK_OF_LIMITS for word in said)
