"""Whole sentences: clauses put together, with punctuation."""

from collections.abc import Callable
from typing import NamedTuple

from tartib.synthetic import lexicon_verbs as lexicon
from tartib.synthetic.clauses import (
    STATEMENTS,
    TIMELESS,
    control,
    is_it,
    is_not,
    question,
    report,
    subject_first,
    that_clause,
    there_is,
    this_is,
    verb_first,
    verbless,
    was,
    was_doing,
    what_did,
    who_did,
)
from tartib.synthetic.draft import NONE, Draft, English
from tartib.synthetic.morphology import ACCUSATIVE
from tartib.synthetic.phrases import idiom
from tartib.synthetic.tenses import future, past, supposed
from tartib.synthetic.vocabulary import read_idioms, urn


class SentencePair(NamedTuple):
    """An Arabic sentence, its English translation, and the word alignment.

    Attributes
    ----------
    source, target
        The Arabic and the English tokens.
    links
        Sorted pairs (Arabic position, English position), counted from 0.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[tuple[int, int], ...]


def statement(d: Draft) -> English:
    """Write a statement with the verb first or, less often, the subject."""
    opener = idiom(d, d.pick(OPENERS)) if d.random() < 0.25 else []
    if d.random() < 0.28:
        return opener + subject_first(d)
    return opener + verb_first(d, d.pick(STATEMENTS))


def indeed(d: Draft) -> English:
    """إن الولد كتب رسالة = (indeed) the boy wrote a letter."""
    at = d.put("إن")
    lead = [("indeed", at)] if d.random() < 0.35 else []
    return lead + that_clause(d)


def joined(d: Draft) -> English:
    """كتب الولد رسالة و+ قرأت البنت كتابا = the boy wrote a letter and the girl read a book."""
    first = verb_first(d, d.pick(STATEMENTS))
    both = d.put("و+")
    second = report(d) if d.random() < 0.3 else verb_first(d, d.pick(STATEMENTS))
    return [*first, ("and", both), *second]


def opposed(d: Draft) -> English:
    """كتب الولد رسالة لكن البنت قرأت كتابا = ... but the girl read a book: the subject first."""
    first = verb_first(d, past)
    but = d.put("لكن")
    return [*first, ("but", but), *subject_first(d, ACCUSATIVE)]


def when(d: Draft) -> English:
    """عندما وصل الوزير ، بدأ الاجتماع = when the minister arrived , the meeting began."""
    lead = idiom(d, d.pick(SUBORDINATORS))
    clause = lead + verb_first(d, past, TIMELESS)
    comma = d.put("،")
    return [*clause, (",", comma), *verb_first(d, past, TIMELESS)]


def because(d: Draft) -> English:
    """... لأن الكتاب مفيد = ... because the book is useful: the subject first."""
    main = verb_first(d, d.pick(STATEMENTS))
    return main + idiom(d, d.pick(REASONS)) + that_clause(d)


def meanwhile(d: Draft) -> English:
    """... بينما الكتاب جديد = ... while the book is new: the subject first, in the nominative."""
    main = verb_first(d, d.pick(STATEMENTS))
    contrast = d.put("بينما")
    return [*main, ("while", contrast), *subject_first(d)]


def conditional(d: Draft) -> English:
    """إذا كتب الولد رسالة ف+ س+ تقرأ ... = if the boy writes a letter , ... will read ..."""
    condition = d.put("إذا")
    clause = [("if", condition), *verb_first(d, supposed, TIMELESS)]
    comma = d.put("ف+")
    return [*clause, (",", comma if d.random() < 0.5 else NONE), *verb_first(d, future)]


OPENERS = read_idioms(lexicon.OPENERS)
SUBORDINATORS = read_idioms(lexicon.SUBORDINATORS)
REASONS = read_idioms(lexicon.REASONS)
SENTENCES: tuple[Callable[[Draft], English], ...] = urn(
    {
        statement: 31,
        report: 18,
        joined: 12,
        because: 6,
        meanwhile: 2,
        control: 6,
        was_doing: 5,
        when: 6,
        opposed: 4,
        indeed: 4,
        conditional: 3,
        verbless: 4,
        was: 3,
        is_not: 3,
        there_is: 3,
        this_is: 2,
        question: 5,
        who_did: 2,
        what_did: 2,
        is_it: 2,
    }
)
ASKING = frozenset({question, who_did, what_did, is_it})


def sentence(random: Callable[[], float]) -> SentencePair:
    """Write one sentence pair with the given source of random numbers."""
    draft = Draft(random)
    construction = draft.pick(SENTENCES)
    english = construction(draft)
    asking = construction in ASKING
    english.append(("?" if asking else ".", draft.put("؟" if asking else ".")))
    links = [(i, j) for j, (_, at) in enumerate(english) for i in at]
    links.sort()
    target = tuple([word for word, _ in english])
    return SentencePair(tuple(draft.arabic), target, tuple(links))
