"""Right and wrong answers to one question each, in languages with rules of their own.

The wrong one shares most words with the reference and differs in what was asked for.
"""

from __future__ import annotations

from typing import NamedTuple


class Paraphrase(NamedTuple):
    """A reference, a right answer in other words, and a wrong one."""

    reference: str
    right: str
    wrong: str


PARAPHRASES: dict[str, list[Paraphrase]] = {
    "Korean": [
        Paraphrase("서울", "서울입니다.", "부산입니다."),
        Paraphrase("세종대왕", "세종대왕이 만들었습니다.", "이순신이 만들었습니다."),
        Paraphrase(
            "환불은 구매 후 30일 이내에 가능합니다.",
            "구매한 뒤 30일 안에 환불을 받을 수 있습니다.",
            "구매한 뒤 교환을 받을 수 없습니다.",
        ),
        Paraphrase(
            "회의는 매주 월요일 오전에 열립니다.",
            "매주 월요일 아침에 회의가 있습니다.",
            "매달 금요일 저녁에 파티가 있습니다.",
        ),
        Paraphrase(
            "비밀번호는 설정 메뉴에서 바꿀 수 있습니다.",
            "설정 메뉴에서 비밀번호를 변경하세요.",
            "고객 센터에서 주소를 변경하세요.",
        ),
        Paraphrase(
            "배송에는 보통 사흘이 걸립니다.",
            "보통 배송은 사흘 정도 걸려요.",
            "반품은 대개 두 주 정도 필요해요.",
        ),
    ],
    "Chinese": [
        Paraphrase("北京", "首都是北京。", "首都是东京。"),
        Paraphrase("曹雪芹", "作者是曹雪芹。", "作者是罗贯中。"),
        Paraphrase(
            "购买后三十天内可以退款。",
            "您可以在购买后的三十天内申请退款。",
            "您可以在收货后的两年内申请换货。",
        ),
        Paraphrase(
            "密码可以在设置菜单中修改。",
            "请在设置菜单里修改密码。",
            "请在商店柜台前领取礼品。",
        ),
        Paraphrase(
            "会议每周一上午举行。",
            "每周一的上午开会。",
            "每月五号的晚上聚餐。",
        ),
        Paraphrase(
            "长江是中国最长的河流。",
            "中国最长的河流是长江。",
            "中国最高的山峰在西藏。",
        ),
    ],
    "Japanese": [
        Paraphrase("東京", "首都は東京です。", "首都は京都です。"),
        Paraphrase("夏目漱石", "作者は夏目漱石です。", "作者は森鴎外です。"),
        Paraphrase(
            "購入後30日以内に返金できます。",
            "返金は購入から30日以内であれば可能です。",
            "交換は到着の翌週までであれば可能です。",
        ),
        Paraphrase(
            "パスワードは設定メニューで変更できます。",
            "設定メニューからパスワードを変更してください。",
            "窓口カウンターで商品を受け取ってください。",
        ),
        Paraphrase(
            "会議は毎週月曜日の午前に開かれます。",
            "毎週月曜日の午前中に会議があります。",
            "毎月金曜日の夕方に宴会があります。",
        ),
        Paraphrase(
            "富士山は日本で一番高い山です。",
            "日本で最も高い山は富士山です。",
            "日本で最も長い川は信濃川です。",
        ),
    ],
    "Thai": [
        Paraphrase("กรุงเทพมหานคร", "เมืองหลวงคือกรุงเทพมหานคร", "เมืองหลวงคือเชียงใหม่"),
        Paraphrase("สุนทรภู่", "ผู้แต่งคือสุนทรภู่", "ผู้แต่งคือศรีปราชญ์"),
        Paraphrase(
            "ขอเงินคืนได้ภายในสามสิบวันหลังซื้อ",
            "หลังซื้อแล้ว สามารถขอเงินคืนได้ภายในสามสิบวัน",
            "หลังส่งแล้ว สามารถเปลี่ยนสีได้ตลอดชีพ",
        ),
        Paraphrase(
            "เปลี่ยนรหัสผ่านได้ในเมนูตั้งค่า",
            "ไปที่เมนูตั้งค่าเพื่อเปลี่ยนรหัสผ่าน",
            "ไปที่ร้านค้าเพื่อรับของขวัญ",
        ),
        Paraphrase(
            "ประชุมทุกวันจันทร์ตอนเช้า",
            "มีการประชุมตอนเช้าทุกวันจันทร์",
            "มีการเลี้ยงตอนค่ำทุกสิ้นเดือน",
        ),
        Paraphrase(
            "การจัดส่งใช้เวลาสามวัน",
            "ใช้เวลาจัดส่งประมาณสามวัน",
            "ใช้เงินลงทุนประมาณเก้าล้านบาท",
        ),
    ],
    "Arabic": [
        Paraphrase("القاهرة", "العاصمة هي القاهرة.", "العاصمة هي دمشق."),
        Paraphrase("نجيب محفوظ", "كتبها نجيب محفوظ.", "كتبها طه حسين."),
        Paraphrase(
            "يمكن استرداد المال خلال ثلاثين يومًا من الشراء.",
            "خلال ثلاثين يوما بعد الشراء يمكنك استرداد المال.",
            "خلال عامين بعد التسليم يمكنك تبديل اللون.",
        ),
        Paraphrase(
            "تُغيَّر كلمة المرور من قائمة الإعدادات.",
            "غيّر كلمة المرور في قائمة الاعدادات.",
            "استلم بطاقة الهدايا في فرع المتجر.",
        ),
        Paraphrase(
            "يُعقد الاجتماع صباح كل يوم اثنين.",
            "الاجتماع يعقد كل يوم اثنين صباحا.",
            "الحفل يقام كل شهر مساء الخميس.",
        ),
        Paraphrase(
            "النيل أطول نهر في إفريقيا.",
            "أطول نهر في افريقيا هو النيل.",
            "أعلى جبل في آسيا هو إيفرست.",
        ),
    ],
    "Hindi": [
        Paraphrase("नई दिल्ली", "राजधानी नई दिल्ली है।", "राजधानी मुंबई है।"),
        Paraphrase("प्रेमचंद", "इसे प्रेमचंद ने लिखा।", "इसे निराला ने लिखा।"),
        Paraphrase(
            "खरीद के तीस दिन के भीतर पैसे वापस मिलते हैं।",
            "तीस दिन के भीतर खरीद के पैसे वापस मिल सकते हैं।",
            "दो साल के बाद रंग के डिब्बे नए बन सकते हैं।",
        ),
        Paraphrase(
            "पासवर्ड सेटिंग मेनू में बदला जाता है।",
            "सेटिंग मेनू में जाकर पासवर्ड बदलें।",
            "दुकान काउंटर पर जाकर उपहार लें।",
        ),
        Paraphrase(
            "बैठक हर सोमवार सुबह होती है।",
            "हर सोमवार की सुबह बैठक होती है।",
            "हर महीने की शाम दावत होती है।",
        ),
        Paraphrase(
            "गंगा भारत की सबसे लंबी नदी है।",
            "भारत की सबसे लंबी नदी गंगा है।",
            "भारत की सबसे ऊँची चोटी कंचनजंगा है।",
        ),
    ],
    "German": [
        Paraphrase("Berlin", "Die Hauptstadt ist Berlin.", "Die Hauptstadt ist Hamburg."),
        Paraphrase("Straße", "In der STRASSE.", "In der Gasse."),
        Paraphrase(
            "Eine Rückgabe ist binnen 30 Tagen nach dem Kauf möglich.",
            "Innerhalb von 30 Tagen nach dem Kauf ist die Rückgabe erlaubt.",
            "Innerhalb von zwei Jahren nach dem Fest wird der Tarif teurer.",
        ),
        Paraphrase(
            "Das Kennwort wird im Menü Einstellungen geändert.",
            "Im Menü Einstellungen lässt sich das Kennwort ändern.",
            "Im Laden lässt sich das Geschenk abholen.",
        ),
        Paraphrase(
            "Die Besprechung findet jeden Montag am Vormittag statt.",
            "Jeden Montag ist am Vormittag eine Besprechung.",
            "Jeden Monat ist am Abend eine Feier.",
        ),
        Paraphrase(
            "Der Nil ist der längste Fluss Afrikas.",
            "Der längste Fluss in Afrika ist der Nil.",
            "Der höchste Berg in Asien ist der Everest.",
        ),
    ],
}
