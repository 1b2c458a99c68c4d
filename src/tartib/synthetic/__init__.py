"""A SYNTHETIC Arabic-English corpus with exact word alignments.

The sentences are made by a small grammar with a real vocabulary; nobody ever wrote them.  They are
useful for demonstrations, for tests and for benchmarks of scale.  They are never evidence about
real Arabic, real English or the quality of a system on real text: the word order, the ambiguity and
the frequencies are those that the grammar puts in.

The Arabic is undiacritised Modern Standard Arabic in the segmentation of the Arabic Treebank: the
clitics ``و+ ف+ ب+ ل+ ك+ س+`` and ``+ه +ها +هم`` are tokens of their own, the article is not.  The
English "the" is aligned with the Arabic word that it stands next to: in الكتاب = "the book" with
the noun, in الكتاب الجديد = "the new book" with the adjective, which has an article too.

>>> pair = next(generate(1))
>>> len(pair.source) > 0 and len(pair.target) > 0
True
"""

from tartib.synthetic.corpus import BLOCK_SIZE, block, generate, lines
from tartib.synthetic.files import write_corpus
from tartib.synthetic.sentences import SentencePair

__all__ = ["BLOCK_SIZE", "SentencePair", "block", "generate", "lines", "write_corpus"]
