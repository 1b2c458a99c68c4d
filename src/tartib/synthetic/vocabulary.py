"""The lexicon turned into urns: tuples from which a word is drawn with one random number.

A word of weight n stands n times in its urn, so drawing is one multiplication and one index.
"""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from tartib.synthetic import lexicon_nouns, lexicon_verbs
from tartib.synthetic.morphology import (
    ACCUSATIVE,
    BODY,
    COUNTABLE,
    FIRST,
    GENITIVE,
    HE,
    INDEFINITE,
    MANY,
    MASS,
    ME,
    MEASURE,
    PLURAL,
    PRONOUN,
    PROPER,
    SHE,
    SINGULAR,
    THEY,
    THEY_F,
    WE,
    Adjective,
    Forms,
    Noun,
    Sense,
    Verb,
    adjective_forms,
    compare,
    is_an,
    name_forms,
    noun_forms,
    plural,
    sense,
    verb,
    weighted,
)

T = TypeVar("T")
Urn = tuple[T, ...]
PEOPLE = frozenset({"person", "chief", "staff", "kin"})
MEASURES = frozenset({"money", "distance"})  # always counted: 12 دولارا


def urn(weights: Mapping[T, int]) -> Urn[T]:
    """Repeat every item as often as its weight says."""
    return tuple(item for item, weight in weights.items() for _ in range(weight))


def rows(table: str) -> list[list[str]]:
    """Split a table of the lexicon into lines and columns."""
    return [line.split() for line in table.strip().splitlines()]


def zipf(rank: int, offset: int, top: int) -> int:
    """Weight of the entry of a given rank, at least 1."""
    return max(1, round(top * offset / (rank + offset)))


# ---------------------------------------------------------------- nouns


def where(english: str) -> Urn[str]:
    """Which English prepositions translate في before this noun."""
    english = weighted(english)[0]
    if english in lexicon_verbs.AT_PLACES:
        return ("at", "at", "in")
    return ("on",) if english in lexicon_verbs.ON_PLACES else ("in",)


def profile(kind: str, usual: int) -> int:
    """Tell by its kind what a noun may combine with."""
    return MEASURE if kind in MEASURES else BODY if kind == "body" else usual


def singular_noun(kind: str, english: str, arabic: str, gender: str, many: str) -> Noun:
    """Make a noun in the singular."""
    agreement = HE if gender in "mM" else SHE
    mass = many == "-"
    return Noun(
        arabic + many,
        kind,
        noun_forms(arabic),
        weighted(english),
        agreement,
        agreement,
        SINGULAR,
        profile(kind, MASS if mass else COUNTABLE),
        takes_the=gender in "mf",
        takes_a=not mass,
        where=where(english),
    )


def plural_noun(kind: str, english: str, arabic: str, gender: str, many: str) -> Noun:
    """Make a noun in the plural; if it is not human, it agrees like a feminine singular."""
    forms = noun_forms(many, sound=many == arabic + "ون")
    one = noun_forms(arabic)[INDEFINITE]
    human, he = kind in PEOPLE, gender in "mM"
    return Noun(
        arabic + many,
        kind,
        forms,
        tuple(plural(word) for word in weighted(english)),
        (THEY if he else THEY_F) if human else SHE,
        HE if he and human else SHE,
        PLURAL,
        profile(kind, MASS if arabic == "-" else MANY),
        counted=(forms[INDEFINITE][GENITIVE], one[ACCUSATIVE], one[GENITIVE]),
    )


def name(kind: str, english: str, arabic: str, gender: str) -> Noun:
    """Make a proper name."""
    agreement = SHE if gender == "f" else HE
    forms = name_forms(arabic)
    return Noun(
        arabic,
        kind,
        forms,
        (english,),
        agreement,
        agreement,
        SINGULAR,
        PROPER,
        takes_the=False,
    )


def read_nouns() -> dict[str, dict[Noun, int]]:
    """Every noun and name by kind, with its weight."""
    kinds: dict[str, dict[Noun, int]] = {}
    for row in rows(lexicon_nouns.NOUNS):
        kind = kinds.setdefault(row[0], {})
        weight = zipf(len(kind) // 2, 4, 30)
        if row[2] != "-" and row[0] not in MEASURES:
            kind[singular_noun(*row)] = 2 * weight
        if row[4] not in ("-", "."):
            kind[plural_noun(*row)] = weight
    for row in rows(lexicon_nouns.NAMES):
        kind = kinds.setdefault(row[0], {})
        kind[name(*row)] = zipf(len(kind), 4, 30)
    return kinds


def blend(kinds: Mapping[str, Mapping[Noun, int]], shares: list[str]) -> dict[Noun, int]:
    """Mix kinds in the shares that ``person*3 org`` gives."""
    mixed: dict[Noun, int] = {}
    for item in shares:
        kind, _, share = item.partition("*")
        scale = 150 * int(share or 1) / sum(kinds[kind].values())
        for noun, weight in kinds[kind].items():
            mixed[noun] = max(1, round(scale * weight))
    return mixed


def read_groups(kinds: Mapping[str, Mapping[Noun, int]]) -> dict[str, Urn[Noun]]:
    """One urn for every kind and every group of kinds."""
    urns = {kind: urn(weights) for kind, weights in kinds.items()}
    for group, *shares in rows(lexicon_verbs.GROUPS):
        urns[group] = urn(blend(kinds, shares))
    single = [n for n in urns["people"] if n.agreement == HE]
    trades = lexicon_verbs.JOBS
    urns["man"] = tuple(single) + tuple(n for n in urns["name"] if n.agreement == HE)
    urns["job"] = tuple(n for n in single if n.english[0] in trades)
    urns["doctor"] = tuple(n for n in urns["person"] if n.english[0].startswith("doctor"))
    return urns


KINDS = read_nouns()
NOUNS = read_groups(KINDS)
COMPANIONS = {
    kind: NOUNS[kind] for kind, group in KINDS.items() if len({n.lemma for n in group}) > 1
}
OWNERS = {
    kind: urn(blend({**KINDS, "human": dict.fromkeys(NOUNS["human"], 1)}, shares))
    for kind, *shares in rows(lexicon_nouns.OWNERS)
}


def pronoun(english: str, suffix: str, free: str, agreement: int, number: int) -> Noun:
    """Make a personal pronoun: its forms are the suffix (+ه) and the free form (هو)."""
    forms = ((suffix,), (free,))
    return Noun(free, "pronoun", forms, (english,), agreement, agreement, number, PRONOUN)


PRONOUNS = urn(
    {
        pronoun("he", "+ه", "هو", HE, SINGULAR): 5,
        pronoun("she", "+ها", "هي", SHE, SINGULAR): 3,
        pronoun("they", "+هم", "هم", THEY, PLURAL): 3,
        pronoun("i", "+ي", "أنا", ME, FIRST): 2,
        pronoun("we", "+نا", "نحن", WE, PLURAL): 2,
    }
)


# ---------------------------------------------------------------- adjectives


def adjective(english: str, arabic: str, many: str, elative: str) -> Adjective:
    """Make an adjective from its columns."""
    words = weighted(english)
    elative = "" if elative == "-" else elative
    compared = [compare(word) for word in words]
    return Adjective(
        adjective_forms(arabic, many),
        words,
        elative,
        tuple(more for more, _ in compared),
        tuple(most for _, most in compared),
    )


def read_adjectives(table: str) -> dict[str, Urn[Adjective]]:
    """Find the adjectives that can describe each kind of noun."""
    found: dict[str, dict[Adjective, int]] = {}
    for english, arabic, _, many, elative, *kinds in rows(table):
        entry = adjective(english, arabic, many, elative)
        if "people" in kinds:
            kinds += sorted(PEOPLE)
        for kind in kinds:
            group = found.setdefault(kind, {})
            group[entry] = zipf(len(group), 5, 10)
    return {kind: urn(group) for kind, group in found.items()}


QUALITIES = read_adjectives(lexicon_nouns.QUALITIES)
RELATIONS = read_adjectives(lexicon_nouns.RELATIONS)
GRADED = {
    kind: graded
    for kind, group in QUALITIES.items()
    if (graded := tuple(adjective for adjective in group if adjective.elative))
}


# ---------------------------------------------------------------- verbs


class Recipient(NamedTuple):
    """What may follow the object: أرسل رسالة إلى الوزير."""

    preposition: str
    english: str
    nouns: Urn[Noun]
    chance: float


class Frame(NamedTuple):
    """A verb with the subject and object that it wants, and their translation."""

    verb: Verb
    subjects: Urn[Noun]
    objects: Urn[Noun]  # empty: intransitive
    preposition: str  # empty: none
    senses: Urn[Sense]
    motion: bool
    placed: bool  # it says where already
    animate: bool  # the subject may be a pronoun, have a purpose, a companion
    object_kinds: frozenset[str]
    recipient: Recipient | None


RECIPIENTS = {
    past: Recipient(preposition, english, NOUNS[kind], int(tenths) / 10)
    for past, kind, preposition, english, tenths in rows(lexicon_verbs.RECIPIENTS)
}


def read_frame(subject: str, past: str, obj: str, present: str, prep: str, english: str) -> Frame:
    """Make a frame from its columns."""
    objects = () if obj == "-" else NOUNS[obj]
    kinds = frozenset(noun.kind for noun in objects)
    return Frame(
        verb(past, present),
        NOUNS[subject],
        objects,
        "" if prep == "-" else prep,
        tuple(sense(text) for text in weighted(english)),
        motion=prep == "إلى" and obj in ("destination", "land"),
        placed=prep != "-" or bool(kinds & {"place", "home", "town", "country", "nature"}),
        animate=subject in ("human", "agent"),
        object_kinds=kinds,
        recipient=RECIPIENTS.get(past) if obj != "plan" else None,
    )


def read_frames(table: str) -> Urn[Frame]:
    """All frames of a table, the first most frequent."""
    frames = [read_frame(*row) for row in rows(table)]
    return tuple(frame for i, frame in enumerate(frames) for _ in range(zipf(i, 30, 12)))


FRAMES = read_frames(lexicon_verbs.VERBS)
REPORTS = read_frames(lexicon_verbs.REPORT_VERBS)
CONTROLS = read_frames(lexicon_verbs.CONTROL_VERBS)
ACTIONS = tuple(f for f in FRAMES if f.subjects is NOUNS["human"])
# Frames for relative clauses: those that a noun of this kind can be the subject or object of.
DOING = {
    kind: tuple(f for f in FRAMES if f.subjects in (NOUNS["agent"], NOUNS[group]))
    for group, members in (("human", PEOPLE), ("org", {"org"}))
    for kind in members
}
DONE_TO = {
    kind: frames
    for kind in KINDS
    if (
        frames := tuple(
            f for f in FRAMES if kind in f.object_kinds and f.animate and not f.recipient
        )
    )
}


# ---------------------------------------------------------------- fixed expressions


class Idiom(NamedTuple):
    """A fixed expression: Arabic tokens and English words with the tokens that they translate."""

    arabic: Forms
    english: tuple[tuple[str, tuple[int, ...]], ...]


def read_idioms(table: str) -> Urn[Idiom]:
    """Read lines such as ``الأسبوع الماضي | last:1 week:0 *4``."""
    idioms: dict[Idiom, int] = {}
    for line in table.strip().splitlines():
        left, right = line.split("|")
        *words, weight = right.split()
        pairs = (word.split(":") for word in words)
        english = tuple(
            (word, () if at == "-" else tuple(int(i) for i in at.split(","))) for word, at in pairs
        )
        idioms[Idiom(tuple(left.split()), english)] = int(weight[1:])
    return urn(idioms)


def article_words() -> frozenset[str]:
    """All English words of the lexicon that want ``an``."""
    nouns = {word for group in KINDS.values() for noun in group for word in noun.english}
    adjectives = {
        word
        for table in (QUALITIES, RELATIONS)
        for group in table.values()
        for adjective in group
        for word in adjective.english
    }
    return frozenset(word for word in nouns | adjectives if is_an(word))


AN_WORDS = article_words()
