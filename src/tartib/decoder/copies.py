"""Words that are the same in every language: addresses, and places that a program fills in.

Unknown words are copied anyway; these are, even if the phrase table has other ideas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tartib.decoder.marked_sentence import Forced

_URL = r"(?:[a-zA-Z][a-zA-Z0-9+.-]*://|www\.)\S+"
_MAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_BRACES = r"\$?\{\{?[^{}\s]*\}?\}"  # {name}, {{name}}, ${name}
_PERCENT = r"%(?:\d+\$|\(\w+\))?[-+#0]?\d*(?:\.\d+)?l?[sdiufFeEgGxXc@]"  # %s, %1$d, %(name)s
_TAG = r"</?[a-zA-Z][^<>\s]*/?>"
_TELEPHONE = "\\+[0-9()\u2581./-]{7,}"
_MARK = "[\uffed\u2581]?"  # of tokens, as the module `text` makes them
_COPIED = re.compile(f"{_MARK}(?:{_URL}|{_MAIL}|{_BRACES}|{_PERCENT}|{_TAG}|{_TELEPHONE}){_MARK}")


def copies(words: Sequence[str], taken: Iterable[tuple[int, int]] = ()) -> list[Forced]:
    """Return translations of addresses, placeholders and tags by themselves.

    Parameters
    ----------
    words
        A sentence.
    taken
        Spans [start, end) that have translations already.
    """
    is_taken = {i for begin, end in taken for i in range(begin, end)}
    return [
        Forced(i, i + 1, (word,))
        for i, word in enumerate(words)
        if _COPIED.fullmatch(word) and i not in is_taken
    ]
