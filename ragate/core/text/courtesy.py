"""What an answer opens and closes with out of courtesy, in the languages that refusals have."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ragate.core.text.languages import is_negation
from ragate.core.text.segmentation import units
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import without_markers

# A sentence is courtesy if all its words stand in these, and half of its pairs of neighbours.
_PHRASES = """
great question about that | good question | excellent question | sure thing | sure | certainly
of course | absolutely | hello | hi there | dear customer | thank you for asking
thank you for your question |thanks for reaching out to us
thanks for your message | thank you for contacting us
i would be happy to help you with that | i am happy to help | i'd be glad to assist you today
here is the answer to your question | here is what i found | here's the information you requested
here is a brief summary | here is a short overview | here are the details you asked for below
based on the provided documents | based on the given context | based on the information available
according to the provided sources | according to the documentation | as per the context provided
i hope this helps | hope that helps
hope this information was helpful and answers your question clearly
let me know if you have any other questions | let me know if you need anything else
please feel free to ask | please feel free to reach out if you need further assistance
if you have any more questions or need further help or clarification
do not hesitate to contact me | do not hesitate to ask | do not hesitate to reach out
is there anything else i can help you with | i am here to help | have a great day | you're welcome
have a nice day | best regards | kind regards | if anything is unclear i will gladly assist
gute frage | gerne | natürlich | selbstverständlich | guten tag | vielen dank für ihre frage
danke für ihre anfrage | gern helfe ich ihnen weiter | hier ist die antwort auf ihre frage
laut den bereitgestellten dokumenten | basierend auf den bereitgestellten informationen
ich hoffe das hilft ihnen weiter | ich hoffe diese antwort war hilfreich
melden sie sich gerne bei weiteren fragen | wenn sie noch fragen haben lassen sie es mich wissen
kann ich ihnen sonst noch helfen | viele grüße | einen schönen tag noch
bonne question | bien sûr | certainement | bonjour | merci pour votre question
je serais ravi de vous aider | voici la réponse à votre question | d'après les documents fournis
selon les informations fournies | j'espère que cela vous aide | j'espère que cette réponse est utile
n'hésitez pas à me contacter si vous avez d'autres questions | n'hésitez pas à demander
puis-je vous aider avec autre chose | bonne journée | cordialement
buena pregunta | por supuesto | claro | hola | gracias por su pregunta | gracias por tu pregunta
con gusto le ayudo | aquí está la respuesta a su pregunta | según los documentos proporcionados
según la información proporcionada | espero que esto le ayude | espero que esta información sea útil
no dude en preguntar si tiene más preguntas | no dude en contactarme si necesita algo más
hay algo más en que pueda ayudarle | que tenga un buen día | saludos
ottima domanda | certo | certamente | ciao | buongiorno | grazie per la domanda
sono felice di aiutarti | ecco la risposta alla tua domanda | in base ai documenti forniti
spero che questo ti sia utile | spero di esserti stato utile | fammi sapere se hai altre domande
non esitare a chiedere se hai bisogno di altro | buona giornata
boa pergunta | claro | com certeza | olá | obrigado pela sua pergunta | fico feliz em ajudar
aqui está a resposta à sua pergunta | com base nos documentos fornecidos
espero que isso ajude | espero ter ajudado | se tiver mais perguntas não hesite em perguntar
me avise se precisar de mais alguma coisa | tenha um bom dia
goede vraag | natuurlijk | zeker | hallo | bedankt voor uw vraag | ik help u graag
hier is het antwoord op uw vraag | op basis van de verstrekte documenten
ik hoop dat dit helpt | laat het me weten als u nog vragen heeft | fijne dag verder
dobre pytanie | oczywiście | jasne | dzień dobry | dziękuję za pytanie | chętnie pomogę
oto odpowiedź na twoje pytanie | na podstawie dostarczonych dokumentów
mam nadzieję że to pomoże | daj znać jeśli masz więcej pytań | miłego dnia
хороший вопрос | конечно | здравствуйте | спасибо за вопрос | рад помочь
вот ответ на ваш вопрос | на основе предоставленных документов
надеюсь это поможет | если у вас есть ещё вопросы дайте знать | хорошего дня
سؤال جيد | بالتأكيد | مرحبا | شكرا على سؤالك | يسعدني مساعدتك | إليك الإجابة على سؤالك
بناء على المستندات المقدمة | آمل أن يساعدك هذا | أخبرني إذا كان لديك أي أسئلة أخرى
अच्छा सवाल है | ज़रूर | नमस्ते | आपके सवाल के लिए धन्यवाद | यह रहा आपके सवाल का जवाब
मुझे उम्मीद है कि इससे मदद मिलेगी | अगर आपके और सवाल हों तो मुझे बताएं
好问题 | 当然 | 您好 | 你好 | 感谢您的提问 | 很高兴为您解答 | 以下是您的问题的答案 | 根据提供的文档
希望这对您有帮助 | 如果您还有其他问题请随时告诉我 | 祝您愉快 | 當然 | 希望對您有幫助 | 感謝您的提問
良い質問ですね | もちろんです | こんにちは | ご質問ありがとうございます | お答えします
提供された文書によると | お役に立てれば幸いです | 他にご質問があればお気軽にお尋ねください
좋은 질문입니다 | 물론입니다 | 안녕하세요 | 질문해 주셔서 감사합니다 | 답변드리겠습니다
제공된 문서에 따르면 | 도움이 되었기를 바랍니다 | 추가 질문이 있으시면 언제든지 말씀해 주세요
คำถามที่ดี | แน่นอน | สวัสดีครับ | สวัสดีค่ะ | ขอบคุณสำหรับคำถาม | จากเอกสารที่ให้มา
หวังว่าจะเป็นประโยชน์ | หากมีคำถามเพิ่มเติมโปรดแจ้งให้ทราบ
güzel soru | tabii ki | elbette | merhaba | sorunuz için teşekkürler
yardımcı olmaktan mutluluk duyarım
işte sorunuzun cevabı | verilen belgelere göre | umarım bu yardımcı olur
başka sorularınız varsa lütfen bana bildirin | iyi günler
"""
_SOME = 3  # sentences at either end that may be courtesy
_GLANCE = 80  # characters that hold the first or the last word
_READ = 600  # characters at either end in which they are looked for
_CLAUSE = re.compile(r"[^,:;.!?\n]{2,60}[,:.!?]\s+(?=\S)")


_KNOWN = [units(phrase) for phrase in _PHRASES.replace("\n", " | ").strip(" |").split(" | ")]
_WORDS = frozenset(word for phrase in _KNOWN for word in phrase)
_ALONE = frozenset(phrase[0] for phrase in _KNOWN if len(phrase) == 1)
_PAIRS = frozenset(pair for phrase in _KNOWN for pair in pairwise(phrase))


@lru_cache(maxsize=1_024)  # every metric of answers reads the same ones
def without_courtesy(text: str, more: tuple[str, ...] = ()) -> str:
    """Return a text without the sentences of courtesy that it opens and closes with.

    A clause before the first comma goes too: "Based on the documents, it is so.", and one before a
    full stop that ends no sentence, since a small letter follows. A sentence with any word that no
    phrase holds stays, and so does a text of nothing else.

    Args:
        more: Phrases besides those that are built in.
    """
    # Mostly the first and the last word already say that there is none.
    start = _opened(text, more) if more or _is_known(text[:_GLANCE], 0) else 0
    end = _closed(text, start, more) if more or _is_known(text[-_GLANCE:], -1) else len(text)
    kept = text[start:end].strip()
    return kept if any(map(str.isalnum, kept)) and (start or end < len(text)) else text


def _is_known(part: str, place: int) -> bool:
    words = units(without_markers(part))
    return not words or words[place] in _WORDS


def _opened(text: str, more: Sequence[str]) -> int:
    """Return where an answer begins, behind what it opens with."""
    start = 0
    for sentence in _whole(split_sentences(text[:_READ]), cut=len(text) > _READ)[:_SOME]:
        if not is_courtesy(sentence, more):
            break
        start = _behind(text, start, len("".join(sentence.split())))
    while clause := _CLAUSE.match(text, _behind(text, start, 0)):
        if not is_courtesy(clause[0], more):
            break
        start = clause.end()
    return start


def _closed(text: str, start: int, more: Sequence[str]) -> int:
    """Return where an answer that begins at `start` ends, before what it closes with."""
    end = len(text)
    ending = text[max(start, end - _READ) :]
    closing = _whole(split_sentences(ending)[::-1], cut=end - start > _READ)
    for sentence in closing[:_SOME]:
        if not is_courtesy(sentence, more):
            break
        end = _before(text, end, len("".join(sentence.split())))
    return end


def is_courtesy(sentence: str, more: Sequence[str] = ()) -> bool:
    """Tell whether a sentence says nothing but courtesy."""
    said = f" {' '.join(units(without_markers(sentence)))} "
    left = said
    for phrase in more:
        left = left.replace(f" {' '.join(units(phrase))} ", " ")
    words = left.split()
    pairs = list(pairwise(words))
    # What is negated must be what a phrase negates: "do not hesitate", and not "do not ask".
    denied = {pair for pair in pairs if any(map(is_negation, pair))}
    if not (_WORDS.issuperset(words) and denied <= _PAIRS):
        return False
    known = sum(pair in _PAIRS for pair in pairs)
    if len(words) == 1:
        return left != said or words[0] in _ALONE
    return left != said or 2 * known >= len(pairs) > 0


def _whole(sentences: list[str], *, cut: bool) -> list[str]:
    """Return the sentences without the last one, where what is read was cut there."""
    return sentences[:-1] if cut else sentences


def _behind(text: str, start: int, count: int) -> int:
    """Return the place of the next character behind so many that are no blanks."""
    while start < len(text) and (count or text[start].isspace()):
        count -= not text[start].isspace()
        start += 1
    return start


def _before(text: str, end: int, count: int) -> int:
    """Return the end of what stands before so many characters that are no blanks."""
    while end and count:
        end -= 1
        count -= not text[end].isspace()
    return end
