"""What marks a refusal, by language; whole words are matched, case and punctuation do not count."""

from ragate.metrics._identity import phrases_of

_NOT = ("do not", "does not", "did not")  # "don't" is read as "do not"
_UNABLE = ("can not", "could not")  # and "can't" as "can not"
_SOURCES = ("context", "contexts", "documentation", "documents", "docs", "passages", "sources")

# Kept narrow: an answer such as "the gate cannot find the server" is no refusal.
_ENGLISH = (
    "i do not know",
    *(f"i {no} {verb}" for no in _UNABLE for verb in ("answer", "find", "determine", "say")),
    "i did not find",
    *(f"{no} {what}" for no in _NOT for what in ("mention", "answer this", "answer the question")),
    *(f"{no} specify" for no in _NOT[:2]),
    *(f"{no} explicitly {verb}" for no in _NOT[:2] for verb in ("mention", "state", "say")),
    *(
        f"{no} {verb} {what}"
        for no in _NOT
        for verb in ("have", "contain", "provide", "include", "offer", "give")
        for what in phrases_of("""
            information, any information, enough information, sufficient information,
            specific information, the answer, an answer, details, any details
        """)
    ),
    *(
        f"{source} {no} {verb}"
        for source in _SOURCES
        for no in _NOT[:2]
        for verb in ("say", "state")
    ),
    *(f"{no} be {done}" for no in _UNABLE for done in ("answered", "determined from")),
    *phrases_of("""
        i am not sure, i'm not sure, i am unable to, i'm unable to, unable to answer,
        unable to determine from, unable to find information, unable to find any,
        not possible to determine, not possible to answer, impossible to determine,
        not enough information, insufficient information
    """),
    *(f"no information {where}" for where in ("about", "on", "in the", "regarding", "available")),
    *phrases_of("""
        there is no information, no specific information, no relevant information, no mention of,
        no answer in the, not clear whether, not clear from
    """),
    *(f"not mentioned {where}" for where in ("in", "anywhere")),
    *phrases_of("""
        not specified in, not explicitly mentioned, not explicitly stated, not provided in the,
        not stated in the, not covered in the, not covered by the, not available in the,
        not found in the provided
    """),
)

_OTHERS = {
    "German": """
        ich weiß es nicht, das weiß ich nicht, weiß ich leider nicht, keine angabe, keine angaben,
        keine information, keine informationen, nicht genügend informationen,
        lässt sich nicht beantworten, kann ich nicht beantworten, nicht beantworten,
        nicht erwähnt, nicht angegeben, wird nicht genannt, geht nicht hervor,
        geht aus den dokumenten nicht, nicht möglich zu bestimmen, nicht ersichtlich,
        ich kann die frage nicht, konnte ich nicht finden
    """,
    "French": """
        je ne sais pas, je ne peux pas répondre, pas d'information, pas d'informations,
        aucune information, n'est pas mentionné, n'est pas mentionnée, ne mentionne pas,
        ne mentionnent pas, ne précise pas, ne précisent pas, n'est pas précisé,
        ne permet pas de répondre, ne permettent pas de répondre, impossible de déterminer,
        je n'ai pas trouvé, ne contient pas d'information, ne contiennent pas d'informations
    """,
    "Spanish": """
        no lo sé, no sé la respuesta, no puedo responder, no hay información,
        no contiene información, no contienen información, no se menciona, no menciona,
        no mencionan, no especifica, no se especifica, no es posible determinar,
        ninguna información, no tengo información, no he encontrado, no encontré
    """,
    "Italian": """
        non lo so, non so rispondere, non posso rispondere, non ci sono informazioni,
        nessuna informazione, non viene menzionato, non è menzionato, non menziona, non specifica,
        non è specificato, non è possibile determinare, non ho trovato, non contiene informazioni,
        non contengono informazioni
    """,
    "Portuguese": """
        não sei, não posso responder, não há informação, não há informações, nenhuma informação,
        não menciona, não mencionam, não é mencionado, não especifica, não é possível determinar,
        não encontrei, não contém informações
    """,
    "Dutch": """
        ik weet het niet, dat weet ik niet, geen informatie, wordt niet vermeld, niet vermeld,
        wordt niet genoemd, kan ik niet beantwoorden, niet te bepalen, ik kan de vraag niet
    """,
    "Polish": """
        nie wiem, nie mogę odpowiedzieć, brak informacji, nie ma informacji, nie wspomina,
        nie określa, nie można ustalić, nie znalazłem
    """,
    "Russian": """
        я не знаю, не могу ответить, нет информации, не упоминается, не упоминают, не указано,
        не указывается, невозможно определить, не удалось найти, нет сведений, нет данных
    """,
    "Arabic": """
        لا أعرف, لا أعلم, لا توجد معلومات, لا تتوفر معلومات, لا يذكر, لا تذكر, لم يذكر, لم يرد,
        لا يمكن تحديد, لا يمكنني الإجابة, لا أستطيع الإجابة, لا توجد أي معلومات,
        لا تتوفر أي معلومات, لم أجد, لم أتمكن من العثور, لم أتمكن من إيجاد, لم يتم ذكر, لم تذكر,
        غير مذكور, غير مذكورة, لا تحتوي على معلومات, لا تحتوي على أي معلومات,
        لا يحتوي على معلومات, لا يحتوي على أي معلومات, لا تتضمن معلومات, لا يتضمن معلومات,
        ليس لدي معلومات, ليست لدي معلومات, لا أملك معلومات, لا توجد إجابة, لا يوجد ذكر,
        لا يمكن الإجابة, لا يمكنني تحديد, لست متأكدا, لا تحتوي المستندات, لا تحتوي الوثائق,
        لا يحتوي السياق, لا يحتوي النص, لا تتضمن المستندات, لا تتضمن الوثائق, المعلومات غير متوفرة
    """,
    "Hindi": """
        मुझे नहीं पता, मुझे पता नहीं, कोई जानकारी नहीं, जानकारी नहीं है, उल्लेख नहीं,
        निर्धारित नहीं किया जा सकता, उत्तर नहीं दे सकता, उत्तर नहीं मिला
    """,
    "Chinese": """
        我不知道, 无法确定, 无法回答, 没有提到, 没有提及, 未提及, 未提到, 没有相关信息, 没有信息,
        没有说明, 未说明, 無法確定, 無法回答, 沒有提到, 沒有相關資訊
    """,
    "Japanese": """
        わかりません, 分かりません, 記載されていません, 記載がありません, 記載はありません,
        言及されていません, 言及がありません, 情報がありません, 情報はありません, 特定できません,
        判断できません, 回答できません, お答えできません
    """,
    "Korean": """
        모르겠습니다, 알 수 없습니다, 알수없습니다, 언급되어 있지 않, 언급되지 않, 언급이 없,
        정보가 없, 정보를 찾을 수 없, 답변할 수 없, 확인할 수 없, 나와 있지 않, 명시되어 있지 않,
        정보를 찾지 못, 답을 찾을 수 없, 답변을 찾을 수 없, 내용을 찾을 수 없,
        정보가 포함되어 있지 않, 정보가 제공되지 않, 정보가 부족, 정보는 없, 내용이 없, 내용은 없,
        답변드릴 수 없, 답변드리기 어렵, 답변하기 어렵, 대답할 수 없, 언급하지 않,
        언급하고 있지 않, 기재되어 있지 않, 설명되어 있지 않, 명시되지 않, 확인되지 않,
        모르겠어요, 알지 못합니다, 답변을 드리기 어렵, 문서에 포함되어 있지 않,
        자료에 포함되어 있지 않
    """,
    "Thai": """
        ไม่ทราบ, ไม่มีข้อมูล, ไม่ได้ระบุ, ไม่ได้กล่าวถึง, ไม่สามารถระบุ, ไม่สามารถตอบ, ไม่พบข้อมูล
    """,
    "Turkish": """
        bilmiyorum, bilgi yok, bilgi bulunmamaktadır, belirtilmemiştir, belirtilmemiş,
        bahsedilmemektedir, cevaplayamıyorum, yanıtlayamıyorum, bilgi bulunmuyor,
        bilgi bulunamadı, bilgi bulamadım, bilgi yer almıyor, bilgi yer almamaktadır,
        bilgi mevcut değil, bilgi içermiyor, bilgi içermemektedir, bilgi verilmemiş,
        bilgi verilmemektedir, bilgi sunulmamaktadır, bilgim yok, bilgiye sahip değilim,
        cevap bulunmuyor, yanıt bulunmuyor, yanıt bulamadım, cevap bulamadım, belirtilmiyor,
        belirtilmemektedir, bahsedilmiyor, bahsedilmemiş, bahsetmiyor, söz edilmiyor,
        söz edilmemektedir, cevap veremiyorum, yanıt veremiyorum, cevap veremem, yanıt veremem,
        cevaplayamam, yanıtlayamam, emin değilim, bilemiyorum, bilgi vermiyor,
        belgelerde bulamadım
    """,
    "Vietnamese": """
        tôi không biết, không có thông tin, không có đủ thông tin, không đủ thông tin,
        chưa có thông tin, không tìm thấy thông tin, không tìm thấy câu trả lời,
        tôi không tìm thấy, không thể trả lời, không thể xác định, không đề cập,
        không được đề cập, không nhắc đến, không được nhắc đến, không nêu rõ, không được nêu,
        không nói rõ, không cung cấp thông tin, không chứa thông tin, không bao gồm thông tin,
        tôi không chắc, tài liệu không nói
    """,
}

DEFAULT_PHRASES = (
    *_ENGLISH,
    *(phrase for listed in _OTHERS.values() for phrase in phrases_of(listed)),
)
