"""Clauses, one function for each construction; the verb first, or the subject first, or no verb."""

from collections.abc import Callable, Sequence

from tartib.synthetic import lexicon_verbs as lexicon
from tartib.synthetic.adjuncts import adjuncts, place, region
from tartib.synthetic.draft import NONE, Draft, English
from tartib.synthetic.morphology import (
    ACCUSATIVE,
    COUNTABLE,
    DEFINITE,
    GENITIVE,
    HE,
    INDEFINITE,
    ME,
    NOMINATIVE,
    PLURAL,
    PRONOUN,
    SHE,
    SINGULAR,
    THEY,
    THEY_F,
    WE,
    Noun,
)
from tartib.synthetic.phrases import (
    INDEFINITE_OBJECT,
    OBJECT,
    SIMPLE,
    SUBJECT,
    TOPIC,
    Nominal,
    another,
    choose,
    complement,
    free,
    idiom,
    plain,
)
from tartib.synthetic.tenses import (
    BE,
    WAS,
    Tense,
    can,
    did_not,
    did_question,
    does_not,
    does_question,
    future,
    infinitive,
    initial_perfect,
    must,
    past,
    perfect,
    present,
    will_not,
    will_question,
)
from tartib.synthetic.vocabulary import (
    ACTIONS,
    COMPANIONS,
    CONTROLS,
    FRAMES,
    GRADED,
    NOUNS,
    PEOPLE,
    PRONOUNS,
    QUALITIES,
    REPORTS,
    Frame,
    read_idioms,
    urn,
)

# ---------------------------------------------------------------- when


def year(d: Draft) -> English:
    """في عام 1987 = in 1987, in the year 1987."""
    at = d.put("في")
    word = d.put("عام" if d.random() < 0.7 else "سنة")
    number = str(2024 - int(120 * d.random() ** 2))
    when = [("in", at), (number, d.put(number))]
    return when if d.random() < 0.7 else [when[0], ("the", word), ("year", word), when[1]]


def ago(d: Draft) -> English:
    """قبل 5 أيام = 5 days ago."""
    back = d.put("قبل")
    number = 3 + int(27 * d.random() ** 2)
    many = d.put(str(number))
    days = d.put("أيام" if number <= 10 else "يوما")
    return [(str(number), many), ("days", days), ("ago", back)]


def past_time(d: Draft) -> English:
    """أمس = yesterday, and so on."""
    chance = d.random()
    return year(d) if chance < 0.22 else ago(d) if chance < 0.34 else idiom(d, d.pick(PAST_TIMES))


def present_time(d: Draft) -> English:
    """اليوم = today."""
    return idiom(d, d.pick(PRESENT_TIMES))


def future_time(d: Draft) -> English:
    """غدا = tomorrow."""
    return idiom(d, d.pick(FUTURE_TIMES))


PAST_TIMES = read_idioms(lexicon.PAST_TIMES)
PRESENT_TIMES = read_idioms(lexicon.PRESENT_TIMES)
FUTURE_TIMES = read_idioms(lexicon.FUTURE_TIMES)
FREQUENCIES = read_idioms(lexicon.FREQUENCIES)
TIMES: dict[Tense, Callable[[Draft], English]] = {
    past: past_time,
    did_not: past_time,
    did_question: past_time,
    present: present_time,
    does_not: present_time,
    does_question: present_time,
    future: future_time,
    will_not: future_time,
    will_question: future_time,
    must: future_time,
    can: future_time,
}
STATEMENTS: tuple[Tense, ...] = urn(
    {
        past: 36,
        present: 14,
        future: 11,
        perfect: 5,
        initial_perfect: 4,
        did_not: 10,
        does_not: 6,
        will_not: 5,
        must: 5,
        can: 4,
    }
)
TOPIC_STATEMENTS: tuple[Tense, ...] = urn(
    {past: 40, present: 22, future: 14, did_not: 9, does_not: 6, will_not: 5, perfect: 4}
)
QUESTIONS: tuple[Tense, ...] = urn({did_question: 5, does_question: 4, will_question: 2})
PLACES = frozenset({"place", "town", "nature", "money", "distance", "body"})
FIRST, MIDDLE, LAST, NEVER = range(4)
SLOTS = urn({FIRST: 12, MIDDLE: 14, LAST: 10, NEVER: 64})
TIMELESS = (NEVER,)


def is_fronted(d: Draft, slot: int, frame: Frame, after: int) -> bool:
    """Whether English puts the time first; it depends on the Arabic word that follows it.

    أمس ذهب ... = ... went ... yesterday, but أمس كتب ... = yesterday ... wrote; in the middle of an
    Arabic clause, the time goes last before a definite noun, first before anything else.
    """
    if slot == FIRST:
        return d.random() < (0.1 if frame.motion else 0.92)
    if slot == MIDDLE and after < len(d.arabic):
        return d.random() < (0.1 if d.arabic[after].startswith("ال") else 0.85)
    return d.random() < 0.04


# ---------------------------------------------------------------- clauses with a verb


def subject_of(d: Draft, frame: Frame) -> Nominal:
    """Choose the subject of a verb that comes first; now and then it is a pronoun, in the verb."""
    nouns = PRONOUNS if frame.animate and frame.objects and d.random() < 0.13 else frame.subjects
    return choose(d, nouns, SUBJECT)


def verb_first(d: Draft, tense: Tense, slots: Sequence[int] = SLOTS) -> English:
    """كتب الولد رسالة = the boy wrote a letter."""
    frame = d.pick(FRAMES)
    sense = d.pick(frame.senses)
    subject = subject_of(d, frame)
    slot = d.pick(slots) if tense in TIMES else NEVER
    time = TIMES[tense](d) if slot == FIRST else []
    aux, main = tense(d, frame.verb, sense, subject.noun.verb_first, subject.number)
    pronoun = object_pronoun(d, frame)
    doer = subject.write(d, NOMINATIVE)
    if slot == MIDDLE:
        if tense is present:
            aux += idiom(d, d.pick(FREQUENCIES))
        else:
            time = TIMES[tense](d)
    after = len(d.arabic)
    rest = pronoun or complement(d, frame, sense, main, OBJECT)
    rest += adjuncts(d, frame, subject.noun.agreement)
    if slot == LAST:
        time = TIMES[tense](d)
    clause = doer + aux + main + rest
    if time and is_fronted(d, slot, frame, after):
        return time + clause
    return clause + time


def subject_first(d: Draft, case: int = NOMINATIVE) -> English:
    """الولد كتب رسالة, (أن) الولد كتب رسالة = (that) the boy wrote a letter."""
    frame = d.pick(FRAMES)
    sense = d.pick(frame.senses)
    tense = d.pick(TOPIC_STATEMENTS)
    nouns = PRONOUNS if frame.animate and d.random() < 0.12 else frame.subjects
    subject = choose(d, nouns, TOPIC)
    noun = subject.noun
    if noun.profile == PRONOUN and case == NOMINATIVE:
        doer = free(d, noun, case, DEFINITE)
    else:
        doer = subject.write(d, case)
    aux, main = tense(d, frame.verb, sense, noun.agreement, noun.number)
    rest = object_pronoun(d, frame) or complement(d, frame, sense, main, OBJECT)
    rest += adjuncts(d, frame, noun.agreement)
    time = TIMES[tense](d) if tense in TIMES and d.random() < 0.12 else []
    return doer + aux + main + rest + time


def object_pronoun(d: Draft, frame: Frame) -> English:
    """كتب +ها ... = ... wrote it."""
    if d.random() > 0.07 or not frame.objects or frame.preposition or frame.recipient:
        return []
    human = frame.objects[0].kind in PEOPLE
    suffix, english = d.pick(HUMAN_OBJECTS if human else THING_OBJECTS)
    return [(english, d.put(suffix))]


def question(d: Draft) -> English:
    """هل كتب الولد رسالة = did the boy write a letter."""
    frame = d.pick(FRAMES)
    sense = d.pick(frame.senses)
    tense = d.pick(QUESTIONS)
    subject = subject_of(d, frame)
    aux, main = tense(d, frame.verb, sense, subject.noun.verb_first, subject.number)
    doer = subject.write(d, NOMINATIVE)
    rest = complement(d, frame, sense, main, OBJECT) + adjuncts(d, frame, subject.noun.agreement)
    time = TIMES[tense](d) if d.random() < 0.2 else []
    return aux + doer + main + rest + time


def who_did(d: Draft) -> English:
    """من كتب الرسالة = who wrote the letter."""
    frame = d.pick(ACTIONS)
    sense = d.pick(frame.senses)
    who = d.put("من")
    aux, main = past(d, frame.verb, sense, HE, SINGULAR)
    rest = complement(d, frame, sense, main, OBJECT) + adjuncts(d, frame, HE)
    return [("who", who), *aux, *main, *rest]


def what_did(d: Draft) -> English:
    """ماذا كتب الولد = what did the boy write ("did" has no Arabic word)."""
    frame = d.pick(ASKABLE)
    sense = d.pick(frame.senses)
    subject = subject_of(d, frame)
    what = d.put("ماذا")
    at = d.verb = d.put(frame.verb.past[subject.noun.verb_first])
    doer = subject.write(d, NOMINATIVE)
    rest = adjuncts(d, frame, subject.noun.agreement)
    particle = [(word, at) for word in sense.particles]
    return [("what", what), ("did", NONE), *doer, (sense.base, at), *particle, *rest]


def was_doing(d: Draft) -> English:
    """كان الولد يكتب رسالة = the boy was writing a letter, used to write letters."""
    frame = d.pick(FRAMES)
    sense = d.pick(frame.senses)
    subject = choose(d, frame.subjects, TOPIC)
    noun = subject.noun
    was = d.put(KANA[noun.verb_first])
    doer = subject.write(d, NOMINATIVE)
    at = d.put(frame.verb.present[noun.agreement])
    if sense.stative or d.random() < 0.3:
        main = [("used", was), ("to", was), (sense.base, at)]
    else:
        main = [(WAS[noun.number], was), (sense.gerund, at)]
    rest = complement(d, frame, sense, main, OBJECT) + adjuncts(d, frame, noun.agreement)
    return doer + main + rest


def report(d: Draft) -> English:
    """قال الوزير إن الحكومة وقعت الاتفاق = the minister said that the government signed ..."""
    frame = d.pick(REPORTS)
    sense = d.pick(frame.senses)
    subject = choose(d, frame.subjects, TOPIC)
    noun = subject.noun
    tense = past if d.random() < 0.8 else present
    if d.random() < 0.7:
        aux, main = tense(d, frame.verb, sense, noun.verb_first, noun.number)
        doer = subject.write(d, NOMINATIVE)
    else:
        doer = subject.write(d, NOMINATIVE)
        aux, main = tense(d, frame.verb, sense, noun.agreement, noun.number)
    that = d.put(frame.preposition)
    if d.random() < 0.85:
        main.append(("that", that))
    said = doer + aux + main + that_clause(d)
    return said + also_that(d, frame.preposition) if d.random() < 0.2 else said


def also_that(d: Draft, complementiser: str) -> English:
    """... و+ أن الكتاب جديد = ... and that the book is new."""
    both = d.put("و+")
    that = d.put(complementiser)
    return [("and", both), ("that", that), *that_clause(d)]


def that_clause(d: Draft) -> English:
    """After إن and أن the subject comes first, in the accusative."""
    return subject_first(d, ACCUSATIVE) if d.random() < 0.72 else verbless(d, ACCUSATIVE)


def control(d: Draft) -> English:
    """يريد الولد أن يكتب رسالة = the boy wants to write a letter."""
    outer, inner = d.pick(CONTROLS), d.pick(ACTIONS)
    sense, deed = d.pick(outer.senses), d.pick(inner.senses)
    subject = (
        choose(d, PRONOUNS, SUBJECT) if d.random() < 0.15 else choose(d, NOUNS["human"], TOPIC)
    )
    noun = subject.noun
    tense = d.pick(TOPIC_STATEMENTS)
    aux, main = tense(d, outer.verb, sense, noun.verb_first, noun.number)
    doer = subject.write(d, NOMINATIVE)
    to_do = infinitive(d, inner.verb, deed, noun.agreement, "أن")
    rest = complement(d, inner, deed, to_do, OBJECT)
    return doer + aux + main + to_do + rest


# ---------------------------------------------------------------- clauses without a verb


def verbless(d: Draft, case: int = NOMINATIVE) -> English:
    """الكتاب جديد = the book is new ("is" has no Arabic word)."""
    subject = choose(d, SUBJECTS, TOPIC)
    doer = subject.write(d, case)
    return [*doer, (BE[subject.number], NONE), *predicate(d, subject.noun, NOMINATIVE)]


def was(d: Draft) -> English:
    """كان الكتاب جديدا = the book was new."""
    subject = choose(d, SUBJECTS, TOPIC)
    at = d.put(KANA[subject.noun.verb_first])
    doer = subject.write(d, NOMINATIVE)
    return [*doer, (WAS[subject.number], at), *predicate(d, subject.noun, ACCUSATIVE)]


def is_not(d: Draft) -> English:
    """ليس الكتاب جديدا, الكتاب ليس جديدا = the book is not new."""
    subject = choose(d, SUBJECTS, TOPIC)
    noun = subject.noun
    if d.random() < 0.5:
        no = d.put(LAYSA[noun.verb_first])
        doer = subject.write(d, NOMINATIVE)
    else:
        doer = subject.write(d, NOMINATIVE)
        no = d.put(LAYSA[noun.agreement])
    return [*doer, (BE[noun.number], no), ("not", no), *predicate(d, noun, ACCUSATIVE)]


def is_it(d: Draft) -> English:
    """هل الكتاب جديد = is the book new."""
    whether = d.put("هل")
    subject = choose(d, SUBJECTS, TOPIC)
    doer = subject.write(d, NOMINATIVE)
    return [(BE[subject.number], whether), *doer, *predicate(d, subject.noun, NOMINATIVE)]


def this_is(d: Draft) -> English:
    """هذا كتاب جديد = this is a new book."""
    that = choose(d, SUBJECTS, INDEFINITE_OBJECT, INDEFINITE)
    if that.number == PLURAL or that.noun.number == PLURAL:
        that = Nominal(plain, d.pick(NOUNS["job"]), SINGULAR, INDEFINITE)
    this = d.put("هذه" if that.noun.agreement == SHE else "هذا")
    return [("this", this), ("is", this), *that.write(d, NOMINATIVE)]


def there_is(d: Draft) -> English:
    """هناك كتاب في البيت = there is a book in the house; كان هناك = there was."""
    what = choose(d, EXISTING, INDEFINITE_OBJECT, INDEFINITE)
    if d.random() < 0.3:
        be = d.put("كان" if what.noun.verb_first == HE else "كانت")
        there = d.put("هناك")
        lead = [("there", there), (WAS[what.noun.number], be)]
    else:
        there = d.put("هناك" if d.random() < 0.75 else "ثمة")
        lead = [("there", there), (BE[what.noun.number], there)]
    return lead + what.write(d, NOMINATIVE) + place(d)


def predicate(d: Draft, noun: Noun, case: int) -> English:
    """Say what the subject is: new, very new, newer than ..., in the house."""
    chance = d.random()
    if chance < 0.2 and noun.kind not in IDEAS:
        return region(d) if noun.kind in SITES else place(d)
    if chance < 0.38 and noun.kind in GRADED and noun.kind in COMPANIONS:
        return comparison(d, noun)
    adjective = d.pick(QUALITIES[noun.kind])
    if adjective.forms[noun.agreement][DEFINITE][NOMINATIVE] in d.arabic:
        adjective = d.pick(QUALITIES[noun.kind])  # not "the tall man is tall"
    at = d.put(adjective.forms[noun.agreement][INDEFINITE][case])
    word = (d.pick(adjective.english), at)
    if adjective.elative and d.random() < 0.25:
        return [("very", d.put("جدا")), word]
    return [word]


def comparison(d: Draft, noun: Noun) -> English:
    """أكبر من المدينة = bigger than the city."""
    adjective = d.pick(GRADED[noun.kind])
    more = d.put(adjective.elative)
    words = [(word, more) for word in d.pick(adjective.comparatives)]
    words.append(("than", d.put("من")))
    return words + d.pick(SIMPLE[COUNTABLE])(d, another(d, noun), GENITIVE, DEFINITE)


ASKABLE = tuple(
    frame
    for frame in ACTIONS
    if frame.objects
    and not (frame.preposition or frame.recipient)
    and not frame.object_kinds & (PEOPLE | PLACES)
)
IDEAS = frozenset({"plan", "problem"})
SITES = frozenset({"place", "home", "org"})
SUBJECTS: tuple[Noun, ...] = tuple(
    noun
    for kind in ("people", "place", "text", "thing", "plan", "problem", "home", "vehicle", "org")
    for noun in NOUNS[kind][:: 3 if kind == "people" else 2]
)
EXISTING = tuple(
    noun for kind in ("people", "thing", "text", "vehicle", "surface") for noun in NOUNS[kind][::2]
)
KANA = {HE: "كان", SHE: "كانت", THEY: "كانوا", THEY_F: "كن", ME: "كنت", WE: "كنا"}
LAYSA = {HE: "ليس", SHE: "ليست", THEY: "ليسوا", THEY_F: "لسن"}
HUMAN_OBJECTS = urn({("+ه", "him"): 3, ("+ها", "her"): 2, ("+هم", "them"): 2})
THING_OBJECTS = urn({("+ه", "it"): 3, ("+ها", "it"): 3, ("+ها", "them"): 1})
