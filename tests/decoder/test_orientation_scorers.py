"""Reordering models in a decoder: their names, their order, and that decoders can share them."""

import numpy as np
import pytest

from tartib import Bitext, OptionError, PhraseTable, ReorderingModel, extract_phrases
from tartib.decoder import (
    Decoder,
    ModelScorer,
    OrientationScorer,
    SparseReordering,
    TableScorer,
    WordList,
)
from tartib.decoder.orientation_scorers import feature_names
from tartib.orientation import OrientationModel
from tartib.reordering.inputs import PhraseHasher
from tests.support.decoding import language_model, make_table

SENTENCE = "a b c"


def table_of(words: str) -> PhraseTable:
    """Return a table whose vocabulary has words in this order, so that their ids differ."""
    return make_table([f"{word} ||| {word.upper()} ||| 1 1 ||| 0-0 ||| 1 1 1" for word in words])


def trained(classifier: str = "svm", direction: str = "bidirectional") -> ReorderingModel:
    source = ["a b c", "b a c", "c a", "a c b"] * 5
    target = ["A C B", "A B C", "A C", "C A B"] * 5
    links = ["0-0 1-2 2-1", "0-1 1-0 2-2", "0-1 1-0", "0-1 1-0 2-2"] * 5
    phrases = extract_phrases(Bitext.from_lines(source, target, links), "hier-msd")
    return ReorderingModel("S6", classifier, direction, cutoff=1).fit(phrases)


def features(decoder: Decoder) -> list[float]:
    (found,) = decoder.translate([SENTENCE], n_jobs=1)
    return [found.best.total, *found.best.features.tolist()]


def test_two_decoders_share_a_reordering_model() -> None:
    scorer = ModelScorer(trained())
    first = Decoder(table_of("abc"), language_model(), [scorer])
    alone = features(first)
    second = Decoder(table_of("cbad"), language_model(), [scorer])
    assert features(first) == alone
    assert features(second) == pytest.approx(alone, abs=1e-5)


def test_a_model_can_be_given_as_it_is() -> None:
    model = trained()
    decoder = Decoder(table_of("abc"), language_model(), [model])
    assert features(decoder) == features(
        Decoder(table_of("abc"), language_model(), [ModelScorer(model)])
    )


def test_two_decoders_share_sparse_features() -> None:
    words = [WordList.of_words("source", "s", ["a"]), WordList.of_words("target", "t", ["A"])]
    sparse = SparseReordering(OrientationModel.parse("hier-msd"), words)
    named = {}
    decoders = [
        Decoder(table_of(order), language_model(), sparse=sparse) for order in ("abc", "cbad")
    ]
    for number, decoder in enumerate(decoders):
        (found,) = decoder.translate(["a b"], n_jobs=1)
        indices, counts = found.best.sparse
        names = [decoder.layout.sparse[i] for i in indices.tolist()]
        named[number] = dict(zip(names, counts.tolist(), strict=True))
    assert named[0] == {f"phr-{place}-0": 1.0 for place in (
        "src-first-s-a", "src-last-s-a", "tgt-first-t-A", "tgt-last-t-A"
    )}  # fmt: skip
    assert named[1] == named[0]


@pytest.mark.parametrize("classifier", ["svm", "lexicalised"])
def test_unknown_words_are_scored_or_skipped(classifier: str) -> None:
    model = trained(classifier)
    found = {}
    for choice in ("score", "skip", None):
        scorer = ModelScorer(model, choice)
        decoder = Decoder(table_of("abc"), language_model(), {"it": scorer})
        whole, alone = decoder.translate(["a z b", "z"], n_jobs=1)
        found[choice] = [decoder.layout.mapping(t.best.features)["it"] for t in (whole, alone)]
    assert found[None] == found["score" if classifier == "svm" else "skip"]
    assert set(found["skip"][1]) == {0.0}
    (value,) = (value for value in found["score"][1] if value)  # nothing follows the only phrase
    if classifier == "lexicalised":
        vocabularies = table_of("abc").source_vocabulary, table_of("abc").target_vocabulary
        counts = model.models_["backward"].counts
        assert counts is not None
        mono, *_ = counts.predict_unknown_word(PhraseHasher(*vocabularies).source_words())
        assert value == pytest.approx(np.log(mono), rel=1e-5)


def a_table(direction: str = "backward") -> TableScorer:
    return TableScorer(
        np.ones((3, 3), np.float32), OrientationModel.parse("hier-msd"), (direction,)
    )


def test_models_are_named_after_what_they_are() -> None:
    classifier, lexicalised = ModelScorer(trained()), ModelScorer(trained("lexicalised"))
    given: list[OrientationScorer] = [
        classifier,
        a_table(),
        lexicalised,
        classifier,
        a_table("forward"),
    ]
    names = ("svm-S6", "LexicalReordering0", "lexicalised", "svm-S6-2", "LexicalReordering1")
    assert feature_names(given) == names
    decoder = Decoder(table_of("abc"), language_model(), given)
    assert tuple(decoder.layout.sizes)[:5] == names
    assert feature_names([classifier, classifier], [None, "svm-S6"]) == ("svm-S6-2", "svm-S6")
    with pytest.raises(OptionError, match="two reordering models have the same name"):
        feature_names([a_table(), a_table()], ["LexicalReordering1", None])
