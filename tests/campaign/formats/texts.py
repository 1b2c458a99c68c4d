"""Text files of users and of other programs: nothing but their syntax can be checked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from functools import partial
from html import escape
from pathlib import Path

import zstandard

from tartib import Bitext, ReadOptions, System
from tartib.alignment import GoldLinks, evaluate
from tartib.dataset import read_svmlight
from tartib.decoder import MarkedSentence, Marker, MarkupReader, Terms
from tartib.decoder.input import SentenceReader
from tartib.decoder.system_sections import read_weights, weights_section
from tartib.evaluation.word_order import source_orders
from tartib.experiments import ClassificationOptions, TranslationOptions
from tartib.experiments.run.options import read_toml
from tartib.extraction import extract_phrases
from tartib.lm import LanguageModel
from tartib.models import MulticlassSVM
from tartib.phrase_table import PhraseTable, read_reordering_table
from tartib.textio import read_lines
from tests.campaign.formats.definition import Format
from tests.campaign.materials import (
    SEARCH,
    TABLE_TYPE,
    WEIGHTS,
    Materials,
    loaded_table,
    reordering_weights,
    translated,
)

_COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": partial(gzip.compress, mtime=0),
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
_LINES = 6
_ROWS = b"1 1:0.5 3:2\n2 2:1e-3 # note\n1 1:1 2:1 3:1\n3 4:7\n"
_OPTIONS = {
    "classification": (
        'source = "s"\ntarget = "t"\nalignment = "a"\nfeatures = ["S1", "S4"]\ncutoff = 3\n'
        'held-out = 0.2\norientations = "hier-msd"\nregression-epsilons = [1.0, 0.1]\nseed = 3\n'
        'languages = "ar-en"\ntune = false\njobs = 2\n'
    ),
    "translation": (
        'train = ["s", "t"]\nalignment = "a"\ndev = "d"\ndev-reference = ["r"]\ntest = "e"\n'
        'test-reference = ["r", "q"]\nsystems = ["lexicalised", "svm:S6+sparse"]\nruns = 1\n'
        'sparse-features = "phrase"\nstack-size = 7\nword-order = true\n'
    ),
}


def _first_lines(path: Path) -> bytes:
    return b"".join(path.read_bytes().splitlines(keepends=True)[:_LINES])


def _used_bitext(bitext: Bitext) -> object:
    pairs = [bitext[i] for i in range(len(bitext))]
    if not bitext.aligned:
        return pairs, bitext.skipped
    found = extract_phrases(bitext, max_phrase_length=2, n_jobs=1)
    return pairs, bitext.skipped, found.records, found.counts()


def _make_two_files(sample: Path, materials: Materials, suffix: str) -> None:
    for name in ("source", "target", "alignment"):
        data = _first_lines(getattr(materials, name))
        (sample / f"{name}{suffix}").write_bytes(_COMPRESSED.get(suffix, bytes)(data))


def _use_two_files(sample: Path, _: Materials, suffix: str) -> object:
    files = (sample / f"{name}{suffix}" for name in ("source", "target", "alignment"))
    return _used_bitext(Bitext.read(*files, options=ReadOptions(skip_empty=True)))


def _make_tsv(sample: Path, materials: Materials) -> None:
    files = (materials.source, materials.target, materials.alignment)
    rows = zip(*(_first_lines(file).splitlines() for file in files), strict=True)
    (sample / "text.tsv").write_bytes(b"".join(b"\t".join(row) + b"\n" for row in rows))


def _make_tmx(sample: Path, materials: Materials) -> None:
    rows = zip(
        *(_first_lines(f).decode().splitlines() for f in (materials.source, materials.target)),
        strict=True,
    )
    units = "".join(
        f'<tu><tuv xml:lang="ar"><seg>{escape(a)}</seg></tuv>'
        f'<tuv xml:lang="en-GB"><seg>{escape(b)} <bpt i="1">x</bpt></seg></tuv></tu>\n'
        for a, b in rows
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4"><header/><body>\n'
    (sample / "text.tmx").write_text(f"{head}{units}</body></tmx>\n", encoding="utf-8")


def _make_zip(sample: Path, materials: Materials, method: int) -> None:
    with zipfile.ZipFile(sample / "text.zip", "w", method) as archive:
        for language, path in (("ar", materials.source), ("en", materials.target)):
            archive.writestr(f"corpus.ar-en.{language}", _first_lines(path))


def _use_one_file(sample: Path, _: Materials, name: str) -> object:
    return _used_bitext(Bitext.read(sample / name, options=ReadOptions(skip_empty=True)))


def _make_copy(sample: Path, materials: Materials, name: str) -> None:
    given: Path = getattr(materials, name)
    (sample / "file").write_bytes(given.read_bytes())


def _use_arpa(sample: Path, materials: Materials) -> object:
    model = LanguageModel.load(sample / "file")
    return model.score_block(materials.target.read_bytes()), model.counts


def _use_moses_table(sample: Path, _: Materials) -> object:
    table = PhraseTable.read_moses(sample / "file")
    return [table[row] for row in range(0, len(table), 10)], table.scores.tobytes()


def _use_reordering_table(sample: Path, materials: Materials) -> object:
    return read_reordering_table(sample / "file", loaded_table(materials.table))


def _make_system(sample: Path, materials: Materials) -> None:
    """Name all that a system can have."""
    (sample / "words").write_text("a\nthe\n")
    (sample / "system.toml").write_text(
        f'phrase-table = "{materials.table}"\nlm = "{materials.lm}"\n'
        f'[[reordering]]\ntable = "{materials.reordering_table}"\ntype = "{TABLE_TYPE}"\n'
        '[sparse-reordering]\norientation = "hier-msd"\ntarget-words = "words"\ntop = 2\n'
        f'features = ["phrase", "between"]\n{SEARCH}distortion-limit = 4\nmax-words = 9\n'
        f"{weights_section(reordering_weights())}"
        f"{weights_section({'phr-tgt-first-words-the-0': [0.1]}, 'sparse-weights')}"
    )


def _make_ini(sample: Path, materials: Materials) -> None:
    weights = "".join(f"{n}= {' '.join(map(str, w))}\n" for n, w in reordering_weights().items())
    columns = len(reordering_weights()["LexicalReordering0"])
    (sample / "moses.ini").write_text(
        "# made for a test\n[input-factors]\n0\n\n[mapping]\n0 T 0\n\n[distortion-limit]\n4\n\n"
        "[stack]\n5\n\n[cube-pruning-pop-limit]\n50\n\n[feature]\nUnknownWordPenalty\nWordPenalty\n"
        "PhrasePenalty\nDistortion\nPhraseDictionaryMemory name=TranslationModel0 num-features=4 "
        f"path={materials.moses_table} input-factor=0 output-factor=0 table-limit=3\n"
        f"LexicalReordering name=LexicalReordering0 num-features={columns} "
        f"type={TABLE_TYPE}-allff input-factor=0 output-factor=0 path={materials.reordering_table}"
        f"\nKENLM lazyken=0 name=LM0 factor=0 path={materials.arpa} order=2\n\n[weight]\n{weights}"
    )


def _use_system(sample: Path, materials: Materials, name: str) -> object:
    system = System.read(sample / name)
    # Damage may make the search slow, as a user may ask for; here that is no matter.
    few = {
        n: v for n, v in (("stack_size", 5), ("table_limit", 3)) if getattr(system.search, n) > v
    }
    few |= {n: 5 for n in ("stack_size", "table_limit") if not getattr(system.search, n)}
    return translated(system.with_search(**few).load(), materials.sentences[:1])


def _make_options(sample: Path, _: Materials, kind: str) -> None:
    (sample / "options.toml").write_text(_OPTIONS[kind])


def _use_options(
    sample: Path, _: Materials, kind: type[ClassificationOptions | TranslationOptions]
) -> object:
    path = sample / "options.toml"
    return kind.make(read_toml(path), path).model_dump()


def _make_weights(sample: Path, _: Materials) -> None:
    (sample / "weights.toml").write_text(weights_section(WEIGHTS))


def _use_weights(sample: Path, materials: Materials) -> object:
    given = read_weights(sample / "weights.toml")
    system = System.read(materials.system).with_weights(given, sample / "weights.toml")
    return translated(system.load(), materials.sentences[:1])


def _make_svmlight(sample: Path, _: Materials) -> None:
    (sample / "rows.svm").write_bytes(_ROWS)


def _use_svmlight(sample: Path, _: Materials) -> object:
    rows = read_svmlight(sample / "rows.svm")
    if rows.n_features > 10_000:  # weights of so many columns take long, and show nothing
        return rows.n_features
    return MulticlassSVM(max_iter=1).fit(rows).weights_, rows.classes


def _make_orders(sample: Path, materials: Materials) -> None:
    for name in ("source", "alignment"):
        (sample / name).write_bytes(_first_lines(getattr(materials, name)))


def _use_orders(sample: Path, _: Materials) -> object:
    lines, text = read_lines(sample / "alignment"), read_lines(sample / "source")
    return source_orders(lines, text, str(sample / "alignment"))


def _make_gold(sample: Path, materials: Materials, numbered: bool) -> None:
    lines = [line.split() for line in _first_lines(materials.alignment).decode().splitlines()]
    rows = [" ".join(links).replace("-", "?", 1) for links in lines]
    if numbered:
        pairs = ((n, *map(int, x.split("-"))) for n, links in enumerate(lines, 1) for x in links)
        rows = [f"{n:04} {i + 1} {j + 1} {'SP'[i == j]}" for n, i, j in pairs]
    (sample / "gold").write_text("".join(f"{row}\n" for row in rows))


def _use_gold(sample: Path, materials: Materials) -> object:
    gold = GoldLinks.read(sample / "gold")
    found = Bitext.read(materials.source, materials.target, materials.alignment)
    gold = gold.within(found)
    return list(gold.sure), list(gold.possible), evaluate(found, gold, samples=3).as_dict()


def _make_marked(sample: Path, materials: Materials) -> None:
    words = materials.sentences[0].split()
    lines = (
        f'<x translation="a||b &amp; c" prob="0.8||0.2">{words[0]}</x> {" ".join(words[1:])}\n',
        f"1 < 2 {words[0]} <n english='the'>{' '.join(words[-2:])}</n>.\n",
    )
    (sample / "text").write_text("".join(lines))


def _make_terms(sample: Path, materials: Materials) -> None:
    words = materials.sentences[0].split()
    lines = ("# of a test", f"{words[0]}\tone", f"{words[0]} {words[1]}\ta pair", "x\ty")
    (sample / "terms").write_text("".join(f"{line}\n" for line in lines))


def _use_marked(sample: Path, materials: Materials) -> object:
    with SentenceReader(sample / "text") as reader:
        lines = list(reader)
    marked = list(Marker(MarkupReader(sample / "text")).mark_all(lines))
    return marked, _translated_few(materials, marked)


def _use_terms(sample: Path, materials: Materials) -> object:
    terms = Terms.read(sample / "terms")
    marked = list(Marker(terms=terms).mark_all(materials.sentences[:1]))
    return marked, _translated_few(materials, marked)


def _translated_few(materials: Materials, sentences: list[MarkedSentence]) -> object:
    system = System.read(materials.system).with_search(stack_size=5, table_limit=3)
    return translated(system.load(), sentences)


TEXTS = (
    *(
        Format(
            f"bitext{suffix}",
            partial(_make_two_files, suffix=suffix),
            partial(_use_two_files, suffix=suffix),
        )
        for suffix in ("", *_COMPRESSED)
    ),
    Format("tsv", _make_tsv, partial(_use_one_file, name="text.tsv")),
    Format("tmx", _make_tmx, partial(_use_one_file, name="text.tmx")),
    *(
        Format(
            f"zip-{name}",
            partial(_make_zip, method=method),
            partial(_use_one_file, name="text.zip"),
        )
        for name, method in (
            ("stored", zipfile.ZIP_STORED),
            ("deflate", zipfile.ZIP_DEFLATED),
            ("bzip2", zipfile.ZIP_BZIP2),
            ("lzma", zipfile.ZIP_LZMA),
        )
    ),
    *(
        Format(f"gold-{name}", partial(_make_gold, numbered=name == "naacl"), _use_gold)
        for name in ("pharaoh", "naacl")
    ),
    Format("orders", _make_orders, _use_orders),
    Format("arpa", partial(_make_copy, name="arpa"), _use_arpa),
    Format("moses-table", partial(_make_copy, name="moses_table"), _use_moses_table),
    Format("reordering-table", partial(_make_copy, name="reordering_table"), _use_reordering_table),
    Format("system", _make_system, partial(_use_system, name="system.toml")),
    Format("moses-ini", _make_ini, partial(_use_system, name="moses.ini")),
    Format("marked-text", _make_marked, _use_marked),
    Format("terms", _make_terms, _use_terms),
    Format("weights", _make_weights, _use_weights),
    Format(
        "classification-options",
        partial(_make_options, kind="classification"),
        partial(_use_options, kind=ClassificationOptions),
    ),
    Format(
        "translation-options",
        partial(_make_options, kind="translation"),
        partial(_use_options, kind=TranslationOptions),
    ),
    Format("svmlight", _make_svmlight, _use_svmlight),
)
