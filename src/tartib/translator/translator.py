"""`Translator`: a system with its text handling, for whoever has sentences or documents."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tartib import storage
from tartib.decoder import Decoder, MarkedSentence, System, Translation
from tartib.errors import DataError, OptionError
from tartib.translator.doubts import InputCheck
from tartib.translator.marking import marker_of
from tartib.translator.results import Paragraph, Translated

if TYPE_CHECKING:
    from tartib.text import TextModel

SCORES = "scores.json"  # in a system folder: what was measured when it was built


class Translator:
    """Translates raw text by a system that has a text module, or tokens by one that has none.

    Parameters
    ----------
    decoder
        Translates tokens.
    text
        Makes tokens of raw text, and raw text of tokens; None if texts are tokens, separated by
        spaces.
    usual_unknown
        The share of unknown words in the system's development set, if it was measured.
    n_jobs
        Number of threads; None for all cores. Translations do not depend on it.

    Attributes
    ----------
    marker
        Gives sentences their forced translations: with a text module, placeholders and addresses
        stay as they are. `tartib.translator.marker_of` makes others, with a glossary for example.
    """

    def __init__(
        self,
        decoder: Decoder,
        text: TextModel | None = None,
        *,
        usual_unknown: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.decoder = decoder
        self.text = text
        self.usual_unknown = usual_unknown
        self.n_jobs = n_jobs
        self.marker = marker_of(decoder, text)

    @classmethod
    def load(
        cls, path: str | Path, n_jobs: int | None = None, *, progress: bool = False
    ) -> Translator:
        """Load a system.

        Parameters
        ----------
        path
            A system folder, the TOML file of a `System`, or a moses.ini.
        n_jobs
            Number of threads; None for all cores.
        progress
            Show progress bars on a terminal.
        """
        return cls.of(System.read(path), n_jobs, progress=progress)

    @classmethod
    def of(
        cls,
        system: System,
        n_jobs: int | None = None,
        *,
        tokens: bool = False,
        progress: bool = False,
    ) -> Translator:
        """Load the models of a system; with ``tokens``, its text module is not used."""
        decoder = system.load(progress=progress)  # says best what is missing
        text = None if tokens else load_text(system)
        return cls(decoder, text, usual_unknown=_usual_unknown(system.folder), n_jobs=n_jobs)

    def __repr__(self) -> str:
        languages = ""
        if self.text is not None:
            languages = f" {self.text.source.language or '?'}-{self.text.target.language or '?'}"
        return f"<Translator{languages}: {self.decoder}>"

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is iterable, too
        self, text: str, *, nbest_size: int = 1, distinct: bool = False, graph: bool = False
    ) -> Translated: ...

    @overload
    def translate(
        self,
        text: Iterable[str | MarkedSentence],
        *,
        nbest_size: int = 1,
        distinct: bool = False,
        graph: bool = False,
        ready: Callable[[], bool] | None = None,
    ) -> Iterator[Translated]: ...

    def translate(
        self,
        text: str | Iterable[str | MarkedSentence],
        *,
        nbest_size: int = 1,
        distinct: bool = False,
        graph: bool = False,
        ready: Callable[[], bool] | None = None,
    ) -> Translated | Iterator[Translated]:
        """Return the translation of a sentence, or yield those of many, in order.

        Parameters
        ----------
        text
            A sentence, or an iterable of sentences, which is read lazily; those that are marked
            have their tokens already.
        nbest_size, distinct, graph, ready
            As in `Decoder.translate`.
        """
        if isinstance(text, str):
            [found] = self.translate([text], nbest_size=nbest_size, distinct=distinct, graph=graph)
            return found
        drawn: deque[str] = deque()

        def prepared() -> Iterator[MarkedSentence]:
            for line in text:
                marked = self.marker.mark(line) if isinstance(line, str) else line
                drawn.append(marked.text)
                yield marked

        translations = self.decoder.translate(
            prepared(),
            nbest_size=nbest_size,
            distinct=distinct,
            graph=graph,
            n_jobs=self.n_jobs,
            ready=ready,
        )
        return self._restored(translations, drawn)

    def _restored(
        self, translations: Iterator[Translation], drawn: deque[str]
    ) -> Iterator[Translated]:
        for translation in translations:
            yield Translated(drawn.popleft(), translation, self.text)

    def prepare(self, line: str) -> str:
        """Return the decoder's input for a line: its tokens, separated by spaces."""
        return line if self.text is None else self.text.source.prepare(line)

    def translate_document(self, text: str) -> str:
        """Translate a text of several lines, each of which may have several sentences.

        The translation has the same lines, and ends with a line feed if the text does.
        """
        lines = text.split("\n")
        return "\n".join(found.text for found in self.translate_paragraphs(lines))

    def translate_paragraphs(
        self,
        lines: Iterable[str],
        *,
        nbest_size: int = 1,
        distinct: bool = False,
        graph: bool = False,
        ready: Callable[[], bool] | None = None,
    ) -> Iterator[Paragraph]:
        """Yield the translation of each line of a document, sentence by sentence, in order.

        Parameters
        ----------
        lines
            Paragraphs, read lazily; an empty one stays empty.
        nbest_size, distinct, graph, ready
            As in `Decoder.translate`.
        """
        if isinstance(lines, str):
            raise OptionError("give a list of paragraphs, or a text to translate_document")
        if self.text is None:
            raise OptionError(
                "the system has no text module, which cuts paragraphs into sentences: give one "
                "sentence on each line, without --documents"
            )
        drawn: deque[tuple[str, int]] = deque()
        left = 0

        def pieces() -> Iterator[str]:
            nonlocal left
            for line in lines:
                found = self.sentences(line) or [""]
                drawn.append((line.removesuffix("\n").removesuffix("\r"), len(found)))
                left = len(found)
                for sentence in found:
                    left -= 1
                    yield sentence

        translated = self.translate(
            pieces(),
            nbest_size=nbest_size,
            distinct=distinct,
            graph=graph,
            ready=None if ready is None else lambda: left > 0 or ready(),
        )
        return self._paragraphs(translated, drawn)

    def _paragraphs(
        self, translated: Iterator[Translated], drawn: deque[tuple[str, int]]
    ) -> Iterator[Paragraph]:
        sentences: list[Translated] = []
        for sentence in translated:
            sentences.append(sentence)
            if len(sentences) == drawn[0][1]:
                yield Paragraph(drawn.popleft()[0], tuple(sentences), self.text)
                sentences = []

    def sentences(self, line: str) -> list[str]:
        """Cut a paragraph into sentences; without a text module it is one."""
        return [line] if self.text is None else self.text.source.sentences(line)

    def doubts(self, translated: Iterable[Translated | Paragraph]) -> list[str]:
        """Return warnings about a text that seems to be none for this system, in words.

        Parameters
        ----------
        translated
            What `translate` or `translate_paragraphs` made of it.
        """
        check = InputCheck(self)
        for found in translated:
            check.add(found)
        return check.doubts()


def load_text(system: System) -> TextModel | None:
    """Return what makes tokens of raw text and raw text of tokens; None if a system has none."""
    folder = system.text_folder
    if folder is None:
        return None
    from tartib.text import TextModel

    return TextModel.load(folder)


def read_scores(folder: Path) -> dict[str, Any]:
    """Return what was measured when a system folder was built; nothing if it does not tell."""
    try:
        return storage.read_json(folder / SCORES)
    except (DataError, FileNotFoundError):  # nothing depends on it but what is told
        return {}


def _usual_unknown(folder: Path) -> float | None:
    """Return which share of the development set's words was unknown, if the system tells."""
    dev = read_scores(folder).get("dev")
    share = dev.get("unknown") if isinstance(dev, dict) else None
    return share if isinstance(share, float) and 0 <= share <= 1 else None
