"""Ordinary sentences of many languages, with the signs that people use in them."""

SENTENCES: dict[str, tuple[str, ...]] = {
    "de": (
        "Am Freitag, dem 13. Dezember, fuhr Herr Dr. Müller-Lüdenscheidt nach Köln (z. B. im Zug).",
        "„Das kostet 1.234,56 €“, sagte sie – und lachte.",
        "Schreiben Sie an info@beispiel.de oder besuchen Sie https://www.beispiel.de/seite?x=1!",
        "Er las ‚Der Prozess‘, „Das Schloss“ und 'Amerika'; das sagt's.",
        "Der 3. Punkt: Haupt- und Nebensätze, 50 % davon im Jahr 2004.",
    ),
    "en": (
        "Mr. Smith didn't know it's Monday; we'll see what they've done.",
        "“I can't,” he said, “pay $3.50 for John's old part-time job.”",
        "See the U.S. report (pp. 12-15), e.g. at 10:30 p.m., or ask {name} for %s: <b>B</b>.",
        "The students' books… were they sold at 5% off? No!",
        "‘It isn't the Member States' fault,’ he wrote in the '90s, “or ‘ours’ (as 'some' say).”",
    ),
    "fr": (
        "L'homme qu'il a vu aujourd'hui n'est pas d'ici : c'est M. Dupont.",
        "« Où est-elle ? » demanda-t-il ; personne ne répondit…",
        "Le prix est de 3,50 € (environ 4 $), n'est-ce pas ?",
    ),
    "es": (
        "¿Dónde está la biblioteca? ¡No lo sé!",
        "El Sr. García, de 45 años, dijo: «Mañana iré a Málaga».",
    ),
    "it": (
        "L'acqua dell'isola è fredda; un po' d'olio, però, c'è.",
        "Un po' di 'ndrangheta, un po' di “camorra”: 'cosa nostra', dice l'Italia.",
        "Dov'è l'uscita? — chiese la dott.ssa Rossi.",
    ),
    "pt": ("O Sr. Silva disse-lhe que não: «amanhã, às 9h30».", "Há 1.000 razões para ficar."),
    "nl": (
        "'s Morgens gaat hij naar zijn werk; z'n fiets is kapot.",
        "De foto's ('t zijn er 5) zijn van 'Jan', 1998.",
    ),
    "ru": (
        "«Что-нибудь случилось?» – спросил он, т. е. почти закричал.",
        "В 2004 г. здесь жили 1,5 млн человек.",
    ),
    "uk": ("Сім'я п'яти осіб живе у м. Київ.", "Об’єднання «Просвіта» існує з 1868 року."),
    "pl": ("Wróć o godz. 10:30, np. pociągiem — proszę!", "„Źle”, powiedział dr Nowak."),
    "el": ("Πού είναι ο κ. Παπαδόπουλος; Δεν ξέρω!", "Είπε: «Σ' αγαπώ», το 1999."),
    "tr": ("İstanbul'da 3'üncü kez buluştuk; Iğdır'a gidiyoruz.", "Ali'nin kitabı nerede?"),
    "fi": ("EU:n jäsenmaat kokoontuivat 12.3.2004 Helsingissä.", "Mitä? Se on n. 5 km päässä."),
    "ar": (
        "هل رأيتَ الكتابَ الجديد؟ نعم، رأيته في المكتبة (أمس).",
        "قال: «السلام عليكم»، ثم ذهب.",
    ),
    "he": ('ראש הממשלה נפגש עם מנכ"ל צה"ל בשעה 10:30.', "מה שלומך? טוב, תודה!"),
    "fa": ("او می‌خواهد کتاب‌ها را بخواند، اما نمی‌تواند.", "آیا ۱٬۲۳۴ تومان کافی است؟"),
    "hi": ("राम ने कहा, “मैं कल दिल्ली जाऊँगा।”", "क्या आप हिन्दी बोलते हैं?"),
    "ko": ("그는 “안녕하세요”라고 말했다.", "2004년 3월 1일, 서울에서 만났습니다(오전 10:30)."),
    "vi": ("Anh ấy nói: \"Tôi không biết.\"", "Hà Nội, ngày 2-9-1945."),
    "ja": (
        "彼は「明日、Tomさんと東京へ行きます。」と言った。",
        "2004年3月1日のGDPは約1,234億円（前年比5%増）だった！",
        "コーヒーを ください。",
    ),
    "zh": (
        "他说：“我明天去北京。”你呢？",
        "使用Python 3.11编程，价格为1,234.56元（约合50%）。",
        "北京 上海 and London 之间",
    ),
    "th": ("วันนี้อากาศดีมาก เขาไปตลาดกับแม่", "ราคา 1,234 บาท (ลด 50%)"),
}  # fmt: skip
