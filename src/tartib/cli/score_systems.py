"""Systems that ``tartib score --system`` translates with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tartib.cli import output

if TYPE_CHECKING:
    from tartib.translator import Translator


def translated(
    path: str, sentences: Sequence[str], source: str, jobs: int | None
) -> tuple[list[str], str]:
    """Return translations, and sacreBLEU's name of the tokenisation that suits them.

    Parameters
    ----------
    path
        A system.
    sentences
        What to translate.
    source
        The name of the file that they are from.
    jobs
        Cores to use.
    """
    from tartib.decoder import System
    from tartib.progress import progress_bar
    from tartib.translator import InputCheck, Translator, seen_doubt

    system = System.read(path)
    translator = Translator.of(system, jobs, progress=True)
    check = InputCheck(translator)
    lines, tokens = [], []
    with progress_bar(f"Translating by {path}", len(sentences), "sentences") as advance:
        for found in translator.translate(sentences):
            lines.append(found.text)
            tokens.append(" ".join(found.translation.source))
            check.add(found)
            advance(1)
    for doubt in filter(None, (*check.doubts(), seen_doubt(system, tokens))):
        output.print_problem(f"warning: {source}: {doubt}")
    return lines, _tokenisation(translator)


def _tokenisation(translator: Translator) -> str:
    from tartib.evaluation import usual_tokenisation

    if translator.text is None:
        return "none"
    target = translator.text.target
    return usual_tokenisation(target.language) if target.language or not target.unspaced else "char"


def common_tokenisation(names: Iterable[str]) -> str:
    """Return the tokenisation of all outputs; those of files say nothing, and alone are tokens."""
    from tartib.errors import OptionError

    found = sorted(set(names))
    if len(found) > 1:
        raise OptionError(
            f"the systems' outputs are of different kinds ({', '.join(found)}), and the references "
            "of one: score them one by one, or choose by --tokenize"
        )
    return found[0] if found else "none"
