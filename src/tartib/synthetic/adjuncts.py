"""Adjuncts: place, time, company, manner and purpose, one function for each."""

from collections.abc import Callable

from tartib.synthetic import lexicon_verbs as lexicon
from tartib.synthetic.draft import Draft, English
from tartib.synthetic.morphology import DEFINITE, GENITIVE
from tartib.synthetic.phrases import SIMPLE, choose, complement, idiom, plain
from tartib.synthetic.tenses import infinitive
from tartib.synthetic.vocabulary import ACTIONS, NOUNS, Frame, Urn, read_idioms, urn


def place(d: Draft) -> English:
    """في المدرسة = at the school, أمام البيت = in front of the house."""
    chance = d.random()
    if chance < 0.25:
        return region(d)
    if chance < 0.8:
        at = d.put("في")
        where = choose(d, NOUNS["site"], SIMPLE)
        return [(d.pick(where.noun.where), at), *where.write(d, GENITIVE)]
    beside = idiom(d, d.pick(BESIDE))
    return beside + choose(d, NOUNS["site"], SIMPLE).write(d, GENITIVE)


def region(d: Draft) -> English:
    """في مصر = in egypt."""
    at = d.put("في")
    return [("in", at), *plain(d, d.pick(NOUNS["land"]), GENITIVE, DEFINITE)]


def company(d: Draft) -> English:
    """مع الوزير = with the minister."""
    at = d.put("مع")
    return [("with", at), *choose(d, NOUNS["human"], SIMPLE).write(d, GENITIVE)]


def benefit(d: Draft) -> English:
    """ل+ الوزير = for the minister."""
    at = d.put("ل+")
    return [("for", at), *choose(d, NOUNS["human"], SIMPLE).write(d, GENITIVE)]


def transport(d: Draft) -> English:
    """ب+ السيارة = by car."""
    return idiom(d, d.pick(TRANSPORT))


def occasion(d: Draft) -> English:
    """بعد الاجتماع = after the meeting."""
    after = idiom(d, d.pick(AROUND))
    return after + choose(d, NOUNS["occasion"], SIMPLE).write(d, GENITIVE)


def manner(d: Draft) -> English:
    """ب+ سرعة = quickly."""
    return idiom(d, d.pick(MANNERS))


def purpose(d: Draft, agreement: int) -> English:
    """ل+ يشتري الخبز = (in order) to buy bread."""
    frame = d.pick(ACTIONS)
    sense = d.pick(frame.senses)
    words = infinitive(d, frame.verb, sense, agreement, "ل+")
    return words + complement(d, frame, sense, words, SIMPLE)


def adjuncts(d: Draft, frame: Frame, agreement: int) -> English:
    """Write what may follow the object."""
    chance = d.random()
    if chance < 0.25:
        return []
    if not frame.animate:
        return region(d) if chance < 0.6 else []
    if chance < 0.38 and frame.motion:
        return transport(d)
    if chance > 0.93:
        return purpose(d, agreement)
    return d.pick(ADJUNCTS if frame.placed else FREE_ADJUNCTS)(d)


def place_and_time(d: Draft) -> English:
    """في المدرسة بعد الاجتماع = at the school after the meeting."""
    return place(d) + occasion(d)


MANNERS = read_idioms(lexicon.MANNERS)
AROUND = read_idioms(lexicon.AROUND)
BESIDE = read_idioms(lexicon.BESIDE)
TRANSPORT = read_idioms(lexicon.TRANSPORT)
ADJUNCTS: Urn[Callable[[Draft], English]] = urn({occasion: 6, company: 5, manner: 5, benefit: 1})
# A verb whose object is a place, or that has a preposition, takes no further place.
FREE_ADJUNCTS = ADJUNCTS + urn({place: 9, place_and_time: 5})
