"""The demo's corpus and what it asks of the translation experiment; test_cli runs all of it."""

from pathlib import Path

from tartib.demo.translation import SYSTEMS, divide, translation_options
from tartib.synthetic import write_corpus


def test_corpus_is_divided_once(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", 200)
    texts = divide(corpus, 200)
    parts = [texts.train, texts.dev, texts.test]
    for side, path in enumerate(corpus):
        found = [part[side].read_text(encoding="utf-8") for part in parts]
        assert [text.count("\n") for text in found] == [170, 10, 20]
        assert "".join(found) == path.read_text(encoding="utf-8")


def test_systems_learn_from_the_training_part_alone(tmp_path: Path) -> None:
    texts = divide(write_corpus(tmp_path / "corpus", 20), 20)
    options = translation_options(texts, tune_pairs=1000, seed=3)
    options.check_files()
    assert (*options.train, options.alignment) == texts.train
    assert (options.dev, *options.dev_reference) == texts.dev[:2]
    assert (options.test, *options.test_reference) == texts.test[:2]
    assert (options.systems, options.seed) == (SYSTEMS, 3)
