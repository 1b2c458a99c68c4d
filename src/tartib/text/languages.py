"""What is known of single languages: codes in file names, abbreviations, clitics, ordinals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from tartib.errors import OptionError

_TWO_LETTERS = """
aa ab af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv
dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie
ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv
mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm
rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts
tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_CODES = frozenset(_TWO_LETTERS.split())
_LONGER: Mapping[str, str] = {
    "ara": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "cmn": "zh", "dan": "da", "deu": "de",
    "ell": "el", "eng": "en", "est": "et", "fas": "fa", "fin": "fi", "fra": "fr", "ger": "de",
    "heb": "he", "hin": "hi", "hun": "hu", "ind": "id", "ita": "it", "jpn": "ja", "kor": "ko",
    "lav": "lv", "lit": "lt", "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro",
    "rus": "ru", "slk": "sk", "slv": "sl", "spa": "es", "swe": "sv", "tha": "th", "tur": "tr",
    "ukr": "uk", "vie": "vi", "zho": "zh",
}  # fmt: skip
_NAMES: Mapping[str, str] = {
    "arabic": "ar", "bulgarian": "bg", "chinese": "zh", "czech": "cs", "danish": "da",
    "dutch": "nl", "english": "en", "estonian": "et", "finnish": "fi", "french": "fr",
    "german": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "italian": "it", "japanese": "ja", "korean": "ko", "latvian": "lv", "lithuanian": "lt",
    "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro",
    "russian": "ru", "slovak": "sk", "slovenian": "sl", "spanish": "es", "swedish": "sv",
    "thai": "th", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")

# Words that end in a full stop without ending a sentence.
ABBREVIATIONS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": """Mr Mrs Ms Dr Prof St Sr Jr Mt Rev Gen Col Capt Lt Sgt Hon Gov Sen Rep Messrs vs etc
              No Nos Vol pp Fig Inc Ltd Co Corp Jan Feb Mar Apr Aug Sept Sep Oct Nov Dec approx cf
              al Art""",
        "de": """Dr Prof Hr Fr Nr Abs Art Bd Bde bzw ca MwSt etc evtl ggf inkl Ing Jh Kap Mio Mrd St
              Str usw vgl z B d h u a o ä i S s v Chr Tel Jan Feb Apr Aug Sept Okt Nov Dez geb""",
        "fr": "M MM Mme Mlle Dr Prof St Ste art cf etc ex fig p pp av env janv févr juill sept oct",
        "es": "Sr Sra Srta Sres Dr Dra Prof D Dña Ud Uds art etc núm pág págs p ej aprox av",
        "it": "Sig Sigg Dott Prof On Avv Ing art ecc es pag pagg n p cfr ca",
        "pt": "Sr Sra Srs Dr Dra Prof Exmo art etc pág págs p ex n av",
        "nl": "dr prof mr ir ing drs bv bijv blz ca enz dhr mevr nr resp o a d w z m i p v",
        "sv": "dr prof bl ca dvs etc t ex kl nr osv s k m fl",
        "da": "dr prof bl ca dvs f eks kl nr osv pct stk",
        "fi": "tri prof esim jne mm ns nk ks so eli n s v",
        "pl": "dr prof mgr inż np itd itp im nr ok ul tzn tj m in r w św art ust",
        "cs": "dr prof Ing Mgr např tzn tj atd apod č čl odst r str sv tzv",
        "ru": "г гг т е д п др проф ул им стр см руб млн млрд тыс рис ст",
        "tr": "Dr Prof Doç Sn vb vs bkz Av No örn yy",
        "el": "κ κκ κα Δρ π χ δηλ κτλ κλπ αρ",
    }.items()
}
ENGLISH_CLITIC = re.compile(r"(.*?\w)(n['’]t|['’](?:s|re|ve|ll|d|m))", re.IGNORECASE | re.DOTALL)
# Languages that write l'homme: the apostrophe ends the first word.
ELIDING = frozenset({"fr", "it", "ca", "oc", "wa", "lb", "br", "rm"})
# Languages that write İstanbul'da: the apostrophe begins an ending.
ENDING = frozenset({"tr", "az", "fi", "et"})
WHOLE = frozenset({"aujourd'hui", "prud'homme", "prud'hommes", "o'clock"})
# Languages that write the third as 3.
_WITH_ORDINALS = "de da nb nn no fi et lv cs sk hu sl hr bs sr tr pl is fo lb eu"
ORDINALS = frozenset(_WITH_ORDINALS.split())
# Languages whose I is not the capital of i.
DOTTED_I = frozenset({"tr", "az", "crh", "kk"})


# Codes of countries that are none of languages.
_OF_COUNTRIES: Mapping[str, str] = {
    "at": "de", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "jp": "ja", "ua": "uk", "us": "en",
}  # fmt: skip


def language_of(path: str | Path) -> str:
    """Guess a language from a file name (``train.raw.de.xz`` is de); empty if there is none."""
    name = Path(path).name.lower()
    for suffix in _COMPRESSED:
        name = name.removesuffix(suffix)
    for part in reversed([part for part in re.split(r"[.]", name) if part]):
        if found := _code(part) or _last_code(part):
            return found
    return ""


def check_language(code: str) -> str:
    """Return the code of a language that somebody named: ``German``, ``deu``, ``de-AT`` are de.

    Unknown codes are taken if they look like codes; what does not is an error. Nothing is nothing.
    """
    word = code.strip().lower()
    word = _NAMES.get(word, word)
    if word in _OF_COUNTRIES:
        raise OptionError(
            f"{code!r} is the code of a country; its language is {_OF_COUNTRIES[word]!r}"
        )
    base = re.sub(r"(?:[-_][a-z0-9]{2,8})+", "", word)
    if re.fullmatch(r"(?:[a-z]{2,3})?", base) and (base or not word):
        return _LONGER.get(base, base)
    raise OptionError(
        f"{code!r} is not a code of a language: give two or three letters, such as de, en or tok"
    )


def _last_code(part: str) -> str:
    """Return the code at the end of a part such as train_de or news-2013_en."""
    pieces = re.split(r"[_-]", part)
    is_pair = len(pieces) == 2 and all(piece in _CODES for piece in pieces)
    return _code(pieces[-1]) if len(pieces) > 1 and not is_pair else ""


def _code(word: str) -> str:
    if re.fullmatch(r"[a-z]{2}[-_][a-z]{2}", word) and word[3:] in _CODES and word[:2] != word[3:]:
        # de-en is a pair of languages, pt-br one of a country.
        return word[:2] if (word[:2], word[3:]) in _COUNTRIES else ""
    word = re.sub(r"[-_](?:[a-z]{2}|[a-z]{4}|\d{3})$", "", word)
    return word if word in _CODES else _LONGER.get(word) or _NAMES.get(word, "")


_COUNTRIES = {("pt", "br"), ("es", "es"), ("ar", "eg"), ("ar", "sa"), ("sv", "se"), ("fr", "ca")}


def lower(word: str, language: str) -> str:
    """Return a word in small letters."""
    if language in DOTTED_I:
        word = word.replace("I", "ı").replace("İ", "i")
    return word.lower()


def upper(word: str, language: str) -> str:
    """Return a word in capitals."""
    if language in DOTTED_I:
        word = word.replace("i", "İ").replace("ı", "I")
    return word.upper()


def capitalised(word: str, language: str) -> str:
    """Return a word with a capital at its beginning."""
    first = word[:1]
    if language in DOTTED_I and first == "i":
        return "İ" + word[1:]
    changed = first.title()
    return changed + word[1:] if len(changed) == 1 else word
