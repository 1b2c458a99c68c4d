"""Noun phrases and objects, one function for each construction.

A *shape* is a function that writes a noun phrase around a given noun.  The noun is chosen before
anything is written, because an Arabic verb that comes first already agrees with it.
"""

from collections.abc import Callable
from typing import NamedTuple

from tartib.synthetic import lexicon_verbs as lexicon
from tartib.synthetic.draft import NONE, Draft, English
from tartib.synthetic.morphology import (
    ACCUSATIVE,
    BODY,
    CONSTRUCT,
    COUNTABLE,
    DEFINITE,
    GENITIVE,
    HE,
    INDEFINITE,
    MANY,
    MASS,
    MEASURE,
    NOMINATIVE,
    PLURAL,
    PRONOUN,
    PROPER,
    SHE,
    SINGULAR,
    THEY,
    THEY_F,
    Noun,
    Sense,
)
from tartib.synthetic.tenses import past, present
from tartib.synthetic.vocabulary import (
    AN_WORDS,
    COMPANIONS,
    DOING,
    DONE_TO,
    GRADED,
    OWNERS,
    PEOPLE,
    QUALITIES,
    RELATIONS,
    Frame,
    Idiom,
    Urn,
    read_idioms,
    urn,
)

# The draft, the noun, its case, INDEFINITE or DEFINITE.
Shape = Callable[[Draft, Noun, int, int], English]
# For each profile of a noun (PROPER, COUNTABLE ...) the urn of its shapes.
Shapes = dict[int, Urn[Shape]]


def idiom(d: Draft, entry: Idiom) -> English:
    """الأسبوع الماضي = last week."""
    first = d.put_all(entry.arabic)
    return [(word, tuple([first + i for i in at])) for word, at in entry.english]


def article(noun: Noun, definite: int, words: English) -> English:
    """Put "the" or "a" first; "the" belongs to the Arabic word that it stands next to."""
    if definite:
        return [("the", words[0][1]), *words] if noun.takes_the else words
    if noun.takes_a:
        return [("an" if words[0][0] in AN_WORDS else "a", NONE), *words]
    return words


# ---------------------------------------------------------------- shapes of noun phrases


def plain(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """الكتاب = the book, كتاب = a book, محمد = mohammed."""
    at = d.put(noun.forms[definite][case])
    return article(noun, definite, [(d.pick(noun.english), at)])


def described(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """الكتاب الجديد = the new book."""
    qualities = QUALITIES.get(noun.kind)
    if qualities is None:
        return plain(d, noun, case, definite)
    at = d.put(noun.forms[definite][case])
    adjective = d.pick(qualities)
    how = d.put(adjective.forms[noun.agreement][definite][case])
    words = [(d.pick(adjective.english), how), (d.pick(noun.english), at)]
    return article(noun, definite, words)


def very(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """كتاب جديد جدا = a very new book."""
    graded = GRADED.get(noun.kind)
    if graded is None:
        return described(d, noun, case, definite)
    adjective = d.pick(graded)
    at = d.put(noun.forms[definite][case])
    how = d.put(adjective.forms[noun.agreement][definite][case])
    much = d.put("جدا")
    words = [("very", much), (d.pick(adjective.english), how), (d.pick(noun.english), at)]
    return article(noun, definite, words)


def classified(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """الأزمة السياسية = the political crisis; with a second adjective, the order is reversed."""
    relations = RELATIONS.get(noun.kind)
    if relations is None:
        return described(d, noun, case, definite)
    at = d.put(noun.forms[definite][case])
    relation = d.pick(relations)
    words = [(d.pick(noun.english), at)]
    which = d.put(relation.forms[noun.agreement][definite][case])
    words = [(d.pick(relation.english), which), *words]
    if d.random() < 0.3 and noun.kind in QUALITIES:
        quality = d.pick(QUALITIES[noun.kind])
        how = d.put(quality.forms[noun.agreement][definite][case])
        words = [(d.pick(quality.english), how), *words]
    return article(noun, definite, words)


def superlative(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """أكبر مدينة في العالم = the biggest city in the world."""
    graded = GRADED.get(noun.kind)
    if graded is None:
        return plain(d, noun, case, definite)
    adjective = d.pick(graded)
    most = d.put(adjective.elative)
    at = d.put(noun.forms[INDEFINITE][GENITIVE])
    words: English = [("the", most)]
    words += [(word, most) for word in d.pick(adjective.superlatives)]
    words.append((d.pick(noun.english), at))
    if d.random() < 0.5:
        words += idiom(d, d.pick(WHOLE))
    return words


def construct(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """باب البيت = the door of the house; كتاب الولد = the boy 's book."""
    owners = OWNERS.get(noun.kind)
    if owners is None:
        return plain(d, noun, case, definite)
    at = d.put(noun.forms[CONSTRUCT][case])
    owner = d.pick(owners)
    whose = d.pick(OWNER[owner.profile])(d, owner, GENITIVE, DEFINITE)
    word = d.pick(noun.english)
    if d.random() < POSSESSIVE.get(owner.kind, 0.15):
        last, end = whose[-1]
        return [*whose, ("'" if last[-1] == "s" and owner.number else "'s", end), (word, at)]
    return [("the", at), (word, at), ("of", NONE), *whose]


def possessed(d: Draft, noun: Noun, case: int, _definite: int) -> English:
    """كتاب +ه = his book."""
    at = d.put(noun.forms[CONSTRUCT][case])
    suffix, english = d.pick(POSSESSIVES)
    return [(english, d.put(suffix)), (d.pick(noun.english), at)]


def pointed(d: Draft, noun: Noun, case: int, _definite: int) -> English:
    """هذا الكتاب = this book."""
    arabic, english = d.pick(DEMONSTRATIVES[noun.number, noun.agreement])
    this = d.put(arabic)
    at = d.put(noun.forms[DEFINITE][case])
    return [(english, this), (d.pick(noun.english), at)]


def quantified(d: Draft, noun: Noun, _case: int, _definite: int) -> English:
    """بعض الكتب = some books, كل الكتب = all the books."""
    many = idiom(d, d.pick(QUANTITIES))
    at = d.put(noun.forms[DEFINITE][GENITIVE])
    if many[0][0] == "all":
        many.append(("the", at))
    many.append((d.pick(noun.english), at))
    return many


def numerous(d: Draft, noun: Noun, case: int, _definite: int) -> English:
    """كثير من الكتب = many books; not as a subject, since كثير would change the agreement."""
    many = idiom(d, d.pick(NUMEROUS_ACCUSATIVE if case == ACCUSATIVE else NUMEROUS))
    at = d.put(noun.forms[DEFINITE][GENITIVE])
    many.append((d.pick(noun.english), at))
    return many


def counted(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """5 كتب = 5 books, 12 كتابا = 12 books, 100 كتاب = 100 books."""
    if noun.kind in UNCOUNTED:
        return plain(d, noun, case, definite)
    amount = int(10 ** (0.5 + d.random() * (4.0 if noun.profile == MEASURE else 1.4)))
    rest = amount % 100
    if rest in (1, 2):
        amount, rest = amount + 2, rest + 2
    many = d.put(str(amount))
    at = d.put(noun.counted[0 if 3 <= rest <= 10 else 1 if rest else 2])
    return [(str(amount), many), (d.pick(noun.english), at)]


def counted_people(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """12 طالبا as a subject: only people, for the verb keeps the gender of their singular."""
    return (counted if noun.kind in PEOPLE else plain)(d, noun, case, definite)


def another(d: Draft, noun: Noun) -> Noun:
    """Draw a different noun of the same kind."""
    other = d.pick(COMPANIONS[noun.kind])
    while other.lemma == noun.lemma:
        other = d.pick(COMPANIONS[noun.kind])
    return other


def coordinated(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """الولد و+ البنت = the boy and the girl."""
    first = plain(d, noun, case, definite)
    if noun.kind not in COMPANIONS:
        return first
    both = d.put("و+")
    return [*first, ("and", both), *plain(d, another(d, noun), case, definite)]


def dropped(d: Draft, noun: Noun, _case: int, _definite: int) -> English:
    """كتب = he wrote: the pronoun is in the verb."""
    return [(noun.english[0], d.verb)]


def suffixed(d: Draft, noun: Noun, _case: int, _definite: int) -> English:
    """(أن) +ه = he."""
    return [(noun.english[0], d.put(noun.forms[0][0]))]


def free(d: Draft, noun: Noun, _case: int, _definite: int) -> English:
    """هو = he."""
    return [(noun.english[0], d.put(noun.forms[1][0]))]


def relative(d: Draft, noun: Noun, case: int, definite: int) -> English:
    """Add a relative clause of which the noun is the subject or the object."""
    if noun.kind in DOING and d.random() < 0.7:
        return subject_relative(d, noun, case)
    if noun.kind in DONE_TO:
        return object_relative(d, noun, case)
    return plain(d, noun, case, definite)


def subject_relative(d: Draft, noun: Noun, case: int) -> English:
    """الرجل الذي كتب الرسالة = the man who wrote the letter."""
    head = plain(d, noun, case, DEFINITE)
    who = d.put(RELATIVES[noun.agreement])
    frame = d.pick(DOING[noun.kind])
    sense = d.pick(frame.senses)
    tense = past if d.random() < 0.6 else present
    aux, main = tense(d, frame.verb, sense, noun.agreement, noun.number)
    word = "who" if noun.kind in PEOPLE else "which" if d.random() < 0.4 else "that"
    rest = complement(d, frame, sense, main, SIMPLE)
    return [*head, (word, who), *aux, *main, *rest]


def object_relative(d: Draft, noun: Noun, case: int) -> English:
    """الرسالة التي كتب +ها الرجل = the letter that the man wrote (+ها has no English word)."""
    head = plain(d, noun, case, DEFINITE)
    that = d.put(RELATIVES[noun.agreement])
    frame = d.pick(DONE_TO[noun.kind])
    sense = d.pick(frame.senses)
    doer = choose(d, frame.subjects, SIMPLE)
    tense = past if d.random() < 0.7 else present
    aux, main = tense(d, frame.verb, sense, doer.noun.verb_first, doer.number)
    particle = particles(d, frame, sense, main)
    d.put(RESUMPTIVES[noun.agreement])
    subject = doer.write(d, NOMINATIVE)
    if d.random() < 0.75:
        head.append(("whom" if noun.kind in PEOPLE else "that", that))
    return [*head, *subject, *aux, *main, *particle]


# ---------------------------------------------------------------- choosing a noun phrase


class Nominal(NamedTuple):
    """A noun phrase that is chosen but not yet written."""

    shape: Shape
    noun: Noun
    number: int
    definite: int

    def write(self, d: Draft, case: int) -> English:
        """Write the Arabic and return the English."""
        return self.shape(d, self.noun, case, self.definite)


def choose(d: Draft, nouns: Urn[Noun], shapes: Shapes, definite: int = DEFINITE) -> Nominal:
    """Draw a noun and a shape for it."""
    noun = d.pick(nouns)
    shape = d.pick(shapes[noun.profile])
    if not noun.takes_the:
        definite = DEFINITE  # شعر ب+ الحزن "he felt sadness"
    return Nominal(shape, noun, PLURAL if shape is coordinated else noun.number, definite)


def shapes(countable: dict[Shape, int], many: dict[Shape, int] | None = None) -> Shapes:
    """Make a table of shapes; ``many`` holds the shapes that only plurals have."""
    mass = {
        s: n for s, n in countable.items() if s in (plain, described, classified, possessed, very)
    }
    return {
        PROPER: (plain,),
        COUNTABLE: urn(countable),
        MANY: urn({s: n for s, n in countable.items() if s is not superlative} | (many or {})),
        MASS: urn(mass),
        MEASURE: (counted,),
        BODY: (possessed,),
        PRONOUN: (dropped,),
    }


SUBJECT = shapes(
    {
        plain: 30,
        described: 12,
        classified: 9,
        construct: 14,
        possessed: 5,
        pointed: 6,
        relative: 6,
        coordinated: 6,
        superlative: 1,
    },
    {quantified: 10, counted_people: 12},
)
# Before the verb there is no "12 students", and "the boy and the girl" would need the dual.
TOPIC = shapes(
    {
        plain: 45,
        described: 12,
        classified: 9,
        construct: 14,
        possessed: 5,
        pointed: 8,
        relative: 5,
        superlative: 1,
    },
    {quantified: 8},
) | {PRONOUN: (suffixed,)}
OBJECT = shapes(
    {
        plain: 26,
        described: 14,
        classified: 10,
        construct: 14,
        possessed: 8,
        pointed: 7,
        relative: 6,
        coordinated: 4,
        superlative: 2,
    },
    {quantified: 10, numerous: 8, counted: 10},
)
INDEFINITE_OBJECT = shapes(
    {plain: 36, described: 22, classified: 16, very: 6, coordinated: 4}, {counted: 20}
)
SIMPLE = shapes({plain: 40, described: 14, classified: 8, possessed: 6, pointed: 4})
OWNER = shapes({plain: 70, described: 12, classified: 8, possessed: 6})

UNCOUNTED = frozenset({"price", "pay", "problem"})
POSSESSIVE = dict.fromkeys(("name", *PEOPLE), 0.85) | {"country": 0.4, "town": 0.2, "org": 0.3}
POSSESSIVES = urn({("+ه", "his"): 8, ("+ها", "her"): 5, ("+هم", "their"): 3, ("+نا", "our"): 2})
RELATIVES = {HE: "الذي", SHE: "التي", THEY: "الذين", THEY_F: "اللواتي"}
RESUMPTIVES = {HE: "+ه", SHE: "+ها", THEY: "+هم", THEY_F: "+هن"}
DEMONSTRATIVES = {
    (SINGULAR, HE): urn({("هذا", "this"): 3, ("ذلك", "that"): 1}),
    (SINGULAR, SHE): urn({("هذه", "this"): 3, ("تلك", "that"): 1}),
    (PLURAL, SHE): urn({("هذه", "these"): 3, ("تلك", "those"): 1}),
    (PLURAL, THEY): urn({("هؤلاء", "these"): 3, ("أولئك", "those"): 1}),
    (PLURAL, THEY_F): urn({("هؤلاء", "these"): 1}),
}
QUANTITIES = read_idioms(lexicon.QUANTITIES)
NUMEROUS = read_idioms(lexicon.NUMEROUS)
NUMEROUS_ACCUSATIVE = read_idioms(lexicon.NUMEROUS_ACCUSATIVE)
WHOLE = read_idioms(lexicon.WHOLE)


# ---------------------------------------------------------------- objects


def particles(d: Draft, frame: Frame, sense: Sense, main: English) -> English:
    """بحث عن = look for; in حصل على = obtain, both Arabic words share the English verb."""
    if not frame.preposition:
        return [(word, main[-1][1]) for word in sense.particles]
    at = d.put(frame.preposition)
    if not sense.particles:
        verb, where = main[-1]
        main[-1] = (verb, where + at)
    return [(word, at) for word in sense.particles]


def complement(d: Draft, frame: Frame, sense: Sense, main: English, shapes: Shapes) -> English:
    """Write the object: (كتب) رسالة = (wrote) a letter, (ذهب) إلى السوق = (went) to the market."""
    words = particles(d, frame, sense, main)
    if not frame.objects:
        return words
    indefinite = shapes is OBJECT and not frame.motion and d.random() < 0.45
    if frame.preposition == "ك+":
        thing = Nominal(plain, d.pick(frame.objects), SINGULAR, INDEFINITE)
    elif indefinite:
        thing = choose(d, frame.objects, INDEFINITE_OBJECT, INDEFINITE)
    else:
        thing = choose(d, frame.objects, shapes)
    words += thing.write(d, GENITIVE if frame.preposition else ACCUSATIVE)
    if frame.recipient and d.random() < frame.recipient.chance:
        at = d.put(frame.recipient.preposition)
        words.append((frame.recipient.english, at))
        words += choose(d, frame.recipient.nouns, SIMPLE).write(d, GENITIVE)
    return words
