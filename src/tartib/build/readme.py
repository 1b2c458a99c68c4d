"""`README.md` of a system: what whoever receives it should know."""

from __future__ import annotations

from tartib.build.results import BuildResults, SetScores
from tartib.wording import counted

_SETS = {"dev": "development set", "test": "test set"}


def readme_of(results: BuildResults, name: str) -> str:
    """Return the text; ``name`` is that of the folder."""
    source, target = results.languages
    pair = f"{source} → {target}" if source and target else "two languages (codes not given)"
    parts = [
        f"# {name}: a translation system, {pair}",
        f"Built by [Tartib](https://pypi.org/project/tartib/) {results.tartib}; it takes "
        f"{results.texts[0]} and gives {results.texts[1]}, like that it was made from. This folder "
        "has all that it needs: it can be moved, copied and renamed.",
        _use(name),
        _data(results),
        _quality(results),
        *([_to_know(results)] if results.suspicions else []),
        _inside(results),
        "## Licence\n\nTo be filled in by whoever gives this away: the licence of the system, and "
        "those of the texts that it was made from, which it contains in pieces.",
    ]
    return "\n\n".join(parts) + "\n"


def _use(name: str) -> str:
    return (
        "## Use\n\n```sh\npip install tartib\n"
        f"tartib translate {name} text.txt --out translated.txt\n```\n\n"
        "A line is a sentence; with `--documents` it may be a paragraph. `--terms FILE` gives "
        "words the translations of a glossary, `--markup` takes them from tags such as "
        '`<x translation="house">Haus</x>`.\n\n'
        "```python\nimport tartib\n"
        f'print(tartib.Translator.load("{name}").translate("…").text)\n```'
    )


def _data(results: BuildResults) -> str:
    data = results.data
    lines = [
        "## Data\n",
        f"- Trained on {counted(data.pairs, 'sentence pair')} "
        f"({data.source_words:,} and {data.target_words:,} tokens), of {data.read:,} read.",
    ]
    if data.mono_lines:
        lines.append(
            f"- {counted(data.mono_lines, 'more line')} of the target language for the language "
            "model."
        )
    for purpose, names in data.files.items():
        lines.append(f"- {purpose}: {', '.join(f'`{one}`' for one in names)}")
    for one in data.held_out:
        lines.append(
            f"- The {_SETS[one]} was drawn from the training text, and not trained on: scores on "
            "other text are usually lower."
        )
    return "\n".join(lines)


def _quality(results: BuildResults) -> str:
    lines = [
        "## How good\n",
        "| | sentences | score | 95 % interval |",
        "|---|---|---|---|",
    ]
    for found, title in (
        (results.test, "test"),
        (results.dev, f"development ({tuned_on(results)})"),
    ):
        for metric, figure in found.scores.items():
            lines.append(
                f"| {title}, {metric} | {found.sentences:,} | {figure.score:.1f} | "
                f"{figure.low:.1f} to {figure.high:.1f} |"
            )
    signatures = "\n".join(f"- `{score.signature}`" for score in results.test.scores.values())
    unknown = share(results.test)
    return "\n".join(lines) + (
        f"\n\nRaw output against raw references ({results.texts[1]}); {unknown} of the test words "
        f"were never seen in training and are copied. Signatures:\n\n{signatures}\n\n"
        "`report.html` shows how it was made, and examples."
    )


def tuned_on(results: BuildResults) -> str:
    """Say which part of the development set the weights were tuned on."""
    if results.tuned_on == results.dev.sentences:
        return "tuned on"
    return f"the first {results.tuned_on:,} tuned on"


def _to_know(results: BuildResults) -> str:
    found = (f"- {one[:1].upper()}{one[1:]}." for one in results.suspicions)
    return "\n".join(["## What seemed wrong with the text\n", *found])


def _inside(results: BuildResults) -> str:
    return (
        "## Inside\n\n"
        f"Phrase-based; reordering: {results.title} ({results.orientation}, {results.direction}), "
        f"distortion limit {results.limit}; {counted(results.sizes.phrase_table, 'phrase pair')}, "
        f"{counted(results.sizes.ngrams, 'n-gram')}.\n\n"
        "- `system.toml`: parts, weights and options of the search\n"
        "- `text`: how text becomes tokens and text again\n"
        "- `phrase-table`, `lm`, `reordering`: the models\n"
        "- `scores.json`: all figures; `report.html`: for people\n"
        "- `seen.npy`: hashes of the training sentences, for warnings\n"
        f"- signature: `{results.signature}`"
    )


def share(found: SetScores) -> str:
    """Return the share of unknown words."""
    return f"{100 * found.unknown:.1f} %"
