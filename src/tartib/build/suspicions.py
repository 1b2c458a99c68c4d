"""What may be wrong with the text: sides that are swapped, another language, tokens for text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tartib.build.parallel import unlike_sides
from tartib.text import TextModel, TextSide
from tartib.text.scripts import letters_by_script, main_scripts, scripts_of_language

Pairs = Sequence[tuple[str, str]]
TITLES = {"train": "training text", "dev": "development set", "test": "test set"}
_SEGMENTERS = {"ja": ("fugashi", "japanese"), "zh": ("jieba", "chinese")}


def title_of(name: str) -> str:
    """Return the title of a text; ``dev.2`` is the development set with its second reference."""
    name, _, reference = name.partition(".")
    return TITLES[name] + (f" (reference {reference})" if reference else "")


def sides_suspicions(
    samples: Mapping[str, Pairs], model: TextModel, languages: tuple[str, str]
) -> list[str]:
    """Return warnings, each a sentence.

    Parameters
    ----------
    samples
        Raw pairs of ``train``, ``dev`` and ``test``.
    model
        Learnt from the training text.
    languages
        What the sides are said to be.
    """
    found = [
        f"the training text's {name} side {what}"
        for name, language, lines in zip(
            ("source", "target"), languages, _sides(samples["train"]), strict=True
        )
        for what in language_suspicions(lines, language)
    ]
    tokenised = [
        name
        for name, side in (("source", model.source), ("target", model.target))
        if side.profile.shape.stops >= _LEAST_STOPS and side.profile.shape.apart > _MUCH_APART
    ]
    if tokenised:
        sides = "both sides look" if len(tokenised) > 1 else f"the {tokenised[0]} side looks"
        use = {"source": "take", "target": "give"}
        found.append(
            f"{sides} tokenised in the training text (spaces before commas): the system will "
            f"{' and '.join(use[name] for name in tokenised)} such text"
        )
    found += [
        note
        for name, side in (("source", model.source), ("target", model.target))
        if (note := _without_words(name, side))
    ]
    for name in samples:
        if name == "train":
            continue
        title = title_of(name)
        source, target = _sides(samples[name])
        for side, doubts in (
            ("source", [] if "." in name else model.source.doubts(source, model.target)),
            ("target", model.target.doubts(target, model.source)),
        ):
            found += [f"the {side} side of the {title}: {doubt}" for doubt in doubts]
    return found


def _without_words(name: str, side: TextSide) -> str:
    """Say that words of a side could be found, if a package were installed."""
    package, extra = _SEGMENTERS.get(side.language, ("", ""))
    if not package or side.segmentation != "characters" or side.options.segmentation != "auto":
        return ""
    return (
        f"the {name} side ({side.language}) was cut into characters: {package} would find its "
        f'words, and is not installed (pip install "tartib[{extra}]", and build again)'
    )


def _sides(pairs: Pairs) -> tuple[list[str], list[str]]:
    return [source for source, _ in pairs], [target for _, target in pairs]


# The most frequent words of some languages, by which they are told apart.
_FREQUENT: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "bg": "на и за в се от да не с че са по е това като",
        "cs": "a v se na je že to s z o do ve pro k by jsou",
        "da": "og i at er det en til af på for den med de ikke som har",
        "de": "der die und in den von zu das ist mit sich des auf für nicht ein eine wir",
        "el": "και το να του η της για την από που με των τα στην",
        "en": "the of and to in a is that for it on with as this be are we",
        "es": "de la que el en y los se del las por un para con una",
        "et": "ja on ei et see kui ka ning oma selle mis või aga",
        "fi": "ja on ei että se oli hän mutta myös kun ovat joka tämä",
        "fr": "de la et le les des en un du une est que pour dans qui nous",
        "hu": "a az és hogy nem is egy ez meg csak van azt",
        "it": "di e che la il un a per in una del della sono non con",
        "lt": "ir kad yra tai su iš į kaip bet dėl apie",
        "lv": "un ir ka par no ar tas uz to kas arī",
        "nl": "de van het een en in is dat op te zijn voor met die niet",
        "pl": "w i na z do że się nie jest to o jak po dla",
        "pt": "de a que e o do da em um para os com uma não as",
        "ro": "de și în la a cu pe că nu să este din pentru care",
        "ru": "и в не на что с по это он как из но я а",
        "sk": "a v sa na je že to s z o do vo pre by sú",
        "sl": "in v je na da se za so ki z ne pa tudi",
        "sv": "och i att det som en på är av för med till den inte har",
        "tr": "ve bir bu da de için ile çok ne olarak daha gibi",
        "uk": "і в на не що з до у та це за як але",
    }.items()
}
_LEAST_WORDS = 500
_LEAST_STOPS, _MUCH_APART = 20, 0.5  # stops and commas, and the share of those that stand apart
_MUCH, _MORE = 0.1, 2.0  # share of frequent words, and how often as many as of the right language


def language_suspicions(lines: Sequence[str], language: str) -> list[str]:
    """Say if lines look like another language than they are said to be.

    Nothing is said of languages whose frequent words are not known here.
    """
    own = _FREQUENT.get(language.partition("-")[0].lower())
    words = [word.strip(".,;:!?()\"'") for line in lines for word in line.lower().split()]
    if own is None or len(words) < _LEAST_WORDS:
        return []
    shares = {
        name: sum(word in frequent for word in words) / len(words)
        for name, frequent in _FREQUENT.items()
    }
    best = max(shares, key=lambda name: shares[name])
    there = sum(word in own for word in words) / len(words)
    if shares[best] < _MUCH or shares[best] < _MORE * there:
        return []
    return [f"looks like {best}, not like {language}: are the sides swapped?"]


_EQUAL = 0.5  # of the lines of both sides


def disasters(
    samples: Mapping[str, Pairs], given: Sequence[str], languages: tuple[str, str]
) -> list[str]:
    """Return what makes a system worthless, each a sentence.

    Parameters
    ----------
    samples
        Raw pairs of ``train``, ``dev`` and ``test``.
    given
        The sets that were not drawn from the training text.
    languages
        What the sides are said to be.
    """
    found = []
    train = _sides(samples["train"])
    for name, lines, language in zip(("source", "target"), train, languages, strict=True):
        if script := _foreign_script(lines, language):
            found.append(
                f"the training text's {name} side is said to be {language}, and most of its "
                f"letters are {script}: give the right files, or --languages"
            )
    crossed = [
        f"the {name} side looks like {_code(other)}"
        for name, lines, language, other in zip(
            ("source", "target"), train, languages, reversed(languages), strict=True
        )
        if any(
            what.startswith(f"looks like {_code(other)},")
            for what in language_suspicions(lines, language)
        )
    ]
    if crossed:
        found.append(
            f"the sides of the training text, or the languages, are swapped: {', '.join(crossed)}"
        )
    for name in (name for name in samples if name.partition(".")[0] in given):
        title, sides = title_of(name), _sides(samples[name])
        if same_lines(samples[name]) > _EQUAL:
            found.append(f"source and target side of the {title} are the same text")
            continue
        unlike = unlike_sides(sides, train)
        if all(unlike):
            found.append(
                f"the source side of the {title} is in the language of the training text's target "
                "side, and the other way round: they are swapped"
            )
        for side, other, wrong in zip(
            ("source", "target"), ("target", "source"), unlike, strict=True
        ):
            if wrong and not all(unlike):
                found.append(
                    f"the {side} side of the {title} is in the language of the training text's "
                    f"{other} side"
                )
    return found


_LATIN = frozenset(_FREQUENT) - {"bg", "el", "ru", "uk"}


def _foreign_script(lines: Sequence[str], language: str) -> str:
    """Return the script of some lines, if a language is never written in it."""
    code = _code(language)
    usual = scripts_of_language(code) or (("Latin",) if code in _LATIN else ())
    scripts = main_scripts(letters_by_script(lines))
    return "" if not usual or not scripts or set(usual) & set(scripts) else scripts[0]


def same_lines(pairs: Pairs) -> float:
    """Return the share of pairs with the same text on both sides."""
    return sum(one.strip() == other.strip() for one, other in pairs) / max(len(pairs), 1)


def _code(language: str) -> str:
    return language.partition("-")[0].lower()
