"""The synthetic corpus: a pure function of its seed, exactly aligned, varied and ambiguous."""

import hashlib
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from tartib.synthetic import BLOCK_SIZE, SentencePair, block, generate, lines
from tests.support import paths
from tests.support.processes import environment, run_python

# Frozen: a change of the grammar or the lexicon changes the corpus, and must be deliberate.
CHECKSUM = "e7a2551ffad40bd922a6f1cde325a6774191b37d4a8abdf82b1c1b36d54cfe05"
SOURCE_ROOT = paths.REPOSITORY / "src"


def checksum(pairs: list[SentencePair]) -> str:
    """SHA-256 of the three files of a corpus, one after the other."""
    return hashlib.sha256(b"".join(lines(pairs))).hexdigest()


@pytest.fixture(scope="module")
def corpus() -> list[SentencePair]:
    """Twenty thousand pairs, made once."""
    return list(generate(20_000))


def phrase(pair: SentencePair) -> str:
    """The Arabic sentence with a space on both sides, to look for whole tokens."""
    return f" {' '.join(pair.source)} "


# ---------------------------------------------------------------- the stream


def test_first_block_is_frozen() -> None:
    assert checksum(block(0)) == CHECKSUM


def test_another_process_with_another_hash_seed_makes_the_same_corpus() -> None:
    code = (
        "import hashlib, tartib.synthetic as s;"
        "print(hashlib.sha256(b''.join(s.lines(s.block(0)))).hexdigest())"
    )
    env = environment(PYTHONHASHSEED="4711", PYTHONPATH=str(SOURCE_ROOT))
    assert run_python(code, env=env).stdout.strip() == CHECKSUM


@pytest.mark.parametrize("size", [0, 1, 999, 1000, 1001, 2500])
def test_a_longer_stream_begins_with_the_shorter(corpus: list[SentencePair], size: int) -> None:
    assert list(generate(size)) == corpus[:size]


def test_a_block_is_its_part_of_the_stream(corpus: list[SentencePair]) -> None:
    assert block(3) == corpus[3 * BLOCK_SIZE : 4 * BLOCK_SIZE]


def test_seeds_and_blocks_differ() -> None:
    first = {pair.source for pair in block(0)}
    for other in (block(0, seed=1), block(0, seed=-1), block(1)):
        assert len(first & {pair.source for pair in other}) < 100


def test_lines_are_utf8_pharaoh_and_newline_terminated() -> None:
    pair = SentencePair(("الكتاب", "جديد"), ("the", "book", "is", "new"), ((0, 0), (0, 1), (1, 3)))
    expected = ("الكتاب جديد\n".encode(), b"the book is new\n", b"0-0 0-1 1-3\n")
    assert lines([pair]) == expected
    assert lines([]) == (b"", b"", b"")


def test_bad_arguments_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="pairs must not be negative, got -1"):
        generate(-1)
    with pytest.raises(ValueError, match="index must not be negative"):
        block(-1)
    with pytest.raises(TypeError, match="pairs must be an integer, not float"):
        generate(1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="seed must be an integer, not str"):
        generate(1, seed="x")  # type: ignore[arg-type]


# ---------------------------------------------------------------- every pair


def test_links_are_in_range_sorted_and_unique(corpus: list[SentencePair]) -> None:
    for source, target, links in corpus:
        assert list(links) == sorted(set(links))
        assert all(0 <= i < len(source) and 0 <= j < len(target) for i, j in links)
        assert (len(source) - 1, len(target) - 1) in links  # the full stop


def test_tokens_and_lengths_are_legal(corpus: list[SentencePair]) -> None:
    for pair in corpus:
        assert 3 <= len(pair.source) <= 60
        assert 3 <= len(pair.target) <= 60
    for token in {token for pair in corpus for side in pair[:2] for token in side}:
        assert token != "|||"
        assert token.split() == [token]
        assert token == token.lower()


def test_mean_length_and_spread(corpus: list[SentencePair]) -> None:
    lengths = [len(pair.source) for pair in corpus]
    assert 10 <= sum(lengths) / len(lengths) <= 14
    assert min(lengths) <= 4
    assert max(lengths) >= 28


def test_english_articles(corpus: list[SentencePair]) -> None:
    followers: dict[str, set[str]] = {"a": set(), "an": set()}
    for pair in corpus:
        for word, following in pairwise(pair.target):
            if word in followers:
                followers[word].add(following)
    for word, following in ((w, f) for w, seen in followers.items() for f in seen):
        vowel = following[0] in "aeio" or following == "uprising"
        assert vowel == (word == "an"), f"{word} {following}"
    assert all(len(seen) > 20 for seen in followers.values())


def test_english_agreement(corpus: list[SentencePair]) -> None:
    wrong = {
        ("he", "are"),
        ("he", "have"),
        ("she", "do"),
        ("they", "is"),
        ("they", "was"),
        ("they", "does"),
        ("i", "is"),
        ("i", "are"),
        ("we", "has"),
        ("these", "is"),
        ("a", "the"),
        ("the", "the"),
        ("the", "a"),
    }
    for pair in corpus:
        assert not wrong & set(pairwise(pair.target)), pair


def test_arabic_adjectives_agree(corpus: list[SentencePair]) -> None:
    text = "\n".join(map(phrase, corpus))
    for good, bad in (
        (" السيارة الجديدة ", " السيارة الجديد "),
        (" الكتب الجديدة ", " الكتب الجديد "),
        (" الوزراء الجدد ", " الوزراء الجديدون "),
        (" المعلمين المشهورين ", " المعلمين المشهورون "),
    ):
        assert good in text
        assert bad not in text


# ---------------------------------------------------------------- the corpus as a whole


@pytest.mark.parametrize(
    ("arabic", "english"),
    [
        pytest.param(("لم",), "did not", id="negated past"),
        pytest.param(("لا",), "not", id="negated present"),
        pytest.param(("لن",), "will not", id="negated future"),
        pytest.param(("ليس",), "is not", id="negated nominal sentence"),
        pytest.param(("ليست",), "not", id="negated nominal sentence, feminine"),
        pytest.param(("الذي",), "who", id="subject relative"),
        pytest.param(("التي", "+ها"), "that", id="object relative with resumptive pronoun"),
        pytest.param(("الذين",), "who", id="plural relative"),
        pytest.param(("هذا",), "this", id="demonstrative"),
        pytest.param(("هؤلاء",), "these", id="plural demonstrative"),
        pytest.param(("هل", "؟"), "did", id="question"),
        pytest.param(("هل", "؟"), "is", id="nominal question"),
        pytest.param(("من", "؟"), "who", id="subject question"),
        pytest.param(("ماذا", "؟"), "what did", id="object question"),
        pytest.param(("إن",), "indeed", id="emphasis"),
        pytest.param(("أن",), "that", id="complement clause"),
        pytest.param(("أن",), "to", id="infinitive"),
        pytest.param(("يجب", "أن"), "must", id="modal"),
        pytest.param(("قد",), "has", id="perfect"),
        pytest.param(("س+",), "will", id="future"),
        pytest.param(("سوف",), "will", id="long future"),
        pytest.param(("كان",), "was", id="past nominal"),
        pytest.param(("هناك",), "there is", id="existential"),
        pytest.param(("لكن",), "but", id="contrast"),
        pytest.param(("لأن",), "because", id="reason"),
        pytest.param(("عندما", "،"), "when", id="subordinate clause"),
        pytest.param(("إذا", "ف+"), "if", id="conditional"),
        pytest.param(("و+",), "and", id="coordination"),
        pytest.param(("ب+",), "quickly", id="clitic b"),
        pytest.param(("ل+",), "for", id="clitic l"),
        pytest.param(("ك+",), "as", id="clitic k"),
        pytest.param(("+ه",), "his", id="possessive"),
        pytest.param(("+هم",), "them", id="object pronoun"),
        pytest.param(("عام",), "in the year", id="year"),
        pytest.param(("قبل",), "days ago", id="days ago"),
        pytest.param(("جدا",), "very", id="degree"),
        pytest.param(("أكبر", "من"), "than", id="comparison"),
        pytest.param(("كل",), "all the", id="quantifier"),
        pytest.param(("رئيس",), "the president of", id="construct with of"),
    ],
)
def test_every_construction_occurs(
    corpus: list[SentencePair], arabic: tuple[str, ...], english: str
) -> None:
    assert any(
        set(arabic) <= set(pair.source) and f" {english} " in f" {' '.join(pair.target)} "
        for pair in corpus[:5000]
    )


def test_construct_with_possessive_and_attributive_adjective_swap(
    corpus: list[SentencePair],
) -> None:
    assert any("'s" in pair.target for pair in corpus[:1000])
    assert any("'" in pair.target for pair in corpus[:1000])
    swapped = {
        (pair.source[i : i + 2], pair.target[j - 1 : j + 1])
        for pair in corpus
        for i, j in pair.links
        if (i + 1, j - 1) in pair.links
    }
    assert (("الشركة", "الجديدة"), ("new", "company")) in swapped


def test_unaligned_and_shared_words(corpus: list[SentencePair]) -> None:
    bare: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
    shared: Counter[int] = Counter()
    for pair in corpus[:5000]:
        for side, tokens in enumerate((pair.source, pair.target)):
            counts = Counter(link[side] for link in pair.links)
            bare[side].update(token for at, token in enumerate(tokens) if at not in counts)
            shared[side] += sum(count > 1 for count in counts.values())
    assert {"إن", "أن", "عام", "هل", "+ها"} <= set(bare[0])
    assert {"a", "of", "is", "to", "did"} <= set(bare[1])
    assert all(shared[side] > 500 for side in (0, 1))


def test_vocabulary_is_large_and_still_grows(corpus: list[SentencePair]) -> None:
    half = {word for pair in corpus[:10_000] for word in pair.source}
    full = {word for pair in corpus for word in pair.source}
    letters = {word for word in full if not word[0].isdigit() and "+" not in word}
    assert len(letters) >= 400
    assert len(half) < len(full) < 2 * len(half)


def test_sentences_are_rarely_repeated(corpus: list[SentencePair]) -> None:
    assert len(set(corpus[:10_000])) > 9000


def translations(corpus: list[SentencePair]) -> dict[str, Counter[str]]:
    """For every Arabic word, how often each English content word is aligned to it."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for source, target, links in corpus:
        for i, j in links:
            if target[j] not in ("the", "he", "she", "they", "i", "we"):
                table[source[i]][target[j]] += 1
    return table


def test_words_are_ambiguous(corpus: list[SentencePair]) -> None:
    table = translations(corpus)
    ambiguous = [
        word
        for word, counts in table.items()
        if sum(counts.values()) >= 30 and counts.most_common(2)[-1][1] >= sum(counts.values()) / 10
    ]
    assert len(ambiguous) >= 100
    for word, senses in {
        "من": {"than", "who"},
        "في": {"in", "at", "on"},
        "أن": {"that", "to"},
        "عين": {"appointed", "spring"},
        "كتب": {"wrote", "books"},
        "ذهب": {"went", "gold"},
        "مكتب": {"office", "desk"},
        "الحكم": {"referee", "ruling"},
        "عقد": {"held", "contract"},
    }.items():
        assert senses <= set(table[word]), word


# ---------------------------------------------------------------- context


def verb_orders(corpus: list[SentencePair]) -> list[tuple[str, str, str, bool]]:
    """(word before, verb, word after, whether English puts the verb after its neighbour)."""
    verbs = {"كتب", "كتبت", "عقد", "عقدت", "ناقش", "ناقشت", "رفض", "رفضت", "زار", "زارت", "قرأ"}
    verbs |= {"أعلن", "أعلنت", "وجد", "وجدت", "يكتب", "تعقد", "يعقد", "يزور", "اشترى", "رأى", "أيد"}
    orders = []
    for source, _, links in corpus:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for i, j in links:
            first.setdefault(i, j)
            last[i] = j
        for i in range(len(source) - 1):
            if source[i] in verbs and i in first and i + 1 in first:
                before = source[i - 1] if i else "<s>"
                orders.append((before, source[i], source[i + 1], last[i] > first[i + 1]))
    return orders


def test_word_order_depends_on_the_neighbouring_words(corpus: list[SentencePair]) -> None:
    orders = verb_orders(corpus)
    half = len(orders) // 2
    votes: dict[tuple[str, ...], Counter[bool]] = defaultdict(Counter)
    for before, verb, after, swapped in orders[:half]:
        for context in ((verb,), ("<", before), (">", after), (before, after)):
            votes[context][swapped] += 1
    alone = informed = 0
    for before, verb, after, swapped in orders[half:]:
        guess = votes[verb,].most_common(1)[0][0]
        alone += guess == swapped
        known = [c for c in ((before, after), ("<", before), (">", after)) if c in votes]
        informed += (votes[known[0]].most_common(1)[0][0] if known else guess) == swapped
    total = len(orders) - half
    assert total > 1000
    assert informed / total > alone / total + 0.1
    assert informed / total > 0.85


def test_time_adverbs_move_with_the_following_word(corpus: list[SentencePair]) -> None:
    times = {"أمس": "yesterday", "غدا": "tomorrow", "اليوم": "today", "الآن": "now"}
    motion = {"ذهب", "ذهبت", "وصل", "وصلت", "عاد", "عادت", "سافر", "سافرت", "يذهب", "تذهب"}
    motion |= {"يصل", "تصل", "يعود", "تعود", "يسافر", "تسافر"}
    longer = corpus + [pair for index in range(20, 40) for pair in block(index)]
    fronted: dict[bool, Counter[bool]] = defaultdict(Counter)
    for source, target, _ in longer:
        if source[0] in times and source[1] not in ("س+", "لم", "لن", "لا", "يجب", "يمكن"):
            fronted[source[1] in motion][target[0] == times[source[0]]] += 1
    assert fronted[False][True] > 4 * fronted[False][False] > 0
    assert fronted[True][False] > 2 * fronted[True][True]
    assert fronted[True].total() > 10
