"""Verb groups: tense, negation, modality and question, one function for each.

Each function writes the Arabic verb with its particles and returns the English auxiliaries and the
English main verb apart, because English puts subjects and adverbs between them.
"""

from collections.abc import Callable

from tartib.synthetic.draft import NONE, Draft, English
from tartib.synthetic.morphology import FIRST, PLURAL, SINGULAR, Sense, Verb

VerbGroup = tuple[English, English]
# The draft, the verb and its translation, the Arabic agreement, the English agreement.
Tense = Callable[[Draft, Verb, Sense, int, int], VerbGroup]

BE = {SINGULAR: "is", PLURAL: "are", FIRST: "am"}
WAS = {SINGULAR: "was", PLURAL: "were", FIRST: "was"}
DO = {SINGULAR: "does", PLURAL: "do", FIRST: "do"}
HAVE = {SINGULAR: "has", PLURAL: "have", FIRST: "have"}


def past(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """كتب = wrote."""
    at = d.verb = d.put(verb.past[agreement])
    return [], [(sense.past, at)]


def present(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """يكتب = writes, is writing."""
    at = d.verb = d.put(verb.present[agreement])
    if d.random() < 0.3 and not sense.stative:
        return [(BE[number], at)], [(sense.gerund, at)]
    return [], [(sense.present[number], at)]


def supposed(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """(إذا) كتب = (if he) writes: the Arabic past becomes an English present."""
    at = d.verb = d.put(verb.past[agreement])
    return [], [(sense.present[number], at)]


def future(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """س+ يكتب, سوف يكتب = will write."""
    will = d.put("س+" if d.random() < 0.75 else "سوف")
    at = d.verb = d.put(verb.present[agreement])
    return [("will", will)], [(sense.base, at)]


def perfect(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """قد كتب = has written."""
    return _perfect(d, verb, sense, agreement, number, "قد")


def initial_perfect(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """لقد كتب = has written, only at the head of a clause."""
    return _perfect(d, verb, sense, agreement, number, "لقد")


def _perfect(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int, ar: str) -> VerbGroup:
    have = d.put(ar)
    at = d.verb = d.put(verb.past[agreement])
    return [(HAVE[number], have)], [(sense.participle, at)]


def did_not(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """لم يكتب = did not write."""
    no = d.put("لم")
    at = d.verb = d.put(verb.jussive[agreement])
    return [("did", no), ("not", no)], [(sense.base, at)]


def does_not(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """لا يكتب = does not write."""
    no = d.put("لا")
    at = d.verb = d.put(verb.present[agreement])
    return [(DO[number], no), ("not", no)], [(sense.base, at)]


def will_not(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """لن يكتب = will not write."""
    no = d.put("لن")
    at = d.verb = d.put(verb.subjunctive[agreement])
    return [("will", no), ("not", no)], [(sense.base, at)]


def _modal(d: Draft, verb: Verb, sense: Sense, agreement: int, arabic: str, en: str) -> VerbGroup:
    modal = d.put(arabic)
    that = d.put("أن")
    at = d.verb = d.put(verb.subjunctive[agreement])
    return [(en, modal + that)], [(sense.base, at)]


def must(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """يجب أن يكتب = must write, should write."""
    return _modal(d, verb, sense, agreement, "يجب", "must" if d.random() < 0.7 else "should")


def can(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """يمكن أن يكتب = can write, may write."""
    return _modal(d, verb, sense, agreement, "يمكن", "can" if d.random() < 0.6 else "may")


def did_question(d: Draft, verb: Verb, sense: Sense, agreement: int, _number: int) -> VerbGroup:
    """هل كتب ... = did ... write."""
    whether = d.put("هل")
    at = d.verb = d.put(verb.past[agreement])
    return [("did", whether)], [(sense.base, at)]


def does_question(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """هل يكتب ... = does ... write."""
    whether = d.put("هل")
    at = d.verb = d.put(verb.present[agreement])
    return [(DO[number], whether)], [(sense.base, at)]


def will_question(d: Draft, verb: Verb, sense: Sense, agreement: int, number: int) -> VerbGroup:
    """هل س+ يكتب ... = will ... write (هل has no English word)."""
    d.put("هل")
    return future(d, verb, sense, agreement, number)


def infinitive(d: Draft, verb: Verb, sense: Sense, agreement: int, particle: str) -> English:
    """أن يكتب, ل+ يكتب = to write; ل+ also "in order to"."""
    to = d.put(particle)
    at = d.put(verb.subjunctive[agreement])
    if particle == "ل+" and d.random() < 0.25:
        return [("in", to), ("order", to), ("to", to), (sense.base, at)]
    return [("to", to if particle == "ل+" or d.random() < 0.8 else NONE), (sense.base, at)]
