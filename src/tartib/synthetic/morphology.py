"""Inflection: every form of every word is made once, when the package is imported.

Arabic is undiacritised, so only endings that show in writing are made: the alif of the indefinite
accusative (كتابا), the sound plurals (معلمون / معلمين), the persons and moods of the verb.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tartib.synthetic import lexicon_verbs as lexicon

NOMINATIVE, ACCUSATIVE, GENITIVE = range(3)
INDEFINITE, DEFINITE, CONSTRUCT = range(3)
# Agreement: he, she, they (m.), they (f.), I, we.
HE, SHE, THEY, THEY_F, ME, WE = range(6)
# English agreement: he writes, they write, i am.
SINGULAR, PLURAL, FIRST = range(3)
# What a noun may combine with: see the tables of shapes in ``phrases``.
PROPER, COUNTABLE, MANY, MASS, MEASURE, BODY, PRONOUN = range(7)

Forms = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """A noun in one number, with all its forms."""

    lemma: str  # shared by singular and plural
    kind: str
    forms: tuple[Forms, ...]  # [INDEFINITE, DEFINITE or CONSTRUCT][case]
    english: Forms  # drawn from uniformly: a translation of weight n is repeated n times
    agreement: int  # of adjectives, and of a verb that follows
    verb_first: int  # agreement of a verb that precedes
    number: int  # of the English noun
    profile: int
    takes_the: bool = True
    takes_a: bool = False
    counted: Forms = ()  # after 3-10, after 11-99, after 100
    where: Forms = ("in",)  # English for في before it


@dataclass(frozen=True, slots=True, eq=False)
class Adjective:
    """An adjective with all its forms; the elative (أكبر) is empty where there is none."""

    forms: tuple[tuple[Forms, ...], ...]  # [agreement][INDEFINITE or DEFINITE][case]
    english: Forms
    elative: str
    comparatives: tuple[Forms, ...]
    superlatives: tuple[Forms, ...]


class Verb(NamedTuple):
    """An Arabic verb: each mood by agreement."""

    past: Forms
    present: Forms
    subjunctive: Forms
    jussive: Forms


class Sense(NamedTuple):
    """An English verb: ``look for`` has base ``look`` and the particle ``for``."""

    base: str
    present: Forms  # by English agreement
    past: str
    participle: str
    gerund: str
    particles: Forms
    stative: bool


def weighted(text: str) -> Forms:
    """Read ``house*3,home`` as four tickets of a lottery."""
    tickets: list[str] = []
    for item in text.split(","):
        word, _, weight = item.partition("*")
        tickets += [word] * int(weight or 1)
    return tuple(tickets)


# ---------------------------------------------------------------- Arabic nouns and adjectives


def cases(word: str, state: int, sound: bool = False) -> Forms:
    """Nominative, accusative and genitive of one word in one state.

    ``sound`` marks the plural in ون (معلمون), which must be told: عيون is not one.
    """
    diptote, word = word.endswith("!"), word.rstrip("!")
    article = "ال" if state == DEFINITE else ""
    if sound:
        stem, end = article + word[:-2], "" if state == CONSTRUCT else "ن"
        return (stem + "و" + end, stem + "ي" + end, stem + "ي" + end)
    if state == DEFINITE:
        return (lexicon.IRREGULAR_DEFINITES.get(word, article + word),) * 3
    if state == CONSTRUCT or diptote or word.endswith(("ة", "اء", "ات", "ى", "ا")):
        return (word,) * 3
    return (word, word + "ا", word)


def noun_forms(word: str, sound: bool = False) -> tuple[Forms, ...]:
    """Every state and case of a common noun."""
    return tuple(cases(word, state, sound) for state in (INDEFINITE, DEFINITE, CONSTRUCT))


def name_forms(word: str) -> tuple[Forms, ...]:
    """Inflect a name, which looks the same in every state: محمد, accusative محمدا."""
    if word.startswith("ال"):
        return ((word,) * 3,) * 3
    return (cases(word, INDEFINITE),) * 3


def adjective_forms(masculine: str, plural: str) -> tuple[tuple[Forms, ...], ...]:
    """By agreement, definiteness and case: كبير كبيرة كبار كبيرات, أحمر حمراء."""
    colour = masculine.endswith("!")
    she = masculine[1:-1] + "اء" if colour else masculine + "ة"
    sound = plural == "."
    they = masculine.rstrip("!") + "ون" if sound else plural
    words = ((masculine, False), (she, False), (they, sound), (she[:-1] + "ات", False))
    return tuple(
        (cases(word, INDEFINITE, flag), cases(word, DEFINITE, flag)) for word, flag in words
    )


# ---------------------------------------------------------------- Arabic verbs


def past_forms(he: str) -> Forms:
    """كتب كتبت كتبوا كتبن كتبت كتبنا, with hollow (قال), defective (بنى) and دعا stems."""
    stem, short = he, he
    if he[-1] == "ى":
        stem, short = he[:-1] + "ي", he[:-1]
    elif he[-1] == "ا":
        stem, short = he[:-1] + "و", he[:-1]
    elif he[-2] == "ا":
        stem = he[:-2] + he[-1]
    they = he[:-1] + "وا" if he[-1] in "يىا" else he + "وا"
    they_f, we = (stem, stem + "ا") if stem[-1] == "ن" else (stem + "ن", stem + "نا")
    return (he, short + "ت", they, they_f, stem + "ت", we)


def present_forms(he: str, they_end: str, jussive: bool, hollow: bool) -> Forms:
    """يكتب تكتب يكتبون يكتبن أكتب نكتب; ``they_end`` is ون or, in the other moods, وا."""
    weak = he[-1] in "ىيو"
    short = he[:-2] + he[-1] if hollow else he
    one = short if jussive else he
    one = one[:-1] if jussive and weak else one
    they = (he[:-1] if weak else he) + they_end
    stem = he[:-1] + "ي" if he[-1] == "ى" else short
    they_f = stem if stem[-1] == "ن" else stem + "ن"
    rest = one[1:]
    i = "آ" + rest[1:] if rest[0] == "أ" else "أ" + rest
    return (one, "ت" + rest, they, they_f, i, "ن" + rest)


def verb(past: str, present: str) -> Verb:
    """Conjugate an Arabic verb from its two principal parts."""
    hollow = past[-2] == "ا"
    return Verb(
        past_forms(past),
        present_forms(present, "ون", jussive=False, hollow=hollow),
        present_forms(present, "وا", jussive=False, hollow=hollow),
        present_forms(present, "وا", jussive=True, hollow=hollow),
    )


# ---------------------------------------------------------------- English

_IRREGULAR = {
    entry.split()[0]: entry.split()
    for line in lexicon.IRREGULAR_VERBS.strip().splitlines()
    for entry in line.split("|")
}


def add_s(word: str) -> str:
    """Plural of a noun, third person of a verb."""
    if word.endswith("y") and word[-2] not in "aeou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch", "x", "o")) else "s")


def add_ed(verb: str) -> str:
    """Past of a regular verb."""
    if verb in lexicon.DOUBLED:
        return verb + verb[-1] + "ed"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ied"
    return verb + ("d" if verb.endswith("e") else "ed")


def add_ing(verb: str) -> str:
    """Gerund."""
    if verb in lexicon.IRREGULAR_GERUNDS:
        return lexicon.IRREGULAR_GERUNDS[verb]
    if verb in lexicon.DOUBLED:
        return verb + verb[-1] + "ing"
    return (verb[:-1] if verb.endswith("e") else verb) + "ing"


def sense(text: str) -> Sense:
    """Conjugate an English verb given as ``look+for``."""
    base, *particles = text.split("+")
    _, past, participle = _IRREGULAR.get(base, (base, add_ed(base), add_ed(base)))
    third = "has" if base == "have" else add_s(base)
    present = (third, base, base)
    stative = base in lexicon.STATIVE
    return Sense(base, present, past, participle, add_ing(base), tuple(particles), stative)


def plural(word: str) -> str:
    """Plural of an English noun."""
    return lexicon.IRREGULAR_PLURALS.get(word) or add_s(word)


def compare(word: str) -> tuple[Forms, Forms]:
    """Make comparative and superlative of an English adjective."""
    if word in lexicon.LONG_ADJECTIVES:
        return ("more", word), ("most", word)
    if word in lexicon.COMPARATIVES:
        better, best = lexicon.COMPARATIVES[word]
        return (better,), (best,)
    stem = word[:-1] + "i" if word.endswith("y") else word.removesuffix("e")
    stem += stem[-1] if word in ("big", "hot") else ""
    return (stem + "er",), (stem + "est",)


def is_an(word: str) -> bool:
    """Whether English says ``an`` before the word."""
    return word[0] in "aeio" or word in ("uprising", "ugly")
